/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/http.h"

#include "net/later.h"
#include "text/httpval.h"

/* ---- where answers go ---- */

struct http_sink {
    struct mcp_sink sink; /* first */
    struct mcp_http *http;
    struct later *later;
    pthread_mutex_t lock; /* events and the answer come from different threads */
    bool streams;         /* the stream has begun */
    bool is_get;
    char session[SESSION_ID + 1]; /* one that was opened; "": none */
    struct header origin;         /* for a browser that may read it; name p NULL: none */
    char origin_text[256];
};

enum { FIELDS = 8 };

static const struct header no_store = {S_INIT("Cache-Control"), S_INIT("no-store")};

static size_t common_fields(struct header *ret, struct header origin)
{
    size_t n = 0;
    ret[n++] = no_store;
    ret[n++] = (struct header){S("X-Content-Type-Options"), S("nosniff")};
    if (origin.name.p) {
        ret[n++] = origin;
        ret[n++] = (struct header){S("Access-Control-Expose-Headers"), S("Mcp-Session-Id")};
    }
    return n;
}

static void begin_stream(struct http_sink *s)
{
    struct header fields[FIELDS];
    size_t n = common_fields(fields, s->origin);
    fields[n++] = (struct header){S("Content-Type"), S("text/event-stream")};
    fields[n++] = (struct header){S("X-Accel-Buffering"), S("no")};
    if (!s->streams)
        later_begin(s->later, 200, fields, n, true);
    s->streams = true;
}

/* One message; a line end cannot be in it. */
static bool put_event(struct http_sink *s, struct pap_str json)
{
    struct buf b;
    begin_stream(s);
    if (!json.n)
        return true;
    buf_init(&b, s->http->alloc, json.n + 64);
    buf_add(&b, S("event: message\ndata: "));
    buf_add(&b, json);
    buf_add(&b, S("\n\n"));
    bool fine = buf_ok(&b) && later_write(s->later, buf_str(&b)); /* at once: one chunk */
    buf_fini(&b);
    return fine;
}

static bool event(struct mcp_sink *sink, struct pap_str json)
{
    struct http_sink *s = (struct http_sink *)sink;
    if (sink->quiet)
        return false;
    (void)pthread_mutex_lock(&s->lock);
    bool fine = put_event(s, json);
    (void)pthread_mutex_unlock(&s->lock);
    return fine;
}

static void answer_whole(struct http_sink *s, int status, struct pap_str json)
{
    struct header fields[FIELDS];
    size_t n = common_fields(fields, s->origin);
    if (json.n)
        fields[n++] = (struct header){S("Content-Type"), S("application/json")};
    if (s->session[0])
        fields[n++] = (struct header){S("Mcp-Session-Id"), str_c(s->session)};
    later_begin(s->later, status, fields, n, false);
    (void)later_write(s->later, json);
}

static void finish(struct mcp_sink *sink, int status, struct pap_str json)
{
    struct http_sink *s = (struct http_sink *)sink;
    (void)pthread_mutex_lock(&s->lock);
    /* A request that was cancelled has no answer: that is an empty stream. */
    if (s->streams || (status == 200 && !json.n))
        (void)put_event(s, json);
    else
        answer_whole(s, status, json);
    later_end(s->later);
    (void)pthread_mutex_unlock(&s->lock);
    if (s->is_get)
        http_session_stream_ended(s->http, sink->client);
    (void)pthread_mutex_destroy(&s->lock);
    (void)alloc_resize(s->http->alloc, s, sizeof *s, 0);
}

static bool is_gone(struct mcp_sink *sink)
{
    return later_is_gone(((struct http_sink *)sink)->later);
}

static void opened(struct mcp_sink *sink)
{
    struct http_sink *s = (struct http_sink *)sink;
    if (!http_session_open(s->http, s->session))
        s->session[0] = '\0';
}

static void beat(struct mcp_sink *sink)
{
    struct http_sink *s = (struct http_sink *)sink;
    (void)later_write(s->later, S(":\n\n"));
}

void mcp_http_beat(struct mcp_http *h)
{
    mcp_heartbeat(h->mcp, beat);
}

static void no_beat(struct mcp_sink *sink)
{
    (void)sink;
}

/* ---- answers at once ---- */

static void answer(struct http_response *r, int status, struct header origin, const struct header *more, size_t n_more,
                   struct pap_str json)
{
    struct header *fields = arena_new_array(r->arena, FIELDS + n_more, struct header);
    r->status = fields ? status : 500;
    r->headers = fields;
    if (!fields)
        return;
    r->n_headers = common_fields(fields, origin);
    for (size_t i = 0; i < n_more; i++)
        fields[r->n_headers++] = more[i];
    if (json.n)
        fields[r->n_headers++] = (struct header){S("Content-Type"), S("application/json")};
    r->body = json;
}

#define REFUSAL_INIT(why) \
    S_INIT("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"" why "\"}}")
#define REFUSAL(code, why) S("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":" code ",\"message\":\"" why "\"}}")

/* ---- who may ask ---- */

