/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_fetch COUNT JOBS CACERT PORT [names]: fetches https://hN.crawl.test:PORT/poppy.json from 127.0.0.1 for N from 1
 * to COUNT over one client, JOBS at once, each with an arena and a budget of its own, as a check of many companies does.
 * With `names` the client is given each host's address and not one wildcard. fetch.sh compares it with curl.
 */
#include <stdio.h>
#include <stdlib.h>

#include "net/client.h"

struct company {
    struct arena arena;
    struct budget budget;
    unsigned *good;
};

static void on_done(void *ctx, const struct exchange *x)
{
    struct company *c = ctx;
    *c->good += exchange_status(x) == 200 && x->fault == FAULT_NONE && x->body.n > 0;
    if (x->fault != FAULT_NONE)
        fprintf(stderr, "%.*s\n", PSTR(x->fault_text));
    arena_fini(&c->arena);
}

static bool anywhere(const void *ctx, const unsigned char *address, size_t n, const char **ret_why)
{
    (void)ctx;
    (void)address;
    (void)n;
    (void)ret_why;
    return true;
}

static pap_result fetch_all(struct transport *t, struct company *companies, unsigned count, const char *port,
                            struct pap_err *err)
{
    for (unsigned i = 0; i < count; i++) {
        struct company *c = &companies[i];
        struct pap_str url = arena_fmt(&c->arena, "https://h%u.crawl.test:%s/poppy.json", i + 1, port);
        const struct request r = {.method = "GET",
                                  .url = url,
                                  .accept = "application/json",
                                  .cap = LIMIT_DOCUMENT,
                                  .redirects = LIMIT_REDIRECTS};
        budget_init(&c->budget, &c->arena, S("crawl.test"), clock_system.monotonic_ms(&clock_system));
        if (!url.p)
            return fail_memory(err);
        TRY(t->start(t, &c->arena, &r, &c->budget, on_done, c));
    }
    while (t->pending(t))
        TRY(t->step(t, 1000, err));
    return OK;
}

/* "*:PORT:127.0.0.1", or an entry for each host; ended by NULL. */
static const char **addresses(struct arena *a, unsigned count, const char *port, bool names)
{
    const char **list = arena_new_array(a, count + 1u, const char *);
    for (unsigned i = 0; list && i < (names ? count : 1); i++)
        list[i] =
            names ? arena_fmt(a, "h%u.crawl.test:%s:127.0.0.1", i + 1, port).p : arena_fmt(a, "*:%s:127.0.0.1", port).p;
    return list;
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    unsigned count = (unsigned)atoi(argv[1]), good = 0;
    struct arena a;
    struct pap_err err = {0};
    struct transport *t = NULL;
    arena_init(&a, NULL);
    struct company *companies = arena_new_array(&a, count, struct company);
    const struct client_options o = {.clock = &clock_system,
                                     .policy = anywhere,
                                     .jobs = (uint32_t)atoi(argv[2]),
                                     .cacert = argv[3],
                                     .resolve = addresses(&a, count, argv[4], argc > 5)};
    for (unsigned i = 0; companies && i < count; i++)
        companies[i].good = &good;
    pap_result r = companies ? client_new(&o, &t, &err) : fail_memory(&err);
    if (is_ok(r))
        r = fetch_all(t, companies, count, argv[4], &err);
    if (t)
        t->free(t);
    arena_fini(&a);
    if (!is_ok(r) || good != count)
        fprintf(stderr, "%u of %u came: %s\n", good, count, err.text);
    return !is_ok(r) || good != count;
}
