/* SPDX-License-Identifier: Apache-2.0 */
#include "text/host.h"
#include "text/secret_inside.h"

bool secret_is_in(unsigned set, char c)
{
    return (ascii_is_digit(c) && (set & DIGITS)) || (c >= 'A' && c <= 'Z' && (set & UPPER)) ||
           (c >= 'a' && c <= 'z' && (set & LOWER)) || (c == '-' && (set & DASH)) || (c == '_' && (set & UNDERSCORE)) ||
           (c == '.' && (set & DOT)) || (c == '/' && (set & SLASH)) || (c == '+' && (set & PLUS)) ||
           (c == '=' && (set & EQUALS));
}

size_t secret_run(unsigned set, struct pap_str s)
{
    size_t n = 0;
    while (n < s.n && secret_is_in(set, s.p[n]))
        n++;
    return n;
}

bool secret_is_placeholder(struct pap_str s)
{
    static const char *const words[] = {"EXAMPLE", "example", "XXXXXX", "xxxxxx", "YOUR", "your"};
    size_t same = 0;
    for (size_t i = 1; i < s.n; i++)
        same += s.p[i] == s.p[i - 1];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_find(s, str_c(words[i])) < s.n)
            return true;
    return same * 2 > s.n;
}

const char *secret_key_block(struct pap_str all, size_t at)
{
    enum { BEGIN = 11, LABEL_MOST = 64, DASHES = 5, FAR = 600, LINE = 16 };
    struct pap_str s = str_take(str_skip(all, at), FAR), label = str_take(str_skip(s, BEGIN), LABEL_MOST);
    label = str_take(label, str_find_char(label, '-'));
    if (!str_ends(label, S("PRIVATE KEY")) && !str_ends(label, S("PRIVATE KEY BLOCK")))
        return NULL;
    size_t run = 0;
    for (size_t i = BEGIN + label.n + DASHES; i < s.n; i++) {
        run = secret_is_in(BASE64 | EQUALS, s.p[i]) ? run + 1 : 0;
        if (run >= LINE && !secret_is_placeholder(str(s.p + i + 1 - run, run)))
            return "a private key";
    }
    return NULL;
}

/* ---- names with values ---- */

/* Takes what stands between a name and its value: quotes (in JSON within a text with a backslash), blanks, signs, the end of a
 * tag, the edge of a cell. */
static void skip_between(struct pap_str *s)
{
    enum { MOST = 16 };
    for (size_t i = 0; i < MOST && s->n && s->p[0] && strchr("\"'`\\ \t:=,>|", s->p[0]); i++)
        *s = str_skip(*s, 1);
}

const char *secret_aws(struct pap_str all, size_t at)
{
    enum { BYTES = 40 };
    static const char *const words[] = {"secret", "access", "key"};
    struct pap_str s = str_take(str_skip(all, at), SECRET_FAR);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct pap_str word = str_c(words[i]);
        if (i && s.n && secret_is_in(DASH | UNDERSCORE, s.p[0]))
            s = str_skip(s, 1);
        if (!str_eq_nocase(str_take(s, word.n), word))
            return NULL;
        s = str_skip(s, word.n);
    }
    size_t before = s.n;
    skip_between(&s);
    bool whole = s.n < before && secret_run(BASE64, s) == BYTES && (s.n == BYTES || s.p[BYTES] != '=');
    return whole && !secret_is_placeholder(str_take(s, BYTES)) ? "a secret access key of AWS" : NULL;
}

/* The end of the object around `at`, or where it begins; `all.n` when that is too far. */
static size_t object_edge(struct pap_str all, size_t at, bool forward)
{
    unsigned depth = 0;
    char ours = forward ? '}' : '{', other = forward ? '{' : '}';
    for (size_t i = 0; i < SECRET_FAR && (forward ? at + i < all.n : i <= at); i++) {
        size_t k = forward ? at + i : at - i;
        if (all.p[k] == other)
            depth++;
        else if (all.p[k] == ours && depth-- == 0)
            return k;
    }
    return all.n;
}

/* The value of a member of that name, in URL-safe base64; empty where there is none. */
static struct pap_str member(struct pap_str object, struct pap_str name)
{
    for (size_t i = 1; i + name.n < object.n; i++) {
        struct pap_str rest = str_skip(object, i);
        if (!str_starts(rest, name) || secret_is_in(URL64, object.p[i - 1]) || secret_is_in(URL64, rest.p[name.n]))
            continue;
        rest = str_skip(rest, name.n);
        skip_between(&rest);
        return str_take(rest, secret_run(URL64, rest));
    }
    return S("");
}

const char *secret_jwk(struct pap_str all, size_t at)
{
    enum { PRIVATE_LEAST = 40, SHARED_LEAST = 20 }; /* 256 and 128 bits, with a few to spare */
    size_t begin = object_edge(all, at, false), end = object_edge(all, at, true);
    if (begin == all.n || end == all.n)
        return NULL;
    struct pap_str object = str(all.p + begin, end - begin);
    bool shared = str_is(member(object, S("kty")), "oct");
    struct pap_str value = member(object, shared ? S("k") : S("d"));
    return value.n >= (shared ? SHARED_LEAST : PRIVATE_LEAST) && !secret_is_placeholder(value)
               ? "a private key (JSON Web Key)"
               : NULL;
}

/* ---- URLs ---- */

