/* SPDX-License-Identifier: Apache-2.0
 *
 * UTF-8 against a second, plain statement of RFC 3629 over all sequences of two and three bytes; what people and
 * terminals see; normal forms and folding.
 */
#include "unit.h"

#include "text/utf8.h"

static bool between(unsigned char c, unsigned from, unsigned to)
{
    return c >= from && c <= to;
}

/* The table of RFC 3629 section 4, row by row. */
static size_t length_by_the_rfc(const unsigned char *s, size_t n)
{
    bool t1 = n > 1 && between(s[1], 0x80, 0xbf), t2 = n > 2 && between(s[2], 0x80, 0xbf);
    bool t3 = n > 3 && between(s[3], 0x80, 0xbf);
    if (n == 0)
        return 0;
    if (s[0] <= 0x7f)
        return 1;
    if (between(s[0], 0xc2, 0xdf))
        return t1 ? 2 : 0;
    if (between(s[0], 0xe0, 0xef)) {
        bool second = t1 && !(s[0] == 0xe0 && s[1] < 0xa0) && !(s[0] == 0xed && s[1] > 0x9f);
        return second && t2 ? 3 : 0;
    }
    if (between(s[0], 0xf0, 0xf4)) {
        bool second = t1 && !(s[0] == 0xf0 && s[1] < 0x90) && !(s[0] == 0xf4 && s[1] > 0x8f);
        return second && t2 && t3 ? 4 : 0;
    }
    return 0;
}

static void decoding_is_strict(void **state)
{
    (void)state;
    static const unsigned char lasts[] = {0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xff};
    for (unsigned first = 0; first < 0x1000000; first++) {
        for (size_t k = 0; k < (first >> 16 >= 0xf0 ? sizeof lasts : 1); k++) {
            unsigned char s[4] = {(unsigned char)(first >> 16), (unsigned char)(first >> 8), (unsigned char)first,
                                  lasts[k]};
            uint32_t code;
            size_t want = length_by_the_rfc(s, 4), got = utf8_decode(str((char *)s, 4), &code);
            if (got != want)
                unit_fail("%02x %02x %02x %02x: %zu, not %zu", s[0], s[1], s[2], s[3], got, want);
        }
    }
}

static void every_character_comes_back(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        if (code >= 0xd800 && code <= 0xdfff)
            continue;
        char bytes[4];
        uint32_t back = 0;
        size_t n = utf8_encode(code, bytes);
        assert_int_equal(n, code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4);
        if (utf8_decode(str(bytes, n), &back) != n || back != code)
            unit_fail("U+%04X comes back as U+%04X", code, back);
        for (size_t cut = 0; cut < n; cut++)
            assert_int_equal(utf8_decode(str(bytes, cut), &back), 0);
    }
}

static void the_first_bad_byte_is_found(void **state)
{
    (void)state;
    char text[64];
    for (size_t n = 0; n < sizeof text; n++) {
        memset(text, 'a', sizeof text);
        assert_int_equal(utf8_check(str(text, n)), n);
        for (size_t bad = 0; bad < n; bad++) {
            memset(text, 'a', sizeof text);
            text[bad] = (char)0xff;
            assert_int_equal(utf8_check(str(text, n)), bad);
            if (bad < n - 1) {
                memcpy(text + bad, "\xc3\xa9", 2);
                assert_int_equal(utf8_check(str(text, n)), n);
                assert_int_equal(utf8_count(str(text, n)), n - 1);
                assert_int_equal(utf8_check(str(text, bad + 1)), bad);
            }
        }
    }
    assert_int_equal(utf8_check(str(NULL, 0)), 0);
    assert_int_equal(utf8_count(S("a\xff\xfe\xc3\xa9\xe2\x82")), 6);
}

static void unsafe_characters_are_known(void **state)
{
    (void)state;
    static const uint32_t unsafe[] = {0,      9,      10,      0x1b,    0x7f,    0x80,    0x9f,     0xad,    0x61c,
                                      0x180e, 0x200b, 0x200c,  0x200d,  0x200e,  0x200f,  0x2028,   0x2029,  0x202a,
                                      0x202e, 0x2060, 0x2064,  0x2066,  0x2069,  0xfeff,  0xfe0f,   0xfdd0,  0xfdef,
                                      0xfffe, 0xffff, 0x1fffe, 0xe0001, 0xe0041, 0xe01ef, 0x10ffff, 0x110000};
    static const uint32_t fine[] = {' ',    '~',    0xa0,   0xe9,   0x301,   0x2010,  0x2027,
                                    0x202f, 0x20ac, 0xfffd, 0xfff0, 0x1f338, 0xe1000, 0x10fffd};
    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++)
        if (!utf8_is_unsafe(unsafe[i]))
            unit_fail("U+%04X", unsafe[i]);
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        if (utf8_is_unsafe(fine[i]))
            unit_fail("U+%04X", fine[i]);
}

