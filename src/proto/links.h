/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of links rows that fill files of their own: artifacts against their index entries (link_artifact.c), and what
 * skills name against what the company offers: paths (link_path.c), scopes and tools (link_skill.c).
 */
#ifndef PROTO_LINKS_H
#define PROTO_LINKS_H

#include "proto/check.h"
#include "text/similar.h"

check_fn artifacts_exist, digests_match, names_match, descriptions_match;
/* Names that something unknown may have been meant for. */
enum { LINKS_NAMES = 500 };
struct links_names {
    struct pap_str items[LINKS_NAMES];
    size_t n;
};
static inline void links_name_add(struct links_names *to, struct pap_str name)
{
    if (to->n < LINKS_NAMES)
        to->items[to->n++] = name;
}
struct similar links_nearest(const struct links_names *names, struct pap_str to);

/* Calls `each` for every inline code span of every SKILL.md, with r->doc set. */
void links_each_span(struct run *r, void (*each)(struct run *r, const struct span *s, void *ctx), void *ctx);

/* Whether the document is an API description with paths; whether every one of the company was read, so that what none of
 * them has is unknown. */
bool links_has_paths(const struct doc *d);
bool links_knows_apis(const struct bundle *b);

/* GET, POST ... in upper case. */
bool links_is_method(struct pap_str s);

check_fn skill_paths_exist, skill_scopes_exist, skill_tools_exist;

#endif
