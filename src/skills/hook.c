/* SPDX-License-Identifier: Apache-2.0
 *
 * A transport over the caller's fetch hook: redirects are walked by the same code as those of the real client, one request
 * after the other on the thread that asks.
 */
#include "net/walk.h"
#include "proto/address.h"
#include "skills/client.h"
#include "text/host.h"

enum { ADDRESSES_MOST = 64, FIELDS_MOST = 200 };

struct hook {
    struct transport base; /* first */
    struct pap_skill_client *client;
    struct walk_queue queue;
    pap_result failed;
};

/* One hop: what the hook's answer is put into. */
struct taking {
    struct walk *walk;
    struct buf body;
    uint64_t sunk;
    bool headed, no_memory, stop, large;
};

static struct hook *hook_of(const struct transport *t)
{
    return (struct hook *)(uintptr_t)t;
}

static pap_result hook_start(struct transport *t, struct arena *a, const struct request *r, struct budget *b,
                             request_done *done, void *ctx)
{
    struct hook *h = hook_of(t);
    struct walk *w = walk_new(a, r, b, done, ctx);
    if (!w)
        return (pap_result){PAP_NO_MEMORY};
    w->allow_http = h->client->o.insecure_http;
    walk_push(&h->queue, w);
    return OK;
}

/* ---- what comes ---- */

static bool on_head(void *ctx, int status, const struct pap_skill_header *headers, size_t n)
{
    struct taking *t = ctx;
    struct walk *w = t->walk;
    struct hop *h = w->hop;
    if (t->headed || status < 200 || status > 999 || n > FIELDS_MOST)
        return false;
    h->headers = arena_new_array(w->arena, n, struct header);
    if (!h->headers)
        t->no_memory = true;
    for (size_t i = 0; i < n && !t->no_memory; i++) {
        h->headers[i] = (struct header){arena_str(w->arena, str_trim(str_c(headers[i].name))),
                                        arena_str(w->arena, str_trim(str_c(headers[i].value)))};
        t->no_memory = !h->headers[i].name.p || !h->headers[i].value.p;
    }
    h->n_headers = t->no_memory ? 0 : n;
    h->status = status;
    t->headed = true;
    return !t->no_memory;
}

static bool on_body(void *ctx, const char *bytes, size_t n)
{
    struct taking *t = ctx;
    struct walk *w = t->walk;
    const struct request *r = &w->request;
    bool sinks = r->sink && w->hop->status == 200;
    size_t have = sinks ? (size_t)t->sunk : t->body.n, take = walk_take(w, r->cap - have, n);
    if (!t->headed)
        return false;
    if (sinks) {
        t->sunk += take;
        t->stop = !r->sink(r->each_ctx, bytes, take);
    } else if (!walk_is_redirect(w)) {
        buf_add(&t->body, str(bytes, take));
        t->no_memory = !buf_ok(&t->body);
    }
    t->large = take < n;
    return !t->stop && !t->large && !t->no_memory;
}

/* ---- what is sent ---- */

static bool add(struct pap_skill_header *h, size_t *n, struct arena *a, struct pap_str name, struct pap_str value)
{
    h[*n] = (struct pap_skill_header){arena_cstr(a, name), arena_cstr(a, value)};
    return h[*n].name && h[(*n)++].value;
}

static bool fields_of(struct walk *w, struct pap_skill_request *q)
{
    const struct request *r = &w->request;
    const struct header *more = NULL;
    size_t n = 0, n_more = 0;
    bool ok = !r->fields || r->fields(r->each_ctx, w->arena, &w->uri, &more, &n_more);
    struct pap_skill_header *h = ok ? arena_new_array(w->arena, n_more + 2, struct pap_skill_header) : NULL;
    ok = h && add(h, &n, w->arena, S("Accept"), r->accept ? str_c(r->accept) : S("*/*")) &&
         add(h, &n, w->arena, S("User-Agent"), S("papaver/" PAP_VERSION));
    for (size_t i = 0; ok && i < n_more; i++)
        ok = add(h, &n, w->arena, more[i].name, more[i].value);
    q->headers = h;
    q->n_headers = n;
    return ok;
}

/* ---- where it goes ---- */

static bool parse(struct pap_str s, unsigned char ret[16], size_t *ret_n)
{
    *ret_n = host_parse_ipv4(s, ret) ? 4 : 16;
    return *ret_n == 4 || host_parse_ipv6(s, ret);
}

static const char *why_not(const struct pap_skill_client *c, bool http, struct pap_str address)
{
    unsigned char bytes[16];
    size_t n;
    const char *why = NULL;
    if (!parse(address, bytes, &n))
        return "it is no IP address";
    if (c->net.policy(c->net.policy_ctx, bytes, n, &why))
        return http && !address_is_loopback(bytes, n) ? "plain http is for loopback addresses only" : NULL;
    return why ? why : "it is forbidden";
}

