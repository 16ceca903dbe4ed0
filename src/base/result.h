/* SPDX-License-Identifier: Apache-2.0
 *
 * Results and errors: `TRY(f(...))` passes a failure up; `fail(err, code, "...")` makes one with its sentence.
 */
#ifndef BASE_RESULT_H
#define BASE_RESULT_H

#include <papaver/base.h>

#define OK ((pap_result){PAP_OK})

static inline bool is_ok(pap_result r)
{
    return r.code == PAP_OK;
}

#define TRY(expr)                 \
    do {                          \
        pap_result try_ = (expr); \
        if (try_.code != PAP_OK)  \
            return try_;          \
    } while (0)

/* Fills *err (may be NULL) and returns the failure. The text is cut to fit; control bytes in it become '?'. */
pap_result fail(struct pap_err *err, enum pap_code code, const char *fmt, ...) PAP_PRINTF(3, 4);

/* Out of memory, with the one sentence for it. */
pap_result fail_memory(struct pap_err *err);

#endif
