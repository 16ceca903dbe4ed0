/* SPDX-License-Identifier: Apache-2.0
 *
 * What was seen of a site, then and now.
 */
#include "store/census_inside.h"

enum { MOST_OBSERVATIONS = 1000, MOST_COMPARED = 10000 };

#define FROM " FROM observation o JOIN domain d ON d.id = o.domain_id"

struct reading {
    struct census_list list;
    const char *sql;
    struct db_value args[3];
    size_t n;
};

static pap_result take_observation(void *ctx, const struct db_row *row, struct pap_err *err)
{
    struct census_list *l = ctx;
    struct census_observation *o = census_list_add(l, sizeof *o);
    return o ? census_observation_take(l->arena, row, 0, o, err) : fail_memory(err);
}

static pap_result read_fn(struct db *d, void *ctx, struct pap_err *err)
{
    struct reading *r = ctx;
    r->list.n = 0;
    return db_run(d, r->sql, r->args, r->n, take_observation, &r->list, NULL, err);
}

static pap_result read_all(struct census *c, struct reading *r, struct census_history *ret, struct pap_err *err)
{
    TRY(census_transact(c, DB_READ, "read observations", read_fn, r, err));
    *ret = (struct census_history){r->list.items, r->list.n};
    return OK;
}

static pap_result read_one(struct census *c, struct reading *r, bool *ret_found, struct census_observation *ret,
                           struct pap_err *err)
{
    struct census_history h;
    TRY(read_all(c, r, &h, err));
    *ret_found = h.n > 0;
    if (h.n)
        *ret = h.observation[0];
    return OK;
}

static int64_t at_most(size_t n)
{
    return n < MOST_OBSERVATIONS ? (int64_t)n : MOST_OBSERVATIONS;
}

pap_result census_history(struct census *c, struct arena *a, int64_t domain, int64_t before, size_t most,
                          struct census_history *ret, struct pap_err *err)
{
    struct reading r = {
        {.arena = a},
        "SELECT " CENSUS_OBSERVATION FROM " WHERE o.domain_id = $1 AND o.first_at < $2"
        " ORDER BY o.first_at DESC, o.id DESC LIMIT $3",
        {db_int(domain), db_int(before ? before : INT64_MAX), db_int(at_most(most))},
        3,
    };
    return read_all(c, &r, ret, err);
}

pap_result census_observed_at(struct census *c, struct arena *a, int64_t domain, int64_t at, bool *ret_found,
                              struct census_observation *ret, struct pap_err *err)
{
    struct reading r = {
        {.arena = a},
        "SELECT " CENSUS_OBSERVATION FROM " WHERE o.domain_id = $1 AND o.first_at <= $2"
        " ORDER BY o.first_at DESC, o.id DESC LIMIT 1",
        {db_int(domain), db_int(at)},
        2,
    };
    return read_one(c, &r, ret_found, ret, err);
}

pap_result census_observation(struct census *c, struct arena *a, int64_t id, bool *ret_found,
                              struct census_observation *ret, struct pap_err *err)
{
    struct reading r = {{.arena = a}, "SELECT " CENSUS_OBSERVATION FROM " WHERE o.id = $1", {db_int(id)}, 1};
    return read_one(c, &r, ret_found, ret, err);
}

pap_result census_unjudged(struct census *c, struct arena *a, struct pap_str rules, int64_t after, size_t most,
                           struct census_history *ret, struct pap_err *err)
{
    struct pap_str version = census_text(a, rules);
    if (!version.p)
        return fail_memory(err);
    struct reading r = {
        {.arena = a},
        "SELECT " CENSUS_OBSERVATION FROM " WHERE o.id > $1 AND o.rules <> $2 AND o.record IS NOT NULL"
        " ORDER BY o.id LIMIT $3",
        {db_int(after), db_text(version), db_int(at_most(most))},
        3,
    };
    return read_all(c, &r, ret, err);
}

struct comparing {
    struct census_list list;
    int64_t before, after, after_id, most, last_id;
    size_t looked_at;
};

#define HELD(time)                                                                                                   \
    "(SELECT x.id FROM observation x WHERE x.domain_id = s.domain_id AND x.first_at <= " time " AND x.standing <> 0" \
    " ORDER BY x.first_at DESC, x.id DESC LIMIT 1)"

static bool is_alike(const struct census_observation *a, const struct census_observation *b)
{
    return a->id == b->id || (a->id && b->id && memcmp(a->fingerprint, b->fingerprint, sizeof a->fingerprint) == 0);
}

static pap_result take_held(struct arena *a, const struct db_row *row, unsigned first, struct census_observation *ret,
                            struct pap_err *err)
{
    bool good = !db_row_is_null(row, first) && db_row_int(row, first + 5) > 0;
    *ret = (struct census_observation){0};
    return good ? census_observation_take(a, row, first, ret, err) : OK;
}

static pap_result take_difference(void *ctx, const struct db_row *row, struct pap_err *err)
{
    struct comparing *c = ctx;
    struct census_difference both;
    c->looked_at++;
    c->last_id = db_row_int(row, 0);
    TRY(take_held(c->list.arena, row, 2, &both.before, err));
    TRY(take_held(c->list.arena, row, 2 + CENSUS_OBSERVATION_COLUMNS, &both.after, err));
    if (is_alike(&both.before, &both.after))
        return OK;
    struct census_difference *kept = census_list_add(&c->list, sizeof *kept);
    both.name = arena_str(c->list.arena, db_row_str(row, 1));
    if (!kept || !both.name.p)
        return fail_memory(err);
    *kept = both;
    return OK;
}

#define AS(o)                                                                                                    \
#o ".id, " #o ".domain_id, " #o ".first_at, " #o ".last_at, " #o ".outcome, " #o ".standing, " #o            \
       ".fingerprint, " #o ".rules, " #o ".record, s.name, " #o ".version, " #o ".channels, " #o ".sign_in, " #o \
       ".skills, " #o ".skills_where, " #o ".errors, " #o ".warnings, " #o ".infos"

static pap_result diff_fn(struct db *d, void *ctx, struct pap_err *err)
{
    struct comparing *c = ctx;
    c->list.n = c->looked_at = 0;
    return db_run(d,
                  "SELECT s.domain_id, s.name, " AS(a) ", " AS(
                      b) " FROM site s"
                         " LEFT JOIN observation a ON a.id = " HELD("$1") " LEFT JOIN observation b ON b.id = " HELD(
                             "$2") " WHERE s.domain_id > $3 ORDER BY s.domain_id LIMIT $4",
                  DB_ARGS(db_int(c->before), db_int(c->after), db_int(c->after_id), db_int(c->most)), take_difference,
                  c, NULL, err);
}

pap_result census_diff(struct census *c, struct arena *a, int64_t before, int64_t after, int64_t after_id, size_t most,
                       struct census_differences *ret, struct pap_err *err)
{
    struct comparing cmp = {
        .list = {.arena = a},
        .before = before,
        .after = after,
        .after_id = after_id,
        .most = most < MOST_COMPARED ? (int64_t)most : MOST_COMPARED,
    };
    TRY(census_transact(c, DB_READ, "compare two days", diff_fn, &cmp, err));
    bool more = cmp.looked_at == (size_t)cmp.most && cmp.most;
    *ret = (struct census_differences){cmp.list.items, cmp.list.n, more ? cmp.last_id : 0};
    return OK;
}
