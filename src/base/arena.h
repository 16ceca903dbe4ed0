/* SPDX-License-Identifier: Apache-2.0
 *
 * One arena per unit of work: allocate and forget, freed whole. Not thread-safe. Memory that it gives is zeroed.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>

#include "base/alloc.h"
#include "base/str.h"

struct arena_block;

struct arena {
    const struct pap_alloc *alloc; /* NULL: libc; must outlive the arena */
    struct arena_block *head;
    char *at, *end;
    size_t total; /* bytes asked of the allocator so far */
    size_t max;   /* 0: no cap; above it an allocation fails */
};

/* An arena on the stack or inside another struct; `alloc` may be NULL. */
void arena_init(struct arena *a, const struct pap_alloc *alloc);

/* Frees everything but keeps one block for the next unit of work. */
void arena_reset(struct arena *a);

/* Frees everything; the arena may be used again. Accepts a zeroed arena. */
void arena_fini(struct arena *a);

/* n zeroed bytes aligned for any type; NULL when out of memory. n may be 0. */
void *arena_alloc(struct arena *a, size_t n) PAP_MUST;

/* `count` objects of `size`; NULL on overflow too. */
void *arena_array(struct arena *a, size_t count, size_t size) PAP_MUST;

/* n bytes with no alignment and not zeroed, for text. */
char *arena_text(struct arena *a, size_t n) PAP_MUST;

#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define arena_new_array(a, count, type) ((type *)arena_array((a), (count), sizeof(type)))

/* A copy with a NUL behind it (not counted). p is NULL when out of memory, and only then. */
struct pap_str arena_str(struct arena *a, struct pap_str s) PAP_MUST;

/* A copy as a C string, cut at the first NUL of s; NULL when out of memory. */
const char *arena_cstr(struct arena *a, struct pap_str s) PAP_MUST;

/* The parts one after the other, with a NUL behind. */
struct pap_str arena_join(struct arena *a, const struct pap_str *parts, size_t n) PAP_MUST;
#define ARENA_JOIN(a, ...)                                 \
    arena_join((a), (const struct pap_str[]){__VA_ARGS__}, \
               sizeof((const struct pap_str[]){__VA_ARGS__}) / sizeof(struct pap_str))

/* printf into the arena, with a NUL behind it; p is NULL when out of memory. */
struct pap_str arena_fmt(struct arena *a, const char *fmt, ...) PAP_PRINTF(2, 3) PAP_MUST;
struct pap_str arena_vfmt(struct arena *a, const char *fmt, va_list ap) PAP_PRINTF(2, 0) PAP_MUST;

#endif
