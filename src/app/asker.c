/* SPDX-License-Identifier: Apache-2.0 */
#include "app/asker.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "host/answer.h"
#include "net/client.h"
#include "net/later.h"
#include "text/host.h"
#include "text/json_write.h"
#include "text/uri.h"

enum {
    ASKERS = 8,         /* asked at a time */
    WAITING_MOST = 256, /* requests that wait for their turn; more are refused */
    ASK_MS = 3000,      /* for an answer, and as much for the turn */
    ANSWER_MOST = 64 * 1024
};

/* A request that waits: a copy, and the tree that it began with. */
struct job {
    struct job *next;
    struct arena arena; /* of everything, this struct too */
    const char *url;
    struct pap_str body; /* what is asked */
    struct generation *generation;
    struct http_request request;
    struct later *later;
    int64_t until; /* its turn has to come before, monotonic milliseconds */
};

struct asker_thread {
    struct asker *asker;
    struct transport *transport;
    pthread_t thread;
    bool started;
};

struct asker {
    struct asker_options o;
    pthread_mutex_t lock;
    pthread_cond_t news;
    struct job *first, *last;
    size_t n_waiting;
    atomic_bool stopping;
    struct asker_thread threads[ASKERS];
};

/* ---- asking ---- */

pap_result asker_check_url(const char *url, struct pap_err *err)
{
    struct uri u;
    size_t at;
    const char *why = NULL;
    if (!uri_parse(str_c(url), &u, &at, &why) || !u.scheme.p || !uri_is_web(&u, &why))
        return fail(err, PAP_USAGE, "%s is no URL that can be asked: %s", url, why ? why : "it is not absolute");
    if (str_eq_nocase(u.scheme, S("http")) && !host_is_loopback(u.host))
        return fail(err, PAP_USAGE, "%s: credentials go over https, or to this machine", url);
    return OK;
}

static void see_status(void *ctx, const struct exchange *x)
{
    *(int *)ctx = x->fault == FAULT_NONE ? exchange_status(x) : 0;
}

static enum verdict verdict_of(int status)
{
    return status == 200 || status == 204 ? VERDICT_YES
           : status == 401                ? VERDICT_NOBODY
           : status == 403                ? VERDICT_NOT_YOU
                                          : VERDICT_FAILED;
}

static pap_result open_transport(struct asker_thread *t, struct pap_err *err)
{
    const struct client_options o = {
        .alloc = t->asker->o.alloc,
        .clock = &clock_system,
        .insecure_http = true, /* to this machine alone */
        .timeout_ms = ASK_MS,
        .jobs = 1,
        .cacert = t->asker->o.cacert,
    };
    return t->transport ? OK : client_new(&o, &t->transport, err);
}

static void close_transport(struct asker_thread *t)
{
    if (t->transport)
        t->transport->free(t->transport);
    t->transport = NULL;
}

static enum verdict ask(struct asker_thread *t, struct job *job)
{
    struct budget budget;
    int status = 0;
    if (!is_ok(open_transport(t, NULL)))
        return VERDICT_FAILED;
    const struct request r = {.method = "POST",
                              .url = str_c(job->url),
                              .accept = "application/json",
                              .content_type = "application/json",
                              .body = job->body,
                              .cap = ANSWER_MOST,
                              .identity = true};
    budget_init(&budget, &job->arena, S(""), clock_system.monotonic_ms(&clock_system));
    if (!is_ok(t->transport->start(t->transport, &job->arena, &r, &budget, see_status, &status)))
        return VERDICT_FAILED;
    while (t->transport->pending(t->transport))
        if (!is_ok(t->transport->step(t->transport, ASK_MS, NULL))) {
            close_transport(t); /* it knows the job still */
            return VERDICT_FAILED;
        }
    return verdict_of(status);
}

/* ---- answering ---- */

static void answer(struct asker *a, struct job *job, enum verdict verdict)
{
    struct http_response r = {.arena = &job->arena, .file = -1};
    host_answer_told(job->generation, &job->request, &verdict, &r);
    later_begin(job->later, r.status, r.headers, r.n_headers, false);
    (void)later_write(job->later, r.body);
    if (a->o.answered)
        a->o.answered(a->o.ctx, r.status);
    later_end(job->later);
    if (r.release)
        r.release(r.release_ctx);
}

static void job_free(struct job *job)
{
    struct arena arena = job->arena; /* the job itself lies in it */
    generation_drop(job->generation);
    arena_fini(&arena);
}

static struct job *take_job(struct asker *a)
{
    (void)pthread_mutex_lock(&a->lock);
    while (!a->first && !a->stopping)
        (void)pthread_cond_wait(&a->news, &a->lock);
    struct job *job = a->first;
    if (job) {
        a->first = job->next;
        a->last = job->next ? a->last : NULL;
        a->n_waiting--;
    }
    (void)pthread_mutex_unlock(&a->lock);
    return job;
}

static void *run(void *thread)
{
    struct asker_thread *t = thread;
    for (struct job *job; (job = take_job(t->asker));) {
        bool in_time = clock_system.monotonic_ms(&clock_system) < job->until && !t->asker->stopping;
        answer(t->asker, job, in_time && !later_is_gone(job->later) ? ask(t, job) : VERDICT_FAILED);
        job_free(job);
    }
    return NULL;
}

/* ---- what waits ---- */

