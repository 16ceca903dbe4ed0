/* SPDX-License-Identifier: Apache-2.0
 *
 * A slot: one target from the moment it is taken up until it is reported. Its arena holds everything of the target and
 * is reset for the next one, so that memory stays flat over any number of targets.
 */
#ifndef CHECK_SLOT_H
#define CHECK_SLOT_H

#include "discover/crawl.h"
#include "report/report.h"
#include "sys/clock.h"

struct slot {
    struct slot *next;      /* in the list of free slots, or of a survey's ended ones */
    struct slot *next_made; /* in the list of all */
    struct checker *checker;
    struct arena arena;
    struct bundle bundle;
    struct findings findings;
    struct budget budget;
    struct crawl *crawl; /* NULL: nothing to wait for */
    struct pap_str target, failure;
    uint64_t artifact_bytes; /* read from files beside an index */
    bool artifacts_end;      /* their limits are used up */
    int64_t started_ms;
    bool done;
    void *tag; /* a survey's */
};

/* Adds what a file holds to the slot's bundle: the document, what is inside it, and the artifacts that lie beside an
 * index. `site` is the folder that stands for the root of the site, or NULL. Files that cannot be read set `failure`. */
pap_result slot_add_file(struct slot *s, const char *path, enum kind kind, const char *site,
                         struct pap_err *err) PAP_MUST;
/* The target cannot be judged, or not all of it: a sentence that says why. The first one is kept. */
pap_result slot_fail(struct slot *s, const char *fmt, ...) PAP_PRINTF(2, 3) PAP_MUST;
/* The same for bytes that came by standard input. */
pap_result slot_add_bytes(struct slot *s, struct pap_str name, struct pap_str bytes, enum kind kind) PAP_MUST;

#endif
