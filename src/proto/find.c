/* SPDX-License-Identifier: Apache-2.0
 *
 * How a row's function says what it found: place, sentence and mend become a finding.
 */
#include <stdio.h>

#include "base/limits.h"
#include "proto/check.h"
#include "text/place.h"
#include "text/redact.h"
#include "text/utf8.h"

static bool is_sure(const struct run *r)
{
    return r->row->sure & r->bundle->version->bit;
}

struct pap_finding *findings_add(struct arena *a, struct findings *f)
{
    if (f->n == f->cap) {
        size_t cap = f->cap ? f->cap * 2 : 16;
        struct pap_finding *items = arena_new_array(a, cap, struct pap_finding);
        if (!items)
            return NULL;
        if (f->n)
            memcpy(items, f->items, f->n * sizeof *items);
        f->items = items;
        f->cap = cap;
    }
    return &f->items[f->n++];
}

/* A new finding of this row without a place yet; NULL when there are too many of them or no memory. */
static struct pap_finding *begin(struct run *r, const char *fmt, va_list ap) PAP_PRINTF(2, 0);
static struct pap_finding *begin(struct run *r, const char *fmt, va_list ap)
{
    r->last = NULL;
    if (++r->row_findings > LIMIT_FINDINGS_PER_ROW)
        return NULL; /* judge() says how many more there were */
    struct pap_finding *f = findings_add(r->arena, r->out);
    if (!f) {
        r->no_memory = true;
        return NULL;
    }
    bool sure = is_sure(r);
    *f = (struct pap_finding){
        .id = r->row->id,
        .severity = sure ? check_severity(r->row, r->plan->profile) : PAP_INFO,
        .provisional = !sure,
        .specification = spec_name(r->row->spec),
        .section = r->row->section,
        .title = r->row->title,
        .version = str_c(r->row->spec == SPEC_PAP ? version_of_section(r->row->section, r->bundle->version) : ""),
        .where = r->doc ? r->doc->name : S(""),
        .at = S(""),
        .mend = str_c(r->row->mend),
        .message = arena_vfmt(r->arena, fmt, ap),
    };
    if (!f->message.p) {
        f->message = S("");
        r->no_memory = true;
    }
    r->last = f;
    return f;
}

/* Both sides of a place in a line, without the user information of URLs. */
static void add_around(struct buf *b, struct pap_str line, size_t start, size_t at, uint32_t *ret_column)
{
    enum { NEAR = 1024 }; /* more than is shown: what is cut was masked before */
    char near[2 * NEAR];
    size_t from = at > NEAR ? at - NEAR : 0;
    struct pap_str s = str_take(str_skip(line, from), at - from + NEAR);
    if (s.n)
        memcpy(near, s.p, s.n);
    mask_users(near, s.n);
    utf8_add_visible(b, str(near + start - from, at - start), LIMIT_EXCERPT);
    *ret_column = (uint32_t)utf8_count(buf_str(b)) + 1;
    utf8_add_visible(b, str(near + at - from, s.n - (at - from)), LIMIT_EXCERPT - (at - start));
}

/* Line, column and the source line around them. */
static void put_place(struct run *r, struct pap_finding *f, size_t off)
{
    struct place p = place_of(r->doc->bytes, off);
    f->line = p.line;
    f->column = p.column;
    f->excerpt = S("");
    if (doc_may_hold_secret(r->doc))
        return; /* reports are pasted into tickets: the place must do */
    size_t start = 0;
    uint32_t skipped = 0;
    /* A long line is shown around the place: minified JSON is one line of many kilobytes. */
    size_t in_line = off < r->doc->bytes.n ? (size_t)(r->doc->bytes.p + off - p.text.p) : p.text.n;
    if (off < r->doc->bytes.n && r->doc->bytes.p + off < p.text.p)
        in_line = 0; /* at a byte order mark, which is no part of the line */
    if (in_line > p.text.n)
        in_line = p.text.n;
    while (in_line - start > LIMIT_EXCERPT / 2) {
        uint32_t code;
        size_t n = utf8_decode(str_skip(p.text, start), &code);
        start += n ? n : 1;
        skipped++;
    }
    struct buf b;
    buf_init(&b, r->arena->alloc, 8 * LIMIT_EXCERPT);
    add_around(&b, p.text, start, in_line, &f->excerpt_column);
    f->excerpt = buf_ok(&b) ? arena_str(r->arena, buf_str(&b)) : str(NULL, 0);
    if (!f->excerpt.p) {
        f->excerpt = S("");
        r->no_memory = true;
    }
    buf_fini(&b);
}

