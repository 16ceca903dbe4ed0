/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditional header fields, ranges and codings: each line of the input is a field, "Name: value". Whatever is asked, the
 * ranges lie inside the bytes, and a matching If-None-Match is never answered with content.
 */
#include <assert.h>

#include "host/condition.h"

enum { FIELDS = 16, LENGTH = 1000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct validator v = {S_INIT("\"sha256:00\""), 1767225600, true};
    struct header fields[FIELDS];
    struct http_request q = {.method = S("GET"), .headers = fields};
    struct byte_range ranges[LIMIT_HOST_RANGES];
    struct pap_str rest = str((const char *)data, size), line;
    size_t n = 0;
    while (q.n_headers < FIELDS && str_next(&rest, '\n', &line)) {
        size_t colon = str_find_char(line, ':');
        fields[q.n_headers++] = (struct header){str_take(line, colon), str_trim(str_skip(line, colon + 1))};
    }
    enum condition c = condition_of(&q, &v);
    struct pap_str none = request_header(&q, "If-None-Match");
    if (str_eq(none, v.etag) && !request_header_count(&q, "If-Match"))
        assert(c != CONDITION_HOLDS);
    if (range_of(&q, &v, LENGTH, ranges, &n) == RANGE_PARTS) {
        assert(n > 0 && n <= LIMIT_HOST_RANGES);
        for (size_t i = 0; i < n; i++)
            assert(ranges[i].n > 0 && ranges[i].first < LENGTH && ranges[i].n <= LENGTH - ranges[i].first);
    }
    if (takes_gzip(&q))
        assert(str_find(str((const char *)data, size), S("-")) < size); /* the field was there */
    return 0;
}
