/* SPDX-License-Identifier: Apache-2.0
 *
 * The run: claims what is due, asks, keeps what came. What was claimed is ours for a while only, and what is kept is kept
 * with the end of that in one transaction, so that a kill at any moment loses nothing but work.
 */
#include "census/lanes.h"
#include "sys/process.h"
#include "sys/stage.h"
#include "text/host.h"
#include "text/uri.h"

enum {
    JOBS = 32,
    JOBS_MOST = 1000,
    RATE = 50,
    PER_ADDRESS = 10,
    RATE_OF_LANE = 400, /* domains a second that one thread asks with ease */
    LEASE = 300,        /* seconds; a check takes one minute at most, and who lives renews */
    RENEW_MS = 60000,
    CLAIM_MOST = 2000,
    KEEP_MS = 1000, /* how long a result waits to be kept */
    SNAPSHOT_MS = 3600 * 1000,
    PEEK_MS = 1000 /* how often the database is asked whether something is due */
};

static int64_t ms(const struct running *r)
{
    return r->census->clock.monotonic_ms(&r->census->clock);
}

static int64_t seconds(const struct running *r)
{
    return r->census->clock.unix_seconds(&r->census->clock);
}

/* ---- results ---- */

static pap_result tell_seen(struct running *r, struct batch *b, size_t i)
{
    const struct census_result *k = &b->results[i];
    struct pap_str version = k->outcome == CENSUS_PUBLISHES ? k->summary.version : S("");
    const char *name = arena_cstr(&b->arena, b->of[i]->due.name), *text = arena_cstr(&b->arena, version);
    if (!name || !text)
        return fail_memory(r->err);
    struct pap_census_seen s = {.domain = name,
                                .outcome = census_outcome_word(k->outcome).p,
                                .publishes = k->outcome == CENSUS_PUBLISHES,
                                .gone = k->standing == CENSUS_GONE,
                                .again_at = k->due_at,
                                .version = text,
                                .errors = k->summary.errors,
                                .warnings = k->summary.warnings,
                                .infos = k->summary.infos,
                                .skills = k->summary.skills};
    r->o->seen(r->o->ctx, &s);
    return OK;
}

/* The lanes fill the other batch in the meantime. */
static pap_result keep_results(struct running *r)
{
    struct census_finished f;
    r->kept_ms = ms(r);
    (void)pthread_mutex_lock(&r->lock);
    struct batch *b = r->fill;
    if (b->n)
        r->fill = &r->batches[b == &r->batches[0]];
    (void)pthread_cond_broadcast(&r->work);
    (void)pthread_mutex_unlock(&r->lock);
    if (!b->n)
        return OK;
    for (size_t i = 0; r->o->seen && i < b->n; i++)
        if (b->results[i].outcome == CENSUS_PUBLISHES || b->of[i]->due.was_good)
            TRY(tell_seen(r, b, i));
    TRY(census_finish(r->census->store, b->results, b->n, &f, r->err));
    r->progress.changed += f.changed;
    for (size_t i = 0; i < b->n; i++) {
        b->of[i]->next = r->spare;
        r->spare = b->of[i];
    }
    b->n = 0;
    arena_reset(&b->arena);
    return OK;
}

/* ---- the queue ---- */

/* Those that died on this machine hold nothing any longer. */
static pap_result release_dead(struct running *r)
{
    struct census_leases leases;
    struct arena a;
    uint64_t n;
    arena_init(&a, r->census->o.alloc);
    pap_result x = census_lease_list(r->census->store, &a, &leases, r->err);
    for (size_t i = 0; is_ok(x) && i < leases.n; i++)
        if (process_is_gone(leases.lease[i].owner))
            x = census_release(r->census->store, leases.lease[i].owner, seconds(r), &n, r->err);
    arena_fini(&a);
    return x;
}

static pap_result take_over(struct running *r, const struct census_due *due, int64_t now, struct line *ret)
{
    struct ours *o = r->spare;
    if (due->name.n >= sizeof o->name)
        return fail(r->err, PAP_LIMIT, "a name in the database is longer than a name can be");
    if (o)
        r->spare = o->next;
    else
        o = arena_new(&r->arena, struct ours);
    if (!o)
        return fail_memory(r->err);
    *o = (struct ours){.due = *due, .claimed_at = now};
    memcpy(o->name, due->name.p, due->name.n);
    o->due.name.p = o->name;
    line_push(ret, o);
    return OK;
}

static size_t all_jobs(const struct running *r)
{
    return (size_t)r->check.jobs * r->n_lanes;
}

/* More and more at once while they are used up within a second or so: few claims where it is fast, little held where it is
 * slow. */
