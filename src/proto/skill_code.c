/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/skill_code.h"

#include "base/limits.h"
#include "text/redact.h"
#include "text/utf8.h"

#define K(key) (1u << SKILL_KEY_##key)
#define ORIGIN K(ORIGIN_ALIAS)
#define NAME (K(ORIGIN_ALIAS) | K(SKILL_NAME))
#define OBJECT (NAME | K(EXPECTED_DIGEST))

/* A code: its name, what may stand beside it, whether trying again helps. To add one: a row and a value
 * of enum skill_code. Contexts of the first nineteen are those of Remote Skills' contract. */
static const struct {
    const char *name;
    unsigned keys; /* 1u << enum skill_key */
    bool retryable;
} codes[SKILL_CODE_COUNT] = {
    [SKILL_ARCHIVE_UNSAFE] = {"archive_unsafe", OBJECT | K(PATH), false},
    [SKILL_ARTIFACT_UNSUPPORTED] = {"artifact_unsupported", NAME | K(ARTIFACT_TYPE), false},
    [SKILL_AUTHENTICATION_FAILED] = {"authentication_failed", ORIGIN | K(SCOPE) | K(STATUS), false},
    [SKILL_AUTHORIZATION_DENIED] = {"authorization_denied", ORIGIN | K(SCOPE) | K(STATUS), false},
    [SKILL_CACHE_CORRUPT] = {"cache_corrupt", K(EXPECTED_DIGEST) | K(LAYOUT_VERSION), false},
    [SKILL_CATALOG_INVALID] = {"catalog_invalid", ORIGIN | K(FIELD), false},
    [SKILL_CONFIGURATION_INVALID] = {"configuration_invalid", K(FIELD), false},
    [SKILL_DIGEST_MISMATCH] = {"digest_mismatch", OBJECT, false},
    [SKILL_LIMIT_EXCEEDED] = {"limit_exceeded", NAME | K(LIMIT), false},
    [SKILL_ORIGIN_UNAVAILABLE] = {"origin_unavailable", ORIGIN | K(STATUS), true},
    [SKILL_PATH_INVALID] = {"path_invalid", K(PATH), false},
    [SKILL_POLICY_DENIED] = {"policy_denied", ORIGIN, false},
    [SKILL_REQUEST_TIMEOUT] = {"request_timeout", ORIGIN, true},
    [SKILL_RESOURCE_NOT_FOUND] = {"resource_not_found", OBJECT | K(PATH), false},
    [SKILL_RESOURCE_NOT_TEXT] = {"resource_not_text", OBJECT | K(PATH), false},
    [SKILL_SESSION_CLOSED] = {"session_closed", ORIGIN, false},
    [SKILL_NOT_FOUND] = {"skill_not_found", NAME, false},
    [SKILL_UNSUPPORTED_SCHEMA] = {"unsupported_schema", ORIGIN | K(SCHEMA), false},
    [SKILL_VERSION_UNAVAILABLE] = {"version_unavailable", NAME | K(REQUESTED_RANGE), false},
    [SKILL_COMPANY_REFUSED] = {"company_refused", ORIGIN | K(FIELD), false},
    [SKILL_CANCELLED] = {"cancelled", NAME, false},
    [SKILL_OFFLINE_MISS] = {"offline_miss", OBJECT, false},
    [SKILL_LOCK_MISMATCH] = {"lock_mismatch", OBJECT | K(FIELD) | K(PATH) | K(VERSION), false},
};

static const char *const keys[SKILL_KEY_COUNT] = {
    [SKILL_KEY_ARTIFACT_TYPE] = "artifact_type",
    [SKILL_KEY_EXPECTED_DIGEST] = "expected_digest",
    [SKILL_KEY_FIELD] = "field",
    [SKILL_KEY_LAYOUT_VERSION] = "layout_version",
    [SKILL_KEY_LIMIT] = "limit",
    [SKILL_KEY_ORIGIN_ALIAS] = "origin_alias",
    [SKILL_KEY_PATH] = "path",
    [SKILL_KEY_REQUESTED_RANGE] = "requested_range",
    [SKILL_KEY_SCHEMA] = "schema",
    [SKILL_KEY_SCOPE] = "scope",
    [SKILL_KEY_SKILL_NAME] = "skill_name",
    [SKILL_KEY_STATUS] = "status",
    [SKILL_KEY_VERSION] = "version",
};

const char *skill_code_name(enum skill_code code)
{
    return (unsigned)code < SKILL_CODE_COUNT ? codes[code].name : NULL;
}

bool skill_code_retryable(enum skill_code code)
{
    return (unsigned)code < SKILL_CODE_COUNT && codes[code].retryable;
}

bool skill_code_has(enum skill_code code, enum skill_key key)
{
    return (unsigned)code < SKILL_CODE_COUNT && (codes[code].keys & 1u << key);
}

const char *skill_key_name(enum skill_key key)
{
    return (unsigned)key < SKILL_KEY_COUNT ? keys[key] : NULL;
}

/* What stands for a part that could not be made. No sentence has it otherwise: controls are escaped. */
#define NO_MEMORY "\x01"

pap_result skill_fault_make(struct arena *a, struct skill_fault *f, enum skill_code code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct pap_str text = arena_vfmt(a, fmt, ap);
    va_end(ap);
    bool whole = text.p && str_find(text, S(NO_MEMORY)) == text.n;
    *f = (struct skill_fault){.code = code, .text = whole ? text : S("out of memory")};
    return whole ? OK : fail_memory(NULL);
}

void skill_fault_set(struct skill_fault *f, enum skill_key key, struct pap_str value)
{
    if (value.p && skill_code_has(f->code, key) && utf8_check(value) == value.n &&
        str_find_char(value, '\0') == value.n)
        f->value[key] = value;
}

static const char *shown(struct arena *a, struct pap_str s, size_t max, const char *quote)
{
    struct pap_str text = redacted_visible(a, s, max, quote);
    return text.p ? text.p : NO_MEMORY;
}

const char *skill_quote(struct arena *a, struct pap_str s)
{
    return shown(a, s, LIMIT_QUOTE, "\"");
}

const char *skill_whole(struct arena *a, struct pap_str s)
{
    return shown(a, s, LIMIT_URL, "");
}
