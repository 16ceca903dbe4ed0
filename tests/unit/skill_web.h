/* SPDX-License-Identifier: Apache-2.0
 *
 * A web without a network for tests of the skills client: routes that answer, requests that are remembered, a clock that
 * only moves when it is told to.
 */
#ifndef TESTS_SKILL_WEB_H
#define TESTS_SKILL_WEB_H

#include <pthread.h>
#include <unistd.h>

#include "crypto/digest.h"
#include "skills/client.h"
#include "unit.h"

enum { ROUTES_MOST = 64, ASKED_MOST = 256 };

struct route {
    const char *url;
    int status;         /* 0: no connection */
    const char *fields; /* "Name: value\n..." */
    struct pap_str body;
    unsigned times; /* so many answers, then the next route of that URL; 0: for ever */
    unsigned given;
    bool cut;           /* breaks off behind the body */
    pap_result failure; /* of the hook, when it is one */
};

struct web {
    pthread_mutex_t lock;
    struct route routes[ROUTES_MOST];
    size_t n_routes;
    struct {
        char url[512];
        char fields[2048]; /* "name: value\n", names in lower case, sorted as sent */
        int64_t at_ms;
    } asked[ASKED_MOST];
    size_t n_asked;
    int64_t now_ms; /* Unix */
    int64_t mono_ms;
    int64_t slept_ms;
    uint32_t chance;
    size_t n_addresses;
    const char *addresses[4];
    unsigned progress, cancel_at;
    const char *credential; /* NULL: none */
    unsigned credentials_asked;
    unsigned slow_us; /* each answer takes so long, for threads */
};

static struct web web;

static inline int64_t web_read(const int64_t *value)
{
    (void)pthread_mutex_lock(&web.lock);
    int64_t v = *value;
    (void)pthread_mutex_unlock(&web.lock);
    return v;
}

static inline int64_t web_now(void *ctx)
{
    (void)ctx;
    return web_read(&web.now_ms);
}

static inline int64_t web_mono(const struct clock *c)
{
    (void)c;
    return web_read(&web.mono_ms);
}

static inline void web_nap(struct pap_skill_client *c, uint32_t ms)
{
    (void)c;
    (void)pthread_mutex_lock(&web.lock);
    web.slept_ms += ms;
    web.mono_ms += ms;
    web.now_ms += ms;
    (void)pthread_mutex_unlock(&web.lock);
}

static inline uint32_t web_chance(void)
{
    return web.chance;
}

static inline void web_add(struct buf *b, const char *s, bool lower)
{
    for (; *s; s++)
        buf_char(b, lower ? ascii_lower(*s) : *s);
}

static inline struct route *web_find(struct web *w, const char *url)
{
    struct route *hit = NULL;
    for (size_t i = 0; i < w->n_routes && !hit; i++)
        if (strcmp(w->routes[i].url, url) == 0 && (!w->routes[i].times || w->routes[i].given < w->routes[i].times))
            hit = &w->routes[i];
    return hit;
}

static inline void web_remember(struct web *w, const struct pap_skill_request *q)
{
    struct buf b;
    assert_true(w->n_asked < ASKED_MOST);
    (void)snprintf(w->asked[w->n_asked].url, sizeof w->asked->url, "%s", q->url);
    w->asked[w->n_asked].at_ms = w->mono_ms;
    buf_on(&b, w->asked[w->n_asked].fields, sizeof w->asked->fields - 1);
    for (size_t i = 0; i < q->n_headers; i++) {
        web_add(&b, q->headers[i].name, true);
        web_add(&b, ": ", false);
        web_add(&b, q->headers[i].value, false);
        web_add(&b, "\n", false);
    }
    b.p[b.n] = '\0';
    w->n_asked++;
}

