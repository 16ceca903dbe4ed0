/* SPDX-License-Identifier: Apache-2.0
 *
 * The baseline: findings that are known and accepted for now. A finding is the same when id, document and place are the
 * same (not the line, which moves). An entry that no finding matched any more is stale, and that fails a run.
 */
#ifndef CHECK_BASELINE_H
#define CHECK_BASELINE_H

#include <papaver/check.h>

#include "base/arena.h"

struct baseline_entry {
    struct pap_str id, where, at;
    bool seen;
};

struct baseline {
    struct baseline_entry *entries; /* sorted */
    size_t n, cap;
};

/* Reads the file. PAP_SYNTAX says where it is not a baseline. */
pap_result baseline_read(struct arena *a, const char *path, struct baseline *ret, struct pap_err *err) PAP_MUST;

/* Whether the finding is listed; marks the entry. */
bool baseline_knows(struct baseline *b, const struct pap_finding *f);

/* Takes a finding into a baseline that is to be written. */
pap_result baseline_add(struct arena *a, struct baseline *b, const struct pap_finding *f) PAP_MUST;

/* Writes it sorted, each entry once, whole or not at all. */
pap_result baseline_write(const struct pap_alloc *alloc, struct baseline *b, const char *path,
                          struct pap_err *err) PAP_MUST;

/* Fails where a file stands at `path` that is neither empty nor a baseline (PAP_USAGE). */
pap_result baseline_may_replace(struct arena *a, const char *path, struct pap_err *err) PAP_MUST;

/* "id at where#at" for people. */
struct pap_str baseline_text(struct arena *a, const struct baseline_entry *e) PAP_MUST;

#endif
