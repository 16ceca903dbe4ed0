/* SPDX-License-Identifier: Apache-2.0 */
#include "skills/fault.h"

#include <stdarg.h>

#include "text/redact.h"
#include "text/utf8.h"

/* The public number of each code; the names are those of proto/skill_code.c. One row a code. */
static const enum skill_code codes[PAP_SKILL_CODES] = {
    [PAP_SKILL_CONFIGURATION_INVALID] = SKILL_CONFIGURATION_INVALID,
    [PAP_SKILL_ORIGIN_UNAVAILABLE] = SKILL_ORIGIN_UNAVAILABLE,
    [PAP_SKILL_REQUEST_TIMEOUT] = SKILL_REQUEST_TIMEOUT,
    [PAP_SKILL_CATALOG_INVALID] = SKILL_CATALOG_INVALID,
    [PAP_SKILL_UNSUPPORTED_SCHEMA] = SKILL_UNSUPPORTED_SCHEMA,
    [PAP_SKILL_AUTHENTICATION_FAILED] = SKILL_AUTHENTICATION_FAILED,
    [PAP_SKILL_AUTHORIZATION_DENIED] = SKILL_AUTHORIZATION_DENIED,
    [PAP_SKILL_SKILL_NOT_FOUND] = SKILL_NOT_FOUND,
    [PAP_SKILL_VERSION_UNAVAILABLE] = SKILL_VERSION_UNAVAILABLE,
    [PAP_SKILL_ARTIFACT_UNSUPPORTED] = SKILL_ARTIFACT_UNSUPPORTED,
    [PAP_SKILL_DIGEST_MISMATCH] = SKILL_DIGEST_MISMATCH,
    [PAP_SKILL_ARCHIVE_UNSAFE] = SKILL_ARCHIVE_UNSAFE,
    [PAP_SKILL_LIMIT_EXCEEDED] = SKILL_LIMIT_EXCEEDED,
    [PAP_SKILL_RESOURCE_NOT_FOUND] = SKILL_RESOURCE_NOT_FOUND,
    [PAP_SKILL_RESOURCE_NOT_TEXT] = SKILL_RESOURCE_NOT_TEXT,
    [PAP_SKILL_PATH_INVALID] = SKILL_PATH_INVALID,
    [PAP_SKILL_POLICY_DENIED] = SKILL_POLICY_DENIED,
    [PAP_SKILL_SESSION_CLOSED] = SKILL_SESSION_CLOSED,
    [PAP_SKILL_CACHE_CORRUPT] = SKILL_CACHE_CORRUPT,
    [PAP_SKILL_COMPANY_REFUSED] = SKILL_COMPANY_REFUSED,
    [PAP_SKILL_CANCELLED] = SKILL_CANCELLED,
    [PAP_SKILL_OFFLINE_MISS] = SKILL_OFFLINE_MISS,
    [PAP_SKILL_LOCK_MISMATCH] = SKILL_LOCK_MISMATCH,
};

static enum pap_skill_code public_code(enum skill_code code)
{
    for (unsigned i = 1; i < PAP_SKILL_CODES; i++)
        if (codes[i] == code)
            return (enum pap_skill_code)i;
    return PAP_SKILL_NONE;
}

const char *pap_skill_code_name(enum pap_skill_code code)
{
    const char *name = (unsigned)code < PAP_SKILL_CODES ? skill_code_name(codes[code]) : NULL;
    return name ? name : "";
}

bool pap_skill_code_retryable(enum pap_skill_code code)
{
    return (unsigned)code < PAP_SKILL_CODES && skill_code_retryable(codes[code]);
}

enum skill_code err_code(const struct pap_skill_err *err)
{
    return codes[err->code];
}

/* A sentence, whole characters of it, into the text behind what is there. */
static void put(struct pap_skill_err *err, struct pap_str sentence)
{
    size_t have = str_c(err->text).n, room = sizeof err->text - 1 - have;
    while (room < sentence.n && room > 0 && ((unsigned char)sentence.p[room] & 0xc0) == 0x80)
        room--;
    size_t n = sentence.n < room ? sentence.n : room;
    if (n)
        memcpy(err->text + have, sentence.p, n);
    err->text[have + n] = '\0';
}

static void begin(struct pap_skill_err *err, enum pap_skill_code code)
{
    *err = (struct pap_skill_err){.code = code};
}

/* What may open something is hidden, what could change a line or a terminal is escaped. */
PAP_PRINTF(2, 0) static void say(struct pap_skill_err *err, const char *fmt, va_list ap)
{
    char room[2][4096];
    struct buf text, shown;
    buf_on(&text, room[0], sizeof room[0]);
    buf_on(&shown, room[1], sizeof room[1]);
    buf_vfmt(&text, fmt, ap);
    add_redacted(&shown, buf_str(&text));
    buf_reset(&text);
    utf8_add_visible(&text, buf_str(&shown), SIZE_MAX);
    put(err, buf_str(&text));
}

pap_result fault_tell(const struct skill_fault *f, struct pap_skill_err *err)
{
    if (err) {
        begin(err, public_code(f->code));
        put(err, f->text);
        for (unsigned k = 0; k < SKILL_KEY_COUNT; k++)
            err_set(err, (enum skill_key)k, f->value[k]);
    }
    return (pap_result){PAP_REFUSED};
}

