/* SPDX-License-Identifier: Apache-2.0
 *
 * What people write where a domain should stand: URLs, ports, capitals, other scripts, a dot at the end, www.
 */
#include "census/inside.h"
#include "net/idn.h"
#include "net/registrable.h"
#include "text/host.h"

/* The host of a URL or of what looks like one. NULL: there is one in *host. */
static const char *host_in(struct pap_str cell, struct pap_str *host)
{
    size_t scheme = str_find(cell, S("://"));
    if (scheme < cell.n)
        cell = str_skip(cell, scheme + 3);
    else if (str_starts(cell, S("//")))
        cell = str_skip(cell, 2);
    size_t end = 0;
    while (end < cell.n && !memchr("/?#\\ \t", cell.p[end], 6))
        end++;
    cell = str_take(cell, end);
    if (str_find_char(cell, '@') < cell.n)
        return "is an address of mail or has a user name";
    if (str_starts(cell, S("[")))
        return "is an IP address";
    size_t colon = str_find_char(cell, ':');
    uint64_t port;
    if (colon < cell.n && (!str_to_u64(str_skip(cell, colon + 1), &port) || !port || port > 65535))
        return "has no port behind its colon";
    cell = str_take(cell, colon);
    if (str_starts(cell, S("*.")))
        cell = str_skip(cell, 2);
    if (str_ends(cell, S(".")))
        cell = str_take(cell, cell.n - 1);
    *host = cell;
    return cell.n ? NULL : "is empty";
}

pap_result census_name_of(struct arena *a, struct pap_str cell, struct census_name *ret, bool *ret_is_one,
                          const char **ret_why, struct pap_err *err)
{
    struct pap_str host = S(""), name, registrable;
    unsigned char v4[4];
    const char *why = host_in(str_trim(cell), &host);
    *ret_is_one = false;
    *ret_why = why;
    if (why)
        return OK;
    pap_result r = idn_to_ascii(a, host, &name, err);
    if (r.code == PAP_SYNTAX) {
        *ret_why = "is no name that the DNS can have";
        return OK;
    }
    TRY(r);
    if (!host_is_name(name, &why)) {
        *ret_why = host_parse_ipv4(name, v4) || host_is_odd_ipv4(name) ? "is an IP address" : "is no host name";
        return OK;
    }
    if (str_find_char(name, '.') == name.n) {
        *ret_why = "has no dot";
        return OK;
    }
    TRY(registrable_domain(a, name, &registrable, err));
    if (str_starts(name, S("www.")) && str_eq(str_skip(name, 4), registrable))
        name = registrable;
    ret->name = name;
    ret->registrable = registrable;
    *ret_is_one = true;
    return OK;
}
