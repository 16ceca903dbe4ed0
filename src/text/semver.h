/* SPDX-License-Identifier: Apache-2.0
 *
 * Versions by Semantic Versioning 2.0.0, strictly. Numbers have any length (R-VER-5).
 */
#ifndef TEXT_SEMVER_H
#define TEXT_SEMVER_H

#include "base/str.h"

struct semver {
    struct pap_str text;
    struct pap_str core[3];           /* digits */
    struct pap_str prerelease, build; /* without "-" and "+"; p NULL when there is none */
};

/* false: not a version; at most 1,024 bytes are one. Views into `text`. */
bool semver_parse(struct pap_str text, struct semver *ret);

/* Precedence: <0, 0, >0. Build metadata does not count. */
int semver_cmp(const struct semver *a, const struct semver *b);

/* The order of a release history (R-VER-3): higher precedence first, then the text, ascending. */
int semver_history_cmp(const struct semver *a, const struct semver *b);

#endif
