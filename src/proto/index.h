/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of skill index rows share: the shape of an index and the walk over its entries (index_shape.c), and the
 * functions of rows about entries (index_entry.c) and their URLs (index_url.c).
 */
#ifndef PROTO_INDEX_H
#define PROTO_INDEX_H

#include "proto/check.h"

/* An index is judged as 0.2.0 unless it clearly has one of the older layouts (agent-skills 3.12). */
enum index_shape {
    INDEX_CURRENT,
    INDEX_FILES,    /* 0.1: `files` with names */
    INDEX_FEBRUARY, /* draft of February 2026: `files` with digests, a `version` */
    INDEX_PATH      /* first draft: `path` */
};
/* *ret_at is the node that tells an older shape. */
enum index_shape index_shape(const struct json *root, const struct json **ret_at);

/* A JSON object that is no index at all, at a place where one was looked for and nobody announced one: the host answers
 * every path with something. */
bool index_is_foreign(const struct run *r);

/* Whether r->doc is to be judged as 0.2.0. */
bool index_is_current(const struct run *r);

/* Calls each(r, entry, place) for the entries of such an index, LIMIT_INDEX_ENTRIES of them at most. */
typedef void index_entry_fn(struct run *r, const struct json *entry, size_t place);
void index_each(struct run *r, index_entry_fn *each);

/* "the skill "track-order"", or "entry 3 of skills" where it has no name. */
const char *index_noun(struct run *r, const struct json *entry, size_t place);

/* A digest of one digit 64 times: what generators leave where a value was to come. */
bool index_digest_is_placeholder(struct pap_str digest);

/* Whether the bytes behind a URL change with the next commit or release: a branch at a code host, a package network without
 * a version, "latest". */
struct uri;
bool index_url_moves(const struct uri *u);

check_fn index_entries_whole, index_types, index_names, index_names_once, index_descriptions, index_descriptions_plain,
    index_digests;
check_fn index_urls, index_urls_fixed, index_urls_mean_one_thing;

#endif
