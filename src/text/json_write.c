/* SPDX-License-Identifier: Apache-2.0 */
#include "text/json_write.h"

#include <inttypes.h>

#include "text/utf8.h"

void json_writer_init(struct json_writer *w, struct buf *out, unsigned indent)
{
    *w = (struct json_writer){.out = out, .indent = indent, .first = {true}};
}

static void line(struct json_writer *w)
{
    if (w->indent == 0)
        return;
    buf_char(w->out, '\n');
    for (unsigned i = 0; i < w->depth * w->indent; i++)
        buf_char(w->out, ' ');
}

/* What stands between the thing before and the value or name that comes. */
static void separate(struct json_writer *w)
{
    bool *first = &w->first[w->depth];
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (!*first)
        buf_char(w->out, ',');
    if (w->depth)
        line(w);
    *first = false;
}

static void begin(struct json_writer *w, char c)
{
    separate(w);
    buf_char(w->out, c);
    if (w->depth + 1 == JSON_WRITE_DEPTH) {
        w->out->code = w->out->code == PAP_OK ? PAP_LIMIT : w->out->code;
        return;
    }
    w->first[++w->depth] = true;
}

static void end(struct json_writer *w, char c)
{
    bool empty = w->first[w->depth];
    if (w->depth)
        w->depth--;
    if (!empty)
        line(w);
    buf_char(w->out, c);
}

void json_object_begin(struct json_writer *w)
{
    begin(w, '{');
}

void json_object_end(struct json_writer *w)
{
    end(w, '}');
}

void json_array_begin(struct json_writer *w)
{
    begin(w, '[');
}

void json_array_end(struct json_writer *w)
{
    end(w, ']');
}

void json_write_key_str(struct json_writer *w, struct pap_str key)
{
    separate(w);
    json_escape(w->out, key);
    buf_add(w->out, w->indent ? S(": ") : S(":"));
    w->after_key = true;
}

void json_write_key(struct json_writer *w, const char *key)
{
    json_write_key_str(w, str_c(key));
}

void json_write_str(struct json_writer *w, struct pap_str s)
{
    separate(w);
    json_escape(w->out, s);
}

void json_write_cstr(struct json_writer *w, const char *s)
{
    if (s)
        json_write_str(w, str_c(s));
    else
        json_write_null(w);
}

void json_write_raw(struct json_writer *w, struct pap_str json)
{
    separate(w);
    buf_add(w->out, json);
}

void json_write_int(struct json_writer *w, int64_t v)
{
    separate(w);
    buf_fmt(w->out, "%" PRId64, v);
}

void json_write_bool(struct json_writer *w, bool v)
{
    json_write_raw(w, v ? S("true") : S("false"));
}

void json_write_null(struct json_writer *w)
{
    json_write_raw(w, S("null"));
}

/* 0x1F and 0o17, as YAML has them. False: no such thing, or too large. */
static bool read_based(struct pap_str s, uint64_t *ret)
{
    unsigned base = str_starts(s, S("0x")) ? 16 : str_starts(s, S("0o")) ? 8 : 0;
    uint64_t v = 0;
    for (size_t i = 2; base && i < s.n; i++) {
        int digit = ascii_hex(s.p[i]);
        if (digit < 0 || v > (UINT64_MAX >> 4) - 1)
            return false;
        v = v * base + (unsigned)digit;
    }
    *ret = v;
    return base != 0;
}

/* A number of YAML's core schema as JSON writes the same one: +1, 007, .5 and 5. are none there. */
static void write_yaml_number(struct json_writer *w, struct pap_str s)
{
    uint64_t based;
    separate(w);
    if (str_starts(s, S("0x")) || str_starts(s, S("0o"))) {
        if (read_based(s, &based))
            buf_fmt(w->out, "%" PRIu64, based);
        else
            json_escape(w->out, s);
        return;
    }
    if (str_starts(s, S("-")))
        buf_char(w->out, '-');
    s = str_skip(s, str_starts(s, S("-")) || str_starts(s, S("+")) ? 1 : 0);
    while (s.n > 1 && s.p[0] == '0' && ascii_is_digit(s.p[1]))
        s = str_skip(s, 1);
    if (s.n && !ascii_is_digit(s.p[0]))
        buf_char(w->out, '0');
    size_t dot = str_find_char(s, '.');
    bool bare = dot < s.n && (dot + 1 == s.n || !ascii_is_digit(s.p[dot + 1]));
    buf_add(w->out, str_take(s, dot + !bare));
    buf_add(w->out, str_skip(s, dot + 1));
}

/* Calls itself as deep as the tree is, which its reader has capped. */
void json_write_tree(struct json_writer *w, const struct json *j)
{
    bool object = json_is(j, JSON_OBJECT);
    if (!object && !json_is(j, JSON_ARRAY)) {
        if (json_is(j, JSON_STRING))
            json_write_str(w, json_str(j));
        else if (json_is(j, JSON_NUMBER) && j->flags & JSON_PLAIN)
            write_yaml_number(w, json_str(j));
        else
            json_write_raw(w, json_is(j, JSON_NUMBER) ? json_str(j) : str_c(j ? json_type_name(j) : "null"));
        return;
    }
    begin(w, object ? '{' : '[');
    json_each (child, j) {
        if (object)
            json_write_key_str(w, json_key(child));
        json_write_tree(w, child);
    }
    end(w, object ? '}' : ']');
}

static void escape_code(struct buf *out, uint32_t code)
{
    static const char shorts[] = "\b\t\n\f\r\"\\", letters[] = "btnfr\"\\";
    const char *hit = code && code < 0x80 ? strchr(shorts, (int)code) : NULL;
    if (hit) {
        buf_char(out, '\\');
        buf_char(out, letters[hit - shorts]);
    } else if (code < 0x10000) {
        buf_fmt(out, "\\u%04x", code);
    } else {
        buf_fmt(out, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
    }
}

/* What a terminal or a page must not get raw is escaped as well, which a JSON reader undoes. */
static bool is_escaped(uint32_t code)
{
    return code == '"' || code == '\\' || code == '<' || code == '>' || code == '&' || utf8_is_unsafe(code);
}

void json_escape(struct buf *out, struct pap_str s)
{
    buf_char(out, '"');
    while (s.n) {
        size_t at = 0, n = 1;
        uint32_t code = 0;
        while (at < s.n && (n = utf8_decode(str_skip(s, at), &code)) > 0 && !is_escaped(code))
            at += n;
        buf_add(out, str_take(s, at)); /* a run of characters that stay as they are */
        s = str_skip(s, at);
        if (s.n == 0)
            break;
        if (n)
            escape_code(out, code);
        else
            buf_add(out, S("\xef\xbf\xbd"));
        s = str_skip(s, n ? n : 1);
    }
    buf_char(out, '"');
}
