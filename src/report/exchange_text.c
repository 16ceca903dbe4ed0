/* SPDX-License-Identifier: Apache-2.0
 *
 * What of an exchange people may see. papaver sends no credentials, but answers carry cookies and sessions, and URLs
 * carry tokens; a report is pasted into tickets and kept as a build artifact. Too much hidden is better than too little.
 */
#include "report/format.h"
#include "text/redact.h"

static const char hidden[] = "[hidden]";

static bool is_listed(struct pap_str name, const char *const *list)
{
    for (; *list; list++)
        if (str_eq_nocase(name, str_c(*list)))
            return true;
    return false;
}

static bool has_listed_word(struct pap_str name, const char *const *list)
{
    for (; *list; list++)
        if (str_has_nocase(name, str_c(*list)))
            return true;
    return false;
}

bool report_header_is_secret(struct pap_str name)
{
    static const char *const whole[] = {"cookie", "cookie2", "set-cookie", "set-cookie2", "authentication-info",
                                        "dpop",   NULL};
    static const char *const parts[] = {"authorization", "session", "token", "secret",     "api-key",   "apikey",
                                        "password",      "csrf",    "xsrf",  "credential", "signature", NULL};
    return str_eq_nocase(str_take(name, 6), S("proxy-")) || is_listed(name, whole) || has_listed_word(name, parts);
}

static size_t find_any(struct pap_str s, const char *set)
{
    size_t i = 0;
    while (i < s.n && !memchr(set, s.p[i], strlen(set)))
        i++;
    return i;
}

static bool is_token_char(char c)
{
    return ascii_is_alnum(c) || (c && strchr("!#$%&'*+-.^_`|~", c));
}

static size_t token_length(struct pap_str s)
{
    size_t i = 0;
    while (i < s.n && is_token_char(s.p[i]))
        i++;
    return i;
}

/* Length of the value at the start of `s`: a quoted string, or all up to a comma or blank. */
static size_t value_length(struct pap_str s)
{
    if (s.n == 0 || s.p[0] != '"')
        return find_any(s, ", \t");
    for (size_t i = 1; i < s.n; i++) {
        if (s.p[i] == '\\')
            i++;
        else if (s.p[i] == '"')
            return i + 1;
    }
    return s.n;
}

/* WWW-Authenticate (RFC 9110, section 11.6.1): schemes by name, and of the parameters the ones that say what to do next.
 * What is neither (a token68, bad syntax) is hidden. */
static void add_challenge(struct buf *out, struct pap_str s)
{
    static const char *const shown[] = {"error", "error_description", "error_uri", "scope",
                                        "realm", "resource_metadata", "algs",      NULL};
    static const char *const schemes[] = {"Basic",  "Bearer",    "Digest", "DPoP",  "GNAP", "HOBA",
                                          "Mutual", "Negotiate", "NTLM",   "Poppy", NULL};
    while (s.n) {
        size_t n = token_length(s);
        struct pap_str name = str_take(s, n), after = str_skip(s, n);
        if (n == 0 && memchr(", \t", s.p[0], 3)) {
            buf_char(out, s.p[0]);
            s = str_skip(s, 1);
        } else if (n && after.n > 1 && after.p[0] == '=' && !memchr("=, \t", after.p[1], 4)) {
            size_t value = value_length(str_skip(after, 1));
            buf_add(out, str_take(s, n + 1));
            if (is_listed(name, shown))
                add_redacted(out, str_take(str_skip(after, 1), value));
            else
                buf_add(out, str_c(hidden));
            s = str_skip(after, 1 + value);
        } else if (is_listed(name, schemes) && (after.n == 0 || memchr(", \t", after.p[0], 3))) {
            buf_add(out, name);
            s = after;
        } else {
            buf_add(out, str_c(hidden));
            s = str_skip(s, find_any(s, ", \t"));
        }
    }
}

struct pap_str shown_url(struct report *r, struct pap_str url)
{
    add_redacted(report_scratch(r), url);
    return report_kept(r);
}

struct pap_str shown_header(struct report *r, const struct header *h)
{
    static const char *const urls[] = {"location", "content-location", "link", "refresh", "referer", NULL};
    struct buf *out = report_scratch(r);
    if (report_header_is_secret(h->name)) {
        buf_fmt(out, "[hidden, ");
        add_count(out, h->value.n, "byte");
        buf_char(out, ']');
    } else if (str_eq_nocase(h->name, S("www-authenticate"))) {
        add_challenge(out, h->value);
    } else if (is_listed(h->name, urls)) {
        add_redacted(out, h->value);
    } else {
        return h->value;
    }
    return report_kept(r);
}

struct pap_str shown_body(const struct exchange *x)
{
    if (may_hold_secret(x->body))
        return S("");
    size_t n = x->body.n < LIMIT_BODY_SHOWN ? x->body.n : LIMIT_BODY_SHOWN;
    for (int back = 0; back < 3 && n && n < x->body.n && ((unsigned char)x->body.p[n] & 0xc0) == 0x80; back++)
        n--;
    return str_take(x->body, n);
}

static bool is_first_of_exchange(const struct bundle *b, const struct doc *d)
{
    const struct doc *e = b->docs;
    while (e != d && e->exchange != d->exchange)
        e = e->next;
    return e == d;
}

const struct doc *next_exchange(const struct report_target *t, const struct doc *d)
{
    if (!d)
        d = t->bundle ? t->bundle->docs : NULL;
    else
        d = d->next;
    while (d && !(d->exchange && is_first_of_exchange(t->bundle, d)))
        d = d->next;
    return d;
}

const char *fault_word(enum exchange_fault f)
{
    static const char *const words[] = {
        [FAULT_NONE] = NULL,
        [FAULT_URL] = "url",
        [FAULT_DNS] = "dns",
        [FAULT_REFUSED] = "refused",
        [FAULT_BLOCKED] = "blocked",
        [FAULT_TIMEOUT] = "timeout",
        [FAULT_TLS] = "tls",
        [FAULT_PROTOCOL] = "protocol",
        [FAULT_TOO_LARGE] = "too-large",
        [FAULT_HEAD] = "head-too-large",
        [FAULT_REDIRECTS] = "redirects",
        [FAULT_REDIRECT_TARGET] = "redirect-target",
        [FAULT_ENCODING] = "encoding",
        [FAULT_BUDGET] = "budget",
    };
    return words[f];
}
