/* SPDX-License-Identifier: Apache-2.0
 *
 * A verified release with its files, read from bytes that have the digest of the list. Held by the session that activated
 * it, and by each caller.
 */
#ifndef SKILLS_SKILL_H
#define SKILLS_SKILL_H

#include "skills/session.h"

struct pap_skill {
    struct pap_skill_session *session; /* held */
    unsigned refs;                     /* under the session's lock */
    struct arena arena;
    struct skill read;
    struct pap_skill_facts facts;
    struct cache_object *object; /* keeps the artifact in the cache; NULL: of a folder */
    struct spool *files;         /* the bytes of its files, one behind the other */
    struct pap_str *digests;     /* of read.files, as text */
    const char *const *led_to;   /* URLs that redirects of its own led to, ended by NULL */
};

/* Takes what `from` holds, whose digest was compared before. *ret is held by nobody but the caller. Refusal: by a rule of
 * artifact_read(). `object` is the skill's from then on, whatever comes of it. */
pap_result skill_make(struct pap_skill_session *s, const struct artifact_want *want, const struct pack_source *from,
                      struct cache_object *object, const struct pap_skill_release *release, struct pap_skill **ret,
                      struct pap_skill_err *err) PAP_MUST;

/* Accepts NULL. */
void skill_drop(struct pap_skill *k);

#endif
