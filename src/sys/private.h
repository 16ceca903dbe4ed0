/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a file of this user's own lies that a library opens by its name.
 */
#ifndef SYS_PRIVATE_H
#define SYS_PRIVATE_H

#include "base/arena.h"
#include "base/result.h"

/* The folder and those above it, for this user alone (0700); what does not work is seen when it is used. */
void private_folder(const char *path);

/* The path with no link in it. With `make` folder (0700) and file (0600, empty) are made when missing; without, *ret_real is
 * NULL where there is no file. PAP_USAGE: it is a link, a folder or no regular file. */
pap_result private_file(struct arena *a, const char *path, bool make, const char **ret_real,
                        struct pap_err *err) PAP_MUST;

#endif
