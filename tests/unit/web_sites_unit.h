/* SPDX-License-Identifier: Apache-2.0
 *
 * A census of some sites, made up and written into a database, with the site that shows it.
 */
#ifndef TESTS_WEB_SITES_UNIT_H
#define TESTS_WEB_SITES_UNIT_H

#include <stdlib.h>
#include <unistd.h>

#include "lib/made_census.h"
#include "web_database.h"
#include "web_unit.h"

struct fixture {
    struct made_census made;
    struct web_database database;
    struct web_site site;
};

static inline void sites_begin(struct fixture *f, size_t n)
{
    memset(f, 0, sizeof *f);
    arena_init(&f->made.arena, NULL);
    web_database_begin(&f->database);
    snprintf(f->made.database, sizeof f->made.database, "%s", f->database.where);
    sites_fill(&f->made, n);
    web_begin_with(&f->site, (struct web_options){.database = f->made.database, .loopback = true});
}

static inline void sites_end(struct fixture *f)
{
    web_end(&f->site);
    census_close(f->made.census);
    arena_fini(&f->made.arena);
    web_database_end(&f->database);
}

#endif
