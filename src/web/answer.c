/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers: header fields, ETags, redirects, refusals.
 */
#include <assert.h>

#include "crypto/digest.h"
#include "host/condition.h"
#include "web/inside.h"
#include "web/name.h"
#include "web/problem.h"

void asked_field(struct asked *k, const char *name, struct pap_str value)
{
    assert(k->n_fields < FIELDS_OWN);
    k->fields[k->n_fields++] = (struct header){str_c(name), value};
}

/* The body belongs to the answer until it was sent. */
struct held {
    struct buf body;
};

static void let_go(void *ctx)
{
    struct held *h = ctx;
    const struct pap_alloc *alloc = h->body.alloc;
    buf_fini(&h->body);
    (void)alloc_resize(alloc, h, sizeof *h, 0);
}

static void put_fields(struct asked *k, int status)
{
    struct header *own = arena_new_array(k->arena, k->n_fields, struct header);
    k->ret->status = own ? status : 500;
    if (!own)
        return;
    memcpy(own, k->fields, k->n_fields * sizeof *own);
    k->ret->headers = own;
    k->ret->n_headers = k->n_fields;
}

static void common_fields(struct asked *k, const char *cache)
{
    asked_field(k, "Cache-Control", str_c(cache));
    asked_field(k, "X-Content-Type-Options", S("nosniff"));
    asked_field(k, "Referrer-Policy", S("no-referrer"));
    asked_field(k, "Cross-Origin-Opener-Policy", S("same-origin"));
    if (str_starts(str_c(k->web->o.origin), S("https:")))
        asked_field(k, "Strict-Transport-Security", S("max-age=31536000"));
    if (k->route && k->route->kind != ROUTE_PAGE)
        asked_field(k, "Access-Control-Allow-Origin", S("*"));
}

static struct pap_str tag_of_bytes(struct asked *k)
{
    struct pap_str body = buf_str(&k->out);
    struct digest d;
    char text[DIGEST_TEXT + 1];
    if (!is_ok(digest_sha256(&body, 1, &d, NULL)))
        return S("");
    digest_text(&d, text);
    return arena_fmt(k->arena, "\"%.32s\"", text + 7);
}

bool asked_has(struct asked *k, struct pap_str etag, const char *cache)
{
    const struct validator v = {.etag = etag};
    if (!etag.n || condition_of(k->q, &v) != CONDITION_NOT_MODIFIED)
        return false;
    k->n_fields = 0;
    common_fields(k, cache);
    asked_field(k, "ETag", etag);
    put_fields(k, 304);
    return true;
}

void asked_send(struct asked *k, int status, const char *type, const char *cache, struct pap_str etag)
{
    if (!buf_ok(&k->out)) {
        asked_no_memory(k);
        return;
    }
    if (!etag.p && status == 200 && str_is(k->q->method, "POST"))
        etag = S("");
    if (!etag.p && status == 200)
        etag = tag_of_bytes(k);
    if (status == 200 && etag.n && asked_has(k, etag, cache))
        return;
    struct held *h = alloc_resize(k->web->o.alloc, NULL, 0, sizeof *h);
    if (!h || (status == 200 && !etag.p)) {
        (void)alloc_resize(k->web->o.alloc, h, sizeof *h, 0);
        asked_no_memory(k);
        return;
    }
    common_fields(k, cache);
    asked_field(k, "Content-Type", str_c(type));
    if (status == 200 && etag.n)
        asked_field(k, "ETag", etag);
    *h = (struct held){k->out};
    buf_init(&k->out, k->web->o.alloc, LIMIT_WEB_PAGE);
    k->ret->body = buf_str(&h->body);
    k->ret->release = let_go;
    k->ret->release_ctx = h;
    put_fields(k, status);
}

void asked_page(struct asked *k, int status, const char *cache, struct pap_str etag)
{
    shell_close(k);
    asked_field(k, "Content-Security-Policy",
                S("default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
                  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"));
    asked_send(k, status, "text/html; charset=utf-8", cache, etag);
}

void asked_redirect(struct asked *k, int status, struct pap_str to)
{
    if (!to.p) {
        asked_no_memory(k);
        return;
    }
    asked_field(k, "Location", to);
    common_fields(k, CACHE_NEVER);
    put_fields(k, status);
}

void asked_no_memory(struct asked *k)
{
    k->ret->status = 503;
    k->ret->n_headers = 0;
    k->ret->body = S("");
}

static void fail_api(struct asked *k, int status, const char *title, struct pap_str sentence)
{
    write_problem(&k->out, status, title, sentence);
    asked_send(k, status, "application/problem+json", CACHE_NEVER, S(""));
}

void asked_fail(struct asked *k, int status, const char *title, struct pap_str sentence)
{
    struct pap_str kept = arena_str(k->arena, sentence); /* it may lie in what is thrown away here */
    if (!kept.p) {
        asked_no_memory(k);
        return;
    }
    buf_reset(&k->out);
    if (k->route && k->route->kind != ROUTE_PAGE) {
        fail_api(k, status, title, kept);
        return;
    }
    shell_open(k, &(struct page){.title = str_c(title), .hidden = true});
    html(k, "<h1>");
    words(k, str_c(title));
    html(k, "</h1>\n<p class=\"lead\">");
    words(k, kept);
    html(k, "</p>\n");
    domain_form(k, S(""));
    asked_page(k, status, CACHE_NEVER, S(""));
}

bool asked_name(struct asked *k, struct pap_str *ret)
{
    struct pap_err err = {.text = ""};
    struct pap_str name = S("");
    pap_result r = web_name(k->arena, k->part[0], k->web->o.loopback, &name, &err);
    if (r.code == PAP_USAGE)
        asked_fail(k, 400, "That is not a domain to check", str_c(err.text));
    else if (!is_ok(r))
        asked_no_memory(k);
    *ret = name;
    return is_ok(r);
}

struct pap_str asked_query(struct asked *k, const char *name)
{
    struct pap_str v = form_value(k->arena, k->q->query, name);
    return v.p ? v : S("");
}
