/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a byte stands: line and column as people count them.
 */
#ifndef TEXT_PLACE_H
#define TEXT_PLACE_H

#include "base/str.h"

struct place {
    uint32_t line, column; /* from 1; the column counts code points; CRLF, LF and lone CR end a line */
    struct pap_str text;   /* the line, without its end */
};

/* The place of byte `off` (the end of the text when off is past it). A leading BOM takes no column. */
struct place place_of(struct pap_str text, size_t off);

#endif
