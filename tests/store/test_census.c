/* SPDX-License-Identifier: Apache-2.0
 *
 * The census: who gets a domain, what is kept of it, and how it is asked for again.
 */
#include "store_unit.h"

enum { DAY = CENSUS_DAY };

static struct census_finished finish(struct census *c, const struct census_result *r, size_t n)
{
    struct census_finished f = {0};
    ok(census_finish(c, r, n, &f, &said));
    return f;
}

/* A domain of that batch answers; what `mark` says changes the fingerprint. */
static struct census_result answer(const struct census_due *due, int64_t at, enum census_standing standing, char mark)
{
    return (struct census_result){
        .id = due->id,
        .lease = due->lease,
        .at = at,
        .due_at = at + DAY,
        .outcome = standing == CENSUS_GOOD ? CENSUS_PUBLISHES : CENSUS_ABSENT,
        .standing = standing,
        .fingerprint = {(unsigned char)mark},
        .rules = S("1"),
        .summary = {.version = S("0.3")},
    };
}

/* The only domain there is answers at that time. */
static void answers(struct census *c, int64_t at, enum census_standing standing, char mark)
{
    struct census_batch b = claim(c, "me", at, 10);
    assert_int_equal(b.n, 1);
    struct census_result r = answer(&b.due[0], at, standing, mark);
    r.due_at = at;
    assert_int_equal(finish(c, &r, 1).taken, 1);
}

static struct census_site site_of(struct census *c, const char *name)
{
    struct census_site s = {0};
    bool found = false;
    ok(census_site(c, &base.arena, str_c(name), &found, &s, &said));
    assert_true(found);
    return s;
}

static void one_worker_each(void **state)
{
    (void)state;
    struct census *c = base_census(), *other = base_census();
    add_names(c, (const char *const[]){"a.example", "b.example", "c.example"}, 3, 1000);
    assert_int_equal(claim(c, "early", 999, 10).n, 0);
    struct census_batch one = claim(c, "one", 1000, 2), two = claim(other, "two", 1000, 10);
    assert_int_equal(one.n, 2);
    assert_int_equal(two.n, 1);
    assert_int_equal(claim(c, "three", 1299, 10).n, 0);
    struct census_status s;
    ok(census_status(c, S("one"), 1100, &s, &said));
    assert_int_equal(s.leased, 3);
    assert_int_equal(s.leased_by_owner, 2);
    assert_int_equal(s.due, 0);
    /* A lease that ran out is another's, and what the first brings then is not kept. */
    struct census_batch late = claim(other, "two", 1300, 10);
    assert_int_equal(late.n, 3);
    struct census_result r[2] = {answer(&one.due[0], 1301, CENSUS_GOOD, 'a'),
                                 answer(&one.due[1], 1301, CENSUS_GOOD, 'a')};
    struct census_finished f = finish(c, r, 2);
    assert_int_equal(f.lost, 2);
    assert_int_equal(f.taken, 0);
    struct census_result t[3];
    for (int i = 0; i < 3; i++)
        t[i] = answer(&late.due[i], 1302, CENSUS_GOOD, 'b');
    f = finish(other, t, 3);
    assert_int_equal(f.taken, 3);
    assert_int_equal(f.changed, 3);
    /* Brought again, it counts as kept and changes nothing. */
    f = finish(other, t, 3);
    assert_int_equal(f.taken, 3);
    assert_int_equal(f.changed, 0);
    struct census_history h;
    ok(census_history(c, &base.arena, t[0].id, 0, 10, &h, &said));
    assert_int_equal(h.n, 1);
    assert_int_equal(site_of(c, "a.example").first_seen, 1302);
    census_close(other);
    census_close(c);
}

