/* SPDX-License-Identifier: Apache-2.0
 *
 * Connections, values, transactions that run again, migrations; what is refused, and with which words.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "store_unit.h"

static struct db *open_base(const struct db_options *o)
{
    struct db *d = NULL;
    ok(db_open(o, &d, &said));
    return d;
}

/* --- values --- */

struct echo {
    struct db_value in[4], out[4];
    bool null[4];
    size_t rows;
};

static pap_result take_echo(void *ctx, const struct db_row *row, struct pap_err *err)
{
    (void)err;
    struct echo *e = ctx;
    e->rows++;
    for (unsigned i = 0; i < 4; i++) {
        e->null[i] = db_row_is_null(row, i);
        if (i == 0)
            e->out[i].i = db_row_int(row, i);
        else
            e->out[i].s = arena_str(&base.arena, db_row_str(row, i));
    }
    return OK;
}

static pap_result echo_fn(struct db *d, void *ctx, struct pap_err *err)
{
    struct echo *e = ctx;
    e->rows = 0;
    return db_run(d, "SELECT CAST($1 AS bigint), CAST($2 AS text), CAST($3 AS {bytes}), CAST($4 AS text)", e->in, 4,
                  take_echo, e, NULL, err);
}

static void values_come_back(void **state)
{
    (void)state;
    struct db_options o = base_options();
    struct db *d = open_base(&o);
    static const int64_t numbers[] = {0, 1, -1, 255, 256, -32769, INT32_MAX, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct echo e = {.in = {db_int(numbers[i]), db_text(S("a'\"; DROP TABLE domain; -- \\ % \xf0\x9f\x8c\xb7")),
                                db_bytes("\0\xff\x80'", 4), db_null(DB_TEXT)}};
        ok(db_transact(d, DB_READ, "echo", echo_fn, &e, &said));
        assert_int_equal(e.rows, 1);
        assert_true(e.out[0].i == numbers[i]);
        assert_true(str_eq(e.out[1].s, e.in[1].s));
        assert_true(str_eq(e.out[2].s, e.in[2].s));
        assert_true(e.null[3] && !e.null[0] && !e.null[1] && !e.null[2]);
    }
    struct echo e = {.in = {db_null(DB_INT), db_text(S("")), db_bytes("", 0), db_text(S("x"))}};
    ok(db_transact(d, DB_READ, "echo", echo_fn, &e, &said));
    assert_true(e.null[0] && !e.null[1] && !e.null[2]);
    assert_int_equal(e.out[1].s.n, 0);
    db_close(d);
}

/* --- transactions --- */

struct script {
    unsigned at, statements, runs, waits; /* strike at this statement; 0: never */
    enum db_trouble with;
    enum db_point where;
    unsigned times; /* how often it strikes */
    bool gives_up, swallow, own_failure;
};

static enum db_trouble strike(void *ctx, enum db_point point, const char *sql)
{
    (void)sql;
    struct script *s = ctx;
    if (point != s->where || !s->times || ++s->statements < s->at)
        return DB_FINE;
    s->times--;
    return s->with;
}

static bool waits(void *ctx, const char *why, uint32_t waited_ms)
{
    (void)waited_ms;
    struct script *s = ctx;
    assert_true(str_c(why).n > 10);
    s->waits++;
    return !s->gives_up;
}

static pap_result make_table(struct db *d, void *ctx, struct pap_err *err)
{
    (void)ctx;
    if (base.postgres)
        TRY(db_script(d, "CREATE SCHEMA IF NOT EXISTS papaver_census", err));
    return db_script(d, "CREATE TABLE t (i {int} PRIMARY KEY, n {int} NOT NULL) {strict}", err);
}

static pap_result insert_two(struct db *d, void *ctx, struct pap_err *err)
{
    struct script *s = ctx;
    s->runs++;
    for (int i = 1; i <= 2; i++) {
        pap_result r = db_run(d, "INSERT INTO t (i, n) VALUES ($1, 1) ON CONFLICT (i) DO UPDATE SET n = 1",
                              DB_ARGS(db_int(i)), NULL, NULL, NULL, err);
        if (!is_ok(r) && !s->swallow)
            return r;
    }
    return s->own_failure ? fail(err, PAP_LIMIT, "enough") : OK;
}

static pap_result take_int(void *ctx, const struct db_row *row, struct pap_err *err)
{
    (void)err;
    *(int64_t *)ctx = db_row_int(row, 0);
    return OK;
}

