/* SPDX-License-Identifier: Apache-2.0
 *
 * Targets in words: what "shop.example", "https://...", "./x.json", "skills/" and "-" mean (docs/decisions.md).
 */
#ifndef CHECK_TARGET_H
#define CHECK_TARGET_H

#include "base/result.h"
#include "base/str.h"

enum target_type { TARGET_DOMAIN, TARGET_URL, TARGET_FILE, TARGET_FOLDER, TARGET_STDIN };

/* A bare word is a domain, even if such a file exists; a path has a '/' or begins with '.' or '~'. PAP_USAGE says what is
 * wrong with a word that is none of these; PAP_IO that a path leads nowhere. */
pap_result target_classify(const char *word, bool insecure_http, enum target_type *ret, struct pap_err *err) PAP_MUST;

#endif
