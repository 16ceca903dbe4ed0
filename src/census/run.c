/* SPDX-License-Identifier: Apache-2.0
 *
 * The run: claims what is due, asks, keeps what came. What was claimed is ours for a while only, and what is kept is kept
 * with the end of that in one transaction, so that a kill at any moment loses nothing but work.
 */
#include "census/inside.h"
#include "sys/process.h"
#include "text/host.h"
#include "text/uri.h"

enum {
    JOBS = 32,
    RATE = 50,
    PER_ADDRESS = 10,
    DAY = 86400,
    LEASE = 300, /* seconds; a check takes one minute at most, and who lives renews */
    RENEW_MS = 60000,
    CLAIM_MOST = 2000,
    KEEP_MOST = 1000, /* results of one transaction ... */
    KEEP_MS = 1000,   /* ... and how long one waits for it */
    STEP_MS = 100,
    BUSY_MS = 1000, /* until a busy address is tried again */
    SNAPSHOT_MS = 3600 * 1000,
    PEEK_MS = 1000 /* how often the database is asked whether something is due */
};

/* A domain of ours, from the claim until its result is kept. */
struct ours {
    struct ours *next; /* in one of the lists below */
    struct census_due due;
    int64_t claimed_at, not_before_ms;
    char name[256];
};

struct line {
    struct ours *first, *last;
    size_t n;
};

struct running {
    struct pap_census *census;
    const struct pap_census_run *o;
    struct pap_check_options check;
    struct survey *survey;
    struct arena arena; /* of the run: what is ours comes from here and goes round */
    struct ours *spare;
    struct line waiting; /* claimed, not begun */
    struct line busy;    /* to be begun again in a moment: their address is */
    struct arena kept;   /* results that are not in the database yet */
    struct census_result results[KEEP_MOST];
    struct ours *of[KEEP_MOST];
    size_t n_results;
    size_t claim; /* how many to claim next */
    int64_t kept_ms, renewed_ms, claimed_ms;
    struct pap_census_progress progress;
    int64_t told_ms, counted_ms;
    uint64_t told_done;
    bool nothing_due, stop;
    struct pap_err *err;
};

static int64_t ms(const struct running *r)
{
    return r->census->clock.monotonic_ms(&r->census->clock);
}

static int64_t seconds(const struct running *r)
{
    return r->census->clock.unix_seconds(&r->census->clock);
}

static void push(struct line *l, struct ours *o)
{
    o->next = NULL;
    if (l->last)
        l->last->next = o;
    else
        l->first = o;
    l->last = o;
    l->n++;
}

static struct ours *pop(struct line *l)
{
    struct ours *o = l->first;
    l->first = o->next;
    if (!l->first)
        l->last = NULL;
    l->n--;
    return o;
}

/* ---- results ---- */

static pap_result keep_results(struct running *r)
{
    struct census_finished f;
    r->kept_ms = ms(r);
    if (!r->n_results)
        return OK;
    TRY(census_finish(r->census->store, r->results, r->n_results, &f, r->err));
    r->progress.changed += f.changed;
    for (size_t i = 0; i < r->n_results; i++) {
        r->of[i]->next = r->spare;
        r->spare = r->of[i];
    }
    r->n_results = 0;
    arena_reset(&r->kept);
    return OK;
}

static bool is_failure(enum census_outcome o)
{
    return o == CENSUS_NO_NAME || o == CENSUS_UNREACHABLE || o == CENSUS_TIMEOUT || o == CENSUS_TLS ||
           o == CENSUS_FAILED;
}

