/* SPDX-License-Identifier: Apache-2.0
 *
 * What an index offers: read once, immutable, sorted by name (remote-skills 2 and 3, decisions 15, 17, 20). Pure: bytes and
 * the URL they came from in, a catalog or a fault out. Names and descriptions are unverified words of a stranger.
 */
#ifndef SKILLS_CATALOG_H
#define SKILLS_CATALOG_H

#include "proto/skill_code.h"
#include "text/semver.h"

enum artifact_type { ARTIFACT_SKILL_MD, ARTIFACT_ARCHIVE };

/* "skill-md" or "archive". */
const char *artifact_type_name(enum artifact_type t);

/* One artifact that can be fetched. */
struct catalog_release {
    struct pap_str version; /* p NULL: the entry has no versions */
    struct semver semver;   /* of it */
    enum artifact_type type;
    struct pap_str url;         /* absolute and canonical, without fragment; http only where the base is (R-CAT-10): the
                                   network policy decides */
    struct pap_str written_url; /* as it stands there */
    struct pap_str digest;      /* "sha256:" and 64 hex digits */
    struct pap_str deprecated;  /* the reason; p NULL: it is not (decision 20) */
};

struct catalog_entry {
    struct pap_str name, description;
    size_t place;                           /* in `skills`, from 0 */
    const struct catalog_release *releases; /* highest first; one without a version when the entry has none */
    size_t n_releases;
    const struct catalog_release *current; /* the one that clients without versions take */
};

/* An entry that is not offered, and why. */
struct catalog_skipped {
    size_t place;
    struct pap_str name;      /* may be empty */
    bool bad;                 /* false: of a type that this version does not know, which is no fault */
    struct skill_fault fault; /* code artifact_unsupported for those */
};

struct catalog {
    const struct catalog_entry *entries; /* sorted by name */
    size_t n_entries;
    const struct catalog_skipped *skipped; /* in the order of the index */
    size_t n_skipped;
};

struct catalog_source {
    struct pap_str bytes; /* the JSON document; not kept */
    struct pap_str base;  /* its final URL, after redirects; relative URLs resolve against it */
    struct pap_str alias; /* origin_alias of faults; p NULL: none */
    bool poppy;           /* the document is a poppy.json, and the index its member skill_index */
    bool strict;          /* refuse at the first bad entry, and what R-CAT and R-VER refuse but decision 15 takes */
    size_t max_bytes;     /* 0: LIMIT_DOCUMENT */
};

/* Everything in *ret lives in the arena. When the list is refused, ret_fault->code says why and *ret is empty. Failure: out
 * of memory only. */
pap_result catalog_read(struct arena *a, const struct catalog_source *from, struct catalog *ret,
                        struct skill_fault *ret_fault) PAP_MUST;

/* NULL when there is none. log n. */
const struct catalog_entry *catalog_find(const struct catalog *c, struct pap_str name);

/* The release of that version text; NULL when there is none. */
const struct catalog_release *catalog_release_find(const struct catalog_entry *e, struct pap_str version);

/* What was chosen. */
struct catalog_choice {
    const struct catalog_entry *entry;
    const struct catalog_release *release;
    bool is_current; /* false is worth a word: clients without versions get another one */
};

/* The release of skill `name` that fits `range` (R-SEL; p NULL or "*": any), not a deprecated one unless the range is its
 * version. ret_fault->code: skill_not_found, version_unavailable (also for a range that cannot be read), or 0. Failure:
 * out of memory only. */
pap_result catalog_select(struct arena *a, const struct catalog *c, struct pap_str alias, struct pap_str name,
                          struct pap_str range, struct catalog_choice *ret, struct skill_fault *ret_fault) PAP_MUST;

/* The URL that is asked for `ref` found in a document at `base`: canonical as WHATWG writes it, or refused, never another
 * (decision 17). `strict`: no fragment. *ret_why is NULL, or a phrase that continues "the url is "...": it has ". Failure: out of
 * memory only. */
pap_result catalog_url(struct arena *a, struct pap_str base, struct pap_str ref, bool strict, struct pap_str *ret,
                       const char **ret_why) PAP_MUST;

#endif
