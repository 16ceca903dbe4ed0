/* SPDX-License-Identifier: Apache-2.0
 *
 * What skills name against what the company offers: code spans such as `GET /poppy/orders`, `orders:write` and `my_orders`.
 * A word that stands anywhere in poppy.json or an API description counts as known, and so do the protocol's own words; a
 * code span may as well be a field that no description lists, so one is reported only where something tells that a scope or
 * a tool was meant. Skills and descriptions are hostile: the numbers below bound the work.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "proto/links.h"

enum {
    MOST_WORDS = 400000, /* of all documents; with more, nothing can be called unknown */
    MOST_UNKNOWN = 300,  /* such names of a row */
    NEAR = 2             /* edits of a typing error */
};

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
    return d->root &&
           (d->kind == KIND_OPENAPI || d->kind == KIND_METADATA || (d->kind == KIND_POPPY && d->role == ROLE_MAIN));
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
    if (most == MOST_WORDS)
        return false;
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
static const char *const protocol_words[] = {"access_denied",
                                             "account_mismatch",
                                             "agent_id",
                                             "approval_required",
                                             "approved_by",
                                             "authorization_pending",
                                             "client_id",
                                             "conversation_closed",
                                             "conversation_id",
                                             "conversation_not_found",
                                             "cursor_expired",
                                             "direct_conversation_open",
                                             "expired_token",
                                             "expires_at",
                                             "extension_required",
                                             "insufficient_scope",
                                             "invalid_client",
                                             "invalid_cursor",
                                             "invalid_dpop_proof",
                                             "invalid_grant",
                                             "invalid_request",
                                             "invalid_scope",
                                             "invalid_session",
                                             "invalid_target",
                                             "invalid_token",
                                             "message_id_conflict",
                                             "operation_id",
                                             "poppy_domains",
                                             "poppy_dlg",
                                             "poppy:browser-sign-in",
                                             "poppy:read",
                                             "poppy:write",
                                             "rate_limited",
                                             "session_id",
                                             "sign_in_required",
                                             "signed_in",
                                             "skill_index",
                                             "slow_down",
                                             "standing_permission",
                                             "unsupported_grant_type",
                                             "use_dpop_nonce",
                                             "user_approval_required"};

static bool is_protocol_word(struct pap_str s)
{
    for (size_t i = 0; i < sizeof protocol_words / sizeof protocol_words[0]; i++)
        if (str_is(s, protocol_words[i]))
            return true;
    return false;
}

/* ---- walking the skills ---- */

void links_each_span(struct run *r, void (*each)(struct run *r, const struct span *s, void *ctx), void *ctx)
{
    for (const struct doc *d = r->bundle->docs; d && !r->no_memory; d = d->next) {
        if (d->kind != KIND_SKILL || bundle_has_before(r->bundle, d))
            continue;
        r->doc = d;
        for (const struct span *s = d->spans; s; s = s->next)
            if (s->type == SPAN_CODE)
                each(r, s, ctx);
    }
}

static size_t count_apis(const struct bundle *b, const char *type)
{
    const struct doc *p = bundle_doc(b, KIND_POPPY, ROLE_MAIN);
    size_t n = 0;
    json_each (api, json_get_c(p ? p->root : NULL, "apis"))
        n += str_is(json_str(json_get_c(api, "type")), type);
    return n;
}

bool links_has_paths(const struct doc *d)
{
    return d->kind == KIND_OPENAPI && json_is(json_get_c(d->root, "paths"), JSON_OBJECT);
}

/* Whether every API description was read: only then is what none of them has unknown. */
bool links_knows_apis(const struct bundle *b)
{
    size_t read = 0, unread = 0;
    for (const struct doc *d = b->docs; d; d = d->next) {
        read += links_has_paths(d);
        unread += d->kind == KIND_OPENAPI && !links_has_paths(d);
    }
    return read > 0 && unread == 0 && read >= count_apis(b, "openapi");
}

struct similar links_nearest(const struct links_names *names, struct pap_str to)
{
    struct similar near = {.distance = SIZE_MAX};
    for (size_t i = 0; i < names->n; i++)
        similar_try(&near, to, names->items[i]);
    return near;
}

static void propose(struct run *r, const struct similar *near)
{
    if (near->best.p)
        mend(r, "Did you mean `%s`?", whole(r, near->best));
}

/* ---- scopes ---- */

struct word_search {
    struct words words;
    struct links_names names;
    size_t unknown;
    bool only_near; /* not every tool is known: only a near miss is telling */
};

static struct word_search *begin_search(struct run *r)
{
    struct word_search *s = arena_new(r->arena, struct word_search);
    r->no_memory |= !s;
    return s && words_of(r, &s->words) ? s : NULL;
}

static bool looks_like_scope(struct pap_str s)
{
    size_t colon = str_find_char(s, ':');
    if (colon == 0 || colon + 1 >= s.n || s.n > 64 || !ascii_is_alpha(s.p[0]) || str_starts(s, S("sha256:")))
        return false;
    bool letter_behind = false;
    for (size_t i = 0; i < s.n; i++) {
        bool ok = (s.p[i] >= 'a' && s.p[i] <= 'z') || ascii_is_digit(s.p[i]) || s.p[i] == '_' || s.p[i] == '-' ||
                  s.p[i] == '.' || i == colon;
        letter_behind |= i > colon && ascii_is_alpha(s.p[i]);
        if (!ok)
            return false;
    }
    return letter_behind; /* localhost:8080 is none */
}

