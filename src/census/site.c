/* SPDX-License-Identifier: Apache-2.0 */
#include "census/site.h"

void site_number(struct json_writer *w, const char *key, uint64_t n)
{
    json_write_key(w, key);
    json_write_int(w, (int64_t)n);
}

void site_text(struct json_writer *w, const char *key, struct pap_str s)
{
    json_write_key(w, key);
    json_write_str(w, s);
}

void site_time(struct json_writer *w, struct arena *a, const char *key, int64_t t)
{
    json_write_key(w, key);
    if (t)
        json_write_str(w, out_time(a, t));
    else
        json_write_null(w);
}

static void words(struct json_writer *w, const char *key, const struct census_words *list)
{
    json_write_key(w, key);
    json_array_begin(w);
    for (size_t i = 0; i < list->n; i++)
        json_write_str(w, list->word[i]);
    json_array_end(w);
}

struct pap_str site_skills_word(enum census_skills where)
{
    return where == CENSUS_SKILLS_EMBEDDED     ? S("embedded")
           : where == CENSUS_SKILLS_WELL_KNOWN ? S("well-known")
                                               : S("");
}

void site_summary(struct json_writer *w, const struct census_summary *s)
{
    site_text(w, "version", s->version);
    words(w, "channels", &s->channels);
    words(w, "sign_in", &s->sign_in);
    site_number(w, "skills", s->skills);
    site_text(w, "skills_where", site_skills_word(s->skills_where));
    site_number(w, "errors", s->errors);
    site_number(w, "warnings", s->warnings);
    site_number(w, "infos", s->infos);
}

void site_members(struct json_writer *w, struct arena *a, const struct census_site *s)
{
    site_text(w, "domain", s->name);
    site_text(w, "registrable", s->registrable);
    site_time(w, a, "first_seen", s->first_seen);
    site_time(w, a, "last_seen", s->last_seen);
    site_time(w, a, "listed_at", s->listed_at);
    site_time(w, a, "changed_at", s->changed_at);
    site_time(w, a, "gone_at", s->gone_at);
    site_text(w, "outcome", census_outcome_word(s->outcome));
    site_summary(w, &s->summary);
}

pap_result site_walk(struct pap_census *c, struct arena *a, struct census_query q, site_each *each, void *ctx,
                     struct pap_err *err)
{
    struct census_sites page;
    q.most = 1000;
    do {
        arena_reset(a);
        TRY(census_sites(c->store, a, &q, &page, err));
        for (size_t i = 0; i < page.n; i++)
            TRY(each(ctx, a, &page.site[i], err));
        q.skip += page.n;
    } while (page.n && q.skip < page.total);
    return OK;
}
