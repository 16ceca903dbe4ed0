/* SPDX-License-Identifier: Apache-2.0
 *
 * What is kept of the documents that a line asks for, and when a copy stands in for an answer (remote-skills R-HTTP).
 */
#include "skills/line_inside.h"
#include "text/httpval.h"

enum { JOINED = 4096, ETAG_MOST = 1024 };

/* Copies of one URL differ by scope. Where a host was told who asks and no scope says what that means, the copy is for
 * nobody else: it is kept in memory, under everything that was told. */
static bool name_copy(struct line_call *k)
{
    const struct origin *o = k->line->origin;
    bool known = k->kind == LINE_LIST && !o->scope.p && o->n_headers;
    k->scope = k->kind == LINE_LIST && o->scope.p ? o->scope : S("");
    for (size_t i = 0; known && i < o->n_headers; i++) {
        k->scope = arena_fmt(k->arena, "%.*s\n%.*s: %.*s", PSTR(k->scope), PSTR(o->headers[i].name),
                             PSTR(o->headers[i].value));
        if (!k->scope.p)
            return false;
    }
    k->memory = known;
    k->key = arena_fmt(k->arena, "%.*s\n%.*s", PSTR(k->asked.url), PSTR(k->scope));
    return k->key.p != NULL;
}

static int64_t fresh_until_of(struct line_call *k)
{
    struct pap_skill_client *c = k->line->client;
    (void)pthread_mutex_lock(&c->lock);
    const struct fresh_record *r = fresh_find(&c->fresh, k->key);
    int64_t until = r ? r->until_ms : 0;
    (void)pthread_mutex_unlock(&c->lock);
    return until;
}

pap_result line_find(struct line_call *k, enum line_what *ret)
{
    struct line *l = k->line;
    const struct pap_skill_client *c = l->client;
    bool offline = c->o.offline;
    *ret = offline ? LINE_MISS : LINE_SEND;
    if (k->kind == LINE_ARTIFACT || !str_is(str_c(k->asked.method), "GET"))
        return OK;
    int64_t now = client_now(c);
    if (!name_copy(k))
        return (pap_result){PAP_NO_MEMORY};
    TRY(cache_document_get(c->cache, k->arena, k->asked.url, k->scope, now / 1000, &k->kept, &k->have, NULL));
    if (!k->have)
        return OK;
    bool fresh = k->kept.body.n && fresh_until_of(k) > now && !l->no_cache && !l->origin->fresh;
    int64_t age = now / 1000 - k->kept.validated;
    bool bounded = !l->origin->stale_s || (age >= 0 && age <= l->origin->stale_s);
    if (fresh || (offline && bounded))
        *ret = LINE_KEPT;
    k->stale = !fresh;
    k->conditional = k->kept.body.n && !l->no_cache;
    if (!http_is_value(k->kept.etag) || !etag_is_valid(k->kept.etag) || k->kept.etag.n > ETAG_MOST)
        k->kept.etag = str(NULL, 0);
    if (!http_date_parse(k->kept.last_modified, &(int64_t){0}))
        k->kept.last_modified = str(NULL, 0);
    k->conditional &= k->kept.etag.n || k->kept.last_modified.n;
    return OK;
}

/* ---- giving ---- */

/* The same URL asked again by the same line: the later answer counts. */
static pap_result finish(struct line_call *k, const struct exchange *x, struct line_answer how)
{
    struct line_answer *kept = arena_new(k->line->arena, struct line_answer);
    how.url = arena_str(k->line->arena, k->asked.url);
    if (!kept || !how.url.p)
        return (pap_result){PAP_NO_MEMORY};
    how.next = k->line->answers;
    *kept = how;
    k->line->answers = kept;
    k->done(k->ctx, x);
    return OK;
}

/* An answer made of the copy, as the host would have sent it. `x`: what came instead, NULL when nothing was asked. */
static pap_result give_copy(struct line_call *k, const struct exchange *x, struct line_answer how)
{
    static const struct header type = {S_INIT("Content-Type"), S_INIT("application/json")};
    struct exchange *made = arena_new(k->arena, struct exchange);
    struct hop *hop = arena_new(k->arena, struct hop);
    if (!made || !hop)
        return (pap_result){PAP_NO_MEMORY};
    struct header *fields = arena_new(k->arena, struct header);
    if (!fields)
        return (pap_result){PAP_NO_MEMORY};
    *fields = type;
    *hop = (struct hop){.method = S("GET"),
                        .url = k->kept.url,
                        .status = k->kept.body.n ? 200 : 404,
                        .headers = fields,
                        .n_headers = 1,
                        .tls_version = x && exchange_last(x) ? exchange_last(x)->tls_version : S("")};
    *made = (struct exchange){.method = S("GET"),
                              .url = k->asked.url,
                              .final_url = k->kept.url,
                              .hops = hop,
                              .n_hops = 1,
                              .body = k->kept.body.p ? k->kept.body : S("")};
    how.validated = k->kept.validated;
    return finish(k, made, how);
}

