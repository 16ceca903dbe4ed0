/* SPDX-License-Identifier: Apache-2.0
 *
 * robots.txt (RFC 9309): what of a file concerns one crawler, and whether those rules allow a path. Any bytes are a file;
 * lines that say nothing are no rules.
 */
#ifndef TEXT_ROBOTS_H
#define TEXT_ROBOTS_H

#include "base/buf.h"
#include "base/str.h"

/* Appends the rules that `product` ("papaver") has to keep, as a text for robots_allow() alone: those of all its groups, or
 * of the groups for everybody where none names it (section 2.2.1). More than LIMIT_ROBOTS_RULES are no rules that anybody
 * meant: then it disallows everything. */
void robots_read(struct pap_str file, struct pap_str product, struct buf *out);

/* Whether a path with its query ("/a?b", "" is "/") may be asked for: the longest rule that fits decides, allow before
 * disallow (section 2.2.2). Time: rules times the length of the path. */
bool robots_allow(struct pap_str rules, struct pap_str target);

#define ROBOTS_NONE S("D/\n") /* rules that allow nothing */

#endif
