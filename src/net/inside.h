/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the HTTP client share: the client, and a transfer: one hop under way, with the easy handle and the
 * buffers that the next one uses again.
 */
#ifndef NET_INSIDE_H
#define NET_INSIDE_H

#include "base/buf.h"
#include "net/client.h"
#include "net/curl_api.h"
#include "net/dial.h"
#include "net/walk.h"

enum { LIMIT_HEADER_FIELDS = 200 }; /* of one answer */

struct client {
    struct transport base; /* first */
    struct client_options o;
    struct curl_api api;
    CURLM *multi;
    CURLSH *share; /* TLS sessions */
    struct curl_slist *resolve, *connect_to;
    struct transfer *all, *idle;
    struct walk_queue queue;
    size_t active;
    int64_t tokens;    /* client_options.rate: thousandths of a hop that may begin; below 0: redirects went ahead */
    int64_t filled_ms; /* until when they are counted */
};

struct transfer {
    struct transfer *next_all, *next_idle;
    struct client *client;
    CURL *easy;
    struct walk *walk; /* NULL: idle */
    struct dial dial;
    struct curl_slist *fields; /* sent */
    struct curl_slist *pinned; /* where this hop goes, when the addresses are not libcurl's to find */
    struct buf head;           /* the last block of header fields, as received */
    struct buf body;           /* as received */
    struct buf plain;          /* with its content coding removed */
    uint64_t sunk;             /* bytes that went to request.sink */
    size_t head_bytes;         /* of all blocks */
    size_t head_fields;        /* lines of the last one */
    bool head_over;
    enum exchange_fault stop; /* why a callback of ours stopped the transfer; FAULT_NONE: it did not */
    bool enough;              /* stopped because nobody reads the rest */
    const char *tls_version;
    int64_t not_after;
    X509 *leaf; /* the certificate that was verified last */
    char error[CURL_ERROR_SIZE];
};

pap_result transfer_new(struct client *c, struct transfer **ret, struct pap_err *err) PAP_MUST;
void transfer_free(struct transfer *t);

/* Finds and judges the addresses of w->hop by client_options.addresses: WALK_ASK when it may be asked. */
enum walk_next transfer_pin(struct transfer *t, struct walk *w) PAP_MUST;

/* Sends w->hop. Failure: out of memory. */
pap_result transfer_begin(struct transfer *t, struct walk *w, int64_t now_ms, struct pap_err *err) PAP_MUST;

/* What came, into the walk; the transfer is idle again. Failure: out of memory, or the CA file is unusable. */
pap_result transfer_end(struct transfer *t, CURLcode code, int64_t now_ms, struct pap_err *err) PAP_MUST;

/* What a callback notes about a TLS connection at the first byte of the answer. */
void tls_note(struct transfer *t);

/* Has certificates kept while they are verified. False when out of memory. */
bool certificate_watch(struct transfer *t) PAP_MUST;
void certificate_drop(struct transfer *t);
/* Of the one that was refused: when it expires, into w->hop; and the fact in words. Nothing where none was seen. False when
 * out of memory. */
enum certificate_fact { CERTIFICATE_NOTHING, CERTIFICATE_UNTIL, CERTIFICATE_FROM, CERTIFICATE_NAMES };
bool certificate_add(struct transfer *t, enum certificate_fact fact, struct buf *ret) PAP_MUST;

/* The fault and its sentence for how libcurl ended (code is not CURLE_OK). Failure: out of memory, or a fault of ours. */
pap_result transfer_fault(struct transfer *t, CURLcode code, int64_t now_ms, struct pap_err *err) PAP_MUST;

/* The header fields of the last block, into w->hop. False when out of memory. */
bool head_read(struct transfer *t) PAP_MUST;

/* The body into w->x, its content coding undone. False when out of memory. */
bool body_read(struct transfer *t, bool whole) PAP_MUST;

#endif
