/* SPDX-License-Identifier: Apache-2.0
 *
 * Files: read with a cap, write whole or not at all, walk a folder.
 */
#ifndef SYS_FILE_H
#define SYS_FILE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/result.h"

/* "cannot <what> <path>: <why errno says>", as PAP_IO or PAP_NO_MEMORY. */
pap_result fail_errno(struct pap_err *err, const char *what, const char *path);

/* Reads a regular file of at most `max` bytes into the arena. A larger file, a folder, a device or a FIFO is an error
 * that says so (never read). `*ret_large` (may be NULL): the file was refused for its size alone. */
pap_result file_read(struct arena *a, const char *path, size_t max, struct pap_str *ret, bool *ret_large,
                     struct pap_err *err) PAP_MUST;

/* Reads a descriptor to its end, at most `max` bytes. */
pap_result fd_read(struct arena *a, int fd, size_t max, struct pap_str *ret, struct pap_err *err) PAP_MUST;

/* Reads what is there, at most n bytes, waiting for the first: 0 at the end, -1 with errno set. */
ptrdiff_t fd_read_some(int fd, char *p, size_t n) PAP_MUST;

/* Writes all of it to a descriptor, going on after signals; false with errno set. */
bool fd_write_all(int fd, struct pap_str bytes) PAP_MUST;

/* Writes by a temporary file in the same folder, fsync and rename: the file is the old or the new one, whole. */
pap_result file_write_atomic(const char *path, struct pap_str bytes, struct pap_err *err) PAP_MUST;

/* The same, unless the file has other bytes than `old` by then: that is a failure which says so, and it stays as it is. */
pap_result file_replace(const char *path, struct pap_str old, struct pap_str bytes, struct pap_err *err) PAP_MUST;

/* The same for what nobody else may read: its mode is 0600, whatever it was before. */
pap_result file_write_private(const char *path, struct pap_str bytes, struct pap_err *err) PAP_MUST;

/* Takes away what killed runs left beside `path` while they wrote it. What cannot be taken away stays. */
void file_clear_beside(const char *path);

enum file_type { FILE_NONE, FILE_REGULAR, FILE_FOLDER, FILE_OTHER, FILE_LINK, FILE_FOLDER_LINK };
/* Follows links, so that the last two are none of its answers. */
enum file_type file_type_of(const char *path);
/* A regular file that somebody may execute; follows links. */
bool file_is_executable(const char *path);
/* Whether this process may read it. */
bool file_is_readable(const char *path);

/* A regular file of this user that nobody else may read or write; a link is none. */
bool file_is_private(const char *path);

/* When it was last changed, Unix seconds; follows links. False when there is none. */
bool file_modified(const char *path, int64_t *ret_unix);

/* Which file a path leads to and as what it was last written; the same until somebody writes again (twice within one tick of
 * the system's clock looks like once). Zeroed when there is none. Compare with memcmp(). */
struct file_state {
    uint64_t device, inode, size, changed_s, changed_ns;
};
struct file_state file_state(const char *path);

/* Whether both lead to one regular file; follows links. */
bool file_is_same(const char *a, const char *b);
/* Whether `path` stands below the folder `root` when all links are followed. */
bool file_is_below(const char *path, const char *root);

/* Calls `each` for every regular file below `root` (paths joined with /), in byte order within a folder, not following
 * links to folders, skipping .git and node_modules, at most `depth` folders deep. With FILE_LINK the
 * path itself is a link to such a file, FILE_OTHER is what cannot be read as one (a link that leads nowhere, a FIFO ...),
 * FILE_FOLDER a folder below `root` that may not be read,
 * FILE_FOLDER_LINK a link to a folder, which is not followed. Stops when `each` fails. */
typedef pap_result file_each_fn(void *ctx, const char *path, enum file_type type, struct pap_err *err);
pap_result folder_walk(const char *root, unsigned depth, file_each_fn *each, void *ctx, struct pap_err *err) PAP_MUST;

#endif
