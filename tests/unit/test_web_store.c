/* SPDX-License-Identifier: Apache-2.0
 *
 * The site and its database: how many reports are kept, hostile texts on their way through it, and a database that goes away in
 * the middle and comes back.
 */
#include "web_check_unit.h"

static const char world[] =
    "> GET https://shop.example/.well-known/poppy.json\n< 200\n< Content-Type: application/json\n"
    "{\"protocol_version\": \"0.1\", \"organization\": {\"name\": \"Shop\", \"domain\": \"shop.example\"}, \"web\": {}}\n%%\n";

/* ---- how many reports are kept ---- */

static pap_result fill_fn(struct db *d, void *ctx, struct pap_err *err)
{
    (void)ctx;
    /* In one statement: reports r1.example ... of one second each, all with the record of shop.example. */
    TRY(db_run(
        d,
        "INSERT INTO report (name, made_at, outcome, rules, record, version, channels, sign_in, skills, skills_where,"
        " errors, warnings, infos) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)"
        " SELECT 'r' || n.i || '.example', n.i, r.outcome, r.rules, r.record, r.version, r.channels, r.sign_in,"
        " r.skills, r.skills_where, r.errors, r.warnings, r.infos FROM n, report AS r WHERE r.name = 'shop.example'",
        DB_ARGS(db_int(LIMIT_WEB_REPORTS)), NULL, NULL, NULL, err));
    return db_run(d,
                  "INSERT INTO report_body (name, digest) SELECT r.name, b.digest FROM report AS r, report_body AS b"
                  " WHERE b.name = 'shop.example' AND r.name <> 'shop.example'",
                  NULL, 0, NULL, NULL, NULL, err);
}

static pap_result take_number(void *ctx, const struct db_row *row, struct pap_err *err)
{
    (void)err;
    *(int64_t *)ctx = db_row_int(row, 0);
    return OK;
}

static pap_result count_fn(struct db *d, void *ctx, struct pap_err *err)
{
    int64_t *n = ctx;
    TRY(db_run(d, "SELECT CAST(count(*) AS bigint) FROM report", NULL, 0, take_number, &n[0], NULL, err));
    return db_run(d, "SELECT CAST(count(DISTINCT name) AS bigint) FROM report_body", NULL, 0, take_number, &n[1], NULL,
                  err);
}

static void with_database(const struct fixture *f, enum db_mode mode, db_fn *fn, void *ctx)
{
    const struct db_options o = {.where = f->database.where, .schema = "papaver_census"};
    struct pap_err err = {.text = ""};
    struct db *d = NULL;
    if (!is_ok(db_open(&o, &d, &err)) || !is_ok(db_transact(d, mode, "test", fn, ctx, &err)))
        unit_fail("%s", err.text);
    db_close(d);
}

static void the_oldest_reports_go(void **state)
{
    (void)state;
    struct fixture f;
    int64_t n[2];
    check_begin(&f, world);
    assert_int_equal(web_status(post(&f, "/check/shop.example", "", "")), 303);
    with_database(&f, DB_WRITE, fill_fn, NULL);
    assert_int_equal(web_status(get(&f, "/check/r1.example")), 200);
    assert_int_equal(web_status(post(&f, "/check/new.example", "", "")), 303);
    with_database(&f, DB_READ, count_fn, n);
    assert_int_equal(n[0], LIMIT_WEB_REPORTS);
    assert_int_equal(n[1], LIMIT_WEB_REPORTS);
    assert_int_equal(web_status(get(&f, "/check/r1.example")), 404);
    assert_int_equal(web_status(get(&f, "/check/r2.example")), 404);
    assert_int_equal(web_status(get(&f, "/check/r3.example")), 200);
    assert_int_equal(web_status(get(&f, "/check/new.example")), 200);
    assert_int_equal(web_status(get(&f, "/check/shop.example")), 200);
    check_end(&f);
}

/* ---- a database that goes away ---- */

static void control(const char *word)
{
    char command[300];
    snprintf(command, sizeof command, "sh %s %s >/dev/null 2>&1", getenv("POSTGRES_CONTROL"), word);
    assert_int_equal(system(command), 0);
}

static void is_away(struct pap_str a)
{
    assert_int_equal(web_status(a), 503);
    assert_true(web_field(a, "Retry-After").n > 0);
    assert_has(a, "Not just now");
    assert_false(web_has(a, "postgres")); /* what it says is for the operator */
}

static void a_database_goes_and_comes_back(void **state)
{
    (void)state;
    struct fixture f;
    struct later *l;
    struct later_news news;
    struct buf body;
    struct limiter_key who = {{1}};
    if (!getenv("POSTGRES_CONTROL"))
        skip(); /* SQLite is a file */
    check_begin(&f, world);
    assert_int_equal(web_status(post(&f, "/check/shop.example", "", "")), 303);
    assert_int_equal(web_status(get(&f, "/check/shop.example")), 200);
    /* between two requests nobody notices */
    control("restart");
    assert_int_equal(web_status(get(&f, "/check/shop.example")), 200);
    check_move(&f, 100);
    assert_int_equal(web_status(post(&f, "/check/shop.example", "", "")), 303);
    /* away: a page that says so, whatever was asked; and a check that is over then is not kept */
    control("kill");
    assert_int_equal(runner_ask(f.runner, RUNNER_CHECK, S("new.example"), RUNNER_PAGE, &who, &l), RUNNER_TAKEN);
    is_away(get(&f, "/check/shop.example"));
    is_away(get(&f, "/sites"));
    is_away(get(&f, "/charts"));
    is_away(post(&f, "/check/shop.example", "", ""));
    struct pap_str a = get(&f, "/api/v1/sites");
    assert_int_equal(web_status(a), 503);
    assert_str(web_field(a, "Content-Type"), "application/problem+json");
    assert_int_equal(web_status(get(&f, "/explain")), 200);
    buf_init(&body, NULL, 1 << 16);
    for (int i = 0; i < 20000; i++) {
        later_take(l, &body, &news);
        if (news.ends)
            break;
        (void)usleep(1000);
    }
    assert_true(news.ends && news.status == 303);
    later_leave(l);
    buf_fini(&body);
    /* back again */
    control("start");
    assert_int_equal(web_status(get(&f, "/check/shop.example")), 200);
    assert_int_equal(web_status(get(&f, "/check/new.example")), 404);
    assert_int_equal(web_status(post(&f, "/check/new.example", "", "")), 303);
    assert_int_equal(web_status(get(&f, "/check/new.example")), 200);
    check_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_reports_go),
        cmocka_unit_test(a_database_goes_and_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
