/* SPDX-License-Identifier: Apache-2.0
 *
 * URIs (RFC 3986): split, check, resolve, compare. The original bytes stay beside the parsed form; a string comparison
 * that a specification asks for is done on those, never on a re-written URL.
 */
#ifndef TEXT_URI_H
#define TEXT_URI_H

#include "base/arena.h"
#include "base/result.h"

struct uri {
    struct pap_str text; /* the whole, as given */
    struct pap_str scheme, userinfo, host, path, query, fragment; /* views into text; p NULL: component absent */
    uint32_t port;       /* 0: none given */
    bool has_authority;
    bool host_is_ip;     /* IPv4 dotted quad or [IPv6] (host without the brackets) */
};

/* Parses a URI reference. On failure *ret_at is the offset of the first bad byte and *ret_why says what is wrong
 * ("a blank", "a backslash", "a control character", "a non-ASCII character", "a % without two hex digits", "a port that
 * is no number up to 65535", "no host", ...). */
bool uri_parse(struct pap_str text, struct uri *ret, size_t *ret_at, const char **ret_why);

/* RFC 3986 section 5.2, strict: the absolute form of `ref` against `base` (which must have a scheme), dot segments
 * removed, the fragment kept. {NULL,0} when out of memory. */
struct pap_str uri_resolve(struct arena *a, const struct uri *base, const struct uri *ref) PAP_MUST;

/* "https://host[:port]" in lower case, without the scheme's default port. */
struct pap_str uri_origin(struct arena *a, const struct uri *u) PAP_MUST;

/* The port given or the scheme's default (http 80, https 443), 0 for others. */
uint32_t uri_port(const struct uri *u);

/* Same scheme, host (ASCII case ignored) and port. */
bool uri_same_origin(const struct uri *a, const struct uri *b);

/* True when `s` is a host name alone: labels of letters, digits and inner hyphens (also xn--), 1-63 bytes each, 253 in
 * all, at least one of them; a trailing dot is not accepted. False says why ("a scheme", "a port", "a path", "an IP
 * address", "a non-ASCII character" ...). */
bool host_is_name(struct pap_str s, const char **ret_why);

/* Without one leading "www." and one trailing dot; a view. Compare with str_eq_nocase. */
struct pap_str host_bare(struct pap_str host);

/* True when `host` equals `domain` or is below it ("api.shop.example" below "shop.example"), ASCII case ignored. */
bool host_is_within(struct pap_str host, struct pap_str domain);

#endif
