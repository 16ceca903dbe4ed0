/* SPDX-License-Identifier: Apache-2.0
 *
 * What is answered on the address for operators: /-/healthz, and /-/metrics in the text format of Prometheus.
 */
#ifndef APP_ADMIN_H
#define APP_ADMIN_H

#include <stdatomic.h>

#include "host/answer.h"
#include "net/server.h"

struct admin {
    struct server *_Atomic site; /* the server that is looked at; NULL: not yet, or no more */
    struct host *host;
    atomic_uint_fast64_t reloads, refusals; /* trees taken, trees refused */
    atomic_uint_fast64_t statuses[6];       /* requests answered, by the first digit of the status */
    _Atomic int64_t loaded;                 /* when the tree was taken, Unix seconds */
    atomic_bool stale;                      /* the tree on disk was refused */
};

/* A handler of a server, `ctx` the admin. */
void admin_handle(void *ctx, const struct http_request *q, struct http_response *ret);

#endif
