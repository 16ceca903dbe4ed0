/* SPDX-License-Identifier: Apache-2.0
 *
 * What a census keeps: domains with the time when each is due, what was seen of them, the sites that publish, and the reports
 * that visitors of the web page asked for. Structs in, structs out; the SQL stands behind it.
 *
 * Times are Unix seconds, 0 where there is none. Every function is one transaction (prune: several), does all or nothing,
 * and may be run again: two workers, a kill or a lost connection at any moment lose nothing and count nothing twice.
 * What is returned lives in the arena given. One `struct census` belongs to one thread.
 */
#ifndef STORE_CENSUS_H
#define STORE_CENSUS_H

#include "base/arena.h"
#include "store/db.h"

enum {
    CENSUS_DIGEST = 32,      /* SHA-256 */
    CENSUS_FINGERPRINT = 16, /* of an observation: same outcome, documents and findings */
    CENSUS_NAMES_LISTED = 5, /* of one registrable domain */
    CENSUS_DAY = 86400,
    CENSUS_APART = 20 * 3600, /* and on two days of UTC: a day apart */
    CENSUS_PAGE = 100         /* sites of a page */
};

struct census;

/* `schema` of the options is set here. Makes and migrates the database unless it is read-only. */
pap_result census_open(const struct db_options *options, struct census **ret, struct pap_err *err) PAP_MUST;
void census_close(struct census *c); /* accepts NULL */
void census_closep(struct census **c);
/* Of the last failure: whether waiting helps. */
enum db_trouble census_trouble(const struct census *c);

/* --- domains ---------------------------------------------------------------------------------------------------------- */

/* What came of asking a domain. The numbers are kept in databases: never change one, add below. */
enum census_outcome {
    CENSUS_NEVER = 0,      /* not asked yet */
    CENSUS_PUBLISHES,      /* poppy.json is a document of the protocol, or the well-known skill index is one */
    CENSUS_ABSENT,         /* 404, 410 */
    CENSUS_OTHER_DOCUMENT, /* 200 with something else: a web page */
    CENSUS_STATUS,         /* another status */
    CENSUS_NO_NAME,        /* not in the DNS */
    CENSUS_UNREACHABLE,    /* refused, reset, no route */
    CENSUS_TIMEOUT,
    CENSUS_TLS,
    CENSUS_BLOCKED,   /* by the address policy */
    CENSUS_REDIRECTS, /* too many, in circles, or off https */
    CENSUS_TOO_LARGE,
    CENSUS_FAILED, /* anything else */
    CENSUS_OUTCOMES
};
/* "publishes", "absent", "other document" ...; "" for no outcome. */
struct pap_str census_outcome_word(enum census_outcome o);

struct census_name {
    struct pap_str name;        /* lower-case A-labels, no dot at the end */
    struct pap_str registrable; /* domain that somebody registered (net/registrable.h); empty: the name itself */
    struct pap_str source;      /* what list it came from: a word of the caller's, may be empty */
    int64_t rank;               /* in a ranked list; 0: none */
};

struct census_added {
    uint64_t added, known, opted_out;
};

/* At most 10,000 names at once; one that is there already is left as it is. */
pap_result census_add(struct census *c, const struct census_name *names, size_t n, int64_t now,
                      struct census_added *ret, struct pap_err *err) PAP_MUST;

/* A domain that was claimed: nobody else gets it before `until` of the claim. */
struct census_due {
    int64_t id, lease;
    struct pap_str name, registrable;
    enum census_outcome outcome; /* the last */
    bool was_good;               /* it has published before: a bad answer is tried again before it counts as gone */
    bool gone;                   /* and then it counted as gone */
    uint32_t tries;              /* bad answers in a row since the last good one */
};

struct census_batch {
    struct census_due *due;
    size_t n;
};

/* Up to `most` domains that are due, longest due first. `owner` names the worker ("host/boot/pid/start"). */
pap_result census_claim(struct census *c, struct arena *a, struct pap_str owner, int64_t now, int64_t until,
                        size_t most, struct census_batch *ret, struct pap_err *err) PAP_MUST;
