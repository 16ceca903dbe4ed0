/* SPDX-License-Identifier: Apache-2.0 */
#include "net/inside.h"

enum { REDIRECT_BODY = 16 * 1024, KEPT = 256 * 1024 };

/* What never changes from hop to hop. Redirects are walked by us; nothing is read from the environment. */
static const struct {
    CURLoption option;
    long value;
} constants[] = {
    {CURLOPT_NOSIGNAL, 1},
    {CURLOPT_QUICK_EXIT, 1}, /* a DNS server that does not answer holds up nobody else: its thread is not waited for */
    {CURLOPT_NOPROGRESS, 1},
    {CURLOPT_FOLLOWLOCATION, 0},
    {CURLOPT_NETRC, CURL_NETRC_IGNORED},
    {CURLOPT_HTTPAUTH, CURLAUTH_NONE},
    {CURLOPT_DISALLOW_USERNAME_IN_URL, 1},
    {CURLOPT_PATH_AS_IS, 1}, /* what is recorded is what is sent */
    {CURLOPT_HTTP09_ALLOWED, 0},
    {CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS},
    {CURLOPT_PIPEWAIT, 1},              /* rather share a connection than open one more to the same host */
    {CURLOPT_HTTP_CONTENT_DECODING, 0}, /* coding.c is stricter */
    {CURLOPT_SUPPRESS_CONNECT_HEADERS, 1},
    {CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2},
    {CURLOPT_CONNECTTIMEOUT_MS, LIMIT_CONNECT_MS},
    {CURLOPT_LOW_SPEED_LIMIT, LIMIT_LOW_SPEED},
    {CURLOPT_LOW_SPEED_TIME, LIMIT_LOW_SPEED_S},
};

/* Whether what came of an event stream is all that is wanted of it: for a POST, the event with the answer. */
static bool is_all_of_stream(const struct transfer *t)
{
    const struct walk *w = t->walk;
    struct pap_str body = buf_str(&t->body);
    char *type = NULL;
    if (!w->request.message || w->hop->status != 200 ||
        t->client->api.easy_getinfo(t->easy, CURLINFO_CONTENT_TYPE, &type) != CURLE_OK || !type ||
        !str_eq_nocase(str_take(str_c(type), 17), S("text/event-stream")))
        return false;
    if (!str_is(w->x.method, "POST"))
        return true;
    return (str_ends(body, S("\n\n")) || str_ends(body, S("\r\n\r\n"))) &&
           (str_find(body, S("\"result\"")) < body.n || str_find(body, S("\"error\"")) < body.n);
}

/* The cap of a body that is not kept is known to the byte, and one that says it is larger is not begun. */
static size_t on_sunk_body(struct transfer *t, const char *p, size_t n)
{
    const struct request *r = &t->walk->request;
    curl_off_t whole = -1;
    if (!t->sunk)
        (void)t->client->api.easy_getinfo(t->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &whole);
    size_t room = whole > 0 && (uint64_t)whole > r->cap ? 0 : r->cap - (size_t)t->sunk;
    size_t take = walk_take(t->walk, room, n);
    t->sunk += take;
    t->enough = !r->sink(r->each_ctx, p, take);
    if (take == n && !t->enough)
        return n;
    t->stop = t->enough ? FAULT_NONE : take == room ? FAULT_TOO_LARGE : FAULT_BUDGET;
    return CURL_WRITEFUNC_ERROR;
}

/* Counts against the cap and the budget. A redirect's body is nobody's: of that, a little is read, so that the
 * connection stays usable. */
static size_t on_body(char *p, size_t size, size_t n, void *ctx)
{
    struct transfer *t = ctx;
    struct walk *w = t->walk;
    n *= size;
    if (w->request.sink && w->hop->status == 200)
        return on_sunk_body(t, p, n);
    size_t cap = w->request.cap + w->request.cap / 1024 + 1024; /* gzip may be that much larger than what it holds */
    bool redirect = walk_is_redirect(w);
    if (redirect && cap > REDIRECT_BODY)
        cap = REDIRECT_BODY;
    size_t room = cap - t->body.n, take = walk_take(w, room, n);
    buf_add(&t->body, str(p, take));
    if (take == n) {
        t->enough = is_all_of_stream(t);
        return buf_ok(&t->body) && !t->enough ? n : CURL_WRITEFUNC_ERROR;
    }
    t->enough = redirect;
    t->stop = redirect ? FAULT_NONE : take == room ? FAULT_TOO_LARGE : FAULT_BUDGET;
    return CURL_WRITEFUNC_ERROR;
}

