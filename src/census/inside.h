/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of src/census share.
 */
#ifndef CENSUS_INSIDE_H
#define CENSUS_INSIDE_H

#include <papaver/census.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/result.h"
#include "census/facts.h"
#include "check/survey.h"
#include "crypto/digest.h"
#include "store/census.h"
#include "sys/clock.h"
#include "text/json_write.h"

struct pap_census {
    struct pap_census_options o;
    struct census *store;
    struct clock clock;
    struct arena arena; /* of the object */
    struct pap_str owner;
};

/* ---- name.c ---- */

/* The domain that a cell of a list means, in the DNS's form and without www., and what somebody registered of it. False:
 * *ret_why is a phrase ("has no dot"). Failure: out of memory, or a library that is not installed. */
pap_result census_name_of(struct arena *a, struct pap_str cell, struct census_name *ret, bool *ret_is_one,
                          const char **ret_why, struct pap_err *err) PAP_MUST;

/* ---- when.c ---- */

/* Standing, tries and when it is asked again, by `outcome` and `at` of the result. `begun`: when the domain was claimed.
 * `retry_after`: seconds that the site wants, 0: it says nothing. */
void when_again(const struct census_due *due, int64_t begun, int64_t every, int64_t retry_after,
                struct census_result *ret);
/* Seconds of Retry-After of an answer that was 429 or 503; bounded; 0: none. */
int64_t when_wanted(const struct exchange *x, int64_t now);

/* ---- out.c: rows of a table in each form ---- */

struct out {
    const struct pap_census_out *to;
    struct buf text;
    struct json_writer json;
    bool begun;
    bool failed;
};
void out_begin(struct out *o, const struct pap_census_out *to, const struct pap_alloc *alloc);
/* Hands over what was written. */
pap_result out_flush(struct out *o, struct pap_err *err) PAP_MUST;
void out_end(struct out *o);

/* "2026-11-30T12:00:00Z", or "2026-11-30"; "" for 0. */
struct pap_str out_time(struct arena *a, int64_t unix_seconds);
struct pap_str out_day(struct arena *a, int64_t unix_seconds);
/* A cell of CSV: what a spreadsheet would take for a formula begins with an apostrophe. */
void out_cell(struct buf *b, struct pap_str s);
/* "api web" */
struct pap_str out_words(struct arena *a, const struct census_words *w);

#endif
