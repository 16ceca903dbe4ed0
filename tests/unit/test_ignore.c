/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns as git reads them. Each row was compared with `git check-ignore`.
 */
#include "text/ignore.h"
#include "unit.h"

static bool left_out(const char *patterns, const char *path)
{
    struct arena a;
    struct ignore ig;
    struct pap_str p = str_c(path);
    bool folder = str_ends(p, S("/"));
    arena_init(&a, NULL);
    assert_ok(ignore_read(&a, str_c(patterns), &ig));
    bool r = ignore_match(&ig, str_take(p, p.n - folder), folder) != NULL;
    arena_fini(&a);
    return r;
}

static const struct {
    const char *patterns, *path; /* a folder ends with "/" */
    bool out;
} rows[] = {
#include "ignore_rows.h"
};

static void patterns_mean_what_git_means(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (left_out(rows[i].patterns, rows[i].path) != rows[i].out)
            unit_fail("\"%s\" and %s: want %s", rows[i].patterns, rows[i].path, rows[i].out ? "left out" : "kept");
}

static void hostile_patterns_take_no_time(void **state)
{
    (void)state;
    char pattern[4001], path[4001];
    for (size_t i = 0; i < 4000; i++) {
        pattern[i] = i % 2 ? 'a' : '*';
        path[i] = 'a';
    }
    pattern[4000] = path[4000] = '\0';
    pattern[3999] = 'b';
    assert_false(left_out(pattern, path));
    for (size_t i = 0; i + 3 < 4000; i += 3)
        memcpy(pattern + i, "**/", 3);
    for (size_t i = 1; i < 4000; i += 2)
        path[i] = '/';
    pattern[3999] = 'b';
    path[3999] = 'c';
    assert_false(left_out(pattern, path));
    assert_false(left_out("[[[[[[[[[[[[[[[[", "["));
    assert_false(left_out("\\", "\\"));
    assert_false(left_out("a[", "a["));
}

static void failing_allocation(void **state)
{
    (void)state;
    struct fail_alloc f;
    struct arena a;
    struct ignore ig;
    fail_alloc_init(&f, 1);
    arena_init(&a, &f.alloc);
    assert_int_equal(ignore_read(&a, S("a\nb"), &ig).code, PAP_NO_MEMORY);
    arena_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_mean_what_git_means),
        cmocka_unit_test(hostile_patterns_take_no_time),
        cmocka_unit_test(failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
