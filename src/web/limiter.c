/* SPDX-License-Identifier: Apache-2.0 */
#include "web/limiter.h"

#include <pthread.h>

#include "sys/entropy.h"

enum { SETS = 4096, WAYS = 8, TOKEN = 1000 /* parts of one */, HOUR_MS = 3600 * 1000 };

struct bucket {
    struct limiter_key key;
    int64_t at; /* when `parts` was right; 0: nobody's */
    uint64_t parts;
};

struct limiter {
    const struct pap_alloc *alloc;
    pthread_mutex_t lock;
    struct limiter_rule rule;
    uint64_t seed;
    struct bucket buckets[SETS][WAYS];
};

pap_result limiter_new(const struct pap_alloc *alloc, struct limiter_rule rule, struct limiter **ret,
                       struct pap_err *err)
{
    struct limiter *l = alloc_resize(alloc, NULL, 0, sizeof *l);
    if (!l)
        return fail_memory(err);
    memset(l, 0, sizeof *l);
    l->alloc = alloc;
    l->rule = rule;
    pap_result r = entropy_bytes(&l->seed, sizeof l->seed, err);
    if (is_ok(r) && pthread_mutex_init(&l->lock, NULL) != 0)
        r = fail_memory(err);
    if (!is_ok(r)) {
        (void)alloc_resize(alloc, l, sizeof *l, 0);
        return r;
    }
    *ret = l;
    return OK;
}

void limiter_free(struct limiter *l)
{
    if (!l)
        return;
    (void)pthread_mutex_destroy(&l->lock);
    (void)alloc_resize(l->alloc, l, sizeof *l, 0);
}

static uint64_t mix(uint64_t h, const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        h = (h ^ p[i]) * 0x100000001b3u;
        h ^= h >> 29;
    }
    return h;
}

/* What the bucket holds now. */
static uint64_t parts(const struct limiter *l, const struct bucket *b, int64_t now)
{
    uint64_t most = (uint64_t)l->rule.burst * TOKEN, ms = now > b->at ? (uint64_t)(now - b->at) : 0;
    if (!b->at || ms >= (uint64_t)HOUR_MS * 24)
        return most;
    uint64_t more = b->parts + ms * l->rule.per_hour * TOKEN / HOUR_MS;
    return more < most ? more : most;
}

static struct bucket *bucket_of(struct limiter *l, const struct limiter_key *key, int64_t now)
{
    struct bucket *set = l->buckets[mix(l->seed, key->b, sizeof key->b) % SETS], *room = set;
    for (size_t i = 0; i < WAYS; i++) {
        if (set[i].at && memcmp(set[i].key.b, key->b, sizeof key->b) == 0)
            return &set[i];
        if (parts(l, &set[i], now) > parts(l, room, now))
            room = &set[i];
    }
    *room = (struct bucket){.key = *key};
    return room;
}

uint32_t limiter_take(struct limiter *l, const struct limiter_key *key, int64_t now)
{
    uint64_t wait = 0;
    (void)pthread_mutex_lock(&l->lock);
    struct bucket *b = bucket_of(l, key, now + 1);
    uint64_t has = parts(l, b, now + 1);
    if (has >= TOKEN) {
        b->parts = has - TOKEN;
        b->at = now + 1; /* never 0 */
    } else {
        wait = (TOKEN - has) * (HOUR_MS / 1000) / TOKEN / (l->rule.per_hour ? l->rule.per_hour : 1) + 1;
    }
    (void)pthread_mutex_unlock(&l->lock);
    return (uint32_t)wait;
}

struct limiter_key limiter_host(struct pap_str host)
{
    struct limiter_key key;
    uint64_t a = 0xcbf29ce484222325u, b = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < host.n; i++) {
        unsigned char c = (unsigned char)ascii_lower(host.p[i]);
        a = mix(a, &c, 1);
        b = mix(b + 1, &c, 1);
    }
    memcpy(key.b, &a, sizeof a);
    memcpy(key.b + sizeof a, &b, sizeof b);
    return key;
}
