/* SPDX-License-Identifier: Apache-2.0 */
#include "text/yaml_inside.h"

#include "text/scan.h"

enum { MOST_QUOTED = 2000, KEY_MAX = 1024 };

/* `key: value` of one line and the lines that continue it. */
struct entry {
    size_t line, value, end; /* offsets in the block; `value` == `end` when there is none */
};

static bool starts(const char *s, const char *prefix)
{
    return s && str_starts(str_c(s), str_c(prefix));
}

static size_t indent_of(struct pap_str text, size_t line)
{
    return blanks(str_skip(text, line));
}

/* Where a quoted key that begins at `at` ends: behind its closing quote, or n. */
static size_t quoted_end(struct pap_str line, size_t at)
{
    char quote = line.p[at++];
    while (at < line.n && line.p[at] != quote)
        at += quote == '"' && line.p[at] == '\\' ? 2 : 1;
    return at < line.n ? at + 1 : line.n;
}

/* Where the value of "key: value", "- value" or "- key: value" begins; false when the line is none of them. */
static bool value_of(struct pap_str line, size_t *ret_at)
{
    size_t at = blanks(line);
    bool found = false;
    while (at + 1 < line.n && line.p[at] == '-' && is_blank(line.p[at + 1])) {
        at += 1 + blanks(str_skip(line, at + 1));
        found = true;
    }
    size_t colon = at;
    if (at < line.n && (line.p[at] == '"' || line.p[at] == '\''))
        colon = quoted_end(line, at);
    while (colon < line.n && !(line.p[colon] == ':' && (colon + 1 == line.n || is_blank(line.p[colon + 1]))))
        colon++;
    if (colon < line.n)
        at = colon + 1 + blanks(str_skip(line, colon + 1));
    *ret_at = at;
    return found || colon < line.n;
}

/* The end of the lines behind `line` that are indented more than it. */
static size_t continued_end(struct pap_str text, size_t line)
{
    size_t indent = indent_of(text, line), at, end = text_line_end(text, line);
    (void)text_line(text, line, &at);
    for (size_t next; at < text.n; at = next) {
        struct pap_str more = text_line(text, at, &next);
        if (blanks(more) == more.n || blanks(more) <= indent)
            break;
        end = at + more.n;
    }
    return end;
}

/* The entry whose value holds byte `at`: on the same line, or on a line above that is indented less. */
static bool entry_at(struct pap_str text, size_t at, struct entry *ret)
{
    size_t line = text_line_start(text, at), indent = indent_of(text, line), value = 0;
    size_t next;
    bool has = value_of(text_line(text, line, &next), &value);
    if (!has || line + value > at) {
        do {
            if (line == 0 || indent == 0)
                return false;
            line = text_line_start(text, line - 1);
        } while (indent_of(text, line) == text_line(text, line, &next).n || indent_of(text, line) >= indent);
        if (!value_of(text_line(text, line, &next), &value))
            return false;
    }
    *ret = (struct entry){.line = line, .value = line + value, .end = continued_end(text, line)};
    return ret->value < ret->end;
}

/* `text` for use between double quotes, line breaks folded to one blank. Gives how many bytes; `out` may be NULL. */
static size_t escape(struct pap_str text, char *out)
{
    size_t n = 0;
    for (size_t at = 0, next; at < text.n; at = next) {
        struct pap_str line = str_trim(text_line(text, at, &next));
        if (n && line.n) {
            if (out)
                out[n] = ' ';
            n++;
        }
        for (size_t i = 0; i < line.n; i++) {
            char c = line.p[i];
            bool special = c == '"' || c == '\\' || c == '\t';
            if (out && special)
                out[n] = '\\';
            n += special;
            if (out)
                out[n] = c == '\t' ? 't' : c;
            n++;
        }
    }
    return n;
}

/* A value that is quoted already, with quotes inside that end it early: what stands between the outer ones. */
static struct pap_str without_quotes(struct pap_str value)
{
    struct pap_str s = str_trim(value);
    bool quoted = s.n >= 2 && (s.p[0] == '"' || s.p[0] == '\'') && s.p[s.n - 1] == s.p[0];
    bool plain = quoted && str_find_char(s, '\\') == s.n && str_find(s, S("''")) == s.n;
    return plain ? str(s.p + 1, s.n - 2) : s;
}

