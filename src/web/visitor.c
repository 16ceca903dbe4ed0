/* SPDX-License-Identifier: Apache-2.0 */
#include "web/visitor.h"

#include "text/host.h"

/* An address in 16 bytes; one of IPv4 that is written as IPv6 is the same. */
static bool read_address(struct pap_str s, unsigned char ret[16])
{
    static const unsigned char mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    if (host_parse_ipv4(s, ret + 12)) {
        memcpy(ret, mapped, sizeof mapped);
        return true;
    }
    return host_parse_ipv6(s, ret);
}

static bool is_ipv4(const unsigned char a[16])
{
    return !memcmp(a, (const unsigned char[12]){0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 12);
}

bool visitor_is_address(struct pap_str word)
{
    unsigned char a[16];
    return read_address(word, a);
}

static bool is_proxy(const unsigned char a[16], const char *const *proxies)
{
    unsigned char p[16];
    for (; proxies && *proxies; proxies++)
        if (read_address(str_c(*proxies), p) && memcmp(a, p, sizeof p) == 0)
            return true;
    return false;
}

/* "192.0.2.1", "192.0.2.1:4711", "[2001:db8::1]:4711", "2001:db8::1": proxies write all of these. */
static struct pap_str bare_address(struct pap_str s)
{
    s = str_trim(s);
    if (str_starts(s, S("[")))
        return str_take(str_skip(s, 1), str_find_char(str_skip(s, 1), ']'));
    size_t colon = str_find_char(s, ':');
    return colon == str_rfind_char(s, ':') ? str_take(s, colon) : s;
}

/* Takes the last entry off the lists of all fields X-Forwarded-For; false when there is none. */
static bool last_forwarded(const struct http_request *q, size_t *field, struct pap_str *left, struct pap_str *ret)
{
    while (!left->p) {
        if (*field == 0)
            return false;
        const struct header *h = &q->headers[--*field];
        if (str_eq_nocase(h->name, S("X-Forwarded-For")))
            *left = h->value.p ? h->value : S("");
    }
    size_t comma = str_rfind_char(*left, ',');
    *ret = bare_address(comma < left->n ? str_skip(*left, comma + 1) : *left);
    *left = comma < left->n ? str_take(*left, comma) : str(NULL, 0);
    return true;
}

struct limiter_key visitor_of(const struct http_request *q, const char *const *proxies)
{
    struct limiter_key key = {{0}};
    unsigned char a[16] = {0}, before[16];
    size_t field = q->n_headers;
    struct pap_str left = str(NULL, 0), word;
    if (!read_address(q->peer, a))
        return key;
    while (is_proxy(a, proxies) && last_forwarded(q, &field, &left, &word) && read_address(word, before))
        memcpy(a, before, sizeof a);
    memcpy(key.b, a, is_ipv4(a) ? 16 : 8);
    return key;
}
