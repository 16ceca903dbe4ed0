/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "pack/unpack.h"
#include "skills/cache_inside.h"

enum { PIECE = 64 * 1024 };

struct cache_object {
    struct spool *bytes;
    struct digest_run run;
    char digest[DIGEST_TEXT + 1]; /* "": not sealed */
    enum pack_format format;
    char *piece; /* what a source gave last; NULL: none was asked yet */
};

/* Takes the caller's reference of `bytes`. NULL: out of memory, and it is free. */
static struct cache_object *make(struct spool *bytes)
{
    struct cache_object *o = alloc_resize(&bytes->cache->alloc, NULL, 0, sizeof *o);
    if (o)
        *o = (struct cache_object){.bytes = bytes};
    else
        spool_free(bytes);
    return o;
}

void cache_object_free(struct cache_object *o)
{
    if (!o)
        return;
    struct cache *c = cache_ref(o->bytes->cache);
    digest_drop(&o->run);
    if (o->piece)
        (void)alloc_resize(&c->alloc, o->piece, PIECE, 0);
    spool_free(o->bytes);
    (void)alloc_resize(&c->alloc, o, sizeof *o, 0);
    cache_unref(c);
}

const char *cache_object_digest(const struct cache_object *o)
{
    return o->digest;
}

enum pack_format cache_object_format(const struct cache_object *o)
{
    return o->format;
}

uint64_t cache_object_size(const struct cache_object *o)
{
    return o->bytes->n;
}

static pap_result next_piece(void *ctx, uint64_t off, struct pap_str *ret, struct pap_err *err)
{
    struct cache_object *o = ctx;
    uint64_t left = off < o->bytes->n ? o->bytes->n - off : 0;
    size_t n = left < PIECE ? (size_t)left : PIECE;
    if (!o->piece)
        o->piece = alloc_resize(&o->bytes->cache->alloc, NULL, 0, PIECE);
    if (!o->piece)
        return fail_memory(err);
    TRY(spool_read(o->bytes, off < o->bytes->n ? off : o->bytes->n, o->piece, n, err));
    *ret = str(o->piece, n);
    return OK;
}

void cache_object_source(struct cache_object *o, struct pack_source *ret)
{
    struct pap_str whole = buf_str(&o->bytes->memory);
    *ret = (struct pack_source){.whole = o->bytes->in_file ? str(NULL, 0)
                                         : whole.p         ? whole
                                                           : S(""),
                                .next = next_piece,
                                .ctx = o};
}

/* ---- One that arrives ---- */

pap_result cache_object_new(struct cache *c, struct cache_object **ret, struct pap_err *err)
{
    struct spool *bytes = NULL;
    TRY(spool_make(c, !c->store.get, &bytes, err));
    struct cache_object *o = make(bytes);
    if (!o)
        return fail_memory(err);
    pap_result r = digest_begin(&o->run, err);
    if (is_ok(r))
        *ret = o;
    else
        cache_object_free(o);
    return r;
}

pap_result cache_object_add(struct cache_object *o, struct pap_str piece, struct pap_err *err)
{
    digest_add(&o->run, piece);
    return spool_add(o->bytes, piece, err);
}

pap_result cache_object_seal(struct cache_object *o, struct pap_err *err)
{
    struct digest d;
    TRY(digest_end(&o->run, &d, err));
    digest_text(&d, o->digest);
    return OK;
}

pap_result cache_object_of(struct cache *c, struct pap_str bytes, struct cache_object **ret, struct pap_err *err)
{
    TRY(cache_object_new(c, ret, err));
    TRY(cache_object_add(*ret, bytes, err));
    return cache_object_seal(*ret, err);
}

/* ---- One that is there ---- */

/* *ret_good: the bytes are those of the digest. Failure: memory, libcrypto. */
static pap_result verify(const struct spool *s, struct pap_str digest, bool *ret_good, struct pap_err *err)
{
    char text[DIGEST_TEXT + 1];
    struct digest d;
    pap_result r = spool_digest(s, &d, err);
    if (r.code == PAP_IO) {
        *ret_good = false;
        return OK;
    }
    TRY(r);
    digest_text(&d, text);
    *ret_good = str_is(digest, text);
    return OK;
}

