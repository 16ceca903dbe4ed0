/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside src/census: what a watch remembers of a domain, as a list of marks: this finding is there, this skill has that digest.
 * Two lists tell what changed. To watch one more thing: make a mark of it in marks.c, and rows of what its changes are called.
 */
#ifndef CENSUS_MARKS_H
#define CENSUS_MARKS_H

#include "census/inside.h"

enum mark_kind {
    MARK_OUTCOME,
    MARK_VERSION,
    MARK_ERROR,
    MARK_WARNING,
    MARK_SKILL,
    MARK_KEY,
    MARK_CERTIFICATE,
    MARK_KINDS
};
const char *mark_word(enum mark_kind k);
/* What it is called that a mark is new, is gone, or has another value; NULL: nobody is told. */
const char *mark_change(enum mark_kind k, bool before, bool after);

struct mark {
    enum mark_kind kind;
    struct pap_str name, value;
    struct pap_str text; /* of a skill: its SKILL.md, to show what changed */
};

struct marks {
    struct mark *at;
    size_t n, cap;
    int64_t seen_at; /* 0: never */
};

/* Of a domain that was checked, in order, each name once. Strings are copied into the arena. */
pap_result marks_of(struct arena *a, const struct surveyed *s, const char *outcome, int64_t now, int64_t near_end,
                    struct marks *ret, struct pap_err *err) PAP_MUST;

/* Walks both lists at once: calls `each` for what differs; `before` or `after` is NULL where it is in one of them only. */
typedef pap_result marks_each(void *ctx, const struct mark *before, const struct mark *after, struct pap_err *err);
pap_result marks_compare(const struct marks *before, const struct marks *after, marks_each *each, void *ctx,
                         struct pap_err *err) PAP_MUST;

#endif
