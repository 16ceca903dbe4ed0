/* SPDX-License-Identifier: Apache-2.0
 *
 * One site: what it publishes, its history as a timeline, the report of each stretch of it, and what differs between two days.
 */
#include "census/site.h"
#include "web/difference.h"
#include "web/sites.h"

enum { STRETCHES = 200 };

/* The site in the path; false when it was answered. */
static bool find_site(struct asked *k, struct census_site *ret)
{
    struct pap_err err = {.text = ""};
    struct pap_str name;
    bool found = false;
    if (!asked_name(k, &name) || !asked_store(k))
        return false;
    if (!is_ok(census_site(k->store, k->arena, name, &found, ret, &err))) {
        asked_store_failed(k, &err);
        return false;
    }
    if (!found)
        asked_fail(k, 404, "No such site", S("No census has seen this domain publish."));
    return found;
}

static bool find_history(struct asked *k, const struct census_site *s, struct census_history *ret)
{
    struct pap_err err = {.text = ""};
    bool ok = is_ok(census_history(k->store, k->arena, s->id, 0, STRETCHES, ret, &err));
    if (!ok)
        asked_store_failed(k, &err);
    return ok;
}

/* ---- the page ---- */

static void fact(struct asked *k, const char *name, struct pap_str value)
{
    buf_fmt(&k->out, "<div><dt>%s</dt><dd>", name);
    words(k, value.n ? value : S("none"));
    html(k, "</dd></div>\n");
}

static void fact_time(struct asked *k, const char *name, int64_t at)
{
    buf_fmt(&k->out, "<div><dt>%s</dt><dd>", name);
    html_time(k, at);
    html(k, "</dd></div>\n");
}

static void facts(struct asked *k, const struct census_site *s)
{
    struct buf text;
    buf_init(&text, k->arena->alloc, 1 << 16);
    html(k, "<dl class=\"facts\">\n");
    fact_time(k, "First seen", s->first_seen);
    fact_time(k, "Last seen", s->last_seen);
    fact_time(k, "Last change", s->changed_at);
    fact(k, "Version", s->summary.version);
    words_list(&text, &s->summary.channels);
    fact(k, "Channels", buf_str(&text));
    buf_reset(&text);
    words_list(&text, &s->summary.sign_in);
    fact(k, "Sign-in", buf_str(&text));
    buf_reset(&text);
    add_skills(&text, &s->summary);
    fact(k, "Skills", buf_str(&text));
    html(k, "</dl>\n");
    buf_fini(&text);
}

static void stretch(struct asked *k, const struct census_site *s, const struct census_observation *o)
{
    const uint32_t counts[] = {o->summary.errors, o->summary.warnings, o->summary.infos};
    static const char *const nouns[] = {"error", "warning", "info"};
    html(k, o->standing == CENSUS_GOOD ? "<li class=\"good-one\">" : "<li class=\"bad-one\">");
    html_time(k, o->first_at);
    if (o->last_at != o->first_at) {
        html(k, " to ");
        html_time(k, o->last_at);
    }
    html(k, "\n<p>");
    words(k, o->standing == CENSUS_GOOD ? S("Published") : census_outcome_word(o->outcome));
    for (size_t i = 0; o->standing == CENSUS_GOOD && i < 3; i++)
        if (counts[i]) {
            html(k, ", ");
            add_count(&k->out, counts[i], nouns[i]);
        }
    if (o->has_record) {
        html(k, ". <a href=\"/sites/");
        words(k, s->name);
        buf_fmt(&k->out, "/%lld\">Report of ", (long long)o->id);
        add_date(&k->out, o->last_at);
        html(k, "</a>");
    }
    html(k, "</p></li>\n");
}

static void day_field(struct asked *k, const char *name, const char *label, int64_t day)
{
    buf_fmt(&k->out, "<div><label for=\"%s\">%s</label><input id=\"%s\" name=\"%s\" type=\"date\" required value=\"",
            name, label, name, name);
    add_date(&k->out, day);
    html(k, "\"></div>\n");
}

static void diff_form(struct asked *k, const struct census_site *s, int64_t from, int64_t to)
{
    html(k, "<form class=\"filters\" method=\"get\" action=\"/sites/");
    words(k, s->name);
    html(k, "/diff\">\n");
    day_field(k, "from", "From", from);
    day_field(k, "to", "To", to);
    html(k, "<button type=\"submit\">Compare</button>\n</form>\n");
}

void page_site(struct asked *k)
{
    struct census_site s;
    struct census_history h;
    if (!find_site(k, &s) || !find_history(k, &s, &h))
        return;
    shell_open(k, &(struct page){.title = s.name, .at = "/sites"});
    html(k, "<p class=\"crumbs\"><a href=\"/sites\">Sites</a></p>\n<h1>");
    words(k, s.name);
    html(k, "</h1>\n");
    html(k, s.gone_at  ? "<p class=\"verdict bad\">It no longer publishes</p>\n"
            : s.listed ? ""
                       : "<p class=\"verdict fair\">Not on the list (yet): it takes two good days</p>\n");
    html(k, "<p><a class=\"button\" href=\"/check/");
    words(k, s.name);
    html(k, "\">Newest report</a></p>\n");
    facts(k, &s);
    html(k, "<h2>What changed between two days</h2>\n");
    diff_form(k, &s, s.first_seen, s.last_seen);
    html(k, "<h2>History</h2>\n<ol class=\"time\">\n");
    for (size_t i = 0; i < h.n; i++)
        stretch(k, &s, &h.observation[i]);
    html(k, "</ol>\n");
    asked_page(k, 200, CACHE_LOOK, str(NULL, 0));
}

