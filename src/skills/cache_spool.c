/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes that arrive in pieces: in memory while they are few, then in a file; in memory again when the disk is full.
 */
#include "skills/cache_inside.h"

#include "base/limits.h"

enum {
    PIECE = 64 * 1024,
    MOST_HELD = 512 /* descriptors up to here are for leases; of 1,024 some have to be left for everything else */
};

pap_result spool_make(struct cache *c, bool named, struct spool **ret, struct pap_err *err)
{
    struct spool *s = alloc_resize(&c->alloc, NULL, 0, sizeof *s);
    if (!s)
        return fail_memory(err);
    *s = (struct spool){.cache = cache_ref(c), .file = {.fd = -1}, .named = named};
    atomic_init(&s->refs, 1);
    buf_init(&s->memory, &c->alloc, LIMIT_CACHE);
    *ret = s;
    return OK;
}

pap_result spool_new(struct cache *c, struct spool **ret, struct pap_err *err)
{
    return spool_make(c, false, ret, err);
}

struct spool *spool_ref(struct spool *s)
{
    (void)atomic_fetch_add(&s->refs, 1);
    return s;
}

static void drop_file(struct spool *s)
{
    if (s->part[0])
        shelf_remove(&s->cache->shelf, s->part);
    s->part[0] = '\0';
    shelf_file_close(&s->file);
    s->in_file = false;
}

void spool_free(struct spool *s)
{
    if (!s || atomic_fetch_sub(&s->refs, 1) != 1)
        return;
    struct cache *c = s->cache;
    drop_file(s);
    buf_fini(&s->memory);
    (void)alloc_resize(&c->alloc, s, sizeof *s, 0);
    cache_unref(c);
}

uint64_t spool_size(const struct spool *s)
{
    return s->n;
}

static void move_to_file(struct spool *s)
{
    const struct shelf *shelf = &s->cache->shelf;
    s->in_file = s->named && shelf->fd >= 0 ? shelf_part(shelf, s->part, &s->file) : shelf_nameless(shelf, &s->file);
    s->no_file = !s->in_file || !shelf_write(&s->file, buf_str(&s->memory));
    if (!s->no_file)
        buf_fini(&s->memory);
    else if (s->in_file)
        drop_file(s);
    else
        s->part[0] = '\0';
}

/* The disk took no more. */
static pap_result move_to_memory(struct spool *s, struct pap_err *err)
{
    buf_init(&s->memory, &s->cache->alloc, LIMIT_CACHE);
    s->no_file = true;
    for (uint64_t at = 0; at < s->n;) {
        size_t n = s->n - at < PIECE ? (size_t)(s->n - at) : PIECE;
        char *room = buf_room(&s->memory, n);
        if (!room)
            return buf_result(&s->memory, err);
        if (!shelf_read(&s->file, at, room, n))
            return fail(err, PAP_IO, "cannot read what was written to the cache");
        buf_grew(&s->memory, n);
        at += n;
    }
    drop_file(s);
    return OK;
}

pap_result spool_add(struct spool *s, struct pap_str piece, struct pap_err *err)
{
    if (!s->in_file && !s->no_file && piece.n > LIMIT_SPOOL - s->memory.n)
        move_to_file(s);
    if (s->in_file && !shelf_write(&s->file, piece))
        TRY(move_to_memory(s, err));
    if (!s->in_file) {
        buf_add(&s->memory, piece);
        TRY(buf_result(&s->memory, err));
    }
    s->n += piece.n;
    return OK;
}

pap_result spool_read(const struct spool *s, uint64_t off, char *p, size_t n, struct pap_err *err)
{
    if (off > s->n || n > s->n - off)
        return fail(err, PAP_USAGE, "%zu bytes from %llu on are asked of %llu", n, (unsigned long long)off,
                    (unsigned long long)s->n);
    if (!s->in_file && n)
        memcpy(p, s->memory.p + off, n);
    if (s->in_file && !shelf_read(&s->file, off, p, n))
        return fail(err, PAP_IO, "cannot read from the cache");
    return OK;
}

void spool_spare(struct spool *s)
{
    if (!s->in_file && s->file.fd >= MOST_HELD)
        shelf_file_close(&s->file);
}

pap_result spool_of_file(struct cache *c, struct shelf_file f, struct spool **ret, bool *ret_read, struct pap_err *err)
{
    struct spool *s = NULL;
    pap_result r = spool_make(c, true, &s, err);
    if (!is_ok(r)) {
        shelf_file_close(&f);
        return r;
    }
    s->file = f;
    s->n = f.size;
    s->in_file = f.size > LIMIT_SPOOL;
    *ret_read = true;
    if (!s->in_file && f.size) {
        char *room = buf_room(&s->memory, (size_t)f.size);
        *ret_read = room && shelf_read(&f, 0, room, (size_t)f.size);
        if (room)
            buf_grew(&s->memory, (size_t)f.size);
        r = buf_result(&s->memory, err);
    }
    spool_spare(s);
    if (is_ok(r))
        *ret = s;
    else
        spool_free(s);
    return r;
}

pap_result cache_file_digest(const struct pap_alloc *alloc, const struct shelf_file *f, struct digest *ret,
                             struct pap_err *err)
{
    struct buf piece __attribute__((cleanup(buf_fini)));
    struct digest_run run __attribute__((cleanup(digest_drop))) = {NULL, false};
    buf_init(&piece, alloc, PIECE);
    TRY(digest_begin(&run, err));
    char *room = buf_room(&piece, PIECE);
    if (!room)
        return buf_result(&piece, err);
    for (uint64_t at = 0, n; at < f->size; at += n) {
        n = f->size - at < PIECE ? f->size - at : PIECE;
        if (!shelf_read(f, at, room, (size_t)n))
            return fail(err, PAP_IO, "cannot read from the cache");
        digest_add(&run, str(room, (size_t)n));
    }
    return digest_end(&run, ret, err);
}

pap_result spool_digest(const struct spool *s, struct digest *ret, struct pap_err *err)
{
    struct pap_str whole = buf_str(&s->memory);
    return s->in_file ? cache_file_digest(&s->cache->alloc, &s->file, ret, err) : digest_sha256(&whole, 1, ret, err);
}

pap_result spool_copy(const struct spool *s, struct arena *a, struct pap_str *ret, struct pap_err *err)
{
    char *p = arena_text(a, (size_t)s->n + 1);
    if (!p)
        return fail_memory(err);
    TRY(spool_read(s, 0, p, (size_t)s->n, err));
    p[s->n] = '\0';
    *ret = str(p, (size_t)s->n);
    return OK;
}