static pap_result count_rows(struct db *d, void *ctx, struct pap_err *err)
{
    return db_run(d, "SELECT count(*) FROM t", NULL, 0, take_int, ctx, NULL, err);
}

static int64_t rows_of(struct db *d)
{
    int64_t n = -1;
    ok(db_transact(d, DB_READ, "count", count_rows, &n, &said));
    return n;
}

/* A new connection whose statements are struck as `s` says, and how a transaction of two statements ends on it. */
static pap_result two_rows(struct script *s, int64_t *ret_rows, enum db_trouble *ret_trouble, struct pap_err *err)
{
    base_drop();
    struct db_options o = base_options();
    o.strike = strike;
    o.waits = waits;
    o.ctx = s;
    o.patience_ms = 300;
    unsigned times = s->times;
    s->times = 0;
    struct db *d = open_base(&o);
    ok(db_transact(d, DB_WRITE, "make", make_table, NULL, &said));
    s->times = times;
    pap_result r = db_transact(d, DB_WRITE, "insert two rows", insert_two, s, err);
    s->times = 0;
    *ret_trouble = db_trouble(d);
    *ret_rows = rows_of(d);
    db_close(d);
    return r;
}

static void runs_again(void **state)
{
    (void)state;
    static const enum db_trouble passing[] = {DB_AGAIN, DB_LOST};
    for (size_t k = 0; k < 2; k++)
        for (unsigned at = 1; at <= 3; at++) { /* BEGIN, two statements */
            struct script s = {.at = at, .with = passing[k], .where = DB_STATEMENT, .times = 2};
            struct pap_err err = {0};
            int64_t rows = 0;
            enum db_trouble t;
            assert_ok(two_rows(&s, &rows, &t, &err));
            assert_int_equal(rows, 2);
            assert_int_equal(t, DB_FINE);
            assert_true(s.waits >= 1);
        }
}

static void commit_not_heard_of(void **state)
{
    (void)state;
    struct pap_err err = {0};
    int64_t rows = 0;
    enum db_trouble t;
    struct script s = {.at = 1, .with = DB_LOST, .where = DB_AFTER_COMMIT, .times = 1};
    assert_ok(two_rows(&s, &rows, &t, &err));
    assert_int_equal(s.runs, 2);
    assert_int_equal(rows, 2);
    s = (struct script){.at = 1, .with = DB_LOST, .where = DB_AFTER_COMMIT, .times = 1, .gives_up = true};
    assert_int_equal(two_rows(&s, &rows, &t, &err).code, PAP_UNREACHABLE);
    assert_int_equal(rows, 2);
    assert_true(str_find(str_c(err.text), S("not known")) < str_c(err.text).n);
    s = (struct script){.at = 1, .with = DB_LOST, .where = DB_COMMIT, .times = 1, .gives_up = true};
    assert_int_equal(two_rows(&s, &rows, &t, &err).code, PAP_UNREACHABLE);
    assert_int_equal(rows, 0);
}

static void gives_up(void **state)
{
    (void)state;
    struct pap_err err = {0};
    int64_t rows = 0;
    enum db_trouble t;
    struct script s = {.at = 2, .with = DB_AGAIN, .where = DB_STATEMENT, .times = 100000};
    assert_int_equal(two_rows(&s, &rows, &t, &err).code, PAP_IO);
    assert_int_equal(t, DB_AGAIN);
    assert_int_equal(rows, 0);
    assert_true(s.waits > 2);
    s = (struct script){.at = 2, .with = DB_AGAIN, .where = DB_STATEMENT, .times = 100000, .gives_up = true};
    assert_int_equal(two_rows(&s, &rows, &t, &err).code, PAP_IO);
    assert_int_equal(s.waits, 1);
    /* What does not pass is not tried again. */
    static const enum db_trouble stays[] = {DB_FULL, DB_READ_ONLY, DB_DENIED, DB_OTHER};
    for (size_t i = 0; i < 4; i++) {
        s = (struct script){.at = 3, .with = stays[i], .where = DB_STATEMENT, .times = 1};
        assert_int_equal(two_rows(&s, &rows, &t, &err).code, PAP_IO);
        assert_int_equal(t, stays[i]);
        assert_int_equal(rows, 0);
        assert_int_equal(s.waits, 0);
        assert_true(str_starts(str_c(err.text), S("cannot insert two rows: ")));
    }
}

