/* SPDX-License-Identifier: Apache-2.0
 *
 * Which addresses are dialled: the policy is asked about each socket address that libcurl is about to connect to, so
 * that neither a redirect nor a name that changes its address (DNS rebinding) leads where the policy forbids.
 */
#ifndef NET_DIAL_H
#define NET_DIAL_H

#include "net/client.h"
#include "net/curl_api.h"
#include "text/uri.h"

struct dial {
    const struct client_options *o;
    bool http;               /* this hop is plain http: loopback only */
    char peer[64];           /* "203.0.113.5:443", "[2001:db8::1]:443": the last one tried; empty when none */
    int socket_errno;        /* socket() itself failed so; 0: it did not */
    const char *refused_why; /* the policy forbade `peer`; NULL when it did not */
};

void dial_begin(struct dial *d, const struct client_options *o, const struct uri *u);

/* CURLOPT_OPENSOCKETFUNCTION; `ctx` is the struct dial. */
curl_socket_t dial_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *address);

/* With a proxy only it sees the address of a name, but a literal address in a URL is judged here: false when it is
 * forbidden, with the reason. */
bool dial_may_pass_proxy(const struct client_options *o, const struct uri *u, const char **ret_why);

#endif
