/* SPDX-License-Identifier: Apache-2.0
 *
 * An answer that comes later, from whatever thread has it: whole, or as a stream of pieces. A handler makes one, puts it
 * into its response and returns; its connection then waits without a thread. Two hold it: whoever answers, until
 * later_end(), and the connection. All functions may be called from any thread.
 *
 * A client that closes its side while it waits counts as gone: a half-closed connection cannot be told from a closed one
 * before something is sent, and those who wait for an answer keep theirs open.
 */
#ifndef NET_LATER_H
#define NET_LATER_H

#include "base/buf.h"
#include "base/message.h"

struct later;

/* NULL when out of memory. It belongs to two at once, so it has to be put into the response. */
struct later *later_new(const struct pap_alloc *alloc) PAP_MUST;

/* Once, before the body. The fields are copied; the contract is that of struct http_response. A stream begins to be sent now,
 * in chunks; what is none is sent when it ends, with its length. */
void later_begin(struct later *l, int status, const struct header *headers, size_t n, bool stream);
/* More of the body, copied. False when nobody reads it: the client is gone, or reads too slowly (LIMIT_LATER). */
bool later_write(struct later *l, struct pap_str bytes);
/* No more will come, and whoever answers knows it no longer. Without a later_begin() it is a 500. */
void later_end(struct later *l);
bool later_is_gone(struct later *l);

/* ---- The connection's side ---- */

/* `wake` is called, from any thread, when there is more to take; it must not call any of these functions. */
void later_bind(struct later *l, void (*wake)(void *ctx), void *ctx);
/* The connection knows it no longer. */
void later_leave(struct later *l);

/* What has come since the last time. */
struct later_news {
    bool begins; /* the head is to be sent: these are good until the next call */
    int status;
    const struct header *headers;
    size_t n_headers;
    bool stream;      /* else the body is whole */
    bool ends, fails; /* fails: what was sent so far is all there will be */
};
/* The body that came is appended to *ret_body (untouched while nothing can be sent). */
void later_take(struct later *l, struct buf *ret_body, struct later_news *ret);

#endif
