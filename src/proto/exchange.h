/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of the rows of exchanges that fill a file of their own: the header fields of a good answer
 * (exchange_header.c).
 */
#ifndef PROTO_EXCHANGE_H
#define PROTO_EXCHANGE_H

#include "proto/check.h"

check_fn json_type, artifact_type, caching, has_etag, has_cors, no_content_encoding, head_is_get;

/* False when the check's own budget did not allow the request. */
static inline bool exchange_was_made(const struct exchange *x)
{
    return x->fault != FAULT_BUDGET;
}

/* The sentence of what went wrong. A host that blocks a path is not a path where nothing is. */
const char *exchange_outcome(struct run *r);

/* The answer that brought the document; NULL when there is none, or when it is another page. */
const struct hop *exchange_good_answer(const struct run *r);

#endif
