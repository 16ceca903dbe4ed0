/* SPDX-License-Identifier: Apache-2.0
 *
 * Names in any script as the DNS has them: "bücher.example" is "xn--bcher-kva.example" (RFC 5891, UTS 46 by libidn2).
 */
#ifndef NET_IDN_H
#define NET_IDN_H

#include "base/arena.h"
#include "base/result.h"

/* `name` is UTF-8 as people type it; the A-labels are in lower case. PAP_SYNTAX: there is no such name, and why.
 * PAP_UNAVAILABLE: libidn2 is not installed; names of ASCII do without it. */
pap_result idn_to_ascii(struct arena *a, struct pap_str name, struct pap_str *ret, struct pap_err *err) PAP_MUST;

#endif
