/* SPDX-License-Identifier: Apache-2.0
 *
 * cmocka and what the unit tests share.
 */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#undef fail /* ours, of base/result.h; use unit_fail() in tests */

#include "base/base.h"
#include "fail_alloc.h"

#define unit_fail(...) (print_error(__VA_ARGS__), print_error("\n"), _fail(__FILE__, __LINE__))

#define assert_str(got, want)                                                                      \
    do {                                                                                           \
        struct pap_str got_ = (got), want_ = str_c(want);                                          \
        if (!str_eq(got_, want_))                                                                  \
            unit_fail("got \"%.*s\" (%zu bytes), want \"%.*s\"", PSTR(got_), got_.n, PSTR(want_)); \
    } while (0)

#define assert_ok(result) assert_int_equal((result).code, PAP_OK)

#endif
