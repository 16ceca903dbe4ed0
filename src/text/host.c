/* SPDX-License-Identifier: Apache-2.0 */
#include "text/host.h"

enum { NAME_MOST = 253, LABEL_MOST = 63 }; /* RFC 1035 section 2.3.4 */

static bool refuse(const char **ret_why, const char *why)
{
    *ret_why = why;
    return false;
}

bool host_parse_ipv4(struct pap_str s, unsigned char ret[4])
{
    unsigned char out[4];
    struct pap_str part;
    size_t n = 0;
    while (str_next(&s, '.', &part)) {
        uint64_t v;
        if (n == 4 || part.n > 3 || (part.n > 1 && part.p[0] == '0') || !str_to_u64(part, &v) || v > 255)
            return false;
        out[n++] = (unsigned char)v;
    }
    if (n != 4)
        return false;
    memcpy(ret, out, 4);
    return true;
}

/* The value of a hexadecimal digit, -1 for other bytes. */
static int hex_value(char c)
{
    char low = ascii_lower(c);
    return ascii_is_digit(c) ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

/* One to four hexadecimal digits, written as two bytes. */
static bool parse_group(struct pap_str s, unsigned char ret[2])
{
    unsigned v = 0;
    if (s.n < 1 || s.n > 4)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        int d = hex_value(s.p[i]);
        if (d < 0)
            return false;
        v = v << 4 | (unsigned)d;
    }
    ret[0] = (unsigned char)(v >> 8);
    ret[1] = (unsigned char)(v & 255);
    return true;
}

bool host_parse_ipv6(struct pap_str s, unsigned char ret[16])
{
    enum { NO_GAP = 17 };
    unsigned char out[16] = {0};
    size_t n = 0, gap = NO_GAP; /* bytes written; where "::" stands */
    if (str_starts(s, S("::"))) {
        gap = 0;
        s = str_skip(s, 2);
    } else if (s.n == 0) {
        return false;
    }
    while (s.n) {
        struct pap_str group = str_take(s, str_find_char(s, ':'));
        bool last = group.n == s.n;
        if (last && n <= 12 && host_parse_ipv4(group, out + n)) {
            n += 4;
            break;
        }
        if (n == 16 || !parse_group(group, out + n))
            return false;
        n += 2;
        if (last)
            break;
        s = str_skip(s, group.n + 1);
        if (s.n == 0)
            return false; /* a single colon at the end */
        if (s.p[0] == ':') {
            if (gap != NO_GAP)
                return false;
            gap = n;
            s = str_skip(s, 1);
        }
    }
    if (gap == NO_GAP ? n != 16 : n > 14)
        return false;
    if (gap != NO_GAP) {
        memmove(out + 16 - (n - gap), out + gap, n - gap);
        memset(out + gap, 0, 16 - n);
    }
    memcpy(ret, out, 16);
    return true;
}

static bool is_ip(struct pap_str s)
{
    unsigned char ip[16];
    if (s.n >= 2 && s.p[0] == '[' && s.p[s.n - 1] == ']')
        return host_parse_ipv6(str(s.p + 1, s.n - 2), ip);
    return host_parse_ipv4(s, ip) || host_parse_ipv6(s, ip);
}

/* Digits, or 0x and any hexadecimal digits: what inet_aton() and browsers take for a number. */
static bool is_number(struct pap_str s)
{
    bool hex = s.n >= 2 && s.p[0] == '0' && ascii_lower(s.p[1]) == 'x';
    for (size_t i = hex ? 2 : 0; i < s.n; i++)
        if (hex ? hex_value(s.p[i]) < 0 : !ascii_is_digit(s.p[i]))
            return false;
    return s.n > 0;
}

bool host_is_odd_ipv4(struct pap_str host)
{
    struct pap_str s = host;
    if (s.n && s.p[s.n - 1] == '.')
        s.n--;
    size_t dot = str_rfind_char(s, '.');
    return is_number(dot == s.n ? s : str_skip(s, dot + 1)) && !is_ip(host);
}

