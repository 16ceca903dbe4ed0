/* SPDX-License-Identifier: Apache-2.0 */
#include "text/place.h"

#include <stdarg.h>

#include "base/buf.h"
#include "text/utf8.h"

/* The end of the line that `from` is in. Eight bytes at a time as long as none is below U+000E: a report asks for many
 * places in one large text. */
static size_t line_end(struct pap_str text, size_t from)
{
    const uint64_t ones = 0x0101010101010101ULL;
    uint64_t w;
    while (from < text.n && text.p[from] != '\n' && text.p[from] != '\r') {
        from++;
        for (; text.n - from >= sizeof w; from += sizeof w) {
            memcpy(&w, text.p + from, sizeof w);
            if ((w - ones * 0x0e) & ~w & (ones * 0x80))
                break;
        }
    }
    return from;
}

struct place place_of(struct pap_str text, size_t off)
{
    size_t start = str_starts(text, S("\xef\xbb\xbf")) ? 3 : 0;
    off = off < text.n ? off : text.n;
    uint32_t line = 1;
    for (;;) {
        size_t end = line_end(text, start);
        size_t next = end + (end < text.n) + (end + 1 < text.n && text.p[end] == '\r' && text.p[end + 1] == '\n');
        if (off < next || next == end) {
            /* Every byte of a line end stands in the column behind the line. */
            size_t upto = off < start ? start : off < end ? off : end;
            size_t column = utf8_count(str(text.p + start, upto - start)) + 1;
            return (struct place){line, (uint32_t)column, str(text.p + start, end - start)};
        }
        start = next;
        line++;
    }
}

pap_result place_fail(struct pap_err *err, const char *path, struct pap_str text, size_t off, const char *fmt, ...)
{
    struct place at = place_of(text, off);
    char bytes[8192]; /* two values in full, escaped; what the failure has no room for is cut there */
    struct buf what;
    va_list ap;
    va_start(ap, fmt);
    buf_on(&what, bytes, sizeof bytes);
    buf_vfmt(&what, fmt, ap);
    va_end(ap);
    return fail(err, PAP_SYNTAX, "%s:%u:%u: %.*s", path, at.line, at.column, PSTR(buf_str(&what)));
}
