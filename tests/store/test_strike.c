/* SPDX-License-Identifier: Apache-2.0
 *
 * A failure at each statement in turn (busy, lost, a commit that was not heard of, a full disk), workers that are killed at
 * each statement, a server that goes away, and a file that may not grow: nothing is lost, nothing is kept twice. 50 rounds of
 * workers unless PAPAVER_STORE_ROUNDS says how many.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "store_unit.h"

#include "sys/clock.h"

/* What happens at which statement of a process; 0: nothing. */
static struct {
    unsigned statements, at;
    enum db_trouble with;
    bool kills, after_commit;
} trap;

static enum db_trouble strike(void *ctx, enum db_point point, const char *sql)
{
    (void)ctx, (void)sql;
    if (!trap.at || (trap.after_commit && point != DB_AFTER_COMMIT) ||
        (trap.with == DB_FULL && point == DB_AFTER_COMMIT) || ++trap.statements != trap.at)
        return DB_FINE;
    if (trap.kills)
        (void)kill(getpid(), SIGKILL);
    return trap.with;
}

static struct census *open_struck(uint32_t patience_ms)
{
    struct db_options o = base_options();
    struct census *c = NULL;
    o.strike = strike;
    o.patience_ms = patience_ms;
    ok(census_open(&o, &c, &said));
    return c;
}

/* --- a story with a known end --- */

enum { NAMES = 8, DAY = CENSUS_DAY };

static struct census_body body_of(int i, char kind)
{
    struct census_body b = {
        .bytes = arena_fmt(&base.arena, "{\"kind\": \"%c\", \"number\": %d, \"filler\": \"%080d\"}", kind, i, 0)};
    b.digest.b[0] = (unsigned char)kind;
    b.digest.b[1] = (unsigned char)i;
    return b;
}

static struct pap_str channels[] = {S_INIT("api"), S_INIT("web")};

/* The result of a domain at its nth asking: 0-2 publish and change, 3 goes away, 4-7 do not publish. */
static struct census_result result_of(const struct census_due *due, int name, int nth, int64_t at)
{
    static struct census_finding findings[] = {{S_INIT("poppy.one"), 3, 2}, {S_INIT("poppy.two"), 2, 1}};
    struct census_result r = {.id = due->id, .lease = due->lease, .at = at, .due_at = at + DAY, .tries = (uint32_t)nth};
    bool good = name < 3 || (name == 3 && nth < 2);
    r.outcome = good ? CENSUS_PUBLISHES : name % 2 ? CENSUS_ABSENT : CENSUS_TIMEOUT;
    r.standing = good ? CENSUS_GOOD : name == 3 ? CENSUS_GONE : CENSUS_SHAKY;
    r.rules = S("0.1.0");
    r.fingerprint[0] = (unsigned char)(good ? 1 + nth / 2 * (name > 0) : 0);
    if (!good)
        return r;
    r.summary = (struct census_summary){.version = S("0.3"), .channels = {channels, 2}, .skills = 2, .errors = 2};
    r.findings = findings;
    r.n_findings = 2;
    struct census_body *bodies = arena_new_array(&base.arena, 2, struct census_body);
    assert_non_null(bodies);
    bodies[0] = body_of(name * 10 + r.fingerprint[0], 'r');
    bodies[1] = body_of(0, 'b');
    r.record = &bodies[0];
    r.bodies = &bodies[1];
    r.n_bodies = 1;
    return r;
}

static int number_of(struct pap_str name)
{
    return name.p[0] - 'a';
}

/* Failures that the story was told, and of the last one what was said. */
static struct {
    unsigned n;
    enum db_trouble trouble;
    char text[sizeof said.text];
} failures;

static bool failed(struct census *c)
{
    failures.n++;
    failures.trouble = census_trouble(c);
    memcpy(failures.text, said.text, sizeof failures.text);
    return true;
}

/* One call of the story; one that fails is made again, once. False: it failed again. */
#define CALL(call)                                     \
    do {                                               \
        if (!is_ok(call) && failed(c) && !is_ok(call)) \
            return false;                              \
    } while (0)

