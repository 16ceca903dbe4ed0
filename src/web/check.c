/* SPDX-License-Identifier: Apache-2.0
 *
 * A domain's report: the page, its other formats, a badge, the documents as they came, and how a new one is asked for.
 */
#include "text/json_write.h"
#include "web/stored.h"
#include "web/visitor.h"

enum { FRESH_SECONDS = 60 };

/* ---- what is kept ---- */

/* The newest report of the name in the path; false when it was answered. Without one: 404. */
static bool find_report(struct asked *k, struct pap_str *ret_name, struct kept *ret, bool *ret_found)
{
    struct pap_err err = {.text = ""};
    bool out = false;
    *ret_found = false;
    if (!asked_name(k, ret_name) || !asked_store(k))
        return false;
    pap_result r = census_is_out(k->store, *ret_name, &out, &err);
    if (is_ok(r) && !out)
        r = kept_find(k->store, k->arena, *ret_name, ret_found, ret, &err);
    if (!is_ok(r)) {
        asked_store_failed(k, &err);
        return false;
    }
    if (out)
        asked_fail(k, 404, "This domain is left alone",
                   S("It said that it does not want to be checked or listed here."));
    return !out;
}

/* Other bytes for another report, another program or another form. */
static struct pap_str report_tag(struct asked *k, const struct kept *r)
{
    uint64_t digest;
    memcpy(&digest, r->digest.b, sizeof digest);
    return arena_fmt(k->arena, "\"%llx-%llx-%.*s", (unsigned long long)digest, (unsigned long long)r->at,
                     PSTR(str_skip(k->web->tag, 1)));
}

/* Reads it for real; false when it was answered. */
static bool read_report(struct asked *k, struct kept *r)
{
    struct pap_err err = {.text = ""};
    pap_result result = kept_read(k->store, k->arena, r, &err);
    if (!is_ok(result))
        asked_store_failed(k, &err);
    return is_ok(result);
}

/* ---- the page ---- */

/* What became of the check that was asked for, where it brought no report. */
static void trouble(struct asked *k)
{
    struct pap_str sentence = runner_trouble_sentence(asked_query(k, "said"));
    if (!sentence.p)
        return;
    html(k, "<p class=\"verdict fair\" role=\"status\">");
    words(k, sentence);
    html(k, "</p>\n");
}

static void check_form(struct asked *k, struct pap_str name, const char *button)
{
    html(k, "<form method=\"post\" action=\"/check/");
    words(k, name);
    html(k, "\" data-stream=\"");
    words(k, name);
    buf_fmt(&k->out, "\"><button type=\"submit\">%s</button></form>\n", button);
}

static void not_yet(struct asked *k, struct pap_str name)
{
    struct page p = {.title = name, .at = "/", .hidden = true};
    shell_open(k, &p);
    html(k, "<h1>");
    words(k, name);
    html(k, "</h1>\n");
    trouble(k);
    html(k, "<p class=\"lead\">There is no report of this domain yet.</p>\n<div class=\"bar\">\n");
    if (k->web->o.runner)
        check_form(k, name, "Check it now");
    html(k, "</div>\n<p class=\"note\">It takes some seconds, at most a minute.</p>\n");
    asked_page(k, 404, CACHE_NEVER, S(""));
}

static void link_to(struct asked *k, struct pap_str name, const char *file, const char *attributes, const char *text)
{
    html(k, "<a class=\"button quiet\" href=\"/check/");
    words(k, name);
    buf_fmt(&k->out, "/%s\"%s>%s</a>\n", file, attributes, text);
}

static void tools(struct asked *k, const struct kept *r)
{
    html(k, "<div class=\"bar\">\n<p>Checked ");
    html_time(k, r->at);
    html(k, ". <a href=\"/sites/");
    words(k, r->name);
    html(k, "\">History</a></p>\n");
    if (k->web->o.runner)
        check_form(k, r->name, "Check again");
    link_to(k, r->name, "report.md", " data-copy=\"Copy as Markdown\"", "Markdown");
    link_to(k, r->name, "report.json", " download", "JSON");
    link_to(k, r->name, "report.sarif", " download", "SARIF");
    html(k, "</div>\n");
}

static void badge_hint(struct asked *k, struct pap_str name)
{
    html(k, "<h2>For your own page</h2>\n<p>The badge shows what the last check said: <img src=\"/badge/");
    words(k, name);
    html(k, ".svg\" alt=\"Badge of this domain\" height=\"20\"></p>\n<pre tabindex=\"0\">&lt;a href=&quot;");
    words(k, str_c(k->web->o.origin));
    html(k, "/check/");
    words(k, name);
    html(k, "&quot;&gt;&lt;img src=&quot;");
    words(k, str_c(k->web->o.origin));
    html(k, "/badge/");
    words(k, name);
    html(k, ".svg&quot; alt=&quot;Personal Agent Protocol check&quot;&gt;&lt;/a&gt;</pre>\n");
}

