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

/* Fills what `run` has from the other members, and adds what DIR/remote-skills.json says; `run.folder` is DIR already. *ret
 * (NULL where there is no such file) has to be freed after `run` was used. False after saying why. */
bool publish_options_settle(struct cli *cli, struct publish_options *o, const struct arguments *args,
                            struct pap_remote_config **ret) PAP_MUST;

#endif
