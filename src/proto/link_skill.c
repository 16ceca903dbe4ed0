/* SPDX-License-Identifier: Apache-2.0
 *
 * What skills name against what the company offers: code spans such as `GET /poppy/orders`, `orders:write` and `my_orders`.
 * A word that stands anywhere in poppy.json or an API description counts as known, and so do the protocol's own words, so
 * that names of fields and errors are not taken for tools.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "proto/links.h"
#include "text/similar.h"
#include "text/uri.h"

enum { MOST_WORDS = 200000 };

struct words {
    struct pap_str *items; /* sorted */
    size_t n;
};

static int compare(const void *a, const void *b)
{
    return str_cmp(*(const struct pap_str *)a, *(const struct pap_str *)b);
}

static bool has(const struct words *w, struct pap_str s)
{
    return w->n && bsearch(&s, w->items, w->n, sizeof s, compare);
}

static bool is_offer(const struct doc *d)
{
    return d->root && (d->kind == KIND_OPENAPI || d->kind == KIND_METADATA || (d->kind == KIND_POPPY && d->role == ROLE_MAIN));
}

/* Walks a tree without recursion by a stack of positions. */
struct tree_walk {
    const struct json *stack[LIMIT_JSON_DEPTH + 1];
    unsigned depth;
};

static const struct json *tree_next(struct tree_walk *w, const struct json *at)
{
    if (at->child && w->depth < LIMIT_JSON_DEPTH) {
        w->stack[w->depth++] = at;
        return at->child;
    }
    while (at && !at->next)
        at = w->depth ? w->stack[--w->depth] : NULL;
    return at ? at->next : NULL;
}

static size_t collect(const struct doc *d, struct pap_str *items, size_t n, size_t most)
{
    struct tree_walk w = {.depth = 0};
    for (const struct json *j = d->root->child; j && n + 2 <= most; j = tree_next(&w, j)) {
        if (j->flags & JSON_HAS_KEY)
            items[n++] = json_key(j);
        if (j->type == JSON_STRING)
            items[n++] = json_str(j);
    }
    return n;
}

static size_t count_nodes(const struct bundle *b)
{
    size_t n = 0;
    for (const struct doc *d = b->docs; d; d = d->next) {
        struct tree_walk w = {.depth = 0};
        for (const struct json *j = is_offer(d) ? d->root->child : NULL; j && n < MOST_WORDS; j = tree_next(&w, j))
            n += 2;
    }
    return n < MOST_WORDS ? n : MOST_WORDS;
}

/* Every member name and string of poppy.json, metadata and API descriptions. */
static bool words_of(struct run *r, struct words *ret)
{
    size_t most = count_nodes(r->bundle), n = 0;
    struct pap_str *items = arena_new_array(r->arena, most + 2, struct pap_str);
    if (!items) {
        r->no_memory = true;
        return false;
    }
    for (const struct doc *d = r->bundle->docs; d; d = d->next)
        if (is_offer(d))
            n = collect(d, items, n, most);
    if (n)
        qsort(items, n, sizeof *items, compare);
    *ret = (struct words){items, n};
    return true;
}

/* Errors and members of the protocol and of OAuth that skills speak of. Add a row when a text of the protocol adds one. */
static const char *const protocol_words[] = {
    "access_denied", "account_mismatch", "agent_id", "approval_required", "approved_by", "authorization_pending", "client_id",
    "conversation_closed", "conversation_id", "conversation_not_found", "cursor_expired", "direct_conversation_open",
    "expired_token", "expires_at", "extension_required", "insufficient_scope", "invalid_client", "invalid_cursor",
    "invalid_dpop_proof", "invalid_grant", "invalid_request", "invalid_scope", "invalid_session", "invalid_target",
    "invalid_token", "message_id_conflict", "operation_id", "poppy_domains", "poppy_dlg", "poppy:browser-sign-in", "poppy:read",
    "poppy:write", "rate_limited", "session_id", "sign_in_required", "signed_in", "skill_index", "slow_down",
    "standing_permission", "unsupported_grant_type", "use_dpop_nonce", "user_approval_required",
};

