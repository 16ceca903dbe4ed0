/* SPDX-License-Identifier: Apache-2.0
 *
 * How long a list may be used without asking (remote-skills R-HTTP-1 to R-HTTP-4, RFC 9111): explicit lifetimes only, no
 * heuristics. What makes a document fresh lives in this process; a new one asks again (decision 23).
 */
#ifndef SKILLS_FRESH_H
#define SKILLS_FRESH_H

#include "base/alloc.h"
#include "base/exchange.h"

enum { FRESH_MOST = 128 };

/* The header fields that say so, joined where there are several; p NULL: none. */
struct fresh_fields {
    struct pap_str cache_control, expires, date, age;
};

/* Of an answer; `joined` takes a Cache-Control of several fields, "" when it is too long for it (which is no lifetime). */
struct fresh_fields fresh_fields_of(const struct hop *h, char *joined, size_t room);

bool fresh_no_store(const struct fresh_fields *f);

/* Until when (Unix milliseconds) an answer to a request of `asked_ms` that came at `came_ms` is fresh. */
int64_t fresh_until(const struct fresh_fields *f, int64_t asked_ms, int64_t came_ms);

/* What is known of documents by key, the latest FRESH_MOST of them. Not thread-safe. */
struct fresh_record {
    struct fresh_record *next;
    size_t size; /* of this block */
    int64_t until_ms;
    struct pap_str key;
    struct fresh_fields fields;
    char bytes[];
};

struct fresh_table {
    const struct pap_alloc *alloc;
    struct fresh_record *first; /* latest first */
    size_t n;
};

/* NULL when there is none. */
const struct fresh_record *fresh_find(const struct fresh_table *t, struct pap_str key);
/* In the place of another of that key. Without memory there is none then: it is asked for again. */
void fresh_put(struct fresh_table *t, struct pap_str key, const struct fresh_fields *f, int64_t until_ms);
void fresh_remove(struct fresh_table *t, struct pap_str key);
void fresh_fini(struct fresh_table *t);

#endif
