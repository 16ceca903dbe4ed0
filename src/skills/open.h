/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a list comes from (decision 19): poppy.json with its issuer checked, the well-known index, exactly one URL, or a
 * folder. Many may be read at once over one transport.
 */
#ifndef SKILLS_OPEN_H
#define SKILLS_OPEN_H

#include "discover/crawl.h"
#include "proto/check.h"
#include "skills/line.h"
#include "skills/session.h"

struct opening {
    struct pap_skill_session *session; /* its origin is read */
    struct arena arena;                /* of documents */
    struct line line;
    struct bundle bundle;
    struct budget budget; /* of the crawl; a line has its own */
    struct crawl *crawl;
    bool done;
    pap_result result;
    struct pap_skill_err err;
};

/* Sends the first request; opening_fini() in any case. `no_cache`: whatever is kept here or on the way. */
void opening_begin(struct opening *o, struct pap_skill_session *s, struct transport *below, bool no_cache);
void opening_fini(struct opening *o);

/* Whether the company may be believed: NULL, or the first error by the rows of `papaver check`. (company.c) */
pap_result company_judge(struct arena *a, struct bundle *b, int64_t now, const struct pap_finding **ret,
                         struct pap_err *err) PAP_MUST;

/* One session from begin to end, on a transport of the client. */
pap_result session_open(struct pap_skill_session *s, bool no_cache, struct pap_skill_err *err) PAP_MUST;

#endif
