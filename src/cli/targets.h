/* SPDX-License-Identifier: Apache-2.0
 *
 * The targets of a check: arguments, and lists in files for what does not fit a command line.
 */
#ifndef CLI_TARGETS_H
#define CLI_TARGETS_H

#include "cli/command.h"

struct targets {
    const char **at;
    size_t n, room;
};

/* The arguments, then the lines of the file `list` (NULL: none; "-": standard input). false after saying why; no target
 * at all is such a reason. */
bool targets_read(struct cli *cli, const struct arguments *args, const char *list, struct targets *ret) PAP_MUST;

#endif
