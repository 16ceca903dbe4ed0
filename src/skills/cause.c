/* SPDX-License-Identifier: Apache-2.0
 *
 * Why a digest is another one. Honest causes are many and each leaves its mark; the digest cannot tell them from an attack,
 * so that this is said and changes nothing.
 */
#include "proto/digest_cause.h"
#include "skills/download.h"

enum { LOOKED_AT = 2 << 20 };

static const char *of_other_release(struct arena *a, const struct pap_skill_session *s, const struct catalog_entry *e,
                                    const struct catalog_release *r, struct pap_str actual)
{
    for (size_t i = 0; i < e->n_releases; i++) {
        const struct catalog_release *o = &e->releases[i];
        if (o != r && str_eq(o->digest, actual)) {
            struct pap_str text = arena_fmt(a, "these are the bytes of release %.*s", PSTR(o->version));
            return text.p ? text.p : "";
        }
    }
    for (size_t i = 0; i < s->catalog.n_entries; i++) {
        const struct catalog_entry *o = &s->catalog.entries[i];
        if (o != e && str_eq(o->current->digest, actual)) {
            struct pap_str text = arena_fmt(a, "these are the bytes of the skill %.*s", PSTR(o->name));
            return text.p ? text.p : "";
        }
    }
    return NULL;
}

const char *download_cause(struct arena *a, const struct pap_skill_session *s, const struct catalog_entry *e,
                           const struct catalog_release *r, const struct download *d)
{
    struct pap_str b = download_bytes(a, d->object, LOOKED_AT);
    const char *cause = of_other_release(a, s, e, r, str_c(cache_object_digest(d->object)));
    if (!cause && b.p && !is_ok(digest_cause(a, r->digest, b, r->type == ARTIFACT_ARCHIVE, &cause)))
        cause = NULL;
    if (!cause && d->coded)
        cause = "it came in a content coding that nothing asked for";
    return cause;
}
