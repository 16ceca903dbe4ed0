/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports that are kept: into the store, and back as targets that every format can write. Bodies are named by their digest;
 * the largest are not kept, and what may hold a secret is shown to nobody.
 */
#ifndef WEB_KEPT_H
#define WEB_KEPT_H

#include "report/record.h"
#include "store/census.h"

/* A body that a record names. */
struct kept_body {
    struct pap_str name, bytes; /* bytes.p NULL: not kept */
};

struct kept {
    struct pap_str name;
    int64_t at;
    struct census_digest digest; /* of the record */
    struct pap_str text;         /* the record itself */
    /* after kept_read() */
    struct record *record;
    struct kept_body *bodies;
    size_t n_bodies, cap_bodies;
};

/* The newest report of a name, asked for by a visitor or seen by a census. */
pap_result kept_find(struct census *c, struct arena *a, struct pap_str name, bool *ret_found, struct kept *ret,
                     struct pap_err *err) PAP_MUST;
/* That of an observation of a site. */
pap_result kept_observed(struct census *c, struct arena *a, const struct census_observation *o, bool *ret_found,
                         struct kept *ret, struct pap_err *err) PAP_MUST;
/* Reads its record, with the bodies. PAP_SYNTAX: it is damaged. */
pap_result kept_read(struct census *c, struct arena *a, struct kept *kept, struct pap_err *err) PAP_MUST;

/* Keeps the report of a name; `a` is scratch. A site that publishes is one for the census, too. */
pap_result kept_put(struct census *c, struct arena *a, struct pap_str name, const struct report_target *t,
                    bool published, int64_t at, struct pap_err *err) PAP_MUST;

#endif
