/* SPDX-License-Identifier: Apache-2.0 */
#include "text/semver.h"
#include "unit.h"

static void what_is_a_version(void **state)
{
    (void)state;
    static const char *const good[] = {"0.0.0",
                                       "1.2.3",
                                       "1.0.0-alpha",
                                       "1.0.0-0.3.7",
                                       "1.0.0-x-y-z.-",
                                       "1.0.0+001",
                                       "1.0.0-rc.1+a.b-c",
                                       "99999999999999999999999.999999999999999999.99999999999999999",
                                       "1.0.0-0a",
                                       "1.0.0--"};
    static const char *const bad[] = {"",           "1",         "1.2",    "1.2.3.4",  "v1.2.3",         "01.2.3",
                                      "1.02.3",     "1.2.03",    "1.0.0-", "1.0.0-01", "1.0.0-a..b",     "1.0.0+",
                                      "1.0.0+a..b", "1.0.0-a_b", " 1.0.0", "1.0.0 ",   "1.0.0-\xc3\xa9", "-1.0.0",
                                      "1..0",       "1.0.0+a+b"};
    struct semver v;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!semver_parse(str_c(good[i]), &v))
            unit_fail("%s is a version", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (semver_parse(str_c(bad[i]), &v))
            unit_fail("%s is no version", bad[i]);
    char many[1026] = "1.0.0-";
    memset(many + 6, 'a', 1018);
    assert_true(semver_parse(str(many, 1024), &v));
    many[1024] = 'a';
    assert_false(semver_parse(str(many, 1025), &v));
    assert_false(semver_parse(str("1.0.0\0", 6), &v));
}

static int order(const char *a, const char *b, bool history)
{
    struct semver x, y;
    assert_true(semver_parse(str_c(a), &x) && semver_parse(str_c(b), &y));
    int c = history ? semver_history_cmp(&x, &y) : semver_cmp(&x, &y);
    return (c > 0) - (c < 0);
}

/* Section 11 of the specification, and numbers that no machine word holds. */
static void precedence(void **state)
{
    (void)state;
    static const char *const rising[] = {"0.9.9",
                                         "1.0.0-1",
                                         "1.0.0-2",
                                         "1.0.0-10",
                                         "1.0.0-alpha",
                                         "1.0.0-alpha.1",
                                         "1.0.0-alpha.beta",
                                         "1.0.0-beta",
                                         "1.0.0-beta.2",
                                         "1.0.0-beta.11",
                                         "1.0.0-rc.1",
                                         "1.0.0",
                                         "1.0.1",
                                         "1.2.0",
                                         "1.10.0",
                                         "2.0.0",
                                         "18446744073709551615.0.0",
                                         "18446744073709551616.0.0"};
    size_t n = sizeof rising / sizeof *rising;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            assert_int_equal(order(rising[i], rising[k], false), (i > k) - (i < k));
            assert_int_equal(order(rising[i], rising[k], true), (i < k) - (i > k));
        }
    assert_int_equal(order("1.4.7+build.2", "1.4.7+build.10", false), 0);
    assert_int_equal(order("1.4.7+build.10", "1.4.7+build.2", true), -1);
    assert_int_equal(order("1.4.7", "1.4.7+a", true), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_a_version), cmocka_unit_test(precedence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