/* `key:value`, `node:fs` and the like are no scopes: the verb or the noun of one must be there. */
static bool is_meant_as_scope(const struct links_names *scopes, struct pap_str s)
{
    static const char *const verbs[] = {"read",   "write",  "manage", "admin", "create",
                                        "update", "delete", "list",   "view"};
    size_t colon = str_find_char(s, ':');
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (str_is(str_skip(s, colon + 1), verbs[i]))
            return true;
    for (size_t i = 0; i < scopes->n; i++)
        if (str_starts(scopes->items[i], str_take(s, colon + 1)))
            return true;
    return false;
}

static void judge_scope(struct run *r, const struct span *span, void *ctx)
{
    struct word_search *s = ctx;
    if (!looks_like_scope(span->text) || has(&s->words, span->text) || str_is(span->text, "poppy:browser-sign-in") ||
        ++s->unknown > MOST_UNKNOWN)
        return;
    struct similar near = links_nearest(&s->names, span->text);
    if (!is_meant_as_scope(&s->names, span->text) && near.distance > NEAR)
        return;
    find_offset(r, span->off, "the skill names the scope %s, which neither poppy.json nor an API description offers",
                q(r, span->text));
    propose(r, &near);
}

void skill_scopes_exist(struct run *r)
{
    const struct doc *p = bundle_doc(r->bundle, KIND_POPPY, ROLE_MAIN);
    struct word_search *s = json_get_c(p ? p->root : NULL, "auth") ? begin_search(r) : NULL;
    if (!s)
        return;
    for (size_t i = 0; i < s->words.n; i++)
        if (looks_like_scope(s->words.items[i]))
            links_name_add(&s->names, s->words.items[i]);
    links_each_span(r, judge_scope, s);
}

/* ---- tools ---- */

/* snake_case or camelCase of at least two parts: what operations and tools are called. */
static bool looks_like_tool(struct pap_str s)
{
    unsigned joints = 0;
    for (size_t i = 0; i < s.n; i++) {
        bool inner = i > 0 && i + 1 < s.n, upper = s.p[i] >= 'A' && s.p[i] <= 'Z';
        if (!ascii_is_alnum(s.p[i]) && !(s.p[i] == '_' && inner))
            return false;
        if (upper && !inner)
            return false;
        joints += upper || s.p[i] == '_';
    }
    return joints > 0 && s.n <= 64 && ascii_is_alpha(s.p[0]);
}

static bool is_tool_word(struct pap_str s)
{
    static const char *const words[] = {"call", "calls", "calling",   "invoke",    "run",
                                        "tool", "tools", "operation", "operations"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (str_eq_nocase(s, str_c(words[i])))
            return true;
    return false;
}

static bool is_mark(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '`' || c == '*';
}

/* "call `x`", "the `x` tool", "`x` (`GET /y`)": the words around the span say that it is called. */
static bool is_called(const struct doc *d, struct pap_str span)
{
    struct pap_str body = d->skill.body;
    size_t begin = (size_t)(span.p - body.p), end = begin + span.n, n = 0;
    while (begin > 0 && is_mark(body.p[begin - 1]))
        begin--;
    while (n < begin && n < 16 && ascii_is_alpha(body.p[begin - 1 - n]))
        n++;
    if (is_tool_word(str(body.p + begin - n, n)))
        return true;
    while (end < body.n && is_mark(body.p[end]))
        end++;
    struct pap_str rest = str_skip(body, end);
    for (n = 0; n < rest.n && n < 16 && ascii_is_alpha(rest.p[n]);)
        n++;
    if (str_starts(rest, S("(`")))
        return links_is_method(str_take(str_skip(rest, 2), str_find_char(str_take(str_skip(rest, 2), 8), ' ')));
    return is_tool_word(str_take(rest, n));
}

static void judge_tool(struct run *r, const struct span *span, void *ctx)
{
    struct word_search *s = ctx;
    if (!looks_like_tool(span->text) || has(&s->words, span->text) || is_protocol_word(span->text) ||
        ++s->unknown > MOST_UNKNOWN)
        return;
    struct similar near = links_nearest(&s->names, span->text);
    if (near.distance > NEAR && (s->only_near || !is_called(r->doc, span->text)))
        return;
    find_offset(r, span->off, "the skill names %s, which no API description knows", q(r, span->text));
    propose(r, &near);
}

void skill_tools_exist(struct run *r)
{
    struct word_search *s = begin_search(r);
    if (!s)
        return;
    s->only_near = count_apis(r->bundle, "mcp") > 0 || !links_knows_apis(r->bundle);
    for (const struct doc *d = r->bundle->docs; d; d = d->next) {
        struct path_walk w = {0};
        const struct json *id;
        while (links_has_paths(d) && s->names.n < LINKS_NAMES &&
               (id = path_next(d->root, "/paths/*/*/operationId", &w)) != NULL)
            if (id->type == JSON_STRING)
                links_name_add(&s->names, json_str(id));
    }
    links_each_span(r, judge_tool, s);
}
