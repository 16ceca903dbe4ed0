/* SPDX-License-Identifier: Apache-2.0
 *
 * The HTTP client: libcurl's multi interface, opened on first use. Redirects are walked by us, hop by hop, so that each
 * is recorded, judged by the address policy and counted. No cookies, credentials, referrer, netrc or environment; https
 * only; the address really dialled is checked (a rebinding name does not help); caps hold while reading.
 */
#ifndef NET_CLIENT_H
#define NET_CLIENT_H

#include "net/hosts.h"
#include "net/transport.h"
#include "sys/clock.h"

/* True when the address may be dialled; when not, *ret_why names the range. */
typedef bool address_policy(const void *ctx, const unsigned char *address, size_t n, const char **ret_why);

struct client_options {
    const struct pap_alloc *alloc;
    const struct clock *clock;
    address_policy *policy;
    const void *policy_ctx;
    bool insecure_http;     /* http to a loopback address is allowed */
    uint32_t timeout_ms;    /* of one hop; 0: LIMIT_TOTAL_MS */
    uint32_t jobs;          /* hops under way at once; 0: 16 */
    uint32_t rate;          /* hops begun in a second at most; 0: any number */
    struct hosts *hosts;    /* shared by clients that make one connection to a host and port together; may be NULL */
    bool forget_names;      /* addresses are asked for again at each connection: for a client that sees many names */
    const char *user_agent; /* NULL: papaver/VERSION */
    const char *cacert;     /* NULL: the system's bundle */
    const char *const *resolve;    /* HOST:PORT:ADDR ..., ended by NULL; or NULL */
    const char *const *connect_to; /* HOST:PORT:HOST:PORT ..., ended by NULL; or NULL */
    const char *proxy;             /* NULL: none, whatever the environment says */
    /* Instead of the system's resolver: writes at most `most` addresses as text and returns how many. All of them must pass
     * the policy, and the first is dialled. NULL: the system's. */
    size_t (*addresses)(void *ctx, const char *host, char (*ret)[46], size_t most);
    void *addresses_ctx;
};

/* Checks the options that people write; PAP_USAGE says which is wrong and how it should look. Opens nothing. */
pap_result options_check(const struct client_options *o, struct pap_err *err) PAP_MUST;

/* Opens libcurl and makes a transport; what `o` points at must outlive it. PAP_UNAVAILABLE when libcurl is not there,
 * PAP_USAGE for a bad option, in a sentence that says how it should look. */
pap_result client_new(const struct client_options *o, struct transport **ret, struct pap_err *err) PAP_MUST;

#endif
