/* SPDX-License-Identifier: Apache-2.0 */
#include "skills/range.h"

static bool is_number(struct pap_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!ascii_is_digit(s.p[i]))
            return false;
    return s.n > 0 && (s.n == 1 || s.p[0] != '0');
}

/* "1.x", "1.4.X", "1.*" */
static bool parse_wildcard(struct pap_str text, struct range *r)
{
    struct pap_str rest = text, part = {0};
    size_t n = 0;
    while (str_next(&rest, '.', &part) && rest.p && n < 2) {
        if (!is_number(part))
            return false;
        r->version.core[n++] = part;
    }
    r->form = n == 1 ? RANGE_MAJOR : RANGE_MINOR;
    return n > 0 && !rest.p && (str_is(part, "x") || str_is(part, "X") || str_is(part, "*"));
}

static bool parse_comparators(struct pap_str text, struct range *r)
{
    struct pap_str rest = text, part;
    r->form = RANGE_COMPARATORS;
    while (str_next(&rest, ' ', &part)) {
        if (r->n == LIMIT_RANGE_COMPARATORS || part.n == 0 || (part.p[0] != '<' && part.p[0] != '>'))
            return false;
        struct range_comparator *c = &r->comparators[r->n++];
        c->less = part.p[0] == '<';
        c->equal = part.n > 1 && part.p[1] == '=';
        if (!semver_parse(str_skip(part, c->equal ? 2 : 1), &c->version))
            return false;
    }
    return true;
}

static bool parse_one(struct pap_str text, struct range *r)
{
    char first = text.n ? text.p[0] : '\0';
    if (!text.p || str_is(text, "*"))
        return true;
    if (first == '<' || first == '>')
        return parse_comparators(text, r);
    r->form = first == '~' ? RANGE_TILDE : first == '^' ? RANGE_CARET : RANGE_EXACT;
    return semver_parse(r->form == RANGE_EXACT ? text : str_skip(text, 1), &r->version) || parse_wildcard(text, r);
}

bool range_parse(struct pap_str text, struct range *ret)
{
    struct range r = {.form = RANGE_ANY};
    if (text.n > LIMIT_RANGE || !parse_one(text, &r))
        return false;
    *ret = r;
    return true;
}

/* The first n of the three numbers are the same. They have no leading zeros, so texts compare. */
static bool same_core(const struct semver *a, const struct semver *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!str_eq(a->core[i], b->core[i]))
            return false;
    return true;
}

static bool names_prerelease_of(const struct semver *asked, const struct semver *v)
{
    return asked->prerelease.p && same_core(asked, v, 3);
}

static bool may_be_prerelease(const struct range *r, const struct semver *v)
{
    for (size_t i = 0; i < r->n; i++)
        if (names_prerelease_of(&r->comparators[i].version, v))
            return true;
    return names_prerelease_of(&r->version, v);
}

/* How many of the three numbers must not change under ^: up to the first that is not 0. */
static size_t fixed_by_caret(const struct semver *v)
{
    return !str_is(v->core[0], "0") ? 1 : !str_is(v->core[1], "0") ? 2 : 3;
}

static bool fits(const struct range_comparator *c, const struct semver *v)
{
    int order = semver_cmp(v, &c->version);
    return order == 0 ? c->equal : (order < 0) == c->less;
}

bool range_holds(const struct range *r, const struct semver *v)
{
    if (v->prerelease.p && !may_be_prerelease(r, v))
        return false;
    switch (r->form) {
    case RANGE_ANY:
        return true;
    case RANGE_MAJOR:
        return same_core(&r->version, v, 1);
    case RANGE_MINOR:
        return same_core(&r->version, v, 2);
    case RANGE_EXACT:
        return semver_cmp(&r->version, v) == 0;
    case RANGE_TILDE: /* a release above and with the same numbers is below the next ones, which R-SEL-2 names */
        return semver_cmp(v, &r->version) >= 0 && same_core(&r->version, v, 2);
    case RANGE_CARET:
        return semver_cmp(v, &r->version) >= 0 && same_core(&r->version, v, fixed_by_caret(&r->version));
    case RANGE_COMPARATORS:
        break;
    }
    for (size_t i = 0; i < r->n; i++)
        if (!fits(&r->comparators[i], v))
            return false;
    return true;
}
