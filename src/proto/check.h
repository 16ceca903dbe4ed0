/* SPDX-License-Identifier: Apache-2.0
 *
 * Check rows: every rule of every specification, once. A row is judged by its field rows, by its function, or by both; a
 * function reports with find...() and never names its own id or severity. Pure: no file, socket, clock or log.
 *
 * To add a rule: one row in the table of its document kind, a case folder tests/checks/<id>/ (good and bad) and a line
 * in proto/reqs.tsv. `sure` are the protocol versions for which the rule is stated, `maybe` those for which its wording
 * is not public: there it gives an info at most.
 */
#ifndef PROTO_CHECK_H
#define PROTO_CHECK_H

#include <papaver/check.h>

#include "proto/document.h"

enum spec {
    SPEC_PAP,        /* Personal Agent Protocol */
    SPEC_OPERATIONS, /* its Operations extension */
    SPEC_SKILLS,     /* Agent Skills: SKILL.md */
    SPEC_DISCOVERY,  /* Agent Skills Discovery 0.2.0 */
    SPEC_RFC8414,
    SPEC_RFC9728,
    SPEC_RFC7517,
    SPEC_CIMD, /* OAuth Client ID Metadata Document */
    SPEC_OPENAPI,
    SPEC_MCP,
    SPEC_RFC8259, /* JSON */
    SPEC_YAML,
    SPEC_RFC9110, /* HTTP */
    SPEC_RFC9111,
    SPEC_FETCH,   /* CORS */
    SPEC_TLS,     /* RFC 8446, RFC 9325 */
    SPEC_PAPAVER, /* our own advice, argued in docs/decisions.md */
    SPEC_COUNT
};
const char *spec_name(enum spec s);

enum level { LEVEL_MUST, LEVEL_SHOULD, LEVEL_MAY, LEVEL_ADVICE };
const char *level_name(enum level l);

/* What a field's value must look like. One row each in proto/format.c. */
enum format {
    FORMAT_NONE = 0,
    FORMAT_TEXT,       /* a string that is not blank */
    FORMAT_HTTPS,      /* absolute https URL with a host; no user information, no fragment */
    FORMAT_ISSUER,     /* the same without a query */
    FORMAT_HOST,       /* a bare host name */
    FORMAT_VERSION,    /* digits.digits */
    FORMAT_SCOPE,      /* RFC 6749 scope-token */
    FORMAT_DIGEST,     /* sha256: and 64 lowercase hex digits */
    FORMAT_SKILL_NAME, /* 1-64 of a-z 0-9 and single inner hyphens */
    FORMAT_EXTENSION,  /* a bare name of the project's own, or domain/name */
    FORMAT_COUNT
};

enum field_type {
    T_NULL = 1 << JSON_NULL,
    T_BOOL = 1 << JSON_FALSE | 1 << JSON_TRUE,
    T_NUMBER = 1 << JSON_NUMBER,
    T_STRING = 1 << JSON_STRING,
    T_ARRAY = 1 << JSON_ARRAY,
    T_OBJECT = 1 << JSON_OBJECT,
    T_ANY = 127
};

enum field_flag {
    F_REQUIRED = 1, /* must be there when its parent is */
    F_NONEMPTY = 2, /* array or object with something in it */
    F_OPAQUE = 4,   /* members below are somebody else's: never reported as unknown */
    F_SCALAR = 8    /* YAML: an unquoted number or word counts as its text */
};

/* A member that a rule reads. `path` is a JSON pointer pattern: "*" stands for every element or member. */
struct field {
    const char *path;
    unsigned types; /* enum field_type */
    unsigned flags; /* enum field_flag */
    enum format format;
    uint32_t max; /* of a string, in code points; 0: none */
    const char *const *one_of;
};
#define FIELDS(...) ((const struct field[]){__VA_ARGS__, {NULL, 0, 0, FORMAT_NONE, 0, NULL}})
#define ONE_OF(...) ((const char *const[]){__VA_ARGS__, NULL})

