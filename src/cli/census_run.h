/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of `papaver census` share.
 */
#ifndef CLI_CENSUS_RUN_H
#define CLI_CENSUS_RUN_H

#include "cli/census_options.h"

struct census_command {
    struct cli *cli;
    struct census_options o;
    struct arguments args;
    struct pap_census *census;
};

/* Reads the options, at most so many arguments, and opens the database. False with cli->status set. */
bool census_begin(struct census_command *c, struct cli *cli, const struct command *self, int argc, char **argv,
                  size_t arguments, bool read_only) PAP_MUST;
/* Closes it; the exit status, as below. */
int census_end(struct census_command *c, pap_result r, const struct pap_err *err);
/* The exit status of a result, after saying what was wrong. */
int census_status_of(struct cli *cli, pap_result r, const struct pap_err *err);

#endif
