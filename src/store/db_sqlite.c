/* SPDX-License-Identifier: Apache-2.0
 *
 * SQLite, opened on first use. Write-ahead log, each commit on the disk before it is told; one handle a thread.
 */
#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>

#include "store/inside.h"
#include "sys/library.h"
#include "sys/private.h"

enum { BUSY_MS = 1000, APPLICATION = 0x50415056 /* "PAPV", so that file(1) and we know our own */ };

/* To add a function: a row. */
#define LITE_FUNCTIONS(row)                                                                                        \
    row(open_v2) row(close) row(exec) row(prepare_v2) row(finalize) row(step) row(reset) row(clear_bindings)       \
        row(bind_int64) row(bind_text) row(bind_blob) row(bind_null) row(bind_zeroblob) row(column_type)           \
            row(column_int64) row(column_text) row(column_blob) row(column_bytes) row(changes64) row(busy_timeout) \
                row(errmsg) row(errstr) row(extended_errcode) row(extended_result_codes) row(get_autocommit)       \
                    row(stmt_readonly)

static struct {
    pthread_once_t once;
    pap_result result;
    struct pap_err err;
#define LITE_ROW(f) __typeof__(sqlite3_##f) *(f);
    LITE_FUNCTIONS(LITE_ROW)
#undef LITE_ROW
} lite = {.once = PTHREAD_ONCE_INIT};

static void open_lite(void)
{
    const struct library_symbol symbols[] = {
#define LITE_ROW(f) {"sqlite3_" #f, &lite.f},
        LITE_FUNCTIONS(LITE_ROW){NULL, NULL}
#undef LITE_ROW
    };
    lite.result = library_open("libsqlite3.so.0", "libsqlite3-0", symbols, &lite.err);
}

/* To add one: the word, and what stands for it in db_postgres.c too. */
static const char *const words[][2] = {
    {"id", "INTEGER PRIMARY KEY"},
    {"int", "INTEGER"},
    {"small", "INTEGER"},
    {"text", "TEXT"},
    {"bytes", "BLOB"},
    {"strict", "STRICT"},               /* behind a table: types are kept */
    {"keyed", "STRICT, WITHOUT ROWID"}, /* behind a table of small rows: its key is its place */
    {"claim", ""},                      /* behind a SELECT: rows that another worker does not hold, held */
    {"lock", ""},                       /* behind a SELECT: rows held until the end */
    {NULL, NULL},
};

/* `os` is what the system said: SQLite knows only one word for a full disk, and takes a quota or a limit of the size of a file
 * for a broken one. */
static enum db_trouble trouble_of(int code, int os)
{
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return DB_AGAIN;
    case SQLITE_FULL:
        return DB_FULL;
    case SQLITE_IOERR:
        return os == ENOSPC || os == EDQUOT || os == EFBIG ? DB_FULL : DB_OTHER;
    case SQLITE_READONLY:
        return DB_READ_ONLY;
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:
        return DB_DENIED;
    default:
        return DB_OTHER;
    }
}

static pap_result lite_fail(struct db *d, struct pap_err *err)
{
    int os = errno, code = lite.extended_errcode(d->handle);
    char number[256];
    (void)snprintf(number, sizeof number, "SQLite %d, %s", code, d->options.where);
    if ((code & 0xff) == SQLITE_NOMEM) {
        d->trouble = DB_OTHER;
        return fail_memory(err);
    }
    return db_fail(d, trouble_of(code, os), number, lite.errmsg(d->handle), err);
}

static pap_result script(struct db *d, const char *sql, struct pap_err *err)
{
    errno = 0;
    return lite.exec(d->handle, sql, NULL, NULL, NULL) == SQLITE_OK ? OK : lite_fail(d, err);
}

static void close_lite(struct db *d)
{
    for (size_t i = 0; i < DB_STATEMENTS; i++) {
        if (d->statements[i].handle)
            (void)lite.finalize(d->statements[i].handle);
        d->statements[i] = (struct db_statement){0};
    }
    (void)lite.close(d->handle);
    d->handle = NULL;
}

static int take_int(void *ctx, int n, char **values, char **names)
{
    (void)names;
    uint64_t v = 0;
    if (n == 1 && values[0] && str_to_u64(str_c(values[0]), &v))
        *(uint64_t *)ctx = v;
    return 0;
}

/* A number that a PRAGMA or a SELECT of one value gives. */
static pap_result ask_int(struct db *d, const char *sql, uint64_t *ret, struct pap_err *err)
{
    *ret = 0;
    return lite.exec(d->handle, sql, take_int, ret, NULL) == SQLITE_OK ? OK : lite_fail(d, err);
}

/* Whether it is ours; an empty one becomes it. Another process may do that at the same time: then it is ours as well. */
static pap_result adopt(struct db *d, struct pap_err *err)
{
    uint64_t application = 0, things = 0;
    TRY(ask_int(d, "SELECT count(*) FROM sqlite_schema", &things,
                err)); /* first: our number is there before any table */
    TRY(ask_int(d, "PRAGMA application_id", &application, err));
    if (application == APPLICATION)
        return OK;
    if (application || things || d->options.read_only) {
        d->trouble = DB_OTHER;
        return fail(err, PAP_USAGE, "%s is the database of another program; name another file", d->options.where);
    }
    /* Pages that become free can be given back; this has to be said before anything is in the file. */
    TRY(script(d, "PRAGMA auto_vacuum = INCREMENTAL", err));
    TRY(script(d, "PRAGMA application_id = 1346457686", err)); /* APPLICATION */
    return OK;
}

