/* SPDX-License-Identifier: Apache-2.0
 *
 * The queue: a domain is due at a time, and while somebody holds it that time is the end of the lease, so that one index
 * serves both and a lease that ran out needs nobody to notice.
 */
#include "store/census_inside.h"
#include "sys/entropy.h"

enum { MOST_CLAIMED = 10000 };

struct claim {
    struct arena *arena;
    struct db_value args[5]; /* lease, owner, until, now, most */
    struct census_list list;
    bool again; /* a claim that was made before its connection was lost is taken up */
};

static pap_result take_due(void *ctx, const struct db_row *row, struct pap_err *err)
{
    struct claim *c = ctx;
    struct census_due *due = census_list_add(&c->list, sizeof *due);
    if (!due)
        return fail_memory(err);
    *due = (struct census_due){
        .id = db_row_int(row, 0),
        .lease = c->args[0].i,
        .name = arena_str(c->arena, db_row_str(row, 1)),
        .registrable = db_row_is_null(row, 2) ? S("") : arena_str(c->arena, db_row_str(row, 2)),
        .outcome = (enum census_outcome)db_row_int(row, 3),
        .was_good = db_row_int(row, 4) != 0,
        .gone = db_row_int(row, 4) < 0,
        .tries = (uint32_t)db_row_int(row, 5),
    };
    if (!due->registrable.n)
        due->registrable = due->name;
    return due->name.p && due->registrable.p ? OK : fail_memory(err);
}

#define CLAIMED "id, name, registrable, outcome, state, tries"

static pap_result claim_fn(struct db *d, void *ctx, struct pap_err *err)
{
    struct claim *c = ctx;
    c->list.n = 0;
    if (c->again)
        TRY(db_run(d, "SELECT " CLAIMED " FROM domain WHERE lease_owner = $1 AND lease = $2",
                   DB_ARGS(c->args[1], c->args[0]), take_due, c, NULL, err));
    c->again = true;
    if (c->list.n)
        return OK;
    return db_run(d,
                  "WITH picked AS (SELECT id FROM domain WHERE due_at <= $4 ORDER BY due_at LIMIT $5 {claim})"
                  " UPDATE domain SET lease = $1, lease_owner = $2, lease_until = $3, due_at = $3"
                  " WHERE id IN (SELECT id FROM picked) RETURNING " CLAIMED,
                  c->args, 5, take_due, c, NULL, err);
}

/* 47 bits: no two claims that are open at a time are alike, and SQLite keeps them in six bytes. */
static pap_result new_lease(int64_t *ret, struct pap_err *err)
{
    uint64_t v = 0;
    TRY(entropy_bytes(&v, sizeof v, err));
    *ret = (int64_t)(v >> 17 | 1);
    return OK;
}

pap_result census_claim(struct census *c, struct arena *a, struct pap_str owner, int64_t now, int64_t until,
                        size_t most, struct census_batch *ret, struct pap_err *err)
{
    int64_t lease = 0;
    if (most > MOST_CLAIMED || !owner.n || until <= now)
        return fail(err, PAP_USAGE, "a claim of nobody, of too many domains, or that is over already");
    TRY(new_lease(&lease, err));
    struct claim claim = {
        .arena = a,
        .args = {db_int(lease), db_text(owner), db_int(until), db_int(now), db_int((int64_t)most)},
        .list = {.arena = a},
    };
    TRY(census_transact(c, DB_WRITE, "claim domains", claim_fn, &claim, err));
    *ret = (struct census_batch){claim.list.items, claim.list.n};
    return OK;
}

struct change {
    const char *sql;
    struct db_value args[3];
    size_t n;
    int64_t changed;
};

static pap_result change_fn(struct db *d, void *ctx, struct pap_err *err)
{
    struct change *c = ctx;
    return db_run(d, c->sql, c->args, c->n, NULL, NULL, &c->changed, err);
}

pap_result census_renew(struct census *c, struct pap_str owner, int64_t until, uint64_t *ret_held, struct pap_err *err)
{
    struct change change = {
        .sql = "UPDATE domain SET lease_until = $2, due_at = $2 WHERE lease_owner = $1",
        .args = {db_text(owner), db_int(until)},
        .n = 2,
    };
    TRY(census_transact(c, DB_WRITE, "renew leases", change_fn, &change, err));
    *ret_held = (uint64_t)change.changed;
    return OK;
}

pap_result census_release(struct census *c, struct pap_str owner, int64_t now, uint64_t *ret_released,
                          struct pap_err *err)
{
    struct change change = {
        .sql =
            "UPDATE domain SET lease = NULL, lease_until = NULL, lease_owner = NULL, due_at = $2 WHERE lease_owner = $1",
        .args = {db_text(owner), db_int(now)},
        .n = 2,
    };
    TRY(census_transact(c, DB_WRITE, "release domains", change_fn, &change, err));
    *ret_released = (uint64_t)change.changed;
    return OK;
}

static pap_result take_lease(void *ctx, const struct db_row *row, struct pap_err *err)
{
    struct census_list *l = ctx;
    struct census_lease *lease = census_list_add(l, sizeof *lease);
    if (!lease)
        return fail_memory(err);
    *lease = (struct census_lease){arena_str(l->arena, db_row_str(row, 0)), (uint64_t)db_row_int(row, 1),
                                   db_row_int(row, 2)};
    return lease->owner.p ? OK : fail_memory(err);
}

static pap_result leases_fn(struct db *d, void *ctx, struct pap_err *err)
{
    struct census_list *l = ctx;
    l->n = 0;
    return db_run(d,
                  "SELECT lease_owner, count(*), max(lease_until) FROM domain WHERE lease_owner IS NOT NULL"
                  " GROUP BY lease_owner ORDER BY lease_owner",
                  NULL, 0, take_lease, l, NULL, err);
}

pap_result census_lease_list(struct census *c, struct arena *a, struct census_leases *ret, struct pap_err *err)
{
    struct census_list l = {.arena = a};
    TRY(census_transact(c, DB_READ, "list leases", leases_fn, &l, err));
    *ret = (struct census_leases){l.items, l.n};
    return OK;
}
