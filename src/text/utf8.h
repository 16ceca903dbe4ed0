/* SPDX-License-Identifier: Apache-2.0
 *
 * UTF-8: strict decoding (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF) and what is built on it.
 */
#ifndef TEXT_UTF8_H
#define TEXT_UTF8_H

#include "base/arena.h"
#include "base/buf.h"

/* Decodes the first character. Returns its length in bytes (1-4), or 0 when it is not valid (or s is empty). */
size_t utf8_decode(struct pap_str s, uint32_t *ret_code);

/* The offset of the first invalid byte, or s.n when all is valid. Fast on ASCII. */
size_t utf8_check(struct pap_str s);

/* How many code points; an invalid byte counts as one. */
size_t utf8_count(struct pap_str s);

/* Writes the encoding of a code point (at most U+10FFFF); returns its length, 1-4. */
size_t utf8_encode(uint32_t code, char ret[4]);

/* Appends the encoding of a code point. */
void utf8_add(struct buf *out, uint32_t code);

/* True for characters that must not reach a terminal or a sentence as they are: C0, DEL, C1, bidirectional controls
 * and isolates (U+061C, U+200E-F, U+202A-E, U+2066-9), zero-width and invisible ones (U+200B-D, U+2060-4, U+FEFF,
 * U+00AD, U+180E, variation selectors and tags U+E0000-E0FFF), line and paragraph separators (U+2028/9), and
 * noncharacters. */
bool utf8_is_unsafe(uint32_t code);

/* Appends `s` for people: unsafe characters as \xNN (below U+0100) or \u{NNNN}, invalid bytes as \xNN. TAB and LF are
 * unsafe too. At most `max` bytes of `s` are taken, whole characters; a cut is shown as "..." with U+2026. */
void utf8_add_visible(struct buf *out, struct pap_str s, size_t max);
/* The same as a copy between two `quote`s (may be ""), with a NUL behind it; p is NULL when out of memory. */
struct pap_str utf8_visible(struct arena *a, struct pap_str s, size_t max, const char *quote) PAP_MUST;

/* Columns on a terminal: wide characters count 2, combining ones 0 (utf8proc). */
size_t utf8_width(struct pap_str s);

/* What words are made of: letters, marks and digits. In scripts without blanks between words (Han, kana, Thai ...) each
 * character stands alone. */
enum utf8_glyph { UTF8_BETWEEN, UTF8_LETTER, UTF8_ALONE };
enum utf8_glyph utf8_glyph(uint32_t code);

/* NFC of `s`, or NFC of its full case folding; {NULL,0} when out of memory or not valid UTF-8. */
struct pap_str utf8_nfc(struct arena *a, struct pap_str s) PAP_MUST;
struct pap_str utf8_fold(struct arena *a, struct pap_str s) PAP_MUST;

#endif
