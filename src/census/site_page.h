/* SPDX-License-Identifier: Apache-2.0
 *
 * A page a site, in the folder of a report: what it publishes, what is wrong, its history.
 */
#ifndef CENSUS_SITE_PAGE_H
#define CENSUS_SITE_PAGE_H

#include "census/site.h"

/* What comes first in each page, up to the time of the report: so a page of an earlier report is known. */
#define PAGE_OF_SITE "<!doctype html>\n<html lang=\"en\">\n<!-- papaver census, a site, "

/* Whether a page can be named after it: a domain name and nothing else, for it becomes part of a path. */
bool page_is_name(struct pap_str name);

void page_words(struct buf *b, struct pap_str s);
void page_cell(struct buf *b, struct pap_str s);
/* The head of every page. */
void page_head(struct buf *b, struct pap_str title);

/* Writes site/NAME.html below the folder. `a` is emptied. */
pap_result page_of_site(struct pap_census *c, int root, struct pap_str stamp, struct arena *a, struct buf *b,
                        const struct census_site *s, struct pap_err *err) PAP_MUST;
/* Pages of sites that are no longer in the report go: others' files stay. */
pap_result page_tidy(int root, struct pap_str stamp, struct arena *a, struct pap_err *err) PAP_MUST;

#endif
