/* SPDX-License-Identifier: Apache-2.0 */
#include "store/db.h"

#include <time.h>

#include "base/alloc.h"
#include "store/inside.h"
#include "sys/chance.h"

enum {
    PATIENCE_MS = 30 * 1000,
    FIRST_WAIT_MS = 10,
    LONGEST_WAIT_MS = 2000,
    MOST_TRIES = 1000 /* of a transaction that is busy each time and never has to wait long */
};

/* What helps against a trouble; to add one: its place in enum db_trouble and a row here. */
static const char *const helps[] = {
    [DB_FINE] = "",
    [DB_AGAIN] = "",
    [DB_LOST] = "",
    [DB_FULL] = "; make room on the disk of the database, nothing that was kept is lost",
    [DB_READ_ONLY] = "; it may only be read",
    [DB_DENIED] = "; ask for the permission, or name another database",
    [DB_NEWER] = "",
    [DB_OTHER] = "",
};

pap_result db_fail(struct db *d, enum db_trouble trouble, const char *code, const char *why, struct pap_err *err)
{
    d->trouble = trouble;
    struct pap_str sentence = str_trim(str_c(why));
    return fail(err, trouble == DB_LOST ? PAP_UNREACHABLE : PAP_IO, "cannot %s: %.*s%s%s%s%s", d->doing, PSTR(sentence),
                code ? " (" : "", code ? code : "", code ? ")" : "", helps[trouble]);
}

static pap_result reopen(struct db *d, struct pap_err *err)
{
    d->trouble = DB_FINE;
    return d->driver->open(d, err);
}

static void drop(struct db *d)
{
    if (d->handle)
        d->driver->close(d);
    d->handle = NULL;
    d->inside = false;
}

static bool is_postgres_url(const char *where)
{
    return str_starts(str_c(where), S("postgres://")) || str_starts(str_c(where), S("postgresql://"));
}

static pap_result do_nothing(struct db *d, void *ctx, struct pap_err *err)
{
    (void)d, (void)ctx, (void)err;
    return OK;
}

pap_result db_open(const struct db_options *options, struct db **ret, struct pap_err *err)
{
    struct db *d = alloc_resize(options->alloc, NULL, 0, sizeof *d);
    if (!d)
        return fail_memory(err);
    *d = (struct db){.options = *options};
    arena_init(&d->arena, options->alloc);
    buf_init(&d->text, options->alloc, DB_SQL);
    d->driver = is_postgres_url(options->where) ? &db_driver_postgres : &db_driver_sqlite;
    if (d->options.patience_ms == 0)
        d->options.patience_ms = PATIENCE_MS;
    pap_result r = db_transact(d, DB_READ, "open the database", do_nothing, NULL, err);
    d->was_open = true;
    if (is_ok(r))
        *ret = d;
    else
        db_close(d);
    return r;
}

void db_close(struct db *d)
{
    if (!d)
        return;
    drop(d);
    buf_fini(&d->text);
    arena_fini(&d->arena);
    (void)alloc_resize(d->options.alloc, d, sizeof *d, 0);
}

void db_closep(struct db **d)
{
    db_close(*d);
}

enum db_trouble db_trouble(const struct db *d)
{
    return d->trouble;
}

bool db_is_postgres(const struct db *d)
{
    return d->driver == &db_driver_postgres;
}

int64_t db_row_int(const struct db_row *r, unsigned i)
{
    return r->driver->row_is_null(r, i) ? 0 : r->driver->row_int(r, i);
}

struct pap_str db_row_str(const struct db_row *r, unsigned i)
{
    return r->driver->row_is_null(r, i) ? str(NULL, 0) : r->driver->row_str(r, i);
}

bool db_row_is_null(const struct db_row *r, unsigned i)
{
    return r->driver->row_is_null(r, i);
}

