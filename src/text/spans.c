/* SPDX-License-Identifier: Apache-2.0
 *
 * The Markdown of a body, as far as it names things: code spans, link targets, command lines. Follows CommonMark 0.31
 * where a skill would show the difference; lists are known by one indentation, block quotes line by line.
 */
#include "text/scan.h"
#include "text/skillmd.h"

enum { RUNS = 16, PARENS_MAX = 32, CODE_INDENT = 4 };

/* ---- lines ---- */

static size_t run_of(struct pap_str s, size_t at, char c)
{
    size_t from = at;
    while (at < s.n && s.p[at] == c)
        at++;
    return at - from;
}

/* Columns of the blanks that begin the line; a TAB goes to the next multiple of four. */
static size_t columns(struct pap_str line)
{
    size_t n = 0;
    for (size_t i = 0; i < line.n && is_blank(line.p[i]); i++)
        n += line.p[i] == '\t' ? 4 - n % 4 : 1;
    return n;
}

/* The length of the fence that `s` (without indentation) begins with, 0 when it opens none (CommonMark 4.5). */
static size_t opening_fence(struct pap_str s)
{
    if (s.n < 3 || (s.p[0] != '`' && s.p[0] != '~'))
        return 0;
    size_t n = run_of(s, 0, s.p[0]);
    if (n < 3 || (s.p[0] == '`' && str_find_char(str_skip(s, n), '`') < s.n - n))
        return 0;
    return n;
}

/* The length of a list marker with the blanks behind it, 0 when `s` begins with none (CommonMark 5.2). */
static size_t list_marker(struct pap_str s)
{
    size_t n = 0;
    while (n < s.n && n < 9 && ascii_is_digit(s.p[n]))
        n++;
    if (n >= s.n || !(n ? s.p[n] == '.' || s.p[n] == ')' : s.p[n] == '-' || s.p[n] == '*' || s.p[n] == '+'))
        return 0;
    size_t gap = blanks(str_skip(s, ++n));
    if (gap == 0 && n < s.n)
        return 0;
    return n + (gap > CODE_INDENT || n + gap == s.n ? 1 : gap);
}

/* A line that ends the paragraph before it. */
static bool begins_block(struct pap_str s)
{
    if (s.n == 0)
        return true;
    switch (s.p[0]) {
    case '#':
    case '|':
    case '>':
        return true;
    case '`':
    case '~':
        return opening_fence(s) > 0;
    default:
        return list_marker(s) > 0;
    }
}

/* Where the paragraph ends whose first line ends at `at`. Headings, table rows and quoted lines are one line each. */
static size_t paragraph_end(struct pap_str body, struct pap_str first, size_t at)
{
    if (first.n && (first.p[0] == '#' || first.p[0] == '|' || first.p[0] == '>'))
        return at;
    for (size_t next; at < body.n; at = next) {
        struct pap_str line = text_line(body, at, &next);
        if (begins_block(str_skip(line, blanks(line))))
            break;
    }
    return at;
}

/* ---- links ---- */

/* Passes over blanks and line ends. */
static size_t pass_space(struct pap_str s, size_t at, size_t end)
{
    while (at < end && (is_blank(s.p[at]) || s.p[at] == '\n' || s.p[at] == '\r'))
        at++;
    return at;
}

/* A link destination at `at` (CommonMark 6.3); gives where it ends, 0 when there is none. */
static size_t destination(struct pap_str s, size_t at, size_t end, struct pap_str *ret)
{
    size_t from = at, depth = 0;
    if (at < end && s.p[at] == '<') {
        for (from = ++at; at < end && s.p[at] != '>'; at++) {
            if (s.p[at] == '<' || s.p[at] == '\n' || s.p[at] == '\r')
                return 0;
            at += s.p[at] == '\\' && at + 1 < end;
        }
        *ret = str(s.p + from, at - from);
        return at < end ? at + 1 : 0;
    }
    for (; at < end && (unsigned char)s.p[at] > 0x20; at++) {
        char c = s.p[at];
        if (c == ')' && depth == 0)
            break;
        depth += c == '(';
        depth -= c == ')';
        if (depth > PARENS_MAX)
            return 0;
        at += c == '\\' && at + 1 < end && (unsigned char)s.p[at + 1] > 0x20;
    }
    *ret = str(s.p + from, at - from);
    return depth == 0 ? at : 0;
}

/* Passes over an optional title and the blanks round it; 0 when a title does not end. */
static size_t pass_title(struct pap_str s, size_t at, size_t end)
{
    size_t from = pass_space(s, at, end);
    if (from == at || from == end || !memchr("\"'(", s.p[from], 3))
        return from;
    char open = s.p[from], close = open == '(' ? ')' : open;
    for (at = from + 1; at < end && s.p[at] != close; at++) {
        if (open == '(' && s.p[at] == '(')
            return 0;
        at += s.p[at] == '\\' && at + 1 < end;
    }
    return at < end ? pass_space(s, at + 1, end) : 0;
}