static bool is_protocol_word(struct pap_str s)
{
    for (size_t i = 0; i < sizeof protocol_words / sizeof protocol_words[0]; i++)
        if (str_is(s, protocol_words[i]))
            return true;
    return false;
}

/* ---- walking the skills ---- */

static void each_span(struct run *r, void (*each)(struct run *r, const struct span *s, void *ctx), void *ctx)
{
    for (const struct doc *d = r->bundle->docs; d && !r->no_memory; d = d->next) {
        struct span_walk w = {0};
        struct span s;
        if (d->kind != KIND_SKILL || !d->skill.body.p)
            continue;
        r->doc = d;
        while (span_next(&d->skill, &w, &s))
            if (s.type == SPAN_CODE)
                each(r, &s, ctx);
    }
}

static bool has_api(const struct bundle *b, const char *type)
{
    const struct doc *p = bundle_doc(b, KIND_POPPY, ROLE_MAIN);
    json_each (api, json_get_c(p ? p->root : NULL, "apis"))
        if (str_is(json_str(json_get_c(api, "type")), type))
            return true;
    return false;
}

static bool has_openapi(const struct bundle *b)
{
    for (const struct doc *d = b->docs; d; d = d->next)
        if (d->kind == KIND_OPENAPI && json_is(json_get_c(d->root, "paths"), JSON_OBJECT))
            return true;
    return false;
}

static void propose(struct run *r, const struct similar *near)
{
    if (near->best.p)
        mend(r, "Did you mean `%s`?", whole(r, near->best));
}

/* ---- paths ---- */

static bool is_method(struct pap_str s)
{
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (str_is(s, methods[i]))
            return true;
    return false;
}

/* "/orders/{id}" fits "/orders/{order_id}" and "/orders/42". */
static bool path_fits(struct pap_str path, struct pap_str template)
{
    struct pap_str a, b;
    path = str_skip(path, 1);
    template = str_skip(template, 1);
    for (;;) {
        bool more_a = str_next(&path, '/', &a), more_b = str_next(&template, '/', &b);
        if (!more_a || !more_b)
            return more_a == more_b;
        bool variable = str_starts(b, S("{")) && str_ends(b, S("}")) && a.n > 0;
        if (!variable && !str_eq(a, b))
            return false;
    }
}

/* The path of servers[0] stands before the paths of the document ("" when there is none). */
static struct pap_str server_path(const struct doc *d)
{
    const struct json *url = json_at(d->root, "/servers/0/url");
    struct uri u;
    size_t at;
    const char *why;
    if (!json_is(url, JSON_STRING) || !uri_parse(json_str(url), &u, &at, &why))
        return S("");
    return str_ends(u.path, S("/")) ? str_take(u.path, u.path.n - 1) : u.path;
}

struct path_search {
    struct pap_str method, path;
    bool found, other_method;
    struct similar near;
};

static void search_document(struct run *r, const struct doc *d, struct path_search *s)
{
    struct pap_str before = server_path(d);
    json_each (p, json_get_c(d->root, "paths")) {
        struct pap_str full = before.n ? arena_fmt(r->arena, "%.*s%.*s", PSTR(before), PSTR(json_key(p))) : json_key(p);
        if (!full.p) {
            r->no_memory = true;
            return;
        }
        similar_try(&s->near, s->path, full);
        if (!path_fits(s->path, full) && !path_fits(s->path, json_key(p)))
            continue;
        json_each (operation, p)
            s->found |= str_eq_nocase(json_key(operation), s->method);
        s->other_method = true;
    }
}

static void judge_path(struct run *r, const struct span *span, void *ctx)
{
    size_t blank = str_find_char(span->text, ' ');
    struct path_search s = {.method = str_take(span->text, blank), .near = {.distance = SIZE_MAX}};
    (void)ctx;
    s.path = str_trim(str_skip(span->text, blank));
    s.path = str_take(s.path, str_find_char(s.path, '?'));
    if (!is_method(s.method) || !str_starts(s.path, S("/")) || str_find_char(s.path, ' ') < s.path.n)
        return;
    for (const struct doc *d = r->bundle->docs; d && !s.found; d = d->next)
        if (d->kind == KIND_OPENAPI && json_is(json_get_c(d->root, "paths"), JSON_OBJECT))
            search_document(r, d, &s);
    if (s.found)
        return;
    if (s.other_method) {
        find_offset(r, span->off, "the skill names %s, but the API description has this path for other methods only",
                    q(r, span->text));
        return;
    }
    find_offset(r, span->off, "the skill names %s, but no API description has this path", q(r, span->text));
    propose(r, &s.near);
}

