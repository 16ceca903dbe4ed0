/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes of what is installed: planned, shown, asked about, made.
 */
#ifndef CLI_SKILL_CHANGE_H
#define CLI_SKILL_CHANGE_H

#include "cli/skill_run.h"

struct skill_changes {
    struct skill_run *run;
    struct pap_install *in;
    struct pap_skill **skills; /* of change i; NULL: a removal */
    size_t n, cap;
};

/* Plans to install; the skill is held until skill_changes_free(). false after telling why, the skill is freed then. */
bool skill_plan_add(struct skill_changes *c, const char *place, struct pap_skill *skill,
                    struct pap_install_add add) PAP_MUST;
/* Shows what would be done; asks where that is needed; does it; shows what was done. */
void skill_changes_make(struct skill_changes *c);
void skill_changes_free(struct skill_changes *c);

#endif
