/* SPDX-License-Identifier: Apache-2.0 */
#include "net/server.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "net/serving.h"
#include "text/host.h"

enum { LINGER_MS = 2000, MAX_WORKERS = 256 };

/* "127.0.0.1:80" or "[::1]:80" */
static bool address_parse(struct pap_str text, struct sockaddr_storage *ret, socklen_t *ret_n)
{
    struct sockaddr_in in4 = {.sin_family = AF_INET};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
    size_t colon = str_rfind_char(text, ':');
    struct pap_str host = str_take(text, colon);
    uint64_t port = 0;
    if (!str_to_u64(str_skip(text, colon + 1), &port) || port > 65535)
        return false;
    in4.sin_port = in6.sin6_port = htons((uint16_t)port);
    *ret = (struct sockaddr_storage){0};
    if (host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']') {
        if (!host_parse_ipv6(str(host.p + 1, host.n - 2), in6.sin6_addr.s6_addr))
            return false;
        memcpy(ret, &in6, *ret_n = sizeof in6);
        return true;
    }
    if (!host_parse_ipv4(host, (unsigned char *)&in4.sin_addr))
        return false;
    memcpy(ret, &in4, *ret_n = sizeof in4);
    return true;
}

pap_result server_check(struct pap_str address, struct pap_err *err)
{
    struct sockaddr_storage a;
    socklen_t n;
    unsigned char six[16];
    uint64_t port;
    size_t colon = str_rfind_char(address, ':');
    if (address_parse(address, &a, &n))
        return OK;
    const char *why = str_to_u64(address, &port)      ? "it is a port without an address"
                      : host_parse_ipv6(address, six) ? "an IPv6 address stands in brackets, and has a port behind"
                      : colon == address.n || str_ends(address, S("]")) ? "it has no port"
                      : !str_to_u64(str_skip(address, colon + 1), &port) || port > 65535
                          ? "its port is no number up to 65535"
                          : "it names a host, or nothing, in front of the port, where an address stands";
    return fail(err, PAP_USAGE, "%.*s is no address to listen on: %s; write 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080",
                PSTR(address), why);
}

pap_result server_listen(struct pap_str address, int *ret_fd, struct pap_err *err)
{
    struct sockaddr_storage a;
    socklen_t n;
    const int on = 1;
    if (!address_parse(address, &a, &n))
        return server_check(address, err);
    int fd = socket(a.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        (a.ss_family == AF_INET || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) == 0) &&
        bind(fd, (const struct sockaddr *)&a, n) == 0 && listen(fd, SOMAXCONN) == 0) {
        *ret_fd = fd;
        return OK;
    }
    int why = errno;
    if (fd >= 0)
        (void)close(fd);
    return fail(err, PAP_IO, "cannot listen on %.*s: %s%s", PSTR(address), strerror(why),
                why == EADDRINUSE      ? "; another program listens there"
                : why == EADDRNOTAVAIL ? "; it is no address of this machine"
                : why == EACCES ? "; ports below 1024 need a privilege: let systemd open the socket, or take one above"
                                : "");
}

bool server_is_local(struct pap_str address)
{
    struct sockaddr_storage a;
    socklen_t n;
    if (!address_parse(address, &a, &n))
        return false;
    if (a.ss_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)&a)->sin6_addr);
    return ntohl(((const struct sockaddr_in *)(const void *)&a)->sin_addr.s_addr) >> 24 == 127;
}

unsigned server_port(int fd)
{
    struct sockaddr_storage a = {0};
    socklen_t n = sizeof a;
    if (getsockname(fd, (struct sockaddr *)&a, &n) != 0)
        return 0;
    if (a.ss_family == AF_INET)
        return ntohs(((const struct sockaddr_in *)(const void *)&a)->sin_port);
    return a.ss_family == AF_INET6 ? ntohs(((const struct sockaddr_in6 *)(const void *)&a)->sin6_port) : 0;
}

static void set_defaults(struct server *s)
{
    struct server_options *o = &s->o;
    o->site.head.bytes = o->site.head.bytes ? o->site.head.bytes : LIMIT_HTTP_HEAD;
    o->site.max_body = o->site.max_body ? o->site.max_body : LIMIT_HTTP_BODY;
    o->workers = o->workers == 0 ? 1 : o->workers > MAX_WORKERS ? MAX_WORKERS : o->workers;
    o->max_connections = o->max_connections ? o->max_connections : 10000;
    o->send_bytes = o->send_bytes ? o->send_bytes : 16 * 1024;
    o->clock = o->clock ? o->clock : &clock_system;
    s->limit_ms[PHASE_IDLE] = o->idle_ms ? o->idle_ms : 60 * 1000;
    s->limit_ms[PHASE_HEAD] = o->head_ms ? o->head_ms : 10 * 1000;
    s->limit_ms[PHASE_BODY] = o->body_ms ? o->body_ms : 30 * 1000;
    s->limit_ms[PHASE_SEND] = o->send_ms ? o->send_ms : 20 * 1000;
    s->limit_ms[PHASE_LATER] = INT64_MAX / 2; /* whoever answers decides */
    s->limit_ms[PHASE_LINGER] = LINGER_MS;
    s->tally.alloc = o->alloc;
    s->tally.max_all = o->max_connections;
    s->tally.max_each = o->max_per_address;
}

static void wake_all(struct server *s)
{
    const uint64_t one = 1;
    for (unsigned i = 0; i < s->o.workers; i++)
        if (s->workers[i].started)
            (void)!write(s->workers[i].wake, &one, sizeof one);
}

