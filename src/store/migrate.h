/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbered steps that bring a database to the shape that this program knows. Each is one transaction, taken in turn by
 * processes that start at once.
 */
#ifndef STORE_MIGRATE_H
#define STORE_MIGRATE_H

#include "store/db.h"

/* A row of a table that ends with a NULL name. `sql` may hold several statements and words in braces, and does no harm when
 * it runs twice. Numbers begin with 1 and have no gap. */
struct migration {
    int number;
    const char *name;
    const char *sql;
};

extern const struct migration census_migrations[];

/* Runs what is missing, up to `last` (0: all). With a read-only connection only looks. DB_NEWER: the database has a number
 * that the table lacks. */
pap_result migrate(struct db *d, const struct migration *table, int last, struct pap_err *err) PAP_MUST;

#endif
