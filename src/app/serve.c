/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver serve: the server of net with the host behind it. The workers answer; this thread waits for changes and commands.
 */
#include <stdio.h>

#include "app/access_log.h"
#include "app/admin.h"
#include "app/devtls.h"
#include "app/source.h"
#include "sys/file.h"
#include "sys/stage.h"
#include "sys/watch.h"

enum {
    LISTENERS_MOST = 16,
    SETTLE_MS = 100,      /* a change is looked at when nothing more happens for so long ... */
    SETTLE_MOST = 20,     /* ... or after so many times */
    LOOK_MS = 2000,       /* how often the certificate's files are looked at */
    LOG_LINE = 64 * 1024, /* bytes of a line: a target is shorter, even escaped */
};

struct serving {
    const struct pap_serve_options *o;
    struct source source;
    struct host host;
    struct server *server, *admin_server;
    struct admin admin;
    struct watch watch;
    struct tls_certificate certificate;
    int64_t cert_time, key_time;
    struct devtls dev;
    int64_t dev_looked; /* when it was last seen to that it is valid */
};

static void tell(const struct serving *s, enum pap_serve_what what, const char *text)
{
    if (s->o->event)
        s->o->event(s->o->ctx, what, text);
}

/* ---- called by the workers ---- */

static void handle(void *ctx, const struct http_request *q, struct http_response *ret)
{
    struct serving *s = ctx;
    host_handle(&s->host, q, ret);
    atomic_fetch_add_explicit(&s->admin.statuses[ret->status / 100], 1, memory_order_relaxed);
}

static void note_access(void *ctx, const struct http_access *a)
{
    const struct serving *s = ctx;
    struct buf line;
    buf_init(&line, s->o->alloc, LOG_LINE);
    (s->o->log == PAP_SERVE_LOG_JSON ? access_log_json : access_log_common)(&line, a);
    if (buf_ok(&line))
        s->o->access(s->o->ctx, line.p, line.n);
    buf_fini(&line);
}

/* ---- trees ---- */

static void tell_loaded(const struct serving *s, const struct generation *g)
{
    char text[128];
    (void)snprintf(text, sizeof text, "%zu skills, %zu files", generation_skills(g), generation_count(g));
    tell(s, PAP_SERVE_LOADED, text);
}

static void reload(struct serving *s)
{
    struct generation *next;
    struct pap_err err = {.text = ""};
    if (!is_ok(source_load(&s->source, &next, &err))) {
        atomic_fetch_add(&s->admin.refusals, 1);
        atomic_store(&s->admin.stale, true);
        tell(s, PAP_SERVE_KEPT, err.text);
        return;
    }
    atomic_store(&s->admin.stale, false);
    if (generation_same(next, s->host.now)) { /* only this thread changes it */
        generation_drop(next);
        return;
    }
    atomic_fetch_add(&s->admin.reloads, 1);
    atomic_store(&s->admin.loaded, clock_system.unix_seconds(&clock_system));
    tell_loaded(s, next);
    host_swap(&s->host, next);
}

/* ---- the certificate ---- */

static void see_certificate(struct serving *s, int64_t *ret_cert, int64_t *ret_key)
{
    *ret_cert = *ret_key = 0;
    if (s->o->tls_cert && s->o->tls_key) {
        (void)file_modified(s->o->tls_cert, ret_cert);
        (void)file_modified(s->o->tls_key, ret_key);
    }
}

static void certify(struct serving *s, bool always)
{
    int64_t cert, key;
    struct pap_err err = {.text = ""};
    if (!s->o->tls_cert)
        return;
    see_certificate(s, &cert, &key);
    if (!always && cert == s->cert_time && key == s->key_time)
        return;
    s->cert_time = cert;
    s->key_time = key;
    if (is_ok(server_certify(s->server, &s->certificate, 1, &err)))
        tell(s, PAP_SERVE_CERTIFIED, s->o->tls_cert);
    else
        tell(s, PAP_SERVE_UNCERTIFIED, err.text);
}

