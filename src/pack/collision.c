/* SPDX-License-Identifier: Apache-2.0
 *
 * Entries of which a file system can keep only one. Every path is sorted by its folded form, every parent that it
 * implies too; what must not stand together then stands side by side.
 */
#include <stdlib.h>

#include "pack/pack.h"
#include "text/utf8.h"

struct node {
    struct pap_str key; /* folded path */
    struct pap_str raw; /* the same path as stored */
    const struct pack_entry *entry;
    size_t index;  /* of the entry */
    bool folder;   /* explicit or implied */
    bool explicit; /* the entry itself, not a parent of it */
};

static int by_key(const void *a, const void *b)
{
    const struct node *x = a, *y = b;
    int c = str_cmp(x->key, y->key);
    return c ? c : (x->index > y->index) - (x->index < y->index);
}

/* A file and a folder; two spellings; two entries. One folder that several paths imply is fine. */
static const char *why(const struct node *x, const struct node *y)
{
    if (x->folder != y->folder)
        return "need one name for a file and for a folder";
    if (!str_eq(x->raw, y->raw))
        return "have names that differ in case or Unicode form only";
    return x->explicit && y->explicit ? "have the same name" : NULL;
}

static size_t count_nodes(const struct pack *p)
{
    size_t n = 0;
    for (const struct pack_entry *e = p->entries; e; e = e->next) {
        n++;
        for (size_t i = 0; i < e->name.n; i++)
            n += e->name.p[i] == '/';
    }
    return n;
}

/* The nodes of one entry: each parent, then itself. Folding leaves every '/' in place. */
static struct node *add_nodes(struct node *to, const struct pack_entry *e, size_t index, struct pap_str key)
{
    size_t k = 0;
    for (size_t i = 0; i <= e->name.n; i++) {
        if (i < e->name.n && e->name.p[i] != '/')
            continue;
        k += str_find_char(str_skip(key, k), '/');
        bool whole = i == e->name.n;
        *to++ = (struct node){str_take(key, k), str_take(e->name, i), e, index, !whole || e->type == PACK_DIR, whole};
        k += !whole;
    }
    return to;
}

static pap_result fold(struct arena *a, struct pap_str name, struct pap_str *ret)
{
    *ret = utf8_check(name) < name.n || name.n == 0 ? name : utf8_fold(a, name);
    return ret->p || !name.n ? OK : fail_memory(NULL);
}

pap_result pack_find_collision(struct arena *scratch, const struct pack *p, struct pack_collision *ret)
{
    size_t n = count_nodes(p), index = 0, best = SIZE_MAX;
    struct node *nodes = arena_new_array(scratch, n, struct node), *end = nodes;
    if (!nodes)
        return fail_memory(NULL);
    for (const struct pack_entry *e = p->entries; e; e = e->next) {
        struct pap_str key;
        TRY(fold(scratch, e->name, &key));
        end = add_nodes(end, e, index++, key);
    }
    if (n)
        qsort(nodes, n, sizeof *nodes, by_key);
    struct pack_collision found = {0};
    const struct node *first = nodes, *entry = NULL; /* of the run of equal keys: the first, and the first explicit */
    for (const struct node *x = nodes; x < end; x++) {
        if (!str_eq(x->key, first->key)) {
            first = x;
            entry = NULL;
        }
        const struct node *with = x != first && why(first, x) ? first : entry;
        if (with && with != x && x->index < best && why(with, x)) {
            best = x->index;
            found = (struct pack_collision){with->entry, x->entry, why(with, x)};
        }
        if (!entry && x->explicit)
            entry = x;
    }
    *ret = found;
    return OK;
}
