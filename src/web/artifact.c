/* SPDX-License-Identifier: Apache-2.0
 *
 * Artifacts are asked for when robots.txt of their host allows it (RFC 9309). The file is asked for first, once for those of a
 * check that wait for it; a redirect to another host waits for that one's file, and then begins anew. What is not asked is told
 * as an exchange that was not made (FAULT_BUDGET), which a report shows as a note.
 */
#include "text/uri.h"
#include "web/runner_inside.h"

struct robots_file {
    struct robots_file *next;
    struct runner *runner;
    struct job *job;
    struct hearing *waiting;
    char host[NAME_MOST + 1];
};

static int64_t now_ms(const struct runner *r)
{
    return r->o.clock->monotonic_ms(r->o.clock);
}

static void keep_host(char *to, struct pap_str host)
{
    host = str_take(host, NAME_MOST);
    memcpy(to, host.p, host.n);
    to[host.n] = '\0';
}

static enum robots_verdict ask_rules(const struct hearing *h, const struct uri *u)
{
    struct pap_str target = u->query.p ? str(u->path.p, (size_t)(u->query.p + u->query.n - u->path.p)) : u->path;
    return robots_ask(h->runner->robots, u->host, target, now_ms(h->runner));
}

/* ---- what is told ---- */

static void tell_at_next_step(struct hearing *h)
{
    struct hearing **at = &h->runner->ready;
    while (*at)
        at = &(*at)->next;
    h->next = NULL;
    *at = h;
}

/* Without memory the reason lacks the name of the host. */
static void tell_stopped(struct hearing *h, enum robots_verdict why, const char *host)
{
    struct pap_str text =
        arena_fmt(h->arena,
                  why == ROBOTS_DISALLOWED ? "robots.txt of %s disallows it"
                                           : "robots.txt of %s could not be had, which disallows everything",
                  host);
    h->own.body = str(NULL, 0);
    h->own.method = str_c(h->request.method);
    h->own.url = h->request.url;
    h->own.final_url = h->own.final_url.p ? h->own.final_url : h->own.url;
    h->own.fault = FAULT_BUDGET;
    h->own.fault_text = text.p ? text : S("robots.txt disallows it");
    tell_at_next_step(h);
}

/* ---- robots.txt ---- */

static void begin(struct hearing *h);

static void file_came(void *ctx, const struct exchange *x)
{
    const struct robots_file *f = ctx;
    struct runner *r = f->runner;
    struct hearing *h = f->waiting;
    struct robots_file **at = &f->job->asked;
    bool known = true;
    struct pap_err err = {.text = ""};
    (void)pthread_mutex_lock(&r->lock);
    tell_step(r, f->job, x);
    (void)pthread_mutex_unlock(&r->lock);
    while (*at != f)
        at = &(*at)->next;
    *at = f->next;
    bool kept = is_ok(robots_came(r->robots, str_c(f->host), x, now_ms(r), &known, &err));
    for (struct hearing *next; h; h = next) {
        next = h->next;
        if (kept && known) {
            begin(h);
        } else if (kept) { /* nobody is there: the same is told of what was to be asked there */
            h->own = *x;
            h->own.url = h->own.final_url = h->request.url;
            h->own.body = str(NULL, 0);
            tell_at_next_step(h);
        } else {
            tell_stopped(h, ROBOTS_UNREACHABLE, f->host);
        }
    }
}

static pap_result ask_file(struct hearing *h, struct pap_str host)
{
    struct runner *r = h->runner;
    struct transport *real = r->telling.real;
    struct robots_file *f = h->job->asked;
    while (f && !str_eq_nocase(str_c(f->host), host))
        f = f->next;
    if (!f) {
        bool ipv6 = str_find_char(host, ':') < host.n;
        struct pap_str url =
            arena_fmt(h->arena, ipv6 ? "https://[%.*s]/robots.txt" : "https://%.*s/robots.txt", PSTR(host));
        f = arena_new(h->arena, struct robots_file);
        if (!url.p || !f)
            return fail_memory(NULL);
        *f = (struct robots_file){.next = h->job->asked, .runner = r, .job = h->job};
        keep_host(f->host, host);
        const struct request q = {.method = "GET",
                                  .url = url,
                                  .accept = "text/plain, */*;q=0.5",
                                  .cap = LIMIT_ROBOTS,
                                  .redirects = LIMIT_REDIRECTS};
        TRY(real->start(real, h->arena, &q, h->budget, file_came, f));
        h->job->asked = f;
    }
    h->next = f->waiting;
    f->waiting = h;
    return OK;
}

/* ---- the artifact ---- */

static void came(void *ctx, const struct exchange *x)
{
    struct hearing *h = ctx;
    enum robots_verdict stopped = h->stopped;
    if (stopped == ROBOTS_ALLOWED) {
        runner_heard(h, x);
        return;
    }
    if (stopped == ROBOTS_UNKNOWN && h->again++ < LIMIT_REDIRECTS && is_ok(ask_file(h, str_c(h->stopped_at))))
        return;
    h->own = *x; /* with the hops that were made */
    tell_stopped(h, stopped, h->stopped_at);
}

static bool may_follow(void *ctx, const struct uri *to)
{
    struct hearing *h = ctx;
    enum robots_verdict v = ask_rules(h, to);
    if (v != ROBOTS_ALLOWED) {
        h->stopped = v;
        keep_host(h->stopped_at, to->host);
    }
    return v == ROBOTS_ALLOWED;
}

pap_result artifact_start(struct hearing *h)
{
    struct transport *real = h->runner->telling.real;
    struct uri u;
    size_t at;
    const char *why;
    enum robots_verdict v = ROBOTS_ALLOWED; /* of what is no URL to ask, which the transport says better */
    if (uri_parse(h->request.url, &u, &at, &why) && uri_is_web(&u, &why) && u.host.n <= NAME_MOST) {
        v = ask_rules(h, &u);
        keep_host(h->stopped_at, u.host);
    }
    if (v == ROBOTS_UNKNOWN && h->again++ < LIMIT_REDIRECTS)
        return ask_file(h, u.host);
    h->stopped = ROBOTS_ALLOWED;
    h->request.may = may_follow;
    h->request.each_ctx = h;
    if (v == ROBOTS_ALLOWED)
        return real->start(real, h->arena, &h->request, h->budget, came, h);
    tell_stopped(h, v, h->stopped_at);
    return OK;
}

/* The same from inside a step, where nobody hears of a failure. */
static void begin(struct hearing *h)
{
    if (!is_ok(artifact_start(h)))
        tell_stopped(h, ROBOTS_UNREACHABLE, h->stopped_at);
}
