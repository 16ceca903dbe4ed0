/* SPDX-License-Identifier: Apache-2.0
 *
 * What the commands below `papaver census` are told. One struct for all of them; each has the rows that make sense for it.
 */
#ifndef CLI_CENSUS_OPTIONS_H
#define CLI_CENSUS_OPTIONS_H

#include <stddef.h>

#include <papaver/census.h>

#include "cli/database_options.h"
#include "cli/network_options.h"

struct census_options {
    struct database_options database;
    struct network_options network;
    /* add */
    const char *column, *source;
    bool opt_out, opt_in;
    /* run */
    const char *contact, *config;
    uint32_t rate, per_address, jobs, threads;
    bool unlimited, once, quiet;
    int64_t every;
    const char **only, **skip;
    /* report, diff, export, status */
    bool json, csv, unlisted;
    const char *html;
    /* prune */
    int64_t older;
};

extern const struct command cmd_census_add, cmd_census_run, cmd_census_status, cmd_census_report, cmd_census_diff,
    cmd_census_export, cmd_census_prune, cmd_census_judge;

#endif
