/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON for programs; every member is documented in docs/report.schema.json. Findings are written as they come. Targets
 * and exchanges wait in buffers of their own, because an object has one place for each: they are few, since targets that
 * are files have no exchanges and are listed up to LIMIT_TARGETS_LISTED only.
 */
#include "report/format.h"

enum { INDENT = 2, SCHEMA = 1 };

static void text_or_null(struct json_writer *w, const char *key, struct pap_str s)
{
    json_write_key(w, key);
    if (s.n)
        json_write_str(w, s);
    else
        json_write_null(w);
}

static void text(struct json_writer *w, const char *key, struct pap_str s)
{
    json_write_key(w, key);
    json_write_str(w, s);
}

static void number(struct json_writer *w, const char *key, uint64_t v)
{
    json_write_key(w, key);
    json_write_int(w, v > INT64_MAX ? INT64_MAX : (int64_t)v);
}

static void number_or_null(struct json_writer *w, const char *key, uint64_t v)
{
    json_write_key(w, key);
    if (v)
        json_write_int(w, (int64_t)v);
    else
        json_write_null(w);
}

static void boolean(struct json_writer *w, const char *key, bool v)
{
    json_write_key(w, key);
    json_write_bool(w, v);
}

/* An array that is collected in another buffer and stands one level deep in the object at the end. */
static void collect(struct json_writer *w, struct buf *into)
{
    json_writer_init(w, into, INDENT);
    w->depth = 1;
    w->first[1] = true;
    w->after_key = true;
    json_array_begin(w);
}

static void json_begin(struct report *r)
{
    struct json_writer *w = &r->json;
    json_writer_init(w, &r->out, INDENT);
    json_object_begin(w);
    text(w, "papaver", str_c(PAP_VERSION));
    number(w, "schema", SCHEMA);
    json_write_key(w, "findings");
    json_array_begin(w);
    collect(&r->json_body, &r->body);
    collect(&r->json_more, &r->more);
}

static void finding(struct json_writer *w, const struct report_target *t, const struct pap_finding *f)
{
    json_object_begin(w);
    text(w, "id", str_c(f->id));
    text(w, "severity", str_c(severity_word(f->severity)));
    boolean(w, "provisional", f->provisional);
    boolean(w, "known", f->known);
    text(w, "specification", str_c(f->specification));
    text(w, "section", str_c(f->section));
    text_or_null(w, "version", f->version);
    text(w, "title", str_c(f->title));
    text(w, "target", t->target);
    text(w, "where", f->where);
    text(w, "at", f->at);
    number_or_null(w, "line", f->line);
    number_or_null(w, "column", f->column);
    text(w, "message", f->message);
    text(w, "mend", f->mend);
    text_or_null(w, "excerpt", f->excerpt);
    number_or_null(w, "excerpt_column", f->excerpt.n ? f->excerpt_column : 0);
    json_object_end(w);
}

static void document(struct json_writer *w, const struct doc *d)
{
    json_object_begin(w);
    text(w, "kind", str_c(kind_row(d->kind)->word));
    text(w, "role", str_c(role_word(d->role)));
    text(w, "name", d->name);
    text(w, "pointer", d->prefix);
    number_or_null(w, "status", (uint64_t)exchange_status(d->exchange));
    json_write_key(w, "bytes");
    if (d->bytes.p)
        json_write_int(w, (int64_t)d->bytes.n);
    else
        json_write_null(w);
    json_object_end(w);
}

static void target(struct report *r, const struct report_target *t)
{
    struct json_writer *w = &r->json_body;
    struct tally y = tally(r, t);
    const struct bundle *b = t->bundle;
    json_object_begin(w);
    text(w, "target", t->target);
    text_or_null(w, "failure", t->failure);
    text_or_null(w, "version", b && b->version ? str_c(b->version->text) : S(""));
    text(w, "version_from", b && b->version_forced ? S("asked") : b && b->version_stated ? S("stated") : S("assumed"));
    number(w, "certain", t->certain);
    number(w, "provisional", t->provisional);
    for (unsigned s = PAP_ERROR; s >= PAP_INFO; s--)
        number(w, s == PAP_ERROR ? "errors" : s == PAP_WARNING ? "warnings" : "infos", y.by[s]);
    number(w, "known", y.known);
    number(w, "ms", t->ms);
    json_write_key(w, "documents");
    json_array_begin(w);
    for (const struct doc *d = b ? b->docs : NULL; d; d = d->next)
        document(w, d);
    json_array_end(w);
    json_object_end(w);
}

