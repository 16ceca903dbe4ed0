/* SPDX-License-Identifier: Apache-2.0
 *
 * A database for a test of the site: a new file of SQLite or, with PAPAVER_TEST_POSTGRES (tests/lib/postgres.sh), an empty schema.
 */
#ifndef TESTS_WEB_DATABASE_H
#define TESTS_WEB_DATABASE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/db.h"
#include "unit.h"

struct web_database {
    char folder[64], where[160];
};

static inline pap_result web_drop(struct db *d, void *ctx, struct pap_err *err)
{
    (void)ctx;
    return db_script(d, "DROP SCHEMA IF EXISTS papaver_census CASCADE", err);
}

static inline void web_database_begin(struct web_database *w)
{
    const char *postgres = getenv("PAPAVER_TEST_POSTGRES");
    struct pap_err err = {.text = ""};
    struct db *d = NULL;
    *w = (struct web_database){.folder = ""};
    if (!postgres) {
        strcpy(w->folder, "/tmp/papaver-web-XXXXXX");
        assert_non_null(mkdtemp(w->folder));
        snprintf(w->where, sizeof w->where, "%s/census.db", w->folder);
        return;
    }
    snprintf(w->where, sizeof w->where, "%s", postgres);
    const struct db_options o = {.where = w->where, .schema = "papaver_census"};
    if (!is_ok(db_open(&o, &d, &err)) || !is_ok(db_transact(d, DB_WRITE, "drop", web_drop, NULL, &err)))
        unit_fail("%s", err.text);
    db_close(d);
}

/* Nobody has it open any more. */
static inline void web_database_end(const struct web_database *w)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    if (!*w->folder)
        return;
    for (size_t i = 0; i < 3; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s%s", w->where, ends[i]);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(w->folder), 0);
}

#endif
