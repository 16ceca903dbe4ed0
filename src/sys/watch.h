/* SPDX-License-Identifier: Apache-2.0
 *
 * Waiting for changes below a folder (inotify), and for one-byte commands from a descriptor.
 */
#ifndef SYS_WATCH_H
#define SYS_WATCH_H

#include "base/alloc.h"
#include "base/result.h"

enum { WATCH_PLACES = 64, WATCH_LOOK_MS = 2000 };

/* A folder where `name` is looked at, because what is watched is or lies in it. */
struct watch_place {
    int wd; /* -1: it is no folder now, or all that it holds is watched anyway */
    char name[256];
};

struct watch {
    int fd;      /* of inotify; -1: no folder is watched */
    int control; /* commands come from here; -1: none do */
    const char *folder;
    const char *const *below;
    struct watch_place places[WATCH_PLACES];
    size_t n_places;
    uint64_t identity; /* of what the paths lead to */
    int64_t looked;    /* when that was last seen to, monotonic milliseconds */
};

/* Watches the files and whole folders `below` of `folder` (ended by NULL; what begins with "/" or "./" is not below it but taken
 * as it stands), and that others may be put in the place of these or of a folder on their way (a link is turned, a folder moved
 * there or made again): from `folder` on at once, above it when a wait comes WATCH_LOOK_MS after the last look. Both have to
 * outlive it. `folder` NULL: nothing is watched. */
pap_result watch_open(struct watch *w, const char *folder, const char *const *below, int control,
                      struct pap_err *err) PAP_MUST;
void watch_close(struct watch *w);

enum watch_event {
    WATCH_TIME,    /* nothing happened for so long */
    WATCH_CHANGED, /* something below the folder */
    WATCH_COMMAND, /* *ret_command */
    WATCH_END      /* nobody can send commands any more */
};

/* Commands go first. New folders are watched from the moment they are seen; what was put into them before that is seen by
 * whoever reads the folder after WATCH_CHANGED. */
enum watch_event watch_wait(struct watch *w, int ms, char *ret_command);

/* The same for several at once, whose commands come from the first one's descriptor: *ret_which of them has changed. */
enum { WATCHES_MOST = 128 };
enum watch_event watch_wait_any(struct watch *const *watches, size_t n, int ms, size_t *ret_which, char *ret_command);

#endif
