/* SPDX-License-Identifier: Apache-2.0 */
#include "census/site_page.h"

#include "report/format.h"
#include "sys/beneath.h"
#include "sys/tree.h"

enum { NAME_MOST = 240, OBSERVATIONS = 100, PAGES_MOST = 1000000 };

bool page_is_name(struct pap_str name)
{
    char before = '.';
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
        if (!plain && !(c == '.' && before != '.'))
            return false;
        before = c;
    }
    return name.n && name.n <= NAME_MOST && before != '.';
}

void page_words(struct buf *b, struct pap_str s)
{
    add_escaped(b, s, escape_markup);
}

void page_cell(struct buf *b, struct pap_str s)
{
    buf_add(b, S("<td>"));
    page_words(b, s);
    buf_add(b, S("</td>"));
}

void page_head(struct buf *b, struct pap_str title)
{
    buf_add(b,
            S("<head>\n<meta charset=\"utf-8\">\n"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
              "base-uri 'none'; form-action 'none'\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
              "<meta name=\"color-scheme\" content=\"light dark\">\n<title>"));
    page_words(b, title);
    buf_add(b, S("</title>\n<style>"
                 "body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}"
                 "table{border-collapse:collapse}th,td{text-align:left;padding:.2rem .8rem .2rem 0;"
                 "border-bottom:1px solid #8884}main{overflow-x:auto}.counts{display:flex;flex-wrap:wrap;gap:2rem}"
                 "</style>\n</head>\n<body>\n<main>\n<h1>"));
    page_words(b, title);
    buf_add(b, S("</h1>\n"));
}

static void fact(struct buf *b, struct pap_str name, struct pap_str value)
{
    buf_add(b, S("<tr><th scope=\"row\">"));
    page_words(b, name);
    buf_add(b, S("</th>"));
    page_cell(b, value.n ? value : S("none"));
    buf_add(b, S("</tr>\n"));
}

static void facts(struct buf *b, struct arena *a, const struct census_site *s)
{
    const struct census_summary *y = &s->summary;
    buf_add(b, S("<table>\n"));
    fact(b, S("First seen"), out_day(a, s->first_seen));
    fact(b, S("Last seen"), out_day(a, s->last_seen));
    if (s->gone_at)
        fact(b, S("Gone"), out_day(a, s->gone_at));
    fact(b, S("Last change"), out_day(a, s->changed_at));
    fact(b, S("Version"), y->version);
    fact(b, S("Channels"), out_words(a, &y->channels));
    fact(b, S("Sign-in"), out_words(a, &y->sign_in));
    fact(b, S("Skills"), arena_fmt(a, "%u", y->skills));
    buf_add(b, S("</table>\n"));
}

static void findings(struct buf *b, const struct census_findings *f)
{
    buf_add(b, f->n ? S("<h2>What is wrong</h2>\n<table>\n<thead><tr><th scope=\"col\">Severity</th><th "
                        "scope=\"col\">Check</th><th scope=\"col\">Times</th></tr></thead>\n<tbody>\n")
                    : S("<p>No check found anything.</p>\n"));
    for (size_t i = 0; i < f->n; i++) {
        buf_add(b, S("<tr>"));
        page_cell(b, str_c(severity_word((enum pap_severity)f->finding[i].severity)));
        page_cell(b, f->finding[i].rule);
        buf_fmt(b, "<td>%u</td></tr>\n", f->finding[i].n);
    }
    buf_add(b, f->n ? S("</tbody>\n</table>\n") : S(""));
}

static void history(struct buf *b, struct arena *a, const struct census_history *h)
{
    buf_add(b, S("<h2>History</h2>\n<table>\n<thead><tr><th scope=\"col\">From</th><th scope=\"col\">To</th><th "
                 "scope=\"col\">Answer</th><th scope=\"col\">Version</th><th scope=\"col\">Errors</th><th "
                 "scope=\"col\">Warnings</th><th scope=\"col\">Skills</th><th scope=\"col\">Judged by</th></tr></thead>"
                 "\n<tbody>\n"));
    for (size_t i = 0; i < h->n; i++) {
        const struct census_observation *o = &h->observation[i];
        buf_add(b, S("<tr>"));
        page_cell(b, out_day(a, o->first_at));
        page_cell(b, out_day(a, o->last_at));
        page_cell(b, census_outcome_word(o->outcome));
        page_cell(b, o->summary.version);
        buf_fmt(b, "<td>%u</td><td>%u</td><td>%u</td>", o->summary.errors, o->summary.warnings, o->summary.skills);
        page_cell(b, o->rules);
        buf_add(b, S("</tr>\n"));
    }
    buf_add(b, S("</tbody>\n</table>\n"));
}

pap_result page_of_site(struct pap_census *c, int root, struct pap_str stamp, struct arena *a, struct buf *b,
                        const struct census_site *s, struct pap_err *err)
{
    struct census_findings f = {0};
    struct census_history h;
    arena_reset(a);
    buf_reset(b);
    if (s->observation)
        TRY(census_findings(c->store, a, s->observation, &f, err));
    TRY(census_history(c->store, a, s->id, 0, OBSERVATIONS, &h, err));
    buf_add(b, S(PAGE_OF_SITE));
    buf_add(b, stamp);
    buf_add(b, S(" -->\n"));
    page_head(b, s->name);
    facts(b, a, s);
    findings(b, &f);
    history(b, a, &h);
    buf_add(b, S("<p><a href=\"../index.html\">All sites</a></p>\n</main>\n</body>\n</html>\n"));
    TRY(buf_result(b, err));
    struct pap_str path = arena_fmt(a, "site/%.*s.html", PSTR(s->name)), made = S("site/.new");
    if (!path.p)
        return fail_memory(err);
    TRY(beneath_remove(root, made.p, err)); /* of a run that was killed */
    TRY(beneath_write(root, made.p, buf_str(b), false, err));
    return beneath_move(root, made.p, path.p, err);
}

pap_result page_tidy(int root, struct pap_str stamp, struct arena *a, struct pap_err *err)
{
    struct tree tree;
    struct arena one __attribute__((cleanup(arena_fini)));
    arena_init(&one, a->alloc);
    TRY(beneath_list(a, root, "site", PAGES_MOST, 0, &tree, err));
    for (size_t i = 0; i < tree.n; i++) {
        struct pap_str bytes, begins = S(PAGE_OF_SITE), name = tree.entries[i].path;
        if (!str_ends(name, S(".html")) || !page_is_name(str_take(name, name.n - 5)))
            continue;
        arena_reset(&one);
        struct pap_str path = arena_fmt(&one, "site/%.*s", PSTR(name));
        if (!path.p)
            return fail_memory(err);
        TRY(beneath_read(&one, root, path.p, LIMIT_REPORT, &bytes, err));
        if (str_starts(bytes, begins) && !str_starts(str_skip(bytes, begins.n), stamp))
            TRY(beneath_remove(root, path.p, err));
    }
    return OK;
}