pap_result failure_tell(pap_result r, const struct pap_err *why, struct pap_skill_err *err)
{
    if (err) {
        begin(err, r.code == PAP_CANCELLED ? PAP_SKILL_CANCELLED : PAP_SKILL_NONE);
        put(err, why && why->text[0] ? str_c(why->text) : r.code == PAP_NO_MEMORY ? S("out of memory") : S("failed"));
    }
    return r;
}

pap_result refuse(struct pap_skill_err *err, enum skill_code code, const char *fmt, ...)
{
    if (err) {
        begin(err, public_code(code));
        va_list ap;
        va_start(ap, fmt);
        say(err, fmt, ap);
        va_end(ap);
    }
    return (pap_result){PAP_REFUSED};
}

void err_more(struct pap_skill_err *err, const char *fmt, ...)
{
    if (!err)
        return;
    va_list ap;
    va_start(ap, fmt);
    say(err, fmt, ap);
    va_end(ap);
}

/* Where the next pair goes. */
static size_t context_end(const struct pap_skill_err *err)
{
    size_t at = 0;
    while (at < sizeof err->context && err->context[at]) {
        at += str_c(err->context + at).n + 1;
        at += str_c(err->context + at).n + 1;
    }
    return at;
}

void err_set(struct pap_skill_err *err, enum skill_key key, struct pap_str value)
{
    if (!err || !value.p || !skill_code_has(err_code(err), key) || utf8_check(value) < value.n ||
        str_find_char(value, '\0') < value.n)
        return;
    struct pap_str name = str_c(skill_key_name(key));
    const char *have;
    const char *k;
    for (size_t i = 0; pap_skill_err_at(err, i, &k, &have); i++)
        if (str_is(name, k))
            return;
    size_t at = context_end(err);
    if (at + name.n + value.n + 3 > sizeof err->context)
        return;
    memcpy(err->context + at, name.p, name.n);
    if (value.n)
        memcpy(err->context + at + name.n + 1, value.p, value.n);
    at += name.n + value.n + 2;
    err->context[at - 1] = err->context[at] = '\0';
}

bool pap_skill_err_at(const struct pap_skill_err *err, size_t i, const char **ret_key, const char **ret_value)
{
    for (size_t at = 0; at < sizeof err->context && err->context[at];) {
        const char *key = err->context + at, *value = key + str_c(key).n + 1;
        if (i-- == 0) {
            *ret_key = key;
            *ret_value = value;
            return true;
        }
        at = (size_t)(value - err->context) + str_c(value).n + 1;
    }
    return false;
}

void err_set_rule(struct pap_skill_err *err, const char *rule)
{
    struct pap_str r = str_take(str_c(rule), err ? sizeof err->rule - 1 : 0);
    if (err && r.n) {
        memcpy(err->rule, r.p, r.n);
        err->rule[r.n] = '\0';
    }
}

/* One row a fault of an exchange. */
static const enum skill_code faults[] = {
    [FAULT_URL] = SKILL_POLICY_DENIED,           [FAULT_DNS] = SKILL_ORIGIN_UNAVAILABLE,
    [FAULT_REFUSED] = SKILL_ORIGIN_UNAVAILABLE,  [FAULT_BLOCKED] = SKILL_POLICY_DENIED,
    [FAULT_TIMEOUT] = SKILL_REQUEST_TIMEOUT,     [FAULT_TLS] = SKILL_ORIGIN_UNAVAILABLE,
    [FAULT_PROTOCOL] = SKILL_ORIGIN_UNAVAILABLE, [FAULT_TOO_LARGE] = SKILL_LIMIT_EXCEEDED,
    [FAULT_REDIRECTS] = SKILL_POLICY_DENIED,     [FAULT_REDIRECT_TARGET] = SKILL_POLICY_DENIED,
    [FAULT_ENCODING] = SKILL_ORIGIN_UNAVAILABLE, [FAULT_BUDGET] = SKILL_REQUEST_TIMEOUT,
    [FAULT_HEAD] = SKILL_LIMIT_EXCEEDED,
};

pap_result exchange_tell(const struct exchange *x, const char *limit, struct pap_skill_err *err)
{
    int status = exchange_status(x);
    struct pap_str url = str_take(x->final_url, LIMIT_QUOTE);
    if (x->fault == FAULT_BUDGET)
        return refuse(err, SKILL_REQUEST_TIMEOUT, "%.*s did not answer in time, redirects included", PSTR(url));
    if (x->fault != FAULT_NONE) {
        pap_result r = refuse(err, faults[x->fault], "%.*s", PSTR(x->fault_text));
        if (x->fault == FAULT_TOO_LARGE)
            err_set(err, SKILL_KEY_LIMIT, str_c(limit));
        return r;
    }
    enum skill_code code = status == 401   ? SKILL_AUTHENTICATION_FAILED
                           : status == 403 ? SKILL_AUTHORIZATION_DENIED
                                           : SKILL_ORIGIN_UNAVAILABLE;
    char number[16];
    struct buf b;
    buf_on(&b, number, sizeof number);
    buf_fmt(&b, "%d", status);
    pap_result r = refuse(err, code, "%.*s answered %d", PSTR(url), status);
    err_set(err, SKILL_KEY_STATUS, buf_str(&b));
    return r;
}
