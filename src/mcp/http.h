/* SPDX-License-Identifier: Apache-2.0
 *
 * MCP over streamable HTTP, one endpoint at /mcp: who may ask at all, what the header fields have to say, and the sessions of
 * legacy clients. The server is net's; a handler never waits.
 */
#ifndef MCP_HTTP_H
#define MCP_HTTP_H

#include <pthread.h>

#include "base/message.h"
#include "mcp/mcp.h"

#define MCP_PATH "/mcp"

enum { SESSION_ID = 32 };

/* A legacy client that began with `initialize`. */
struct mcp_session {
    char id[SESSION_ID + 1]; /* "": free */
    uint64_t client;
    uint64_t used; /* a count that rises */
    bool streams;  /* its GET stream is open */
};

struct mcp_http {
    const struct pap_alloc *alloc;
    struct mcp *mcp;
    struct pap_str token;          /* empty: nobody is asked for one */
    const struct pap_str *hosts;   /* "127.0.0.1:7420": what Host may say, in lower case */
    const struct pap_str *origins; /* what Origin may say; "null" is never one of them */
    size_t n_hosts, n_origins;
    pthread_mutex_t lock; /* of the sessions */
    struct mcp_session sessions[LIMIT_MCP_SESSIONS];
    uint64_t clients, uses;
};

void mcp_http_init(struct mcp_http *h);
/* After mcp_stop(). */
void mcp_http_fini(struct mcp_http *h);

/* The handler of a site (net/talk.h). */
void mcp_http_handle(void *http, const struct http_request *q, struct http_response *r);

/* Now and then: those who went are forgotten, the streams of the others get a sign of life. */
void mcp_http_beat(struct mcp_http *h);

/* ---- http_session.c ---- */

/* False: there is none, and its id is not written. The longest unused one makes room. */
bool http_session_open(struct mcp_http *h, char ret_id[SESSION_ID + 1]);
/* The client behind an id, 0 when there is none. */
uint64_t http_session_find(struct mcp_http *h, struct pap_str id);
bool http_session_close(struct mcp_http *h, struct pap_str id);
/* Its one stream; false when it is open already, or there is no such session. */
bool http_session_stream(struct mcp_http *h, uint64_t client);
void http_session_stream_ended(struct mcp_http *h, uint64_t client);

#endif
