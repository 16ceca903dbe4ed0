/* SPDX-License-Identifier: Apache-2.0
 *
 * What a caller is told when something does not go: faults of the pure parts, failures of ours and the refusals of the
 * client itself, all as a struct pap_skill_err. Its context holds "key\0value\0" pairs and ends with an empty key.
 */
#ifndef SKILLS_FAULT_H
#define SKILLS_FAULT_H

#include <papaver/skill.h>

#include "base/buf.h"
#include "base/exchange.h"
#include "base/limits.h"
#include "base/result.h"
#include "proto/skill_code.h"

/* Every `err` may be NULL. */

/* A fault as it is; PAP_REFUSED. */
pap_result fault_tell(const struct skill_fault *f, struct pap_skill_err *err);

/* A failure of ours: memory, disk. `why` may be NULL. */
pap_result failure_tell(pap_result r, const struct pap_err *why, struct pap_skill_err *err);

/* A refusal with its sentence, without context. Untrusted parts are escaped here, but not cut. */
pap_result refuse(struct pap_skill_err *err, enum skill_code code, const char *fmt, ...) PAP_PRINTF(3, 4);

/* Adds one fact where the code may have it and there is room. */
void err_set(struct pap_skill_err *err, enum skill_key key, struct pap_str value);
void err_set_rule(struct pap_skill_err *err, const char *rule);
/* Appends to the sentence. */
void err_more(struct pap_skill_err *err, const char *fmt, ...) PAP_PRINTF(2, 3);

enum skill_code err_code(const struct pap_skill_err *err);

/* What an exchange that brought nothing usable means (remote-skills R-NET, R-SCO-4): always a refusal. `limit` names the
 * cap of its body, such as "catalog_bytes". */
pap_result exchange_tell(const struct exchange *x, const char *limit, struct pap_skill_err *err);

#endif
