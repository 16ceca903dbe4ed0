/* SPDX-License-Identifier: Apache-2.0
 *
 * The report as a folder of files: index.html, one page without script or foreign resource, and the list as JSON and CSV.
 */
#include "census/site.h"
#include "report/format.h"
#include "sys/file.h"
#include "sys/stage.h"

struct paging {
    struct pap_census *census;
    struct buf page;
    struct arena arena, walk;
    struct census_query query;
    struct pap_err *err;
};

static void words(struct buf *b, struct pap_str s)
{
    add_escaped(b, s, escape_markup);
}

static void counts(struct buf *b, const struct census_counts *c)
{
    enum { SHOWN = 12 };
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        const struct census_count *one = &c->count[i];
        bool begins = !i || !str_eq(one->what, one[-1].what);
        n = begins ? 0 : n + 1;
        if (begins) {
            buf_add(b, i ? S("</table></section>\n<section><h2>") : S("<section><h2>"));
            words(b, one->what);
            buf_add(b, S("</h2>\n<table>\n"));
        }
        if (n >= SHOWN)
            continue;
        buf_add(b, S("<tr><th scope=\"row\">"));
        words(b, one->word.n ? one->word : S("none stated"));
        buf_fmt(b, "</th><td>%llu</td></tr>\n", (unsigned long long)one->n);
    }
    buf_add(b, c->n ? S("</table></section>\n") : S(""));
}

static void cell(struct buf *b, struct pap_str s)
{
    buf_add(b, S("<td>"));
    words(b, s);
    buf_add(b, S("</td>"));
}

static pap_result row(void *ctx, struct arena *a, const struct census_site *s, struct pap_err *err)
{
    struct paging *p = ctx;
    struct buf *b = &p->page;
    const struct census_summary *y = &s->summary;
    buf_add(b, S("<tr><th scope=\"row\">"));
    words(b, s->name);
    buf_add(b, S("</th>"));
    cell(b, out_day(a, s->first_seen));
    cell(b, y->version);
    cell(b, out_words(a, &y->channels));
    cell(b, out_words(a, &y->sign_in));
    buf_fmt(b, "<td>%u</td><td>%u</td><td>%u</td>", y->skills, y->errors, y->warnings);
    cell(b, s->gone_at ? S("gone") : out_day(a, s->changed_at));
    buf_add(b, S("</tr>\n"));
    return buf_result(b, err);
}

static pap_result make_page(struct paging *p)
{
    struct census_counts c;
    struct buf *b = &p->page;
    struct pap_str day = out_time(&p->arena, p->census->clock.unix_seconds(&p->census->clock));
    TRY(census_tally(p->census->store, &p->arena, !p->query.unlisted, &c, p->err));
    buf_add(b,
            S("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
              "base-uri 'none'; form-action 'none'\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
              "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Who publishes poppy.json</title>\n<style>"
              "body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}"
              "table{border-collapse:collapse}th,td{text-align:left;padding:.2rem .8rem .2rem 0;"
              "border-bottom:1px solid #8884}main{overflow-x:auto}.counts{display:flex;flex-wrap:wrap;gap:2rem}"
              "</style>\n</head>\n<body>\n<main>\n<h1>Who publishes poppy.json</h1>\n<p>As of "));
    words(b, day);
    buf_add(b, S(". The list as <a href=\"sites.json\">JSON</a> and <a href=\"sites.csv\">CSV</a>.</p>\n"
                 "<div class=\"counts\">\n"));
    counts(b, &c);
    buf_add(b, S("</div>\n<h2>Sites</h2>\n<table>\n<thead><tr><th scope=\"col\">Domain</th><th scope=\"col\">First "
                 "seen</th><th scope=\"col\">Version</th><th scope=\"col\">Channels</th><th scope=\"col\">Sign-in</th>"
                 "<th scope=\"col\">Skills</th><th scope=\"col\">Errors</th><th scope=\"col\">Warnings</th>"
                 "<th scope=\"col\">Last change</th></tr></thead>\n<tbody>\n"));
    TRY(site_walk(p->census, &p->walk, p->query, row, p, p->err));
    buf_add(b, S("</tbody>\n</table>\n</main>\n</body>\n</html>\n"));
    return buf_result(b, p->err);
}

static bool collect(void *ctx, const char *bytes, size_t n)
{
    struct buf *b = ctx;
    buf_add(b, str(bytes, n));
    return buf_ok(b);
}

static pap_result write_file(struct paging *p, const char *folder, const char *name)
{
    struct pap_str path = arena_fmt(&p->arena, "%s/%s", folder, name);
    if (!path.p)
        return fail_memory(p->err);
    pap_result r = file_write_atomic(path.p, buf_str(&p->page), p->err);
    buf_reset(&p->page);
    return r;
}

static pap_result make_all(struct paging *p, const char *folder)
{
    struct pap_census_out out = {.form = PAP_CENSUS_JSON, .write = collect, .ctx = &p->page};
    TRY(folder_make(folder, p->err));
    TRY(pap_census_report(p->census, p->query.unlisted, &out, p->err));
    TRY(write_file(p, folder, "sites.json"));
    out.form = PAP_CENSUS_CSV;
    TRY(pap_census_report(p->census, p->query.unlisted, &out, p->err));
    TRY(write_file(p, folder, "sites.csv"));
    TRY(make_page(p));
    return write_file(p, folder, "index.html");
}

pap_result pap_census_pages(struct pap_census *census, bool unlisted, const char *folder, struct pap_err *err)
{
    struct paging p = {.census = census, .query = {.unlisted = unlisted, .gone = true}, .err = err};
    buf_init(&p.page, census->o.alloc, LIMIT_REPORT);
    arena_init(&p.arena, census->o.alloc);
    arena_init(&p.walk, census->o.alloc);
    pap_result r = make_all(&p, folder);
    buf_fini(&p.page);
    arena_fini(&p.walk);
    arena_fini(&p.arena);
    return r;
}
