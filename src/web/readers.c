/* SPDX-License-Identifier: Apache-2.0 */
#include "web/readers.h"

#include <pthread.h>

enum { IDLE_MOST = 16, PATIENCE_MS = 3000 };

struct readers {
    const struct pap_alloc *alloc;
    const char *database;
    pthread_mutex_t lock;
    struct census *idle[IDLE_MOST];
    size_t n;
};

pap_result readers_new(const struct pap_alloc *alloc, const char *database, struct readers **ret, struct pap_err *err)
{
    const struct db_options o = {.alloc = alloc, .where = database};
    struct census *first;
    TRY(census_open(&o, &first, err));
    census_close(first);
    struct readers *r = alloc_resize(alloc, NULL, 0, sizeof *r);
    if (!r)
        return fail_memory(err);
    *r = (struct readers){.alloc = alloc, .database = database, .lock = PTHREAD_MUTEX_INITIALIZER};
    *ret = r;
    return OK;
}

void readers_free(struct readers *r)
{
    if (!r)
        return;
    while (r->n)
        census_close(r->idle[--r->n]);
    (void)pthread_mutex_destroy(&r->lock);
    (void)alloc_resize(r->alloc, r, sizeof *r, 0);
}

pap_result readers_take(struct readers *r, struct census **ret, struct pap_err *err)
{
    const struct db_options o = {
        .alloc = r->alloc, .where = r->database, .read_only = true, .patience_ms = PATIENCE_MS};
    struct census *c = NULL;
    (void)pthread_mutex_lock(&r->lock);
    if (r->n)
        c = r->idle[--r->n];
    (void)pthread_mutex_unlock(&r->lock);
    if (!c)
        TRY(census_open(&o, &c, err));
    *ret = c;
    return OK;
}

void readers_put(struct readers *r, struct census *c)
{
    bool kept = false;
    (void)pthread_mutex_lock(&r->lock);
    if (r->n < IDLE_MOST && census_trouble(c) == DB_FINE) {
        r->idle[r->n++] = c;
        kept = true;
    }
    (void)pthread_mutex_unlock(&r->lock);
    if (!kept)
        census_close(c);
}