/* "HTTP/1.1 200 OK" or "HTTP/2 200" begins a block; 100 to 199 are followed by another one. */
static int status_of(struct pap_str line)
{
    struct pap_str rest = str_skip(line, str_find_char(line, ' ') + 1);
    uint64_t v;
    return str_to_u64(str_take(rest, 3), &v) ? (int)v : 0;
}

static size_t on_head(char *p, size_t size, size_t n, void *ctx)
{
    struct transfer *t = ctx;
    struct pap_str line = str(p, n * size);
    t->head_bytes += line.n;
    if (t->head_bytes > LIMIT_HEADERS) {
        t->stop = FAULT_TOO_LARGE;
        return CURL_WRITEFUNC_ERROR;
    }
    if (t->head_over) /* trailers */
        return line.n;
    if (str_starts(line, S("HTTP/"))) {
        buf_reset(&t->head);
        t->head_fields = 0;
        t->walk->hop->status = status_of(line);
        tls_note(t);
    } else if (str_trim(line).n == 0) {
        t->head_over = t->walk->hop->status >= 200;
        t->enough = t->head_over && is_all_of_stream(t);
        if (t->enough)
            return CURL_WRITEFUNC_ERROR;
    } else if (t->head_fields++ < LIMIT_HEADER_FIELDS) {
        buf_add(&t->head, line);
    } else {
        t->stop = FAULT_TOO_LARGE;
        return CURL_WRITEFUNC_ERROR;
    }
    return buf_ok(&t->head) ? line.n : CURL_WRITEFUNC_ERROR;
}

/* Names given with --resolve go into the DNS cache, which all handles share, so that one needs to be told: the one made
 * first, which is also the first to start. A wildcard is a matter of each handle. */
static bool takes_names(const struct transfer *t)
{
    bool wildcard = false;
    for (const struct curl_slist *l = t->client->resolve; l && !wildcard; l = l->next)
        wildcard = l->data[0] == '*';
    return wildcard || !t->next_all;
}