static bool add_all(struct census *c)
{
    struct census_name names[NAMES] = {0};
    struct census_added added;
    for (int i = 0; i < NAMES; i++)
        names[i] = (struct census_name){.name = arena_fmt(&base.arena, "%c.shop.example", 'a' + i),
                                        .registrable = S("shop.example")};
    CALL(census_add(c, names, NAMES, 1000, &added, &said));
    return true;
}

static bool ask_all(struct census *c, int nth)
{
    int64_t now = 1000 + nth * (int64_t)DAY * 2;
    for (;;) {
        struct census_batch b;
        struct census_result r[4];
        struct census_finished f;
        CALL(census_claim(c, &base.arena, S("me"), now, now + 60, 4, &b, &said));
        if (!b.n)
            return true;
        for (size_t i = 0; i < b.n; i++)
            r[i] = result_of(&b.due[i], number_of(b.due[i].name), nth, now);
        CALL(census_finish(c, r, b.n, &f, &said));
        if (f.taken != b.n)
            unit_fail("%d of %d results were kept", (int)f.taken, (int)b.n);
    }
}

static bool whole_story(struct census *c)
{
    struct census_pruned pruned;
    struct census_result again = {.rules = S("0.2.0"), .summary = {.version = S("0.4")}};
    struct census_body body = body_of(99, 'v'), record = body_of(98, 'r');
    struct census_report report = {.name = S("asked.example"), .at = 7, .record = &body};
    uint64_t n = 0;
    bool was = false;
    CALL(census_opt_out(c, &(struct census_name){.name = S("out.example")}, 5, &said));
    if (!add_all(c))
        return false;
    for (int nth = 0; nth < 4; nth++)
        if (!ask_all(c, nth))
            return false;
    CALL(census_snapshot(c, 1000, &said));
    CALL(census_report_put(c, &report, &said));
    again.record = &record;
    struct census_history h;
    CALL(census_unjudged(c, &base.arena, S("0.2.0"), 0, 50, &h, &said));
    for (size_t i = 0; i < h.n; i++)
        if (number_of(h.observation[i].name) == 0) /* who comes first is not the same each time */
            CALL(census_judged(c, h.observation[i].id, &again, &said));
    CALL(census_prune(c, 1000 + 2 * DAY, &pruned, &said));
    CALL(census_opt_out(c, &(struct census_name){.name = S("h.shop.example")}, 9, &said));
    CALL(census_opt_out(c, &(struct census_name){.name = S("c.shop.example")}, 9, &said));
    CALL(census_opt_in(c, S("h.shop.example"), 10, &was, &said));
    CALL(census_renew(c, S("me"), 77, &n, &said));
    CALL(census_release(c, S("me"), 77, &n, &said));
    return true;
}

/* --- all that the database holds, as text --- */

struct dump {
    struct buf text;
    unsigned columns;
};

static pap_result take_line(void *ctx, const struct db_row *row, struct pap_err *err)
{
    (void)err;
    struct dump *d = ctx;
    for (unsigned i = 0; i < d->columns; i++) {
        struct pap_str s = db_row_str(row, i);
        buf_fmt(&d->text, "%.*s|", PSTR(s));
    }
    buf_char(&d->text, '\n');
    return OK;
}

/* Without the ids of domains and observations, and the numbers of leases: those may have gaps; which place of the list
 * a site has is a matter of who came first. */
