/* SPDX-License-Identifier: Apache-2.0
 *
 * Names as people type them, and names that are none.
 */
#include "net/idn.h"
#include "unit.h"

static void names_become_those_of_the_dns(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"shop.example", "shop.example"},
        {"SHOP.Example", "shop.example"},
        {"b\xc3\xbc"
         "cher.example",
         "xn--bcher-kva.example"},
        {"B\xc3\x9c"
         "CHER.example",
         "xn--bcher-kva.example"},
        {"bu\xcc\x88"
         "cher.example",
         "xn--bcher-kva.example"}, /* not composed */
        {"stra\xc3\x9f"
         "e.example",
         "xn--strae-oqa.example"},
        {"\xe4\xbe\x8b\xe3\x81\x88.example", "xn--r8jz45g.example"},
        {"shop\xe3\x80\x82"
         "example\xe2\x80\xa4",
         NULL}, /* U+2024 is no dot of a name */
        {"b\xc3"
         "cher.example",
         NULL},
        {"b\xc3\xbc\xe2\x80\x8b cher", NULL},
        {"xn--bcher-kva.example", "xn--bcher-kva.example"},
        {"", ""},
    };
    struct arena a;
    arena_init(&a, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pap_str got = S("nothing was written");
        struct pap_err err;
        pap_result r = idn_to_ascii(&a, str_c(rows[i][0]), &got, &err);
        if (r.code == PAP_UNAVAILABLE)
            skip();
        if (!rows[i][1]) {
            assert_int_equal(r.code, PAP_SYNTAX);
            assert_str(got, "nothing was written");
        } else {
            assert_ok(r);
            assert_str(got, rows[i][1]);
        }
    }
    struct pap_str got;
    assert_int_equal(idn_to_ascii(&a, S("a\0b"), &got, NULL).code, PAP_SYNTAX);
    arena_fini(&a);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (unsigned n = 1; n < FAIL_ALLOC_MOST; n++) {
        struct fail_alloc f;
        struct arena a;
        struct pap_str got;
        fail_alloc_init(&f, n);
        arena_init(&a, &f.alloc);
        pap_result r = idn_to_ascii(&a,
                                    S("b\xc3\xbc"
                                      "cher.example"),
                                    &got, NULL);
        arena_fini(&a);
        assert_int_equal(f.live, 0);
        if (r.code != PAP_NO_MEMORY)
            return;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_become_those_of_the_dns),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
