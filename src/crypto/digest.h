/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 by libcrypto, which is opened on first use so that a command that hashes nothing does not pay for loading it.
 */
#ifndef CRYPTO_DIGEST_H
#define CRYPTO_DIGEST_H

#include "base/result.h"
#include "base/str.h"

enum { DIGEST_BYTES = 32, DIGEST_TEXT = 7 + 64 };

struct digest {
    unsigned char b[DIGEST_BYTES];
};

/* SHA-256 of all parts one after the other. Fails with PAP_UNAVAILABLE when libcrypto cannot be opened. Thread-safe. */
pap_result digest_sha256(const struct pap_str *parts, size_t n_parts, struct digest *ret, struct pap_err *err) PAP_MUST;

/* HMAC-SHA256 (RFC 2104) of the parts one after the other; at most 16 of them. */
pap_result hmac_sha256(struct pap_str key, const struct pap_str *parts, size_t n_parts, struct digest *ret,
                       struct pap_err *err) PAP_MUST;

/* The same of bytes that come in pieces: begin, add, end. A zeroed one may be dropped. */
struct digest_run {
    void *ctx;
    bool bad;
};
pap_result digest_begin(struct digest_run *r, struct pap_err *err) PAP_MUST;
void digest_add(struct digest_run *r, struct pap_str piece);
pap_result digest_end(struct digest_run *r, struct digest *ret, struct pap_err *err) PAP_MUST;
/* Forgets one that was not ended; nothing to do otherwise. */
void digest_drop(struct digest_run *r);

/* "sha256:" and 64 lowercase hex digits, with a NUL behind. */
void digest_text(const struct digest *d, char ret[static DIGEST_TEXT + 1]);
/* Exactly that form. */
bool digest_parse(struct pap_str text, struct digest *ret);

/* In a time that does not tell where they differ: one of them may be of a secret. */
bool digest_same(const struct digest *a, const struct digest *b);

#endif
