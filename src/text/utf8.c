/* SPDX-License-Identifier: Apache-2.0 */
#include "text/utf8.h"

#include <utf8proc.h>

enum { TOP_BITS = 0x80 };

static bool is_tail(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

size_t utf8_decode(struct pap_str s, uint32_t *ret_code)
{
    if (s.n == 0)
        return 0;
    unsigned char c = (unsigned char)s.p[0];
    if (c < TOP_BITS) {
        *ret_code = c;
        return 1;
    }
    size_t n = c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
    if (n == 0 || s.n < n)
        return 0;
    uint32_t code = c & (0x7fU >> n);
    for (size_t i = 1; i < n; i++) {
        if (!is_tail(s.p[i]))
            return 0;
        code = code << 6 | ((unsigned char)s.p[i] & 0x3f);
    }
    bool overlong = (n == 3 && code < 0x800) || (n == 4 && code < 0x10000);
    if (overlong || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff)
        return 0;
    *ret_code = code;
    return n;
}

/* The first place at or after `at` where the next eight bytes are not all ASCII, or are not there. */
static size_t skip_ascii(struct pap_str s, size_t at)
{
    uint64_t eight;
    for (; s.n - at >= sizeof eight; at += sizeof eight) {
        memcpy(&eight, s.p + at, sizeof eight);
        if (eight & 0x8080808080808080ULL)
            break;
    }
    return at;
}

size_t utf8_check(struct pap_str s)
{
    size_t at = 0;
    while ((at = skip_ascii(s, at)) < s.n) {
        uint32_t code;
        size_t n = utf8_decode(str_skip(s, at), &code);
        if (n == 0)
            break;
        at += n;
    }
    return at;
}

/* The next character of *rest, taken off it. False for an invalid byte, which is taken off too. */
static bool take(struct pap_str *rest, uint32_t *ret_code)
{
    size_t n = utf8_decode(*rest, ret_code);
    if (n == 0)
        *ret_code = (unsigned char)rest->p[0];
    *rest = str_skip(*rest, n ? n : 1);
    return n != 0;
}

size_t utf8_count(struct pap_str s)
{
    size_t count = 0;
    while (s.n) {
        uint32_t code;
        size_t ascii = skip_ascii(s, 0);
        s = str_skip(s, ascii);
        count += ascii;
        if (s.n) {
            (void)take(&s, &code);
            count++;
        }
    }
    return count;
}

size_t utf8_encode(uint32_t code, char ret[4])
{
    return (size_t)utf8proc_encode_char((utf8proc_int32_t)code, (utf8proc_uint8_t *)ret);
}

void utf8_add(struct buf *out, uint32_t code)
{
    char bytes[4];
    buf_add(out, str(bytes, utf8_encode(code, bytes)));
}

bool utf8_is_unsafe(uint32_t code)
{
    static const struct {
        uint32_t from, to;
    } unsafe[] = {
        {0x0000, 0x001f},   /* C0 */
        {0x007f, 0x009f},   /* DEL, C1 */
        {0x00ad, 0x00ad},   /* soft hyphen */
        {0x061c, 0x061c},   /* Arabic letter mark */
        {0x180b, 0x180f},   /* Mongolian variation selectors and vowel separator */
        {0x200b, 0x200f},   /* zero width, direction marks */
        {0x2028, 0x202e},   /* line and paragraph separators, embeddings and overrides */
        {0x2060, 0x2064},   /* word joiner, invisible operators */
        {0x2066, 0x2069},   /* isolates */
        {0xfdd0, 0xfdef},   /* noncharacters */
        {0xfe00, 0xfe0f},   /* variation selectors */
        {0xfeff, 0xfeff},   /* byte order mark */
        {0xe0000, 0xe0fff}, /* tags, variation selectors */
    };
    if (code >= 0x20 && code < 0x7f)
        return false;
    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++)
        if (code >= unsafe[i].from && code <= unsafe[i].to)
            return true;
    return (code & 0xfffe) == 0xfffe || code > 0x10ffff;
}

