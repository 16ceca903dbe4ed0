/* SPDX-License-Identifier: Apache-2.0 */
#include "report/format.h"
#include "report/record_members.h"

enum { IDS_MOST = 1000 }; /* of rules that are not ours any more, in one record; each is compared with all */

struct reading {
    struct arena *arena;
    record_find *find;
    void *ctx;
    struct pap_err *err;
    struct record *record;
    const char **strange_ids; /* interned: formats compare ids as pointers */
    size_t n_strange_ids;
};

static pap_result damaged(struct reading *r, const char *what)
{
    return fail(r->err, PAP_SYNTAX, "a record is damaged: %s", what);
}

static bool to_int(const struct json *j, int64_t least, int64_t most, int64_t *ret)
{
    uint64_t u;
    struct pap_str s = json_is(j, JSON_NUMBER) ? json_str(j) : S("");
    bool minus = str_starts(s, S("-"));
    if (!str_to_u64(str_skip(s, minus), &u) || u > INT64_MAX)
        return false;
    *ret = minus ? -(int64_t)u : (int64_t)u;
    return *ret >= least && *ret <= most;
}

static bool hex_text(struct reading *r, struct pap_str hex, struct pap_str *ret)
{
    char *to = hex.n % 2 ? NULL : arena_text(r->arena, hex.n / 2 + 1);
    for (size_t i = 0; to && i < hex.n; i += 2) {
        int high = ascii_hex(hex.p[i]), low = ascii_hex(hex.p[i + 1]);
        if (high < 0 || low < 0)
            return false;
        to[i / 2] = (char)(high << 4 | low);
    }
    *ret = str(to, hex.n / 2);
    return to;
}

static bool to_str(struct reading *r, const struct json *j, struct pap_str *ret)
{
    if (json_is(j, JSON_OBJECT))
        return json_is(json_get_c(j, "hex"), JSON_STRING) && hex_text(r, json_str(json_get_c(j, "hex")), ret);
    *ret = json_is(j, JSON_STRING) ? json_str(j) : str(NULL, 0);
    if (json_is(j, JSON_STRING) && !ret->p)
        *ret = S("");
    return json_is(j, JSON_STRING) || json_is(j, JSON_NULL);
}

static bool to_word(const struct member *m, const struct json *j, unsigned *ret)
{
    for (unsigned v = m->first; v < m->end; v++) {
        const char *word = m->word(v);
        if (word ? json_is(j, JSON_STRING) && str_is(json_str(j), word) : json_is(j, JSON_NULL)) {
            *ret = v;
            return true;
        }
    }
    return false;
}

static bool read_number(const struct member *m, const struct json *j, char *to)
{
    int64_t most = m->type == MEMBER_U32 ? UINT32_MAX : m->type == MEMBER_INT ? INT32_MAX : INT64_MAX, v;
    if (!to_int(j, m->type == MEMBER_I64 ? INT64_MIN + 1 : 0, most, &v))
        return false;
    if (m->type == MEMBER_INT)
        *(int *)(void *)to = (int)v;
    else if (m->type == MEMBER_U32)
        *(uint32_t *)(void *)to = (uint32_t)v;
    else if (m->type == MEMBER_SIZE)
        *(size_t *)(void *)to = (size_t)v;
    else
        *(int64_t *)(void *)to = v;
    return true;
}

static bool read_member(struct reading *r, const struct member *m, const struct json *j, char *to)
{
    switch (m->type) {
    case MEMBER_STR:
        return to_str(r, j, (struct pap_str *)(void *)to);
    case MEMBER_TEXT:
        return json_is(j, JSON_STRING) && (*(const char **)(void *)to = arena_cstr(r->arena, json_str(j)));
    case MEMBER_BOOL:
        *(bool *)to = json_is(j, JSON_TRUE);
        return json_is(j, JSON_TRUE) || json_is(j, JSON_FALSE);
    case MEMBER_WORD:
        return to_word(m, j, (unsigned *)(void *)to);
    case MEMBER_INT:
    case MEMBER_U32:
    case MEMBER_I64:
    case MEMBER_SIZE:
        break;
    }
    return read_number(m, j, to);
}

static pap_result read_members(struct reading *r, const struct json *j, const struct member *rows, void *to)
{
    for (; rows->name; rows++)
        if (!read_member(r, rows, json_get_c(j, rows->name), (char *)to + rows->at))
            return damaged(r, rows->name);
    return OK;
}

/* A list and its length. */
static pap_result list_of(struct reading *r, const struct json *j, const char *name, const struct json **ret)
{
    *ret = json_get_c(j, name);
    return json_is(*ret, JSON_ARRAY) ? OK : damaged(r, name);
}

static pap_result read_body(struct reading *r, const struct json *j, const char *name, struct pap_str *ret)
{
    struct pap_str body = S(""), called;
    if (!to_str(r, json_get_c(j, name), &called))
        return damaged(r, name);
    if (called.p) {
        TRY(r->find(r->ctx, called, &body, r->err));
        *ret = body.p ? body : S("");
    }
    return OK;
}

