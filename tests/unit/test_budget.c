/* SPDX-License-Identifier: Apache-2.0 */
#include "net/transport.h"

#include "unit.h"

static struct arena arena;

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_fini(&arena);
    return 0;
}

static void the_company_has_all_requests(void **state)
{
    (void)state;
    struct budget b;
    const char *why;
    budget_init(&b, &arena, S("www.shop.example:8443"), 1000);
    for (int i = 0; i < LIMIT_REQUESTS; i++)
        assert_true(budget_take(&b, i & 1 ? S("SHOP.example") : S("api.shop.example"), 1000, &why));
    assert_false(budget_take(&b, S("shop.example"), 1000, &why));
    assert_string_equal(why, "this check has made its 200 requests");
}

static void each_third_party_has_its_own(void **state)
{
    (void)state;
    struct budget b;
    const char *why;
    budget_init(&b, &arena, S("shop.example"), 0);
    for (int i = 0; i < LIMIT_THIRD_PARTY_REQUESTS; i++) {
        assert_true(budget_take(&b, i & 1 ? S("CDN.example") : S("cdn.example"), 0, &why));
        assert_true(budget_take(&b, S("notshop.example"), 0, &why));
    }
    unsigned left = b.requests_left;
    assert_false(budget_take(&b, S("cdn.example"), 0, &why));
    assert_non_null(strstr(why, "not the company's"));
    assert_int_equal(b.requests_left, left);
    assert_true(budget_take(&b, S("other.example"), 0, &why));
    assert_true(budget_take(&b, S("shop.example"), 0, &why));
}

static void time_and_bytes_run_out(void **state)
{
    (void)state;
    struct budget b;
    const char *why;
    budget_init(&b, &arena, S("shop.example"), 5);
    assert_true(budget_take(&b, S("shop.example"), LIMIT_CHECK_MS + 4, &why));
    assert_false(budget_take(&b, S("shop.example"), LIMIT_CHECK_MS + 5, &why));
    assert_non_null(strstr(why, "60 seconds"));
    b.bytes_left = 0;
    assert_false(budget_take(&b, S("shop.example"), 5, &why));
    assert_non_null(strstr(why, "100 MiB"));
}

static void no_memory_is_told_from_no_budget(void **state)
{
    (void)state;
    struct fail_alloc f;
    struct arena a;
    struct budget b;
    const char *why = "?";
    fail_alloc_init(&f, 1);
    arena_init(&a, &f.alloc);
    budget_init(&b, &a, S(""), 0);
    assert_false(budget_take(&b, S("cdn.example"), 0, &why));
    assert_null(why);
    assert_int_equal(b.requests_left, LIMIT_REQUESTS);
    arena_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_company_has_all_requests, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_third_party_has_its_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(time_and_bytes_run_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_memory_is_told_from_no_budget, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
