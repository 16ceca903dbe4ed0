/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside src/census: a site and a summary of it as members of JSON, the same in every list.
 */
#ifndef CENSUS_SITE_H
#define CENSUS_SITE_H

#include "census/inside.h"

void site_number(struct json_writer *w, const char *key, uint64_t n);
void site_text(struct json_writer *w, const char *key, struct pap_str s);
/* null for 0 */
void site_time(struct json_writer *w, struct arena *a, const char *key, int64_t t);
/* The members of a summary, into the object that is open. */
void site_summary(struct json_writer *w, const struct census_summary *s);
/* The members of a site. */
void site_members(struct json_writer *w, struct arena *a, const struct census_site *s);
/* "embedded", "well-known" or "" */
struct pap_str site_skills_word(enum census_skills where);

/* Calls `each` for all sites that fit, page by page, in the order of the query; `a` is emptied between pages. */
typedef pap_result site_each(void *ctx, struct arena *a, const struct census_site *s, struct pap_err *err);
pap_result site_walk(struct pap_census *c, struct arena *a, struct census_query q, site_each *each, void *ctx,
                     struct pap_err *err) PAP_MUST;

#endif
