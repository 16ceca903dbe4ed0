/* SPDX-License-Identifier: Apache-2.0
 *
 * Field rows: walking the pattern of a path, judging presence, type, format, length and choice, and telling which members
 * nobody reads.
 */
#include "base/limits.h"
#include "proto/check.h"
#include "text/similar.h"
#include "text/utf8.h"

/* Splits a pattern such as "/apis/ * /url" (without blanks) into its parts; returns how many. */
static unsigned split(const char *pattern, struct pap_str parts[static 16])
{
    struct pap_str rest = str_skip(str_c(pattern), 1), part;
    unsigned n = 0;
    while (n < 16 && pattern[0] && str_next(&rest, '/', &part))
        parts[n++] = part;
    return n;
}

static const struct json *first_match(const struct json *from, struct pap_str part)
{
    if (str_is(part, "*"))
        return from;
    while (from && !(from->flags & JSON_HAS_KEY && str_eq(json_key(from), part)))
        from = from->next;
    return from;
}

const struct json *path_next(const struct json *root, const char *pattern, struct path_walk *w)
{
    struct pap_str parts[16];
    unsigned n = split(pattern, parts);
    if (n == 0) {
        const struct json *hit = w->begun ? NULL : root;
        w->begun = true;
        return hit;
    }
    if (!w->begun) {
        w->begun = true;
        w->depth = 0;
        w->at[0] = root ? first_match(root->child, parts[0]) : NULL;
    } else {
        w->at[w->depth] = w->at[w->depth] ? first_match(w->at[w->depth]->next, parts[w->depth]) : NULL;
    }
    for (;;) {
        const struct json *here = w->at[w->depth];
        if (!here) {
            if (w->depth == 0)
                return NULL;
            w->depth--;
            w->at[w->depth] = first_match(w->at[w->depth]->next, parts[w->depth]);
        } else if (w->depth + 1 == n) {
            return here;
        } else {
            w->depth++;
            w->at[w->depth] = first_match(here->child, parts[w->depth]);
        }
    }
}

static const char *types_noun(unsigned types)
{
    static const struct {
        unsigned types;
        const char *noun;
    } nouns[] = {{T_STRING, "a string"},    {T_ARRAY, "an array"},  {T_OBJECT, "an object"},
                 {T_BOOL, "true or false"}, {T_NUMBER, "a number"}, {T_STRING | T_NUMBER, "a string"}};
    for (size_t i = 0; i < sizeof nouns / sizeof nouns[0]; i++)
        if (nouns[i].types == types)
            return nouns[i].noun;
    return "another type";
}

static const char *wanted(const struct field *f)
{
    return f->types == T_STRING && f->format ? format_noun(f->format) : types_noun(f->types);
}

/* "auth.issuer", "apis[0].url": how people write a place in a sentence. */
static const char *spoken(struct run *r, const struct json *parent, struct pap_str member)
{
    if (r->row_findings >= LIMIT_FINDINGS_PER_ROW)
        return ""; /* not shown; a pointer costs what stands before the node, so all of them would be quadratic */
    struct pap_str pointer = json_pointer(r->arena, r->doc->root, parent), part;
    struct buf b;
    buf_init(&b, r->arena->alloc, 4096);
    struct pap_str prefix = r->doc->prefix;
    for (int pass = 0; pass < 2; pass++) {
        struct pap_str rest = pass ? pointer : prefix;
        rest = rest.n ? str_skip(rest, 1) : str(NULL, 0);
        while (str_next(&rest, '/', &part)) {
            uint64_t number;
            bool index = str_to_u64(part, &number);
            buf_add(&b, index ? S("[") : b.n ? S(".") : S(""));
            utf8_add_visible(&b, part, 64);
            buf_add(&b, index ? S("]") : S(""));
        }
    }
    if (member.p) {
        buf_add(&b, b.n ? S(".") : S(""));
        utf8_add_visible(&b, member, 64);
    }
    const char *c = buf_ok(&b) ? arena_cstr(r->arena, b.n ? buf_str(&b) : S("the document")) : NULL;
    buf_fini(&b);
    if (!c)
        r->no_memory = true;
    return c ? c : "";
}

