/* SPDX-License-Identifier: Apache-2.0
 *
 * What robots.txt of other hosts says about us, kept for a day (RFC 9309, section 2.4). One thread.
 */
#ifndef WEB_ROBOTS_H
#define WEB_ROBOTS_H

#include "base/exchange.h"
#include "base/result.h"
#include "text/robots.h"

struct robots;

enum robots_verdict {
    ROBOTS_UNKNOWN, /* the file has to be asked for */
    ROBOTS_ALLOWED,
    ROBOTS_DISALLOWED,
    ROBOTS_UNREACHABLE, /* the file could not be had, which disallows everything (section 2.3.1.4) */
};

pap_result robots_new(const struct pap_alloc *alloc, struct robots **ret, struct pap_err *err) PAP_MUST;
void robots_free(struct robots *r); /* accepts NULL */

/* `target`: path and query. */
enum robots_verdict robots_ask(struct robots *r, struct pap_str host, struct pap_str target, int64_t now_ms);

/* Keeps what came for https://HOST/robots.txt. *ret_known false: there is nobody to have such a file, or the check may not ask;
 * whatever is asked there fails alike. */
pap_result robots_came(struct robots *r, struct pap_str host, const struct exchange *x, int64_t now_ms, bool *ret_known,
                       struct pap_err *err) PAP_MUST;

#endif
