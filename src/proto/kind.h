/* SPDX-License-Identifier: Apache-2.0
 *
 * Document kinds: one row each, with how a file of the kind is recognised.
 */
#ifndef PROTO_KIND_H
#define PROTO_KIND_H

#include "text/json.h"

enum kind {
    KIND_NONE = 0,
    KIND_POPPY,    /* poppy.json */
    KIND_METADATA, /* authorization server metadata (RFC 8414) */
    KIND_RESOURCE, /* protected resource metadata (RFC 9728) */
    KIND_CLIENT,   /* client metadata document of an agent */
    KIND_JWKS,     /* its key set */
    KIND_INDEX,    /* skill index, embedded in poppy.json or well-known */
    KIND_SKILL,    /* SKILL.md */
    KIND_ARCHIVE,  /* tar.gz or zip of a skill */
    KIND_OPENAPI,  /* API description */
    KIND_MCP,      /* what an MCP endpoint answers */
    KIND_COUNT,
    /* rows that judge something else than one document's content */
    KIND_TEXT = KIND_COUNT, /* the bytes: syntax notes */
    KIND_EXCHANGE,          /* how a document came */
    KIND_LINKS,             /* several documents together */
    KIND_PUBLISH,           /* what a publisher does; it reports by the row's id, see publish_checks.c */
    KIND_ROWS_COUNT
};

#define OF(kind) (1u << (kind))
#define OF_ANY (OF(KIND_COUNT) - 2u) /* every document kind */
#define OF_JSON                                                                                                  \
    (OF(KIND_POPPY) | OF(KIND_METADATA) | OF(KIND_RESOURCE) | OF(KIND_CLIENT) | OF(KIND_JWKS) | OF(KIND_INDEX) | \
     OF(KIND_OPENAPI))

enum kind_reader { READ_NONE, READ_JSON, READ_SKILL, READ_PACK };

struct kind_row {
    const char *word;  /* for --kind */
    const char *title; /* for people */
    enum kind_reader reader;
    size_t cap;        /* bytes read at most */
    const char *media; /* Accept when fetched */
};

const struct kind_row *kind_row(enum kind k); /* also for KIND_TEXT and those behind it, which have titles only */
enum kind kind_find(struct pap_str word);     /* KIND_NONE when there is none */

/* By name and place alone ("x/.well-known/poppy.json"); KIND_NONE when nothing fits. */
enum kind kind_of_path(struct pap_str path);
/* By content: first bytes, then members of the tree (`root` may be NULL); KIND_NONE when nothing fits. */
enum kind kind_of_content(struct pap_str bytes, const struct json *root);

#endif
