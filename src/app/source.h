/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the tree comes from: a folder that was published, or a project whose skills are published for this very moment, to
 * a folder that goes away when it has been read. Then digests and archives are made of the bytes that are served.
 */
#ifndef APP_SOURCE_H
#define APP_SOURCE_H

#include <papaver/serve.h>

#include "host/generation.h"

struct source {
    const struct pap_serve_options *o;
    const struct pap_serve_site *site;
    const struct access *access; /* its scopes; NULL: none */
    const char *folder;
    bool is_project;
};

/* The site's `folder` NULL: dist where it is a tree, else the project here. */
void source_init(struct source *s, const struct pap_serve_options *o, const struct pap_serve_site *site,
                 const struct access *access);
/* What is to be watched, below the folder; ended by NULL. */
const char *const *source_watched(const struct source *s);
pap_result source_load(const struct source *s, struct generation **ret, struct pap_err *err) PAP_MUST;

#endif
