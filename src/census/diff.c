/* SPDX-License-Identifier: Apache-2.0
 *
 * What differs between two times: who came, who went, and what changed at those who stayed.
 */
#include "census/site.h"

struct diffing {
    struct pap_census *census;
    struct out out;
    struct arena arena;
    uint64_t n;
    struct pap_err *err;
};

static bool publishes(const struct census_observation *o)
{
    return o->id && o->standing == CENSUS_GOOD;
}

static const char *what_of(const struct census_difference *d)
{
    return !publishes(&d->before) && publishes(&d->after)   ? "new"
           : publishes(&d->before) && !publishes(&d->after) ? "gone"
                                                            : "changed";
}

static const struct census_finding *find_rule(const struct census_findings *list, const struct census_finding *f)
{
    for (size_t i = 0; i < list->n; i++)
        if (str_eq(list->finding[i].rule, f->rule) && list->finding[i].severity == f->severity)
            return &list->finding[i];
    return NULL;
}

static const char *severity_of(int s)
{
    return s == CENSUS_FINDING_ERROR ? "error" : s == CENSUS_FINDING_WARNING ? "warning" : "info";
}

/* Rules of `one` that `other` does not have. */
static void rules_as_json(struct json_writer *w, const char *key, const struct census_findings *one,
                          const struct census_findings *other)
{
    json_write_key(w, key);
    json_array_begin(w);
    for (size_t i = 0; i < one->n; i++) {
        if (find_rule(other, &one->finding[i]))
            continue;
        json_object_begin(w);
        site_text(w, "rule", one->finding[i].rule);
        site_text(w, "severity", str_c(severity_of(one->finding[i].severity)));
        json_object_end(w);
    }
    json_array_end(w);
}

static void side_as_json(struct diffing *d, const char *key, const struct census_observation *o)
{
    struct json_writer *w = &d->out.json;
    json_write_key(w, key);
    if (!o->id) {
        json_write_null(w);
        return;
    }
    json_object_begin(w);
    site_text(w, "outcome", census_outcome_word(o->outcome));
    site_time(w, &d->arena, "from", o->first_at);
    site_time(w, &d->arena, "until", o->last_at);
    site_summary(w, &o->summary);
    json_object_end(w);
}

static void as_json(struct diffing *d, const struct census_difference *x, const struct census_findings *before,
                    const struct census_findings *after)
{
    struct json_writer *w = &d->out.json;
    json_writer_init(w, &d->out.text, 0);
    json_object_begin(w);
    site_text(w, "domain", x->name);
    site_text(w, "what", str_c(what_of(x)));
    side_as_json(d, "before", &x->before);
    side_as_json(d, "after", &x->after);
    rules_as_json(w, "found", after, before);
    rules_as_json(w, "mended", before, after);
    json_object_end(w);
    buf_char(&d->out.text, '\n');
}

static void rules_as_text(struct buf *b, const char *lead, const struct census_findings *one,
                          const struct census_findings *other)
{
    for (size_t i = 0; i < one->n; i++)
        if (!find_rule(other, &one->finding[i]))
            buf_fmt(b, "    %s %s %.*s\n", lead, severity_of(one->finding[i].severity), PSTR(one->finding[i].rule));
}

static void text_change(struct buf *b, const char *what, struct pap_str before, struct pap_str after)
{
    if (!str_eq(before, after))
        buf_fmt(b, "    %s: %.*s -> %.*s\n", what, PSTR(before.n ? before : S("none")),
                PSTR(after.n ? after : S("none")));
}

static void as_text(struct diffing *d, const struct census_difference *x, const struct census_findings *before,
                    const struct census_findings *after)
{
    struct buf *b = &d->out.text;
    const struct census_summary *one = &x->before.summary, *other = &x->after.summary;
    buf_fmt(b, "%-8s%.*s", what_of(x), PSTR(x->name));
    if (publishes(&x->after) && !publishes(&x->before))
        buf_fmt(b, "  %.*s, %u skills, %u errors", PSTR(other->version), other->skills, other->errors);
    if (!publishes(&x->after) && x->after.id)
        buf_fmt(b, "  %.*s", PSTR(census_outcome_word(x->after.outcome)));
    buf_char(b, '\n');
    if (!publishes(&x->before) || !publishes(&x->after))
        return;
    text_change(b, "version", one->version, other->version);
    text_change(b, "channels", out_words(&d->arena, &one->channels), out_words(&d->arena, &other->channels));
    text_change(b, "sign-in", out_words(&d->arena, &one->sign_in), out_words(&d->arena, &other->sign_in));
    if (one->skills != other->skills)
        buf_fmt(b, "    skills: %u -> %u\n", one->skills, other->skills);
    rules_as_text(b, "found", after, before);
    rules_as_text(b, "mended", before, after);
}

static void as_csv(struct diffing *d, const struct census_difference *x)
{
    struct buf *b = &d->out.text;
    const struct pap_str cells[] = {x->name, str_c(what_of(x)), x->before.summary.version, x->after.summary.version};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        out_cell(b, cells[i]);
        buf_char(b, ',');
    }
    buf_fmt(b, "%u,%u,%u,%u\r\n", x->before.summary.skills, x->after.summary.skills, x->before.summary.errors,
            x->after.summary.errors);
}

static pap_result write_one(struct diffing *d, const struct census_difference *x)
{
    struct census_findings before = {0}, after = {0};
    d->n++;
    if (d->out.to->form == PAP_CENSUS_CSV) {
        as_csv(d, x);
        return OK;
    }
    if (x->before.id)
        TRY(census_findings(d->census->store, &d->arena, x->before.id, &before, d->err));
    if (x->after.id)
        TRY(census_findings(d->census->store, &d->arena, x->after.id, &after, d->err));
    (d->out.to->form == PAP_CENSUS_JSON ? as_json : as_text)(d, x, &before, &after);
    return OK;
}

static pap_result write_all(struct diffing *d, int64_t before, int64_t after)
{
    struct census_differences page = {0};
    if (d->out.to->form == PAP_CENSUS_CSV)
        buf_add(&d->out.text, S("domain,what,version_before,version_after,skills_before,skills_after,errors_before,"
                                "errors_after\r\n"));
    do {
        int64_t from = page.next;
        arena_reset(&d->arena);
        TRY(census_diff(d->census->store, &d->arena, before, after, from, 1000, &page, d->err));
        for (size_t i = 0; i < page.n; i++)
            TRY(write_one(d, &page.difference[i]));
        TRY(out_flush(&d->out, d->err));
    } while (page.next);
    return OK;
}

pap_result pap_census_diff(struct pap_census *census, int64_t before, int64_t after, const struct pap_census_out *out,
                           uint64_t *ret_n, struct pap_err *err)
{
    struct diffing d = {.census = census, .err = err};
    arena_init(&d.arena, census->o.alloc);
    out_begin(&d.out, out, census->o.alloc);
    pap_result r = write_all(&d, before, after);
    if (is_ok(r))
        *ret_n = d.n;
    out_end(&d.out);
    arena_fini(&d.arena);
    return r;
}
