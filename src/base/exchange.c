/* SPDX-License-Identifier: Apache-2.0 */
#include "base/exchange.h"

struct pap_str hop_header(const struct hop *h, const char *name)
{
    for (size_t i = 0; h && i < h->n_headers; i++)
        if (str_eq_nocase(h->headers[i].name, str_c(name)))
            return h->headers[i].value;
    return str(NULL, 0);
}

size_t hop_header_count(const struct hop *h, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; h && i < h->n_headers; i++)
        n += str_eq_nocase(h->headers[i].name, str_c(name));
    return n;
}
