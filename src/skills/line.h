/* SPDX-License-Identifier: Apache-2.0
 *
 * The requests of one origin: what each hop is sent and what not, tries again, conditional requests and what is kept
 * (remote-skills R-NET, R-AUTH, R-HTTP). It is a transport over another one, so that a crawl can go through it.
 */
#ifndef SKILLS_LINE_H
#define SKILLS_LINE_H

#include "net/transport.h"
#include "skills/client.h"
#include "skills/origin.h"

enum line_kind {
    LINE_DOCUMENT = 0, /* poppy.json and what it names: never a credential */
    LINE_LIST,         /* the index of the origin: with scope and headers */
    LINE_ARTIFACT      /* headers on the origin's own host and port; nothing is kept here */
};

/* How an answer was had. */
struct line_answer {
    struct pap_str url; /* asked for */
    bool from_cache;    /* no request was needed */
    bool stale;         /* none could be made: it is older than it should be */
    int64_t validated;  /* Unix seconds: when the origin last said so */
    bool missed;        /* offline, and not kept */
    bool unconfirmed;   /* the answer does not confirm the scope (R-SCO-3); line_tell() says so */
    struct line_answer *next;
};

struct line_call;

struct line {
    struct transport base; /* first: start() asks a LINE_DOCUMENT; the rest is line_turn()'s */
    struct transport *below;
    struct pap_skill_client *client;
    const struct origin *origin;
    struct arena *arena;         /* of answers */
    bool no_cache;               /* ask the origin itself, whatever is kept on the way */
    struct line_call *waiting;   /* for their time, or for the next turn */
    struct line_answer *answers; /* latest first */
    pap_result failed;           /* inside a callback: line_turn() passes it on */
};

void line_init(struct line *l, struct pap_skill_client *c, struct transport *below, const struct origin *o,
               struct arena *a);

/* As transport.start(), for a request of that kind. `again` (may be NULL) is called with the request's each_ctx before each
 * attempt but the first: what its sink took is void. */
pap_result line_ask(struct line *l, enum line_kind kind, struct arena *a, const struct request *r,
                    void (*again)(void *ctx), request_done *done, void *ctx) PAP_MUST;

/* Does what is due: answers that were kept, attempts whose time has come. Milliseconds until something is due again, at most
 * `most`. Failure: out of memory. */
pap_result line_turn(struct line *l, int most, int *ret_ms) PAP_MUST;

/* How the latest answer for that URL was had; NULL when there was none. */
const struct line_answer *line_answer_of(const struct line *l, struct pap_str url);

/* What was kept for that URL was no good: it is asked for again next time. */
void line_forget(struct line *l, enum line_kind kind, struct pap_str url);

/* The refusal for an answer that brought nothing usable. */
pap_result line_tell(const struct line *l, const struct exchange *x, const char *limit,
                     struct pap_skill_err *err) PAP_MUST;

/* Works until `done` is true: turns, the transport's steps, the caller's progress. For one line. */
pap_result line_run(struct line *l, const bool *done, enum pap_skill_phase phase, const uint64_t *got, uint64_t total,
                    struct pap_skill_err *err) PAP_MUST;

#endif
