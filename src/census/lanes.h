/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads of a run. Each lane has a survey of its own and takes what is claimed from one queue; what came goes into one
 * batch of results. The caller's thread alone talks to the database and to the caller, and one lock guards what is shared.
 */
#ifndef CENSUS_LANES_H
#define CENSUS_LANES_H

#include <pthread.h>

#include "census/inside.h"

enum {
    LANES_MOST = 16,
    STEP_MS = 100,
    KEEP_MOST = 1000 /* results of one transaction */
};

/* A domain of ours, from the claim until its result is kept. */
struct ours {
    struct ours *next; /* in one of the lists below */
    struct census_due due;
    int64_t claimed_at, not_before_ms;
    char name[256];
};

struct line {
    struct ours *first, *last;
    size_t n;
};
void line_push(struct line *l, struct ours *o);
struct ours *line_pop(struct line *l);

struct batch {
    struct arena arena;
    struct census_result results[KEEP_MOST];
    struct ours *of[KEEP_MOST];
    size_t n;
};
bool batch_is_full(const struct batch *b);

struct running;

struct lane {
    struct running *run;
    struct survey *survey;
    pthread_t thread;
    bool started;
};

struct running {
    struct pap_census *census;
    const struct pap_census_run *o;
    struct pap_check_options check; /* of a lane */
    struct commons commons;
    struct lane lanes[LANES_MOST];
    unsigned n_lanes;

    pthread_mutex_t lock;
    pthread_cond_t work; /* for the lanes: there is something to ask, or room for a result */
    pthread_cond_t news; /* for the caller's thread */
    /* From here on, under the lock: */
    bool has_news, over;
    struct line waiting; /* claimed, not begun */
    struct line busy;    /* to be begun again in a moment: their address is */
    size_t under_way;
    struct batch *fill; /* one of the two */
    uint64_t done, requests, publishing, failed;
    pap_result result; /* of the lane that failed first */
    struct pap_err why;
    /* Until here; the rest is of the caller's thread. */

    struct batch batches[2];
    struct arena arena; /* of the run: what is ours comes from here and goes round */
    struct ours *spare;
    size_t claim; /* how many to claim next */
    int64_t kept_ms, renewed_ms, claimed_ms;
    struct pap_census_progress progress;
    int64_t told_ms, counted_ms;
    uint64_t told_done;
    bool nothing_due, stop;
    struct pap_err *err;
};

/* Makes `n` lanes of such surveys; `done` and `ctx` are set here. */
pap_result lanes_start(struct running *r, const struct survey_options *o, unsigned n, struct pap_err *err) PAP_MUST;
/* What is under way is dropped. Accepts lanes that were not started, and may be called again. */
void lanes_stop(struct running *r);
/* Until a lane has news, a tenth of a second at most. The failure of a lane. */
pap_result lanes_wait(struct running *r, struct pap_err *err) PAP_MUST;
/* What is ours and has not ended. Under the lock. */
size_t lanes_open(const struct running *r);

#endif