/* The file of that name, held, verified; *ret NULL unless *ret_state is CACHE_FOUND. */
static pap_result from_folder(struct cache *c, const char *key, struct pap_str digest, int64_t now, struct spool **ret,
                              enum cache_state *ret_state, struct pap_err *err)
{
    struct shelf_file f;
    struct spool *s = NULL;
    bool read = false, good = false;
    enum shelf_found found = shelf_get(&c->shelf, key, &f);
    *ret = NULL;
    *ret_state = found == SHELF_ODD ? CACHE_CORRUPT : CACHE_MISS;
    if (found == SHELF_ODD)
        shelf_remove(&c->shelf, key);
    if (found != SHELF_FILE)
        return OK;
    if (f.size > c->most) {
        shelf_file_close(&f);
        return OK;
    }
    (void)shelf_hold(&f); /* whoever keeps it for himself that long must not stop us */
    TRY(spool_of_file(c, f, &s, &read, err));
    pap_result r = read ? verify(s, digest, &good, err) : OK;
    if (is_ok(r) && good) {
        cache_touch(&s->file, now);
        *ret = s;
        *ret_state = CACHE_FOUND;
        return OK;
    }
    if (is_ok(r)) {
        shelf_remove_file(&c->shelf, key, &s->file);
        *ret_state = CACHE_CORRUPT;
    }
    spool_free(s);
    return r;
}

struct taking {
    struct spool *s;
    uint64_t most;
    pap_result result;
};

static bool take(void *to, const char *bytes, size_t n)
{
    struct taking *t = to;
    t->result = n > t->most - t->s->n ? (pap_result){PAP_LIMIT} : spool_add(t->s, str(bytes, n), NULL);
    return is_ok(t->result);
}

static pap_result from_store(struct cache *c, const char *key, struct pap_str digest, struct spool **ret,
                             enum cache_state *ret_state, struct pap_err *err)
{
    struct taking t = {.most = c->most};
    bool good = false;
    *ret = NULL;
    *ret_state = CACHE_MISS;
    TRY(spool_new(c, &t.s, err));
    bool found = c->store.get(c->store.ctx, key, take, &t) && is_ok(t.result);
    pap_result r = t.result.code == PAP_NO_MEMORY ? fail_memory(err) : found ? verify(t.s, digest, &good, err) : OK;
    if (is_ok(r) && good) {
        *ret = t.s;
        *ret_state = CACHE_FOUND;
        return OK;
    }
    if (is_ok(r) && found) {
        c->store.remove(c->store.ctx, key);
        *ret_state = CACHE_CORRUPT;
    }
    spool_free(t.s);
    return r;
}

static pap_result find_bytes(struct cache *c, const char *key, struct pap_str digest, int64_t now, struct spool **ret,
                             enum cache_state *ret_state, struct pap_err *err)
{
    *ret = memory_get(c, key, now); /* nobody but us has written there */
    *ret_state = *ret ? CACHE_FOUND : CACHE_MISS;
    if (*ret)
        return OK;
    if (c->store.get)
        return from_store(c, key, digest, ret, ret_state, err);
    return c->shelf.fd >= 0 ? from_folder(c, key, digest, now, ret, ret_state, err) : OK;
}

/* What the place delivered last. *ret_found: it is that digest and type. */
static pap_result find_record(struct cache *c, const struct cache_place *place, struct pap_str digest, bool archive,
                              int64_t now, enum pack_format *ret_format, bool *ret_found, struct pap_err *err)
{
    char key[CACHE_KEY];
    struct pap_str bytes;
    struct cache_record r;
    struct arena a __attribute__((cleanup(arena_fini)));
    arena_init(&a, &c->alloc);
    *ret_found = false;
    TRY(cache_key("record", place->origin, place->url, place->scope, key, err));
    TRY(value_get(c, &a, key, LIMIT_CACHE_HEAD, now, &bytes, err));
    if (bytes.p && cache_record_read(&a, bytes, &r) && str_eq(r.origin, place->origin) && str_eq(r.url, place->url) &&
        str_eq(r.scope, place->scope) && str_eq(r.digest, digest) && archive == (r.format != PACK_UNKNOWN)) {
        *ret_format = r.format;
        *ret_found = true;
    }
    return OK;
}

pap_result cache_object_get(struct cache *c, const struct cache_place *place, struct pap_str digest, bool archive,
                            int64_t now, struct cache_object **ret, enum cache_state *ret_state, struct pap_err *err)
{
    char key[CACHE_KEY];
    enum pack_format format = PACK_UNKNOWN;
    bool found;
    struct spool *bytes = NULL;
    *ret_state = CACHE_MISS;
    TRY(find_record(c, place, digest, archive, now, &format, &found, err));
    if (!found || !cache_object_key(digest, format, key))
        return OK;
    TRY(find_bytes(c, key, digest, now, &bytes, ret_state, err));
    if (!bytes)
        return OK;
    struct cache_object *o = make(bytes);
    if (!o)
        return fail_memory(err);
    memcpy(o->digest, digest.p, DIGEST_TEXT);
    o->format = format;
    *ret = o;
    return OK;
}

