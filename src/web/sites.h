/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of sites, as its pages, files and the API share it.
 */
#ifndef WEB_SITES_H
#define WEB_SITES_H

#include "text/json_write.h"
#include "web/stored.h"

/* What a visitor asked of the list, as the store wants it. False when it was answered. */
bool sites_query(struct asked *k, struct census_query *ret) PAP_MUST;
/* The same and what it gives. */
bool sites_find(struct asked *k, struct census_query *ret_query, struct census_sites *ret) PAP_MUST;

/* The words of `sort`, in the order of enum census_sort. */
extern const char *const sites_sorts[CENSUS_SORTS];

/* "api, web" */
void words_list(struct buf *out, const struct census_words *w);
/* "7 in poppy.json", "2 in the index"; "none" */
void add_skills(struct buf *out, const struct census_summary *s);
/* The object of one site, as `papaver census export` has it. */
void write_site(struct json_writer *w, struct arena *a, const struct census_site *s);

#endif
