/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <unistd.h>

#include "net/serving.h"

enum {
    TURNS = 8,               /* reads for one connection before the others have their turn */
    KEEP_OUT = 256 * 1024,   /* the desk's buffer gives back what is more */
    LINGER_MOST = 256 * 1024 /* bytes read past from a client that was refused */
};

/* Beside those of tls.h: everything is done, go on; enough for now, but there is more; the answer comes
 * later. */
enum { IO_DONE = 1, IO_MORE = -4, IO_LATER = -5 };

static ssize_t outcome(ssize_t n, int wait)
{
    return n >= 0 ? n : errno == EAGAIN || errno == EINTR ? wait : IO_FAILED;
}

static void list_remove(struct worker *w, struct conn *c)
{
    struct conn_list *list = &w->phases[c->phase];
    *(c->prev ? &c->prev->next : &list->first) = c->next;
    *(c->next ? &c->next->prev : &list->last) = c->prev;
}

static void list_append(struct worker *w, struct conn *c, enum phase phase)
{
    struct conn_list *list = &w->phases[phase];
    c->phase = phase;
    c->phase_number = c->talk.number;
    c->since = w->now;
    c->moved = 0;
    c->prev = list->last;
    c->next = NULL;
    *(list->last ? &list->last->next : &list->first) = c;
    list->last = c;
}

static void enter(struct worker *w, struct conn *c, enum phase phase)
{
    list_remove(w, c);
    list_append(w, c, phase);
}

/* Called by whoever answers later, from any thread. */
static void come_later(void *ctx)
{
    const uint64_t one = 1;
    struct conn *c = ctx;
    struct worker *w = c->worker;
    (void)pthread_mutex_lock(&w->ready_lock);
    bool first = !c->is_ready;
    if (first) {
        c->is_ready = true;
        c->next_ready = w->ready;
        w->ready = c;
    }
    (void)pthread_mutex_unlock(&w->ready_lock);
    if (first)
        (void)!write(w->wake, &one, sizeof one);
}

static void forget_later(struct worker *w, struct conn *c)
{
    if (c->talk.later)
        later_leave(c->talk.later); /* now nobody calls come_later() */
    (void)pthread_mutex_lock(&w->ready_lock);
    for (struct conn **at = &w->ready; c->is_ready && *at; at = &(*at)->next_ready)
        if (*at == c) {
            *at = c->next_ready;
            break;
        }
    (void)pthread_mutex_unlock(&w->ready_lock);
}

void conn_run_ready(struct worker *w)
{
    struct conn *c;
    do {
        (void)pthread_mutex_lock(&w->ready_lock);
        if ((c = w->ready)) {
            w->ready = c->next_ready;
            c->is_ready = false;
        }
        (void)pthread_mutex_unlock(&w->ready_lock);
        if (c)
            conn_run(w, c);
    } while (c);
}

void conn_close(struct worker *w, struct conn *c)
{
    list_remove(w, c);
    forget_later(w, c);
    talk_end(&w->desk, &c->talk);
    tls_stream_free(c->tls);
    /* Closing is not enough: a child that was forked and has not yet called exec holds the socket, and so its events. */
    (void)epoll_ctl(w->epoll, EPOLL_CTL_DEL, c->fd, NULL);
    (void)close(c->fd);
    buf_fini(&c->in);
    buf_fini(&c->pending);
    tally_remove(&w->server->tally, c->entry);
    w->n_conns--;
    w->counts.open--;
    (void)alloc_resize(w->server->o.alloc, c, sizeof *c, 0);
}

static bool watch(struct worker *w, struct conn *c, int operation, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.ptr = c};
    c->events = events;
    return epoll_ctl(w->epoll, operation, c->fd, &e) == 0;
}

/* The set of certificates that holds now, kept. */
static struct tls_set *current_tls(struct server *s)
{
    (void)pthread_mutex_lock(&s->tls_lock);
    struct tls_set *set = tls_set_keep(s->tls);
    (void)pthread_mutex_unlock(&s->tls_lock);
    return set;
}

