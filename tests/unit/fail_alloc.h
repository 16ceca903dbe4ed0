/* SPDX-License-Identifier: Apache-2.0
 *
 * An allocator that fails at its nth call, for the test of every failing allocation:
 *     for (unsigned n = 1; n < FAIL_ALLOC_MOST; n++) { struct fail_alloc f; ... fail_alloc_init(&f, n); ...
 *         if (is_ok(result)) break; assert that the failure is PAP_NO_MEMORY and f.live is 0 }
 */
#ifndef TESTS_FAIL_ALLOC_H
#define TESTS_FAIL_ALLOC_H

#include <stdlib.h>

#include <papaver/base.h>

enum { FAIL_ALLOC_MOST = 100000 };

struct fail_alloc {
    struct pap_alloc alloc; /* give &f.alloc to the code under test */
    unsigned calls, fail_at;
    long live; /* blocks not yet freed */
};

static inline void *fail_alloc_fn(void *ctx, void *old, size_t old_size, size_t new_size)
{
    struct fail_alloc *f = ctx;
    (void)old_size;
    if (new_size == 0) {
        f->live -= old != NULL;
        free(old);
        return NULL;
    }
    if (++f->calls == f->fail_at)
        return NULL;
    void *p = realloc(old, new_size);
    f->live += p != NULL && old == NULL;
    return p;
}

static inline void fail_alloc_init(struct fail_alloc *f, unsigned fail_at)
{
    *f = (struct fail_alloc){.fail_at = fail_at};
    f->alloc = (struct pap_alloc){fail_alloc_fn, f};
}

#endif
