/* SPDX-License-Identifier: Apache-2.0 */
#include "text/semver.h"

enum { MOST = 1024 };

static bool is_number(struct pap_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!ascii_is_digit(s.p[i]))
            return false;
    return s.n > 0;
}

static bool is_strict_number(struct pap_str s)
{
    return is_number(s) && (s.n == 1 || s.p[0] != '0');
}

/* Identifiers with dots between; `numbers_strict`: without leading zeros. */
static bool are_identifiers(struct pap_str s, bool numbers_strict)
{
    struct pap_str rest = s, part;
    if (s.n == 0)
        return false;
    while (str_next(&rest, '.', &part)) {
        for (size_t i = 0; i < part.n; i++)
            if (!ascii_is_alnum(part.p[i]) && part.p[i] != '-')
                return false;
        if (part.n == 0 || (numbers_strict && is_number(part) && !is_strict_number(part)))
            return false;
    }
    return true;
}

bool semver_parse(struct pap_str text, struct semver *ret)
{
    struct semver v = {.text = text};
    struct pap_str rest = text;
    size_t plus = str_find_char(rest, '+');
    if (text.n > MOST)
        return false;
    if (plus < rest.n) {
        v.build = str_skip(rest, plus + 1);
        rest = str_take(rest, plus);
    }
    size_t hyphen = str_find_char(rest, '-');
    if (hyphen < rest.n) {
        v.prerelease = str_skip(rest, hyphen + 1);
        rest = str_take(rest, hyphen);
    }
    for (size_t i = 0; i < 3; i++)
        if (!rest.p || !str_next(&rest, '.', &v.core[i]) || !is_strict_number(v.core[i]))
            return false;
    if (rest.p || (v.prerelease.p && !are_identifiers(v.prerelease, true)) ||
        (v.build.p && !are_identifiers(v.build, false)))
        return false;
    *ret = v;
    return true;
}

static int number_cmp(struct pap_str a, struct pap_str b)
{
    return a.n != b.n ? (a.n > b.n ? 1 : -1) : str_cmp(a, b);
}

/* Numbers come before words. */
static int identifier_cmp(struct pap_str a, struct pap_str b)
{
    bool an = is_number(a), bn = is_number(b);
    return an && bn ? number_cmp(a, b) : an != bn ? (an ? -1 : 1) : str_cmp(a, b);
}

static int prerelease_cmp(struct pap_str a, struct pap_str b)
{
    struct pap_str x, y;
    if (!a.p || !b.p)
        return (a.p == NULL) - (b.p == NULL);
    while (a.p && b.p) {
        (void)str_next(&a, '.', &x);
        (void)str_next(&b, '.', &y);
        int c = identifier_cmp(x, y);
        if (c)
            return c;
    }
    return (a.p != NULL) - (b.p != NULL);
}

int semver_cmp(const struct semver *a, const struct semver *b)
{
    for (size_t i = 0; i < 3; i++) {
        int c = number_cmp(a->core[i], b->core[i]);
        if (c)
            return c;
    }
    return prerelease_cmp(a->prerelease, b->prerelease);
}

int semver_history_cmp(const struct semver *a, const struct semver *b)
{
    int c = semver_cmp(b, a);
    return c ? c : str_cmp(a->text, b->text);
}