pap_result line_give(struct line_call *k)
{
    static const char *const why = "no request is made offline, and it is not in the cache";
    if (k->what == LINE_KEPT)
        return give_copy(k, NULL, (struct line_answer){.from_cache = true, .stale = k->stale});
    struct exchange *x = arena_new(k->arena, struct exchange);
    if (!x)
        return (pap_result){PAP_NO_MEMORY};
    *x = (struct exchange){.method = S("GET"),
                           .url = k->asked.url,
                           .final_url = k->asked.url,
                           .fault = FAULT_REFUSED,
                           .fault_text = str_c(why)};
    return finish(k, x, (struct line_answer){.missed = true});
}

/* ---- taking ---- */

void line_forget(struct line *l, enum line_kind kind, struct pap_str url)
{
    struct line_call k = {.line = l, .kind = kind, .arena = l->arena, .asked = {.url = url}};
    if (!name_copy(&k))
        return;
    cache_document_delete(l->client->cache, url, k.scope);
    (void)pthread_mutex_lock(&l->client->lock);
    fresh_remove(&l->client->fresh, k.key);
    (void)pthread_mutex_unlock(&l->client->lock);
}

static bool is_confirmed(const struct line_call *k, const struct exchange *x)
{
    const struct origin *o = k->line->origin;
    const struct hop *h = exchange_last(x);
    return k->kind != LINE_LIST || !o->scope.p ||
           (hop_header_count(h, "Remote-Skills-Scope") == 1 && str_eq(hop_header(h, "Remote-Skills-Scope"), o->scope));
}

/* A host may put what it was sent into a validator; that does not go to the disk. */
static struct pap_str without_secrets(const struct line_call *k, struct pap_str s)
{
    const struct origin *o = k->line->origin;
    for (size_t i = 0; s.n && i < o->n_headers; i++)
        if (o->headers[i].value.n && str_find(s, o->headers[i].value) < s.n)
            return str(NULL, 0);
    return s;
}

static void note_fresh(struct line_call *k, const struct fresh_fields *f)
{
    struct pap_skill_client *c = k->line->client;
    int64_t until = fresh_until(f, k->asked_ms, client_now(c));
    (void)pthread_mutex_lock(&c->lock);
    fresh_put(&c->fresh, k->key, f, until);
    (void)pthread_mutex_unlock(&c->lock);
}

/* *d, in the place of the copy there was. */
static pap_result keep(struct line_call *k, const struct cache_document *d)
{
    struct pap_skill_client *c = k->line->client;
    return cache_document_put(c->cache, k->asked.url, k->scope, k->memory, client_now(c) / 1000, d, NULL);
}

static pap_result take_whole(struct line_call *k, const struct exchange *x)
{
    char joined[JOINED];
    const struct hop *h = exchange_last(x);
    struct fresh_fields f = fresh_fields_of(h, joined, sizeof joined);
    int64_t now = client_now(k->line->client) / 1000;
    struct line_answer how = {.validated = now, .unconfirmed = !is_confirmed(k, x)};
    bool absent = exchange_status(x) != 200;
    if (how.unconfirmed || fresh_no_store(&f) || (!absent && !x->body.n)) {
        line_forget(k->line, k->kind, k->asked.url);
        return finish(k, x, how);
    }
    struct cache_document d = {.url = x->final_url,
                               .etag = absent ? str(NULL, 0) : without_secrets(k, hop_header(h, "ETag")),
                               .last_modified =
                                   absent ? str(NULL, 0) : without_secrets(k, hop_header(h, "Last-Modified")),
                               .validated = now,
                               .body = absent ? S("") : x->body};
    TRY(keep(k, &d));
    if (!absent)
        note_fresh(k, &f);
    return finish(k, x, how);
}

static bool same_etag(struct pap_str a, struct pap_str b)
{
    a = str_starts(a, S("W/")) ? str_skip(a, 2) : a;
    b = str_starts(b, S("W/")) ? str_skip(b, 2) : b;
    return str_eq(a, b);
}

