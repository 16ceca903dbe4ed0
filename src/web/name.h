/* SPDX-License-Identifier: Apache-2.0
 *
 * Which names a visitor may have checked: public ones. No address, port or URL, nothing that means a place inside a network
 * (RFC 6761, RFC 6762, RFC 7686, RFC 8375), and nothing that only one resolver knows.
 */
#ifndef WEB_NAME_H
#define WEB_NAME_H

#include "base/arena.h"
#include "base/result.h"

/* What somebody typed, as lower-case A-labels. PAP_USAGE: it may not be checked, with a sentence for who typed it.
 * `loopback`: a server for tests, which may be asked for .test and .example, too. */
pap_result web_name(struct arena *a, struct pap_str typed, bool loopback, struct pap_str *ret,
                    struct pap_err *err) PAP_MUST;

#endif
