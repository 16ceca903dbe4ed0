/* SPDX-License-Identifier: Apache-2.0
 *
 * The clock as an object: passed in, so that a test can stop it.
 */
#ifndef SYS_CLOCK_H
#define SYS_CLOCK_H

#include <stdint.h>

struct clock {
    int64_t (*unix_seconds)(const struct clock *c);
    int64_t (*monotonic_ms)(const struct clock *c);
    int64_t fixed; /* for a stopped clock: Unix seconds */
};

/* Unix milliseconds of the system's clock. */
int64_t clock_unix_ms(void);

/* Shorter when a signal comes. */
void clock_sleep_ms(int64_t ms);

extern const struct clock clock_system;
struct clock clock_stopped(int64_t unix_seconds);

#endif