static void text_for_people_shows_everything(void **state)
{
    (void)state;
    static const struct {
        struct pap_str text;
        size_t max;
        const char *want;
    } rows[] = {
        {S_INIT("plain"), 100, "plain"},
        {S_INIT("a\tb\nc\0d"), 100, "a\\x09b\\x0Ac\\x00d"},
        {S_INIT("\x1b[31m"), 100, "\\x1B[31m"},
        {S_INIT("\xc2\x9b\xc2\xad"), 100, "\\x9B\\xAD"},
        {S_INIT("a\xff\xc3"), 100, "a\\xFF\\xC3"},
        {S_INIT("\xe2\x80\xaeprod"), 100, "\\u{202E}prod"},
        {S_INIT("\xf3\xa0\x81\x81"), 100, "\\u{E0041}"},
        {S_INIT("gr\xc3\xbc\xc3\x9f"), 100, "gr\xc3\xbc\xc3\x9f"},
        {S_INIT("gr\xc3\xbc\xc3\x9f"), 6, "gr\xc3\xbc\xc3\x9f"},
        {S_INIT("gr\xc3\xbc\xc3\x9f"), 5, "gr\xc3\xbc\xe2\x80\xa6"},
        {S_INIT("gr\xc3\xbc\xc3\x9f"), 3, "gr\xe2\x80\xa6"},
        {S_INIT("x"), 0, "\xe2\x80\xa6"},
        {S_INIT(""), 0, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf b;
        buf_init(&b, NULL, 1000);
        utf8_add_visible(&b, rows[i].text, rows[i].max);
        assert_str(buf_str(&b), rows[i].want);
        buf_fini(&b);
    }
}

static void columns_are_counted(void **state)
{
    (void)state;
    assert_int_equal(utf8_width(S("")), 0);
    assert_int_equal(utf8_width(S("abc")), 3);
    assert_int_equal(utf8_width(S("e\xcc\x81")), 1);
    assert_int_equal(utf8_width(S("\xe8\x8a\xb1\xf0\x9f\x8c\xb8")), 4);
    assert_int_equal(utf8_width(S("\xff!")), 2);
}

static void forms_are_normal_and_folded(void **state)
{
    (void)state;
    static const struct {
        const char *text, *nfc, *fold;
    } rows[] = {
        {"", "", ""},
        {"Plain-1", "Plain-1", "plain-1"},
        {"e\xcc\x81", "\xc3\xa9", "\xc3\xa9"},
        {"\xc3\x89", "\xc3\x89", "\xc3\xa9"}, /* E acute */
        {"Stra\xc3\x9f"
         "e",
         "Stra\xc3\x9f"
         "e",
         "strasse"},                            /* full folding, not simple */
        {"\xe1\xba\x9e", "\xe1\xba\x9e", "ss"}, /* capital sharp s */
        {"\xef\xac\x81", "\xef\xac\x81", "fi"}, /* ligature: kept by NFC, folded */
        {"\xce\xa3\xcf\x83\xcf\x82", "\xce\xa3\xcf\x83\xcf\x82", "\xcf\x83\xcf\x83\xcf\x83"}, /* sigmas */
        {"\xc4\xb0", "\xc4\xb0", "i\xcc\x87"},                         /* dotted I: not the Turkic folding */
        {"\xe2\x84\xaa", "K", "k"},                                    /* kelvin sign */
        {"\xe1\x84\x80\xe1\x85\xa1", "\xea\xb0\x80", "\xea\xb0\x80"},  /* Hangul */
        {"a\xcc\xa7\xcc\x81", "\xc3\xa1\xcc\xa7", "\xc3\xa1\xcc\xa7"}, /* marks are put in order */
        {"\xce\xb1\xcd\x85\xcc\x81", "\xe1\xbe\xb4",
         "\xce\xac\xce\xb9"}, /* U+0345 folds to a letter, behind the accent */
        {"\xe1\xbe\xb4", "\xe1\xbe\xb4", "\xce\xac\xce\xb9"},
        {"\xe1\x8e\xa0\xea\xad\xb0", "\xe1\x8e\xa0\xea\xad\xb0",
         "\xe1\x8e\xa0\xe1\x8e\xa0"}, /* Cherokee folds upwards */
    };
    struct arena a;
    arena_init(&a, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_str(utf8_nfc(&a, str_c(rows[i].text)), rows[i].nfc);
        struct pap_str fold = utf8_fold(&a, str_c(rows[i].text));
        assert_non_null(fold.p);
        assert_str(fold, rows[i].fold);
        assert_str(utf8_fold(&a, fold), rows[i].fold);
    }
    arena_fini(&a);
}

static void bad_text_and_no_memory_give_nothing(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    assert_null(utf8_nfc(&a, S("\xed\xa0\x80")).p);
    assert_null(utf8_fold(&a, S("\xc3")).p);
    assert_true(str_eq(utf8_nfc(&a, S("a\0\xc3\xa9")), S("a\0\xc3\xa9")));
    assert_true(str_eq(utf8_fold(&a, S("A\0\xc3\x89")), S("a\0\xc3\xa9")));
    arena_fini(&a);
    char text[40000];
    for (size_t i = 0; i < sizeof text; i += 2)
        memcpy(text + i, "\xc3\x89", 2);
    for (unsigned at = 1;; at++) {
        struct fail_alloc f;
        fail_alloc_init(&f, at);
        arena_init(&a, &f.alloc);
        struct pap_str nfc = utf8_nfc(&a, str(text, sizeof text)), fold = utf8_fold(&a, str(text, sizeof text));
        bool failed = f.calls >= at;
        assert_int_equal(!nfc.p || !fold.p, failed);
        arena_fini(&a);
        assert_int_equal(f.live, 0);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoding_is_strict),
        cmocka_unit_test(every_character_comes_back),
        cmocka_unit_test(the_first_bad_byte_is_found),
        cmocka_unit_test(unsafe_characters_are_known),
        cmocka_unit_test(text_for_people_shows_everything),
        cmocka_unit_test(columns_are_counted),
        cmocka_unit_test(forms_are_normal_and_folded),
        cmocka_unit_test(bad_text_and_no_memory_give_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
