/* SPDX-License-Identifier: Apache-2.0
 *
 * Which part of a name somebody registered, by the Public Suffix List: "shop.example.co.uk" is "example.co.uk".
 */
#ifndef NET_REGISTRABLE_H
#define NET_REGISTRABLE_H

#include "base/arena.h"
#include "base/result.h"

/* `name` is a host name in lower-case A-labels (text/host.h). A public suffix is its own. The view is the end of `name`.
 * PAP_UNAVAILABLE: libpsl is not installed. */
pap_result registrable_domain(struct arena *a, struct pap_str name, struct pap_str *ret, struct pap_err *err) PAP_MUST;

#endif
