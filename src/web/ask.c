/* SPDX-License-Identifier: Apache-2.0
 *
 * How the runner asks: public addresses on port 443, no host too often, and those who wait hear of each answer.
 */
#include "net/client.h"
#include "proto/address.h"
#include "text/uri.h"
#include "web/runner_inside.h"

enum { HOST_BURST = 400, HOST_PER_HOUR = 2400 };

static bool may_dial(const void *ctx, const unsigned char *address, size_t n, const char **ret_why)
{
    const struct runner *r = ctx;
    return (r->o.loopback && address_is_loopback(address, n)) ||
           address_judge(address, n, false, ret_why) == ADDRESS_OK;
}

/* ---- the transport over the real one ---- */

/* Before each hop. What is refused for the sake of others says nothing about a site: its report is not kept. */
static bool may_ask(void *ctx, const struct uri *to, int64_t now, const char **ret_why)
{
    struct job *j = ctx;
    struct runner *r = j->runner;
    struct limiter_key host = limiter_host(to->host);
    if (uri_port(to) != 443) {
        *ret_why = "here only port 443 is asked";
        return false;
    }
    if (limiter_take(r->hosts, &host, now) == 0)
        return true;
    struct buf b;
    buf_on(&b, j->refused, sizeof j->refused - 1);
    buf_add(&b, to->host);
    *ret_why = "that host was asked often enough for now";
    return false;
}

void runner_heard(void *ctx, const struct exchange *x)
{
    const struct hearing *h = ctx; /* its arena may be freed in done() */
    struct runner *r = h->runner;
    (void)pthread_mutex_lock(&r->lock);
    tell_step(r, h->job, x);
    (void)pthread_mutex_unlock(&r->lock);
    h->done(h->ctx, x);
}

/* Whose request it is: budgets belong to one check each. */
static struct job *job_of(struct runner *r, struct budget *b)
{
    for (struct job *j = r->under_way; j; j = j->next)
        if (j->spends == b)
            return j;
    if (r->starting)
        r->starting->spends = b;
    return r->starting;
}

static pap_result start(struct transport *t, struct arena *a, const struct request *q, struct budget *b,
                        request_done *done, void *ctx)
{
    struct telling *over = (struct telling *)(void *)t;
    struct runner *r = over->runner;
    struct hearing *h = arena_new(a, struct hearing);
    struct job *j = job_of(r, b);
    if (!h || !j)
        return fail_memory(NULL);
    *h = (struct hearing){.runner = r, .job = j, .done = done, .ctx = ctx, .arena = a, .budget = b, .request = *q};
    b->may = may_ask;
    b->may_ctx = j;
    if (q->identity) /* what the documents of a company name, and nobody but its agents has to fetch */
        return artifact_start(h);
    return over->real->start(over->real, a, q, b, runner_heard, h);
}

static bool tell_ready(struct runner *r)
{
    struct hearing *h = r->ready;
    r->ready = NULL;
    for (struct hearing *next; h; h = next) {
        next = h->next;
        runner_heard(h, &h->own);
        if (!next)
            return true;
    }
    return false;
}

static pap_result step(struct transport *t, int timeout_ms, struct pap_err *err)
{
    struct telling *over = (struct telling *)(void *)t;
    return tell_ready(over->runner) ? OK : over->real->step(over->real, timeout_ms, err);
}

static size_t pending(const struct transport *t)
{
    const struct telling *over = (const struct telling *)(const void *)t;
    size_t n = over->real->pending(over->real);
    for (const struct hearing *h = over->runner->ready; h; h = h->next)
        n++;
    return n;
}

static void free_nothing(struct transport *t)
{
    (void)t;
}

pap_result runner_open(struct runner *r, struct pap_err *err)
{
    const struct client_options o = {.alloc = r->o.alloc,
                                     .clock = r->o.clock,
                                     .policy = may_dial,
                                     .policy_ctx = r,
                                     .jobs = 4 * r->check.jobs,
                                     .forget_names = true,
                                     .user_agent = r->o.user_agent,
                                     .cacert = r->o.loopback ? r->o.cacert : NULL,
                                     .connect_to = r->o.loopback ? r->o.connect_to : NULL};
    const struct limiter_rule usual = {HOST_BURST, HOST_PER_HOUR};
    r->telling = (struct telling){{start, step, pending, free_nothing}, r->o.transport, r};
    if (!r->hosts)
        TRY(limiter_new(r->o.alloc, r->o.host.burst ? r->o.host : usual, &r->hosts, err));
    if (!r->robots)
        TRY(robots_new(r->o.alloc, &r->robots, err));
    return r->telling.real ? OK : client_new(&o, &r->telling.real, err);
}

void runner_close(struct runner *r)
{
    if (r->telling.real)
        r->telling.real->free(r->telling.real);
    r->telling.real = NULL;
    r->ready = NULL; /* of checks that end with it */
}
