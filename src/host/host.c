/* SPDX-License-Identifier: Apache-2.0
 *
 * The generation of the moment, and requests answered from it.
 */
#include "host/answer.h"

void host_init(struct host *h, struct generation *first)
{
    *h = (struct host){PTHREAD_MUTEX_INITIALIZER, first};
}

void host_fini(struct host *h)
{
    generation_drop(h->now);
    (void)pthread_mutex_destroy(&h->lock);
}

struct generation *host_take(struct host *h)
{
    (void)pthread_mutex_lock(&h->lock);
    struct generation *g = generation_keep(h->now);
    (void)pthread_mutex_unlock(&h->lock);
    return g;
}

void host_swap(struct host *h, struct generation *next)
{
    (void)pthread_mutex_lock(&h->lock);
    struct generation *old = h->now;
    h->now = next;
    (void)pthread_mutex_unlock(&h->lock);
    generation_drop(old);
}

static void drop(void *ctx)
{
    generation_drop(ctx);
}

void host_handle(void *ctx, const struct http_request *q, struct http_response *ret)
{
    struct generation *g = host_take(ctx);
    host_answer(g, q, ret);
    if (ret->release || ret->later) {
        generation_drop(g);
        return;
    }
    ret->release = drop;
    ret->release_ctx = g;
}