/* "(target "title")" at `at`; gives where it ends, 0 when it is none. */
static size_t inline_target(struct pap_str s, size_t at, size_t end, struct pap_str *ret)
{
    at = destination(s, pass_space(s, at + 1, end), end, ret);
    at = at ? pass_title(s, at, end) : 0;
    return at && at < end && s.p[at] == ')' ? at + 1 : 0;
}

/* "[label]: target" on one line. Footnotes ("[^1]: text") are none. */
static bool definition(struct pap_str line, struct pap_str *ret)
{
    size_t at = 1;
    if (line.n < 5 || line.p[0] != '[' || line.p[1] == '^')
        return false;
    while (at < line.n && line.p[at] != ']' && line.p[at] != '[')
        at += line.p[at] == '\\' ? 2 : 1;
    if (at == 1 || at + 1 >= line.n || line.p[at] != ']' || line.p[at + 1] != ':')
        return false;
    at += 2 + blanks(str_skip(line, at + 2));
    at = at < line.n ? destination(line, at, line.n, ret) : 0;
    at = at ? pass_title(line, at, line.n) : 0;
    return at == line.n && ret->n > 0;
}

/* ---- code ---- */

/* Where the closing run of `n` backticks begins in [at, end), or end (CommonMark 6.1). */
static size_t closing_run(struct pap_str s, size_t at, size_t end, size_t n)
{
    while (at < end) {
        at += str_find_char(str(s.p + at, end - at), '`');
        size_t run = run_of(str_take(s, end), at, '`');
        if (run == n)
            return at;
        at += run;
    }
    return end;
}

/* One blank at each end goes when there is one at both and something between. */
static struct pap_str code_text(struct pap_str s)
{
    bool space = s.n > 2 && pass_space(s, 0, 1) == 1 && pass_space(s, s.n - 1, s.n) == s.n;
    return space && pass_space(s, 0, s.n) < s.n ? str(s.p + 1, s.n - 2) : s;
}

/* Whether a fence says that what follows is typed into a shell; `s` begins behind its marks. */
static bool says_shell(struct pap_str s)
{
    static const char *const words[] = {"sh", "bash", "zsh", "shell", "console", "terminal", "shell-session", NULL};
    size_t n = 0;
    s = str_trim(s);
    while (n < s.n && !is_blank(s.p[n]) && s.p[n] != '{')
        n++;
    for (const char *const *w = words; *w; w++)
        if (str_eq_nocase(str_take(s, n), str_c(*w)))
            return true;
    return false;
}

/* Behind a path in a listing of files: nothing, or what it is for ("# ...", "- ...", a dash, an arrow). */
static bool is_remark(struct pap_str s)
{
    s = str_trim(s);
    return !s.n || s.p[0] == '#' || str_starts(s, S("- ")) || str_starts(s, S("-- ")) || (unsigned char)s.p[0] >= 0x80;
}

/* The first word of a line in a fenced block, when it is a path. A "$ " prompt does not count. Where neither that nor the
 * fence nor "./" says that it is called, a path alone is one of a listing. */
static bool command(struct pap_str line, bool shell, struct pap_str *ret)
{
    struct pap_str s = str_trim(line);
    bool called = shell || str_starts(s, S("$ "));
    if (str_starts(s, S("$ ")))
        s = str_trim(str_skip(s, 2));
    size_t n = 0;
    while (n < s.n && !is_blank(s.p[n]) && s.p[n] != ';')
        n++;
    *ret = str_take(s, n);
    bool comment = str_starts(s, S("#")) || str_starts(s, S("//")) || str_starts(s, S("/*")) || str_starts(s, S("*/"));
    return !comment && !str_starts(s, S("<")) && str_find_char(*ret, '/') < n &&
           (called || str_starts(s, S("./")) || !is_remark(str_skip(s, n)));
}

/* ---- the walk ---- */

static bool emit(const struct skillmd *md, struct span *ret, enum span_type type, struct pap_str text)
{
    *ret = (struct span){.type = type, .text = text, .off = md->body_off + (uint32_t)(text.p - md->body.p)};
    return true;
}

static bool in_fence(const struct skillmd *md, struct span_walk *w, struct span *ret)
{
    size_t next;
    struct pap_str line = text_line(md->body, w->at, &next), word;
    struct pap_str s = str_skip(line, blanks(line));
    w->at = next;
    size_t run = run_of(s, 0, w->fence);
    if (run >= w->fence_n && run + blanks(str_skip(s, run)) == s.n && columns(line) < w->indent + CODE_INDENT) {
        w->fence = '\0';
        return false;
    }
    return command(line, w->shell, &word) && emit(md, ret, SPAN_COMMAND, word);
}

