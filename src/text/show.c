/* SPDX-License-Identifier: Apache-2.0 */
#include <papaver/text.h>
#include <stdio.h>

#include "base/str.h"
#include "text/utf8.h"

/* Writes what is safe as it is, in runs; `escape` the rest, one character (of n bytes, or one byte that is none). */
static void write_runs(struct pap_str s, bool (*plain)(uint32_t code), pap_text_fn *write, void *ctx,
                       size_t (*escape)(struct pap_str one, uint32_t code, bool valid, char ret[16]))
{
    size_t run = 0;
    while (run < s.n) {
        uint32_t code = 0;
        char text[16];
        size_t n = utf8_decode(str_skip(s, run), &code);
        if (n && plain(code)) {
            run += n;
            continue;
        }
        if (run)
            write(ctx, s.p, run);
        size_t one = n ? n : 1;
        size_t m = escape(str(s.p + run, one), code, n != 0, text);
        if (m)
            write(ctx, text, m);
        s = str_skip(s, run + one);
        run = 0;
    }
    if (s.n)
        write(ctx, s.p, s.n);
}

static bool is_safe(uint32_t code)
{
    return !utf8_is_unsafe(code);
}

static bool is_safe_or_line(uint32_t code)
{
    return code == '\n' || code == '\t' || is_safe(code);
}

static size_t escape_visible(struct pap_str one, uint32_t code, bool valid, char ret[16])
{
    unsigned shown = valid ? code : (unsigned char)one.p[0];
    int n = valid && code > 0xff ? snprintf(ret, 16, "\\u{%04X}", shown) : snprintf(ret, 16, "\\x%02X", shown);
    return (size_t)n;
}

void pap_text_visible(struct pap_str text, bool lines, pap_text_fn *write, void *ctx)
{
    if (!lines) {
        write_runs(text, is_safe, write, ctx, escape_visible);
        return;
    }
    while (text.n) {
        size_t end = str_find(text, S("\r\n"));
        write_runs(str_take(text, end), is_safe_or_line, write, ctx, escape_visible);
        text = str_skip(text, end < text.n ? end + 1 : end);
    }
}

static bool is_json_safe(uint32_t code)
{
    return code != '"' && code != '\\' && is_safe(code);
}

static size_t escape_json(struct pap_str one, uint32_t code, bool valid, char ret[16])
{
    (void)one;
    if (!valid)
        return (size_t)snprintf(ret, 16, "\\ufffd");
    if (code == '"' || code == '\\')
        return (size_t)snprintf(ret, 16, "\\%c", (char)code);
    if (code == '\n' || code == '\t' || code == '\r')
        return (size_t)snprintf(ret, 16, "\\%c", code == '\n' ? 'n' : code == '\t' ? 't' : 'r');
    if (code <= 0xffff)
        return (size_t)snprintf(ret, 16, "\\u%04x", (unsigned)code);
    code -= 0x10000;
    return (size_t)snprintf(ret, 16, "\\u%04x\\u%04x", (unsigned)(0xd800 + (code >> 10)),
                            (unsigned)(0xdc00 + (code & 0x3ff)));
}

void pap_text_json(struct pap_str text, pap_text_fn *write, void *ctx)
{
    write(ctx, "\"", 1);
    write_runs(text, is_json_safe, write, ctx, escape_json);
    write(ctx, "\"", 1);
}

size_t pap_text_fit(struct pap_str text, size_t columns, size_t *ret_columns)
{
    size_t at = 0, used = 0;
    while (at < text.n) {
        uint32_t code;
        size_t n = utf8_decode(str_skip(text, at), &code), one = n ? n : 1;
        size_t width = utf8_width(str(text.p + at, one));
        if (used + width > columns)
            break;
        used += width;
        at += one;
    }
    *ret_columns = used;
    return at;
}