static pap_result tell_seen(struct running *r, const struct ours *o, const struct census_result *k)
{
    struct pap_str version = str(NULL, 0);
    const char *name = arena_cstr(&r->kept, o->due.name);
    if (k->outcome == CENSUS_PUBLISHES)
        version = k->summary.version;
    const char *text = arena_cstr(&r->kept, version);
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

static uint64_t count_hops(const struct bundle *b)
{
    uint64_t n = 0;
    for (const struct doc *d = b->docs; d; d = d->next)
        if (d->exchange && (!d->from || d->exchange != d->from->exchange))
            n += d->exchange->n_hops;
    return n;
}

static pap_result on_end(void *ctx, const struct surveyed *s, struct pap_err *err)
{
    struct running *r = ctx;
    struct ours *o = s->tag;
    const struct bundle *b = s->target->bundle;
    if (s->busy) {
        o->not_before_ms = ms(r) + BUSY_MS;
        push(&r->busy, o);
        return OK;
    }
    struct census_result *k = &r->results[r->n_results];
    *k = (struct census_result){.id = o->due.id, .lease = o->due.lease, .at = seconds(r)};
    TRY(facts_of(&r->kept, s->target, s->published, o->due.was_good, k, err));
    when_again(&o->due, o->claimed_at, r->o->every ? r->o->every : DAY,
               when_wanted(b->first ? b->first->exchange : NULL, k->at), k);
    r->progress.done++;
    r->progress.requests += count_hops(b);
    r->progress.publishing += k->outcome == CENSUS_PUBLISHES;
    r->progress.failed += is_failure(k->outcome);
    if (r->o->seen && (k->outcome == CENSUS_PUBLISHES || o->due.was_good))
        TRY(tell_seen(r, o, k));
    r->of[r->n_results++] = o;
    return r->n_results == KEEP_MOST || r->kept.total > LIMIT_CENSUS_HELD ? keep_results(r) : OK;
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

static pap_result take_over(struct running *r, const struct census_due *due, int64_t now)
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
    push(&r->waiting, o);
    return OK;
}

/* More and more at once while they are used up within a second or so: few claims where it is fast, little held where it is
 * slow. */
static pap_result claim(struct running *r)
{
    struct census_batch batch;
    struct arena a;
    int64_t now = seconds(r), since = ms(r) - r->claimed_ms;
    if (r->claimed_ms && since < 1000 && !r->nothing_due)
        r->claim = r->claim * 2 < CLAIM_MOST ? r->claim * 2 : CLAIM_MOST;
    else if (since > 4000 && r->claim > 2 * (size_t)r->check.jobs)
        r->claim /= 2;
    arena_init(&a, r->census->o.alloc);
    pap_result x = census_claim(r->census->store, &a, r->census->owner, now, now + LEASE, r->claim, &batch, r->err);
    for (size_t i = 0; is_ok(x) && i < batch.n; i++)
        x = take_over(r, &batch.due[i], now);
    r->nothing_due = is_ok(x) && batch.n == 0;
    r->claimed_ms = ms(r);
    arena_fini(&a);
    return x;
}

static pap_result begin_some(struct running *r)
{
    int64_t now = ms(r);
    while (survey_under_way(r->survey) < r->check.jobs) {
        bool again = r->busy.first && r->busy.first->not_before_ms <= now;
        if (!again && !r->waiting.first)
            return OK;
        struct ours *o = pop(again ? &r->busy : &r->waiting);
        TRY(survey_start(r->survey, o->due.name, o, r->err));
    }
    return OK;
}

/* What is ours and has not ended. */
static size_t open_ones(const struct running *r)
{
    return r->waiting.n + r->busy.n + survey_under_way(r->survey);
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
    bool look = !r->nothing_due || ms(r) - r->claimed_ms >= PEEK_MS;
    return look && r->waiting.n <= r->check.jobs / 2 && r->busy.n < CLAIM_MOST ? claim(r) : OK;
}

static pap_result turn(struct running *r, bool *ret_over)
{
    uint64_t before = r->progress.done;
    TRY(claim_when_needed(r));
    TRY(begin_some(r));
    if (survey_under_way(r->survey))
        TRY(survey_step(r->survey, STEP_MS, r->err));
    else if (open_ones(r) || r->o->stay)
        clock_sleep_ms(STEP_MS);
    uint64_t ended = r->progress.done - before;
    r->progress.left -= ended < r->progress.left ? ended : r->progress.left;
    if (!open_ones(r) || ms(r) - r->kept_ms >= KEEP_MS)
        TRY(keep_results(r));
    r->progress.waiting = r->nothing_due && !open_ones(r);
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

static pap_result open_survey(struct running *r)
{
    const struct pap_census_run *o = r->o;
    struct survey_options so = {.check = &r->check, .first_only = true, .done = on_end, .ctx = r};
    r->check = (struct pap_check_options){.alloc = r->census->o.alloc,
                                          .only = o->only,
                                          .skip = o->skip,
                                          .insecure_http = o->insecure_http,
                                          .jobs = o->jobs ? o->jobs : JOBS,
                                          .network = o->network};
    if (o->network.proxy)
        return fail(r->err, PAP_USAGE, "a census goes through no proxy: nobody would see whose addresses are asked");
    TRY(user_agent(r, &so.manners.user_agent));
    if (o->unlimited && !stays_here(&o->network))
        return fail(r->err, PAP_USAGE, "without limits only this machine is asked: --connect-to ::127.0.0.1:PORT");
    if (!o->unlimited) {
        so.manners.rate = o->rate ? o->rate : RATE;
        so.manners.per_address = o->per_address ? o->per_address : PER_ADDRESS;
    }
    r->claim = 2 * (size_t)r->check.jobs;
    return survey_new(&so, &r->survey, r->err);
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
    r->progress.left_seconds = -1;
    r->told_ms = r->counted_ms = r->kept_ms = r->renewed_ms = ms(r);
    arena_init(&r->arena, census->o.alloc);
    arena_init(&r->kept, census->o.alloc);
    pap_result x = open_survey(r);
    if (is_ok(x))
        x = loop(r);
    if (is_ok(x))
        *ret = r->progress;
    survey_free(r->survey);
    arena_fini(&r->kept);
    arena_fini(&r->arena);
    (void)alloc_resize(census->o.alloc, r, sizeof *r, 0);
    return x;
}
