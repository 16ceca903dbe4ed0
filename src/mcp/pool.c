/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads that run methods which wait for others, and the queue before them.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "mcp/inside.h"

void list_push(struct call_list *list, struct mcp_call *c)
{
    c->next = NULL;
    *(list->last ? &list->last->next : &list->first) = c;
    list->last = c;
    list->n++;
}

void list_take(struct call_list *list, struct mcp_call *c)
{
    struct mcp_call *before = NULL;
    for (struct mcp_call *at = list->first; at && at != c; at = at->next)
        before = at;
    *(before ? &before->next : &list->first) = c->next;
    if (list->last == c)
        list->last = before;
    list->n--;
}

/* The same JSON type, too: 1 is not "1". */
static bool id_is(const struct json *a, const struct json *b)
{
    return a && b && a->type == b->type && str_eq(json_str(a), json_str(b));
}

static struct mcp_call *find(const struct call_list *list, uint64_t client, const struct json *id)
{
    for (struct mcp_call *c = list->first; c; c = c->next)
        if (c->client == client && id_is(c->m.id, id))
            return c;
    return NULL;
}

bool pool_has_id(struct mcp *m, uint64_t client, const struct json *id)
{
    (void)pthread_mutex_lock(&m->lock);
    bool has = find(&m->queue, client, id) || find(&m->running, client, id) || find(&m->listening, client, id);
    (void)pthread_mutex_unlock(&m->lock);
    return has;
}

void pool_cancel(struct mcp *m, uint64_t client, const struct json *id)
{
    if (!client || !id)
        return;
    (void)pthread_mutex_lock(&m->lock);
    struct mcp_call *c = find(&m->queue, client, id);
    if (!c)
        c = find(&m->running, client, id);
    if (c)
        c->cancelled = true;
    struct mcp_call *listener = find(&m->listening, client, id);
    if (listener)
        list_take(&m->listening, listener);
    (void)pthread_mutex_unlock(&m->lock);
    if (listener) {
        listener->sink->finish(listener->sink, 200, str(NULL, 0));
        call_free(listener);
    }
}

/* Runs it on this thread, where mcp_progress() finds it. Takes over the lock. */
static void run_here(struct mcp *m, struct mcp_call *c)
{
    c->thread = pthread_self();
    list_push(&m->running, c);
    (void)pthread_mutex_unlock(&m->lock);
    call_run(c);
    (void)pthread_mutex_lock(&m->lock);
    list_take(&m->running, c); /* before it is answered: then its id may be used again */
    if (!m->queue.n && !m->running.n)
        (void)pthread_cond_broadcast(&m->idle);
    (void)pthread_mutex_unlock(&m->lock);
    call_finish(c, 200);
    call_free(c);
}

static void *work(void *ctx)
{
    struct mcp *m = ctx;
    (void)pthread_mutex_lock(&m->lock);
    for (;;) {
        while (!m->queue.n && !m->stops)
            (void)pthread_cond_wait(&m->work, &m->lock);
        struct mcp_call *c = m->queue.first;
        if (!c)
            break;
        list_take(&m->queue, c);
        m->queued_bytes -= c->text.n;
        run_here(m, c);
        (void)pthread_mutex_lock(&m->lock);
    }
    (void)pthread_mutex_unlock(&m->lock);
    return NULL;
}

void pool_run(struct mcp *m, struct mcp_call *c)
{
    (void)pthread_mutex_lock(&m->lock);
    if (!m->o.threads && !m->stops) {
        run_here(m, c);
        return;
    }
    bool room = m->queue.n < LIMIT_MCP_QUEUE && m->queued_bytes + c->text.n <= LIMIT_MCP_QUEUED && !m->stops;
    if (room) {
        list_push(&m->queue, c);
        m->queued_bytes += c->text.n;
        (void)pthread_cond_signal(&m->work);
    }
    (void)pthread_mutex_unlock(&m->lock);
    if (!room) {
        call_fail(c, MCP_INTERNAL, "too many requests at once, or the server ends; try again");
        call_finish(c, 200);
        call_free(c);
    }
}

