/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that visitors ask for: one thread makes them, a domain once at a time, and keeps each report. Who asks for one that
 * is under way joins it. Nothing can be reached but public addresses on port 443, and no host is asked too often, whoever
 * has what checked.
 */
#ifndef WEB_RUNNER_H
#define WEB_RUNNER_H

#include "base/result.h"
#include "base/str.h"
#include "net/later.h"
#include "sys/clock.h"
#include "web/limiter.h"

struct runner;
struct transport;

struct runner_options {
    const struct pap_alloc *alloc; /* called from several threads at once */
    const struct clock *clock;
    const char *database;
    const char *user_agent;
    uint32_t jobs; /* checks at once; 0: 8 */
    /* For tests: loopback may be asked, on the ports that `connect_to` says, with the roots of `cacert`; or everything is asked
     * of this transport, which the runner frees. */
    bool loopback;
    const char *cacert;
    const char *const *connect_to;
    struct transport *transport;
    /* Where TXT records are looked up: "127.0.0.1:53". NULL: as /etc/resolv.conf says; with `loopback` nowhere. */
    const char *resolver;
    struct limiter_rule host; /* requests to one host; zeros: 400 at once, 2,400 an hour */
};

/* What `o` points at must outlive it. */
pap_result runner_start(const struct runner_options *o, struct runner **ret, struct pap_err *err) PAP_MUST;
/* Ends what is under way; who waits is told, and who asks from then on refused. Accepts NULL. */
void runner_halt(struct runner *r);
/* The same, and frees it: nobody asks any more. Accepts NULL. */
void runner_stop(struct runner *r);

enum runner_form {
    RUNNER_PAGE,  /* in the end a 303 to the report, /check/NAME */
    RUNNER_API,   /* to /api/v1/check/NAME */
    RUNNER_EVENTS /* a stream of events: step, then done or failed */
};
enum runner_task { RUNNER_CHECK, RUNNER_OPT_OUT };

/* How a task ended that did not bring what was asked for; "/check/NAME?said=WORD" shows the sentence. */
enum runner_trouble {
    RUNNER_FINE,
    RUNNER_ASKED_OFTEN,
    RUNNER_NOT_KEPT,
    RUNNER_NO_PROOF,
    RUNNER_NO_RESOLVER,
    RUNNER_NOT_WRITTEN,
    RUNNER_BROKE_OFF,
    RUNNER_STOPPED
};
struct runner_trouble_row {
    const char *word, *sentence;
};
/* The row of RUNNER_FINE is empty. */
extern const struct runner_trouble_row runner_troubles[RUNNER_STOPPED + 1];
/* The sentence of a word; p NULL: it is none. */
struct pap_str runner_trouble_sentence(struct pap_str word);

enum runner_said { RUNNER_TAKEN, RUNNER_FULL, RUNNER_NO_MEMORY };

/* `name` is one by the rule (web/name.h). *ret is for the response. */
enum runner_said runner_ask(struct runner *r, enum runner_task task, struct pap_str name, enum runner_form form,
                            const struct limiter_key *visitor, struct later **ret) PAP_MUST;

#endif
