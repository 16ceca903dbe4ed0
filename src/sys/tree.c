/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct listing {
    struct arena *a;
    tree_enter_fn *enter;
    void *ctx;
    size_t most;
    struct tree tree;
    struct pap_err *err;
};

static void close_fd(const int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}

static void close_dir(DIR **d)
{
    if (*d)
        (void)closedir(*d);
}

static pap_result fail_io(struct pap_err *err, const char *what, const char *path)
{
    char why[128];
    int code = errno;
    return fail(err, code == ENOMEM ? PAP_NO_MEMORY : PAP_IO, "cannot %s %s: %s", what, path,
                strerror_r(code, why, sizeof why));
}

static int64_t nanoseconds(const struct timespec *t)
{
    return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

static void put_stat(struct tree_entry *e, const struct stat *st)
{
    e->type = S_ISREG(st->st_mode)   ? TREE_FILE
              : S_ISDIR(st->st_mode) ? TREE_FOLDER
              : S_ISLNK(st->st_mode) ? TREE_LINK
                                     : TREE_OTHER;
    e->mode = st->st_mode & 07777;
    e->size = (uint64_t)st->st_size;
    e->links = st->st_nlink;
    e->device = st->st_dev;
    e->inode = st->st_ino;
    e->modified = nanoseconds(&st->st_mtim);
    e->changed = nanoseconds(&st->st_ctim);
}

static pap_result add(struct listing *l, struct tree_entry e)
{
    struct tree *t = &l->tree;
    if (t->n == t->cap) {
        size_t cap = t->cap ? 2 * t->cap : 32;
        struct tree_entry *grown = arena_new_array(l->a, cap, struct tree_entry);
        if (!grown)
            return fail_memory(l->err);
        if (t->n)
            memcpy(grown, t->entries, t->n * sizeof *grown);
        t->entries = grown;
        t->cap = cap;
    }
    t->entries[t->n++] = e;
    return OK;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in a folder, sorted. */
static pap_result read_names(struct listing *l, DIR *d, const char *path, const char ***ret, size_t *ret_n)
{
    size_t n = 0, cap = 0;
    const char **names = NULL;
    errno = 0;
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (l->tree.n + n >= l->most)
            return fail(l->err, PAP_LIMIT, "more than %zu files and folders", l->most);
        if (n == cap) {
            size_t grown = cap ? 2 * cap : 16;
            const char **more = arena_new_array(l->a, grown, const char *);
            if (!more)
                return fail_memory(l->err);
            if (n)
                memcpy(more, names, n * sizeof *more);
            names = more;
            cap = grown;
        }
        names[n] = arena_cstr(l->a, str_c(e->d_name));
        if (!names[n++])
            return fail_memory(l->err);
        errno = 0;
    }
    if (errno)
        return fail_io(l->err, "read the folder", path);
    if (n)
        qsort(names, n, sizeof *names, by_bytes);
    *ret = names;
    *ret_n = n;
    return OK;
}

static pap_result list(struct listing *l, const char *path, struct pap_str below, int fd, unsigned depth)
{
    DIR *d __attribute__((cleanup(close_dir))) = fd >= 0 ? fdopendir(fd) : NULL;
    const char **names = NULL;
    size_t n = 0;
    if (!d) {
        pap_result r = fail_io(l->err, "read the folder", path);
        close_fd(&fd);
        return r;
    }
    TRY(read_names(l, d, path, &names, &n));
    for (size_t i = 0; i < n; i++) {
        struct stat st;
        struct tree_entry e = {.path = below.n ? arena_fmt(l->a, "%.*s/%s", PSTR(below), names[i]) : str_c(names[i])};
        if (!e.path.p)
            return fail_memory(l->err);
        if (fstatat(dirfd(d), names[i], &st, AT_SYMLINK_NOFOLLOW) < 0)
            return fail_io(l->err, "read", e.path.p);
        put_stat(&e, &st);
        TRY(add(l, e));
        if (e.type != TREE_FOLDER || (l->enter && !l->enter(l->ctx, &e)))
            continue;
        if (depth == 0)
            return fail(l->err, PAP_LIMIT, "folders are nested too deep: %s", e.path.p);
        TRY(list(l, e.path.p, e.path, openat(dirfd(d), names[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
                 depth - 1));
    }
    return OK;
}

pap_result tree_list(struct arena *a, const char *root, size_t most, unsigned depth, tree_enter_fn *enter, void *ctx,
                     struct tree *ret, struct pap_err *err)
{
    struct listing l = {.a = a, .enter = enter, .ctx = ctx, .most = most, .err = err};
    TRY(list(&l, root, S(""), open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), depth));
    *ret = l.tree;
    return OK;
}

static bool is_same(int fd, const struct tree_entry *e)
{
    struct stat st;
    struct tree_entry now = {.path = e->path};
    if (fstat(fd, &st) < 0)
        return false;
    put_stat(&now, &st);
    return now.type == e->type && now.size == e->size && now.device == e->device && now.inode == e->inode &&
           now.modified == e->modified && now.changed == e->changed;
}

/* false: there are fewer bytes, or reading fails. */
static bool read_bytes(int fd, char *to, size_t n)
{
    while (n) {
        ssize_t got = read(fd, to, n);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        to += got > 0 ? got : 0;
        n -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

pap_result tree_read(struct arena *a, const char *root, const struct tree_entry *e, struct pap_str *ret,
                     bool *ret_changed, struct pap_err *err)
{
    struct pap_str path = arena_fmt(a, "%s/%s", root, e->path.p);
    if (!path.p)
        return fail_memory(err);
    int fd __attribute__((cleanup(close_fd))) = open(path.p, O_RDONLY | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && (errno == EACCES || errno == EIO || errno == EMFILE || errno == ENFILE))
        return fail_io(err, "read", path.p);
    *ret_changed = fd < 0 || !is_same(fd, e);
    if (*ret_changed)
        return OK;
    char *p = arena_text(a, (size_t)e->size + 1);
    if (!p)
        return fail_memory(err);
    p[e->size] = '\0';
    *ret_changed = !read_bytes(fd, p, (size_t)e->size) || !is_same(fd, e);
    if (!*ret_changed)
        *ret = str(p, (size_t)e->size);
    return OK;
}