/* A connection with no room for it is told so where that costs nothing. */
static void turn_away(struct worker *w, const struct listener *l, int fd)
{
    static const char busy[] =
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    w->counts.refused++;
    if (!l->socket.tls && send(fd, busy, sizeof busy - 1, MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
        (void)shutdown(fd, SHUT_WR);
    (void)close(fd);
}

/* As text; empty for what is no IP address. IPv4 that came over an IPv6 socket is IPv4. */
static void write_peer(const struct sockaddr_storage *address, char ret[INET6_ADDRSTRLEN])
{
    const struct sockaddr_in *in4 = (const void *)address;
    const struct sockaddr_in6 *in6 = (const void *)address;
    if (address->ss_family == AF_INET)
        (void)inet_ntop(AF_INET, &in4->sin_addr, ret, INET6_ADDRSTRLEN);
    else if (address->ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr))
        (void)inet_ntop(AF_INET, &in6->sin6_addr.s6_addr[12], ret, INET6_ADDRSTRLEN);
    else if (address->ss_family == AF_INET6)
        (void)inet_ntop(AF_INET6, &in6->sin6_addr, ret, INET6_ADDRSTRLEN);
}

void conn_open(struct worker *w, const struct listener *l, int fd, const struct sockaddr_storage *address)
{
    struct server *s = w->server;
    struct tally_entry *entry = NULL;
    if (!tally_add(&s->tally, address, &entry)) {
        turn_away(w, l, fd);
        return;
    }
    struct conn *c = alloc_resize(s->o.alloc, NULL, 0, sizeof *c);
    if (!c) {
        tally_remove(&s->tally, entry);
        turn_away(w, l, fd);
        return;
    }
    *c = (struct conn){.source = SOURCE_CONN, .fd = fd, .worker = w, .entry = entry, .shaking = l->socket.tls};
    write_peer(address, c->peer);
    c->talk = (struct http_talk){.connection = ++s->connections,
                                 .peer = str_c(c->peer),
                                 .scheme = l->socket.tls ? S("https") : S("http"),
                                 .tail.file = -1};
    buf_init(&c->in, s->o.alloc, s->o.site.head.bytes + s->o.site.max_body + 2 * READ_PIECE);
    buf_init(&c->pending, s->o.alloc, SIZE_MAX);
    list_append(w, c, PHASE_HEAD);
    w->n_conns++;
    w->counts.open++;
    w->counts.accepted++;
    if (l->socket.tls) {
        struct tls_set *set = current_tls(s);
        c->tls = tls_stream_new(set, fd);
        tls_set_drop(set);
    }
    if ((l->socket.tls && !c->tls) || !watch(w, c, EPOLL_CTL_ADD, EPOLLIN))
        conn_close(w, c);
    else
        conn_run(w, c); /* the request is often there already */
}

static ssize_t receive(struct conn *c, char *p, size_t n)
{
    if (c->tls) {
        ssize_t got = tls_read(c->tls, p, n);
        c->drained = !tls_has_more(c->tls);
        return got;
    }
    ssize_t got = recv(c->fd, p, n, 0);
    c->drained = got < (ssize_t)n;
    return outcome(got, IO_WAIT_READ);
}

/* Sends of `a`, and of `b` behind it, what the socket takes. */
static ssize_t transmit(struct conn *c, struct pap_str a, struct pap_str b)
{
    if (c->tls)
        return a.n ? tls_write(c->tls, a.p, a.n) : tls_write(c->tls, b.p, b.n);
    if (a.n == 0 || b.n == 0)
        return outcome(send(c->fd, a.n ? a.p : b.p, a.n + b.n, MSG_NOSIGNAL), IO_WAIT_WRITE);
    struct iovec pieces[] = {{(void *)(uintptr_t)a.p, a.n}, {(void *)(uintptr_t)b.p, b.n}};
    struct msghdr m = {.msg_iov = pieces, .msg_iovlen = 2};
    return outcome(sendmsg(c->fd, &m, MSG_NOSIGNAL), IO_WAIT_WRITE);
}

/* The next piece of the tail; of a file it is read into the worker's room. False: the file is not what it was. */
static bool tail_piece(struct worker *w, struct http_tail *tail, struct pap_str *ret)
{
    *ret = tail->body;
    if (tail->file_left == 0)
        return true;
    size_t n = tail->file_left < READ_PIECE ? (size_t)tail->file_left : READ_PIECE;
    ssize_t got = pread(tail->file, w->piece, n, (off_t)tail->file_at);
    *ret = str(w->piece, n);
    return got == (ssize_t)n;
}

static void tail_sent(struct http_tail *tail, size_t n)
{
    if (tail->file_left) {
        tail->file_at += n;
        tail->file_left -= n;
    } else {
        tail->body = str_skip(tail->body, n);
    }
}

/* The socket does not take more now: the desk is for the next connection, so what lies there moves to this one. */
static ssize_t keep_pending(struct worker *w, struct conn *c, struct pap_str left, ssize_t why)
{
    if (c->pending.n == 0)
        buf_add(&c->pending, left);
    buf_reset(&w->desk.out);
    return buf_ok(&c->pending) ? why : IO_FAILED;
}

/* Sends all answers, the tail last. IO_DONE when nothing is left. */
static ssize_t flush(struct worker *w, struct conn *c)
{
    struct buf *out = c->pending.n ? &c->pending : &w->desk.out;
    size_t at = c->pending_at;
    while (at < out->n || !tail_is_empty(&c->talk.tail)) {
        struct pap_str a = str(out->p + at, out->n - at), b = {0};
        if ((a.n == 0 || !c->talk.tail.file_left) && !tail_piece(w, &c->talk.tail, &b))
            return keep_pending(w, c, a, IO_FAILED);
        ssize_t n = transmit(c, a, b);
        if (n <= 0) {
            c->pending_at = c->pending.n ? at : 0;
            return keep_pending(w, c, a, n == IO_END ? IO_FAILED : n);
        }
        size_t sent = (size_t)n, of_a = sent < a.n ? sent : a.n;
        at += of_a;
        tail_sent(&c->talk.tail, sent - of_a);
        c->moved += sent;
        talk_sent(&w->desk, &c->talk, sent);
    }
    tail_end(&c->talk.tail);
    buf_fini(&c->pending);
    c->pending_at = 0;
    buf_reset(&w->desk.out);
    if (w->desk.out.cap > KEEP_OUT)
        buf_fini(&w->desk.out);
    return IO_DONE;
}

/* Gives the talk the bytes that the connection holds, or else p[0..n); what it leaves, the connection holds. */
static bool feed(struct worker *w, struct conn *c, char *p, size_t n)
{
    struct http_input in = {p, n};
    if (c->in.n) {
        buf_add(&c->in, str(p, n));
        in = (struct http_input){c->in.p, c->in.n};
    }
    uint64_t before = c->talk.number;
    talk_input(&w->desk, &c->talk, &in);
    w->counts.requests += c->talk.number - before;
    if (c->in.n) {
        memmove(c->in.p, in.p, in.n);
        c->in.n = in.n;
        if (in.n == 0)
            buf_fini(&c->in);
    } else {
        buf_add(&c->in, str(in.p, in.n));
    }
    return buf_ok(&c->in);
}

/* Reads once and feeds. */
static ssize_t read_input(struct worker *w, struct conn *c)
{
    if (c->drained)
        return IO_WAIT_READ;
    ssize_t n = receive(c, w->piece, sizeof w->piece);
    if (n <= 0)
        return n;
    return feed(w, c, w->piece, (size_t)n) ? IO_DONE : IO_FAILED;
}

/* Everything is sent. Closing at once would make the kernel throw the answer away when the client has sent more than was
 * read (RFC 9112 section 9.6), so unless it said itself that it is done, what it sends is read past for a while. */
static void finish(struct worker *w, struct conn *c)
{
    bool clean = !talk_is_inside(&c->talk) && c->in.n == 0 && !c->talk.framing.keep_alive;
    if (c->tls)
        tls_goodbye(c->tls);
    if (clean || shutdown(c->fd, SHUT_WR) != 0 || !watch(w, c, EPOLL_CTL_MOD, EPOLLIN)) {
        conn_close(w, c);
        return;
    }
    buf_fini(&c->in);
    enter(w, c, PHASE_LINGER);
}

static void linger(struct worker *w, struct conn *c)
{
    ssize_t n = recv(c->fd, w->piece, sizeof w->piece, 0);
    c->moved += n > 0 ? (size_t)n : 0;
    if (outcome(n, IO_WAIT_READ) == IO_WAIT_READ || (n > 0 && c->moved < LINGER_MOST))
        return;
    conn_close(w, c);
}

/* Nothing more can be done now. */
static void park(struct worker *w, struct conn *c, ssize_t why)
{
    bool sends = c->pending.n || !tail_is_empty(&c->talk.tail);
    enum phase phase = sends                                    ? PHASE_SEND
                       : c->talk.later                          ? PHASE_LATER
                       : c->talk.head                           ? PHASE_BODY
                       : c->talk.scan.at || c->talk.number == 0 ? PHASE_HEAD
                                                                : PHASE_IDLE;
    if (phase != c->phase || c->talk.number != c->phase_number)
        enter(w, c, phase);
    uint32_t events = why == IO_WAIT_WRITE ? EPOLLOUT : why == IO_MORE ? EPOLLIN | EPOLLOUT : EPOLLIN;
    if (c->talk.later) /* what else the client sends can wait, but not that it goes */
        events = EPOLLRDHUP | (sends ? events : 0);
    if (phase == PHASE_IDLE && w->desk.draining)
        conn_close(w, c);
    else if (events != c->events && !watch(w, c, EPOLL_CTL_MOD, events))
        conn_close(w, c);
}

static ssize_t shake(struct worker *w, struct conn *c)
{
    const struct http_site *site = &w->server->o.site;
    ssize_t n = tls_handshake(c->tls);
    c->shaking = n != 1;
    if (n == 1 && site->named) {
        struct pap_str name = tls_server_name(c->tls);
        c->talk.named = name.n ? site->named(site->ctx, name) : NULL;
    }
    return n == 1 ? IO_DONE : n == IO_END ? IO_FAILED : n;
}

void conn_run(struct worker *w, struct conn *c)
{
    if (c->phase == PHASE_LINGER) {
        linger(w, c);
        return;
    }
    c->drained = false;
    ssize_t io = IO_DONE;
    for (unsigned turn = 0; io == IO_DONE; turn++) {
        io = c->shaking ? shake(w, c) : flush(w, c);
        if (io != IO_DONE)
            break;
        if (c->talk.wants == TALK_CLOSE) {
            finish(w, c);
            return;
        }
        if (c->talk.wants == TALK_LATER) {
            later_bind(c->talk.later, come_later, c);
            talk_later(&w->desk, &c->talk);
            io = c->talk.wants == TALK_LATER && w->desk.out.n == 0 ? IO_LATER : IO_DONE;
        } else if (turn >= TURNS)
            io = IO_MORE;
        else if (c->talk.wants == TALK_FLUSH && c->in.n)
            io = feed(w, c, NULL, 0) ? IO_DONE : IO_FAILED;
        else
            io = read_input(w, c);
    }
    if (io == IO_END || io == IO_FAILED) {
        buf_reset(&w->desk.out);
        conn_close(w, c);
    } else {
        park(w, c, io);
    }
}

void conn_expire(struct worker *w, struct conn *c)
{
    if (c->phase == PHASE_SEND && c->moved >= w->server->o.send_bytes) {
        enter(w, c, PHASE_SEND); /* slow, but not too slow */
        return;
    }
    w->counts.timed_out++;
    if (talk_is_inside(&c->talk) && (c->phase == PHASE_HEAD || c->phase == PHASE_BODY)) {
        talk_refuse(&w->desk, &c->talk, 408);
        conn_run(w, c);
    } else {
        conn_close(w, c);
    }
}
