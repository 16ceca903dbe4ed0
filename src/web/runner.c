/* SPDX-License-Identifier: Apache-2.0
 *
 * The thread that makes the checks, and the queue in front of it.
 */
#include "web/runner.h"

#include "web/kept.h"
#include "web/runner_inside.h"

enum {
    JOBS = 8,
    STEP_MS = 50,
    QUEUE_MOST = 200,    /* domains that wait for a place */
    WAITERS_MOST = 1000, /* visitors who wait */
    WAITERS_OF_ONE = 8,
    PUT_PATIENCE_MS = 5000
};

/* ---- called by the workers ---- */

static struct job *find_job(struct job *j, enum runner_task task, struct pap_str name)
{
    while (j && (j->task != task || !str_is(name, j->name)))
        j = j->next;
    return j;
}

static size_t waits_of(const struct job *j, const struct limiter_key *visitor)
{
    size_t n = 0;
    for (; j; j = j->next)
        for (const struct waiter *w = j->waiters; w; w = w->next)
            n += memcmp(&w->visitor, visitor, sizeof *visitor) == 0 && !later_is_gone(w->later);
    return n;
}

/* The job of that name, or a new one in the queue; NULL: there is no room, or no memory (then *ret_full is false). */
static struct job *join_job(struct runner *r, enum runner_task task, struct pap_str name, bool *ret_full)
{
    struct job *j = find_job(r->queue, task, name);
    j = j ? j : find_job(r->under_way, task, name);
    *ret_full = !j && r->n_queue >= QUEUE_MOST;
    if (j || *ret_full)
        return j;
    j = alloc_resize(r->o.alloc, NULL, 0, sizeof *j);
    if (!j)
        return NULL;
    *j = (struct job){.runner = r, .task = task};
    memcpy(j->name, name.p, name.n);
    *(r->queue ? &r->last->next : &r->queue) = j;
    r->last = j;
    r->n_queue++;
    return j;
}

static enum runner_said ask(struct runner *r, enum runner_task task, struct pap_str name, struct waiter *w)
{
    bool full = r->stop || r->n_waiters >= WAITERS_MOST ||
                waits_of(r->queue, &w->visitor) + waits_of(r->under_way, &w->visitor) >= WAITERS_OF_ONE;
    struct job *j = full ? NULL : join_job(r, task, name, &full);
    if (!j)
        return full ? RUNNER_FULL : RUNNER_NO_MEMORY;
    static const struct header fields[] = {{S_INIT("Content-Type"), S_INIT("text/event-stream")},
                                           {S_INIT("Cache-Control"), S_INIT("no-store")},
                                           {S_INIT("X-Content-Type-Options"), S_INIT("nosniff")},
                                           {S_INIT("X-Accel-Buffering"), S_INIT("no")}};
    if (w->form == RUNNER_EVENTS)
        later_begin(w->later, 200, fields, sizeof fields / sizeof fields[0], true);
    w->next = j->waiters;
    j->waiters = w;
    r->n_waiters++;
    (void)pthread_cond_signal(&r->wake);
    return RUNNER_TAKEN;
}

enum runner_said runner_ask(struct runner *r, enum runner_task task, struct pap_str name, enum runner_form form,
                            const struct limiter_key *visitor, struct later **ret)
{
    struct waiter *w = name.n <= NAME_MOST ? alloc_resize(r->o.alloc, NULL, 0, sizeof *w) : NULL;
    struct later *l = w ? later_new(r->o.alloc) : NULL;
    if (!l) {
        (void)alloc_resize(r->o.alloc, w, sizeof *w, 0);
        return RUNNER_NO_MEMORY;
    }
    *w = (struct waiter){.later = l, .form = form, .visitor = *visitor};
    (void)pthread_mutex_lock(&r->lock);
    enum runner_said said = ask(r, task, name, w);
    (void)pthread_mutex_unlock(&r->lock);
    if (said != RUNNER_TAKEN) { /* nobody will answer it, and no connection has it */
        later_end(l);
        later_leave(l);
        (void)alloc_resize(r->o.alloc, w, sizeof *w, 0);
        return said;
    }
    *ret = l;
    return said;
}

/* ---- the thread ---- */

void job_end(struct runner *r, struct job *j, enum runner_trouble trouble)
{
    struct job **at = &r->under_way;
    (void)pthread_mutex_lock(&r->lock);
    tell_end(r, j, trouble);
    while (*at != j)
        at = &(*at)->next;
    *at = j->next;
    r->n_under_way--;
    (void)pthread_mutex_unlock(&r->lock);
    j->next = r->ended;
    r->ended = j;
}

static void free_ended(struct runner *r)
{
    while (r->ended) {
        struct job *j = r->ended;
        r->ended = j->next;
        txt_free(j->txt);
        arena_fini(&j->arena);
        (void)alloc_resize(r->o.alloc, j, sizeof *j, 0);
    }
}

static pap_result keep(struct runner *r, const struct job *j, const struct surveyed *s, struct pap_err *err)
{
    struct arena scratch;
    bool out = false;
    arena_init(&scratch, r->o.alloc);
    pap_result result = census_is_out(r->census, str_c(j->name), &out, err);
    if (is_ok(result) && !out)
        result = kept_put(r->census, &scratch, str_c(j->name), s->target, s->published,
                          r->o.clock->unix_seconds(r->o.clock), err);
    arena_fini(&scratch);
    return result;
}

