/* SPDX-License-Identifier: Apache-2.0
 *
 * Two indexes that were public: of the tree that is written, and of the one that --prior names. Nothing of either is lost,
 * so what both stand for goes on; where they contradict each other people decide.
 */
#include <stdlib.h>

#include "publish/project.h"

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const struct prior_entry *)a)->name, ((const struct prior_entry *)b)->name);
}

void prior_sort(struct prior *prior)
{
    if (prior->n)
        qsort(prior->entries, prior->n, sizeof *prior->entries, by_name);
}

const struct prior_entry *prior_find(const struct prior *prior, struct pap_str name)
{
    struct prior_entry key = {.name = name};
    return prior->n ? bsearch(&key, prior->entries, prior->n, sizeof key, by_name) : NULL;
}

bool is_same_artifact(const struct artifact *a, const struct artifact *b)
{
    return str_eq(a->digest, b->digest) && a->archive == b->archive &&
           (!a->suffix || !b->suffix || strcmp(a->suffix, b->suffix) == 0);
}

static struct release *find_release(const struct prior_entry *e, struct pap_str version)
{
    for (size_t i = 0; i < e->n_releases; i++)
        if (str_eq(e->releases[i].version.text, version))
            return &e->releases[i];
    return NULL;
}

/* One version with two digests: only people know which is right. */
static pap_result refuse_both(struct project *p, struct pap_str skill, const struct release *ours,
                              const struct release *theirs)
{
    TRY(find_own(&p->judged, "publish.release", str_c(p->own_index), str(NULL, 0), 0,
                 "version %.*s of %.*s has the digest %.*s here, and %.*s in %s", PSTR(ours->version.text), PSTR(skill),
                 PSTR(ours->artifact.digest), PSTR(theirs->artifact.digest), p->o->prior));
    return mend_own(&p->judged,
                    "Write to another folder with --out if nothing of this one is public, or drop both: "
                    "--prune %.*s@%.*s",
                    PSTR(skill), PSTR(ours->version.text));
}

static pap_result merge_release(struct project *p, struct prior_entry *to, const struct release *ours)
{
    struct release *theirs = find_release(to, ours->version.text);
    if (!theirs) {
        to->releases[to->n_releases++] = *ours;
        return OK;
    }
    if (!is_same_artifact(&theirs->artifact, &ours->artifact) &&
        !named_in(p->o->prune, to->name, ours->version.text, false, NULL))
        return refuse_both(p, to->name, ours, theirs);
    theirs->deprecated = theirs->deprecated.p ? theirs->deprecated : ours->deprecated;
    return OK;
}

/* What both say of one skill. */
static pap_result merge_entry(struct project *p, struct prior_entry *to, const struct prior_entry *ours)
{
    struct release *all = arena_new_array(&p->arena, to->n_releases + ours->n_releases, struct release);
    if (!all)
        return fail_memory(NULL);
    if (to->n_releases)
        memcpy(all, to->releases, to->n_releases * sizeof *all);
    to->releases = all;
    for (size_t i = 0; i < ours->n_releases; i++)
        TRY(merge_release(p, to, &ours->releases[i]));
    return OK;
}

pap_result prior_merge(struct project *p, const struct prior *theirs, const struct prior *ours)
{
    struct prior *all = &p->prior;
    all->entries = arena_new_array(&p->arena, theirs->n + ours->n, struct prior_entry);
    if (!all->entries)
        return fail_memory(NULL);
    for (size_t i = 0; i < theirs->n; i++) {
        struct prior_entry *to = &all->entries[all->n++];
        const struct prior_entry *same = prior_find(ours, theirs->entries[i].name);
        *to = theirs->entries[i];
        if (same)
            TRY(merge_entry(p, to, same));
    }
    for (size_t i = 0; i < ours->n; i++)
        if (!prior_find(theirs, ours->entries[i].name))
            all->entries[all->n++] = ours->entries[i];
    prior_sort(all);
    return OK;
}