/* ---- Keeping one ---- */

/* The file of that name becomes that of the object, which it equals; ours, if it is in one, goes. */
static void share(struct spool *mine, struct spool *theirs)
{
    struct shelf_file f = theirs->file;
    if (mine->part[0])
        shelf_remove(&mine->cache->shelf, mine->part);
    mine->part[0] = '\0';
    shelf_file_close(&mine->file);
    mine->file = f;
    theirs->file.fd = -1;
    theirs->in_file = false;
}

/* The bytes in a file that has no name yet, and on the disk. */
static bool write_part(struct spool *s)
{
    if (!s->in_file) {
        if (!shelf_part(&s->cache->shelf, s->part, &s->file)) {
            s->part[0] = '\0';
            return false;
        }
        if (!shelf_write(&s->file, buf_str(&s->memory)))
            return false;
    }
    return shelf_sync(&s->file);
}

/* A part of its own that could not be used; one that the bytes are in stays. */
static bool give_up(struct spool *s)
{
    if (!s->in_file) {
        if (s->part[0])
            shelf_remove(&s->cache->shelf, s->part);
        s->part[0] = '\0';
        shelf_file_close(&s->file);
    }
    return false;
}

static bool to_folder(struct cache *c, struct cache_object *o, const char *key, int64_t now)
{
    struct spool *mine = o->bytes, *theirs = NULL;
    enum cache_state state;
    struct shelf_file f;
    bool there = false;
    if (atomic_load(&mine->refs) > 1)
        return false; /* others read it from memory by now */
    if (mine->in_file && !mine->part[0])
        return true; /* it is the cache's own file */
    if (shelf_look(&c->shelf, key, &f) == SHELF_FILE && f.size != mine->n)
        shelf_remove_file(&c->shelf, key, &f);
    for (int turn = 0; turn < 2; turn++) {
        if (!is_ok(from_folder(c, key, str_c(o->digest), now, &theirs, &state, NULL)))
            return give_up(mine);
        if (theirs) {
            share(mine, theirs);
            spool_free(theirs);
            return true;
        }
        if (turn == 0 && !write_part(mine))
            return give_up(mine);
        /* Of two that come at the same time one is first, and the other takes what that one wrote. */
        if (shelf_name(&c->shelf, mine->part, key, false, &there)) {
            mine->part[0] = '\0';
            (void)shelf_hold(&mine->file);
            shelf_touch(&mine->file, now);
            spool_spare(mine);
            cache_account(c, mine->n, now);
            return true;
        }
        if (!there)
            break;
    }
    return give_up(mine);
}

static bool to_store(struct cache *c, struct cache_object *o, const char *key)
{
    struct arena a __attribute__((cleanup(arena_fini)));
    struct pap_str whole = buf_str(&o->bytes->memory);
    arena_init(&a, &c->alloc);
    if (o->bytes->in_file && !is_ok(spool_copy(o->bytes, &a, &whole, NULL)))
        return false;
    return c->store.put(c->store.ctx, key, whole.p ? whole.p : "", whole.n);
}

static pap_result put_record(struct cache *c, const struct cache_place *place, struct pap_str digest,
                             enum pack_format format, bool memory, int64_t now, struct pap_err *err)
{
    char key[CACHE_KEY];
    struct buf b __attribute__((cleanup(buf_fini)));
    buf_init(&b, &c->alloc, LIMIT_CACHE_HEAD);
    TRY(cache_key("record", place->origin, place->url, place->scope, key, err));
    cache_record_write(&b, &(struct cache_record){place->origin, place->url, place->scope, digest, format});
    if (b.code == PAP_LIMIT)
        return OK; /* URLs of a length that nobody keeps */
    TRY(buf_result(&b, err));
    return value_put(c, key, buf_str(&b), memory, now, err);
}

pap_result cache_object_keep(struct cache *c, struct cache_object *o, const struct cache_place *place,
                             enum pack_format format, int64_t now, struct pap_err *err)
{
    char key[CACHE_KEY];
    struct arena scratch __attribute__((cleanup(arena_fini)));
    arena_init(&scratch, &c->alloc);
    o->format = format;
    if (!cache_object_key(str_c(o->digest), format, key))
        return OK;
    bool memory =
        place->memory || cache_url_is_secret(&scratch, place->url) || cache_url_is_secret(&scratch, place->origin);
    bool outside = !memory && (c->store.get ? to_store(c, o, key) : c->shelf.fd >= 0 && to_folder(c, o, key, now));
    if (!outside)
        TRY(memory_put(c, key, o->bytes, now, err));
    return put_record(c, place, str_c(o->digest), format, !outside, now, err);
}
