/* SPDX-License-Identifier: Apache-2.0
 *
 * Which rules judged: what is kept of a judgement says so, and history that others judged can be judged again.
 */
#ifndef PROTO_RULES_VERSION_H
#define PROTO_RULES_VERSION_H

#include "base/str.h"

/* "1.2.0+1a2b3c4d": that of papaver, and a digest of the rows and their functions, made when it was built. */
struct pap_str rules_version(void);

#endif
