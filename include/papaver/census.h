/* SPDX-License-Identifier: Apache-2.0
 *
 * `papaver census` as a library: who publishes by the Personal Agent Protocol, since when, what is wrong, what changed. A
 * database (SQLite or PostgreSQL) keeps domains, when each is due, and what was seen; any number of workers share it.
 *
 * One object belongs to one thread. Strings are NUL-terminated and borrowed for the length of a call.
 */
#ifndef PAPAVER_CENSUS_H
#define PAPAVER_CENSUS_H

#include <papaver/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pap_census;

struct pap_census_options {
    const struct pap_alloc *alloc;
    const char *database; /* a file of SQLite, made when missing, or "postgres://..." */
    bool read_only;
    /* Called before each wait for a database that is busy or away, with the reason; false gives up. May be NULL. */
    bool (*waits)(void *ctx, const char *why, uint32_t waited_ms);
    void *ctx;
};

/* Makes the database, or brings it up to date, unless `read_only`. */
PAP_PUBLIC pap_result pap_census_open(const struct pap_census_options *options, struct pap_census **ret,
                                      struct pap_err *err) PAP_MUST;
PAP_PUBLIC void pap_census_close(struct pap_census *census); /* accepts NULL */

/* ---- domains ---- */

/* A list: domains or URLs one a line, CSV, or ranked ("1,shop.example"). Lines that begin with # are comments. */
struct pap_census_list {
    ptrdiff_t (*read)(void *ctx, char *p, size_t n); /* 0: the end, below 0: a failure */
    const char *column; /* of CSV: its name in the first line, or its number from 1; NULL: found by itself */
    const char *source; /* what the list is called; may be NULL */
    /* A line with no domain that can be asked; `text` is escaped and cut. The call does not fail for it. May be NULL. */
    void (*junk)(void *ctx, uint64_t line, const char *text, const char *why);
    bool (*go_on)(void *ctx, uint64_t lines); /* now and then; false stops, what was read is kept. May be NULL */
    void *ctx;
    bool opt_out; /* these want to be left alone: never asked, on no list, what was seen of them goes */
    bool opt_in;  /* and these no longer do */
};
struct pap_census_added {
    uint64_t lines, added, known, opted_out, junk;
};
PAP_PUBLIC pap_result pap_census_add(struct pap_census *census, const struct pap_census_list *list,
                                     struct pap_census_added *ret, struct pap_err *err) PAP_MUST;

/* ---- asking ---- */

struct pap_census_progress {
    uint64_t done, left;  /* domains of this run; `left` as far as is known */
    uint64_t publishing;  /* of those done */
    uint64_t failed;      /* not reachable: name, connection, TLS, time */
    uint64_t changed;     /* of sites, not of domains */
    uint64_t requests;    /* made in this run */
    double rate;          /* domains a second, lately */
    int64_t left_seconds; /* -1: nobody knows */
    bool waiting;         /* for the next domain to be due */
    uint64_t held;        /* by other workers, when the run ended */
};

/* A site that publishes, or did. */
struct pap_census_seen {
    const char *domain, *outcome; /* "publishes", "time-out" ... */
    bool publishes;
    bool gone;           /* counts as gone from now on */
    int64_t again_at;    /* when it is asked again, Unix seconds */
    const char *version; /* of the protocol; "" */
    uint32_t errors, warnings, infos, skills;
};

struct pap_census_run {
    struct pap_network network;
    bool insecure_http;   /* redirects to plain http on loopback, for tests */
    const char *contact;  /* https or mailto URL for whoever wonders who asks; needed off loopback */
    uint32_t rate;        /* requests a second in all; 0: 50 */
    uint32_t per_address; /* connections a second to one address; 0: 10 */
    bool unlimited;       /* neither of the two */
    uint32_t jobs;        /* domains at once; 0: 32, at most 1,000 */
    uint32_t threads; /* that ask, 16 at most; 0: one, and more where the rate needs them. The allocator is called from
                              * all of them at once; the callbacks come from the thread that called */
    int64_t every;    /* seconds between two questions to a domain; 0: a day */
    bool stay;        /* wait for what is due next instead of ending when nothing is */
    const char *const *only; /* checks, as in papaver/check.h */
    const char *const *skip;
    bool (*go_on)(void *ctx,
                  const struct pap_census_progress *p);       /* several times a second; false stops. May be NULL */
    void (*seen)(void *ctx, const struct pap_census_seen *s); /* may be NULL */
    void *ctx;
};
/* Asks every domain that is due. Killed at any moment it goes on the next time where it was. */
PAP_PUBLIC pap_result pap_census_run(struct pap_census *census, const struct pap_census_run *run,
                                     struct pap_census_progress *ret, struct pap_err *err) PAP_MUST;

/* ---- what is known ---- */

enum pap_census_form { PAP_CENSUS_TEXT = 0, PAP_CENSUS_JSON, PAP_CENSUS_CSV };

/* Where what is known is written: `write` false stops with PAP_IO. */
struct pap_census_out {
    enum pap_census_form form;
    bool (*write)(void *ctx, const char *bytes, size_t n);
    void *ctx;
};
/* How many domains, how many due, who asks. */
PAP_PUBLIC pap_result pap_census_status(struct pap_census *census, const struct pap_census_out *out,
                                        struct pap_err *err) PAP_MUST;
/* Sites, versions, faults. `unlisted`: also sites that were seen good only once yet. */
PAP_PUBLIC pap_result pap_census_report(struct pap_census *census, bool unlisted, const struct pap_census_out *out,
                                        struct pap_err *err) PAP_MUST;
/* The same as pages: index.html, site/DOMAIN.html, sites.json, sites.csv in a folder, made when missing. */
PAP_PUBLIC pap_result pap_census_pages(struct pap_census *census, bool unlisted, const char *folder,
                                       struct pap_err *err) PAP_MUST;
/* What differs between two times (Unix seconds). */
PAP_PUBLIC pap_result pap_census_diff(struct pap_census *census, int64_t before, int64_t after,
                                      const struct pap_census_out *out, uint64_t *ret_n, struct pap_err *err) PAP_MUST;
/* Every domain, JSON lines or CSV. */
PAP_PUBLIC pap_result pap_census_export(struct pap_census *census, const struct pap_census_out *out,
                                        struct pap_err *err) PAP_MUST;

/* ---- upkeep ---- */

struct pap_census_pruned {
    uint64_t observations, bodies, bytes;
};
/* Takes observations that ended before that time; each site's last ones and its first-seen day stay. */
PAP_PUBLIC pap_result pap_census_prune(struct pap_census *census, int64_t before, struct pap_census_pruned *ret,
                                       struct pap_err *err) PAP_MUST;

struct pap_census_judged {
    uint64_t judged, changed, skipped; /* skipped: some answer is not kept any more */
};
/* Judges what was seen by the rules of today: observations that another version judged. Asks nobody. */
PAP_PUBLIC pap_result pap_census_judge(struct pap_census *census, struct pap_census_judged *ret,
                                       struct pap_err *err) PAP_MUST;

#ifdef __cplusplus
}
#endif

#endif
