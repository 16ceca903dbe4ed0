/* SPDX-License-Identifier: Apache-2.0
 *
 * What is kept in memory: all where there is neither folder nor store, else what must not or cannot go there.
 */
#include "skills/cache_inside.h"

static struct cache_kept **bucket_of(struct cache *c, const char *key)
{
    unsigned h = 5381;
    for (const char *k = key; *k; k++)
        h = h * 33 + (unsigned char)*k;
    return &c->buckets[h % CACHE_BUCKETS];
}

static struct cache_kept **find(struct cache *c, const char *key)
{
    struct cache_kept **at = bucket_of(c, key);
    while (*at && strcmp((*at)->key, key) != 0)
        at = &(*at)->next;
    return at;
}

/* Under the lock; what it held is freed by the caller, when the lock is free again. */
static struct cache_kept *cut(struct cache *c, struct cache_kept **at)
{
    struct cache_kept *k = *at;
    *at = k->next;
    c->kept_bytes -= k->value->n;
    return k;
}

static void free_kept(struct cache *c, struct cache_kept *list)
{
    while (list) {
        struct cache_kept *next = list->next;
        spool_free(list->value);
        (void)alloc_resize(&c->alloc, list, sizeof *list, 0);
        list = next;
    }
}

struct spool *memory_get(struct cache *c, const char *key, int64_t now)
{
    (void)pthread_mutex_lock(&c->mutex);
    struct cache_kept *k = *find(c, key);
    struct spool *s = k ? spool_ref(k->value) : NULL;
    if (k) {
        k->used = k->used < now ? now : k->used;
        k->turn = ++c->turn;
    }
    (void)pthread_mutex_unlock(&c->mutex);
    return s;
}

/* Nobody else has it, and it is too old; or something large enough to be worth it: not a record, for what it names may be
 * in use. */
static bool may_go(const struct cache *c, const struct cache_kept *k, int64_t now)
{
    bool old = k->used < now - (int64_t)c->days * 86400, record = cache_kind_of(str_c(k->key)) == CACHE_RECORD;
    return atomic_load(&k->value->refs) == 1 && (old || (c->kept_bytes > c->bytes && !record));
}

/* What was used longest ago of that; NULL: nothing. */
static struct cache_kept **oldest(struct cache *c, int64_t now)
{
    struct cache_kept **found = NULL;
    for (size_t i = 0; i < CACHE_BUCKETS; i++)
        for (struct cache_kept **at = &c->buckets[i]; *at; at = &(*at)->next)
            if (may_go(c, *at, now) && (!found || (*at)->turn < (*found)->turn))
                found = at;
    return found;
}

static struct cache_kept *evict(struct cache *c, int64_t now)
{
    struct cache_kept *gone = NULL;
    for (struct cache_kept **at = oldest(c, now); at; at = oldest(c, now)) {
        struct cache_kept *k = cut(c, at);
        k->next = gone;
        gone = k;
    }
    return gone;
}

pap_result memory_put(struct cache *c, const char *key, struct spool *value, int64_t now, struct pap_err *err)
{
    struct cache_kept *k = alloc_resize(&c->alloc, NULL, 0, sizeof *k), *gone = NULL;
    if (!k)
        return fail_memory(err);
    *k = (struct cache_kept){.value = spool_ref(value), .used = now};
    memcpy(k->key, key, strlen(key) + 1);
    (void)pthread_mutex_lock(&c->mutex);
    struct cache_kept **at = find(c, key), *old = *at ? cut(c, at) : NULL;
    k->next = *at;
    k->turn = ++c->turn;
    *at = k;
    c->kept_bytes += value->n;
    gone = evict(c, now);
    (void)pthread_mutex_unlock(&c->mutex);
    if (old)
        old->next = NULL;
    free_kept(c, old);
    free_kept(c, gone);
    return OK;
}

void memory_remove(struct cache *c, const char *key)
{
    (void)pthread_mutex_lock(&c->mutex);
    struct cache_kept **at = find(c, key), *k = *at ? cut(c, at) : NULL;
    (void)pthread_mutex_unlock(&c->mutex);
    if (k)
        k->next = NULL;
    free_kept(c, k);
}

void memory_clear(struct cache *c)
{
    struct cache_kept *gone = NULL;
    (void)pthread_mutex_lock(&c->mutex);
    for (size_t i = 0; i < CACHE_BUCKETS; i++)
        while (c->buckets[i]) {
            struct cache_kept *k = cut(c, &c->buckets[i]);
            k->next = gone;
            gone = k;
        }
    (void)pthread_mutex_unlock(&c->mutex);
    free_kept(c, gone);
}
