/* SPDX-License-Identifier: Apache-2.0
 *
 * Entries of which a file system can keep only one. Sorted by their folded paths, with '/' before every other byte, all
 * that share a folder stand together; hence two of them cannot stand together exactly when some two neighbours cannot,
 * and no folder that a path implies needs a place of its own.
 */
#include <stdlib.h>

#include "pack/pack.h"
#include "text/utf8.h"

struct item {
    struct pap_str key; /* folded path */
    const struct pack_entry *entry;
    size_t index; /* of the entry */
};

static int byte_at(struct pap_str s, size_t i)
{
    return i == s.n ? -1 : s.p[i] == '/' ? 0 : (unsigned char)s.p[i] + 1;
}

static int by_key(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    size_t i = str_first_difference(x->key, y->key);
    int c = byte_at(x->key, i) - byte_at(y->key, i);
    return c ? c : (x->index > y->index) - (x->index < y->index);
}

/* Takes the next component off; folding leaves every '/' in place, so that key and name have the same number. */
static bool next_component(struct pap_str *key, struct pap_str *name, struct pap_str *ret_key, struct pap_str *ret_name)
{
    return str_next(key, '/', ret_key) && str_next(name, '/', ret_name);
}

/* A file and a folder; two spellings; two entries. One folder that several paths imply is fine. */
static const char *why(const struct item *x, const struct item *y)
{
    struct pap_str xk = x->key, yk = y->key, xn = x->entry->name, yn = y->entry->name, xpart, ypart, xname, yname;
    if (!xk.n && !yk.n)
        return "have the same name";
    while (next_component(&xk, &xn, &xpart, &xname) && next_component(&yk, &yn, &ypart, &yname) &&
           str_eq(xpart, ypart)) {
        bool xfolder = xk.p || x->entry->type == PACK_DIR, yfolder = yk.p || y->entry->type == PACK_DIR;
        if (xfolder != yfolder)
            return "need one name for a file and for a folder";
        if (!str_eq(xname, yname))
            return "have names that differ in case or Unicode form only";
        if (!xk.p && !yk.p)
            return "have the same name";
    }
    return NULL;
}

/* Among the entries up to that index; *ret is written when there is one. */
static bool find_among(const struct item *items, size_t n, size_t last, struct pack_collision *ret)
{
    const struct item *before = NULL;
    for (const struct item *x = items; x < items + n; x++) {
        if (x->index > last)
            continue;
        const char *reason = before ? why(before, x) : NULL;
        if (reason) {
            bool forward = before->index < x->index;
            *ret =
                (struct pack_collision){forward ? before->entry : x->entry, forward ? x->entry : before->entry, reason};
            return true;
        }
        before = x;
    }
    return false;
}

static bool is_folded(struct pap_str name)
{
    for (size_t i = 0; i < name.n; i++)
        if ((unsigned char)name.p[i] >= 0x80 || (name.p[i] >= 'A' && name.p[i] <= 'Z'))
            return false;
    return true;
}

static pap_result fold(struct arena *a, struct pap_str name, struct pap_str *ret)
{
    *ret = is_folded(name) || utf8_check(name) < name.n ? name : utf8_fold(a, name);
    return ret->p || !name.n ? OK : fail_memory(NULL);
}

pap_result pack_find_collision(struct arena *scratch, const struct pack *p, struct pack_collision *ret)
{
    size_t n = 0, at = 0;
    struct pack_collision found = {0};
    for (const struct pack_entry *e = p->entries; e; e = e->next)
        n++;
    struct item *items = arena_new_array(scratch, n, struct item);
    if (!items)
        return fail_memory(NULL);
    for (const struct pack_entry *e = p->entries; e; e = e->next, at++) {
        items[at] = (struct item){.entry = e, .index = at};
        TRY(fold(scratch, e->name, &items[at].key));
    }
    if (n)
        qsort(items, n, sizeof *items, by_key);
    size_t low = 0, high = n ? n - 1 : 0; /* the first entry with which there is one */
    bool any = find_among(items, n, high, &found);
    while (any && low < high) {
        size_t mid = low + (high - low) / 2;
        if (find_among(items, n, mid, &found))
            high = mid;
        else
            low = mid + 1;
    }
    if (any)
        (void)find_among(items, n, low, &found);
    *ret = found;
    return OK;
}
