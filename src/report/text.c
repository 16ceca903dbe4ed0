/* SPDX-License-Identifier: Apache-2.0
 *
 * Text for a person who has never seen the protocol: what is wrong, where (with the line itself), how to mend it, and in
 * the end what it means. Untrusted text is made visible, and cannot begin a line or form a command of a build service.
 */
#include "report/format.h"
#include "text/utf8.h"

#define RED "1;31"
#define YELLOW "33"
#define CYAN "36"
#define GREEN "1;32"
#define BOLD "1"
#define DIM "2"

static const char *const severity_style[] = {[PAP_INFO] = CYAN, [PAP_WARNING] = YELLOW, [PAP_ERROR] = RED};

static size_t columns(const struct report *r)
{
    return r->width ? r->width : 100;
}

static void styled(struct report *r, const char *style, struct pap_str s)
{
    if (r->color)
        buf_fmt(&r->out, "\x1b[%sm", style);
    text_add(&r->out, s);
    if (r->color)
        buf_add(&r->out, S("\x1b[0m"));
}

/* Length of "##name[" at the start of `s`, the form of a command that build services obey anywhere in a line; else 0. */
static size_t log_command(struct pap_str s)
{
    size_t i = 2;
    if (!str_starts(s, S("##")))
        return 0;
    while (i < s.n && ascii_is_alpha(s.p[i]))
        i++;
    return i < s.n && s.p[i] == '[' ? i + 1 : 0;
}

void text_add(struct buf *out, struct pap_str s)
{
    size_t from = 0;
    for (size_t i = 0; i < s.n; i++) {
        size_t n = s.p[i] == '#' ? log_command(str_skip(s, i)) : 0;
        if (!n)
            continue;
        utf8_add_visible(out, str(s.p + from, i + n - 1 - from), s.n);
        buf_add(out, S("\\x5B"));
        from = i + n;
        i = from - 1;
    }
    utf8_add_visible(out, str_skip(s, from), s.n);
}

static void indent(struct report *r, size_t n)
{
    buf_fmt(&r->out, "%*s", (int)n, "");
}

/* Words of `s` from column `col` on, wrapped under column `left`. Long words (URLs, digests) stay whole, to be copied. A
 * line that begins with :: would be a command to some build services. */
static void wrapped(struct report *r, size_t col, size_t left, struct pap_str s)
{
    struct buf *visible = report_scratch(r);
    text_add(visible, s);
    struct pap_str rest = buf_str(visible), word;
    bool begun = false; /* the line has something else than blanks */
    for (bool first = true; str_next(&rest, ' ', &word); first = false) {
        size_t w = utf8_width(word);
        bool next = col > left && col + !first + w > columns(r);
        if (next) {
            buf_char(&r->out, '\n');
            indent(r, left);
            col = left;
            begun = false;
        } else if (!first) {
            buf_char(&r->out, ' ');
            col++;
        }
        bool command = !begun && str_starts(word, S("::"));
        begun |= word.n > 0;
        buf_add(&r->out, command ? S("\\x3A") : S(""));
        buf_add(&r->out, str_skip(word, command));
        col += w;
    }
    buf_char(&r->out, '\n');
}

/* "    mend: ..." */
static void labelled(struct report *r, const char *label, struct pap_str s)
{
    size_t n = strlen(label);
    indent(r, 4);
    styled(r, DIM, str_c(label));
    buf_char(&r->out, ' ');
    wrapped(r, 4 + n + 1, 4 + n + 1, s);
}

static void line_of(struct report *r, const struct pap_finding *f)
{
    bool at_text = f->line || f->at.n;
    if (!at_text)
        return;
    struct buf *at = report_scratch(r);
    buf_add(at, f->at);
    if (f->line)
        buf_fmt(at, "%sline %u, column %u", f->at.n ? ", " : "", f->line, f->column);
    labelled(r, "at", report_kept(r));
}

/* How many bytes the first `n` code points of `s` take. */
static size_t bytes_of(struct pap_str s, size_t n)
{
    size_t at = 0;
    uint32_t code;
    for (; n && at < s.n; n--) {
        size_t len = utf8_decode(str_skip(s, at), &code);
        at += len ? len : 1;
    }
    return at;
}

