/* SPDX-License-Identifier: Apache-2.0 */
#include "fail_alloc.h"
#include "unit.h"

static void views_are_cut_and_found(void **state)
{
    (void)state;
    struct pap_str rest = S("a,,b"), part;
    assert_true(str_next(&rest, ',', &part));
    assert_str(part, "a");
    assert_true(str_next(&rest, ',', &part));
    assert_str(part, "");
    assert_true(str_next(&rest, ',', &part));
    assert_str(part, "b");
    assert_false(str_next(&rest, ',', &part));
    assert_str(str_trim(S(" \r\n x y\t")), "x y");
    assert_int_equal(str_find(S("abcabc"), S("ca")), 2);
    assert_int_equal(str_find(S("abc"), S("x")), 3);
    assert_int_equal(str_first_difference(S("https://a/"), S("https://a")), 9);
    uint64_t v;
    assert_true(str_to_u64(S("18446744073709551615"), &v));
    assert_false(str_to_u64(S("18446744073709551616"), &v));
    assert_false(str_to_u64(S(""), &v));
    assert_false(str_to_u64(S("+1"), &v));
}

static void patterns_fit(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool fits;
    } rows[] = {
        {"", "", true},
        {"", "a", false},
        {"*", "", true},
        {"*", "abc", true},
        {"a*", "abc", true},
        {"a*", "bac", false},
        {"*c", "abc", true},
        {"*b", "abc", false},
        {"a*c", "ac", true},
        {"a*c", "abcb", false},
        {"*a*b*", "xaxbx", true},
        {"*ab*ab", "abab", true},
        {"*ab*ab", "ab", false},
        {"a?c", "abc", true},
        {"a?c", "ac", false},
        {"deploy", "deploys", false},
        {"**", "x", true},
        {"a**", "a", true},
        {"*aaab", "aaaaaab", true},
        {"deploy", "deploy", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (str_fits(str_c(rows[i].text), str_c(rows[i].pattern)) != rows[i].fits)
            unit_fail("%s, %s", rows[i].pattern, rows[i].text);
}

static void arena_gives_and_resets(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    for (int i = 0; i < 1000; i++) {
        char *p = arena_alloc(&a, 1000);
        assert_non_null(p);
        for (int k = 0; k < 1000; k++)
            assert_int_equal(p[k], 0);
        memset(p, 0xff, 1000);
    }
    arena_reset(&a);
    assert_true(a.total <= 16 * 1024);
    assert_null(arena_new_array(&a, SIZE_MAX / 2, uint64_t));
    assert_str(arena_fmt(&a, "%d-%s", 7, "x"), "7-x");
    arena_fini(&a);
}

static void arena_keeps_its_cap(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    a.max = 64 * 1024;
    assert_null(arena_alloc(&a, 128 * 1024));
    assert_non_null(arena_alloc(&a, 1024));
    arena_fini(&a);
}

static void buffer_fails_once_and_stays_failed(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 8);
    buf_add(&b, S("12345678"));
    assert_true(buf_ok(&b));
    buf_char(&b, '9');
    assert_false(buf_ok(&b));
    buf_reset(&b);
    buf_fmt(&b, "%d", 42);
    assert_str(buf_str(&b), "42");
    buf_fini(&b);
    struct fail_alloc f;
    fail_alloc_init(&f, 1);
    buf_init(&b, &f.alloc, 100);
    buf_add(&b, S("x"));
    assert_int_equal(buf_result(&b, NULL).code, PAP_NO_MEMORY);
    buf_fini(&b);
}

static void errors_hold_no_control_bytes(void **state)
{
    (void)state;
    struct pap_err err;
    assert_int_equal(fail(&err, PAP_IO, "a%sb", "\x1b[2J\n").code, PAP_IO);
    assert_string_equal(err.text, "a?[2J?b");
}

static void parts_are_joined(void **state)
{
    (void)state;
    struct arena a;
    struct fail_alloc f;
    arena_init(&a, NULL);
    struct pap_str s = ARENA_JOIN(&a, S("a"), S(""), str(NULL, 0), S("bc"), str("d\0e", 3));
    assert_int_equal(s.n, 6);
    assert_memory_equal(s.p, "abcd\0e", 7);
    s = ARENA_JOIN(&a, S(""));
    assert_true(s.p && s.n == 0 && !*s.p);
    s = ARENA_JOIN(&a, S("a"), str("b", SIZE_MAX - 1));
    assert_null(s.p);
    arena_fini(&a);
    fail_alloc_init(&f, 1);
    arena_init(&a, &f.alloc);
    s = ARENA_JOIN(&a, S("a"), S("b"));
    assert_null(s.p);
    arena_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_are_cut_and_found),
        cmocka_unit_test(arena_gives_and_resets),
        cmocka_unit_test(arena_keeps_its_cap),
        cmocka_unit_test(buffer_fails_once_and_stays_failed),
        cmocka_unit_test(errors_hold_no_control_bytes),
        cmocka_unit_test(patterns_fit),
        cmocka_unit_test(parts_are_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
