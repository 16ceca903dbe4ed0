/* SPDX-License-Identifier: Apache-2.0
 *
 * The plan: which rows a run looks at, chosen by patterns, sorted by what they judge.
 */
#include "proto/check.h"

bool check_fits(const struct check *c, const char *pattern)
{
    struct pap_str id = str_c(c->id), p = str_c(pattern), rest = str_c(c->covers), number;
    if (str_fits(id, p) || (str_starts(id, p) && id.n > p.n && id.p[p.n] == '.'))
        return true;
    while (str_next(&rest, ' ', &number))
        if (number.n && str_eq_nocase(number, p))
            return true;
    return false;
}

static bool fits_any(const struct check *c, const char *const *patterns)
{
    for (; *patterns; patterns++)
        if (check_fits(c, *patterns))
            return true;
    return false;
}

enum pap_severity check_severity(const struct check *c, enum profile profile)
{
    return profile == PROFILE_PUBLISH && c->strict ? PAP_ERROR : c->severity;
}

static bool is_of_profile(const struct check *c, enum profile profile)
{
    return !c->publish_only || profile == PROFILE_PUBLISH;
}

static pap_result know_pattern(const char *pattern, enum profile profile, struct pap_err *err)
{
    const struct check *c;
    struct pap_str near;
    bool elsewhere = false;
    for (size_t i = 0; (c = check_at(i)) != NULL; i++) {
        if (check_fits(c, pattern) && is_of_profile(c, profile))
            return OK;
        elsewhere |= check_fits(c, pattern);
    }
    if (elsewhere)
        return fail(err, PAP_USAGE, "\"%s\" is judged by papaver publish alone, not by a check", pattern);
    return check_near(str_c(pattern), &near)
               ? fail(err, PAP_USAGE, "no check is called \"%s\"; did you mean \"%.*s\"?", pattern, PSTR(near))
               : fail(err, PAP_USAGE, "no check fits \"%s\"; `papaver explain` lists them all", pattern);
}

static pap_result know_patterns(const char *const *patterns, enum profile profile, struct pap_err *err)
{
    for (; patterns && *patterns; patterns++)
        TRY(know_pattern(*patterns, profile, err));
    return OK;
}

static unsigned kinds_of(const struct check *c)
{
    return c->kind < KIND_COUNT ? OF(c->kind) : c->of ? c->of | c->also : OF_ANY;
}

pap_result plan_make(struct arena *a, enum profile profile, const char *const *only, const char *const *skip,
                     struct plan *ret, struct pap_err *err)
{
    struct plan p = {.profile = profile};
    const struct check *c;
    size_t total = 0;
    TRY(know_patterns(only, profile, err));
    TRY(know_patterns(skip, profile, err));
    while (check_at(total))
        total++;
    for (int k = 0; k < KIND_ROWS_COUNT; k++) {
        p.rows[k] = arena_new_array(a, total, const struct check *);
        if (!p.rows[k])
            return fail_memory(err);
    }
    for (size_t i = 0; (c = check_at(i)) != NULL; i++) {
        if (!is_of_profile(c, profile) || (only && *only && !fits_any(c, only)) || (skip && fits_any(c, skip)))
            continue;
        p.rows[c->kind][p.n[c->kind]++] = c;
        /* Text rows look at whatever is there; they ask for nothing to be fetched unless nothing else is selected. */
        if (c->kind != KIND_TEXT)
            p.kinds |= kinds_of(c);
    }
    if (!p.kinds && !p.n[KIND_TEXT])
        return fail(err, PAP_USAGE,
                    "no check is left to run: what the one list of patterns chooses, the other leaves out");
    if (!p.kinds)
        p.kinds = OF_ANY;
    *ret = p;
    return OK;
}

bool plan_has(const struct plan *p, const char *id)
{
    for (int k = 0; k < KIND_ROWS_COUNT; k++)
        for (size_t i = 0; i < p->n[k]; i++)
            if (str_is(str_c(p->rows[k][i]->id), id))
                return true;
    return false;
}

void plan_count(const struct plan *p, const struct version *v, size_t *ret_certain, size_t *ret_provisional)
{
    size_t certain = 0, provisional = 0;
    for (int k = 0; k < KIND_ROWS_COUNT; k++) {
        for (size_t i = 0; i < p->n[k]; i++) {
            certain += (p->rows[k][i]->sure & v->bit) != 0;
            provisional += (p->rows[k][i]->sure & v->bit) == 0 && (p->rows[k][i]->maybe & v->bit) != 0;
        }
    }
    *ret_certain = certain;
    *ret_provisional = provisional;
}
