/* SPDX-License-Identifier: Apache-2.0
 *
 * Opting out: a domain proves that it says so itself, by a file or by a TXT record of a name below it.
 */
#include <poll.h>

#include "web/runner_inside.h"

#define PROOF "papaver-opt-out"
#define RECORD "_papaver."

enum { PROOF_MOST = 1024, POLLED_MOST = 64 };

struct proving {
    struct runner *runner;
    struct job *job;
};

static void opt_out(struct runner *r, struct job *j)
{
    struct pap_err err = {.text = ""};
    const struct census_name name = {.name = str_c(j->name), .source = S("web")};
    bool written = is_ok(census_opt_out(r->census, &name, r->o.clock->unix_seconds(r->o.clock), &err));
    job_end(r, j, written ? RUNNER_FINE : RUNNER_NOT_WRITTEN);
}

/* The file was not there: the record may be. */
static void ask_dns(struct runner *r, struct job *j)
{
    struct pap_str name = arena_fmt(&j->arena, RECORD "%s", j->name);
    if (name.n > NAME_MOST || (r->o.loopback && !r->o.resolver))
        job_end(r, j, RUNNER_NO_PROOF);
    else if (!name.p || !is_ok(txt_start(r->o.alloc, name, S("opt-out"), r->o.resolver,
                                         r->o.clock->monotonic_ms(r->o.clock), &j->txt, NULL)))
        job_end(r, j, RUNNER_BROKE_OFF);
}

static void file_came(void *ctx, const struct exchange *x)
{
    const struct proving *p = ctx;
    if (exchange_status(x) == 200 && !x->fault && x->n_hops == 1 && str_is(str_trim(x->body), PROOF))
        opt_out(p->runner, p->job);
    else
        ask_dns(p->runner, p->job);
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
    return is_ok(t->start(t, &j->arena, &q, &j->budget, file_came, p)) ? OK : fail_memory(err);
}

static void answered(struct runner *r, struct job *j, enum txt_said said)
{
    if (said == TXT_HAS)
        opt_out(r, j);
    else
        job_end(r, j, said == TXT_NOT ? RUNNER_NO_PROOF : RUNNER_NO_RESOLVER);
}

bool runner_prove_step(struct runner *r, int timeout_ms)
{
    struct pollfd fds[POLLED_MOST];
    nfds_t n = 0;
    for (struct job *j = r->under_way, *next; j; j = next) {
        next = j->next;
        enum txt_said said = j->txt ? txt_step(j->txt, r->o.clock->monotonic_ms(r->o.clock)) : TXT_WAITS;
        if (said != TXT_WAITS)
            answered(r, j, said);
        else if (j->txt && n < POLLED_MOST)
            fds[n++] = (struct pollfd){.fd = txt_fd(j->txt), .events = POLLIN};
    }
    if (n && r->telling.real->pending(r->telling.real) == 0)
        return poll(fds, n, timeout_ms) >= 0;
    return false;
}