/* Takes as long for a wrong token as for a right one. */
static bool token_is(struct pap_str given, struct pap_str token)
{
    unsigned char differs = given.n != token.n;
    for (size_t i = 0; i < token.n; i++)
        differs |= (unsigned char)(token.p[i] ^ (i < given.n ? given.p[i] : 0));
    return !differs;
}

static bool is_one_of(struct pap_str value, const struct pap_str *all, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq_nocase(value, all[i]))
            return true;
    return false;
}

static bool host_is_ours(const struct mcp_http *h, const struct http_request *q)
{
    return request_header_count(q, "Host") == 1 && is_one_of(request_header(q, "Host"), h->hosts, h->n_hosts) &&
           is_one_of(q->authority, h->hosts, h->n_hosts);
}

/* A browser says for whom it asks; another program does not. */
static bool origin_is_allowed(const struct mcp_http *h, const struct http_request *q)
{
    size_t n = request_header_count(q, "Origin");
    struct pap_str origin = request_header(q, "Origin");
    return n == 0 || (n == 1 && !str_is(origin, "null") && is_one_of(origin, h->origins, h->n_origins));
}

static bool path_is_ours(const struct mcp_http *h, const struct http_request *q)
{
    (void)h;
    return str_is(q->path, MCP_PATH);
}

static bool token_is_right(const struct mcp_http *h, const struct http_request *q)
{
    struct pap_str given = request_header(q, "Authorization");
    /* A browser's question whether it may ask has no token. */
    if (!h->token.n || str_is(q->method, "OPTIONS"))
        return true;
    return request_header_count(q, "Authorization") == 1 && given.n > 7 &&
           str_eq_nocase(str_take(given, 7), S("Bearer ")) && token_is(str_trim(str_skip(given, 7)), h->token);
}

static const struct header challenge[] = {{S_INIT("WWW-Authenticate"), S_INIT("Bearer realm=\"papaver\"")}};

/* In this order; the first that does not hold is the answer. To add one: a row and its function. */
static const struct guard {
    bool (*holds)(const struct mcp_http *h, const struct http_request *q);
    int status;
    const struct header *fields;
    size_t n_fields;
    struct pap_str json;
} guards[] = {
    {host_is_ours, 403, NULL, 0, REFUSAL_INIT("Host is not this server")},
    {origin_is_allowed, 403, NULL, 0, REFUSAL_INIT("this Origin is not allowed")},
    {path_is_ours, 404, NULL, 0, REFUSAL_INIT("the endpoint is " MCP_PATH)},
    {token_is_right, 401, challenge, 1, REFUSAL_INIT("a bearer token is needed")},
};

/* ---- requests ---- */

static bool accepts(const struct http_request *q, const char *type)
{
    struct pap_str wanted = str_c(type), family = str_take(wanted, str_find_char(wanted, '/'));
    for (size_t i = 0; i < q->n_headers; i++) {
        struct pap_str rest = q->headers[i].value, part, media, parameters;
        if (!str_eq_nocase(q->headers[i].name, S("Accept")))
            continue;
        while (str_next(&rest, ',', &part)) {
            if (!media_type_parse(part, &media, &parameters))
                continue;
            bool whole = str_eq_nocase(media, wanted), any = str_is(media, "*/*");
            bool in_family =
                media.n == family.n + 2 && str_ends(media, S("/*")) && str_eq_nocase(str_take(media, family.n), family);
            if (whole || any || in_family)
                return true;
        }
    }
    return false;
}

static struct http_sink *sink_new(struct mcp_http *h, struct header origin)
{
    struct http_sink *s = alloc_resize(h->alloc, NULL, 0, sizeof *s);
    if (!s)
        return NULL;
    memset(s, 0, sizeof *s);
    s->sink = (struct mcp_sink){
        .event = event, .finish = finish, .is_gone = is_gone, .opened = opened, .cancels = true, .client = 0};
    s->http = h;
    s->later = later_new(h->alloc);
    if (!s->later) {
        (void)alloc_resize(h->alloc, s, sizeof *s, 0);
        return NULL;
    }
    (void)pthread_mutex_init(&s->lock, NULL);
    if (origin.name.p && origin.value.n <= sizeof s->origin_text) {
        memcpy(s->origin_text, origin.value.p, origin.value.n);
        s->origin = (struct header){origin.name, str(s->origin_text, origin.value.n)};
    }
    return s;
}

/* The session's client; 0 without one. False: there was one, and is no more. */
static bool find_session(struct mcp_http *h, const struct http_request *q, bool modern, uint64_t *ret)
{
    struct pap_str id = request_header(q, "Mcp-Session-Id");
    *ret = id.p && !modern ? http_session_find(h, id) : 0;
    return modern || !id.p || *ret;
}