static pap_result claim(struct running *r)
{
    struct census_batch batch;
    struct arena a;
    struct line taken = {0};
    int64_t now = seconds(r), since = ms(r) - r->claimed_ms;
    if (r->claimed_ms && since < 1000 && !r->nothing_due)
        r->claim = r->claim * 2 < CLAIM_MOST ? r->claim * 2 : CLAIM_MOST;
    else if (since > 4000 && r->claim > 2 * all_jobs(r))
        r->claim /= 2;
    arena_init(&a, r->census->o.alloc);
    pap_result x = census_claim(r->census->store, &a, r->census->owner, now, now + LEASE, r->claim, &batch, r->err);
    for (size_t i = 0; is_ok(x) && i < batch.n; i++)
        x = take_over(r, &batch.due[i], now, &taken);
    (void)pthread_mutex_lock(&r->lock);
    while (taken.n)
        line_push(&r->waiting, line_pop(&taken));
    (void)pthread_cond_broadcast(&r->work);
    (void)pthread_mutex_unlock(&r->lock);
    r->nothing_due = is_ok(x) && batch.n == 0;
    r->claimed_ms = ms(r);
    arena_fini(&a);
    return x;
}

static pap_result renew(struct running *r)
{
    uint64_t held;
    if (ms(r) - r->renewed_ms < RENEW_MS)
        return OK;
    r->renewed_ms = ms(r);
    return census_renew(r->census->store, r->census->owner, seconds(r) + LEASE, &held, r->err);
}

/* ---- telling ---- */

static pap_result tell(struct running *r)
{
    struct pap_census_progress *p = &r->progress;
    int64_t now = ms(r), since = now - r->told_ms;
    if (since >= 1000) {
        double lately = (double)(p->done - r->told_done) * 1000 / (double)since;
        p->rate = r->told_done ? p->rate * 0.7 + lately * 0.3 : lately;
        p->left_seconds = p->rate > 0.01 ? (int64_t)((double)p->left / p->rate) : -1;
        r->told_ms = now;
        r->told_done = p->done;
    }
    if (r->o->go_on && !r->o->go_on(r->o->ctx, p))
        r->stop = true;
    return OK;
}

/* How many are due, which takes a while to count where there are millions: at the beginning, and when the guess ran out. */
static pap_result count_left(struct running *r)
{
    struct census_status s;
    TRY(census_status(r->census->store, r->census->owner, seconds(r), &s, r->err));
    r->progress.left = s.due;
    return OK;
}

/* ---- the loop ---- */

static pap_result claim_when_needed(struct running *r)
{
    (void)pthread_mutex_lock(&r->lock);
    bool low = r->waiting.n <= r->claim / 4 && r->busy.n < CLAIM_MOST;
    (void)pthread_mutex_unlock(&r->lock);
    return low && (!r->nothing_due || ms(r) - r->claimed_ms >= PEEK_MS) ? claim(r) : OK;
}

/* What the lanes have done until now. *ret_keep: the batch is full, or nothing is to come that could fill it. */
static void take_counts(struct running *r, size_t *ret_open, bool *ret_keep)
{
    (void)pthread_mutex_lock(&r->lock);
    struct pap_census_progress *p = &r->progress;
    uint64_t ended = r->done - p->done;
    p->done = r->done;
    p->requests = r->requests;
    p->publishing = r->publishing;
    p->failed = r->failed;
    p->left -= ended < p->left ? ended : p->left;
    *ret_open = lanes_open(r);
    *ret_keep = !*ret_open || batch_is_full(r->fill);
    (void)pthread_mutex_unlock(&r->lock);
}

static pap_result turn(struct running *r, bool *ret_over)
{
    size_t open;
    bool keep;
    TRY(claim_when_needed(r));
    take_counts(r, &open, &keep);
    if (open || r->o->stay)
        TRY(lanes_wait(r, r->err));
    take_counts(r, &open, &keep);
    if (keep || ms(r) - r->kept_ms >= KEEP_MS)
        TRY(keep_results(r));
    r->progress.waiting = r->nothing_due && !open;
    *ret_over = r->progress.waiting && !r->o->stay;
    TRY(renew(r));
    return tell(r);
}

/* The counts of a day are kept for charts: those at the end of a run, and of one that stays from time to time. */
static pap_result snapshot(struct running *r)
{
    if (ms(r) - r->counted_ms < SNAPSHOT_MS)
        return OK;
    r->counted_ms = ms(r);
    return census_snapshot(r->census->store, seconds(r), r->err);
}

static pap_result loop(struct running *r)
{
    bool over = false;
    uint64_t n;
    struct census_status s;
    TRY(release_dead(r));
    TRY(count_left(r));
    while (!over && !r->stop) {
        TRY(turn(r, &over));
        TRY(snapshot(r));
    }
    lanes_stop(r);
    TRY(keep_results(r));
    TRY(census_release(r->census->store, r->census->owner, seconds(r), &n, r->err));
    TRY(census_snapshot(r->census->store, seconds(r), r->err));
    TRY(census_pending(r->census->store, r->census->owner, seconds(r), &s, r->err));
    r->progress.held = s.leased - s.leased_by_owner;
    return OK;
}

/* ---- options ---- */

/* Whether every request goes to this machine: as tests and benches do it. */
static bool stays_here(const struct pap_network *n)
{
    for (const char *const *s = n->connect_to; s && *s; s++) {
        struct pap_str to = str_c(*s);
        if (str_starts(to, S("::")))
            return host_is_loopback(str_take(str_skip(to, 2), str_rfind_char(str_skip(to, 2), ':')));
    }
    for (const char *const *s = n->resolve; s && *s; s++) {
        struct pap_str to = str_c(*s);
        if (str_starts(to, S("*:")))
            return host_is_loopback(str_skip(to, str_find_char(str_skip(to, 2), ':') + 3));
    }
    return false;
}