pap_result pool_start(struct mcp *m, struct pap_err *err)
{
    unsigned n = m->o.threads;
    m->threads = n ? alloc_resize(m->o.alloc, NULL, 0, n * sizeof *m->threads) : NULL;
    if (n && !m->threads)
        return fail_memory(err);
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the thread that called */
    int why = 0;
    while (!why && m->n_threads < n) {
        why = pthread_create(&m->threads[m->n_threads], NULL, work, m);
        m->n_threads += why == 0;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return why ? fail(err, PAP_IO, "cannot start a thread: %s", strerror(why)) : OK;
}

void pool_stop(struct mcp *m, unsigned ms)
{
    int64_t until = m->o.clock->monotonic_ms(m->o.clock) + ms;
    struct timespec at = {.tv_sec = (time_t)(until / 1000), .tv_nsec = (long)(until % 1000) * 1000000};
    (void)pthread_mutex_lock(&m->lock);
    while ((m->queue.n || m->running.n) && pthread_cond_timedwait(&m->idle, &m->lock, &at) != ETIMEDOUT)
        ;
    m->stops = true;
    for (struct mcp_call *c = m->queue.first; c; c = c->next)
        c->cancelled = true;
    for (struct mcp_call *c = m->running.first; c; c = c->next)
        c->cancelled = true;
    (void)pthread_cond_broadcast(&m->work);
    (void)pthread_mutex_unlock(&m->lock);
    for (unsigned i = 0; i < m->n_threads; i++)
        (void)pthread_join(m->threads[i], NULL);
    if (m->threads)
        (void)alloc_resize(m->o.alloc, m->threads, m->o.threads * sizeof *m->threads, 0);
    m->threads = NULL;
    m->n_threads = 0;
}

static void tell_progress(struct mcp_call *c, enum pap_skill_phase phase, uint64_t done, uint64_t total)
{
    static const char *const words[] = {[PAP_SKILL_LISTING] = "reading a list of skills",
                                        [PAP_SKILL_FETCHING] = "fetching a skill",
                                        [PAP_SKILL_VERIFYING] = "verifying a skill"};
    struct buf out;
    struct json_writer w;
    char message[100];
    int n = total ? snprintf(message, sizeof message, "%s, %llu of %llu bytes", words[phase], (unsigned long long)done,
                             (unsigned long long)total)
                  : snprintf(message, sizeof message, "%s, %llu bytes", words[phase], (unsigned long long)done);
    buf_init(&out, c->mcp->o.alloc, LIMIT_DOCUMENT);
    json_writer_init(&w, &out, 0);
    json_object_begin(&w);
    write_member(&w, "jsonrpc", S("2.0"));
    write_member(&w, "method", S("notifications/progress"));
    json_write_key(&w, "params");
    json_object_begin(&w);
    json_write_key(&w, "progressToken");
    json_write_tree(&w, c->token);
    json_write_key(&w, "progress");
    json_write_int(&w, (int64_t)++c->steps);
    write_member(&w, "message", str(message, (size_t)n));
    json_object_end(&w);
    json_object_end(&w);
    if (buf_ok(&out))
        (void)c->sink->event(c->sink, buf_str(&out));
    buf_fini(&out);
}

bool mcp_progress(struct mcp *m, enum pap_skill_phase phase, uint64_t done, uint64_t total)
{
    struct mcp_call *c;
    (void)pthread_mutex_lock(&m->lock);
    for (c = m->running.first; c && !pthread_equal(c->thread, pthread_self()); c = c->next)
        ;
    bool stops = m->stops;
    (void)pthread_mutex_unlock(&m->lock);
    if (!c)
        return !stops; /* a thread of the caller's own: what is loaded at the start */
    if (call_is_cancelled(c))
        return false;
    int64_t now = m->o.clock->monotonic_ms(m->o.clock);
    if (c->token && (phase != c->phase || now - c->told >= 500)) {
        c->phase = phase;
        c->told = now;
        tell_progress(c, phase, done, total);
    }
    return true;
}
