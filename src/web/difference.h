/* SPDX-License-Identifier: Apache-2.0
 *
 * What differs between two reports of a site: faults that came and went, documents that are others, line by line.
 */
#ifndef WEB_DIFFERENCE_H
#define WEB_DIFFERENCE_H

#include "report/record.h"
#include "web/inside.h"

/* NULL: at that time nothing was published. */
void difference_add(struct asked *k, const struct record *before, const struct record *after);

#endif