static void post(struct mcp_http *h, const struct http_request *q, struct header origin, struct http_response *r)
{
    struct mcp_fields fields = {request_header(q, "MCP-Protocol-Version"), request_header(q, "Mcp-Method"),
                                request_header(q, "Mcp-Name")};
    bool modern = mcp_version_is(fields.version, MCP_MODERN), stream = accepts(q, "text/event-stream");
    struct pap_str type = {0}, parameters;
    uint64_t client;
    if (!media_type_parse(request_header(q, "Content-Type"), &type, &parameters) ||
        !str_eq_nocase(type, S("application/json"))) {
        answer(r, 415, origin, NULL, 0, REFUSAL("-32600", "the Content-Type is application/json"));
        return;
    }
    if (!accepts(q, "application/json") || (!modern && !stream)) {
        answer(r, 406, origin, NULL, 0, REFUSAL("-32600", "Accept has to name application/json and text/event-stream"));
        return;
    }
    if (!find_session(h, q, modern, &client)) {
        answer(r, 404, origin, NULL, 0, REFUSAL("-32600", "there is no such session; begin with initialize"));
        return;
    }
    struct http_sink *s = sink_new(h, origin);
    if (!s) {
        answer(r, 503, origin, NULL, 0, REFUSAL("-32603", "out of memory"));
        return;
    }
    s->sink.client = client;
    s->sink.quiet = !stream;
    r->later = s->later;
    mcp_take(h->mcp, &s->sink, &fields, q->body);
}

/* The stream on which a legacy client hears what it did not ask for. */
static void get(struct mcp_http *h, const struct http_request *q, struct header origin, struct http_response *r)
{
    static const struct header allow[] = {{S_INIT("Allow"), S_INIT("POST")}};
    bool modern = mcp_version_is(request_header(q, "MCP-Protocol-Version"), MCP_MODERN);
    uint64_t client;
    bool found = find_session(h, q, modern, &client);
    if (!client) {
        answer(r, found ? 405 : 404, origin, allow, found ? 1 : 0,
               REFUSAL("-32600", "there is no session with a stream; POST is for messages"));
        return;
    }
    if (!accepts(q, "text/event-stream")) {
        answer(r, 406, origin, NULL, 0, REFUSAL("-32600", "Accept has to name text/event-stream"));
        return;
    }
    mcp_heartbeat(h->mcp, no_beat); /* a stream that broke is none */
    if (!http_session_stream(h, client)) {
        answer(r, 409, origin, NULL, 0, REFUSAL("-32600", "the session has a stream"));
        return;
    }
    struct http_sink *s = sink_new(h, origin);
    if (!s) {
        http_session_stream_ended(h, client);
        answer(r, 503, origin, NULL, 0, REFUSAL("-32603", "out of memory"));
        return;
    }
    s->is_get = true;
    s->sink.client = client;
    r->later = s->later;
    begin_stream(s);
    if (!mcp_listen(h->mcp, &s->sink))
        finish(&s->sink, 200, str(NULL, 0));
}

static void delete (struct mcp_http *h, const struct http_request *q, struct header origin, struct http_response *r)
{
    static const struct header allow[] = {{S_INIT("Allow"), S_INIT("POST")}};
    struct pap_str id = request_header(q, "Mcp-Session-Id");
    if (!id.p || mcp_version_is(request_header(q, "MCP-Protocol-Version"), MCP_MODERN))
        answer(r, 405, origin, allow, 1, REFUSAL("-32600", "there is no session to end"));
    else if (http_session_close(h, id))
        answer(r, 200, origin, NULL, 0, str(NULL, 0));
    else
        answer(r, 404, origin, NULL, 0, REFUSAL("-32600", "there is no such session"));
}

/* A browser asks whether a page may ask. */
static void preflight(struct mcp_http *h, const struct http_request *q, struct header origin, struct http_response *r)
{
    static const struct header fields[] = {
        {S_INIT("Access-Control-Allow-Methods"), S_INIT("POST, GET, DELETE")},
        {S_INIT("Access-Control-Allow-Headers"),
         S_INIT("Accept, Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id")},
        {S_INIT("Vary"), S_INIT("Origin")}};
    (void)h;
    (void)q;
    answer(r, 204, origin, fields, sizeof fields / sizeof *fields, str(NULL, 0));
}

static const struct {
    const char *name;
    void (*run)(struct mcp_http *h, const struct http_request *q, struct header origin, struct http_response *r);
} verbs[] = {{"POST", post}, {"GET", get}, {"DELETE", delete}, {"OPTIONS", preflight}};

void mcp_http_handle(void *http, const struct http_request *q, struct http_response *r)
{
    static const struct header allow[] = {{S_INIT("Allow"), S_INIT("POST, GET, DELETE, OPTIONS")}};
    struct mcp_http *h = http;
    struct header origin = {S("Access-Control-Allow-Origin"), request_header(q, "Origin")};
    if (!origin.value.p)
        origin.name.p = NULL;
    for (size_t i = 0; i < sizeof guards / sizeof *guards; i++)
        if (!guards[i].holds(h, q)) {
            bool may_read = i > 1; /* not a page that may not ask at all */
            answer(r, guards[i].status, may_read ? origin : (struct header){{0}, {0}}, guards[i].fields,
                   guards[i].n_fields, guards[i].json);
            return;
        }
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (str_is(q->method, verbs[i].name)) {
            verbs[i].run(h, q, origin, r);
            return;
        }
    answer(r, 405, origin, allow, 1, REFUSAL("-32600", "POST is for messages"));
}