/* All that the owner holds, held on until then. */
pap_result census_renew(struct census *c, struct pap_str owner, int64_t until, uint64_t *ret_held,
                        struct pap_err *err) PAP_MUST;
/* All that the owner holds is due at once: it stops, or is known to be dead. */
pap_result census_release(struct census *c, struct pap_str owner, int64_t now, uint64_t *ret_released,
                          struct pap_err *err) PAP_MUST;

struct census_lease {
    struct pap_str owner;
    uint64_t held;
    int64_t until;
};
struct census_leases {
    struct census_lease *lease;
    size_t n;
};
/* Whoever holds something now, expired or not. */
pap_result census_lease_list(struct census *c, struct arena *a, struct census_leases *ret,
                             struct pap_err *err) PAP_MUST;

/* --- what was seen ---------------------------------------------------------------------------------------------------- */

struct census_digest {
    unsigned char b[CENSUS_DIGEST];
};

struct census_body {
    struct census_digest digest; /* of the bytes */
    struct pap_str bytes;
};

enum { CENSUS_FINDING_ERROR = 3, CENSUS_FINDING_WARNING = 2, CENSUS_FINDING_INFO = 1 }; /* enum pap_severity */

struct census_finding {
    struct pap_str rule;
    int severity;
    uint32_t n;
};

/* Words are in byte order without doubles: {"api", "web"}; at most 32 of at most 64 bytes, none with a blank in it. */
struct census_words {
    const struct pap_str *word;
    size_t n;
};

enum census_skills { CENSUS_NO_SKILLS, CENSUS_SKILLS_EMBEDDED, CENSUS_SKILLS_WELL_KNOWN };

/* What a site publishes, in the terms of the list of sites. */
struct census_summary {
    struct pap_str version; /* of the protocol; empty: none said */
    struct census_words channels, sign_in;
    uint32_t skills;
    enum census_skills skills_where;
    uint32_t errors, warnings, infos;
};

/* How an observation counts for the site. */
enum census_standing {
    CENSUS_GONE = -1, /* bad, and tried often enough */
    CENSUS_SHAKY = 0, /* bad; the site still counts as publishing if it did */
    CENSUS_GOOD = 1
};

struct census_result {
    int64_t id, lease; /* of the domain claimed */
    int64_t at;        /* when it was asked */
    int64_t due_at;    /* when it is due again; 0: never */
    enum census_outcome outcome;
    enum census_standing standing;
    uint32_t tries;
    /* Of a domain that is or was good; ignored for others, which keep (outcome, first and last time) only. */
    unsigned char fingerprint[CENSUS_FINGERPRINT];
    struct pap_str rules;          /* version of the rules that judged */
    struct census_summary summary; /* of a good one */
    const struct census_finding *findings;
    size_t n_findings;
    const struct census_body *record; /* the report, as report/record.h writes it; NULL: none */
    const struct census_body *bodies; /* of the documents in it */
    size_t n_bodies;
};

struct census_finished {
    uint64_t taken;   /* results that are kept now, this time or the time before when asked twice */
    uint64_t lost;    /* not ours any more: the lease ran out and somebody else has it, or an opt-out */
    uint64_t changed; /* observations that differ from the one before */
};

/* At most 10,000 results, in one transaction. */
pap_result census_finish(struct census *c, const struct census_result *results, size_t n, struct census_finished *ret,
                         struct pap_err *err) PAP_MUST;

struct census_status {
    uint64_t domains, due, leased, leased_by_owner, never_asked, opted_out;
    uint64_t publishing; /* good and not gone */
    uint64_t listed, gone;
    int64_t next_due; /* of what is not due yet; 0: nothing */
    uint64_t outcomes[CENSUS_OUTCOMES];
};
/* `owner` may be empty. Counts all domains: half a second for a million. */
pap_result census_status(struct census *c, struct pap_str owner, int64_t now, struct census_status *ret,
                         struct pap_err *err) PAP_MUST;
/* The part of it that a run loop asks often, in no time: due is 0 or 1, leased as above, next_due. */
pap_result census_pending(struct census *c, struct pap_str owner, int64_t now, struct census_status *ret,
                          struct pap_err *err) PAP_MUST;

