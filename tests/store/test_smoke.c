/* SPDX-License-Identifier: Apache-2.0 */
#include "store_unit.h"

static void whole_way(void **state)
{
    (void)state;
    struct census *c = base_census();
    add_names(c, (const char *const[]){"a.example", "b.example", "c.example"}, 3, 1000);
    struct census_batch b = claim(c, "w1", 1000, 10);
    assert_int_equal(b.n, 3);
    struct census_result r[3] = {0};
    struct pap_str words[] = {S("api"), S("web")};
    struct census_finding f[] = {{S("poppy.x"), 3, 2}, {S("poppy.y"), 2, 1}};
    struct census_body rec = {{{1}}, S("{\"record\": 1}")};
    struct census_finished fin;
    for (int i = 0; i < 3; i++)
        r[i] = (struct census_result){.id = b.due[i].id,
                                      .lease = b.due[i].lease,
                                      .at = 1001,
                                      .due_at = 90000,
                                      .outcome = CENSUS_ABSENT,
                                      .standing = CENSUS_SHAKY};
    r[0].outcome = CENSUS_PUBLISHES, r[0].standing = CENSUS_GOOD;
    r[0].summary = (struct census_summary){.version = S("0.3"), .channels = {words, 2}, .errors = 2, .skills = 3};
    r[0].findings = f, r[0].n_findings = 2, r[0].record = &rec, r[0].rules = S("1");
    ok(census_finish(c, r, 3, &fin, &said));
    assert_int_equal(fin.taken, 3);
    ok(census_finish(c, r, 3, &fin, &said));
    assert_int_equal(fin.taken, 3);
    struct census_status s;
    ok(census_status(c, S("w1"), 2000, &s, &said));
    assert_int_equal(s.domains, 3);
    assert_int_equal(s.publishing, 1);
    assert_int_equal(s.outcomes[CENSUS_ABSENT], 2);
    b = claim(c, "w1", 90000, 10);
    assert_int_equal(b.n, 3);
    for (int i = 0; i < 3; i++)
        r[i].lease = b.due[i].lease, r[i].at = 90001;
    ok(census_finish(c, r, 3, &fin, &said));
    struct census_query q = {.channel = S("api"), .search = S("example")};
    struct census_sites sites;
    ok(census_sites(c, &base.arena, &q, &sites, &said));
    assert_int_equal(sites.total, 1);
    assert_int_equal(sites.site[0].first_seen, 1001);
    assert_int_equal(sites.site[0].summary.channels.n, 2);
    struct census_counts counts;
    ok(census_tally(c, &base.arena, true, &counts, &said));
    assert_true(counts.n > 5);
    ok(census_snapshot(c, 90002, &said));
    ok(census_charts(c, &base.arena, S("channel"), 0, 3, &counts, &said));
    assert_int_equal(counts.n, 2);
    struct census_differences diff;
    ok(census_diff(c, &base.arena, 1000, 2000, 0, 100, &diff, &said));
    assert_int_equal(diff.n, 1);
    struct census_domains doms;
    ok(census_export(c, &base.arena, 0, 100, &doms, &said));
    assert_int_equal(doms.n, 3);
    struct census_history h;
    ok(census_history(c, &base.arena, sites.site[0].id, 0, 10, &h, &said));
    assert_int_equal(h.n, 1);
    assert_int_equal(h.observation[0].last_at, 90001);
    ok(census_unjudged(c, &base.arena, S("2"), 0, 10, &h, &said));
    assert_int_equal(h.n, 1);
    r[0].rules = S("2");
    ok(census_judged(c, h.observation[0].id, r, &said));
    struct census_report rep = {.name = S("z.example"), .at = 5, .record = &rec}, got;
    ok(census_report_put(c, &rep, &said));
    bool found;
    ok(census_report_get(c, &base.arena, S("z.example"), &found, &got, &said));
    assert_true(found);
    assert_str(got.record->bytes, "{\"record\": 1}");
    struct census_pruned pr;
    ok(census_prune(c, 100000000, &pr, &said));
    assert_int_equal(pr.reports, 1);
    ok(census_opt_out(c, &(struct census_name){.name = S("a.example")}, 5, &said));
    bool was;
    ok(census_opt_in(c, S("a.example"), 5, &was, &said));
    assert_true(was);
    struct census_leases l;
    uint64_t n;
    (void)claim(c, "w2", 1000000, 10);
    ok(census_lease_list(c, &base.arena, &l, &said));
    assert_int_equal(l.n, 1);
    ok(census_renew(c, S("w2"), 2000000, &n, &said));
    assert_int_equal(n, 3);
    ok(census_release(c, S("w2"), 2000000, &n, &said));
    assert_int_equal(n, 3);
    ok(census_pending(c, S("w2"), 2000000, &s, &said));
    census_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(whole_way, base_setup, base_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
