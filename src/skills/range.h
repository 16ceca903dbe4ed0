/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranges of versions (remote-skills 3): `*`, `1.x`, `1.4.x`, `~1.4.2`, `^1.4.2`, `1.4.2`, or comparators with one blank
 * between (`>=1.4.0 <2.0.0`). Nothing else is a range: no `||`, no hyphen, no bare `1`.
 */
#ifndef SKILLS_RANGE_H
#define SKILLS_RANGE_H

#include "base/limits.h"
#include "text/semver.h"

enum range_form { RANGE_ANY, RANGE_MAJOR, RANGE_MINOR, RANGE_TILDE, RANGE_CARET, RANGE_EXACT, RANGE_COMPARATORS };

struct range_comparator {
    bool less, equal; /* "<=": both; ">=": equal only; "<": less only; ">": neither */
    struct semver version;
};

struct range {
    enum range_form form;
    struct semver version; /* TILDE, CARET, EXACT; of MAJOR and MINOR the core, as far as it goes */
    struct range_comparator comparators[LIMIT_RANGE_COMPARATORS];
    size_t n;
};

/* The whole text, without blanks around; p NULL is `*`. False: not a range. Views into `text`. */
bool range_parse(struct pap_str text, struct range *ret);

/* Whether a version is inside. A prerelease only when the range names a prerelease of the same three numbers (R-SEL-4). */
bool range_holds(const struct range *r, const struct semver *v);

#endif
