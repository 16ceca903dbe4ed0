/* SPDX-License-Identifier: Apache-2.0
 *
 * What forms send: name=value&name=value, in a query or a body (application/x-www-form-urlencoded).
 */
#ifndef WEB_FORM_H
#define WEB_FORM_H

#include "base/arena.h"
#include "base/buf.h"

/* The first value of that name, decoded; p NULL when there is none, or when out of memory. */
struct pap_str form_value(struct arena *a, struct pap_str fields, const char *name) PAP_MUST;

/* Percent-encoding undone, and nothing else; what is no %XX stays as it is. p NULL when out of memory. */
struct pap_str form_decoded(struct arena *a, struct pap_str s) PAP_MUST;

/* `s` in a URL: everything but letters, digits and -._~ becomes %XX. */
void form_encode(struct buf *out, struct pap_str s);

#endif
