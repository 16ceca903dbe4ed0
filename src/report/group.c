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
    to->n++;
    g->next[i] = GROUP_END;
    if (f->known)
        to->known++;
    else
        to->counts[f->severity]++;
}

/* What is wrong with a whole document or with how it came stands first, a mere note about that last. */
static uint32_t line_of(const struct pap_finding *f)
{
    return f->line == 0 && f->severity == PAP_INFO ? UINT32_MAX : f->line;
}

static bool stands_before(const struct pap_finding *a, const struct pap_finding *b)
{
    return line_of(a) != line_of(b) ? line_of(a) < line_of(b) : a->column < b->column;
}

/* Sorts the chain of `n` findings that begins at *first, keeping the order of equal places; returns its last. */
static uint32_t sort(struct groups *g, const struct pap_finding *f, uint32_t *first, size_t n)
{
    uint32_t a = *first, b = a, last = a, *to = first;
    if (n < 2)
        return last;
    for (size_t i = 0; i < n / 2; i++) {
        last = b;
        b = g->next[b];
    }
    g->next[last] = GROUP_END;
    (void)sort(g, f, &a, n / 2);
    (void)sort(g, f, &b, n - n / 2);
    while (a != GROUP_END || b != GROUP_END) {
        bool take_b = a == GROUP_END || (b != GROUP_END && stands_before(&f[b], &f[a]));
        last = take_b ? b : a;
        if (take_b)
            b = g->next[b];
        else
            a = g->next[a];
        *to = last;
        to = &g->next[last];
    }
    *to = GROUP_END;
    return last;
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
    for (size_t i = 0; i < g.n; i++)
        g.items[i].last = sort(&g, t->findings, &g.items[i].first, g.items[i].n);
    return g;
}
