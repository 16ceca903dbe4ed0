/* SPDX-License-Identifier: Apache-2.0
 *
 * The progress bar: one line on standard error, only where that is a terminal, at most ten times a second.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <papaver/check.h>

#include "cli/cli.h"

struct progress {
    FILE *out;
    bool on;
    bool drawn;     /* a bar stands in the line of the cursor */
    int64_t due_ms; /* not before this (monotonic clock) */
};

void progress_init(struct progress *p, struct cli *cli, bool wanted);
void progress_show(struct progress *p, const struct pap_progress *state);
/* Takes the bar away, before anything else is written to the terminal. */
void progress_clear(struct progress *p);

#endif
