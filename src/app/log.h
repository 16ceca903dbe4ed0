/* SPDX-License-Identifier: Apache-2.0
 *
 * The access log of a server: the workers put lines into a queue, one thread hands them on. Whoever reads the log may stall,
 * and a disk may be full: then lines are lost, counted and told of in the log once it goes on, and no request waits.
 */
#ifndef APP_LOG_H
#define APP_LOG_H

#include "base/result.h"
#include "net/talk.h"

struct log;

struct log_options {
    const struct pap_alloc *alloc;
    void (*write)(struct buf *out, const struct http_access *a); /* a request as a line (app/access_log.h) ... */
    void (*write_lost)(struct buf *out, int64_t unix_seconds, uint64_t lines); /* ... and how many are missing */
    size_t (*put)(void *ctx, const char *lines, size_t n); /* `access` of papaver/serve.h; called by one thread */
    void *ctx;
};

pap_result log_start(const struct log_options *o, struct log **ret, struct pap_err *err) PAP_MUST;
/* Called by any thread; waits for nobody who reads. */
void log_add(struct log *l, const struct http_access *a);
/* Lines lost so far. */
uint64_t log_lost(const struct log *l);
/* Hands on what is still there, for `ms` at most, and frees the log. May be NULL. */
void log_stop(struct log *l, int64_t ms);

#endif
