/* SPDX-License-Identifier: Apache-2.0
 *
 * The options that people write: --resolve, --connect-to, --proxy, --cacert. libcurl passes over what it does not
 * understand, so that a mistake would go unseen; here it is named.
 */
#include "net/inside.h"
#include "sys/file.h"
#include "text/host.h"
#include "text/uri.h"

/* Takes "host:" off *rest; an IPv6 host stands in brackets. */
static bool take_host(struct pap_str *rest, struct pap_str *ret)
{
    size_t n = rest->n && rest->p[0] == '[' ? str_find_char(*rest, ']') + 1 : str_find_char(*rest, ':');
    if (n >= rest->n || rest->p[n] != ':')
        return false;
    *ret = str_take(*rest, n);
    *rest = str_skip(*rest, n + 1);
    return true;
}

static bool is_host(struct pap_str s)
{
    const char *why;
    if (s.n > 2 && s.p[0] == '[' && s.p[s.n - 1] == ']')
        return host_parse_ipv6(str(s.p + 1, s.n - 2), (unsigned char[16]){0});
    return str_find_char(s, ':') == s.n && host_is_dialable(s, &why);
}

static bool is_port(struct pap_str s)
{
    uint64_t v;
    return str_to_u64(s, &v) && v > 0 && v < 65536;
}

static bool is_address(struct pap_str s)
{
    unsigned char a[16];
    if (s.n > 2 && s.p[0] == '[' && s.p[s.n - 1] == ']')
        return host_parse_ipv6(str(s.p + 1, s.n - 2), a);
    return host_parse_ipv4(s, a) || host_parse_ipv6(s, a);
}

/* HOST:PORT:ADDRESS[,ADDRESS]... */
static bool is_resolve(struct pap_str s)
{
    struct pap_str host, port, address;
    if (!take_host(&s, &host) || !take_host(&s, &port) || !is_port(port) || !(str_is(host, "*") || is_host(host)))
        return false;
    while (str_next(&s, ',', &address))
        if (!is_address(address))
            return false;
    return true;
}

/* HOST:PORT:HOST:PORT, each of which may be empty. */
static bool is_connect_to(struct pap_str s)
{
    struct pap_str host, port, to;
    return take_host(&s, &host) && take_host(&s, &port) && take_host(&s, &to) && (!host.n || is_host(host)) &&
           (!port.n || is_port(port)) && (!to.n || is_host(to)) && (!s.n || is_port(s));
}

static bool is_proxy(struct pap_str s)
{
    static const char *const schemes[] = {"http", "https", "socks5", "socks5h"};
    struct uri u;
    size_t at;
    const char *why;
    if (!uri_parse(s, &u, &at, &why) || !u.host.n || !host_is_dialable(u.host, &why) || u.query.p || u.fragment.p)
        return false;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (str_eq_nocase(u.scheme, str_c(schemes[i])))
            return true;
    return false;
}

pap_result options_check(const struct client_options *o, struct pap_err *err)
{
    for (const char *const *s = o->resolve; s && *s; s++)
        if (!is_resolve(str_c(*s)))
            return fail(err, PAP_USAGE, "\"%s\" is no HOST:PORT:ADDRESS, such as shop.example:443:127.0.0.1", *s);
    for (const char *const *s = o->connect_to; s && *s; s++)
        if (!is_connect_to(str_c(*s)))
            return fail(err, PAP_USAGE, "\"%s\" is no HOST:PORT:HOST:PORT, such as shop.example:443:127.0.0.1:8443",
                        *s);
    if (o->proxy && !is_proxy(str_c(o->proxy)))
        return fail(err, PAP_USAGE, "\"%s\" is no URL of a proxy, such as http://proxy.example:3128", o->proxy);
    if (o->cacert && !file_is_readable(o->cacert))
        return fail(err, PAP_USAGE, "the file of trusted roots %s cannot be read", o->cacert);
    return OK;
}
