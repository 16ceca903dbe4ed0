/* SPDX-License-Identifier: Apache-2.0
 *
 * The report as a folder of files: index.html and a page a site, without script or foreign resource, and the list as JSON and
 * CSV.
 */
#include "census/site_page.h"
#include "sys/beneath.h"
#include "sys/file.h"
#include "sys/stage.h"

struct paging {
    struct pap_census *census;
    struct buf page, site;
    struct arena arena, walk, one; /* of the report, of a page of the list, of a site */
    int root;
    struct pap_str stamp;
    struct census_query query;
    struct pap_err *err;
};

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
            page_words(b, one->what);
            buf_add(b, S("</h2>\n<table>\n"));
        }
        if (n >= SHOWN)
            continue;
        buf_add(b, S("<tr><th scope=\"row\">"));
        page_words(b, one->word.n ? one->word : S("none stated"));
        buf_fmt(b, "</th><td>%llu</td></tr>\n", (unsigned long long)one->n);
    }
    buf_add(b, c->n ? S("</table></section>\n") : S(""));
}

static pap_result row(void *ctx, struct arena *a, const struct census_site *s, struct pap_err *err)
{
    struct paging *p = ctx;
    struct buf *b = &p->page;
    const struct census_summary *y = &s->summary;
    bool paged = page_is_name(s->name);
    buf_add(b, S("<tr><th scope=\"row\">"));
    if (paged)
        buf_fmt(b, "<a href=\"site/%.*s.html\">", PSTR(s->name));
    page_words(b, s->name);
    buf_add(b, paged ? S("</a></th>") : S("</th>"));
    page_cell(b, out_day(a, s->first_seen));
    page_cell(b, y->version);
    page_cell(b, out_words(a, &y->channels));
    page_cell(b, out_words(a, &y->sign_in));
    buf_fmt(b, "<td>%u</td><td>%u</td><td>%u</td>", y->skills, y->errors, y->warnings);
    page_cell(b, s->gone_at ? S("gone") : out_day(a, s->changed_at));
    buf_add(b, S("</tr>\n"));
    TRY(buf_result(b, err));
    return paged ? page_of_site(p->census, p->root, p->stamp, &p->one, &p->site, s, err) : OK;
}

static pap_result make_page(struct paging *p)
{
    struct census_counts c;
    struct buf *b = &p->page;
    TRY(census_tally(p->census->store, &p->arena, !p->query.unlisted, &c, p->err));
    buf_add(b, S("<!doctype html>\n<html lang=\"en\">\n"));
    page_head(b, S("Who publishes poppy.json"));
    buf_add(b, S("<p>As of "));
    page_words(b, p->stamp);
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
    p->stamp = out_time(&p->arena, p->census->clock.unix_seconds(&p->census->clock));
    TRY(beneath_open(folder, &p->root, p->err));
    TRY(make_page(p));
    TRY(write_file(p, folder, "index.html"));
    return page_tidy(p->root, p->stamp, &p->arena, p->err);
}

pap_result pap_census_pages(struct pap_census *census, bool unlisted, const char *folder, struct pap_err *err)
{
    struct paging p = {.census = census, .query = {.unlisted = unlisted, .gone = true}, .root = -1, .err = err};
    buf_init(&p.page, census->o.alloc, LIMIT_REPORT);
    arena_init(&p.arena, census->o.alloc);
    buf_init(&p.site, census->o.alloc, LIMIT_REPORT);
    arena_init(&p.walk, census->o.alloc);
    arena_init(&p.one, census->o.alloc);
    pap_result r = make_all(&p, folder);
    beneath_close(&p.root);
    buf_fini(&p.page);
    buf_fini(&p.site);
    arena_fini(&p.one);
    arena_fini(&p.walk);
    arena_fini(&p.arena);
    return r;
}