static pap_result ended(void *ctx, const struct surveyed *s, struct pap_err *err)
{
    struct runner *r = ctx;
    struct job *j = s->tag;
    enum runner_trouble trouble = j->refused ? RUNNER_ASKED_OFTEN : RUNNER_FINE;
    if (!trouble && !is_ok(keep(r, j, s, err)))
        trouble = RUNNER_NOT_KEPT;
    job_end(r, j, trouble);
    return OK;
}

static pap_result open_survey(struct runner *r, struct pap_err *err)
{
    const struct survey_options o = {.check = &r->check, .transport = &r->telling.base, .done = ended, .ctx = r};
    TRY(runner_open(r, err));
    return survey_new(&o, &r->survey, err);
}

static void close_survey(struct runner *r)
{
    runner_close(r); /* first: it looks at what the survey owns */
    survey_free(r->survey);
    r->survey = NULL;
}

/* Everybody hears that it did not work; `queued`: those in the queue, too. */
static void end_all(struct runner *r, enum runner_trouble trouble, bool queued)
{
    (void)pthread_mutex_lock(&r->lock);
    while (queued && r->queue) {
        struct job *j = r->queue;
        r->queue = j->next;
        r->n_queue--;
        j->next = r->under_way;
        r->under_way = j;
        r->n_under_way++;
    }
    (void)pthread_mutex_unlock(&r->lock);
    while (r->under_way)
        job_end(r, r->under_way, trouble);
    free_ended(r);
}

/* Takes the next of the queue; waits for one when nothing is under way. NULL: none now, or the end. */
static struct job *next_job(struct runner *r, bool *ret_stop)
{
    struct job *j = NULL;
    (void)pthread_mutex_lock(&r->lock);
    while (!r->stop && !r->queue && !r->n_under_way)
        (void)pthread_cond_wait(&r->wake, &r->lock);
    *ret_stop = r->stop;
    if (!r->stop && r->queue && r->n_under_way < r->check.jobs) {
        j = r->queue;
        r->queue = j->next;
        r->n_queue--;
        j->next = r->under_way;
        r->under_way = j;
        r->n_under_way++;
    }
    (void)pthread_mutex_unlock(&r->lock);
    return j;
}

static pap_result begin(struct runner *r, struct job *j, struct pap_err *err)
{
    r->starting = j;
    pap_result result =
        j->task == RUNNER_CHECK ? survey_start(r->survey, str_c(j->name), j, err) : runner_prove(r, j, err);
    r->starting = NULL;
    return result;
}

static void *run(void *ctx)
{
    struct runner *r = ctx;
    struct pap_err err = {.text = ""};
    bool stop = false;
    while (!stop) {
        pap_result result = OK;
        for (struct job *j; is_ok(result) && (j = next_job(r, &stop)) != NULL;)
            result = begin(r, j, &err);
        if (stop)
            break;
        bool waited = is_ok(result) && runner_prove_step(r, STEP_MS);
        if (is_ok(result))
            result = survey_step(r->survey, waited ? 0 : STEP_MS, &err);
        free_ended(r);
        if (is_ok(result))
            continue;
        close_survey(r); /* before its jobs go: the transport still knows them */
        end_all(r, RUNNER_BROKE_OFF, false);
        stop = !is_ok(open_survey(r, &err));
    }
    (void)pthread_mutex_lock(&r->lock);
    r->stop = true;
    (void)pthread_mutex_unlock(&r->lock);
    close_survey(r);
    end_all(r, RUNNER_STOPPED, true);
    return NULL;
}

/* ---- start and stop ---- */

static pap_result ready(struct runner *r, struct pap_err *err)
{
    const struct db_options db = {.alloc = r->o.alloc, .where = r->o.database, .patience_ms = PUT_PATIENCE_MS};
    r->check = (struct pap_check_options){.alloc = r->o.alloc, .jobs = r->o.jobs ? r->o.jobs : JOBS};
    TRY(census_open(&db, &r->census, err));
    TRY(open_survey(r, err));
    if (pthread_create(&r->thread, NULL, run, r) != 0)
        return fail(err, PAP_IO, "no thread for the checks could be started");
    r->started = true;
    return OK;
}

pap_result runner_start(const struct runner_options *o, struct runner **ret, struct pap_err *err)
{
    struct runner *r = alloc_resize(o->alloc, NULL, 0, sizeof *r);
    if (!r)
        return fail_memory(err);
    *r = (struct runner){.o = *o, .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};
    pap_result result = ready(r, err);
    if (is_ok(result))
        *ret = r;
    else
        runner_stop(r);
    return result;
}

void runner_halt(struct runner *r)
{
    if (!r)
        return;
    (void)pthread_mutex_lock(&r->lock);
    r->stop = true;
    (void)pthread_cond_signal(&r->wake);
    (void)pthread_mutex_unlock(&r->lock);
    if (r->started)
        (void)pthread_join(r->thread, NULL);
    r->started = false;
}

void runner_stop(struct runner *r)
{
    if (!r)
        return;
    runner_halt(r);
    close_survey(r);
    limiter_free(r->hosts);
    limiter_free(r->domains);
    limiter_free(r->addresses);
    robots_free(r->robots);
    census_close(r->census);
    (void)pthread_cond_destroy(&r->wake);
    (void)pthread_mutex_destroy(&r->lock);
    (void)alloc_resize(r->o.alloc, r, sizeof *r, 0);
}
