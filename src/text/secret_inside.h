/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside of secretscan.c: secrets that are known by their shape and what stands beside them, not by a prefix alone. Each
 * function looks at `at`, where its word stands, and at most SECRET_FAR bytes to either side, so that a walk over a file is
 * linear whatever the file holds. NULL: there is none; else what it is.
 */
#ifndef TEXT_SECRET_INSIDE_H
#define TEXT_SECRET_INSIDE_H

#include "base/str.h"

enum { SECRET_FAR = 4096 };

enum secret_set {
    DIGITS = 1,
    UPPER = 2,
    LOWER = 4,
    DASH = 8,
    UNDERSCORE = 16,
    DOT = 32,
    SLASH = 64,
    PLUS = 128,
    EQUALS = 256,
    ALNUM = DIGITS | UPPER | LOWER,
    URL64 = ALNUM | DASH | UNDERSCORE,
    BASE64 = ALNUM | SLASH | PLUS
};

bool secret_is_in(unsigned set, char c);
/* How many characters of the set `s` begins with. */
size_t secret_run(unsigned set, struct pap_str s);

/* What documentation shows instead of a secret: one letter over and over, or a word that says so. */
bool secret_is_placeholder(struct pap_str s);

/* "-----BEGIN ... PRIVATE KEY-----" (PEM, OpenSSH, PGP with "BLOCK") with something like a key in the lines behind it. */
const char *secret_key_block(struct pap_str all, size_t at);
/* "kty" of a JSON Web Key (RFC 7517) that has its private part, "d", or for "oct" its "k", in the same object. */
const char *secret_jwk(struct pap_str all, size_t at);
/* "secret" of a secret access key of AWS with its value. */
const char *secret_aws(struct pap_str all, size_t at);
/* "://" of a URL with user and password; docs/decisions.md says which are for show. */
const char *secret_login(struct pap_str all, size_t at);

/* A file that is a private key in DER: PKCS#8, also encrypted, PKCS#1, SEC 1, DSA. */
const char *secret_der(struct pap_str file);

#endif
