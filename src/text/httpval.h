/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of HTTP header fields (RFC 9110, 9111, 9728): read only, no allocation, hostile input. Blanks at the ends of a
 * value are ignored; a value with p NULL (no such field) is malformed or absent, never a crash.
 */
#ifndef TEXT_HTTPVAL_H
#define TEXT_HTTPVAL_H

#include "base/str.h"

/* RFC 9110 section 5.6.2: what a method, a field name and a token are made of. */
static inline bool http_is_token_char(char c)
{
    return ascii_is_alnum(c) || c == '-' || memchr("!#$%&'*+.^_`|~", c, 14);
}

/* RFC 9110 section 5.5: what may stand in a field's value; no control byte but TAB. */
static inline bool http_is_value_char(char c)
{
    return ((unsigned char)c >= 0x20 && c != 0x7f) || c == '\t';
}

/* All of it; without a way out in the middle, so that a compiler looks at many bytes at once. */
static inline bool http_is_value(struct pap_str s)
{
    bool bad = false;
    for (size_t i = 0; i < s.n; i++)
        bad |= !http_is_value_char(s.p[i]);
    return !bad;
}

/* "text/markdown; charset=utf-8" -> type "text/markdown" and parameters "charset=utf-8", which are not judged here. False
 * when it is no media type. */
bool media_type_parse(struct pap_str value, struct pap_str *ret_type, struct pap_str *ret_params);

/* The value of parameter `name` (ASCII case ignored) in those parameters, without quotes. False when it is not there,
 * when what stands before it is malformed, or when it has an escape. */
bool media_type_param(struct pap_str params, const char *name, struct pap_str *ret);

/* The media type is application/json or any application/...+json, ASCII case ignored. */
bool media_type_is_json(struct pap_str type);

/* `bad`: not a list of directives, or a delta-seconds that is no number, quoted, or given twice (the first counts); the
 * directives that could be read are set all the same. */
struct cache_control {
    bool present, bad;
    bool no_store, no_cache, is_private, is_public, immutable, must_revalidate; /* also when limited to some fields */
    bool has_max_age;
    uint32_t max_age; /* seconds, clamped to 2147483648 */
};

void cache_control_parse(struct pap_str value, struct cache_control *ret);

/* IMF-fixdate, RFC 850 (years 70-99 are 19xx, 00-69 are 20xx) and asctime dates (RFC 9110 section 5.6.7) to Unix
 * seconds; false when it is none of them or no day of the calendar. The day of the week need not be the right one; the
 * leap second 60 counts as the first of the next minute. */
bool http_date_parse(struct pap_str value, int64_t *ret_unix);

/* The IMF-fixdate of Unix seconds, "Sun, 06 Nov 1994 08:49:37 GMT", with a NUL behind it. Seconds outside the years 1 to 9999
 * give that of the nearest one inside. */
enum { HTTP_DATE_TEXT = 29 };
void http_date_write(int64_t unix_seconds, char ret[static HTTP_DATE_TEXT + 1]);

/* Retry-After: seconds from `now`, whichever form; 0 for a date that has passed, clamped to UINT32_MAX. False when
 * unreadable. */
bool retry_after_parse(struct pap_str value, int64_t now, uint32_t *ret_seconds);

/* An ETag: W/"..." or "...". */
bool etag_is_valid(struct pap_str value);

/* The value of parameter `name` of the first challenge of `scheme` in a WWW-Authenticate value (RFC 9110 section
 * 11.6.1), e.g. scheme "Bearer", name "resource_metadata". Quoted pairs stay as they are when there are none to undo;
 * a value with an escape gives false, and so does a parameter behind something malformed. */
bool challenge_param(struct pap_str value, const char *scheme, const char *name, struct pap_str *ret);
/* Whether a challenge of that scheme is there at all (not behind something malformed). */
bool challenge_has(struct pap_str value, const char *scheme);
/* Whether the whole value is a list of at least one challenge. */
bool challenges_are_valid(struct pap_str value);

#endif
