/* SPDX-License-Identifier: Apache-2.0
 *
 * A project to publish, as one text file *.project, so that what a folder of a repository cannot hold (links, pipes, names
 * that some systems refuse, what looks like a secret) can be a case all the same:
 *
 *     # Comments stand before the first file.
 *     > skills/s/SKILL.md
 *     ---
 *     name: s
 *     ...
 *     > skills/s/link.md -> ../other.md
 *     > skills/s/twin.md = skills/s/SKILL.md
 *     > skills/s/pipe |
 *
 *   > PATH            begins a file; all lines up to the next "> " are its content, each with its line end
 *   > PATH -> TARGET  a symbolic link
 *   > PATH = OTHER    a hard link to a file above
 *   > PATH |          a pipe
 *   \ at a line's end joins it with the next one, \xHH is a byte and \\ a backslash, in paths too
 *   @repeat N TEXT    N lines of the text, "%" in it being 1, 2 ... N
 */
#ifndef TESTS_PROJECT_H
#define TESTS_PROJECT_H

#include <papaver/publish.h>

#include "base/arena.h"

/* Unpacks the script into a temporary folder, publishes it there as `options` say ("--prior DIR --legacy ...": values may not
 * hold blanks; DIR is below the project) and takes it all away again. Nothing but findings comes out: the run is dry.
 * Their place is the file below the project, with the place inside behind a blank. False, and why in `err`, for a mistake in the
 * script or a failure of ours. */
bool project_run(struct arena *a, const char *path, struct pap_str options,
                 void (*finding)(void *ctx, const struct pap_finding *f), void *ctx, int *ret_status,
                 struct pap_err *err);

#endif
