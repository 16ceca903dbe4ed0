/* SPDX-License-Identifier: Apache-2.0 */
#include "census/lanes.h"

#include <signal.h>
#include <string.h>

enum { BUSY_MS = 1000 /* until a busy address is tried again */ };

void line_push(struct line *l, struct ours *o)
{
    o->next = NULL;
    if (l->last)
        l->last->next = o;
    else
        l->first = o;
    l->last = o;
    l->n++;
}

struct ours *line_pop(struct line *l)
{
    struct ours *o = l->first;
    l->first = o->next;
    if (!l->first)
        l->last = NULL;
    l->n--;
    return o;
}

size_t lanes_open(const struct running *r)
{
    return r->waiting.n + r->busy.n + r->under_way;
}

static int64_t ms(const struct running *r)
{
    return r->census->clock.monotonic_ms(&r->census->clock);
}

/* A step's time at most; under the lock. */
static void wait_for(struct running *r, pthread_cond_t *what)
{
    int64_t until = ms(r) + STEP_MS;
    struct timespec at = {.tv_sec = (time_t)(until / 1000), .tv_nsec = (long)(until % 1000) * 1000000};
    (void)pthread_cond_timedwait(what, &r->lock, &at);
}

/* ---- what came ---- */

static bool is_failure(enum census_outcome o)
{
    return o == CENSUS_NO_NAME || o == CENSUS_UNREACHABLE || o == CENSUS_TIMEOUT || o == CENSUS_TLS ||
           o == CENSUS_FAILED;
}

static uint64_t count_hops(const struct bundle *b)
{
    uint64_t n = 0;
    for (const struct doc *d = b->docs; d; d = d->next)
        if (d->exchange && (!d->from || d->exchange != d->from->exchange))
            n += d->exchange->n_hops;
    return n;
}

bool batch_is_full(const struct batch *b)
{
    return b->n == KEEP_MOST || b->arena.total > LIMIT_CENSUS_HELD;
}

static pap_result take_result(struct running *r, const struct surveyed *s, struct pap_err *err)
{
    struct ours *o = s->tag;
    const struct bundle *b = s->target->bundle;
    while (batch_is_full(r->fill) && !r->over)
        wait_for(r, &r->work);
    if (r->over)
        return OK;
    struct census_result *k = &r->fill->results[r->fill->n];
    *k = (struct census_result){
        .id = o->due.id, .lease = o->due.lease, .at = r->census->clock.unix_seconds(&r->census->clock)};
    TRY(facts_of(&r->fill->arena, s->target, s->published, o->due.was_good, k, err));
    when_again(&o->due, o->claimed_at, r->o->every ? r->o->every : CENSUS_DAY,
               when_wanted(b->first ? b->first->exchange : NULL, k->at), k);
    r->done++;
    r->requests += count_hops(b);
    r->publishing += k->outcome == CENSUS_PUBLISHES;
    r->failed += is_failure(k->outcome);
    r->fill->of[r->fill->n++] = o;
    return OK;
}

static pap_result on_end(void *ctx, const struct surveyed *s, struct pap_err *err)
{
    struct running *r = ctx;
    struct ours *o = s->tag;
    pap_result x = OK;
    (void)pthread_mutex_lock(&r->lock);
    if (s->busy) {
        o->not_before_ms = ms(r) + BUSY_MS;
        line_push(&r->busy, o);
    } else {
        x = take_result(r, s, err);
    }
    r->under_way--;
    if (r->waiting.n <= (size_t)r->check.jobs * r->n_lanes / 2 || batch_is_full(r->fill)) {
        r->has_news = true;
        (void)pthread_cond_signal(&r->news);
    }
    (void)pthread_mutex_unlock(&r->lock);
    return x;
}

/* ---- the threads ---- */

static struct ours *next_one(struct running *r)
{
    if (r->busy.first && r->busy.first->not_before_ms <= ms(r))
        return line_pop(&r->busy);
    return r->waiting.first ? line_pop(&r->waiting) : NULL;
}

/* Under the lock, which is not held while the network is waited for. */
static pap_result lane_turn(struct lane *l, struct pap_err *err)
{
    struct running *r = l->run;
    struct ours *o;
    while (survey_under_way(l->survey) < r->check.jobs && (o = next_one(r))) {
        r->under_way++;
        TRY(survey_start(l->survey, o->due.name, o, err));
    }
    if (!survey_under_way(l->survey)) {
        wait_for(r, &r->work);
        return OK;
    }
    (void)pthread_mutex_unlock(&r->lock);
    pap_result x = survey_step(l->survey, STEP_MS, err);
    (void)pthread_mutex_lock(&r->lock);
    return x;
}

static void *lane_run(void *p)
{
    struct lane *l = p;
    struct running *r = l->run;
    (void)pthread_mutex_lock(&r->lock);
    while (!r->over) {
        struct pap_err why = {.text = ""};
        pap_result x = lane_turn(l, &why);
        if (is_ok(x))
            continue;
        if (is_ok(r->result)) {
            r->result = x;
            r->why = why;
        }
        r->over = r->has_news = true;
        (void)pthread_cond_signal(&r->news);
    }
    (void)pthread_cond_broadcast(&r->work);
    (void)pthread_mutex_unlock(&r->lock);
    return NULL;
}

pap_result lanes_start(struct running *r, const struct survey_options *o, unsigned n, struct pap_err *err)
{
    struct survey_options so = *o;
    sigset_t all, before;
    so.done = on_end;
    so.ctx = r;
    (void)sigfillset(&all); /* signals are for the thread that called */
    for (; r->n_lanes < n; r->n_lanes++) {
        struct lane *l = &r->lanes[r->n_lanes];
        l->run = r;
        TRY(survey_new(&so, &l->survey, err));
    }
    for (unsigned i = 0; i < n; i++) {
        (void)pthread_sigmask(SIG_SETMASK, &all, &before);
        int why = pthread_create(&r->lanes[i].thread, NULL, lane_run, &r->lanes[i]);
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
        r->lanes[i].started = why == 0;
        if (why)
            return fail(err, PAP_IO, "cannot start a thread: %s", strerror(why));
    }
    return OK;
}

void lanes_stop(struct running *r)
{
    (void)pthread_mutex_lock(&r->lock);
    r->over = true;
    (void)pthread_cond_broadcast(&r->work);
    (void)pthread_mutex_unlock(&r->lock);
    for (unsigned i = 0; i < LANES_MOST; i++) {
        struct lane *l = &r->lanes[i];
        if (l->started)
            (void)pthread_join(l->thread, NULL);
        l->started = false;
        survey_free(l->survey);
        l->survey = NULL;
    }
}

pap_result lanes_wait(struct running *r, struct pap_err *err)
{
    (void)pthread_mutex_lock(&r->lock);
    if (!r->has_news)
        wait_for(r, &r->news);
    r->has_news = false;
    pap_result x = r->result;
    if (!is_ok(x) && err)
        *err = r->why;
    (void)pthread_mutex_unlock(&r->lock);
    return x;
}