void utf8_add_visible(struct buf *out, struct pap_str s, size_t max)
{
    struct pap_str rest = s;
    while (rest.n) {
        struct pap_str from = rest;
        uint32_t code;
        bool valid = take(&rest, &code);
        size_t n = from.n - rest.n;
        if (s.n - rest.n > max) {
            buf_add(out, S("\xe2\x80\xa6"));
            return;
        }
        if (valid && !utf8_is_unsafe(code))
            buf_add(out, str_take(from, n));
        else
            buf_fmt(out, code < 0x100 ? "\\x%02X" : "\\u{%04X}", code);
    }
}

struct pap_str utf8_visible(struct arena *a, struct pap_str s, size_t max, const char *quote)
{
    struct buf b __attribute__((cleanup(buf_fini)));
    buf_init(&b, a->alloc, 8 * (max < s.n ? max : s.n) + 64);
    buf_add(&b, str_c(quote));
    utf8_add_visible(&b, s, max);
    buf_add(&b, str_c(quote));
    return buf_ok(&b) ? arena_str(a, buf_str(&b)) : str(NULL, 0);
}

enum utf8_glyph utf8_glyph(uint32_t code)
{
    bool alone = (code >= 0x0e00 && code <= 0x0eff) || (code >= 0x2e80 && code <= 0x30ff) ||
                 (code >= 0x3400 && code <= 0x9fff) || (code >= 0xf900 && code <= 0xfaff) ||
                 (code >= 0x20000 && code <= 0x3ffff);
    switch (utf8proc_category((utf8proc_int32_t)code)) {
    case UTF8PROC_CATEGORY_LO:
        return alone ? UTF8_ALONE : UTF8_LETTER;
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
        return UTF8_LETTER;
    default:
        return UTF8_BETWEEN;
    }
}

size_t utf8_width(struct pap_str s)
{
    size_t width = 0;
    while (s.n) {
        uint32_t code;
        width += take(&s, &code) ? (size_t)utf8proc_charwidth((utf8proc_int32_t)code) : 1;
    }
    return width;
}

/* One pass of utf8proc over valid UTF-8, in memory of the arena (its own functions for this call malloc). */
static struct pap_str map(struct arena *a, struct pap_str s, utf8proc_option_t options)
{
    const utf8proc_uint8_t *in = (const utf8proc_uint8_t *)s.p;
    utf8proc_ssize_t n = utf8proc_decompose(in, (utf8proc_ssize_t)s.n, NULL, 0, options);
    utf8proc_int32_t *codes = n < 0 ? NULL : arena_new_array(a, (size_t)n + 1, utf8proc_int32_t);
    if (!codes)
        return str(NULL, 0);
    n = utf8proc_decompose(in, (utf8proc_ssize_t)s.n, codes, n, options);
    n = n < 0 ? n : utf8proc_reencode(codes, n, options);
    return n < 0 ? str(NULL, 0) : str((const char *)codes, (size_t)n);
}

static bool is_ascii(struct pap_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] >= TOP_BITS)
            return false;
    return true;
}

struct pap_str utf8_nfc(struct arena *a, struct pap_str s)
{
    if (is_ascii(s))
        return arena_str(a, s);
    return utf8_check(s) == s.n ? map(a, s, UTF8PROC_STABLE | UTF8PROC_COMPOSE) : str(NULL, 0);
}

struct pap_str utf8_fold(struct arena *a, struct pap_str s)
{
    if (is_ascii(s)) {
        char *p = arena_text(a, s.n);
        for (size_t i = 0; p && i < s.n; i++)
            p[i] = ascii_lower(s.p[i]);
        return str(p, p ? s.n : 0);
    }
    if (utf8_check(s) != s.n)
        return str(NULL, 0);
    /* Marks are put in order before folding: U+0345 folds to a letter, after which they would not move any more. */
    s = map(a, s, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
    return s.p ? map(a, s, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD) : s;
}
