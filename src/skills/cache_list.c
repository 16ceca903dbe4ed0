/* SPDX-License-Identifier: Apache-2.0
 *
 * For those who look after the folder: what is in it, whether it is still right, and less of it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "skills/cache_inside.h"
#include "skills/fault.h"
#include "sys/clock.h"
#include "text/redact.h"
#include "text/uri.h"

/* A URL that delivered an object. */
struct delivery {
    char key[CACHE_KEY]; /* of the object */
    struct pap_str url;
};

static int by_key(const void *a, const void *b)
{
    const struct delivery *x = a, *y = b;
    int c = strcmp(x->key, y->key);
    return c ? c : str_cmp(x->url, y->url);
}

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const struct cache_item *)a)->name, ((const struct cache_item *)b)->name);
}

struct listing {
    struct shelf *s;
    const struct pap_alloc *alloc;
    struct delivery *deliveries;
    size_t n;
    bool verify;
};

static pap_result read_deliveries(struct listing *l, struct arena *a, const struct cache_item *items, size_t n,
                                  struct pap_err *err)
{
    l->deliveries = arena_new_array(a, n, struct delivery);
    if (!l->deliveries)
        return fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        struct delivery *d = &l->deliveries[l->n];
        struct cache_record r;
        struct uri u;
        size_t at;
        const char *why;
        if (items[i].kind == CACHE_RECORD && cache_record_of(l->s, a, items[i].name.p, &r) &&
            cache_object_key(r.digest, r.format, d->key) && uri_parse(r.url, &u, &at, &why)) {
            d->url = r.url;
            l->n++;
        }
    }
    if (l->n)
        qsort(l->deliveries, l->n, sizeof *l->deliveries, by_key);
    return OK;
}

/* Of the object of that key; as many as fit. */
static void add_origins(const struct listing *l, const char *key, struct buf *out)
{
    size_t low = 0, high = l->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(l->deliveries[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < l->n && strcmp(l->deliveries[low].key, key) == 0; low++) {
        if (out->n)
            buf_char(out, '\n');
        add_redacted(out, l->deliveries[low].url);
    }
}

/* Whether its bytes have the digest; the file stays open. */
static pap_result is_whole(const struct listing *l, const struct shelf_file *f, struct pap_str digest, bool *ret,
                           struct pap_err *err)
{
    struct digest d;
    char text[DIGEST_TEXT + 1];
    pap_result r = cache_file_digest(l->alloc, f, &d, err);
    *ret = false;
    if (r.code == PAP_IO)
        return OK;
    TRY(r);
    digest_text(&d, text);
    *ret = str_is(digest, text);
    return OK;
}

static pap_result tell(const struct listing *l, const struct cache_item *item, pap_skill_cached_fn *each, void *ctx,
                       bool *ret_more, struct pap_err *err)
{
    struct shelf_file f __attribute__((cleanup(shelf_file_close))) = {.fd = -1};
    struct buf origins __attribute__((cleanup(buf_fini)));
    char digest[DIGEST_TEXT + 1];
    enum shelf_found found = shelf_get(l->s, item->name.p, &f);
    if (found == SHELF_NONE)
        return OK; /* gone by now */
    buf_init(&origins, l->alloc, LIMIT_CACHE_HEAD);
    add_origins(l, item->name.p, &origins);
    if (origins.code == PAP_NO_MEMORY)
        return fail_memory(err);
    (void)snprintf(digest, sizeof digest, "sha256:%.64s", item->name.p + sizeof "object-" - 1);
    struct pap_skill_cached o = {
        .digest = str(digest, DIGEST_TEXT),
        .type = cache_format_of(item->name) == PACK_UNKNOWN ? S("skill-md") : S("archive"),
        .bytes = item->file.size,
        .used = item->file.used,
        .held = found == SHELF_FILE && !shelf_hold_alone(&f, true),
        .good = found == SHELF_FILE,
        .origins = buf_str(&origins),
    };
    if (found == SHELF_FILE)
        (void)shelf_hold(&f); /* nobody needs to wait for us */
    if (l->verify && o.good)
        TRY(is_whole(l, &f, o.digest, &o.good, err));
    *ret_more = each(ctx, &o);
    if (l->verify && !o.good && found == SHELF_FILE)
        shelf_remove_file(l->s, item->name.p, &f);
    else if (l->verify && !o.good)
        shelf_remove(l->s, item->name.p);
    return OK;
}

static pap_result list(struct listing *l, pap_skill_cached_fn *each, void *ctx, struct pap_err *err)
{
    struct arena a __attribute__((cleanup(arena_fini)));
    struct cache_item *items = NULL;
    size_t n = 0;
    bool more = true;
    arena_init(&a, l->alloc);
    TRY(cache_collect(l->s, &a, &items, &n, err));
    TRY(read_deliveries(l, &a, items, n, err));
    if (n)
        qsort(items, n, sizeof *items, by_name);
    for (size_t i = 0; more && i < n; i++)
        if (items[i].kind == CACHE_OBJECT)
            TRY(tell(l, &items[i], each, ctx, &more, err));
    return OK;
}

/* The folder is opened, nothing is made. *ret_absent: there is none, which is as good as an empty one. */
static pap_result open_folder(const char *folder, struct shelf *ret, bool *ret_absent, struct pap_err *err)
{
    pap_result r = shelf_open(folder, "v1", false, ret, ret_absent, err);
    return *ret_absent ? OK : r;
}

pap_result pap_skill_cache_list(const char *folder, const struct pap_alloc *alloc, bool verify,
                                pap_skill_cached_fn *each, void *ctx, struct pap_skill_err *err)
{
    struct shelf s __attribute__((cleanup(shelf_close))) = {-1};
    struct listing l = {.s = &s, .alloc = alloc, .verify = verify};
    struct pap_err why = {0};
    bool absent = false;
    pap_result r = open_folder(folder, &s, &absent, &why);
    if (is_ok(r) && !absent)
        r = list(&l, each, ctx, &why);
    return is_ok(r) ? OK : failure_tell(r, &why, err);
}

pap_result pap_skill_cache_prune(const char *folder, const struct pap_alloc *alloc, uint64_t bytes, uint32_t days,
                                 bool all, uint64_t *ret_objects, uint64_t *ret_bytes, struct pap_skill_err *err)
{
    struct shelf s __attribute__((cleanup(shelf_close))) = {-1};
    struct cache_bounds b = {.bytes = bytes ? bytes : LIMIT_CACHE,
                             .days = days ? days : LIMIT_CACHE_DAYS,
                             .all = all,
                             .now = clock_system.unix_seconds(&clock_system)};
    struct pap_err why = {0};
    uint64_t objects = 0, removed = 0;
    bool absent = false;
    pap_result r = open_folder(folder, &s, &absent, &why);
    if (is_ok(r) && !absent)
        r = cache_tidy(&s, alloc, &b, &objects, &removed, &why);
    if (is_ok(r)) {
        *ret_objects = objects;
        *ret_bytes = removed;
    }
    return is_ok(r) ? OK : failure_tell(r, &why, err);
}
