/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the database of a census lies: the same two options wherever a command uses one.
 */
#ifndef CLI_DATABASE_OPTIONS_H
#define CLI_DATABASE_OPTIONS_H

#include "cli/command.h"

struct database_options {
    const char *database, *file;
};

/* The rows; `at` is the offset of the member in the command's struct. */
#define DATABASE_ROWS(heading, at)                                                                            \
    {.group = (heading),                                                                                      \
     .name = "database",                                                                                      \
     .letter = 'd',                                                                                           \
     .argument = "WHERE",                                                                                     \
     .field = (at) + offsetof(struct database_options, database),                                             \
     .set = set_text,                                                                                         \
     .complete = COMPLETE_FILE,                                                                               \
     .not_with = "database-file",                                                                             \
     .config = CONFIG_NAMED,                                                                                  \
     .help = "a file of SQLite, or postgres://... (default: $PAPAVER_DATABASE, else papaver/census.db in "    \
             "$XDG_STATE_HOME or ~/.local/state)"},                                                           \
    {                                                                                                         \
        .name = "database-file", .argument = "FILE", .field = (at) + offsetof(struct database_options, file), \
        .set = set_input, .path = true, .complete = COMPLETE_FILE, .config = CONFIG_NAMED,                    \
        .help = "read that from the first line of a file, which others cannot see in the list of processes"   \
    }

/* What they come to; NULL after saying what is wrong. */
const char *database_settle(struct cli *cli, const struct database_options *o);

/* A time span as people write it: 90s, 30m, 12h, 7d; int64_t seconds, above 0. */
option_fn set_span;

#endif
