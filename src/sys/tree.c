/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/tree.h"
#include "sys/file.h"

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

bool tree_stat(const char *path, struct tree_entry *ret)
{
    struct stat st;
    if (lstat(path, &st) < 0)
        return false;
    *ret = (struct tree_entry){0};
    put_stat(ret, &st);
    return true;
}

static pap_result add(struct listing *l, struct tree_entry e)
{
    struct tree *t = &l->tree;
    if (t->n == t->cap) {
        size_t cap = t->cap ? 2 * t->cap : 16;
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

struct names {
    const char **at;
    size_t n, cap;
};

static pap_result add_name(struct listing *l, struct names *names, const char *name)
{
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return OK;
    if (l->tree.n + names->n >= l->most)
        return fail(l->err, PAP_LIMIT, "more than %zu files and folders", l->most);
    if (names->n == names->cap) {
        size_t cap = names->cap ? 2 * names->cap : 16;
        const char **more = arena_new_array(l->a, cap, const char *);
        if (!more)
            return fail_memory(l->err);
        if (names->n)
            memcpy(more, names->at, names->n * sizeof *more);
        names->at = more;
        names->cap = cap;
    }
    names->at[names->n] = arena_cstr(l->a, str_c(name));
    return names->at[names->n++] ? OK : fail_memory(l->err);
}

/* The names in a folder, sorted. By the system call itself: opendir() makes three more for each folder. */
static pap_result read_names(struct listing *l, int fd, const char *path, struct names *ret)
{
    union {
        struct dirent64 align;
        char bytes[16 * 1024];
    } buf;
    struct names names = {0};
    ssize_t n;
    while ((n = getdents64(fd, buf.bytes, sizeof buf.bytes)) > 0)
        for (ssize_t at = 0; at < n;) {
            const struct dirent64 *e = (const void *)(buf.bytes + at);
            TRY(add_name(l, &names, e->d_name));
            at += e->d_reclen;
        }
    if (n < 0)
        return fail_errno(l->err, "read the folder", path);
    if (names.n)
        qsort(names.at, names.n, sizeof *names.at, by_bytes);
    *ret = names;
    return OK;
}

static pap_result list(struct listing *l, const char *path, struct pap_str below, int folder, unsigned depth)
{
    int fd __attribute__((cleanup(close_fd))) = folder;
    struct names names = {0};
    if (fd < 0)
        return fail_errno(l->err, "read the folder", path);
    TRY(read_names(l, fd, path, &names));
    for (size_t i = 0; i < names.n; i++) {
        struct stat st;
        const char *name = names.at[i];
        struct tree_entry e = {.path = below.n ? ARENA_JOIN(l->a, below, S("/"), str_c(name)) : str_c(name)};
        if (!e.path.p)
            return fail_memory(l->err);
        if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            return fail_errno(l->err, "read", e.path.p);
        put_stat(&e, &st);
        TRY(add(l, e));
        if (e.type != TREE_FOLDER || (l->enter && !l->enter(l->ctx, &e)))
            continue;
        if (depth == 0)
            return fail(l->err, PAP_LIMIT, "folders are nested too deep: %s", e.path.p);
        TRY(list(l, e.path.p, e.path, openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), depth - 1));
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

pap_result tree_names(struct arena *a, const char *root, size_t most, struct tree *ret, struct pap_err *err)
{
    struct listing l = {.a = a, .most = most, .err = err};
    struct names names = {0};
    int fd __attribute__((cleanup(close_fd))) = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return fail_errno(err, "read the folder", root);
    TRY(read_names(&l, fd, root, &names));
    for (size_t i = 0; i < names.n; i++)
        TRY(add(&l, (struct tree_entry){.path = str_c(names.at[i])}));
    *ret = l.tree;
    return OK;
}

pap_result tree_list_fd(struct arena *a, int fd, const char *path, size_t most, unsigned depth, struct tree *ret,
                        struct pap_err *err)
{
    struct listing l = {.a = a, .most = most, .err = err};
    TRY(list(&l, path, S(""), fd, depth));
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
        return fail_errno(err, "read", path.p);
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
