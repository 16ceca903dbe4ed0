/* SPDX-License-Identifier: Apache-2.0
 *
 * Why a client refused a skill, a list or an origin: the stable codes of Remote Skills (remote-skills 11) and a few of our
 * own, each with the facts that may stand beside it. A fault is plain data in an arena: a code for programs, its context,
 * and one sentence for people. Neither holds header fields, bodies, instructions or a URL with a credential; the digest
 * that was computed stands in the sentence only.
 */
#ifndef PROTO_SKILL_CODE_H
#define PROTO_SKILL_CODE_H

#include "base/arena.h"
#include "base/result.h"

/* A new code gets a row in skill_code.c. */
enum skill_code {
    SKILL_FINE = 0,
    SKILL_ARCHIVE_UNSAFE,
    SKILL_ARTIFACT_UNSUPPORTED,
    SKILL_AUTHENTICATION_FAILED,
    SKILL_AUTHORIZATION_DENIED,
    SKILL_CACHE_CORRUPT,
    SKILL_CATALOG_INVALID,
    SKILL_CONFIGURATION_INVALID,
    SKILL_DIGEST_MISMATCH,
    SKILL_LIMIT_EXCEEDED,
    SKILL_ORIGIN_UNAVAILABLE,
    SKILL_PATH_INVALID,
    SKILL_POLICY_DENIED,
    SKILL_REQUEST_TIMEOUT,
    SKILL_RESOURCE_NOT_FOUND,
    SKILL_RESOURCE_NOT_TEXT,
    SKILL_SESSION_CLOSED,
    SKILL_NOT_FOUND,
    SKILL_UNSUPPORTED_SCHEMA,
    SKILL_VERSION_UNAVAILABLE,
    /* our own */
    SKILL_COMPANY_REFUSED, /* the domain's poppy.json is not right, so its skills are not used */
    SKILL_CANCELLED,       /* a callback of the caller asked to stop */
    SKILL_OFFLINE_MISS,    /* offline, and not in the cache */
    SKILL_LOCK_MISMATCH,   /* not what the lock file says */
    SKILL_CODE_COUNT
};

/* Facts that may stand beside a code; skill_key_name() is their name in JSON. */
enum skill_key {
    SKILL_KEY_ARTIFACT_TYPE,
    SKILL_KEY_EXPECTED_DIGEST,
    SKILL_KEY_FIELD,
    SKILL_KEY_LAYOUT_VERSION,
    SKILL_KEY_LIMIT,
    SKILL_KEY_ORIGIN_ALIAS,
    SKILL_KEY_PATH,
    SKILL_KEY_REQUESTED_RANGE,
    SKILL_KEY_SCHEMA,
    SKILL_KEY_SCOPE,
    SKILL_KEY_SKILL_NAME,
    SKILL_KEY_STATUS, /* a number in JSON */
    SKILL_KEY_VERSION,
    SKILL_KEY_COUNT
};

/* Start with {0}. */
struct skill_fault {
    enum skill_code code;                  /* SKILL_FINE: there is none */
    struct pap_str value[SKILL_KEY_COUNT]; /* p NULL: not said. The bytes of the input: escape them before showing */
    struct pap_str text;                   /* one sentence with both values, ready to be shown */
};

/* "archive_unsafe" ...; NULL for SKILL_FINE and what is no code. */
const char *skill_code_name(enum skill_code code);
/* Whether the same request may do better a little later. */
bool skill_code_retryable(enum skill_code code);
/* Whether the key may stand beside the code. */
bool skill_code_has(enum skill_code code, enum skill_key key);
const char *skill_key_name(enum skill_key key);

/* Makes *f a fault of that code with its sentence, without context. Failure: out of memory; then *f has the code and a
 * constant sentence. Untrusted parts of the sentence go through skill_quote(). */
pap_result skill_fault_make(struct arena *a, struct skill_fault *f, enum skill_code code, const char *fmt, ...)
    PAP_PRINTF(4, 5) PAP_MUST;

/* Sets one fact, a view that lives as long as the fault; left out when the code may not have it, the value's p is NULL or
 * the value is not valid UTF-8 or holds a NUL. */
void skill_fault_set(struct skill_fault *f, enum skill_key key, struct pap_str value);

/* Quoted, escaped and cut to LIMIT_QUOTE for a sentence. When out of memory, a mark at which skill_fault_make() fails; never
 * NULL. */
const char *skill_quote(struct arena *a, struct pap_str s);
/* Escaped, but neither quoted nor cut: for digests, names and URLs that must be seen whole. */
const char *skill_whole(struct arena *a, struct pap_str s);

#endif
