/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of domains, as long as they come: read in pieces, added a thousand at a time.
 */
#include "census/inside.h"
#include "text/utf8.h"

enum { BATCH = 1000, CELLS_MOST = 256, PIECE = 64 * 1024 };

struct adding {
    struct pap_census *census;
    const struct pap_census_list *list;
    struct pap_census_added added;
    struct arena arena; /* of a batch */
    struct census_name names[BATCH];
    size_t n;
    bool begun;
    size_t column; /* from 0; CELLS_MOST: not known yet */
    bool ranked;
    struct pap_err *err;
};

/* ---- cells ---- */

/* Splits a line at commas, semicolons and tabs outside of quotes. Cells that were quoted lie in the arena. */
static pap_result cells_of(struct adding *g, struct pap_str line, struct pap_str *cells, size_t *ret_n)
{
    size_t n = 0;
    while (n < CELLS_MOST) {
        size_t i = 0;
        if (line.n && line.p[0] == '"') {
            char *to = arena_text(&g->arena, line.n);
            size_t len = 0;
            if (!to)
                return fail_memory(g->err);
            for (i = 1; i < line.n && (line.p[i] != '"' || (i + 1 < line.n && line.p[i + 1] == '"')); i++) {
                i += line.p[i] == '"';
                to[len++] = line.p[i];
            }
            cells[n] = str(to, len);
        }
        size_t end = i;
        while (end < line.n && !memchr(",;\t", line.p[end], 3))
            end++;
        cells[n] = i ? cells[n] : str_take(line, end);
        cells[n] = str_trim(cells[n]);
        n++;
        if (end == line.n)
            break;
        line = str_skip(line, end + 1);
    }
    *ret_n = n;
    return OK;
}

/* What the column with the domains is called in lists that are to be had. */
static bool is_heading(struct pap_str cell)
{
    static const char *const words[] = {"domain", "domains", "host", "hostname",
                                        "site",   "website", "url",  "root domain"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eq_nocase(cell, str_c(words[i])))
            return true;
    return false;
}

/* Finds the column by the first line; *ret_heading: that line is one of headings. */
static pap_result find_column(struct adding *g, const struct pap_str *cells, size_t n, bool *ret_heading)
{
    struct pap_str asked = str_c(g->list->column);
    uint64_t number;
    *ret_heading = false;
    g->begun = true;
    if (asked.n && str_to_u64(asked, &number)) {
        if (!number || number > CELLS_MOST)
            return fail(g->err, PAP_USAGE, "columns are counted from 1 to %d", CELLS_MOST);
        g->column = (size_t)number - 1;
        *ret_heading = g->column < n && is_heading(cells[g->column]);
        return OK;
    }
    for (size_t i = 0; i < n; i++)
        if (asked.n ? str_eq_nocase(cells[i], asked) : is_heading(cells[i])) {
            g->column = i;
            *ret_heading = true;
            return OK;
        }
    if (asked.n)
        return fail(g->err, PAP_USAGE, "the first line has no column \"%s\"", g->list->column);
    g->ranked = n > 1 && str_to_u64(cells[0], &number);
    g->column = g->ranked ? 1 : 0;
    return OK;
}

/* ---- batches ---- */

static pap_result opt(struct adding *g, const struct census_name *name)
{
    bool was_out;
    int64_t now = g->census->clock.unix_seconds(&g->census->clock);
    if (g->list->opt_out) {
        TRY(census_opt_out(g->census->store, name, now, g->err));
        g->added.opted_out++;
        return OK;
    }
    TRY(census_opt_in(g->census->store, name->name, now, &was_out, g->err));
    g->added.added += was_out;
    g->added.known += !was_out;
    return OK;
}

static pap_result send(struct adding *g)
{
    struct census_added a = {0};
    for (size_t i = 0; (g->list->opt_out || g->list->opt_in) && i < g->n; i++)
        TRY(opt(g, &g->names[i]));
    if (g->n && !g->list->opt_out && !g->list->opt_in)
        TRY(census_add(g->census->store, g->names, g->n, g->census->clock.unix_seconds(&g->census->clock), &a, g->err));
    g->added.added += a.added;
    g->added.known += a.known;
    g->added.opted_out += a.opted_out;
    g->n = 0;
    arena_reset(&g->arena);
    return OK;
}

