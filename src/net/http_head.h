/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests read strictly (RFC 9112): the head, and a body in chunks. Whatever two readers could take for different
 * requests is refused, for such a difference is how a request is smuggled past the one that guards. Incremental and
 * linear: each byte is looked at once while more are awaited and once when the head is whole; nothing is copied.
 *
 * The functions answer with HTTP_DONE, HTTP_MORE, or the status (400 and up) to refuse with; then the connection can
 * only be closed, because where the next request begins is unknown.
 */
#ifndef NET_HTTP_HEAD_H
#define NET_HTTP_HEAD_H

#include "base/limits.h"
#include "base/message.h"

enum { HTTP_DONE = 0, HTTP_MORE = 1 };

/* What a head may have; more is 431 (a request line that is too long: 414). */
struct http_limits {
    size_t bytes;  /* all of it; 0: LIMIT_HTTP_HEAD */
    size_t fields; /* at most LIMIT_HTTP_FIELDS, which is what 0 stands for, too */
};

/* How far the search for the end of a head has come; zeroed for each request. */
struct http_scan {
    size_t at, line; /* next byte to look at; where its line begins */
    size_t begin;    /* of the request line: 2 behind a blank line, which is forgiven once (RFC 9112 section 2.2) */
    size_t lines;
};

/* `bytes` begin where the request begins and are those of the last call, and more. Done: the head is bytes[begin..at).
 * Refuses a line that is not ended by CR LF, and what is too long, as soon as it is seen. */
int http_head_scan(struct http_scan *s, struct pap_str bytes, const struct http_limits *limits);

/* What the head says about the bytes behind it, and about the connection. */
struct http_framing {
    bool chunked, keep_alive, expects_continue;
    uint64_t length; /* of the body; 0 when chunked */
};

/* Reads a whole head, its blank line included. Fills method, target, path, query, authority, headers (in `slots`, room
 * for LIMIT_HTTP_FIELDS) and minor of *ret, all views into `head` (or static), and nothing when it refuses. */
int http_head_parse(struct pap_str head, struct header *slots, struct http_request *ret,
                    struct http_framing *ret_framing);

/* A chunked body under way; zeroed at its start. */
struct http_chunked {
    unsigned char state;
    uint64_t left;     /* bytes of this chunk still to come; while its size is read, the size so far */
    uint32_t line;     /* bytes of this line so far */
    uint32_t trailers; /* all bytes of trailer fields */
};

/* Decodes p[0..n) in place: the body's part becomes p[0..*ret_body). More: everything was used. Done: the bytes from
 * *ret_used on are not of this body. `room` is how many bytes the body may still have: 413. Trailer fields are read past. */
int http_chunked_decode(struct http_chunked *c, char *p, size_t n, uint64_t room, size_t *ret_used, size_t *ret_body);

#endif
