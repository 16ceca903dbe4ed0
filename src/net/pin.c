/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses that the caller finds: every one is judged before any is dialled, and the hop is pinned to the first.
 */
#include "net/inside.h"
#include "text/host.h"

enum { ADDRESSES_MOST = 64 };

static bool parse(const char *text, unsigned char ret[16], size_t *ret_n)
{
    struct pap_str s = str_c(text);
    *ret_n = host_parse_ipv4(s, ret) ? 4 : 16;
    return *ret_n == 4 || host_parse_ipv6(s, ret);
}

static enum walk_next blocked(struct walk *w, const char *address, const char *why)
{
    return walk_fault(w, FAULT_BLOCKED, "%.*s was not asked: the address %s is not allowed (%s)", PSTR(w->uri.host),
                      address, why)
               ? WALK_DONE
               : WALK_NO_MEMORY;
}

/* libcurl reads "HOST:PORT:ADDRESS:PORT": the name stays in TLS and in Host. */
static bool pin(struct transfer *t, struct walk *w, const char *address, bool ipv6)
{
    const struct curl_api *api = &t->client->api;
    unsigned port = uri_port(&w->uri);
    struct pap_str line = arena_fmt(w->arena, "%.*s:%u:%s%s%s:%u", PSTR(w->uri.host), port, ipv6 ? "[" : "", address,
                                    ipv6 ? "]" : "", port);
    struct curl_slist *first = line.p ? api->slist_append(NULL, line.p) : NULL;
    api->slist_free_all(t->pinned);
    t->pinned = first;
    for (const char *const *s = t->client->o.connect_to; first && s && *s; s++)
        if (!api->slist_append(first, *s))
            return false;
    return first && api->easy_setopt(t->easy, CURLOPT_CONNECT_TO, t->pinned) == CURLE_OK;
}

enum walk_next transfer_pin(struct transfer *t, struct walk *w)
{
    const struct client_options *o = &t->client->o;
    char found[ADDRESSES_MOST][46];
    unsigned char bytes[16];
    size_t n = 0;
    const char *why = "it is forbidden";
    if (w->uri.host_is_ip)
        return WALK_ASK;
    const char *host = arena_cstr(w->arena, w->uri.host);
    if (!host)
        return WALK_NO_MEMORY;
    size_t count = o->addresses(o->addresses_ctx, host, found, ADDRESSES_MOST);
    if (!count || count > ADDRESSES_MOST)
        return walk_fault(w, FAULT_DNS, "%.*s was not found: no address is known for that name", PSTR(w->uri.host))
                   ? WALK_DONE
                   : WALK_NO_MEMORY;
    for (size_t i = count; i-- > 0;) {
        found[i][45] = '\0';
        if (!parse(found[i], bytes, &n))
            return blocked(w, "given", "it is no IP address");
        if (o->policy && !o->policy(o->policy_ctx, bytes, n, &why))
            return blocked(w, found[i], why);
    }
    return pin(t, w, found[0], n == 16) ? WALK_ASK : WALK_NO_MEMORY;
}
