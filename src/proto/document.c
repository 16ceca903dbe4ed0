/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/document.h"

#include "base/limits.h"
#include "text/httpval.h"

/* A span takes 40 bytes and may be three bytes of a text: the first ones of a hostile text are enough. */
enum { SPANS_MOST = 16384 };

static pap_result keep_spans(struct arena *a, struct doc *d)
{
    struct span_walk w = {0};
    size_t n = 0;
    struct span found;
    const struct span **end = &d->spans;
    d->spans = NULL;
    while (d->skill.body.p && n++ < SPANS_MOST && span_next(&d->skill, &w, &found)) {
        struct span *s = arena_new(a, struct span);
        if (!s)
            return fail_memory(NULL);
        *s = found;
        *end = s;
        end = &s->next;
    }
    return OK;
}

pap_result doc_read(struct arena *a, struct doc *d)
{
    if (!d->bytes.p)
        return OK;
    switch (kind_row(d->kind)->reader) {
    case READ_JSON: {
        if (d->kind == KIND_OPENAPI && doc_is_yaml(d))
            return OK;
        struct json *root = NULL;
        TRY(json_read(a, d->bytes, &root, &d->notes));
        d->root = root;
        return OK;
    }
    case READ_SKILL:
        TRY(skillmd_read(a, d->bytes, &d->skill, &d->notes));
        d->root = d->skill.root;
        return keep_spans(a, d);
    case READ_PACK:
        if (str_starts(str_trim(d->bytes), S("<")) &&
            !note_add(&d->notes, a, (struct note){.code = NOTE_HTML, .fatal = true}))
            return fail_memory(NULL);
        return pack_read(a, d->bytes, pack_sniff(d->bytes), &pack_limits_default, &d->pack);
    case READ_NONE:
        break;
    }
    return OK;
}

bool doc_is_yaml(const struct doc *d)
{
    static const char *const starts[] = {"openapi:", "swagger:", "---", "%YAML", "#"};
    struct pap_str text = str_trim(str_starts(d->bytes, S("\xef\xbb\xbf")) ? str_skip(d->bytes, 3) : d->bytes);
    struct pap_str name = str_take(d->name, str_find_char(d->name, '?')), type = {0}, params;
    if (text.n == 0 || text.p[0] == '{' || text.p[0] == '[' || text.p[0] == '<')
        return false; /* JSON or a page, whatever it is called */
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (str_starts(text, str_c(starts[i])))
            return true;
    bool typed = media_type_parse(hop_header(exchange_last(d->exchange), "Content-Type"), &type, &params);
    return str_ends(name, S(".yaml")) || str_ends(name, S(".yml")) || (typed && str_find(type, S("yaml")) < type.n);
}

/* \u0040 to \u007f: nobody needs to escape a letter, so one that is may be part of a name that is looked for. */
static bool has_escaped_letter(struct pap_str text)
{
    size_t at;
    while ((at = str_find_char(text, '\\')) < text.n) {
        text = str_skip(text, at + 1);
        if (str_starts(text, S("u00")) && text.n > 3 && text.p[3] >= '4' && text.p[3] <= '7')
            return true;
        text = str_skip(text, 1); /* what is escaped: the second backslash of a pair begins nothing */
    }
    return false;
}

bool may_hold_secret(struct pap_str text)
{
    /* By the bytes and not by a tree, because a text that could not be read is shown, too. Every key has a "kty". */
    return str_find(text, S("\"kty\"")) < text.n || str_find(text, S("\"client_secret\"")) < text.n ||
           str_find(text, S("PRIVATE KEY-----")) < text.n || has_escaped_letter(text);
}

bool doc_may_hold_secret(const struct doc *d)
{
    return d->kind == KIND_JWKS || may_hold_secret(d->bytes);
}

struct doc *bundle_add(struct bundle *b, struct arena *a, struct doc d)
{
    struct doc *p = arena_new(a, struct doc);
    if (!p)
        return NULL;
    *p = d;
    p->next = NULL;
    if (b->last)
        b->last->next = p;
    else
        b->docs = p;
    b->last = p;
    b->n_docs++;
    if (d.kind == KIND_ARCHIVE)
        b->unpacked += d.pack.unpacked + d.pack.n_entries * LIMIT_ARCHIVE_CHARGE;
    return p;
}

bool bundle_may_unpack(const struct bundle *b)
{
    return b->unpacked < LIMIT_CHECK_UNPACKED;
}

pap_result doc_also(struct arena *a, struct doc *d, const struct doc *from, const struct json *node)
{
    struct naming *n = arena_new(a, struct naming);
    if (!n)
        return fail_memory(NULL);
    *n = (struct naming){.from = from, .node = node};
    struct naming **end = d->also_end ? d->also_end : &d->also;
    *end = n;
    d->also_end = &n->next;
    return OK;
}

