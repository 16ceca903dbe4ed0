/* SPDX-License-Identifier: Apache-2.0
 *
 * Looking up: an entry by its name, a release by its version or by a range (remote-skills 3, decision 20).
 */
#include "skills/catalog.h"
#include "skills/range.h"
#include "text/similar.h"

const struct catalog_entry *catalog_find(const struct catalog *c, struct pap_str name)
{
    size_t low = 0, high = c->n_entries;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = str_cmp(name, c->entries[mid].name);
        if (order == 0)
            return &c->entries[mid];
        if (order < 0)
            high = mid;
        else
            low = mid + 1;
    }
    return NULL;
}

const struct catalog_release *catalog_release_find(const struct catalog_entry *e, struct pap_str version)
{
    for (size_t i = 0; i < e->n_releases; i++)
        if (version.p && str_eq(e->releases[i].version, version))
            return &e->releases[i];
    return NULL;
}

/* Why it is not there, for a sentence: it was skipped, or it has another name. */
static struct pap_str explain(struct arena *a, const struct catalog *c, struct pap_str name)
{
    struct similar near = {.distance = SIZE_MAX};
    for (size_t i = 0; i < c->n_skipped; i++)
        if (str_eq(c->skipped[i].name, name))
            return arena_fmt(a, ": its entry was left out, because %.*s", PSTR(c->skipped[i].fault.text));
    for (size_t i = 0; i < c->n_entries; i++)
        similar_try(&near, name, c->entries[i].name);
    return near.best.p ? arena_fmt(a, "; did you mean %.*s?", PSTR(near.best)) : S("");
}

static pap_result not_found(struct arena *a, const struct catalog *c, struct pap_str alias, struct pap_str name,
                            struct skill_fault *ret)
{
    struct pap_str more = explain(a, c, name);
    if (!more.p)
        return fail_memory(NULL);
    TRY(skill_fault_make(a, ret, SKILL_NOT_FOUND, "there is no skill %s%.*s", skill_quote(a, name), PSTR(more)));
    skill_fault_set(ret, SKILL_KEY_ORIGIN_ALIAS, alias);
    skill_fault_set(ret, SKILL_KEY_SKILL_NAME, name);
    return OK;
}

/* The first release in the order of the list that fits (R-SEL-5). A deprecated one only when the range is a version;
 * *ret_passed is the first that was passed over for that. */
static const struct catalog_release *choose(const struct catalog_entry *e, const struct range *range,
                                            const struct catalog_release **ret_passed)
{
    if (!e->current->version.p)
        return range->form == RANGE_ANY ? e->current : NULL;
    for (size_t i = 0; i < e->n_releases; i++) {
        const struct catalog_release *r = &e->releases[i];
        if (!range_holds(range, &r->semver))
            continue;
        if (!r->deprecated.p || range->form == RANGE_EXACT)
            return r;
        if (!*ret_passed)
            *ret_passed = r;
    }
    return NULL;
}

static struct pap_str why_none(struct arena *a, const struct catalog_entry *e, bool readable, struct pap_str range,
                               const struct catalog_release *passed)
{
    const char *asked = skill_quote(a, range), *name = e->name.p;
    if (!readable)
        return arena_fmt(a, "%s is no range of versions; write 1.x, 1.4.x, ^1.4.2, ~1.4.2, 1.4.2 or >=1.4.0 <2.0.0",
                         asked);
    if (!e->current->version.p)
        return arena_fmt(a, "%s has no versions, so none fits %s", name, asked);
    if (passed)
        return arena_fmt(a, "all that fits of %s is deprecated (%.*s: %s); name a version to take it all the same",
                         name, PSTR(passed->version), skill_quote(a, passed->deprecated));
    if (!range.p)
        return arena_fmt(a, "%s has prereleases only, the highest of them %.*s; name a version to take one", name,
                         PSTR(e->releases[0].version));
    if (e->n_releases == 1)
        return arena_fmt(a, "no version of %s fits %s; the only one is %.*s", name, asked,
                         PSTR(e->releases[0].version));
    return arena_fmt(a, "no version of %s fits %s; there are %zu, %.*s to %.*s", name, asked, e->n_releases,
                     PSTR(e->releases[e->n_releases - 1].version), PSTR(e->releases[0].version));
}

static pap_result unavailable(struct arena *a, struct pap_str alias, struct pap_str range, struct pap_str text,
                              const struct catalog_entry *e, struct skill_fault *ret)
{
    if (!text.p)
        return fail_memory(NULL);
    TRY(skill_fault_make(a, ret, SKILL_VERSION_UNAVAILABLE, "%.*s", PSTR(text)));
    skill_fault_set(ret, SKILL_KEY_ORIGIN_ALIAS, alias);
    skill_fault_set(ret, SKILL_KEY_SKILL_NAME, e->name);
    skill_fault_set(ret, SKILL_KEY_REQUESTED_RANGE, range);
    return OK;
}

pap_result catalog_select(struct arena *a, const struct catalog *c, struct pap_str alias, struct pap_str name,
                          struct pap_str range_text, struct catalog_choice *ret, struct skill_fault *ret_fault)
{
    const struct catalog_entry *e = catalog_find(c, name);
    const struct catalog_release *passed = NULL;
    struct range range;
    struct skill_fault fault = {0};
    if (!e) {
        TRY(not_found(a, c, alias, name, &fault));
        *ret_fault = fault;
        return OK;
    }
    bool readable = range_parse(range_text, &range);
    const struct catalog_release *chosen = readable ? choose(e, &range, &passed) : NULL;
    if (!chosen)
        TRY(unavailable(a, alias, range_text, why_none(a, e, readable, range_text, passed), e, &fault));
    else
        *ret = (struct catalog_choice){e, chosen, chosen == e->current};
    *ret_fault = fault;
    return OK;
}