/* --- sites ------------------------------------------------------------------------------------------------------------ */

struct census_site {
    int64_t id; /* of the domain */
    struct pap_str name, registrable;
    int64_t first_seen;            /* first good observation; never moves */
    int64_t last_seen;             /* last good one */
    int64_t listed_at;             /* second good one, a day apart; 0: not yet */
    int64_t changed_at;            /* last change */
    int64_t gone_at;               /* 0: publishes */
    bool listed;                   /* on the list now */
    enum census_outcome outcome;   /* of the last observation */
    struct census_summary summary; /* of the last good one */
    int64_t observation;           /* id of the last good one */
};

enum census_sort {
    CENSUS_BY_NAME,
    CENSUS_BY_FIRST_SEEN,
    CENSUS_BY_CHANGED,
    CENSUS_BY_VERSION,
    CENSUS_BY_SKILLS,
    CENSUS_BY_ERRORS,
    CENSUS_SORTS
};

struct census_query {
    bool unlisted;                            /* also those that are not on the list (a report of everything) */
    bool gone;                                /* also those that are gone */
    struct pap_str search;                    /* stands somewhere in the name; empty: all */
    struct pap_str version, channel, sign_in; /* exactly; empty: all */
    enum { CENSUS_ANY, CENSUS_WITH, CENSUS_WITHOUT } skills, errors;
    enum census_sort sort;
    bool descending;
    uint64_t skip, most; /* most 0: CENSUS_PAGE; 1,000 at most */
};

struct census_sites {
    struct census_site *site;
    size_t n;
    uint64_t total; /* that fit, on all pages */
};

pap_result census_sites(struct census *c, struct arena *a, const struct census_query *q, struct census_sites *ret,
                        struct pap_err *err) PAP_MUST;
/* *ret_found false: it never published (or opted out). */
pap_result census_site(struct census *c, struct arena *a, struct pap_str name, bool *ret_found, struct census_site *ret,
                       struct pap_err *err) PAP_MUST;

/* A stretch of time in which a site answered alike. */
struct census_observation {
    int64_t id, domain, first_at, last_at;
    enum census_outcome outcome;
    enum census_standing standing;
    unsigned char fingerprint[CENSUS_FINGERPRINT];
    struct pap_str name, rules;
    struct census_summary summary;
    bool has_record;
    struct census_digest record;
};
struct census_history {
    struct census_observation *observation;
    size_t n;
};
/* Of one site, newest first, those that began before `before` (0: all); at most `most` (1,000). */
pap_result census_history(struct census *c, struct arena *a, int64_t domain, int64_t before, size_t most,
                          struct census_history *ret, struct pap_err *err) PAP_MUST;
/* The one that held at a time; of several of that day ask with its last second. */
pap_result census_observed_at(struct census *c, struct arena *a, int64_t domain, int64_t at, bool *ret_found,
                              struct census_observation *ret, struct pap_err *err) PAP_MUST;
pap_result census_observation(struct census *c, struct arena *a, int64_t id, bool *ret_found,
                              struct census_observation *ret, struct pap_err *err) PAP_MUST;

struct census_findings {
    struct census_finding *finding;
    size_t n;
};
pap_result census_findings(struct census *c, struct arena *a, int64_t observation, struct census_findings *ret,
                           struct pap_err *err) PAP_MUST;
/* Bytes by digest; *ret.p NULL: there are none. */
pap_result census_body(struct census *c, struct arena *a, const struct census_digest *digest, struct pap_str *ret,
                       struct pap_err *err) PAP_MUST;

/* History is judged again: observations with a record that other rules judged, in order of id, after `after`. */
pap_result census_unjudged(struct census *c, struct arena *a, struct pap_str rules, int64_t after, size_t most,
                           struct census_history *ret, struct pap_err *err) PAP_MUST;
/* What came of it: rules, summary, findings and record of `r` take the place of those of the observation; the rest of `r`
 * is not looked at. */
