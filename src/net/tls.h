/* SPDX-License-Identifier: Apache-2.0
 *
 * The server's side of TLS 1.2 and 1.3 over OpenSSL, which is opened here and nowhere before it is needed. A set is one
 * generation of certificates; it lives as long as a connection that began with it.
 */
#ifndef NET_TLS_H
#define NET_TLS_H

#include <sys/types.h>

#include "base/alloc.h"
#include "base/result.h"
#include "base/str.h"

struct tls_certificate {
    const char *chain_path, *key_path; /* PEM: the leaf first; its key */
    const char *name; /* asked for by this name it is the one, whatever others are for; outlives the set. NULL: none */
};

struct tls_set;
struct tls_stream;

/* The certificate is chosen by the name that the client says (SNI): `name`, else the names in the certificates; the first one
 * answers to what no other is for. ALPN knows http/1.1 only. PAP_UNAVAILABLE without libssl; PAP_SYNTAX names the file
 * that is unusable, or not for its `name`. Nobody is asked for a passphrase. */
pap_result tls_set_new(const struct tls_certificate *certificates, size_t n, const struct pap_alloc *alloc,
                       struct tls_set **ret, struct pap_err *err) PAP_MUST;
struct tls_set *tls_set_keep(struct tls_set *set);
void tls_set_drop(struct tls_set *set); /* may be NULL */

/* From when and until when a certificate is valid, Unix seconds. */
struct tls_span {
    int64_t from, until;
};
struct tls_span tls_set_span(const struct tls_set *set, size_t i);

/* What an operation on a socket comes to when it moves no bytes. */
enum { IO_END = 0, IO_WAIT_READ = -1, IO_WAIT_WRITE = -2, IO_FAILED = -3 };

/* A stream over a non-blocking socket, which stays the caller's. Keeps the set. NULL when out of memory. */
struct tls_stream *tls_stream_new(struct tls_set *set, int fd);
void tls_stream_free(struct tls_stream *t); /* may be NULL */

/* 1 when the handshake is complete. */
ssize_t tls_handshake(struct tls_stream *t);
/* The name that the client said, empty when none; good until the next call for this stream. */
struct pap_str tls_server_name(const struct tls_stream *t);
/* Bytes moved (more than 0), or one of IO_. What a write that had to wait is given again must be the same bytes. */
ssize_t tls_read(struct tls_stream *t, char *p, size_t n);
ssize_t tls_write(struct tls_stream *t, const char *p, size_t n);
/* Whether bytes lie in the stream that no event of the socket will announce. */
bool tls_has_more(const struct tls_stream *t);
/* Says that nothing more will be sent; once, and only after the handshake. */
void tls_goodbye(struct tls_stream *t);

#endif