static bool is_scalar(const struct json *node)
{
    return node->type != JSON_ARRAY && node->type != JSON_OBJECT;
}

static bool one_of(const char *const *words, struct pap_str s)
{
    for (; *words; words++)
        if (str_is(s, *words))
            return true;
    return false;
}

static void judge_text(struct run *r, const struct field *f, const struct json *node)
{
    struct pap_str s = node->type == JSON_STRING ? json_str(node) : str(node->p, node->n);
    const char *why = "";
    if (!format_holds(f->format, s, &why)) {
        find(r, node, "%s is %s: %s%s; wanted is %s", spoken(r, node, str(NULL, 0)), q(r, s), format_lead(f->format),
             why, format_noun(f->format));
    } else if (f->max && utf8_count(str_trim(s)) > f->max) {
        find(r, node, "%s has %zu characters; at most %u are allowed", spoken(r, node, str(NULL, 0)),
             utf8_count(str_trim(s)), f->max);
    } else if (f->one_of && !one_of(f->one_of, s)) {
        find(r, node, "%s is %s; it must be \"%s\"", spoken(r, node, str(NULL, 0)), q(r, s), f->one_of[0]);
    }
}

static void judge_node(struct run *r, const struct field *f, const struct json *node)
{
    bool as_text = f->flags & F_SCALAR && f->types & T_STRING && is_scalar(node);
    if (!as_text && !(f->types & (1u << node->type))) {
        find(r, node, "%s is %s; wanted is %s", spoken(r, node, str(NULL, 0)), qv(r, node), wanted(f));
        return;
    }
    if (f->flags & F_NONEMPTY && !is_scalar(node) && !node->child)
        find(r, node, "%s is empty; at least one %s is needed", spoken(r, node, str(NULL, 0)),
             node->type == JSON_ARRAY ? "element" : "member");
    if (node->type == JSON_STRING || as_text)
        judge_text(r, f, node);
}

/* The parent's pattern and the last part of a path. */
static struct pap_str cut_last(const char *path, char parent[static 128])
{
    struct pap_str s = str_c(path);
    size_t slash = str_rfind_char(s, '/');
    size_t n = slash < 127 ? slash : 127;
    memcpy(parent, path, n);
    parent[n] = '\0';
    return str_skip(s, slash + 1);
}

static bool is_known(enum kind kind, const struct pap_str *parts, unsigned n, bool opaque);

/* A member that is spelled like the missing one is proposed, unless it is one that has a meaning of its own. */
static void say_missing(struct run *r, const struct field *f, const struct json *parent, struct pap_str member)
{
    struct similar near = {.distance = SIZE_MAX};
    struct pap_str parts[16];
    unsigned looked = 0, n = split(f->path, parts);
    find_missing(r, parent, member.p, "%s is missing; wanted is %s", spoken(r, parent, member), wanted(f));
    for (const struct json *c = r->last ? parent->child : NULL; c && looked++ < 64; c = c->next) {
        if (!(c->flags & JSON_HAS_KEY))
            continue;
        parts[n - 1] = json_key(c);
        if (!is_known(r->doc->kind, parts, n, false))
            similar_try(&near, member, json_key(c));
    }
    if (near.best.p && near.distance > 0)
        mend(r, "There is a member \"%s\": if it is the one, spell it \"%s\".", whole(r, near.best), whole(r, member));
}

/* Whether a row of the same check wants another type at the parent: then that is what is said, and nothing of its members. */
static bool parent_is_wrong(const struct run *r, const char *parent_path, const struct json *parent)
{
    for (const struct field *f = r->row->fields; f->path; f++)
        if (strcmp(f->path, parent_path) == 0)
            return !(f->types & (1u << parent->type));
    return false;
}

