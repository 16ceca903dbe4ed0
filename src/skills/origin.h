/* SPDX-License-Identifier: Apache-2.0
 *
 * An origin in words, read and judged (decision 24, remote-skills R-NET-1, R-SCO-1, R-SCO-2, R-AUTH-1).
 */
#ifndef SKILLS_ORIGIN_H
#define SKILLS_ORIGIN_H

#include "base/arena.h"
#include "skills/fault.h"
#include "text/uri.h"

enum origin_kind {
    ORIGIN_DOMAIN, /* `authority`; the list is poppy.json's or that at `url` */
    ORIGIN_INDEX,  /* exactly `url` */
    ORIGIN_FOLDER  /* `path` */
};

struct origin {
    enum origin_kind kind;
    struct pap_str place, label;
    struct pap_str authority; /* "shop.example[:port]", lower case; empty for a folder */
    struct pap_str url;       /* of the index; of a folder "" */
    struct pap_str host;      /* of `url`, with its port: who may see headers and credentials */
    uint32_t port;
    const char *path;
    struct pap_str scope;         /* p NULL: none */
    const struct header *headers; /* configured, for `host` */
    size_t n_headers;
    const struct bound_header { /* for others, when an artifact is asked for */
        struct pap_str host;
        uint32_t port;
        struct header header;
    } * bound;
    size_t n_bound;
    bool named_index;   /* the list is the index: of a domain too */
    bool implied_index; /* nobody said so; scope or headers imply it */
    uint32_t stale_s;
    bool fresh;
};

/* All of *ret lives in the arena. Refusal: configuration_invalid with its field; no request was made. */
pap_result origin_read(struct arena *a, const struct pap_skill_origin *from, bool insecure_http, struct origin *ret,
                       struct pap_skill_err *err) PAP_MUST;

/* Whether the URL is on exactly the host and port of the origin's index. */
bool origin_owns(const struct origin *o, const struct uri *u);

/* Of the words of an origin (decision 24): a folder, neither a domain nor a URL. */
bool origin_is_folder(struct pap_str place);
/* Whether an artifact may come from there when nobody is asked: the host and port in the origin's words, "www." aside, or one
 * of `hosts` ("cdn.example[:port]", ended by NULL). Never of a folder. */
bool origin_allows(struct pap_str place, const char *const *hosts, const struct uri *u);
/* R-SCO-1 */
bool origin_is_scope(struct pap_str s);

#endif
