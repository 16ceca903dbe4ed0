/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside src/census: what the files of the watch share.
 */
#ifndef CENSUS_WATCH_INSIDE_H
#define CENSUS_WATCH_INSIDE_H

#include <papaver/watch.h>

#include "census/marks.h"

struct watched_domain {
    struct pap_str name;
    struct arena arena; /* of its marks */
    struct marks marks; /* what was told last */
    bool again;         /* it is asked once more, because it did not answer */
};

struct watching {
    const struct pap_watch_options *o;
    struct clock clock;
    struct arena arena;
    struct watched_domain *domains;
    size_t n;
    const struct json *others; /* of the state: domains that are not watched this time */
    struct pap_check_options check;
    struct survey *survey;
    struct pap_watched counts;
};

pap_result watch_state_read(struct watching *w, struct pap_err *err) PAP_MUST;
pap_result watch_state_write(struct watching *w, struct pap_err *err) PAP_MUST;

/* ---- webhook.c ---- */

/* PAP_USAGE says what is wrong with the URL or the secret. */
pap_result webhook_check(const struct pap_watch_options *o, struct pap_err *err) PAP_MUST;
/* Delivers a body; false after four tries in vain, which the caller's trouble() has heard of. */
pap_result webhook_send(struct watching *w, struct pap_str body, bool *ret_delivered, struct pap_err *err) PAP_MUST;

#endif
