/* SPDX-License-Identifier: Apache-2.0
 *
 * What goes: old observations, bodies that nothing names, all that was seen of who wants to be left alone.
 */
#include "store/census_inside.h"

enum { GO_AT_ONCE = 500 };

/* --- prune --- */

struct pruning {
    struct census *census;
    int64_t before, gone;
    struct census_list ids; /* int64_t */
    struct census_list digests;
    uint64_t bytes;
};

static pap_result take_id(void *ctx, const struct db_row *row, struct pap_err *err)
{
    struct census_list *l = ctx;
    int64_t *id = census_list_add(l, sizeof *id);
    if (!id)
        return fail_memory(err);
    *id = db_row_int(row, 0);
    return OK;
}

static pap_result run_each(struct db *d, struct census *c, const char *sql, const struct census_list *ids,
                           struct pap_err *err)
{
    struct db_value *args = arena_new_array(&c->scratch, ids->n, struct db_value);
    if (!args)
        return fail_memory(err);
    for (size_t i = 0; i < ids->n; i++)
        args[i] = db_int(((const int64_t *)ids->items)[i]);
    return db_many(d, sql, args, 1, ids->n, NULL, NULL, NULL, err);
}

static pap_result forget_observations(struct db *d, struct census *c, const struct census_list *ids,
                                      struct pap_err *err)
{
    TRY(run_each(d, c, "DELETE FROM finding WHERE observation_id = $1", ids, err));
    TRY(run_each(d, c, "DELETE FROM observation_body WHERE observation_id = $1", ids, err));
    return run_each(d, c, "DELETE FROM observation WHERE id = $1", ids, err);
}

static pap_result prune_observations(struct db *d, void *ctx, struct pap_err *err)
{
    struct pruning *p = ctx;
    p->ids = (struct census_list){.arena = &p->census->scratch};
    TRY(db_run(d,
               "SELECT o.id FROM observation o JOIN site s ON s.domain_id = o.domain_id WHERE o.last_at < $1"
               " AND o.id <> s.latest AND (s.good IS NULL OR o.id <> s.good) ORDER BY o.id LIMIT $2",
               DB_ARGS(db_int(p->before), db_int(GO_AT_ONCE)), take_id, &p->ids, NULL, err));
    p->gone = (int64_t)p->ids.n;
    return forget_observations(d, p->census, &p->ids, err);
}

static pap_result prune_reports(struct db *d, void *ctx, struct pap_err *err)
{
    struct pruning *p = ctx;
    TRY(db_run(
        d,
        "DELETE FROM report_body WHERE name IN (SELECT name FROM report WHERE made_at < $1 ORDER BY made_at, name"
        " LIMIT $2)",
        DB_ARGS(db_int(p->before), db_int(GO_AT_ONCE)), NULL, NULL, NULL, err));
    return db_run(d,
                  "DELETE FROM report WHERE name IN (SELECT name FROM report WHERE made_at < $1 ORDER BY made_at, name"
                  " LIMIT $2)",
                  DB_ARGS(db_int(p->before), db_int(GO_AT_ONCE)), NULL, NULL, &p->gone, err);
}

static pap_result take_size(void *ctx, const struct db_row *row, struct pap_err *err)
{
    (void)err;
    struct pruning *p = ctx;
    p->bytes += (uint64_t)db_row_int(row, 0);
    p->gone++;
    return OK;
}

/* One that somebody names at this moment makes this fail, and it is begun again. */
static pap_result prune_bodies(struct db *d, void *ctx, struct pap_err *err)
{
    struct pruning *p = ctx;
    p->gone = 0;
    p->bytes = 0;
    return db_run(d,
                  "DELETE FROM body WHERE digest IN (SELECT b.digest FROM body b WHERE NOT EXISTS"
                  " (SELECT 1 FROM observation_body o WHERE o.digest = b.digest) AND NOT EXISTS"
                  " (SELECT 1 FROM report_body r WHERE r.digest = b.digest) LIMIT $1) RETURNING size",
                  DB_ARGS(db_int(GO_AT_ONCE)), take_size, p, NULL, err);
}

/* Some at a time, so that nobody waits long, until none is left. */
static pap_result repeat(struct pruning *p, const char *doing, db_fn *fn, uint64_t *ret_gone, struct pap_err *err)
{
    do {
        TRY(census_transact(p->census, DB_WRITE, doing, fn, p, err));
        *ret_gone += (uint64_t)p->gone;
    } while (p->gone > 0);
    return OK;
}

