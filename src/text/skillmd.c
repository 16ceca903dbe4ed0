/* SPDX-License-Identifier: Apache-2.0 */
#include "text/skillmd.h"

#include "text/scan.h"
#include "text/yaml.h"

static pap_result add(struct notes *notes, struct arena *a, struct note n)
{
    return note_add(notes, a, n) ? OK : fail_memory(NULL);
}

/* A fence is "---" and blanks, nothing else (R-F3). */
static bool is_fence(struct pap_str line)
{
    return line.n >= 3 && memcmp(line.p, "---", 3) == 0 && 3 + blanks(str_skip(line, 3)) == line.n;
}

static bool starts_nocase(struct pap_str s, const char *prefix)
{
    struct pap_str want = str_c(prefix);
    return s.n >= want.n && str_eq_nocase(str_take(s, want.n), want);
}

static bool is_html(struct pap_str text)
{
    struct pap_str s = str_trim(text);
    return starts_nocase(s, "<!doctype") || starts_nocase(s, "<html") || starts_nocase(s, "<head") ||
           starts_nocase(s, "<body");
}

/* What stands where the opening fence should be, for a sentence that begins "the file begins with". */
static const struct first_line {
    const char *start, *name;
} first_lines[] = {
    {"<!--", "an HTML comment"},
    {"#", "a heading"},
    {"```", "a code fence"},
    {"~~~", "a code fence"},
    {"+++", "TOML front matter (+++)"},
    {"{", "a JSON object"},
    {"\xef\xbb\xbf", "an invisible character (U+FEFF)"},
    {"\xe2\x80\x8b", "an invisible character (U+200B)"},
    {"\xc2\xa0", "an invisible character (U+00A0)"},
};

static struct pap_str describe_first(struct arena *a, struct pap_str line)
{
    struct pap_str body = str_skip(line, blanks(line));
    if (body.n == 0)
        return S("a blank line");
    if (is_fence(body))
        return S("an indented \"---\"");
    if (str_starts(body, S("---")))
        return arena_fmt(a, "\"%.*s\" (nothing but blanks may follow the three hyphens)",
                         PSTR(text_cut(str_trim(body), 40)));
    for (size_t i = 0; i < sizeof first_lines / sizeof *first_lines; i++)
        if (str_starts(body, str_c(first_lines[i].start)))
            return str_c(first_lines[i].name);
    return S("text");
}

/* Looks for the line with which the author may have meant to close the block. */
static bool is_almost_fence(struct pap_str line)
{
    struct pap_str s = str_trim(line);
    if (is_fence(s) || str_is(s, "...") || str_is(s, "\xe2\x80\x94") || str_is(s, "\xe2\x80\x94-"))
        return true;
    size_t hyphens = 0;
    while (hyphens < s.n && s.p[hyphens] == '-')
        hyphens++;
    return hyphens > 3 && hyphens == s.n;
}

static bool is_heading(struct pap_str line)
{
    size_t n = 0;
    while (n < line.n && line.p[n] == '#')
        n++;
    return n > 0 && n <= 6 && n < line.n && line.p[n] == ' ';
}

/* Every function below that says why there is no block fills a fatal note; false when out of memory. */
static bool explain_unclosed(struct arena *a, struct pap_str text, size_t from, struct note *ret)
{
    struct pap_str near = {NULL, 0}, heading = {NULL, 0};
    for (size_t at = from, next; at < text.n && !near.p; at = next) {
        struct pap_str line = text_line(text, at, &next);
        if (is_almost_fence(line))
            near = line;
        else if (!heading.p && is_heading(line))
            heading = line;
    }
    *ret = (struct note){.code = NOTE_UNCLOSED, .fatal = true};
    struct pap_str found = near.p ? near : heading;
    if (!found.p)
        return true;
    ret->other = (uint32_t)(found.p - text.p);
    ret->detail = arena_fmt(a, near.p ? "\"%.*s\" does not close it" : "the block seems to end before \"%.*s\"",
                            PSTR(text_cut(str_trim(found), 60)));
    return ret->detail.p != NULL;
}

/* Finds the fences and sets block and body. `start` is behind a BOM. */
static bool split(struct arena *a, struct pap_str text, size_t start, struct skillmd *md, struct note *ret)
{
    size_t at;
    struct pap_str line = text_line(text, start, &at);
    if (!is_fence(line)) {
        *ret = (struct note){.code = NOTE_NO_FRONTMATTER, .fatal = true, .off = (uint32_t)start};
        ret->detail = describe_first(a, line);
        md->body = str_skip(text, start);
        md->body_off = (uint32_t)start;
        return ret->detail.p != NULL;
    }
    size_t block = at, next;
    for (; at < text.n; at = next) {
        if (!is_fence(text_line(text, at, &next)))
            continue;
        md->block = str(text.p + block, at - block);
        md->block_off = (uint32_t)block;
        md->body = str_skip(text, next);
        md->body_off = (uint32_t)next;
        return true;
    }
    return explain_unclosed(a, text, block, ret);
}

