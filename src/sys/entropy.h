/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes that nobody can guess.
 */
#ifndef SYS_ENTROPY_H
#define SYS_ENTROPY_H

#include <stddef.h>

#include "base/result.h"

pap_result entropy_bytes(void *ret, size_t n, struct pap_err *err) PAP_MUST;

#endif
