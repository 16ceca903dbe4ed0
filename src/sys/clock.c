/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/clock.h"

#include <time.h>

static int64_t system_seconds(const struct clock *c)
{
    (void)c;
    return (int64_t)time(NULL);
}

static int64_t system_ms(const struct clock *c)
{
    (void)c;
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t clock_unix_ms(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

const struct clock clock_system = {system_seconds, system_ms, 0};

static int64_t fixed_seconds(const struct clock *c)
{
    return c->fixed;
}

static int64_t fixed_ms(const struct clock *c)
{
    (void)c;
    return 0;
}

struct clock clock_stopped(int64_t unix_seconds)
{
    return (struct clock){fixed_seconds, fixed_ms, unix_seconds};
}

void clock_sleep_ms(int64_t ms)
{
    struct timespec t = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
    (void)nanosleep(&t, NULL);
}
