/* SPDX-License-Identifier: Apache-2.0
 *
 * A request and its response, as plain data: what a server hands to the code that answers, and what it takes back. The
 * request's views are good until the handler returns; the response says itself how long its own are.
 */
#ifndef BASE_MESSAGE_H
#define BASE_MESSAGE_H

#include "base/arena.h"
#include "base/exchange.h"

/* `path` has its percent-encoding not undone, no dot segments and no %00. `authority`, "host[:port]", is what is asked for:
 * that of the target when it has one, else that of Host. A header's name is a token, its value holds no control byte but
 * TAB. */
struct http_request {
    uint64_t connection, number;   /* which connection of the server, which request on it; from 1 */
    struct pap_str peer;           /* "192.0.2.1" or "2001:db8::1"; empty where there is no address */
    struct pap_str scheme;         /* "http" or "https": how it came, whatever the target says */
    struct pap_str method, target; /* as sent; a method is of A-Z, '-' and '_' */
    struct pap_str path;           /* of the target, begins with '/'; "*" for OPTIONS of the server */
    struct pap_str query;          /* behind the '?'; p NULL when there is none */
    struct pap_str authority;      /* empty in HTTP/1.0 only */
    const void *named;             /* what the site made of the name in the TLS handshake; NULL: there was none */
    const struct header *headers;  /* in order */
    size_t n_headers;
    struct pap_str body; /* whole, its transfer coding undone */
    unsigned minor;      /* HTTP/1.minor: 0 or 1 */
};

struct later;

/* The handler fills it in; it begins zeroed but for the arena. The server itself writes Date, Content-Length and
 * Connection, leaves the body out for HEAD, 204 and 304, and makes a 500 of a response that breaks this contract: a status
 * outside 200-599, a field with a control byte or a name that is none, one of those three fields. */
struct http_response {
    int status;
    const struct header *headers;
    size_t n_headers;
    struct pap_str body;
    /* Or, when file_length is not 0, so many bytes of an open file. The descriptor stays the handler's. */
    int file;
    uint64_t file_at, file_length;
    /* Called exactly once when neither body nor file is needed any more, on the same thread. Without it the body (not a
     * file) is copied before the handler's thread does anything else; then it may lie in the arena. */
    void (*release)(void *ctx);
    void *release_ctx;
    /* Or, when not NULL, the answer comes later (net/later.h), and nothing else here counts. */
    struct later *later;
    bool close;          /* end the connection after this response */
    struct arena *arena; /* for fields and small bodies: emptied when the response has been taken */
};

/* The first header field of that name (ASCII case ignored), or one with p NULL. */
struct pap_str request_header(const struct http_request *r, const char *name);

/* How many header fields have that name. */
size_t request_header_count(const struct http_request *r, const char *name);

#endif