/* The certificate of dev_tls, made where it has to be. A server that runs for weeks comes here again each hour. */
static pap_result ready_dev(struct serving *s, struct pap_err *err)
{
    const struct pap_serve_options *o = s->o;
    int64_t now = clock_system.unix_seconds(&clock_system);
    if (!o->dev_tls || now - s->dev_looked < 3600)
        return OK;
    TRY(devtls_ready(o->state, o->dev_hosts, now, o->alloc, &s->dev, err));
    if (s->dev_looked && s->dev.is_new)
        tell(s, PAP_SERVE_TRUST, s->dev.authority);
    s->dev_looked = now;
    return OK;
}

/* ---- start ---- */

static bool is_loopback(const char *address)
{
    return str_starts(str_c(address), S("127.")) || str_starts(str_c(address), S("[::1]:"));
}

static void tell_listening(const struct serving *s, const char *address, unsigned port)
{
    char text[300];
    const char *scheme = s->o->tls_cert ? "https" : "http";
    size_t colon = address ? str_rfind_char(str_c(address), ':') : 0;
    if (address)
        (void)snprintf(text, sizeof text, "%s://%.*s:%u/", scheme, (int)colon, address, port);
    else
        (void)snprintf(text, sizeof text, "a socket that was given, %s, port %u", scheme, port);
    tell(s, PAP_SERVE_LISTENING, text);
}

static pap_result too_open(const char *what, struct pap_err *err)
{
    return fail(err, PAP_USAGE, "%s: without TLS only this machine is served; give a certificate, or allow plain http",
                what);
}

/* The addresses, NULL for a socket that was given, in the order of the listeners. */
static pap_result listen_all(const struct serving *s, struct server_listener *ret, const char **ret_addresses,
                             size_t *n, struct pap_err *err)
{
    static const char *const usual[] = {"127.0.0.1:8080", NULL};
    const char *const *listen = s->o->listen ? s->o->listen : s->o->n_sockets ? usual + 1 : usual;
    bool tls = s->o->tls_cert != NULL, open = tls || s->o->plain_http;
    for (size_t i = 0; i < s->o->n_sockets; i++) {
        if (!open)
            return too_open("a socket that was given", err);
        if (*n == LISTENERS_MOST)
            return fail(err, PAP_USAGE, "more than %d sockets", LISTENERS_MOST);
        ret_addresses[*n] = NULL;
        ret[(*n)++] = (struct server_listener){s->o->sockets[i], tls};
    }
    for (; *listen; listen++) {
        if (!open && !is_loopback(*listen))
            return too_open(*listen, err);
        if (*n == LISTENERS_MOST)
            return fail(err, PAP_USAGE, "more than %d addresses", LISTENERS_MOST);
        TRY(server_listen(str_c(*listen), &ret[*n].fd, err));
        ret_addresses[*n] = *listen;
        ret[(*n)++].tls = tls;
    }
    return OK;
}

static pap_result start(struct serving *s, struct pap_err *err)
{
    const struct pap_serve_options *o = s->o;
    struct server_listener listeners[LISTENERS_MOST];
    const char *addresses[LISTENERS_MOST];
    unsigned ports[LISTENERS_MOST];
    size_t n = 0;
    struct server_options so = {
        .site = {.handle = handle, .access = o->access ? note_access : NULL, .ctx = s},
        .listeners = listeners,
        .certificates = &s->certificate,
        .n_certificates = o->tls_cert ? 1 : 0,
        .workers = o->workers ? o->workers : cores(),
        .max_connections = o->max_connections,
        .max_per_address = o->max_per_address,
        .idle_ms = o->idle_ms,
        .head_ms = o->head_ms,
        .send_ms = o->send_ms,
        .alloc = o->alloc,
    };
    if ((o->tls_cert == NULL) != (o->tls_key == NULL))
        return fail(err, PAP_USAGE, "a certificate needs its key, and a key its certificate");
    TRY(listen_all(s, listeners, addresses, &n, err)); /* what it opened before a failure ends with the program */
    so.n_listeners = n;
    for (size_t i = 0; i < n; i++)
        ports[i] = server_port(listeners[i].fd);
    see_certificate(s, &s->cert_time, &s->key_time);
    TRY(server_start(&so, &s->server, err));
    for (size_t i = 0; i < n; i++)
        tell_listening(s, addresses[i], ports[i]);
    if (s->o->dev_tls)
        tell(s, PAP_SERVE_TRUST, s->dev.authority);
    return OK;
}