pap_result census_prune(struct census *c, int64_t before, struct census_pruned *ret, struct pap_err *err)
{
    struct pruning p = {.census = c, .before = before};
    struct census_pruned all = {0};
    uint64_t bytes = 0;
    TRY(repeat(&p, "take away old observations", prune_observations, &all.observations, err));
    TRY(repeat(&p, "take away old reports", prune_reports, &all.reports, err));
    do {
        TRY(census_transact(c, DB_WRITE, "take away unused documents", prune_bodies, &p, err));
        all.bodies += (uint64_t)p.gone;
        bytes += p.bytes;
    } while (p.gone > 0);
    all.bytes = bytes;
    TRY(db_shrink(c->db, err));
    *ret = all;
    return OK;
}

/* --- opt-out --- */

struct out {
    struct census *census;
    const struct census_name *name;
    int64_t now, id, changed;
};

static pap_result forget_domain(struct db *d, struct out *o, struct pap_err *err)
{
    struct census_list ids = {.arena = &o->census->scratch};
    TRY(db_run(d, "SELECT id FROM observation WHERE domain_id = $1", DB_ARGS(db_int(o->id)), take_id, &ids, NULL, err));
    TRY(forget_observations(d, o->census, &ids, err));
    TRY(db_run(d, "DELETE FROM site WHERE domain_id = $1", DB_ARGS(db_int(o->id)), NULL, NULL, NULL, err));
    TRY(db_run(d, "DELETE FROM quiet WHERE domain_id = $1", DB_ARGS(db_int(o->id)), NULL, NULL, NULL, err));
    TRY(db_run(d, "DELETE FROM report_body WHERE name = $1", DB_ARGS(db_text(o->name->name)), NULL, NULL, NULL, err));
    return db_run(d, "DELETE FROM report WHERE name = $1", DB_ARGS(db_text(o->name->name)), NULL, NULL, NULL, err);
}

static pap_result out_fn(struct db *d, void *ctx, struct pap_err *err)
{
    struct out *o = ctx;
    o->id = 0;
    TRY(db_run(
        d,
        "INSERT INTO domain (name, registrable, added_at, opted_out) VALUES ($1, $2, $3, $3)"
        " ON CONFLICT (name) DO UPDATE SET opted_out = COALESCE(domain.opted_out, excluded.opted_out),"
        " due_at = NULL, lease = NULL, lease_until = NULL, lease_owner = NULL, outcome = 0, state = 0, tries = 0,"
        " asked_at = NULL RETURNING id",
        DB_ARGS(db_text(o->name->name), o->name->registrable.n ? db_text(o->name->registrable) : db_null(DB_TEXT),
                db_int(o->now)),
        census_take_int, &o->id, NULL, err));
    return forget_domain(d, o, err);
}

pap_result census_opt_out(struct census *c, const struct census_name *name, int64_t now, struct pap_err *err)
{
    struct out o = {.census = c, .name = name, .now = now};
    TRY(census_check_name(name, err));
    return census_transact(c, DB_WRITE, "leave a domain alone", out_fn, &o, err);
}

static pap_result in_fn(struct db *d, void *ctx, struct pap_err *err)
{
    struct out *o = ctx;
    return db_run(d, "UPDATE domain SET opted_out = NULL, due_at = $2 WHERE name = $1 AND opted_out IS NOT NULL",
                  DB_ARGS(db_text(o->name->name), db_int(o->now)), NULL, NULL, &o->changed, err);
}

pap_result census_opt_in(struct census *c, struct pap_str name, int64_t now, bool *ret_was_out, struct pap_err *err)
{
    const struct census_name only = {.name = name};
    struct out o = {.census = c, .name = &only, .now = now};
    TRY(census_check_name(&only, err));
    TRY(census_transact(c, DB_WRITE, "ask a domain again", in_fn, &o, err));
    *ret_was_out = o.changed > 0;
    return OK;
}

static pap_result is_out_fn(struct db *d, void *ctx, struct pap_err *err)
{
    struct out *o = ctx;
    o->id = 0;
    return db_run(d, "SELECT id FROM domain WHERE name = $1 AND opted_out IS NOT NULL", DB_ARGS(db_text(o->name->name)),
                  census_take_int, &o->id, NULL, err);
}

pap_result census_is_out(struct census *c, struct pap_str name, bool *ret, struct pap_err *err)
{
    const struct census_name only = {.name = name};
    struct out o = {.census = c, .name = &only};
    TRY(census_check_name(&only, err));
    TRY(census_transact(c, DB_READ, "look whether a domain is left alone", is_out_fn, &o, err));
    *ret = o.id != 0;
    return OK;
}
