/* SPDX-License-Identifier: Apache-2.0
 *
 * What looks for secrets in files of any kind: what it finds lies in the bytes, in order, and the walk ends.
 */
#include <stdint.h>
#include <stdlib.h>

#include "text/secretscan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pap_str bytes = str((const char *)data, size);
    struct secret found;
    for (size_t from = 0; secret_find(bytes, from, &found); from = found.off + 1)
        if (found.off < from || found.off >= size || !found.what)
            abort();
    return 0;
}
