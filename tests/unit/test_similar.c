/* SPDX-License-Identifier: Apache-2.0
 *
 * Nearest names; and canonical base64url, which has no test of its own.
 */
#include "unit.h"

#include "text/base64.h"
#include "text/similar.h"

static void distances_count_edits(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        size_t most, want;
    } rows[] = {
        {"", "", 3, 0},
        {"", "abc", 3, 3},
        {"", "abcd", 3, 4},
        {"issuer", "issuer", 3, 0},
        {"Issuer", "iSSUER", 3, 0},
        {"issuer", "isuer", 3, 1},
        {"issuer", "isseur", 3, 1}, /* neighbours swapped */
        {"issuer", "issuers", 3, 1},
        {"issuer", "ixsuer", 3, 1},
        {"kitten", "sitting", 3, 3},
        {"kitten", "sitting", 2, 3},
        {"kitten", "mmmmmm", 2, 3},
        {"ca", "abc", 5, 3}, /* no edit between swapped neighbours */
        {"abcdefgh", "badcfehg", 8, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pap_str a = str_c(rows[i].a), b = str_c(rows[i].b);
        size_t there = similar_distance(a, b, rows[i].most), back = similar_distance(b, a, rows[i].most);
        if (there != rows[i].want || back != rows[i].want)
            unit_fail("%s, %s: %zu and %zu", rows[i].a, rows[i].b, there, back);
    }
    char longest[65];
    memset(longest, 'x', sizeof longest);
    assert_int_equal(similar_distance(str(longest, 64), str(longest, 64), 2), 0);
    assert_int_equal(similar_distance(str(longest, 64), str(longest, 63), 2), 1);
    assert_int_equal(similar_distance(str(longest, 65), str(longest, 65), 2), 3);
}

static struct pap_str nearest(const char *name, const char *const *candidates, size_t n)
{
    struct similar s = {.distance = SIZE_MAX};
    for (size_t i = 0; i < n; i++)
        similar_try(&s, str_c(name), str_c(candidates[i]));
    return s.best;
}

static void the_nearest_is_kept(void **state)
{
    (void)state;
    static const char *const names[] = {"description", "digest", "name", "type", "url", "id"};
    enum { N = sizeof names / sizeof *names };
    assert_str(nearest("desciption", names, N), "description");
    assert_str(nearest("Descripton", names, N), "description");
    assert_str(nearest("nmae", names, N), "name");
    assert_str(nearest("uri", names, N), "url");
    assert_str(nearest("types", names, N), "type");
    assert_null(nearest("ix", names, N).p); /* one edit of two bytes is no likeness */
    assert_null(nearest("keywords", names, N).p);
    assert_null(nearest("", names, N).p);
    static const char *const same[] = {"abd", "abc", "abe"};
    assert_str(nearest("abx", same, 3), "abd"); /* the first of equals */
    assert_str(nearest("ABC", same, 3), "abc");
}

static void base64url_is_canonical(void **state)
{
    (void)state;
    static const struct {
        struct pap_str text;
        bool good;
        size_t bytes;
    } rows[] = {
        {S_INIT(""), true, 0},          {S_INIT("AA"), true, 1},   {S_INIT("AAA"), true, 2},
        {S_INIT("AAAA"), true, 3},      {S_INIT("_-9z"), true, 3}, {S_INIT("AAAAAQ"), true, 4},
        {S_INIT("AAAAAAE"), true, 5},   {S_INIT("A"), false, 0},   {S_INIT("AAAAA"), false, 0},
        {S_INIT("AB"), false, 0},       {S_INIT("AAB"), false, 0}, {S_INIT("AA=="), false, 0},
        {S_INIT("AAA="), false, 0},     {S_INIT("+A"), false, 0},  {S_INIT("/A"), false, 0},
        {S_INIT("AA\n"), false, 0},     {S_INIT("A A"), false, 0}, {S_INIT("AA\0"), false, 0},
        {S_INIT("\xc3\xa9"), false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t bytes = 0;
        bool good = base64url_check(rows[i].text, &bytes);
        if (good != rows[i].good || bytes != rows[i].bytes)
            unit_fail("%.*s: %d, %zu bytes", PSTR(rows[i].text), good, bytes);
    }
    /* Of the 64 letters, 4 may be the second and last one, 16 the third and last one. */
    unsigned two = 0, three = 0;
    for (int c = 0; c < 256; c++) {
        char text[3] = {'Q', 'Q', 'Q'};
        size_t bytes;
        text[1] = (char)c;
        two += base64url_check(str(text, 2), &bytes);
        text[1] = 'Q';
        text[2] = (char)c;
        three += base64url_check(str(text, 3), &bytes);
    }
    assert_int_equal(two, 4);
    assert_int_equal(three, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_count_edits),
        cmocka_unit_test(the_nearest_is_kept),
        cmocka_unit_test(base64url_is_canonical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
