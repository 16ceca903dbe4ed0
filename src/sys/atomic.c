/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing a file whole or not at all. The new one is made beside the old one, NAME.PID-N.tmp, and locked for as long as its
 * writer lives: what can be locked was left by one that was killed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/file.h"
#include "sys/stage.h"

int flock(int fd, int operation); /* <sys/file.h> of the system is hidden by ours */

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}

#define CLOSES __attribute__((cleanup(close_fd)))

/* Locks a new file. False when a run that clears took it away between open() and here; a file system that has no locks
 * has nobody who clears either. */
static bool keep_locked(int fd)
{
    struct stat st;
    (void)flock(fd, LOCK_EX);
    return fstat(fd, &st) == 0 && st.st_nlink > 0;
}

/* A new file beside `path`, its name in *ret_name. The mode is cut by the umask, as for any new file. */
static int open_beside(const char *path, char ret_name[PATH_MAX])
{
    for (unsigned i = 0; i < 100; i++) {
        int n = snprintf(ret_name, PATH_MAX, "%s.%ld-%u.tmp", path, (long)getpid(), i);
        if (n < 0 || n >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(ret_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (fd < 0 && errno != EEXIST)
            return fd;
        if (fd >= 0 && keep_locked(fd))
            return fd;
        close_fd(&fd);
    }
    errno = EEXIST;
    return -1;
}

/* The folder a file is in, and where its name begins. */
static const char *split(const char *path, char ret_folder[PATH_MAX])
{
    size_t n = str_rfind_char(str_c(path), '/');
    bool has_folder = n < strlen(path);
    (void)snprintf(ret_folder, PATH_MAX, "%.*s", has_folder ? (int)n + 1 : 1, has_folder ? path : ".");
    return has_folder ? path + n + 1 : path;
}

/* Whether the file has these bytes. It is compared piece by piece, so that no memory is needed. */
static bool has_bytes(const char *path, struct pap_str bytes)
{
    char part[4096];
    ptrdiff_t n = 0;
    int fd CLOSES = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    while (fd >= 0 && (n = fd_read_some(fd, part, sizeof part)) > 0) {
        if (!str_starts(bytes, str(part, (size_t)n)))
            return false;
        bytes = str_skip(bytes, (size_t)n);
    }
    return fd >= 0 && n == 0 && bytes.n == 0;
}

/* `old` NULL: whatever it was. */
static pap_result write_atomic(const char *path, const struct pap_str *old, struct pap_str bytes, bool private,
                               struct pap_err *err)
{
    char real[PATH_MAX], beside[PATH_MAX];
    if (realpath(path, real)) /* a link stays a link, its target is replaced */
        path = real;
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (exists && !S_ISREG(st.st_mode))
        return fail(err, PAP_IO, "cannot write %s: it is %s", path,
                    S_ISDIR(st.st_mode) ? "a folder" : "not a regular file");
    int fd CLOSES = open_beside(path, beside);
    if (fd < 0)
        return fail_errno(err, "write", path);
    bool written = (!(exists || private) || fchmod(fd, private ? 0600 : st.st_mode & 07777) == 0) &&
                   fd_write_all(fd, bytes) && fsync(fd) == 0;
    bool changed = written && old && !has_bytes(path, *old);
    if (!written || changed || rename(beside, path) < 0) {
        pap_result r = changed ? fail(err, PAP_IO, "%s was changed meanwhile and is left as it is", path)
                               : fail_errno(err, "write", path);
        (void)unlink(beside);
        return r;
    }
    char folder[PATH_MAX];
    (void)split(path, folder);
    return folder_sync(folder, err); /* the rename itself must reach the disk */
}

pap_result file_write_atomic(const char *path, struct pap_str bytes, struct pap_err *err)
{
    return write_atomic(path, NULL, bytes, false, err);
}

pap_result file_replace(const char *path, struct pap_str old, struct pap_str bytes, struct pap_err *err)
{
    return write_atomic(path, &old, bytes, false, err);
}

pap_result file_write_private(const char *path, struct pap_str bytes, struct pap_err *err)
{
    return write_atomic(path, NULL, bytes, true, err);
}

/* ---- what was left ---- */

static bool take_digits(struct pap_str *rest, char end)
{
    size_t n = 0;
    while (n < rest->n && ascii_is_digit(rest->p[n]))
        n++;
    if (n == 0 || n == rest->n || rest->p[n] != end)
        return false;
    *rest = str_skip(*rest, n + 1);
    return true;
}

/* "NAME.123-0.tmp" */
static bool is_beside(struct pap_str entry, struct pap_str name)
{
    if (!str_starts(entry, name) || entry.n <= name.n || entry.p[name.n] != '.')
        return false;
    struct pap_str rest = str_skip(entry, name.n + 1);
    return take_digits(&rest, '-') && take_digits(&rest, '.') && str_is(rest, "tmp");
}

void file_clear_beside(const char *path)
{
    char real[PATH_MAX], folder[PATH_MAX];
    if (realpath(path, real))
        path = real;
    struct pap_str name = str_c(split(path, folder));
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        if (!is_beside(str_c(e->d_name), name))
            continue;
        int fd CLOSES = openat(dirfd(d), e->d_name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        struct stat st;
        if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0)
            (void)unlinkat(dirfd(d), e->d_name, 0);
    }
    if (d)
        (void)closedir(d);
}
