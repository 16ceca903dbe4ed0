/* SPDX-License-Identifier: Apache-2.0
 *
 * What fetches: an interface with two makers, libcurl (net/client.h) and a script of answers for tests. A transport
 * records exchanges and judges nothing. One thread.
 */
#ifndef NET_TRANSPORT_H
#define NET_TRANSPORT_H

#include "base/arena.h"
#include "base/exchange.h"
#include "base/limits.h"
#include "base/result.h"

struct uri;

/* What one whole check may spend. Counted per hop, redirects included; shared by all requests of a check. */
struct budget_host {
    struct budget_host *next;
    struct pap_str host;
    unsigned requests;
};

struct budget {
    struct arena *arena;       /* for the list of hosts */
    struct pap_str own;        /* the company's domain: it and what is below it is no third party; may be empty */
    unsigned requests_left;    /* starts at LIMIT_REQUESTS */
    uint64_t bytes_left;       /* starts at LIMIT_CHECK_BYTES; body bytes as received */
    int64_t deadline_ms;       /* monotonic */
    struct budget_host *hosts; /* third parties, LIMIT_THIRD_PARTY_REQUESTS each */
    /* Asked after all this, before each hop: a limit that checks share. False refuses it, for the reason given. May be
     * NULL. */
    bool (*may)(void *ctx, const struct uri *to, int64_t now_monotonic_ms, const char **ret_why);
    void *may_ctx;
};

void budget_init(struct budget *b, struct arena *a, struct pap_str own_domain, int64_t now_monotonic_ms);

/* Takes one request to `host` out of the budget; false when something is used up, with a phrase for the sentence, or
 * when out of memory: then *ret_why is NULL. */
bool budget_take(struct budget *b, struct pap_str host, int64_t now_monotonic_ms, const char **ret_why);

/* Asked before each hop for header fields of exactly that hop: what must go to one host, and on to no other. In the arena
 * of the request. False when out of memory. */
typedef bool request_fields(void *ctx, struct arena *a, const struct uri *to, const struct header **ret, size_t *ret_n);

/* Whether a redirect there may be followed. */
typedef bool request_may(void *ctx, const struct uri *to);

/* Takes the body of a 200 in pieces, none of which is kept: exchange.body stays empty. False ends the exchange there, which
 * is no fault of it (body_cut). */
typedef bool request_sink(void *ctx, const char *p, size_t n);

struct request {
    const char *method; /* "GET", "HEAD", "POST", "DELETE" */
    struct pap_str url; /* absolute */
    const char *accept;
    const char *content_type;   /* POST */
    struct pap_str body;        /* POST */
    const struct header *extra; /* further header fields, sent to the origin of `url` only; may be NULL */
    size_t n_extra;
    request_fields *fields; /* further ones, hop by hop; may be NULL */
    request_may *may;       /* may be NULL */
    request_sink *sink;     /* for bodies too large to keep; with `identity` only; may be NULL */
    void *each_ctx;         /* of these three */
    size_t cap;             /* body bytes after content decoding */
    unsigned redirects;     /* followed at most: LIMIT_REDIRECTS, or 0 */
    bool identity;          /* ask for no content coding (artifacts) */
    bool message; /* an event stream, which need not end, is read up to the answer to a POST; not at all for a GET */
};

/* Called once per request, from inside step(); may start further requests. The exchange lives in the arena given, which
 * may be freed in here: the transport does not look at it again. */
typedef void request_done(void *ctx, const struct exchange *x);

struct transport {
    /* Queues a request; `done` is called later, even when nothing can be sent (the exchange says why). Views in `r` must
     * live until then. Failure: out of memory. */
    pap_result (*start)(struct transport *t, struct arena *a, const struct request *r, struct budget *b,
                        request_done *done, void *ctx);
    /* Works until at least one request is done, or `timeout_ms` is over, or nothing is left to do. Calls `done`. */
    pap_result (*step)(struct transport *t, int timeout_ms, struct pap_err *err);
    /* How many requests are queued or under way. */
    size_t (*pending)(const struct transport *t);
    void (*free)(struct transport *t);
};

#endif