static void leases(void **state)
{
    (void)state;
    struct census *c = base_census();
    struct census_leases l;
    uint64_t n = 0;
    add_names(c, (const char *const[]){"a.example", "b.example"}, 2, 10);
    struct census_batch b = claim(c, "one", 10, 1);
    ok(census_renew(c, S("one"), 5000, &n, &said));
    assert_int_equal(n, 1);
    assert_int_equal(claim(c, "two", 4999, 10).n, 1);
    ok(census_lease_list(c, &base.arena, &l, &said));
    assert_int_equal(l.n, 2);
    assert_str(l.lease[0].owner, "one");
    assert_int_equal(l.lease[0].until, 5000);
    ok(census_release(c, S("one"), 20, &n, &said));
    assert_int_equal(n, 1);
    struct census_result r = answer(&b.due[0], 21, CENSUS_GOOD, 'a');
    assert_int_equal(finish(c, &r, 1).lost, 1); /* it was let go */
    assert_int_equal(claim(c, "three", 20, 10).n, 1);
    census_close(c);
}

/* A timer that fires every night lists a site at its second visit; one that was seen before and after midnight is not yet. */
static void a_day_apart(void **state)
{
    (void)state;
    struct census *c = base_census();
    add_names(c, (const char *const[]){"shop.example"}, 1, 100);
    answers(c, 10 * DAY + 72001, CENSUS_GOOD, 'a');
    answers(c, 11 * DAY - 1, CENSUS_GOOD, 'a');
    assert_false(site_of(c, "shop.example").listed);
    answers(c, 11 * DAY + 57600, CENSUS_GOOD, 'a'); /* the next day, a second short of 20 hours */
    assert_false(site_of(c, "shop.example").listed);
    answers(c, 11 * DAY + 72000, CENSUS_GOOD, 'a'); /* a second short of a day */
    assert_int_equal(site_of(c, "shop.example").listed_at, 11 * DAY + 72000);
    census_close(c);
}

static void life_of_a_site(void **state)
{
    (void)state;
    struct census *c = base_census();
    add_names(c, (const char *const[]){"shop.example"}, 1, 100);
    answers(c, 100, CENSUS_SHAKY, 'x'); /* not yet a site */
    bool found = true;
    struct census_site s;
    ok(census_site(c, &base.arena, S("shop.example"), &found, &s, &said));
    assert_false(found);
    answers(c, 1000, CENSUS_GOOD, 'a');
    s = site_of(c, "shop.example");
    assert_true(s.first_seen == 1000 && s.listed_at == 0 && !s.listed && s.changed_at == 1000);
    answers(c, DAY - 1, CENSUS_GOOD, 'a'); /* more than 20 hours, the same day */
    assert_false(site_of(c, "shop.example").listed);
    answers(c, 1000 + DAY, CENSUS_GOOD, 'a');
    s = site_of(c, "shop.example");
    assert_true(s.first_seen == 1000 && s.listed_at == 1000 + DAY && s.listed && s.changed_at == 1000);
    assert_int_equal(s.last_seen, 1000 + DAY);
    answers(c, 2 * DAY, CENSUS_SHAKY, 'x'); /* a bad day is none yet */
    s = site_of(c, "shop.example");
    assert_true(s.listed && !s.gone_at && s.outcome == CENSUS_ABSENT && s.last_seen == 1000 + DAY);
    assert_str(s.summary.version, "0.3");
    answers(c, 3 * DAY, CENSUS_GOOD, 'a'); /* back as it was: no change */
    assert_int_equal(site_of(c, "shop.example").changed_at, 1000);
    answers(c, 4 * DAY, CENSUS_GOOD, 'b');
    assert_int_equal(site_of(c, "shop.example").changed_at, 4 * DAY);
    answers(c, 5 * DAY, CENSUS_GONE, 'x');
    s = site_of(c, "shop.example");
    assert_true(!s.listed && s.gone_at == 5 * DAY && s.changed_at == 5 * DAY && s.first_seen == 1000);
    answers(c, 6 * DAY, CENSUS_GONE, 'x');
    assert_int_equal(site_of(c, "shop.example").gone_at, 5 * DAY);
    answers(c, 7 * DAY, CENSUS_GOOD, 'b');
    s = site_of(c, "shop.example");
    assert_true(s.listed && !s.gone_at && s.changed_at == 7 * DAY && s.first_seen == 1000);
    struct census_history h;
    ok(census_history(c, &base.arena, s.id, 0, 100, &h, &said));
    static const struct {
        int64_t first, last;
        int standing;
    } want[] = {{7 * DAY, 7 * DAY, 1}, {5 * DAY, 6 * DAY, -1}, {4 * DAY, 4 * DAY, 1},
                {3 * DAY, 3 * DAY, 1}, {2 * DAY, 2 * DAY, 0},  {1000, 1000 + DAY, 1}};
    assert_int_equal(h.n, 6);
    for (size_t i = 0; i < 6; i++)
        assert_true(h.observation[i].first_at == want[i].first && h.observation[i].last_at == want[i].last &&
                    (int)h.observation[i].standing == want[i].standing);
    struct census_observation o;
    ok(census_observed_at(c, &base.arena, s.id, 4 * DAY + 5, &found, &o, &said));
    assert_true(found && o.first_at == 4 * DAY);
    ok(census_observed_at(c, &base.arena, s.id, 999, &found, &o, &said));
    assert_false(found);
    census_close(c);
}

