/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the runner: a task from the moment it is asked for until everybody who waits was told.
 */
#ifndef WEB_RUNNER_INSIDE_H
#define WEB_RUNNER_INSIDE_H

#include <pthread.h>

#include "check/survey.h"
#include "net/transport.h"
#include "net/txt.h"
#include "store/census.h"
#include "web/robots.h"
#include "web/runner.h"

enum { NAME_MOST = 253 };

struct waiter {
    struct waiter *next;
    struct later *later;
    enum runner_form form;
    struct limiter_key visitor;
};

struct job {
    struct runner *runner;
    struct job *next; /* in the queue, or of those under way */
    enum runner_task task;
    char name[NAME_MOST + 1];
    struct waiter *waiters;      /* under the lock */
    struct arena arena;          /* of an opt-out's request */
    struct budget budget;        /* the same */
    struct txt *txt;             /* its question to the DNS; NULL: none */
    const struct budget *spends; /* what the requests of this job are counted on */
    bool refused;                /* some host was asked too often for now */
    struct robots_file *asked;   /* those of robots.txt that are under way for it */
};

/* A request that goes through the runner's transport, in the arena of the request. */
struct hearing {
    struct hearing *next; /* of those that wait for one robots.txt, or are answered at the next step */
    struct runner *runner;
    struct job *job;
    request_done *done;
    void *ctx;
    /* of an artifact (artifact.c) */
    struct arena *arena;
    struct budget *budget;
    struct request request;
    enum robots_verdict stopped;    /* what a redirect led to */
    char stopped_at[NAME_MOST + 1]; /* and where that is */
    unsigned again;                 /* how often it waited */
    struct exchange own;            /* what is told when nothing was asked */
};

/* A transport over the real one that tells who waits what is asked, and sets the limit of hosts. */
struct telling {
    struct transport base; /* the first member */
    struct transport *real;
    struct runner *runner;
};

struct runner {
    struct runner_options o;
    struct pap_check_options check;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool started, stop;
    struct job *queue, *last; /* waiting for a place */
    struct job *under_way;
    struct job *ended; /* everybody was told; freed when nothing looks at them any more */
    size_t n_queue, n_under_way, n_waiters;
    struct job *starting; /* whose first request is made just now */
    struct census *census;
    struct survey *survey;
    struct telling telling;
    struct limiter *hosts, *domains, *addresses;
    struct robots *robots;
    struct hearing *ready; /* to be answered at the next step */
};

/* ---- tell.c ---- */

struct exchange;

/* To those who wait for the stream. */
void tell_step(struct runner *r, struct job *j, const struct exchange *x);
/* To everybody; nobody waits then. */
void tell_end(struct runner *r, struct job *j, enum runner_trouble trouble);
/* Writes `event: done`, as a stream that is whole has it. */
void tell_done(struct buf *out, const char *prefix, struct pap_str name);

/* ---- ask.c ---- */

/* Opens the real transport and the one over it. */
pap_result runner_open(struct runner *r, struct pap_err *err) PAP_MUST;
void runner_close(struct runner *r);
/* Tells whoever asked, and those who wait for the stream. */
void runner_heard(void *ctx, const struct exchange *x);
/* Takes a job off those under way and tells everybody. It is freed a little later. */
void job_end(struct runner *r, struct job *j, enum runner_trouble trouble);

/* ---- prove.c ---- */

/* Looks for the file that proves an opt-out, then for the record; ends the job in the end. */
pap_result runner_prove(struct runner *r, struct job *j, struct pap_err *err) PAP_MUST;
/* Goes on with those that wait for the DNS; true: some do, and where nothing else is waited for it waited for them a moment. */
bool runner_prove_step(struct runner *r, int timeout_ms);

/* ---- artifact.c ---- */

/* Asks for an artifact, after the robots.txt of its host and of each that a redirect leads to. */
pap_result artifact_start(struct hearing *h) PAP_MUST;

#endif
