/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of sites. The query holds only the conditions that were asked for, so that a plain page is read along the index of
 * its order (those of the list alone) and a deep one costs little more.
 */
#include "store/census_inside.h"

enum { MOST_SITES = 1000, CONDITIONS = 8 };

struct query {
    struct census *census;
    struct census_list list;
    struct db_value args[CONDITIONS + 2];
    size_t n;
    struct buf where, sql;
    const struct census_query *query;
    int64_t total;
};

/* Columns by enum census_sort. To add one: a row, and an index of it and the name in a new migration. */
static const char *const columns[CENSUS_SORTS] = {
    [CENSUS_BY_NAME] = NULL, /* which is always the last */
    [CENSUS_BY_FIRST_SEEN] = "s.first_seen",
    [CENSUS_BY_CHANGED] = "s.changed_at",
    [CENSUS_BY_VERSION] = "s.version",
    [CENSUS_BY_SKILLS] = "s.skills",
    [CENSUS_BY_ERRORS] = "s.errors",
};

/* "%text%" with what LIKE reads in another way made plain. */
static struct pap_str like(struct arena *a, struct pap_str s)
{
    struct buf b;
    char room[600];
    buf_on(&b, room, sizeof room);
    buf_char(&b, '%');
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '%' || s.p[i] == '_' || s.p[i] == '!')
            buf_char(&b, '!');
        buf_char(&b, s.p[i]);
    }
    buf_char(&b, '%');
    return arena_str(a, buf_ok(&b) ? buf_str(&b) : S("!!")); /* longer than any name: nothing fits */
}

static void add_condition(struct query *q, const char *before, struct db_value v, const char *after)
{
    q->args[q->n++] = v;
    buf_fmt(&q->where, " AND %s$%zu%s", before, q->n, after);
}

/* A word in a list of words, or a part of the name. */
static pap_result add_like(struct query *q, const char *column, struct pap_str text, bool word, struct pap_err *err)
{
    struct arena *a = q->list.arena;
    if (!text.n)
        return OK;
    struct pap_str what = word ? census_word_pattern(a, text) : census_text(a, text);
    struct pap_str pattern = what.p ? like(a, what) : what;
    if (!pattern.p)
        return fail_memory(err);
    add_condition(q, column, db_text(pattern), " ESCAPE '!'");
    return OK;
}

static const char *scope_of(const struct census_query *q)
{
    if (!q->unlisted)
        return q->gone ? "(s.slot IS NOT NULL OR (s.gone_at IS NOT NULL AND s.listed_at IS NOT NULL))"
                       : "s.slot IS NOT NULL";
    return q->gone ? "1 = 1" : "s.gone_at IS NULL";
}

static pap_result write_where(struct query *q, struct pap_err *err)
{
    static const char *const signs[] = {[CENSUS_WITH] = " > 0", [CENSUS_WITHOUT] = " = 0"};
    const struct census_query *f = q->query;
    buf_fmt(&q->where, " FROM site s WHERE %s", scope_of(f));
    TRY(add_like(q, "s.name LIKE ", f->search, false, err));
    TRY(add_like(q, "s.channels LIKE ", f->channel, true, err));
    TRY(add_like(q, "s.sign_in LIKE ", f->sign_in, true, err));
    if (f->version.n) {
        struct pap_str version = census_text(q->list.arena, f->version);
        if (!version.p)
            return fail_memory(err);
        add_condition(q, "s.version = ", db_text(version), "");
    }
    if (f->skills != CENSUS_ANY)
        buf_fmt(&q->where, " AND s.skills%s", signs[f->skills]);
    if (f->errors != CENSUS_ANY)
        buf_fmt(&q->where, " AND s.errors%s", signs[f->errors]);
    return buf_result(&q->where, err);
}

static pap_result take_site(void *ctx, const struct db_row *row, struct pap_err *err)
{
    struct query *q = ctx;
    struct census_site *s = census_list_add(&q->list, sizeof *s);
    return s ? census_site_take(q->list.arena, row, 0, s, err) : fail_memory(err);
}