pap_result census_judged(struct census *c, int64_t observation, const struct census_result *r,
                         struct pap_err *err) PAP_MUST;

/* --- counts ----------------------------------------------------------------------------------------------------------- */

struct census_count {
    int64_t day; /* days since 1970; 0 where counts are of now */
    struct pap_str what, word;
    uint64_t n;
};
struct census_counts {
    struct census_count *count;
    size_t n;
};
/* Of the sites that publish now, by "what": "sites" (word "publishing", "listed", "skills", "clean": without errors), "version"
 * ("" where none is said), "channel", "sign-in", "rule" (a site counts once for each), in order of what, then most first. */
pap_result census_tally(struct census *c, struct arena *a, bool listed_only, struct census_counts *ret,
                        struct pap_err *err) PAP_MUST;
/* Keeps the tally of the listed sites as that of the day of `now`, in the place of an earlier one. */
pap_result census_snapshot(struct census *c, int64_t now, struct pap_err *err) PAP_MUST;
/* What was kept of one "what", days from `from` to `to` inclusive, in order. */
pap_result census_charts(struct census *c, struct arena *a, struct pap_str what, int64_t from, int64_t to,
                         struct census_counts *ret, struct pap_err *err) PAP_MUST;

/* A site with what held at the two times; id 0: nothing did (or it was gone). */
struct census_difference {
    struct pap_str name;
    struct census_observation before, after;
};
struct census_differences {
    struct census_difference *difference;
    size_t n;
    int64_t next; /* give as `after_id` for the next page; 0: that was the last */
};
/* Sites where they differ, in order of their id, `most` sites looked at (10,000 at most). Shaky observations are passed over. */
pap_result census_diff(struct census *c, struct arena *a, int64_t before, int64_t after, int64_t after_id, size_t most,
                       struct census_differences *ret, struct pap_err *err) PAP_MUST;

/* All domains, in order of their id, after `after_id`: for exports. */
struct census_domain {
    int64_t id, rank, added_at, asked_at, due_at;
    struct pap_str name, registrable, source;
    enum census_outcome outcome;
    bool opted_out, is_site;
    struct census_site site; /* if it is one */
};
struct census_domains {
    struct census_domain *domain;
    size_t n;
};
pap_result census_export(struct census *c, struct arena *a, int64_t after_id, size_t most, struct census_domains *ret,
                         struct pap_err *err) PAP_MUST;

/* --- upkeep ----------------------------------------------------------------------------------------------------------- */

struct census_pruned {
    uint64_t observations, bodies, bytes, reports;
};
/* Observations that ended before `before` go, except each site's last and last good one; so do reports that visitors
 * asked for before then, and bodies that nothing names any more. First-seen days stay. */
pap_result census_prune(struct census *c, int64_t before, struct census_pruned *ret, struct pap_err *err) PAP_MUST;

/* The domain wants to be left alone: never due, on no list, and what was seen of it goes; a name that is not known is kept
 * as one to leave alone. */
pap_result census_opt_out(struct census *c, const struct census_name *name, int64_t now, struct pap_err *err) PAP_MUST;
pap_result census_opt_in(struct census *c, struct pap_str name, int64_t now, bool *ret_was_out,
                         struct pap_err *err) PAP_MUST;
pap_result census_is_out(struct census *c, struct pap_str name, bool *ret, struct pap_err *err) PAP_MUST;

/* --- reports that visitors asked for ---------------------------------------------------------------------------------- */

struct census_report {
    struct pap_str name;
    int64_t at;
    enum census_outcome outcome;
    struct pap_str rules;
    struct census_summary summary;
    const struct census_body *record; /* needed */
    const struct census_body *bodies;
    size_t n_bodies;
};
/* The last one of a name takes the place of the one before. Above LIMIT_WEB_REPORTS the oldest go. */
pap_result census_report_put(struct census *c, const struct census_report *r, struct pap_err *err) PAP_MUST;
/* With its record, the bodies by census_body(). */
pap_result census_report_get(struct census *c, struct arena *a, struct pap_str name, bool *ret_found,
                             struct census_report *ret, struct pap_err *err) PAP_MUST;

#endif
