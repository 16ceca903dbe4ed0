/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/chance.h"

#include <sys/random.h>

uint32_t chance_u32(void)
{
    uint32_t v = 0;
    (void)!getrandom(&v, sizeof v, GRND_NONBLOCK); /* 0 right after the start of a machine is as good as any */
    return v;
}
