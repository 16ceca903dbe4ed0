/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON reader's strings and numbers (RFC 8259 sections 6 and 7).
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>

#include "text/json_reader.h"
#include "text/utf8.h"

/* ---- strings ------------------------------------------------------------------------------------------------------ */

static bool is_plain(char c)
{
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

/* The first byte that is not a plain ASCII character of a string. Eight at a time: in the lowest byte where the top bit
 * of `stops` is set there is one (a borrow may set it wrongly, but only in bytes after that). */
static const char *skip_plain(const char *p, const char *end)
{
    const uint64_t ones = 0x0101010101010101ULL;
    uint64_t w;
    while (end - p >= (ptrdiff_t)sizeof w) {
        memcpy(&w, p, sizeof w);
        w = le64toh(w);
        uint64_t quote = w ^ (ones * '"'), backslash = w ^ (ones * '\\');
        uint64_t stops = ((w - ones * 0x20) | (quote - ones) | (backslash - ones) | w) & (ones * 0x80);
        if (stops)
            return p + __builtin_ctzll(stops) / 8;
        p += sizeof w;
    }
    while (p < end && is_plain(*p))
        p++;
    return p;
}

/* The value of a hex digit, or 16 for another byte. */
static uint32_t hex_digit(char c)
{
    c = ascii_lower(c);
    return ascii_is_digit(c) ? (uint32_t)(c - '0') : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10 : 16;
}

/* Of the four hex digits at p, which are there. */
static uint32_t hex4(const char *p)
{
    return hex_digit(p[0]) << 12 | hex_digit(p[1]) << 8 | hex_digit(p[2]) << 4 | hex_digit(p[3]);
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
static bool check_hex(struct json_reader *r, const char *at, const char *quote)
{
    for (const char *p = at + 2; p < at + 6; p++) {
        if (p >= r->end)
            return json_stop_at_end(r, "a string", quote);
        if (hex_digit(*p) > 15)
            return json_stop_syntax(r, p, "four hex digits after \\u");
    }
    return true;
}

/* Passes over the escape at *at, in the string that began at `quote`. */
static bool pass_escape(struct json_reader *r, const char **at, const char *quote)
{
    const char *p = *at;
    if (r->end - p < 2)
        return json_stop_at_end(r, "a string", quote);
    if (p[1] != 'u') {
        *at = p + 2;
        return memchr("\"\\/bfnrt", p[1], 8) ||
               json_stop_syntax(r, p + 1, "one of \" \\ / b f n r t u after the backslash");
    }
    if (!check_hex(r, p, quote))
        return false;
    *at = p + 6;
    uint32_t code = hex4(p + 2);
    if (code == 0)
        return json_note(r, NOTE_JSON_NUL, p, str(p, 6));
    if (!is_high(code) && !is_low(code))
        return true;
    struct pap_str rest = str(p + 6, (size_t)(r->end - p) - 6);
    if (is_high(code) && rest.n < 2 && str_starts(S("\\"), rest))
        return json_stop_at_end(r, "a string", quote);
    if (is_high(code) && str_starts(rest, S("\\u"))) {
        if (!check_hex(r, rest.p, quote))
            return false;
        *at = p + 12;
        if (is_low(hex4(rest.p + 2)))
            return true;
    }
    return json_stop(r, NOTE_JSON_LONE_SURROGATE, p, str(p, 6));
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

bool json_read_string(struct json_reader *r, struct pap_str *ret)
{
    const char *quote = r->p, *p = quote + 1;
    bool escaped = false;
    for (;;) {
        p = skip_plain(p, r->end);
        if (p == r->end)
            return json_stop_at_end(r, "a string", quote);
        if (*p == '"')
            break;
        if (*p == '\\') {
            escaped = true;
            if (!pass_escape(r, &p, quote))
                return false;
        } else if ((unsigned char)*p < 0x20) {
            return json_stop(r, NOTE_CONTROL, p,
                             *p == '\n' || *p == '\r' ? S("a line end inside a string")
                             : *p == '\t'             ? S("a TAB inside a string")
                                                      : arena_fmt(r->a, "U+%04X inside a string", (unsigned)*p));
        } else {
            uint32_t code;
            size_t n = utf8_decode(str(p, (size_t)(r->end - p)), &code);
            if (n == 0)
                return json_stop_utf8(r, p);
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
    char digits[20];
    size_t n = 0;
    int64_t exponent = 0;
    bool fraction = false;
    size_t i = number.p[0] == '-';
    for (; i < number.n && ascii_lower(number.p[i]) != 'e'; i++) {
        if (number.p[i] == '.') {
            fraction = true;
            continue;
        }
        if (n == sizeof digits) {
            exponent += !fraction;
            continue;
        }
        if (n > 0 || number.p[i] != '0')
            digits[n++] = number.p[i];
        exponent -= fraction;
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
    if (exponent > 310 || exponent + (int)n < -330)
        return false;
    char text[64];
    (void)snprintf(text, sizeof text, "%.*se%d", (int)n, digits, (int)exponent);
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
static bool pass_digits(struct json_reader *r, const char **p, const char *expected)
{
    if (*p == r->end || !ascii_is_digit(**p))
        return json_stop_syntax(r, *p, expected);
    while (*p < r->end && ascii_is_digit(**p))
        ++*p;
    return true;
}

bool json_read_number(struct json_reader *r, struct pap_str *ret)
{
    const char *p = r->p + (*r->p == '-'), *digits = p;
    if (!pass_digits(r, &p, "a digit after the minus sign"))
        return false;
    if (*digits == '0' && p > digits + 1)
        return json_stop_syntax(r, digits + 1, "no digit after a leading 0");
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
        !json_note(r, NOTE_JSON_NUMBER, r->p, str_take(number, LIMIT_QUOTE)))
        return false;
    *ret = number;
    r->p = p;
    return true;
}
