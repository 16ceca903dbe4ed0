/* SPDX-License-Identifier: Apache-2.0
 *
 * A path, then a line end, then a robots.txt.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "text/robots.h"

static void check(int holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pap_str file = str((const char *)data, size), path = {0}, rule, rest;
    struct buf rules;
    (void)str_next(&file, '\n', &path);
    buf_init(&rules, NULL, 4 * size + 16);
    robots_read(file, S("papaver"), &rules);
    check(buf_ok(&rules));
    rest = buf_str(&rules);
    while (str_next(&rest, '\n', &rule)) /* each line is a rule, and no byte of it ends a line */
        check(!rule.n || ((rule.p[0] == 'A' || rule.p[0] == 'D') && rule.n > 1 && !memchr(rule.p, '\r', rule.n)));
    (void)robots_allow(buf_str(&rules), path);
    buf_add(&rules, S("A*\n")); /* a rule that fits everything */
    check(path.n > LIMIT_URL || robots_allow(buf_str(&rules), path) || rules.n > 3);
    buf_fini(&rules);
    return 0;
}
