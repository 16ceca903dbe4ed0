/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the census share.
 */
#ifndef STORE_CENSUS_INSIDE_H
#define STORE_CENSUS_INSIDE_H

#include "pack/write.h"
#include "store/census.h"

struct census {
    struct db *db;
    const struct pap_alloc *alloc;
    struct arena scratch;  /* of one call */
    struct packer *packer; /* NULL until it is needed */
};

/* A transaction with the scratch arena as it was. */
pap_result census_transact(struct census *c, enum db_mode mode, const char *doing, db_fn *fn, void *ctx,
                           struct pap_err *err) PAP_MUST;

/* PAP_USAGE: a name that is none. */
pap_result census_check_name(const struct census_name *name, struct pap_err *err) PAP_MUST;

/* A list of `count` results that grows in an arena; `size` bytes each. */
struct census_list {
    struct arena *arena;
    void *items;
    size_t n, room;
};
void *census_list_add(struct census_list *l, size_t size) PAP_MUST;

/* Callback for the first column of the only row: an int64_t. */
pap_result census_take_int(void *ctx, const struct db_row *row, struct pap_err *err);

/* The eight columns of a summary: version, channels, sign_in, skills, skills_where, errors, warnings, infos. */
enum { CENSUS_SUMMARY_COLUMNS = 8 };
#define CENSUS_SUMMARY "version, channels, sign_in, skills, skills_where, errors, warnings, infos"
/* Texts of strangers made safe, in the arena. */
pap_result census_summary_values(struct arena *a, const struct census_summary *s,
                                 struct db_value ret[CENSUS_SUMMARY_COLUMNS], struct pap_err *err) PAP_MUST;
pap_result census_summary_take(struct arena *a, const struct db_row *row, unsigned first, struct census_summary *ret,
                               struct pap_err *err) PAP_MUST;
/* " word ": as it stands in a list of words. */
struct pap_str census_word_pattern(struct arena *a, struct pap_str word) PAP_MUST;
/* A text of a stranger, safe and short; p is NULL when out of memory. */
struct pap_str census_text(struct arena *a, struct pap_str s) PAP_MUST;

/* Keeps those bodies that are not there yet. Inside a transaction. */
pap_result census_bodies_put(struct census *c, const struct census_body *const *bodies, size_t n,
                             struct pap_err *err) PAP_MUST;

/* What was seen of domains that are sites, or become some; `state` is that of the domain before. Inside a transaction. */
struct census_kept {
    const struct census_result *result;
    int state;
};
pap_result census_keep(struct census *c, const struct census_kept *kept, size_t n, uint64_t *ret_changed,
                       struct pap_err *err) PAP_MUST;
/* Of new observations, or of one that has neither findings nor bodies any more. Inside a transaction. */
struct census_seen {
    int64_t observation;
    const struct census_result *result;
};
pap_result census_findings_put(struct census *c, const struct census_seen *seen, size_t n,
                               struct pap_err *err) PAP_MUST;
/* The record (there may be none) and the bodies. */
pap_result census_observation_bodies(struct census *c, const struct census_seen *seen, size_t n,
                                     struct pap_err *err) PAP_MUST;

/* Columns of an observation, in the order of CENSUS_OBSERVATION. */
#define CENSUS_OBSERVATION                                                                                        \
    "o.id, o.domain_id, o.first_at, o.last_at, o.outcome, o.standing, o.fingerprint, o.rules, o.record, d.name, " \
    "o.version, o.channels, o.sign_in, o.skills, o.skills_where, o.errors, o.warnings, o.infos"
enum { CENSUS_OBSERVATION_COLUMNS = 18 };
pap_result census_observation_take(struct arena *a, const struct db_row *row, unsigned first,
                                   struct census_observation *ret, struct pap_err *err) PAP_MUST;

/* Columns of a site. */
#define CENSUS_SITE                                                                                                 \
    "s.domain_id, s.name, s.registrable, s.first_seen, s.last_seen, s.listed_at, s.changed_at, s.gone_at, s.slot, " \
    "s.outcome, s.good, s.version, s.channels, s.sign_in, s.skills, s.skills_where, s.errors, s.warnings, s.infos"
enum { CENSUS_SITE_COLUMNS = 19 };
pap_result census_site_take(struct arena *a, const struct db_row *row, unsigned first, struct census_site *ret,
                            struct pap_err *err) PAP_MUST;

#endif