static void hop(struct report *r, const struct hop *h)
{
    struct json_writer *w = &r->json_more;
    json_object_begin(w);
    text(w, "method", h->method);
    text(w, "url", shown_url(r, h->url));
    number_or_null(w, "status", (uint64_t)h->status);
    text_or_null(w, "address", h->address);
    text_or_null(w, "tls", h->tls_version);
    struct buf *date = report_scratch(r);
    if (h->not_after)
        add_date(date, h->not_after);
    text_or_null(w, "certificate_until", report_kept(r));
    number(w, "ms", h->ms);
    json_write_key(w, "headers");
    json_array_begin(w);
    for (size_t i = 0; i < h->n_headers; i++) {
        json_object_begin(w);
        text(w, "name", h->headers[i].name);
        text(w, "value", shown_header(r, &h->headers[i]));
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
}

static void exchange(struct report *r, const struct report_target *t, const struct exchange *x)
{
    struct json_writer *w = &r->json_more;
    json_object_begin(w);
    text(w, "target", t->target);
    text(w, "method", x->method);
    text(w, "url", shown_url(r, x->url));
    text(w, "final_url", shown_url(r, x->final_url));
    number_or_null(w, "status", (uint64_t)exchange_status(x));
    text_or_null(w, "fault", str_c(fault_word(x->fault)));
    text_or_null(w, "fault_text", x->fault_text);
    number(w, "ms", x->ms);
    number(w, "body_bytes", x->body.n);
    boolean(w, "body_cut", x->body_cut);
    text(w, "body_start", shown_body(x));
    json_write_key(w, "hops");
    json_array_begin(w);
    for (size_t i = 0; i < x->n_hops; i++)
        hop(r, &x->hops[i]);
    json_array_end(w);
    json_object_end(w);
}

static void json_target(struct report *r, const struct report_target *t)
{
    for (size_t i = 0; i < t->n_findings; i++)
        finding(&r->json, t, &t->findings[i]);
    if (r->n_items < LIMIT_TARGETS_LISTED || t->failure.p || was_fetched(t)) {
        target(r, t);
        r->n_items++;
    }
    for (const struct doc *d = NULL; (d = next_exchange(t, d)) != NULL;)
        exchange(r, t, d->exchange);
}

static void counts(struct json_writer *w, const struct pap_counts *c)
{
    json_write_key(w, "counts");
    json_object_begin(w);
    number(w, "targets", c->targets);
    number(w, "documents", c->documents);
    number(w, "errors", c->errors);
    number(w, "warnings", c->warnings);
    number(w, "infos", c->infos);
    number(w, "known", c->known);
    number(w, "stale_baseline", c->stale_baseline);
    number(w, "requests", c->requests);
    json_object_end(w);
}

static void json_end(struct report *r, const struct report_total *total)
{
    struct json_writer *w = &r->json;
    json_array_end(w);
    json_array_end(&r->json_body);
    json_array_end(&r->json_more);
    json_write_key(w, "targets");
    json_write_raw(w, buf_str(&r->body));
    number(w, "targets_left_out", r->n_targets - r->n_items);
    json_write_key(w, "exchanges");
    json_write_raw(w, buf_str(&r->more));
    json_write_key(w, "stale_baseline");
    json_array_begin(w);
    for (size_t i = 0; i < total->n_stale; i++)
        json_write_str(w, total->stale[i]);
    json_array_end(w);
    counts(w, &total->counts);
    text(w, "fail_on", str_c(severity_word(threshold(r))));
    json_write_key(w, "proxied");
    json_write_bool(w, r->proxied);
    number(w, "exit", (uint64_t)total->exit);
    json_object_end(w);
    buf_char(&r->out, '\n');
}

const struct report_format format_json = {"json", json_begin, json_target, json_end};
