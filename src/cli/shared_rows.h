/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of options that commands share and that need no struct of their own: which rules, and which certificate. `from` is a
 * row's `config`, each `at_` the offset of a member in the command's struct.
 */
#ifndef CLI_SHARED_ROWS_H
#define CLI_SHARED_ROWS_H

#include "cli/command.h"

/* Two lists of patterns. */
#define RULE_ROWS(at_only, at_skip, from, help_only)                                                    \
    {.name = "only",                                                                                    \
     .argument = "PATTERN",                                                                             \
     .field = (at_only),                                                                                \
     .set = set_comma_list,                                                                             \
     .list = true,                                                                                      \
     .complete = COMPLETE_RULE,                                                                         \
     .config = (from),                                                                                  \
     .help = help_only},                                                                                \
    {                                                                                                   \
        .name = "skip", .argument = "PATTERN", .field = (at_skip), .set = set_comma_list, .list = true, \
        .complete = COMPLETE_RULE, .config = (from), .help = "leave these checks out"                   \
    }
#define RULES_AS_CHECK "judge by these checks only, as papaver check --only"

/* Two names of files. */
#define CERTIFICATE_ROWS(at_cert, at_key, help_cert)                                                           \
    {.name = "tls-cert",                                                                                       \
     .argument = "FILE",                                                                                       \
     .field = (at_cert),                                                                                       \
     .set = set_certificates,                                                                                  \
     .complete = COMPLETE_FILE,                                                                                \
     .config = CONFIG_NAMED,                                                                                   \
     .path = true,                                                                                             \
     .help = help_cert},                                                                                       \
    {                                                                                                          \
        .name = "tls-key", .argument = "FILE", .field = (at_key), .set = set_input, .complete = COMPLETE_FILE, \
        .config = CONFIG_NAMED, .path = true, .help = "its private key, PEM"                                   \
    }

#endif
