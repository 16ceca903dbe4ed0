/* SPDX-License-Identifier: Apache-2.0 */
#include "report/format.h"
#include "report/record_members.h"
#include "text/utf8.h"

static const char *severity(unsigned v)
{
    return severity_word((enum pap_severity)v);
}

static const char *role(unsigned v)
{
    return role_word((enum role)v);
}

static const char *kind(unsigned v)
{
    return v == KIND_NONE ? NULL : kind_row((enum kind)v)->word;
}

static const char *fault(unsigned v)
{
    return fault_word((enum exchange_fault)v);
}

#define AT(type, field) offsetof(struct type, field)
#define END                             \
    {                                   \
        NULL, MEMBER_STR, 0, NULL, 0, 0 \
    }

const struct member record_target_members[] = {
    {"target", MEMBER_STR, AT(report_target, target), NULL, 0, 0},
    {"failure", MEMBER_STR, AT(report_target, failure), NULL, 0, 0},
    {"certain", MEMBER_SIZE, AT(report_target, certain), NULL, 0, 0},
    {"provisional", MEMBER_SIZE, AT(report_target, provisional), NULL, 0, 0},
    {"ms", MEMBER_U32, AT(report_target, ms), NULL, 0, 0},
    END,
};

const struct member record_bundle_members[] = {
    {"domain", MEMBER_STR, AT(bundle, domain), NULL, 0, 0},
    {"now", MEMBER_I64, AT(bundle, now), NULL, 0, 0},
    {"mcp_asked", MEMBER_BOOL, AT(bundle, mcp_asked), NULL, 0, 0},
    {"version_forced", MEMBER_BOOL, AT(bundle, version_forced), NULL, 0, 0},
    {"version_stated", MEMBER_BOOL, AT(bundle, version_stated), NULL, 0, 0},
    END,
};

const struct member record_exchange_members[] = {
    {"method", MEMBER_STR, AT(exchange, method), NULL, 0, 0},
    {"url", MEMBER_STR, AT(exchange, url), NULL, 0, 0},
    {"final_url", MEMBER_STR, AT(exchange, final_url), NULL, 0, 0},
    {"request_body", MEMBER_STR, AT(exchange, request_body), NULL, 0, 0},
    {"body_cut", MEMBER_BOOL, AT(exchange, body_cut), NULL, 0, 0},
    {"fault", MEMBER_WORD, AT(exchange, fault), fault, FAULT_NONE, FAULT_BUDGET + 1},
    {"fault_text", MEMBER_STR, AT(exchange, fault_text), NULL, 0, 0},
    {"ms", MEMBER_U32, AT(exchange, ms), NULL, 0, 0},
    END,
};

const struct member record_hop_members[] = {
    {"method", MEMBER_STR, AT(hop, method), NULL, 0, 0},   {"url", MEMBER_STR, AT(hop, url), NULL, 0, 0},
    {"status", MEMBER_INT, AT(hop, status), NULL, 0, 0},   {"address", MEMBER_STR, AT(hop, address), NULL, 0, 0},
    {"tls", MEMBER_STR, AT(hop, tls_version), NULL, 0, 0}, {"not_after", MEMBER_I64, AT(hop, not_after), NULL, 0, 0},
    {"ms", MEMBER_U32, AT(hop, ms), NULL, 0, 0},           END,
};

const struct member record_document_members[] = {
    {"kind", MEMBER_WORD, AT(doc, kind), kind, KIND_NONE, KIND_COUNT},
    {"role", MEMBER_WORD, AT(doc, role), role, ROLE_MAIN, ROLE_HEAD + 1},
    {"name", MEMBER_STR, AT(doc, name), NULL, 0, 0},
    {"base", MEMBER_STR, AT(doc, base), NULL, 0, 0},
    {"pointer", MEMBER_STR, AT(doc, prefix), NULL, 0, 0},
    END,
};

const struct member record_finding_members[] = {
    {"id", MEMBER_TEXT, AT(pap_finding, id), NULL, 0, 0},
    {"severity", MEMBER_WORD, AT(pap_finding, severity), severity, PAP_INFO, PAP_ERROR + 1},
    {"provisional", MEMBER_BOOL, AT(pap_finding, provisional), NULL, 0, 0},
    {"known", MEMBER_BOOL, AT(pap_finding, known), NULL, 0, 0},
    {"specification", MEMBER_TEXT, AT(pap_finding, specification), NULL, 0, 0},
    {"section", MEMBER_TEXT, AT(pap_finding, section), NULL, 0, 0},
    {"title", MEMBER_TEXT, AT(pap_finding, title), NULL, 0, 0},
    {"version", MEMBER_STR, AT(pap_finding, version), NULL, 0, 0},
    {"where", MEMBER_STR, AT(pap_finding, where), NULL, 0, 0},
    {"at", MEMBER_STR, AT(pap_finding, at), NULL, 0, 0},
    {"line", MEMBER_U32, AT(pap_finding, line), NULL, 0, 0},
    {"column", MEMBER_U32, AT(pap_finding, column), NULL, 0, 0},
    {"message", MEMBER_STR, AT(pap_finding, message), NULL, 0, 0},
    {"mend", MEMBER_STR, AT(pap_finding, mend), NULL, 0, 0},
    {"excerpt", MEMBER_STR, AT(pap_finding, excerpt), NULL, 0, 0},
    {"excerpt_column", MEMBER_U32, AT(pap_finding, excerpt_column), NULL, 0, 0},
    END,
};

/* ---- writing ---- */

struct writing {
    struct json_writer json;
    record_keep *keep;
    void *ctx;
    struct pap_err *err;
};

