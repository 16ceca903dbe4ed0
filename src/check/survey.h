/* SPDX-License-Identifier: Apache-2.0
 *
 * Many domains looked at one by one over one transport, in one thread, and told of in the order in which they end: what a census runs on.
 * `papaver check` reports in the order given; here nobody waits for a slow one. Uses the slots and functions of checker.h.
 */
#ifndef CHECK_SURVEY_H
#define CHECK_SURVEY_H

#include "check/checker.h"

/* A domain that ended. Everything it points at is gone when the function returns. */
struct surveyed {
    void *tag;                          /* given to survey_start() */
    const struct report_target *target; /* judged, or with a failure */
    const struct slot *slot;
    bool published; /* poppy.json or the skill index is one (bundle_is_published) */
    bool busy;      /* nothing is known: its address was dialled as often as may be in this second */
};
/* A failure ends the survey_step() that called. */
typedef pap_result survey_done(void *ctx, const struct surveyed *s, struct pap_err *err);

struct survey;

/* Of the options of a check these count: alloc, as_version, only, skip, insecure_http, jobs, network, now (0: the clock when
 * a domain begins); they must outlive the survey. `first_only`: fetch nothing beyond poppy.json and the skill index where
 * neither is one. `transport` NULL: libcurl, opened at the first domain. */
struct survey_options {
    const struct pap_check_options *check;
    bool first_only;
    struct manners manners;
    struct commons *commons; /* shared with surveys of other threads; NULL: there are none */
    struct transport *transport;
    survey_done *done;
    void *ctx;
};
pap_result survey_new(const struct survey_options *o, struct survey **ret, struct pap_err *err) PAP_MUST;
void survey_free(struct survey *s);

/* How many domains are under way; no more than `jobs` should be. */
size_t survey_under_way(const struct survey *s);
/* Starts one: "shop.example", "shop.example:8443". `tag` is for the caller. */
pap_result survey_start(struct survey *s, struct pap_str domain, void *tag, struct pap_err *err) PAP_MUST;
/* Works until a request ends or `timeout_ms` is over, and calls `done` for each domain that ended. */
pap_result survey_step(struct survey *s, int timeout_ms, struct pap_err *err) PAP_MUST;

#endif
