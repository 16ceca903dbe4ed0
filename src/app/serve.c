/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver serve: the server of net with the host behind it. The workers answer; this thread waits for changes and commands.
 */
#include <stdio.h>

#include "app/access_log.h"
#include "app/admin.h"
#include "app/certify.h"
#include "app/devtls.h"
#include "app/listen.h"
#include "app/log.h"
#include "app/sites.h"
#include "host/token.h"
#include "sys/stage.h"
#include "sys/watch.h"

enum {
    SETTLE_MS = 100,         /* a change is looked at when nothing more happens for so long ... */
    SETTLE_MOST = 20,        /* ... or after so many times */
    LOOK_MS = WATCH_LOOK_MS, /* how often the certificates' files are looked at */
    LOG_LEAST_MS = 100,      /* what the log gets when requests were given all of the time to drain ... */
    LOG_MOST_MS = 2000,      /* ... and when nobody reads it */
};

struct serving {
    const struct pap_serve_options *o;
    struct sites sites;
    struct asker *asker; /* NULL: nobody has to be asked */
    struct server *server, *admin_server;
    struct admin admin;
    struct log *log; /* NULL: nobody reads it */
    struct certify certify;
    struct devtls dev;
    int64_t dev_looked; /* when it was last seen to that it is valid */
    int64_t looked;     /* when certificates were last seen to, monotonic milliseconds */
};

static void tell(const struct serving *s, enum pap_serve_what what, const char *text)
{
    if (s->o->event)
        s->o->event(s->o->ctx, what, text);
}

/* ---- called by the workers ---- */

static void count(void *ctx, int status)
{
    struct serving *s = ctx;
    atomic_fetch_add_explicit(&s->admin.statuses[status / 100], 1, memory_order_relaxed);
}

/* RFC 9110 section 15.5.20: a name that is nobody's here, or not the one that TLS was asked for. */
static void misdirect(struct http_response *ret)
{
    static const struct header fields[] = {{S_INIT("Content-Type"), S_INIT("application/json")},
                                           {S_INIT("Cache-Control"), S_INIT("no-store")},
                                           {S_INIT("X-Content-Type-Options"), S_INIT("nosniff")}};
    ret->status = 421;
    ret->headers = fields;
    ret->n_headers = sizeof fields / sizeof fields[0];
    ret->body = S("{\"error\": \"misdirected_request\"}\n");
}

static void handle(void *ctx, const struct http_request *q, struct http_response *ret)
{
    struct serving *s = ctx;
    struct site *site = s->sites.n_names ? sites_choose(&s->sites, q) : s->sites.at;
    if (site)
        host_handle(&site->host, q, ret);
    else
        misdirect(ret);
    if (!ret->later)
        count(s, ret->status);
}

static const void *named(void *ctx, struct pap_str name)
{
    struct serving *s = ctx;
    return sites_named(&s->sites, name);
}

static void note_access(void *ctx, const struct http_access *a)
{
    const struct serving *s = ctx;
    log_add(s->log, a);
}

/* ---- trees ---- */

/* What happened to a site; which one, where there are several. */
static void tell_site(const struct serving *s, const struct site *site, enum pap_serve_what what, const char *text)
{
    char named[sizeof((struct pap_err *)0)->text + 300];
    (void)snprintf(named, sizeof named, "%s: %s", s->sites.n_names ? site->o->domain : "", text);
    tell(s, what, s->sites.n_names ? named : text);
}

static void tell_loaded(const struct serving *s, const struct site *site, const struct generation *g)
{
    char text[256];
    size_t skills = generation_skills(g), files = generation_count(g);
    bool any = generation_find(g, S("/.well-known/agent-skills/index.json")) ||
               generation_find(g, S("/.well-known/poppy.json"));
    (void)snprintf(
        text, sizeof text, "%zu skill%s, %zu file%s%s", skills, str_plural(skills), files, str_plural(files),
        any ? "" : ": there is neither an index of skills (/.well-known/agent-skills/index.json) nor a poppy.json");
    tell_site(s, site, PAP_SERVE_LOADED, text);
}

/* The next generation. A change that was only seen, not announced by a command, may be half of one. */
static pap_result load_next(const struct site *site, bool announced, struct generation **ret, struct pap_err *err)
{
    TRY(source_load(&site->source, site->host.now, ret, err)); /* only this thread changes it */
    const char *lost = announced ? NULL : generation_lost(*ret, site->host.now);
    if (!lost)
        return OK;
    generation_drop(*ret);
    return fail(err, PAP_SYNTAX, "%s gone, as if a change was under way; if it is meant, SIGHUP takes it as it is",
                lost);
}

static void reload(struct serving *s, struct site *site, bool announced)
{
    struct generation *next;
    struct pap_err err = {.text = ""};
    if (!is_ok(load_next(site, announced, &next, &err))) {
        atomic_fetch_add(&site->refusals, 1);
        atomic_store(&site->stale, true);
        tell_site(s, site, PAP_SERVE_KEPT, err.text);
        return;
    }
    atomic_store(&site->stale, false);
    if (generation_same(next, site->host.now)) {
        generation_drop(next);
        return;
    }
    atomic_fetch_add(&site->reloads, 1);
    atomic_store(&site->loaded, clock_system.unix_seconds(&clock_system));
    tell_loaded(s, site, next);
    host_swap(&site->host, next);
}