/* The source line with a caret under the column; cut on the left when the caret would stand outside the window. */
static void excerpt(struct report *r, const struct pap_finding *f)
{
    if (!f->excerpt.n || !f->line)
        return;
    struct buf *line = report_scratch(r);
    size_t split = bytes_of(f->excerpt, f->excerpt_column ? f->excerpt_column - 1 : 0);
    text_add(line, str_take(f->excerpt, split));
    size_t before = line->n;
    text_add(line, str_skip(f->excerpt, split));
    struct pap_str s = buf_str(line);
    size_t room = columns(r) > 30 ? columns(r) - 14 : 16;
    size_t cut = 0, end = before < s.n ? before : s.n, caret = utf8_width(str_take(s, end));
    while (cut < end && caret + 8 > room) {
        size_t n = bytes_of(str_skip(s, cut), 1);
        caret -= utf8_width(str(s.p + cut, n));
        cut += n;
    }
    for (size_t width = caret; end < s.n && width < room;) {
        size_t n = bytes_of(str_skip(s, end), 1);
        width += utf8_width(str(s.p + end, n));
        end += n;
    }
    buf_fmt(&r->out, "%8u | %s", f->line, cut ? "\xe2\x80\xa6" : "");
    buf_add(&r->out, str(s.p + cut, end - cut));
    buf_add(&r->out, end < s.n ? S("\xe2\x80\xa6\n") : S("\n"));
    indent(r, 9);
    buf_add(&r->out, S("| "));
    indent(r, caret + (cut ? 1 : 0));
    styled(r, severity_style[f->severity], S("^"));
    buf_char(&r->out, '\n');
}

static void finding(struct report *r, const struct pap_finding *f, bool first_of_id)
{
    struct pap_str word = str_c(severity_word(f->severity));
    buf_add(&r->out, S("  "));
    styled(r, severity_style[f->severity], word);
    indent(r, 9 - word.n);
    styled(r, BOLD, str_c(f->id));
    struct buf *tail = report_scratch(r);
    add_reference(tail, f);
    buf_add(tail, f->provisional ? S(" (provisional: the text of this version is not public)") : S(""));
    buf_add(tail, f->known ? S(" (known: listed in the baseline)") : S(""));
    buf_add(&r->out, S("  "));
    wrapped(r, 2 + 9 + str_c(f->id).n + 2, 11, report_kept(r));
    indent(r, 4);
    wrapped(r, 4, 4, f->message);
    line_of(r, f);
    excerpt(r, f);
    if (f->mend.n)
        labelled(r, "mend:", f->mend);
    if (first_of_id)
        labelled(r, "more:", arena_fmt(&r->arena, "papaver explain %s", f->id));
    buf_char(&r->out, '\n');
}

static void findings(struct report *r, const struct report_target *t)
{
    struct groups g = group_findings(r, t, group_by_where);
    const struct doc *cursor = NULL;
    const char *last_id = NULL;
    for (size_t i = 0; i < g.n; i++) {
        const struct doc *d = doc_named(t->bundle, g.items[i].key, &cursor);
        styled(r, BOLD, str_c(kind_title(d ? d->kind : KIND_NONE)));
        buf_add(&r->out, S("  "));
        text_add(&r->out, g.items[i].key);
        buf_add(&r->out, S("\n\n"));
        for (uint32_t k = g.items[i].first; k != GROUP_END; k = g.next[k]) {
            finding(r, &t->findings[k], t->findings[k].id != last_id);
            last_id = t->findings[k].id;
        }
    }
}

static void documents(struct report *r, const struct report_target *t)
{
    size_t kinds = 0, outcomes = 0;
    for (const struct doc *d = t->bundle->docs; d; d = d->next) {
        struct buf *how = report_scratch(r);
        add_outcome(how, d);
        kinds = strlen(kind_title(d->kind)) > kinds ? strlen(kind_title(d->kind)) : kinds;
        outcomes = how->n > outcomes ? how->n : outcomes;
    }
    styled(r, BOLD, was_fetched(t) ? S("Fetched and judged") : S("Judged"));
    buf_add(&r->out, S(" in "));
    add_time(&r->out, t->ms);
    buf_char(&r->out, '\n');
    for (const struct doc *d = t->bundle->docs; d; d = d->next) {
        struct buf *how = report_scratch(r);
        add_outcome(how, d);
        buf_fmt(&r->out, "  %-*s  %-*.*s  ", (int)kinds, kind_title(d->kind), (int)outcomes, PSTR(buf_str(how)));
        text_add(&r->out, d->name);
        buf_add(&r->out, d->prefix.n ? S(" at ") : S(""));
        text_add(&r->out, d->prefix);
        buf_char(&r->out, '\n');
    }
    buf_char(&r->out, '\n');
}

