/* SPDX-License-Identifier: Apache-2.0 */
#include "net/walk.h"

#include "base/buf.h"
#include "text/redact.h"

enum { REDIRECTS_MOST = 20 }; /* whatever a request asks for */

struct walk *walk_new(struct arena *a, const struct request *r, struct budget *b, request_done *done, void *ctx)
{
    struct walk *w = arena_new(a, struct walk);
    if (!w)
        return NULL;
    *w = (struct walk){.arena = a, .request = *r, .budget = b, .done = done, .ctx = ctx};
    w->x = (struct exchange){.method = str_c(r->method), .url = r->url, .final_url = r->url, .request_body = r->body};
    if (w->request.redirects > REDIRECTS_MOST)
        w->request.redirects = REDIRECTS_MOST;
    return w;
}

bool walk_fault(struct walk *w, enum exchange_fault fault, const char *fmt, ...)
{
    struct buf b __attribute__((cleanup(buf_fini)));
    va_list ap;
    va_start(ap, fmt);
    struct pap_str text = arena_vfmt(w->arena, fmt, ap);
    va_end(ap);
    if (!text.p)
        return false;
    /* It quotes URLs, of redirects above all, and goes into findings and reports. */
    buf_init(&b, w->arena->alloc, SIZE_MAX);
    add_redacted(&b, text);
    text = buf_ok(&b) ? arena_str(w->arena, buf_str(&b)) : str(NULL, 0);
    if (!text.p)
        return false;
    w->x.fault = fault;
    w->x.fault_text = text;
    return true;
}

#define STOP(...) (walk_fault(__VA_ARGS__) ? WALK_DONE : WALK_NO_MEMORY)
/* For "%.*s": as much of an untrusted value as a sentence may hold. */
#define QUOTE(s) PSTR(str_take((s), LIMIT_QUOTE))

/* Appends a hop; its URL is what is sent: no fragment. There is room for it: walk_begin() made the array. */
static bool add_hop(struct walk *w, struct pap_str url)
{
    struct pap_str text = arena_str(w->arena, str_take(url, str_find_char(url, '#')));
    size_t at;
    const char *why;
    if (!text.p || !uri_parse(text, &w->uri, &at, &why))
        return false;
    w->hop = &w->x.hops[w->x.n_hops++];
    *w->hop = (struct hop){.method = w->x.method, .url = text};
    w->x.final_url = text;
    return true;
}

static enum walk_next ask(struct walk *w, struct pap_str url, const struct uri *u, int64_t now)
{
    const char *why = NULL;
    const struct budget *b = w->budget;
    if (!budget_take(w->budget, u->host, now, &why) || (b->may && !b->may(b->may_ctx, u, now, &why)))
        return why ? STOP(w, FAULT_BUDGET, "%.*s was not asked: %s", QUOTE(url), why) : WALK_NO_MEMORY;
    w->hop_begun_ms = now;
    return add_hop(w, url) ? WALK_ASK : WALK_NO_MEMORY;
}

static bool is_https(const struct uri *u)
{
    return str_eq_nocase(u->scheme, S("https"));
}

enum walk_next walk_begin(struct walk *w, int64_t now_ms)
{
    struct uri u;
    size_t at = 0;
    const char *why = NULL;
    w->begun_ms = now_ms;
    if (!uri_parse(w->x.url, &u, &at, &why))
        return STOP(w, FAULT_URL, "%.*s is not a URL: there is %s at byte %zu", QUOTE(w->x.url), why, at + 1);
    if (!uri_is_web(&u, &why))
        return STOP(w, FAULT_URL, "%.*s was not asked: it has %s", QUOTE(w->x.url), why);
    if (!is_https(&u) && !w->allow_http)
        return STOP(w, FAULT_URL, "%.*s was not asked: it is not https", QUOTE(w->x.url));
    /* The first, those that follow, and one that is only shown. */
    w->x.hops = arena_new_array(w->arena, w->request.redirects + 2u, struct hop);
    if (!w->x.hops)
        return WALK_NO_MEMORY;
    w->same_origin = true;
    return ask(w, w->x.url, &u, now_ms);
}

bool walk_is_redirect(const struct walk *w)
{
    int s = w->hop->status;
    return s == 301 || s == 302 || s == 303 || s == 307 || s == 308;
}

static bool is_asked(const struct walk *w, struct pap_str url)
{
    url = str_take(url, str_find_char(url, '#'));
    for (size_t i = 0; i < w->x.n_hops; i++)
        if (str_eq(w->x.hops[i].url, url))
            return true;
    return false;
}