static void five_of_a_family(void **state)
{
    (void)state;
    struct census *c = base_census();
    struct census_name names[7];
    struct census_added added;
    for (int i = 0; i < 7; i++)
        names[i] = (struct census_name){.name = arena_fmt(&base.arena, "%c.big.example", 'a' + i),
                                        .registrable = S("big.example")};
    ok(census_add(c, names, 7, 1, &added, &said));
    for (int day = 0; day < 3; day++) {
        struct census_batch b = claim(c, "me", 1 + day * DAY, 10);
        assert_int_equal(b.n, 7);
        struct census_result r[7];
        for (int i = 0; i < 7; i++)
            r[i] = answer(&b.due[i], 1 + day * DAY, day == 2 && b.due[i].name.p[0] == 'a' ? CENSUS_GONE : CENSUS_GOOD,
                          'a');
        assert_int_equal(finish(c, r, 7).taken, 7);
        struct census_sites sites;
        ok(census_sites(c, &base.arena, &(struct census_query){0}, &sites, &said));
        assert_int_equal(sites.total, day ? 5 : 0); /* a place that became free is taken by another */
    }
    census_close(c);
}

static pap_result take_int(void *ctx, const struct db_row *row, struct pap_err *err)
{
    (void)err;
    *(int64_t *)ctx = db_row_int(row, 0);
    return OK;
}

static pap_result count_quiet(struct db *d, void *ctx, struct pap_err *err)
{
    return db_run(d, "SELECT count(*) FROM quiet", NULL, 0, take_int, ctx, NULL, err);
}

static void quiet_stays_small(void **state)
{
    (void)state;
    struct census *c = base_census();
    int64_t rows = 0;
    add_names(c, (const char *const[]){"no.example"}, 1, 1);
    for (int i = 0; i < 10; i++) {
        struct census_batch b = claim(c, "me", 1 + i, 1);
        struct census_result r = answer(&b.due[0], 1 + i, CENSUS_SHAKY, 'a');
        r.due_at = 1 + i;
        r.outcome = i % 2 ? CENSUS_TIMEOUT : CENSUS_ABSENT;
        assert_int_equal(finish(c, &r, 1).taken, 1);
    }
    struct db_options o = base_options();
    struct db *d = NULL;
    ok(db_open(&o, &d, &said));
    ok(db_transact(d, DB_READ, "count", count_quiet, &rows, &said));
    db_close(d);
    assert_int_equal(rows, 2);
    census_close(c);
}

static void left_alone(void **state)
{
    (void)state;
    struct census *c = base_census();
    const struct census_name name = {.name = S("shop.example")}, new_one = {.name = S("new.example")};
    struct census_added added;
    bool out = false, was = false;
    add_names(c, (const char *const[]){"shop.example"}, 1, 1);
    answers(c, 1, CENSUS_GOOD, 'a');
    struct census_batch b = claim(c, "me", 2, 1);
    ok(census_opt_out(c, &name, 3, &said));
    ok(census_opt_out(c, &new_one, 3, &said));
    struct census_result r = answer(&b.due[0], 4, CENSUS_GOOD, 'b');
    assert_int_equal(finish(c, &r, 1).lost, 1); /* what was on its way is not kept */
    bool found = true;
    struct census_site s;
    ok(census_site(c, &base.arena, S("shop.example"), &found, &s, &said));
    assert_false(found);
    const struct census_name both[2] = {name, new_one};
    ok(census_add(c, both, 2, 5, &added, &said));
    assert_int_equal(added.opted_out, 2);
    assert_int_equal(claim(c, "me", 1000000, 10).n, 0);
    ok(census_is_out(c, S("new.example"), &out, &said));
    assert_true(out);
    ok(census_opt_in(c, S("shop.example"), 9, &was, &said));
    assert_true(was);
    ok(census_opt_in(c, S("shop.example"), 9, &was, &said));
    assert_false(was);
    assert_int_equal(claim(c, "me", 9, 10).n, 1);
    census_close(c);
}

