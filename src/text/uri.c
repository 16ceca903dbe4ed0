/* SPDX-License-Identifier: Apache-2.0 */
#include "text/uri.h"

#include <stdio.h>

#include "base/limits.h"

struct reader {
    struct uri u;
    size_t at;
    const char *why;
};

static bool refuse(struct reader *r, const char *at, const char *why)
{
    r->at = (size_t)(at - r->u.text.p);
    r->why = why;
    return false;
}

static bool is_hex(char c)
{
    return ascii_is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'f');
}

/* RFC 3986 section 2: the bytes of unreserved and reserved, beside letters and digits. */
static bool is_uri_mark(char c)
{
    return memchr("-._~:/?#[]@!$&'()*+,;=", c, 22) != NULL;
}

static const char *why_no_uri_byte(char c)
{
    if ((unsigned char)c >= 0x80)
        return "a non-ASCII character";
    if ((unsigned char)c < 0x20 || c == 0x7f)
        return "a control character";
    return c == ' '    ? "a blank"
           : c == '\\' ? "a backslash"
           : c == '%'  ? "a % without two hex digits"
                       : "a character that must be percent-encoded";
}

static bool check_bytes(struct reader *r)
{
    struct pap_str s = r->u.text;
    if (s.n > LIMIT_URL)
        return refuse(r, s.p + LIMIT_URL, "more than 8 KiB");
    for (size_t i = 0; i < s.n; i++) {
        bool escape = s.p[i] == '%' && s.n - i > 2 && is_hex(s.p[i + 1]) && is_hex(s.p[i + 2]);
        if (!escape && !ascii_is_alnum(s.p[i]) && !is_uri_mark(s.p[i]))
            return refuse(r, s.p + i, why_no_uri_byte(s.p[i]));
    }
    return true;
}

/* Takes "scheme:" off *rest. A colon before any slash that ends no scheme is wrong in a relative reference too (RFC
 * 3986 section 4.2). */
static bool read_scheme(struct reader *r, struct pap_str *rest)
{
    size_t n = 0;
    while (n < rest->n && !memchr(":/?#", rest->p[n], 4))
        n++;
    if (n == rest->n || rest->p[n] != ':')
        return true;
    if (n == 0 || !ascii_is_alpha(rest->p[0]))
        return refuse(r, rest->p, "a scheme that does not begin with a letter");
    for (size_t i = 1; i < n; i++)
        if (!ascii_is_alnum(rest->p[i]) && !memchr("+-.", rest->p[i], 3))
            return refuse(r, rest->p + i, "a character that no scheme may hold");
    r->u.scheme = str_take(*rest, n);
    *rest = str_skip(*rest, n + 1);
    return true;
}

/* Cuts *rest at the first `mark`; what is behind it, or absent. */
static struct pap_str cut_at(struct pap_str *rest, char mark)
{
    size_t at = str_find_char(*rest, mark);
    if (at == rest->n)
        return str(NULL, 0);
    struct pap_str behind = str_skip(*rest, at + 1);
    *rest = str_take(*rest, at);
    return behind;
}

static bool has_none_of(struct reader *r, struct pap_str s, const char *marks, const char *why)
{
    for (size_t i = 0; i < s.n; i++)
        if (memchr(marks, s.p[i], strlen(marks)))
            return refuse(r, s.p + i, why);
    return true;
}

/* "[...]" at the start of *rest. */
static bool read_ipv6(struct reader *r, struct pap_str *rest)
{
    unsigned char ip[16];
    size_t close = str_find_char(*rest, ']');
    if (close == rest->n)
        return refuse(r, rest->p, "a [ without its ]");
    r->u.host = str(rest->p + 1, close - 1);
    if (str_find_char(r->u.host, '%') < r->u.host.n)
        return refuse(r, rest->p + str_find_char(*rest, '%'), "a zone in an IPv6 address");
    if (!host_parse_ipv6(r->u.host, ip))
        return refuse(r, rest->p + 1, "brackets around something that is no IPv6 address");
    r->u.host_is_ip = true;
    *rest = str_skip(*rest, close + 1);
    if (rest->n && rest->p[0] != ':')
        return refuse(r, rest->p, "something other than a port behind an IPv6 address");
    return true;
}

