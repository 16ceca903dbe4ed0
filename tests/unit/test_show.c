/* SPDX-License-Identifier: Apache-2.0 */
#include <papaver/text.h>

#include "base/base.h"
#include "text/json.h"
#include "text/redact.h"
#include "unit.h"

static void add(void *ctx, const char *piece, size_t n)
{
    buf_add(ctx, str(piece, n));
}

static void shows(const char *text, size_t n, bool lines, const char *visible)
{
    struct buf b;
    buf_init(&b, NULL, 1000);
    pap_text_visible(str(text, n), lines, add, &b);
    if (!str_is(buf_str(&b), visible))
        unit_fail("%.*s, not %s", PSTR(buf_str(&b)), visible);
    buf_fini(&b);
}

#define SHOWS(text, lines, visible) shows(text, sizeof(text) - 1, lines, visible)

static void visible(void **state)
{
    (void)state;
    SHOWS("", false, "");
    SHOWS("plain \xc3\xa9 \xe6\xb0\xb4", false, "plain \xc3\xa9 \xe6\xb0\xb4");
    SHOWS("a\x1b[2Jb", false, "a\\x1B[2Jb");
    SHOWS("a\0b", false, "a\\x00b");
    SHOWS("a\nb\tc", false, "a\\x0Ab\\x09c");
    SHOWS("a\nb\tc\r\nd\r", true, "a\nb\tc\nd\\x0D");
    SHOWS("\xe2\x80\xae"
          "x\xe2\x80\x8b",
          true, "\\u{202E}x\\u{200B}");
    SHOWS("\xc2\x9b", false, "\\x9B");
    SHOWS("\xff"
          "a\xe2\x80",
          false, "\\xFFa\\xE2\\x80");
    SHOWS("\xf3\xa0\x81\x81", false, "\\u{E0041}");
}

static void json(void **state)
{
    (void)state;
    struct arena a;
    struct buf b;
    struct json *root;
    struct notes notes = {0};
#define TEXT "a\"b\\c\n\t\r\x01\x7f\xe2\x80\xae\xf3\xa0\x81\x81 \xc3\xa9"
    arena_init(&a, NULL);
    buf_init(&b, NULL, 1000);
    pap_text_json(S(TEXT), add, &b);
    assert_ok(json_read(&a, buf_str(&b), &root, &notes));
    assert_true(root && str_eq(json_str(root), S(TEXT)));
    assert_true(str_find(buf_str(&b), S("\\u202e\\udb40\\udc41")) < b.n);
    buf_reset(&b);
    pap_text_json(S("a\xff"), add, &b);
    assert_true(str_is(buf_str(&b), "\"a\\ufffd\""));
    buf_fini(&b);
    arena_fini(&a);
}

static void fits(void **state)
{
    (void)state;
    size_t columns;
    assert_int_equal(pap_text_fit(S("abc"), 10, &columns), 3);
    assert_int_equal(columns, 3);
    assert_int_equal(pap_text_fit(S("abc"), 2, &columns), 2);
    assert_int_equal(pap_text_fit(S("\xe6\xb0\xb4\xe6\xb0\xb4"), 3, &columns), 3); /* wide ones take two */
    assert_int_equal(columns, 2);
    assert_int_equal(pap_text_fit(S("e\xcc\x81x"), 1, &columns), 3); /* a combining one takes none */
    assert_int_equal(pap_text_fit(S(""), 0, &columns), 0);
}

static void redacted(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 1000);
    pap_text_redacted(S("https://user:hunter2@shop.example/?a=1&token=abc#x"), add, &b);
    assert_true(str_is(buf_str(&b), "https://[hidden]@shop.example/?a=1&token=[hidden]#x"));
    buf_fini(&b);
}

/* Hidden before it is cut: half of a password is one, too. */
static void redacted_values(void **state)
{
    (void)state;
    struct arena a;
    char text[600] = "https://user:";
    arena_init(&a, NULL);
    memset(text + 13, 'p', 400);
    memcpy(text + 413, "@shop.example/x", 16);
    assert_true(str_is(redacted_visible(&a, str_c(text), 200, "\""), "\"https://[hidden]@shop.example/x\""));
    assert_true(str_is(redacted_visible(&a, S("a?token=b"), 200, ""), "a?token=b")); /* no URL */
    arena_fini(&a);
}

static void masked(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"\"url\":\"https://u:pw@a.example/x\"", "\"url\":\"https://****@a.example/x\""},
        {"https:\\/\\/u:p@w@a.example\\/x", "https:\\/\\/*****@a.example\\/x"},
        {"https://a.example/x@y ftp://u@b", "https://a.example/x@y ftp://*@b"},
        {"://@ ://u@", "://@ ://*@"},
        {"", ""},
        {"://", "://"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char text[100];
        (void)snprintf(text, sizeof text, "%s", pairs[i][0]);
        mask_users(text, strlen(text));
        assert_string_equal(text, pairs[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visible),         cmocka_unit_test(json),  cmocka_unit_test(fits), cmocka_unit_test(redacted),
        cmocka_unit_test(redacted_values), cmocka_unit_test(masked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
