/* SPDX-License-Identifier: Apache-2.0 */
#include "net/http_head.h"

#include "text/host.h"
#include "text/httpval.h"

int http_head_scan(struct http_scan *s, struct pap_str bytes, const struct http_limits *limits)
{
    size_t most_bytes = limits->bytes ? limits->bytes : LIMIT_HTTP_HEAD;
    size_t most_fields = limits->fields && limits->fields < LIMIT_HTTP_FIELDS ? limits->fields : LIMIT_HTTP_FIELDS;
    for (;;) {
        if (s->lines == 0 && s->line < bytes.n && bytes.p[s->line] != '\r' &&
            (bytes.p[s->line] < 'A' || bytes.p[s->line] > 'Z'))
            return 400; /* no method begins so: a TLS handshake at the wrong port, say */
        size_t lf = s->at + str_find_char(str_skip(bytes, s->at), '\n');
        size_t end = lf < bytes.n ? lf + 1 : bytes.n;
        if (end - s->line > LIMIT_HTTP_LINE)
            return s->lines ? 431 : 414;
        if (end > most_bytes)
            return 431;
        s->at = end;
        if (lf == bytes.n)
            return HTTP_MORE;
        if (lf == s->line || bytes.p[lf - 1] != '\r')
            return 400;
        bool empty = lf - s->line == 1;
        s->line = end;
        if (!empty && s->lines++ > most_fields)
            return 431;
        if (empty && s->lines)
            return HTTP_DONE;
        if (empty && s->begin)
            return 400;
        if (empty)
            s->begin = end;
    }
}

