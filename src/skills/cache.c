/* SPDX-License-Identifier: Apache-2.0 */
#include "skills/cache_inside.h"

#include "base/limits.h"

struct cache *cache_ref(struct cache *c)
{
    (void)atomic_fetch_add(&c->refs, 1);
    return c;
}

void cache_unref(struct cache *c)
{
    if (atomic_fetch_sub(&c->refs, 1) != 1)
        return;
    struct pap_alloc alloc = c->alloc;
    shelf_close(&c->shelf);
    (void)pthread_mutex_destroy(&c->mutex);
    (void)alloc_resize(&alloc, c, sizeof *c, 0);
}

pap_result cache_open(const struct cache_options *o, struct cache **ret, struct pap_err *err)
{
    struct shelf shelf = {-1};
    if (o->folder) {
        pap_result r = shelf_open(o->folder, "v1", true, &shelf, NULL, err);
        if (!is_ok(r) && r.code != PAP_IO)
            return r;
    }
    struct cache *c = alloc_resize(o->alloc, NULL, 0, sizeof *c);
    if (!c) {
        shelf_close(&shelf);
        return fail_memory(err);
    }
    *c = (struct cache){.alloc = o->alloc ? *o->alloc : (struct pap_alloc){NULL, NULL},
                        .shelf = shelf,
                        .store = o->store ? *o->store : (struct pap_skill_store){NULL},
                        .bytes = o->bytes ? o->bytes : LIMIT_CACHE,
                        .most = o->most ? o->most : LIMIT_ARTIFACT,
                        .days = o->days ? o->days : LIMIT_CACHE_DAYS};
    atomic_init(&c->refs, 1);
    (void)pthread_mutex_init(&c->mutex, NULL); /* with no attributes it does not fail on Linux */
    *ret = c;
    return OK;
}

void cache_touch(const struct shelf_file *f, int64_t now)
{
    if (f->used > now || f->used < now - 3600)
        shelf_touch(f, now);
}

void cache_free(struct cache *c)
{
    if (!c)
        return;
    memory_clear(c);
    cache_unref(c);
}
