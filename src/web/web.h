/* SPDX-License-Identifier: Apache-2.0
 *
 * The public site: a form, reports, rules, the list of sites, charts, feeds and an API, all behind one handler of an HTTP
 * server. Workers read the database, each with a connection of its own for the moment; checks are made by one thread
 * (runner.h), and who asked for one waits without a worker (net/later.h).
 */
#ifndef WEB_WEB_H
#define WEB_WEB_H

#include "base/message.h"
#include "base/result.h"
#include "sys/clock.h"

struct web;
struct runner;

struct web_options {
    const struct pap_alloc *alloc; /* called from several threads at once */
    const struct clock *clock;
    const char *origin;         /* "https://check.example.com": where the site is, without a path */
    const char *contact;        /* an https URL or a mail address: who answers for it */
    const char *database;       /* a file or URL (store/db.h); NULL: nothing is kept and nothing shown */
    const char *const *proxies; /* addresses whose X-Forwarded-For is believed; ended by NULL, or NULL */
    uint32_t checks_per_hour;   /* of one visitor; 0: 60 */
    bool loopback;              /* for tests: names below .test may be checked */
    struct runner *runner;      /* NULL: nothing can be checked, only what is kept is shown */
    void (*trouble)(void *ctx,
                    const char *text); /* what the database says when it fails; from several threads at once */
    void *trouble_ctx;
};

/* Everything that `o` points at must outlive it. */
pap_result web_new(const struct web_options *o, struct web **ret, struct pap_err *err) PAP_MUST;
void web_free(struct web *w); /* accepts NULL; the server has stopped */

/* A handler of a server (net/talk.h); `ctx` is the struct web. */
void web_handle(void *ctx, const struct http_request *q, struct http_response *ret);

#endif
