/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/watch.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/file.h"

enum { DEPTH = 32 };

/* Written files when they are closed; IN_MODIFY would come with each write. */
static const uint32_t inside = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB |
                               IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

/* A folder that cannot be watched (gone again, no more watches) is left out: the next reload by hand still reads it. */
static void add_below(struct watch *w, const char *path, unsigned depth)
{
    char below[PATH_MAX];
    int wd = inotify_add_watch(w->fd, path, inside);
    for (size_t i = 0; i < w->n_places; i++)
        if (w->places[i].wd == wd)
            w->places[i].wd = -1;
    DIR *d = wd >= 0 && depth ? opendir(path) : NULL;
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

/* Watches the folder that holds `path`, n bytes, for what is put in its place. Not allowed, or a path without a name: then
 * that is not seen. */
static void add_place(struct watch *w, const char *path, size_t n)
{
    char parent[PATH_MAX];
    struct watch_place *place = &w->places[w->n_places];
    size_t begin = n;
    while (begin && path[begin - 1] != '/')
        begin--;
    if (w->n_places == WATCH_PLACES || begin == n || n - begin >= sizeof place->name)
        return;
    memcpy(place->name, path + begin, n - begin);
    place->name[n - begin] = '\0';
    int got = snprintf(parent, sizeof parent, "%.*s", begin ? (int)begin : 1, begin ? path : ".");
    if (got > 0 && (size_t)got < sizeof parent)
        place->wd =
            inotify_add_watch(w->fd, parent, IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ONLYDIR | IN_MASK_ADD);
    w->n_places += place->wd >= 0;
}

/* One of what is watched, as a path; false when it is too long. *ret_from: the part before it is no place. */
static bool path_of(const struct watch *w, const char *below, char ret[static PATH_MAX], size_t *ret_from)
{
    size_t folder_n = strlen(w->folder);
    while (folder_n > 1 && w->folder[folder_n - 1] == '/')
        folder_n--;
    bool is_whole = below[0] == '/' || strncmp(below, "./", 2) == 0;
    int n = is_whole ? snprintf(ret, PATH_MAX, "%s", below)
                     : snprintf(ret, PATH_MAX, "%.*s/%s", (int)folder_n, w->folder, below);
    *ret_from = is_whole ? (size_t)n : folder_n;
    return n > 0 && n < PATH_MAX;
}

/* Everything as it is now: the folder, each folder on the way to what is watched, and that itself. */
static void add_all(struct watch *w)
{
    char path[PATH_MAX];
    size_t from;
    w->n_places = 0;
    for (const char *const *below = w->below; *below; below++)
        for (size_t i = path_of(w, *below, path, &from) ? from : PATH_MAX; i <= strlen(path) && i < PATH_MAX; i++)
            if (path[i] == '/' || !path[i])
                add_place(w, path, i);
    for (const char *const *below = w->below; *below; below++)
        if (path_of(w, *below, path, &from))
            add_below(w, path, DEPTH);
}

/* Which files and folders the paths lead to now, as one number: a change further up (the folder or one above it is moved, a
 * link on the way is turned) is seen by nothing else, since links lead anywhere. */
static uint64_t identity_of(const struct watch *w)
{
    uint64_t sum = 0;
    char path[PATH_MAX];
    size_t from;
    for (const char *const *below = w->below; *below; below++) {
        struct stat st;
        bool there = path_of(w, *below, path, &from) && stat(path, &st) == 0;
        sum = (sum ^ (there ? st.st_dev : 0)) * 0x100000001b3;
        sum = (sum ^ (there ? st.st_ino : 0)) * 0x100000001b3;
    }
    return sum;
}

/* What is no longer where the paths lead is not watched any more. */
static void see_all(struct watch *w)
{
    uint64_t identity = identity_of(w);
    int fd = identity != w->identity ? inotify_init1(IN_NONBLOCK | IN_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)close(w->fd);
        w->fd = fd;
    }
    w->identity = identity;
    w->looked = clock_system.monotonic_ms(&clock_system);
    add_all(w);
}

/* Whether a path leads elsewhere than when it was last looked at; this is not asked each time. */
static bool leads_elsewhere(struct watch *w)
{
    int64_t now = clock_system.monotonic_ms(&clock_system);
    if (w->fd < 0 || now - w->looked < WATCH_LOOK_MS)
        return false;
    w->looked = now;
    return identity_of(w) != w->identity;
}

pap_result watch_open(struct watch *w, const char *folder, const char *const *below, int control, struct pap_err *err)
{
    *w = (struct watch){.fd = -1, .control = control, .folder = folder, .below = below};
    if (!folder)
        return OK;
    w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (w->fd < 0)
        return fail_errno(err, "watch for changes", folder);
    w->identity = identity_of(w);
    see_all(w);
    return OK;
}

void watch_close(struct watch *w)
{
    if (w->fd >= 0)
        (void)close(w->fd);
    w->fd = -1;
}

/* One folder may be the place of several. */
static bool counts(const struct watch *w, const struct inotify_event *e)
{
    bool is_place = false;
    if (e->wd < 0)
        return true; /* events were lost */
    for (size_t i = 0; i < w->n_places; i++)
        if (e->wd == w->places[i].wd) {
            if (e->len && strcmp(e->name, w->places[i].name) == 0)
                return true;
            is_place = true;
        }
    return !is_place;
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
    if (poll(fds, 1 + n, ms) < 0)
        return WATCH_TIME;
    enum watch_event e = fds[0].revents ? read_command(fds[0].fd, ret_command) : WATCH_TIME;
    if (e != WATCH_TIME)
        return e;
    for (size_t i = 0; i < n; i++) {
        struct watch *w = watches[i];
        bool events = fds[1 + i].revents && read_events(w);
        if (!events && !leads_elsewhere(w))
            continue;
        see_all(w);
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
