/* SPDX-License-Identifier: Apache-2.0 */
#include "net/transport.h"
#include "text/host.h"

/* The sentences below name these. */
_Static_assert(LIMIT_CHECK_MS == 60000 && LIMIT_REQUESTS == 200 && LIMIT_CHECK_BYTES == 100 << 20 &&
                   LIMIT_THIRD_PARTY_REQUESTS == 20,
               "limits in words");

void budget_init(struct budget *b, struct arena *a, struct pap_str own_domain, int64_t now_monotonic_ms)
{
    *b = (struct budget){.arena = a,
                         .own = host_bare(str_take(own_domain, str_find_char(own_domain, ':'))),
                         .requests_left = LIMIT_REQUESTS,
                         .bytes_left = LIMIT_CHECK_BYTES,
                         .deadline_ms = now_monotonic_ms + LIMIT_CHECK_MS};
}

/* The count of a third party; NULL when out of memory. */
static struct budget_host *third_party(struct budget *b, struct pap_str host)
{
    struct budget_host *h = b->hosts;
    while (h && !str_eq_nocase(h->host, host))
        h = h->next;
    if (h)
        return h;
    h = arena_new(b->arena, struct budget_host);
    if (!h)
        return NULL;
    *h = (struct budget_host){.next = b->hosts, .host = arena_str(b->arena, host)};
    return h->host.p ? b->hosts = h : NULL;
}

bool budget_take(struct budget *b, struct pap_str host, int64_t now_monotonic_ms, const char **ret_why)
{
    *ret_why = now_monotonic_ms >= b->deadline_ms ? "the time of this check (60 seconds) is over"
               : b->requests_left == 0            ? "this check has made its 200 requests"
               : b->bytes_left == 0               ? "this check has read its 100 MiB"
                                                  : NULL;
    if (*ret_why)
        return false;
    if (!b->own.n || !host_is_within(host, b->own)) {
        struct budget_host *h = third_party(b, host);
        if (!h)
            return false;
        if (h->requests >= LIMIT_THIRD_PARTY_REQUESTS) {
            *ret_why = "this check has made its 20 requests to that host, which is not the company's";
            return false;
        }
        h->requests++;
    }
    b->requests_left--;
    return true;
}
