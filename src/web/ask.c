/* SPDX-License-Identifier: Apache-2.0
 *
 * How the runner asks: public addresses on port 443, no host too often, and those who wait hear of each answer.
 */
#include "net/client.h"
#include "net/registrable.h"
#include "proto/address.h"
#include "text/uri.h"
#include "web/runner_inside.h"

/* How much more a whole registrable domain may be asked than one host of it, and an address, where many domains live. Without
 * these, names that cost nothing (a1.shop.example, a2...) would be a way around the limit. */
enum { HOST_BURST = 400, HOST_PER_HOUR = 2400, HOSTS_OF_DOMAIN = 5, HOSTS_OF_ADDRESS = 20 };

static struct limiter_rule rule_of(const struct runner *r, unsigned hosts)
{
    struct limiter_rule host = r->o.host.burst ? r->o.host : (struct limiter_rule){HOST_BURST, HOST_PER_HOUR};
    return (struct limiter_rule){host.burst * hosts, host.per_hour * hosts};
}

static bool may_dial(const void *ctx, const unsigned char *address, size_t n, const char **ret_why)
{
    const struct runner *r = ctx;
    struct limiter_key key = limiter_host(str((const char *)address, n));
    if (!(r->o.loopback && address_is_loopback(address, n)) && address_judge(address, n, false, ret_why) != ADDRESS_OK)
        return false;
    if (limiter_take(r->addresses, &key, r->o.clock->monotonic_ms(r->o.clock)) == 0)
        return true;
    *ret_why = checker_busy;
    return false;
}

/* ---- the transport over the real one ---- */

/* Of what somebody registered, or of the host where that is not known. False when out of memory. */
static bool domain_key(const struct runner *r, struct pap_str host, struct limiter_key *ret)
{
    struct arena a;
    char name[NAME_MOST];
    struct pap_str domain = str_take(host, sizeof name);
    for (size_t i = 0; i < domain.n; i++)
        name[i] = ascii_lower(host.p[i]);
    arena_init(&a, r->o.alloc);
    pap_result result = registrable_domain(&a, str(name, domain.n), &domain, NULL);
    *ret = limiter_host(domain);
    arena_fini(&a);
    return result.code != PAP_NO_MEMORY;
}

/* Before each hop. What is refused for the sake of others says nothing about a site: its report is not kept. */
static bool may_ask(void *ctx, const struct uri *to, int64_t now, const char **ret_why)
{
    struct job *j = ctx;
    struct runner *r = j->runner;
    struct limiter_key host = limiter_host(to->host), domain;
    if (uri_port(to) != 443) {
        *ret_why = "here only port 443 is asked";
        return false;
    }
    if (limiter_take(r->hosts, &host, now) == 0 && domain_key(r, to->host, &domain) &&
        limiter_take(r->domains, &domain, now) == 0)
        return true;
    j->refused = true;
    *ret_why = "that host was asked often enough for now";
    return false;
}

void runner_heard(void *ctx, const struct exchange *x)
{
    const struct hearing *h = ctx; /* its arena may be freed in done() */
    struct runner *r = h->runner;
    if (x->fault == FAULT_BLOCKED && str_find(x->fault_text, str_c(checker_busy)) < x->fault_text.n)
        h->job->refused = true;
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
    r->telling = (struct telling){{start, step, pending, free_nothing}, r->o.transport, r};
    if (!r->hosts)
        TRY(limiter_new(r->o.alloc, rule_of(r, 1), &r->hosts, err));
    if (!r->domains)
        TRY(limiter_new(r->o.alloc, rule_of(r, HOSTS_OF_DOMAIN), &r->domains, err));
    if (!r->addresses)
        TRY(limiter_new(r->o.alloc, rule_of(r, HOSTS_OF_ADDRESS), &r->addresses, err));
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
