/* SPDX-License-Identifier: Apache-2.0
 *
 * A skill index, judged by every row: at its place, and at that of the older layout.
 */
#include "judging.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum role roles[] = {ROLE_WELL_KNOWN, ROLE_LEGACY};
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        struct arena a;
        arena_init(&a, NULL);
        judge_document(&a,
                       (struct doc){.kind = KIND_INDEX,
                                    .role = roles[i],
                                    .name = S("site/index.json"),
                                    .base = S("https://shop.example/.well-known/agent-skills/index.json"),
                                    .bytes = str((const char *)data, size)},
                       NULL);
        arena_fini(&a);
    }
    return 0;
}