/* What a byte that no name holds tells about the text; in this order of bytes. */
static const struct {
    char byte;
    const char *why;
} telling[] = {
    {'/', "a path"}, {'\\', "a backslash"},     {'?', "a query"}, {'#', "a fragment"},    {'@', "a user name"},
    {':', "a port"}, {'%', "percent-encoding"}, {' ', "a blank"}, {'_', "an underscore"}, {'*', "a wildcard"},
};

static const char *why_not_in_name(char c)
{
    for (size_t i = 0; i < sizeof telling / sizeof telling[0]; i++)
        if (telling[i].byte == c)
            return telling[i].why;
    if ((unsigned char)c >= 0x80)
        return "a non-ASCII character (such a name is written in its xn-- form)";
    return (unsigned char)c < 0x20 || c == 0x7f ? "a control character"
                                                : "a character other than letters, digits, hyphens and dots";
}

static bool labels_hold(struct pap_str s, bool underscore, const char **ret_why)
{
    for (size_t i = 0; i < s.n; i++)
        if (!ascii_is_alnum(s.p[i]) && s.p[i] != '-' && s.p[i] != '.' && !(underscore && s.p[i] == '_'))
            return refuse(ret_why, why_not_in_name(s.p[i]));
    if (s.n == 0)
        return refuse(ret_why, "nothing");
    if (s.n > 1 && s.p[s.n - 1] == '.' && s.p[s.n - 2] != '.')
        return refuse(ret_why, "a trailing dot");
    if (s.n > NAME_MOST)
        return refuse(ret_why, "more than 253 bytes");
    struct pap_str rest = s, label;
    while (str_next(&rest, '.', &label)) {
        if (label.n == 0)
            return refuse(ret_why, "an empty label (two dots, or one at the start)");
        if (label.n > LABEL_MOST)
            return refuse(ret_why, "a label of more than 63 bytes");
        if (label.p[0] == '-' || label.p[label.n - 1] == '-')
            return refuse(ret_why, "a label that begins or ends with a hyphen");
    }
    return true;
}

bool host_is_name(struct pap_str s, const char **ret_why)
{
    if (is_ip(s))
        return refuse(ret_why, "an IP address");
    if (str_find(s, S("://")) < s.n)
        return refuse(ret_why, "a scheme");
    if (host_is_odd_ipv4(s))
        return refuse(ret_why, "an IP address or a last label that is a number");
    return labels_hold(s, false, ret_why);
}

bool host_is_dialable(struct pap_str host, const char **ret_why)
{
    unsigned char ip[16];
    if (host_parse_ipv4(host, ip) || host_parse_ipv6(host, ip))
        return true;
    if (host_is_odd_ipv4(host))
        return refuse(ret_why, "an IPv4 address in a form that programs read differently");
    return labels_hold(host, true, ret_why);
}

bool host_is_loopback(struct pap_str host)
{
    static const unsigned char one[16] = {[15] = 1};
    unsigned char ip[16];
    return str_eq_nocase(host, S("localhost")) || (host_parse_ipv4(host, ip) && ip[0] == 127) ||
           (host_parse_ipv6(host, ip) && memcmp(ip, one, sizeof one) == 0);
}

struct pap_str host_bare(struct pap_str host)
{
    if (host.n && host.p[host.n - 1] == '.')
        host.n--;
    if (host.n > 4 && str_eq_nocase(str_take(host, 4), S("www.")))
        host = str_skip(host, 4);
    return host;
}

bool host_is_within(struct pap_str host, struct pap_str domain)
{
    if (domain.n == 0 || host.n < domain.n)
        return false;
    size_t above = host.n - domain.n;
    if (!str_eq_nocase(str_skip(host, above), domain))
        return false;
    return above == 0 || (above > 1 && host.p[above - 1] == '.' && !is_ip(host));
}
