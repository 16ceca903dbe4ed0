/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/entropy.h"

/* <sys/file.h> of the system is hidden by ours. */
enum { LOCK_EXCLUSIVE = 2 };
int flock(int fd, int operation);

enum { CLEAR_MOST = 100 * 1000, CLEAR_DEPTH = 64, FOLDER = O_RDONLY | O_DIRECTORY | O_CLOEXEC };

/* A path cut before its last name. */
struct place {
    char above[PATH_MAX];
    const char *name;
};

void beneath_close(const int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}

static pap_result fail_io(struct pap_err *err, const char *what, const char *path)
{
    char why[128];
    int code = errno;
    if (code == ELOOP || code == EXDEV)
        return fail(err, PAP_REFUSED,
                    "cannot %s %s: a symbolic link is on its way, or it leads out; links are not followed here", what,
                    path);
    if (code == ENOSYS)
        return fail(err, PAP_UNAVAILABLE,
                    "cannot %s %s: this kernel has no openat2 (Linux 5.6), without which a link could lead elsewhere",
                    what, path);
    return fail(err, code == ENOMEM ? PAP_NO_MEMORY : PAP_IO, "cannot %s %s: %s", what, *path ? path : "the folder",
                strerror_r(code, why, sizeof why));
}

static int open_beneath(int root, const char *path, int flags, mode_t mode)
{
    struct open_how how = {.flags = (uint64_t)flags | O_CLOEXEC,
                           .mode = mode,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    long fd = -1;
    do /* EAGAIN: something was renamed during the walk, and the kernel cannot tell whether it left */
        fd = syscall(SYS_openat2, root, *path ? path : ".", &how, sizeof how);
    while (fd < 0 && (errno == EINTR || errno == EAGAIN));
    return (int)fd;
}

pap_result beneath_open(const char *folder, int *ret_root, struct pap_err *err)
{
    int fd = open(folder, FOLDER);
    int probe __attribute__((cleanup(beneath_close))) = fd < 0 ? -1 : open_beneath(fd, ".", FOLDER, 0);
    if (probe >= 0) {
        *ret_root = fd;
        return OK;
    }
    pap_result r = fail_io(err, "open the folder", folder);
    beneath_close(&fd);
    return r;
}

/* ---- folders ---- */

static pap_result cut(const char *path, struct place *ret, struct pap_err *err)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;
    if (n >= sizeof ret->above)
        return fail(err, PAP_IO, "the path is too long: %s", path);
    memcpy(ret->above, path, n);
    ret->above[n] = '\0';
    ret->name = slash ? slash + 1 : path;
    return OK;
}

static pap_result make_folders(int root, const char *path, struct pap_err *err)
{
    struct place p = {.name = ""};
    int fd __attribute__((cleanup(beneath_close))) = -1;
    TRY(cut(path, &p, err));
    TRY(beneath_folder(root, p.above, true, &fd, err));
    return mkdirat(fd, p.name, 0755) == 0 || errno == EEXIST ? OK : fail_io(err, "make the folder", path);
}

/* Deep as the path is, which LIMIT_ARCHIVE_DEPTH or our own names bound. */
/* NOLINTNEXTLINE(misc-no-recursion) */
pap_result beneath_folder(int root, const char *path, bool make, int *ret_fd, struct pap_err *err)
{
    int fd = open_beneath(root, path, FOLDER, 0);
    if (fd < 0 && errno == ENOENT && make && *path) {
        TRY(make_folders(root, path, err));
        fd = open_beneath(root, path, FOLDER, 0);
    }
    if (fd < 0 && (errno != ENOENT || make))
        return fail_io(err, "open the folder", path);
    *ret_fd = fd;
    return OK;
}

/* The folder above a path, open. */
static pap_result above(int root, const char *path, bool make, struct place *p, int *ret_fd, struct pap_err *err)
{
    TRY(cut(path, p, err));
    return beneath_folder(root, p->above, make, ret_fd, err);
}

