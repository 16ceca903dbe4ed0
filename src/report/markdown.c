/* SPDX-License-Identifier: Apache-2.0
 *
 * Markdown (CommonMark) to paste into an issue, a pull request or a mail. Values stand in code spans and blocks whose
 * fences are longer than any in the text; in sentences each character that means something is escaped. Sites that turn
 * @name and #12 into mentions look at the text that comes out, where no escape is left: an empty comment parts those.
 */
#include "report/format.h"

static const struct escape in_sentence[] = {{'`', "\\`"},       {'*', "\\*"},       {'_', "\\_"}, {'[', "\\["},
                                            {']', "\\]"},       {'<', "\\<"},       {'>', "\\>"}, {'&', "\\&"},
                                            {'|', "\\|"},       {'~', "\\~"},       {'$', "\\$"}, {'\\', "\\\\"},
                                            {'@', "@<!-- -->"}, {'#', "#<!-- -->"}, {0}};
static const struct escape in_code[] = {{0}};

/* Bare addresses become links at many places: theirs do not. */
static void sentence(struct report *r, struct pap_str s)
{
    static const char *const parted[] = {"://", "www."};
    for (size_t i = 0, from = 0; i <= s.n; i++) {
        bool part = i == s.n;
        for (size_t k = 0; k < sizeof parted / sizeof *parted && !part; k++)
            part = str_eq_nocase(str_take(str_skip(s, i), str_c(parted[k]).n), str_c(parted[k]));
        if (!part)
            continue;
        size_t to = i < s.n ? i + 1 : i;
        add_escaped(&r->out, str(s.p + from, to - from), in_sentence);
        buf_add(&r->out, i < s.n ? S("<!-- -->") : S(""));
        from = to;
    }
}

/* The longest run of backticks in a text, which its fence has to be longer than. */
static size_t longest_fence(struct pap_str s)
{
    size_t most = 0, run = 0;
    for (size_t i = 0; i < s.n; i++) {
        run = s.p[i] == '`' ? run + 1 : 0;
        most = run > most ? run : most;
    }
    return most;
}

static void fence(struct report *r, size_t n)
{
    while (n--)
        buf_char(&r->out, '`');
}

static void code(struct report *r, struct pap_str s)
{
    size_t n = longest_fence(s) + 1;
    bool padded = n > 1 || (s.n && (s.p[0] == ' ' || s.p[s.n - 1] == ' '));
    if (!s.n)
        return;
    fence(r, n);
    buf_add(&r->out, padded ? S(" ") : S(""));
    add_escaped(&r->out, s, in_code);
    buf_add(&r->out, padded ? S(" ") : S(""));
    fence(r, n);
}

static void heading(struct report *r, unsigned level)
{
    for (unsigned i = 0; i < level; i++)
        buf_char(&r->out, '#');
    buf_char(&r->out, ' ');
}

static void place(struct report *r, const struct pap_finding *f)
{
    if (f->line)
        buf_fmt(&r->out, ", line %u, column %u", f->line, f->column);
    buf_add(&r->out, f->at.n ? S(", at ") : S(""));
    code(r, f->at);
    buf_add(&r->out, S("\n\n"));
    if (f->line && f->excerpt.n) {
        size_t n = longest_fence(f->excerpt) < 3 ? 3 : longest_fence(f->excerpt) + 1;
        fence(r, n);
        buf_fmt(&r->out, "text\n%u | ", f->line);
        add_escaped(&r->out, f->excerpt, in_code);
        buf_char(&r->out, '\n');
        fence(r, n);
        buf_add(&r->out, S("\n\n"));
    }
}

static void finding(struct report *r, const struct pap_finding *f, unsigned level)
{
    heading(r, level);
    buf_fmt(&r->out, "%s: ", severity_word(f->severity));
    sentence(r, f->message);
    buf_add(&r->out, S("\n\n"));
    code(r, str_c(f->id));
    buf_add(&r->out, S(" ("));
    add_reference(report_scratch(r), f);
    sentence(r, report_kept(r));
    buf_add(&r->out, f->provisional ? S("; provisional: the text of this version is not public") : S(""));
    buf_add(&r->out, f->known ? S("; known: listed in the baseline, not counted") : S(""));
    buf_char(&r->out, ')');
    place(r, f);
    if (f->mend.n) {
        buf_add(&r->out, S("**How to mend it:** "));
        sentence(r, f->mend);
        buf_add(&r->out, S("\n\n"));
    }
}

