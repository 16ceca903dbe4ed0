/* SPDX-License-Identifier: Apache-2.0
 *
 * Every reader of header values on the same bytes: what they give back lies inside the value, and they agree with each
 * other.
 */
#include <stdint.h>
#include <stdlib.h>

#include "text/httpval.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void holds(bool fact)
{
    if (!fact)
        abort();
}

static bool is_inside(struct pap_str part, struct pap_str whole)
{
    return part.p >= whole.p && part.p + part.n <= whole.p + whole.n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pap_str all = str((const char *)data, size), type, params, v;
    struct cache_control c;
    int64_t t = 0;
    uint32_t seconds = 0;
    if (media_type_parse(all, &type, &params)) {
        holds(is_inside(type, all) && is_inside(params, all) && type.n >= 3);
        holds(!media_type_param(params, "charset", &v) || is_inside(v, params));
    }
    (void)media_type_is_json(all);
    cache_control_parse(all, &c);
    holds(c.present && (c.has_max_age || c.max_age == 0) && c.max_age <= 2147483648U);
    if (http_date_parse(all, &t))
        holds(t >= -62135596800 && t <= 253402300800 && retry_after_parse(all, t, &seconds) && seconds == 0 &&
              retry_after_parse(all, t - 9, &seconds) && seconds == 9);
    (void)etag_is_valid(all);
    if (challenge_param(all, "Bearer", "x", &v))
        holds(is_inside(v, all) && challenge_has(all, "bearer"));
    if (challenges_are_valid(all))
        holds(str_trim(all).n > 0);
    return 0;
}
