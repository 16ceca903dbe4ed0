/* SPDX-License-Identifier: Apache-2.0
 *
 * A finding as an article: what was found as its heading (a rule there, beside "error", would read as the fault), the line
 * it was found in, how to mend it, and folded the rule with its reason and examples.
 */
#include "report/html.h"
#include "text/utf8.h"

void html_lines(struct report *r, struct pap_str s)
{
    struct pap_str line;
    for (bool first = true; str_next(&s, '\n', &line) && (s.p || line.n); first = false) {
        markup(r, first ? "" : "\n");
        /* A line that begins with :: would be a command to some build services, should the page come into a log. */
        bool command = str_starts(str_trim(line), S("::"));
        struct pap_str blank = str_take(line, command ? str_find_char(line, ':') : 0);
        words(r, blank);
        markup(r, command ? "&#58;" : "");
        line = str_skip(line, blank.n + command);
        words(r, str_ends(line, S("\r")) ? str_take(line, line.n - 1) : line);
    }
}

/* The same finding of the same target has the same address in the next report. */
static void anchor(struct report *r, const struct report_target *t, const struct pap_finding *f, size_t nth)
{
    uint64_t h = hash_on(fingerprint(f), t->target);
    words(r, str_c(f->id));
    buf_fmt(&r->body, "-%08x", (uint32_t)(h ^ h >> 32));
    if (nth)
        buf_fmt(&r->body, "-%zu", nth + 1);
}

static void heading(struct report *r, const struct report_target *t, const struct pap_finding *f, size_t nth,
                    unsigned level)
{
    markup(r, "<article class=\"finding ");
    markup(r, severity_word(f->severity));
    markup(r, f->known ? " known\" id=\"" : "\" id=\"");
    anchor(r, t, f, nth);
    buf_fmt(&r->body, "\">\n<h%u><span class=\"pill %s\">%s</span> ", level, severity_word(f->severity),
            severity_word(f->severity));
    words(r, f->message);
    buf_fmt(&r->body, "</h%u>\n<p class=\"ref\"><a href=\"#", level);
    anchor(r, t, f, nth);
    markup(r, "\"><code>");
    words(r, str_c(f->id));
    markup(r, "</code></a> <span>");
    add_reference(report_scratch(r), f);
    scratch_words(r);
    markup(r, "</span>");
    markup(r, f->provisional ? " <span class=\"tag\">provisional: the text of this version is not public</span>" : "");
    markup(r, f->known ? " <span class=\"tag\">known: listed in the baseline, not counted</span>" : "");
    if (r->rules_url) {
        markup(r, " <a href=\"");
        words(r, str_c(r->rules_url));
        words(r, str_c(f->id));
        markup(r, "\">About this rule</a>");
    }
    markup(r, "</p>\n");
}

/* How much of the rest of a source line belongs to the value at its start: a string in quotes, a word, one character. */
static size_t value_length(struct pap_str s)
{
    bool quoted = s.n && s.p[0] == '"';
    if (s.n && memchr("{[", s.p[0], 2))
        return 1;
    for (size_t i = 1; i < s.n; i++) {
        if (quoted ? s.p[i] == '"' : memchr(" ,]}", s.p[i], 4) != NULL)
            return quoted ? i + 1 : i;
        if (quoted && s.p[i] == '\\')
            i++;
    }
    return s.n;
}

static void place(struct report *r, const struct pap_finding *f)
{
    if (!f->at.n && !f->line)
        return;
    markup(r, "<figure>\n<figcaption>");
    if (f->at.n) {
        markup(r, "<code>");
        words(r, f->at);
        markup(r, f->line ? "</code>, " : "</code>");
    }
    if (f->line)
        buf_fmt(&r->body, "line %u, column %u", f->line, f->column);
    markup(r, "</figcaption>\n");
    if (f->line && f->excerpt.n) {
        struct pap_str rest = f->excerpt;
        uint32_t code;
        for (uint32_t i = 1; i < f->excerpt_column && rest.n; i++) {
            size_t n = utf8_decode(rest, &code);
            rest = str_skip(rest, n ? n : 1);
        }
        buf_fmt(&r->body, "<pre><span class=\"no\">%u</span>", f->line);
        words(r, str_take(f->excerpt, f->excerpt.n - rest.n));
        markup(r, "<mark>");
        words(r, str_take(rest, value_length(rest)));
        markup(r, "</mark>");
        words(r, str_skip(rest, value_length(rest)));
        markup(r, "</pre>\n");
    }
    markup(r, "</figure>\n");
}

static void example(struct report *r, const char *title, const char *text)
{
    if (!text || !*text)
        return;
    buf_fmt(&r->body, "<p class=\"label\">%s</p>\n<pre>", title);
    html_lines(r, str_c(text));
    markup(r, "</pre>\n");
}

static void reason(struct report *r, const struct pap_finding *f)
{
    const struct check *c = check_find(str_c(f->id));
    if (!c || !c->why)
        return;
    markup(r, "<details>\n<summary>Why it matters</summary>\n<p>The rule: ");
    words(r, str_c(c->title));
    markup(r, ".</p>\n<p>");
    words(r, str_c(c->why));
    markup(r, "</p>\n");
    example(r, "Wrong", c->bad);
    example(r, "Right", c->good);
    markup(r, "</details>\n");
}

void html_finding(struct report *r, const struct report_target *t, const struct pap_finding *f, size_t nth,
                  unsigned level)
{
    heading(r, t, f, nth, level);
    place(r, f);
    if (f->mend.n) {
        markup(r, "<p class=\"mend\"><strong>How to mend it</strong> ");
        words(r, f->mend);
        markup(r, "</p>\n");
    }
    reason(r, f);
    markup(r, "</article>\n");
}
