/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranges of versions: the grammar, and which of a row of versions each holds.
 */
#include "skills/range.h"
#include "unit.h"

static void what_is_no_range(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      " ",
                                      "1",
                                      "1.4",
                                      "x",
                                      "X",
                                      "1.x.x",
                                      "1.x.3",
                                      "01.x",
                                      "1.04.x",
                                      "1.4.2.x",
                                      "1.4.2-x.x.",
                                      "~1.4",
                                      "~1.x",
                                      "^1",
                                      "^",
                                      "~",
                                      "v1.2.3",
                                      "=1.2.3",
                                      "==1.2.3",
                                      "1.0.0 || 2.0.0",
                                      "1.0.0 - 2.0.0",
                                      ">=1.0.0  <2.0.0",
                                      ">=1.0.0 <2.0.0 ",
                                      " >=1.0.0",
                                      ">= 1.0.0",
                                      ">=1.0",
                                      ">=1.0.0 2.0.0",
                                      ">=1.0.0,<2.0.0",
                                      "<",
                                      ">=",
                                      "=>1.0.0",
                                      "><1.0.0",
                                      "**",
                                      "1.*.x",
                                      "1.y",
                                      "1.0.0-01",
                                      "1.4.2 ",
                                      "\t1.4.2",
                                      "latest",
                                      ">1.0.0\t<2.0.0",
                                      ">0.0.1 >0.0.2 >0.0.3 >0.0.4 >0.0.5 >0.0.6 >0.0.7 >0.0.8 >0.0.9"};
    struct range r;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (range_parse(str_c(bad[i]), &r))
            unit_fail("\"%s\" is no range", bad[i]);
    assert_false(range_parse(str("1.x\0", 4), &r));
    char many[LIMIT_RANGE + 2] = "1.0.0-";
    memset(many + 6, 'a', sizeof many - 6);
    assert_true(range_parse(str(many, LIMIT_RANGE), &r));
    assert_false(range_parse(str(many, LIMIT_RANGE + 1), &r));
}

/* Versions in one line, highest first; which of them a range holds, by a letter each. */
static const char *const versions[] = {"2.0.0",        "2.0.0-rc.1",     "1.5.1",         "1.5.0", "1.5.0-beta.2",
                                       "1.5.0-beta.1", "1.4.7+build.10", "1.4.7+build.2", "1.4.2", "1.4.0",
                                       "0.3.0",        "0.2.9",          "0.2.3",         "0.0.3", "0.0.2",
                                       "0.0.2-a",      "1.4.99-alpha",   "1.5.0-beta.11", "0.1.0"};
enum { VERSIONS = sizeof versions / sizeof *versions };

static const struct {
    const char *range, *held; /* with blanks between */
} rows[] = {
    {"*", "2.0.0 1.5.1 1.5.0 1.4.7+build.10 1.4.7+build.2 1.4.2 1.4.0 0.3.0 0.2.9 0.2.3 0.0.3 0.0.2 0.1.0"},
    {"1.x", "1.5.1 1.5.0 1.4.7+build.10 1.4.7+build.2 1.4.2 1.4.0"},
    {"1.X", "1.5.1 1.5.0 1.4.7+build.10 1.4.7+build.2 1.4.2 1.4.0"},
    {"1.*", "1.5.1 1.5.0 1.4.7+build.10 1.4.7+build.2 1.4.2 1.4.0"},
    {"0.x", "0.3.0 0.2.9 0.2.3 0.0.3 0.0.2 0.1.0"},
    {"1.4.x", "1.4.7+build.10 1.4.7+build.2 1.4.2 1.4.0"},
    {"3.x", ""},
    {"~1.4.2", "1.4.7+build.10 1.4.7+build.2 1.4.2"},
    {"^1.4.2", "1.5.1 1.5.0 1.4.7+build.10 1.4.7+build.2 1.4.2"},
    {"^0.2.3", "0.2.9 0.2.3"},
    {"^0.0.2", "0.0.2"},
    {"^0.0.2-a", "0.0.2 0.0.2-a"},
    {"~0.0.2", "0.0.3 0.0.2"},
    {"^1.5.0-beta.2", "1.5.1 1.5.0 1.5.0-beta.2 1.5.0-beta.11"},
    {"~1.5.0-beta.1", "1.5.1 1.5.0 1.5.0-beta.2 1.5.0-beta.1 1.5.0-beta.11"},
    {"1.4.7", "1.4.7+build.10 1.4.7+build.2"},
    {"1.4.7+other", "1.4.7+build.10 1.4.7+build.2"},
    {"1.5.0-beta.2", "1.5.0-beta.2"},
    {"1.5.0-beta", ""},
    {">=1.4.0 <1.5.0", "1.4.7+build.10 1.4.7+build.2 1.4.2 1.4.0"},
    {">1.4.0 <=1.5.0", "1.5.0 1.4.7+build.10 1.4.7+build.2 1.4.2"},
    {">=1.5.0-beta.1 <1.5.0", "1.5.0-beta.2 1.5.0-beta.1 1.5.0-beta.11"},
    {">1.5.0-beta.1 <1.5.0", "1.5.0-beta.2 1.5.0-beta.11"},
    {">=1.4.99-alpha", "2.0.0 1.5.1 1.5.0 1.4.99-alpha"},
    {"<2.0.0-rc.1 >1.5.0", "1.5.1"},
    {"<=2.0.0-rc.1 >1.5.0", "2.0.0-rc.1 1.5.1"},
    {"<0.0.3", "0.0.2"},
    {">2.0.0", ""},
};

static bool has_word(struct pap_str words, struct pap_str word)
{
    struct pap_str part;
    while (str_next(&words, ' ', &part))
        if (str_eq(part, word))
            return true;
    return false;
}

static void what_a_range_holds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct range r;
        if (!range_parse(str_c(rows[i].range), &r))
            unit_fail("\"%s\" is a range", rows[i].range);
        for (size_t k = 0; k < VERSIONS; k++) {
            struct semver v;
            assert_true(semver_parse(str_c(versions[k]), &v));
            bool want = has_word(str_c(rows[i].held), str_c(versions[k]));
            if (range_holds(&r, &v) != want)
                unit_fail("%s %s %s", rows[i].range, want ? "holds" : "does not hold", versions[k]);
        }
    }
}

/* Numbers that no machine word holds (R-VER-5). */
static void numbers_of_any_length(void **state)
{
    (void)state;
    struct range r;
    struct semver v, above;
    assert_true(semver_parse(S("99999999999999999999999.9007199254740993.18446744073709551616"), &v));
    assert_true(semver_parse(S("100000000000000000000000.0.0"), &above));
    assert_true(range_parse(S("99999999999999999999999.x"), &r) && range_holds(&r, &v) && !range_holds(&r, &above));
    assert_true(range_parse(S("^99999999999999999999999.0.0"), &r) && range_holds(&r, &v) && !range_holds(&r, &above));
    assert_true(range_parse(S("~99999999999999999999999.9007199254740993.18446744073709551615"), &r) &&
                range_holds(&r, &v));
    assert_true(range_parse(S(">99999999999999999999999.9007199254740993.18446744073709551616"), &r) &&
                !range_holds(&r, &v) && range_holds(&r, &above));
    assert_true(range_parse(str(NULL, 0), &r) && range_holds(&r, &v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_range),
        cmocka_unit_test(what_a_range_holds),
        cmocka_unit_test(numbers_of_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
