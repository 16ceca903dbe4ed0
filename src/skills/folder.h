/* SPDX-License-Identifier: Apache-2.0
 *
 * A local folder as an origin, for reading only: a published tree, or a folder of skills.
 */
#ifndef SKILLS_FOLDER_H
#define SKILLS_FOLDER_H

#include "skills/session.h"

/* Reads the list of s->origin.path into the session. */
pap_result folder_open(struct pap_skill_session *s, struct pap_skill_err *err) PAP_MUST;

/* The bytes of an artifact that the list names by this URL. */
pap_result folder_artifact(struct pap_skill_session *s, struct arena *a, struct pap_str url, struct pap_str *ret,
                           struct pap_skill_err *err) PAP_MUST;

/* Accepts NULL. */
void folder_close(struct folder *f);

#endif
