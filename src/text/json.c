/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON reader: one pass, no recursion. Every fault ends in one of the stop_ functions, which add the fatal note.
 */
#include "text/json.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "text/utf8.h"

struct level {
    struct json *owner;
    struct json **tail; /* where the next child is linked */
};

struct reader {
    struct arena *a;
    struct notes *notes;
    const char *start, *p, *end;
    struct json *spare, *spare_end; /* nodes not yet used */
    size_t chunk;                   /* how many nodes to get next time */
    bool stopped;                   /* the fatal note is there */
    unsigned depth;
    struct level levels[LIMIT_JSON_DEPTH + 1]; /* [0] is the root's: it has no owner */
};

/* ---- what to say about a fault ------------------------------------------------------------------------------------ */

static bool note(struct reader *r, enum note_code code, const char *at, struct pap_str detail)
{
    return note_add(r->notes, r->a, (struct note){.code = code, .off = (uint32_t)(at - r->start), .detail = detail});
}

/* Adds the fatal note. Always false: reading ends here, whether or not there was memory for the note. */
static bool stop(struct reader *r, enum note_code code, const char *at, struct pap_str detail)
{
    r->stopped = detail.p && note(r, code, at, detail);
    if (r->stopped)
        r->notes->last->fatal = true;
    return false;
}

/* The text ends inside the thing that began at `began`. */
static bool stop_at_end(struct reader *r, const char *what, const char *began)
{
    (void)stop(r, NOTE_JSON_TRUNCATED, r->end, arena_fmt(r->a, "the text ends inside %s", what));
    if (r->stopped)
        r->notes->last->other = (uint32_t)(began - r->start);
    return false;
}

/* Whether the bytes from p to the end are the beginning of a valid character. */
static bool is_cut_character(const char *p, const char *end)
{
    size_t n = (size_t)(end - p);
    for (unsigned tail = 0x80; n < 4 && tail < 0xc0; tail++) {
        char whole[4] = {(char)tail, (char)tail, (char)tail, (char)tail};
        uint32_t code;
        memcpy(whole, p, n);
        if (utf8_decode(str(whole, sizeof whole), &code) > n)
            return true;
    }
    return false;
}

static bool stop_bad_utf8(struct reader *r, const char *at)
{
    if (is_cut_character(at, r->end))
        return stop_at_end(r, "a character", at);
    bool utf16 = at == r->start && r->end - at >= 2 && ((unsigned char)at[0] ^ (unsigned char)at[1]) == 1;
    return stop(r, NOTE_UTF8, at,
                utf16 ? S("a byte order mark of UTF-16") : arena_fmt(r->a, "the byte 0x%02X", (unsigned char)*at));
}

/* What stands at the beginning of `rest`, in words. */
static struct pap_str found(struct arena *a, struct pap_str rest)
{
    size_t word = 0;
    while (word < rest.n && word < 20 && (ascii_is_alnum(rest.p[word]) || rest.p[word] == '_'))
        word++;
    if (word > 1 && !ascii_is_digit(rest.p[0]))
        return arena_fmt(a, "the word \"%.*s\"", (int)word, rest.p);
    if (rest.p[0] == '"')
        return S("a double quote");
    if (rest.p[0] == '\'')
        return S("a single quote (JSON has only double quotes)");
    if (str_starts(rest, S("//")) || str_starts(rest, S("/*")))
        return S("a comment (JSON has none)");
    uint32_t code = 0;
    size_t n = utf8_decode(rest, &code);
    if (utf8_is_unsafe(code))
        return arena_fmt(a, "the character U+%04X", code);
    return code < 0x80 ? arena_fmt(a, "\"%c\"", (char)code) : arena_fmt(a, "\"%.*s\" (U+%04X)", (int)n, rest.p, code);
}