/* Joins and frees whatever there is of a server, started or not. */
static void server_free(struct server *s)
{
    const struct pap_alloc *alloc = s->o.alloc;
    s->draining = true;
    if (s->workers)
        wake_all(s);
    for (unsigned i = 0; s->workers && i < s->o.workers; i++) {
        struct worker *w = &s->workers[i];
        if (w->started)
            (void)pthread_join(w->thread, NULL);
        if (w->epoll >= 0)
            (void)close(w->epoll);
        if (w->wake >= 0)
            (void)close(w->wake);
        desk_fini(&w->desk);
        (void)pthread_mutex_destroy(&w->ready_lock);
    }
    for (size_t i = 0; s->listeners && i < s->o.n_listeners; i++)
        (void)close(s->listeners[i].socket.fd);
    tls_set_drop(s->tls);
    if (s->workers)
        (void)alloc_resize(alloc, s->workers, s->o.workers * sizeof *s->workers, 0);
    if (s->listeners)
        (void)alloc_resize(alloc, s->listeners, s->o.n_listeners * sizeof *s->listeners, 0);
    (void)pthread_mutex_destroy(&s->tally.lock);
    (void)pthread_mutex_destroy(&s->tls_lock);
    (void)alloc_resize(alloc, s, sizeof *s, 0);
}

static pap_result start_worker(struct server *s, struct worker *w, struct pap_err *err)
{
    w->epoll = epoll_create1(EPOLL_CLOEXEC);
    w->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = w};
    if (w->epoll < 0 || w->wake < 0 || epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->wake, &e) != 0)
        return fail(err, PAP_IO, "cannot watch sockets: %s", strerror(errno));
    /* Signals are for the thread that called; SIGPIPE, which a write of OpenSSL may raise, for nobody. */
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int why = pthread_create(&w->thread, NULL, worker_run, w);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    w->started = why == 0;
    (void)s;
    return why == 0 ? OK : fail(err, PAP_IO, "cannot start a thread: %s", strerror(why));
}

/* The rooms, and the sockets, which are the server's from here on. */
static pap_result take_sockets(struct server *s, struct pap_err *err)
{
    const int on = 1;
    s->listeners = alloc_resize(s->o.alloc, NULL, 0, (s->o.n_listeners + 1) * sizeof *s->listeners);
    s->workers = s->listeners ? alloc_resize(s->o.alloc, NULL, 0, s->o.workers * sizeof *s->workers) : NULL;
    for (size_t i = 0; s->listeners && i < s->o.n_listeners; i++) {
        s->listeners[i] = (struct listener){SOURCE_LISTENER, s->o.listeners[i]};
        /* Connections inherit it. Without it an answer in two writes waits for the client's delayed acknowledgement. */
        (void)setsockopt(s->listeners[i].socket.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    if (!s->workers)
        return fail_memory(err);
    for (unsigned i = 0; i < s->o.workers; i++) {
        memset(&s->workers[i], 0, offsetof(struct worker, piece));
        s->workers[i].server = s;
        s->workers[i].epoll = s->workers[i].wake = -1;
        (void)pthread_mutex_init(&s->workers[i].ready_lock, NULL);
        desk_init(&s->workers[i].desk, &s->o.site, s->o.clock, s->o.alloc);
    }
    return OK;
}

static pap_result start_all(struct server *s, struct pap_err *err)
{
    bool tls = false;
    TRY(take_sockets(s, err));
    for (size_t i = 0; i < s->o.n_listeners; i++)
        tls |= s->listeners[i].socket.tls;
    if (tls)
        TRY(tls_set_new(s->o.certificates, s->o.n_certificates, s->o.alloc, &s->tls, err));
    for (unsigned i = 0; i < s->o.workers; i++)
        TRY(start_worker(s, &s->workers[i], err));
    return OK;
}

pap_result server_start(const struct server_options *o, struct server **ret, struct pap_err *err)
{
    struct server *s = alloc_resize(o->alloc, NULL, 0, sizeof *s);
    if (!s) {
        for (size_t i = 0; i < o->n_listeners; i++)
            (void)close(o->listeners[i].fd);
        return fail_memory(err);
    }
    memset(s, 0, sizeof *s);
    s->o = *o;
    set_defaults(s);
    (void)pthread_mutex_init(&s->tally.lock, NULL);
    (void)pthread_mutex_init(&s->tls_lock, NULL);
    pap_result r = start_all(s, err);
    if (!is_ok(r))
        server_free(s);
    else
        *ret = s;
    return r;
}

pap_result server_certify(struct server *s, const struct tls_certificate *certificates, size_t n, struct pap_err *err)
{
    struct tls_set *set, *old;
    TRY(tls_set_new(certificates, n, s->o.alloc, &set, err));
    (void)pthread_mutex_lock(&s->tls_lock);
    old = s->tls;
    s->tls = set;
    (void)pthread_mutex_unlock(&s->tls_lock);
    tls_set_drop(old);
    return OK;
}

struct tls_span server_certified(struct server *s, size_t i)
{
    (void)pthread_mutex_lock(&s->tls_lock);
    struct tls_span span = tls_set_span(s->tls, i);
    (void)pthread_mutex_unlock(&s->tls_lock);
    return span;
}

struct server_counts server_count(struct server *s)
{
    struct server_counts sum = {0};
    for (unsigned i = 0; i < s->o.workers; i++) {
        const struct worker *w = &s->workers[i];
        sum.open += w->counts.open;
        sum.accepted += w->counts.accepted;
        sum.requests += w->counts.requests;
        sum.refused += w->counts.refused;
        sum.timed_out += w->counts.timed_out;
    }
    return sum;
}

void server_stop(struct server *s, unsigned ms)
{
    s->drain_until = s->o.clock->monotonic_ms(s->o.clock) + ms;
    server_free(s);
}
