/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}

#define CLOSES __attribute__((cleanup(close_fd)))

pap_result fail_errno(struct pap_err *err, const char *what, const char *path)
{
    char why[128];
    int code = errno;
    return fail(err, code == ENOMEM ? PAP_NO_MEMORY : PAP_IO, "cannot %s %s: %s", what, path,
                strerror_r(code, why, sizeof why));
}

/* Appends up to `n` bytes of fd; *ret_n is 0 at the end. Waits where the descriptor does not block by itself. */
static bool read_some(int fd, struct buf *b, size_t n, size_t *ret_n)
{
    char *room = buf_room(b, n);
    if (!room) {
        errno = ENOMEM;
        return false;
    }
    for (;;) {
        ssize_t got = read(fd, room, n);
        if (got >= 0) {
            buf_grew(b, (size_t)got);
            *ret_n = (size_t)got;
            return true;
        }
        if (errno == EAGAIN) {
            struct pollfd wait = {.fd = fd, .events = POLLIN};
            (void)poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
}

/* `size`: a file that has as many bytes is not asked for more; 0: not known. */
static pap_result read_all(struct arena *a, int fd, const char *name, size_t max, struct pap_str *ret,
                           struct pap_err *err)
{
    enum { STEP = 64 * 1024 };
    size_t most = max < SIZE_MAX ? max + 1 : max; /* one more byte tells that there are too many */
    struct buf b __attribute__((cleanup(buf_fini)));
    buf_init(&b, a->alloc, most);
    for (size_t got = 1; got;) {
        if (!read_some(fd, &b, most - b.n < STEP ? most - b.n : STEP, &got))
            return fail_errno(err, "read", name);
        if (b.n > max)
            return fail(err, PAP_LIMIT, "%s is larger than %zu bytes", name, max);
    }
    struct pap_str copy = arena_str(a, buf_str(&b));
    if (!copy.p)
        return fail_memory(err);
    *ret = copy;
    return OK;
}

pap_result fd_read(struct arena *a, int fd, size_t max, struct pap_str *ret, struct pap_err *err)
{
    return read_all(a, fd, "the input", max, ret, err);
}

/* Most files in one call, straight into the arena. *ret stays {NULL, 0} when the file has another size by now, or when
 * anything else is in the way; the descriptor stands where it was. */
static pap_result read_at_once(struct arena *a, int fd, size_t n, struct pap_str *ret, struct pap_err *err)
{
    char *p = arena_text(a, n + 1);
    if (!p)
        return fail_memory(err);
    *ret = str(NULL, 0);
    if (pread(fd, p, n + 1, 0) == (ssize_t)n) {
        p[n] = '\0';
        *ret = str(p, n);
    }
    return OK;
}

pap_result file_read(struct arena *a, const char *path, size_t max, struct pap_str *ret, bool *ret_large,
                     struct pap_err *err)
{
    if (ret_large)
        *ret_large = false;
    /* O_NONBLOCK: opening a FIFO must not wait for a writer. O_NOCTTY: nor may a terminal become ours. */
    int fd CLOSES = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return fail_errno(err, "read", path);
    if (!S_ISREG(st.st_mode))
        return fail(err, PAP_IO, "cannot read %s: it is %s", path,
                    S_ISDIR(st.st_mode) ? "a folder" : "not a regular file");
    bool large = st.st_size > 0 && (uint64_t)st.st_size > max;
    struct pap_str whole = {NULL, 0};
    if (!large && st.st_size > 0)
        TRY(read_at_once(a, fd, (size_t)st.st_size, &whole, err));
    if (whole.p) {
        *ret = whole;
        return OK;
    }
    pap_result r =
        large ? fail(err, PAP_LIMIT, "%s is larger than %zu bytes", path, max) : read_all(a, fd, path, max, ret, err);
    if (ret_large)
        *ret_large = r.code == PAP_LIMIT;
    return r;
}

ptrdiff_t fd_read_some(int fd, char *p, size_t n)
{
    ssize_t got;
    do
        got = read(fd, p, n);
    while (got < 0 && errno == EINTR);
    return got;
}

bool fd_write_all(int fd, struct pap_str bytes)
{
    while (bytes.n) {
        ssize_t n = write(fd, bytes.p, bytes.n);
        if (n < 0 && errno != EINTR)
            return false;
        bytes = str_skip(bytes, n < 0 ? 0 : (size_t)n);
    }
    return true;
}

enum file_type file_type_of(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return FILE_NONE;
    return S_ISREG(st.st_mode) ? FILE_REGULAR : S_ISDIR(st.st_mode) ? FILE_FOLDER : FILE_OTHER;
}

bool file_is_executable(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0111) != 0;
}

bool file_is_readable(const char *path)
{
    return access(path, R_OK) == 0;
}

bool file_is_private(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & 077) == 0;
}

bool file_modified(const char *path, int64_t *ret_unix)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return false;
    *ret_unix = st.st_mtime;
    return true;
}