static struct pap_str quoted_entry(struct arena *a, struct pap_str text, const struct entry *e)
{
    size_t line = e->line + indent_of(text, e->line);
    struct pap_str prefix = str(text.p + line, e->value - line);
    struct pap_str value = without_quotes(str(text.p + e->value, e->end - e->value));
    struct pap_str kept = text_cut(value, MOST_QUOTED);
    char *escaped = arena_text(a, escape(kept, NULL) + 1);
    if (!escaped)
        return str(NULL, 0);
    size_t n = escape(kept, escaped);
    return arena_fmt(a, "%.*s\"%.*s%s\"", PSTR(prefix), (int)n, escaped, kept.n < value.n ? "\xe2\x80\xa6" : "");
}

struct pap_str yaml_as_text(struct arena *a, struct pap_str block, size_t at)
{
    struct entry e;
    if (!entry_at(block, at, &e) || e.value != at)
        return S("");
    struct pap_str line = quoted_entry(a, block, &e);
    return line.p ? arena_fmt(a, "if it is text, put it in quotes: %.*s", PSTR(line)) : line;
}

/* ---- causes ---- */

static bool has_blank(struct pap_str s)
{
    return str_find_char(s, ' ') < s.n;
}

/* "mapping values are not allowed in this context": a second ": ", or something that was not meant as text at all. */
static bool explain_colon(struct arena *a, struct pap_str text, const struct yaml_fault *fault, struct note *ret)
{
    struct entry e;
    size_t line = text_line_start(text, fault->at);
    ret->code = NOTE_YAML_SYNTAX;
    ret->off = (uint32_t)fault->at;
    if (fault->at - line > KEY_MAX) {
        ret->detail = S("a key may have at most 1,024 characters");
        return true;
    }
    if (!entry_at(text, fault->at, &e)) {
        ret->detail = S("a line above has no \":\" after its key");
        return true;
    }
    struct pap_str first = str_trim(str(text.p + e.value, text_line_end(text, e.value) - e.value));
    struct pap_str word = str_trim(str(text.p + line, fault->at - line));
    if (e.line != line && !has_blank(first) && !has_blank(word)) {
        ret->off = (uint32_t)(line + indent_of(text, line));
        ret->detail = S("this line is indented, but the entry above it has a value already");
        return true;
    }
    ret->code = NOTE_YAML_COLON;
    ret->detail = quoted_entry(a, text, &e);
    return ret->detail.p != NULL;
}

/* TAB among the blanks that begin the line of the fault. Inside {} and [] it may stand there. */
static bool explain_tab(struct pap_str text, const struct yaml_fault *fault, struct note *ret)
{
    bool other =
        starts(fault->problem, "found character that cannot start") && fault->at < text.n && text.p[fault->at] != '\t';
    if (other || starts(fault->context, "while parsing a flow"))
        return false;
    size_t line = text_line_start(text, fault->at), indent = indent_of(text, line);
    size_t tab = str_find_char(str(text.p + line, indent), '\t');
    if (tab == indent)
        return false;
    ret->code = NOTE_YAML_TAB;
    ret->off = (uint32_t)(line + tab);
    return true;
}

/* The first character of the value is an indicator, or what begins there ends before the line does. */
static bool explain_value(struct arena *a, struct pap_str text, const struct yaml_fault *fault, struct note *ret)
{
    struct entry e;
    ret->detail = S("");
    if (fault->in_flow || !entry_at(text, fault->at, &e) || fault->at >= text_line_end(text, e.value))
        return true;
    char c = text.p[e.value];
    bool is_key = starts(fault->problem, "did not find expected key");
    bool is_entry = starts(fault->problem, "block sequence entries") || starts(fault->problem, "mapping keys");
    bool reserved = memchr("@`%,&*!|>]}", c, 11) != NULL;
    bool closed = is_key && (c == '"' || c == '\'' || c == '[' || c == '{');
    if (!reserved && !closed && !is_entry)
        return true;
    struct pap_str line = quoted_entry(a, text, &e);
    if (!line.p)
        return false;
    if (!closed)
        ret->off = (uint32_t)e.value;
    const char *what = c == '[' ? "\"]\"" : c == '{' ? "\"}\"" : "quote";
    if (closed)
        ret->detail =
            arena_fmt(a, "text follows the closing %s; put the whole value in quotes: %.*s", what, PSTR(line));
    else if (c == '-')
        ret->detail = arena_fmt(a, "a list begins on the line below its key; text goes in quotes: %.*s", PSTR(line));
    else
        ret->detail = arena_fmt(a, "a value cannot begin with \"%c\"; put it in quotes: %.*s", c, PSTR(line));
    return ret->detail.p != NULL;
}

struct pap_str yaml_no_colon(struct arena *a, struct pap_str block, size_t at)
{
    struct pap_str line = str_trim(str(block.p + at, text_line_end(block, at) - at));
    size_t colon = str_find_char(line, ':');
    bool glued = colon + 1 < line.n && !is_blank(line.p[colon + 1]) && !has_blank(str_take(line, colon));
    return arena_fmt(a, glued ? "a blank is missing after the \":\" of \"%.*s\"" : "\"%.*s\" is no \"key: value\"",
                     PSTR(text_cut(line, 60)));
}

