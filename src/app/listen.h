/* SPDX-License-Identifier: Apache-2.0
 *
 * The addresses that a server of this program listens on: what may be heard by others, and how many there may be.
 */
#ifndef APP_LISTEN_H
#define APP_LISTEN_H

#include "net/server.h"

enum { LISTENERS_MOST = 16 };

struct listening {
    struct server_listener at[LISTENERS_MOST];
    const char *addresses[LISTENERS_MOST]; /* NULL for a socket that was given */
    unsigned ports[LISTENERS_MOST];        /* the real ones: an address may leave it to the system */
    size_t n;
};

/* Opens one more. `open`: others than this machine may be heard without TLS. What was opened before a failure ends with the
 * program. */
pap_result listen_on(struct listening *l, const char *address, bool tls, bool open, struct pap_err *err) PAP_MUST;
/* One more that somebody else opened; who did decides who can reach it, so it has to be `open` where it is without TLS. */
pap_result listen_given(struct listening *l, int fd, bool tls, bool open, struct pap_err *err) PAP_MUST;

#endif
