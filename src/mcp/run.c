/* SPDX-License-Identifier: Apache-2.0
 *
 * pap_mcp(): what was asked for put together, then one of the transports.
 */
#include <papaver/mcp.h>
#include <stdio.h>

#include "mcp/http.h"
#include "mcp/lines.h"
#include "mcp/stock.h"
#include "net/server.h"
#include "sys/entropy.h"
#include "sys/watch.h"
#include "text/base64.h"

enum {
    THREADS = 4,
    GRACE_MS = 5000, /* for requests under way when a client closes its side; when a server is told to stop */
    STOP_MS = 1000,
    BEAT_MS = 15 * 1000,
    WORKERS = 2,
    CONNECTIONS = 256,
    TOKEN_BYTES = 32,
    HOSTS_MOST = 64
};

struct running {
    const struct pap_mcp_options *o;
    struct pap_skill_options skills;
    struct arena arena;
    struct stock *stock;
    struct mcp *mcp;
    struct mcp_http http;
};

static void tell(const struct running *r, enum pap_mcp_what what, const char *text)
{
    if (r->o->event)
        r->o->event(r->o->ctx, what, text);
}

static void on_trouble(void *ctx, const char *what, const struct pap_skill_err *err)
{
    char text[1400];
    (void)snprintf(text, sizeof text, "%s: %s", what, err->text);
    tell(ctx, PAP_MCP_NOT_LOADED, text);
}

/* ---- HTTP ---- */

static const char *make_token(struct running *r, struct pap_err *err)
{
    char bytes[TOKEN_BYTES];
    struct buf b;
    if (!is_ok(entropy_bytes(bytes, sizeof bytes, err)))
        return NULL;
    buf_init(&b, r->skills.alloc, 4 * TOKEN_BYTES);
    base64_add(&b, str(bytes, sizeof bytes));
    for (size_t i = 0; i < b.n; i++)
        b.p[i] = b.p[i] == '+' ? '-' : b.p[i] == '/' ? '_' : b.p[i];
    while (b.n && b.p[b.n - 1] == '=')
        b.n--;
    const char *token = buf_ok(&b) ? arena_cstr(&r->arena, buf_str(&b)) : NULL;
    buf_fini(&b);
    if (token)
        tell(r, PAP_MCP_TOKEN, token);
    else
        (void)fail_memory(err);
    return token;
}

/* What Host may say: where it listens, and the names of this machine where that is all it listens to. */
static pap_result fill_hosts(struct running *r, unsigned port, struct pap_err *err)
{
    static const char *const local[] = {"127.0.0.1", "localhost", "[::1]"};
    struct pap_str listen = str_c(r->o->listen), *hosts = arena_new_array(&r->arena, HOSTS_MOST, struct pap_str);
    size_t n = 0;
    if (!hosts)
        return fail_memory(err);
    hosts[n++] = arena_fmt(&r->arena, "%.*s:%u", (int)str_rfind_char(listen, ':'), listen.p, port);
    for (size_t i = 0; i < sizeof local / sizeof *local && server_is_local(listen); i++)
        hosts[n++] = arena_fmt(&r->arena, "%s:%u", local[i], port);
    for (const char *const *more = r->o->hosts; more && *more; more++) {
        if (n == HOSTS_MOST)
            return fail(err, PAP_USAGE, "more than %d hosts", HOSTS_MOST);
        hosts[n++] = str_c(*more);
    }
    for (size_t i = 0; i < n; i++)
        if (!hosts[i].p)
            return fail_memory(err);
    r->http.hosts = hosts;
    r->http.n_hosts = n;
    return OK;
}

static pap_result fill_origins(struct running *r, struct pap_err *err)
{
    size_t n = 0;
    while (r->o->allow_origins && r->o->allow_origins[n])
        n++;
    struct pap_str *origins = arena_new_array(&r->arena, n, struct pap_str);
    if (!origins)
        return fail_memory(err);
    for (size_t i = 0; i < n; i++)
        origins[i] = str_c(r->o->allow_origins[i]);
    r->http.origins = origins;
    r->http.n_origins = n;
    return OK;
}