/* 30 sites on the list. */
static struct census *listed_sites(void)
{
    struct census *c = base_census();
    struct census_name names[30];
    struct census_added added;
    struct pap_str words[3] = {S("api"), S("apix"), S("web")};
    for (int i = 0; i < 30; i++)
        names[i] = (struct census_name){.name = arena_fmt(&base.arena, "s%02d-%s.example", i, i % 2 ? "odd" : "even")};
    ok(census_add(c, names, 30, 1, &added, &said));
    for (int day = 0; day < 2; day++) {
        struct census_batch b = claim(c, "me", 1 + day * DAY, 30);
        struct census_result r[30];
        for (size_t i = 0; i < b.n; i++) {
            int n = (b.due[i].name.p[1] - '0') * 10 + b.due[i].name.p[2] - '0';
            r[i] = answer(&b.due[i], 1 + day * DAY, CENSUS_GOOD, 'a');
            r[i].summary.version = n < 10 ? S("0.1") : S("0.3");
            r[i].summary.channels = (struct census_words){&words[n % 3], 1};
            r[i].summary.errors = (uint32_t)(n % 5);
            r[i].summary.skills = (uint32_t)(n / 10);
        }
        assert_int_equal(finish(c, r, b.n).taken, 30);
    }
    return c;
}

