/* SPDX-License-Identifier: Apache-2.0
 *
 * How the runner asks: public addresses on port 443, no host too often, and those who wait hear of each answer.
 */
#include "net/client.h"
#include "proto/address.h"
#include "text/uri.h"
#include "web/runner_inside.h"

enum { HOST_BURST = 400, HOST_PER_HOUR = 2400, PROOF_MOST = 1024 };

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

/* ---- opting out ---- */

#define PROOF "papaver-opt-out"

struct proving {
    struct runner *runner;
    struct job *job;
};

static void proof_came(void *ctx, const struct exchange *x)
{
    const struct proving *p = ctx;
    runner_proved(p->runner, p->job, x);
}

pap_result runner_prove(struct runner *r, struct job *j, struct pap_err *err)
{
    arena_init(&j->arena, r->o.alloc);
    struct proving *p = arena_new(&j->arena, struct proving);
    struct pap_str url = arena_fmt(&j->arena, "https://%s/.well-known/papaver-opt-out.txt", j->name);
    if (!p || !url.p)
        return fail_memory(err);
    *p = (struct proving){r, j};
    budget_init(&j->budget, &j->arena, str_c(j->name), r->o.clock->monotonic_ms(r->o.clock));
    const struct request q = {.method = "GET", .url = url, .accept = "text/plain", .cap = PROOF_MOST};
    struct transport *t = &r->telling.base;
    return is_ok(t->start(t, &j->arena, &q, &j->budget, proof_came, p)) ? OK : fail_memory(err);
}

static pap_result opt_out(struct runner *r, const struct job *j, struct pap_err *err)
{
    const struct census_name name = {.name = str_c(j->name), .source = S("web")};
    return census_opt_out(r->census, &name, r->o.clock->unix_seconds(r->o.clock), err);
}

void runner_proved(struct runner *r, struct job *j, const struct exchange *x)
{
    struct pap_err err = {.text = ""};
    bool proved = exchange_status(x) == 200 && !x->fault && x->n_hops == 1 && str_is(str_trim(x->body), PROOF);
    if (!proved)
        job_end(r, j, S("The file is not there, or its text is another one. Nothing was changed."));
    else if (is_ok(opt_out(r, j, &err)))
        job_end(r, j, str(NULL, 0));
    else
        job_end(r, j, S("It could not be written down just now. Try again in a minute."));
}
