/* SPDX-License-Identifier: Apache-2.0
 *
 * Why bytes do not have the digest that a list gives: the commonest causes leave a digest that can be computed again.
 */
#ifndef PROTO_DIGEST_CAUSE_H
#define PROTO_DIGEST_CAUSE_H

#include "base/arena.h"
#include "crypto/digest.h"

/* *ret is a clause for people ("with LF line ends the digest is right; ..."), or NULL. `wanted`: "sha256:...". Failure: out
 * of memory. */
pap_result digest_cause(struct arena *scratch, struct pap_str wanted, struct pap_str bytes, bool archive,
                        const char **ret) PAP_MUST;

#endif
