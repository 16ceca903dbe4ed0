/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

bool str_eq_nocase(struct pap_str a, struct pap_str b)
{
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (ascii_lower(a.p[i]) != ascii_lower(b.p[i]))
            return false;
    return true;
}

bool str_has_nocase(struct pap_str s, struct pap_str needle)
{
    for (size_t i = 0; i + needle.n <= s.n; i++)
        if (str_eq_nocase(str(s.p + i, needle.n), needle))
            return true;
    return false;
}

int str_cmp(struct pap_str a, struct pap_str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int c = n ? memcmp(a.p, b.p, n) : 0;
    return c ? c : (a.n > b.n) - (a.n < b.n);
}

size_t str_find_char(struct pap_str s, char c)
{
    const char *hit = s.n ? memchr(s.p, c, s.n) : NULL;
    return hit ? (size_t)(hit - s.p) : s.n;
}

size_t str_rfind_char(struct pap_str s, char c)
{
    const char *hit = s.n ? memrchr(s.p, c, s.n) : NULL;
    return hit ? (size_t)(hit - s.p) : s.n;
}

size_t str_find(struct pap_str s, struct pap_str needle)
{
    if (needle.n == 0)
        return 0;
    const char *hit = s.n ? memmem(s.p, s.n, needle.p, needle.n) : NULL;
    return hit ? (size_t)(hit - s.p) : s.n;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct pap_str str_trim(struct pap_str s)
{
    while (s.n && is_blank(s.p[0]))
        s = str_skip(s, 1);
    while (s.n && is_blank(s.p[s.n - 1]))
        s.n--;
    return s;
}

bool str_next(struct pap_str *rest, char sep, struct pap_str *ret_part)
{
    if (!rest->p)
        return false;
    size_t at = str_find_char(*rest, sep);
    *ret_part = str_take(*rest, at);
    *rest = at == rest->n ? str(NULL, 0) : str_skip(*rest, at + 1);
    return true;
}

bool str_to_u64(struct pap_str s, uint64_t *ret)
{
    uint64_t v = 0;
    if (s.n == 0)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (!ascii_is_digit(s.p[i]))
            return false;
        unsigned d = (unsigned)(s.p[i] - '0');
        if (v > (UINT64_MAX - d) / 10)
            return false;
        v = v * 10 + d;
    }
    *ret = v;
    return true;
}

/* On a mismatch only the last star moves on. */
bool str_fits(struct pap_str s, struct pap_str pattern)
{
    size_t p = 0, i = 0, star = SIZE_MAX, mark = 0;
    while (i < s.n) {
        if (p < pattern.n && pattern.p[p] == '*') {
            star = p++;
            mark = i;
        } else if (p < pattern.n && (pattern.p[p] == '?' || pattern.p[p] == s.p[i])) {
            p++;
            i++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            i = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.n && pattern.p[p] == '*')
        p++;
    return p == pattern.n;
}

size_t str_first_difference(struct pap_str a, struct pap_str b)
{
    size_t i = 0;
    while (i < a.n && i < b.n && a.p[i] == b.p[i])
        i++;
    return i;
}
