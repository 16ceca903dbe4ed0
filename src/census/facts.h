/* SPDX-License-Identifier: Apache-2.0
 *
 * From a judged target to what the store keeps of it, for whoever keeps one: a census and the site.
 */
#ifndef CENSUS_FACTS_H
#define CENSUS_FACTS_H

#include "report/report.h"
#include "store/census.h"

/* What came of asking for poppy.json. */
enum census_outcome facts_outcome(const struct bundle *b, bool published);

/* What was seen of a domain, as the store keeps it, in `a`. `known` says what the store knows of it. Sets outcome,
 * fingerprint, summary, findings, record and bodies; of a domain that does not publish and never did only the outcome. */
pap_result facts_of(struct arena *a, const struct report_target *t, bool published, bool was_good,
                    struct census_result *ret, struct pap_err *err) PAP_MUST;

/* A body's name in a record is its digest in hex. */
bool facts_digest(struct pap_str name, struct census_digest *ret);

#endif
