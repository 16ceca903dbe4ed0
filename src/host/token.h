/* SPDX-License-Identifier: Apache-2.0
 *
 * Bearer tokens before they are one: what of them stands in a configuration, and whether somebody could guess it.
 */
#ifndef HOST_TOKEN_H
#define HOST_TOKEN_H

#include "base/result.h"
#include "base/str.h"
#include "crypto/digest.h"

/* ASCII without controls and blanks. */
bool token_is_visible(struct pap_str s);

/* Bits that somebody has to guess who tries words, numbers and rows of characters first: a word counts 12, and once. Of a
 * random token less than it has, never more. */
unsigned token_bits(struct pap_str s);

/* "sha256:..." of a token, as it stands in a configuration. PAP_USAGE: what could be guessed is no token. */
pap_result token_hash(struct pap_str token, char ret[static DIGEST_TEXT + 1], struct pap_err *err) PAP_MUST;

/* A new one, 256 random bits in base64url, with a NUL behind. */
enum { TOKEN_TEXT = 43 };
pap_result token_make(char ret[static TOKEN_TEXT + 1], struct pap_err *err) PAP_MUST;

#endif
