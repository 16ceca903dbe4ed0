/* SPDX-License-Identifier: Apache-2.0 */
#include "skills/line.h"

#include "skills/line_inside.h"
#include "text/httpval.h"

enum { RETRY_MS = 250, WAIT_MOST_MS = 5000, STEP_MS = 100, SLACK_MS = 250 };

static pap_result line_start(struct transport *t, struct arena *a, const struct request *r, struct budget *b,
                             request_done *done, void *ctx)
{
    (void)b; /* of a whole check; here each attempt has its own time */
    return line_ask((struct line *)(uintptr_t)t, LINE_DOCUMENT, a, r, NULL, done, ctx);
}

void line_init(struct line *l, struct pap_skill_client *c, struct transport *below, const struct origin *o,
               struct arena *a)
{
    *l = (struct line){
        .base = {.start = line_start}, .below = below, .client = c, .origin = o, .arena = a, .failed = OK};
}

/* ---- what a hop is sent ---- */

static bool may_know(const struct line_call *k, const struct uri *to)
{
    const struct origin *o = k->line->origin;
    return k->kind != LINE_DOCUMENT && origin_owns(o, to) &&
           str_eq_nocase(to->scheme, str_take(o->url, str_find_char(o->url, ':')));
}

/* Where the kept copy came from: its validators say nothing to others, and something about us. */
static bool gave_copy(const struct line_call *k, const struct uri *to)
{
    struct uri u;
    size_t at;
    const char *why;
    return k->conditional && uri_parse(k->kept.url, &u, &at, &why) && uri_same_origin(&u, to);
}

/* Artifacts may lie on a host that has a credential of its own (R-AUTH-2). */
static bool is_for(const struct line_call *k, const struct bound_header *b, const struct uri *to)
{
    const struct pap_str url = k->line->origin->url;
    return k->kind == LINE_ARTIFACT && str_eq_nocase(b->host, to->host) && b->port == uri_port(to) &&
           str_eq_nocase(to->scheme, str_take(url, str_find_char(url, ':')));
}

static bool credential(const struct line_call *k, struct arena *a, struct pap_str *ret)
{
    enum { MOST = 8 * 1024 };
    const struct pap_skill_options *o = &k->line->client->o;
    const struct origin *from = k->line->origin;
    *ret = str(NULL, 0);
    if (!o->credential || !from->scope.p)
        return true;
    char *value = arena_alloc(a, MOST);
    if (!value)
        return false;
    if (o->credential(o->ctx, from->label.p, from->scope.p, value, MOST)) {
        struct pap_str s = str_c(value);
        *ret = http_is_value(s) ? str_trim(s) : str(NULL, 0);
    }
    return true;
}

bool line_fields(void *ctx, struct arena *a, const struct uri *to, const struct header **ret, size_t *ret_n)
{
    const struct line_call *k = ctx;
    const struct origin *o = k->line->origin;
    struct header *h = arena_new_array(a, o->n_headers + o->n_bound + 6, struct header);
    size_t n = 0;
    if (!h)
        return false;
    h[n++] = (struct header){S("Accept-Encoding"), S("identity")};
    if (k->line->no_cache)
        h[n++] = (struct header){S("Cache-Control"), S("no-cache")};
    bool copy = gave_copy(k, to);
    if (copy && k->kept.etag.n)
        h[n++] = (struct header){S("If-None-Match"), k->kept.etag};
    if (copy && k->kept.last_modified.n)
        h[n++] = (struct header){S("If-Modified-Since"), k->kept.last_modified};
    if (may_know(k, to)) {
        struct pap_str secret;
        if (!credential(k, a, &secret))
            return false;
        for (size_t i = 0; i < o->n_headers; i++)
            if (!secret.n || !str_eq_nocase(o->headers[i].name, S("Authorization")))
                h[n++] = o->headers[i];
        if (secret.n)
            h[n++] = (struct header){S("Authorization"), secret};
        if (o->scope.p && k->kind == LINE_LIST)
            h[n++] = (struct header){S("Remote-Skills-Scope"), o->scope};
    }
    for (size_t i = 0; i < o->n_bound; i++)
        if (is_for(k, &o->bound[i], to))
            h[n++] = o->bound[i].header;
    *ret = h;
    *ret_n = n;
    return true;
}

/* ---- attempts ---- */

static void arrived(void *ctx, const struct exchange *x);

static bool sink(void *ctx, const char *p, size_t n)
{
    const struct line_call *k = ctx;
    return k->asked.sink(k->asked.each_ctx, p, n);
}

static bool may(void *ctx, const struct uri *to)
{
    const struct line_call *k = ctx;
    return k->asked.may(k->asked.each_ctx, to);
}

static void fail_line(struct line *l, pap_result r)
{
    if (is_ok(l->failed))
        l->failed = r;
}