#define T(column) "COALESCE(CAST(" column " AS text), 'null')"
static const struct {
    unsigned columns;
    const char *sql;
} dumps[] = {
    {9, "SELECT name, " T("registrable") ", " T("asked_at") ", " T("due_at") ", " T("outcome") ", " T("state") ", " T(
            "tries") ", " T("opted_out") ", " T("lease_owner") " FROM domain ORDER BY name"},
    {4, "SELECT d.name, " T("q.outcome") ", " T("q.first_at") ", " T(
            "q.last_at") " FROM quiet q JOIN domain d ON d.id = q.domain_id ORDER BY d.name, q.outcome"},
    {8,
     "SELECT d.name, " T("o.first_at") ", " T("o.last_at") ", " T("o.outcome") ", " T("o.standing") ", o.rules, o.version, " T(
         "o.errors") " FROM observation o JOIN domain d ON d.id = o.domain_id ORDER BY d.name, o.first_at, o.rules"},
    {5, "SELECT d.name, " T("o.first_at") ", f.rule, " T("f.severity") ", " T(
            "f.n") " FROM finding f JOIN observation o ON o.id = f.observation_id JOIN domain d ON d.id = o.domain_id"
                   " ORDER BY d.name, o.first_at, f.rule"},
    {2, "SELECT d.name, " T("o.first_at") " FROM observation_body b JOIN observation o ON o.id = b.observation_id"
                                          " JOIN domain d ON d.id = o.domain_id ORDER BY d.name, o.first_at, b.digest"},
    {2, "SELECT " T("size") ", " T("gz") " FROM body ORDER BY digest"},
    {9, "SELECT name, " T("slot * 0") ", " T("first_seen") ", " T("last_seen") ", " T("listed_at") ", " T(
            "changed_at") ", " T("gone_at") ", version, channels FROM site ORDER BY name"},
    {4, "SELECT what, " T("day") ", word, " T("n") " FROM daily ORDER BY what, day, word"},
    {2, "SELECT name, " T("made_at") " FROM report ORDER BY name"},
};

static pap_result dump_fn(struct db *d, void *ctx, struct pap_err *err)
{
    struct dump *dump = ctx;
    for (size_t i = 0; i < sizeof dumps / sizeof dumps[0]; i++) {
        buf_fmt(&dump->text, "-- %zu\n", i);
        dump->columns = dumps[i].columns;
        TRY(db_run(d, dumps[i].sql, NULL, 0, take_line, dump, NULL, err));
    }
    return OK;
}

static struct pap_str dump_all(void)
{
    struct dump dump = {0};
    struct db_options o = base_options();
    struct db *d = NULL;
    buf_init(&dump.text, NULL, 1 << 20);
    ok(db_open(&o, &d, &said));
    ok(db_transact(d, DB_READ, "dump", dump_fn, &dump, &said));
    db_close(d);
    assert_true(buf_ok(&dump.text));
    struct pap_str text = arena_str(&base.arena, buf_str(&dump.text));
    buf_fini(&dump.text);
    return text;
}

/* A table that holds nothing would make the comparison say nothing. */
static void dump_is_whole(struct pap_str text)
{
    struct pap_str line;
    size_t rows = 1;
    while (str_next(&text, '\n', &line)) {
        bool head = str_starts(line, S("-- "));
        if (head)
            assert_true(rows > 0);
        rows = head ? 0 : rows + 1;
    }
}

static struct pap_str told_undisturbed(unsigned *ret_statements)
{
    trap.at = 0;
    base_drop();
    struct census *c = base_census();
    census_close(c);
    c = open_struck(5000);
    trap.statements = 0;
    trap.at = UINT32_MAX; /* counts */
    assert_true(whole_story(c));
    *ret_statements = trap.statements;
    trap.at = 0;
    census_close(c);
    struct pap_str dump = dump_all();
    dump_is_whole(dump);
    return dump;
}

static void same_end(struct pap_str want, unsigned at, const char *what)
{
    struct pap_str got = dump_all();
    size_t differ = str_first_difference(got, want);
    size_t from = differ > 200 ? differ - 200 : 0;
    if (!str_eq(got, want))
        unit_fail("%s at statement %u:\n%.*s\nwant:\n%.*s", what, at, PSTR(str_take(str_skip(got, from), 400)),
                  PSTR(str_take(str_skip(want, from), 400)));
}

static uint64_t rounds(void)
{
    uint64_t n = 50;
    const char *said_by = getenv("PAPAVER_STORE_ROUNDS");
    assert_true(!said_by || str_to_u64(str_c(said_by), &n));
    return n;
}

