/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the tree comes from: a folder that was published, or a project whose skills are published for this very moment, to
 * a folder that goes away when it has been read. Then digests and archives are made of the bytes that are served.
 */
#ifndef APP_SOURCE_H
#define APP_SOURCE_H

#include <papaver/serve.h>

#include "base/arena.h"
#include "host/generation.h"

struct source {
    const struct pap_serve_options *o;
    const struct pap_serve_site *site;
    const struct access *access; /* its scopes; NULL: none */
    const char *folder;
    bool is_project;
    const char *const *watched; /* below the folder, for sys/watch.h */
};

/* The site's `folder` NULL: the tree of its settings where there is one, else the project here. */
pap_result source_init(struct source *s, struct arena *a, const struct pap_serve_options *o,
                       const struct pap_serve_site *site, const struct access *access, struct pap_err *err) PAP_MUST;
/* `before` is what is served now, NULL at the start: of a project its artifacts are kept for a while, as a publisher keeps
 * them in a tree. */
pap_result source_load(const struct source *s, const struct generation *before, struct generation **ret,
                       struct pap_err *err) PAP_MUST;

#endif
