/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/shelf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "sys/file.h"
#include "sys/private.h"

/* <sys/file.h> of the system is hidden by ours. */
enum { HOLD_SHARED = 1, HOLD_ALONE = 2, HOLD_NOW = 4 };
int flock(int fd, int operation);

enum { TRIES = 100, MOST_PARTS = 1000 };

static pap_result fail_io(struct pap_err *err, const char *what, const char *path)
{
    char why[128];
    int code = errno;
    enum pap_code kind = code == ENOMEM ? PAP_NO_MEMORY : code == ENOTDIR || code == ELOOP ? PAP_USAGE : PAP_IO;
    return fail(err, kind, "cannot %s %s: %s", what, path, strerror_r(code, why, sizeof why));
}

static pap_result check_private(int fd, const char *path, const char *below, struct pap_err *err)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return fail_io(err, "look at", path);
    if (st.st_uid != geteuid())
        return fail(err, PAP_USAGE, "the folder %s/%s belongs to another user (%u)", path, below, (unsigned)st.st_uid);
    if (st.st_mode & 022)
        return fail(err, PAP_USAGE, "others may write into the folder %s/%s (mode %o); it has to be 0700", path, below,
                    (unsigned)st.st_mode & 07777);
    return OK;
}

pap_result shelf_open(const char *path, const char *below, bool make, struct shelf *ret, bool *ret_absent,
                      struct pap_err *err)
{
    struct shelf outer __attribute__((cleanup(shelf_close))) = {-1};
    if (make)
        private_folder(path);
    outer.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (outer.fd >= 0 && make)
        (void)mkdirat(outer.fd, below, 0700);
    struct shelf inner = {outer.fd < 0 ? -1 : openat(outer.fd, below, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    if (ret_absent)
        *ret_absent = inner.fd < 0 && errno == ENOENT;
    if (inner.fd < 0)
        return fail_io(err, make ? "open or make the folder" : "open the folder", path);
    pap_result r = check_private(inner.fd, path, below, err);
    if (is_ok(r))
        *ret = inner;
    else
        shelf_close(&inner);
    return r;
}

void shelf_close(struct shelf *s)
{
    if (s->fd >= 0)
        (void)close(s->fd);
    s->fd = -1;
}

void shelf_file_close(struct shelf_file *f)
{
    if (f->fd >= 0)
        (void)close(f->fd);
    f->fd = -1;
}

static struct shelf_file facts_of(const struct stat *st, int fd)
{
    return (struct shelf_file){
        .fd = fd, .size = (uint64_t)st->st_size, .used = st->st_mtim.tv_sec, .device = st->st_dev, .inode = st->st_ino};
}

/* Fills *ret from an open descriptor; false (and closed) when it is no regular file. */
static bool adopt(int fd, struct shelf_file *ret)
{
    struct stat st;
    if (fd < 0)
        return false;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        (void)close(fd);
        return false;
    }
    *ret = facts_of(&st, fd);
    return true;
}

enum shelf_found shelf_get(const struct shelf *s, const char *name, struct shelf_file *ret)
{
    /* O_NONBLOCK: opening a FIFO must not wait for a writer. O_NOCTTY: nor may a terminal become ours. */
    int fd = openat(s->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) /* ENXIO: a socket */
        return errno == ELOOP || errno == ENXIO || errno == EACCES || errno == EPERM ? SHELF_ODD : SHELF_NONE;
    return adopt(fd, ret) ? SHELF_FILE : SHELF_ODD;
}

enum shelf_found shelf_look(const struct shelf *s, const char *name, struct shelf_file *ret)
{
    struct stat st;
    if (fstatat(s->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return SHELF_NONE;
    if (!S_ISREG(st.st_mode))
        return SHELF_ODD;
    *ret = facts_of(&st, -1);
    return SHELF_FILE;
}

bool shelf_read(const struct shelf_file *f, uint64_t off, char *p, size_t n)
{
    while (n) {
        ssize_t got = pread(f->fd, p, n, (off_t)off);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        off += got > 0 ? (uint64_t)got : 0;
        p += got > 0 ? got : 0;
        n -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* Nobody holds a file alone for longer than a moment, unless to annoy; so nobody is waited for for long. */
static bool hold(int fd, int how, unsigned tries)
{
    for (unsigned i = 0;; i++) {
        if (flock(fd, how | HOLD_NOW) == 0)
            return true;
        if (i + 1 >= tries || (errno != EWOULDBLOCK && errno != EINTR))
            return false;
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    }
}

bool shelf_hold(const struct shelf_file *f)
{
    return hold(f->fd, HOLD_SHARED, TRIES);
}

bool shelf_hold_alone(const struct shelf_file *f, bool now)
{
    return hold(f->fd, HOLD_ALONE, now ? 1 : TRIES);
}

void shelf_touch(const struct shelf_file *f, int64_t unix_seconds)
{
    struct timespec t[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = unix_seconds}};
    (void)futimens(f->fd, t);
}

/* Held, and not yet swept away by somebody who held it first. Where the file system has no locks nobody sweeps. */
static bool is_ours(int fd)
{
    struct stat st;
    return (hold(fd, HOLD_ALONE, 1) || errno != EWOULDBLOCK) && fstat(fd, &st) == 0 && st.st_nlink > 0;
}

bool shelf_part(const struct shelf *s, char ret_name[static SHELF_PART_NAME], struct shelf_file *ret)
{
    if (s->fd < 0)
        return false;
    for (unsigned i = 0; i < MOST_PARTS; i++) {
        (void)snprintf(ret_name, SHELF_PART_NAME, "part-%ld-%u", (long)gettid(), i);
        int fd = openat(s->fd, ret_name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST)
            return false;
        if (fd >= 0 && is_ours(fd))
            return adopt(fd, ret);
        if (fd >= 0)
            (void)close(fd);
    }
    return false;
}

bool shelf_nameless(const struct shelf *s, struct shelf_file *ret)
{
    char name[SHELF_PART_NAME];
    if (s->fd >= 0) {
        if (!shelf_part(s, name, ret))
            return false;
        (void)unlinkat(s->fd, name, 0);
        return true;
    }
    char path[] = "/tmp/papaver-XXXXXX";
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        (void)unlink(path);
    return adopt(fd, ret);
}

bool shelf_write(const struct shelf_file *f, struct pap_str bytes)
{
    return fd_write_all(f->fd, bytes);
}

bool shelf_sync(const struct shelf_file *f)
{
    return fdatasync(f->fd) == 0;
}

bool shelf_name(const struct shelf *s, const char *part, const char *name, bool replace, bool *ret_there)
{
    int r = replace ? -1 : renameat2(s->fd, part, s->fd, name, RENAME_NOREPLACE);
    *ret_there = r < 0 && !replace && errno == EEXIST;
    /* Some file systems cannot do it without replacing: then one of two equal files takes the place of the other. */
    if (replace || (r < 0 && (errno == EINVAL || errno == ENOSYS)))
        r = renameat(s->fd, part, s->fd, name);
    return r == 0;
}

void shelf_remove(const struct shelf *s, const char *name)
{
    if (unlinkat(s->fd, name, 0) < 0 && errno == EISDIR)
        (void)unlinkat(s->fd, name, AT_REMOVEDIR);
}

void shelf_remove_file(const struct shelf *s, const char *name, const struct shelf_file *f)
{
    struct stat st;
    if (fstatat(s->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_dev == f->device && st.st_ino == f->inode)
        shelf_remove(s, name);
}

bool shelf_ledger(const struct shelf *s, const char *name, struct shelf_file *ret)
{
    struct shelf_file f;
    if (!adopt(openat(s->fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600), &f))
        return false;
    if (!hold(f.fd, HOLD_ALONE, TRIES)) {
        shelf_file_close(&f);
        return false;
    }
    *ret = f;
    return true;
}

bool shelf_ledger_write(const struct shelf_file *f, struct pap_str bytes)
{
    return lseek(f->fd, 0, SEEK_SET) == 0 && fd_write_all(f->fd, bytes);
}

static void close_dir(DIR **d)
{
    if (*d)
        (void)closedir(*d);
}

bool shelf_each(const struct shelf *s, bool (*each)(void *ctx, const char *name), void *ctx)
{
    int fd = openat(s->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d __attribute__((cleanup(close_dir))) = fd >= 0 ? fdopendir(fd) : NULL;
    if (!d) {
        if (fd >= 0)
            (void)close(fd);
        return false;
    }
    errno = 0;
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && !each(ctx, e->d_name))
            return true;
        errno = 0;
    }
    return errno == 0;
}
