/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/rules_version.h"

extern const char rules_version_text[]; /* tools/rules-digest */

struct pap_str rules_version(void)
{
    return str_c(rules_version_text);
}
