/* SPDX-License-Identifier: Apache-2.0
 *
 * Gzip as a content coding of HTTP (RFC 9110 section 8.4.1.3): the whole of it to bytes, strictly.
 */
#ifndef PACK_GUNZIP_H
#define PACK_GUNZIP_H

#include "base/buf.h"

/* Appends what `bytes` (one gzip member or several) hold to `out`, and stops once `out` has more than `cap` bytes.
 * *ret_why says what is wrong, NULL when nothing is; what came out before that stays in `out`. CRC-32 and size are
 * checked, nothing may follow the last member. Failure: out of memory. */
pap_result gunzip(struct pap_str bytes, size_t cap, struct buf *out, const char **ret_why,
                  struct pap_err *err) PAP_MUST;

#endif