static bool set_constants(struct transfer *t)
{
    const struct client *c = t->client;
    const struct client_options *o = &c->o;
    __typeof__(curl_easy_setopt) *set = c->api.easy_setopt;
    CURL *e = t->easy;
    bool ok = true;
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        ok &= set(e, constants[i].option, constants[i].value) == CURLE_OK;
    ok &= set(e, CURLOPT_PROTOCOLS_STR, o->insecure_http ? "https,http" : "https") == CURLE_OK;
    ok &= set(e, CURLOPT_USERAGENT, o->user_agent ? o->user_agent : "papaver/" PAP_VERSION) == CURLE_OK;
    /* Looking for old names costs each all the others; who sees a million of them keeps none. */
    ok &= set(e, CURLOPT_DNS_CACHE_TIMEOUT, o->forget_names ? 0L : -1L) == CURLE_OK;
    ok &= set(e, CURLOPT_PROXY, o->proxy ? o->proxy : "") == CURLE_OK;
    ok &= set(e, CURLOPT_NOPROXY, "") == CURLE_OK;
    /* A CApath, which Debian compiles in, turns the cache of parsed roots off: 20 times the CPU of a handshake. */
    ok &= set(e, CURLOPT_CAPATH, NULL) == CURLE_OK && set(e, CURLOPT_PROXY_CAPATH, NULL) == CURLE_OK;
    ok &= !o->cacert || set(e, CURLOPT_CAINFO, o->cacert) == CURLE_OK;
    /* Where each host is met once, nobody comes back for a session: keeping them is a tenth of a handshake's CPU. */
    ok &= (c->o.hosts ? set(e, CURLOPT_SSL_SESSIONID_CACHE, 0L) : set(e, CURLOPT_SHARE, c->share)) == CURLE_OK;
    ok &= !takes_names(t) || set(e, CURLOPT_RESOLVE, c->resolve) == CURLE_OK;
    ok &= set(e, CURLOPT_CONNECT_TO, c->connect_to) == CURLE_OK;
    ok &= set(e, CURLOPT_PRIVATE, t) == CURLE_OK;
    ok &= set(e, CURLOPT_ERRORBUFFER, t->error) == CURLE_OK;
    ok &= set(e, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK && set(e, CURLOPT_WRITEDATA, t) == CURLE_OK;
    ok &= set(e, CURLOPT_HEADERFUNCTION, on_head) == CURLE_OK && set(e, CURLOPT_HEADERDATA, t) == CURLE_OK;
    ok &= set(e, CURLOPT_OPENSOCKETFUNCTION, dial_socket) == CURLE_OK;
    ok &= set(e, CURLOPT_OPENSOCKETDATA, &t->dial) == CURLE_OK;
    return ok && certificate_watch(t);
}

pap_result transfer_new(struct client *c, struct transfer **ret, struct pap_err *err)
{
    struct transfer *t = alloc_resize(c->o.alloc, NULL, 0, sizeof *t);
    if (!t)
        return fail_memory(err);
    *t = (struct transfer){.client = c, .next_all = c->all};
    c->all = t;
    buf_init(&t->head, c->o.alloc, LIMIT_HEADERS);
    buf_init(&t->body, c->o.alloc, SIZE_MAX); /* the cap is the request's */
    buf_init(&t->plain, c->o.alloc, SIZE_MAX);
    t->easy = c->api.easy_init();
    if (!t->easy || !set_constants(t))
        return fail_memory(err);
    *ret = t;
    return OK;
}

void transfer_free(struct transfer *t)
{
    const struct curl_api *api = &t->client->api;
    if (t->walk)
        (void)api->multi_remove_handle(t->client->multi, t->easy);
    api->slist_free_all(t->fields);
    if (t->easy)
        api->easy_cleanup(t->easy);
    api->slist_free_all(t->pinned);
    certificate_drop(t);
    buf_fini(&t->head);
    buf_fini(&t->body);
    buf_fini(&t->plain);
    (void)alloc_resize(t->client->o.alloc, t, sizeof *t, 0);
}

static bool add_field(struct transfer *t, struct pap_str name, struct pap_str value)
{
    /* "Name;" is libcurl's way to send a field without a value. */
    struct pap_str line = value.n ? arena_fmt(t->walk->arena, "%.*s: %.*s", PSTR(name), PSTR(value))
                                  : arena_fmt(t->walk->arena, "%.*s;", PSTR(name));
    struct curl_slist *grown = line.p ? t->client->api.slist_append(t->fields, line.p) : NULL;
    if (!grown)
        return false;
    t->fields = grown;
    return true;
}

static bool add_fields(struct transfer *t)
{
    const struct walk *w = t->walk;
    const struct request *r = &w->request;
    bool ok = add_field(t, S("Accept"), r->accept ? str_c(r->accept) : S("*/*"));
    if (!r->identity)
        ok = ok && add_field(t, S("Accept-Encoding"), S("gzip"));
    if (str_is(w->x.method, "POST"))
        ok = ok && add_field(t, S("Content-Type"), r->content_type ? str_c(r->content_type) : S("application/json")) &&
             t->client->api.slist_append(t->fields, "Expect:") != NULL;
    for (size_t i = 0; w->same_origin && i < r->n_extra; i++)
        ok = ok && add_field(t, r->extra[i].name, r->extra[i].value);
    const struct header *more = NULL;
    size_t n_more = 0;
    ok = ok && (!r->fields || r->fields(r->each_ctx, w->arena, &w->uri, &more, &n_more));
    for (size_t i = 0; i < n_more; i++)
        ok = ok && add_field(t, more[i].name, more[i].value);
    return ok;
}

static bool set_method(struct transfer *t)
{
    const struct request *r = &t->walk->request;
    __typeof__(curl_easy_setopt) *set = t->client->api.easy_setopt;
    CURL *e = t->easy;
    struct pap_str m = t->walk->x.method;
    bool ok = set(e, CURLOPT_HTTPGET, 1L) == CURLE_OK;
    ok &= set(e, CURLOPT_CUSTOMREQUEST, str_is(m, "DELETE") ? "DELETE" : NULL) == CURLE_OK;
    if (str_is(m, "HEAD"))
        ok &= set(e, CURLOPT_NOBODY, 1L) == CURLE_OK;
    if (str_is(m, "POST"))
        ok &= set(e, CURLOPT_POST, 1L) == CURLE_OK &&
              set(e, CURLOPT_POSTFIELDS, r->body.p ? r->body.p : "") == CURLE_OK &&
              set(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.n) == CURLE_OK;
    return ok;
}

pap_result transfer_begin(struct transfer *t, struct walk *w, int64_t now_ms, struct pap_err *err)
{
    const struct client *c = t->client;
    int64_t left = w->budget->deadline_ms - now_ms;
    long timeout = left < (int64_t)c->o.timeout_ms ? (long)(left > 0 ? left : 1) : (long)c->o.timeout_ms;
    t->walk = w;
    t->head_bytes = t->head_fields = 0;
    t->sunk = 0;
    t->head_over = t->enough = false;
    t->stop = FAULT_NONE;
    t->tls_version = NULL;
    t->not_after = 0;
    t->error[0] = '\0';
    buf_reset(&t->head);
    buf_reset(&t->body);
    dial_begin(&t->dial, &c->o, &w->uri);
    w->hop_begun_ms = now_ms;
    if (!add_fields(t) || !set_method(t) || c->api.easy_setopt(t->easy, CURLOPT_URL, w->hop->url.p) != CURLE_OK ||
        c->api.easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->fields) != CURLE_OK ||
        c->api.easy_setopt(t->easy, CURLOPT_TIMEOUT_MS, timeout) != CURLE_OK ||
        c->api.multi_add_handle(c->multi, t->easy) != CURLM_OK) {
        t->walk = NULL;
        return fail_memory(err);
    }
    return OK;
}

