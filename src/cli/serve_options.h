/* SPDX-License-Identifier: Apache-2.0
 *
 * What `papaver serve` is told. Lists and tables are copied into `run` when all is known.
 */
#ifndef CLI_SERVE_OPTIONS_H
#define CLI_SERVE_OPTIONS_H

#include <papaver/serve.h>

#include "cli/publish_options.h"

struct scope_given {
    struct scope_given *next;
    const char *name, **skills, **tokens;
    bool anybody;
};

struct site_given {
    struct site_given *next;
    const char *domain, *folder, *tls_cert, *tls_key, *ask, **aliases, **open;
    struct scope_given *scopes;
};

struct serve_options {
    struct pap_serve_options run;
    struct site_given site, *sites; /* of `site` only what a server with one folder has: scopes, open, ask */
    const char **listen, **dev_hosts, *config;
    struct publish_options publish;     /* of the same file: for folders of skills */
    struct pap_remote_config **remotes; /* for each folder, where it has one */
    size_t n_remotes;
    unsigned log; /* 0 common, 1 json, 2 none */
    bool dev, quiet, hash_token, make_token;
};

extern const struct option_row serve_option_rows[];
extern const struct option_table serve_option_tables[];

/* Whether the section "publish" of the file counts: it does unless every folder is named and is a tree (a slip in what is not
 * needed stops nobody). */
bool serve_options_publish(const struct serve_options *o, const char *folder);

/* Fills o->run from what was read for the folder (NULL: none was named), but for what is of the program. False after saying
 * why. Either way serve_options_end() has to follow. */
bool serve_options_settle(struct cli *cli, struct serve_options *o, const char *folder) PAP_MUST;
void serve_options_end(struct serve_options *o);

#endif
