/* SPDX-License-Identifier: Apache-2.0
 *
 * Results are kept: in one transaction, only those of domains whose lease is still the worker's. A lease that was finished
 * leaves its number behind, so that a result that comes again (its commit was not heard of) is known and not kept twice.
 */
#include "store/census_inside.h"

enum { MOST_FINISHED = 10000, LEASE_VALUES = 6, QUIET_VALUES = 3 };

/* What became of a result. */
enum took { TOOK_NOT, TOOK_NOW, TOOK_BEFORE };

struct finish {
    struct census *census;
    const struct census_result *results;
    size_t n;
    unsigned char *took; /* enum took, a place a result */
    signed char *state;  /* of the domain before */
    struct census_finished finished;
};

struct which {
    struct finish *finish;
    const size_t *index; /* of the result, by row of arguments; NULL: the same */
};

static pap_result take_state(void *ctx, const struct db_row *row, struct pap_err *err)
{
    (void)err;
    struct finish *f = ctx;
    f->took[row->of] = TOOK_NOW;
    f->state[row->of] = (signed char)db_row_int(row, 0);
    return OK;
}

static pap_result give_back(struct db *d, struct finish *f, struct pap_err *err)
{
    struct db_value *args = arena_array(&f->census->scratch, f->n, LEASE_VALUES * sizeof *args);
    if (!args)
        return fail_memory(err);
    for (size_t i = 0; i < f->n; i++) {
        const struct census_result *r = &f->results[i];
        const struct db_value v[LEASE_VALUES] = {db_int(r->id),      db_int(r->lease),
                                                 db_int(r->at),      db_int_or_null(r->due_at),
                                                 db_int(r->outcome), db_int(r->tries)};
        memcpy(&args[i * LEASE_VALUES], v, sizeof v);
    }
    return db_many(d,
                   "UPDATE domain SET lease_until = NULL, lease_owner = NULL, asked_at = $3, due_at = $4, outcome = $5,"
                   " tries = $6 WHERE id = $1 AND lease = $2 AND lease_until IS NOT NULL RETURNING state",
                   args, LEASE_VALUES, f->n, take_state, f, NULL, err);
}

static pap_result take_before(void *ctx, const struct db_row *row, struct pap_err *err)
{
    (void)err;
    const struct which *w = ctx;
    w->finish->took[w->index[row->of]] = TOOK_BEFORE;
    return OK;
}

/* Which of those that are not held any more were finished by this very claim. */
static pap_result find_finished(struct db *d, struct finish *f, struct pap_err *err)
{
    struct db_value *args = arena_array(&f->census->scratch, f->n, 2 * sizeof *args);
    size_t *index = arena_new_array(&f->census->scratch, f->n, size_t), n = 0;
    if (!args || !index)
        return fail_memory(err);
    for (size_t i = 0; i < f->n; i++) {
        if (f->took[i] != TOOK_NOT)
            continue;
        args[2 * n] = db_int(f->results[i].id);
        args[2 * n + 1] = db_int(f->results[i].lease);
        index[n++] = i;
    }
    struct which w = {f, index};
    return db_many(d, "SELECT id FROM domain WHERE id = $1 AND lease = $2 AND lease_until IS NULL", args, 2, n,
                   take_before, &w, NULL, err);
}

static bool is_quiet(const struct finish *f, size_t i)
{
    return f->state[i] == 0 && f->results[i].standing != CENSUS_GOOD;
}

static pap_result keep_quiet(struct db *d, struct finish *f, struct pap_err *err)
{
    struct db_value *args = arena_array(&f->census->scratch, f->n, QUIET_VALUES * sizeof *args);
    size_t n = 0;
    if (!args)
        return fail_memory(err);
    for (size_t i = 0; i < f->n; i++) {
        const struct census_result *r = &f->results[i];
        if (f->took[i] != TOOK_NOW || !is_quiet(f, i))
            continue;
        const struct db_value v[QUIET_VALUES] = {db_int(r->id), db_int(r->outcome), db_int(r->at)};
        memcpy(&args[n++ * QUIET_VALUES], v, sizeof v);
    }
    return db_many(d,
                   "INSERT INTO quiet (domain_id, outcome, first_at, last_at) VALUES ($1, $2, $3, $3)"
                   " ON CONFLICT (domain_id, outcome) DO UPDATE SET last_at = excluded.last_at",
                   args, QUIET_VALUES, n, NULL, NULL, NULL, err);
}

static pap_result finish_fn(struct db *d, void *ctx, struct pap_err *err)
{
    struct finish *f = ctx;
    f->finished = (struct census_finished){0};
    memset(f->took, TOOK_NOT, f->n);
    TRY(give_back(d, f, err));
    TRY(find_finished(d, f, err));
    TRY(keep_quiet(d, f, err));
    struct census_kept *kept = arena_new_array(&f->census->scratch, f->n, struct census_kept);
    size_t n = 0;
    if (!kept)
        return fail_memory(err);
    for (size_t i = 0; i < f->n; i++) {
        if (f->took[i] == TOOK_NOW && !is_quiet(f, i))
            kept[n++] = (struct census_kept){&f->results[i], f->state[i]};
        f->finished.taken += f->took[i] != TOOK_NOT;
        f->finished.lost += f->took[i] == TOOK_NOT;
    }
    return census_keep(f->census, kept, n, &f->finished.changed, err);
}

pap_result census_finish(struct census *c, const struct census_result *results, size_t n, struct census_finished *ret,
                         struct pap_err *err)
{
    if (n > MOST_FINISHED)
        return fail(err, PAP_LIMIT, "more than %d results at once", MOST_FINISHED);
    struct arena own __attribute__((cleanup(arena_fini)));
    arena_init(&own, c->alloc);
    struct finish f = {.census = c, .results = results, .n = n};
    f.took = arena_new_array(&own, n, unsigned char);
    f.state = arena_new_array(&own, n, signed char);
    if (!f.took || !f.state)
        return fail_memory(err);
    TRY(census_transact(c, DB_WRITE, "keep results", finish_fn, &f, err));
    *ret = f.finished;
    return OK;
}
