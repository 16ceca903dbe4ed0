/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings come document by document, and those about several documents at the end; people want them together. One
 * pass and a hash table, so that a folder of thousands of documents stays linear.
 */
#include "report/format.h"

struct pap_str group_by_where(const struct pap_finding *f)
{
    return f->where;
}

struct pap_str group_by_id(const struct pap_finding *f)
{
    return str_c(f->id);
}

uint64_t hash_on(uint64_t h, struct pap_str s)
{
    for (size_t i = 0; i < s.n; i++)
        h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3u;
    return h;
}

static void join(struct groups *g, struct group *to, uint32_t i, const struct pap_finding *f)
{
    if (to->first == GROUP_END)
        to->first = i;
    else
        g->next[to->last] = i;
    to->last = i;
    g->next[i] = GROUP_END;
    if (f->known)
        to->known++;
    else
        to->counts[f->severity]++;
}

struct groups group_findings(struct report *r, const struct report_target *t,
                             struct pap_str (*key)(const struct pap_finding *f))
{
    size_t slots = 8;
    while (slots < t->n_findings * 2)
        slots *= 2;
    struct groups g = {
        .items = arena_new_array(&r->arena, t->n_findings, struct group),
        .next = arena_new_array(&r->arena, t->n_findings, uint32_t),
    };
    uint32_t *table = arena_new_array(&r->arena, slots, uint32_t); /* index of a group + 1 */
    if (!g.items || !g.next || !table) {
        r->code = PAP_NO_MEMORY;
        return (struct groups){0};
    }
    for (uint32_t i = 0; i < t->n_findings; i++) {
        struct pap_str k = key(&t->findings[i]);
        uint64_t h = hash_on(HASH_BEGIN, k);
        size_t at = (size_t)(h ^ h >> 32) & (slots - 1);
        while (table[at] && !str_eq(g.items[table[at] - 1].key, k))
            at = (at + 1) & (slots - 1);
        if (!table[at]) {
            g.items[g.n++] = (struct group){.key = k, .first = GROUP_END};
            table[at] = (uint32_t)g.n;
        }
        join(&g, &g.items[table[at] - 1], i, &t->findings[i]);
    }
    return g;
}
