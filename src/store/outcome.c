/* SPDX-License-Identifier: Apache-2.0 */
#include "store/census.h"

/* To add one: a number in enum census_outcome and its word here. */
static const struct pap_str words[CENSUS_OUTCOMES] = {
    [CENSUS_NEVER] = S_INIT("never asked"),
    [CENSUS_PUBLISHES] = S_INIT("publishes"),
    [CENSUS_ABSENT] = S_INIT("absent"),
    [CENSUS_OTHER_DOCUMENT] = S_INIT("other document"),
    [CENSUS_STATUS] = S_INIT("other status"),
    [CENSUS_NO_NAME] = S_INIT("no such name"),
    [CENSUS_UNREACHABLE] = S_INIT("unreachable"),
    [CENSUS_TIMEOUT] = S_INIT("time-out"),
    [CENSUS_TLS] = S_INIT("TLS"),
    [CENSUS_BLOCKED] = S_INIT("blocked"),
    [CENSUS_REDIRECTS] = S_INIT("redirects"),
    [CENSUS_TOO_LARGE] = S_INIT("too large"),
    [CENSUS_FAILED] = S_INIT("failed"),
};

struct pap_str census_outcome_word(enum census_outcome o)
{
    return (unsigned)o < CENSUS_OUTCOMES ? words[o] : S("");
}
