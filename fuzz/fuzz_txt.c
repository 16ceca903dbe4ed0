/* SPDX-License-Identifier: Apache-2.0
 *
 * What a resolver answers to the question for _papaver.a, with the id 0x0101.
 */
#include <stdlib.h>

#include "net/txt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LEAST = 12 + 16 + 11 + 8 }; /* head, question, a record with the name of one byte, its text */
    if (txt_read(str((const char *)data, size), 0x0101, S("_papaver.a"), S("opt-out")) == TXT_HAS && size < LEAST)
        abort();
    return 0;
}