struct run;
typedef void check_fn(struct run *r);

struct check {
    const char *id;
    const char *covers;
    enum spec spec;
    const char *section;
    enum level level;
    enum pap_severity severity;
    enum kind kind; /* a document kind, or KIND_TEXT, KIND_EXCHANGE, KIND_LINKS, KIND_PUBLISH */
    unsigned of;    /* KIND_TEXT, KIND_EXCHANGE: OF() of the document kinds; KIND_LINKS: of the kinds it needs */
    unsigned also;  /* KIND_LINKS: OF() of the kinds that it looks at where they are */
    unsigned roles; /* bits (1u << role) it runs for; 0: every role but TWIN, APPENDED and HEAD */
    unsigned sure, maybe;
    bool strict;         /* an error where R-FM holds, whatever its severity (decisions 13): in PROFILE_PUBLISH */
    bool publish_only;   /* not in PROFILE_CHECK: only a publisher sees it, or can still mend it */
    enum note_code note; /* KIND_TEXT: the note it reports */
    const char *title, *why, *mend, *good, *bad;
    const struct field *fields;
    check_fn *fn;
};

struct check;
/* The check whose id, or whose group ("poppy.auth" for "poppy.auht"), is most like a name that is none; NULL when nothing is
 * like it. *ret_near is that id or group. */
const struct check *check_near(struct pap_str name, struct pap_str *ret_near);

/* All tables, in the order of docs/checks.md. */
struct check_table {
    const struct check *rows;
    size_t n;
};
extern const struct check_table *const check_tables[];
extern const size_t check_table_count;
const struct check *check_find(struct pap_str id);
/* Row i of all tables together, NULL past the end. */
const struct check *check_at(size_t i);

#define CHECK_TABLE(name, array) const struct check_table name = {array, sizeof(array) / sizeof((array)[0])}
extern const struct check_table text_checks, exchange_checks, poppy_checks, poppy_auth_checks, metadata_checks,
    resource_checks, client_checks, jwks_checks, index_checks, skill_checks, archive_checks, openapi_checks, mcp_checks,
    links_checks, publish_checks;

/* ---- the runner ---- */

struct findings {
    struct pap_finding *items;
    size_t n, cap;
};

/* Room for one more; NULL when out of memory. What `items` pointed at before stays as it was. */
struct pap_finding *findings_add(struct arena *a, struct findings *f) PAP_MUST;

/* For whom documents are judged: rows have columns for it. */
enum profile { PROFILE_CHECK = 0, PROFILE_PUBLISH };
/* How severe what the row finds is. */
enum pap_severity check_severity(const struct check *c, enum profile profile);

/* Which rows run: made once, walked for every document. */
struct plan {
    enum profile profile;
    const struct check **rows[KIND_ROWS_COUNT];
    size_t n[KIND_ROWS_COUNT];
    unsigned kinds; /* OF() of every document kind that a selected row looks at */
};
/* `only` and `skip`: lists of patterns ended by NULL, or NULL. A pattern that fits no id is PAP_USAGE and names the
 * nearest id. */
pap_result plan_make(struct arena *a, enum profile profile, const char *const *only, const char *const *skip,
                     struct plan *ret, struct pap_err *err) PAP_MUST;
/* Whether the row of that id was selected. */
bool plan_has(const struct plan *p, const char *id);
/* Whether a pattern fits the row: by its id (* and ?), as a group of ids ("poppy.auth" for "poppy.auth.issuer") or by a
 * number that the row covers. */
bool check_fits(const struct check *c, const char *pattern);
/* How many of the plan's rows hold for the version, and how many are provisional in it. */
void plan_count(const struct plan *p, const struct version *v, size_t *ret_certain, size_t *ret_provisional);

