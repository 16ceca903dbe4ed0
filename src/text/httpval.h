/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of HTTP header fields (RFC 9110, 9111, 9728): read only, no allocation, hostile input.
 */
#ifndef TEXT_HTTPVAL_H
#define TEXT_HTTPVAL_H

#include "base/str.h"

/* "text/markdown; charset=utf-8" -> type "text/markdown" and parameters. False when it is no media type. */
bool media_type_parse(struct pap_str value, struct pap_str *ret_type, struct pap_str *ret_params);

/* The media type is application/json or any application/...+json, ASCII case ignored. */
bool media_type_is_json(struct pap_str type);

struct cache_control {
    bool present, bad; /* bad: not a list of directives, or a delta-seconds that is no number, or given twice */
    bool no_store, no_cache, is_private, is_public, immutable, must_revalidate;
    bool has_max_age;
    uint32_t max_age; /* seconds, clamped to 2147483648 */
};

void cache_control_parse(struct pap_str value, struct cache_control *ret);

/* IMF-fixdate, RFC 850 and asctime dates (RFC 9110 section 5.6.7) to Unix seconds; false when it is none of them. */
bool http_date_parse(struct pap_str value, int64_t *ret_unix);

/* Retry-After: seconds from `now`, whichever form. False when unreadable. */
bool retry_after_parse(struct pap_str value, int64_t now, uint32_t *ret_seconds);

/* An ETag: W/"..." or "...". */
bool etag_is_valid(struct pap_str value);

/* The value of parameter `name` of the first challenge of `scheme` in a WWW-Authenticate value (RFC 9110 section
 * 11.6.1), e.g. scheme "Bearer", name "resource_metadata". Quoted pairs stay as they are when there are none to undo;
 * a value with an escape gives false. */
bool challenge_param(struct pap_str value, const char *scheme, const char *name, struct pap_str *ret);
/* Whether a challenge of that scheme is there at all. */
bool challenge_has(struct pap_str value, const char *scheme);

#endif
