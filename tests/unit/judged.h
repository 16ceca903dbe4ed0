/* SPDX-License-Identifier: Apache-2.0
 *
 * Documents in memory, judged by every row: a bundle is filled, then judged, and its findings are asked for by id.
 */
#ifndef TESTS_JUDGED_H
#define TESTS_JUDGED_H

#include "proto/check.h"
#include "unit.h"

struct judged {
    struct arena arena;
    struct bundle bundle;
    struct findings found;
};

static inline void judged_begin(struct judged *j, const struct pap_alloc *alloc)
{
    *j = (struct judged){0};
    arena_init(&j->arena, alloc);
}

static inline void judged_end(struct judged *j)
{
    arena_fini(&j->arena);
}

/* Reads a document and adds it, with what is inside it. */
static inline pap_result judged_add(struct judged *j, struct doc d, const struct doc **ret)
{
    TRY(doc_read(&j->arena, &d));
    struct doc *added = bundle_add(&j->bundle, &j->arena, d);
    if (!added)
        return fail_memory(NULL);
    if (ret)
        *ret = added;
    return bundle_add_inside(&j->bundle, &j->arena, added);
}

static inline pap_result judged_run(struct judged *j)
{
    struct plan plan;
    TRY(plan_make(&j->arena, PROFILE_CHECK, NULL, NULL, &plan, NULL));
    bundle_choose_version(&j->bundle, NULL);
    return judge(&j->arena, &plan, &j->bundle, &j->found, NULL);
}

/* The first finding of that id, NULL when there is none. */
static inline const struct pap_finding *judged_find(const struct judged *j, const char *id)
{
    for (size_t i = 0; i < j->found.n; i++)
        if (str_is(str_c(j->found.items[i].id), id))
            return &j->found.items[i];
    return NULL;
}

static inline void judged_show(const struct judged *j)
{
    for (size_t i = 0; i < j->found.n; i++)
        print_message("  %s: %.*s\n    %.*s\n", j->found.items[i].id, PSTR(j->found.items[i].message),
                      PSTR(j->found.items[i].mend));
}

/* The finding is there, and its sentence or its repair holds the part. */
static inline void judged_assert(const struct judged *j, const char *id, const char *part)
{
    const struct pap_finding *f = judged_find(j, id);
    struct pap_str p = str_c(part);
    if (f && (str_find(f->message, p) < f->message.n || str_find(f->mend, p) < f->mend.n))
        return;
    judged_show(j);
    unit_fail("no finding %s that says \"%s\"", id, part);
}

#endif
