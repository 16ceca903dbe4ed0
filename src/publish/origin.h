/* SPDX-License-Identifier: Apache-2.0
 *
 * The live origin as what was public before: its index, and the files of releases that go on. No credential is sent.
 */
#ifndef PUBLISH_ORIGIN_H
#define PUBLISH_ORIGIN_H

#include "net/transport.h"
#include "sys/clock.h"
#include "text/uri.h"

struct project;

struct origin {
    struct project *p;
    struct transport *transport;
    bool own_transport;
    struct clock clock;
    struct budget budget;
    struct pap_str base; /* of the index, after redirects: what its URLs resolve against */
};

/* Whether a prior is an origin and not a folder. */
bool origin_is(const char *prior);
/* An origin without an index is a failure. `transport` NULL: libcurl, opened here. */
pap_result origin_open(struct project *p, struct transport *transport, struct origin **ret, struct pap_str *ret_index,
                       struct pap_err *err) PAP_MUST;
/* The bytes behind a URL of the index, in `a`; *ret_whole is that URL resolved. */
pap_result origin_get(struct origin *o, struct arena *a, struct pap_str url, struct pap_str *ret_whole,
                      struct pap_str *ret, struct pap_err *err) PAP_MUST;
/* Accepts NULL. */
void origin_close(struct origin *o);

#endif
