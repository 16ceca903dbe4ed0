/* SPDX-License-Identifier: Apache-2.0 */
#include "skills/client.h"

#include <poll.h>

#include "proto/address.h"
#include "skills/session.h"
#include "sys/chance.h"

enum { TIMEOUT_MOST = 300 * 1000, RETRIES_MOST = 10, JOBS = 16, JOBS_MOST = 1000, CATALOG_MOST = 50 << 20 };

/* ---- options ---- */

static pap_result wrong(struct pap_skill_err *err, const char *field, const char *why)
{
    pap_result r = refuse(err, SKILL_CONFIGURATION_INVALID, "the option %s %s", field, why);
    err_set(err, SKILL_KEY_FIELD, str_c(field));
    return r;
}

static const char *copy(struct arena *a, const char *s, bool *ok)
{
    const char *kept = s ? arena_cstr(a, str_c(s)) : NULL;
    *ok &= kept || !s;
    return kept;
}

static const char *const *copy_list(struct arena *a, const char *const *list, bool *ok)
{
    size_t n = 0;
    while (list && list[n])
        n++;
    const char **kept = list ? arena_new_array(a, n + 1, const char *) : NULL;
    *ok &= kept || !list;
    for (size_t i = 0; kept && i < n; i++)
        kept[i] = copy(a, list[i], ok);
    return kept;
}

/* Sessions outlive the client, and the caller's strings need not. */
static bool copy_strings(struct arena *a, struct pap_skill_options *o)
{
    bool ok = true;
    o->cache = copy(a, o->cache, &ok);
    o->cacert = copy(a, o->cacert, &ok);
    o->proxy = copy(a, o->proxy, &ok);
    o->resolve = copy_list(a, o->resolve, &ok);
    o->connect_to = copy_list(a, o->connect_to, &ok);
    return ok;
}

static pap_result check_numbers(const struct pap_skill_options *o, struct pap_skill_err *err)
{
    if (o->most_catalog_bytes > CATALOG_MOST)
        return wrong(err, "most_catalog_bytes", "is 52,428,800 at most");
    if (o->timeout_ms > TIMEOUT_MOST)
        return wrong(err, "timeout_ms", "is 300,000 at most");
    if (o->retries > RETRIES_MOST)
        return wrong(err, "retries", "is 10 at most");
    if (o->jobs > JOBS_MOST)
        return wrong(err, "jobs", "is 1,000 at most");
    if (o->cache && !*o->cache)
        return wrong(err, "cache", "is the name of a folder, and empty");
    if (o->cache && o->store)
        return wrong(err, "store", "takes the place of a folder: give one of the two");
    if (o->fetch && o->proxy)
        return wrong(err, "proxy", "has no meaning for a fetch hook");
    return OK;
}

static void fill_in(struct pap_skill_options *o)
{
    o->most_catalog_bytes = o->most_catalog_bytes ? o->most_catalog_bytes : LIMIT_DOCUMENT;
    o->most_archive_bytes = o->most_archive_bytes ? o->most_archive_bytes : LIMIT_ARTIFACT;
    o->most_unpacked_bytes = o->most_unpacked_bytes ? o->most_unpacked_bytes : LIMIT_UNPACKED;
    o->most_file_bytes = o->most_file_bytes ? o->most_file_bytes : LIMIT_ARCHIVE_FILE;
    o->most_files = o->most_files ? o->most_files : LIMIT_ARCHIVE_FILES;
    o->timeout_ms = o->timeout_ms ? o->timeout_ms : LIMIT_TOTAL_MS;
    o->jobs = o->jobs ? o->jobs : JOBS;
}

/* ---- the network ---- */

static bool may_dial(const void *ctx, const unsigned char *address, size_t n, const char **ret_why)
{
    const struct pap_skill_client *c = ctx;
    return (c->o.insecure_http && address_is_loopback(address, n)) ||
           address_judge(address, n, c->o.allow_private, ret_why) == ADDRESS_OK;
}

static void network_of(struct pap_skill_client *c)
{
    c->net = (struct client_options){.alloc = c->alloc,
                                     .clock = &c->clock,
                                     .policy = may_dial,
                                     .policy_ctx = c,
                                     .insecure_http = c->o.insecure_http,
                                     .timeout_ms = c->o.timeout_ms,
                                     .jobs = c->o.jobs,
                                     .cacert = c->o.cacert,
                                     .resolve = c->o.resolve,
                                     .connect_to = c->o.connect_to,
                                     .proxy = c->o.proxy,
                                     .addresses = c->o.addresses,
                                     .addresses_ctx = c->o.ctx};
}

/* One that waits; those that are too old go. With the lock held. */
static struct transport *take_waiting(struct pap_skill_client *c, struct transport **ret_old)
{
    int64_t now = c->clock.monotonic_ms(&c->clock);
    for (size_t i = 0; i < TRANSPORTS; i++) {
        struct transport *t = c->transports[i].t;
        if (!t || c->transports[i].taken)
            continue;
        if (now - c->transports[i].made_ms < TRANSPORT_MS) {
            c->transports[i].taken = true;
            return t;
        }
        c->transports[i].t = NULL;
        *ret_old = t;
        return NULL;
    }
    return NULL;
}

/* Remembers a new one, where there is a place. */
static void remember(struct pap_skill_client *c, struct transport *t)
{
    (void)pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < TRANSPORTS; i++)
        if (!c->transports[i].t) {
            c->transports[i].t = t;
            c->transports[i].taken = true;
            c->transports[i].made_ms = c->clock.monotonic_ms(&c->clock);
            break;
        }
    (void)pthread_mutex_unlock(&c->lock);
}

