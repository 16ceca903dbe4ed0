/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "text/place.h"

static void lines_and_columns_are_counted(void **state)
{
    (void)state;
    static const struct {
        struct pap_str text;
        size_t off;
        uint32_t line, column;
        const char *shown;
    } rows[] = {
        {S_INIT(""), 0, 1, 1, ""},
        {S_INIT(""), 9, 1, 1, ""},
        {S_INIT("abc"), 0, 1, 1, "abc"},
        {S_INIT("abc"), 2, 1, 3, "abc"},
        {S_INIT("abc"), 3, 1, 4, "abc"},
        {S_INIT("abc"), 99, 1, 4, "abc"},
        {S_INIT("a\nbc\n"), 1, 1, 2, "a"},
        {S_INIT("a\nbc\n"), 2, 2, 1, "bc"},
        {S_INIT("a\nbc\n"), 4, 2, 3, "bc"},
        {S_INIT("a\nbc\n"), 5, 3, 1, ""},
        {S_INIT("a\r\nb"), 1, 1, 2, "a"},
        {S_INIT("a\r\nb"), 2, 1, 2, "a"}, /* the LF of a CRLF is where its CR is */
        {S_INIT("a\r\nb"), 3, 2, 1, "b"},
        {S_INIT("a\rb\r"), 2, 2, 1, "b"},
        {S_INIT("a\rb\r"), 4, 3, 1, ""},
        {S_INIT("\r\r\n\n\rx"), 5, 5, 1, "x"},
        {S_INIT("\n\rx"), 2, 3, 1, "x"},
        {S_INIT("\xef\xbb\xbfxy"), 0, 1, 1, "xy"},
        {S_INIT("\xef\xbb\xbfxy"), 2, 1, 1, "xy"},
        {S_INIT("\xef\xbb\xbfxy"), 3, 1, 1, "xy"},
        {S_INIT("\xef\xbb\xbfxy"), 4, 1, 2, "xy"},
        {S_INIT("\xc3\xa9\xf0\x9f\x8c\xb8z"), 6, 1, 3, "\xc3\xa9\xf0\x9f\x8c\xb8z"},
        {S_INIT("\xff\xffz"), 2, 1, 3, "\xff\xffz"},
        {S_INIT("a\0\nb"), 3, 2, 1, "b"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct place p = place_of(rows[i].text, rows[i].off);
        if (p.line != rows[i].line || p.column != rows[i].column || !str_is(p.text, rows[i].shown))
            unit_fail("row %zu: %u:%u \"%.*s\"", i, p.line, p.column, PSTR(p.text));
    }
    struct place p = place_of(str(NULL, 0), 5);
    assert_int_equal(p.line, 1);
    assert_int_equal(p.text.n, 0);
}

/* Every offset of texts of all kinds of bytes, against counting byte by byte. */
static void every_offset_is_counted_alike(void **state)
{
    (void)state;
    static const char bytes[] = "abcdefgh\t\x0b\x0c\x0e\n\r\x80\xff";
    char text[97];
    uint32_t seed = 1;
    for (int round = 0; round < 300; round++) {
        for (size_t i = 0; i < sizeof text; i++) {
            seed = seed * 1664525 + 1013904223;
            text[i] = bytes[(seed >> 16) % (round % 3 == 0 ? 8 + (seed >> 29) : sizeof bytes - 1)];
        }
        uint32_t line = 1, column = 1;
        for (size_t off = 0; off < sizeof text; off++) {
            struct place p = place_of(str(text, sizeof text), off);
            bool at_lf_of_crlf = off > 0 && text[off] == '\n' && text[off - 1] == '\r';
            if (off > 0 && !at_lf_of_crlf && (text[off - 1] == '\n' || text[off - 1] == '\r')) {
                line++;
                column = 1;
            } else if (off > 0 && !at_lf_of_crlf) {
                column++;
            }
            if (p.line != line || p.column != column)
                unit_fail("round %d, offset %zu: %u:%u, not %u:%u", round, off, p.line, p.column, line, column);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_and_columns_are_counted),
        cmocka_unit_test(every_offset_is_counted_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
