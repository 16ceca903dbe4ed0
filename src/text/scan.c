/* SPDX-License-Identifier: Apache-2.0 */
#include "text/scan.h"

#include "text/utf8.h"

static void first(size_t *place, size_t at, size_t none)
{
    if (*place == none)
        *place = at;
}

/* Looks at the character at `at`, which is no printable ASCII; gives its length, 0 when it is not UTF-8. */
static size_t look(struct pap_str text, size_t at, struct text_scan *ret)
{
    uint32_t code;
    size_t n = utf8_decode(str_skip(text, at), &code);
    if (n == 0)
        return 0;
    bool lf = code == '\n', cr = code == '\r', tab = code == '\t';
    ret->ascii = ret->ascii && n == 1;
    ret->tab = ret->tab || tab;
    if (cr)
        first(&ret->cr, at, text.n);
    if (code == 0x85 || code == 0x2028 || code == 0x2029)
        first(&ret->separator, at, text.n);
    else if ((code < 0x20 && !lf && !cr && !tab) || (code >= 0x80 && code <= 0x9f))
        first(&ret->control, at, text.n);
    if (lf || (cr && (at + 1 == text.n || text.p[at + 1] != '\n')))
        ret->lines++;
    return n;
}

void text_scan(struct pap_str text, struct text_scan *ret)
{
    *ret = (struct text_scan){text.n, text.n, text.n, text.n, .ascii = true};
    size_t at = 0;
    while (at < text.n) {
        if (text.n - at >= 16) {
            size_t common = first_byte(sixteen_at(text.p + at) < 0x20); /* what is not ASCII is negative */
            at += common;
            if (common == 16)
                continue;
        }
        size_t n = (signed char)text.p[at] >= 0x20 ? 1 : look(text, at, ret);
        if (n == 0) {
            ret->bad = at;
            return;
        }
        at += n;
    }
    if (text.n && text.p[text.n - 1] != '\n' && text.p[text.n - 1] != '\r')
        ret->lines++;
}

size_t text_line_end(struct pap_str text, size_t at)
{
    for (; text.n - at >= 16; at += 16) {
        sixteen v = sixteen_at(text.p + at);
        size_t n = first_byte((v == '\n') | (v == '\r'));
        if (n < 16)
            return at + n;
    }
    while (at < text.n && text.p[at] != '\n' && text.p[at] != '\r')
        at++;
    return at;
}

struct pap_str text_line(struct pap_str text, size_t at, size_t *ret_next)
{
    size_t end = text_line_end(text, at);
    bool crlf = end + 1 < text.n && text.p[end] == '\r' && text.p[end + 1] == '\n';
    *ret_next = end == text.n ? end : end + (crlf ? 2 : 1);
    return str(text.p + at, end - at);
}

size_t text_line_start(struct pap_str text, size_t at)
{
    if (at > 0 && at < text.n && text.p[at] == '\n' && text.p[at - 1] == '\r')
        at--;
    while (at > 0 && text.p[at - 1] != '\n' && text.p[at - 1] != '\r')
        at--;
    return at;
}

struct pap_str text_name(struct arena *a, struct pap_str s)
{
    uint32_t code = 0;
    (void)utf8_decode(s, &code);
    return arena_fmt(a, "U+%04X", (unsigned)code);
}