static void nothing_half(void **state)
{
    (void)state;
    struct pap_err err = {0};
    int64_t rows = 0;
    enum db_trouble t;
    /* A failure that the function passed over rolls back all the same. */
    struct script s = {.at = 3, .with = DB_OTHER, .where = DB_STATEMENT, .times = 1, .swallow = true};
    assert_int_equal(two_rows(&s, &rows, &t, &err).code, PAP_IO);
    assert_int_equal(rows, 0);
    s = (struct script){.own_failure = true};
    assert_int_equal(two_rows(&s, &rows, &t, &err).code, PAP_LIMIT);
    assert_int_equal(s.runs, 1);
    assert_int_equal(rows, 0);
}

/* A failure of the server itself inside a transaction, not one of a hook. */
static pap_result divide(struct db *d, void *ctx, struct pap_err *err)
{
    (void)ctx;
    TRY(db_run(d, "INSERT INTO t (i, n) VALUES (1, 1)", NULL, 0, NULL, NULL, NULL, err));
    return db_run(d, "INSERT INTO no_such_table (i) VALUES (1)", NULL, 0, NULL, NULL, NULL, err);
}

static void server_says_no(void **state)
{
    (void)state;
    struct db_options o = base_options();
    struct db *d = open_base(&o);
    struct pap_err err = {0};
    ok(db_transact(d, DB_WRITE, "make", make_table, NULL, &said));
    assert_int_equal(db_transact(d, DB_WRITE, "divide", divide, NULL, &err).code, PAP_IO);
    assert_int_equal(db_trouble(d), DB_OTHER);
    assert_true(str_find(str_c(err.text), base.postgres ? S("42P01") : S("SQLite 1")) < str_c(err.text).n);
    assert_int_equal(rows_of(d), 0);
    /* Writing in a transaction that reads only. */
    struct script s = {0};
    if (base.postgres) {
        assert_int_equal(db_transact(d, DB_READ, "write", insert_two, &s, &err).code, PAP_IO);
        assert_int_equal(db_trouble(d), DB_READ_ONLY);
    }
    db_close(d);
}

static pap_result many_rows(struct db *d, void *ctx, struct pap_err *err)
{
    struct db_value *args = ctx;
    unsigned char changed[1001];
    memset(changed, 7, sizeof changed);
    TRY(db_run(d, "DELETE FROM t", NULL, 0, NULL, NULL, NULL, err));
    TRY(db_many(d, "INSERT INTO t (i, n) VALUES ($1, $2) ON CONFLICT (i) DO NOTHING", args, 2, 1000, NULL, NULL,
                changed, err));
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(changed[i], i % 2 == 0);
    assert_int_equal(changed[1000], 7);
    return OK;
}

static pap_result many_bad(struct db *d, void *ctx, struct pap_err *err)
{
    (void)ctx;
    struct db_value args[600];
    for (int i = 0; i < 300; i++) {
        args[2 * i] = db_int(10000 + i);
        args[2 * i + 1] = i == 150 ? db_null(DB_INT) : db_int(1);
    }
    return db_many(d, "INSERT INTO t (i, n) VALUES ($1, $2)", args, 2, 300, NULL, NULL, NULL, err);
}

static void many_at_once(void **state)
{
    (void)state;
    struct db_options o = base_options();
    struct db *d = open_base(&o);
    struct pap_err err = {0};
    static struct db_value args[2000];
    for (int i = 0; i < 1000; i++) {
        args[2 * i] = db_int(i / 2);
        args[2 * i + 1] = db_int(i);
    }
    ok(db_transact(d, DB_WRITE, "make", make_table, NULL, &said));
    ok(db_transact(d, DB_WRITE, "many", many_rows, args, &said));
    assert_int_equal(rows_of(d), 500);
    /* One that is refused in the middle: none of them stays, and the connection is as good as before. */
    assert_int_equal(db_transact(d, DB_WRITE, "many", many_bad, NULL, &err).code, PAP_IO);
    assert_int_equal(rows_of(d), 500);
    db_close(d);
}

/* --- what is refused --- */

