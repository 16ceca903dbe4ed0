/* SPDX-License-Identifier: Apache-2.0
 *
 * One fetch of a crawl: a request that becomes a document of the bundle. The same URL is asked once; further documents
 * that name it share the answer.
 */
#ifndef DISCOVER_FETCH_H
#define DISCOVER_FETCH_H

#include "discover/crawl.h"

/* What a fetch is for. */
struct wish {
    enum kind kind; /* KIND_NONE: by place, then content */
    enum role role;
    const struct doc *from;
    const struct json *from_node;
    struct wish *next; /* others that want the same URL */
};

struct fetch {
    struct fetch *next, *next_waiting;
    struct crawl *crawl;
    struct request request;
    const char *method;
    struct pap_str url;
    struct wish wish, *last_wish;
    const struct exchange *exchange; /* NULL: under way */
    struct pap_str bytes;
};

struct crawl {
    struct arena *arena;
    struct transport *transport;
    struct budget *budget;
    const struct crawl_options *o;
    struct bundle *bundle;
    crawl_done *done;
    void *ctx;
    struct pap_str origin; /* "https://shop.example[:port]"; p NULL when there is no domain */
    struct fetch *fetches;
    size_t n_fetches;
    bool artifacts_wait; /* until poppy.json has come and what it names is asked for: there may be many artifacts */
    bool first_only;     /* still: nothing is followed */
    struct fetch *waiting, *last_waiting;
    size_t pending;
    bool no_memory;
};

/* Asks for a URL, or joins a fetch of the same URL. */
void fetch_want(struct crawl *c, const char *method, struct pap_str url, struct wish wish);

/* POSTs JSON to an MCP endpoint. */
void fetch_post(struct crawl *c, struct pap_str url, struct pap_str body, struct wish wish);

/* DELETEs an MCP session that was begun, as a polite client does. */
void fetch_end_session(struct crawl *c, struct pap_str url, struct pap_str session, struct wish wish);

/* Takes a hold so that the crawl does not end while fetches are being started; and lets go. */
void crawl_hold(struct crawl *c);
void crawl_release(struct crawl *c);

/* Goes on from what came while `first_only` held (crawl.c). */
void crawl_first_came(struct crawl *c);

/* Goes on from a document that arrived (follow.c): fetches what it names. */
void crawl_follow(struct crawl *c, struct doc *d);

#endif