static void findings(struct report *r, const struct report_target *t, unsigned level)
{
    struct groups g = group_findings(r, t, group_by_where);
    const struct doc *cursor = NULL;
    for (size_t i = 0; i < g.n; i++) {
        const struct doc *d = doc_named(t->bundle, g.items[i].key, &cursor);
        heading(r, level);
        sentence(r, d ? str_c(kind_title(d->kind)) : S("Document"));
        buf_add(&r->out, S("\n\n"));
        code(r, g.items[i].key);
        buf_add(&r->out, g.items[i].key.n ? S("\n\n") : S(""));
        for (uint32_t k = g.items[i].first; k != GROUP_END; k = g.next[k])
            finding(r, &t->findings[k], level + 1);
    }
}

static void documents(struct report *r, const struct report_target *t, unsigned level)
{
    heading(r, level);
    buf_add(&r->out, was_fetched(t) ? S("Fetched and judged\n\n") : S("Judged\n\n"));
    for (const struct doc *d = t->bundle->docs; d; d = d->next) {
        struct buf *how = report_scratch(r);
        add_outcome(how, d);
        buf_fmt(&r->out, "- %s: ", kind_title(d->kind));
        code(r, d->name);
        buf_add(&r->out, d->prefix.n ? S(" at ") : S(""));
        code(r, d->prefix);
        buf_add(&r->out, S(", "));
        sentence(r, buf_str(&r->scratch));
        buf_char(&r->out, '\n');
    }
    buf_char(&r->out, '\n');
}

static void verdict(struct report *r, const struct report_target *t)
{
    struct tally y = tally(r, t);
    struct buf *s = report_scratch(r);
    buf_add(&r->out, S("**Verdict:** "));
    add_verdict(s, r, t);
    if (y.by[PAP_ERROR] + y.by[PAP_WARNING] + y.by[PAP_INFO]) {
        buf_add(s, S(": "));
        add_tally(s, y.by);
    }
    if (y.known)
        buf_fmt(s, " (%zu known from the baseline, not counted)", y.known);
    sentence(r, buf_str(s));
    buf_add(&r->out, S("\n\n"));
    s = report_scratch(r);
    add_version(s, t);
    if (s->n) {
        sentence(r, buf_str(s));
        buf_add(&r->out, S(".\n\n"));
    }
    if (proxy_note(r, t).n) {
        sentence(r, proxy_note(r, t));
        buf_add(&r->out, S("\n\n"));
    }
}

static void markdown_begin(struct report *r)
{
    if (!r->many)
        return;
    buf_add(&r->out, S("# papaver check, "));
    add_date(&r->out, r->now);
    buf_add(&r->out, S("\n\n"));
}

static void markdown_target(struct report *r, const struct report_target *t)
{
    unsigned level = r->many ? 2 : 1;
    if (r->many && !t->n_findings && !t->failure.p)
        return; /* counted at the end */
    heading(r, level);
    code(r, t->target);
    if (!r->many) {
        buf_add(&r->out, S(", checked "));
        add_date(&r->out, r->now);
    }
    buf_add(&r->out, S("\n\n"));
    verdict(r, t);
    findings(r, t, level + 1);
    if (!r->quiet && was_fetched(t))
        documents(r, t, level + 1);
}

static void markdown_end(struct report *r, const struct report_total *total)
{
    const struct pap_counts *c = &total->counts;
    if (total->n_stale) {
        heading(r, 2);
        buf_add(&r->out, S("Stale baseline entries\n\n"));
        for (size_t i = 0; i < total->n_stale; i++) {
            buf_add(&r->out, S("- "));
            code(r, total->stale[i]);
            buf_char(&r->out, '\n');
        }
        buf_char(&r->out, '\n');
    }
    if (r->many && !r->quiet) {
        add_count(&r->out, c->targets, "target");
        if (r->n_failed)
            buf_fmt(&r->out, ", %zu not judged", r->n_failed);
        buf_add(&r->out, S(": "));
        add_tally(&r->out, (size_t[]){0, (size_t)c->infos, (size_t)c->warnings, (size_t)c->errors});
        buf_add(&r->out, S(" in "));
        add_count(&r->out, c->documents, "document");
        buf_char(&r->out, '\n');
    }
}

const struct report_format format_markdown = {"markdown", markdown_begin, markdown_target, markdown_end};