pap_result client_take(struct pap_skill_client *c, struct transport **ret, struct pap_skill_err *err)
{
    struct pap_err why = {0};
    struct transport *t, *old;
    do {
        old = NULL;
        (void)pthread_mutex_lock(&c->lock);
        t = take_waiting(c, &old);
        (void)pthread_mutex_unlock(&c->lock);
        if (old)
            old->free(old);
    } while (old);
    if (!t) {
        pap_result r = c->o.fetch ? hook_new(c, &t, &why) : client_new(&c->net, &t, &why);
        if (!is_ok(r))
            return failure_tell(r, &why, err);
        remember(c, t);
    }
    *ret = t;
    return OK;
}

void client_give(struct pap_skill_client *c, struct transport *t, pap_result how)
{
    bool keep = (is_ok(how) || how.code == PAP_REFUSED) && t->pending(t) == 0, kept = false;
    (void)pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < TRANSPORTS; i++)
        if (c->transports[i].t == t) {
            c->transports[i].taken = false;
            kept = keep;
            if (!keep)
                c->transports[i].t = NULL;
        }
    (void)pthread_mutex_unlock(&c->lock);
    if (!kept)
        t->free(t);
}

/* ---- the client ---- */

static void nap(struct pap_skill_client *c, uint32_t ms)
{
    (void)c;
    (void)poll(NULL, 0, (int)ms);
}

int64_t client_now(const struct pap_skill_client *c)
{
    return c->o.now ? c->o.now(c->o.ctx) : clock_unix_ms();
}

pap_result client_progress(struct pap_skill_client *c, enum pap_skill_phase phase, uint64_t done, uint64_t total,
                           struct pap_skill_err *err)
{
    if (!c->o.progress || c->o.progress(c->o.ctx, phase, done, total))
        return OK;
    (void)refuse(err, SKILL_CANCELLED, "cancelled");
    return (pap_result){PAP_CANCELLED};
}

static void take_apart(struct pap_skill_client *c)
{
    for (size_t i = 0; i < TRANSPORTS; i++)
        if (c->transports[i].t)
            c->transports[i].t->free(c->transports[i].t);
    session_free_shells(c->closed);
    fresh_fini(&c->fresh);
    cache_free(c->cache);
    (void)pthread_mutex_destroy(&c->lock);
    arena_fini(&c->arena);
    struct pap_alloc alloc = c->own_alloc;
    (void)alloc_resize(&alloc, c, sizeof *c, 0);
}

void client_hold(struct pap_skill_client *c)
{
    (void)pthread_mutex_lock(&c->lock);
    c->holders++;
    (void)pthread_mutex_unlock(&c->lock);
}

void client_drop(struct pap_skill_client *c)
{
    (void)pthread_mutex_lock(&c->lock);
    unsigned left = --c->holders;
    (void)pthread_mutex_unlock(&c->lock);
    if (!left)
        take_apart(c);
}

static pap_result open_cache(struct pap_skill_client *c, struct pap_skill_err *err)
{
    struct pap_err why = {0};
    struct cache_options o = {.alloc = c->alloc,
                              .folder = c->o.cache,
                              .store = c->o.store,
                              .bytes = c->o.cache_bytes,
                              .days = c->o.cache_days,
                              .most = c->o.most_archive_bytes};
    pap_result r = cache_open(&o, &c->cache, &why);
    if (r.code != PAP_USAGE)
        return is_ok(r) ? OK : failure_tell(r, &why, err);
    r = refuse(err, SKILL_CONFIGURATION_INVALID, "%s", why.text);
    err_set(err, SKILL_KEY_FIELD, S("cache"));
    return r;
}

static pap_result set_up(struct pap_skill_client *c, struct pap_skill_err *err)
{
    struct pap_err why = {0};
    if (!copy_strings(&c->arena, &c->o))
        return failure_tell((pap_result){PAP_NO_MEMORY}, NULL, err);
    fill_in(&c->o);
    network_of(c);
    pap_result r = options_check(&c->net, &why);
    if (r.code == PAP_USAGE) {
        r = refuse(err, SKILL_CONFIGURATION_INVALID, "%s", why.text);
        err_set(err, SKILL_KEY_FIELD, S("network"));
    }
    return is_ok(r) ? open_cache(c, err) : r;
}

pap_result pap_skill_client_new(const struct pap_skill_options *options, struct pap_skill_client **ret,
                                struct pap_skill_err *err)
{
    static const struct pap_skill_options defaults;
    const struct pap_skill_options *o = options ? options : &defaults;
    TRY(check_numbers(o, err));
    struct pap_skill_client *c = alloc_resize(o->alloc, NULL, 0, sizeof *c);
    if (!c)
        return failure_tell((pap_result){PAP_NO_MEMORY}, NULL, err);
    *c = (struct pap_skill_client){.o = *o, .clock = clock_system, .nap = nap, .chance = chance_u32, .holders = 1};
    if (o->alloc)
        c->own_alloc = *o->alloc;
    c->alloc = c->o.alloc = &c->own_alloc;
    c->fresh.alloc = c->alloc;
    arena_init(&c->arena, c->alloc);
    (void)pthread_mutex_init(&c->lock, NULL);
    pap_result r = set_up(c, err);
    if (!is_ok(r)) {
        take_apart(c);
        return r;
    }
    *ret = c;
    return OK;
}

void pap_skill_client_free(struct pap_skill_client *client)
{
    if (client)
        client_drop(client);
}
