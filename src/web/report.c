/* SPDX-License-Identifier: Apache-2.0
 *
 * A judged target as part of an answer, in any format of src/report.
 */
#include "web/inside.h"

static void count(const struct report_target *t, struct report_total *total)
{
    total->fail_on = PAP_ERROR;
    total->counts.targets = 1;
    total->counts.documents = t->bundle ? t->bundle->n_docs : 0;
    for (size_t i = 0; i < t->n_findings; i++) {
        total->counts.errors += t->findings[i].severity == PAP_ERROR;
        total->counts.warnings += t->findings[i].severity == PAP_WARNING;
        total->counts.infos += t->findings[i].severity == PAP_INFO;
    }
    total->exit = t->failure.p ? 3 : total->counts.errors ? 1 : 0;
}

pap_result report_add(struct asked *k, const struct report_target *t, enum pap_format format, int64_t at,
                      struct pap_err *err)
{
    struct report r;
    struct report_total total = {0};
    report_init(&r, k->web->o.alloc);
    r.format = format;
    r.now = at;
    r.rules_url = "/explain/";
    count(t, &total);
    report_begin(&r);
    report_target(&r, t);
    report_end(&r, &total);
    buf_add(&k->out, buf_str(&r.out));
    pap_result result = report_result(&r, err);
    report_fini(&r);
    return result;
}