/* The hook dials, and has a policy of its own; but literal addresses, and those that the caller finds, are seen here. */
static enum walk_next judge(struct hook *hook, struct walk *w)
{
    const struct pap_skill_client *c = hook->client;
    char found[ADDRESSES_MOST][46];
    bool http = str_eq_nocase(w->uri.scheme, S("http"));
    const char *host = arena_cstr(w->arena, w->uri.host), *why = NULL;
    size_t n = 0;
    if (!host)
        return WALK_NO_MEMORY;
    if (w->uri.host_is_ip)
        why = why_not(c, http, w->uri.host);
    else if (c->o.addresses && (n = c->o.addresses(c->o.ctx, host, found, ADDRESSES_MOST)) == 0)
        return walk_fault(w, FAULT_DNS, "%s was not found: no address is known for that name", host) ? WALK_DONE
                                                                                                     : WALK_NO_MEMORY;
    else if (http && !c->o.addresses && !str_eq_nocase(w->uri.host, S("localhost")))
        why = "plain http is for loopback addresses only";
    n = n < ADDRESSES_MOST ? n : ADDRESSES_MOST;
    for (size_t i = 0; i < n && !why; i++) {
        found[i][45] = '\0';
        why = why_not(c, http, str_c(found[i]));
    }
    if (!why)
        return WALK_ASK;
    return walk_fault(w, FAULT_BLOCKED, "%s was not asked: its address is not allowed (%s)", host, why)
               ? WALK_DONE
               : WALK_NO_MEMORY;
}

/* ---- one hop ---- */

static bool fault_of(struct taking *t, pap_result r, const struct pap_err *why, bool slow)
{
    struct walk *w = t->walk;
    struct pap_str url = str_take(w->hop->url, LIMIT_QUOTE);
    if (t->large || r.code == PAP_LIMIT)
        return walk_fault(w, FAULT_TOO_LARGE, "%.*s sent more than %zu bytes", PSTR(url), w->request.cap);
    if (t->stop || (is_ok(r) && t->headed))
        return true;
    return walk_fault(w,
                      slow                    ? FAULT_TIMEOUT
                      : r.code == PAP_REFUSED ? FAULT_BLOCKED
                                              : FAULT_PROTOCOL,
                      "%.*s gave no answer%s%s", PSTR(url), why->text[0] ? ": " : "", why->text);
}

/* False when out of memory, or cancelled: hook->failed says which. */
static bool ask(struct hook *hook, struct walk *w)
{
    const struct pap_skill_client *c = hook->client;
    struct taking t = {.walk = w};
    struct pap_skill_request q = {
        .url = arena_cstr(w->arena, w->hop->url), .most = w->request.cap, .timeout_ms = c->o.timeout_ms};
    const struct pap_skill_answer answer = {.ctx = &t, .head = on_head, .body = on_body};
    struct pap_err why = {0};
    if (!q.url || !fields_of(w, &q))
        return false;
    buf_init(&t.body, c->alloc, SIZE_MAX);
    int64_t begun = c->clock.monotonic_ms(&c->clock);
    pap_result r = c->o.fetch(c->o.ctx, &q, &answer, &why);
    bool slow = c->clock.monotonic_ms(&c->clock) - begun >= (int64_t)c->o.timeout_ms;
    if (r.code == PAP_CANCELLED || r.code == PAP_NO_MEMORY)
        hook->failed = r;
    bool ok = is_ok(hook->failed) && !t.no_memory && fault_of(&t, r, &why, slow);
    w->x.body_cut = t.stop || w->x.fault != FAULT_NONE;
    w->x.body = ok && t.headed ? arena_str(w->arena, buf_str(&t.body)) : str(NULL, 0);
    ok = ok && (!t.headed || w->x.body.p);
    buf_fini(&t.body);
    return ok;
}

static pap_result hook_step(struct transport *t, int timeout_ms, struct pap_err *err)
{
    struct hook *h = hook_of(t);
    const struct clock *clock = &h->client->clock;
    struct walk *w = walk_pop(&h->queue);
    (void)timeout_ms;
    if (!w)
        return OK;
    h->failed = OK;
    enum walk_next next = walk_begin(w, clock->monotonic_ms(clock));
    while (next == WALK_ASK) {
        next = judge(h, w);
        if (next == WALK_ASK)
            next = ask(h, w) ? walk_hop_over(w, clock->monotonic_ms(clock)) : WALK_NO_MEMORY;
    }
    if (!is_ok(h->failed))
        return fail(err, h->failed.code, h->failed.code == PAP_CANCELLED ? "cancelled" : "out of memory");
    if (next == WALK_NO_MEMORY)
        return fail_memory(err);
    w->done(w->ctx, &w->x);
    return OK;
}

static size_t hook_pending(const struct transport *t)
{
    return hook_of(t)->queue.n;
}

static void hook_free(struct transport *t)
{
    struct hook *h = hook_of(t);
    (void)alloc_resize(h->client->alloc, h, sizeof *h, 0);
}

pap_result hook_new(struct pap_skill_client *c, struct transport **ret, struct pap_err *err)
{
    struct hook *h = alloc_resize(c->alloc, NULL, 0, sizeof *h);
    if (!h)
        return fail_memory(err);
    *h = (struct hook){.base = {hook_start, hook_step, hook_pending, hook_free}, .client = c, .failed = OK};
    *ret = &h->base;
    return OK;
}
