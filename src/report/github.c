/* SPDX-License-Identifier: Apache-2.0
 *
 * Workflow commands of GitHub Actions: one line a finding, shown beside the changed line of a pull request. The escapes
 * are GitHub's own: % everywhere (%0A is a line end of ours), : and , in properties too. A line end in untrusted text is
 * a visible escape.
 */
#include "report/format.h"

static const struct escape in_message[] = {{'%', "%25"}, {0}};
static const struct escape in_property[] = {{'%', "%25"}, {':', "%3A"}, {',', "%2C"}, {0}};

static const char *command_of(const struct pap_finding *f)
{
    static const char *const commands[] = {[PAP_INFO] = "notice", [PAP_WARNING] = "warning", [PAP_ERROR] = "error"};
    return f->known ? "notice" : commands[f->severity];
}

static bool is_url(struct pap_str where)
{
    return str_find(where, S("://")) < where.n;
}

static void property(struct report *r, const char *name, struct pap_str value, bool *first)
{
    buf_char(&r->out, *first ? ' ' : ',');
    buf_fmt(&r->out, "%s=", name);
    add_escaped(&r->out, value, in_property);
    *first = false;
}

static void message(struct report *r, const struct pap_finding *f)
{
    struct buf *out = &r->out;
    if (f->known)
        buf_add(out, S("(known) "));
    add_escaped(out, f->message, in_message);
    if (is_url(f->where)) {
        buf_add(out, S("%0Aat "));
        add_escaped(out, f->where, in_message);
        if (f->line)
            buf_fmt(out, ":%u:%u", f->line, f->column);
    }
    if (f->at.n) {
        buf_add(out, is_url(f->where) ? S(", ") : S("%0Aat "));
        add_escaped(out, f->at, in_message);
    }
    if (f->mend.n) {
        buf_add(out, S("%0Amend: "));
        add_escaped(out, f->mend, in_message);
    }
    buf_fmt(out, "%%0Amore: papaver explain %s\n", f->id);
}

static void finding(struct report *r, const struct pap_finding *f)
{
    bool first = true;
    buf_fmt(&r->out, "::%s", command_of(f));
    if (!is_url(f->where) && f->where.n) {
        property(r, "file", f->where, &first);
        if (f->line) {
            buf_fmt(&r->out, ",line=%u", f->line);
            buf_fmt(&r->out, ",col=%u", f->column);
        }
    }
    struct buf *title = report_scratch(r);
    buf_fmt(title, "%s (", f->id);
    add_reference(title, f);
    buf_char(title, ')');
    property(r, "title", report_kept(r), &first);
    buf_add(&r->out, S("::"));
    message(r, f);
}

static void github_begin(struct report *r)
{
    (void)r;
}

static void github_target(struct report *r, const struct report_target *t)
{
    for (size_t i = 0; i < t->n_findings; i++)
        finding(r, &t->findings[i]);
    if (t->failure.p) {
        buf_add(&r->out, S("::error title=papaver could not judge this::"));
        add_escaped(&r->out, t->target, in_message);
        buf_add(&r->out, S(": "));
        add_escaped(&r->out, t->failure, in_message);
        buf_char(&r->out, '\n');
    }
}

static void github_end(struct report *r, const struct report_total *total)
{
    const struct pap_counts *c = &total->counts;
    for (size_t i = 0; i < total->n_stale; i++) {
        buf_add(&r->out, S("::error title=stale baseline entry::"));
        add_escaped(&r->out, total->stale[i], in_message);
        buf_char(&r->out, '\n');
    }
    buf_add(&r->out, S("papaver: "));
    add_tally(&r->out, (size_t[]){0, (size_t)c->infos, (size_t)c->warnings, (size_t)c->errors});
    buf_add(&r->out, S(" in "));
    add_count(&r->out, c->documents, "document");
    buf_char(&r->out, '\n');
}

const struct report_format format_github = {"github", github_begin, github_target, github_end};
