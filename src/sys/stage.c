/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/stage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/file.h"

/* <sys/file.h> of the system is hidden by ours. */
enum { LOCK_SHARED = 1, LOCK_EXCLUSIVE = 2, LOCK_AT_ONCE = 4 };
int flock(int fd, int operation);

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* *made: how much of the path names the first folder that was not there, once there was one. */
static pap_result make(const char *path, size_t *made, struct pap_err *err)
{
    char part[PATH_MAX];
    size_t n = strlen(path);
    if (n >= sizeof part)
        return fail(err, PAP_IO, "the path is too long: %s", path);
    if (is_folder(path))
        return OK;
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i])
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        bool is_new = mkdir(part, 0755) == 0;
        if (!is_new && errno != EEXIST)
            return fail_errno(err, "make the folder", part);
        if (is_new && !*made)
            *made = i;
    }
    return is_folder(path) ? OK : fail(err, PAP_IO, "cannot write into %s: it is no folder", path);
}

pap_result folder_make(const char *path, struct pap_err *err)
{
    size_t made = 0;
    return make(path, &made, err);
}

pap_result folder_make_real(const char *path, struct pap_err *err)
{
    struct stat st;
    if (mkdir(path, 0755) == 0)
        return OK;
    if (errno != EEXIST || lstat(path, &st) < 0)
        return fail_errno(err, "make the folder", path);
    return S_ISDIR(st.st_mode) ? OK
                               : fail(err, PAP_IO, "cannot write into %s: it is %s, not a folder", path,
                                      S_ISLNK(st.st_mode) ? "a link" : "a file");
}

pap_result folder_lock(const char *path, int *ret_fd, struct pap_err *err)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = -1;
    while (fd >= 0 && (r = flock(fd, LOCK_EXCLUSIVE)) < 0 && errno == EINTR)
        ;
    if (r < 0) {
        pap_result failure = fail_errno(err, "lock the folder", path);
        folder_unlock(&fd);
        return failure;
    }
    *ret_fd = fd;
    return OK;
}

pap_result folder_make_locked(const char *path, size_t *ret_made, int *ret_fd, struct pap_err *err)
{
    enum { TURNS_MOST = 100 };
    size_t made = 0;
    struct stat st;
    pap_result r = OK;
    for (unsigned i = 0; i < TURNS_MOST; i++) {
        int fd = -1;
        r = make(path, &made, err);
        if (is_ok(r))
            r = folder_lock(path, &fd, err);
        if (is_ok(r) && fstat(fd, &st) == 0 && st.st_nlink > 0) {
            *ret_made = made;
            *ret_fd = fd;
            return OK;
        }
        folder_unlock(&fd);
        /* Whatever failed: a holder who made it takes it, and the folders above it, away at any moment, and the next one
         * may have made them again by now, so that a look at them tells nothing. */
    }
    return is_ok(r) ? fail(err, PAP_IO, "cannot lock the folder %s: it is taken away again and again", path) : r;
}

void folder_unlock(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

bool folder_is_locked(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool locked = fd >= 0 && flock(fd, LOCK_SHARED | LOCK_AT_ONCE) < 0 && errno == EWOULDBLOCK;
    folder_unlock(&fd);
    return locked;
}

pap_result stage_write(const char *path, struct pap_str bytes, bool *ret_there, struct pap_err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (ret_there)
        *ret_there = fd < 0 && errno == EEXIST;
    if (fd < 0 && errno == EEXIST && ret_there)
        return OK;
    bool written = fd >= 0 && fd_write_all(fd, bytes);
    pap_result r = written ? OK : fail_errno(err, "write", path);
    if (fd >= 0 && close(fd) < 0 && written) /* some file systems say here that the disk is full */
        r = fail_errno(err, "write", path);
    return r;
}

pap_result stage_sync(const char *folder, struct pap_err *err)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    pap_result r = fd >= 0 && syncfs(fd) == 0 ? OK : fail_errno(err, "write to the disk", folder);
    folder_unlock(&fd);
    return r;
}