static void refuses(const char *where, bool read_only, enum pap_code code, const char *words)
{
    struct db_options o = {.where = where, .schema = "papaver_census", .read_only = read_only, .patience_ms = 100};
    struct pap_err err = {0};
    struct db *d = NULL;
    pap_result r = db_open(&o, &d, &err);
    if (is_ok(r) || r.code != code || str_find(str_c(err.text), str_c(words)) == str_c(err.text).n)
        unit_fail("%s: code %d, %s", where, (int)r.code, err.text);
}

static void write_file(const char *path, const char *bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    assert_true(fd >= 0 && write(fd, bytes, str_c(bytes).n) == (ssize_t)str_c(bytes).n && close(fd) == 0);
}

static void other_files(void **state)
{
    (void)state;
    if (base.postgres)
        skip();
    char path[160], link[160];
    struct stat st;
    refuses(base.where, true, PAP_USAGE, "no database");
    struct db_options o = base_options();
    (void)snprintf(path, sizeof path, "%s/new/below/census.db", base.folder);
    o.where = path;
    db_close(open_base(&o));
    assert_true(stat(path, &st) == 0 && (st.st_mode & 07777) == 0600);
    (void)snprintf(link, sizeof link, "%s/new/below", base.folder);
    assert_true(stat(link, &st) == 0 && (st.st_mode & 07777) == 0700);
    (void)snprintf(link, sizeof link, "%s/link.db", base.folder);
    assert_int_equal(symlink(path, link), 0);
    refuses(link, false, PAP_USAGE, "symbolic link");
    (void)unlink(link);
    assert_int_equal(symlink("/nowhere/at/all.db", link), 0);
    refuses(link, false, PAP_USAGE, "symbolic link");
    (void)unlink(link);
    refuses(base.folder, false, PAP_USAGE, "no regular file");
    refuses("/", false, PAP_USAGE, "no name");
    assert_int_equal(mkfifo(link, 0600), 0);
    refuses(link, false, PAP_USAGE, "no regular file");
    (void)unlink(link);
    (void)unlink(path);
    write_file(path,
               "This is a text that is longer than the head of a database, which has a hundred bytes; and then some.");
    refuses(path, false, PAP_IO, "not a database");
    (void)unlink(path);
    char command[400]; /* another program's */
    (void)snprintf(command, sizeof command,
                   "python3 -c \"import sqlite3; sqlite3.connect('%s').execute('create table x (y)')\"", path);
    assert_int_equal(system(command), 0);
    refuses(path, false, PAP_USAGE, "of another program");
    refuses(path, true, PAP_USAGE, "of another program");
    (void)snprintf(command, sizeof command, "rm -r %s/new", base.folder);
    assert_int_equal(system(command), 0);
}

/* Whatever is wrong with a URL, no part of a password is in what is said. */
static void passwords_stay(void **state)
{
    (void)state;
    static const char *const urls[] = {
        "postgres://u:geheim@127.0.0.1:1/x",
        "postgres://u:geheim@/x?host=/nowhere",
        "postgres://u:ge@heim@127.0.0.1:1/x",
        "postgres://u:ge/geheim@127.0.0.1:1/x",
        "postgres://u:%zzgeheim@127.0.0.1:1/x",
        "postgresql://u:geheim@[::1/x",
        "postgres://u:geheim@127.0.0.1:port/x",
        "postgres://u:geheim@127.0.0.1:1/x?no_such=geheim",
        "postgres://:geheim@",
        "postgres://u:geheim@127.0.0.1:1/x?password=geheim",
        "postgres://127.0.0.1:1/x?password=geheim",
        "postgres://u:geheim%00@127.0.0.1:1/x",
        "postgres://u:geheim",
        "postgres://127.0.0.1:1/x?password=ge%zzheim",
    };
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        struct db_options o = {.where = urls[i], .schema = "papaver_census", .patience_ms = 100};
        struct pap_err err = {0};
        struct db *d = NULL;
        assert_false(is_ok(db_open(&o, &d, &err)));
        struct pap_str text = str_c(err.text);
        if (str_find(text, S("geheim")) < text.n || str_find(text, S("heim")) < text.n || text.n < 20)
            unit_fail("%s: %s", urls[i], err.text);
    }
}

/* --- migrations --- */

static pap_result insert_early(struct db *d, void *ctx, struct pap_err *err)
{
    (void)ctx;
    return db_run(d, "INSERT INTO domain (name, added_at, due_at) VALUES ('early.example', 1, 1)", NULL, 0, NULL, NULL,
                  NULL, err);
}

