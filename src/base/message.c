/* SPDX-License-Identifier: Apache-2.0 */
#include "base/message.h"

struct pap_str request_header(const struct http_request *r, const char *name)
{
    for (size_t i = 0; i < r->n_headers; i++)
        if (str_eq_nocase(r->headers[i].name, str_c(name)))
            return r->headers[i].value;
    return str(NULL, 0);
}

size_t request_header_count(const struct http_request *r, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_headers; i++)
        n += str_eq_nocase(r->headers[i].name, str_c(name));
    return n;
}
