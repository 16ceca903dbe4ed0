/* SPDX-License-Identifier: Apache-2.0
 *
 * Which IP addresses a client of ours may dial (remote-skills R-NET-3 and R-NET-4): a table of ranges, and one function
 * that judges by it. Pure: the sockets are net's, which asks for the address it really dials, on every hop.
 */
#ifndef PROTO_ADDRESS_H
#define PROTO_ADDRESS_H

#include "base/str.h"

enum address_verdict { ADDRESS_REFUSED = 0, ADDRESS_OK };

/* What a range is. `--allow-private` admits RANGE_PRIVATE too; nothing admits RANGE_DENIED. */
enum range_kind {
    RANGE_DENIED = 0,
    RANGE_PRIVATE,
    RANGE_PUBLIC,
    RANGE_IPV4_INSIDE /* the last four bytes are an IPv4 address, and that is judged */
};

struct address_range {
    unsigned char family;     /* 4 or 16: the bytes of an address */
    unsigned char bits;       /* length of the prefix */
    unsigned char kind;       /* enum range_kind */
    unsigned char prefix[16]; /* zero behind `bits` */
    const char *name;         /* "loopback 127.0.0.0/8" */
};

/* The table; the first row that holds an address decides. An IPv4 address in no row is public, an IPv6 address in no
 * row is refused. */
const struct address_range *address_ranges(size_t *ret_n);

/* Judges the address `bytes` (n is 4 or 16, network order). When refused, *ret_why names the range, such as "private
 * 10.0.0.0/8" or "not allocated unicast"; static. */
enum address_verdict address_judge(const unsigned char *bytes, size_t n, bool allow_private, const char **ret_why);

/* A literal IP address: strict dotted quad (n 4), IPv6 with or without brackets (n 16); no zone, no odd form. */
bool address_parse(struct pap_str text, unsigned char ret[16], size_t *ret_n);

/* 127.0.0.0/8, ::1, and IPv4-mapped 127.0.0.0/8 (R-NET-1). */
bool address_is_loopback(const unsigned char *bytes, size_t n);

#endif
