/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include <stdio.h>

void buf_init(struct buf *b, const struct pap_alloc *alloc, size_t max)
{
    *b = (struct buf){.alloc = alloc, .max = max};
}

void buf_fini(struct buf *b)
{
    if (b->p)
        (void)alloc_resize(b->alloc, b->p, b->cap, 0);
    b->p = NULL;
    b->n = b->cap = 0;
}

void buf_reset(struct buf *b)
{
    b->n = 0;
    b->code = PAP_OK;
}

char *buf_room(struct buf *b, size_t n)
{
    if (b->code != PAP_OK)
        return NULL;
    if (n > b->max || b->n > b->max - n) {
        b->code = PAP_LIMIT;
        return NULL;
    }
    if (b->cap - b->n < n) {
        size_t cap = b->cap ? b->cap : 256;
        while (cap - b->n < n)
            cap = cap > b->max / 2 ? b->max : cap * 2;
        char *p = alloc_resize(b->alloc, b->p, b->cap, cap);
        if (!p) {
            b->code = PAP_NO_MEMORY;
            return NULL;
        }
        b->p = p;
        b->cap = cap;
    }
    return b->p + b->n;
}

void buf_grew(struct buf *b, size_t n)
{
    b->n += n;
}

void buf_add(struct buf *b, struct pap_str s)
{
    char *p = s.n ? buf_room(b, s.n) : NULL;
    if (p) {
        memcpy(p, s.p, s.n);
        b->n += s.n;
    }
}

void buf_char(struct buf *b, char c)
{
    char *p = buf_room(b, 1);
    if (p) {
        *p = c;
        b->n++;
    }
}

void buf_vfmt(struct buf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    char *p = n >= 0 ? buf_room(b, (size_t)n + 1) : NULL;
    if (p) {
        (void)vsnprintf(p, (size_t)n + 1, fmt, again);
        b->n += (size_t)n;
    }
    va_end(again);
}

void buf_fmt(struct buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    buf_vfmt(b, fmt, ap);
    va_end(ap);
}

pap_result buf_result(const struct buf *b, struct pap_err *err)
{
    if (b->code == PAP_NO_MEMORY)
        return fail_memory(err);
    if (b->code == PAP_LIMIT)
        return fail(err, PAP_LIMIT, "more than %zu bytes", b->max);
    return OK;
}
