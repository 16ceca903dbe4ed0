/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of sites as CSV, JSON and an Atom feed.
 */
#include "census/site.h"
#include "web/sites.h"

enum { ROWS_MOST = 10000, AT_ONCE = 1000, FEED_MOST = 50 };

/* ---- JSON ---- */

void write_site(struct json_writer *w, struct arena *a, const struct census_site *s)
{
    json_object_begin(w);
    site_members(w, a, s);
    json_object_end(w);
}

void api_sites(struct asked *k)
{
    struct census_query q;
    struct census_sites sites;
    struct json_writer w;
    if (!sites_find(k, &q, &sites))
        return;
    json_writer_init(&w, &k->out, 0);
    json_object_begin(&w);
    json_write_key(&w, "total");
    json_write_int(&w, (int64_t)sites.total);
    json_write_key(&w, "page");
    json_write_int(&w, (int64_t)(q.skip / CENSUS_PAGE + 1));
    json_write_key(&w, "per_page");
    json_write_int(&w, CENSUS_PAGE);
    json_write_key(&w, "sites");
    json_array_begin(&w);
    for (size_t i = 0; i < sites.n; i++)
        write_site(&w, k->arena, &sites.site[i]);
    json_array_end(&w);
    json_object_end(&w);
    asked_send(k, 200, "application/json", CACHE_LOOK, str(NULL, 0));
}

/* ---- CSV (RFC 4180) ---- */

/* Text of anybody in quotes. What a spreadsheet would take for a formula gets an apostrophe in front. */
static void csv_cell(struct asked *k, struct pap_str s)
{
    static const struct escape quoted[] = {{'"', "\"\""}, {0}};
    buf_add(&k->out, s.n && memchr("=+-@\t\r", s.p[0], 6) ? S("\"'") : S("\""));
    add_escaped(&k->out, s, quoted);
    buf_char(&k->out, '"');
}

static void csv_date(struct asked *k, int64_t at)
{
    buf_char(&k->out, ',');
    if (at)
        add_date(&k->out, at);
}

static void csv_row(struct asked *k, const struct census_site *s, struct buf *text)
{
    const struct census_summary *y = &s->summary;
    csv_cell(k, s->name);
    buf_char(&k->out, ',');
    csv_cell(k, s->registrable);
    csv_date(k, s->first_seen);
    csv_date(k, s->last_seen);
    csv_date(k, s->changed_at);
    buf_char(&k->out, ',');
    csv_cell(k, y->version);
    buf_char(&k->out, ',');
    words_list(text, &y->channels);
    csv_cell(k, buf_str(text));
    buf_reset(text);
    buf_char(&k->out, ',');
    words_list(text, &y->sign_in);
    csv_cell(k, buf_str(text));
    buf_reset(text);
    buf_fmt(&k->out, ",%u,%.*s,%u,%u,%u\r\n", y->skills, PSTR(site_skills_word(y->skills_where)), y->errors,
            y->warnings, y->infos);
}

void file_sites_csv(struct asked *k)
{
    struct census_query q;
    struct census_sites sites = {0};
    struct pap_err err = {.text = ""};
    struct buf text;
    if (!sites_query(k, &q) || !asked_store(k))
        return;
    html(
        k,
        "domain,registrable,first_seen,last_seen,changed_at,version,channels,sign_in,skills,skills_where,errors,warnings,"
        "infos\r\n");
    buf_init(&text, k->arena->alloc, 1 << 16);
    q.most = AT_ONCE;
    pap_result r = OK;
    for (q.skip = 0; q.skip < ROWS_MOST && is_ok(r); q.skip += AT_ONCE) {
        r = census_sites(k->store, k->arena, &q, &sites, &err);
        for (size_t i = 0; is_ok(r) && i < sites.n; i++)
            csv_row(k, &sites.site[i], &text);
        if (is_ok(r) && sites.n < AT_ONCE)
            break;
    }
    buf_fini(&text);
    if (!is_ok(r)) {
        asked_store_failed(k, &err);
        return;
    }
    asked_field(k, "Content-Disposition", S("attachment; filename=\"sites.csv\""));
    asked_send(k, 200, "text/csv; charset=utf-8; header=present", CACHE_LOOK, str(NULL, 0));
}

/* ---- Atom (RFC 4287) ---- */

static void feed_entry(struct asked *k, const struct census_site *s)
{
    html(k, "<entry>\n<title>");
    words(k, s->name);
    html(k, "</title>\n<id>");
    words(k, str_c(k->web->o.origin));
    html(k, "/sites/");
    words(k, s->name);
    html(k, "</id>\n<link href=\"");
    words(k, str_c(k->web->o.origin));
    html(k, "/sites/");
    words(k, s->name);
    html(k, "\"/>\n<updated>");
    add_instant(&k->out, s->changed_at);
    html(k, "</updated>\n<published>");
    add_instant(&k->out, s->first_seen);
    html(k, "</published>\n<summary>Version ");
    words(k, s->summary.version.n ? s->summary.version : S("none said"));
    html(k, ", ");
    add_count(&k->out, s->summary.errors, "error");
    html(k, "</summary>\n</entry>\n");
}

void file_sites_atom(struct asked *k)
{
    const struct census_query q = {.sort = CENSUS_BY_FIRST_SEEN, .descending = true, .most = FEED_MOST};
    struct census_sites sites;
    struct pap_err err = {.text = ""};
    int64_t updated = 0;
    if (!asked_store(k))
        return;
    if (!is_ok(census_sites(k->store, k->arena, &q, &sites, &err))) {
        asked_store_failed(k, &err);
        return;
    }
    for (size_t i = 0; i < sites.n; i++)
        updated = sites.site[i].changed_at > updated ? sites.site[i].changed_at : updated;
    html(k,
         "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<title>Sites that "
         "publish by the Personal Agent Protocol</title>\n<author><name>papaver</name></author>\n<id>");
    words(k, str_c(k->web->o.origin));
    html(k, "/sites</id>\n<link rel=\"self\" href=\"");
    words(k, str_c(k->web->o.origin));
    html(k, "/sites.atom\"/>\n<link href=\"");
    words(k, str_c(k->web->o.origin));
    html(k, "/sites\"/>\n<updated>");
    add_instant(&k->out, updated);
    html(k, "</updated>\n");
    for (size_t i = 0; i < sites.n; i++)
        feed_entry(k, &sites.site[i]);
    html(k, "</feed>\n");
    asked_send(k, 200, "application/atom+xml; charset=utf-8", CACHE_LOOK, str(NULL, 0));
}
