/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/check.h"
#include "skills/open.h"

/* What the list itself says is judged by the catalog, entry by entry; here it is about who speaks. */
static const char *const skip[] = {"index", "links.indexes", NULL};

pap_result company_judge(struct arena *a, struct bundle *b, int64_t now, const struct pap_finding **ret,
                         struct pap_err *err)
{
    struct plan plan;
    struct findings findings = {0};
    b->now = now;
    bundle_choose_version(b, NULL);
    TRY(plan_make(a, PROFILE_CHECK, NULL, skip, &plan, err));
    TRY(judge(a, &plan, b, &findings, err));
    *ret = NULL;
    for (size_t i = 0; i < findings.n && !*ret; i++)
        if (findings.items[i].severity == PAP_ERROR)
            *ret = &findings.items[i];
    return OK;
}