static void verdict(struct report *r, const struct report_target *t)
{
    struct tally y = tally(r, t);
    bool bad = t->failure.p || y.by[PAP_ERROR];
    struct buf *s = report_scratch(r);
    add_version(s, t);
    if (s->n) {
        buf_char(s, '.');
        wrapped(r, 0, 0, report_kept(r));
    }
    if (proxy_note(r, t).n)
        wrapped(r, 0, 0, proxy_note(r, t));
    s = report_scratch(r);
    add_verdict(s, r, t);
    if (y.by[PAP_ERROR] + y.by[PAP_WARNING] + y.by[PAP_INFO]) {
        buf_add(s, S(": "));
        add_tally(s, y.by);
    }
    if (y.known)
        buf_fmt(s, " (%zu known from the baseline, not counted)", y.known);
    struct pap_str sentence = report_kept(r);
    styled(r, bad ? RED : GREEN, S("Verdict:"));
    buf_char(&r->out, ' ');
    wrapped(r, 9, 9, sentence);
}

static void text_begin(struct report *r)
{
    (void)r;
}

/* One of many about which there is no more to say than a line: it is right, or nothing came. */
static void one_line(struct report *r, const struct report_target *t)
{
    struct buf *s = report_scratch(r);
    bool failed = t->failure.p, named = failed && str_find(t->failure, t->target) < t->failure.n;
    buf_add(s, named ? S("") : t->target);
    buf_add(s, failed && !named ? S(": ") : S(""));
    buf_add(s, failed ? t->failure : S(""));
    if (!failed) {
        buf_add(s, S(", "));
        add_count(s, t->bundle->n_docs, "document");
    }
    styled(r, failed ? RED : GREEN, failed ? S("not judged") : S("nothing found"));
    buf_add(&r->out, S("  "));
    wrapped(r, failed ? 12 : 15, 4, report_kept(r));
}

static void chapter(struct report *r, const struct report_target *t)
{
    bool fetched = was_fetched(t), whole = !r->quiet && (!r->many || fetched);
    if (r->many && (fetched || t->failure.p)) {
        buf_add(&r->out, S("target  "));
        styled(r, BOLD, t->target);
        buf_add(&r->out, S("\n\n"));
    }
    for (const struct doc *d = NULL; r->exchanges && (d = next_exchange(t, d)) != NULL;)
        text_exchange(r, d->exchange);
    findings(r, t);
    if (whole && t->bundle && t->bundle->docs)
        documents(r, t);
    if (whole || t->failure.p) {
        verdict(r, t);
        buf_add(&r->out, r->many ? S("\n") : S(""));
    }
}

static void text_target(struct report *r, const struct report_target *t)
{
    bool fetched = was_fetched(t);
    if (!r->many || t->n_findings || (fetched && (r->exchanges || t->failure.p)))
        chapter(r, t);
    else if (t->failure.p || (fetched && !r->quiet))
        one_line(r, t);
}

static void text_end(struct report *r, const struct report_total *total)
{
    const struct pap_counts *c = &total->counts;
    for (size_t i = 0; i < total->n_stale; i++) {
        styled(r, RED, S("stale baseline entry"));
        buf_add(&r->out, S("  "));
        wrapped(r, 22, 4, total->stale[i]);
    }
    if (total->n_stale)
        wrapped(r, 0, 0,
                S("What the entries above name is mended or was not looked at: take them out of the baseline."));
    if (!r->many || r->quiet)
        return;
    struct buf *s = report_scratch(r);
    add_count(s, c->targets, "target");
    if (r->n_failed)
        buf_fmt(s, ", %zu not judged", r->n_failed);
    buf_add(s, S(": "));
    add_tally(s, (size_t[]){0, (size_t)c->infos, (size_t)c->warnings, (size_t)c->errors});
    buf_add(s, S(" in "));
    add_count(s, c->documents, "document");
    if (c->known)
        buf_fmt(s, "; %llu known from the baseline, not counted", (unsigned long long)c->known);
    wrapped(r, 0, 0, report_kept(r));
}

const struct report_format format_text = {"text", text_begin, text_target, text_end};
