/* SPDX-License-Identifier: Apache-2.0
 *
 * What `papaver publish` is told. Lists are copied into `run` when all is known.
 */
#ifndef CLI_PUBLISH_OPTIONS_H
#define CLI_PUBLISH_OPTIONS_H

#include <papaver/publish.h>

#include "cli/network_options.h"

struct publish_options {
    struct pap_publish_options run;
    const char **roots, **prune, **allow_removal, **deprecate, **allow_secret;
    struct network_options network;
    unsigned format; /* 0 tar.gz, 1 zip */
    unsigned rules;  /* one more than the index in rules_hosts; 0: publish */
    bool dry_run, check, json, quiet, fix, yes, fresh;
    const char *config;
};

extern const struct option_row publish_option_rows[];

#endif
