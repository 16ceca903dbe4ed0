/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls the caller's allocator, or libc's where there is none.
 */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stdlib.h>

#include <papaver/base.h>

static inline void *alloc_resize(const struct pap_alloc *a, void *old, size_t old_size, size_t new_size)
{
    if (a && a->fn)
        return a->fn(a->ctx, old, old_size, new_size);
    if (new_size == 0) {
        free(old);
        return NULL;
    }
    return realloc(old, new_size);
}

#endif
