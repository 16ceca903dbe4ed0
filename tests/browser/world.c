/* SPDX-License-Identifier: Apache-2.0
 *
 * web_world DATABASE N: three days of a census of N made-up sites, for browsers and benchmarks to look at.
 */
#include "lib/made_census.h"

int main(int argc, char **argv)
{
    struct made_census made = {.census = NULL};
    if (argc != 3)
        return 2;
    arena_init(&made.arena, NULL);
    snprintf(made.database, sizeof made.database, "%s", argv[1]);
    sites_fill(&made, strtoul(argv[2], NULL, 10));
    census_close(made.census);
    arena_fini(&made.arena);
    return 0;
}