struct run {
    struct arena *arena;
    const struct plan *plan;
    const struct bundle *bundle;
    const struct doc *doc; /* judged now; NULL at the start of a links row */
    const struct check *row;
    struct findings *out;
    struct pap_finding *last; /* the newest finding of this row, for mend(); NULL when it was left out */
    size_t row_findings;      /* of this row in this document */
    bool no_memory;
    pap_result failure; /* another failure of ours, with its sentence in `err`: judging stops */
    struct pap_err err;
};

/* Judges every document of the bundle and the links between them; findings are appended in document order. */
pap_result judge(struct arena *a, const struct plan *plan, const struct bundle *b, struct findings *out,
                 struct pap_err *err) PAP_MUST;

/* ---- for the functions of rows ---- */

/* Reports at a node of r->doc (NULL: the whole document). */
void find(struct run *r, const struct json *node, const char *fmt, ...) PAP_PRINTF(3, 4);
/* At the name of a member, for what is wrong with the name. */
void find_key(struct run *r, const struct json *node, const char *fmt, ...) PAP_PRINTF(3, 4);
/* At a member that `parent` does not have. */
void find_missing(struct run *r, const struct json *parent, const char *member, const char *fmt, ...) PAP_PRINTF(4, 5);
/* At a byte of the document. */
void find_offset(struct run *r, size_t off, const char *fmt, ...) PAP_PRINTF(3, 4);
/* At a header field of the answer. */
void find_header(struct run *r, const char *header, const char *fmt, ...) PAP_PRINTF(3, 4);
/* At an entry of the archive. */
void find_entry(struct run *r, struct pap_str entry, const char *fmt, ...) PAP_PRINTF(3, 4);
/* At a byte of an entry's content, which is not shown. */
void find_inside(struct run *r, const struct pack_entry *entry, size_t off, const char *fmt, ...) PAP_PRINTF(4, 5);
/* Another text for how to mend the finding just made, instead of the row's. */
void mend(struct run *r, const char *fmt, ...) PAP_PRINTF(2, 3);

/* "value" for a sentence: quoted, escaped, cut to LIMIT_QUOTE; never NULL ("" when out of memory). */
const char *q(struct run *r, struct pap_str s);
/* Escaped but without quotes and uncut, for digests, URLs and names that must be seen whole. */
const char *whole(struct run *r, struct pap_str s);
/* A node's value for a sentence: its text quoted, or "the number 1.0", "an object" ...; "nothing" for NULL. */
const char *qv(struct run *r, const struct json *node);
/* "byte 24 differs: "/" against the end" for two strings that should be equal. */
const char *difference(struct run *r, struct pap_str a, struct pap_str b);

/* Whether `s` has the format; when not, *ret_why is a phrase that continues a sentence "... is "value": ". */
bool format_holds(enum format f, struct pap_str s, const char **ret_why);
/* The same of a node that must be a string, with its parts: for FORMAT_HTTPS and FORMAT_ISSUER. */
struct uri;
bool format_url(enum format f, const struct json *node, struct uri *ret);
/* Whether r->doc was asked for at the well-known address of `id`, or at none of that suffix; *ret_belongs is the address. */
bool is_well_known_of(struct run *r, const struct uri *id, const char *suffix, struct pap_str *ret_belongs);
/* What the format wants, as a noun phrase: "an https URL". */
const char *format_noun(enum format f);
/* What stands between "... is "value": " and the reason of format_holds(): "" or "it has ". */
const char *format_lead(enum format f);
/* Calls each(r, node) for every member below the root that no field row of the kind knows, outermost only. */
void fields_unknown(struct run *r, void (*each)(struct run *r, const struct json *node));
/* The same for every member whose name stood before in its object: those that a field row reads, or the others. */
void fields_duplicate(struct run *r, bool read, void (*each)(struct run *r, const struct json *node));
/* Runs the row's field rows against r->doc. */
void fields_judge(struct run *r);

/* Every node that a path pattern leads to, in document order. Start with {0}; NULL at the end. */
struct path_walk {
    const struct json *at[16];
    unsigned depth;
    bool begun;
};
const struct json *path_next(const struct json *root, const char *pattern, struct path_walk *w);

#endif