/* What the hook of a test wants to happen here. */
static pap_result strike(struct db *d, enum db_point point, const char *sql, struct pap_err *err)
{
    enum db_trouble t = d->options.strike ? d->options.strike(d->options.ctx, point, sql) : DB_FINE;
    if (t == DB_LOST)
        drop(d);
    return t == DB_FINE ? OK : db_fail(d, t, NULL, "struck by a test", err);
}

/* The statement as this database takes it, in d->text. */
static pap_result fill_in(struct db *d, const char *sql, struct pap_err *err)
{
    buf_reset(&d->text);
    for (struct pap_str s = str_c(sql); s.n;) {
        size_t brace = str_find_char(s, '{'), dollar = str_find_char(s, '$');
        size_t plain = brace < dollar ? brace : dollar;
        buf_add(&d->text, str_take(s, plain));
        s = str_skip(s, plain);
        if (s.n && s.p[0] == '$') {
            buf_char(&d->text, d->driver->parameter);
            s = str_skip(s, 1);
        } else if (s.n) {
            size_t end = str_find_char(s, '}');
            const char *const(*w)[2] = d->driver->words;
            while ((*w)[0] && !str_is(str_skip(str_take(s, end), 1), (*w)[0]))
                w++;
            if (!(*w)[0])
                return fail(err, PAP_USAGE, "no word in braces like the one in: %s", sql);
            buf_add(&d->text, str_c((*w)[1]));
            s = str_skip(s, end + 1);
        }
    }
    buf_char(&d->text, '\0');
    return buf_result(&d->text, err);
}

static pap_result prepared(struct db *d, const char *sql, const struct db_value *args, size_t n,
                           struct db_statement **ret, struct pap_err *err)
{
    size_t at = ((uintptr_t)sql >> 4) * 0x9e3779b1u;
    for (size_t i = 0; i < DB_STATEMENTS; i++, at++) {
        struct db_statement *s = &d->statements[at & (DB_STATEMENTS - 1)];
        if (s->sql && s->sql != sql)
            continue;
        if (!s->handle) {
            TRY(fill_in(d, sql, err));
            s->number = (unsigned)(at & (DB_STATEMENTS - 1));
            TRY(d->driver->prepare(d, s, d->text.p, args, n, err));
            s->sql = sql;
        }
        *ret = s;
        return OK;
    }
    return fail(err, PAP_LIMIT, "more than %d statements", DB_STATEMENTS);
}

static pap_result run_all(struct db *d, const char *sql, const struct db_value *args, size_t n, size_t rows,
                          db_row_fn *each, void *ctx, unsigned char *ret_changed, int64_t *ret_sum, struct pap_err *err)
{
    struct db_statement *s = NULL;
    if (!d->inside || n > DB_ARGUMENTS)
        return fail(err, PAP_USAGE, "a statement outside a transaction, or with too many values");
    TRY(strike(d, DB_STATEMENT, sql, err));
    TRY(prepared(d, sql, args, n, &s, err));
    return d->driver->many(d, s, args, n, rows, each, ctx, ret_changed, ret_sum, err);
}

pap_result db_run(struct db *d, const char *sql, const struct db_value *args, size_t n, db_row_fn *each, void *ctx,
                  int64_t *ret_changed, struct pap_err *err)
{
    int64_t changed = 0;
    TRY(run_all(d, sql, args, n, 1, each, ctx, NULL, &changed, err));
    if (ret_changed)
        *ret_changed = changed;
    return OK;
}

pap_result db_many(struct db *d, const char *sql, const struct db_value *args, size_t n, size_t rows, db_row_fn *each,
                   void *ctx, unsigned char *ret_changed, struct pap_err *err)
{
    int64_t changed = 0;
    return rows ? run_all(d, sql, args, n, rows, each, ctx, ret_changed, &changed, err) : OK;
}

