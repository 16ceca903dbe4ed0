/* SPDX-License-Identifier: Apache-2.0 */
#include "store/migrate.h"

#include "store/inside.h"

struct steps {
    const struct migration *table;
    int last;  /* 0: all */
    int known; /* the highest of the table */
    int has;   /* the highest of the database; -1: none of ours */
};

static pap_result take_number(void *ctx, const struct db_row *row, struct pap_err *err)
{
    (void)err;
    *(int *)ctx = (int)db_row_int(row, 0);
    return OK;
}

static pap_result make_table(struct db *d, void *ctx, struct pap_err *err)
{
    (void)ctx;
    int there = 0;
    /* Making it needs a right on the database that who owns the schema may lack. */
    if (db_is_postgres(d))
        TRY(db_run(d, "SELECT count(*) FROM pg_namespace WHERE nspname = $1",
                   DB_ARGS(db_text(str_c(d->options.schema))), take_number, &there, NULL, err));
    if (db_is_postgres(d) && !there) {
        struct buf sql;
        buf_init(&sql, d->options.alloc, DB_SQL);
        buf_fmt(&sql, "CREATE SCHEMA IF NOT EXISTS %s%c", d->options.schema, '\0');
        pap_result r = buf_result(&sql, err);
        if (is_ok(r))
            r = db_script(d, sql.p, err);
        buf_fini(&sql);
        TRY(r);
    }
    TRY(db_script(d, "CREATE TABLE IF NOT EXISTS migration (number {small} PRIMARY KEY, name {text} NOT NULL) {strict}",
                  err));
    /* The row that who migrates holds. */
    return db_run(d, "INSERT INTO migration (number, name) VALUES (0, 'in turn') ON CONFLICT (number) DO NOTHING", NULL,
                  0, NULL, NULL, NULL, err);
}

static pap_result highest(struct db *d, int *ret, struct pap_err *err)
{
    *ret = 0;
    return db_run(d, "SELECT number FROM migration ORDER BY number DESC LIMIT 1", NULL, 0, take_number, ret, NULL, err);
}

static pap_result look(struct db *d, void *ctx, struct pap_err *err)
{
    struct steps *s = ctx;
    int there = 0;
    s->has = -1;
    TRY(db_run(d,
               db_is_postgres(d) ? "SELECT count(*) FROM pg_tables WHERE tablename = 'migration' AND "
                                   "schemaname = ANY (current_schemas(false))"
                                 : "SELECT count(*) FROM sqlite_schema WHERE name = 'migration'",
               NULL, 0, take_number, &there, NULL, err));
    return there ? highest(d, &s->has, err) : OK;
}

/* The next one that is missing; has stays when there is none. */
static pap_result one_step(struct db *d, void *ctx, struct pap_err *err)
{
    struct steps *s = ctx;
    int held = 0;
    TRY(db_run(d, "SELECT number FROM migration WHERE number = 0 {lock}", NULL, 0, take_number, &held, NULL, err));
    TRY(highest(d, &s->has, err));
    const struct migration *next = s->table;
    while (next->name && next->number <= s->has)
        next++;
    if (!next->name || (s->last && next->number > s->last))
        return OK;
    TRY(db_script(d, next->sql, err));
    TRY(db_run(d, "INSERT INTO migration (number, name) VALUES ($1, $2)",
               DB_ARGS(db_int(next->number), db_text(str_c(next->name))), NULL, NULL, NULL, err));
    s->has = next->number;
    return OK;
}

static pap_result newer(struct db *d, const struct steps *s, struct pap_err *err)
{
    d->trouble = DB_NEWER;
    return fail(
        err, PAP_USAGE,
        "the database was made by a later papaver: it has version %d, this one knows %d; install the later one, "
        "or name another database",
        s->has, s->known);
}

pap_result migrate(struct db *d, const struct migration *table, int last, struct pap_err *err)
{
    struct steps s = {table, last, 0, -1};
    for (const struct migration *m = table; m->name; m++)
        s.known = m->number;
    TRY(db_transact(d, DB_READ, "look at the database", look, &s, err));
    if (s.has > s.known)
        return newer(d, &s, err);
    int want = last && last < s.known ? last : s.known;
    if (s.has >= want)
        return OK;
    if (d->options.read_only) {
        d->trouble = DB_OTHER;
        return fail(err, PAP_USAGE,
                    s.has < 0 ? "there is no census in this database yet"
                              : "the database was made by an earlier papaver; open it for writing once");
    }
    if (s.has < 0)
        TRY(db_transact(d, DB_WRITE, "set up the database", make_table, NULL, err));
    while (s.has < want)
        TRY(db_transact(d, DB_WRITE, "bring the database up to date", one_step, &s, err));
    return s.has > s.known ? newer(d, &s, err) : OK;
}