/* Busy and lost pass unseen, wherever they strike. */
static void passing_troubles(void **state)
{
    (void)state;
    unsigned statements = 0;
    struct pap_str want = told_undisturbed(&statements);
    assert_true(statements > 100);
    static const struct {
        enum db_trouble with;
        bool after_commit;
        const char *what;
    } rows[] = {{DB_AGAIN, false, "busy"}, {DB_LOST, false, "lost"}, {DB_LOST, true, "a commit not heard of"}};
    unsigned step = rounds() > 500 ? 1 : base.postgres ? 7 : 3;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (unsigned at = 1; at <= statements; at += rows[i].after_commit ? 1 : step) {
            base_empty();
            struct census *c = open_struck(5000);
            trap.statements = 0, trap.at = at, trap.with = rows[i].with, trap.after_commit = rows[i].after_commit;
            failures.n = 0;
            bool told = whole_story(c);
            assert_int_equal(failures.n, 0);
            bool struck = trap.statements >= at;
            trap.at = 0, trap.after_commit = false;
            census_close(c);
            if (!told)
                unit_fail("%s at %u: %s", rows[i].what, at, said.text);
            same_end(want, at, rows[i].what);
            if (!struck)
                break;
        }
}

/* A full disk fails the call with a word on what to do, and leaves everything as it was before: made again, it does what it
 * would have done. */
static void full_disk_struck(void **state)
{
    (void)state;
    unsigned statements = 0;
    struct pap_str want = told_undisturbed(&statements);
    for (unsigned at = 1; at <= statements; at += base.postgres ? 5 : 2) {
        base_empty();
        struct census *c = open_struck(5000);
        failures.n = 0;
        trap.statements = 0, trap.at = at, trap.with = DB_FULL, trap.after_commit = false;
        bool told = whole_story(c);
        trap.at = 0;
        census_close(c);
        assert_true(told);
        if (trap.statements < at)
            break; /* commits that are not counted here */
        assert_int_equal(failures.n, 1);
        assert_int_equal(failures.trouble, DB_FULL);
        assert_true(str_find(str_c(failures.text), S("make room on the disk")) < str_c(failures.text).n);
        same_end(want, at, "full");
    }
}

/* --- workers that are killed --- */

enum { WORKED = 12, TIMES = 3, LEASE_MS = 150, MOST_STARTS = 400 };

/* Asks what is due until each domain was asked TIMES times; milliseconds are the seconds of this world. The nth answer has
 * the fingerprint n, so that one kept twice or never would show. 0: all is done. */
static unsigned pause_us; /* between two batches */

/* In a child, where a failed assertion would go on with a copy of the tests. */
#define must(call)                          \
    do {                                    \
        if (!is_ok(call)) {                 \
            print_error("%s\n", said.text); \
            return 1;                       \
        }                                   \
    } while (0)

static int work(int which, unsigned dies_at)
{
    struct arena a;
    arena_init(&a, NULL);
    trap.statements = 0;
    trap.kills = true;
    trap.at = dies_at;
    struct db_options o = base_options();
    struct census *c = NULL;
    o.strike = strike;
    o.patience_ms = 20000;
    must(census_open(&o, &c, &said));
    char owner[32];
    (void)snprintf(owner, sizeof owner, "worker %d %d", which, (int)getpid());
    for (;;) {
        struct census_batch b;
        struct census_status s;
        struct census_finished f;
        struct census_result r[5] = {0};
        struct census_body body[5];
        int64_t now = clock_unix_ms();
        arena_reset(&a);
        must(census_claim(c, &a, str_c(owner), now, now + LEASE_MS, 5, &b, &said));
        for (size_t i = 0; i < b.n; i++) {
            int n = (int)b.due[i].tries + 1;
            bool site = number_of(b.due[i].name) % 3 == 0;
            body[i] = (struct census_body){.bytes = S("{}")};
            body[i].digest.b[0] = (unsigned char)n;
            r[i] = (struct census_result){.id = b.due[i].id,
                                          .lease = b.due[i].lease,
                                          .at = now,
                                          .due_at = n < TIMES ? now : 0,
                                          .outcome = site ? CENSUS_PUBLISHES : (enum census_outcome)(CENSUS_ABSENT + n),
                                          .standing = site ? CENSUS_GOOD : CENSUS_SHAKY,
                                          .tries = (uint32_t)n,
                                          .fingerprint = {(unsigned char)n},
                                          .rules = S("1"),
                                          .record = &body[i]};
        }
        must(census_finish(c, r, b.n, &f, &said));
        must(census_pending(c, str_c(owner), now, &s, &said));
        if (!b.n && !s.due && !s.leased && !s.next_due)
            break;
        if (!b.n)
            (void)usleep(5000);
        (void)usleep(pause_us);
    }
    census_close(c);
    arena_fini(&a);
    return 0;
}

