/* SPDX-License-Identifier: Apache-2.0 */
#include "web/kept.h"

#include "base/limits.h"
#include "census/facts.h"
#include "net/registrable.h"

/* ---- into the store ---- */

pap_result kept_put(struct census *c, struct arena *a, struct pap_str name, const struct report_target *t,
                    bool published, int64_t at, struct pap_err *err)
{
    struct census_result seen = {.id = 0};
    /* As if it had published before: here the report of one that does not is kept, too. */
    TRY(facts_of(a, t, published, true, &seen, err));
    if (seen.record->bytes.n > LIMIT_WEB_PAGE)
        return fail(err, PAP_IO, "the report of %.*s is larger than any page", PSTR(name));
    const struct census_report r = {.name = name,
                                    .at = at,
                                    .outcome = seen.outcome,
                                    .rules = seen.rules,
                                    .summary = seen.summary,
                                    .record = seen.record,
                                    .bodies = seen.bodies,
                                    .n_bodies = seen.n_bodies};
    TRY(census_report_put(c, &r, err));
    if (!published)
        return OK;
    struct census_name site = {.name = name, .source = S("web")};
    struct census_added added;
    TRY(registrable_domain(a, name, &site.registrable, err));
    return census_add(c, &site, 1, at, &added, err);
}

/* ---- and back ---- */

pap_result kept_observed(struct census *c, struct arena *a, const struct census_observation *o, bool *ret_found,
                         struct kept *ret, struct pap_err *err)
{
    struct kept k = {.name = o->name, .at = o->last_at, .digest = o->record};
    if (o->has_record)
        TRY(census_body(c, a, &o->record, &k.text, err));
    *ret_found = k.text.p != NULL;
    if (*ret_found)
        *ret = k;
    return OK;
}

pap_result kept_find(struct census *c, struct arena *a, struct pap_str name, bool *ret_found, struct kept *ret,
                     struct pap_err *err)
{
    struct census_report r = {0};
    struct census_site site;
    struct census_observation o;
    struct kept seen;
    bool has_report = false, is_site = false, observed = false, has_seen = false;
    TRY(census_report_get(c, a, name, &has_report, &r, err));
    TRY(census_site(c, a, name, &is_site, &site, err));
    if (is_site && site.observation && (!has_report || site.last_seen > r.at))
        TRY(census_observation(c, a, site.observation, &observed, &o, err));
    if (observed)
        TRY(kept_observed(c, a, &o, &has_seen, &seen, err));
    *ret_found = has_report || has_seen;
    if (has_seen)
        *ret = seen;
    else if (has_report)
        *ret = (struct kept){.name = name, .at = r.at, .digest = r.record->digest, .text = r.record->bytes};
    return OK;
}

struct finding_bodies {
    struct census *census;
    struct arena *arena;
    struct kept *kept;
};

static pap_result find_body(void *ctx, struct pap_str name, struct pap_str *ret, struct pap_err *err)
{
    struct finding_bodies *f = ctx;
    struct kept *k = f->kept;
    struct census_digest d;
    struct pap_str bytes = str(NULL, 0);
    for (size_t i = 0; i < k->n_bodies; i++)
        if (str_eq(k->bodies[i].name, name)) {
            *ret = k->bodies[i].bytes;
            return OK;
        }
    if (facts_digest(name, &d))
        TRY(census_body(f->census, f->arena, &d, &bytes, err));
    if (k->n_bodies == k->cap_bodies) {
        size_t cap = k->cap_bodies ? 2 * k->cap_bodies : 32;
        struct kept_body *more = arena_new_array(f->arena, cap, struct kept_body);
        if (!more)
            return fail_memory(err);
        if (k->n_bodies)
            memcpy(more, k->bodies, k->n_bodies * sizeof *more);
        k->bodies = more;
        k->cap_bodies = cap;
    }
    k->bodies[k->n_bodies++] = (struct kept_body){name, bytes};
    *ret = bytes;
    return OK;
}

pap_result kept_read(struct census *c, struct arena *a, struct kept *kept, struct pap_err *err)
{
    struct finding_bodies f = {c, a, kept};
    return record_read(a, kept->text, find_body, &f, &kept->record, err);
}
