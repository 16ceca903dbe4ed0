/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a report goes: standard output, or a file that is the old or the new one, whole.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <limits.h>

#include "cli/cli.h"

struct output {
    struct cli *cli;
    FILE *file;                                /* cli->out, or the file */
    const char *path;                          /* as the user gave it; NULL: standard output */
    char temporary[PATH_MAX], final[PATH_MAX]; /* "": written in place (a device or FIFO) */
    bool failed;                               /* a write failed and was reported */
};

/* `path` NULL or "-": standard output. false after saying why. */
bool output_open(struct cli *cli, const char *path, struct output *ret) PAP_MUST;
/* false when the reader is gone or the disk is full; said once. */
bool output_write(struct output *o, const char *bytes, size_t n) PAP_MUST;
/* Puts the file in its place (`keep`), or takes the temporary one away. false after saying why. */
bool output_close(struct output *o, bool keep) PAP_MUST;

/* Says that `name` could not be written. A reader that went away (`papaver ... | head`) is no fault: the program ends at
 * once and without a word by SIGPIPE, as everybody's tools do. */
void output_say_failed(struct cli *cli, int code, const char *name);

#endif
