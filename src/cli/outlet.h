/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a server writes to: a pipe, a terminal, a file. Whoever reads it may stall for good, and no thread hangs on that.
 */
#ifndef CLI_OUTLET_H
#define CLI_OUTLET_H

#include <stddef.h>

struct outlet {
    int fd;
};

/* Over a descriptor that stays open; what others who have it too see of it does not change. */
void outlet_open(struct outlet *o, int fd);

/* Returns how many of the bytes were taken, 0 when none were within so many milliseconds, or cannot be. A pipe takes the first
 * 4096 in one piece. */
size_t outlet_put(const struct outlet *o, const char *p, size_t n, int ms);

#endif