/* Takes the line at w->at: a whole block of one line, or the first line of a paragraph that becomes the one to scan. */
static bool block_start(const struct skillmd *md, struct span_walk *w, struct span *ret)
{
    size_t next;
    struct pap_str line = text_line(md->body, w->at, &next), target;
    struct pap_str s = str_skip(line, blanks(line));
    size_t column = columns(line), at = w->at;
    bool after_text = w->after_text;
    w->at = next;
    w->after_text = s.n > 0;
    if (s.n == 0)
        return false;
    if (column < w->indent)
        w->indent = column;
    if (!after_text && column >= w->indent + CODE_INDENT) {
        w->after_text = false; /* indented code goes on after its own lines */
        return false;
    }
    size_t marker;
    while ((marker = list_marker(s)) > 0) {
        column += marker;
        s = str_skip(s, marker);
        w->indent = column;
    }
    if ((w->fence_n = opening_fence(s)) > 0) {
        w->fence = s.p[0];
        w->shell = says_shell(str_skip(s, w->fence_n));
        return false;
    }
    if (definition(s, &target))
        return emit(md, ret, SPAN_LINK, target);
    w->at = at + (size_t)(s.p - line.p);
    w->end = paragraph_end(md->body, s, next);
    w->brackets = 0;
    w->images = 0;
    return false;
}

static bool begins_line(struct pap_str body, size_t at)
{
    while (at > 0 && is_blank(body.p[at - 1]))
        at--;
    return at == 0 || body.p[at - 1] == '\n' || body.p[at - 1] == '\r';
}

/* A comment at w->at is passed over, wherever it ends. One that never ends hides the rest when it begins a line. */
static void comment(struct pap_str body, struct span_walk *w)
{
    size_t from = w->at + 4, next;
    size_t end = w->no_closer[0] ? body.n : from + str_find(str_skip(body, from), S("-->"));
    if (end == body.n) {
        w->no_closer[0] = 1;
        w->at = begins_line(body, w->at) ? body.n : from;
        return;
    }
    w->at = end + 3;
    if (w->at > w->end) { /* what follows on the line goes on as a paragraph */
        (void)text_line(body, w->at, &next);
        w->end = paragraph_end(body, str(NULL, 0), next);
    }
}

static bool code_span(const struct skillmd *md, struct span_walk *w, struct span *ret)
{
    size_t n = run_of(str_take(md->body, w->end), w->at, '`'), from = w->at + n;
    size_t close = w->end;
    if (n < RUNS && w->no_closer[n] < w->end)
        close = closing_run(md->body, from, w->end, n);
    if (close == w->end) {
        if (n < RUNS)
            w->no_closer[n] = w->end;
        w->at = from;
        return false;
    }
    w->at = close + n;
    return emit(md, ret, SPAN_CODE, code_text(str(md->body.p + from, close - from)));
}

static bool link_end(const struct skillmd *md, struct span_walk *w, struct span *ret)
{
    size_t at = w->at++;
    if (w->brackets == 0)
        return false;
    w->brackets--;
    bool image = w->images & 1;
    w->images >>= 1;
    if (at + 1 >= w->end || md->body.p[at + 1] != '(')
        return false;
    struct pap_str target;
    size_t end = inline_target(md->body, at + 1, w->end, &target);
    if (end == 0)
        return false;
    w->at = end;
    if (target.n == 0)
        return false;
    (void)emit(md, ret, SPAN_LINK, target);
    ret->image = image;
    return true;
}

/* The next of ` [ \ ] < in [at, end), or end. */
static size_t find_special(const char *p, size_t at, size_t end)
{
    for (; end - at >= 16; at += 16) {
        sixteen v = sixteen_at(p + at);
        size_t n = first_byte((v == '`') | (v == '<') | ((v >= '[') & (v <= ']')));
        if (n < 16)
            return at + n;
    }
    while (at < end && p[at] != '`' && p[at] != '<' && (p[at] < '[' || p[at] > ']'))
        at++;
    return at;
}

/* Scans the paragraph from w->at; false when it is done. */
static bool in_paragraph(const struct skillmd *md, struct span_walk *w, struct span *ret)
{
    while (w->at < w->end) {
        const char *p = md->body.p;
        w->at = find_special(p, w->at, w->end);
        if (w->at == w->end)
            break;
        switch (p[w->at]) {
        case '`':
            if (code_span(md, w, ret))
                return true;
            break;
        case '[':
            w->brackets++;
            w->images = w->images << 1 | (w->at > 0 && p[w->at - 1] == '!');
            w->at++;
            break;
        case ']':
            if (link_end(md, w, ret))
                return true;
            break;
        case '<':
            if (str_starts(str_skip(md->body, w->at), S("<!--")))
                comment(md->body, w);
            else
                w->at++;
            break;
        default: /* a backslash escapes what follows */
            w->at += w->at + 1 < w->end ? 2 : 1;
        }
    }
    return false;
}

bool span_next(const struct skillmd *md, struct span_walk *w, struct span *ret)
{
    while (w->at < md->body.n) {
        bool found = w->at < w->end ? in_paragraph(md, w, ret)
                     : w->fence     ? in_fence(md, w, ret)
                                    : block_start(md, w, ret);
        if (found)
            return true;
    }
    return false;
}
