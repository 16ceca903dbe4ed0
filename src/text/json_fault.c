/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON reader in words: what was found where something else was expected.
 */
#include "text/json_reader.h"
#include "text/utf8.h"

bool json_note(struct json_reader *r, enum note_code code, const char *at, struct pap_str detail)
{
    return note_add(r->notes, r->a, (struct note){.code = code, .off = (uint32_t)(at - r->start), .detail = detail});
}

bool json_stop(struct json_reader *r, enum note_code code, const char *at, struct pap_str detail)
{
    r->stopped = detail.p && json_note(r, code, at, detail);
    if (r->stopped)
        r->notes->last->fatal = true;
    return false;
}

bool json_stop_at_end(struct json_reader *r, const char *what, const char *began)
{
    bool go_on = json_stop(r, NOTE_JSON_TRUNCATED, r->end, arena_fmt(r->a, "the text ends inside %s", what));
    if (r->stopped)
        r->notes->last->other = (uint32_t)(began - r->start);
    return go_on;
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

bool json_stop_utf8(struct json_reader *r, const char *at)
{
    if (is_cut_character(at, r->end))
        return json_stop_at_end(r, "a character", at);
    struct pap_str rest = str(at, (size_t)(r->end - at));
    bool utf16 = at == r->start && (str_starts(rest, S("\xff\xfe")) || str_starts(rest, S("\xfe\xff")));
    return json_stop(r, NOTE_UTF8, at,
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

bool json_stop_expected(struct json_reader *r, enum note_code code, const char *at, const char *expected)
{
    struct pap_str rest = str(at, (size_t)(r->end - at));
    const struct json *owner = r->levels[r->depth].owner;
    if (rest.n == 0)
        return json_stop_at_end(r, owner ? json_type_name(owner) : "a value", owner ? r->start + owner->off : r->p);
    uint32_t ignored;
    if (utf8_decode(rest, &ignored) == 0)
        return json_stop_utf8(r, at);
    struct pap_str what = found(r->a, rest);
    return what.p && json_stop(r, code, at, arena_fmt(r->a, "expected %s, found %.*s", expected, PSTR(what)));
}

bool json_stop_syntax(struct json_reader *r, const char *at, const char *expected)
{
    return json_stop_expected(r, NOTE_JSON_SYNTAX, at, expected);
}