/* A word for it, or a name to be filled in: what stands in every example. */
static bool is_word_for_password(struct pap_str s)
{
    static const char *const words[] = {"password", "passwd",  "passphrase", "changeme", "placeholder",
                                        "redacted", "hidden",  "secret",     "token",    "apikey",
                                        "api-key",  "api_key", "example",    "your"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_has_nocase(s, str_c(words[i])))
            return true;
    return secret_is_placeholder(s) || str_find(s, S("...")) < s.n;
}

/* How many kinds of characters; 0 when one of them means that something is to be put in there. Escapes and colons are in
 * URLs that are no login, too. */
static unsigned kinds_of(struct pap_str s)
{
    enum { SMALL = 1, CAPITAL = 2, DIGIT = 4, OTHER = 8 };
    unsigned kinds = 0;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool escape = c == '%' && i + 2 < s.n && ascii_hex(s.p[i + 1]) >= 0 && ascii_hex(s.p[i + 2]) >= 0;
        if ((unsigned char)c >= 0x80 || (!escape && memchr("$%{}*[]()&;", c, 11)))
            return 0;
        if (escape)
            i += 2;
        else if (c != ':')
            kinds |= secret_is_in(LOWER, c)   ? SMALL
                     : secret_is_in(UPPER, c) ? CAPITAL
                     : ascii_is_digit(c)      ? DIGIT
                                              : OTHER;
    }
    return !!(kinds & SMALL) + !!(kinds & CAPITAL) + !!(kinds & DIGIT) + !!(kinds & OTHER);
}

/* Hosts that are nobody's (RFC 2606), or called what they are. */
static bool is_for_show(struct pap_str host)
{
    static const char *const domains[] = {"example",     "test", "invalid",  "example.com", "example.net",
                                          "example.org", "host", "hostname", "server",      "domain"};
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++)
        if (host_is_within(host, str_c(domains[i])))
            return true;
    return false;
}

const char *secret_login(struct pap_str all, size_t at)
{
    enum { FAR = 512, LEAST = 6, LEAST_FOR_SHOW = 8, KINDS = 2, KINDS_FOR_SHOW = 3 };
    struct pap_str s = str_take(str_skip(all, at + 3), FAR);
    size_t n = 0;
    while (n < s.n && (unsigned char)s.p[n] > ' ' && !memchr("/?#\"'`<>\\|", s.p[n], 10))
        n++;
    s = str_take(s, n);
    size_t sign = str_rfind_char(s, '@');
    struct pap_str login = str_take(s, sign), host = str_skip(s, sign + 1);
    size_t colon = str_find_char(login, ':');
    if (sign == s.n || colon == login.n || at == 0 || !ascii_is_alnum(all.p[at - 1]))
        return NULL;
    host = str_take(host, str_find_char(host, ':'));
    struct pap_str user = str_take(login, colon), password = str_skip(login, colon + 1);
    bool show = is_for_show(host);
    if (!host.n || host_is_loopback(host) || str_eq_nocase(user, password) || is_word_for_password(password))
        return NULL;
    return password.n >= (show ? LEAST_FOR_SHOW : LEAST) && kinds_of(password) >= (show ? KINDS_FOR_SHOW : KINDS)
               ? "a password in a URL"
               : NULL;
}

/* ---- DER (X.690) ---- */

enum { INTEGER = 2, OCTETS = 4, OID = 6, SEQUENCE = 0x30 };

/* The next element, whole; false when there is none. */
static bool take_der(struct pap_str *rest, int *ret_tag, struct pap_str *ret)
{
    if (rest->n < 2)
        return false;
    const unsigned char *u = (const unsigned char *)rest->p;
    size_t more = u[1] & 0x80 ? u[1] & 0x7f : 0, n = more ? 0 : u[1];
    if (u[1] == 0x80 || more > 3 || rest->n < 2 + more)
        return false;
    for (size_t i = 0; i < more; i++)
        n = n << 8 | u[2 + i];
    if (n > rest->n - 2 - more)
        return false;
    *ret_tag = u[0];
    *ret = str(rest->p + 2 + more, n);
    *rest = str_skip(*rest, 2 + more + n);
    return true;
}

static bool take_this(struct pap_str *rest, int tag, struct pap_str *ret)
{
    int is;
    return take_der(rest, &is, ret) && is == tag;
}

const char *secret_der(struct pap_str file)
{
    enum { LEAST = 16 };
    struct pap_str pkcs5 = S("\x2a\x86\x48\x86\xf7\x0d\x01\x05");
    static const char what[] = "a private key (DER)";
    struct pap_str all, version, algorithm, id, key;
    int tag;
    if (!take_this(&file, SEQUENCE, &all))
        return NULL;
    struct pap_str rest = all;
    if (take_this(&rest, SEQUENCE, &algorithm)) /* PKCS#8, encrypted */
        return take_this(&algorithm, OID, &id) && str_starts(id, pkcs5) && take_this(&rest, OCTETS, &key) ? what : NULL;
    rest = all;
    if (!take_this(&rest, INTEGER, &version) || version.n != 1 || (unsigned char)version.p[0] > 1 ||
        !take_der(&rest, &tag, &key))
        return NULL;
    if (tag == SEQUENCE) /* PKCS#8 */
        return take_this(&key, OID, &id) && take_this(&rest, OCTETS, &key) && key.n >= LEAST ? what : NULL;
    if (tag == OCTETS) /* SEC 1 */
        return version.p[0] == 1 && key.n >= LEAST ? what : NULL;
    return tag == INTEGER && key.n >= 2 * LEAST && take_this(&rest, INTEGER, &id) ? what : NULL; /* PKCS#1, DSA */
}
