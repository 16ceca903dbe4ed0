/* SPDX-License-Identifier: Apache-2.0
 *
 * Who publishes: counts, and each site.
 */
#include "census/site.h"
#include "text/utf8.h"

struct reporting {
    struct pap_census *census;
    struct out out;
    struct arena arena, page;
    struct census_query query;
    struct pap_err *err;
};

/* ---- JSON ---- */

/* One array a "what", in the order in which they come. */
static void counts_as_json(struct json_writer *w, const struct census_counts *c)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct census_count *one = &c->count[i];
        if (i == 0 || !str_eq(one->what, one[-1].what)) {
            if (i)
                json_array_end(w);
            json_write_key_str(w, one->what);
            json_array_begin(w);
        }
        json_object_begin(w);
        site_text(w, "word", one->word);
        site_number(w, "n", one->n);
        json_object_end(w);
    }
    if (c->n)
        json_array_end(w);
}

static pap_result site_as_json(void *ctx, struct arena *a, const struct census_site *s, struct pap_err *err)
{
    struct reporting *r = ctx;
    json_object_begin(&r->out.json);
    site_members(&r->out.json, a, s);
    json_object_end(&r->out.json);
    return out_flush(&r->out, err);
}

static pap_result as_json(struct reporting *r, const struct census_counts *c)
{
    struct json_writer *w = &r->out.json;
    json_writer_init(w, &r->out.text, 1);
    json_object_begin(w);
    site_time(w, &r->arena, "at", r->census->clock.unix_seconds(&r->census->clock));
    json_write_key(w, "counts");
    json_object_begin(w);
    counts_as_json(w, c);
    json_object_end(w);
    json_write_key(w, "sites");
    json_array_begin(w);
    TRY(site_walk(r->census, &r->page, r->query, site_as_json, r, r->err));
    json_array_end(w);
    json_object_end(w);
    buf_char(&r->out.text, '\n');
    return out_flush(&r->out, r->err);
}

/* ---- CSV: sites only ---- */

static pap_result site_as_csv(void *ctx, struct arena *a, const struct census_site *s, struct pap_err *err)
{
    struct reporting *r = ctx;
    struct buf *b = &r->out.text;
    const struct census_summary *y = &s->summary;
    const struct pap_str cells[] = {s->name,
                                    out_time(a, s->first_seen),
                                    out_time(a, s->last_seen),
                                    out_time(a, s->gone_at),
                                    census_outcome_word(s->outcome),
                                    y->version,
                                    out_words(a, &y->channels),
                                    out_words(a, &y->sign_in),
                                    site_skills_word(y->skills_where)};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        out_cell(b, cells[i]);
        buf_char(b, ',');
    }
    buf_fmt(b, "%u,%u,%u,%u\r\n", y->skills, y->errors, y->warnings, y->infos);
    return out_flush(&r->out, err);
}

static pap_result as_csv(struct reporting *r)
{
    buf_add(&r->out.text,
            S("domain,first_seen,last_seen,gone_at,outcome,version,channels,sign_in,skills_where,skills,errors,"
              "warnings,infos\r\n"));
    TRY(site_walk(r->census, &r->page, r->query, site_as_csv, r, r->err));
    return out_flush(&r->out, r->err);
}

/* ---- text ---- */

static pap_result site_as_text(void *ctx, struct arena *a, const struct census_site *s, struct pap_err *err)
{
    struct reporting *r = ctx;
    struct buf *b = &r->out.text;
    const struct census_summary *y = &s->summary;
    struct pap_str first = out_day(a, s->first_seen), channels = out_words(a, &y->channels);
    buf_fmt(b, "%-40.*s %-10.*s  %-5.*s %-18.*s %3u skills  %3u errors%s\n", PSTR(s->name), PSTR(first),
            PSTR(y->version), PSTR(channels), y->skills, y->errors, s->gone_at ? "  gone" : "");
    return out_flush(&r->out, err);
}

static pap_result as_text(struct reporting *r, const struct census_counts *c)
{
    enum { SHOWN = 10 };
    struct buf *b = &r->out.text;
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        const struct census_count *one = &c->count[i];
        n = i && str_eq(one->what, one[-1].what) ? n + 1 : 0;
        if (n == 0)
            buf_fmt(b, "%s%.*s\n", i ? "\n" : "", PSTR(one->what));
        if (n >= SHOWN)
            continue;
        buf_fmt(b, "  %6llu  ", (unsigned long long)one->n);
        utf8_add_visible(b, one->word.n ? one->word : S("none stated"), LIMIT_QUOTE);
        buf_char(b, '\n');
    }
    buf_add(b, S("\nsites, and when they were first seen\n"));
    TRY(site_walk(r->census, &r->page, r->query, site_as_text, r, r->err));
    return out_flush(&r->out, r->err);
}

pap_result pap_census_report(struct pap_census *census, bool unlisted, const struct pap_census_out *out,
                             struct pap_err *err)
{
    struct reporting r = {.census = census, .query = {.unlisted = unlisted, .gone = true}, .err = err};
    struct census_counts c;
    arena_init(&r.arena, census->o.alloc);
    arena_init(&r.page, census->o.alloc);
    out_begin(&r.out, out, census->o.alloc);
    pap_result x = census_tally(census->store, &r.arena, !unlisted, &c, err);
    if (is_ok(x))
        x = out->form == PAP_CENSUS_JSON ? as_json(&r, &c) : out->form == PAP_CENSUS_CSV ? as_csv(&r) : as_text(&r, &c);
    out_end(&r.out);
    arena_fini(&r.page);
    arena_fini(&r.arena);
    return x;
}
