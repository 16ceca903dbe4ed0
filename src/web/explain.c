/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules, from their rows: all of them with a search, and one page each.
 */
#include "text/json_write.h"
#include "web/inside.h"

static bool has(const char *text, struct pap_str wanted)
{
    return str_has_nocase(str_c(text), wanted);
}

static bool is_wanted(const struct pap_rule *r, struct pap_str wanted)
{
    return !wanted.n || has(r->id, wanted) || has(r->title, wanted) || has(r->why, wanted) || has(r->mend, wanted) ||
           has(r->covers, wanted);
}

static void list_entry(struct asked *k, const struct pap_rule *r)
{
    const char *severity = severity_word(r->severity);
    html(k, "<li><a href=\"/explain/");
    words(k, str_c(r->id));
    html(k, "\"><code>");
    words(k, str_c(r->id));
    buf_fmt(&k->out, "</code></a> <span class=\"pill %s\">%s</span>", severity, severity);
    html(k, r->provisional ? " <span class=\"tag\">provisional</span>" : "");
    html(k, "<br>");
    words(k, str_c(r->title));
    html(k, "</li>\n");
}

void page_explain(struct asked *k)
{
    enum { WANTED_MOST = 100 };
    struct pap_str wanted = str_take(str_trim(asked_query(k, "q")), WANTED_MOST);
    const char *kind = "";
    size_t n = 0;
    if (!wanted.n && asked_has(k, k->web->tag, CACHE_SHORT))
        return;
    shell_open(k, &(struct page){.title = S("Rules"), .at = "/explain", .hidden = wanted.n > 0});
    html(k, "<h1>Rules</h1>\n<form class=\"ask\" action=\"/explain\" method=\"get\" role=\"search\">\n"
            "<label for=\"q\">Find a rule</label>\n<span class=\"field\"><input id=\"q\" name=\"q\" type=\"search\" "
            "maxlength=\"100\" value=\"");
    words(k, wanted);
    html(k, "\">\n<button type=\"submit\">Find</button></span>\n</form>\n");
    for (size_t i = 0; i < pap_rule_count(); i++) {
        struct pap_rule r;
        pap_rule_at(i, &r);
        if (!is_wanted(&r, wanted))
            continue;
        if (!str_is(str_c(r.kind), kind)) {
            html(k, n ? "</ul>\n<h2>" : "<h2>");
            words(k, str_c(r.kind));
            html(k, "</h2>\n<ul class=\"rules\">\n");
            kind = r.kind;
        }
        list_entry(k, &r);
        n++;
    }
    html(k, n ? "</ul>\n" : "<p>No rule has that in its name or text. <a href=\"/explain\">All rules</a></p>\n");
    asked_page(k, 200, CACHE_SHORT, wanted.n ? str(NULL, 0) : k->web->tag);
}

static void example(struct asked *k, const char *title, const char *text)
{
    if (!*text)
        return;
    struct pap_str rest = str_c(text), line;
    buf_fmt(&k->out, "<h2>%s</h2>\n<pre tabindex=\"0\">", title);
    for (bool first = true; str_next(&rest, '\n', &line); first = false) {
        html(k, first ? "" : "\n");
        words(k, line);
    }
    html(k, "</pre>\n");
}

static void fact(struct asked *k, const char *name, const char *value)
{
    if (!*value)
        return;
    buf_fmt(&k->out, "<div><dt>%s</dt><dd>", name);
    words(k, str_c(value));
    html(k, "</dd></div>\n");
}

static void part(struct asked *k, const char *title, const char *text)
{
    if (!*text)
        return;
    buf_fmt(&k->out, "<h2>%s</h2>\n<p>", title);
    words(k, str_c(text));
    html(k, "</p>\n");
}

/* The rule that the path names; false when it was answered: there is none. */
static bool rule_named(struct asked *k, struct pap_rule *ret)
{
    const char *near = NULL, *id = arena_cstr(k->arena, k->part[0]);
    if (!id) {
        asked_no_memory(k);
        return false;
    }
    if (pap_rule_find(id, ret, &near))
        return true;
    asked_fail(k, 404, "There is no such rule",
               near ? arena_fmt(k->arena, "Maybe %s was meant.", near) : S("The list of rules has them all."));
    return false;
}

void page_rule(struct asked *k)
{
    struct pap_rule r;
    if (!rule_named(k, &r) || asked_has(k, k->web->tag, CACHE_SHORT))
        return;
    const char *severity = severity_word(r.severity);
    shell_open(k, &(struct page){.title = str_c(r.id), .at = "/explain"});
    html(k, "<p class=\"crumbs\"><a href=\"/explain\">Rules</a></p>\n<h1>");
    words(k, str_c(r.title));
    buf_fmt(&k->out, "</h1>\n<p><span class=\"pill %s\">%s</span> <code>", severity, severity);
    words(k, str_c(r.id));
    html(k, "</code>");
    html(k, r.provisional ? " <span class=\"tag\">provisional: the text of this version is not public</span>" : "");
    html(k, "</p>\n");
    part(k, "Why it matters", r.why);
    part(k, "How to mend it", r.mend);
    example(k, "Wrong", r.bad);
    example(k, "Right", r.good);
    html(k, "<h2>Where it comes from</h2>\n<dl class=\"facts\">\n");
    fact(k, "Specification", r.specification);
    fact(k, "Section", r.section);
    fact(k, "Level", r.level);
    fact(k, "Document", r.kind);
    fact(k, "Stated in versions", r.versions);
    fact(k, "Provisional in versions", r.provisional_versions);
    fact(k, "Numbers covered", r.covers);
    html(k, "</dl>\n");
    asked_page(k, 200, CACHE_SHORT, k->web->tag);
}

/* ---- for programs ---- */

static void member(struct json_writer *w, const char *key, const char *value)
{
    json_write_key(w, key);
    json_write_cstr(w, value);
}

static void write_rule(struct json_writer *w, const struct pap_rule *r)
{
    json_object_begin(w);
    member(w, "id", r->id);
    member(w, "title", r->title);
    member(w, "severity", severity_word(r->severity));
    member(w, "level", r->level);
    member(w, "document", r->kind);
    member(w, "specification", r->specification);
    member(w, "section", r->section);
    member(w, "versions", r->versions);
    member(w, "provisional_versions", r->provisional_versions);
    member(w, "covers", r->covers);
    member(w, "why", r->why);
    member(w, "mend", r->mend);
    member(w, "good", r->good);
    member(w, "bad", r->bad);
    json_object_end(w);
}

void api_rules(struct asked *k)
{
    struct json_writer w;
    if (asked_has(k, k->web->tag, CACHE_SHORT))
        return;
    json_writer_init(&w, &k->out, 0);
    json_object_begin(&w);
    json_write_key(&w, "rules");
    json_array_begin(&w);
    for (size_t i = 0; i < pap_rule_count(); i++) {
        struct pap_rule r;
        pap_rule_at(i, &r);
        write_rule(&w, &r);
    }
    json_array_end(&w);
    json_object_end(&w);
    asked_send(k, 200, "application/json", CACHE_SHORT, k->web->tag);
}

void api_rule(struct asked *k)
{
    struct json_writer w;
    struct pap_rule r;
    if (!rule_named(k, &r) || asked_has(k, k->web->tag, CACHE_SHORT))
        return;
    json_writer_init(&w, &k->out, 0);
    write_rule(&w, &r);
    asked_send(k, 200, "application/json", CACHE_SHORT, k->web->tag);
}
