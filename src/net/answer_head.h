/* SPDX-License-Identifier: Apache-2.0
 *
 * The head of an answer as bytes.
 */
#ifndef NET_ANSWER_HEAD_H
#define NET_ANSWER_HEAD_H

#include "base/buf.h"
#include "base/message.h"

struct answer_head {
    int status;
    const char *date; /* IMF-fixdate */
    const struct header *headers;
    size_t n_headers;
    bool has_length; /* 204 and 304 have none */
    uint64_t length;
    bool keep;
    unsigned minor; /* of the request: HTTP/1.0 wants to hear of keep-alive, 1.1 of close */
};

/* Whether a response of a handler may be sent: its status, and fields that cannot end the head or change the framing. */
bool answer_is_good(const struct http_response *a);

/* Appends the head and a body behind it. False, and nothing appended, when there is no memory for it. */
bool answer_head_write(struct buf *out, const struct answer_head *head, struct pap_str body) PAP_MUST;

#endif
