/* SPDX-License-Identifier: Apache-2.0 */
#include "net/inside.h"

enum { JOBS = 16, JOBS_MOST = 1000 };

static struct client *client_of(const struct transport *t)
{
    return (struct client *)(uintptr_t)t; /* `base` is its first member */
}

static bool is_field_text(struct pap_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f)
            return false;
    return true;
}

static bool is_method(const char *m)
{
    return m && (str_is(S("GET"), m) || str_is(S("HEAD"), m) || str_is(S("POST"), m) || str_is(S("DELETE"), m));
}

static pap_result client_start(struct transport *t, struct arena *a, const struct request *r, struct budget *b,
                               request_done *done, void *ctx)
{
    struct client *c = client_of(t);
    if (!is_method(r->method) || !is_field_text(str_c(r->accept)) || !is_field_text(str_c(r->content_type)))
        return (pap_result){PAP_USAGE};
    for (size_t i = 0; i < r->n_extra; i++)
        if (!is_field_text(r->extra[i].name) || !is_field_text(r->extra[i].value) || !r->extra[i].name.n)
            return (pap_result){PAP_USAGE};
    struct walk *w = walk_new(a, r, b, done, ctx);
    if (!w)
        return (pap_result){PAP_NO_MEMORY};
    w->allow_http = c->o.insecure_http;
    walk_push(&c->queue, w);
    return OK;
}

static size_t client_pending(const struct transport *t)
{
    return client_of(t)->queue.n + client_of(t)->active;
}

/* An idle transfer, made when there is none. */
static pap_result take_transfer(struct client *c, struct transfer **ret, struct pap_err *err)
{
    if (!c->idle)
        TRY(transfer_new(c, &c->idle, err));
    *ret = c->idle;
    c->idle = c->idle->next_idle;
    return OK;
}

static void put_transfer(struct client *c, struct transfer *t)
{
    t->next_idle = c->idle;
    c->idle = t;
}

/* ---- how many hops a second: a bucket of one second's ---- */

/* Milliseconds until the next hop may begin; 0: now. */
static int64_t hold_back_ms(struct client *c)
{
    int64_t rate = c->o.rate, now = c->o.clock->monotonic_ms(c->o.clock);
    if (!rate)
        return 0;
    c->tokens += (now - c->filled_ms) * rate;
    c->tokens = c->tokens > rate * 1000 ? rate * 1000 : c->tokens;
    c->filled_ms = now;
    return c->tokens >= 1000 ? 0 : (1000 - c->tokens) / rate + 1;
}

static struct pap_str authority_of(struct pap_str url)
{
    struct pap_str rest = str_skip(url, str_find(url, S("://")) + 3);
    return str_take(rest, str_find_char(rest, '/'));
}

/* Nobody else is asking the same host, and from now on this walk is. libcurl's own limit would take all hosts of --connect-to
 * for one. */
static bool take_host(const void *ctx, struct walk *w)
{
    const struct client *c = ctx;
    uint64_t key = c->o.hosts ? hosts_key(authority_of(w->request.url)) : 0;
    if (key && !hosts_try(c->o.hosts, key))
        return false;
    w->host = key;
    return true;
}

/* A walk that was redirected goes on to its next host; one that is over gives its host back. */
static void change_host(const struct client *c, struct walk *w, bool over)
{
    uint64_t key = c->o.hosts && !over ? hosts_key(authority_of(w->hop->url)) : 0;
    if (key == w->host)
        return;
    if (w->host)
        hosts_give(c->o.hosts, w->host);
    if (key)
        hosts_take(c->o.hosts, key);
    w->host = key;
}

static pap_result settle(struct client *c, struct transfer *t, struct walk *w, enum walk_next next, size_t *done,
                         struct pap_err *err)
{
    const char *why;
    if (next == WALK_ASK && c->o.proxy && !dial_may_pass_proxy(&c->o, &w->uri, &why))
        next = walk_fault(w, FAULT_BLOCKED, "%.*s was not asked: %s", PSTR(str_take(w->hop->url, LIMIT_QUOTE)), why)
                   ? WALK_DONE
                   : WALK_NO_MEMORY;
    if (next == WALK_ASK && c->o.addresses)
        next = transfer_pin(t, w);
    change_host(c, w, next != WALK_ASK);
    if (next == WALK_ASK) {
        TRY(transfer_begin(t, w, c->o.clock->monotonic_ms(c->o.clock), err));
        c->active++;
        c->tokens -= 1000;
        return OK;
    }
    put_transfer(c, t);
    if (next == WALK_NO_MEMORY)
        return fail_memory(err);
    (*done)++;
    w->done(w->ctx, &w->x);
    return OK;
}