static pap_result add_embedded_index(struct bundle *b, struct arena *a, struct doc *d)
{
    const struct json *index = json_get_c(d->root, "skill_index");
    if (!json_is(index, JSON_OBJECT))
        return OK;
    struct doc inside = {.kind = KIND_INDEX,
                         .role = ROLE_EMBEDDED,
                         .name = d->name,
                         .base = d->base,
                         .bytes = d->bytes,
                         .root = index,
                         .prefix = S("/skill_index"),
                         .from = d,
                         .from_node = index,
                         .has_file = d->has_file,
                         .has_file_ctx = d->has_file_ctx};
    return bundle_add(b, a, inside) ? OK : fail_memory(NULL);
}

static enum has_file in_archive(const struct doc *d, struct pap_str path)
{
    for (const struct pack_entry *e = d->from->pack.entries; e; e = e->next) {
        if (str_eq(e->name, path) && e->type == PACK_FILE)
            return e->facts & PACK_F_EXEC ? HAS_EXECUTABLE : HAS_PLAIN;
        if (str_starts(e->name, path) && e->name.n > path.n && e->name.p[path.n] == '/')
            return HAS_FOLDER;
    }
    return HAS_NOT;
}

static pap_result add_skill_inside(struct bundle *b, struct arena *a, struct doc *d)
{
    if (d->pack.fault != PACK_WHOLE)
        return OK;
    for (const struct pack_entry *e = d->pack.entries; e; e = e->next) {
        if (e->type != PACK_FILE || !str_is(e->name, "SKILL.md"))
            continue;
        struct doc inside = {.kind = KIND_SKILL,
                             .role = ROLE_INSIDE,
                             .bytes = e->data,
                             .from = d,
                             .from_node = d->from_node,
                             .has_file = in_archive};
        inside.name = arena_fmt(a, "%.*s!SKILL.md", PSTR(d->name));
        if (!inside.name.p)
            return fail_memory(NULL);
        if (!inside.bytes.p)
            inside.bytes = S("");
        TRY(doc_read(a, &inside));
        return bundle_add(b, a, inside) ? OK : fail_memory(NULL);
    }
    return OK;
}

pap_result bundle_add_inside(struct bundle *b, struct arena *a, struct doc *d)
{
    if (d->kind == KIND_POPPY && d->role == ROLE_MAIN)
        return add_embedded_index(b, a, d);
    if (d->kind == KIND_ARCHIVE)
        return add_skill_inside(b, a, d);
    return OK;
}

const struct doc *bundle_any(const struct bundle *b, enum kind kind, enum role role)
{
    for (const struct doc *d = b->docs; d; d = d->next)
        if (d->kind == kind && d->role == role)
            return d;
    return NULL;
}

const struct doc *bundle_doc(const struct bundle *b, enum kind kind, enum role role)
{
    for (const struct doc *d = b->docs; d; d = d->next)
        if (d->kind == kind && d->role == role && d->root)
            return d;
    return NULL;
}

const struct doc *bundle_named_by(const struct bundle *b, const struct json *node, enum kind kind)
{
    for (const struct doc *d = b->docs; d; d = d->next) {
        if (d->kind != kind)
            continue;
        if (d->from_node == node)
            return d;
        for (const struct naming *n = d->also; n; n = n->next)
            if (n->node == node)
                return d;
    }
    return NULL;
}

static bool is_published(const struct bundle *b, enum kind kind, enum role role)
{
    const struct doc *d = bundle_doc(b, kind, role);
    return d && json_is(d->root, JSON_OBJECT) && kind_of_content(S(""), d->root) == kind;
}

bool bundle_is_published(const struct bundle *b)
{
    return is_published(b, KIND_POPPY, ROLE_MAIN) || is_published(b, KIND_INDEX, ROLE_WELL_KNOWN);
}

bool bundle_has_before(const struct bundle *b, const struct doc *d)
{
    if (d->role != ROLE_ARTIFACT && d->role != ROLE_INSIDE)
        return false;
    for (const struct doc *e = b->docs; e && e != d; e = e->next)
        if (e->kind == d->kind && e->role == d->role && e->exchange == d->exchange && str_eq(e->name, d->name))
            return true;
    return false;
}

/* The highest version we know in a list whose exact shape is not public: an array of strings is what is mentioned. */
static const struct version *highest_known(const struct json *list)
{
    const struct version *best = NULL;
    json_each (v, json_is(list, JSON_ARRAY) ? list : NULL) {
        const struct version *known = version_find(json_str(v));
        if (known && (!best || known->bit > best->bit))
            best = known;
    }
    return best;
}

void bundle_choose_version(struct bundle *b, const struct version *forced)
{
    const struct doc *poppy = bundle_doc(b, KIND_POPPY, ROLE_MAIN);
    const struct json *one = json_get_c(poppy ? poppy->root : NULL, "protocol_version");
    const struct json *list = json_get_c(poppy ? poppy->root : NULL, "protocol_versions");
    const struct version *stated = json_is(one, JSON_STRING) ? version_nearest(json_str(one)) : NULL;
    if (!stated && !one)
        stated = highest_known(list);
    b->version_forced = forced != NULL;
    b->version_stated = stated != NULL;
    b->version = forced ? forced : stated ? stated : &version_rows[0];
}
