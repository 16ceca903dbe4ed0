/* SPDX-License-Identifier: Apache-2.0 */
#include "text/yaml_inside.h"

/* ---- the core schema ---- */

static bool is_one_of(struct pap_str s, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_is(s, words[i]))
            return true;
    return false;
}

static size_t digits(struct pap_str s, size_t at, bool hex)
{
    size_t from = at;
    while (at < s.n && (ascii_is_digit(s.p[at]) || (hex && ascii_lower(s.p[at]) >= 'a' && ascii_lower(s.p[at]) <= 'f')))
        at++;
    return at - from;
}

/* The numbers of the core schema (YAML 1.2.2 section 10.3.2). .inf and .nan are none in JSON: they stay text. */
static bool is_number(struct pap_str s)
{
    if (s.n > 2 && s.p[0] == '0' && s.p[1] == 'x')
        return digits(s, 2, true) == s.n - 2;
    if (s.n > 2 && s.p[0] == '0' && s.p[1] == 'o')
        return digits(s, 2, false) == s.n - 2 && str_find_char(s, '8') == s.n && str_find_char(s, '9') == s.n;
    size_t at = s.n && (s.p[0] == '-' || s.p[0] == '+') ? 1 : 0;
    size_t whole = digits(s, at, false), part = 0;
    at += whole;
    if (at < s.n && s.p[at] == '.') {
        part = digits(s, at + 1, false);
        at += 1 + part;
    }
    if (whole + part == 0)
        return false;
    if (at < s.n && ascii_lower(s.p[at]) == 'e') {
        at += 1 + (at + 1 < s.n && (s.p[at + 1] == '-' || s.p[at + 1] == '+'));
        size_t exponent = digits(s, at, false);
        at = exponent ? at + exponent : 0;
    }
    return at == s.n;
}

enum json_type yaml_plain_type(struct pap_str s)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    static const char *const trues[] = {"true", "True", "TRUE"};
    static const char *const falses[] = {"false", "False", "FALSE"};
    if (s.n > 5)
        return is_number(s) ? JSON_NUMBER : JSON_STRING;
    return is_one_of(s, nulls, 5)    ? JSON_NULL
           : is_one_of(s, trues, 3)  ? JSON_TRUE
           : is_one_of(s, falses, 3) ? JSON_FALSE
           : is_number(s)            ? JSON_NUMBER
                                     : JSON_STRING;
}

/* ---- YAML 1.1 line separators ----
 *
 * libyaml ends a line at U+0085, U+2028 and U+2029, YAML 1.2 does not: `name: a<NEL>b: c` would become two keys. They
 * are masked by characters of the same length and put back into what was read. */

static const struct mask {
    const char *is, *as;
    size_t n;
} masks[] = {
    {"\xc2\x85", "\xdf\xbc", 2},         /* as U+07FC, not assigned */
    {"\xe2\x80\xa8", "\xef\xa3\xb0", 3}, /* as U+F8F0, private use */
    {"\xe2\x80\xa9", "\xef\xa3\xb1", 3}, /* as U+F8F1 */
};

enum { MASKS = sizeof masks / sizeof *masks };

/* The mask whose `is` (or `as`) stands at the start of `s`, or NULL. */
static const struct mask *mask_at(const char *p, size_t n, bool masked)
{
    for (const struct mask *m = masks; m < masks + MASKS; m++)
        if (n >= m->n && memcmp(p, masked ? m->as : m->is, m->n) == 0)
            return m;
    return NULL;
}

/* A masking character that is there already, or as \u escape, could not be told apart. Nobody writes such a block. */
bool yaml_can_mask(struct pap_str text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (mask_at(text.p + i, text.n - i, true))
            return false;
        struct pap_str four = str(text.p + i, 4);
        if (text.n - i >= 4 &&
            (str_eq_nocase(four, S("07fc")) || str_eq_nocase(four, S("f8f0")) || str_eq_nocase(four, S("f8f1"))))
            return false;
    }
    return true;
}

void yaml_mask(char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct mask *m = mask_at(p + i, n - i, false);
        if (m)
            memcpy(p + i, m->as, m->n);
    }
}

void yaml_unmask(char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct mask *m = mask_at(p + i, n - i, true);
        if (m)
            memcpy(p + i, m->is, m->n);
    }
}
