/* SPDX-License-Identifier: Apache-2.0
 *
 * Somebody who is asked, over HTTP, whether a caller may see a scope. A few threads ask; the request waits without its worker.
 * Nothing is remembered: what was said is good for the one request, and whoever is no longer allowed is out at once. What
 * cannot be found out in time is refused with 503.
 */
#ifndef APP_ASKER_H
#define APP_ASKER_H

#include "host/access.h"

struct asker;

/* Of one site: who asks, and whom. */
struct asked {
    struct asker *asker;
    const char *url;
};

struct asker_options {
    const struct pap_alloc *alloc;
    const char *cacert;                      /* for https; NULL: the system's */
    void (*answered)(void *ctx, int status); /* a request that had to wait; from several threads */
    void *ctx;
};

/* https, or http to this machine. */
pap_result asker_check_url(const char *url, struct pap_err *err) PAP_MUST;

/* PAP_UNAVAILABLE without libcurl. */
pap_result asker_new(const struct asker_options *o, struct asker **ret, struct pap_err *err) PAP_MUST;
/* Answers what still waits. Nothing may be asked any more. May be NULL. */
void asker_free(struct asker *a);

/* `ask` of a struct access, `ctx` a struct asked. */
enum verdict asker_ask(void *ctx, const struct question *q);

#endif