static inline pap_result web_fetch(void *ctx, const struct pap_skill_request *q, const struct pap_skill_answer *answer,
                                   struct pap_err *err)
{
    struct web *w = ctx;
    struct pap_skill_header headers[32];
    char fields[2048];
    size_t n = 0;
    (void)pthread_mutex_lock(&w->lock);
    web_remember(w, q);
    struct route *found = web_find(w, q->url), missing = {.status = 404, .fields = "", .body = S_INIT("nothing")};
    if (found)
        found->given++;
    struct route r = found ? *found : missing;
    (void)pthread_mutex_unlock(&w->lock);
    if (w->slow_us)
        (void)usleep(w->slow_us);
    if (!is_ok(r.failure))
        return fail(err, r.failure.code, "the hook failed");
    if (!r.status)
        return fail(err, PAP_UNREACHABLE, "connection reset");
    (void)snprintf(fields, sizeof fields, "%s", r.fields ? r.fields : "");
    for (char *line = fields; *line && n < 32;) {
        char *end = strchr(line, '\n'), *colon = strchr(line, ':');
        *end = *colon = '\0';
        headers[n++] = (struct pap_skill_header){line, colon + 2};
        line = end + 1;
    }
    if (!answer->head(answer->ctx, r.status, headers, n))
        return fail(err, PAP_CANCELLED, "head refused");
    for (size_t at = 0; at < r.body.n; at += 1000) { /* in pieces */
        size_t piece = r.body.n - at < 1000 ? r.body.n - at : 1000;
        if (!answer->body(answer->ctx, r.body.p + at, piece))
            return OK;
    }
    return r.cut ? fail(err, PAP_UNREACHABLE, "connection reset") : OK;
}

static inline size_t web_addresses(void *ctx, const char *host, char (*ret)[46], size_t most)
{
    const struct web *w = ctx;
    (void)host;
    size_t n = w->n_addresses < most ? w->n_addresses : most;
    for (size_t i = 0; i < n; i++)
        (void)snprintf(ret[i], 46, "%s", w->addresses[i]);
    return n;
}

static inline bool web_progress(void *ctx, enum pap_skill_phase phase, uint64_t done, uint64_t total)
{
    struct web *w = ctx;
    (void)phase;
    (void)done;
    (void)total;
    (void)pthread_mutex_lock(&w->lock);
    bool go_on = ++w->progress != w->cancel_at;
    (void)pthread_mutex_unlock(&w->lock);
    return go_on;
}

static inline bool web_credential(void *ctx, const char *label, const char *scope, char *ret, size_t size)
{
    struct web *w = ctx;
    (void)label;
    (void)scope;
    w->credentials_asked++;
    if (w->credential)
        (void)snprintf(ret, size, "%s", w->credential);
    return w->credential != NULL;
}

static inline void web_reset(void)
{
    web = (struct web){.now_ms = 1787652000000, .mono_ms = 1000}; /* 2026-08-25T10:00:00Z */
    (void)pthread_mutex_init(&web.lock, NULL);
}

static inline struct route *web_route(const char *url, int status, const char *fields, struct pap_str body)
{
    assert_true(web.n_routes < ROUTES_MOST);
    struct route *r = &web.routes[web.n_routes++];
    *r = (struct route){.url = url, .status = status, .fields = fields, .body = body};
    return r;
}

static inline struct pap_skill_options web_options(void)
{
    return (struct pap_skill_options){.fetch = web_fetch, .now = web_now, .ctx = &web};
}

static inline struct pap_skill_client *web_client(const struct pap_skill_options *o)
{
    struct pap_skill_client *c;
    struct pap_skill_err err = {0};
    if (!is_ok(pap_skill_client_new(o, &c, &err)))
        unit_fail("%s: %s", pap_skill_code_name(err.code), err.text);
    c->clock.monotonic_ms = web_mono;
    c->nap = web_nap;
    c->chance = web_chance;
    return c;
}

/* "sha256:..." of bytes, in a buffer of the caller's. */
static inline const char *sha(struct pap_str bytes, char *ret)
{
    struct digest d;
    assert_ok(digest_sha256(&bytes, 1, &d, NULL));
    digest_text(&d, ret);
    return ret;
}

static inline const char *err_value(const struct pap_skill_err *err, const char *key)
{
    const char *k, *v;
    for (size_t i = 0; pap_skill_err_at(err, i, &k, &v); i++)
        if (strcmp(k, key) == 0)
            return v;
    return "";
}

#define assert_code(result, err, wanted)                                                                              \
    do {                                                                                                              \
        pap_result r_ = (result);                                                                                     \
        if (is_ok(r_) || (err).code != (wanted))                                                                      \
            unit_fail("%s:%d: got %d %s (%s), want %s", __FILE__, __LINE__, r_.code, pap_skill_code_name((err).code), \
                      (err).text, pap_skill_code_name(wanted));                                                       \
    } while (0)
#define assert_fine(result, err)                                                                                     \
    do {                                                                                                             \
        pap_result r_ = (result);                                                                                    \
        if (!is_ok(r_))                                                                                              \
            unit_fail("%s:%d: %d %s: %s", __FILE__, __LINE__, r_.code, pap_skill_code_name((err).code), (err).text); \
    } while (0)

#endif
