/* SPDX-License-Identifier: Apache-2.0
 *
 * HTTP/1.1 without a socket: bytes of a connection in, requests to a handler, bytes of the answers out, in order. The
 * server moves these bytes over sockets; a test feeds them by hand (talk_feed). Three things: what a site answers with
 * (shared, constant), a desk where one thread writes answers, and a talk for each connection, which owns next to nothing
 * while nobody says anything.
 */
#ifndef NET_TALK_H
#define NET_TALK_H

#include "base/buf.h"
#include "net/http_head.h"
#include "net/later.h"
#include "sys/clock.h"
#include "text/httpval.h"

/* One answered request, as a log wants it: told when its last byte was sent, or nothing more will be. */
struct http_access {
    /* What a log shows of it: peer, scheme, method, target, authority, minor, and its numbers; good during the call only.
     * method p NULL: the head was refused, and only the connection is known. */
    const struct http_request *request;
    int status;
    uint64_t bytes;       /* of the answer's body, that were sent */
    int64_t unix_seconds; /* when it was answered */
    int64_t ms;           /* from the request's last byte to the answer's, milliseconds */
};

/* The functions are called from all workers at once. */
struct http_site {
    void (*handle)(void *ctx, const struct http_request *request, struct http_response *response);
    void (*access)(void *ctx, const struct http_access *access); /* NULL: nobody asks */
    /* The name that a client says in its TLS handshake (SNI), kept as `named` of its requests; NULL: nobody asks. */
    const void *(*named)(void *ctx, struct pap_str name);
    void *ctx;
    struct http_limits head; /* of a request */
    uint64_t max_body;       /* of a request; more is answered with 413 */
    uint64_t max_requests;   /* of a connection; 0: no end */
};

/* Where the answers of one thread are made. */
struct http_desk {
    const struct http_site *site;
    const struct clock *clock;
    bool draining;  /* every answer is the last of its connection */
    struct buf out; /* answers not yet sent; whoever sends them empties it */
    struct arena arena;
    struct header fields[LIMIT_HTTP_FIELDS];
    int64_t date;                       /* what date_line says, Unix seconds */
    char date_text[HTTP_DATE_TEXT + 1]; /* of the second `date` */
};

void desk_init(struct http_desk *d, const struct http_site *site, const struct clock *clock,
               const struct pap_alloc *alloc);
void desk_fini(struct http_desk *d);

/* What a talk waits for. */
enum talk_wants {
    TALK_INPUT, /* more bytes */
    TALK_FLUSH, /* that all answers, the tail too, are sent; then it goes on with the bytes that it left */
    TALK_LATER, /* that an answer comes: talk_later() when it may be there */
    TALK_CLOSE  /* the same, and then the end of the connection */
};

/* A body that is sent from where it lies, behind what is in the desk's buffer. */
struct http_tail {
    struct pap_str body;
    int file;
    uint64_t file_at, file_left;
    void (*release)(void *ctx);
    void *release_ctx;
};

struct http_record;

struct http_talk {
    uint64_t connection, number;
    struct pap_str peer, scheme; /* must outlive the talk */
    const void *named;
    enum talk_wants wants;
    struct http_scan scan;
    struct http_framing framing; /* good when head is not 0 */
    struct http_chunked chunked;
    size_t head, body; /* bytes of the head, blank line included, once it is whole; of the body in chunks, so far */
    struct http_tail tail;
    int64_t began;                      /* when the request was handed over, monotonic milliseconds */
    uint64_t queued, sent;              /* bytes of all answers so far */
    struct http_record *records, *last; /* answers that are not sent whole, where somebody asks for the access */
    struct later *later;                /* wants is TALK_LATER: the answer that comes ... */
    bool later_keeps;                   /* ... whether the connection goes on behind it ... */
    bool later_chunks;                  /* ... and how its body is sent */
    bool later_begun, later_bodiless;
    unsigned later_minor;
};

/* Bytes that may be written to: those of a connection that are not used yet. */
struct http_input {
    char *p;
    size_t n;
};

/* Takes whole requests off *in and writes their answers to the desk. What it leaves in *in belongs in front of the bytes
 * that come next; it may have been changed. Call it when wants is TALK_INPUT and there are new bytes, or when it was
 * TALK_FLUSH and all has been sent. */
void talk_input(struct http_desk *d, struct http_talk *t, struct http_input *in);

/* Writes what has come of an answer that comes later to the desk. */
void talk_later(struct http_desk *d, struct http_talk *t);

/* Answers with a bare status and wants to close: a time-out (408), no room (503). */
void talk_refuse(struct http_desk *d, struct http_talk *t, int status);

/* True when a request has begun and not ended. */
static inline bool talk_is_inside(const struct http_talk *t)
{
    return t->head || t->scan.at;
}

/* So many more bytes of the answers have been sent. */
void talk_sent(struct http_desk *d, struct http_talk *t, size_t n);

/* Nothing more will be sent: releases the tail. */
void talk_end(struct http_desk *d, struct http_talk *t);

/* The tail has been sent, or nobody will: releases it. */
void tail_end(struct http_tail *tail);

static inline bool tail_is_empty(const struct http_tail *tail)
{
    return tail->body.n == 0 && tail->file_left == 0;
}

/* For tests: a whole connection in memory. `in` holds what the talk left of earlier calls; the answers, tails included, go
 * to *out. Files are not read: their bytes are counted as '?'. */
void talk_feed(struct http_desk *d, struct http_talk *t, struct buf *in, struct pap_str bytes, struct buf *out);

#endif