static pid_t start(int which, unsigned dies_at)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)alarm(60);
        _exit(work(which, dies_at));
    }
    return pid;
}

static pap_result take_int_of(void *ctx, const struct db_row *row, struct pap_err *err)
{
    (void)err;
    *(int64_t *)ctx = db_row_int(row, 0);
    return OK;
}

static pap_result check_fn(struct db *d, void *ctx, struct pap_err *err)
{
    int64_t *n = ctx;
    static const char *const sql[] = {
        "SELECT count(*) FROM domain WHERE tries = 3 AND due_at IS NULL AND lease_owner IS NULL",
        "SELECT count(*) FROM observation",
        ("SELECT count(*) FROM (SELECT domain_id FROM observation GROUP BY domain_id"
         " HAVING count(*) = 3 AND count(DISTINCT fingerprint) = 3) AS x"),
        "SELECT count(*) FROM quiet",
        "SELECT count(*) FROM observation_body",
        "SELECT count(*) FROM body",
        "SELECT count(*) FROM site s JOIN observation o ON o.id = s.good WHERE o.id = s.latest AND o.last_at = s.last_seen",
    };
    for (size_t i = 0; i < 7; i++)
        TRY(db_run(d, sql[i], NULL, 0, take_int_of, &n[i], NULL, err));
    return OK;
}

static void nothing_lost_or_twice(unsigned round)
{
    struct db_options o = base_options();
    struct db *d = NULL;
    int64_t n[7] = {0};
    static const int64_t want[7] = {WORKED, WORKED / 3 * TIMES, WORKED / 3, WORKED / 3 * 2 * TIMES, WORKED / 3 * TIMES,
                                    TIMES,  WORKED / 3};
    ok(db_open(&o, &d, &said));
    ok(db_transact(d, DB_READ, "check", check_fn, n, &said));
    db_close(d);
    for (int i = 0; i < 7; i++)
        if (n[i] != want[i])
            unit_fail("round %u, count %d: %lld, want %lld", round, i, (long long)n[i], (long long)want[i]);
}

static void killed_workers(void **state)
{
    (void)state;
    unsigned killed = 0;
    for (unsigned round = 1; round <= rounds(); round++) {
        trap.at = 0;
        base_empty();
        struct census *c = base_census();
        static const char *const names[WORKED] = {"a.example", "b.example", "c.example", "d.example",
                                                  "e.example", "f.example", "g.example", "h.example",
                                                  "i.example", "j.example", "k.example", "l.example"};
        add_names(c, names, WORKED, 1);
        census_close(c);
        /* Each starts again wherever it died, to die a little later; in the end they are let live. */
        pid_t worker[2] = {start(0, round), start(1, round * 7 % 61 + 1)};
        unsigned running = 2;
        for (unsigned starts = 2; running; starts++) {
            int status = 0;
            pid_t pid = waitpid(-1, &status, 0);
            int which = pid == worker[1];
            assert_true(pid > 0 && starts < MOST_STARTS);
            if (WIFEXITED(status)) {
                assert_int_equal(WEXITSTATUS(status), 0);
                running--;
                continue;
            }
            assert_int_equal(WTERMSIG(status), SIGKILL);
            killed++;
            worker[which] = start(which, starts < 8 ? (round + starts * 13) % 97 + 1 : 0);
        }
        nothing_lost_or_twice(round);
    }
    assert_true(killed > rounds());
}

