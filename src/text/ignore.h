/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns of files that are left out, with the meaning they have in .gitignore: the last one that matches counts, "!"
 * takes back, "/" at the end means folders only, a "/" elsewhere ties the pattern to the top, "**" spans folders.
 */
#ifndef TEXT_IGNORE_H
#define TEXT_IGNORE_H

#include "base/arena.h"
#include "base/result.h"

struct ignore_pattern {
    struct pap_str text; /* without "!", the "/" at both ends and what blanks are behind it */
    bool negated, folders_only, anchored;
};

struct ignore {
    struct ignore_pattern *patterns;
    size_t n;
};

/* Reads lines (LF or CRLF); `text` must outlive the result. Failure: out of memory. */
pap_result ignore_read(struct arena *a, struct pap_str text, struct ignore *ret) PAP_MUST;

/* The pattern that leaves `path` (relative, "/" between parts) out, or NULL. Ask about folders first: what is in a folder
 * that is left out is not asked about. Time: product of the lengths. */
const struct ignore_pattern *ignore_match(const struct ignore *ignore, struct pap_str path, bool folder);

#endif
