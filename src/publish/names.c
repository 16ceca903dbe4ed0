/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of names, sorted once and then looked up.
 */
#include <stdlib.h>

#include "publish/project.h"

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const struct pap_str *)a, *(const struct pap_str *)b);
}

pap_result names_add(struct arena *a, struct names *names, struct pap_str name)
{
    if (names->n == names->cap) {
        size_t cap = names->cap ? 2 * names->cap : 64;
        struct pap_str *more = arena_new_array(a, cap, struct pap_str);
        if (!more)
            return fail_memory(NULL);
        if (names->n)
            memcpy(more, names->at, names->n * sizeof *more);
        names->at = more;
        names->cap = cap;
    }
    names->at[names->n++] = name;
    return OK;
}

void names_sort(struct names *names)
{
    if (names->n)
        qsort(names->at, names->n, sizeof *names->at, by_text);
}

bool names_have_below(const struct names *sorted, struct pap_str folder)
{
    size_t from = 0, end = sorted->n; /* the first name that is not below "folder/" in order */
    while (from < end) {
        size_t mid = from + (end - from) / 2;
        struct pap_str head = str_take(sorted->at[mid], folder.n);
        int c = str_cmp(head, folder);
        bool before = c < 0 || (c == 0 && (sorted->at[mid].n == folder.n || sorted->at[mid].p[folder.n] < '/'));
        from = before ? mid + 1 : from;
        end = before ? end : mid;
    }
    return from < sorted->n && str_starts(sorted->at[from], folder) && sorted->at[from].n > folder.n &&
           sorted->at[from].p[folder.n] == '/';
}

bool names_have(const struct names *sorted, struct pap_str name)
{
    return sorted->n && bsearch(&name, sorted->at, sorted->n, sizeof name, by_text);
}
