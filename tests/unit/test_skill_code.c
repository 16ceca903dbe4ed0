/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of codes: names, contexts and what is retried, against the contract of Remote Skills where it is there.
 */
#include "skill_unit.h"

static void codes_have_names_of_their_own(void **state)
{
    (void)state;
    assert_null(skill_code_name(SKILL_FINE));
    assert_null(skill_code_name(SKILL_CODE_COUNT));
    assert_int_equal(skill_code_find(S("")), SKILL_FINE);
    assert_int_equal(skill_code_find(S("no_such_code")), SKILL_FINE);
    for (unsigned i = 1; i < SKILL_CODE_COUNT; i++)
        assert_int_equal(skill_code_find(str_c(skill_code_name(i))), i);
    for (unsigned i = 0; i < SKILL_KEY_COUNT; i++)
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(skill_key_name(i), skill_key_name(k));
    assert_null(skill_key_name(SKILL_KEY_COUNT));
}

/* Only these two may do better a little later. */
static void what_is_retried(void **state)
{
    (void)state;
    for (unsigned i = 0; i <= SKILL_CODE_COUNT; i++)
        assert_int_equal(skill_code_retryable(i), i == SKILL_ORIGIN_UNAVAILABLE || i == SKILL_REQUEST_TIMEOUT);
}

static void facts_stand_only_where_they_may(void **state)
{
    (void)state;
    struct arena a;
    struct skill_fault f;
    arena_init(&a, NULL);
    assert_ok(skill_fault_make(&a, &f, SKILL_DIGEST_MISMATCH, "%s and %s", skill_quote(&a, S("a\033[1m")),
                               skill_whole(&a, S("\xe2\x80\xae"))));
    assert_str(f.text, "\"a\\x1B[1m\" and \\u{202E}");
    skill_fault_set(&f, SKILL_KEY_PATH, S("x")); /* not with this code */
    skill_fault_set(&f, SKILL_KEY_ORIGIN_ALIAS, str(NULL, 0));
    skill_fault_set(&f, SKILL_KEY_SKILL_NAME, S("a\xff"));
    skill_fault_set(&f, SKILL_KEY_EXPECTED_DIGEST, str("a\0b", 3));
    for (unsigned k = 0; k < SKILL_KEY_COUNT; k++)
        assert_null(f.value[k].p);
    skill_fault_set(&f, SKILL_KEY_SKILL_NAME, S("a"));
    assert_str(fault_line(&a, &f), "digest_mismatch skill_name=a");
    arena_fini(&a);
}

static void no_memory_is_told(void **state)
{
    (void)state;
    struct fail_alloc alloc;
    struct arena a;
    struct skill_fault f;
    fail_alloc_init(&alloc, 1);
    arena_init(&a, &alloc.alloc);
    assert_int_equal(skill_fault_make(&a, &f, SKILL_CANCELLED, "stopped").code, PAP_NO_MEMORY);
    assert_int_equal(f.code, SKILL_CANCELLED);
    assert_true(f.text.n > 0);
    arena_fini(&a);
    fail_alloc_init(&alloc, 1);
    arena_init(&a, &alloc.alloc);
    const char *lost = skill_quote(&a, S("a"));
    assert_int_equal(skill_fault_make(&a, &f, SKILL_CANCELLED, "%s is lost", lost).code, PAP_NO_MEMORY);
    arena_fini(&a);
}

static void the_contract_of_remote_skills(void **state)
{
    (void)state;
    struct arena a;
    struct json *root = NULL;
    struct notes notes = {0};
    unsigned n = 0;
    if (!has_cases("the codes of Remote Skills"))
        return;
    arena_init(&a, NULL);
    assert_ok(json_read(&a, case_file(&a, "contracts/v0", "error-codes.json"), &root, &notes));
    json_each (one, json_get_c(root, "errors")) {
        enum skill_code code = skill_code_find(member(one, "code"));
        const struct json *context = json_get_c(one, "context");
        unsigned keys = 0;
        assert_true(code != SKILL_FINE);
        assert_int_equal(skill_code_retryable(code), json_is(json_get_c(one, "retryable"), JSON_TRUE));
        for (unsigned k = 0; k < SKILL_KEY_COUNT; k++) {
            assert_int_equal(skill_code_has(code, k), json_has(context, skill_key_name(k)));
            keys += skill_code_has(code, k);
        }
        assert_int_equal(keys, context->n);
        n++;
    }
    json_each (key, json_get_c(root, "allowed_context_fields")) {
        unsigned k = 0;
        while (k < SKILL_KEY_COUNT && !str_is(json_str(key), skill_key_name(k)))
            k++;
        assert_true(k < SKILL_KEY_COUNT);
    }
    print_message("%u of %d codes are those of the contract\n", n, SKILL_VERSION_UNAVAILABLE);
    assert_int_equal(n, SKILL_VERSION_UNAVAILABLE);
    arena_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_have_names_of_their_own),   cmocka_unit_test(what_is_retried),
        cmocka_unit_test(facts_stand_only_where_they_may), cmocka_unit_test(no_memory_is_told),
        cmocka_unit_test(the_contract_of_remote_skills),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