/* The name under which the bytes of a document are kept; p NULL: they are not, or hold what is shown to nobody. */
static struct pap_str body_name(const struct kept *r, const struct doc *d)
{
    if (!d->bytes.n || doc_may_hold_secret(d))
        return str(NULL, 0);
    for (size_t i = 0; i < r->n_bodies; i++)
        if (r->bodies[i].bytes.p == d->bytes.p)
            return r->bodies[i].name;
    return str(NULL, 0);
}

static void documents(struct asked *k, const struct kept *r)
{
    size_t n = 0;
    for (const struct doc *d = r->record->bundle.docs; d; d = d->next) {
        struct pap_str body = body_name(r, d);
        if (!body.p || d->prefix.n)
            continue;
        html(k, n++ ? "" : "<h2>Documents as they came</h2>\n<ul class=\"points\">\n");
        html(k, "<li><a href=\"/check/");
        words(k, r->name);
        html(k, "/body/");
        words(k, body);
        html(k, "\" download><code>");
        words(k, d->name);
        html(k, "</code></a> ");
        add_size(&k->out, d->bytes.n);
        html(k, "</li>\n");
    }
    html(k, n ? "</ul>\n" : "");
}

static void report_page(struct asked *k, struct kept *r, struct pap_str tag, const char *at)
{
    struct pap_err err = {.text = ""};
    if (!read_report(k, r))
        return;
    shell_open(k, &(struct page){.title = r->name, .at = at, .wide = true});
    trouble(k);
    tools(k, r);
    html(k, "<div class=\"report\">\n");
    if (!is_ok(report_add(k, &r->record->target, PAP_HTML, r->at, &err))) {
        asked_no_memory(k);
        return;
    }
    html(k, "</div>\n");
    documents(k, r);
    badge_hint(k, r->name);
    asked_page(k, 200, CACHE_LOOK, tag);
}

void page_check(struct asked *k)
{
    struct pap_str name;
    struct kept r;
    bool found;
    if (!find_report(k, &name, &r, &found))
        return;
    if (!str_eq(name, k->part[0])) {
        asked_redirect(k, 308, arena_fmt(k->arena, "/check/%.*s", PSTR(name)));
        return;
    }
    if (!found) {
        not_yet(k, name);
        return;
    }
    struct pap_str tag = report_tag(k, &r);
    if (!asked_has(k, tag, CACHE_LOOK))
        report_page(k, &r, tag, "/");
}

/* ---- other formats ---- */

/* To add one: a row. */
static const struct {
    const char *file;
    enum pap_format format;
    const char *type;
} formats[] = {
    {"report.json", PAP_JSON, "application/json"},
    {"report.sarif", PAP_SARIF, "application/sarif+json"},
    {"report.md", PAP_MARKDOWN, "text/markdown; charset=utf-8"},
};

static void send_report(struct asked *k, enum pap_format format, const char *type)
{
    struct pap_err err = {.text = ""};
    struct pap_str name;
    struct kept r;
    bool found;
    if (!find_report(k, &name, &r, &found))
        return;
    if (!found) {
        asked_fail(k, 404, "No report", S("Nobody has had this domain checked yet."));
        return;
    }
    struct pap_str tag = report_tag(k, &r);
    if (asked_has(k, tag, CACHE_LOOK) || !read_report(k, &r))
        return;
    if (is_ok(report_add(k, &r.record->target, format, r.at, &err)))
        asked_send(k, 200, type, CACHE_LOOK, tag);
    else
        asked_no_memory(k);
}

void file_report(struct asked *k)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (str_is(k->part[1], formats[i].file)) {
            send_report(k, formats[i].format, formats[i].type);
            return;
        }
    asked_fail(k, 404, "No such format", S("There are report.json, report.sarif and report.md."));
}

void api_report(struct asked *k)
{
    send_report(k, PAP_JSON, "application/json");
}

/* A document of a stranger: never shown as a page, whatever it says that it is. */
void file_body(struct asked *k)
{
    struct pap_str name;
    struct kept r;
    bool found;
    if (!find_report(k, &name, &r, &found))
        return;
    if (found && !read_report(k, &r))
        return;
    for (const struct doc *d = found ? r.record->bundle.docs : NULL; d; d = d->next)
        if (str_eq(body_name(&r, d), k->part[1]) && k->part[1].n) {
            asked_field(k, "Content-Disposition", S("attachment; filename=\"document.txt\""));
            asked_field(k, "Content-Security-Policy", S("default-src 'none'; sandbox"));
            buf_add(&k->out, d->bytes);
            asked_send(k, 200, "text/plain; charset=utf-8", CACHE_LOOK, str(NULL, 0));
            return;
        }
    asked_fail(k, 404, "No such document", S("The report of this domain has none of that digest."));
}

