/* SPDX-License-Identifier: Apache-2.0
 *
 * Scopes (Remote-Skills-Scope): which skills belong to which scope, which are open to everybody, and who may see what. A
 * scope grants nothing by itself; a bearer token does, or whoever is asked about one. Rules alone: what is asked and
 * answered over HTTP is in scoped.c, the views of the index in view.c.
 *
 * Source: remote-skills 4.
 */
#ifndef HOST_ACCESS_H
#define HOST_ACCESS_H

#include <papaver/serve.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/message.h"
#include "base/result.h"
#include "crypto/digest.h"

/* A set of scopes: bit i for the scope i. */
typedef uint64_t scope_set;

struct scope {
    struct pap_str name;
    const char *const *skills; /* names and patterns, ended by NULL */
};

/* What is presented is compared by its hash, so no token lies in memory or in a file. */
struct token {
    struct digest hash;
    scope_set scopes;
};

enum verdict {
    VERDICT_YES,
    VERDICT_NOBODY,  /* no credential, or one that nobody knows */
    VERDICT_NOT_YOU, /* known, but not for this */
    VERDICT_LATER,   /* somebody is being asked */
    VERDICT_FAILED   /* it could not be found out */
};

struct access;
struct generation;

/* A request on its way to an answer. */
struct asking {
    struct generation *generation;
    const struct http_request *request;
    struct http_response *response;
    const enum verdict *told; /* what was said by who was asked about it; NULL: nobody was yet */
};

/* Whether a caller may see at least one of the scopes. */
struct question {
    const struct access *access;
    scope_set scopes;
    struct pap_str credential; /* value of Authorization: visible ASCII and blanks */
    const struct asking *asking;
};

struct access {
    struct scope scopes[LIMIT_HOST_SCOPES];
    size_t n;
    scope_set anybody;       /* scopes that need no credential */
    const char *const *open; /* skills of the index for everybody; NULL: those that are in no scope */
    struct token *tokens;
    size_t n_tokens;
    const char *site; /* its domain; NULL: it has none */
    /* Asked when no token decides; NULL: nobody is. Called from all workers at once. With VERDICT_LATER it has taken the
     * answer over (response->later), which host_answer_told() then makes. */
    enum verdict (*ask)(void *ctx, const struct question *q);
    void *ask_ctx;
};

/* Makes rules of what a program was given, which must outlive them. PAP_USAGE: a name, a pattern or a hash that is none; a
 * scope that has no skill, or that nobody may see (`asked`: somebody decides about all). */
pap_result access_make(struct arena *a, const struct pap_serve_site *site, struct access **ret,
                       struct pap_err *err) PAP_MUST;

/* 1 to 128 visible ASCII characters, no comma (R-SCO-1). */
bool scope_is_name(struct pap_str s);
/* The set with the scope of that name alone; 0 when there is none. */
scope_set access_scope(const struct access *a, struct pap_str name);
/* The scopes that a skill is in. */
scope_set access_scopes_of(const struct access *a, struct pap_str skill);
/* Whether the index for everybody lists it. */
bool access_is_open(const struct access *a, struct pap_str skill);

/* Whether the request may see something of these scopes. With none, it is found out who asks all the same, so that a
 * scope that does not exist is answered as one that is not for the caller. */
enum verdict access_check(const struct access *a, scope_set scopes, const struct asking *x);

#endif