static void add_order(const struct query *q, struct buf *b)
{
    const char *column = columns[q->query->sort], *down = q->query->descending ? " DESC" : "";
    if (column)
        buf_fmt(b, "%s%s, ", column, down);
    buf_fmt(b, "s.name%s", down);
}

static pap_result sites_fn(struct db *d, void *ctx, struct pap_err *err)
{
    struct query *q = ctx;
    q->list.n = 0;
    buf_reset(&q->sql);
    /* The ids from the index alone; then these rows, in the same order. */
    buf_fmt(&q->sql, "SELECT " CENSUS_SITE " FROM site s WHERE s.domain_id IN (SELECT s.domain_id%.*s ORDER BY ",
            PSTR(buf_str(&q->where)));
    add_order(q, &q->sql);
    buf_fmt(&q->sql, " LIMIT $%zu OFFSET $%zu) ORDER BY ", q->n + 1, q->n + 2);
    add_order(q, &q->sql);
    buf_char(&q->sql, '\0');
    TRY(buf_result(&q->sql, err));
    TRY(db_run_text(d, q->sql.p, q->args, q->n + 2, take_site, q, err));
    int64_t most = q->args[q->n].i, skip = q->args[q->n + 1].i;
    q->total = skip + (int64_t)q->list.n;
    if ((int64_t)q->list.n < most && (q->list.n || !skip))
        return OK; /* that was the last page */
    buf_reset(&q->sql);
    buf_fmt(&q->sql, "SELECT count(*)%.*s%c", PSTR(buf_str(&q->where)), '\0');
    TRY(buf_result(&q->sql, err));
    return db_run_text(d, q->sql.p, q->args, q->n, census_take_int, &q->total, err);
}

static pap_result read_sites(struct census *c, struct query *q, struct pap_err *err)
{
    uint64_t most = q->query->most ? q->query->most : CENSUS_PAGE;
    if ((unsigned)q->query->sort >= CENSUS_SORTS || most > MOST_SITES)
        return fail(err, PAP_USAGE, "no such order of sites, or too many at once");
    TRY(write_where(q, err));
    q->args[q->n] = db_int((int64_t)most);
    q->args[q->n + 1] = db_int(q->query->skip > INT32_MAX ? INT32_MAX : (int64_t)q->query->skip);
    return census_transact(c, DB_READ, "list sites", sites_fn, q, err);
}

pap_result census_sites(struct census *c, struct arena *a, const struct census_query *q, struct census_sites *ret,
                        struct pap_err *err)
{
    struct query query = {.census = c, .list = {.arena = a}, .query = q};
    buf_init(&query.where, c->alloc, 4096);
    buf_init(&query.sql, c->alloc, 8192);
    pap_result r = read_sites(c, &query, err);
    buf_fini(&query.where);
    buf_fini(&query.sql);
    TRY(r);
    *ret = (struct census_sites){query.list.items, query.list.n, (uint64_t)query.total};
    return OK;
}

struct one {
    struct arena *arena;
    struct pap_str name;
    bool found;
    struct census_site site;
};

static pap_result take_one(void *ctx, const struct db_row *row, struct pap_err *err)
{
    struct one *o = ctx;
    o->found = true;
    return census_site_take(o->arena, row, 0, &o->site, err);
}

static pap_result site_fn(struct db *d, void *ctx, struct pap_err *err)
{
    struct one *o = ctx;
    o->found = false;
    return db_run(d, "SELECT " CENSUS_SITE " FROM site s WHERE s.name = $1", DB_ARGS(db_text(o->name)), take_one, o,
                  NULL, err);
}

pap_result census_site(struct census *c, struct arena *a, struct pap_str name, bool *ret_found, struct census_site *ret,
                       struct pap_err *err)
{
    struct one o = {.arena = a, .name = census_text(a, name)};
    if (!o.name.p)
        return fail_memory(err);
    TRY(census_transact(c, DB_READ, "read a site", site_fn, &o, err));
    *ret_found = o.found;
    if (o.found)
        *ret = o.site;
    return OK;
}
