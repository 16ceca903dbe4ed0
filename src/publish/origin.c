/* SPDX-License-Identifier: Apache-2.0 */
#include "publish/origin.h"

#include "net/client.h"
#include "proto/address.h"
#include "publish/project.h"

/* Bounded all the same (decisions 21): what one run may fetch. */
enum { REQUESTS_MOST = 5000, BYTES_MOST = 1 << 30, RUN_MS = 15 * 60 * 1000, STEP_MS = 250 };

bool origin_is(const char *prior)
{
    return prior && str_find(str_c(prior), S("://")) < strlen(prior);
}

static bool may_dial(const void *ctx, const unsigned char *address, size_t n, const char **ret_why)
{
    const struct project *p = ctx;
    return address_judge(address, n, p->o->network.allow_private, ret_why) == ADDRESS_OK;
}

/* "https://shop.example" is a domain; with a path it is exactly that index (decisions 24). */
static pap_result index_url(struct project *p, struct pap_str *ret, struct pap_err *err)
{
    struct uri u;
    size_t at;
    const char *why = "";
    struct pap_str text = str_c(p->o->prior);
    if (!uri_parse(text, &u, &at, &why) || !uri_is_web(&u, &why) || !str_eq_nocase(u.scheme, S("https")))
        return fail(err, PAP_USAGE, "%s is no https URL that releases can be read from", p->o->prior);
    *ret = text;
    if (u.path.n <= 1)
        *ret = arena_fmt(&p->arena, "%.*s/" INDEX_PATH_BELOW, (int)(text.n - u.path.n), text.p);
    return ret->p ? OK : fail_memory(err);
}

struct waiting {
    const struct exchange *x;
};

static void arrived(void *ctx, const struct exchange *x)
{
    ((struct waiting *)ctx)->x = x;
}

static pap_result ask(struct origin *o, struct arena *a, struct pap_str url, size_t cap, const char *accept,
                      bool identity, const struct exchange **ret, struct pap_err *err)
{
    struct waiting w = {0};
    struct request r = {
        .method = "GET", .url = url, .accept = accept, .cap = cap, .redirects = LIMIT_REDIRECTS, .identity = identity};
    if (!is_ok(o->transport->start(o->transport, a, &r, &o->budget, arrived, &w)))
        return fail_memory(err);
    while (!w.x) {
        TRY(o->transport->step(o->transport, STEP_MS, err));
        struct pap_progress now = {.now = o->p->o->prior};
        if (o->p->o->progress && !o->p->o->progress(o->p->o->ctx, &now))
            return fail(err, PAP_CANCELLED, "cancelled");
    }
    *ret = w.x;
    return OK;
}

static pap_result unusable(const struct exchange *x, struct pap_str url, struct pap_err *err)
{
    bool names = str_find(x->fault_text, url) < x->fault_text.n;
    if (x->fault != FAULT_NONE)
        return fail(err, PAP_UNREACHABLE, "%.*s%s%.*s", PSTR(names ? S("") : url), names ? "" : ": ",
                    PSTR(x->fault_text));
    return fail(err, PAP_UNREACHABLE, "%.*s answers %d, so that its releases cannot go on", PSTR(url),
                exchange_status(x));
}

static pap_result open_transport(struct origin *o, struct pap_err *err)
{
    const struct pap_network *n = &o->p->o->network;
    struct client_options co = {.alloc = o->p->o->alloc,
                                .clock = &o->clock,
                                .policy = may_dial,
                                .policy_ctx = o->p,
                                .timeout_ms = n->timeout_ms,
                                .cacert = n->cacert,
                                .resolve = n->resolve,
                                .connect_to = n->connect_to,
                                .proxy = n->proxy};
    o->own_transport = true;
    return client_new(&co, &o->transport, err);
}

static pap_result get_index(struct origin *o, struct pap_str *ret_index, struct pap_err *err)
{
    struct pap_str url = {0};
    const struct exchange *x = NULL;
    TRY(index_url(o->p, &url, err));
    TRY(ask(o, &o->p->arena, url, o->p->most_index > LIMIT_DOCUMENT ? o->p->most_index : LIMIT_DOCUMENT,
            "application/json", false, &x, err));
    int status = exchange_status(x);
    if (x->fault == FAULT_NONE && (status == 404 || status == 410))
        return fail(
            err, PAP_UNREACHABLE,
            "%.*s answers %d: nothing is published there whose releases could go on; leave --prior away when you "
            "publish for the first time",
            PSTR(url), status);
    if (x->fault != FAULT_NONE || status != 200 || !x->body.p)
        return unusable(x, url, err);
    o->base = x->final_url;
    *ret_index = x->body;
    return OK;
}

pap_result origin_open(struct project *p, struct transport *transport, struct origin **ret, struct pap_str *ret_index,
                       struct pap_err *err)
{
    struct origin *o = arena_new(&p->arena, struct origin);
    if (!o)
        return fail_memory(err);
    *o = (struct origin){.p = p, .transport = transport, .clock = clock_system};
    int64_t now = o->clock.monotonic_ms(&o->clock);
    budget_init(&o->budget, &p->arena, S(""), now);
    o->budget.requests_left = REQUESTS_MOST;
    o->budget.bytes_left = BYTES_MOST;
    o->budget.deadline_ms = now + RUN_MS;
    struct uri u;
    size_t at;
    const char *why;
    if (uri_parse(str_c(p->o->prior), &u, &at, &why))
        o->budget.own = u.host;
    pap_result r = transport ? OK : open_transport(o, err);
    if (is_ok(r))
        r = get_index(o, ret_index, err);
    if (is_ok(r))
        *ret = o;
    else
        origin_close(o);
    return r;
}

pap_result origin_get(struct origin *o, struct arena *a, struct pap_str url, struct pap_str *ret_whole,
                      struct pap_str *ret, struct pap_err *err)
{
    struct uri base, ref;
    size_t at;
    const char *why;
    const struct exchange *x = NULL;
    struct pap_str whole;
    if (!uri_parse(o->base, &base, &at, &why) || !uri_parse(url, &ref, &at, &why))
        return fail(err, PAP_SYNTAX, "the index of %s has a url that is none: %.*s", o->p->o->prior, PSTR(url));
    whole = uri_resolve(&o->p->arena, &base, &ref);
    if (!whole.p)
        return fail_memory(err);
    TRY(ask(o, a, whole, LIMIT_ARTIFACT, "*/*", true, &x, err));
    if (x->fault != FAULT_NONE || exchange_status(x) != 200 || !x->body.p)
        return unusable(x, whole, err);
    *ret_whole = whole;
    *ret = x->body;
    return OK;
}

void origin_close(struct origin *o)
{
    if (o && o->own_transport && o->transport)
        o->transport->free(o->transport);
}