/* A name for the method that every server reads alike. */
static bool is_method_char(char c)
{
    return (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

/* RFC 3986 section 3.3, and '|' and '^', which browsers send as they are. */
static bool is_path_char(char c)
{
    return ascii_is_alnum(c) || memchr("/-._~%!$&'()*+,;=:@|^", c, 21);
}

/* What a browser leaves as it is behind the '?': all that can be seen, but for these. */
static bool is_query_char(char c)
{
    return c > 0x20 && c < 0x7f && c != '"' && c != '#' && c != '<' && c != '>';
}

static bool is_all(struct pap_str s, bool (*is)(char))
{
    for (size_t i = 0; i < s.n; i++)
        if (!is(s.p[i]))
            return false;
    return true;
}

/* "." or "..", in disguise too; the segment's percent-encoding is right. */
static bool is_dot_segment(struct pap_str s)
{
    size_t dots = 0;
    for (size_t i = 0; i < s.n; i++, dots++) {
        if (s.n - i >= 3 && s.p[i] == '%' && s.p[i + 1] == '2' && ascii_lower(s.p[i + 2]) == 'e')
            i += 2;
        else if (s.p[i] != '.')
            return false;
    }
    return dots == 1 || dots == 2;
}

static bool path_is_good(struct pap_str path)
{
    if (path.n == 0 || path.p[0] != '/' || !is_all(path, is_path_char))
        return false;
    for (size_t i = str_find_char(path, '%'); i < path.n; i++)
        if (path.p[i] == '%' && (path.n - i < 3 || ascii_hex(path.p[i + 1]) < 0 || ascii_hex(path.p[i + 2]) < 0 ||
                                 (path.p[i + 1] == '0' && path.p[i + 2] == '0')))
            return false;
    struct pap_str rest = path, segment;
    while (str_next(&rest, '/', &segment))
        if (is_dot_segment(segment))
            return false;
    return true;
}

/* host [ ":" port ], RFC 9110 section 7.2. A name may end in a dot; it has no user and no percent-encoding. */
static bool authority_is_good(struct pap_str s)
{
    unsigned char address[16];
    struct pap_str host, port;
    if (s.n && s.p[0] == '[') {
        size_t end = str_find_char(s, ']');
        if (end == s.n || !host_parse_ipv6(str(s.p + 1, end - 1), address))
            return false;
        port = str_skip(s, end + 1);
    } else {
        host = str_take(s, str_find_char(s, ':'));
        port = str_skip(s, host.n);
        if (host.n > 254 || host.n == 0)
            return false;
        for (size_t i = 0; i < host.n; i++)
            if (host.p[i] == '.' ? i == 0 || host.p[i - 1] == '.'
                                 : !ascii_is_alnum(host.p[i]) && host.p[i] != '-' && host.p[i] != '_')
                return false;
    }
    uint64_t number = 0;
    return port.n == 0 ||
           (port.p[0] == ':' && port.n <= 6 && str_to_u64(str_skip(port, 1), &number) && number <= 65535);
}

/* RFC 9112 section 3.2. The authority of an absolute form wins over Host. CONNECT never comes here. */
static bool read_target(struct http_request *r)
{
    struct pap_str t = r->target, rest;
    if (str_eq(t, S("*"))) {
        r->path = t;
        return str_eq(r->method, S("OPTIONS"));
    }
    if (t.n && t.p[0] != '/') {
        size_t scheme = str_eq_nocase(str_take(t, 7), S("http://"))    ? 7
                        : str_eq_nocase(str_take(t, 8), S("https://")) ? 8
                                                                       : 0;
        rest = str_skip(t, scheme);
        size_t end = 0;
        while (end < rest.n && rest.p[end] != '/' && rest.p[end] != '?')
            end++;
        r->authority = str_take(rest, end);
        if (!scheme || !authority_is_good(r->authority))
            return false;
        t = str_skip(rest, end);
    }
    size_t mark = str_find_char(t, '?');
    r->path = mark ? str_take(t, mark) : S("/");
    r->query = mark < t.n ? str_skip(t, mark + 1) : str(NULL, 0);
    return path_is_good(r->path) && is_all(r->query, is_query_char);
}

/* "METHOD SP target SP HTTP/1.x" */
static int read_request_line(struct pap_str line, struct http_request *r)
{
    size_t first = str_find_char(line, ' ');
    struct pap_str rest = str_skip(line, first + 1);
    size_t second = str_find_char(rest, ' ');
    struct pap_str version = str_skip(rest, second + 1);
    r->method = str_take(line, first);
    r->target = str_take(rest, second);
    if (r->method.n == 0 || r->method.n > 32 || !is_all(r->method, is_method_char))
        return 400;
    if (version.n != 8 || !str_starts(version, S("HTTP/")) || !ascii_is_digit(version.p[5]) || version.p[6] != '.' ||
        !ascii_is_digit(version.p[7]))
        return 400;
    if (version.p[5] != '1')
        return 505;
    r->minor = version.p[7] != '0'; /* of a later 1.x what is known is 1.1: RFC 9110 section 2.5 */
    if (str_eq(r->method, S("CONNECT")) || str_eq(r->method, S("TRACE")))
        return 501;
    return read_target(r) ? HTTP_DONE : 400;
}

/* Fields of which a request has one at most: twice, and two readers may each take another. */
enum { FIELD_HOST, FIELD_LENGTH, FIELD_CODING, FIELD_EXPECT };
static const struct pap_str single[] = {
    [FIELD_HOST] = S_INIT("host"),
    [FIELD_LENGTH] = S_INIT("content-length"),
    [FIELD_CODING] = S_INIT("transfer-encoding"),
    [FIELD_EXPECT] = S_INIT("expect"),
    S_INIT("authorization"),
    S_INIT("content-range"),
    S_INIT("content-type"),
    S_INIT("if-match"),
    S_INIT("if-modified-since"),
    S_INIT("if-none-match"),
    S_INIT("if-range"),
    S_INIT("if-unmodified-since"),
    S_INIT("range"),
};
enum { N_SINGLE = sizeof single / sizeof single[0] };

/* "close" and "keep-alive" of a Connection field, RFC 9112 section 9.3. */
static void read_connection(struct pap_str value, bool *keep, bool *close)
{
    struct pap_str part;
    while (str_next(&value, ',', &part)) {
        *keep |= str_eq_nocase(str_trim(part), S("keep-alive"));
        *close |= str_eq_nocase(str_trim(part), S("close"));
    }
}

/* The header fields, and those of `single` beside them (p NULL: absent). */
static int read_fields(struct pap_str rest, struct header *slots, struct http_request *r,
                       struct pap_str found[N_SINGLE], bool *keep, bool *close)
{
    size_t n = 0;
    for (; rest.n > 2; n++) {
        struct pap_str line = str_take(rest, str_find(rest, S("\r\n"))); /* the scan saw that every LF has its CR */
        rest = str_skip(rest, line.n + 2);
        size_t colon = str_find_char(line, ':');
        struct header h = {str_take(line, colon), str_trim(str_skip(line, colon + 1))};
        /* A fold begins with a blank, and a blank is not of a token: refused as a name (RFC 9112 section 5.1, 5.2). */
        if (n == LIMIT_HTTP_FIELDS || colon == line.n || colon == 0 || !is_all(h.name, http_is_token_char) ||
            !http_is_value(str_skip(line, colon + 1)))
            return n == LIMIT_HTTP_FIELDS ? 431 : 400;
        slots[n] = h;
        if (str_eq_nocase(h.name, S("connection")))
            read_connection(h.value, keep, close);
        for (size_t i = 0; i < N_SINGLE; i++)
            if (h.name.n == single[i].n && str_eq_nocase(h.name, single[i])) {
                if (found[i].p)
                    return 400;
                found[i] = h.value;
            }
    }
    r->headers = slots;
    r->n_headers = n;
    return HTTP_DONE;
}

/* RFC 9112 section 6, with every doubt refused. */
static int read_framing(const struct http_request *r, const struct pap_str found[N_SINGLE], struct http_framing *f)
{
    struct pap_str coding = found[FIELD_CODING], length = found[FIELD_LENGTH], expect = found[FIELD_EXPECT];
    if (coding.p && (length.p || r->minor == 0))
        return 400;
    if (coding.p && !str_eq_nocase(coding, S("chunked")))
        return 501;
    if (length.p && !str_to_u64(length, &f->length))
        return 400;
    f->chunked = coding.p != NULL;
    if (expect.p && !str_eq_nocase(expect, S("100-continue")))
        return 417;
    f->expects_continue = expect.p && r->minor;
    return HTTP_DONE;
}

int http_head_parse(struct pap_str head, struct header *slots, struct http_request *ret,
                    struct http_framing *ret_framing)
{
    struct http_request r = *ret;
    struct http_framing f = {0};
    struct pap_str found[N_SINGLE] = {{0}};
    bool keep = false, close = false;
    struct pap_str line = str_take(head, str_find(head, S("\r\n")));
    r.authority = str(NULL, 0);
    int status = read_request_line(line, &r);
    if (!status)
        status = read_fields(str_skip(head, line.n + 2), slots, &r, found, &keep, &close);
    if (!status)
        status = read_framing(&r, found, &f);
    if (status)
        return status;
    struct pap_str host = found[FIELD_HOST];
    if (host.p ? !authority_is_good(host) : r.minor > 0)
        return 400;
    if (!r.authority.p)
        r.authority = host;
    f.keep_alive = !close && (r.minor || keep);
    *ret = r;
    *ret_framing = f;
    return HTTP_DONE;
}