static pap_result number_of(struct db *d, void *ctx, struct pap_err *err)
{
    return db_run(d, "SELECT max(number) FROM migration", NULL, 0, take_int, ctx, NULL, err);
}

static void from_each_version(void **state)
{
    (void)state;
    int last = 0;
    for (const struct migration *m = census_migrations; m->name; m++) {
        assert_int_equal(m->number, last + 1);
        last = m->number;
    }
    for (int from = 1; from <= last; from++) {
        base_drop();
        struct db_options o = base_options();
        struct db *d = open_base(&o);
        int64_t number = 0;
        ok(migrate(d, census_migrations, from, &said));
        ok(db_transact(d, DB_READ, "look", number_of, &number, &said));
        assert_int_equal(number, from);
        ok(db_transact(d, DB_WRITE, "insert", insert_early, NULL, &said));
        db_close(d);
        struct census *c = base_census();
        assert_int_equal(claim(c, "w", 10, 10).n, 1);
        struct census_counts counts;
        ok(census_snapshot(c, 10, &said));
        ok(census_tally(c, &base.arena, false, &counts, &said));
        census_close(c);
    }
}

static pap_result later_version(struct db *d, void *ctx, struct pap_err *err)
{
    (void)ctx;
    return db_run(d, "INSERT INTO migration (number, name) VALUES (99, 'of tomorrow')", NULL, 0, NULL, NULL, NULL, err);
}

static void newer_is_refused(void **state)
{
    (void)state;
    struct db_options o = base_options();
    struct census *c = NULL;
    struct pap_err err = {0};
    census_close(base_census());
    struct db *d = open_base(&o);
    ok(db_transact(d, DB_WRITE, "insert", later_version, NULL, &said));
    db_close(d);
    for (int read_only = 0; read_only < 2; read_only++) {
        o.read_only = read_only;
        assert_int_equal(census_open(&o, &c, &err).code, PAP_USAGE);
        assert_true(str_find(str_c(err.text), S("later papaver: it has version 99")) < str_c(err.text).n);
    }
}

static void read_only(void **state)
{
    (void)state;
    struct db_options o = base_options();
    struct census *c = NULL;
    struct pap_err err = {0};
    o.read_only = true;
    assert_int_equal(census_open(&o, &c, &err).code, PAP_USAGE); /* nothing is made */
    c = base_census();
    add_names(c, (const char *const[]){"a.example"}, 1, 5);
    struct census *reader = NULL;
    struct census_status s;
    ok(census_open(&o, &reader, &said));
    ok(census_status(reader, S(""), 10, &s, &said));
    assert_int_equal(s.domains, 1);
    struct census_batch b;
    assert_int_equal(census_claim(reader, &base.arena, S("w"), 10, 20, 1, &b, &err).code, PAP_IO);
    assert_int_equal(census_trouble(reader), DB_READ_ONLY);
    census_close(reader);
    census_close(c);
}

/* Processes that start at once find one database, made once. */
static void started_at_once(void **state)
{
    (void)state;
    enum { AT_ONCE = 5 };
    pid_t child[AT_ONCE];
    for (int i = 0; i < AT_ONCE; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            struct db_options o = base_options();
            struct census *c = NULL;
            struct pap_err err = {0};
            struct census_added added;
            o.patience_ms = 20000;
            const struct census_name name = {.name = S("same.example")};
            bool good = is_ok(census_open(&o, &c, &err)) && is_ok(census_add(c, &name, 1, 1, &added, &err));
            if (!good)
                print_error("%s\n", err.text);
            census_close(c);
            _exit(!good);
        }
    }
    for (int i = 0; i < AT_ONCE; i++) {
        int status = 0;
        assert_true(child[i] > 0 && waitpid(child[i], &status, 0) == child[i]);
        assert_int_equal(status, 0);
    }
    struct census *c = base_census();
    struct census_status s;
    ok(census_status(c, S(""), 10, &s, &said));
    assert_int_equal(s.domains, 1);
    census_close(c);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, base_setup, base_teardown)
    const struct CMUnitTest tests[] = {
        T(values_come_back), T(runs_again),   T(commit_not_heard_of), T(gives_up),       T(nothing_half),
        T(server_says_no),   T(many_at_once), T(other_files),         T(passwords_stay), T(from_each_version),
        T(newer_is_refused), T(read_only),    T(started_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
