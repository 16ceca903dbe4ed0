/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a byte stands: line and column as people count them.
 */
#ifndef TEXT_PLACE_H
#define TEXT_PLACE_H

#include "base/result.h"
#include "base/str.h"

struct place {
    uint32_t line, column; /* from 1; the column counts code points; CRLF, LF and lone CR end a line */
    struct pap_str text;   /* the line, without its end */
};

/* The place of byte `off` (the end of the text when off is past it). A leading BOM takes no column. */
struct place place_of(struct pap_str text, size_t off);

/* A failure of PAP_SYNTAX that begins "path:line:column: ", for a file of ours. */
pap_result place_fail(struct pap_err *err, const char *path, struct pap_str text, size_t off, const char *fmt, ...)
    PAP_PRINTF(5, 6);

#endif
