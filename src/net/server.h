/* SPDX-License-Identifier: Apache-2.0
 *
 * An HTTP/1.1 server: listening sockets in, requests to one function, until it is told to stop. Several workers, each a
 * thread with an epoll of its own, share the listening sockets. It prints nothing and decides nothing about a request
 * beyond its form; what it sends is in talk.h, what it refuses in http_head.h.
 */
#ifndef NET_SERVER_H
#define NET_SERVER_H

#include "net/talk.h"
#include "net/tls.h"

struct server;

struct server_listener {
    int fd; /* non-blocking; the server's own from server_start on, whether that succeeds or not */
    bool tls;
};

/* Zeros become the values in brackets. */
struct server_options {
    struct http_site site; /* head [LIMIT_HTTP_HEAD, _FIELDS], max_body [LIMIT_HTTP_BODY], max_requests [no end] */
    const struct server_listener *listeners;
    size_t n_listeners;
    const struct tls_certificate *certificates; /* needed when a listener has TLS */
    size_t n_certificates;
    unsigned workers;              /* [1] */
    size_t max_connections;        /* in all [10000]; one more is answered with 503 and closed */
    size_t max_per_address;        /* [no limit] */
    unsigned idle_ms;              /* between requests [60000] */
    unsigned head_ms;              /* from the first byte of a request (of the first one: from the connection's start,
                                          the TLS handshake included) to the end of its head [10000], then 408 */
    unsigned body_ms;              /* for its body [30000], then 408 */
    unsigned send_ms;              /* in each span of so long ... [20000] */
    unsigned send_bytes;           /* ... a client has to take so many bytes of a response [16384] */
    const struct clock *clock;     /* [the system's] */
    const struct pap_alloc *alloc; /* [libc's]; called from all workers at once */
};

/* Listens on "127.0.0.1:8080" or "[::1]:0" (port 0: one that is free). PAP_USAGE for an address that is none, PAP_IO for
 * one that cannot be had. */
pap_result server_listen(struct pap_str address, int *ret_fd, struct pap_err *err) PAP_MUST;
/* PAP_USAGE for an address that is none, with the reason. */
pap_result server_check(struct pap_str address, struct pap_err *err) PAP_MUST;
/* Of such an address: whether only this machine reaches it. */
bool server_is_local(struct pap_str address);
/* The port of a listening socket; 0 when it has none. */
unsigned server_port(int fd);

pap_result server_start(const struct server_options *o, struct server **ret, struct pap_err *err) PAP_MUST;

/* Other certificates for connections from now on. A failure changes nothing. */
pap_result server_certify(struct server *s, const struct tls_certificate *certificates, size_t n,
                          struct pap_err *err) PAP_MUST;

/* When the certificate that is number i now is valid. */
struct tls_span server_certified(struct server *s, size_t i);

struct server_counts {
    uint64_t open, accepted, requests, refused /* by a limit of connections */, timed_out;
};
struct server_counts server_count(struct server *s);

/* Stops: no new connections, requests under way are answered, idle connections are closed. What is not done after `ms`
 * is cut off. Returns when all is over; s is freed. */
void server_stop(struct server *s, unsigned ms);

#endif