pap_result beneath_type(int root, const char *path, enum file_type *ret, struct pap_err *err)
{
    struct place p = {.name = ""};
    struct stat st;
    int fd __attribute__((cleanup(beneath_close))) = -1;
    TRY(above(root, path, false, &p, &fd, err));
    bool there = fd >= 0 && fstatat(fd, p.name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (fd >= 0 && !there && errno != ENOENT)
        return fail_io(err, "look at", path);
    *ret = !there                ? FILE_NONE
           : S_ISREG(st.st_mode) ? FILE_REGULAR
           : S_ISDIR(st.st_mode) ? FILE_FOLDER
           : S_ISLNK(st.st_mode) ? FILE_LINK
                                 : FILE_OTHER;
    return OK;
}

pap_result beneath_mark(int root, const char *path, char ret[static BENEATH_MARK], struct pap_err *err)
{
    struct statx st;
    int fd __attribute__((cleanup(beneath_close))) = -1;
    TRY(beneath_folder(root, path, false, &fd, err));
    ret[0] = '\0';
    if (fd >= 0 && statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_UID | STATX_BTIME, &st) < 0)
        return fail_io(err, "look at", path);
    if (fd < 0 || st.stx_uid != geteuid())
        return OK;
    bool born = st.stx_mask & STATX_BTIME;
    (void)snprintf(ret, BENEATH_MARK, "%llu %lld.%u", (unsigned long long)st.stx_ino,
                   born ? (long long)st.stx_btime.tv_sec : 0, born ? st.stx_btime.tv_nsec : 0);
    return OK;
}

/* ---- reading ---- */

pap_result beneath_read(struct arena *a, int root, const char *path, size_t max, struct pap_str *ret,
                        struct pap_err *err)
{
    struct stat st;
    int fd __attribute__((cleanup(beneath_close))) = open_beneath(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        *ret = str(NULL, 0);
        return OK;
    }
    if (fd < 0 || fstat(fd, &st) < 0)
        return fail_io(err, "read", path);
    if (!S_ISREG(st.st_mode))
        return fail(err, PAP_IO, "cannot read %s: it is no file", path);
    return fd_read(a, fd, max, ret, err);
}

pap_result beneath_read_link(struct arena *a, int root, const char *path, struct pap_str *ret, struct pap_err *err)
{
    struct place p = {.name = ""};
    char target[PATH_MAX];
    int fd __attribute__((cleanup(beneath_close))) = -1;
    TRY(above(root, path, false, &p, &fd, err));
    ssize_t n = fd < 0 ? -1 : readlinkat(fd, p.name, target, sizeof target);
    if (fd >= 0 && n < 0 && errno != ENOENT && errno != EINVAL) /* EINVAL: it is no link */
        return fail_io(err, "read the link", path);
    *ret = n < 0 ? str(NULL, 0) : arena_str(a, str(target, (size_t)n));
    return n < 0 || ret->p ? OK : fail_memory(err);
}

pap_result beneath_list(struct arena *a, int root, const char *path, size_t most, unsigned depth, struct tree *ret,
                        struct pap_err *err)
{
    int fd = -1;
    *ret = (struct tree){0};
    TRY(beneath_folder(root, path, false, &fd, err));
    return fd < 0 ? OK : tree_list_fd(a, fd, path, most, depth, ret, err);
}

/* ---- writing ---- */

pap_result beneath_make_own(int root, const char *prefix, char ret_name[static 64], struct pap_err *err)
{
    uint64_t chance;
    TRY(entropy_bytes(&chance, sizeof chance, err));
    if ((size_t)snprintf(ret_name, 64, "%s%016llx", prefix, (unsigned long long)chance) >= 64)
        return fail(err, PAP_IO, "the name is too long: %s", prefix);
    return mkdirat(root, ret_name, 0700) == 0 ? OK : fail_io(err, "make the folder", ret_name);
}

pap_result beneath_write(int root, const char *path, struct pap_str bytes, bool executable, struct pap_err *err)
{
    struct place p = {.name = ""};
    int fd __attribute__((cleanup(beneath_close))) = -1;
    TRY(above(root, path, true, &p, &fd, err));
    int file = open_beneath(fd, p.name, O_WRONLY | O_CREAT | O_EXCL, executable ? 0755 : 0644);
    bool written = file >= 0 && fd_write_all(file, bytes);
    pap_result r = written ? OK : fail_io(err, "write", path);
    if (file >= 0 && close(file) < 0 && written) /* some file systems say here that the disk is full */
        r = fail_io(err, "write", path);
    return r;
}