/* 304: the copy is still right. Its fields take the place of those that are known (R-HTTP-5). */
static pap_result take_confirmed(struct line_call *k, const struct exchange *x)
{
    char joined[JOINED];
    struct pap_skill_client *c = k->line->client;
    const struct hop *h = exchange_last(x);
    struct fresh_fields f = fresh_fields_of(h, joined, sizeof joined);
    struct pap_str etag = hop_header(h, "ETag");
    if (k->kept.etag.n && etag.n && !same_etag(etag, k->kept.etag) && k->first) {
        k->first = k->conditional = false; /* another one than we have */
        return line_send_again(k);
    }
    if (!is_confirmed(k, x)) {
        line_forget(k->line, k->kind, k->asked.url);
        return finish(k, x, (struct line_answer){.unconfirmed = true});
    }
    (void)pthread_mutex_lock(&c->lock);
    const struct fresh_record *r = fresh_find(&c->fresh, k->key);
    f.cache_control = f.cache_control.p || !r ? f.cache_control : r->fields.cache_control;
    f.expires = f.expires.p || !r ? f.expires : r->fields.expires;
    f.date = f.date.p || !r ? f.date : r->fields.date;
    int64_t until = fresh_until(&f, k->asked_ms, client_now(c));
    bool no_store = fresh_no_store(&f);
    fresh_put(&c->fresh, k->key, &f, until); /* from here on `f` may point at what is gone */
    (void)pthread_mutex_unlock(&c->lock);
    if (no_store)
        line_forget(k->line, k->kind, k->asked.url);
    k->kept.validated = client_now(c) / 1000;
    if (etag.n)
        k->kept.etag = without_secrets(k, etag);
    if (hop_header(h, "Last-Modified").n)
        k->kept.last_modified = without_secrets(k, hop_header(h, "Last-Modified"));
    if (!no_store)
        TRY(keep(k, &k->kept));
    return give_copy(k, x, (struct line_answer){0});
}

/* The copy instead of nothing, within the bound that the caller set (R-HTTP-11). */
static bool may_stand_in(const struct line_call *k, const struct exchange *x, bool transient)
{
    const struct origin *o = k->line->origin;
    int status = exchange_status(x);
    int64_t age = client_now(k->line->client) / 1000 - k->kept.validated;
    bool lost = transient || x->fault == FAULT_TLS || x->fault == FAULT_ENCODING ||
                (k->kind == LINE_LIST && x->fault == FAULT_NONE && status != 401 && status != 403);
    return lost && o->stale_s && k->have && k->kept.body.n && age >= 0 && age <= o->stale_s;
}

pap_result line_take(struct line_call *k, const struct exchange *x, bool transient)
{
    int status = exchange_status(x);
    if (k->kind == LINE_ARTIFACT || !str_is(str_c(k->asked.method), "GET"))
        return finish(k, x, (struct line_answer){0});
    bool whole = x->fault == FAULT_NONE && !x->body_cut;
    if (whole && (status == 200 || (k->kind == LINE_DOCUMENT && (status == 404 || status == 410))))
        return take_whole(k, x);
    if (x->fault == FAULT_NONE && status == 304 && k->conditional)
        return take_confirmed(k, x);
    if (may_stand_in(k, x, transient))
        return give_copy(k, x, (struct line_answer){.stale = true});
    return finish(k, x, (struct line_answer){0});
}

/* ---- told ---- */

const struct line_answer *line_answer_of(const struct line *l, struct pap_str url)
{
    for (const struct line_answer *a = l->answers; a; a = a->next)
        if (str_eq(a->url, url))
            return a;
    return NULL;
}

pap_result line_tell(const struct line *l, const struct exchange *x, const char *limit, struct pap_skill_err *err)
{
    const struct line_answer *how = line_answer_of(l, x->url);
    const struct origin *o = l->origin;
    pap_result r;
    if (how && how->missed) {
        r = refuse(err, SKILL_OFFLINE_MISS, "%.*s was not asked: %.*s", PSTR(str_take(x->url, LIMIT_QUOTE)),
                   PSTR(x->fault_text));
    } else if (how && how->unconfirmed) {
        r = refuse(err, SKILL_CATALOG_INVALID,
                   "%.*s does not confirm the scope %.*s: one Remote-Skills-Scope with exactly that value has to come "
                   "with the list",
                   PSTR(str_take(x->url, LIMIT_QUOTE)), PSTR(o->scope));
        err_set(err, SKILL_KEY_FIELD, S("remote-skills-scope"));
    } else {
        r = exchange_tell(x, limit, err);
    }
    err_set(err, SKILL_KEY_ORIGIN_ALIAS, o->label);
    if (o->scope.p)
        err_set(err, SKILL_KEY_SCOPE, o->scope);
    return r;
}
