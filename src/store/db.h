/* SPDX-License-Identifier: Apache-2.0
 *
 * A connection to a database, SQLite or PostgreSQL, and transactions on it. One SQL text serves both: parameters are $1, $2 ...,
 * and what differs stands as a word in braces, {id}, from the small table of each driver (db_sqlite.c, db_postgres.c). Both
 * libraries are opened on first use. One connection belongs to one thread.
 *
 * A failure says what was being done, the code of the database and its sentence. A password never reaches one.
 */
#ifndef STORE_DB_H
#define STORE_DB_H

#include "base/arena.h"
#include "base/result.h"

struct db;

/* What a failure was, for who decides how to go on. */
enum db_trouble {
    DB_FINE,
    DB_AGAIN,     /* busy, deadlock, serialization: the same transaction may do the next time */
    DB_LOST,      /* the connection is gone, or there never was one */
    DB_FULL,      /* no space on the disk of the database */
    DB_READ_ONLY, /* it may be read, not written */
    DB_DENIED,    /* file or role: no permission */
    DB_NEWER,     /* made by a later papaver */
    DB_OTHER
};

/* Where a hook is called. AFTER_COMMIT: it is done, and the caller has not heard of it. */
enum db_point { DB_STATEMENT, DB_COMMIT, DB_AFTER_COMMIT };

struct db_options {
    const struct pap_alloc *alloc;
    /* "postgres://..." or "postgresql://..." with all that libpq takes in a URL, else a file of SQLite. Borrowed until the
     * connection is closed. */
    const char *where;
    const char *schema;   /* of PostgreSQL, made when missing: a plain name */
    bool read_only;       /* nothing is made, no migration runs */
    uint32_t patience_ms; /* how long a transaction is tried in all when busy or lost; 0: 30,000 */
    /* Called before each wait, with the failure that it waits for; false: give up. May be NULL. */
    bool (*waits)(void *ctx, const char *why, uint32_t waited_ms);
    /* For tests: called before each statement and around each commit; what it returns happens. May be NULL. */
    enum db_trouble (*strike)(void *ctx, enum db_point point, const char *sql);
    void *ctx;
};

/* A file that is not there is made, for this user alone (0600), its folder too (0700). PAP_USAGE: the file is a link, a
 * folder, or the database of another program. */
pap_result db_open(const struct db_options *options, struct db **ret, struct pap_err *err) PAP_MUST;
/* Accepts NULL. */
void db_close(struct db *d);
/* For a cleanup attribute. */
void db_closep(struct db **d);

/* Of the last failure. */
enum db_trouble db_trouble(const struct db *d);
bool db_is_postgres(const struct db *d);

enum db_type { DB_INT, DB_TEXT, DB_BYTES };

struct db_value {
    enum db_type type;
    bool null;
    int64_t i;
    struct pap_str s;
};

static inline struct db_value db_int(int64_t i)
{
    return (struct db_value){.type = DB_INT, .i = i};
}
/* NULL where it is 0. */
static inline struct db_value db_int_or_null(int64_t i)
{
    return (struct db_value){.type = DB_INT, .i = i, .null = i == 0};
}
static inline struct db_value db_text(struct pap_str s)
{
    return (struct db_value){.type = DB_TEXT, .s = s};
}
static inline struct db_value db_bytes(const void *p, size_t n)
{
    return (struct db_value){.type = DB_BYTES, .s = {p, n}};
}
static inline struct db_value db_null(enum db_type type)
{
    return (struct db_value){.type = type, .null = true};
}

struct db_row {
    size_t of; /* which row of arguments it answers (db_many) */
    const void *inside;
    const struct db_driver *driver;
};

/* Column `i` from 0. NULL is 0, or an empty view with p NULL. Views live until the callback returns. */
int64_t db_row_int(const struct db_row *r, unsigned i);
struct pap_str db_row_str(const struct db_row *r, unsigned i);
bool db_row_is_null(const struct db_row *r, unsigned i);

typedef pap_result db_row_fn(void *ctx, const struct db_row *row, struct pap_err *err);

/* Runs one statement; `each` (may be NULL) gets its rows. *ret_changed (may be NULL): rows that it changed. `sql` is static
 * text, for it is prepared once and found again by its address. Only inside db_transact(). */
pap_result db_run(struct db *d, const char *sql, const struct db_value *args, size_t n, db_row_fn *each, void *ctx,
                  int64_t *ret_changed, struct pap_err *err) PAP_MUST;

/* The same statement for `rows` rows of `n` values each; PostgreSQL gets many of them at once. `ret_changed` (may be NULL) has
 * one place a row, set to 0 or 1. */
pap_result db_many(struct db *d, const char *sql, const struct db_value *args, size_t n, size_t rows, db_row_fn *each,
                   void *ctx, unsigned char *ret_changed, struct pap_err *err) PAP_MUST;

/* The same for a text that was put together, from constants only: it is prepared for this once. */
pap_result db_run_text(struct db *d, const char *sql, const struct db_value *args, size_t n, db_row_fn *each, void *ctx,
                       struct pap_err *err) PAP_MUST;

/* Statements that are static text, without values or rows, in one go; inside db_transact(). */
pap_result db_script(struct db *d, const char *sql, struct pap_err *err) PAP_MUST;

#define DB_ARGS(...) \
    ((const struct db_value[]){__VA_ARGS__}), sizeof((const struct db_value[]){__VA_ARGS__}) / sizeof(struct db_value)

enum db_mode { DB_READ, DB_WRITE };

/* One transaction; `fn` is run again from its beginning when the database was busy or the connection lost, so it sets what
 * it returns anew each time. It may have been committed already when the connection was lost just then: `fn` must do no harm
 * when it runs again after it has. `doing` is for messages: "add domains". */
typedef pap_result db_fn(struct db *d, void *ctx, struct pap_err *err);
pap_result db_transact(struct db *d, enum db_mode mode, const char *doing, db_fn *fn, void *ctx,
                       struct pap_err *err) PAP_MUST;

/* Gives free pages back to the file system where the database does not do that by itself. */
pap_result db_shrink(struct db *d, struct pap_err *err) PAP_MUST;

#endif