/* The text as a whole is no skill. */
static bool judge_whole(struct arena *a, struct pap_str text, size_t start, size_t bad, struct note *ret)
{
    struct pap_str rest = str_skip(text, start);
    enum note_code code = str_trim(rest).n == 0 ? NOTE_EMPTY : is_html(rest) ? NOTE_HTML : NOTE_NONE;
    *ret = (struct note){.code = code, .fatal = true, .off = (uint32_t)start};
    if (code != NOTE_NONE || bad == text.n)
        return true;
    bool utf16 = text.n >= 2 && (memcmp(text.p, "\xff\xfe", 2) == 0 || memcmp(text.p, "\xfe\xff", 2) == 0);
    ret->code = NOTE_UTF8;
    ret->off = (uint32_t)bad;
    ret->detail = utf16 ? S("the file is UTF-16") : arena_fmt(a, "byte 0x%02X", (unsigned)(unsigned char)text.p[bad]);
    return ret->detail.p != NULL;
}

/* The first control of ASCII from `at` on. */
static size_t ascii_control(struct pap_str s, size_t at)
{
    while (at < s.n && ((unsigned char)s.p[at] >= 0x20 || memchr("\t\n\r", s.p[at], 3)))
        at++;
    return at;
}

/* Controls in the block are fatal to yaml_read(); elsewhere they hide nothing that we read. One of ASCII is noted too when
 * the first one is none (U+0080 to U+009F), since the two mean different things. */
static pap_result note_controls(struct arena *a, struct pap_str text, size_t control, const struct skillmd *md,
                                struct notes *notes)
{
    if (md->block.p && control < md->block_off + md->block.n)
        return OK;
    while (control < text.n) {
        struct pap_str detail = text_name(a, str_skip(text, control));
        TRY(detail.p ? add(notes, a, (struct note){.code = NOTE_CONTROL, .off = (uint32_t)control, .detail = detail})
                     : fail_memory(NULL));
        control = (unsigned char)text.p[control] < 0x80 ? text.n : ascii_control(text, control);
    }
    return OK;
}

pap_result skillmd_read(struct arena *a, struct pap_str text, struct skillmd *ret, struct notes *notes)
{
    struct skillmd md = {.bom = str_starts(text, S("\xef\xbb\xbf"))};
    if (text.n > UINT32_MAX) {
        TRY(add(notes, a, (struct note){.code = NOTE_TOO_LONG, .fatal = true}));
        *ret = md;
        return OK;
    }
    size_t start = md.bom ? 3 : 0;
    struct text_scan scan;
    struct note stop;
    text_scan(text, &scan);
    md.lines = scan.lines;
    md.crlf = scan.cr < text.n;
    if (md.bom)
        TRY(add(notes, a, (struct note){.code = NOTE_BOM}));
    if (md.crlf)
        TRY(add(notes, a, (struct note){.code = NOTE_CRLF, .off = (uint32_t)scan.cr}));
    if (!judge_whole(a, text, start, scan.bad, &stop) || (stop.code == NOTE_NONE && !split(a, text, start, &md, &stop)))
        return fail_memory(NULL);
    TRY(note_controls(a, text, scan.control, &md, notes));
    if (md.block.p)
        TRY(yaml_read(a, md.block, md.block_off, &md.root, notes));
    else
        TRY(add(notes, a, stop));
    *ret = md;
    return OK;
}

static bool parts_tools(char c)
{
    return is_blank(c) || c == ',' || c == '\r' || c == '\n';
}

bool allowed_tools_next(struct pap_str *rest, struct pap_str *ret_token, bool *ret_unbalanced)
{
    size_t at = 0, start, depth = 0;
    while (at < rest->n && parts_tools(rest->p[at]))
        at++;
    if (at == rest->n)
        return false;
    for (start = at; at < rest->n; at++) {
        char c = rest->p[at];
        if (depth == 0 && parts_tools(c))
            break;
        if (c == ')' && depth == 0) {
            at = rest->n;
            *ret_unbalanced = true;
            break;
        }
        depth += c == '(';
        depth -= c == ')';
    }
    if (depth > 0)
        *ret_unbalanced = true;
    *ret_token = str_trim(str(rest->p + start, at - start));
    *rest = str_skip(*rest, at);
    return true;
}
