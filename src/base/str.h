/* SPDX-License-Identifier: Apache-2.0
 *
 * Views of bytes. Nothing here allocates or looks past the end; input is never handled as a C string.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <string.h>

#include <papaver/base.h>

/* A view of a string literal. */
#define S(literal) ((struct pap_str){"" literal, sizeof(literal) - 1})
/* The same as a constant initialiser. */
#define S_INIT(literal)                 \
    {                                   \
        "" literal, sizeof(literal) - 1 \
    }
/* For "%.*s": the length is cut to INT_MAX. */
#define PSTR(s) (int)((s).n > 0x7fffffff ? 0x7fffffff : (s).n), ((s).p ? (s).p : "")

/* The end of a noun of which there are `n`. */
static inline const char *str_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static inline struct pap_str str(const char *p, size_t n)
{
    return (struct pap_str){p, n};
}

static inline struct pap_str str_c(const char *c)
{
    return c ? (struct pap_str){c, strlen(c)} : (struct pap_str){NULL, 0};
}

static inline bool str_eq(struct pap_str a, struct pap_str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_is(struct pap_str a, const char *literal)
{
    return str_eq(a, str_c(literal));
}

static inline bool str_starts(struct pap_str s, struct pap_str prefix)
{
    return s.n >= prefix.n && str_eq(str(s.p, prefix.n), prefix);
}

static inline bool str_ends(struct pap_str s, struct pap_str suffix)
{
    return s.n >= suffix.n && str_eq(str(s.p + (s.n - suffix.n), suffix.n), suffix);
}

/* s without its first n bytes (nothing left when n is past the end). */
static inline struct pap_str str_skip(struct pap_str s, size_t n)
{
    return n >= s.n ? str(s.p ? s.p + s.n : NULL, 0) : str(s.p + n, s.n - n);
}

/* The first n bytes of s at most. */
static inline struct pap_str str_take(struct pap_str s, size_t n)
{
    return str(s.p, n < s.n ? n : s.n);
}

static inline char ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static inline bool ascii_is_alpha(char c)
{
    return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z';
}

static inline bool ascii_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool ascii_is_alnum(char c)
{
    return ascii_is_alpha(c) || ascii_is_digit(c);
}

/* 0-15, or -1 when it is no hexadecimal digit. */
static inline int ascii_hex(char c)
{
    char l = ascii_lower(c);
    return ascii_is_digit(c) ? c - '0' : l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

/* Equal when ASCII letters are compared without case; other bytes exactly. */
bool str_eq_nocase(struct pap_str a, struct pap_str b);

/* Whether `needle` stands in `s`, ASCII letters compared without case. For short needles. */
bool str_has_nocase(struct pap_str s, struct pap_str needle);

/* Byte order: <0, 0, >0. A prefix comes first. */
int str_cmp(struct pap_str a, struct pap_str b);

/* Index of the first such byte or substring, or s.n when there is none. */
size_t str_find_char(struct pap_str s, char c);
size_t str_rfind_char(struct pap_str s, char c);
size_t str_find(struct pap_str s, struct pap_str needle);

/* Without blanks (SP, TAB, CR, LF) at both ends. */
struct pap_str str_trim(struct pap_str s);

/* Takes the part before the next `sep` off *rest; false when nothing is left. "a,,b" gives "a", "", "b". *rest.p
 * becomes NULL after the last part. */
bool str_next(struct pap_str *rest, char sep, struct pap_str *ret_part);

/* Decimal digits only, no sign, no blanks; false on overflow or anything else. */
bool str_to_u64(struct pap_str s, uint64_t *ret);

/* Whether all of `s` is what the pattern says: * stands for any bytes, ? for any one, others for themselves. Time: product
 * of the lengths. */
bool str_fits(struct pap_str s, struct pap_str pattern);

/* Index of the first byte that differs; the shorter length when one is a prefix of the other. */
size_t str_first_difference(struct pap_str a, struct pap_str b);

#endif