pap_result stage_move(const char *from, const char *to, struct pap_err *err)
{
    return rename(from, to) == 0 ? OK : fail_errno(err, "write", to);
}

pap_result folder_sync(const char *folder, struct pap_err *err)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* Some file systems cannot do it for a folder (EINVAL): then there is nothing more to do. */
    pap_result r = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL) ? OK : fail_errno(err, "write", folder);
    folder_unlock(&fd);
    return r;
}

pap_result stage_remove(const char *path, struct pap_err *err)
{
    return unlink(path) == 0 || errno == ENOENT ? OK : fail_errno(err, "remove", path);
}

pap_result stage_clear(const char *folder, struct pap_err *err)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return OK;
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (!d) {
        pap_result r = fail_errno(err, "remove", folder);
        folder_unlock(&fd);
        return r;
    }
    for (struct dirent *e = readdir(d); e; e = readdir(d))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            (void)unlinkat(fd, e->d_name, 0); /* what stays makes rmdir() fail */
    (void)closedir(d);
    if (rmdir(folder) == 0)
        return OK;
    /* Somebody else's folder is in it. */
    return errno == ENOTEMPTY || errno == EEXIST ? folder_remove(folder, err) : fail_errno(err, "remove", folder);
}

pap_result folder_remove_empty(const char *path, size_t least, struct pap_err *err)
{
    char part[PATH_MAX];
    size_t n = strlen(path);
    if (n >= sizeof part)
        return fail(err, PAP_IO, "the path is too long: %s", path);
    memcpy(part, path, n + 1);
    for (;;) {
        while (n > 0 && part[n - 1] == '/')
            part[--n] = '\0';
        if (n == 0 || n < least)
            return OK;
        if (rmdir(part) < 0)
            return errno == ENOTEMPTY || errno == EEXIST || errno == ENOENT ? OK : fail_errno(err, "remove", part);
        while (n > 0 && part[n - 1] != '/')
            part[--n] = '\0';
    }
}

pap_result folder_temporary(char ret[static 64], struct pap_err *err)
{
    char path[] = "/tmp/papaver-XXXXXX";
    if (!mkdtemp(path))
        return fail_errno(err, "make", path);
    memcpy(ret, path, sizeof path);
    return OK;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

pap_result folder_remove(const char *folder, struct pap_err *err)
{
    return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0 ? OK : fail_errno(err, "remove", folder);
}

bool file_time(const char *path, int64_t *ret_seconds)
{
    struct stat st;
    if (lstat(path, &st) < 0)
        return false;
    *ret_seconds = st.st_mtim.tv_sec;
    return true;
}

bool file_set_time(const char *path, int64_t seconds)
{
    struct timespec t[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = seconds}};
    return utimensat(AT_FDCWD, path, t, AT_SYMLINK_NOFOLLOW) == 0;
}

bool file_is(struct arena *scratch, const char *path, struct pap_str bytes)
{
    struct stat st;
    struct pap_str got;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size == bytes.n &&
           is_ok(file_read(scratch, path, bytes.n, &got, NULL, NULL)) && str_eq(got, bytes);
}

struct pap_str path_real(struct arena *a, const char *path)
{
    char real[PATH_MAX];
    struct pap_str rest = str_c(path), tail = S("");
    for (;;) {
        const char *head = rest.n ? arena_cstr(a, rest) : ".";
        if (!head)
            return str(NULL, 0);
        if (realpath(head, real))
            return arena_fmt(a, "%s%s%.*s", strcmp(real, "/") == 0 ? "" : real, tail.n ? "/" : "", PSTR(tail));
        size_t slash = str_rfind_char(rest, '/');
        struct pap_str last = slash < rest.n ? str_skip(rest, slash + 1) : rest;
        tail = tail.n ? arena_fmt(a, "%.*s/%.*s", PSTR(last), PSTR(tail)) : last;
        if (!tail.p)
            return tail;
        if (slash == 0 || (slash == rest.n && !rest.n))
            return arena_fmt(a, "/%.*s", PSTR(tail));
        rest = slash < rest.n ? str_take(rest, slash) : S("");
    }
}

unsigned cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}
