/* SPDX-License-Identifier: Apache-2.0
 *
 * For the pages that show what is kept.
 */
#ifndef WEB_STORED_H
#define WEB_STORED_H

#include "web/inside.h"
#include "web/kept.h"
#include "web/readers.h"
#include "web/runner.h"

/* Takes a connection for this request, k->store; false when it was answered, with 503. */
bool asked_store(struct asked *k) PAP_MUST;
/* Something of it could not be read. What the database says is for the operator, not for visitors. */
void asked_store_failed(struct asked *k, const struct pap_err *err);

/* Hands a task to the runner; the answer comes later, or is a refusal. */
void asked_run(struct asked *k, enum runner_task task, struct pap_str name, enum runner_form form);

/* Writes `event: done`, as a stream that is whole has it (tell.c). */
void tell_done(struct buf *out, const char *prefix, struct pap_str name);

#endif
