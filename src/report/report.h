/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports: findings and exchanges in six formats, streamed target by target so that memory stays flat. A format is a row
 * of three functions; each has one encoder for untrusted text, and nothing untrusted leaves its place.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/buf.h"
#include "proto/check.h"

/* One target, judged or not. */
struct report_target {
    struct pap_str target;          /* as the caller named it */
    const struct bundle *bundle;    /* documents and exchanges; may have no document */
    const struct pap_finding *findings;
    size_t n_findings;
    struct pap_str failure;         /* why it could not be judged (then exit 3); p NULL: it was */
    size_t certain, provisional;    /* rows that hold for the version judged */
    uint32_t ms;
};

/* The whole run, known at its end. */
struct report_total {
    struct pap_counts counts;
    int exit;
    enum pap_severity fail_on;
    const struct pap_str *stale; /* baseline entries that nothing matched, as text */
    size_t n_stale;
};

struct report {
    enum pap_format format;
    bool color, quiet, exchanges;
    uint32_t width;              /* columns */
    int64_t now;
    enum pap_severity fail_on;
    struct buf out;              /* what was written since the caller last took it away */
    size_t n_targets;            /* reported so far */
    struct buf body;             /* HTML: targets, until the head with its counts can be written */
};

/* The caller fills format, color, quiet, exchanges, width, now and fail_on, then: */
void report_init(struct report *r, const struct pap_alloc *alloc);
void report_begin(struct report *r);
void report_target(struct report *r, const struct report_target *t);
void report_end(struct report *r, const struct report_total *total);
void report_fini(struct report *r);
/* Take r->out away (buf_reset) after each call. Sticky failure: */
pap_result report_result(const struct report *r, struct pap_err *err) PAP_MUST;

/* Header fields whose values are not shown: set-cookie, authorization, cookie, proxy-*, poppy-session, dpop,
 * www-authenticate parameters other than error, scope, realm and resource_metadata. Query strings of URLs in exchanges are
 * shown with the values of token-like parameters replaced. */
bool report_header_is_secret(struct pap_str name);

#endif
