/* SPDX-License-Identifier: Apache-2.0
 *
 * Hosts: names, IP literals, and the forms in between that parsers read differently (127.1, 0x7f.1, %65xample.com).
 * Such a form is refused here, so that no two parts of a program ever mean different machines by one text. A why is a
 * noun phrase ("a port"), for "... holds a port".
 */
#ifndef TEXT_HOST_H
#define TEXT_HOST_H

#include "base/str.h"

/* Four decimal numbers 0-255 without leading zeros (RFC 3986 section 3.2.2), nothing else. */
bool host_parse_ipv4(struct pap_str s, unsigned char ret[4]);

/* RFC 4291 section 2.2 text, also with a dotted quad at its end; no brackets, no zone. */
bool host_parse_ipv6(struct pap_str s, unsigned char ret[16]);

/* The last label is a number (decimal, octal or 0x...), yet the whole is no strict dotted quad: "127.1", "2130706433",
 * "0x7f.1", "0177.0.0.1", "1.2.3.4.", also "1.2.3.4.5" and "a.9". RFC 3986 calls it a name, resolvers and browsers make an
 * address of it or refuse it: refuse it always. */
bool host_is_odd_ipv4(struct pap_str host);

/* True when `s` is a host name alone: labels of letters, digits and inner hyphens (also xn--), 1-63 bytes each, 253 in
 * all, at least one of them, the last one not a number; a trailing dot is not accepted. False says why ("a scheme",
 * "a port", "a path", "an IP address", "a non-ASCII character" ...). */
bool host_is_name(struct pap_str s, const char **ret_why);

/* True when every parser reads `host` (of a URL, without brackets) in one way: an IP literal, or a name as above where
 * underscores may stand too (they occur in DNS). */
bool host_is_dialable(struct pap_str host, const char **ret_why);

/* Whether it means this machine, without asking: localhost, 127.0.0.0/8 or ::1 in any spelling; no brackets. */
bool host_is_loopback(struct pap_str host);

/* Without one leading "www." and one trailing dot; a view. Compare with str_eq_nocase. */
struct pap_str host_bare(struct pap_str host);

/* True when `host` equals `domain` or is below it ("api.shop.example" below "shop.example"), ASCII case ignored. An IP
 * address is within itself only. */
bool host_is_within(struct pap_str host, struct pap_str domain);

#endif
