/* SPDX-License-Identifier: Apache-2.0
 *
 * A census of some sites, made up and written into a database, with the site that shows it.
 */
#ifndef TESTS_WEB_SITES_UNIT_H
#define TESTS_WEB_SITES_UNIT_H

#include <stdlib.h>
#include <unistd.h>

#include "lib/made_census.h"
#include "web_unit.h"

struct fixture {
    struct made_census made;
    char folder[64];
    struct web_site site;
};

static inline void sites_begin(struct fixture *f, size_t n)
{
    memset(f, 0, sizeof *f);
    arena_init(&f->made.arena, NULL);
    strcpy(f->folder, "/tmp/papaver-web-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->made.database, sizeof f->made.database, "%s/census.db", f->folder);
    sites_fill(&f->made, n);
    web_begin_with(&f->site, (struct web_options){.database = f->made.database, .loopback = true});
}

static inline void sites_end(struct fixture *f)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    web_end(&f->site);
    census_close(f->made.census);
    arena_fini(&f->made.arena);
    for (size_t i = 0; i < 3; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s%s", f->made.database, ends[i]);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(f->folder), 0);
}

#endif