/* What stands between "//" and the path. */
static bool read_authority(struct reader *r, struct pap_str rest)
{
    size_t at = str_find_char(rest, '@');
    r->u.has_authority = true;
    if (at < rest.n) {
        r->u.userinfo = str_take(rest, at);
        rest = str_skip(rest, at + 1);
    }
    if (!has_none_of(r, r->u.userinfo, "[]", "a bracket outside an IPv6 host") ||
        !has_none_of(r, rest, "@", "a second @"))
        return false;
    if (rest.n && rest.p[0] == '[') {
        if (!read_ipv6(r, &rest))
            return false;
    } else {
        unsigned char ip[4];
        r->u.host = str_take(rest, str_find_char(rest, ':'));
        rest = str_skip(rest, r->u.host.n);
        if (!has_none_of(r, r->u.host, "[]", "a bracket outside an IPv6 host"))
            return false;
        r->u.host_is_ip = host_parse_ipv4(r->u.host, ip);
    }
    uint64_t port = 0;
    if (rest.n > 1 && (!str_to_u64(str_skip(rest, 1), &port) || port == 0 || port > 65535))
        return refuse(r, rest.p + 1, "a port that is no number from 1 to 65535");
    r->u.port = (uint32_t)port;
    return true;
}

static bool is_http(struct pap_str scheme)
{
    return str_eq_nocase(scheme, S("http")) || str_eq_nocase(scheme, S("https"));
}

static bool read_all(struct reader *r)
{
    struct pap_str rest = r->u.text;
    if (!check_bytes(r) || !read_scheme(r, &rest))
        return false;
    r->u.fragment = cut_at(&rest, '#');
    r->u.query = cut_at(&rest, '?');
    if (str_starts(rest, S("//"))) {
        struct pap_str authority = str_skip(rest, 2);
        authority = str_take(authority, str_find_char(authority, '/'));
        if (!read_authority(r, authority))
            return false;
        if (r->u.host.n == 0 && is_http(r->u.scheme))
            return refuse(r, r->u.host.p, "no host");
        rest = str_skip(rest, 2 + authority.n);
    }
    r->u.path = rest;
    return has_none_of(r, rest, "[]", "a bracket outside an IPv6 host") &&
           has_none_of(r, r->u.query, "[]", "a bracket outside an IPv6 host") &&
           has_none_of(r, r->u.fragment, "[]", "a bracket outside an IPv6 host") &&
           has_none_of(r, r->u.fragment, "#", "a second #");
}

bool uri_parse(struct pap_str text, struct uri *ret, size_t *ret_at, const char **ret_why)
{
    struct reader r = {.u = {.text = text.p ? text : S("")}};
    bool ok = read_all(&r);
    if (ok) {
        *ret = r.u;
    } else {
        *ret_at = r.at;
        *ret_why = r.why;
    }
    return ok;
}

/* "." or ".." with at least one dot written as %2e: browsers resolve it, RFC 3986 section 5.2.4 does not. */
static bool is_disguised_dots(struct pap_str segment)
{
    size_t dots = 0;
    struct pap_str s = segment;
    while (s.n && dots < 3) {
        bool coded = s.n >= 3 && s.p[0] == '%' && s.p[1] == '2' && ascii_lower(s.p[2]) == 'e';
        if (!coded && s.p[0] != '.')
            return false;
        s = str_skip(s, coded ? 3 : 1);
        dots++;
    }
    return (dots == 1 || dots == 2) && segment.n > dots;
}

bool uri_is_web(const struct uri *u, const char **ret_why)
{
    struct pap_str rest = u->path, segment;
    bool dots = false;
    while (!dots && str_next(&rest, '/', &segment))
        dots = is_disguised_dots(segment);
    const char *why = !u->scheme.p          ? "no scheme"
                      : !is_http(u->scheme) ? "a scheme other than http and https"
                      : u->host.n == 0      ? "no host"
                      : u->userinfo.p       ? "a user name"
                      : dots                ? "a dot segment written as %2e"
                                            : NULL;
    if (!why && host_is_dialable(u->host, &why))
        return true;
    *ret_why = why;
    return false;
}

/* What stands between "//" and the path, as given. */
static struct pap_str authority_of(const struct uri *u)
{
    if (!u->has_authority)
        return str(NULL, 0);
    const char *from = u->text.p + (u->scheme.p ? u->scheme.n + 1 : 0) + 2;
    return str(from, (size_t)(u->path.p - from));
}

static struct pap_str host_and_port_of(const struct uri *u)
{
    struct pap_str all = authority_of(u);
    return u->userinfo.p ? str_skip(all, u->userinfo.n + 1) : all;
}

static char *put(char *to, struct pap_str s)
{
    if (s.n)
        memcpy(to, s.p, s.n);
    return to + s.n;
}

