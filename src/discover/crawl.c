/* SPDX-License-Identifier: Apache-2.0 */
#include "discover/crawl.h"

#include "discover/fetch.h"

static struct crawl *make(struct arena *a, struct transport *t, struct budget *budget, const struct crawl_options *o,
                          struct bundle *bundle, crawl_done *done, void *ctx)
{
    struct crawl *c = arena_new(a, struct crawl);
    struct crawl_options *own = arena_new(a, struct crawl_options);
    if (!c || !own)
        return NULL;
    *own = *o;
    *c = (struct crawl){
        .arena = a, .transport = t, .budget = budget, .o = own, .bundle = bundle, .done = done, .ctx = ctx};
    return c;
}

bool crawl_failed(const struct crawl *c)
{
    return c->no_memory;
}

static bool wants(const struct crawl *c, unsigned kinds)
{
    return c->o->kinds & kinds;
}

static struct pap_str below(struct crawl *c, const char *path)
{
    return arena_fmt(c->arena, "%.*s%s", PSTR(c->origin), path);
}

/* The other of apex and www. */
static void want_twin(struct crawl *c, struct pap_str authority)
{
    bool www = str_starts(authority, S("www."));
    size_t dots = 0;
    for (size_t i = 0; i < authority.n; i++)
        dots += authority.p[i] == '.';
    if ((!www && dots > 2) || str_starts(authority, S("[")))
        return; /* api.eu.shop.example has no www. form that anybody would ask, nor has an address */
    struct pap_str url = www ? arena_fmt(c->arena, "https://%.*s/.well-known/poppy.json", PSTR(str_skip(authority, 4)))
                             : arena_fmt(c->arena, "https://www.%.*s/.well-known/poppy.json", PSTR(authority));
    fetch_want(c, "GET", url, (struct wish){.kind = KIND_POPPY, .role = ROLE_TWIN});
}

static void want_index(struct crawl *c)
{
    if (wants(c, OF(KIND_INDEX) | OF(KIND_SKILL) | OF(KIND_ARCHIVE)))
        fetch_want(c, "GET", below(c, "/.well-known/agent-skills/index.json"),
                   (struct wish){.kind = KIND_INDEX, .role = ROLE_WELL_KNOWN});
}

/* Whether it is of use to ask the same host for more. */
static bool answered(const struct doc *d)
{
    const struct exchange *x = d ? d->exchange : NULL;
    return x && x->n_hops && x->hops[0].status != 0;
}

void crawl_first_came(struct crawl *c)
{
    struct doc *first = c->bundle->docs, *index = NULL;
    for (struct doc *d = first; d; d = d->next)
        if (d->role == ROLE_WELL_KNOWN)
            index = d;
    if (!index && (answered(first) || bundle_is_published(c->bundle)))
        want_index(c);
    if (!index && c->pending > 1)
        return; /* it is under way */
    c->first_only = false;
    if (!bundle_is_published(c->bundle))
        return;
    if (c->o->twin)
        want_twin(c, str_skip(c->origin, S("https://").n));
    crawl_follow(c, first);
    if (index)
        crawl_follow(c, index);
}

pap_result crawl_domain(struct arena *a, struct transport *t, struct budget *budget, const struct crawl_options *o,
                        struct pap_str domain, struct bundle *bundle, crawl_done *done, void *ctx, struct crawl **ret)
{
    struct crawl *c = make(a, t, budget, o, bundle, done, ctx);
    struct pap_str authority = arena_str(a, domain);
    if (!c || !authority.p)
        return fail_memory(NULL);
    for (size_t i = 0; i < authority.n; i++)
        ((char *)authority.p)[i] = ascii_lower(authority.p[i]);
    bool literal = str_starts(authority, S("[")); /* of IPv6 */
    bundle->domain =
        str_take(str_skip(authority, literal), str_find_char(str_skip(authority, literal), literal ? ']' : ':'));
    c->origin = arena_fmt(a, "%s://%.*s", o->http ? "http" : "https", PSTR(authority));
    if (!c->origin.p)
        return fail_memory(NULL);
    *ret = c;
    crawl_hold(c);
    fetch_want(c, "GET", below(c, "/.well-known/poppy.json"), (struct wish){.kind = KIND_POPPY});
    if (o->first_only) {
        c->first_only = true;
    } else {
        c->artifacts_wait = !c->no_memory;
        want_index(c);
        if (o->twin)
            want_twin(c, authority);
    }
    crawl_release(c);
    return OK;
}

pap_result crawl_url(struct arena *a, struct transport *t, struct budget *budget, const struct crawl_options *o,
                     struct pap_str url, enum kind kind, struct bundle *bundle, crawl_done *done, void *ctx,
                     struct crawl **ret)
{
    struct crawl *c = make(a, t, budget, o, bundle, done, ctx);
    if (!c)
        return fail_memory(NULL);
    *ret = c;
    crawl_hold(c);
    fetch_want(c, "GET", url, (struct wish){.kind = kind});
    crawl_release(c);
    return OK;
}

pap_result crawl_documents(struct arena *a, struct transport *t, struct budget *budget, const struct crawl_options *o,
                           struct bundle *bundle, crawl_done *done, void *ctx, struct crawl **ret)
{
    struct crawl *c = make(a, t, budget, o, bundle, done, ctx);
    if (!c)
        return fail_memory(NULL);
    *ret = c;
    crawl_hold(c);
    /* Only what was there at the start: documents that arrive follow by themselves. */
    size_t n = bundle->n_docs;
    for (struct doc *d = bundle->docs; d && n > 0; d = d->next, n--)
        crawl_follow(c, d);
    crawl_release(c);
    return OK;
}