struct file_state file_state(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return (struct file_state){0};
    return (struct file_state){st.st_dev, st.st_ino, (uint64_t)st.st_size, (uint64_t)st.st_ctim.tv_sec,
                               (uint64_t)st.st_ctim.tv_nsec};
}

bool file_is_same(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool file_is_below(const char *path, const char *root)
{
    char real_path[PATH_MAX], real_root[PATH_MAX];
    if (!realpath(path, real_path) || !realpath(root, real_root))
        return false;
    size_t n = strlen(real_root);
    if (n == 1) /* "/" */
        return true;
    return strncmp(real_path, real_root, n) == 0 && real_path[n] == '/';
}

struct walk {
    file_each_fn *each;
    void *ctx;
    size_t left;         /* entries still allowed */
    char path[PATH_MAX]; /* of what is looked at */
};

struct entry {
    const char *name; /* first, for by_bytes() */
    struct entry *next;
    unsigned char type; /* DT_... of readdir(): DT_UNKNOWN where the file system does not tell */
};

static void close_dir(DIR **d)
{
    if (*d)
        (void)closedir(*d);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static bool is_skipped(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, ".git") == 0 ||
           strcmp(name, "node_modules") == 0;
}

/* What is in the folder at w->path, sorted by name. */
static pap_result list_folder(struct arena *a, struct walk *w, struct entry **ret, size_t *ret_n, struct pap_err *err)
{
    DIR *d __attribute__((cleanup(close_dir))) = opendir(w->path);
    if (!d)
        return fail_errno(err, "read the folder", w->path);
    struct entry *first = NULL;
    size_t n = 0;
    errno = 0;
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        if (is_skipped(e->d_name))
            continue;
        if (w->left-- == 0)
            return fail(err, PAP_LIMIT, "more than %d files and folders, the last ones in %s", LIMIT_WALK_FILES,
                        w->path);
        struct entry *entry = arena_new(a, struct entry);
        const char *name = arena_cstr(a, str_c(e->d_name));
        if (!entry || !name)
            return fail_memory(err);
        *entry = (struct entry){name, first, e->d_type};
        first = entry;
        n++;
        errno = 0;
    }
    if (errno)
        return fail_errno(err, "read the folder", w->path);
    struct entry *sorted = arena_new_array(a, n, struct entry);
    if (!sorted)
        return fail_memory(err);
    for (size_t i = 0; i < n; i++, first = first->next)
        sorted[i] = *first;
    qsort(sorted, n, sizeof *sorted, by_bytes);
    *ret = sorted;
    *ret_n = n;
    return OK;
}

/* What an entry is; links to files are followed, links to folders are not. */
static enum file_type type_of(const struct entry *e, const char *path)
{
    struct stat st;
    if (e->type == DT_REG || e->type == DT_DIR)
        return e->type == DT_REG ? FILE_REGULAR : FILE_FOLDER;
    if (lstat(path, &st) < 0)
        return FILE_NONE; /* gone since it was listed */
    if (S_ISDIR(st.st_mode))
        return FILE_FOLDER;
    enum file_type led = file_type_of(path);
    if (led == FILE_FOLDER)
        return FILE_FOLDER_LINK;
    return led != FILE_REGULAR ? FILE_OTHER : S_ISLNK(st.st_mode) ? FILE_LINK : FILE_REGULAR;
}

/* w->path, which has `length` bytes, is a folder. */
static pap_result walk_folder(struct walk *w, size_t length, bool below, unsigned depth, struct pap_err *err)
{
    struct arena a __attribute__((cleanup(arena_fini)));
    arena_init(&a, NULL);
    struct entry *entries = NULL;
    size_t n = 0, slash = w->path[length - 1] == '/' ? 0 : 1;
    pap_result r = list_folder(&a, w, &entries, &n, err);
    if (r.code == PAP_IO && below)
        return w->each(w->ctx, w->path, FILE_FOLDER, err);
    if (!is_ok(r))
        return r;
    for (size_t i = 0; i < n; i++) {
        size_t name = strlen(entries[i].name), end = length + slash + name;
        if (end >= sizeof w->path)
            continue; /* no call of the system would take it */
        w->path[length] = '/';
        memcpy(w->path + length + slash, entries[i].name, name + 1);
        enum file_type type = type_of(&entries[i], w->path);
        if (type == FILE_FOLDER && depth > 0)
            TRY(walk_folder(w, end, true, depth - 1, err));
        else if (type != FILE_FOLDER && type != FILE_NONE)
            TRY(w->each(w->ctx, w->path, type, err));
    }
    return OK;
}

pap_result folder_walk(const char *root, unsigned depth, file_each_fn *each, void *ctx, struct pap_err *err)
{
    struct walk w = {.each = each, .ctx = ctx, .left = LIMIT_WALK_FILES};
    size_t n = strlen(root);
    if (n == 0 || n >= sizeof w.path) {
        errno = n ? ENAMETOOLONG : ENOENT;
        return fail_errno(err, "read the folder", root);
    }
    memcpy(w.path, root, n + 1);
    return walk_folder(&w, n, false, depth, err);
}
