/* SPDX-License-Identifier: Apache-2.0
 *
 * Who publishes: the list as a page that is sorted, filtered and turned over by plain links.
 */
#include "web/sites.h"

#include <stdio.h>

const char *const sites_sorts[CENSUS_SORTS] = {
    [CENSUS_BY_NAME] = "name",       [CENSUS_BY_FIRST_SEEN] = "first_seen", [CENSUS_BY_CHANGED] = "changed",
    [CENSUS_BY_VERSION] = "version", [CENSUS_BY_SKILLS] = "skills",         [CENSUS_BY_ERRORS] = "errors",
};

/* ---- what was asked ---- */

static bool with_or_without(struct pap_str word, unsigned *ret)
{
    *ret = str_is(word, "with") ? CENSUS_WITH : str_is(word, "without") ? CENSUS_WITHOUT : CENSUS_ANY;
    return *ret != CENSUS_ANY || !word.n;
}

bool sites_query(struct asked *k, struct census_query *ret)
{
    enum { WORD_MOST = 100, PAGES_MOST = 100000 };
    struct pap_str sort = asked_query(k, "sort"), order = asked_query(k, "order"), page = asked_query(k, "page");
    unsigned skills, errors, by = 0;
    uint64_t nth = 1;
    while (by < CENSUS_SORTS && sort.n && !str_is(sort, sites_sorts[by]))
        by++;
    bool good = by < CENSUS_SORTS && with_or_without(asked_query(k, "skills"), &skills) &&
                with_or_without(asked_query(k, "errors"), &errors) &&
                (!order.n || str_is(order, "asc") || str_is(order, "desc")) &&
                (!page.n || (str_to_u64(page, &nth) && nth >= 1 && nth <= PAGES_MOST));
    if (!good) {
        asked_fail(k, 400, "That list cannot be made", S("A parameter has a value that it cannot have."));
        return false;
    }
    *ret = (struct census_query){.search = str_take(str_trim(asked_query(k, "q")), WORD_MOST),
                                 .version = str_take(asked_query(k, "version"), WORD_MOST),
                                 .channel = str_take(asked_query(k, "channel"), WORD_MOST),
                                 .sign_in = str_take(asked_query(k, "sign_in"), WORD_MOST),
                                 .skills = skills,
                                 .errors = errors,
                                 .sort = by,
                                 .descending = str_is(order, "desc"),
                                 .skip = (nth - 1) * CENSUS_PAGE,
                                 .most = CENSUS_PAGE};
    return true;
}

bool sites_find(struct asked *k, struct census_query *q, struct census_sites *ret)
{
    struct pap_err err = {.text = ""};
    if (!sites_query(k, q) || !asked_store(k))
        return false;
    if (is_ok(census_sites(k->store, k->arena, q, ret, &err)))
        return true;
    asked_store_failed(k, &err);
    return false;
}

/* ---- words ---- */

void words_list(struct buf *out, const struct census_words *w)
{
    for (size_t i = 0; i < w->n; i++) {
        buf_add(out, i ? S(", ") : S(""));
        buf_add(out, w->word[i]);
    }
}

void add_skills(struct buf *out, const struct census_summary *s)
{
    if (s->skills_where == CENSUS_NO_SKILLS)
        buf_add(out, S("none"));
    else
        buf_fmt(out, "%u %s", s->skills,
                s->skills_where == CENSUS_SKILLS_EMBEDDED ? "in poppy.json" : "in the well-known index");
}

/* ---- links that keep the rest of the query ---- */

static void parameter(struct buf *out, const char *name, struct pap_str value)
{
    if (!value.n)
        return;
    buf_fmt(out, "%s%s=", out->n ? "&amp;" : "", name);
    form_encode(out, value);
}

static struct pap_str query_text(struct asked *k, const struct census_query *q, enum census_sort sort, bool descending,
                                 uint64_t page)
{
    struct buf b;
    char number[24];
    buf_init(&b, k->arena->alloc, 4096);
    parameter(&b, "q", q->search);
    parameter(&b, "version", q->version);
    parameter(&b, "channel", q->channel);
    parameter(&b, "sign_in", q->sign_in);
    parameter(&b, "skills", asked_query(k, "skills"));
    parameter(&b, "errors", asked_query(k, "errors"));
    parameter(&b, "sort", sort == CENSUS_BY_NAME ? S("") : str_c(sites_sorts[sort]));
    parameter(&b, "order", descending ? S("desc") : S(""));
    (void)snprintf(number, sizeof number, "%llu", (unsigned long long)page);
    parameter(&b, "page", page > 1 ? str_c(number) : S(""));
    struct pap_str text = buf_ok(&b) ? arena_str(k->arena, buf_str(&b)) : S("");
    buf_fini(&b);
    return text.p ? text : S("");
}