/* ---- until it is told to stop ---- */

/* Files come one after the other: waits until no more do. True: stop. */
static bool settle(struct serving *s)
{
    char command;
    for (unsigned i = 0; i < SETTLE_MOST; i++)
        switch (watch_wait(&s->watch, SETTLE_MS, &command)) {
        case WATCH_TIME:
            return false;
        case WATCH_CHANGED:
            break;
        case WATCH_COMMAND:
            if (command == 's')
                return true;
            break;
        case WATCH_END:
            return true;
        }
    return false;
}

static void run(struct serving *s)
{
    for (;;) {
        char command = 0;
        struct pap_err err = {.text = ""};
        switch (watch_wait(&s->watch, LOOK_MS, &command)) {
        case WATCH_TIME:
            if (!is_ok(ready_dev(s, &err)))
                tell(s, PAP_SERVE_UNCERTIFIED, err.text);
            certify(s, false);
            break;
        case WATCH_CHANGED:
            if (settle(s))
                return;
            reload(s);
            break;
        case WATCH_COMMAND:
            if (command == 's')
                return;
            certify(s, true);
            reload(s);
            break;
        case WATCH_END:
            return;
        }
    }
}

/* A server of its own, so that it answers when the other has no room left. */
static pap_result start_admin(struct serving *s, struct pap_err *err)
{
    struct server_listener listener = {.fd = -1};
    struct server_options so = {
        .site = {.handle = admin_handle, .ctx = &s->admin},
        .listeners = &listener,
        .n_listeners = 1,
        .workers = 1,
        .max_connections = 64,
        .alloc = s->o->alloc,
    };
    if (!s->o->admin)
        return OK;
    if (!s->o->plain_http && !is_loopback(s->o->admin))
        return fail(err, PAP_USAGE, "%s: the address for operators is one of this machine, or allow plain http",
                    s->o->admin);
    TRY(server_listen(str_c(s->o->admin), &listener.fd, err));
    unsigned port = server_port(listener.fd);
    TRY(server_start(&so, &s->admin_server, err));
    char text[300];
    (void)snprintf(text, sizeof text, "http://%.*s:%u/-/", (int)str_rfind_char(str_c(s->o->admin), ':'), s->o->admin,
                   port);
    tell(s, PAP_SERVE_LISTENING, text);
    return OK;
}

static void stop(struct serving *s)
{
    tell(s, PAP_SERVE_STOPPING, "");
    if (s->admin_server)
        server_stop(s->admin_server, 1000);
    server_stop(s->server, s->o->drain_ms ? s->o->drain_ms : 10000);
}

static pap_result serve(struct serving *s, struct pap_err *err)
{
    struct generation *first;
    const char *folder = s->o->no_watch ? NULL : s->source.folder;
    /* Watched before it is read, so that no change falls between. */
    TRY(watch_open(&s->watch, folder, source_watched(&s->source), s->o->control, err));
    TRY(source_load(&s->source, &first, err));
    host_init(&s->host, first);
    s->admin.host = &s->host;
    atomic_store(&s->admin.loaded, clock_system.unix_seconds(&clock_system));
    pap_result r = start(s, err);
    if (is_ok(r)) {
        atomic_store(&s->admin.site, s->server);
        r = start_admin(s, err);
        if (is_ok(r)) {
            tell_loaded(s, first);
            run(s);
        }
        stop(s);
    }
    host_fini(&s->host);
    return r;
}

pap_result pap_serve(const struct pap_serve_options *options, struct pap_err *err)
{
    struct pap_serve_options o = *options;
    struct serving s = {.o = &o, .watch = {.fd = -1}};
    if (o.dev_tls && (o.tls_cert || o.tls_key || !o.state))
        return fail(err, PAP_USAGE, "%s",
                    o.state ? "a throw-away certificate, or one that is given: not both"
                            : "there is no folder where a throw-away certificate could be kept");
    TRY(ready_dev(&s, err));
    if (o.dev_tls)
        o.tls_cert = o.tls_key = s.dev.leaf;
    source_init(&s.source, &o);
    s.certificate = (struct tls_certificate){o.tls_cert, o.tls_key};
    pap_result r = serve(&s, err);
    watch_close(&s.watch);
    return r;
}
