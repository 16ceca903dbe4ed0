/* SPDX-License-Identifier: Apache-2.0
 *
 * From a request to its response: method, file, coding, preconditions, ranges, in this order.
 */
#include "host/answer.h"

#include <assert.h>

#include "base/alloc.h"
#include "host/inside.h"

/* ---- without a representation ---- */

#define ORIGIN                                             \
    {                                                      \
        S_INIT("Access-Control-Allow-Origin"), S_INIT("*") \
    }
#define METHODS S_INIT("GET, HEAD, OPTIONS")
#define ERROR_FIELDS                                                                                             \
    {S_INIT("Content-Type"), S_INIT("application/json")}, {S_INIT("Cache-Control"), S_INIT("no-store")}, ORIGIN, \
    {                                                                                                            \
        S_INIT("X-Content-Type-Options"), S_INIT("nosniff")                                                      \
    }

static const struct header error_fields[] = {ERROR_FIELDS};
static const struct header method_fields[] = {ERROR_FIELDS, {S_INIT("Allow"), METHODS}};
/* What a browser asks before a request with a field of its own (Fetch, CORS-preflight); the answer is for all paths. */
static const struct header options_fields[] = {
    {S_INIT("Allow"), METHODS},
    ORIGIN,
    {S_INIT("Access-Control-Allow-Methods"), METHODS},
    {S_INIT("Access-Control-Allow-Headers"),
     S_INIT("Accept, Authorization, Cache-Control, If-Match, If-Modified-Since, If-None-Match, If-Range, "
            "If-Unmodified-Since, Range, Remote-Skills-Scope")},
    {S_INIT("Access-Control-Max-Age"), S_INIT("86400")},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void answer_error(struct http_response *ret, int status, struct pap_str body)
{
    ret->status = status;
    ret->headers = error_fields;
    ret->n_headers = COUNT(error_fields);
    ret->body = body;
}

static void answer_method(struct http_response *ret)
{
    answer_error(ret, 405, S("{\"error\": \"method_not_allowed\"}\n"));
    ret->headers = method_fields;
    ret->n_headers = COUNT(method_fields);
}

static void answer_options(struct http_response *ret)
{
    ret->status = 204;
    ret->headers = options_fields;
    ret->n_headers = COUNT(options_fields);
}

static void answer_no_memory(struct http_response *ret)
{
    answer_error(ret, 500, S("{\"error\": \"out_of_memory\"}\n"));
}

/* ---- with one ---- */

static void answer_fields(const struct representation *r, size_t from, int status, struct http_response *ret)
{
    ret->status = status;
    ret->headers = r->fields + from;
    ret->n_headers = r->n_fields - from;
}

/* Error fields and what a 416 says of the length (RFC 9110 section 15.5.17). */
static void answer_unsatisfiable(const struct representation *r, struct http_response *ret)
{
    struct header *fields = arena_new_array(ret->arena, COUNT(error_fields) + 1, struct header);
    struct pap_str length = arena_fmt(ret->arena, "bytes */%zu", r->bytes.n);
    if (!fields || !length.p) {
        answer_no_memory(ret);
        return;
    }
    answer_error(ret, 416, S("{\"error\": \"range_not_satisfiable\"}\n"));
    memcpy(fields, error_fields, sizeof error_fields);
    fields[COUNT(error_fields)] = (struct header){S("Content-Range"), length};
    ret->headers = fields;
    ret->n_headers = COUNT(error_fields) + 1;
}

/* A 206 with one field more than the representation has from `from` on. */
static bool answer_partial(const struct representation *r, size_t from, struct header more, struct http_response *ret)
{
    size_t n = r->n_fields - from;
    struct header *fields = arena_new_array(ret->arena, n + 1, struct header);
    if (!fields)
        return false;
    fields[0] = more;
    memcpy(fields + 1, r->fields + from, n * sizeof *fields);
    ret->status = 206;
    ret->headers = fields;
    ret->n_headers = n + 1;
    return true;
}

static struct pap_str range_text(struct arena *a, const struct representation *r, const struct byte_range *range)
{
    return arena_fmt(a, "bytes %llu-%llu/%zu", (unsigned long long)range->first,
                     (unsigned long long)(range->first + range->n - 1), r->bytes.n);
}

static void answer_range(const struct representation *r, const struct byte_range *range, struct http_response *ret)
{
    struct header more = {S("Content-Range"), range_text(ret->arena, r, range)};
    if (more.value.p && answer_partial(r, FIELD_CONTENT_TYPE, more, ret))
        ret->body = str(r->bytes.p + range->first, range->n);
    else
        answer_no_memory(ret);
}

/* The boundary holds the digest of the bytes, so that nobody can write bytes that hold their own boundary. */
static struct pap_str boundary_of(const struct representation *r)
{
    struct pap_str etag = r->validator.etag;
    assert(etag.n > 40);
    return str(etag.p + 8, 32);
}

/* The body of several parts is no bytes of the generation, and too long for an arena that ends before it is sent. */
struct parts {
    struct generation *g;
    size_t size;
    char body[];
};

static void parts_free(void *ctx)
{
    struct parts *p = ctx;
    struct generation *g = p->g;
    (void)alloc_resize(g->arena.alloc, p, p->size, 0);
    generation_drop(g);
}

static struct parts *parts_new(struct generation *g, size_t body)
{
    struct parts *p = alloc_resize(g->arena.alloc, NULL, 0, sizeof *p + body);
    if (p)
        *p = (struct parts){generation_keep(g), sizeof *p + body};
    return p;
}

static void answer_ranges(struct generation *g, const struct representation *r, const struct byte_range *ranges,
                          size_t n, struct http_response *ret)
{
    struct arena *a = ret->arena;
    struct pap_str boundary = boundary_of(r), heads[LIMIT_HOST_RANGES], type = r->fields[FIELD_CONTENT_TYPE].value;
    struct pap_str end = arena_fmt(a, "\r\n--%.*s--\r\n", PSTR(boundary));
    struct header more = {S("Content-Type"), arena_fmt(a, "multipart/byteranges; boundary=%.*s", PSTR(boundary))};
    size_t size = end.n;
    bool whole = end.p && more.value.p && answer_partial(r, FIELD_DESCRIBING, more, ret);
    for (size_t i = 0; i < n && whole; i++) {
        struct pap_str text = range_text(a, r, &ranges[i]);
        heads[i] = arena_fmt(a, "\r\n--%.*s\r\nContent-Type: %.*s\r\nContent-Range: %.*s\r\n\r\n", PSTR(boundary),
                             PSTR(type), PSTR(text));
        whole = text.p && heads[i].p;
        size += heads[i].n + ranges[i].n;
    }
    struct parts *parts = whole ? parts_new(g, size) : NULL;
    if (!parts) {
        answer_no_memory(ret);
        return;
    }
    char *at = parts->body;
    for (size_t i = 0; i < n; i++) {
        at = (char *)mempcpy(at, heads[i].p, heads[i].n);
        at = (char *)mempcpy(at, r->bytes.p + ranges[i].first, ranges[i].n);
    }
    memcpy(at, end.p, end.n);
    ret->body = str(parts->body, size);
    ret->release = parts_free;
    ret->release_ctx = parts;
}

static void answer_whole(const struct representation *r, const struct http_request *q, struct http_response *ret)
{
    answer_fields(r, str_is(q->method, "GET") ? FIELD_CONTENT_DIGEST : FIELD_CONTENT_TYPE, 200, ret);
    ret->body = r->bytes; /* the server leaves it out for HEAD */
}

static void answer_content(struct generation *g, const struct representation *r, const struct http_request *q,
                           struct http_response *ret)
{
    struct byte_range ranges[LIMIT_HOST_RANGES];
    size_t n = 0;
    enum range_verdict verdict = range_of(q, &r->validator, r->bytes.n, ranges, &n);
    if (verdict == RANGE_WHOLE)
        answer_whole(r, q, ret);
    else if (verdict == RANGE_UNSATISFIABLE)
        answer_unsatisfiable(r, ret);
    else if (n == 1)
        answer_range(r, ranges, ret);
    else
        answer_ranges(g, r, ranges, n, ret);
}

static void answer_representation(struct generation *g, const struct representation *r, const struct http_request *q,
                                  struct http_response *ret)
{
    enum condition condition = condition_of(q, &r->validator);
    if (condition == CONDITION_FAILED)
        answer_error(ret, 412, S("{\"error\": \"precondition_failed\"}\n"));
    else if (condition == CONDITION_NOT_MODIFIED)
        answer_fields(r, r->not_modified, 304, ret);
    else
        answer_content(g, r, q, ret);
}

/* The file as the request may see it; NULL: it is answered. */
static const struct host_file *scoped(struct generation *g, const struct host_file *f, const struct http_request *q,
                                      const enum verdict *told, struct http_response *ret)
{
    const struct asking x = {g, q, ret, told};
    return str_is(f->path, PATH_INDEX) ? scoped_index(g, f, &x) : scoped_file(g, f, &x);
}

void host_answer_told(struct generation *g, const struct http_request *q, const enum verdict *told,
                      struct http_response *ret)
{
    const struct host_file *f;
    if (str_is(q->method, "OPTIONS"))
        answer_options(ret);
    else if (!str_is(q->method, "GET") && !str_is(q->method, "HEAD"))
        answer_method(ret);
    else if (!(f = generation_find(g, q->path)) || (f->closed && !f->scopes))
        answer_error(ret, 404, S("{\"error\": \"not_found\"}\n"));
    else if (!g->access || (f = scoped(g, f, q, told, ret)))
        answer_representation(g, f->gzip.bytes.p && takes_gzip(q) ? &f->gzip : &f->plain, q, ret);
}

void host_answer(struct generation *g, const struct http_request *q, struct http_response *ret)
{
    host_answer_told(g, q, NULL, ret);
}
