/* SPDX-License-Identifier: Apache-2.0
 *
 * One exchange on its way: which hop is next, and when it is over. Both transports (libcurl and the script of tests)
 * walk redirects through here, so that the rules are one code: https only, no user name, at most so many, no loop,
 * GET and HEAD only, and the budget asked before each hop. Sends nothing itself.
 */
#ifndef NET_WALK_H
#define NET_WALK_H

#include "net/transport.h"
#include "text/uri.h"

struct walk {
    struct walk *next; /* for the transport's queue */
    struct arena *arena;
    struct request request;
    struct budget *budget;
    request_done *done;
    void *ctx;
    bool allow_http; /* http URLs may be asked, too; the transport sees to it that only loopback is dialled */
    struct exchange x;
    struct hop *hop;  /* the one to ask */
    struct uri uri;   /* of that hop */
    bool same_origin; /* that of the URL first asked: only then `request.extra` is sent */
    int64_t begun_ms, hop_begun_ms;
    uint64_t host; /* taken of client_options.hosts; 0: none */
};

enum walk_next { WALK_ASK, WALK_DONE, WALK_NO_MEMORY };

/* A walk in the arena; NULL when out of memory. */
struct walk *walk_new(struct arena *a, const struct request *r, struct budget *b, request_done *done,
                      void *ctx) PAP_MUST;

/* Checks the URL and the budget: WALK_ASK when w->hop is to be asked. */
enum walk_next walk_begin(struct walk *w, int64_t now_ms) PAP_MUST;

/* The hop's answer is in w->hop and w->x.body, or walk_fault() was called: WALK_ASK when there is another hop. */
enum walk_next walk_hop_over(struct walk *w, int64_t now_ms) PAP_MUST;

/* Records why there is no whole answer. False when out of memory. */
bool walk_fault(struct walk *w, enum exchange_fault fault, const char *fmt, ...) PAP_PRINTF(3, 4) PAP_MUST;

/* The answer is a redirect by its status; its body says nothing. */
bool walk_is_redirect(const struct walk *w);

/* How many of n body bytes may be read when `room` is left below the cap; they are taken off the budget. */
size_t walk_take(struct walk *w, size_t room, size_t n);

struct walk_queue {
    struct walk *first, *last;
    size_t n;
};
void walk_push(struct walk_queue *q, struct walk *w);
/* NULL when it is empty. */
struct walk *walk_pop(struct walk_queue *q);
/* The first one that `may` allows, of `most` that are looked at; NULL: none. */
typedef bool walk_may(const void *ctx, struct walk *w);
struct walk *walk_pop_if(struct walk_queue *q, size_t most, walk_may *may, const void *ctx);

#endif
