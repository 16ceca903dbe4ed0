/* SPDX-License-Identifier: Apache-2.0
 *
 * A document: bytes of a kind, read into a tree, with how they came. A bundle: the documents of one company (or of one
 * file or folder) that are judged together. Plain data; everything lives in the arena of the check.
 */
#ifndef PROTO_DOCUMENT_H
#define PROTO_DOCUMENT_H

#include "base/exchange.h"
#include "pack/pack.h"
#include "proto/kind.h"
#include "proto/version.h"
#include "text/skillmd.h"

enum role {
    ROLE_MAIN = 0,
    ROLE_TWIN,       /* poppy.json of the other of apex and www. */
    ROLE_APPENDED,   /* metadata at issuer + /.well-known/...: the wrong place */
    ROLE_EMBEDDED,   /* skill_index inside poppy.json */
    ROLE_WELL_KNOWN, /* skill index at /.well-known/agent-skills/index.json */
    ROLE_LEGACY,     /* index at /.well-known/skills/index.json */
    ROLE_ARTIFACT,   /* a skill's file, named by an index entry */
    ROLE_INSIDE,     /* SKILL.md inside an archive */
    ROLE_MCP,        /* resource metadata of one MCP server */
    ROLE_HEAD        /* answer to HEAD for what `from` is the answer to GET; never any content */
};

/* A further place that names a document. */
struct naming {
    struct naming *next;
    const struct doc *from;
    const struct json *node;
};

enum has_file { HAS_UNKNOWN, HAS_NOT, HAS_PLAIN, HAS_EXECUTABLE, HAS_FOLDER };

struct doc {
    struct doc *next;
    enum kind kind;
    enum role role;
    struct pap_str name;             /* URL or path, as shown */
    struct pap_str base;             /* absolute URL that relative references resolve against; p NULL: none (a file) */
    struct pap_str bytes;            /* p NULL: did not come */
    const struct exchange *exchange; /* NULL: not fetched */
    const struct json *root;         /* JSON, or the front matter; NULL: not read */
    struct pap_str prefix;           /* JSON pointer of root inside `bytes`: "" or "/skill_index" */
    struct notes notes;
    struct skillmd skill;            /* KIND_SKILL */
    const struct span *spans;        /* what its body names: several rules look at that */
    struct pack pack;                /* KIND_ARCHIVE */
    const struct doc *from;          /* the document that named this one */
    const struct json *from_node;    /* and where */
    struct naming *also, **also_end; /* who else named it, in that order */
    struct pap_str folder;           /* KIND_SKILL: name of the folder that holds it; p NULL: unknown */
    enum has_file (*has_file)(const struct doc *d, struct pap_str path); /* a file beside it? NULL: unknown */
    void *has_file_ctx;
};

struct bundle {
    struct pap_str domain; /* host first asked, in lower case; empty for files */
    struct doc *docs, *last;
    const struct doc *first; /* the one first asked for; NULL for files */
    size_t n_docs;
    uint64_t unpacked;                   /* what its archives hold, LIMIT_ARCHIVE_CHARGE an entry at least */
    int64_t now;                         /* Unix seconds */
    bool mcp_asked;                      /* initialize was sent */
    const struct version *version;       /* judged by; never NULL after bundle_choose_version */
    bool version_forced, version_stated; /* by the caller; by a document */
};

/* Reads `d->bytes` by its kind: fills root, notes, skill or pack. Failure: out of memory only; what is wrong with the
 * bytes is in the notes or the pack. */
pap_result doc_read(struct arena *a, struct doc *d) PAP_MUST;

/* Whether an API description is YAML, by its first bytes, its name or its media type; doc_read() does not read it then. */
bool doc_is_yaml(const struct doc *d);

/* Whether a text may hold a private key or a client secret; then no report shows a piece of it. */
bool may_hold_secret(struct pap_str text);
/* The same of a document; of a key set always. */
bool doc_may_hold_secret(const struct doc *d);

/* Appends a document (copied into the arena); NULL when out of memory. */
struct doc *bundle_add(struct bundle *b, struct arena *a, struct doc d) PAP_MUST;

/* Adds the documents that are inside `d`, read: the skill index embedded in poppy.json, the SKILL.md in an archive. */
pap_result bundle_add_inside(struct bundle *b, struct arena *a, struct doc *d) PAP_MUST;

/* Whether one more archive may be unpacked: all of a bundle stay in memory until it was judged. */
bool bundle_may_unpack(const struct bundle *b);

/* Notes that `d` is also what `from` names at `node`: it is one document, read and judged once. */
pap_result doc_also(struct arena *a, struct doc *d, const struct doc *from, const struct json *node) PAP_MUST;

/* The first document of that kind and role whose content could be read, or NULL. */
const struct doc *bundle_doc(const struct bundle *b, enum kind kind, enum role role);
/* The same, read or not. */
const struct doc *bundle_any(const struct bundle *b, enum kind kind, enum role role);
/* The document of that kind that was named by exactly that node (and maybe by others), or NULL. */
const struct doc *bundle_named_by(const struct bundle *b, const struct json *node, enum kind kind);

/* Whether the company publishes by the protocol: its poppy.json or well-known skill index came and is a JSON object of that
 * kind, right or wrong. Many sites answer 200 with a page, or with JSON of some other kind. */
bool bundle_is_published(const struct bundle *b);

/* Whether an earlier document is the same file or answer, named by another index: it is judged once. */
bool bundle_has_before(const struct bundle *b, const struct doc *d);

/* Sets `version`: forced (may be NULL), else what poppy.json states (protocol_version; the highest known of
 * protocol_versions where that is all there is), else the nearest lower known, else 0.1. */
void bundle_choose_version(struct bundle *b, const struct version *forced);

#endif
