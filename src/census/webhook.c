/* SPDX-License-Identifier: Apache-2.0
 *
 * Webhooks: one POST, signed, to an address that the operator wrote down. No redirect is followed, a private address needs a
 * word of the operator's, and it is tried four times at most.
 */
#include <stdio.h>

#include "census/watch_inside.h"
#include "net/client.h"
#include "proto/address.h"
#include "sys/entropy.h"
#include "text/base64.h"
#include "text/host.h"
#include "text/uri.h"

enum { TRIES = 4, WAIT_MS = 2000, STEP_MS = 200, SECRET_LEAST = 16, ANSWER_MOST = 64 * 1024 };

pap_result webhook_check(const struct pap_watch_options *o, struct pap_err *err)
{
    struct uri u;
    size_t at;
    const char *why;
    struct pap_str url = str_c(o->webhook);
    if (!uri_parse(url, &u, &at, &why) || !u.host.n || u.userinfo.p || u.fragment.p)
        return fail(err, PAP_USAGE, "the webhook is no URL of a host without a user name");
    bool plain = str_eq_nocase(u.scheme, S("http")) && o->insecure_http && host_is_loopback(u.host);
    if (!str_eq_nocase(u.scheme, S("https")) && !plain)
        return fail(err, PAP_USAGE, "the webhook has to be an https:// URL");
    if (o->webhook_secret.n < SECRET_LEAST)
        return fail(err, PAP_USAGE,
                    "a webhook needs a secret of at least %d bytes, by which its receiver knows who sends",
                    SECRET_LEAST);
    return OK;
}

struct delivery {
    struct watching *w;
    const struct exchange *x;
};

static bool may_dial(const void *ctx, const unsigned char *address, size_t n, const char **ret_why)
{
    const struct watching *w = ctx;
    return address_judge(address, n, w->o->webhook_private, ret_why) == ADDRESS_OK;
}

static void answered(void *ctx, const struct exchange *x)
{
    struct delivery *d = ctx;
    d->x = x;
}

/* webhook-signature: "v1," and base64 of the HMAC over "ID.TIMESTAMP.BODY". */
static pap_result sign(struct watching *w, struct arena *a, struct pap_str id, struct pap_str time, struct pap_str body,
                       struct pap_str *ret, struct pap_err *err)
{
    struct digest mac;
    char text[64];
    struct buf b;
    const struct pap_str parts[] = {id, S("."), time, S("."), body};
    TRY(hmac_sha256(w->o->webhook_secret, parts, sizeof parts / sizeof *parts, &mac, err));
    buf_on(&b, text, sizeof text);
    buf_add(&b, S("v1,"));
    base64_add(&b, str((const char *)mac.b, sizeof mac.b));
    *ret = arena_str(a, buf_str(&b));
    return ret->p ? OK : fail_memory(err);
}

static pap_result post(struct watching *w, struct transport *t, struct arena *a, const struct request *r,
                       const struct exchange **ret, struct pap_err *err)
{
    struct delivery d = {.w = w};
    struct budget budget;
    budget_init(&budget, a, S(""), w->clock.monotonic_ms(&w->clock));
    if (!is_ok(t->start(t, a, r, &budget, answered, &d)))
        return fail_memory(err);
    while (!d.x)
        TRY(t->step(t, STEP_MS, err));
    *ret = d.x;
    return OK;
}

static void complain(struct watching *w, const struct exchange *x, int left)
{
    char text[300];
    if (!w->o->trouble)
        return;
    if (x->fault)
        (void)snprintf(text, sizeof text, "the webhook was not delivered, %d tries left: %.*s", left,
                       PSTR(str_take(x->fault_text, LIMIT_QUOTE)));
    else
        (void)snprintf(text, sizeof text, "the webhook was answered with %d, %d tries left", exchange_status(x), left);
    w->o->trouble(w->o->ctx, text);
}

/* Whether the next try may do better: a receiver that moved or does not know us will not. */
static bool is_worth_a_try(const struct exchange *x)
{
    int status = exchange_status(x);
    if (!status)
        return x->fault != FAULT_BLOCKED && x->fault != FAULT_URL;
    return status >= 500 || status == 408 || status == 429;
}

static pap_result try_all(struct watching *w, struct transport *t, struct arena *a, struct pap_str body,
                          bool *ret_delivered, struct pap_err *err)
{
    unsigned char random[12];
    int64_t wait = w->o->webhook_wait_ms ? w->o->webhook_wait_ms : WAIT_MS;
    TRY(entropy_bytes(random, sizeof random, err));
    struct buf id;
    char id_text[64];
    buf_on(&id, id_text, sizeof id_text);
    buf_add(&id, S("msg_"));
    for (size_t i = 0; i < sizeof random; i++)
        buf_fmt(&id, "%02x", random[i]);
    for (int left = TRIES - 1; left >= 0 && !*ret_delivered; left--) {
        struct pap_str signature, time = arena_fmt(a, "%lld", (long long)w->clock.unix_seconds(&w->clock));
        const struct exchange *x = NULL;
        if (!time.p)
            return fail_memory(err);
        TRY(sign(w, a, buf_str(&id), time, body, &signature, err));
        const struct header fields[] = {
            {S("webhook-id"), buf_str(&id)}, {S("webhook-timestamp"), time}, {S("webhook-signature"), signature}};
        struct request r = {.method = "POST",
                            .url = str_c(w->o->webhook),
                            .content_type = "application/json",
                            .body = body,
                            .extra = fields,
                            .n_extra = sizeof fields / sizeof *fields,
                            .cap = ANSWER_MOST};
        TRY(post(w, t, a, &r, &x, err));
        int status = exchange_status(x);
        *ret_delivered = !x->fault && status >= 200 && status < 300;
        if (*ret_delivered)
            break;
        left = is_worth_a_try(x) ? left : 0;
        complain(w, x, left);
        if (left)
            clock_sleep_ms(wait);
        wait *= 2;
    }
    return OK;
}

pap_result webhook_send(struct watching *w, struct pap_str body, bool *ret_delivered, struct pap_err *err)
{
    struct client_options o = {.alloc = w->o->alloc,
                               .clock = &w->clock,
                               .policy = may_dial,
                               .policy_ctx = w,
                               .insecure_http = w->o->insecure_http,
                               .timeout_ms = w->o->network.timeout_ms,
                               .jobs = 1,
                               .cacert = w->o->network.cacert,
                               .resolve = w->o->network.resolve,
                               .connect_to = w->o->network.connect_to};
    struct transport *t;
    struct arena a;
    bool delivered = false;
    TRY(client_new(&o, &t, err));
    arena_init(&a, w->o->alloc);
    pap_result r = try_all(w, t, &a, body, &delivered, err);
    t->free(t);
    arena_fini(&a);
    if (is_ok(r))
        *ret_delivered = delivered;
    return r;
}
