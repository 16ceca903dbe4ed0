/* SPDX-License-Identifier: Apache-2.0
 *
 * URIs (RFC 3986): split, check, resolve, compare. The original bytes stay beside the parsed form; a string comparison
 * that a specification asks for is done on those, never on a re-written URL. Percent-encoding is never undone.
 */
#ifndef TEXT_URI_H
#define TEXT_URI_H

#include "base/arena.h"
#include "base/result.h"
#include "text/host.h"

/* All views point into `text`; p is NULL where a component is absent. The path is always there, maybe empty. */
struct uri {
    struct pap_str text; /* the whole, as given */
    struct pap_str scheme, userinfo, host, path, query, fragment;
    uint32_t port; /* 0: none given */
    bool has_authority;
    bool host_is_ip; /* IPv4 dotted quad or [IPv6] (host without the brackets) */
};

/* Parses a URI reference of at most LIMIT_URL bytes. On failure *ret_at is an offset into `text`, that of the first
 * byte that no URI may hold, else of the part that is wrong, and *ret_why says what stands there ("a blank", "a
 * backslash", "a control character", "a non-ASCII character", "a % without two hex digits", "a port that is no number
 * from 1 to 65535", "no host", ...). Stricter than the RFC's grammar in this: port 0 and [v1.x] hosts are refused, and
 * an empty host after http:// or https:// (RFC 9110 section 4.2). "https:x", which has no host, is a right URI: ask
 * uri_is_web() before a URL is used. */
bool uri_parse(struct pap_str text, struct uri *ret, size_t *ret_at, const char **ret_why);

/* True for a URL that may be asked, and that every URL parser, RFC 3986 or WHATWG, takes to the same place: http or
 * https, a host that is dialable (host.h), no user name, no dot segment in disguise ("%2e%2e"). */
bool uri_is_web(const struct uri *u, const char **ret_why);

/* RFC 3986 section 5.2, strict: the absolute form of `ref` against `base` (which must have a scheme), dot segments
 * removed, the fragment kept. {NULL,0} when out of memory. */
struct pap_str uri_resolve(struct arena *a, const struct uri *base, const struct uri *ref) PAP_MUST;

/* "https://host[:port]" in lower case, without the scheme's default port; `u` must have a scheme and a host. {NULL,0}
 * when out of memory. */
struct pap_str uri_origin(struct arena *a, const struct uri *u) PAP_MUST;

/* The port given or the scheme's default (http 80, https 443), 0 for others. */
uint32_t uri_port(const struct uri *u);

/* Same scheme, host (ASCII case ignored) and port. False when either has no scheme or no host. */
bool uri_same_origin(const struct uri *a, const struct uri *b);

/* The metadata URL of an issuer (RFC 8414 section 3.1) or a resource (RFC 9728 section 3.1): "/.well-known/SUFFIX"
 * between the host and the path, a trailing slash of the path dropped, the query (a resource may have one) kept behind
 * the path; without user name and fragment. `u` must have a scheme and a host. {NULL,0} when out of memory. */
struct pap_str uri_well_known(struct arena *a, const struct uri *u, const char *suffix) PAP_MUST;

/* The appended form of OpenID discovery: the path without its trailing slash, then "/.well-known/SUFFIX"; without user
 * name, query and fragment. */
struct pap_str uri_appended(struct arena *a, const struct uri *u, const char *suffix) PAP_MUST;

#endif
