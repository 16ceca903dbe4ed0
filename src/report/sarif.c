/* SPDX-License-Identifier: Apache-2.0
 *
 * SARIF 2.1.0 for code scanning. Every rule stands in tool.driver.rules with its help, so that no result is a bare id;
 * results follow as they come; what could not be judged is a notification of the invocation.
 */
#include <inttypes.h>

#include "report/format.h"
#include "text/utf8.h"

static const char *const levels[] = {[PAP_INFO] = "note", [PAP_WARNING] = "warning", [PAP_ERROR] = "error"};

static void text(struct json_writer *w, const char *key, struct pap_str s)
{
    json_write_key(w, key);
    json_write_str(w, s);
}

static void object(struct json_writer *w, const char *key)
{
    json_write_key(w, key);
    json_object_begin(w);
}

static void array(struct json_writer *w, const char *key)
{
    json_write_key(w, key);
    json_array_begin(w);
}

/* "key": {"text": ...}, a message of static text of ours */
static void message(struct json_writer *w, const char *key, struct pap_str s)
{
    object(w, key);
    text(w, "text", s);
    json_object_end(w);
}

/* ---- rules ---- */

/* "poppy.auth.issuer" as a name: PoppyAuthIssuer */
static void add_name(struct buf *out, const char *id)
{
    bool up = true;
    for (; *id; id++) {
        if (!ascii_is_alnum(*id)) {
            up = true;
            continue;
        }
        buf_char(out, up && *id >= 'a' && *id <= 'z' ? (char)(*id - 32) : *id);
        up = false;
    }
}

static void add_example(struct buf *out, const char *title, const char *example, bool markdown)
{
    if (!example || !*example)
        return;
    buf_fmt(out, markdown ? "\n\n%s:\n\n````\n%s\n````" : "\n\n%s:\n%s", title, example);
}

static void help(struct report *r, const struct pap_rule *rule)
{
    struct json_writer *w = &r->json;
    object(w, "help");
    for (int markdown = 0; markdown < 2; markdown++) {
        struct buf *out = report_scratch(r);
        buf_fmt(out, markdown ? "%s\n\n**How to mend it:** %s" : "%s\n\nHow to mend it: %s", rule->why, rule->mend);
        add_example(out, "Wrong", rule->bad, markdown);
        add_example(out, "Right", rule->good, markdown);
        text(w, markdown ? "markdown" : "text", buf_str(out));
    }
    json_object_end(w);
}

static void rule_row(struct report *r, const struct pap_rule *rule)
{
    struct json_writer *w = &r->json;
    json_object_begin(w);
    text(w, "id", str_c(rule->id));
    struct buf *name = report_scratch(r);
    add_name(name, rule->id);
    text(w, "name", buf_str(name));
    message(w, "shortDescription", str_c(rule->title));
    message(w, "fullDescription", str_c(*rule->why ? rule->why : rule->title));
    help(r, rule);
    object(w, "defaultConfiguration");
    text(w, "level", str_c(levels[rule->provisional ? PAP_INFO : rule->severity]));
    json_object_end(w);
    object(w, "properties");
    array(w, "tags");
    json_write_cstr(w, rule->kind);
    json_write_cstr(w, rule->specification);
    json_write_cstr(w, rule->level);
    if (rule->provisional)
        json_write_cstr(w, "provisional");
    json_array_end(w);
    text(w, "section", str_c(rule->section));
    json_object_end(w);
    json_object_end(w);
}

static void sarif_begin(struct report *r)
{
    struct json_writer *w = &r->json;
    json_writer_init(w, &r->out, 1);
    json_object_begin(w);
    text(w, "$schema", S("https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"));
    text(w, "version", S("2.1.0"));
    array(w, "runs");
    json_object_begin(w);
    object(w, "tool");
    object(w, "driver");
    text(w, "name", S("papaver"));
    text(w, "version", str_c(PAP_VERSION));
    text(w, "semanticVersion", str_c(PAP_VERSION));
    array(w, "rules");
    for (size_t i = 0; i < pap_rule_count(); i++) {
        struct pap_rule rule;
        pap_rule_at(i, &rule);
        if (!rule.publish_only) /* they stand last */
            rule_row(r, &rule);
    }
    json_array_end(w);
    json_object_end(w);
    json_object_end(w);
    text(w, "columnKind", S("unicodeCodePoints"));
    array(w, "results");
    json_writer_init(&r->json_body, &r->body, 1);
    json_array_begin(&r->json_body);
}

/* ---- results ---- */

/* The row's place in tool.driver.rules, -1 when it is not ours. Walks the tables: check_at() would for every row. */
static int64_t rule_index(const char *id)
{
    int64_t at = 0;
    for (size_t t = 0; t < check_table_count; t++)
        for (size_t i = 0; i < check_tables[t]->n; i++, at++)
            if (check_tables[t]->rows[i].id == id || str_is(str_c(id), check_tables[t]->rows[i].id))
                return at;
    return -1;
}

/* Length of a placeholder such as "{0}" at the start of `s`, else 0. */
static size_t placeholder(struct pap_str s)
{
    size_t i = 1;
    while (i < s.n && ascii_is_digit(s.p[i]))
        i++;
    return s.p[0] == '{' && i > 1 && i < s.n && s.p[i] == '}' ? i + 1 : 0;
}

/* Untrusted text as a SARIF message (sections 3.11.5, 3.11.6): "{0}" would be replaced, "[text](target)" be a link.
 * Where they cannot be taken for that, braces and brackets stay as they are. */
