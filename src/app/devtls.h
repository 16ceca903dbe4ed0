/* SPDX-License-Identifier: Apache-2.0
 *
 * --dev-tls: where the throw-away authority and the certificate for this machine are kept, so that who trusts the authority
 * need not do so again at each start.
 */
#ifndef APP_DEVTLS_H
#define APP_DEVTLS_H

#include "base/alloc.h"
#include "base/result.h"

enum { DEVTLS_PATH = 4096, DEVTLS_RENEW_SECONDS = 15 * 24 * 3600 };

struct devtls {
    char authority[DEVTLS_PATH]; /* ca.pem: for everybody to read */
    char leaf[DEVTLS_PATH];      /* leaf.pem: certificate and key, for this user alone */
    bool is_new;                 /* made just now: to be trusted anew */
};

/* In `state`/dev-tls, a folder for each list of hosts, so that two projects do not take each other's away. What is there
 * stays while it fits, belongs to this user alone and is valid for DEVTLS_RENEW_SECONDS more (`papaver check` warns of
 * less than two weeks); else both files are made anew. Two that start at once take turns. */
pap_result devtls_ready(const char *state, const char *const *hosts, int64_t now, const struct pap_alloc *alloc,
                        struct devtls *ret, struct pap_err *err) PAP_MUST;

#endif
