/* SPDX-License-Identifier: Apache-2.0 */
#include "text/redact.h"

#include <papaver/text.h>

#include "base/limits.h"
#include "text/utf8.h"

/* Members of a query or fragment whose values may open something. */
static bool is_secret_member(struct pap_str name)
{
    static const char *const whole[] = {"code",  "code_verifier", "sig",  "sid", "key", "state",
                                        "nonce", "ticket",        "auth", "otp", "pin", NULL};
    static const char *const parts[] = {"token",     "secret",     "passw",   "pwd",     "signature",
                                        "assertion", "credential", "session", "api_key", "api-key",
                                        "apikey",    "jwt",        "hmac",    NULL};
    for (const char *const *w = whole; *w; w++)
        if (str_eq_nocase(name, str_c(*w)))
            return true;
    for (const char *const *p = parts; *p; p++)
        if (str_has_nocase(name, str_c(*p)))
            return true;
    return false;
}

static size_t find_any(struct pap_str s, const char *set)
{
    size_t i = 0;
    while (i < s.n && !memchr(set, s.p[i], strlen(set)))
        i++;
    return i;
}

struct writer {
    pap_text_fn *write;
    void *ctx;
};

static void put(const struct writer *w, struct pap_str s)
{
    if (s.n)
        w->write(w->ctx, s.p, s.n);
}

/* Behind "://": "user:password@" goes, up to the last @ of the authority. Gives what is left of `rest`. */
static struct pap_str skip_user(const struct writer *out, struct pap_str rest)
{
    struct pap_str authority = str_take(rest, find_any(rest, "/?# \""));
    size_t at = str_rfind_char(authority, '@');
    if (at == authority.n)
        return rest;
    put(out, S("[hidden]"));
    return str_skip(rest, at);
}

static void redact(const struct writer *out, struct pap_str text)
{
    while (text.n) {
        struct pap_str part = str_take(text, find_any(text, "?#&;\"'<> ,"));
        size_t eq = str_find_char(part, '='), scheme = str_find(part, S("://"));
        if (eq + 1 < part.n && is_secret_member(str_take(part, eq))) {
            put(out, str_take(part, eq + 1));
            put(out, S("[hidden]"));
        } else if (scheme < part.n) {
            put(out, str_take(part, scheme + 3));
            text = skip_user(out, str_skip(text, scheme + 3));
            continue;
        } else {
            put(out, part);
        }
        put(out, str_take(str_skip(text, part.n), 1));
        text = str_skip(text, part.n + 1);
    }
}

void pap_text_redacted(struct pap_str text, pap_text_fn *write, void *ctx)
{
    redact(&(struct writer){write, ctx}, text);
}

static void add_piece(void *out, const char *piece, size_t n)
{
    buf_add(out, str(piece, n));
}

void add_redacted(struct buf *out, struct pap_str text)
{
    pap_text_redacted(text, add_piece, out);
}

struct pap_str url_redacted(struct arena *a, struct pap_str url)
{
    struct buf b;
    if (find_any(url, "=@") == url.n)
        return url;
    buf_init(&b, a->alloc, 4 * url.n + 64);
    add_redacted(&b, url);
    struct pap_str shown = buf_ok(&b) ? arena_str(a, buf_str(&b)) : str(NULL, 0);
    buf_fini(&b);
    return shown;
}

struct pap_str redacted_visible(struct arena *a, struct pap_str s, size_t max, const char *quote)
{
    if (str_find(s, S("://")) == s.n)
        return utf8_visible(a, s, max, quote);
    struct pap_str shown = url_redacted(a, str_take(s, max + LIMIT_URL));
    return shown.p ? utf8_visible(a, shown, max, quote) : shown;
}

void mask_users(char *text, size_t n)
{
    static const char *const marks[] = {"://", ":\\/\\/", NULL};
    for (size_t i = 0; i < n; i++)
        for (const char *const *m = marks; *m; m++) {
            struct pap_str rest = str(text + i, n - i);
            if (!str_starts(rest, str_c(*m)))
                continue;
            size_t from = i + str_c(*m).n;
            rest = str(text + from, n - from);
            struct pap_str authority = str_take(rest, find_any(rest, "/?# \""));
            size_t at = str_rfind_char(authority, '@');
            if (at < authority.n)
                memset(text + from, '*', at);
        }
}
