/* SPDX-License-Identifier: Apache-2.0
 *
 * One case of the tests that are data: a file, a folder, or a script of answers (*.site, see script.h) whose first line is
 * "# target: shop.example". Judged by pap_check() as people run it, at noon of 2026-11-30; a project (*.project, see project.h)
 * by pap_publish().
 */
#ifndef TESTS_CASE_H
#define TESTS_CASE_H

#include <papaver/check.h>

#include "base/arena.h"

/* `options`: "--as 0.3 --kind index --mcp --online --offline", or nothing. `finding` is called for each; *ret_status, which
 * may be NULL, is the exit status. False, and why in `err`, when there was nothing to judge or a failure of ours. */
bool case_run(struct arena *a, const char *path, struct pap_str options,
              void (*finding)(void *ctx, const struct pap_finding *f), void *ctx, int *ret_status, struct pap_err *err);

#endif
