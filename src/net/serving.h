/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the HTTP server share: the server, a worker (a thread with an epoll), and a connection, which belongs
 * to one worker from its first byte to its last.
 */
#ifndef NET_SERVING_H
#define NET_SERVING_H

#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>

#include "net/server.h"
#include "net/tally.h"

enum { READ_PIECE = 64 * 1024 };

/* What an epoll event is about: the first member of what its pointer leads to. */
enum source { SOURCE_WAKE, SOURCE_LISTENER, SOURCE_CONN };

/* What a connection waits for, each with its own limit of time. */
enum phase { PHASE_HEAD, PHASE_BODY, PHASE_IDLE, PHASE_SEND, PHASE_LATER, PHASE_LINGER, N_PHASES };

struct conn {
    enum source source;
    int fd;
    enum phase phase;
    bool shaking;             /* the TLS handshake is not complete */
    bool drained;             /* the socket has no more to read until the next event */
    uint32_t events;          /* asked of epoll */
    struct conn *prev, *next; /* of the same phase, the longest there first */
    int64_t since;            /* when the phase began */
    uint64_t phase_number;    /* the talk's number then: the next request begins its phase anew */
    uint64_t moved;           /* bytes sent in this phase; bytes thrown away while lingering */
    struct tls_stream *tls;   /* NULL: plain */
    struct tally_entry *entry;
    struct buf in;      /* what the talk left of the input; empty, and without memory, between requests */
    struct buf pending; /* answers that the socket did not take yet, from pending_at on */
    size_t pending_at;
    struct http_talk talk;
    struct worker *worker;
    struct conn *next_ready; /* under the worker's ready_lock */
    bool is_ready;
    char peer[INET6_ADDRSTRLEN];
};

struct conn_list {
    struct conn *first, *last;
};

struct listener {
    enum source source;
    struct server_listener socket;
};

struct worker {
    enum source source; /* SOURCE_WAKE: that of its event descriptor */
    struct server *server;
    pthread_t thread;
    bool started;
    int epoll, wake;
    int64_t now;          /* monotonic milliseconds */
    int64_t accept_again; /* 0: accepting; else when to try again, for want of descriptors */
    size_t n_conns;
    struct conn_list phases[N_PHASES];
    struct http_desk desk;
    pthread_mutex_t ready_lock;
    struct conn *ready; /* for which an answer came later; other threads put them here and write to `wake` */
    struct {            /* read by other threads */
        _Atomic uint64_t accepted, requests, refused, timed_out, open;
    } counts;
    char piece[READ_PIECE];
};

struct server {
    struct server_options o;
    int64_t limit_ms[N_PHASES];
    struct tally tally;
    _Atomic uint64_t connections; /* numbers given */
    _Atomic bool draining;
    _Atomic int64_t drain_until; /* monotonic milliseconds */
    pthread_mutex_t tls_lock;
    struct tls_set *tls;
    struct listener *listeners;
    struct worker *workers;
};

/* The thread of a worker; ends when the server drains. */
void *worker_run(void *worker);

/* A connection that was just accepted; closes fd when there is no room for it. */
void conn_open(struct worker *w, const struct listener *l, int fd, const struct sockaddr_storage *address);
/* Does whatever can be done now, and may free c. */
void conn_run(struct worker *w, struct conn *c);
/* Runs those whose answers came later. */
void conn_run_ready(struct worker *w);
/* Its time is up: may free c. */
void conn_expire(struct worker *w, struct conn *c);
void conn_close(struct worker *w, struct conn *c);

#endif
