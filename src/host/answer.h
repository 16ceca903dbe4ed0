/* SPDX-License-Identifier: Apache-2.0
 *
 * A request answered from a generation: a pure function (RFC 9110; agent-skills 3.7), but for somebody who may be asked
 * about a credential (access.h).
 */
#ifndef HOST_ANSWER_H
#define HOST_ANSWER_H

#include <pthread.h>

#include "host/access.h"
#include "host/generation.h"

/* Fills *ret, whose arena must be set. What it points at lies in the generation, in the arena or in static memory: the
 * caller keeps the generation until the response has been sent. Where ret->release is set, the response keeps what it needs
 * itself. */
void host_answer(struct generation *g, const struct http_request *q, struct http_response *ret);

/* The same when somebody was asked about the request (access.h), and this was said. */
void host_answer_told(struct generation *g, const struct http_request *q, const enum verdict *told,
                      struct http_response *ret);

/* What is served now: one generation, replaced in one step. */
struct host {
    pthread_mutex_t lock;
    struct generation *now;
};

void host_init(struct host *h, struct generation *first);
void host_fini(struct host *h);
/* Takes the generation over. Requests under way keep the one they began with. */
void host_swap(struct host *h, struct generation *next);
/* For whoever wants to look at it; drop it. */
struct generation *host_take(struct host *h);

/* A handler of a server (net/talk.h), `ctx` the host. */
void host_handle(void *ctx, const struct http_request *q, struct http_response *ret);

#endif
