/* SPDX-License-Identifier: Apache-2.0 */
#include "store/census_inside.h"

enum { FINDING_VALUES = 4 };

pap_result census_findings_put(struct census *c, const struct census_seen *seen, size_t n, struct pap_err *err)
{
    size_t rows = 0, all = 0;
    for (size_t i = 0; i < n; i++)
        all += seen[i].result->n_findings;
    struct db_value *args = arena_array(&c->scratch, all, FINDING_VALUES * sizeof *args);
    if (!args)
        return fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < seen[i].result->n_findings; k++) {
            const struct census_finding *f = &seen[i].result->findings[k];
            const struct db_value v[FINDING_VALUES] = {db_int(seen[i].observation),
                                                       db_text(census_text(&c->scratch, f->rule)), db_int(f->severity),
                                                       db_int(f->n)};
            if (!v[1].s.p)
                return fail_memory(err);
            memcpy(&args[rows++ * FINDING_VALUES], v, sizeof v);
        }
    }
    return db_many(c->db,
                   "INSERT INTO finding (observation_id, rule, severity, n) VALUES ($1, $2, $3, $4)"
                   " ON CONFLICT (observation_id, rule, severity) DO UPDATE SET n = finding.n + excluded.n",
                   args, FINDING_VALUES, rows, NULL, NULL, NULL, err);
}

struct reading {
    struct census_list list;
    int64_t observation;
};

static pap_result take_finding(void *ctx, const struct db_row *row, struct pap_err *err)
{
    struct census_list *l = ctx;
    struct census_finding *f = census_list_add(l, sizeof *f);
    if (!f)
        return fail_memory(err);
    *f = (struct census_finding){
        .rule = arena_str(l->arena, db_row_str(row, 0)),
        .severity = (int)db_row_int(row, 1),
        .n = (uint32_t)db_row_int(row, 2),
    };
    return f->rule.p ? OK : fail_memory(err);
}

static pap_result findings_fn(struct db *d, void *ctx, struct pap_err *err)
{
    struct reading *r = ctx;
    r->list.n = 0;
    return db_run(d, "SELECT rule, severity, n FROM finding WHERE observation_id = $1 ORDER BY severity DESC, rule",
                  DB_ARGS(db_int(r->observation)), take_finding, &r->list, NULL, err);
}

pap_result census_findings(struct census *c, struct arena *a, int64_t observation, struct census_findings *ret,
                           struct pap_err *err)
{
    struct reading r = {{.arena = a}, observation};
    TRY(census_transact(c, DB_READ, "read findings", findings_fn, &r, err));
    *ret = (struct census_findings){r.list.items, r.list.n};
    return OK;
}

struct judged {
    struct census *census;
    int64_t observation;
    const struct census_result *result;
};

static pap_result judged_fn(struct db *d, void *ctx, struct pap_err *err)
{
    const struct judged *j = ctx;
    const struct census_result *r = j->result;
    int64_t changed = 0;
    struct arena *a = &j->census->scratch;
    struct db_value v[3 + CENSUS_SUMMARY_COLUMNS] = {db_int(j->observation), db_text(census_text(a, r->rules)),
                                                     db_null(DB_BYTES)};
    if (r->record)
        v[2] = db_bytes(r->record->digest.b, sizeof r->record->digest.b);
    if (!v[1].s.p)
        return fail_memory(err);
    TRY(census_summary_values(a, &r->summary, &v[3], err));
    TRY(db_run(d,
               "UPDATE observation SET rules = $2, record = $3, version = $4, channels = $5, sign_in = $6, skills = $7,"
               " skills_where = $8, errors = $9, warnings = $10, infos = $11 WHERE id = $1",
               v, 3 + CENSUS_SUMMARY_COLUMNS, NULL, NULL, &changed, err));
    if (!changed)
        return OK; /* pruned in the meantime */
    v[1] = v[2] = v[0];
    TRY(db_run(d,
               "UPDATE site SET version = $4, channels = $5, sign_in = $6, skills = $7, skills_where = $8, errors = $9,"
               " warnings = $10, infos = $11 WHERE good = $1 AND good = $2 AND good = $3",
               v, 3 + CENSUS_SUMMARY_COLUMNS, NULL, NULL, NULL, err));
    TRY(db_run(d, "DELETE FROM finding WHERE observation_id = $1", DB_ARGS(db_int(j->observation)), NULL, NULL, NULL,
               err));
    const struct census_seen seen = {j->observation, r};
    TRY(census_findings_put(j->census, &seen, 1, err));
    TRY(db_run(d, "DELETE FROM observation_body WHERE observation_id = $1", DB_ARGS(v[0]), NULL, NULL, NULL, err));
    return census_observation_bodies(j->census, &seen, 1, err);
}

pap_result census_judged(struct census *c, int64_t observation, const struct census_result *r, struct pap_err *err)
{
    struct judged j = {c, observation, r};
    return census_transact(c, DB_WRITE, "keep what was judged again", judged_fn, &j, err);
}
