/* SPDX-License-Identifier: Apache-2.0
 *
 * A folder whose files are to be published: listed without following any link, and read only if nothing has changed
 * since it was listed.
 */
#ifndef SYS_TREE_H
#define SYS_TREE_H

#include "base/arena.h"
#include "base/result.h"

enum tree_type { TREE_FILE, TREE_FOLDER, TREE_LINK, TREE_OTHER };

struct tree_entry {
    struct pap_str path; /* below the root; a NUL is behind it */
    enum tree_type type;
    uint32_t mode; /* permission bits */
    uint64_t size, links, device, inode;
    int64_t modified, changed; /* nanoseconds */
};

struct tree {
    struct tree_entry *entries; /* folders before what is in them; in byte order within a folder */
    size_t n, cap;
};

/* Whether to go into a folder. */
typedef bool tree_enter_fn(void *ctx, const struct tree_entry *folder);

/* Only the names in a folder, sorted; the rest of each entry is zero. */
pap_result tree_names(struct arena *a, const char *root, size_t most, struct tree *ret, struct pap_err *err) PAP_MUST;

/* One file or folder by its path, which becomes no part of the entry; a link is not followed. false: errno says why; ENOENT,
 * there is none. */
bool tree_stat(const char *path, struct tree_entry *ret);

/* Lists what is below `root`, which must be a folder and may be a link to one. More than `most` entries, or folders nested
 * more than `depth` deep: PAP_LIMIT. `enter` NULL: into every folder. */
pap_result tree_list(struct arena *a, const char *root, size_t most, unsigned depth, tree_enter_fn *enter, void *ctx,
                     struct tree *ret, struct pap_err *err) PAP_MUST;

/* The same of an open folder, which it closes; `path` is for messages. */
pap_result tree_list_fd(struct arena *a, int fd, const char *path, size_t most, unsigned depth, struct tree *ret,
                        struct pap_err *err) PAP_MUST;

/* Reads a file that was listed. *ret_changed: it is not what was listed, or changed while it was read; then *ret is not
 * written. */
pap_result tree_read(struct arena *a, const char *root, const struct tree_entry *e, struct pap_str *ret,
                     bool *ret_changed, struct pap_err *err) PAP_MUST;

#endif