/* Goes to an absolute target. */
static enum walk_next go(struct walk *w, struct pap_str target, int64_t now)
{
    struct pap_str from = w->hop->url;
    struct uri u, first;
    size_t at = 0;
    const char *why = NULL;
    if (!uri_parse(target, &u, &at, &why))
        return STOP(w, FAULT_REDIRECT_TARGET, "%.*s redirects to \"%.*s\", where there is %s", QUOTE(from),
                    QUOTE(target), why);
    if (str_eq_nocase(u.scheme, S("http")) && !w->allow_http) /* shown as a hop that was not asked: status 0 */
        return add_hop(w, target) ? STOP(w, FAULT_REDIRECT_TARGET,
                                         "%.*s redirects to %.*s, which is not https; that was "
                                         "not asked",
                                         QUOTE(from), QUOTE(target))
                                  : WALK_NO_MEMORY;
    if (!uri_is_web(&u, &why))
        return STOP(w, FAULT_REDIRECT_TARGET, "%.*s redirects to \"%.*s\", which has %s", QUOTE(from), QUOTE(target),
                    why);
    if (w->request.may && !w->request.may(w->request.each_ctx, &u))
        return STOP(w, FAULT_REDIRECT_TARGET, "%.*s redirects to %.*s, which was not asked", QUOTE(from),
                    QUOTE(target));
    if (is_asked(w, target))
        return STOP(w, FAULT_REDIRECTS, "the redirects go in a loop: %.*s leads back to %.*s", QUOTE(from),
                    QUOTE(target));
    if (w->x.n_hops > w->request.redirects)
        return STOP(w, FAULT_REDIRECTS, "%.*s redirects to %.*s, and at most %u redirects are followed", QUOTE(from),
                    QUOTE(target), w->request.redirects);
    if (uri_parse(w->x.url, &first, &at, &why))
        w->same_origin = uri_same_origin(&first, &u);
    return ask(w, target, &u, now);
}

enum walk_next walk_hop_over(struct walk *w, int64_t now_ms)
{
    struct hop *h = w->hop;
    w->x.ms = (uint32_t)(now_ms - w->begun_ms);
    if (w->x.fault != FAULT_NONE || !walk_is_redirect(w))
        return WALK_DONE;
    struct pap_str location = hop_header(h, "Location");
    if (!location.n)
        return STOP(w, FAULT_REDIRECT_TARGET, "%.*s answered %d without a Location header field", QUOTE(h->url),
                    h->status);
    if (hop_header_count(h, "Location") > 1)
        return STOP(w, FAULT_REDIRECT_TARGET, "%.*s answered %d with more than one Location header field",
                    QUOTE(h->url), h->status);
    if (!str_is(h->method, "GET") && !str_is(h->method, "HEAD"))
        return STOP(w, FAULT_REDIRECTS, "%.*s redirects to %.*s, and a %.*s is not redirected", QUOTE(h->url),
                    QUOTE(location), PSTR(h->method));
    if (!w->request.redirects)
        return STOP(w, FAULT_REDIRECTS, "%.*s redirects to %.*s, and no redirect is followed here", QUOTE(h->url),
                    QUOTE(location));
    struct uri ref;
    size_t at = 0;
    const char *why = NULL;
    if (!uri_parse(location, &ref, &at, &why))
        return STOP(w, FAULT_REDIRECT_TARGET, "%.*s redirects to \"%.*s\", where there is %s at byte %zu",
                    QUOTE(h->url), QUOTE(location), why, at + 1);
    struct pap_str target = uri_resolve(w->arena, &w->uri, &ref);
    return target.p ? go(w, target, now_ms) : WALK_NO_MEMORY;
}

size_t walk_take(struct walk *w, size_t room, size_t n)
{
    n = n < room ? n : room;
    n = n < w->budget->bytes_left ? n : (size_t)w->budget->bytes_left;
    w->budget->bytes_left -= n;
    return n;
}

void walk_push(struct walk_queue *q, struct walk *w)
{
    w->next = NULL;
    if (q->last)
        q->last->next = w;
    else
        q->first = w;
    q->last = w;
    q->n++;
}

static bool any(const void *ctx, struct walk *w)
{
    (void)ctx;
    (void)w;
    return true;
}

struct walk *walk_pop(struct walk_queue *q)
{
    return walk_pop_if(q, 1, any, NULL);
}

struct walk *walk_pop_if(struct walk_queue *q, size_t most, walk_may *may, const void *ctx)
{
    struct walk **at = &q->first, *before = NULL;
    for (; *at && most && !may(ctx, *at); most--) {
        before = *at;
        at = &before->next;
    }
    struct walk *w = most ? *at : NULL;
    if (!w)
        return NULL;
    *at = w->next;
    if (q->last == w)
        q->last = before;
    q->n--;
    w->next = NULL;
    return w;
}