/* Starts what is queued, as many as may be under way at once. */
static pap_result fill(struct client *c, size_t *done, struct pap_err *err)
{
    enum { LOOKED_AT = 64 };
    while (c->queue.first && c->active < c->o.jobs && !hold_back_ms(c)) {
        struct transfer *t;
        struct walk *w = walk_pop_if(&c->queue, LOOKED_AT, take_host, c);
        if (!w)
            return OK;
        TRY(take_transfer(c, &t, err));
        TRY(settle(c, t, w, walk_begin(w, c->o.clock->monotonic_ms(c->o.clock)), done, err));
    }
    return OK;
}

/* Ends the transfers that libcurl is done with. */
static pap_result collect(struct client *c, size_t *done, struct pap_err *err)
{
    struct CURLMsg *m;
    int left;
    while ((m = c->api.multi_info_read(c->multi, &left))) {
        struct transfer *t = NULL;
        CURLcode code = m->data.result; /* `m` is gone when the handle is removed */
        (void)c->api.easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&t);
        struct walk *w = t->walk;
        int64_t now = c->o.clock->monotonic_ms(c->o.clock);
        c->active--;
        TRY(transfer_end(t, code, now, err));
        TRY(settle(c, t, w, walk_hop_over(w, now), done, err));
    }
    return OK;
}

static pap_result client_step(struct transport *t, int timeout_ms, struct pap_err *err)
{
    struct client *c = client_of(t);
    const struct clock *clock = c->o.clock;
    int64_t end = clock->monotonic_ms(clock) + timeout_ms;
    size_t done = 0;
    for (;;) {
        int running;
        TRY(fill(c, &done, err));
        if (c->api.multi_perform(c->multi, &running) != CURLM_OK)
            return fail_memory(err); /* the only way it fails with handles that are in order */
        TRY(collect(c, &done, err));
        int64_t left = end - clock->monotonic_ms(clock);
        if (done || client_pending(t) == 0 || left <= 0)
            return OK;
        int64_t held = c->queue.first && c->active < c->o.jobs ? hold_back_ms(c) : 0;
        left = held && held < left ? held : left;
        if (c->api.multi_poll(c->multi, NULL, 0, (int)left, NULL) != CURLM_OK)
            return fail_memory(err);
    }
}

static void client_free(struct transport *base)
{
    struct client *c = client_of(base);
    if (!c)
        return;
    const struct curl_api *api = &c->api;
    while (c->all) {
        struct transfer *t = c->all;
        c->all = t->next_all;
        transfer_free(t);
    }
    if (c->multi)
        (void)api->multi_cleanup(c->multi);
    if (c->share)
        (void)api->share_cleanup(c->share);
    if (api->slist_free_all) {
        api->slist_free_all(c->resolve);
        api->slist_free_all(c->connect_to);
        api->global_cleanup();
    }
    (void)alloc_resize(c->o.alloc, c, sizeof *c, 0);
}

static bool append_all(const struct curl_api *api, const char *const *list, struct curl_slist **ret)
{
    for (; list && *list; list++) {
        struct curl_slist *grown = api->slist_append(*ret, *list);
        if (!grown)
            return false;
        *ret = grown;
    }
    return true;
}

static pap_result set_up(struct client *c, struct pap_err *err)
{
    const struct curl_api *api = &c->api;
    if (api->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return fail_memory(err);
    c->multi = api->multi_init();
    c->share = api->share_init();
    if (!c->multi || !c->share || !append_all(api, c->o.resolve, &c->resolve) ||
        !append_all(api, c->o.connect_to, &c->connect_to) ||
        api->share_setopt(c->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION) != CURLSHE_OK ||
        api->multi_setopt(c->multi, CURLMOPT_MAXCONNECTS, (long)c->o.jobs) != CURLM_OK)
        return fail_memory(err);
    return OK;
}

pap_result client_new(const struct client_options *o, struct transport **ret, struct pap_err *err)
{
    TRY(options_check(o, err));
    struct client *c = alloc_resize(o->alloc, NULL, 0, sizeof *c);
    if (!c)
        return fail_memory(err);
    *c = (struct client){.base = {client_start, client_step, client_pending, client_free}, .o = *o};
    if (c->o.jobs == 0)
        c->o.jobs = JOBS;
    if (c->o.jobs > JOBS_MOST)
        c->o.jobs = JOBS_MOST;
    if (c->o.timeout_ms == 0)
        c->o.timeout_ms = LIMIT_TOTAL_MS;
    c->filled_ms = c->o.clock->monotonic_ms(c->o.clock);
    pap_result r = curl_api_open(&c->api, err);
    if (is_ok(r))
        r = set_up(c, err);
    if (!is_ok(r)) {
        client_free(&c->base);
        return r;
    }
    *ret = &c->base;
    return OK;
}