/* JSON has no place for bytes that are no text, and its reader notes a NUL. */
static bool is_text(struct pap_str s)
{
    return utf8_check(s) == s.n && str_find_char(s, '\0') == s.n;
}

static void write_str(struct json_writer *w, struct pap_str s)
{
    if (!s.p) {
        json_write_null(w);
    } else if (is_text(s)) {
        json_write_str(w, s);
    } else {
        json_object_begin(w);
        json_write_key(w, "hex");
        json_write_raw(w, S("\""));
        for (size_t i = 0; i < s.n; i++)
            buf_fmt(w->out, "%02x", (unsigned char)s.p[i]);
        buf_char(w->out, '"');
        json_object_end(w);
    }
}

static void write_member(struct json_writer *w, const struct member *m, const void *from)
{
    const char *p = (const char *)from + m->at;
    const char *word = m->type == MEMBER_WORD ? m->word(*(const unsigned *)(const void *)p) : NULL;
    json_write_key(w, m->name);
    switch (m->type) {
    case MEMBER_STR:
        write_str(w, *(const struct pap_str *)(const void *)p);
        break;
    case MEMBER_TEXT:
        json_write_cstr(w, *(const char *const *)(const void *)p);
        break;
    case MEMBER_INT:
        json_write_int(w, *(const int *)(const void *)p);
        break;
    case MEMBER_U32:
        json_write_int(w, *(const uint32_t *)(const void *)p);
        break;
    case MEMBER_I64:
        json_write_int(w, *(const int64_t *)(const void *)p);
        break;
    case MEMBER_SIZE:
        json_write_int(w, (int64_t) * (const size_t *)(const void *)p);
        break;
    case MEMBER_BOOL:
        json_write_bool(w, *(const bool *)(const void *)p);
        break;
    case MEMBER_WORD:
        json_write_cstr(w, word);
        break;
    }
}

static void write_members(struct json_writer *w, const struct member *rows, const void *from)
{
    for (; rows->name; rows++)
        write_member(w, rows, from);
}

static pap_result write_body(struct writing *w, const char *key, struct pap_str body)
{
    struct pap_str name = str(NULL, 0);
    if (body.p)
        TRY(w->keep(w->ctx, body, &name, w->err));
    json_write_key(&w->json, key);
    write_str(&w->json, name);
    return OK;
}

static void write_header(struct json_writer *w, const struct header *h)
{
    json_object_begin(w);
    json_write_key(w, "name");
    write_str(w, h->name);
    if (report_header_is_secret(h->name)) {
        json_write_key(w, "hidden");
        json_write_int(w, (int64_t)h->value.n);
    } else {
        json_write_key(w, "value");
        write_str(w, h->value);
    }
    json_object_end(w);
}

static pap_result write_exchange(struct writing *w, const struct exchange *x)
{
    struct json_writer *j = &w->json;
    json_object_begin(j);
    write_members(j, record_exchange_members, x);
    TRY(write_body(w, "body", x->body));
    json_write_key(j, "hops");
    json_array_begin(j);
    for (size_t i = 0; i < x->n_hops; i++) {
        json_object_begin(j);
        write_members(j, record_hop_members, &x->hops[i]);
        json_write_key(j, "headers");
        json_array_begin(j);
        for (size_t k = 0; k < x->hops[i].n_headers; k++)
            write_header(j, &x->hops[i].headers[k]);
        json_array_end(j);
        json_object_end(j);
    }
    json_array_end(j);
    json_object_end(j);
    return OK;
}

/* An exchange stands in the first document that has it; the others say which document that is. */
static pap_result write_exchange_of(struct writing *w, const struct bundle *b, const struct doc *d)
{
    int64_t at = 0;
    const struct doc *first = b->docs;
    json_write_key(&w->json, "exchange");
    if (!d->exchange) {
        json_write_null(&w->json);
        return OK;
    }
    for (; first->exchange != d->exchange; first = first->next)
        at++;
    if (first == d)
        return write_exchange(w, d->exchange);
    json_write_int(&w->json, at);
    return OK;
}

static pap_result write_document(struct writing *w, const struct bundle *b, const struct doc *d)
{
    struct json_writer *j = &w->json;
    json_object_begin(j);
    write_members(j, record_document_members, d);
    TRY(write_exchange_of(w, b, d));
    TRY(write_body(w, "bytes", d->bytes));
    json_object_end(j);
    return OK;
}

static pap_result write_bundle(struct writing *w, const struct bundle *b)
{
    struct json_writer *j = &w->json;
    write_members(j, record_bundle_members, b);
    json_write_key(j, "version");
    json_write_cstr(j, b->version ? b->version->text : NULL);
    json_write_key(j, "documents");
    json_array_begin(j);
    for (const struct doc *d = b->docs; d; d = d->next)
        TRY(write_document(w, b, d));
    json_array_end(j);
    return OK;
}

pap_result record_write(struct buf *out, const struct report_target *t, record_keep *keep, void *ctx,
                        struct pap_err *err)
{
    static const struct bundle nothing;
    struct writing w = {.keep = keep, .ctx = ctx, .err = err};
    struct json_writer *j = &w.json;
    json_writer_init(j, out, 0);
    json_object_begin(j);
    json_write_key(j, "record");
    json_write_int(j, RECORD_VERSION);
    write_members(j, record_target_members, t);
    TRY(write_bundle(&w, t->bundle ? t->bundle : &nothing));
    json_write_key(j, "findings");
    json_array_begin(j);
    for (size_t i = 0; i < t->n_findings; i++) {
        json_object_begin(j);
        write_members(j, record_finding_members, &t->findings[i]);
        json_object_end(j);
    }
    json_array_end(j);
    json_object_end(j);
    return buf_result(out, err);
}