static void add_message(struct buf *out, struct pap_str s)
{
    static const struct escape brackets[] = {{'[', "\\["}, {']', "\\]"}, {0}};
    const struct escape *table = str_find(s, S("](")) < s.n ? brackets : &brackets[2];
    for (size_t n; s.n; s = str_skip(s, n)) {
        n = placeholder(s);
        if (n) {
            buf_fmt(out, "{%.*s}", (int)n, s.p);
            continue;
        }
        n = 1 + str_find_char(str_skip(s, 1), '{');
        add_escaped(out, str_take(s, n), table);
    }
}

static void finding_message(struct report *r, const struct pap_finding *f)
{
    struct buf *out = report_scratch(r);
    add_message(out, f->message);
    if (f->mend.n) {
        buf_add(out, S("\nHow to mend it: "));
        add_message(out, f->mend);
    }
    message(&r->json, "message", buf_str(out));
}

/* A URI reference (RFC 3986) for a URL or a path: what may not stand in one is percent-encoded, and a path never looks
 * like a scheme. */
static void add_uri(struct buf *out, struct pap_str where)
{
    static const char path_ok[] = "-._~/!$&'()*+,;=@", url_ok[] = "-._~/!$&'()*+,;=@:?#[]%";
    bool url = str_starts(where, S("https://")) || str_starts(where, S("http://"));
    if (!url && where.n && where.p[0] == '/')
        buf_add(out, str_starts(where, S("//")) ? S("file:///.") : S("file://"));
    for (size_t i = 0; i < where.n; i++) {
        char c = where.p[i];
        if (ascii_is_alnum(c) || (c && strchr(url ? url_ok : path_ok, c)))
            buf_char(out, c);
        else
            buf_fmt(out, "%%%02X", (unsigned char)c);
    }
}

static void location(struct report *r, const struct pap_finding *f)
{
    struct json_writer *w = &r->json;
    array(w, "locations");
    json_object_begin(w);
    object(w, "physicalLocation");
    object(w, "artifactLocation");
    struct buf *uri = report_scratch(r);
    add_uri(uri, f->where);
    text(w, "uri", buf_str(uri));
    json_object_end(w);
    if (f->line) {
        object(w, "region");
        json_write_key(w, "startLine");
        json_write_int(w, f->line);
        json_write_key(w, "startColumn");
        json_write_int(w, f->column ? f->column : 1);
        if (f->excerpt.n)
            message(w, "snippet", f->excerpt);
        json_object_end(w);
    }
    json_object_end(w);
    if (f->at.n) {
        array(w, "logicalLocations");
        json_object_begin(w);
        text(w, "fullyQualifiedName", f->at);
        text(w, "kind", f->at.p[0] == '/' ? S("member") : S("element"));
        json_object_end(w);
        json_array_end(w);
    }
    json_object_end(w);
    json_array_end(w);
}

static void result(struct report *r, const struct report_target *t, const struct pap_finding *f)
{
    struct json_writer *w = &r->json;
    int64_t index = rule_index(f->id);
    json_object_begin(w);
    text(w, "ruleId", str_c(f->id));
    if (index >= 0) {
        json_write_key(w, "ruleIndex");
        json_write_int(w, index);
    }
    text(w, "level", str_c(levels[f->severity]));
    finding_message(r, f);
    if (f->where.n)
        location(r, f);
    object(w, "partialFingerprints");
    struct buf *print = report_scratch(r);
    buf_fmt(print, "%016" PRIx64, fingerprint(f));
    text(w, "papaverFinding/v1", buf_str(print));
    json_object_end(w);
    if (f->known)
        text(w, "baselineState", S("unchanged"));
    object(w, "properties");
    text(w, "target", t->target);
    text(w, "protocolVersion", f->version);
    json_write_key(w, "provisional");
    json_write_bool(w, f->provisional);
    json_object_end(w);
    json_object_end(w);
}

static void notification(struct report *r, const char *id, struct pap_str a, struct pap_str b)
{
    struct json_writer *w = &r->json_body;
    json_object_begin(w);
    object(w, "descriptor");
    text(w, "id", str_c(id));
    json_object_end(w);
    text(w, "level", S("error"));
    struct buf *out = report_scratch(r);
    add_message(out, a);
    buf_add(out, S(": "));
    add_message(out, b);
    message(w, "message", buf_str(out));
    json_object_end(w);
}

static void sarif_target(struct report *r, const struct report_target *t)
{
    for (size_t i = 0; i < t->n_findings; i++)
        result(r, t, &t->findings[i]);
    if (t->failure.p) {
        notification(r, "papaver.failure", t->target, t->failure);
        r->n_items++;
    }
}

static void sarif_end(struct report *r, const struct report_total *total)
{
    struct json_writer *w = &r->json;
    json_array_end(w);
    for (size_t i = 0; i < total->n_stale; i++)
        notification(r, "papaver.stale-baseline", S("nothing matched this entry of the baseline"), total->stale[i]);
    json_array_end(&r->json_body);
    array(w, "invocations");
    json_object_begin(w);
    json_write_key(w, "executionSuccessful");
    json_write_bool(w, r->n_items == 0);
    json_write_key(w, "exitCode");
    json_write_int(w, total->exit);
    json_write_key(w, "toolExecutionNotifications");
    json_write_raw(w, buf_str(&r->body));
    json_object_end(w);
    json_array_end(w);
    json_object_end(w);
    json_array_end(w);
    json_object_end(w);
    buf_char(&r->out, '\n');
}

const struct report_format format_sarif = {"sarif", sarif_begin, sarif_target, sarif_end};
