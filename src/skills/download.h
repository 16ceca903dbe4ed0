/* SPDX-License-Identifier: Apache-2.0
 *
 * An artifact fetched: hashed while it arrives, parsed by nobody. And, when the digest is another one, what most likely
 * happened.
 */
#ifndef SKILLS_DOWNLOAD_H
#define SKILLS_DOWNLOAD_H

#include "skills/line.h"
#include "skills/session.h"

struct download {
    struct cache_object *object; /* sealed; the caller's to free or keep */
    struct pap_str type;         /* Content-Type; p NULL: none came */
    bool coded;                  /* a Content-Encoding came although none was asked for */
    const struct exchange *x;    /* how it came; NULL: from a folder */
};

/* Views of *ret live in the arena. `no_cache`: past everything that is kept on the way. */
pap_result download(struct pap_skill_session *s, struct arena *a, const struct catalog_release *r, bool no_cache,
                    struct download *ret, struct pap_skill_err *err) PAP_MUST;

/* The object without the content coding that nobody asked for, when that has the digest wanted: in its place. */
pap_result download_decode(struct pap_skill_session *s, struct arena *a, struct pap_str digest, struct download *d,
                           struct pap_skill_err *err) PAP_MUST;

/* Why the bytes have most likely another digest, as a clause without a full stop; NULL: they do not say. Static, or in the
 * arena. (cause.c) */
const char *download_cause(struct arena *a, const struct pap_skill_session *s, const struct catalog_entry *e,
                           const struct catalog_release *r, const struct download *d);

/* All bytes of a small object, at most `most`; p NULL when they are more, or cannot be read. */
struct pap_str download_bytes(struct arena *a, struct cache_object *o, uint64_t most);

#endif
