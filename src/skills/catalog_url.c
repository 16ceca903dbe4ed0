/* SPDX-License-Identifier: Apache-2.0
 *
 * The URL of an artifact, in the one way that every URL parser would ask for it.
 */
#include "skills/catalog.h"
#include "text/uri.h"

/* R-CAT-10, and that the artifact is not the document that names it (agent-skills 3.5). */
static const char *fault_of(const struct uri *ref, const struct uri *base, const struct uri *u, bool strict)
{
    const char *why;
    if (strict && ref->fragment.p)
        return "a fragment (#)";
    if (ref->userinfo.p || u->userinfo.p)
        return "a user name";
    if (!uri_is_web(u, &why))
        return why;
    if (uri_same_origin(u, base) && str_eq(u->path, base->path))
        return "the address of the list itself, not of a skill";
    /* Browsers ask for %27 instead. */
    return str_find_char(u->query, '\'') < u->query.n ? "a ' in its query" : NULL;
}

static struct pap_str canonical(struct arena *a, const struct uri *u)
{
    struct pap_str origin = uri_origin(a, u);
    if (!origin.p)
        return origin;
    return arena_fmt(a, "%.*s%s%.*s%s%.*s", PSTR(origin), u->path.n ? "" : "/", PSTR(u->path), u->query.p ? "?" : "",
                     PSTR(u->query));
}

pap_result catalog_url(struct arena *a, struct pap_str base_text, struct pap_str ref_text, bool strict,
                       struct pap_str *ret, const char **ret_why)
{
    struct uri base, ref, u;
    size_t at;
    if (!uri_parse(base_text, &base, &at, ret_why))
        return OK;
    *ret_why = "no place, because the list has no URL of its own";
    if (!base.scheme.p || !base.host.n)
        return OK;
    if (!uri_parse(ref_text, &ref, &at, ret_why))
        return OK;
    struct pap_str whole = uri_resolve(a, &base, &ref);
    if (!whole.p)
        return fail_memory(NULL);
    if (!uri_parse(whole, &u, &at, ret_why))
        return OK;
    *ret_why = fault_of(&ref, &base, &u, strict);
    if (*ret_why)
        return OK;
    *ret = canonical(a, &u);
    return ret->p ? OK : fail_memory(NULL);
}
