/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "net/serving.h"

enum {
    ACCEPTS = 16,       /* connections taken at one event; the rest is for the other workers */
    ACCEPT_PAUSE = 100, /* milliseconds without accepting when descriptors have run out */
    EVENTS = 256
};

static void watch_listeners(struct worker *w, int operation)
{
    struct server *s = w->server;
    for (size_t i = 0; i < s->o.n_listeners; i++) {
        /* One connection wakes one worker; a worker that could not be told learns of it at its next turn. */
        struct epoll_event e = {.events = EPOLLIN | EPOLLEXCLUSIVE, .data.ptr = &s->listeners[i]};
        (void)epoll_ctl(w->epoll, operation, s->listeners[i].socket.fd, &e);
    }
}

static void accept_some(struct worker *w, const struct listener *l, size_t most)
{
    for (size_t i = 0; i < most; i++) {
        struct sockaddr_storage address = {0};
        socklen_t n = sizeof address;
        int fd = accept4(l->socket.fd, (struct sockaddr *)&address, &n, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            conn_open(w, l, fd, &address);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            /* The connection stays in the queue; asking for it at once, again and again, would take all the time. */
            watch_listeners(w, EPOLL_CTL_DEL);
            w->accept_again = w->now + ACCEPT_PAUSE;
            return;
        } else if (errno != EINTR && errno != ECONNABORTED) {
            return; /* none is left, or another worker was faster */
        }
    }
}

/* Milliseconds until the next limit of time, -1 for none. */
static int patience(const struct worker *w)
{
    const struct server *s = w->server;
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < N_PHASES; i++) {
        const struct conn *c = w->phases[i].first;
        int64_t at = c ? c->since + s->limit_ms[i] : INT64_MAX;
        least = at < least ? at : least;
    }
    if (w->accept_again && w->accept_again < least)
        least = w->accept_again;
    if (w->desk.draining && s->drain_until < least)
        least = s->drain_until;
    return least == INT64_MAX ? -1 : least <= w->now ? 0 : least - w->now > 60000 ? 60000 : (int)(least - w->now);
}

static void expire(struct worker *w)
{
    for (size_t i = 0; i < N_PHASES; i++)
        for (struct conn *c; (c = w->phases[i].first) && c->since + w->server->limit_ms[i] <= w->now;)
            conn_expire(w, c);
    if (w->accept_again && w->accept_again <= w->now) {
        w->accept_again = 0;
        watch_listeners(w, EPOLL_CTL_ADD);
    }
}

/* Takes what is in the queue, then nothing more; those who say nothing go. */
static void begin_drain(struct worker *w)
{
    w->desk.draining = true;
    for (size_t i = 0; i < w->server->o.n_listeners; i++)
        accept_some(w, &w->server->listeners[i], SIZE_MAX);
    watch_listeners(w, EPOLL_CTL_DEL);
    w->accept_again = 0;
    while (w->phases[PHASE_IDLE].first)
        conn_close(w, w->phases[PHASE_IDLE].first);
}

static void end_all(struct worker *w)
{
    for (size_t i = 0; i < N_PHASES; i++)
        while (w->phases[i].first)
            conn_close(w, w->phases[i].first);
}

static void dispatch(struct worker *w, void *source, uint32_t events)
{
    uint64_t woken;
    switch (*(enum source *)source) {
    case SOURCE_WAKE:
        (void)!read(w->wake, &woken, sizeof woken);
        break;
    case SOURCE_LISTENER:
        if (!w->accept_again)
            accept_some(w, source, ACCEPTS);
        break;
    case SOURCE_CONN:
        if (((struct conn *)source)->talk.later && events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
            conn_close(w, source);
        else
            conn_run(w, source);
        break;
    }
}

void *worker_run(void *worker)
{
    struct worker *w = worker;
    struct server *s = w->server;
    struct epoll_event events[EVENTS];
    w->now = s->o.clock->monotonic_ms(s->o.clock);
    watch_listeners(w, EPOLL_CTL_ADD);
    while (!w->desk.draining || (w->n_conns && w->now < s->drain_until)) {
        int n = epoll_wait(w->epoll, events, EVENTS, patience(w));
        w->now = s->o.clock->monotonic_ms(s->o.clock);
        for (int i = 0; i < n; i++)
            dispatch(w, events[i].data.ptr, events[i].events);
        conn_run_ready(w); /* not before: it may close what an event is about */
        if (s->draining && !w->desk.draining)
            begin_drain(w);
        expire(w);
    }
    end_all(w);
    return NULL;
}
