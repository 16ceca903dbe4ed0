/* SPDX-License-Identifier: Apache-2.0
 *
 * An exchange: what was asked, hop by hop, and what came back. Plain data that net records and proto judges; every
 * pointer lives in the arena of the check that asked.
 */
#ifndef BASE_EXCHANGE_H
#define BASE_EXCHANGE_H

#include "base/str.h"

struct header {
    struct pap_str name, value; /* name as sent; value without blanks at its ends */
};

/* Why there is no whole answer. Facts about the other side are judged by rows; they are not errors of ours. */
enum exchange_fault {
    FAULT_NONE = 0,
    FAULT_URL,             /* the URL is not one we may ask (syntax, scheme) */
    FAULT_DNS,             /* name not found */
    FAULT_REFUSED,         /* connection refused or unreachable */
    FAULT_BLOCKED,         /* our address policy forbids the address */
    FAULT_TIMEOUT,         /* too slow: connect, total or low speed */
    FAULT_TLS,             /* handshake or certificate */
    FAULT_PROTOCOL,        /* what came is not HTTP, or the connection broke */
    FAULT_TOO_LARGE,       /* more bytes than the cap; `body` holds the first ones */
    FAULT_HEAD,            /* more header fields than the cap */
    FAULT_REDIRECTS,       /* more redirects than allowed, or a loop */
    FAULT_REDIRECT_TARGET, /* a redirect that must not be followed: http, no Location, bad URL */
    FAULT_ENCODING,        /* content coding damaged or not asked for */
    FAULT_BUDGET           /* the check's own budget is used up */
};

struct hop {
    struct pap_str method, url;
    int status; /* 0: none came, or this is the http target of a redirect, which is shown and was not asked */
    struct header *headers;
    size_t n_headers;
    struct pap_str address;     /* "192.0.2.1" or "2001:db8::1": the one really dialled; empty when none */
    struct pap_str tls_version; /* "TLSv1.3"; empty for http or when none */
    int64_t not_after;          /* expiry of the server certificate, Unix seconds; 0 unknown */
    uint32_t ms;                /* time this hop took */
};

struct exchange {
    struct pap_str method;       /* GET, HEAD, POST */
    struct pap_str url;          /* first asked */
    struct pap_str final_url;    /* of the last hop */
    struct pap_str request_body; /* POST only */
    struct hop *hops;            /* at least one, unless `fault` is FAULT_URL or FAULT_BUDGET */
    size_t n_hops;
    struct pap_str body; /* of the last hop, content coding removed; p NULL: no answer came */
    bool body_cut;       /* more would have come */
    enum exchange_fault fault;
    struct pap_str fault_text; /* one sentence, may quote untrusted text */
    uint32_t ms;               /* whole time */
};

/* The last hop, NULL when there is none. */
static inline const struct hop *exchange_last(const struct exchange *x)
{
    return x && x->n_hops ? &x->hops[x->n_hops - 1] : NULL;
}

/* The status that counts, 0 when no answer came. */
static inline int exchange_status(const struct exchange *x)
{
    const struct hop *h = exchange_last(x);
    return h ? h->status : 0;
}

/* The first header field of that name (ASCII case ignored), or one with p NULL. */
struct pap_str hop_header(const struct hop *h, const char *name);

/* How many header fields have that name. */
size_t hop_header_count(const struct hop *h, const char *name);

#endif