static bool copy_str(struct arena *a, struct pap_str *s)
{
    if (s->p)
        *s = arena_str(a, *s);
    else
        return true;
    return s->p != NULL;
}

static bool copy_request(struct job *job, const struct http_request *q)
{
    struct arena *a = &job->arena;
    struct header *headers = arena_new_array(a, q->n_headers, struct header);
    bool fine = headers != NULL;
    job->request = *q;
    job->request.headers = headers;
    job->request.body = str(NULL, 0);
    for (size_t i = 0; fine && i < q->n_headers; i++) {
        headers[i] = q->headers[i];
        fine = copy_str(a, &headers[i].name) && copy_str(a, &headers[i].value);
    }
    struct pap_str *parts[] = {&job->request.peer, &job->request.scheme, &job->request.method,   &job->request.target,
                               &job->request.path, &job->request.query,  &job->request.authority};
    for (size_t i = 0; fine && i < sizeof parts / sizeof parts[0]; i++)
        fine = copy_str(a, parts[i]);
    return fine;
}

/* {"site": "shop.example", "scopes": ["staff"], "authorization": "Bearer ..."} */
static struct pap_str write_question(struct arena *a, const struct question *q)
{
    struct buf b;
    struct json_writer w;
    buf_init(&b, a->alloc, 4 * LIMIT_HTTP_HEAD + 8 * LIMIT_HOST_SCOPES * LIMIT_SCOPE_NAME);
    json_writer_init(&w, &b, 0);
    json_object_begin(&w);
    json_write_key(&w, "site");
    json_write_cstr(&w, q->access->site);
    json_write_key(&w, "scopes");
    json_array_begin(&w);
    for (size_t i = 0; i < q->access->n; i++)
        if (q->scopes >> i & 1)
            json_write_str(&w, q->access->scopes[i].name);
    json_array_end(&w);
    json_write_key(&w, "authorization");
    json_write_str(&w, q->credential);
    json_object_end(&w);
    struct pap_str text = buf_ok(&b) ? arena_str(a, buf_str(&b)) : str(NULL, 0);
    buf_fini(&b);
    return text;
}

static struct job *job_new(const struct asked *to, const struct question *q)
{
    struct arena arena;
    arena_init(&arena, to->asker->o.alloc);
    struct job *job = arena_new(&arena, struct job);
    if (!job) {
        arena_fini(&arena);
        return NULL;
    }
    *job = (struct job){.arena = arena, .url = to->url};
    job->generation = generation_keep(q->asking->generation);
    job->until = clock_system.monotonic_ms(&clock_system) + ASK_MS;
    job->body = write_question(&job->arena, q);
    if (job->body.p && copy_request(job, q->asking->request) && (job->later = later_new(to->asker->o.alloc)))
        return job;
    job_free(job);
    return NULL;
}

enum verdict asker_ask(void *ctx, const struct question *q)
{
    const struct asked *to = ctx;
    struct asker *a = to->asker;
    struct job *job = NULL;
    (void)pthread_mutex_lock(&a->lock);
    bool room = a->n_waiting < WAITING_MOST && !a->stopping;
    a->n_waiting += room;
    (void)pthread_mutex_unlock(&a->lock);
    if (room)
        job = job_new(to, q);
    if (job)
        q->asking->response->later = job->later; /* before anybody can answer it */
    (void)pthread_mutex_lock(&a->lock);
    if (job) {
        *(a->last ? &a->last->next : &a->first) = job;
        a->last = job;
        (void)pthread_cond_signal(&a->news);
    } else {
        a->n_waiting -= room;
    }
    (void)pthread_mutex_unlock(&a->lock);
    return job ? VERDICT_LATER : VERDICT_FAILED;
}

/* ---- start and end ---- */

static pap_result start_thread(struct asker *a, struct asker_thread *t, struct pap_err *err)
{
    sigset_t all, before; /* signals are for the thread that called */
    t->asker = a;
    TRY(open_transport(t, err)); /* here: libcurl's start is of one thread */
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    t->started = pthread_create(&t->thread, NULL, run, t) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return t->started ? OK : fail(err, PAP_IO, "cannot start a thread");
}

pap_result asker_new(const struct asker_options *o, struct asker **ret, struct pap_err *err)
{
    struct asker *a = alloc_resize(o->alloc, NULL, 0, sizeof *a);
    if (!a)
        return fail_memory(err);
    *a = (struct asker){.o = *o};
    (void)pthread_mutex_init(&a->lock, NULL);
    (void)pthread_cond_init(&a->news, NULL);
    for (size_t i = 0; i < ASKERS; i++) {
        pap_result r = start_thread(a, &a->threads[i], err);
        if (!is_ok(r)) {
            asker_free(a);
            return r;
        }
    }
    *ret = a;
    return OK;
}

void asker_free(struct asker *a)
{
    if (!a)
        return;
    (void)pthread_mutex_lock(&a->lock);
    a->stopping = true;
    (void)pthread_cond_broadcast(&a->news);
    (void)pthread_mutex_unlock(&a->lock);
    for (size_t i = 0; i < ASKERS; i++) {
        if (a->threads[i].started)
            (void)pthread_join(a->threads[i].thread, NULL);
        close_transport(&a->threads[i]);
    }
    (void)pthread_cond_destroy(&a->news);
    (void)pthread_mutex_destroy(&a->lock);
    (void)alloc_resize(a->o.alloc, a, sizeof *a, 0);
}
