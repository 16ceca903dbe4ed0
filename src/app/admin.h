/* SPDX-License-Identifier: Apache-2.0
 *
 * What is answered on the address for operators: /-/healthz, and /-/metrics in the text format of Prometheus.
 */
#ifndef APP_ADMIN_H
#define APP_ADMIN_H

#include <stdatomic.h>

#include "app/log.h"
#include "app/sites.h"
#include "net/server.h"

struct admin {
    struct server *_Atomic site; /* the server that is looked at; NULL: not yet, or no more */
    struct sites *sites;
    const struct log *log;            /* NULL: none is written */
    atomic_uint_fast64_t statuses[6]; /* requests answered, by the first digit of the status */
};

/* A handler of a server, `ctx` the admin. */
void admin_handle(void *ctx, const struct http_request *q, struct http_response *ret);

#endif