static void wait_for_the_end(struct running *r, struct watch *watch)
{
    char command;
    for (;;)
        switch (watch_wait(watch, BEAT_MS, &command)) {
        case WATCH_TIME:
            mcp_http_beat(&r->http);
            break;
        case WATCH_COMMAND:
            if (command == 's')
                return;
            break;
        case WATCH_CHANGED:
            break;
        case WATCH_END:
            return;
        }
}

static pap_result serve_http(struct running *r, struct pap_err *err)
{
    const struct pap_mcp_options *o = r->o;
    struct tls_certificate certificate = {o->tls_cert, o->tls_key};
    struct server_listener listener = {.fd = -1, .tls = o->tls_cert != NULL};
    struct server_options so = {.site = {.handle = mcp_http_handle, .ctx = &r->http, .max_body = LIMIT_MCP_MESSAGE},
                                .listeners = &listener,
                                .n_listeners = 1,
                                .certificates = &certificate,
                                .n_certificates = o->tls_cert ? 1 : 0,
                                .workers = WORKERS,
                                .max_connections = CONNECTIONS,
                                .alloc = r->skills.alloc};
    struct watch watch = {.fd = -1};
    struct server *server;
    char url[300];
    TRY(server_listen(str_c(o->listen), &listener.fd, err)); /* what is open at a failure ends with the program */
    unsigned port = server_port(listener.fd);
    TRY(fill_hosts(r, port, err));
    TRY(fill_origins(r, err));
    TRY(watch_open(&watch, NULL, NULL, o->control, err));
    (void)snprintf(url, sizeof url, "%s://%.*s" MCP_PATH, o->tls_cert ? "https" : "http", PSTR(r->http.hosts[0]));
    const char *token = o->no_token ? "" : o->token ? o->token : make_token(r, err);
    if (!token)
        return (pap_result){PAP_IO};
    r->http.token = str_c(token);
    TRY(server_start(&so, &server, err));
    tell(r, PAP_MCP_LISTENING, url);
    wait_for_the_end(r, &watch);
    tell(r, PAP_MCP_STOPPING, "");
    mcp_stop(r->mcp, STOP_MS);
    server_stop(server, STOP_MS);
    watch_close(&watch);
    return OK;
}

/* ---- all together ---- */

static pap_result serve(struct running *r, struct pap_err *err)
{
    const struct pap_mcp_options *o = r->o;
    struct mcp_options mo = {.alloc = r->skills.alloc,
                             .skills = stock_skills(r->stock),
                             .threads = o->threads ? o->threads : THREADS,
                             .clock = &clock_system};
    bool standard = o->in == 0 && o->out == 0;
    TRY(mcp_new(&mo, &r->mcp, err));
    stock_serves(r->stock, r->mcp);
    r->http = (struct mcp_http){.alloc = r->skills.alloc, .mcp = r->mcp};
    mcp_http_init(&r->http);
    pap_result result = stock_load(r->stock, err);
    if (is_ok(result))
        result = o->listen ? serve_http(r, err)
                           : mcp_stdio(r->mcp, r->skills.alloc, o->in, standard ? 1 : o->out, GRACE_MS, err);
    mcp_stop(r->mcp, 0); /* where it failed to start */
    stock_load_end(r->stock);
    mcp_free(r->mcp);
    mcp_http_fini(&r->http);
    return result;
}

pap_result pap_mcp(const struct pap_mcp_options *options, struct pap_err *err)
{
    struct running r = {.o = options};
    TRY(pap_mcp_check(options, err));
    if (options->skills)
        r.skills = *options->skills;
    struct stock_options so = {.skills = &r.skills,
                               .origins = options->origins,
                               .n_origins = options->n_origins,
                               .load = options->load,
                               .clock = &clock_system,
                               .trouble = on_trouble,
                               .ctx = &r};
    TRY(stock_new(&so, &r.stock, err));
    arena_init(&r.arena, r.skills.alloc);
    pap_result result = serve(&r, err);
    stock_free(r.stock);
    arena_fini(&r.arena);
    return result;
}
