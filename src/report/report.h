/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports: findings and exchanges in six formats, streamed target by target so that memory stays flat. A format is a row
 * of three functions; each has one encoder for untrusted text, and nothing untrusted leaves its place.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/buf.h"
#include "proto/check.h"
#include "text/json_write.h"

/* One target, judged or not. */
struct report_target {
    struct pap_str target;       /* as the caller named it */
    const struct bundle *bundle; /* documents and exchanges; NULL or without a document when there is none */
    const struct pap_finding *findings;
    size_t n_findings;
    struct pap_str failure;      /* why it could not be judged (then exit 3); p NULL: it was */
    size_t certain, provisional; /* rows that hold for the version judged */
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
    /* filled by the caller after report_init() */
    enum pap_format format;
    bool color, quiet, exchanges;
    bool proxied;              /* requests went through a proxy */
    bool many;                 /* more than one target: what is clean is only counted */
    uint32_t width;            /* columns; 0: 100 */
    int64_t now;               /* Unix seconds */
    enum pap_severity fail_on; /* 0: PAP_ERROR */
    /* HTML: write no page of its own but what goes inside <main class="report"> of somebody else's, where a rule's page is
     * at this and its id; NULL: a whole page. */
    const char *rules_url;

    struct buf out; /* what was written since the caller last took it away */

    /* the writers' own */
    size_t n_targets, n_failed; /* reported so far, and of them not judged */
    size_t n_items;             /* written so far of what the format counts: findings, sections */
    enum pap_code code;         /* the first failure */
    struct arena arena;         /* of one target */
    struct buf scratch;
    struct buf body, more;                         /* kept until the end: what the format has no place for earlier */
    struct json_writer json, json_body, json_more; /* on out, body and more */
};

/* report_init(), then the caller fills format ... fail_on, then: one begin, any number of targets, one end. The struct
 * may not be moved after report_begin(). */
void report_init(struct report *r, const struct pap_alloc *alloc);
void report_begin(struct report *r);
void report_target(struct report *r, const struct report_target *t);
void report_end(struct report *r, const struct report_total *total);
void report_fini(struct report *r);
/* Take r->out away (buf_reset) after each call. A failure stays, whatever is taken away: */
pap_result report_result(const struct report *r, struct pap_err *err) PAP_MUST;

/* Header fields whose values are never shown: cookies, credentials, keys, sessions. Of www-authenticate only the
 * schemes and the parameters that name no secret are shown; the query of a URL loses the values of token-like members. */
bool report_header_is_secret(struct pap_str name);

#endif