/* "papaver/1.0 (+https://...)": whoever finds us in a log can ask. */
static pap_result user_agent(struct running *r, const char **ret)
{
    struct uri u;
    size_t at;
    const char *why, *contact = r->o->contact;
    if (!contact && stays_here(&r->o->network))
        return OK;
    if (!contact)
        return fail(
            r->err, PAP_USAGE,
            "--contact is missing: a page (https://...) or an address (mailto:...) where those who are asked can "
            "ask back; it stands in every request");
    struct pap_str c = str_c(contact);
    bool mail = str_starts(c, S("mailto:")) && str_find_char(c, '@') < c.n;
    if (!uri_parse(c, &u, &at, &why) || !(mail || (str_eq_nocase(u.scheme, S("https")) && u.host.n)) ||
        str_find_char(c, ')') < c.n || c.n > LIMIT_QUOTE)
        return fail(r->err, PAP_USAGE, "the contact \"%.*s\" is neither an https:// nor a mailto: URL",
                    PSTR(str_take(c, LIMIT_QUOTE)));
    struct pap_str text = arena_fmt(&r->census->arena, "papaver/%s (+%s)", PAP_VERSION, contact);
    *ret = text.p;
    return text.p ? OK : fail_memory(r->err);
}

/* One thread is enough for the default; each more is for a rate that one alone would not reach. */
static unsigned count_lanes(const struct pap_census_run *o, uint32_t jobs)
{
    uint32_t rate = o->rate ? o->rate : RATE;
    unsigned n = o->threads ? o->threads : o->unlimited ? cores() : rate / RATE_OF_LANE + 1;
    n = !o->threads && n > cores() ? cores() : n;
    n = n > LANES_MOST ? LANES_MOST : n;
    n = !o->unlimited && n > rate ? rate : n;
    return n > jobs ? jobs : n;
}

static pap_result start_lanes(struct running *r)
{
    const struct pap_census_run *o = r->o;
    struct survey_options so = {.check = &r->check, .first_only = true, .commons = &r->commons};
    uint32_t jobs = !o->jobs ? JOBS : o->jobs > JOBS_MOST ? JOBS_MOST : o->jobs;
    unsigned n = count_lanes(o, jobs);
    r->check = (struct pap_check_options){.alloc = r->census->o.alloc,
                                          .only = o->only,
                                          .skip = o->skip,
                                          .insecure_http = o->insecure_http,
                                          .jobs = (jobs + n - 1) / n,
                                          .network = o->network};
    if (o->network.proxy)
        return fail(r->err, PAP_USAGE, "a census goes through no proxy: nobody would see whose addresses are asked");
    TRY(user_agent(r, &so.manners.user_agent));
    if (o->unlimited && !stays_here(&o->network))
        return fail(r->err, PAP_USAGE, "without limits only this machine is asked: --connect-to ::127.0.0.1:PORT");
    if (!o->unlimited) {
        uint32_t rate = o->rate ? o->rate : RATE;
        so.manners.rate = rate / n ? rate / n : 1;
        so.manners.per_address = o->per_address ? o->per_address : PER_ADDRESS;
    }
    r->claim = 2 * (size_t)jobs;
    return lanes_start(r, &so, n, r->err);
}

static void init(struct running *r)
{
    pthread_condattr_t monotonic;
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&r->lock, NULL);
    (void)pthread_cond_init(&r->work, &monotonic);
    (void)pthread_cond_init(&r->news, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    commons_init(&r->commons);
    arena_init(&r->arena, r->census->o.alloc);
    arena_init(&r->batches[0].arena, r->census->o.alloc);
    arena_init(&r->batches[1].arena, r->census->o.alloc);
    r->fill = &r->batches[0];
    r->progress.left_seconds = -1;
    r->told_ms = r->counted_ms = r->kept_ms = r->renewed_ms = ms(r);
}

static void fini(struct running *r)
{
    lanes_stop(r);
    arena_fini(&r->batches[0].arena);
    arena_fini(&r->batches[1].arena);
    arena_fini(&r->arena);
    commons_fini(&r->commons);
    (void)pthread_cond_destroy(&r->work);
    (void)pthread_cond_destroy(&r->news);
    (void)pthread_mutex_destroy(&r->lock);
}

pap_result pap_census_run(struct pap_census *census, const struct pap_census_run *run, struct pap_census_progress *ret,
                          struct pap_err *err)
{
    struct running *r = alloc_resize(census->o.alloc, NULL, 0, sizeof *r);
    if (!r)
        return fail_memory(err);
    memset(r, 0, sizeof *r);
    r->census = census;
    r->o = run;
    r->err = err;
    init(r);
    pap_result x = start_lanes(r);
    if (is_ok(x))
        x = loop(r);
    if (is_ok(x))
        *ret = r->progress;
    fini(r);
    (void)alloc_resize(census->o.alloc, r, sizeof *r, 0);
    return x;
}