/* ---- the throw-away certificate ---- */

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

/* The throw-away certificate takes the place of one that is given; it is for the domains of the sites, too. */
static pap_result use_dev(struct serving *s, struct pap_serve_options *o, struct pap_err *err)
{
    size_t n = 0;
    if (o->tls_cert || o->tls_key || !o->state)
        return fail(err, PAP_USAGE, "%s",
                    o->state ? "a throw-away certificate, or one that is given: not both"
                             : "there is no folder where a throw-away certificate could be kept");
    while (o->dev_hosts && o->dev_hosts[n])
        n++;
    const char **hosts = arena_new_array(&s->sites.arena, n + s->sites.n_names + 1, const char *);
    if (!hosts)
        return fail_memory(err);
    if (n)
        memcpy(hosts, o->dev_hosts, n * sizeof *hosts);
    for (size_t i = 0; i < s->sites.n_names; i++)
        hosts[n++] = s->sites.names[i].name.p;
    o->dev_hosts = hosts;
    TRY(ready_dev(s, err));
    o->tls_cert = o->tls_key = s->dev.leaf;
    return OK;
}

/* ---- start ---- */

static void tell_listening(const struct serving *s, const char *address, unsigned port)
{
    char text[300];
    const char *scheme = s->certify.n ? "https" : "http";
    size_t colon = address ? str_rfind_char(str_c(address), ':') : 0;
    if (address)
        (void)snprintf(text, sizeof text, "%s://%.*s:%u/", scheme, (int)colon, address, port);
    else
        (void)snprintf(text, sizeof text, "a socket that was given, %s, port %u", scheme, port);
    tell(s, PAP_SERVE_LISTENING, text);
}

static pap_result listen_all(const struct serving *s, struct listening *l, struct pap_err *err)
{
    static const char *const usual[] = {"127.0.0.1:8080", NULL};
    const char *const *listen = s->o->listen ? s->o->listen : s->o->n_sockets ? usual + 1 : usual;
    bool tls = s->certify.n > 0;
    for (size_t i = 0; i < s->o->n_sockets; i++)
        TRY(listen_given(l, s->o->sockets[i], tls, s->o->plain_http, err));
    for (; *listen; listen++)
        TRY(listen_on(l, *listen, tls, s->o->plain_http, err));
    return OK;
}

static pap_result start_log(struct serving *s, struct pap_err *err)
{
    const struct pap_serve_options *o = s->o;
    bool json = o->log == PAP_SERVE_LOG_JSON;
    const struct log_options lo = {.alloc = o->alloc,
                                   .write = json ? access_log_json : access_log_common,
                                   .write_lost = json ? access_log_json_lost : access_log_common_lost,
                                   .put = o->access,
                                   .ctx = o->ctx};
    if (o->access)
        TRY(log_start(&lo, &s->log, err));
    s->admin.log = s->log;
    return OK;
}

static pap_result start(struct serving *s, struct pap_err *err)
{
    const struct pap_serve_options *o = s->o;
    struct listening l = {.n = 0};
    struct server_options so = {
        .site = {.handle = handle,
                 .access = o->access ? note_access : NULL,
                 .named = s->sites.n_names ? named : NULL,
                 .ctx = s,
                 .head.bytes = o->head_bytes},
        .listeners = l.at,
        .certificates = s->certify.at,
        .n_certificates = s->certify.n,
        .workers = o->workers ? o->workers : cores(),
        .max_connections = o->max_connections,
        .max_per_address = o->max_per_address,
        .idle_ms = o->idle_ms,
        .head_ms = o->head_ms,
        .body_ms = o->body_ms,
        .send_ms = o->send_ms,
        .alloc = o->alloc,
    };
    TRY(listen_all(s, &l, err));
    so.n_listeners = l.n;
    certify_see(&s->certify);
    TRY(server_start(&so, &s->server, err));
    for (size_t i = 0; i < l.n; i++)
        tell_listening(s, l.addresses[i], l.ports[i]);
    if (s->o->dev_tls)
        tell(s, PAP_SERVE_TRUST, s->dev.authority);
    certify_began(&s->certify, s->server);
    return OK;
}

/* ---- until it is told to stop ---- */

/* Waits for the next event of any site. */
static enum watch_event wait(struct serving *s, int ms, struct site **ret, char *ret_command)
{
    struct watch *watches[WATCHES_MOST];
    size_t which = 0;
    _Static_assert((int)LIMIT_HOST_SITES <= (int)WATCHES_MOST, "one watch a site");
    for (size_t i = 0; i < s->sites.n; i++)
        watches[i] = &s->sites.at[i].watch;
    enum watch_event e = watch_wait_any(watches, s->sites.n, ms, &which, ret_command);
    *ret = &s->sites.at[which];
    return e;
}

