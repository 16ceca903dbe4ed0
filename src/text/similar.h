/* SPDX-License-Identifier: Apache-2.0
 *
 * "Did you mean ...?": edit distance between short names.
 */
#ifndef TEXT_SIMILAR_H
#define TEXT_SIMILAR_H

#include "base/str.h"

/* Damerau-Levenshtein (adjacent swaps) over bytes, ASCII case ignored; names over 64 bytes and distances above `most`
 * give most + 1. */
size_t similar_distance(struct pap_str a, struct pap_str b, size_t most);

/* Keeps the nearest of several candidates: start with {.distance = SIZE_MAX}. A candidate counts only when its distance
 * is at most a third of the longer name (and at least 1 edit is always allowed for names of 3 bytes or more). */
struct similar {
    struct pap_str best;
    size_t distance;
};
void similar_try(struct similar *s, struct pap_str name, struct pap_str candidate);

#endif
