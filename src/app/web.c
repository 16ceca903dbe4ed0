/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver web: the server of net with the site behind it, and the thread that makes the checks.
 */
#include <papaver/web.h>

#include <stdio.h>

#include "app/access_log.h"
#include "app/listen.h"
#include "app/log.h"
#include "net/server.h"
#include "sys/stage.h"
#include "sys/watch.h"
#include "web/runner.h"
#include "web/visitor.h"
#include "web/web.h"

enum { DRAIN_MS = 5000, LOG_MS = 1000, PER_ADDRESS = 100 };

struct webbing {
    const struct pap_web_options *o;
    struct runner *runner;
    struct web *web;
    struct server *server;
    struct log *log; /* NULL: nobody reads it */
};

static void tell(const struct webbing *w, enum pap_web_what what, const char *text)
{
    if (w->o->event)
        w->o->event(w->o->ctx, what, text);
}

static void on_trouble(void *ctx, const char *text)
{
    tell(ctx, PAP_WEB_TROUBLE, text);
}

static void note_access(void *ctx, const struct http_access *a)
{
    const struct webbing *w = ctx;
    log_add(w->log, a);
}

static void handle(void *ctx, const struct http_request *q, struct http_response *ret)
{
    const struct webbing *w = ctx;
    web_handle(w->web, q, ret);
}

static pap_result check_options(const struct pap_web_options *o, struct pap_err *err)
{
    struct pap_str contact = str_c(o->contact);
    if (!o->database || !o->origin)
        return fail(err, PAP_USAGE, "a site needs an origin and a database");
    if (!contact.n || str_find_char(contact, ' ') < contact.n ||
        !(str_starts(contact, S("https://")) || str_find_char(contact, '@') < contact.n))
        return fail(err, PAP_USAGE,
                    "a contact is an https URL or a mail address: whoever is checked must be able to ask");
    for (size_t i = 0; contact.p && i < contact.n; i++)
        if ((unsigned char)contact.p[i] <= ' ' || (unsigned char)contact.p[i] >= 0x7f || contact.p[i] == ')')
            return fail(err, PAP_USAGE, "a contact has no blanks and no characters beyond ASCII");
    for (const char *const *p = o->proxies; p && *p; p++)
        if (!visitor_is_address(str_c(*p)))
            return fail(err, PAP_USAGE, "%s: a proxy is named by its IP address", *p);
    if (!o->tls_cert != !o->tls_key)
        return fail(err, PAP_USAGE, "a certificate needs its key, and a key its certificate");
    return OK;
}

static pap_result listen_all(const struct webbing *w, struct listening *l, struct pap_err *err)
{
    static const char *const usual[] = {"127.0.0.1:8080", NULL};
    const struct pap_web_options *o = w->o;
    for (const char *const *listen = o->listen ? o->listen : usual; *listen; listen++) {
        TRY(server_check(str_c(*listen), err));
        if (o->insecure_loopback && !server_is_local(str_c(*listen)))
            return fail(err, PAP_USAGE, "%s: a site that asks this machine is for this machine only", *listen);
        TRY(listen_on(l, *listen, o->tls_cert != NULL, o->plain_http, err));
    }
    return OK;
}

static pap_result start_server(struct webbing *w, struct pap_err *err)
{
    const struct pap_web_options *o = w->o;
    struct listening l = {.n = 0};
    const struct tls_certificate certificate = {o->tls_cert, o->tls_key, NULL};
    TRY(listen_all(w, &l, err));
    const struct server_options so = {
        .site = {.handle = handle, .access = o->access ? note_access : NULL, .ctx = w},
        .listeners = l.at,
        .n_listeners = l.n,
        .certificates = &certificate,
        .n_certificates = o->tls_cert != NULL,
        .workers = o->workers ? o->workers : cores(),
        .max_connections = o->max_connections,
        .max_per_address = o->max_per_address ? o->max_per_address
                           : o->proxies       ? 0
                                              : PER_ADDRESS,
        .alloc = o->alloc,
    };
    TRY(server_start(&so, &w->server, err));
    for (size_t i = 0; i < l.n; i++) {
        char text[300];
        (void)snprintf(text, sizeof text, "%s://%.*s:%u/", o->tls_cert ? "https" : "http",
                       (int)str_rfind_char(str_c(l.addresses[i]), ':'), l.addresses[i], l.ports[i]);
        tell(w, PAP_WEB_LISTENING, text);
    }
    return OK;
}

static pap_result start(struct webbing *w, const char *agent, struct pap_err *err)
{
    const struct pap_web_options *o = w->o;
    const struct log_options lo = {.alloc = o->alloc,
                                   .write = access_log_common,
                                   .write_lost = access_log_common_lost,
                                   .put = o->access,
                                   .ctx = o->ctx};
    const struct runner_options ro = {.alloc = o->alloc,
                                      .clock = &clock_system,
                                      .database = o->database,
                                      .user_agent = agent,
                                      .jobs = o->jobs,
                                      .loopback = o->insecure_loopback,
                                      .cacert = o->cacert,
                                      .connect_to = o->connect_to};
    if (o->access)
        TRY(log_start(&lo, &w->log, err));
    if (!o->only_show)
        TRY(runner_start(&ro, &w->runner, err));
    const struct web_options wo = {.alloc = o->alloc,
                                   .clock = &clock_system,
                                   .origin = o->origin,
                                   .contact = o->contact,
                                   .database = o->database,
                                   .proxies = o->proxies,
                                   .checks_per_hour = o->checks_per_hour,
                                   .loopback = o->insecure_loopback,
                                   .runner = w->runner,
                                   .trouble = on_trouble,
                                   .trouble_ctx = w};
    TRY(web_new(&wo, &w->web, err));
    return start_server(w, err);
}

/* Until the byte that stops it, or the end of whoever could say it. */
static pap_result wait_for_stop(int control, struct pap_err *err)
{
    struct watch w;
    enum watch_event e = WATCH_TIME;
    char command = 0;
    TRY(watch_open(&w, NULL, NULL, control, err));
    while (e != WATCH_END && !(e == WATCH_COMMAND && command == 's'))
        e = watch_wait(&w, 60 * 1000, &command);
    watch_close(&w);
    return OK;
}

/* The runner first: whoever waits for a check is told, which the server then sends. */
static void stop(struct webbing *w)
{
    if (w->server)
        tell(w, PAP_WEB_STOPPING, "");
    runner_halt(w->runner);
    if (w->server)
        server_stop(w->server, DRAIN_MS);
    log_stop(w->log, LOG_MS);
    runner_stop(w->runner);
    web_free(w->web);
}

pap_result pap_web(const struct pap_web_options *options, struct pap_err *err)
{
    struct webbing w = {.o = options};
    struct arena arena;
    TRY(check_options(options, err));
    arena_init(&arena, options->alloc);
    struct pap_str agent = arena_fmt(&arena, "papaver/" PAP_VERSION " (+%s)", options->contact);
    pap_result r = agent.p ? start(&w, agent.p, err) : fail_memory(err);
    if (is_ok(r))
        r = wait_for_stop(options->control, err);
    stop(&w);
    arena_fini(&arena);
    return r;
}
