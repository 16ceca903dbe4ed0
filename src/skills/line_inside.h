/* SPDX-License-Identifier: Apache-2.0
 *
 * One request of a line, for its two files: how it is sent (line.c) and what is kept of answers (line_kept.c).
 */
#ifndef SKILLS_LINE_INSIDE_H
#define SKILLS_LINE_INSIDE_H

#include "skills/line.h"

enum line_what {
    LINE_SEND,
    LINE_KEPT, /* the copy is fresh, or all there is */
    LINE_MISS  /* offline, and there is no copy */
};

struct line_call {
    struct line_call *next;
    struct line *line;
    enum line_kind kind;
    enum line_what what;
    struct arena *arena;
    struct request asked, sent;
    struct budget budget;
    void (*again)(void *ctx);
    request_done *done;
    void *ctx;
    int64_t due_ms, asked_ms;
    unsigned attempt;
    bool first;           /* an answer that does not fit what is kept is asked for once more */
    bool stale;           /* the copy is given although it is not fresh */
    struct pap_str scope; /* what tells copies of one URL apart */
    struct pap_str key;   /* URL and scope */
    bool memory;          /* the copy is for this process only */
    bool conditional;     /* `kept` may be used when the host says so */
    struct cache_document kept;
    bool have; /* `kept` is there; without a body: the host said that there is nothing */
};

request_fields line_fields;

/* Looks for a copy and says what to do. */
pap_result line_find(struct line_call *k, enum line_what *ret) PAP_MUST;
/* The copy, or that there is none. */
pap_result line_give(struct line_call *k) PAP_MUST;
/* An answer that counts: keeps it, or gives the copy that it confirms or stands in for. */
pap_result line_take(struct line_call *k, const struct exchange *x, bool transient) PAP_MUST;
/* In the next turn. */
pap_result line_send_again(struct line_call *k) PAP_MUST;

#endif
