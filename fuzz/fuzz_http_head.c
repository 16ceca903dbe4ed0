/* SPDX-License-Identifier: Apache-2.0
 *
 * Request heads and chunked bodies: the same answer however the bytes arrive, and what is read lies inside them. The
 * first byte chooses the pieces.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/http_head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void holds(bool fact)
{
    if (!fact)
        abort();
}

static bool is_inside(struct pap_str part, struct pap_str whole)
{
    return part.n == 0 || (part.p >= whole.p && part.p + part.n <= whole.p + whole.n);
}

static void judge_request(const struct http_request *r, const struct http_framing *f, struct pap_str head)
{
    holds(is_inside(r->method, head) && is_inside(r->target, head) && is_inside(r->query, head));
    holds(is_inside(r->authority, head) && r->path.n > 0 && (r->path.p[0] == '/' || str_eq(r->path, S("*"))));
    holds(r->minor == 0 || r->authority.n > 0);
    holds(!f->chunked || f->length == 0);
    for (size_t i = 0; i < r->n_headers; i++)
        for (size_t k = 0; k < r->headers[i].value.n; k++)
            holds(r->headers[i].value.p[k] != '\n' && r->headers[i].value.p[k] != '\r' &&
                  r->headers[i].value.p[k] != '\0');
}

static int decode(char *p, size_t n, size_t step, size_t *ret_at, size_t *ret_body)
{
    struct http_chunked c = {0};
    int status = HTTP_MORE;
    size_t at = 0, body = 0;
    while (status == HTTP_MORE && at < n) {
        size_t piece = n - at < step ? n - at : step, used = 0, more = 0;
        status = http_chunked_decode(&c, p + at, piece, 1000 - body, &used, &more);
        if (status >= 400)
            break;
        holds(more <= used && used <= piece && body + more <= 1000);
        memmove(p + body, p + at, more);
        at += used;
        body += more;
    }
    *ret_at = at;
    *ret_body = body;
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct pap_str bytes = str((const char *)data + 1, size - 1);
    const struct http_limits limits = {0};
    struct http_scan whole = {0}, pieces = {0};
    size_t step = (size_t)data[0] + 1, n = 0;
    int status = http_head_scan(&whole, bytes, &limits), again = HTTP_MORE;
    while (again == HTTP_MORE && n < bytes.n) {
        n = bytes.n - n < step ? bytes.n : n + step;
        again = http_head_scan(&pieces, str_take(bytes, n), &limits);
    }
    holds(status == again || (status >= 400 && again >= 400));
    struct pap_str body = bytes;
    if (status == HTTP_DONE) {
        struct header slots[LIMIT_HTTP_FIELDS];
        struct http_request r = {0};
        struct http_framing f;
        struct pap_str head = str(bytes.p + whole.begin, whole.at - whole.begin);
        holds(whole.at == pieces.at && whole.begin == pieces.begin);
        if (http_head_parse(head, slots, &r, &f) == HTTP_DONE)
            judge_request(&r, &f, head);
        body = str_skip(bytes, whole.at);
    }
    char *one = malloc(body.n + 1), *two = malloc(body.n + 1);
    holds(one && two);
    memcpy(one, body.p, body.n);
    memcpy(two, body.p, body.n);
    size_t at_one, at_two, n_one, n_two;
    int first = decode(one, body.n, body.n, &at_one, &n_one), second = decode(two, body.n, step, &at_two, &n_two);
    holds(first == second);
    if (first < 400)
        holds(at_one == at_two && n_one == n_two && memcmp(one, two, n_one) == 0);
    free(one);
    free(two);
    return 0;
}