static pap_result send(struct line_call *k)
{
    struct line *l = k->line;
    const struct clock *clock = &l->client->clock;
    int64_t now = clock->monotonic_ms(clock);
    k->sent = k->asked;
    k->sent.identity = true;
    k->sent.fields = line_fields;
    k->sent.sink = k->asked.sink ? sink : NULL;
    k->sent.may = k->asked.may ? may : NULL;
    k->sent.each_ctx = k;
    k->budget = (struct budget){.arena = k->arena,
                                .requests_left = LIMIT_REDIRECTS + 1,
                                .bytes_left = UINT64_MAX / 2,
                                .deadline_ms = now + l->client->o.timeout_ms + SLACK_MS};
    k->asked_ms = client_now(l->client);
    return l->below->start(l->below, k->arena, &k->sent, &k->budget, arrived, k);
}

static void wait_until(struct line_call *k, enum line_what what, int64_t due_ms)
{
    struct line_call **at = &k->line->waiting;
    k->what = what;
    k->due_ms = due_ms;
    while (*at)
        at = &(*at)->next;
    *at = k;
    k->next = NULL;
}

/* R-NET-10, but for a certificate that is not valid: it will not be a second later. */
static bool is_transient(const struct exchange *x)
{
    int status = exchange_status(x);
    if (x->fault != FAULT_NONE)
        return x->fault == FAULT_DNS || x->fault == FAULT_REFUSED || x->fault == FAULT_TIMEOUT ||
               x->fault == FAULT_PROTOCOL || x->fault == FAULT_BUDGET;
    return status == 408 || status == 429 || status >= 500;
}

static uint32_t pause_of(const struct line_call *k, const struct exchange *x)
{
    uint32_t seconds, most = k->attempt < 5 ? RETRY_MS << k->attempt : WAIT_MOST_MS;
    if (x->fault == FAULT_NONE &&
        retry_after_parse(hop_header(exchange_last(x), "Retry-After"), client_now(k->line->client) / 1000, &seconds))
        return seconds > WAIT_MOST_MS / 1000 ? WAIT_MOST_MS : seconds * 1000;
    most = most < WAIT_MOST_MS ? most : WAIT_MOST_MS;
    return k->line->client->chance() % most;
}

static void arrived(void *ctx, const struct exchange *x)
{
    struct line_call *k = ctx;
    const struct pap_skill_client *c = k->line->client;
    if (k->attempt < c->o.retries && is_transient(x)) {
        wait_until(k, LINE_SEND, c->clock.monotonic_ms(&c->clock) + pause_of(k, x));
        k->attempt++;
        return;
    }
    pap_result r = line_take(k, x, is_transient(x));
    if (!is_ok(r))
        fail_line(k->line, r);
}

pap_result line_send_again(struct line_call *k)
{
    wait_until(k, LINE_SEND, 0);
    return OK;
}

pap_result line_ask(struct line *l, enum line_kind kind, struct arena *a, const struct request *r,
                    void (*again)(void *ctx), request_done *done, void *ctx)
{
    struct line_call *k = arena_new(a, struct line_call);
    enum line_what what = LINE_SEND;
    if (!k)
        return (pap_result){PAP_NO_MEMORY};
    *k = (struct line_call){
        .line = l, .kind = kind, .arena = a, .asked = *r, .again = again, .done = done, .ctx = ctx, .first = true};
    TRY(line_find(k, &what));
    if (what == LINE_SEND)
        return send(k);
    wait_until(k, what, 0);
    return OK;
}

/* ---- turns ---- */

static pap_result do_it(struct line_call *k)
{
    if (k->what != LINE_SEND)
        return line_give(k);
    if (k->again)
        k->again(k->asked.each_ctx);
    return send(k);
}

pap_result line_turn(struct line *l, int most, int *ret_ms)
{
    const struct clock *clock = &l->client->clock;
    int64_t now = clock->monotonic_ms(clock), wait = most;
    struct line_call *waiting = l->waiting;
    l->waiting = NULL;
    while (waiting) {
        struct line_call *k = waiting;
        waiting = k->next;
        if (k->due_ms <= now) {
            pap_result r = do_it(k);
            if (!is_ok(r))
                fail_line(l, r);
        } else {
            wait_until(k, k->what, k->due_ms);
        }
    }
    for (const struct line_call *k = l->waiting; k; k = k->next)
        wait = k->due_ms - now < wait ? k->due_ms - now : wait;
    *ret_ms = wait > 0 ? (int)wait : 0;
    return l->failed;
}

pap_result line_run(struct line *l, const bool *done, enum pap_skill_phase phase, const uint64_t *got, uint64_t total,
                    struct pap_skill_err *err)
{
    struct pap_err why = {0};
    while (!*done) {
        int ms = 0;
        TRY(client_progress(l->client, phase, got ? *got : 0, total, err));
        pap_result r = line_turn(l, STEP_MS, &ms);
        if (is_ok(r) && !*done && l->below->pending(l->below))
            r = l->below->step(l->below, ms, &why);
        else if (is_ok(r) && !*done && ms)
            l->client->nap(l->client, (uint32_t)ms);
        if (!is_ok(r))
            return failure_tell(r, &why, err);
    }
    return is_ok(l->failed) ? OK : failure_tell(l->failed, NULL, err);
}
