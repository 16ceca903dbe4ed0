/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the artifact reader share.
 */
#ifndef SKILLS_ARTIFACT_INSIDE_H
#define SKILLS_ARTIFACT_INSIDE_H

#include "skills/artifact.h"

/* Faults; failure: out of memory. */
pap_result artifact_unsafe(struct arena *a, struct skill_fault *f, struct pap_str path, const char *fmt, ...)
    PAP_PRINTF(4, 5) PAP_MUST;
pap_result artifact_over(struct arena *a, struct skill_fault *f, const char *limit, const char *fmt, ...)
    PAP_PRINTF(4, 5) PAP_MUST;

/* A constant sentence. */
void artifact_warn(struct skill *s, const char *text);

/* Front matter and instructions out of s->text. */
pap_result skill_md_read(struct arena *a, const struct artifact_want *want, struct skill *s,
                         struct skill_fault *f) PAP_MUST;

#endif
