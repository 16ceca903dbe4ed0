/* SPDX-License-Identifier: Apache-2.0
 *
 * Files below a folder that others write to as well: whatever lies there, nothing here follows a symbolic link or leaves the
 * folder. The kernel sees to it (openat2, Linux 5.6), not a look before the step. Paths are relative: plain names joined
 * with '/', NUL-terminated; `root` is a descriptor of beneath_open(). PAP_REFUSED: a link on the way, or a way out.
 */
#ifndef SYS_BENEATH_H
#define SYS_BENEATH_H

#include "base/arena.h"
#include "base/result.h"
#include "sys/file.h"
#include "sys/tree.h"

/* The folder itself, which may be named over links. PAP_UNAVAILABLE where the kernel has no openat2. */
pap_result beneath_open(const char *folder, int *ret_root, struct pap_err *err) PAP_MUST;
/* For a cleanup attribute; -1 is fine. */
void beneath_close(const int *fd);

/* A folder below; "" is the root. *ret_fd -1: it is not there. With `make` it is made, and those above it. */
pap_result beneath_folder(int root, const char *path, bool make, int *ret_fd, struct pap_err *err) PAP_MUST;
/* FILE_LINK for a link at its end; a link on the way is a failure. */
pap_result beneath_type(int root, const char *path, enum file_type *ret, struct pap_err *err) PAP_MUST;

/* What tells a folder from every copy of it, which nobody can choose: number and, where the file system keeps it, time of birth.
 * "": there is no such folder, or it is another user's. */
enum { BENEATH_MARK = 64 };
pap_result beneath_mark(int root, const char *path, char ret[static BENEATH_MARK], struct pap_err *err) PAP_MUST;

/* A regular file of at most `max` bytes, p NULL where there is nothing. */
pap_result beneath_read(struct arena *a, int root, const char *path, size_t max, struct pap_str *ret,
                        struct pap_err *err) PAP_MUST;
/* Where a link leads, p NULL where there is no link. */
pap_result beneath_read_link(struct arena *a, int root, const char *path, struct pap_str *ret,
                             struct pap_err *err) PAP_MUST;
/* What is below a folder, as tree_list(); nothing where there is none. */
pap_result beneath_list(struct arena *a, int root, const char *path, size_t most, unsigned depth, struct tree *ret,
                        struct pap_err *err) PAP_MUST;

/* Makes a folder for this user alone (0700), with a name that nobody else has: `prefix` and 16 hex digits. */
pap_result beneath_make_own(int root, const char *prefix, char ret_name[static 64], struct pap_err *err) PAP_MUST;
/* Makes a file that must not be there, and the folders above it. Not yet safe from a crash of the machine: beneath_sync(). */
pap_result beneath_write(int root, const char *path, struct pap_str bytes, bool executable,
                         struct pap_err *err) PAP_MUST;
pap_result beneath_link(int root, const char *path, const char *target, struct pap_err *err) PAP_MUST;
/* Renames within the root; the folders above `to` are made. A file is replaced, a folder must not be there. */
pap_result beneath_move(int root, const char *from, const char *to, struct pap_err *err) PAP_MUST;
/* Two that are there change places, in one step where the file system can. */
pap_result beneath_swap(int root, const char *a, const char *b, struct pap_err *err) PAP_MUST;
/* A file or link goes; fine where there is none. */
pap_result beneath_remove(int root, const char *path, struct pap_err *err) PAP_MUST;
/* A folder goes if nothing is in it. */
pap_result beneath_remove_empty(int root, const char *path, struct pap_err *err) PAP_MUST;
/* A folder goes with everything in it; links in it are not followed. */
pap_result beneath_clear(int root, const char *path, struct pap_err *err) PAP_MUST;
/* Waits until no other process holds the folder; held until the descriptor is closed. `make` and *ret_fd as above. */
pap_result beneath_lock(int root, const char *path, bool make, int *ret_fd, struct pap_err *err) PAP_MUST;
/* All of the file system that holds the root reaches the disk. */
pap_result beneath_sync(int root, struct pap_err *err) PAP_MUST;

#endif
