/* SPDX-License-Identifier: Apache-2.0
 *
 * poppy.json, with the skill index embedded in it, judged by every row: by the version that it states, then by each that
 * is known.
 */
#include "judging.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i <= version_count; i++) {
        struct arena a;
        arena_init(&a, NULL);
        judge_document(&a,
                       (struct doc){.kind = KIND_POPPY,
                                    .name = S("https://shop.example/.well-known/poppy.json"),
                                    .base = S("https://shop.example/.well-known/poppy.json"),
                                    .bytes = str((const char *)data, size)},
                       i ? &version_rows[i - 1] : NULL);
        arena_fini(&a);
    }
    return 0;
}