pap_result beneath_link(int root, const char *path, const char *target, struct pap_err *err)
{
    struct place p = {.name = ""};
    int fd __attribute__((cleanup(beneath_close))) = -1;
    TRY(above(root, path, true, &p, &fd, err));
    return symlinkat(target, fd, p.name) == 0 ? OK : fail_io(err, "make the link", path);
}

static pap_result rename_with(int root, const char *from, const char *to, unsigned flags, int *ret_errno,
                              struct pap_err *err)
{
    struct place f = {.name = ""}, t = {.name = ""};
    int from_fd __attribute__((cleanup(beneath_close))) = -1, to_fd __attribute__((cleanup(beneath_close))) = -1;
    TRY(above(root, from, false, &f, &from_fd, err));
    TRY(above(root, to, true, &t, &to_fd, err));
    if (renameat2(from_fd, f.name, to_fd, t.name, flags) == 0)
        return OK;
    *ret_errno = errno;
    return fail_io(err, "move a file to", to);
}

pap_result beneath_move(int root, const char *from, const char *to, struct pap_err *err)
{
    int code;
    return rename_with(root, from, to, 0, &code, err);
}

pap_result beneath_swap(int root, const char *a, const char *b, struct pap_err *err)
{
    char aside[PATH_MAX];
    int code = 0;
    pap_result r = rename_with(root, a, b, RENAME_EXCHANGE, &code, err);
    if (is_ok(r) || (code != EINVAL && code != ENOSYS && code != ENOTSUP))
        return r;
    if ((size_t)snprintf(aside, sizeof aside, "%s.old", a) >= sizeof aside)
        return fail(err, PAP_IO, "the path is too long: %s", a);
    TRY(beneath_move(root, b, aside, err));
    TRY(beneath_move(root, a, b, err));
    return beneath_move(root, aside, a, err);
}

static pap_result remove_one(int root, const char *path, int flags, struct pap_err *err)
{
    struct place p = {.name = ""};
    int fd __attribute__((cleanup(beneath_close))) = -1;
    TRY(above(root, path, false, &p, &fd, err));
    if (fd < 0 || unlinkat(fd, p.name, flags) == 0 || errno == ENOENT)
        return OK;
    return flags && (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR) ? OK : fail_io(err, "remove", path);
}

pap_result beneath_remove(int root, const char *path, struct pap_err *err)
{
    return remove_one(root, path, 0, err);
}

pap_result beneath_remove_empty(int root, const char *path, struct pap_err *err)
{
    return remove_one(root, path, AT_REMOVEDIR, err);
}

pap_result beneath_clear(int root, const char *path, struct pap_err *err)
{
    struct arena a __attribute__((cleanup(arena_fini)));
    struct tree t;
    arena_init(&a, NULL);
    TRY(beneath_list(&a, root, path, CLEAR_MOST, CLEAR_DEPTH, &t, err));
    for (size_t i = t.n; i; i--) { /* what is in a folder stands behind it */
        struct pap_str full = arena_fmt(&a, "%s/%s", path, t.entries[i - 1].path.p);
        if (!full.p)
            return fail_memory(err);
        TRY(remove_one(root, full.p, t.entries[i - 1].type == TREE_FOLDER ? AT_REMOVEDIR : 0, err));
    }
    return remove_one(root, path, AT_REMOVEDIR, err);
}

pap_result beneath_lock(int root, const char *path, bool make, int *ret_fd, struct pap_err *err)
{
    int fd = -1, r = 0;
    TRY(beneath_folder(root, path, make, &fd, err));
    while (fd >= 0 && (r = flock(fd, LOCK_EXCLUSIVE)) < 0 && errno == EINTR)
        ;
    if (r < 0) {
        pap_result failure = fail_io(err, "lock the folder", path);
        beneath_close(&fd);
        return failure;
    }
    *ret_fd = fd;
    return OK;
}

pap_result beneath_sync(int root, struct pap_err *err)
{
    return syncfs(root) == 0 ? OK : fail_io(err, "write to the disk", "");
}