/* A value that was dropped is as long as it was, which is all that a report says of it. */
static pap_result read_header(struct reading *r, const struct json *j, struct header *ret)
{
    int64_t n;
    if (!to_str(r, json_get_c(j, "name"), &ret->name))
        return damaged(r, "the name of a header field");
    if (json_get_c(j, "value"))
        return to_str(r, json_get_c(j, "value"), &ret->value) ? OK : damaged(r, "the value of a header field");
    if (!to_int(json_get_c(j, "hidden"), 0, LIMIT_HEADERS, &n))
        return damaged(r, "the length of a header field");
    char *stars = arena_text(r->arena, (size_t)n + 1);
    if (!stars)
        return fail_memory(r->err);
    memset(stars, '*', (size_t)n);
    ret->value = str(stars, (size_t)n);
    return OK;
}

static pap_result read_hop(struct reading *r, const struct json *j, struct hop *ret)
{
    const struct json *list;
    TRY(read_members(r, j, record_hop_members, ret));
    TRY(list_of(r, j, "headers", &list));
    ret->headers = arena_new_array(r->arena, list->n, struct header);
    if (!ret->headers)
        return fail_memory(r->err);
    json_each (h, list)
        TRY(read_header(r, h, &ret->headers[ret->n_headers++]));
    return OK;
}

static pap_result read_exchange(struct reading *r, const struct json *j, const struct exchange **ret)
{
    const struct json *list;
    struct exchange *x = arena_new(r->arena, struct exchange);
    if (!x)
        return fail_memory(r->err);
    TRY(read_members(r, j, record_exchange_members, x));
    TRY(read_body(r, j, "body", &x->body));
    TRY(list_of(r, j, "hops", &list));
    x->hops = arena_new_array(r->arena, list->n, struct hop);
    if (!x->hops)
        return fail_memory(r->err);
    json_each (h, list)
        TRY(read_hop(r, h, &x->hops[x->n_hops++]));
    *ret = x;
    return OK;
}

static pap_result read_document(struct reading *r, const struct json *j)
{
    struct bundle *b = &r->record->bundle;
    struct doc d = {0}, *first = b->docs;
    const struct json *x = json_get_c(j, "exchange");
    int64_t at;
    TRY(read_members(r, j, record_document_members, &d));
    TRY(read_body(r, j, "bytes", &d.bytes));
    if (json_is(x, JSON_OBJECT)) {
        TRY(read_exchange(r, x, &d.exchange));
    } else if (!json_is(x, JSON_NULL)) {
        if (!to_int(x, 0, (int64_t)b->n_docs - 1, &at))
            return damaged(r, "exchange");
        while (at--)
            first = first->next;
        d.exchange = first->exchange;
    }
    return bundle_add(b, r->arena, d) ? OK : fail_memory(r->err);
}

static pap_result read_bundle(struct reading *r, const struct json *j)
{
    struct bundle *b = &r->record->bundle;
    const struct json *list, *version = json_get_c(j, "version");
    TRY(read_members(r, j, record_bundle_members, b));
    b->version = version_find(json_str(version));
    if (!b->version && !json_is(version, JSON_NULL))
        return damaged(r, "version");
    TRY(list_of(r, j, "documents", &list));
    json_each (d, list)
        TRY(read_document(r, d));
    return OK;
}

/* The row's own text where there is still such a row. */
static pap_result intern_id(struct reading *r, const char **id)
{
    const struct check *c = check_find(str_c(*id));
    for (size_t i = 0; !c && i < r->n_strange_ids; i++)
        if (str_is(str_c(*id), r->strange_ids[i])) {
            *id = r->strange_ids[i];
            return OK;
        }
    if (c)
        *id = c->id;
    else if (r->n_strange_ids < IDS_MOST)
        r->strange_ids[r->n_strange_ids++] = *id;
    else
        return damaged(r, "it names rules that nobody knows");
    return OK;
}

static pap_result read_findings(struct reading *r, const struct json *j)
{
    const struct json *list;
    struct report_target *t = &r->record->target;
    TRY(list_of(r, j, "findings", &list));
    struct pap_finding *f = arena_new_array(r->arena, list->n, struct pap_finding);
    r->strange_ids = arena_new_array(r->arena, list->n < IDS_MOST ? list->n : IDS_MOST, const char *);
    if (!f || !r->strange_ids)
        return fail_memory(r->err);
    t->findings = f;
    json_each (one, list) {
        TRY(read_members(r, one, record_finding_members, f));
        TRY(intern_id(r, &f->id));
        f++;
    }
    t->n_findings = list->n;
    return OK;
}

pap_result record_read(struct arena *a, struct pap_str text, record_find *bodies, void *ctx, struct record **ret,
                       struct pap_err *err)
{
    struct reading r = {.arena = a, .find = bodies, .ctx = ctx, .err = err};
    struct json *root;
    struct notes notes = {0};
    int64_t version;
    TRY(json_read(a, text, &root, &notes));
    if (!root || !to_int(json_get_c(root, "record"), 1, INT32_MAX, &version))
        return fail(err, PAP_SYNTAX, "this is not a record");
    if (version != RECORD_VERSION)
        return fail(err, PAP_SYNTAX, "a record is of version %lld; this papaver reads %d", (long long)version,
                    RECORD_VERSION);
    r.record = arena_new(a, struct record);
    if (!r.record)
        return fail_memory(err);
    TRY(read_members(&r, root, record_target_members, &r.record->target));
    TRY(read_bundle(&r, root));
    TRY(read_findings(&r, root));
    r.record->target.bundle = &r.record->bundle;
    *ret = r.record;
    return OK;
}
