/* SPDX-License-Identifier: Apache-2.0 */
#include "text/note.h"

bool note_add(struct notes *notes, struct arena *a, struct note n)
{
    struct note *p = arena_new(a, struct note);
    if (!p)
        return false;
    *p = n;
    p->next = NULL;
    if (notes->last)
        notes->last->next = p;
    else
        notes->first = p;
    notes->last = p;
    notes->n++;
    return true;
}
