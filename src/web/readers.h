/* SPDX-License-Identifier: Apache-2.0
 *
 * Connections to the database for the workers of the server: whoever answers a request takes one for the moment.
 */
#ifndef WEB_READERS_H
#define WEB_READERS_H

#include "store/census.h"

struct readers;

/* Makes and migrates the database first. `database` must outlive it. */
pap_result readers_new(const struct pap_alloc *alloc, const char *database, struct readers **ret,
                       struct pap_err *err) PAP_MUST;
void readers_free(struct readers *r); /* accepts NULL; none is taken */

pap_result readers_take(struct readers *r, struct census **ret, struct pap_err *err) PAP_MUST;
void readers_put(struct readers *r, struct census *c);

#endif