static void judge_field(struct run *r, const struct field *f)
{
    if (!f->path[0]) { /* the document itself */
        judge_node(r, f, r->doc->root);
        return;
    }
    char parent_path[128];
    struct pap_str member = cut_last(f->path, parent_path);
    struct path_walk w = {0};
    const struct json *parent;
    while ((parent = path_next(r->doc->root, parent_path, &w)) != NULL) {
        bool any = str_is(member, "*");
        if ((!any && parent->type != JSON_OBJECT) || parent_is_wrong(r, parent_path, parent))
            continue; /* said where the parent's own type is judged */
        bool found = false;
        json_each (node, parent) {
            if (any || str_eq(json_key(node), member)) {
                found = true;
                judge_node(r, f, node);
            }
        }
        if (!found && !any && f->flags & F_REQUIRED)
            say_missing(r, f, parent, member);
    }
}

void fields_judge(struct run *r)
{
    for (const struct field *f = r->row->fields; r->doc->root && f && f->path; f++)
        judge_field(r, f);
}

/* ---- which members are read ---- */

/* Whether the row reads the member with these parts or something below it; `opaque`: what lies below one of its members
 * counts too, although nobody looks at it. */
static bool covers(const struct field *f, const struct pap_str *parts, unsigned n, bool opaque)
{
    struct pap_str rest = f->path[0] ? str_skip(str_c(f->path), 1) : str(NULL, 0), want;
    for (unsigned i = 0; i < n; i++) {
        if (!str_next(&rest, '/', &want))
            return opaque && f->flags & F_OPAQUE;
        if (!str_is(want, "*") && !str_eq(want, parts[i]))
            return false;
    }
    return true;
}

/* The same over every row of the document's kind. */
static bool is_known(enum kind kind, const struct pap_str *parts, unsigned n, bool opaque)
{
    for (size_t t = 0; t < check_table_count; t++) {
        for (size_t i = 0; i < check_tables[t]->n; i++) {
            const struct check *c = &check_tables[t]->rows[i];
            if (c->kind != kind)
                break; /* a table is of one kind */
            for (const struct field *f = c->fields; f && f->path; f++)
                if (covers(f, parts, n, opaque))
                    return true;
        }
    }
    return false;
}

/* Every member and element below the root in document order, with the parts of its pointer. */
struct tree_walk {
    const struct json *at[LIMIT_JSON_DEPTH + 1];
    struct pap_str parts[LIMIT_JSON_DEPTH + 1];
    unsigned n; /* parts of the node that was given last */
};

static const struct json *tree_next(const struct json *root, struct tree_walk *w, bool go_below)
{
    const struct json *next = w->n == 0 ? root->child : go_below ? w->at[w->n - 1]->child : NULL;
    while (!next && w->n > 0)
        next = w->at[--w->n]->next;
    if (!next)
        return NULL;
    w->parts[w->n] = next->flags & JSON_HAS_KEY ? json_key(next) : S("*");
    w->at[w->n++] = next;
    return next;
}

void fields_unknown(struct run *r, void (*each)(struct run *r, const struct json *node))
{
    struct tree_walk w = {.n = 0};
    bool known = true;
    const struct json *node;
    while (r->doc->root && (node = tree_next(r->doc->root, &w, known)) != NULL) {
        known = is_known(r->doc->kind, w.parts, w.n, true);
        if (!known)
            each(r, node);
    }
}

void fields_duplicate(struct run *r, bool read, void (*each)(struct run *r, const struct json *node))
{
    struct tree_walk w = {.n = 0};
    const struct json *node;
    while (r->doc->root && (node = tree_next(r->doc->root, &w, true)) != NULL) {
        /* The index inside poppy.json is a document of its own. */
        bool inside = r->doc->kind == KIND_POPPY && w.n > 1 && str_is(w.parts[0], "skill_index");
        if (node->flags & JSON_DUPLICATE &&
            is_known(inside ? KIND_INDEX : r->doc->kind, w.parts + inside, w.n - inside, false) == read)
            each(r, node);
    }
}