static void put_pointer(struct run *r, struct pap_finding *f, const struct json *node, const char *member)
{
    struct pap_str inside = json_pointer(r->arena, r->doc->root, node);
    if (!inside.p)
        inside = S("");
    f->at = arena_fmt(r->arena, "%.*s%s%s%s", PSTR(r->doc->prefix), whole(r, inside), member ? "/" : "",
                      member ? member : "");
    if (!f->at.p) {
        f->at = S("");
        r->no_memory = true;
    }
}

void find(struct run *r, const struct json *node, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct pap_finding *f = begin(r, fmt, ap);
    va_end(ap);
    if (!f || !node)
        return;
    put_pointer(r, f, node, NULL);
    put_place(r, f, node->off);
}

void find_key(struct run *r, const struct json *node, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct pap_finding *f = begin(r, fmt, ap);
    va_end(ap);
    if (!f)
        return;
    put_pointer(r, f, node, NULL);
    put_place(r, f, node->flags & JSON_HAS_KEY ? node->key_off : node->off);
}

void find_missing(struct run *r, const struct json *parent, const char *member, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct pap_finding *f = begin(r, fmt, ap);
    va_end(ap);
    if (!f)
        return;
    put_pointer(r, f, parent, member);
    put_place(r, f, parent->off);
}

void find_offset(struct run *r, size_t off, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct pap_finding *f = begin(r, fmt, ap);
    va_end(ap);
    if (f)
        put_place(r, f, off);
}

void find_header(struct run *r, const char *header, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct pap_finding *f = begin(r, fmt, ap);
    va_end(ap);
    if (f)
        f->at = arena_fmt(r->arena, "header %s", header);
    if (f && !f->at.p) {
        f->at = S("");
        r->no_memory = true;
    }
}

void find_entry(struct run *r, struct pap_str entry, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct pap_finding *f = begin(r, fmt, ap);
    va_end(ap);
    if (f)
        f->at = arena_fmt(r->arena, "entry %s", whole(r, entry));
    if (f && !f->at.p) {
        f->at = S("");
        r->no_memory = true;
    }
}

void find_inside(struct run *r, const struct pack_entry *entry, size_t off, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct pap_finding *f = begin(r, fmt, ap);
    va_end(ap);
    if (!f)
        return;
    struct place p = place_of(entry->data, off);
    f->line = p.line;
    f->column = p.column;
    f->at = arena_fmt(r->arena, "entry %s", whole(r, entry->name));
    if (!f->at.p) {
        f->at = S("");
        r->no_memory = true;
    }
}

void mend(struct run *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct pap_str text = r->last ? arena_vfmt(r->arena, fmt, ap) : S("");
    va_end(ap);
    if (!text.p)
        r->no_memory = true;
    else if (r->last)
        r->last->mend = text;
}

static const char *shown(struct run *r, struct pap_str s, size_t max, const char *quote)
{
    struct pap_str text = redacted_visible(r->arena, s, max, quote);
    if (!text.p)
        r->no_memory = true;
    return text.p ? text.p : "";
}

const char *q(struct run *r, struct pap_str s)
{
    return shown(r, s, LIMIT_QUOTE, "\"");
}

const char *whole(struct run *r, struct pap_str s)
{
    return shown(r, s, LIMIT_URL, "");
}

const char *qv(struct run *r, const struct json *node)
{
    if (!node)
        return "nothing";
    if (node->type == JSON_STRING)
        return q(r, json_str(node));
    if (node->type != JSON_NUMBER)
        return json_type_name(node);
    struct pap_str s = arena_fmt(r->arena, "the number %s", shown(r, json_str(node), 40, ""));
    if (!s.p)
        r->no_memory = true;
    return s.p ? s.p : "";
}

const char *difference(struct run *r, struct pap_str a, struct pap_str b)
{
    size_t at = str_first_difference(a, b);
    struct pap_str s;
    if (at == a.n || at == b.n) {
        struct pap_str more = str_skip(a.n > b.n ? a : b, at);
        s = arena_fmt(r->arena, "they are equal up to byte %zu, where the %s one goes on with %s", at,
                      a.n > b.n ? "first" : "second", q(r, more));
    } else {
        uint32_t code;
        size_t na = utf8_decode(str_skip(a, at), &code), nb = utf8_decode(str_skip(b, at), &code);
        s = arena_fmt(r->arena, "the first difference is at byte %zu: %s against %s", at + 1,
                      q(r, str_take(str_skip(a, at), na ? na : 1)), q(r, str_take(str_skip(b, at), nb ? nb : 1)));
    }
    if (!s.p)
        r->no_memory = true;
    return s.p ? s.p : "";
}
