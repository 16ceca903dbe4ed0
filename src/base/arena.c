/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdio.h>

struct arena_block {
    struct arena_block *next;
    size_t size; /* of the whole block, this header included */
    alignas(max_align_t) char data[];
};

enum { BLOCK_FIRST = 16 * 1024, BLOCK_MAX = 1024 * 1024 };

void arena_init(struct arena *a, const struct pap_alloc *alloc)
{
    *a = (struct arena){.alloc = alloc};
}

static void free_blocks(struct arena *a, struct arena_block *from)
{
    while (from) {
        struct arena_block *next = from->next;
        (void)alloc_resize(a->alloc, from, from->size, 0);
        from = next;
    }
}

void arena_fini(struct arena *a)
{
    free_blocks(a, a->head);
    a->head = NULL;
    a->at = a->end = NULL;
    a->total = 0;
}

void arena_reset(struct arena *a)
{
    if (!a->head)
        return;
    /* Keep the oldest block, the one of ordinary size, and let big ones go: memory stays flat over many units of work. */
    struct arena_block *last = a->head;
    while (last->next) {
        struct arena_block *next = last->next;
        (void)alloc_resize(a->alloc, last, last->size, 0);
        last = next;
    }
    a->head = last;
    a->at = last->data;
    a->end = (char *)last + last->size;
    a->total = last->size;
}

static bool grow(struct arena *a, size_t need)
{
    size_t size = a->head ? a->head->size : BLOCK_FIRST / 2;
    size = size < BLOCK_MAX / 2 ? size * 2 : BLOCK_MAX;
    if (need > SIZE_MAX - sizeof(struct arena_block) - alignof(max_align_t))
        return false;
    if (size < need + sizeof(struct arena_block) + alignof(max_align_t))
        size = need + sizeof(struct arena_block) + alignof(max_align_t);
    if (a->max && (size > a->max || a->total > a->max - size))
        return false;
    struct arena_block *b = alloc_resize(a->alloc, NULL, 0, size);
    if (!b)
        return false;
    b->next = a->head;
    b->size = size;
    a->head = b;
    a->at = b->data;
    a->end = (char *)b + size;
    a->total += size;
    return true;
}

static char *take(struct arena *a, size_t n, size_t align)
{
    size_t pad = (size_t)(-(uintptr_t)a->at) & (align - 1);
    if (!a->at || (size_t)(a->end - a->at) < pad || (size_t)(a->end - a->at) - pad < n) {
        if (!grow(a, n))
            return NULL;
        pad = (size_t)(-(uintptr_t)a->at) & (align - 1);
    }
    char *p = a->at + pad;
    a->at = p + n;
    return p;
}

void *arena_alloc(struct arena *a, size_t n)
{
    char *p = take(a, n, alignof(max_align_t));
    return p ? memset(p, 0, n) : NULL;
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
    return size && count > SIZE_MAX / size ? NULL : arena_alloc(a, count * size);
}

char *arena_text(struct arena *a, size_t n)
{
    return take(a, n, 1);
}

struct pap_str arena_str(struct arena *a, struct pap_str s)
{
    char *p = s.n < SIZE_MAX ? arena_text(a, s.n + 1) : NULL;
    if (!p)
        return str(NULL, 0);
    if (s.n)
        memcpy(p, s.p, s.n);
    p[s.n] = '\0';
    return str(p, s.n);
}

const char *arena_cstr(struct arena *a, struct pap_str s)
{
    return arena_str(a, str_take(s, str_find_char(s, '\0'))).p;
}

struct pap_str arena_join(struct arena *a, const struct pap_str *parts, size_t n)
{
    size_t all = 0;
    for (size_t i = 0; i < n; i++) {
        if (parts[i].n > SIZE_MAX - 1 - all)
            return str(NULL, 0);
        all += parts[i].n;
    }
    char *text = arena_text(a, all + 1), *at = text;
    for (size_t i = 0; text && i < n; at += parts[i].n, i++)
        if (parts[i].n)
            memcpy(at, parts[i].p, parts[i].n);
    if (!text)
        return str(NULL, 0);
    *at = '\0';
    return str(text, all);
}

struct pap_str arena_vfmt(struct arena *a, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    char *p = n < 0 ? NULL : arena_text(a, (size_t)n + 1);
    if (p)
        (void)vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return p ? str(p, (size_t)n) : str(NULL, 0);
}

struct pap_str arena_fmt(struct arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct pap_str s = arena_vfmt(a, fmt, ap);
    va_end(ap);
    return s;
}
