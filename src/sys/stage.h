/* SPDX-License-Identifier: Apache-2.0
 *
 * What it takes to change a published tree so that, whenever the process dies, every file is the old or the new one: a
 * lock, files written aside on the same file system, renames. Nothing here follows a link to write.
 */
#ifndef SYS_STAGE_H
#define SYS_STAGE_H

#include "base/arena.h"
#include "base/result.h"

/* Makes the folder and those above it that are missing. */
pap_result folder_make(const char *path, struct pap_err *err) PAP_MUST;
/* Makes one folder in a folder of the tree; a link or a file of that name is refused. */
pap_result folder_make_real(const char *path, struct pap_err *err) PAP_MUST;

/* Waits until no other process holds the folder; held until the descriptor is closed. */
pap_result folder_lock(const char *path, int *ret_fd, struct pap_err *err) PAP_MUST;
/* Makes the folder where it is missing, and waits for it: nobody takes it away any more. *ret_made: how much of the path
 * names the first folder that this call made; 0: all were there. */
pap_result folder_make_locked(const char *path, size_t *ret_made, int *ret_fd, struct pap_err *err) PAP_MUST;
void folder_unlock(int *fd);
/* Whether another process holds it at this moment; false where it cannot be opened. */
bool folder_is_locked(const char *path);

/* Writes a file that must not be there yet; fine where it is (`ret_there` not NULL), for content that its name tells. Not
 * yet safe from a crash of the machine: stage_sync(). */
pap_result stage_write(const char *path, struct pap_str bytes, bool *ret_there, struct pap_err *err) PAP_MUST;
/* All of the file system that holds the folder reaches the disk. */
pap_result stage_sync(const char *folder, struct pap_err *err) PAP_MUST;
/* Renames; the target is replaced whole. */
pap_result stage_move(const char *from, const char *to, struct pap_err *err) PAP_MUST;
/* The names in the folder reach the disk. */
pap_result folder_sync(const char *folder, struct pap_err *err) PAP_MUST;

/* Takes a file away; fine where there is none. */
pap_result stage_remove(const char *path, struct pap_err *err) PAP_MUST;
/* Takes a folder away, with what is in it, no link followed; fine where there is none. What is no folder is a failure. */
pap_result stage_clear(const char *folder, struct pap_err *err) PAP_MUST;

/* Takes away the folder, and those above it as far as their paths have `least` bytes, as long as nothing is in them. */
pap_result folder_remove_empty(const char *path, size_t least, struct pap_err *err) PAP_MUST;

/* A new folder for this process alone, below /tmp; and taking a folder away with everything in it, no link followed. */
pap_result folder_temporary(char ret[static 64], struct pap_err *err) PAP_MUST;
pap_result folder_remove(const char *folder, struct pap_err *err) PAP_MUST;

/* The time of last change, and setting it; false where there is no such file. */
bool file_time(const char *path, int64_t *ret_seconds);
bool file_set_time(const char *path, int64_t seconds);

/* Whether the file has exactly these bytes. */
bool file_is(struct arena *scratch, const char *path, struct pap_str bytes);

/* The absolute path without links, "." and ".."; what does not exist yet is taken as written. p NULL: out of memory. */
struct pap_str path_real(struct arena *a, const char *path) PAP_MUST;

/* Cores that may be used. */
unsigned cores(void);

#endif
