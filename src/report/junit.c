/* SPDX-License-Identifier: Apache-2.0
 *
 * JUnit XML, as build services read it: a suite for each target, a case for each rule with a finding and one that passes
 * for each document. Findings at or above the threshold fail their case, the others are its output. XML 1.0 has no way
 * to write most control characters; they are visible escapes before they come here.
 */
#include "report/format.h"

static void add(struct report *r, struct pap_str s)
{
    add_escaped(&r->out, s, escape_markup);
}

static bool fails(const struct report *r, const struct pap_finding *f)
{
    return !f->known && f->severity >= threshold(r);
}

static void lines_of(struct report *r, const struct pap_finding *f)
{
    buf_fmt(&r->out, "%s%s: ", f->known ? "known " : "", severity_word(f->severity));
    add(r, f->message);
    buf_add(&r->out, S("\n  at "));
    add(r, f->where);
    if (f->line)
        buf_fmt(&r->out, ":%u:%u", f->line, f->column);
    buf_add(&r->out, f->at.n ? S(", ") : S(""));
    add(r, f->at);
    buf_add(&r->out, f->mend.n ? S("\n  mend: ") : S(""));
    add(r, f->mend);
    buf_char(&r->out, '\n');
}

/* The findings of a rule that fail its case, or those that do not; returns how many there are. */
static size_t lines(struct report *r, const struct report_target *t, const struct groups *g, const struct group *rule,
                    bool failing, bool write)
{
    size_t n = 0;
    for (uint32_t k = rule->first; k != GROUP_END; k = g->next[k])
        if (fails(r, &t->findings[k]) == failing) {
            if (write)
                lines_of(r, &t->findings[k]);
            n++;
        }
    return n;
}

static void rule_case(struct report *r, const struct report_target *t, const struct groups *g, const struct group *rule)
{
    const struct pap_finding *f = &t->findings[rule->first];
    struct buf *name = report_scratch(r);
    buf_fmt(name, "%s: %s (", f->id, f->title);
    add_reference(name, f);
    buf_char(name, ')');
    struct pap_str full = report_kept(r);
    buf_add(&r->out, S("    <testcase classname=\""));
    add(r, t->target);
    buf_add(&r->out, S("\" name=\""));
    add(r, full);
    buf_add(&r->out, S("\">\n"));
    size_t bad = lines(r, t, g, rule, true, false);
    if (bad) {
        uint32_t k = rule->first;
        while (!fails(r, &t->findings[k]))
            k = g->next[k];
        buf_fmt(&r->out, "      <failure type=\"%s\" message=\"", severity_word(t->findings[k].severity));
        add(r, t->findings[k].message);
        if (bad > 1)
            buf_fmt(&r->out, " (and %zu more)", bad - 1);
        buf_add(&r->out, S("\">"));
        (void)lines(r, t, g, rule, true, true);
        buf_add(&r->out, S("</failure>\n"));
    }
    if (lines(r, t, g, rule, false, false)) {
        buf_add(&r->out, S("      <system-out>"));
        (void)lines(r, t, g, rule, false, true);
        buf_add(&r->out, S("</system-out>\n"));
    }
    buf_add(&r->out, S("    </testcase>\n"));
}

static size_t documents(struct report *r, const struct report_target *t, bool write)
{
    size_t n = 0;
    for (const struct doc *d = t->bundle ? t->bundle->docs : NULL; d; d = d->next) {
        if (!d->bytes.p)
            continue;
        n++;
        if (!write)
            continue;
        buf_add(&r->out, S("    <testcase classname=\""));
        add(r, t->target);
        buf_fmt(&r->out, "\" name=\"%s read: ", kind_title(d->kind));
        add(r, d->name);
        add(r, d->prefix);
        buf_add(&r->out, S("\"/>\n"));
    }
    return n;
}

static void junit_begin(struct report *r)
{
    buf_add(&r->out, S("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"papaver check\">\n"));
}

static void suite(struct report *r, struct pap_str name, size_t tests, size_t failures, size_t errors, uint32_t ms)
{
    buf_add(&r->out, S("  <testsuite name=\""));
    add(r, name);
    buf_fmt(&r->out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\" time=\"%u.%03u\">\n", tests,
            failures, errors, ms / 1000, ms % 1000);
}

static void junit_target(struct report *r, const struct report_target *t)
{
    struct groups g = group_findings(r, t, group_by_id);
    size_t failures = 0, errors = t->failure.p ? 1 : 0;
    for (size_t i = 0; i < g.n; i++)
        failures += lines(r, t, &g, &g.items[i], true, false) > 0;
    suite(r, t->target, g.n + documents(r, t, false) + errors, failures, errors, t->ms);
    if (t->failure.p) {
        buf_add(&r->out, S("    <testcase classname=\""));
        add(r, t->target);
        buf_add(&r->out, S("\" name=\"can be judged\">\n      <error type=\"failure\" message=\""));
        add(r, t->failure);
        buf_add(&r->out, S("\"/>\n    </testcase>\n"));
    }
    (void)documents(r, t, true);
    for (size_t i = 0; i < g.n; i++)
        rule_case(r, t, &g, &g.items[i]);
    buf_add(&r->out, S("  </testsuite>\n"));
}

static void junit_end(struct report *r, const struct report_total *total)
{
    if (total->n_stale)
        suite(r, S("baseline"), total->n_stale, total->n_stale, 0, 0);
    for (size_t i = 0; i < total->n_stale; i++) {
        buf_add(&r->out, S("    <testcase classname=\"baseline\" name=\""));
        add(r, total->stale[i]);
        buf_add(&r->out,
                S("\">\n      <failure type=\"stale\" message=\"nothing matched this entry\"/>\n    </testcase>\n"));
    }
    buf_add(&r->out, total->n_stale ? S("  </testsuite>\n") : S(""));
    buf_add(&r->out, S("</testsuites>\n"));
}

const struct report_format format_junit = {"junit", junit_begin, junit_target, junit_end};
