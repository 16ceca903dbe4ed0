/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts over the sites that publish, now and of each day.
 */
#include "store/census_inside.h"

struct tally {
    struct census_list list;
    bool listed_only;
    int64_t day, from, to;
    struct pap_str what;
    const char *now; /* what is being counted */
    bool words;      /* the first column is a list of words */
};

enum { WORDS_MOST = 200 /* told apart of one "what"; strangers make up words. The others count as OTHER */ };
#define OTHER "(other)"

/* What is counted. To add one: a row. `sql` gives word and number; $1 is 1 for the list only. */
#define SCOPE " WHERE s.gone_at IS NULL AND ($1 = 0 OR s.slot IS NOT NULL)"
#define MOST " ORDER BY 2 DESC, 1"
static const struct {
    const char *what;
    bool words;
    const char *sql;
} counted[] = {
    {"channel", true, "SELECT s.channels, count(*) FROM site s" SCOPE " GROUP BY s.channels" MOST},
    {"rule", false,
     "SELECT f.rule, count(DISTINCT s.domain_id) AS n FROM site s JOIN finding f ON f.observation_id = s.good" SCOPE
     " GROUP BY f.rule" MOST},
    {"sign-in", true, "SELECT s.sign_in, count(*) FROM site s" SCOPE " GROUP BY s.sign_in" MOST},
    {"sites", false, "SELECT 'publishing', count(*) FROM site s" SCOPE},
    {"sites", false, "SELECT 'listed', count(*) FROM site s" SCOPE " AND s.slot IS NOT NULL"},
    {"sites", false, "SELECT 'skills', count(*) FROM site s" SCOPE " AND s.skills > 0"},
    {"sites", false, "SELECT 'clean', count(*) FROM site s" SCOPE " AND s.errors = 0"},
    {"version", false, "SELECT s.version, count(*) FROM site s" SCOPE " GROUP BY s.version" MOST},
};

static pap_result add(struct tally *t, struct pap_str word, uint64_t n, struct pap_err *err)
{
    struct census_count *all = t->list.items;
    size_t i = t->list.n, told = 0;
    for (; i-- > 0 && str_is(all[i].what, t->now); told++)
        if (str_eq(all[i].word, word)) {
            all[i].n += n;
            return OK;
        }
    if (told >= WORDS_MOST && !str_is(word, OTHER))
        return add(t, S(OTHER), n, err);
    struct census_count *c = census_list_add(&t->list, sizeof *c);
    if (!c)
        return fail_memory(err);
    *c = (struct census_count){0, str_c(t->now), arena_str(t->list.arena, word), n};
    return c->word.p ? OK : fail_memory(err);
}

static pap_result take_count(void *ctx, const struct db_row *row, struct pap_err *err)
{
    struct tally *t = ctx;
    struct pap_str text = db_row_str(row, 0), word;
    uint64_t n = (uint64_t)db_row_int(row, 1);
    if (!t->words)
        return add(t, text, n, err);
    for (struct pap_str rest = str_trim(text); rest.n && str_next(&rest, ' ', &word);)
        TRY(add(t, word, n, err));
    return OK;
}

/* By what, then most first, then by word. */
static int in_order(const void *x, const void *y)
{
    const struct census_count *a = x, *b = y;
    int what = str_cmp(a->what, b->what);
    return what ? what : a->n != b->n ? (a->n < b->n) - (a->n > b->n) : str_cmp(a->word, b->word);
}

static pap_result count_all(struct db *d, struct tally *t, struct pap_err *err)
{
    t->list.n = 0;
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++) {
        t->now = counted[i].what;
        t->words = counted[i].words;
        TRY(db_run(d, counted[i].sql, DB_ARGS(db_int(t->listed_only)), take_count, t, NULL, err));
    }
    if (t->list.n)
        qsort(t->list.items, t->list.n, sizeof(struct census_count), in_order);
    return OK;
}

static pap_result tally_fn(struct db *d, void *ctx, struct pap_err *err)
{
    return count_all(d, ctx, err);
}

pap_result census_tally(struct census *c, struct arena *a, bool listed_only, struct census_counts *ret,
                        struct pap_err *err)
{
    struct tally t = {.list = {.arena = a}, .listed_only = listed_only};
    TRY(census_transact(c, DB_READ, "count the sites", tally_fn, &t, err));
    *ret = (struct census_counts){t.list.items, t.list.n};
    return OK;
}

static pap_result snapshot_fn(struct db *d, void *ctx, struct pap_err *err)
{
    struct tally *t = ctx;
    TRY(count_all(d, t, err));
    struct db_value *args = arena_array(t->list.arena, t->list.n, 4 * sizeof *args);
    const struct census_count *all = t->list.items;
    if (!args)
        return fail_memory(err);
    for (size_t i = 0; i < t->list.n; i++) {
        const struct db_value v[4] = {db_text(all[i].what), db_int(t->day), db_text(all[i].word),
                                      db_int((int64_t)all[i].n)};
        memcpy(&args[i * 4], v, sizeof v);
    }
    TRY(db_run(d, "DELETE FROM daily WHERE day = $1", DB_ARGS(db_int(t->day)), NULL, NULL, NULL, err));
    return db_many(d,
                   "INSERT INTO daily (what, day, word, n) VALUES ($1, $2, $3, $4)"
                   " ON CONFLICT (what, day, word) DO UPDATE SET n = excluded.n",
                   args, 4, t->list.n, NULL, NULL, NULL, err);
}

pap_result census_snapshot(struct census *c, int64_t now, struct pap_err *err)
{
    struct arena a __attribute__((cleanup(arena_fini)));
    arena_init(&a, c->alloc);
    struct tally t = {.list = {.arena = &a}, .listed_only = true, .day = now / CENSUS_DAY};
    return census_transact(c, DB_WRITE, "keep the counts of the day", snapshot_fn, &t, err);
}

static pap_result take_day(void *ctx, const struct db_row *row, struct pap_err *err)
{
    struct tally *t = ctx;
    struct census_count *c = census_list_add(&t->list, sizeof *c);
    if (!c)
        return fail_memory(err);
    *c = (struct census_count){db_row_int(row, 0), t->what, arena_str(t->list.arena, db_row_str(row, 1)),
                               (uint64_t)db_row_int(row, 2)};
    return c->word.p ? OK : fail_memory(err);
}

static pap_result charts_fn(struct db *d, void *ctx, struct pap_err *err)
{
    struct tally *t = ctx;
    t->list.n = 0;
    return db_run(
        d, "SELECT day, word, n FROM daily WHERE what = $1 AND day >= $2 AND day <= $3 ORDER BY day, n DESC, word",
        DB_ARGS(db_text(t->what), db_int(t->from), db_int(t->to)), take_day, t, NULL, err);
}

pap_result census_charts(struct census *c, struct arena *a, struct pap_str what, int64_t from, int64_t to,
                         struct census_counts *ret, struct pap_err *err)
{
    struct tally t = {.list = {.arena = a}, .what = census_text(a, what), .from = from, .to = to};
    if (!t.what.p)
        return fail_memory(err);
    TRY(census_transact(c, DB_READ, "read the counts", charts_fn, &t, err));
    *ret = (struct census_counts){t.list.items, t.list.n};
    return OK;
}
