/* SPDX-License-Identifier: Apache-2.0
 *
 * A database for each test: a new file of SQLite or, with PAPAVER_TEST_POSTGRES (tests/lib/postgres.sh), an empty schema.
 */
#ifndef TESTS_STORE_UNIT_H
#define TESTS_STORE_UNIT_H

#include <stdlib.h>
#include <unistd.h>

#include "unit/unit.h"

#include "store/census.h"
#include "store/migrate.h"

static struct {
    char folder[64], file[96];
    const char *where; /* as db_options has it */
    bool postgres;
    struct arena arena;
} base;

/* A word in `s`, as a view. */
#define W(text) str_c(text)

static struct db_options base_options(void)
{
    return (struct db_options){.where = base.where, .schema = "papaver_census", .patience_ms = 5000};
}

static pap_result drop_schema(struct db *d, void *ctx, struct pap_err *err)
{
    (void)ctx;
    return db_script(d, "DROP SCHEMA IF EXISTS papaver_census CASCADE", err);
}

static void base_drop(void)
{
    struct pap_err err = {0};
    if (base.postgres) {
        struct db_options o = base_options();
        struct db *d = NULL;
        if (!is_ok(db_open(&o, &d, &err)) || !is_ok(db_transact(d, DB_WRITE, "drop", drop_schema, NULL, &err)))
            unit_fail("%s", err.text);
        db_close(d);
        return;
    }
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < 4; i++) {
        char path[128];
        (void)snprintf(path, sizeof path, "%s%s", base.file, ends[i]);
        (void)unlink(path);
    }
}

static pap_result delete_all(struct db *d, void *ctx, struct pap_err *err)
{
    (void)ctx;
    return db_script(
        d,
        "DELETE FROM finding; DELETE FROM observation_body; DELETE FROM report_body; DELETE FROM report;"
        "DELETE FROM body; DELETE FROM site; DELETE FROM observation; DELETE FROM quiet; DELETE FROM daily;"
        "DELETE FROM domain",
        err);
}

/* As good as new, and made much faster than dropped and made again. */
static inline void base_empty(void)
{
    struct db_options o = base_options();
    struct census *c = NULL;
    struct db *d = NULL;
    struct pap_err err = {0};
    bool done = is_ok(census_open(&o, &c, &err)) && is_ok(db_open(&o, &d, &err)) &&
                is_ok(db_transact(d, DB_WRITE, "empty", delete_all, NULL, &err));
    census_close(c);
    db_close(d);
    if (!done)
        unit_fail("%s", err.text);
}

static int base_setup(void **state)
{
    (void)state;
    arena_init(&base.arena, NULL);
    base.where = getenv("PAPAVER_TEST_POSTGRES");
    base.postgres = base.where != NULL;
    if (!base.postgres) {
        (void)snprintf(base.folder, sizeof base.folder, "%s/papaver-store.XXXXXX",
                       access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm"); /* which has no disk to wait for */
        assert_non_null(mkdtemp(base.folder));
        (void)snprintf(base.file, sizeof base.file, "%s/census.db", base.folder);
        base.where = base.file;
    }
    base_drop();
    return 0;
}

static int base_teardown(void **state)
{
    (void)state;
    base_drop();
    if (!base.postgres)
        (void)rmdir(base.folder);
    arena_fini(&base.arena);
    return 0;
}

/* A call that has to succeed; its failure goes to `said`. */
static struct pap_err said;
#define ok(call)                                                   \
    do {                                                           \
        if (!is_ok(call))                                          \
            unit_fail("%s:%d: %s", __FILE__, __LINE__, said.text); \
    } while (0)

static inline struct census *base_census(void)
{
    struct db_options o = base_options();
    struct census *c = NULL;
    ok(census_open(&o, &c, &said));
    return c;
}

static inline void add_names(struct census *c, const char *const *names, size_t n, int64_t now)
{
    struct census_name rows[64] = {0};
    struct census_added added;
    for (size_t i = 0; i < n; i++)
        rows[i] = (struct census_name){.name = str_c(names[i])};
    ok(census_add(c, rows, n, now, &added, &said));
    assert_int_equal(added.added, n);
}

static inline struct census_batch claim(struct census *c, const char *owner, int64_t now, size_t most)
{
    struct census_batch b = {0};
    ok(census_claim(c, &base.arena, str_c(owner), now, now + 300, most, &b, &said));
    return b;
}

#endif