/* Files come one after the other: waits until no more do, and then reloads what has changed. A command or the end that comes
 * meanwhile is returned instead. */
static enum watch_event settle(struct serving *s, struct site *site, char *ret_command)
{
    bool changed[LIMIT_HOST_SITES] = {false};
    enum watch_event e = WATCH_CHANGED;
    changed[site - s->sites.at] = true;
    for (unsigned i = 0; i < SETTLE_MOST * s->sites.n && e == WATCH_CHANGED; i++) {
        e = wait(s, SETTLE_MS, &site, ret_command);
        changed[site - s->sites.at] |= e == WATCH_CHANGED;
    }
    if (e == WATCH_COMMAND || e == WATCH_END)
        return e;
    for (size_t i = 0; i < s->sites.n; i++)
        if (changed[i])
            reload(s, &s->sites.at[i], false);
    return WATCH_TIME;
}

/* What no event tells of; also when events never cease. */
static void look(struct serving *s)
{
    struct pap_err err = {.text = ""};
    int64_t now = clock_system.monotonic_ms(&clock_system);
    if (now - s->looked < LOOK_MS)
        return;
    s->looked = now;
    if (!is_ok(ready_dev(s, &err)))
        certify_refuse(&s->certify, &err, false);
    certify_look(&s->certify, s->server, false);
}

static void run(struct serving *s)
{
    for (;;) {
        char command = 0;
        struct site *site;
        enum watch_event e = wait(s, LOOK_MS, &site, &command);
        if (e == WATCH_CHANGED)
            e = settle(s, site, &command);
        if (e == WATCH_END || (e == WATCH_COMMAND && command == 's'))
            return;
        if (e == WATCH_COMMAND) {
            certify_look(&s->certify, s->server, true);
            for (size_t i = 0; i < s->sites.n; i++)
                reload(s, &s->sites.at[i], true);
        }
        look(s);
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
    TRY(server_check(str_c(s->o->admin), err));
    if (!s->o->plain_http && !server_is_local(str_c(s->o->admin)))
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
    const unsigned drain_ms = s->o->drain_ms ? s->o->drain_ms : 10000;
    const int64_t until = clock_system.monotonic_ms(&clock_system) + drain_ms;
    tell(s, PAP_SERVE_STOPPING, "");
    if (s->admin_server)
        server_stop(s->admin_server, 1000);
    server_stop(s->server, drain_ms);
    int64_t left = until - clock_system.monotonic_ms(&clock_system);
    log_stop(s->log, left < LOG_LEAST_MS ? LOG_LEAST_MS : left > LOG_MOST_MS ? LOG_MOST_MS : left);
    s->log = NULL;
}

static pap_result serve(struct serving *s, struct pap_err *err)
{
    s->admin.sites = &s->sites;
    TRY(start_log(s, err));
    TRY(certify_list(&s->certify, s->o, &s->sites, err));
    TRY(sites_load(&s->sites, s->o, err));
    pap_result r = start(s, err);
    if (!is_ok(r))
        return r;
    atomic_store(&s->admin.site, s->server);
    r = start_admin(s, err);
    if (is_ok(r)) {
        for (size_t i = 0; i < s->sites.n; i++)
            tell_loaded(s, &s->sites.at[i], s->sites.at[i].host.now);
        run(s);
    }
    stop(s);
    return r;
}

static pap_result open_asker(struct serving *s, struct pap_err *err)
{
    const struct asker_options o = {.alloc = s->o->alloc, .cacert = s->o->ask_cacert, .answered = count, .ctx = s};
    return sites_ask(s->o) ? asker_new(&o, &s->asker, err) : OK;
}

pap_result pap_serve(const struct pap_serve_options *options, struct pap_err *err)
{
    struct pap_serve_options o = *options;
    struct serving s = {.o = &o};
    if (o.head_bytes && (o.head_bytes < PAP_SERVE_HEAD_LEAST || o.head_bytes > PAP_SERVE_HEAD_MOST))
        return fail(err, PAP_USAGE, "a head has from %d to %d bytes", PAP_SERVE_HEAD_LEAST, PAP_SERVE_HEAD_MOST);
    TRY(open_asker(&s, err));
    pap_result r = sites_open(&s.sites, &o, s.asker, err);
    if (is_ok(r) && o.dev_tls)
        r = use_dev(&s, &o, err);
    if (is_ok(r))
        r = serve(&s, err);
    log_stop(s.log, 0);  /* it did not come to requests */
    asker_free(s.asker); /* it answers from the sites, so it ends first */
    sites_close(&s.sites);
    return r;
}

pap_result pap_serve_hash_token(const char *token, size_t n, char ret[PAP_SERVE_HASH], struct pap_err *err)
{
    _Static_assert((int)PAP_SERVE_HASH == (int)DIGEST_TEXT + 1, "the text of a digest");
    return token_hash(str(token, n), ret, err);
}

pap_result pap_serve_make_token(char ret[PAP_SERVE_TOKEN], struct pap_err *err)
{
    _Static_assert((int)PAP_SERVE_TOKEN == (int)TOKEN_TEXT + 1, "the text of a token");
    return token_make(ret, err);
}