/* What else libyaml says, by the start of its text (and of its context, where that tells two apart). */
static const struct cause {
    const char *problem, *context, *words;
    bool at_context; /* the place is where the thing began */
    enum note_code code;
} causes[] = {
    {"found undefined tag handle", NULL, "", false, NOTE_YAML_TAG},
    {"did not find expected <document start>", NULL, "", false, NOTE_YAML_DOCUMENTS},
    {"found unexpected end of stream", "while scanning a quoted", "the quote that opens here is never closed", true, 0},
    {"found unexpected document indicator", "while scanning a quoted", "the quote that opens here is never closed",
     true, 0},
    {"found unknown escape character", NULL,
     "there is no such escape in double quotes; write \\\\ for a backslash, or use single quotes", false, 0},
    {"did not find expected hexdecimal number", NULL, "\\x needs 2, \\u 4 and \\U 8 hexadecimal digits", false, 0},
    {"found invalid Unicode character escape code", NULL, "this escape is no Unicode character", false, 0},
    {"did not find expected '-' indicator", NULL, "an entry that begins with \"- \" should stand here", false, 0},
    {"did not find expected node content", NULL, "a value is missing here", false, 0},
    {"did not find expected key", NULL, "the indentation fits no entry above, or the line above is not complete", false,
     0},
    {"did not find expected comment or line break", NULL, "nothing but a comment may follow here", false, 0},
    {"found character that cannot start any token", NULL,
     "a key or value cannot begin with this character; put it in quotes", false, 0},
    {"found unexpected non-alphabetical character", "while scanning a directive", "a line cannot begin with \"%\"",
     true, 0},
    {"could not find expected directive name", NULL, "a line cannot begin with \"%\"", true, 0},
};

/* "did not find expected ',' or ']'": the place is the fault where it is on the line of the bracket, else the bracket. */
static bool explain_flow(struct pap_str text, const struct yaml_fault *fault, struct note *ret)
{
    if (!starts(fault->problem, "did not find expected ','"))
        return false;
    bool colon = fault->at < text.n && text.p[fault->at] == ':';
    bool same_line = fault->at < text_line_end(text, fault->context_at);
    bool map = str_find_char(str_c(fault->problem), '}') < str_c(fault->problem).n;
    ret->detail = colon       ? S("inside {} and [] a value with \": \" in it must be in quotes")
                  : same_line ? S("a \",\" is missing, or quotes round a value, or the bracket closes too late")
                  : map       ? S("the \"{\" that opens here is not closed, or a \",\" is missing")
                              : S("the \"[\" that opens here is not closed, or a \",\" is missing");
    if (!colon && !same_line) {
        ret->off = (uint32_t)fault->context_at;
        ret->other = (uint32_t)fault->at;
    }
    return true;
}

static void explain_rest(const struct yaml_fault *fault, struct note *ret)
{
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        const struct cause *c = &causes[i];
        if (!starts(fault->problem, c->problem) || (c->context && !starts(fault->context, c->context)))
            continue;
        ret->code = c->code ? c->code : NOTE_YAML_SYNTAX;
        ret->off = (uint32_t)(c->at_context ? fault->context_at : fault->at);
        ret->other = (uint32_t)(c->at_context ? fault->at : 0);
        ret->detail = str_c(c->words);
        return;
    }
    ret->detail = str_c(fault->problem);
}

bool yaml_explain(struct arena *a, struct pap_str block, const struct yaml_fault *fault, struct note *ret)
{
    *ret = (struct note){.code = NOTE_YAML_SYNTAX, .off = (uint32_t)fault->at};
    if (explain_tab(block, fault, ret))
        return true;
    if (starts(fault->problem, "mapping values are not allowed"))
        return explain_colon(a, block, fault, ret);
    if (explain_flow(block, fault, ret))
        return true;
    if (starts(fault->problem, "could not find expected ':'")) {
        ret->off = (uint32_t)fault->context_at;
        ret->detail = yaml_no_colon(a, block, fault->context_at);
        return ret->detail.p != NULL;
    }
    if (!starts(fault->problem, "found undefined tag handle") && !explain_value(a, block, fault, ret))
        return false;
    if (ret->detail.n == 0)
        explain_rest(fault, ret);
    if (ret->code == NOTE_YAML_TAG)
        ret->detail = yaml_as_text(a, block, fault->at);
    return ret->code != NOTE_YAML_TAG || ret->detail.p;
}
