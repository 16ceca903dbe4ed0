/* SPDX-License-Identifier: Apache-2.0
 *
 * A string that grows up to a maximum. Failures (out of memory, over the maximum) are sticky: write on, ask once at
 * the end with buf_ok(). Not thread-safe.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>

#include "base/alloc.h"
#include "base/result.h"
#include "base/str.h"

struct buf {
    const struct pap_alloc *alloc; /* NULL: libc */
    char *p;
    size_t n, cap;
    size_t max;         /* never more bytes than this */
    enum pap_code code; /* PAP_OK, PAP_NO_MEMORY or PAP_LIMIT */
};

void buf_init(struct buf *b, const struct pap_alloc *alloc, size_t max);
void buf_fini(struct buf *b);
/* Over memory of the caller's, which it never leaves: no more than `n` bytes, no allocator, no buf_fini(). */
static inline void buf_on(struct buf *b, char *p, size_t n)
{
    *b = (struct buf){.p = p, .cap = n, .max = n};
}
/* Forgets the content, keeps the memory, clears a failure. */
void buf_reset(struct buf *b);

void buf_add(struct buf *b, struct pap_str s);
void buf_char(struct buf *b, char c);
void buf_fmt(struct buf *b, const char *fmt, ...) PAP_PRINTF(2, 3);
void buf_vfmt(struct buf *b, const char *fmt, va_list ap) PAP_PRINTF(2, 0);

/* Room for n more bytes at the returned place; commit what was used with buf_grew(). NULL on failure. */
char *buf_room(struct buf *b, size_t n) PAP_MUST;
void buf_grew(struct buf *b, size_t n);

static inline bool buf_ok(const struct buf *b)
{
    return b->code == PAP_OK;
}

static inline struct pap_str buf_str(const struct buf *b)
{
    return str(b->p, b->n);
}

/* OK, or the sticky failure with its sentence. */
pap_result buf_result(const struct buf *b, struct pap_err *err) PAP_MUST;

#endif
