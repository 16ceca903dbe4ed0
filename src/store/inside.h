/* SPDX-License-Identifier: Apache-2.0
 *
 * What db.c and the two drivers share.
 */
#ifndef STORE_INSIDE_H
#define STORE_INSIDE_H

#include "base/buf.h"
#include "store/db.h"

enum {
    DB_STATEMENTS = 256, /* prepared at once; a power of two */
    DB_ARGUMENTS = 40,   /* of a statement */
    DB_SQL = 32 * 1024   /* bytes of a statement with its words filled in */
};

struct db_statement {
    const char *sql; /* NULL: a free place */
    void *handle;    /* sqlite3_stmt; of PostgreSQL not NULL when the connection has it by its number */
    unsigned number; /* its place; DB_STATEMENTS: one that is not kept */
};

struct db_driver {
    const char *name;
    const char *const (*words)[2]; /* the word and what stands for it; ends with NULL */
    char parameter;                /* in front of its number */
    const char *begin[2];          /* by enum db_mode */
    const char *shrink;            /* outside a transaction; NULL: not needed */

    /* Failures of all of these set the trouble (db_fail). */
    pap_result (*open)(struct db *d, struct pap_err *err);
    void (*close)(struct db *d); /* also forgets what was prepared */
    /* Statements without values or rows. */
    pap_result (*script)(struct db *d, const char *sql, struct pap_err *err);
    pap_result (*prepare)(struct db *d, struct db_statement *s, const char *sql, const struct db_value *args, size_t n,
                          struct pap_err *err);
    void (*forget)(struct db *d, struct db_statement *s);
    pap_result (*many)(struct db *d, const struct db_statement *s, const struct db_value *args, size_t n, size_t rows,
                       db_row_fn *each, void *ctx, unsigned char *ret_changed, int64_t *ret_sum, struct pap_err *err);
    bool (*row_is_null)(const struct db_row *r, unsigned i);
    int64_t (*row_int)(const struct db_row *r, unsigned i);
    struct pap_str (*row_str)(const struct db_row *r, unsigned i);
};

extern const struct db_driver db_driver_sqlite, db_driver_postgres;

struct db {
    struct db_options options;
    struct arena arena; /* as long as the connection */
    const struct db_driver *driver;
    void *handle;      /* sqlite3 or PGconn; NULL: not connected */
    const char *doing; /* what the transaction is for */
    enum db_trouble trouble;
    bool was_open; /* a server that was never there is not waited for */
    bool inside;   /* a transaction */
    bool unsure;   /* whether the last commit took place */
    struct db_statement statements[DB_STATEMENTS];
    struct buf text; /* a statement with its words filled in */
};

/* "cannot <doing>: <why> (<code>); <what helps>" */
pap_result db_fail(struct db *d, enum db_trouble trouble, const char *code, const char *why, struct pap_err *err);

#endif
