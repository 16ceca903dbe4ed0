/* SPDX-License-Identifier: Apache-2.0
 *
 * What a request asks beyond the path: preconditions (RFC 9110 section 13), ranges (section 14) and the coding that it
 * takes (section 12.5.3). Pure and without memory: header fields of strangers in, verdicts out.
 */
#ifndef HOST_CONDITION_H
#define HOST_CONDITION_H

#include "base/limits.h"
#include "base/message.h"

/* What a representation is compared by. */
enum { MODIFIED_NEVER = -1 };

struct validator {
    struct pap_str etag; /* strong, with its quotes */
    int64_t modified;    /* Unix seconds; MODIFIED_NEVER: nobody knows, and conditions with a date are passed over */
    bool modified_is_strong; /* it cannot have changed twice within that second (section 8.8.2.2) */
};

enum condition {
    CONDITION_HOLDS,
    CONDITION_NOT_MODIFIED, /* 304 */
    CONDITION_FAILED        /* 412 */
};

/* All preconditions of a GET or HEAD but If-Range, in the order of section 13.2.2. */
enum condition condition_of(const struct http_request *q, const struct validator *v);

struct byte_range {
    uint64_t first, n; /* n is not 0 */
};

enum range_verdict {
    RANGE_WHOLE, /* no range asked for, or one to be ignored */
    RANGE_PARTS,
    RANGE_UNSATISFIABLE /* 416 */
};

/* What of a representation of `length` bytes is to be sent, Range and If-Range together. Ranges that overlap, that are too
 * many or, several, too long together are answered with the whole (section 14.2 allows it). */
enum range_verdict range_of(const struct http_request *q, const struct validator *v, uint64_t length,
                            struct byte_range ret[static LIMIT_HOST_RANGES], size_t *ret_n);

/* Whether gzip is named in Accept-Encoding, not refused there, and not liked less than no coding at all (decisions 22). */
bool takes_gzip(const struct http_request *q);

#endif
