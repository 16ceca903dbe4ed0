/* SPDX-License-Identifier: Apache-2.0
 *
 * web_world DATABASE N: three days of a census of N made-up sites, for browsers and benchmarks to look at.
 */
#include <stdio.h>
#include <stdlib.h>

#include "web_sites_unit.h"

int main(int argc, char **argv)
{
    struct fixture f = {.folder = ""};
    if (argc != 3)
        return 2;
    arena_init(&f.arena, NULL);
    snprintf(f.database, sizeof f.database, "%s", argv[1]);
    sites_fill(&f, strtoul(argv[2], NULL, 10));
    census_close(f.census);
    arena_fini(&f.arena);
    return 0;
}
