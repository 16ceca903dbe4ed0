/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports that visitors of the web page asked for: the last one of each name.
 */
#include "base/limits.h"
#include "store/census_inside.h"

enum { REPORT_VALUES = 5 };

struct putting {
    struct census *census;
    const struct census_report *report;
};

static pap_result link_report(struct db *d, const struct census_report *r, const struct census_body *body,
                              struct pap_err *err)
{
    return db_run(d, "INSERT INTO report_body (name, digest) VALUES ($1, $2) ON CONFLICT (name, digest) DO NOTHING",
                  DB_ARGS(db_text(r->name), db_bytes(body->digest.b, sizeof body->digest.b)), NULL, NULL, NULL, err);
}

static pap_result put_row(struct census *c, const struct census_report *r, struct pap_err *err)
{
    struct db_value v[REPORT_VALUES + CENSUS_SUMMARY_COLUMNS] = {
        db_text(r->name), db_int(r->at), db_int(r->outcome), db_text(census_text(&c->scratch, r->rules)),
        db_bytes(r->record->digest.b, sizeof r->record->digest.b)};
    if (!v[3].s.p)
        return fail_memory(err);
    TRY(census_summary_values(&c->scratch, &r->summary, &v[REPORT_VALUES], err));
    return db_run(
        c->db,
        "INSERT INTO report (name, made_at, outcome, rules, record, " CENSUS_SUMMARY ") VALUES"
        " ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (name) DO UPDATE SET"
        " made_at = excluded.made_at, outcome = excluded.outcome, rules = excluded.rules, record = excluded.record,"
        " version = excluded.version, channels = excluded.channels, sign_in = excluded.sign_in,"
        " skills = excluded.skills, skills_where = excluded.skills_where, errors = excluded.errors,"
        " warnings = excluded.warnings, infos = excluded.infos",
        v, REPORT_VALUES + CENSUS_SUMMARY_COLUMNS, NULL, NULL, NULL, err);
}

#define OLDEST "(SELECT name FROM report ORDER BY made_at DESC, name LIMIT $2 OFFSET $1)"

/* Those beyond the number that is kept, the oldest; a few at a time, for each time only one comes. */
static pap_result drop_oldest(struct db *d, struct pap_err *err)
{
    TRY(db_run(d, "DELETE FROM report_body WHERE name IN " OLDEST, DB_ARGS(db_int(LIMIT_WEB_REPORTS), db_int(100)),
               NULL, NULL, NULL, err));
    return db_run(d, "DELETE FROM report WHERE name IN " OLDEST, DB_ARGS(db_int(LIMIT_WEB_REPORTS), db_int(100)), NULL,
                  NULL, NULL, err);
}

static pap_result put_fn(struct db *d, void *ctx, struct pap_err *err)
{
    const struct putting *p = ctx;
    const struct census_report *r = p->report;
    TRY(put_row(p->census, r, err));
    TRY(db_run(d, "DELETE FROM report_body WHERE name = $1", DB_ARGS(db_text(r->name)), NULL, NULL, NULL, err));
    const struct census_body **bodies =
        arena_new_array(&p->census->scratch, r->n_bodies + 1, const struct census_body *);
    if (!bodies)
        return fail_memory(err);
    for (size_t i = 0; i < r->n_bodies; i++)
        bodies[i] = &r->bodies[i];
    bodies[r->n_bodies] = r->record;
    TRY(census_bodies_put(p->census, bodies, r->n_bodies + 1, err));
    TRY(link_report(d, r, r->record, err));
    for (size_t i = 0; i < r->n_bodies; i++)
        TRY(link_report(d, r, &r->bodies[i], err));
    return drop_oldest(d, err);
}

pap_result census_report_put(struct census *c, const struct census_report *r, struct pap_err *err)
{
    struct putting p = {c, r};
    const struct census_name only = {.name = r->name};
    TRY(census_check_name(&only, err));
    if (!r->record)
        return fail(err, PAP_USAGE, "a report without a record");
    return census_transact(c, DB_WRITE, "keep a report", put_fn, &p, err);
}

struct getting {
    struct arena *arena;
    struct pap_str name;
    bool found;
    struct census_report report;
    struct census_digest digest;
};

static pap_result take_report(void *ctx, const struct db_row *row, struct pap_err *err)
{
    struct getting *g = ctx;
    struct pap_str digest = db_row_str(row, 3);
    g->found = digest.n == sizeof g->digest.b;
    if (!g->found)
        return OK;
    memcpy(g->digest.b, digest.p, digest.n);
    g->report = (struct census_report){
        .name = arena_str(g->arena, g->name),
        .at = db_row_int(row, 0),
        .outcome = (enum census_outcome)db_row_int(row, 1),
        .rules = arena_str(g->arena, db_row_str(row, 2)),
    };
    if (!g->report.name.p || !g->report.rules.p)
        return fail_memory(err);
    return census_summary_take(g->arena, row, 4, &g->report.summary, err);
}

static pap_result get_fn(struct db *d, void *ctx, struct pap_err *err)
{
    struct getting *g = ctx;
    g->found = false;
    return db_run(d, "SELECT made_at, outcome, rules, record, " CENSUS_SUMMARY " FROM report WHERE name = $1",
                  DB_ARGS(db_text(g->name)), take_report, g, NULL, err);
}

pap_result census_report_get(struct census *c, struct arena *a, struct pap_str name, bool *ret_found,
                             struct census_report *ret, struct pap_err *err)
{
    struct getting g = {.arena = a, .name = census_text(a, name)};
    if (!g.name.p)
        return fail_memory(err);
    TRY(census_transact(c, DB_READ, "read a report", get_fn, &g, err));
    if (g.found) {
        struct census_body *record = arena_new(a, struct census_body);
        if (!record)
            return fail_memory(err);
        record->digest = g.digest;
        TRY(census_body(c, a, &g.digest, &record->bytes, err));
        g.found = record->bytes.p != NULL; /* pruned between the two */
        g.report.record = record;
    }
    *ret_found = g.found;
    if (g.found)
        *ret = g.report;
    return OK;
}
