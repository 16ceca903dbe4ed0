/* SPDX-License-Identifier: Apache-2.0
 *
 * Documents and records, once for each digest, packed where that makes them smaller.
 */
#include "base/limits.h"
#include "pack/gunzip.h"
#include "store/census_inside.h"

enum { BODY_VALUES = 4, PACKED_MOST = LIMIT_DOCUMENT * 8 /* larger ones are archives, which do not get smaller */ };

static pap_result take_there(void *ctx, const struct db_row *row, struct pap_err *err)
{
    (void)row, (void)err;
    *(bool *)ctx = true;
    return OK;
}

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

static pap_result put_one(struct census *c, const struct census_body *body, struct pap_err *err)
{
    bool there = false, gz = false;
    TRY(db_run(c->db, "SELECT size FROM body WHERE digest = $1",
               DB_ARGS(db_bytes(body->digest.b, sizeof body->digest.b)), take_there, &there, NULL, err));
    if (there)
        return OK;
    struct buf packed __attribute__((cleanup(buf_fini)));
    buf_init(&packed, c->alloc, body->bytes.n + 1);
    TRY(pack(c, body->bytes, &packed, &gz, err));
    struct pap_str kept = gz ? buf_str(&packed) : body->bytes;
    return db_run(c->db,
                  "INSERT INTO body (digest, size, gz, bytes) VALUES ($1, $2, $3, $4) ON CONFLICT (digest) DO NOTHING",
                  DB_ARGS(db_bytes(body->digest.b, sizeof body->digest.b), db_int((int64_t)body->bytes.n), db_int(gz),
                          db_bytes(kept.p, kept.n)),
                  NULL, NULL, NULL, err);
}

pap_result census_bodies_put(struct census *c, const struct census_body *bodies, size_t n, struct pap_err *err)
{
    for (size_t i = 0; i < n; i++)
        TRY(put_one(c, &bodies[i], err));
    return OK;
}

static pap_result link_body(struct census *c, int64_t observation, const struct census_body *body, struct pap_err *err)
{
    return db_run(c->db,
                  "INSERT INTO observation_body (observation_id, digest) VALUES ($1, $2)"
                  " ON CONFLICT (observation_id, digest) DO NOTHING",
                  DB_ARGS(db_int(observation), db_bytes(body->digest.b, sizeof body->digest.b)), NULL, NULL, NULL, err);
}

pap_result census_observation_bodies(struct census *c, int64_t observation, const struct census_body *record,
                                     const struct census_body *bodies, size_t n, struct pap_err *err)
{
    TRY(census_bodies_put(c, bodies, n, err));
    for (size_t i = 0; i < n; i++)
        TRY(link_body(c, observation, &bodies[i], err));
    if (!record)
        return OK;
    TRY(census_bodies_put(c, record, 1, err));
    return link_body(c, observation, record, err);
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