static bool note_address(struct transfer *t)
{
    char *ip = NULL;
    if (t->client->api.easy_getinfo(t->easy, CURLINFO_PRIMARY_IP, &ip) != CURLE_OK || !ip || !*ip)
        return true;
    t->walk->hop->address = arena_str(t->walk->arena, str_c(ip));
    return t->walk->hop->address.p != NULL;
}

/* A buffer that one large answer has grown goes back; an ordinary one is used again. */
static void shrink(struct buf *b)
{
    if (b->cap > KEPT)
        buf_fini(b);
    buf_reset(b);
}

static pap_result record(struct transfer *t, CURLcode code, int64_t now_ms, struct pap_err *err)
{
    struct walk *w = t->walk;
    struct hop *h = w->hop;
    if (!buf_ok(&t->head) || !buf_ok(&t->body) || !note_address(t) || !head_read(t))
        return fail_memory(err);
    if (h->status < 200) /* nothing but "wait" came */
        h->status = 0;
    h->ms = (uint32_t)(now_ms - w->hop_begun_ms);
    h->tls_version = str_c(t->tls_version);
    h->not_after = t->not_after;
    bool whole = code == CURLE_OK || t->enough;
    const char *lacks = !h->status ? "sent no status that ends an exchange"
                        : !t->head_over
                            ? "closed the connection before the head of its answer was whole" /* libcurl takes it */
                            : NULL;
    if (!whole)
        TRY(transfer_fault(t, code, now_ms, err));
    else if (lacks && !walk_fault(w, FAULT_PROTOCOL, "%.*s %s", PSTR(w->uri.host), lacks))
        return fail_memory(err);
    w->x.body = str(NULL, 0);
    w->x.body_cut = !whole || t->enough;
    return !t->head_over || body_read(t, whole) ? OK : fail_memory(err);
}

pap_result transfer_end(struct transfer *t, CURLcode code, int64_t now_ms, struct pap_err *err)
{
    const struct curl_api *api = &t->client->api;
    (void)api->multi_remove_handle(t->client->multi, t->easy);
    pap_result r = record(t, code, now_ms, err);
    api->slist_free_all(t->fields);
    certificate_drop(t);
    t->fields = NULL;
    t->walk = NULL;
    shrink(&t->body);
    shrink(&t->plain);
    return r;
}