/* Something else than `expected` stands at `at`. */
static bool stop_expected(struct reader *r, enum note_code code, const char *at, const char *expected)
{
    struct pap_str rest = str(at, (size_t)(r->end - at));
    const struct json *owner = r->levels[r->depth].owner;
    if (rest.n == 0)
        return stop_at_end(r, owner ? json_type_name(owner) : "a value", owner ? r->start + owner->off : r->p);
    uint32_t ignored;
    if (utf8_decode(rest, &ignored) == 0)
        return stop_bad_utf8(r, at);
    struct pap_str what = found(r->a, rest);
    return what.p && stop(r, code, at, arena_fmt(r->a, "expected %s, found %.*s", expected, PSTR(what)));
}

static bool stop_syntax(struct reader *r, const char *at, const char *expected)
{
    return stop_expected(r, NOTE_JSON_SYNTAX, at, expected);
}

/* ---- strings ------------------------------------------------------------------------------------------------------ */

static bool is_plain(char c)
{
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

/* The first byte that is not a plain ASCII character of a string. Eight at a time: a byte below 0x20, a quote, a
 * backslash or a byte of a longer character sets the top bit in its place. */
static const char *skip_plain(const char *p, const char *end)
{
    const uint64_t ones = 0x0101010101010101ULL;
    uint64_t w;
    while (end - p >= (ptrdiff_t)sizeof w) {
        memcpy(&w, p, sizeof w);
        uint64_t quote = w ^ (ones * '"'), backslash = w ^ (ones * '\\');
        if (((w - ones * 0x20) | (quote - ones) | (backslash - ones) | w) & (ones * 0x80))
            break;
        p += sizeof w;
    }
    while (p < end && is_plain(*p))
        p++;
    return p;
}

static int hex_digit(char c)
{
    c = ascii_lower(c);
    return ascii_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The four hex digits at p, which are there. */
static uint32_t hex4(const char *p)
{
    return (uint32_t)(hex_digit(p[0]) << 12 | hex_digit(p[1]) << 8 | hex_digit(p[2]) << 4 | hex_digit(p[3]));
}

static bool is_high(uint32_t code)
{
    return code >= 0xd800 && code <= 0xdbff;
}

static bool is_low(uint32_t code)
{
    return code >= 0xdc00 && code <= 0xdfff;
}

/* The \uXXXX at `at`, checked up to its last digit. */
static bool check_hex(struct reader *r, const char *at, const char *quote)
{
    for (const char *p = at + 2; p < at + 6; p++) {
        if (p >= r->end)
            return stop_at_end(r, "a string", quote);
        if (hex_digit(*p) < 0)
            return stop_syntax(r, p, "four hex digits after \\u");
    }
    return true;
}

/* Passes over the escape at *at, in the string that began at `quote`. */
static bool pass_escape(struct reader *r, const char **at, const char *quote)
{
    const char *p = *at;
    if (r->end - p < 2)
        return stop_at_end(r, "a string", quote);
    if (p[1] != 'u') {
        *at = p + 2;
        return memchr("\"\\/bfnrt", p[1], 8) || stop_syntax(r, p + 1, "one of \" \\ / b f n r t u after the backslash");
    }
    if (!check_hex(r, p, quote))
        return false;
    *at = p + 6;
    uint32_t code = hex4(p + 2);
    if (code == 0)
        return note(r, NOTE_JSON_NUL, p, str(p, 6));
    if (!is_high(code) && !is_low(code))
        return true;
    struct pap_str rest = str(p + 6, (size_t)(r->end - p) - 6);
    if (is_high(code) && rest.n < 2 && str_starts(S("\\"), rest))
        return stop_at_end(r, "a string", quote);
    if (is_high(code) && str_starts(rest, S("\\u"))) {
        if (!check_hex(r, rest.p, quote))
            return false;
        *at = p + 12;
        if (is_low(hex4(rest.p + 2)))
            return true;
    }
    return stop(r, NOTE_JSON_LONE_SURROGATE, p, str(p, 6));
}

/* The text of a string whose escapes have been checked; it is never longer than its source. */
static struct pap_str decode(struct arena *a, struct pap_str raw)
{
    static const char short_escapes[] = "bfnrt", short_values[] = "\b\f\n\r\t";
    char *text = arena_text(a, raw.n), *to = text;
    while (text && raw.n) {
        size_t plain = str_find_char(raw, '\\');
        memcpy(to, raw.p, plain);
        to += plain;
        raw = str_skip(raw, plain);
        if (raw.n == 0)
            break;
        if (raw.p[1] != 'u') {
            const char *hit = strchr(short_escapes, raw.p[1]);
            *to++ = hit ? short_values[hit - short_escapes] : raw.p[1];
            raw = str_skip(raw, 2);
            continue;
        }
        uint32_t code = hex4(raw.p + 2);
        if (is_high(code)) {
            raw = str_skip(raw, 6);
            code = 0x10000 + ((code - 0xd800) << 10) + (hex4(raw.p + 2) - 0xdc00);
        }
        raw = str_skip(raw, 6);
        to += utf8_encode(code, to);
    }
    return str(text, (size_t)(to - text));
}

/* The string at r->p, which is its opening quote. */
static bool read_string(struct reader *r, struct pap_str *ret)
{
    const char *quote = r->p, *p = quote + 1;
    bool escaped = false;
    for (;;) {
        p = skip_plain(p, r->end);
        if (p == r->end)
            return stop_at_end(r, "a string", quote);
        if (*p == '"')
            break;
        if (*p == '\\') {
            escaped = true;
            if (!pass_escape(r, &p, quote))
                return false;
        } else if ((unsigned char)*p < 0x20) {
            return stop(r, NOTE_CONTROL, p,
                        *p == '\n' || *p == '\r' ? S("a line end inside a string")
                        : *p == '\t'             ? S("a TAB inside a string")
                                                 : arena_fmt(r->a, "U+%04X inside a string", (unsigned)*p));
        } else {
            uint32_t code;
            size_t n = utf8_decode(str(p, (size_t)(r->end - p)), &code);
            if (n == 0)
                return stop_bad_utf8(r, p);
            p += n;
        }
    }
    r->p = p + 1;
    *ret = str(quote + 1, (size_t)(p - quote) - 1);
    if (escaped)
        *ret = decode(r->a, *ret);
    return ret->p != NULL;
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

/* Whether a double holds the magnitude: neither infinite nor, unless it is zero, 0. The text goes to strtod without a
 * point, which would depend on the locale, and with as many digits as can matter. */
static bool fits_double(struct pap_str number)
{
    char digits[24];
    int n = 0;
    int64_t exponent = 0;
    bool fraction = false;
    size_t i = number.p[0] == '-';
    for (; i < number.n && ascii_lower(number.p[i]) != 'e'; i++) {
        if (number.p[i] == '.') {
            fraction = true;
            continue;
        }
        bool kept = n < 20 && (n > 0 || number.p[i] != '0');
        if (kept)
            digits[n++] = number.p[i];
        exponent += (n == 20 && !kept && !fraction) - (fraction && (kept || n == 0));
    }
    struct pap_str power = str_skip(number, i + 1);
    bool negative = power.n && power.p[0] == '-';
    uint64_t value = 0;
    if (power.n && !str_to_u64(str_skip(power, negative || power.p[0] == '+'), &value))
        value = UINT32_MAX;
    value = value < UINT32_MAX ? value : UINT32_MAX;
    exponent += negative ? -(int64_t)value : (int64_t)value;
    if (n == 0)
        return true;
    if (exponent + n > 310 || exponent + n < -330)
        return false;
    char text[64];
    (void)snprintf(text, sizeof text, "%.*se%d", n, digits, (int)exponent);
    double d = strtod(text, NULL);
    return d > 0 && d <= 1.7976931348623157e308;
}

/* Whether readers that keep numbers as a double, or an integer as such, get the number that is written. */
static bool is_common_number(struct pap_str number, bool integer, bool exponent)
{
    static const char most[] = "9007199254740992"; /* 2 to the 53rd */
    if (!integer)
        return (!exponent && number.n < 300) || fits_double(number);
    struct pap_str digits = str_skip(number, number.p[0] == '-');
    return digits.n < sizeof most - 1 || (digits.n == sizeof most - 1 && memcmp(digits.p, most, digits.n) <= 0);
}

/* Passes over one digit or more at *p. */
static bool pass_digits(struct reader *r, const char **p, const char *expected)
{
    if (*p == r->end || !ascii_is_digit(**p))
        return stop_syntax(r, *p, expected);
    while (*p < r->end && ascii_is_digit(**p))
        ++*p;
    return true;
}

static bool read_number(struct reader *r, struct pap_str *ret)
{
    const char *p = r->p + (*r->p == '-'), *digits = p;
    if (!pass_digits(r, &p, "a digit after the minus sign"))
        return false;
    if (*digits == '0' && p > digits + 1)
        return stop_syntax(r, digits + 1, "no digit after a leading 0");
    bool fraction = p < r->end && *p == '.';
    if (fraction && (p++, !pass_digits(r, &p, "a digit after the point")))
        return false;
    bool exponent = p < r->end && ascii_lower(*p) == 'e';
    if (exponent) {
        p++;
        p += p < r->end && (*p == '+' || *p == '-');
        if (!pass_digits(r, &p, "a digit in the exponent"))
            return false;
    }
    struct pap_str number = str(r->p, (size_t)(p - r->p));
    if (!is_common_number(number, !fraction && !exponent, exponent) &&
        !note(r, NOTE_JSON_NUMBER, r->p, str_take(number, LIMIT_QUOTE)))
        return false;
    *ret = number;
    r->p = p;
    return true;
}

/* ---- values ------------------------------------------------------------------------------------------------------- */

static void skip_blanks(struct reader *r)
{
    while (r->p < r->end && (*r->p == ' ' || *r->p == '\n' || *r->p == '\r' || *r->p == '\t'))
        r->p++;
}

static bool next_is(const struct reader *r, char c)
{
    return r->p < r->end && *r->p == c;
}

static char closer(const struct json *owner)
{
    return owner->type == JSON_OBJECT ? '}' : ']';
}

/* A new last child of the innermost open container, with its place. */
static struct json *add_node(struct reader *r)
{
    enum { CHUNK_MAX = 512 };
    if (r->spare == r->spare_end) {
        r->spare = arena_new_array(r->a, r->chunk, struct json);
        if (!r->spare) {
            r->spare_end = NULL;
            return NULL;
        }
        r->spare_end = r->spare + r->chunk;
        r->chunk = r->chunk < CHUNK_MAX ? r->chunk * 2 : r->chunk;
    }
    struct level *level = &r->levels[r->depth];
    struct json *j = r->spare++;
    *level->tail = j;
    level->tail = &j->next;
    if (level->owner)
        level->owner->n++;
    return j;
}

/* The name of a member and the colon behind it. */
static bool read_key(struct reader *r, struct json *j)
{
    struct pap_str key;
    j->flags = JSON_HAS_KEY;
    j->key_off = (uint32_t)(r->p - r->start);
    if (!read_string(r, &key))
        return false;
    j->key = key.p;
    j->key_n = (uint32_t)key.n;
    skip_blanks(r);
    if (!next_is(r, ':'))
        return stop_syntax(r, r->p, "a colon after the member name");
    r->p++;
    skip_blanks(r);
    return true;
}

/* Makes j the innermost open container; *ret_open is false when it is empty and so closed again. */
static bool open_container(struct reader *r, struct json *j, bool *ret_open)
{
    if (r->depth == LIMIT_JSON_DEPTH)
        return stop(r, NOTE_JSON_DEPTH, r->p, arena_fmt(r->a, "more than %d levels", LIMIT_JSON_DEPTH));
    j->type = *r->p == '{' ? JSON_OBJECT : JSON_ARRAY;
    r->levels[++r->depth] = (struct level){j, &j->child};
    r->p++;
    skip_blanks(r);
    *ret_open = !next_is(r, closer(j));
    if (!*ret_open) {
        r->p++;
        r->depth--;
    }
    return true;
}

static bool read_word(struct reader *r, struct json *j, const char *expected)
{
    static const struct {
        struct pap_str word;
        enum json_type type;
    } words[] = {{S_INIT("true"), JSON_TRUE}, {S_INIT("false"), JSON_FALSE}, {S_INIT("null"), JSON_NULL}};
    struct pap_str rest = str(r->p, (size_t)(r->end - r->p));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (str_starts(rest, words[i].word)) {
            j->type = (unsigned char)words[i].type;
            r->p += words[i].word.n;
            return true;
        }
        if (str_starts(words[i].word, rest))
            return stop_syntax(r, r->end, expected);
    }
    return stop_syntax(r, r->p, expected);
}

/* Reads a value (in an object: its name too). A container is only opened: *ret_open says that its children follow. */
static bool read_value(struct reader *r, bool *ret_open)
{
    const struct json *owner = r->levels[r->depth].owner;
    bool in_object = json_is(owner, JSON_OBJECT), more = owner && owner->n;
    skip_blanks(r);
    if (in_object && !next_is(r, '"'))
        return stop_syntax(r, r->p, more ? "another member after the comma" : "a member name in double quotes or \"}\"");
    struct json *j = add_node(r);
    if (!j || (in_object && !read_key(r, j)))
        return false;
    j->off = (uint32_t)(r->p - r->start);
    *ret_open = false;
    if (next_is(r, '{') || next_is(r, '['))
        return open_container(r, j, ret_open);
    struct pap_str text = {NULL, 0};
    if (next_is(r, '"')) {
        j->type = JSON_STRING;
        if (!read_string(r, &text))
            return false;
    } else if (r->p < r->end && (*r->p == '-' || ascii_is_digit(*r->p))) {
        j->type = JSON_NUMBER;
        if (!read_number(r, &text))
            return false;
    } else {
        return read_word(r, j, in_object ? "a value after the colon" : more ? "another value after the comma" : "a value");
    }
    j->p = text.p;
    j->n = (uint32_t)text.n;
    return true;
}

/* After a value: closes what ends here, up to the comma before the next value or, with r->depth 0, to the end. */
static bool close_containers(struct reader *r)
{
    while (r->depth) {
        struct json *owner = r->levels[r->depth].owner;
        skip_blanks(r);
        if (next_is(r, ',')) {
            r->p++;
            return true;
        }
        if (!next_is(r, closer(owner)))
            return stop_syntax(r, r->p, owner->type == JSON_OBJECT ? "a comma or \"}\"" : "a comma or \"]\"");
        if (owner->type == JSON_OBJECT && !json_note_duplicates(r->a, owner, NOTE_JSON_DUPLICATE, r->notes))
            return false;
        r->p++;
        r->depth--;
    }
    return true;
}

static bool read_text(struct reader *r)
{
    if (str_starts(str(r->p, (size_t)(r->end - r->p)), S("\xef\xbb\xbf"))) {
        if (!note(r, NOTE_BOM, r->p, str(NULL, 0)))
            return false;
        r->p += 3;
    }
    skip_blanks(r);
    if (r->p == r->end)
        return stop(r, NOTE_EMPTY, r->p, S("the text is empty"));
    if (next_is(r, '<'))
        return stop(r, NOTE_HTML, r->p, S("the text begins with \"<\""));
    do {
        bool open = true;
        while (open)
            if (!read_value(r, &open))
                return false;
        if (!close_containers(r))
            return false;
    } while (r->depth);
    skip_blanks(r);
    return r->p == r->end || stop_expected(r, NOTE_JSON_TRAILING, r->p, "the end of the text");
}

pap_result json_read(struct arena *a, struct pap_str text, struct json **ret_root, struct notes *notes)
{
    const char *start = text.p ? text.p : "";
    struct json *root = NULL;
    struct reader r = {.a = a, .notes = notes, .start = start, .p = start, .end = start + text.n, .chunk = 32};
    r.levels[0].tail = &root;
    bool whole = text.n > UINT32_MAX ? stop(&r, NOTE_TOO_LONG, start, S("more than 4 GiB")) : read_text(&r);
    if (!whole && !r.stopped)
        return (pap_result){PAP_NO_MEMORY};
    *ret_root = whole ? root : NULL;
    return OK;
}
