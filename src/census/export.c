/* SPDX-License-Identifier: Apache-2.0
 *
 * Every domain, for other programs.
 */
#include "census/site.h"

static void as_json(struct out *o, struct arena *a, const struct census_domain *d)
{
    struct json_writer *w = &o->json;
    json_writer_init(w, &o->text, 0);
    json_object_begin(w);
    if (d->is_site)
        site_members(w, a, &d->site);
    else
        site_text(w, "domain", d->name);
    if (!d->is_site)
        site_text(w, "registrable", d->registrable);
    if (!d->is_site)
        site_text(w, "outcome", census_outcome_word(d->outcome));
    json_write_key(w, "site");
    json_write_bool(w, d->is_site);
    json_write_key(w, "opted_out");
    json_write_bool(w, d->opted_out);
    site_text(w, "source", d->source);
    site_number(w, "rank", (uint64_t)d->rank);
    site_time(w, a, "added_at", d->added_at);
    site_time(w, a, "asked_at", d->asked_at);
    site_time(w, a, "due_at", d->due_at);
    json_object_end(w);
    buf_char(&o->text, '\n');
}

static void as_csv(struct out *o, struct arena *a, const struct census_domain *d)
{
    const struct census_summary *y = &d->site.summary;
    const struct pap_str cells[] = {d->name,
                                    d->registrable,
                                    census_outcome_word(d->outcome),
                                    d->source,
                                    out_time(a, d->added_at),
                                    out_time(a, d->asked_at),
                                    out_time(a, d->due_at),
                                    d->is_site ? out_time(a, d->site.first_seen) : S(""),
                                    d->is_site ? out_time(a, d->site.gone_at) : S(""),
                                    d->is_site ? y->version : S("")};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        out_cell(&o->text, cells[i]);
        buf_char(&o->text, ',');
    }
    buf_fmt(&o->text, "%lld,%u,%u\r\n", (long long)d->rank, d->is_site ? y->skills : 0, d->is_site ? y->errors : 0);
}

static pap_result write_all(struct pap_census *c, struct out *o, struct arena *a, struct pap_err *err)
{
    enum { PAGE = 1000 };
    struct census_domains page;
    int64_t after = 0;
    bool csv = o->to->form == PAP_CENSUS_CSV;
    if (csv)
        buf_add(&o->text,
                S("domain,registrable,outcome,source,added_at,asked_at,due_at,first_seen,gone_at,version,rank,"
                  "skills,errors\r\n"));
    do {
        arena_reset(a);
        TRY(census_export(c->store, a, after, PAGE, &page, err));
        for (size_t i = 0; i < page.n; i++)
            (csv ? as_csv : as_json)(o, a, &page.domain[i]);
        after = page.n ? page.domain[page.n - 1].id : after;
        TRY(out_flush(o, err));
    } while (page.n);
    return OK;
}

pap_result pap_census_export(struct pap_census *census, const struct pap_census_out *out, struct pap_err *err)
{
    struct arena a;
    struct out o;
    arena_init(&a, census->o.alloc);
    out_begin(&o, out, census->o.alloc);
    pap_result r = write_all(census, &o, &a, err);
    out_end(&o);
    arena_fini(&a);
    return r;
}
