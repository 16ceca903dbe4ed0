/* SPDX-License-Identifier: Apache-2.0
 *
 * A little randomness from the system, for delays that clients must not all have alike. Not for keys.
 */
#ifndef SYS_CHANCE_H
#define SYS_CHANCE_H

#include <stdint.h>

uint32_t chance_u32(void);

#endif
