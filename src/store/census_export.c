/* SPDX-License-Identifier: Apache-2.0 */
#include "store/census_inside.h"

enum { MOST_EXPORTED = 10000 };

struct exporting {
    struct census_list list;
    int64_t after_id, most;
};

static pap_result take_domain(void *ctx, const struct db_row *row, struct pap_err *err)
{
    struct census_list *l = ctx;
    struct census_domain *d = census_list_add(l, sizeof *d);
    if (!d)
        return fail_memory(err);
    *d = (struct census_domain){
        .id = db_row_int(row, 0),
        .name = arena_str(l->arena, db_row_str(row, 1)),
        .registrable = arena_str(l->arena, db_row_str(row, db_row_is_null(row, 2) ? 1 : 2)),
        .source = arena_str(l->arena, db_row_str(row, 3)),
        .rank = db_row_int(row, 4),
        .added_at = db_row_int(row, 5),
        .asked_at = db_row_int(row, 6),
        .due_at = db_row_int(row, 7),
        .outcome = (enum census_outcome)db_row_int(row, 8),
        .opted_out = !db_row_is_null(row, 9),
        .is_site = !db_row_is_null(row, 10),
    };
    if (!d->name.p || !d->registrable.p || !d->source.p)
        return fail_memory(err);
    return d->is_site ? census_site_take(l->arena, row, 10, &d->site, err) : OK;
}

static pap_result export_fn(struct db *d, void *ctx, struct pap_err *err)
{
    struct exporting *e = ctx;
    e->list.n = 0;
    return db_run(d,
                  "SELECT d.id, d.name, d.registrable, d.source, d.rank, d.added_at, d.asked_at, d.due_at, d.outcome,"
                  " d.opted_out, " CENSUS_SITE " FROM domain d LEFT JOIN site s ON s.domain_id = d.id WHERE d.id > $1"
                  " ORDER BY d.id LIMIT $2",
                  DB_ARGS(db_int(e->after_id), db_int(e->most)), take_domain, &e->list, NULL, err);
}

pap_result census_export(struct census *c, struct arena *a, int64_t after_id, size_t most, struct census_domains *ret,
                         struct pap_err *err)
{
    struct exporting e = {{.arena = a}, after_id, most < MOST_EXPORTED ? (int64_t)most : MOST_EXPORTED};
    TRY(census_transact(c, DB_READ, "export domains", export_fn, &e, err));
    *ret = (struct census_domains){e.list.items, e.list.n};
    return OK;
}
