/* SPDX-License-Identifier: Apache-2.0
 *
 * The server itself: what waits, what runs, what listens.
 */
#ifndef MCP_INSIDE_H
#define MCP_INSIDE_H

#include "mcp/call.h"

struct call_list {
    struct mcp_call *first, *last;
    size_t n;
};

struct mcp {
    struct mcp_options o;
    pthread_mutex_t lock; /* of all that follows; the lock of a sink may be taken inside, never the other way */
    pthread_cond_t work, idle;
    struct call_list queue, running, listening;
    size_t queued_bytes;
    bool stops;
    pthread_t *threads;
    unsigned n_threads;
};

/* ---- pool.c ---- */

pap_result pool_start(struct mcp *m, struct pap_err *err) PAP_MUST;
void pool_stop(struct mcp *m, unsigned ms);
/* Has the call run by a thread of the pool, or here where there is none. Refuses it when too many wait. */
void pool_run(struct mcp *m, struct mcp_call *c);
bool pool_has_id(struct mcp *m, uint64_t client, const struct json *id);
void pool_cancel(struct mcp *m, uint64_t client, const struct json *id);
/* Under the lock. */
void list_push(struct call_list *list, struct mcp_call *c);
void list_take(struct call_list *list, struct mcp_call *c);

/* ---- listen.c ---- */

/* The call stays open; it is refused where too many do. */
void listen_keep(struct mcp *m, struct mcp_call *c);
void listen_end_all(struct mcp *m);

/* ---- mcp.c ---- */

struct mcp_call *call_new(struct mcp *m, struct mcp_sink *sink, struct pap_str text) PAP_MUST;
void call_free(struct mcp_call *c);
/* Runs its method. */
void call_run(struct mcp_call *c);
/* Answers with the result, or with the error. Does not free it. */
void call_finish(struct mcp_call *c, int status);
bool call_is_cancelled(struct mcp_call *c);

/* ---- opening.c ---- */

void mcp_write_server(struct json_writer *w);
void mcp_write_versions(struct json_writer *w);

#endif
