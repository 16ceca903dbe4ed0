/* SPDX-License-Identifier: Apache-2.0
 *
 * One run of `papaver check`: options made ready, slots in flight, counts. pap_check() is a thin coat over it; tests give
 * it a transport of their own.
 */
#ifndef CHECK_CHECKER_H
#define CHECK_CHECKER_H

#include "check/baseline.h"
#include "check/slot.h"
#include "check/target.h"
#include "net/hosts.h"

/* How a survey of many behaves towards those it asks. */
struct manners {
    uint32_t rate;          /* requests begun in a second; 0: any number */
    uint32_t per_address;   /* connections opened to one address in a second; 0: any number */
    const char *user_agent; /* NULL: that of a check */
};

enum { CHECKER_ADDRESSES = 4096 };

/* What surveys of several threads keep together, so that they behave like one. */
struct commons {
    struct hosts hosts;
    pthread_mutex_t lock;
    struct dialled {
        int64_t second;
        uint32_t n;
    } dialled[CHECKER_ADDRESSES]; /* manners.per_address; two addresses of one hash count as one */
};
void commons_init(struct commons *c);
void commons_fini(struct commons *c);

struct checker {
    const struct pap_check_options *o;
    struct arena arena; /* of the run */
    struct plan plan;
    const struct version *as;
    enum kind kind;
    struct clock clock;
    int64_t now;
    struct transport *transport; /* opened when the first target needs it */
    bool own_transport;
    struct report report;
    struct baseline known, fresh;
    struct pap_counts counts;
    enum pap_severity worst; /* of what counts */
    size_t total, reported;  /* targets */
    size_t in_flight;        /* slots that wait for the network */
    struct slot *free_slots, *made;
    /* a survey's (check/survey.h) */
    bool survey;     /* it is one */
    bool first_only; /* crawl_options.first_only */
    struct manners manners;
    struct commons *commons; /* of a survey; else NULL */
    struct slot *ended;      /* crawled and not told of yet */
};

/* The whole run; `transport` NULL: libcurl, opened on first use. */
pap_result checker_run(const struct pap_check_options *o, struct transport *transport, const char *const *targets,
                       size_t n, struct pap_counts *ret_counts, int *ret_exit, struct pap_err *err) PAP_MUST;

/* Reads the options; fini also after a failure. */
pap_result checker_make_ready(struct checker *c, struct pap_err *err) PAP_MUST;
void checker_fini(struct checker *c);

/* Takes a slot from the list of free ones or makes one; NULL when out of memory. */
struct slot *checker_take_slot(struct checker *c, struct pap_str target);
/* slot_add_file(), but for a file that this very check is to write (PAP_USAGE): what was read would be lost. */
pap_result checker_add_file(struct checker *c, struct slot *s, const char *path, enum kind kind, const char *site,
                            struct pap_err *err) PAP_MUST;
/* Judges what is in the slot's bundle and marks it done. */
pap_result checker_judge(struct checker *c, struct slot *s, struct pap_err *err) PAP_MUST;
/* What is known of a slot that is done, as the report wants it. */
void checker_target(const struct checker *c, struct slot *s, struct report_target *ret);
/* Puts a slot back. */
void checker_put_slot(struct checker *c, struct slot *s);
/* Reports a slot that is done and puts it back. */
pap_result checker_report(struct checker *c, struct slot *s, struct pap_err *err) PAP_MUST;

/* What checker_may_dial() says of an address that was dialled too often (manners). */
extern const char checker_busy[];

/* Starts a domain or URL. */
pap_result checker_start_remote(struct checker *c, struct slot *s, enum target_type type, struct pap_err *err) PAP_MUST;
/* Judges what a crawl brought; a first document that could not be reached is the target's failure. */
pap_result checker_finish_remote(struct checker *c, struct slot *s, struct pap_err *err) PAP_MUST;
/* Starts to fetch what the files in the slot name (--online). */
pap_result checker_go_online(struct checker *c, struct slot *s, struct pap_err *err) PAP_MUST;
/* Judges and reports a folder's documents one after the other (folder.c). */
pap_result checker_folder(struct checker *c, const char *path, struct pap_err *err) PAP_MUST;

#endif
