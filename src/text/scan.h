/* SPDX-License-Identifier: Apache-2.0
 *
 * One pass over the bytes of a text: what every reader of lines wants to know before it looks closer, and the one notion
 * of a line (ended by LF, CRLF or a lone CR).
 */
#ifndef TEXT_SCAN_H
#define TEXT_SCAN_H

#include <endian.h>

#include "base/arena.h"

/* Places are offsets, the length of the text where there is none. */
struct text_scan {
    size_t bad;       /* first byte that is not UTF-8; nothing behind it was looked at */
    size_t control;   /* first control character other than TAB, LF, CR and NEL (agent-skills R-F14); DEL is none */
    size_t cr;        /* first CR */
    size_t separator; /* first U+0085, U+2028 or U+2029 */
    uint32_t lines;   /* a last line without its end counts */
    bool ascii, tab;
};

/* Sixteen bytes compared at once, as signed characters; gcc and clang make instructions of the machine of it. */
typedef signed char sixteen __attribute__((vector_size(16)));

static inline sixteen sixteen_at(const char *p)
{
    sixteen v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* The first of sixteen bytes for which a comparison holds; 16: none. */
static inline size_t first_byte(sixteen compared)
{
    uint64_t half[2];
    memcpy(half, &compared, sizeof half);
    if (half[0])
        return (size_t)__builtin_ctzll(htole64(half[0])) / 8;
    return half[1] ? 8 + (size_t)__builtin_ctzll(htole64(half[1])) / 8 : 16;
}

void text_scan(struct pap_str text, struct text_scan *ret);

/* Where the line that holds byte `at` ends (its LF or CR, or n). */
size_t text_line_end(struct pap_str text, size_t at);

/* The line that begins at `at`, without its end; *ret_next is where the next one begins. */
struct pap_str text_line(struct pap_str text, size_t at, size_t *ret_next);

/* Where the line that holds byte `at` begins. */
size_t text_line_start(struct pap_str text, size_t at);

/* The first `max` bytes of UTF-8 text, without half a character at the end. */
static inline struct pap_str text_cut(struct pap_str s, size_t max)
{
    while (max < s.n && max > 0 && ((unsigned char)s.p[max] & 0xc0) == 0x80)
        max--;
    return str_take(s, max);
}

/* "U+0007", the first character of `s`; p is NULL when out of memory. */
struct pap_str text_name(struct arena *a, struct pap_str s) PAP_MUST;

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* How many SP and TAB `s` begins with. */
static inline size_t blanks(struct pap_str s)
{
    size_t n = 0;
    while (n < s.n && is_blank(s.p[n]))
        n++;
    return n;
}

#endif
