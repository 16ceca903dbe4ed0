/* SPDX-License-Identifier: Apache-2.0
 *
 * Documents and records, once for each digest, packed where that makes them smaller.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "pack/gunzip.h"
#include "store/census_inside.h"

enum { BODY_VALUES = 4, PACKED_MOST = LIMIT_DOCUMENT * 8 /* larger ones are archives, which do not get smaller */ };

/* The bytes as they are kept, in `b` or as they are. */
static pap_result pack(struct census *c, struct pap_str bytes, struct buf *b, bool *ret_gz, struct pap_err *err)
{
    *ret_gz = false;
    if (bytes.n > PACKED_MOST || bytes.n < 64)
        return OK;
    if (!c->packer)
        TRY(packer_new(c->alloc, &c->packer, err));
    gzip_write(c->packer, bytes, b);
    if (b->code == PAP_NO_MEMORY)
        return fail_memory(err);
    *ret_gz = buf_ok(b) && b->n < bytes.n;
    return OK;
}

static pap_result take_there(void *ctx, const struct db_row *row, struct pap_err *err)
{
    bool *there = ctx;
    (void)err;
    there[row->of] = true;
    return OK;
}

static pap_result find_there(struct census *c, const struct census_body *const *bodies, size_t n, bool *ret_there,
                             struct pap_err *err)
{
    struct db_value *args = arena_new_array(&c->scratch, n, struct db_value);
    if (!args)
        return fail_memory(err);
    for (size_t i = 0; i < n; i++)
        args[i] = db_bytes(bodies[i]->digest.b, sizeof bodies[i]->digest.b);
    return db_many(c->db, "SELECT size FROM body WHERE digest = $1", args, 1, n, take_there, ret_there, NULL, err);
}

static pap_result pack_one(struct census *c, const struct census_body *body, struct db_value ret[BODY_VALUES],
                           struct pap_err *err)
{
    bool gz = false;
    struct buf packed __attribute__((cleanup(buf_fini)));
    buf_init(&packed, c->alloc, body->bytes.n + 1);
    TRY(pack(c, body->bytes, &packed, &gz, err));
    struct pap_str kept = gz ? arena_str(&c->scratch, buf_str(&packed)) : body->bytes;
    if (gz && !kept.p)
        return fail_memory(err);
    ret[0] = db_bytes(body->digest.b, sizeof body->digest.b);
    ret[1] = db_int((int64_t)body->bytes.n);
    ret[2] = db_int(gz);
    ret[3] = db_bytes(kept.p, kept.n);
    return OK;
}

static int by_digest(const void *a, const void *b)
{
    const struct census_body *const *x = a, *const *y = b;
    return memcmp((*x)->digest.b, (*y)->digest.b, sizeof(*x)->digest.b);
}

/* In the order of their digests, so that two workers with the same ones do not wait for each other in a circle. */
pap_result census_bodies_put(struct census *c, const struct census_body *const *bodies, size_t n, struct pap_err *err)
{
    const struct census_body **all = arena_new_array(&c->scratch, n, const struct census_body *);
    struct db_value *args = arena_array(&c->scratch, n, BODY_VALUES * sizeof *args);
    bool *there = arena_new_array(&c->scratch, n, bool);
    size_t rows = 0;
    if (!all || !args || !there)
        return fail_memory(err);
    for (size_t i = 0; i < n; i++)
        all[i] = bodies[i];
    qsort(all, n, sizeof(*all), by_digest);
    TRY(find_there(c, all, n, there, err));
    for (size_t i = 0; i < n; i++)
        if (!there[i] && (!i || by_digest(&all[i - 1], &all[i]) != 0))
            TRY(pack_one(c, all[i], &args[rows++ * BODY_VALUES], err));
    return db_many(c->db,
                   "INSERT INTO body (digest, size, gz, bytes) VALUES ($1, $2, $3, $4) ON CONFLICT (digest) DO NOTHING",
                   args, BODY_VALUES, rows, NULL, NULL, NULL, err);
}

pap_result census_observation_bodies(struct census *c, const struct census_seen *seen, size_t n, struct pap_err *err)
{
    size_t most = 0, all = 0;
    for (size_t i = 0; i < n; i++)
        most += seen[i].result->n_bodies + 1;
    const struct census_body **bodies = arena_new_array(&c->scratch, most, const struct census_body *);
    struct db_value *args = arena_array(&c->scratch, most, 2 * sizeof *args);
    if (!bodies || !args)
        return fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        const struct census_result *r = seen[i].result;
        for (size_t k = 0; k < r->n_bodies + (r->record != NULL); k++, all++) {
            bodies[all] = k < r->n_bodies ? &r->bodies[k] : r->record;
            args[2 * all] = db_int(seen[i].observation);
            args[2 * all + 1] = db_bytes(bodies[all]->digest.b, sizeof bodies[all]->digest.b);
        }
    }
    TRY(census_bodies_put(c, bodies, all, err));
    return db_many(c->db,
                   "INSERT INTO observation_body (observation_id, digest) VALUES ($1, $2)"
                   " ON CONFLICT (observation_id, digest) DO NOTHING",
                   args, 2, all, NULL, NULL, NULL, err);
}

struct getting {
    struct census *census;
    struct arena *arena;
    const struct census_digest *digest;
    struct pap_str bytes;
};

static pap_result take_body(void *ctx, const struct db_row *row, struct pap_err *err)
{
    struct getting *g = ctx;
    struct pap_str kept = db_row_str(row, 2);
    int64_t size = db_row_int(row, 0);
    if (!db_row_int(row, 1)) {
        g->bytes = arena_str(g->arena, kept);
        return g->bytes.p ? OK : fail_memory(err);
    }
    const char *why = NULL;
    struct buf whole __attribute__((cleanup(buf_fini)));
    buf_init(&whole, g->census->alloc, PACKED_MOST + 1);
    TRY(gunzip(kept, PACKED_MOST, &whole, &why, err));
    TRY(buf_result(&whole, err));
    if (why || (int64_t)whole.n != size)
        return fail(err, PAP_IO, "a document in the database is damaged: %s", why ? why : "it has another size");
    g->bytes = arena_str(g->arena, buf_str(&whole));
    return g->bytes.p ? OK : fail_memory(err);
}

static pap_result get_fn(struct db *d, void *ctx, struct pap_err *err)
{
    struct getting *g = ctx;
    g->bytes = str(NULL, 0);
    return db_run(d, "SELECT size, gz, bytes FROM body WHERE digest = $1",
                  DB_ARGS(db_bytes(g->digest->b, sizeof g->digest->b)), take_body, g, NULL, err);
}

pap_result census_body(struct census *c, struct arena *a, const struct census_digest *digest, struct pap_str *ret,
                       struct pap_err *err)
{
    struct getting g = {c, a, digest, {NULL, 0}};
    TRY(census_transact(c, DB_READ, "read a document", get_fn, &g, err));
    *ret = g.bytes;
    return OK;
}
