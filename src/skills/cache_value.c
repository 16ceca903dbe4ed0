/* SPDX-License-Identifier: Apache-2.0
 *
 * Documents and records: small values that are read and written whole. They are not synced to the disk: one that a crash of
 * the machine spoiled does not read as one of ours, and is fetched again.
 */
#include "skills/cache_inside.h"

/* Behind the seal; p NULL when it does not hold. */
static pap_result unseal(struct pap_str *bytes, struct pap_err *err)
{
    struct pap_str inner;
    struct digest wanted, actual;
    if (!bytes->p)
        return OK;
    if (!cache_seal_read(*bytes, &inner, &wanted)) {
        *bytes = str(NULL, 0);
        return OK;
    }
    TRY(digest_sha256(&inner, 1, &actual, err));
    *bytes = digest_same(&wanted, &actual) ? inner : str(NULL, 0);
    return OK;
}

/* What a store gives is collected in a buffer, whose failure says all. */
static bool take(void *to, const char *bytes, size_t n)
{
    struct buf *b = to;
    buf_add(b, str(bytes, n));
    return buf_ok(b);
}

static pap_result from_store(struct cache *c, struct arena *a, const char *key, size_t most, struct pap_str *ret,
                             struct pap_err *err)
{
    struct buf b __attribute__((cleanup(buf_fini)));
    buf_init(&b, &c->alloc, most);
    bool found = c->store.get(c->store.ctx, key, take, &b);
    if (b.code == PAP_NO_MEMORY)
        return fail_memory(err);
    if (!found || !buf_ok(&b))
        return OK;
    *ret = arena_str(a, buf_str(&b));
    return ret->p ? OK : fail_memory(err);
}

static pap_result from_folder(struct cache *c, struct arena *a, const char *key, size_t most, int64_t now,
                              struct pap_str *ret, struct pap_err *err)
{
    struct shelf_file f __attribute__((cleanup(shelf_file_close))) = {.fd = -1};
    if (c->shelf.fd < 0 || shelf_get(&c->shelf, key, &f) != SHELF_FILE || f.size > most)
        return OK;
    char *p = arena_text(a, (size_t)f.size + 1);
    if (!p)
        return fail_memory(err);
    if (!shelf_read(&f, 0, p, (size_t)f.size))
        return OK;
    p[f.size] = '\0';
    *ret = str(p, (size_t)f.size);
    cache_touch(&f, now);
    return OK;
}

pap_result value_get(struct cache *c, struct arena *a, const char *key, size_t most, int64_t now, struct pap_str *ret,
                     struct pap_err *err)
{
    struct pap_str found = {NULL, 0};
    struct spool *kept = memory_get(c, key, now);
    most += CACHE_SEAL;
    pap_result r = kept           ? spool_copy(kept, a, &found, err)
                   : c->store.get ? from_store(c, a, key, most, &found, err)
                                  : from_folder(c, a, key, most, now, &found, err);
    spool_free(kept);
    TRY(r);
    TRY(unseal(&found, err));
    *ret = found;
    return OK;
}

/* The file is a new one, or has taken the place of the old one, whole. */
static bool to_folder(struct cache *c, const char *key, struct pap_str bytes, int64_t now)
{
    char part[SHELF_PART_NAME];
    struct shelf_file f __attribute__((cleanup(shelf_file_close))) = {.fd = -1};
    bool there;
    if (!shelf_part(&c->shelf, part, &f))
        return false;
    if (!shelf_write(&f, bytes) || !shelf_name(&c->shelf, part, key, true, &there)) {
        shelf_remove(&c->shelf, part);
        return false;
    }
    shelf_touch(&f, now);
    cache_account(c, bytes.n, now);
    return true;
}

static pap_result to_memory(struct cache *c, const char *key, struct pap_str bytes, int64_t now, struct pap_err *err)
{
    struct spool *s = NULL;
    TRY(spool_new(c, &s, err));
    pap_result r = spool_add(s, bytes, err);
    if (is_ok(r))
        r = memory_put(c, key, s, now, err);
    spool_free(s);
    return r;
}

/* Wherever it is but in memory. */
static void remove_outside(struct cache *c, const char *key)
{
    if (c->store.get)
        c->store.remove(c->store.ctx, key);
    else if (c->shelf.fd >= 0)
        shelf_remove(&c->shelf, key);
}

pap_result value_put(struct cache *c, const char *key, struct pap_str bytes, bool memory, int64_t now,
                     struct pap_err *err)
{
    struct digest d;
    char seal[CACHE_SEAL];
    struct buf b __attribute__((cleanup(buf_fini)));
    buf_init(&b, &c->alloc, CACHE_SEAL + bytes.n);
    TRY(digest_sha256(&bytes, 1, &d, err));
    cache_seal_write(&d, seal);
    buf_add(&b, str(seal, sizeof seal));
    buf_add(&b, bytes);
    TRY(buf_result(&b, err));
    if (!memory && (c->store.get ? c->store.put(c->store.ctx, key, b.p, b.n)
                                 : c->shelf.fd >= 0 && to_folder(c, key, buf_str(&b), now))) {
        memory_remove(c, key);
        return OK;
    }
    remove_outside(c, key);
    return to_memory(c, key, buf_str(&b), now, err);
}

void value_remove(struct cache *c, const char *key)
{
    memory_remove(c, key);
    remove_outside(c, key);
}
