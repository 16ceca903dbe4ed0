/* SPDX-License-Identifier: Apache-2.0
 *
 * When a domain is asked again. A site that published is not gone because of one bad answer: it is asked four times more,
 * later each time, and then counts as gone.
 */
#include "census/inside.h"
#include "text/httpval.h"

enum { MINUTE = 60, HOUR = 3600, DAY = 86400, RETRY_AFTER_MOST = DAY };

static const int64_t waits[] = {15 * MINUTE, HOUR, 6 * HOUR, DAY};
enum { WAITS = sizeof waits / sizeof *waits };

/* Up to a tenth more or less, always the same for the same domain and try: those of one bad night do not come back at once. */
static int64_t jittered(int64_t wait, int64_t id, uint32_t tries)
{
    uint64_t h = ((uint64_t)id * 0x9e3779b97f4a7c15u) ^ ((uint64_t)tries * 0xbf58476d1ce4e5b9u);
    h ^= h >> 31;
    int64_t span = wait / 5;
    return wait - wait / 10 + (span ? (int64_t)(h % (uint64_t)span) : 0);
}

void when_again(const struct census_due *due, int64_t begun, int64_t every, int64_t retry_after,
                struct census_result *ret)
{
    bool good = ret->outcome == CENSUS_PUBLISHES;
    ret->standing = good ? CENSUS_GOOD : CENSUS_SHAKY;
    ret->tries = good || !due->was_good ? 0 : due->tries + 1;
    /* A tenth early: a timer that fires at the same minute every day must find it due. */
    ret->due_at = begun + every - every / 10;
    if (!good && due->was_good && !due->gone && ret->tries <= WAITS)
        ret->due_at = ret->at + jittered(waits[ret->tries - 1], due->id, ret->tries);
    else if (!good && due->was_good)
        ret->standing = CENSUS_GONE;
    if (retry_after && ret->due_at < ret->at + retry_after)
        ret->due_at = ret->at + retry_after;
}

int64_t when_wanted(const struct exchange *x, int64_t now)
{
    int status = exchange_status(x);
    struct pap_str value = status == 429 || status == 503 ? hop_header(exchange_last(x), "Retry-After") : S("");
    uint32_t seconds = 0;
    if (!value.n || !retry_after_parse(value, now, &seconds))
        return 0;
    return seconds > RETRY_AFTER_MOST ? RETRY_AFTER_MOST : seconds;
}
