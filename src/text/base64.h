/* SPDX-License-Identifier: Apache-2.0
 *
 * base64url without padding (RFC 7515 section 2): strict, only the canonical form. base64 with padding (RFC 4648
 * section 4), written.
 */
#ifndef TEXT_BASE64_H
#define TEXT_BASE64_H

#include "base/arena.h"
#include "base/buf.h"

/* True when `s` is canonical base64url; *ret_bytes is the decoded length. */
bool base64url_check(struct pap_str s, size_t *ret_bytes);

/* Appends the base64 of `bytes`. */
void base64_add(struct buf *out, struct pap_str bytes);

#endif