/* ---- a new one ---- */

static bool wants_events(const struct asked *k)
{
    struct pap_str accept = request_header(k->q, "Accept");
    return str_find(accept, S("text/event-stream")) < accept.n;
}

static void send_there(struct asked *k, enum runner_form form, struct pap_str name)
{
    const char *place = form == RUNNER_API ? "/api/v1/check/" : "/check/";
    if (form == RUNNER_EVENTS) {
        tell_done(&k->out, place, name);
        asked_send(k, 200, "text/event-stream", CACHE_NEVER, S(""));
        return;
    }
    asked_redirect(k, 303, arena_fmt(k->arena, "%s%.*s", place, PSTR(name)));
}

void asked_run(struct asked *k, enum runner_task task, struct pap_str name, enum runner_form form)
{
    struct limiter_key who = visitor_of(k->q, k->web->o.proxies);
    if (!k->web->o.runner) {
        asked_fail(k, 503, "No checks here", S("This server shows what is kept and checks nothing."));
        return;
    }
    switch (runner_ask(k->web->o.runner, task, name, form, &who, &k->ret->later)) {
    case RUNNER_TAKEN:
        return;
    case RUNNER_FULL:
        asked_field(k, "Retry-After", S("30"));
        asked_fail(k, 503, "Too many checks at once", S("Others wait, too. Try again in half a minute."));
        return;
    case RUNNER_NO_MEMORY:
        asked_no_memory(k);
        return;
    }
}

static void check_anew(struct asked *k, enum runner_form form)
{
    struct pap_str name;
    struct kept r;
    bool found;
    if (!find_report(k, &name, &r, &found))
        return;
    if (found && r.at > k->now - FRESH_SECONDS)
        send_there(k, form, name);
    else
        asked_run(k, RUNNER_CHECK, name, form);
}

void post_check(struct asked *k)
{
    check_anew(k, wants_events(k) ? RUNNER_EVENTS : RUNNER_PAGE);
}

void api_check(struct asked *k)
{
    check_anew(k, wants_events(k) ? RUNNER_EVENTS : RUNNER_API);
}

/* ---- the badge ---- */

/* Widths of the letters of Verdana at 11 px, near enough for a box around them. */
static unsigned width_of(struct pap_str s)
{
    return (unsigned)(s.n * 13 / 2) + 12;
}

static void write_badge(struct asked *k, const char *text, const char *colour)
{
    static const char name[] = "agent protocol";
    unsigned left = width_of(str_c(name)), right = width_of(str_c(text));
    buf_fmt(&k->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"20\" role=\"img\" aria-label=\"%s: %s\">"
            "<title>%s: %s</title><rect width=\"%u\" height=\"20\" rx=\"3\" fill=\"#444\"/>"
            "<rect x=\"%u\" width=\"%u\" height=\"20\" rx=\"3\" fill=\"%s\"/>"
            "<rect x=\"%u\" width=\"6\" height=\"20\" fill=\"%s\"/>"
            "<g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\" text-anchor=\"middle\">"
            "<text x=\"%u\" y=\"14\">%s</text><text x=\"%u\" y=\"14\">%s</text></g></svg>\n",
            left + right, name, text, name, text, left + right, left, right, colour, left, colour, left / 2, name,
            left + right / 2, text);
}

void file_badge(struct asked *k)
{
    struct pap_str name;
    struct kept r;
    bool found;
    if (!find_report(k, &name, &r, &found))
        return;
    struct pap_str tag = found ? report_tag(k, &r) : str(NULL, 0);
    if (found && (asked_has(k, tag, CACHE_SHORT) || !read_report(k, &r)))
        return;
    size_t errors = 0;
    for (size_t i = 0; found && i < r.record->target.n_findings; i++)
        errors += r.record->target.findings[i].severity == PAP_ERROR;
    char text[40];
    struct buf b;
    buf_on(&b, text, sizeof text - 1);
    memset(text, 0, sizeof text);
    add_count(&b, errors, "error");
    asked_field(k, "Content-Security-Policy", S("default-src 'none'; style-src 'none'; sandbox"));
    if (!found || r.record->target.failure.p)
        write_badge(k, found ? "not reached" : "not checked", "#6b6b6b");
    else
        write_badge(k, errors ? text : "passes", errors ? "#a81f16" : "#1d6636");
    asked_send(k, 200, "image/svg+xml", CACHE_SHORT, tag);
}
