/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditions and codings.
 */
#include "host/condition.h"

#include "text/httpval.h"

/* ---- lists of entity tags (RFC 9110 section 8.8.3) ---- */

/* Takes the next entity tag off a list; false at its end, and at what is no entity tag. */
static bool next_etag(struct pap_str *rest, struct pap_str *ret_opaque, bool *ret_weak)
{
    while (rest->n && memchr(", \t", rest->p[0], 3))
        *rest = str_skip(*rest, 1);
    bool weak = str_starts(*rest, S("W/"));
    struct pap_str s = str_skip(*rest, weak ? 2 : 0);
    if (!str_starts(s, S("\"")))
        return false;
    size_t n = 1;
    while (n < s.n && s.p[n] != '"' && (unsigned char)s.p[n] > 0x20 && s.p[n] != 0x7f)
        n++;
    if (n == s.n || s.p[n] != '"')
        return false;
    *ret_opaque = str_take(s, n + 1);
    *ret_weak = weak;
    *rest = str_skip(s, n + 1);
    return true;
}

static bool etag_listed(struct pap_str list, struct pap_str etag, bool weakly)
{
    struct pap_str opaque;
    bool weak;
    while (next_etag(&list, &opaque, &weak))
        if (str_eq(opaque, etag) && (weakly || !weak))
            return true;
    return false;
}

/* A field that is a list may come in several lines. "*" is the whole value or it is nothing. */
static bool etag_named(const struct http_request *q, const char *name, struct pap_str etag, bool weakly)
{
    bool one = request_header_count(q, name) == 1;
    for (size_t i = 0; i < q->n_headers; i++) {
        struct pap_str value = str_trim(q->headers[i].value);
        if (str_eq_nocase(q->headers[i].name, str_c(name)) &&
            ((one && str_is(value, "*")) || etag_listed(value, etag, weakly)))
            return true;
    }
    return false;
}

/* ---- preconditions ---- */

/* The date of a field that is there once and well formed; another one is as if it were not there, and so is each where
 * the representation has no date (13.1.3, 13.1.4). */
static bool date_of(const struct http_request *q, const struct validator *v, const char *name, int64_t *ret)
{
    return v->modified != MODIFIED_NEVER && request_header_count(q, name) == 1 &&
           http_date_parse(request_header(q, name), ret);
}

enum condition condition_of(const struct http_request *q, const struct validator *v)
{
    int64_t date;
    if (request_header_count(q, "If-Match")) {
        if (!etag_named(q, "If-Match", v->etag, false))
            return CONDITION_FAILED;
    } else if (date_of(q, v, "If-Unmodified-Since", &date) && v->modified > date) {
        return CONDITION_FAILED;
    }
    if (request_header_count(q, "If-None-Match"))
        return etag_named(q, "If-None-Match", v->etag, true) ? CONDITION_NOT_MODIFIED : CONDITION_HOLDS;
    return date_of(q, v, "If-Modified-Since", &date) && v->modified <= date ? CONDITION_NOT_MODIFIED : CONDITION_HOLDS;
}

/* ---- ranges (section 14) ---- */

/* Section 13.1.5: one strong entity tag, or the very date where that is a strong validator. */
static bool range_may_be_used(const struct http_request *q, const struct validator *v)
{
    int64_t date;
    size_t n = request_header_count(q, "If-Range");
    if (n != 1)
        return n == 0;
    struct pap_str value = str_trim(request_header(q, "If-Range"));
    if (str_eq(value, v->etag))
        return true;
    return v->modified_is_strong && http_date_parse(value, &date) && date == v->modified;
}

/* Digits off the front of *s; a number too large to hold is the largest. False when there are none. */
static bool take_number(struct pap_str *s, uint64_t *ret)
{
    uint64_t value = 0;
    size_t i = 0;
    for (; i < s->n && ascii_is_digit(s->p[i]); i++)
        value = value > (UINT64_MAX - 9) / 10 ? UINT64_MAX : value * 10 + (uint64_t)(s->p[i] - '0');
    *s = str_skip(*s, i);
    *ret = value;
    return i > 0;
}