/* --- a server that goes away --- */

static void restarted_server(void **state)
{
    (void)state;
    const char *control = getenv("POSTGRES_CONTROL");
    if (!control || !base.postgres)
        skip();
    trap.at = 0;
    struct census *c = base_census();
    static const char *const names[WORKED] = {"a.example", "b.example", "c.example", "d.example",
                                              "e.example", "f.example", "g.example", "h.example",
                                              "i.example", "j.example", "k.example", "l.example"};
    add_names(c, names, WORKED, 1);
    census_close(c);
    pause_us = 300000;
    pid_t worker[2] = {start(0, 0), start(1, 0)};
    char command[300];
    (void)usleep(200000); /* they are connected: one that never was does not wait */
    for (int i = 0; i < 2; i++) {
        (void)snprintf(command, sizeof command, "sh %s %s >/dev/null 2>&1; sh %s start >/dev/null 2>&1", control,
                       i ? "kill" : "stop", control);
        assert_int_equal(system(command), 0);
    }
    for (int i = 0; i < 2; i++) {
        int status = 1;
        assert_true(waitpid(worker[i], &status, 0) > 0);
        assert_int_equal(status, 0);
    }
    pause_us = 0;
    nothing_lost_or_twice(0);
    /* A server that is not there: who is connected waits as long as it is patient, who is not does not. */
    struct db_options o = base_options();
    struct census *late = NULL;
    o.patience_ms = 200;
    ok(census_open(&o, &c, &said));
    (void)snprintf(command, sizeof command, "sh %s stop >/dev/null 2>&1", control);
    assert_int_equal(system(command), 0);
    struct census_status s;
    assert_int_equal(census_status(c, S(""), 1, &s, &said).code, PAP_UNREACHABLE);
    assert_int_equal(census_trouble(c), DB_LOST);
    assert_int_equal(census_open(&o, &late, &said).code, PAP_UNREACHABLE);
    (void)snprintf(command, sizeof command, "sh %s start >/dev/null 2>&1", control);
    assert_int_equal(system(command), 0);
    ok(census_status(c, S(""), 1, &s, &said));
    assert_int_equal(s.domains, WORKED);
    census_close(c);
}

/* --- a file that may not grow --- */

static void full_disk(void **state)
{
    (void)state;
    if (base.postgres)
        skip();
    trap.at = 0;
    struct census *c = base_census();
    struct rlimit was, tight;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    tight = was;
    tight.rlim_cur = 400 * 1024;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    pap_result r = OK;
    uint64_t kept = 0;
    for (int batch = 0; batch < 1000 && is_ok(r); batch++) {
        struct census_name names[20];
        struct census_added added;
        for (int i = 0; i < 20; i++)
            names[i] = (struct census_name){.name = arena_fmt(&base.arena, "site-%d-%d.example", batch, i)};
        r = census_add(c, names, 20, 5, &added, &said);
        kept += is_ok(r) ? added.added : 0;
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    assert_int_equal(r.code, PAP_IO);
    if (census_trouble(c) != DB_FULL)
        unit_fail("%s", said.text);
    assert_true(kept > 100);
    /* There is room again: the same connection goes on, and so does a new one. */
    add_names(c, (const char *const[]){"after.example"}, 1, 5);
    census_close(c);
    c = base_census();
    struct census_status s;
    ok(census_status(c, S(""), 10, &s, &said));
    assert_int_equal(s.domains, kept + 1);
    census_close(c);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, base_setup, base_teardown)
    const struct CMUnitTest tests[] = {
        TEST(passing_troubles), TEST(full_disk_struck), TEST(killed_workers), TEST(restarted_server), TEST(full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