pap_result db_run_text(struct db *d, const char *sql, const struct db_value *args, size_t n, db_row_fn *each, void *ctx,
                       struct pap_err *err)
{
    struct db_statement s = {.number = DB_STATEMENTS};
    int64_t changed = 0;
    if (!d->inside || n > DB_ARGUMENTS)
        return fail(err, PAP_USAGE, "a statement outside a transaction, or with too many values");
    TRY(strike(d, DB_STATEMENT, sql, err));
    TRY(fill_in(d, sql, err));
    TRY(d->driver->prepare(d, &s, d->text.p, args, n, err));
    pap_result r = d->driver->many(d, &s, args, n, 1, each, ctx, NULL, &changed, err);
    d->driver->forget(d, &s);
    return r;
}

pap_result db_script(struct db *d, const char *sql, struct pap_err *err)
{
    TRY(strike(d, DB_STATEMENT, sql, err));
    TRY(fill_in(d, sql, err));
    return d->driver->script(d, d->text.p, err);
}

static pap_result commit(struct db *d, struct pap_err *err)
{
    TRY(strike(d, DB_COMMIT, "COMMIT", err));
    pap_result r = d->driver->script(d, "COMMIT", err);
    d->inside = d->inside && !is_ok(r);
    if (is_ok(r))
        r = strike(d, DB_AFTER_COMMIT, "COMMIT", err);
    d->unsure = !is_ok(r) && d->trouble == DB_LOST;
    return r;
}

/* The transaction once, from its beginning. */
static pap_result once(struct db *d, enum db_mode mode, db_fn *fn, void *ctx, struct pap_err *err)
{
    d->trouble = DB_FINE;
    if (!d->handle)
        TRY(reopen(d, err));
    TRY(strike(d, DB_STATEMENT, d->driver->begin[mode], err));
    TRY(d->driver->script(d, d->driver->begin[mode], err));
    d->inside = true;
    pap_result r = fn(d, ctx, err);
    if (is_ok(r) && d->trouble != DB_FINE)
        r = db_fail(d, d->trouble, NULL, "a statement failed and was passed over", err);
    if (is_ok(r))
        r = commit(d, err);
    if (!is_ok(r) && d->inside) {
        enum db_trouble first = d->trouble;
        if (!is_ok(d->driver->script(d, "ROLLBACK", NULL)))
            drop(d); /* whatever state it was in */
        d->trouble = first;
    }
    d->inside = false;
    return r;
}

/* Longer each time, and never as long as that of another process. */
static uint32_t wait_after(unsigned tries)
{
    uint32_t most = FIRST_WAIT_MS;
    for (unsigned i = 0; i < tries && most < LONGEST_WAIT_MS; i++)
        most *= 2;
    most = most < LONGEST_WAIT_MS ? most : LONGEST_WAIT_MS;
    return most / 2 + chance_u32() % (most / 2 + 1);
}

static void pause_ms(uint32_t ms)
{
    const struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};
    (void)nanosleep(&t, NULL);
}

pap_result db_transact(struct db *d, enum db_mode mode, const char *doing, db_fn *fn, void *ctx, struct pap_err *err)
{
    struct pap_err own;
    uint32_t waited = 0;
    bool unsure = false;
    d->doing = doing;
    for (unsigned tries = 0;; tries++) {
        d->unsure = false;
        pap_result r = once(d, mode, fn, ctx, &own);
        unsure = unsure || d->unsure;
        if (is_ok(r))
            return r;
        if (d->trouble == DB_LOST)
            drop(d);
        uint32_t ms = wait_after(tries);
        bool passes = d->trouble == DB_AGAIN || (d->trouble == DB_LOST && d->was_open);
        bool again = passes && tries < MOST_TRIES && waited + ms <= d->options.patience_ms;
        if (again && d->options.waits && !d->options.waits(d->options.ctx, own.text, waited))
            again = false;
        if (!again)
            return fail(err, r.code, "%s%s", own.text, unsure ? "; whether it was done before that is not known" : "");
        pause_ms(ms);
        waited += ms;
    }
}

pap_result db_shrink(struct db *d, struct pap_err *err)
{
    d->doing = "give space back";
    return d->handle && d->driver->shrink ? d->driver->script(d, d->driver->shrink, err) : OK;
}
