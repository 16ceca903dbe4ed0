/* SPDX-License-Identifier: Apache-2.0
 *
 * A session: one origin's list as it was at one moment, and the releases that were activated from it. Its shell, which
 * says session_closed, stays until the client goes.
 */
#ifndef SKILLS_SESSION_H
#define SKILLS_SESSION_H

#include "skills/artifact.h"
#include "skills/catalog.h"
#include "skills/client.h"
#include "skills/origin.h"

struct folder;

/* A name that was activated, or is being so (activate.c). */
struct pin {
    struct pin *next;
    struct pap_str name;
    struct pap_skill *skill; /* NULL: under way */
    bool failed;             /* for those who waited; then it goes */
    pap_result result;
    struct pap_skill_err err;
    unsigned waiting;
};

struct pap_skill_session {
    struct pap_skill_client *client; /* held until the session is closed and its skills are freed */
    struct pap_skill_session *next_closed;
    pthread_mutex_t lock; /* for what follows */
    pthread_cond_t changed;
    unsigned refs; /* the caller's, and one for each skill */
    unsigned busy; /* calls under way */
    bool closed;
    char label[64]; /* of the origin, maybe cut: what is left of it in the shell */
    struct pin *pins;
    /* From here on nothing changes once the session is shown. */
    struct arena arena;
    struct origin origin;
    struct catalog catalog;
    const struct catalog_entry **order; /* as in the list */
    struct pap_skill_session_facts facts;
    int64_t validated; /* Unix seconds */
    struct folder *folder;
    const char *const
        *hosts; /* of a release that a lock names: what may be asked besides the origin's host; else NULL */
};

/* One without an origin and a list yet, not shown to anybody. */
pap_result session_new(struct pap_skill_client *c, struct pap_skill_session **ret, struct pap_skill_err *err) PAP_MUST;
/* The list is there: facts and order. */
pap_result session_ready(struct pap_skill_session *s, struct pap_skill_err *err) PAP_MUST;
/* One that was not shown. */
void session_discard(struct pap_skill_session *s);

/* Between them the session cannot be closed. Refusal: session_closed. */
pap_result session_enter(struct pap_skill_session *s, struct pap_skill_err *err) PAP_MUST;
void session_leave(struct pap_skill_session *s);

void session_hold(struct pap_skill_session *s);
void session_drop(struct pap_skill_session *s);

void session_free_shells(struct pap_skill_session *first);

/* A release as callers see it. */
void session_release(const struct catalog_entry *e, const struct catalog_release *r, struct pap_skill_release *ret);

#endif