/* RFC 3986 section 5.2.4, in place: what is written never overtakes what is read. The new length. */
static size_t remove_dots(char *path, size_t n)
{
    struct pap_str in = str(path, n);
    char *out = path;
    while (in.n) {
        if (str_starts(in, S("../"))) {
            in = str_skip(in, 3);
        } else if (str_starts(in, S("./"))) {
            in = str_skip(in, 2);
        } else if (str_starts(in, S("/./"))) {
            in = str_skip(in, 2);
        } else if (str_starts(in, S("/../")) || str_is(in, "/..")) {
            size_t last = str_rfind_char(str(path, (size_t)(out - path)), '/');
            out = path + (last == (size_t)(out - path) ? 0 : last);
            in = in.n == 3 ? S("/") : str_skip(in, 3);
        } else if (str_is(in, "/.")) {
            in = S("/");
        } else if (str_is(in, ".") || str_is(in, "..")) {
            in.n = 0;
        } else {
            size_t segment = 1 + str_find_char(str_skip(in, 1), '/');
            memmove(out, in.p, segment);
            out += segment;
            in = str_skip(in, segment);
        }
    }
    return (size_t)(out - path);
}

struct pap_str uri_resolve(struct arena *a, const struct uri *base, const struct uri *ref)
{
    bool own = ref->scheme.p || ref->has_authority; /* nothing but the scheme comes from the base */
    struct pap_str scheme = ref->scheme.p ? ref->scheme : base->scheme;
    struct pap_str authority = authority_of(own ? ref : base);
    struct pap_str folder = S(""), path = ref->path, query = ref->query;
    if (!own && path.n == 0) {
        path = base->path;
        query = query.p ? query : base->query;
    } else if (!own && path.p[0] != '/') { /* section 5.2.3 */
        size_t slash = str_rfind_char(base->path, '/');
        folder = slash < base->path.n ? str_take(base->path, slash + 1) : base->has_authority ? S("/") : S("");
    }
    char *text =
        arena_text(a, scheme.n + authority.n + folder.n + path.n + query.n + ref->fragment.n + sizeof ":///.?#");
    if (!text)
        return str(NULL, 0);
    char *at = put(put(text, scheme), S(":"));
    if (authority.p)
        at = put(put(at, S("//")), authority);
    char *apart = at + 2; /* room for two bytes in front of the path */
    size_t n = remove_dots(apart, (size_t)(put(put(apart, folder), path) - apart));
    if (!authority.p && str_starts(str(apart, n), S("//")))
        at = put(at, S("/.")); /* the path must not become an authority, section 3.3 */
    memmove(at, apart, n);
    at += n;
    if (query.p)
        at = put(put(at, S("?")), query);
    if (ref->fragment.p)
        at = put(put(at, S("#")), ref->fragment);
    *at = '\0';
    return str(text, (size_t)(at - text));
}

static uint32_t default_port(struct pap_str scheme)
{
    return str_eq_nocase(scheme, S("https")) ? 443 : str_eq_nocase(scheme, S("http")) ? 80 : 0;
}

uint32_t uri_port(const struct uri *u)
{
    return u->port ? u->port : default_port(u->scheme);
}

struct pap_str uri_origin(struct arena *a, const struct uri *u)
{
    bool ipv6 = str_find_char(u->host, ':') < u->host.n;
    char port[16] = "";
    if (u->port && u->port != default_port(u->scheme))
        snprintf(port, sizeof port, ":%u", (unsigned)u->port);
    struct pap_str s =
        arena_fmt(a, "%.*s://%s%.*s%s%s", PSTR(u->scheme), ipv6 ? "[" : "", PSTR(u->host), ipv6 ? "]" : "", port);
    for (size_t i = 0; i < s.n; i++)
        ((char *)s.p)[i] = ascii_lower(s.p[i]); /* made two lines above: ours to write */
    return s;
}

bool uri_same_origin(const struct uri *a, const struct uri *b)
{
    return a->scheme.n && a->host.n && str_eq_nocase(a->scheme, b->scheme) && str_eq_nocase(a->host, b->host) &&
           uri_port(a) == uri_port(b);
}

static struct pap_str path_without_slash(const struct uri *u)
{
    struct pap_str p = u->path;
    return p.n && p.p[p.n - 1] == '/' ? str_take(p, p.n - 1) : p;
}

struct pap_str uri_well_known(struct arena *a, const struct uri *u, const char *suffix)
{
    return arena_fmt(a, "%.*s://%.*s/.well-known/%s%.*s%s%.*s", PSTR(u->scheme), PSTR(host_and_port_of(u)), suffix,
                     PSTR(path_without_slash(u)), u->query.p ? "?" : "", PSTR(u->query));
}

struct pap_str uri_appended(struct arena *a, const struct uri *u, const char *suffix)
{
    return arena_fmt(a, "%.*s://%.*s%.*s/.well-known/%s", PSTR(u->scheme), PSTR(host_and_port_of(u)),
                     PSTR(path_without_slash(u)), suffix);
}
