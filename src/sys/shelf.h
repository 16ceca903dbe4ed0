/* SPDX-License-Identifier: Apache-2.0
 *
 * A private folder of files that many processes share: a file appears whole or not at all, is held (flock) by whoever uses
 * it, so that a process that dies lets go of it, and is opened without following a link or waiting for anything. Names are
 * those of files, without a slash, and the caller's own.
 */
#ifndef SYS_SHELF_H
#define SYS_SHELF_H

#include "base/result.h"

enum { SHELF_PART_NAME = 40 };

struct shelf {
    int fd; /* -1: none */
};

struct shelf_file {
    int fd;                 /* -1: none */
    uint64_t size;          /* when it was opened */
    int64_t used;           /* time of last change, Unix seconds: when it was last used */
    uint64_t device, inode; /* which file it is, whatever its name leads to by now */
};

/* The folder `below` in `path`; what is missing is made, for the user alone. PAP_USAGE: it is no folder or a link, belongs to
 * another user, or others may write into it. PAP_IO: it cannot be opened or made; *ret_absent (may be NULL): without `make`,
 * there is none. */
pap_result shelf_open(const char *path, const char *below, bool make, struct shelf *ret, bool *ret_absent,
                      struct pap_err *err) PAP_MUST;
void shelf_close(struct shelf *s);

/* None: also where it cannot be had just now, for want of memory or descriptors. Odd: a link, a folder, a FIFO ... or a file
 * that this user may not open. */
enum shelf_found { SHELF_NONE, SHELF_FILE, SHELF_ODD };

enum shelf_found shelf_get(const struct shelf *s, const char *name, struct shelf_file *ret) PAP_MUST;
/* Without opening it: fd is -1. */
enum shelf_found shelf_look(const struct shelf *s, const char *name, struct shelf_file *ret) PAP_MUST;
void shelf_file_close(struct shelf_file *f);

/* Exactly `n` bytes from `off` on; false when there are fewer, or none to be had. */
bool shelf_read(const struct shelf_file *f, uint64_t off, char *p, size_t n) PAP_MUST;

/* Held with others, or alone; until the file is closed. Waits a tenth of a second at most, not at all with `now`. */
bool shelf_hold(const struct shelf_file *f);
bool shelf_hold_alone(const struct shelf_file *f, bool now);

/* Used at that time. */
void shelf_touch(const struct shelf_file *f, int64_t unix_seconds);

/* A new empty file, held alone, under a name of its own that begins with "part-". */
bool shelf_part(const struct shelf *s, char ret_name[static SHELF_PART_NAME], struct shelf_file *ret) PAP_MUST;
/* A new empty file without a name, in the folder or, where that is none, for temporary files of the system. */
bool shelf_nameless(const struct shelf *s, struct shelf_file *ret) PAP_MUST;
/* Appends, where the file stands after what was written before. False with errno set. */
bool shelf_write(const struct shelf_file *f, struct pap_str bytes) PAP_MUST;
/* The bytes reach the disk. */
bool shelf_sync(const struct shelf_file *f) PAP_MUST;
/* The part gets its name, in the place of another file if `replace`; *ret_there: no, there is one of that name. */
bool shelf_name(const struct shelf *s, const char *part, const char *name, bool replace, bool *ret_there) PAP_MUST;

/* Takes a name away, whatever is behind it; fine where there is none. */
void shelf_remove(const struct shelf *s, const char *name);
/* The same, if the name leads to this file. */
void shelf_remove_file(const struct shelf *s, const char *name, const struct shelf_file *f);

/* Opens or makes a small file that is changed in its place, and holds it alone; shelf_ledger_write() puts `bytes` where its
 * first ones were. False: not to be had just now. */
bool shelf_ledger(const struct shelf *s, const char *name, struct shelf_file *ret) PAP_MUST;
bool shelf_ledger_write(const struct shelf_file *f, struct pap_str bytes) PAP_MUST;

/* Every name but "." and "..", in no order, until `each` says false. False: the folder cannot be read. */
bool shelf_each(const struct shelf *s, bool (*each)(void *ctx, const char *name), void *ctx) PAP_MUST;

#endif