static pap_result junk(struct adding *g, struct pap_str cell, const char *why)
{
    g->added.junk++;
    if (!g->list->junk)
        return OK;
    struct pap_str shown = utf8_visible(&g->arena, cell, LIMIT_QUOTE, "");
    if (!shown.p)
        return fail_memory(g->err);
    g->list->junk(g->list->ctx, g->added.lines, shown.p, why);
    return OK;
}

static pap_result take_line(struct adding *g, struct pap_str line)
{
    struct pap_str cells[CELLS_MOST], cell;
    size_t n = 0;
    uint64_t rank = 0;
    bool heading, is_one;
    const char *why;
    g->added.lines++;
    if (g->added.lines == 1 && str_starts(line, S("\xef\xbb\xbf")))
        line = str_skip(line, 3);
    line = str_trim(line);
    if (!line.n || line.p[0] == '#')
        return OK;
    TRY(cells_of(g, line, cells, &n));
    if (!g->begun) {
        TRY(find_column(g, cells, n, &heading));
        if (heading)
            return OK;
    }
    if (g->column >= n)
        return junk(g, line, "has no such column");
    cell = cells[g->column];
    if (g->ranked && (!str_to_u64(cells[0], &rank) || rank > INT64_MAX))
        rank = 0;
    struct census_name *to = &g->names[g->n];
    *to = (struct census_name){.source = str_c(g->list->source), .rank = (int64_t)rank};
    TRY(census_name_of(&g->arena, cell, to, &is_one, &why, g->err));
    if (!is_one)
        return junk(g, cell, why);
    return ++g->n == BATCH ? send(g) : OK;
}

/* ---- lines ---- */

/* The whole lines of what was read; the rest moves to the front. A line that is too long is junk, however long it is. */
static pap_result take_lines(struct adding *g, char *p, size_t *n, bool *skipping, bool last)
{
    size_t from = 0;
    for (;;) {
        size_t end = from + str_find_char(str(p + from, *n - from), '\n');
        if (end == *n && !(last && from < *n)) {
            break;
        }
        if (!*skipping)
            TRY(take_line(g, str(p + from, end - from)));
        *skipping = false;
        from = end < *n ? end + 1 : end;
    }
    memmove(p, p + from, *n - from);
    *n -= from;
    if (*n == LIMIT_CENSUS_LINE) {
        if (!*skipping) {
            g->added.lines++;
            TRY(junk(g, str_take(str(p, *n), LIMIT_QUOTE), "is longer than a line may be"));
        }
        *skipping = true;
        *n = 0;
    }
    return OK;
}

static pap_result read_all(struct adding *g, char *p)
{
    const struct pap_census_list *l = g->list;
    size_t n = 0;
    bool skipping = false;
    ptrdiff_t got;
    while ((got = l->read(l->ctx, p + n, LIMIT_CENSUS_LINE - n)) > 0) {
        n += (size_t)got;
        TRY(take_lines(g, p, &n, &skipping, false));
        if (l->go_on && !l->go_on(l->ctx, g->added.lines))
            break;
    }
    if (got < 0)
        return fail(g->err, PAP_IO, "the list cannot be read");
    TRY(take_lines(g, p, &n, &skipping, true));
    return send(g);
}

pap_result pap_census_add(struct pap_census *census, const struct pap_census_list *list, struct pap_census_added *ret,
                          struct pap_err *err)
{
    const struct pap_alloc *alloc = census->o.alloc;
    struct adding *g = alloc_resize(alloc, NULL, 0, sizeof *g);
    char *p = alloc_resize(alloc, NULL, 0, LIMIT_CENSUS_LINE);
    pap_result r = g && p ? OK : fail_memory(err);
    if (is_ok(r)) {
        *g = (struct adding){.census = census, .list = list, .err = err};
        arena_init(&g->arena, alloc);
        r = read_all(g, p);
        if (is_ok(r))
            *ret = g->added;
        arena_fini(&g->arena);
    }
    (void)alloc_resize(alloc, g, g ? sizeof *g : 0, 0);
    (void)alloc_resize(alloc, p, p ? LIMIT_CENSUS_LINE : 0, 0);
    return r;
}
