/* SPDX-License-Identifier: Apache-2.0
 *
 * How often somebody may: a token bucket for each of many keys, in a table that never grows. A bucket that is full again is
 * the same as none, so the fullest of its neighbours makes room for a new one. Called from any thread.
 */
#ifndef WEB_LIMITER_H
#define WEB_LIMITER_H

#include "base/alloc.h"
#include "base/result.h"
#include "base/str.h"

struct limiter;

struct limiter_key {
    unsigned char b[16];
};

/* A bucket holds `burst` tokens and gets `per_hour` more in an hour. */
struct limiter_rule {
    uint32_t burst, per_hour;
};

pap_result limiter_new(const struct pap_alloc *alloc, struct limiter_rule rule, struct limiter **ret,
                       struct pap_err *err) PAP_MUST;
void limiter_free(struct limiter *l); /* accepts NULL */

/* Takes one token; 0 when there was one, else the seconds until there is. */
uint32_t limiter_take(struct limiter *l, const struct limiter_key *key, int64_t now_monotonic_ms) PAP_MUST;

/* The key of a host name. */
struct limiter_key limiter_host(struct pap_str host);

#endif