/* ---- a report of then ---- */

void page_observation(struct asked *k)
{
    struct census_site s;
    struct census_observation o = {0};
    struct kept r;
    struct pap_err err = {.text = ""};
    uint64_t id;
    bool found = false;
    if (!find_site(k, &s))
        return;
    pap_result result = OK;
    if (str_to_u64(k->part[1], &id) && id <= INT64_MAX)
        result = census_observation(k->store, k->arena, (int64_t)id, &found, &o, &err);
    if (is_ok(result) && found && o.domain == s.id)
        result = kept_observed(k->store, k->arena, &o, &found, &r, &err);
    if (is_ok(result) && found && o.domain == s.id)
        result = kept_read(k->store, k->arena, &r, &err);
    if (!is_ok(result)) {
        asked_store_failed(k, &err);
    } else if (!found || o.domain != s.id) {
        asked_fail(k, 404, "No such report", S("Of this site there is none with that number."));
    } else {
        shell_open(k, &(struct page){.title = s.name, .at = "/sites", .wide = true});
        html(k, "<p class=\"crumbs\"><a href=\"/sites\">Sites</a> / <a href=\"/sites/");
        words(k, s.name);
        html(k, "\">");
        words(k, s.name);
        html(k, "</a></p>\n<p class=\"note\">As it was from ");
        html_time(k, o.first_at);
        html(k, " to ");
        html_time(k, o.last_at);
        html(k, ".</p>\n<div class=\"report\">\n");
        if (!is_ok(report_add(k, &r.record->target, PAP_HTML, o.last_at, &err))) {
            asked_no_memory(k);
            return;
        }
        html(k, "</div>\n");
        asked_page(k, 200, CACHE_LOOK, str(NULL, 0));
    }
}

/* ---- between two days ---- */

/* What held at the end of a day; `ret_found` false: nothing did. */
static pap_result at_day(struct asked *k, const struct census_site *s, int64_t day, bool *ret_found, struct kept *ret,
                         struct pap_err *err)
{
    struct census_observation o;
    TRY(census_observed_at(k->store, k->arena, s->id, day + CENSUS_DAY - 1, ret_found, &o, err));
    if (*ret_found)
        TRY(kept_observed(k->store, k->arena, &o, ret_found, ret, err));
    return *ret_found ? kept_read(k->store, k->arena, ret, err) : OK;
}

void page_site_diff(struct asked *k)
{
    struct census_site s;
    struct kept before, after;
    struct pap_err err = {.text = ""};
    int64_t from, to;
    bool was = false, is = false;
    if (!find_site(k, &s))
        return;
    if (!day_parse(asked_query(k, "from"), &from) || !day_parse(asked_query(k, "to"), &to)) {
        asked_fail(k, 400, "Which days?", S("Days are written like 2026-11-30."));
        return;
    }
    pap_result r = at_day(k, &s, from, &was, &before, &err);
    if (is_ok(r))
        r = at_day(k, &s, to, &is, &after, &err);
    if (!is_ok(r)) {
        asked_store_failed(k, &err);
        return;
    }
    shell_open(k, &(struct page){.title = s.name, .at = "/sites", .hidden = true});
    html(k, "<p class=\"crumbs\"><a href=\"/sites\">Sites</a> / <a href=\"/sites/");
    words(k, s.name);
    html(k, "\">");
    words(k, s.name);
    html(k, "</a></p>\n<h1>What changed</h1>\n");
    diff_form(k, &s, from, to);
    difference_add(k, was ? before.record : NULL, is ? after.record : NULL);
    asked_page(k, 200, CACHE_LOOK, str(NULL, 0));
}

/* ---- for programs ---- */

void api_site(struct asked *k)
{
    struct census_site s;
    struct census_history h;
    struct json_writer w;
    if (!find_site(k, &s) || !find_history(k, &s, &h))
        return;
    json_writer_init(&w, &k->out, 0);
    json_object_begin(&w);
    json_write_key(&w, "site");
    write_site(&w, k->arena, &s);
    json_write_key(&w, "history");
    json_array_begin(&w);
    for (size_t i = 0; i < h.n; i++) {
        const struct census_observation *o = &h.observation[i];
        json_object_begin(&w);
        site_number(&w, "id", (uint64_t)o->id);
        site_time(&w, k->arena, "first_at", o->first_at);
        site_time(&w, k->arena, "last_at", o->last_at);
        site_text(&w, "outcome", census_outcome_word(o->outcome));
        site_summary(&w, &o->summary);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
    asked_send(k, 200, "application/json", CACHE_LOOK, str(NULL, 0));
}
