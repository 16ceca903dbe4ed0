/* SPDX-License-Identifier: Apache-2.0
 *
 * A range of versions, then a line end, then versions, one a line.
 */
#include <stdlib.h>

#include "skills/range.h"

static void check(int holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pap_str rest = str((const char *)data, size), line = {0};
    struct range r, exact;
    struct semver v;
    (void)str_next(&rest, '\n', &line);
    if (!range_parse(line, &r))
        return 0;
    bool is_version = line.n && semver_parse(line, &v);
    check(!is_version || (r.form == RANGE_EXACT && range_holds(&r, &v))); /* a version holds itself */
    for (unsigned n = 0; n < 100 && str_next(&rest, '\n', &line); n++) {
        if (!line.n || !semver_parse(line, &v))
            continue;
        bool held = range_holds(&r, &v);
        check(range_parse(v.text, &exact) && range_holds(&exact, &v));
        check(r.form != RANGE_ANY || held == !v.prerelease.p);
    }
    return 0;
}
