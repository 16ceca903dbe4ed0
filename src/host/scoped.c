/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers of a site with scopes: which view of the index a request gets, and whether it gets a file of a hidden skill.
 *
 * Source: remote-skills 4; RFC 6750 section 3 for what is said with 401 and 403.
 */
#include "host/inside.h"

#define FIELDS                                                                                           \
    {S_INIT("Content-Type"), S_INIT("application/json")}, {S_INIT("Cache-Control"), S_INIT("no-store")}, \
        {S_INIT("Vary"), S_INIT("Remote-Skills-Scope, Authorization")},                                  \
        {S_INIT("Access-Control-Allow-Origin"), S_INIT("*")},                                            \
    {                                                                                                    \
        S_INIT("X-Content-Type-Options"), S_INIT("nosniff")                                              \
    }
#define CHALLENGE(parameters)                                                       \
    {                                                                               \
        S_INIT("WWW-Authenticate"), S_INIT("Bearer realm=\"skills\"" parameters "") \
    }

/* With one that is presented, it is said that it is not known; without one, only what is needed. */
static const struct header nobody[] = {FIELDS, CHALLENGE("")},
                           unknown[] = {FIELDS, CHALLENGE(", error=\"invalid_token\"")},
                           not_you[] = {FIELDS, CHALLENGE(", error=\"insufficient_scope\"")},
                           failed[] = {FIELDS, {S_INIT("Retry-After"), S_INIT("1")}}, malformed[] = {FIELDS};

#define REFUSAL(number, fields, text)                                                                                  \
    {                                                                                                                  \
        .status = (number), .headers = (fields), .n_headers = sizeof(fields) / sizeof(fields)[0], .body = S_INIT(text) \
    }

static const struct {
    int status;
    const struct header *headers;
    size_t n_headers;
    struct pap_str body;
} refusals[] = {
    [VERDICT_YES] =
        REFUSAL(400, malformed, "{\"error\": \"scope_malformed\"}\n"), /* which is asked before anybody is */
    [VERDICT_NOBODY] = REFUSAL(401, nobody, "{\"error\": \"unauthorized\"}\n"),
    [VERDICT_NOT_YOU] = REFUSAL(403, not_you, "{\"error\": \"forbidden\"}\n"),
    [VERDICT_FAILED] = REFUSAL(503, failed, "{\"error\": \"authorization_unavailable\"}\n"),
};

static void refuse(enum verdict v, const struct asking *x)
{
    struct http_response *ret = x->response;
    if (v == VERDICT_LATER)
        return;
    ret->status = refusals[v].status;
    ret->headers = refusals[v].headers;
    ret->n_headers = refusals[v].n_headers;
    ret->body = refusals[v].body;
    if (v == VERDICT_NOBODY && request_header_count(x->request, "Authorization"))
        ret->headers = unknown;
}

const struct host_file *scoped_index(const struct generation *g, const struct host_file *index, const struct asking *x)
{
    const struct access *a = g->access;
    struct pap_str name = request_header(x->request, "Remote-Skills-Scope");
    size_t n = request_header_count(x->request, "Remote-Skills-Scope");
    if (n == 0)
        return index;
    if (n > 1 || !scope_is_name(name)) {
        refuse(VERDICT_YES, x);
        return NULL;
    }
    scope_set scope = access_scope(a, name);
    enum verdict v = scope & a->anybody ? VERDICT_YES : access_check(a, scope, x);
    if (v == VERDICT_YES)
        return &g->views[__builtin_ctzll(scope)];
    refuse(v, x);
    return NULL;
}

const struct host_file *scoped_file(const struct generation *g, const struct host_file *f, const struct asking *x)
{
    enum verdict v = f->closed ? access_check(g->access, f->scopes, x) : VERDICT_YES;
    if (v == VERDICT_YES)
        return f;
    refuse(v, x);
    return NULL;
}