static void link_here(struct asked *k, const char *file, struct pap_str query, const char *text)
{
    buf_fmt(&k->out, "<a href=\"%s", file);
    html(k, query.n ? "?" : "");
    buf_add(&k->out, query); /* encoded by parameter() */
    buf_fmt(&k->out, "\">%s</a>", text);
}

/* ---- the filters ---- */

static void option(struct asked *k, struct pap_str value, const char *text, bool chosen)
{
    html(k, "<option value=\"");
    words(k, value);
    html(k, chosen ? "\" selected>" : "\">");
    words(k, text ? str_c(text) : value);
    html(k, "</option>\n");
}

/* One of the words, which NULL ends, or none of them; what was asked for otherwise stays chosen. */
static void choice(struct asked *k, const char *name, const char *label, const char *const *values,
                   struct pap_str chosen)
{
    bool listed = !chosen.n;
    buf_fmt(&k->out, "<div><label for=\"%s\">%s</label>\n<select id=\"%s\" name=\"%s\">\n", name, label, name, name);
    option(k, S(""), "any", !chosen.n);
    for (; *values; values++) {
        bool this = str_is(chosen, *values);
        option(k, str_c(*values), NULL, this);
        listed |= this;
    }
    if (!listed)
        option(k, chosen, NULL, true);
    html(k, "</select></div>\n");
}

static void field(struct asked *k, const char *name, const char *label, struct pap_str value)
{
    buf_fmt(&k->out,
            "<div><label for=\"%s\">%s</label>\n<input id=\"%s\" name=\"%s\" maxlength=\"100\" autocomplete=\"off\" "
            "autocapitalize=\"none\" spellcheck=\"false\" value=\"",
            name, label, name, name);
    words(k, value);
    html(k, "\"></div>\n");
}

static void filters(struct asked *k, const struct census_query *q)
{
    static const char *const channels[] = {"agent", "api", "mcp", "web", NULL};
    static const char *const sign_in[] = {"device", "direct", "mediated", NULL};
    static const char *const with[] = {"with", "without", NULL};
    html(k, "<form class=\"filters many\" action=\"/sites\" method=\"get\" role=\"search\" aria-label=\"Sites\">\n");
    field(k, "q", "Name has", q->search);
    field(k, "version", "Version", q->version);
    choice(k, "channel", "Channel", channels, q->channel);
    choice(k, "sign_in", "Sign-in", sign_in, q->sign_in);
    choice(k, "skills", "Skills", with, asked_query(k, "skills"));
    choice(k, "errors", "Errors", with, asked_query(k, "errors"));
    if (q->sort != CENSUS_BY_NAME)
        buf_fmt(&k->out, "<input type=\"hidden\" name=\"sort\" value=\"%s\">\n", sites_sorts[q->sort]);
    if (q->descending)
        html(k, "<input type=\"hidden\" name=\"order\" value=\"desc\">\n");
    html(k, "<button type=\"submit\">Show</button>\n</form>\n");
}

/* ---- the table ---- */

/* To add a column: a row, and its cell below. */
static const struct {
    const char *title;
    int sort; /* enum census_sort; -1: not by this */
    bool number;
} columns[] = {
    {"Site", CENSUS_BY_NAME, false},
    {"First seen", CENSUS_BY_FIRST_SEEN, false},
    {"Version", CENSUS_BY_VERSION, false},
    {"Channels", -1, false},
    {"Sign-in", -1, false},
    {"Skills", CENSUS_BY_SKILLS, false},
    {"Errors", CENSUS_BY_ERRORS, true},
    {"Last change", CENSUS_BY_CHANGED, false},
};

