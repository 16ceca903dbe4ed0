/* SPDX-License-Identifier: Apache-2.0
 *
 * Libraries that are opened on first use. A table names the functions wanted and where their addresses go.
 */
#ifndef SYS_LIBRARY_H
#define SYS_LIBRARY_H

#include "base/result.h"

struct library_symbol {
    const char *name;
    void *slot; /* points at a function pointer */
};

/* Opens `soname` and fills every slot; the last row has a NULL name. All or nothing: PAP_UNAVAILABLE names the library
 * (and the package) or the symbol that is missing. Not thread-safe by itself: callers use call_once. */
pap_result library_open(const char *soname, const char *package, const struct library_symbol *symbols,
                        struct pap_err *err) PAP_MUST;

#endif
