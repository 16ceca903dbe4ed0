/* SPDX-License-Identifier: Apache-2.0 */
#include "store/census_inside.h"

struct asking {
    struct pap_str owner;
    int64_t now;
    struct census_status status;
};

static pap_result take_outcomes(void *ctx, const struct db_row *row, struct pap_err *err)
{
    (void)err;
    struct census_status *s = ctx;
    for (unsigned i = 0; i < CENSUS_OUTCOMES; i++)
        s->outcomes[i] = (uint64_t)db_row_int(row, i);
    s->due = (uint64_t)db_row_int(row, CENSUS_OUTCOMES);
    s->opted_out = (uint64_t)db_row_int(row, CENSUS_OUTCOMES + 1);
    s->domains = (uint64_t)db_row_int(row, CENSUS_OUTCOMES + 2);
    return OK;
}

static pap_result take_sites(void *ctx, const struct db_row *row, struct pap_err *err)
{
    (void)err;
    struct census_status *s = ctx;
    s->publishing = (uint64_t)db_row_int(row, 0);
    s->listed = (uint64_t)db_row_int(row, 1);
    s->gone = (uint64_t)db_row_int(row, 2);
    return OK;
}

static pap_result take_leases(void *ctx, const struct db_row *row, struct pap_err *err)
{
    (void)err;
    struct census_status *s = ctx;
    s->leased = (uint64_t)db_row_int(row, 0);
    s->leased_by_owner = (uint64_t)db_row_int(row, 1);
    return OK;
}

static pap_result pending_fn(struct db *d, void *ctx, struct pap_err *err)
{
    struct asking *a = ctx;
    int64_t due = 0;
    a->status = (struct census_status){0};
    TRY(db_run(d, "SELECT count(*) FROM (SELECT id FROM domain WHERE due_at <= $1 LIMIT 1) AS one",
               DB_ARGS(db_int(a->now)), census_take_int, &due, NULL, err));
    a->status.due = (uint64_t)due;
    TRY(db_run(d,
               "SELECT count(*), CAST(sum(CASE WHEN lease_owner = $2 THEN 1 ELSE 0 END) AS bigint) FROM domain"
               " WHERE lease_owner IS NOT NULL AND lease_until > $1",
               DB_ARGS(db_int(a->now), db_text(a->owner)), take_leases, &a->status, NULL, err));
    return db_run(d, "SELECT due_at FROM domain WHERE due_at > $1 AND lease_owner IS NULL ORDER BY due_at LIMIT 1",
                  DB_ARGS(db_int(a->now)), census_take_int, &a->status.next_due, NULL, err);
}

static pap_result status_fn(struct db *d, void *ctx, struct pap_err *err)
{
    struct asking *a = ctx;
    TRY(pending_fn(d, ctx, err));
    a->status.due = 0;
    /* Without GROUP BY, which would sort a million rows in memory. */
#define OUTCOME(n) "count(CASE WHEN outcome = " #n " THEN 1 END), "
    TRY(db_run(d,
               "SELECT " OUTCOME(0) OUTCOME(1) OUTCOME(2) OUTCOME(3) OUTCOME(4) OUTCOME(5) OUTCOME(6) OUTCOME(7)
                   OUTCOME(8) OUTCOME(9) OUTCOME(10) OUTCOME(11)
                       OUTCOME(12) "count(CASE WHEN due_at <= $1 THEN 1 END), count(opted_out), count(*) FROM domain",
               DB_ARGS(db_int(a->now)), take_outcomes, &a->status, NULL, err));
#undef OUTCOME
    _Static_assert(CENSUS_OUTCOMES == 13, "a column for each");
    a->status.never_asked = a->status.outcomes[CENSUS_NEVER];
    return db_run(d, "SELECT count(*) - count(gone_at), count(slot), count(gone_at) FROM site", NULL, 0, take_sites,
                  &a->status, NULL, err);
}

static pap_result ask(struct census *c, struct pap_str owner, int64_t now, db_fn *fn, struct census_status *ret,
                      struct pap_err *err)
{
    struct asking a = {owner, now, {0}};
    TRY(census_transact(c, DB_READ, "count the domains", fn, &a, err));
    *ret = a.status;
    return OK;
}

pap_result census_status(struct census *c, struct pap_str owner, int64_t now, struct census_status *ret,
                         struct pap_err *err)
{
    return ask(c, owner, now, status_fn, ret, err);
}

pap_result census_pending(struct census *c, struct pap_str owner, int64_t now, struct census_status *ret,
                          struct pap_err *err)
{
    return ask(c, owner, now, pending_fn, ret, err);
}
