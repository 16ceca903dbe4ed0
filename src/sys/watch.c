/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/watch.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

enum { DEPTH = 32 };

/* Written files when they are closed; IN_MODIFY would come with each write. */
static const uint32_t inside = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB |
                               IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

/* A folder that cannot be watched (gone again, no more watches) is left out: the next reload by hand still reads it. */
static void add_below(const struct watch *w, const char *path, unsigned depth)
{
    char below[PATH_MAX];
    DIR *d = inotify_add_watch(w->fd, path, inside) >= 0 && depth ? opendir(path) : NULL;
    if (!d)
        return;
    for (const struct dirent *e; (e = readdir(d));) {
        bool may_be_folder = e->d_type == DT_DIR || e->d_type == DT_UNKNOWN;
        int n = may_be_folder && strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0
                    ? snprintf(below, sizeof below, "%s/%s", path, e->d_name)
                    : -1;
        if (n > 0 && (size_t)n < sizeof below)
            add_below(w, below, depth - 1);
    }
    (void)closedir(d);
}

/* Watches the folder that holds `path` for what is put in its place. Not allowed, or a path without a name: then that is
 * not seen. */
static void add_place(struct watch *w, size_t i, const char *path)
{
    char parent[sizeof w->tree];
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin && path[begin - 1] != '/')
        begin--;
    w->places[i].wd = -1;
    if (end - begin >= sizeof w->places[i].name)
        return;
    memcpy(w->places[i].name, path + begin, end - begin);
    int n = snprintf(parent, sizeof parent, "%.*s", begin ? (int)begin : 1, begin ? path : ".");
    if (n > 0 && (size_t)n < sizeof parent)
        w->places[i].wd = inotify_add_watch(w->fd, parent, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR | IN_MASK_ADD);
}

pap_result watch_open(struct watch *w, const char *folder, const char *below, int control, struct pap_err *err)
{
    *w = (struct watch){.fd = -1, .control = control};
    if (!folder)
        return OK;
    int n = snprintf(w->tree, sizeof w->tree, "%s/%s", folder, below);
    w->fd = n > 0 && (size_t)n < sizeof w->tree ? inotify_init1(IN_NONBLOCK | IN_CLOEXEC) : -1;
    if (w->fd < 0)
        return fail(err, PAP_IO, "cannot watch %s for changes", folder);
    add_place(w, 0, folder);
    add_place(w, 1, w->tree);
    add_below(w, w->tree, DEPTH);
    return OK;
}

void watch_close(struct watch *w)
{
    if (w->fd >= 0)
        (void)close(w->fd);
    w->fd = -1;
}

static bool counts(const struct watch *w, const struct inotify_event *e)
{
    for (size_t i = 0; i < sizeof w->places / sizeof w->places[0]; i++)
        if (e->wd == w->places[i].wd)
            return e->len && strcmp(e->name, w->places[i].name) == 0;
    return true; /* inside, or events were lost */
}

static bool read_events(const struct watch *w)
{
    union {
        struct inotify_event event; /* for its alignment */
        char bytes[4096];
    } room;
    bool any = false;
    for (ssize_t n; (n = read(w->fd, room.bytes, sizeof room.bytes)) > 0;)
        for (ssize_t at = 0; at < n;) {
            const struct inotify_event *e = (const void *)(room.bytes + at);
            any |= counts(w, e);
            at += (ssize_t)(sizeof *e + e->len);
        }
    return any;
}

static enum watch_event read_command(int control, char *ret)
{
    ssize_t got = read(control, ret, 1);
    if (got == 1)
        return WATCH_COMMAND;
    return got == 0 || (errno != EINTR && errno != EAGAIN) ? WATCH_END : WATCH_TIME;
}

enum watch_event watch_wait_any(struct watch *const *watches, size_t n, int ms, size_t *ret_which, char *ret_command)
{
    struct pollfd fds[1 + WATCHES_MOST] = {{.fd = watches[0]->control, .events = POLLIN}};
    for (size_t i = 0; i < n; i++)
        fds[1 + i] = (struct pollfd){.fd = watches[i]->fd, .events = POLLIN};
    if (poll(fds, 1 + n, ms) <= 0)
        return WATCH_TIME;
    enum watch_event e = fds[0].revents ? read_command(fds[0].fd, ret_command) : WATCH_TIME;
    if (e != WATCH_TIME)
        return e;
    for (size_t i = 0; i < n; i++) {
        struct watch *w = watches[i];
        if (!fds[1 + i].revents || !read_events(w))
            continue;
        add_place(w, 1, w->tree);
        add_below(w, w->tree, DEPTH);
        *ret_which = i;
        return WATCH_CHANGED;
    }
    return WATCH_TIME;
}

enum watch_event watch_wait(struct watch *w, int ms, char *ret_command)
{
    size_t which;
    return watch_wait_any(&w, 1, ms, &which, ret_command);
}
