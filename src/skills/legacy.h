/* SPDX-License-Identifier: Apache-2.0
 *
 * The layout before 0.2.0, on request only: a list without digests.
 */
#ifndef SKILLS_LEGACY_H
#define SKILLS_LEGACY_H

#include "skills/catalog.h"

/* Reads such a list; *ret_is is false when it is none. Entries that are not right are left out. Failure: out of memory. */
pap_result legacy_read(struct arena *a, struct pap_str bytes, struct pap_str base, struct catalog *ret,
                       bool *ret_is) PAP_MUST;

#endif
