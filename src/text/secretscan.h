/* SPDX-License-Identifier: Apache-2.0
 *
 * Secrets that ended up in a file: private keys, tokens whose first letters say whose they are, values beside a name that
 * says so, passwords in URLs; also in UTF-16. Only what is a secret beyond reasonable doubt, because a publisher refuses
 * it. What is found is never quoted.
 */
#ifndef TEXT_SECRETSCAN_H
#define TEXT_SECRETSCAN_H

#include "base/str.h"

struct secret {
    const char *what; /* "an access token of GitHub" */
    size_t off;
};

/* The first secret at or behind `from`; false when there is none. Linear. */
bool secret_find(struct pap_str bytes, size_t from, struct secret *ret);

#endif