static void heads(struct asked *k, const struct census_query *q)
{
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        bool by = columns[i].sort == (int)q->sort;
        buf_fmt(&k->out, "<th scope=\"col\"%s%s>", columns[i].number ? " class=\"n\"" : "",
                !by             ? ""
                : q->descending ? " aria-sort=\"descending\""
                                : " aria-sort=\"ascending\"");
        if (columns[i].sort < 0)
            html(k, columns[i].title);
        else
            link_here(k, "/sites", query_text(k, q, (enum census_sort)columns[i].sort, by && !q->descending, 1),
                      columns[i].title);
        html(k, by ? q->descending ? " <span aria-hidden=\"true\">&darr;</span></th>\n"
                                   : " <span aria-hidden=\"true\">&uarr;</span></th>\n"
                   : "</th>\n");
    }
}

static void cell_words(struct asked *k, const char *open, struct buf *text)
{
    html(k, open);
    words(k, buf_str(text));
    html(k, "</td>");
    buf_reset(text);
}

static void row(struct asked *k, const struct census_site *s, struct buf *text)
{
    html(k, "<tr><th scope=\"row\"><a href=\"/sites/");
    words(k, s->name);
    html(k, "\">");
    words(k, s->name);
    html(k, "</a></th><td>");
    add_date(&k->out, s->first_seen);
    html(k, "</td>");
    buf_add(text, s->summary.version.n ? s->summary.version : S("none said"));
    cell_words(k, "<td class=\"wrap\">", text);
    words_list(text, &s->summary.channels);
    cell_words(k, "<td class=\"wrap\">", text);
    words_list(text, &s->summary.sign_in);
    cell_words(k, "<td class=\"wrap\">", text);
    add_skills(text, &s->summary);
    cell_words(k, "<td>", text);
    buf_fmt(&k->out, "<td class=\"n\">%u</td><td>", s->summary.errors);
    add_date(&k->out, s->changed_at);
    html(k, "</td></tr>\n");
}

static void turn_over(struct asked *k, const struct census_query *q, uint64_t total)
{
    uint64_t page = q->skip / CENSUS_PAGE + 1, last = (total + CENSUS_PAGE - 1) / CENSUS_PAGE;
    if (last < 2)
        return;
    html(k, "<nav class=\"pages\" aria-label=\"Pages\">\n");
    if (page > 1)
        link_here(k, "/sites", query_text(k, q, q->sort, q->descending, page - 1), "Page before");
    buf_fmt(&k->out, "<span>Page %llu of %llu</span>\n", (unsigned long long)page, (unsigned long long)last);
    if (page < last)
        link_here(k, "/sites", query_text(k, q, q->sort, q->descending, page + 1), "Next page");
    html(k, "</nav>\n");
}

static void table(struct asked *k, const struct census_query *q, const struct census_sites *sites)
{
    struct buf text;
    buf_init(&text, k->arena->alloc, 1 << 16);
    html(k, "<div class=\"scroll\" role=\"region\" aria-label=\"Table of sites\" tabindex=\"0\">\n<table>\n<caption>");
    add_count(&k->out, sites->total, "site");
    html(k, "</caption>\n<thead><tr>\n");
    heads(k, q);
    html(k, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < sites->n; i++)
        row(k, &sites->site[i], &text);
    html(k, "</tbody>\n</table>\n</div>\n");
    if (!buf_ok(&text))
        k->out.code = text.code;
    buf_fini(&text);
}

void page_sites(struct asked *k)
{
    struct census_query q;
    struct census_sites sites;
    if (!sites_find(k, &q, &sites))
        return;
    shell_open(k, &(struct page){.title = S("Sites that publish"),
                                 .at = "/sites",
                                 .hidden = k->q->query.n > 0,
                                 .feed = "/sites.atom",
                                 .wide = true});
    html(k,
         "<h1>Sites that publish</h1>\n<p class=\"lead\">Domains whose discovery was good twice, a day apart at least. "
         "At most five names of what one owner registered.</p>\n");
    filters(k, &q);
    if (sites.n)
        table(k, &q, &sites);
    else
        html(k, "<p class=\"note\">No site fits.</p>\n");
    turn_over(k, &q, sites.total);
    html(k, "<p class=\"note\">The same as ");
    link_here(k, "/sites.csv", query_text(k, &q, q.sort, q.descending, 1), "CSV");
    html(k, ", ");
    link_here(k, "/sites.json", query_text(k, &q, q.sort, q.descending, 1), "JSON");
    html(k, "; new ones as an <a href=\"/sites.atom\">Atom feed</a>. <a href=\"/charts\">Charts</a></p>\n");
    asked_page(k, 200, CACHE_LOOK, str(NULL, 0));
}
