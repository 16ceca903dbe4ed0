/* SPDX-License-Identifier: Apache-2.0 */
#include "host/access.h"

#include "base/limits.h"
#include "host/token.h"

/* ---- made ---- */

bool scope_is_name(struct pap_str s)
{
    return s.n > 0 && s.n <= LIMIT_SCOPE_NAME && token_is_visible(s) && str_find_char(s, ',') == s.n;
}

/* Names of skills, with "*" in them or not. */
static pap_result check_patterns(const char *what, const char *const *patterns, struct pap_err *err)
{
    for (; patterns && *patterns; patterns++) {
        struct pap_str p = str_c(*patterns);
        bool good = p.n > 0 && p.n <= LIMIT_SKILL_NAME;
        for (size_t i = 0; i < p.n; i++)
            good =
                good && (p.p[i] == '*' || p.p[i] == '-' || ascii_is_digit(p.p[i]) || (p.p[i] >= 'a' && p.p[i] <= 'z'));
        if (!good)
            return fail(err, PAP_USAGE, "%s: \"%s\" is no name of a skill, nor a pattern such as deploy-*", what,
                        *patterns);
    }
    return OK;
}

static pap_result add_tokens(struct access *a, const struct pap_serve_scope *scope, scope_set bit, struct pap_err *err)
{
    for (const char *const *t = scope->tokens; t && *t; t++) {
        struct digest hash;
        size_t i = 0;
        if (!digest_parse(str_c(*t), &hash))
            return fail(err, PAP_USAGE,
                        "scope \"%s\": a token stands there as \"sha256:\" and 64 lower-case hex digits; papaver serve "
                        "--hash-token makes them",
                        scope->name);
        while (i < a->n_tokens && !digest_same(&a->tokens[i].hash, &hash))
            i++;
        a->tokens[i].hash = hash;
        a->tokens[i].scopes |= bit;
        a->n_tokens += i == a->n_tokens;
    }
    return OK;
}

static pap_result add_scope(struct access *a, const struct pap_serve_site *site, const struct pap_serve_scope *scope,
                            struct pap_err *err)
{
    struct pap_str name = str_c(scope->name);
    scope_set bit = (scope_set)1 << a->n;
    if (!scope_is_name(name))
        return fail(err, PAP_USAGE, "\"%s\" is no name of a scope: 1 to %d visible ASCII characters, no comma",
                    scope->name, LIMIT_SCOPE_NAME);
    if (access_scope(a, name))
        return fail(err, PAP_USAGE, "scope \"%s\" stands there twice", scope->name);
    if (!scope->skills || !*scope->skills)
        return fail(err, PAP_USAGE, "scope \"%s\" has no skills", scope->name);
    if (!scope->anybody && !site->ask && !(scope->tokens && *scope->tokens))
        return fail(err, PAP_USAGE, "nobody may see scope \"%s\": it needs tokens, somebody to ask, or \"anybody\"",
                    scope->name);
    TRY(check_patterns(scope->name, scope->skills, err));
    a->scopes[a->n++] = (struct scope){name, scope->skills};
    a->anybody |= scope->anybody ? bit : 0;
    return add_tokens(a, scope, bit, err);
}

pap_result access_make(struct arena *arena, const struct pap_serve_site *site, struct access **ret, struct pap_err *err)
{
    struct access *a = arena_new(arena, struct access);
    size_t n_tokens = 0;
    for (size_t i = 0; i < site->n_scopes; i++)
        for (const char *const *t = site->scopes[i].tokens; t && *t; t++)
            n_tokens++;
    if (site->n_scopes > LIMIT_HOST_SCOPES)
        return fail(err, PAP_USAGE, "a site can have %d scopes", LIMIT_HOST_SCOPES);
    if (!a || !(a->tokens = arena_new_array(arena, n_tokens + 1, struct token)))
        return fail_memory(err);
    a->site = site->domain;
    a->open = site->open;
    TRY(check_patterns("open", site->open, err));
    for (size_t i = 0; i < site->n_scopes; i++)
        TRY(add_scope(a, site, &site->scopes[i], err));
    *ret = a;
    return OK;
}

/* ---- which ---- */

scope_set access_scope(const struct access *a, struct pap_str name)
{
    for (size_t i = 0; i < a->n; i++)
        if (str_eq(a->scopes[i].name, name))
            return (scope_set)1 << i;
    return 0;
}

static bool is_among(struct pap_str skill, const char *const *patterns)
{
    for (; *patterns; patterns++)
        if (str_fits(skill, str_c(*patterns)))
            return true;
    return false;
}

scope_set access_scopes_of(const struct access *a, struct pap_str skill)
{
    scope_set set = 0;
    for (size_t i = 0; i < a->n; i++)
        if (is_among(skill, a->scopes[i].skills))
            set |= (scope_set)1 << i;
    return set;
}

bool access_is_open(const struct access *a, struct pap_str skill)
{
    return a->open ? is_among(skill, a->open) : access_scopes_of(a, skill) == 0;
}

/* ---- who ---- */

/* The token of "Bearer TOKEN" (RFC 6750 section 2.1); p NULL when it is something else. */
static struct pap_str bearer_token(struct pap_str credential)
{
    if (!str_eq_nocase(str_take(credential, 7), S("Bearer ")))
        return str(NULL, 0);
    struct pap_str token = str_trim(str_skip(credential, 7));
    return token.n && token.n <= LIMIT_TOKEN && token_is_visible(token) ? token : str(NULL, 0);
}

/* The scopes of a token: each hash is looked at, so that the time does not tell which one it was. */
static pap_result scopes_of_token(const struct access *a, struct pap_str token, scope_set *ret)
{
    struct digest hash;
    *ret = 0;
    if (!token.p || !a->n_tokens)
        return OK;
    TRY(digest_sha256(&token, 1, &hash, NULL));
    for (size_t i = 0; i < a->n_tokens; i++)
        *ret |= digest_same(&a->tokens[i].hash, &hash) ? a->tokens[i].scopes : 0;
    return OK;
}

/* Blanks may part the scheme from the rest; a control or a byte beyond ASCII is of no credential. */
static bool is_credential(struct pap_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < 0x20 || s.p[i] > 0x7e)
            return false;
    return s.n > 0;
}

/* About a scope that does not exist all are asked, and a yes is none: what is answered, and that somebody is asked at all,
 * is then what it is for a scope that is not the caller's. */
static enum verdict ask(const struct access *a, scope_set scopes, struct pap_str credential, const struct asking *x)
{
    const scope_set all = a->n ? ~(scope_set)0 >> (LIMIT_HOST_SCOPES - a->n) : 0;
    const struct question q = {a, scopes ? scopes : all, credential, x};
    if (!x->told && !a->ask)
        return VERDICT_NOBODY;
    enum verdict v = x->told ? *x->told : a->ask(a->ask_ctx, &q);
    return v == VERDICT_YES && !scopes ? VERDICT_NOT_YOU : v;
}

enum verdict access_check(const struct access *a, scope_set scopes, const struct asking *x)
{
    scope_set known;
    const struct http_request *q = x->request;
    struct pap_str credential = request_header(q, "Authorization");
    if (request_header_count(q, "Authorization") != 1 || !is_credential(credential))
        return VERDICT_NOBODY;
    if (!is_ok(scopes_of_token(a, bearer_token(credential), &known)))
        return VERDICT_FAILED;
    /* A token of ours is nobody else's business. */
    return known & scopes ? VERDICT_YES : known ? VERDICT_NOT_YOU : ask(a, scopes, credential, x);
}
