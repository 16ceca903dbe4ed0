/* SPDX-License-Identifier: Apache-2.0
 *
 * One release made a skill: from the cache, the network or a folder, its digest compared before anything is parsed.
 */
#ifndef SKILLS_ACTIVATE_H
#define SKILLS_ACTIVATE_H

#include "skills/skill.h"

enum activate_how {
    ACTIVATE_CHOSEN, /* by a range */
    ACTIVATE_ANY,    /* no range was given: it is said when that is not the current release */
    ACTIVATE_ALONE   /* not of a list, so that none is asked again when the digest is another one */
};

pap_result activate_release(struct pap_skill_session *s, const struct catalog_entry *e,
                            const struct catalog_release *release, enum activate_how how, struct pap_skill **ret,
                            struct pap_skill_err *err) PAP_MUST;

#endif