static void pages(void **state)
{
    (void)state;
    struct census *c = listed_sites();
    static const struct {
        struct census_query q;
        uint64_t total;
        const char *first;
    } rows[] = {
        {{.most = 7}, 30, "s00-even.example"},
        {{.most = 7, .skip = 7}, 30, "s07-odd.example"},
        {{.descending = true}, 30, "s29-odd.example"},
        {{.skip = 30}, 30, NULL},
        {{.search = S_INIT("odd")}, 15, "s01-odd.example"},
        {{.search = S_INIT("%")}, 0, NULL},
        {{.search = S_INIT("s_0")}, 0, NULL},
        {{.search = S_INIT("!")}, 0, NULL},
        {{.search = S_INIT("' OR 1=1 --")}, 0, NULL},
        {{.version = S_INIT("0.1")}, 10, "s00-even.example"},
        {{.version = S_INIT("0.")}, 0, NULL},
        {{.channel = S_INIT("api")}, 10, "s00-even.example"},
        {{.channel = S_INIT("apix")}, 10, "s01-odd.example"},
        {{.sign_in = S_INIT("api")}, 0, NULL},
        {{.errors = CENSUS_WITHOUT}, 6, "s00-even.example"},
        {{.errors = CENSUS_WITH, .version = S_INIT("0.1")}, 8, "s01-odd.example"},
        {{.skills = CENSUS_WITH}, 20, "s10-even.example"},
        {{.sort = CENSUS_BY_ERRORS, .descending = true}, 30, "s29-odd.example"},
        {{.sort = CENSUS_BY_SKILLS}, 30, "s00-even.example"},
        {{.sort = CENSUS_BY_VERSION, .descending = true}, 30, "s29-odd.example"},
        {{.sort = CENSUS_BY_CHANGED, .unlisted = true, .gone = true}, 30, "s00-even.example"},
        {{.gone = true}, 30, "s00-even.example"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct census_sites s = {0};
        ok(census_sites(c, &base.arena, &rows[i].q, &s, &said));
        size_t most = rows[i].q.most ? rows[i].q.most : CENSUS_PAGE;
        size_t left = rows[i].total > rows[i].q.skip ? rows[i].total - rows[i].q.skip : 0;
        if (s.total != rows[i].total || s.n != (left < most ? left : most) ||
            (rows[i].first && !str_is(s.site[0].name, rows[i].first)))
            unit_fail("row %zu: %d of %d, first %.*s", i, (int)s.n, (int)s.total, PSTR(s.n ? s.site[0].name : S("")));
    }
    struct census_counts counts;
    ok(census_tally(c, &base.arena, true, &counts, &said));
    static const char *const want[] = {"channel api 10",  "channel apix 10",     "channel web 10",
                                       "sites listed 30", "sites publishing 30", "sites skills 20",
                                       "sites clean 6",   "version 0.3 20",      "version 0.1 10"};
    assert_int_equal(counts.n, 9);
    for (size_t i = 0; i < 9; i++)
        assert_str(arena_fmt(&base.arena, "%.*s %.*s %d", PSTR(counts.count[i].what), PSTR(counts.count[i].word),
                             (int)counts.count[i].n),
                   want[i]);
    ok(census_snapshot(c, 5 * DAY, &said));
    ok(census_snapshot(c, 5 * DAY + 9, &said)); /* the same day: in its place */
    ok(census_charts(c, &base.arena, S("version"), 5, 5, &counts, &said));
    assert_int_equal(counts.n, 2);
    assert_int_equal(counts.count[0].n, 20);
    census_close(c);
}

static void two_days(void **state)
{
    (void)state;
    struct census *c = base_census();
    add_names(c, (const char *const[]){"shop.example"}, 1, 1);
    answers(c, 1 * DAY, CENSUS_GOOD, 'a');
    answers(c, 2 * DAY, CENSUS_SHAKY, 'x');
    answers(c, 3 * DAY, CENSUS_GOOD, 'b');
    answers(c, 4 * DAY, CENSUS_GONE, 'x');
    answers(c, 5 * DAY, CENSUS_GOOD, 'b');
    static const struct {
        int from, to;
        size_t n;
        bool before, after;
    } rows[] = {{0, 1, 1, false, true}, {1, 2, 0, false, false}, {1, 3, 1, true, true},  {3, 4, 1, true, false},
                {4, 5, 1, false, true}, {3, 5, 0, false, false}, {0, 4, 0, false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct census_differences d;
        ok(census_diff(c, &base.arena, rows[i].from * (int64_t)DAY, rows[i].to * (int64_t)DAY, 0, 10, &d, &said));
        if (d.n != rows[i].n || (d.n && ((d.difference[0].before.id != 0) != rows[i].before ||
                                         (d.difference[0].after.id != 0) != rows[i].after)))
            unit_fail("days %d and %d: %zu", rows[i].from, rows[i].to, d.n);
    }
    census_close(c);
}

/* What no database takes, what LIKE reads in its own way, what ends a statement: in each text of a stranger. */
static void hostile_texts(void **state)
{
    (void)state;
    struct census *c = base_census();
    struct pap_str texts[] = {S("a\0b"),      S("\xff\xfe"),          S("'; DROP TABLE site; --"),
                              S("%_!\\"),     S("\xe2\x80\xae evil"), S(""),
                              S("$1 {id} {"), str(NULL, 0),           S("\xf0\x9f\x98\x80")};
    enum { N = sizeof texts / sizeof texts[0] };
    char longest[5000];
    memset(longest, 'x', sizeof longest);
    texts[5] = str(longest, sizeof longest);
    for (size_t i = 0; i < N; i++) {
        base_empty();
        struct census_added added;
        const struct census_name name = {.name = S("shop.example"), .source = texts[i]};
        ok(census_add(c, &name, 1, 1, &added, &said));
        struct pap_str owner = texts[i].n && i != 0 && i != 1 && i != 5 ? texts[i] : S("w");
        struct census_batch b;
        ok(census_claim(c, &base.arena, owner, 1, 100, 1, &b, &said));
        struct census_finding findings[2] = {{texts[i], 3, 1}, {texts[i], 3, 2}};
        struct census_body body = {.bytes = texts[i]};
        struct census_result r = answer(&b.due[0], 1, CENSUS_GOOD, 'a');
        r.rules = r.summary.version = texts[i];
        r.summary.channels = (struct census_words){texts, N};
        r.summary.sign_in = (struct census_words){&texts[i], 1};
        r.findings = findings, r.n_findings = 2;
        r.record = &body, r.bodies = &body, r.n_bodies = 1;
        assert_int_equal(finish(c, &r, 1).taken, 1);
        struct census_findings f;
        struct census_site s = site_of(c, "shop.example");
        ok(census_findings(c, &base.arena, s.observation, &f, &said));
        assert_int_equal(f.n, 1);
        assert_int_equal(f.finding[0].n, 3);
        struct pap_str bytes;
        ok(census_body(c, &base.arena, &body.digest, &bytes, &said));
        assert_true(bytes.p && str_eq(bytes, texts[i]));
        struct census_query q = {.search = texts[i], .version = texts[i], .channel = texts[i], .sign_in = texts[i]};
        struct census_sites sites;
        q.unlisted = true;
        ok(census_sites(c, &base.arena, &q, &sites, &said));
        q.search = S("shop");
        ok(census_sites(c, &base.arena, &q, &sites, &said));
        struct census_counts counts;
        ok(census_tally(c, &base.arena, false, &counts, &said));
        ok(census_snapshot(c, 1, &said));
        ok(census_charts(c, &base.arena, texts[i], 0, 1, &counts, &said));
        bool found;
        struct census_report got;
        ok(census_report_get(c, &base.arena, texts[i], &found, &got, &said));
        assert_false(found);
    }
    static const struct pap_str bad[] = {
        S_INIT(""),        S_INIT("Shop.example"), S_INIT("shop.example."),      S_INIT("shop example"),
        S_INIT("1.2.3.4"), S_INIT("a\0b.example"), S_INIT("sh\xc3\xb6p.example")};
    struct pap_err err;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct census_added added;
        assert_int_equal(census_add(c, &(struct census_name){.name = bad[i]}, 1, 1, &added, &err).code, PAP_USAGE);
        assert_int_equal(census_opt_out(c, &(struct census_name){.name = bad[i]}, 1, &err).code, PAP_USAGE);
    }
    census_close(c);
}

static void pruning(void **state)
{
    (void)state;
    struct census *c = base_census();
    add_names(c, (const char *const[]){"shop.example"}, 1, 1);
    char big[20000];
    memset(big, 'a', sizeof big);
    struct census_body shared = {{{1}}, S("shared")}, old = {{{2}}, str(big, sizeof big)},
                       record = {{{3}}, S("record")};
    for (int day = 1; day <= 4; day++) {
        struct census_batch b = claim(c, "me", day * DAY, 1);
        struct census_result r = answer(&b.due[0], day * DAY, day == 4 ? CENSUS_SHAKY : CENSUS_GOOD, (char)day);
        struct census_body bodies[2] = {shared, old};
        r.due_at = day * DAY;
        r.bodies = bodies, r.n_bodies = day == 1 ? 2 : 1;
        r.record = &record;
        assert_int_equal(finish(c, &r, 1).taken, 1);
    }
    struct census_report report = {.name = S("asked.example"), .at = DAY, .record = &old};
    ok(census_report_put(c, &report, &said));
    struct census_pruned p;
    struct pap_str bytes;
    ok(census_prune(c, DAY, &p, &said)); /* nothing ended before then */
    assert_true(!p.observations && !p.bodies && !p.reports);
    ok(census_body(c, &base.arena, &old.digest, &bytes, &said));
    assert_true(str_eq(bytes, old.bytes));
    ok(census_prune(c, 1000 * (int64_t)DAY, &p, &said));
    assert_int_equal(p.observations, 2); /* the last and the last good one stay */
    assert_int_equal(p.bodies, 1);
    assert_int_equal(p.bytes, sizeof big);
    assert_int_equal(p.reports, 1);
    ok(census_body(c, &base.arena, &old.digest, &bytes, &said));
    assert_null(bytes.p);
    ok(census_body(c, &base.arena, &shared.digest, &bytes, &said));
    assert_str(bytes, "shared");
    assert_int_equal(site_of(c, "shop.example").first_seen, DAY);
    census_close(c);
}

static void judged_again(void **state)
{
    (void)state;
    struct census *c = base_census();
    add_names(c, (const char *const[]){"shop.example"}, 1, 1);
    struct census_body first = {{{1}}, S("first")}, second = {{{2}}, S("second")};
    struct census_batch b = claim(c, "me", 1, 1);
    struct census_finding f = {S("poppy.old"), 3, 1}, g = {S("poppy.new"), 2, 4};
    struct census_result r = answer(&b.due[0], 1, CENSUS_GOOD, 'a');
    r.record = &first, r.findings = &f, r.n_findings = 1, r.summary.errors = 1;
    assert_int_equal(finish(c, &r, 1).taken, 1);
    struct census_history h;
    struct census_findings found;
    ok(census_unjudged(c, &base.arena, S("1"), 0, 10, &h, &said));
    assert_int_equal(h.n, 0);
    ok(census_unjudged(c, &base.arena, S("2"), 0, 10, &h, &said));
    assert_int_equal(h.n, 1);
    r.rules = S("2"), r.record = &second, r.findings = &g, r.summary.errors = 0, r.summary.warnings = 4;
    ok(census_judged(c, h.observation[0].id, &r, &said));
    struct census_site s = site_of(c, "shop.example");
    assert_true(s.summary.errors == 0 && s.summary.warnings == 4 && s.first_seen == 1);
    ok(census_findings(c, &base.arena, s.observation, &found, &said));
    assert_int_equal(found.n, 1);
    assert_str(found.finding[0].rule, "poppy.new");
    struct census_pruned p;
    ok(census_prune(c, 0, &p, &said));
    assert_int_equal(p.bodies, 1); /* the first record */
    ok(census_unjudged(c, &base.arena, S("2"), 0, 10, &h, &said));
    assert_int_equal(h.n, 0);
    census_close(c);
}

/* One call with each allocation failing in turn. */
static pap_result short_story(const struct pap_alloc *alloc, struct pap_err *err)
{
    struct db_options o = base_options();
    struct census *c __attribute__((cleanup(census_closep))) = NULL;
    struct arena a __attribute__((cleanup(arena_fini)));
    arena_init(&a, alloc);
    o.alloc = alloc;
    TRY(census_open(&o, &c, err));
    const struct census_name name = {.name = S("shop.example")};
    struct census_added added;
    struct census_batch b;
    struct census_finished f;
    struct census_sites sites;
    struct census_counts counts;
    struct census_body body = {.bytes = S("0123456789012345678901234567890123456789012345678901234567890123456789")};
    struct pap_str bytes;
    TRY(census_add(c, &name, 1, 1, &added, err));
    TRY(census_claim(c, &a, S("w"), 1, 2, 1, &b, err));
    if (b.n) {
        struct census_result r = answer(&b.due[0], 1, CENSUS_GOOD, 'a');
        r.record = &body;
        r.due_at = 1;
        TRY(census_finish(c, &r, 1, &f, err));
    }
    TRY(census_sites(c, &a, &(struct census_query){.unlisted = true, .search = S("shop")}, &sites, err));
    TRY(census_tally(c, &a, false, &counts, err));
    return census_body(c, &a, &body.digest, &bytes, err);
}

static void memory_runs_out(void **state)
{
    (void)state;
    unsigned failed = 0;
    for (unsigned n = 1; n < FAIL_ALLOC_MOST; n++) {
        struct fail_alloc f;
        struct pap_err err = {0};
        fail_alloc_init(&f, n);
        pap_result r = short_story(&f.alloc, &err);
        assert_int_equal(f.live, 0);
        if (is_ok(r)) {
            assert_true(failed > 5);
            return;
        }
        failed++;
        if (r.code != PAP_NO_MEMORY)
            unit_fail("allocation %u: %s", n, err.text);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, base_setup, base_teardown)
    const struct CMUnitTest tests[] = {
        TEST(one_worker_each),   TEST(leases),     TEST(a_day_apart),    TEST(five_of_a_family),
        TEST(one_worker_each),   TEST(leases),     TEST(life_of_a_site), TEST(five_of_a_family),
        TEST(quiet_stays_small), TEST(left_alone), TEST(pages),          TEST(two_days),
        TEST(hostile_texts),     TEST(pruning),    TEST(judged_again),   TEST(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