void skill_paths_exist(struct run *r)
{
    if (has_openapi(r->bundle))
        each_span(r, judge_path, NULL);
}

/* ---- scopes ---- */

static bool looks_like_scope(struct pap_str s)
{
    size_t colon = str_find_char(s, ':');
    if (colon == 0 || colon + 1 >= s.n || s.n > 64 || !ascii_is_alpha(s.p[0]) || str_starts(s, S("sha256:")))
        return false;
    bool letter_behind = false;
    for (size_t i = 0; i < s.n; i++) {
        bool ok = (s.p[i] >= 'a' && s.p[i] <= 'z') || ascii_is_digit(s.p[i]) || s.p[i] == '_' || s.p[i] == '-' || s.p[i] == '.' ||
                  i == colon;
        letter_behind |= i > colon && ascii_is_alpha(s.p[i]);
        if (!ok)
            return false;
    }
    return letter_behind; /* localhost:8080 is none */
}

static void judge_scope(struct run *r, const struct span *span, void *ctx)
{
    const struct words *w = ctx;
    struct similar near = {.distance = SIZE_MAX};
    if (!looks_like_scope(span->text) || has(w, span->text) || is_protocol_word(span->text))
        return;
    for (size_t i = 0; i < w->n; i++)
        if (looks_like_scope(w->items[i]))
            similar_try(&near, span->text, w->items[i]);
    find_offset(r, span->off, "the skill names the scope %s, which neither poppy.json nor an API description offers",
                q(r, span->text));
    propose(r, &near);
}

void skill_scopes_exist(struct run *r)
{
    struct words w;
    if (json_get_c(bundle_doc(r->bundle, KIND_POPPY, ROLE_MAIN) ? bundle_doc(r->bundle, KIND_POPPY, ROLE_MAIN)->root : NULL,
                   "auth") && words_of(r, &w))
        each_span(r, judge_scope, &w);
}

/* ---- tools ---- */

/* snake_case of at least two parts: what operations and tools are called. */
static bool looks_like_tool(struct pap_str s)
{
    bool underscore = false;
    for (size_t i = 0; i < s.n; i++) {
        bool inner = s.p[i] == '_' && i > 0 && i + 1 < s.n;
        if (!(s.p[i] >= 'a' && s.p[i] <= 'z') && !ascii_is_digit(s.p[i]) && !inner)
            return false;
        underscore |= inner;
    }
    return underscore && s.n <= 64;
}

struct tool_search {
    struct words words;
    bool only_near; /* MCP servers have tools that are not known here: only a near miss is telling */
};

static void judge_tool(struct run *r, const struct span *span, void *ctx)
{
    const struct tool_search *s = ctx;
    struct similar near = {.distance = SIZE_MAX};
    if (!looks_like_tool(span->text) || has(&s->words, span->text) || is_protocol_word(span->text))
        return;
    for (const struct doc *d = r->bundle->docs; d; d = d->next) {
        struct path_walk w = {0};
        const struct json *id;
        while (d->kind == KIND_OPENAPI && (id = path_next(d->root, "/paths/*/*/operationId", &w)) != NULL)
            similar_try(&near, span->text, json_str(id));
    }
    if (s->only_near && !near.best.p)
        return;
    find_offset(r, span->off, "the skill names %s, which no API description knows", q(r, span->text));
    propose(r, &near);
}

void skill_tools_exist(struct run *r)
{
    struct tool_search s = {.only_near = has_api(r->bundle, "mcp")};
    if (has_openapi(r->bundle) && words_of(r, &s.words))
        each_span(r, judge_tool, &s);
}
