/* SPDX-License-Identifier: Apache-2.0
 *
 * A judged target as JSON on one line, and back: what a store keeps of a check, so that every format can write its report
 * later. Bodies stand in it by digest only; whoever keeps records keeps them once for all. Values of header fields that no
 * report shows (cookies, credentials) are dropped; their length stays.
 */
#ifndef REPORT_RECORD_H
#define REPORT_RECORD_H

#include "report/report.h"

/* Keeps a body (the bytes of a document or an answer, maybe empty) and says under which name; the view must live until the
 * record is written. Called again for bytes that were there before. */
typedef pap_result record_keep(void *ctx, struct pap_str body, struct pap_str *ret_name, struct pap_err *err);

/* Appends the record of `t`; its bundle may be NULL. */
pap_result record_write(struct buf *out, const struct report_target *t, record_keep *keep, void *ctx,
                        struct pap_err *err) PAP_MUST;

/* Finds a body by the name it was given; p NULL: it is not kept, and reads as empty. */
typedef pap_result record_find(void *ctx, struct pap_str name, struct pap_str *ret_body, struct pap_err *err);

struct record {
    struct report_target target; /* bundle: the one below */
    struct bundle bundle;        /* documents with their bytes and exchanges, not read (doc_read) */
};

/* Everything lives in the arena or in `text`. PAP_SYNTAX when it is no record or one that is damaged: a sentence says
 * where. */
pap_result record_read(struct arena *a, struct pap_str text, record_find *bodies, void *ctx, struct record **ret,
                       struct pap_err *err) PAP_MUST;

#endif
