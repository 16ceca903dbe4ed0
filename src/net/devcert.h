/* SPDX-License-Identifier: Apache-2.0
 *
 * A throw-away authority and one certificate of it, for a server that its developer alone asks. The authority's key is
 * gone when devcert_new() returns: it signs once. Its certificate is constrained to the very names (RFC 5280, 4.2.1.10), so
 * that whoever trusts it trusts it for nothing else.
 */
#ifndef NET_DEVCERT_H
#define NET_DEVCERT_H

#include "base/arena.h"
#include "base/result.h"

enum { DEVCERT_DAYS = 30 };

struct devcert_wish {
    const char *const *names; /* beside localhost, 127.0.0.1 and ::1; ended by NULL, may be NULL */
    int64_t now;              /* Unix seconds: valid from an hour before on, for DEVCERT_DAYS */
};

struct devcert {
    struct pap_str authority; /* PEM: its certificate */
    struct pap_str leaf;      /* PEM: certificate and private key (P-256) */
};

/* PAP_USAGE: a name that is neither a host's nor an address. Comes before the others. */
pap_result devcert_check(const struct devcert_wish *wish, struct pap_err *err) PAP_MUST;

/* The texts are in the arena: who has written the key away wipes it there. PAP_UNAVAILABLE without libcrypto. */
pap_result devcert_new(struct arena *a, const struct devcert_wish *wish, struct devcert *ret,
                       struct pap_err *err) PAP_MUST;

/* Whether the leaf is of that authority, has its key beside it and all the names, and is valid for `seconds` after now. */
pap_result devcert_fits(const struct devcert *c, const struct devcert_wish *wish, unsigned seconds, bool *ret,
                        struct pap_err *err) PAP_MUST;

#endif