static pap_result set_up(struct db *d, struct pap_err *err)
{
    (void)lite.extended_result_codes(d->handle, 1);
    (void)lite.busy_timeout(d->handle, BUSY_MS);
    TRY(script(d, "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY", err));
    TRY(adopt(d, err));
    if (d->options.read_only)
        return OK;
    return script(d, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864", err);
}

static pap_result open_file(struct db *d, struct pap_err *err)
{
    const char *real = NULL;
    if (pthread_once(&lite.once, open_lite) != 0 || !is_ok(lite.result)) {
        d->trouble = DB_OTHER;
        return fail(err, PAP_UNAVAILABLE, "%s", lite.err.text);
    }
    d->trouble = DB_DENIED;
    TRY(private_file(&d->arena, d->options.where, !d->options.read_only, &real, err));
    if (!real)
        return fail(err, PAP_USAGE, "there is no database %s yet", d->options.where);
    d->trouble = DB_FINE;
    int flags = (d->options.read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_NOMUTEX |
                SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE;
    sqlite3 *handle = NULL;
    int code = lite.open_v2(real, &handle, flags, NULL);
    d->handle = handle;
    pap_result r = !handle ? fail_memory(err) : code != SQLITE_OK ? lite_fail(d, err) : set_up(d, err);
    if (!is_ok(r) && handle)
        close_lite(d);
    return r;
}

static pap_result prepare(struct db *d, struct db_statement *s, const char *sql, const struct db_value *args, size_t n,
                          struct pap_err *err)
{
    (void)args, (void)n;
    sqlite3_stmt *stmt = NULL;
    if (lite.prepare_v2(d->handle, sql, -1, &stmt, NULL) != SQLITE_OK)
        return lite_fail(d, err);
    s->handle = stmt;
    return OK;
}

static void forget(struct db *d, struct db_statement *s)
{
    (void)d;
    (void)lite.finalize(s->handle);
    *s = (struct db_statement){0};
}

static int bind(sqlite3_stmt *stmt, int i, const struct db_value *v)
{
    if (v->null)
        return lite.bind_null(stmt, i);
    if (v->type == DB_INT)
        return lite.bind_int64(stmt, i, v->i);
    if (v->s.n > INT32_MAX)
        return SQLITE_TOOBIG;
    const char *p = v->s.p ? v->s.p : "";
    if (v->type == DB_TEXT)
        return lite.bind_text(stmt, i, p, (int)v->s.n, SQLITE_STATIC);
    return lite.bind_blob(stmt, i, p, (int)v->s.n, SQLITE_STATIC);
}

static pap_result step_all(struct db *d, sqlite3_stmt *stmt, size_t of, db_row_fn *each, void *ctx, struct pap_err *err)
{
    for (;;) {
        int code = lite.step(stmt);
        if (code == SQLITE_DONE)
            return OK;
        if (code != SQLITE_ROW)
            return lite_fail(d, err);
        const struct db_row row = {of, stmt, &db_driver_sqlite};
        if (each)
            TRY(each(ctx, &row, err));
    }
}

static pap_result many(struct db *d, const struct db_statement *s, const struct db_value *args, size_t n, size_t rows,
                       db_row_fn *each, void *ctx, unsigned char *ret_changed, int64_t *ret_sum, struct pap_err *err)
{
    sqlite3_stmt *stmt = s->handle;
    pap_result r = OK;
    bool writes = !lite.stmt_readonly(stmt);
    errno = 0;
    for (size_t row = 0; row < rows && is_ok(r); row++) {
        int code = SQLITE_OK;
        for (size_t i = 0; i < n && code == SQLITE_OK; i++)
            code = bind(stmt, (int)i + 1, &args[row * n + i]);
        r = code == SQLITE_OK ? step_all(d, stmt, row, each, ctx, err)
                              : db_fail(d, DB_OTHER, NULL, lite.errstr(code), err);
        int64_t changed = is_ok(r) && writes ? lite.changes64(d->handle) : 0;
        (void)lite.reset(stmt);
        if (ret_changed)
            ret_changed[row] = changed > 0;
        *ret_sum += changed;
    }
    (void)lite.clear_bindings(stmt); /* they point to what the caller owns */
    return r;
}

static bool row_is_null(const struct db_row *r, unsigned i)
{
    return lite.column_type((sqlite3_stmt *)r->inside, (int)i) == SQLITE_NULL;
}

static int64_t row_int(const struct db_row *r, unsigned i)
{
    return lite.column_int64((sqlite3_stmt *)r->inside, (int)i);
}

static struct pap_str row_str(const struct db_row *r, unsigned i)
{
    const char *p = lite.column_blob((sqlite3_stmt *)r->inside, (int)i); /* text as its bytes */
    return str(p ? p : "", (size_t)lite.column_bytes((sqlite3_stmt *)r->inside, (int)i));
}

const struct db_driver db_driver_sqlite = {
    .name = "SQLite",
    .words = words,
    .parameter = '?',
    .begin = {[DB_READ] = "BEGIN", [DB_WRITE] = "BEGIN IMMEDIATE"},
    .shrink = "PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)",
    .open = open_file,
    .close = close_lite,
    .script = script,
    .prepare = prepare,
    .forget = forget,
    .many = many,
    .row_is_null = row_is_null,
    .row_int = row_int,
    .row_str = row_str,
};
