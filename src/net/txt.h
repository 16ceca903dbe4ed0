/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a name of the DNS has a TXT record with a given text: one question to the resolver of this machine, by UDP, without
 * a thread (docs/decisions.md). Whoever waits looks again by txt_step().
 */
#ifndef NET_TXT_H
#define NET_TXT_H

#include "base/alloc.h"
#include "base/result.h"
#include "base/str.h"

struct txt;

enum txt_said {
    TXT_WAITS,
    TXT_HAS,   /* such a record is there */
    TXT_NOT,   /* none is, or the name has none */
    TXT_FAILED /* no resolver gave an answer that can be used */
};

/* `name`: a host name in A-labels, which the caller has looked at. `server`: "127.0.0.1:53", for tests; NULL: those of
 * /etc/resolv.conf. `wanted` must outlive it. */
pap_result txt_start(const struct pap_alloc *alloc, struct pap_str name, struct pap_str wanted, const char *server,
                     int64_t now_ms, struct txt **ret, struct pap_err *err) PAP_MUST;
void txt_free(struct txt *t); /* accepts NULL */

/* Reads what came, asks again or the next one; never blocks. Once it does not wait it says the same again. */
enum txt_said txt_step(struct txt *t, int64_t now_ms) PAP_MUST;
/* Readable when txt_step() has something to read; -1: none. */
int txt_fd(const struct txt *t);

/* What a message says to the question for `name` with that id: for txt_step(), tests and the fuzzer. TXT_WAITS: it is no answer
 * to that question, and another may come. A record counts that is of the very name: nothing behind an alias. */
enum txt_said txt_read(struct pap_str message, unsigned id, struct pap_str name, struct pap_str wanted) PAP_MUST;

#endif
