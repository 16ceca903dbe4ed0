/* SPDX-License-Identifier: Apache-2.0
 *
 * The name of a process among all machines, and whether the one of that name is known to be gone: for whoever holds
 * something in a place that processes share.
 */
#ifndef SYS_PROCESS_H
#define SYS_PROCESS_H

#include "base/arena.h"

/* "HOST/BOOT/NAMESPACE/PID/START": of this process, the same at every call; p NULL when out of memory. */
struct pap_str process_name(struct arena *a) PAP_MUST;

/* Whether the process of that name (which more may follow, behind a slash) ran on this machine and does not any more. A
 * process of another machine, or of another namespace of process numbers, is not known to be gone. */
bool process_is_gone(struct pap_str name);

#endif
