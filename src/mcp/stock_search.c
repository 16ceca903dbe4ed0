/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/stock_inside.h"

struct asking {
    struct arena *a;
    struct list **lists; /* held; NULL: not had */
    const struct pap_skill_session **sessions;
    size_t *places; /* of each session */
    size_t n;
    struct mcp_search *found;
};

static void add_trouble(struct stock *s, struct asking *k, size_t place, const struct pap_skill_err *err)
{
    struct mcp_trouble *t = &k->found->troubles[k->found->n_troubles++];
    t->label = s->origins[place].label;
    t->err = *err;
}

/* The lists of all places in `wanted`, at once where they have to be asked for. */
static pap_result open_lists(struct stock *s, struct asking *k, const bool *wanted, struct pap_skill_err *err)
{
    size_t n = s->o.n_origins, n_old = 0;
    struct pap_skill_origin *old = arena_new_array(k->a, n, struct pap_skill_origin);
    struct pap_skill_session **sessions = arena_new_array(k->a, n, struct pap_skill_session *);
    struct pap_skill_err *errs = arena_new_array(k->a, n, struct pap_skill_err);
    size_t *place_of = arena_new_array(k->a, n, size_t);
    if (!old || !sessions || !errs || !place_of)
        return stock_no_memory(err);
    for (size_t i = 0; i < n; i++) {
        k->lists[i] = wanted[i] ? list_young(s, &s->places[i]) : NULL;
        if (wanted[i] && !k->lists[i]) {
            place_of[n_old] = i;
            old[n_old++] = s->places[i].origin;
        }
    }
    if (n_old)
        TRY(pap_skill_session_open_all(s->client, old, n_old, sessions, errs));
    bool fine = true;
    for (size_t i = 0; i < n_old; i++) {
        struct list *l = sessions[i] ? list_new(s, sessions[i]) : NULL;
        fine &= !sessions[i] || l;
        if (l)
            list_put(s, &s->places[place_of[i]], k->lists[place_of[i]] = l);
        else if (!sessions[i])
            add_trouble(s, k, place_of[i], &errs[i]);
    }
    for (size_t i = 0; i < n; i++)
        if (k->lists[i]) {
            k->sessions[k->n] = k->lists[i]->session;
            k->places[k->n++] = i;
        }
    return fine ? OK : stock_no_memory(err);
}

static pap_result copy_hits(struct stock *s, struct asking *k, const struct pap_skill_hit *hits, size_t n,
                            struct pap_skill_err *err)
{
    for (size_t i = 0; i < n; i++) {
        struct mcp_hit *h = &k->found->hits[i];
        const struct mcp_origin *o = &s->origins[k->places[hits[i].session]];
        struct pap_skill_release r;
        pap_skill_session_at(k->sessions[hits[i].session], hits[i].skill, &r, NULL);
        *h = (struct mcp_hit){
            o->label, o->place, arena_str(k->a, r.name), arena_str(k->a, r.description), arena_str(k->a, r.version),
            false};
        if (!h->name.p || !h->description.p || !h->version.p)
            return stock_no_memory(err);
        h->loaded = entry_is_there(s, h->label, h->name);
    }
    k->found->n_hits = n;
    return OK;
}

static pap_result search_lists(struct stock *s, struct asking *k, struct pap_str words, size_t most,
                               struct pap_skill_err *err)
{
    struct pap_skill_hit *hits = arena_new_array(k->a, most, struct pap_skill_hit);
    const char *c_words = arena_cstr(k->a, words);
    size_t n = 0;
    k->found->hits = arena_new_array(k->a, most, struct mcp_hit);
    if (!hits || !c_words || !k->found->hits)
        return stock_no_memory(err);
    if (k->n) {
        pap_result r = pap_skill_search(k->sessions, k->n, c_words, hits, most, &n);
        if (!is_ok(r))
            return stock_no_memory(err);
    }
    return copy_hits(s, k, hits, n, err);
}

pap_result stock_search(void *ctx, struct arena *a, struct pap_str label, struct pap_str words, size_t most,
                        struct mcp_search *ret, struct pap_skill_err *err)
{
    struct stock *s = ctx;
    size_t n = s->o.n_origins;
    struct mcp_search found = {.troubles = arena_new_array(a, n, struct mcp_trouble)};
    struct asking k = {.a = a,
                       .lists = arena_new_array(a, n, struct list *),
                       .sessions = arena_new_array(a, n, const struct pap_skill_session *),
                       .places = arena_new_array(a, n, size_t),
                       .found = &found};
    bool *wanted = arena_new_array(a, n, bool);
    if (!found.troubles || !k.lists || !k.sessions || !k.places || !wanted)
        return stock_no_memory(err);
    for (size_t i = 0; i < n; i++)
        wanted[i] = !label.n || str_eq(s->origins[i].label, label);
    pap_result r = open_lists(s, &k, wanted, err);
    if (is_ok(r))
        r = search_lists(s, &k, words, most, err);
    for (size_t i = 0; i < n; i++)
        list_drop(s, k.lists[i]);
    if (is_ok(r))
        *ret = found;
    return r;
}