/* One range-spec. False: malformed. n 0: right, but not in these bytes. */
static bool read_range(struct pap_str s, uint64_t length, struct byte_range *ret)
{
    uint64_t first = 0, last = UINT64_MAX;
    bool has_first = take_number(&s, &first);
    if (!str_starts(s, S("-")))
        return false;
    s = str_skip(s, 1);
    bool has_last = take_number(&s, &last);
    if (s.n || !(has_first || has_last) || (has_first && has_last && last < first))
        return false;
    if (!has_first) { /* the last so many bytes */
        uint64_t n = last < length ? last : length;
        *ret = (struct byte_range){length - n, n};
        return true;
    }
    if (!has_last || last >= length)
        last = length ? length - 1 : 0;
    *ret = (struct byte_range){first, first < length ? last - first + 1 : 0};
    return true;
}

static bool overlaps(const struct byte_range *a, const struct byte_range *b)
{
    return a->first < b->first + b->n && b->first < a->first + a->n;
}

/* Whether they are few and short enough to be worth sending in parts. */
static bool are_modest(const struct byte_range *ranges, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += ranges[i].n;
        for (size_t k = 0; k < i; k++)
            if (overlaps(&ranges[i], &ranges[k]))
                return false;
    }
    return n == 1 || sum <= LIMIT_HOST_MULTIPART;
}

enum range_verdict range_of(const struct http_request *q, const struct validator *v, uint64_t length,
                            struct byte_range ret[static LIMIT_HOST_RANGES], size_t *ret_n)
{
    struct pap_str rest = str_trim(request_header(q, "Range")), part;
    size_t n = 0, specs = 0;
    /* Section 14.2: only GET has ranges. */
    if (!str_is(q->method, "GET") || request_header_count(q, "Range") != 1 || length == 0 ||
        !str_eq_nocase(str_take(rest, 6), S("bytes=")) || !range_may_be_used(q, v))
        return RANGE_WHOLE;
    rest = str_skip(rest, 6);
    while (str_next(&rest, ',', &part)) {
        struct byte_range r;
        part = str_trim(part);
        if (part.n == 0)
            continue; /* an empty element of a list is none (5.6.1) */
        if (++specs > LIMIT_HOST_RANGES || !read_range(part, length, &r))
            return RANGE_WHOLE;
        if (r.n)
            ret[n++] = r;
    }
    if (specs == 0 || !are_modest(ret, n))
        return RANGE_WHOLE;
    *ret_n = n;
    return n ? RANGE_PARTS : RANGE_UNSATISFIABLE;
}

/* ---- codings (section 12.5.3) ---- */

/* A weight in thousandths; -1 where it is none. */
static int weight_of(struct pap_str s)
{
    static const int worth[] = {1000, 0, 100, 10, 1};
    int value = 0;
    if (s.n < 1 || s.n > 5 || (s.n > 1 && s.p[1] != '.'))
        return -1;
    for (size_t i = 0; i < s.n; i++) {
        if (i != 1 && !ascii_is_digit(s.p[i]))
            return -1;
        value += worth[i] * (s.p[i] - '0');
    }
    return value <= 1000 ? value : -1;
}

/* The coding of one element and its weight; what is malformed has the weight 0, so that it is not used. */
static struct pap_str read_coding(struct pap_str s, int *ret_weight)
{
    size_t semicolon = str_find_char(s, ';');
    struct pap_str weight = str_trim(str_skip(s, semicolon + 1));
    bool is_weight = weight.n > 2 && ascii_lower(weight.p[0]) == 'q' && weight.p[1] == '=';
    int value = semicolon == s.n ? 1000 : is_weight ? weight_of(str_skip(weight, 2)) : -1;
    *ret_weight = value < 0 ? 0 : value;
    return str_trim(str_take(s, semicolon));
}

bool takes_gzip(const struct http_request *q)
{
    int gzip = 0, identity = 0;
    for (size_t i = 0; i < q->n_headers; i++) {
        struct pap_str rest = q->headers[i].value, part;
        if (!str_eq_nocase(q->headers[i].name, S("Accept-Encoding")))
            continue;
        while (str_next(&rest, ',', &part)) {
            int weight;
            struct pap_str coding = read_coding(part, &weight);
            if (str_eq_nocase(coding, S("gzip")) || str_eq_nocase(coding, S("x-gzip")))
                gzip = weight;
            else if (str_eq_nocase(coding, S("identity")))
                identity = weight;
        }
    }
    return gzip > 0 && gzip >= identity;
}
