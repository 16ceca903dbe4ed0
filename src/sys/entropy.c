/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/entropy.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

pap_result entropy_bytes(void *ret, size_t n, struct pap_err *err)
{
    for (size_t at = 0; at < n;) {
        ssize_t got = getrandom((char *)ret + at, n - at, 0);
        if (got < 0 && errno != EINTR)
            return fail(err, PAP_IO, "no random bytes: %s", strerror(errno));
        at += got < 0 ? 0 : (size_t)got;
    }
    return OK;
}
