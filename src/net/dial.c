/* SPDX-License-Identifier: Apache-2.0 */
#include "net/dial.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

#include "text/host.h"

enum { IPV4 = 4, IPV6 = 16 };

/* 127/8, ::1 and 127/8 mapped into IPv6. */
static bool is_loopback(const unsigned char *a, size_t n)
{
    static const unsigned char one[IPV6] = {[15] = 1}, mapped[12] = {[10] = 0xff, [11] = 0xff};
    if (n == IPV6 && memcmp(a, mapped, sizeof mapped) == 0)
        a += sizeof mapped, n = IPV4;
    return n == IPV4 ? a[0] == 127 : memcmp(a, one, sizeof one) == 0;
}

/* NULL when the address may be dialled. */
static const char *why_not(const struct client_options *o, bool http, const unsigned char *a, size_t n)
{
    const char *why = "it is forbidden";
    if (o->policy && !o->policy(o->policy_ctx, a, n, &why))
        return why;
    return http && !is_loopback(a, n) ? "plain http is for loopback addresses only" : NULL;
}

void dial_begin(struct dial *d, const struct client_options *o, const struct uri *u)
{
    *d = (struct dial){.o = o, .http = str_eq_nocase(u->scheme, S("http"))};
}

static const char *check(struct dial *d, const struct sockaddr *sa)
{
    char text[INET6_ADDRSTRLEN] = "?";
    const unsigned char *bytes;
    size_t n;
    if (sa->sa_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)sa;
        bytes = (const unsigned char *)&in->sin_addr;
        n = IPV4;
        (void)inet_ntop(AF_INET, bytes, text, sizeof text);
        (void)snprintf(d->peer, sizeof d->peer, "%s:%u", text, ntohs(in->sin_port));
    } else if (sa->sa_family == AF_INET6) {
        const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)(const void *)sa;
        bytes = (const unsigned char *)&in->sin6_addr;
        n = IPV6;
        (void)inet_ntop(AF_INET6, bytes, text, sizeof text);
        (void)snprintf(d->peer, sizeof d->peer, "[%s]:%u", text, ntohs(in->sin6_port));
    } else {
        return "it is neither IPv4 nor IPv6";
    }
    /* The proxy was named by the user; what it dials is not seen here. */
    return d->o->proxy ? NULL : why_not(d->o, d->http, bytes, n);
}

curl_socket_t dial_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct dial *d = ctx;
    (void)purpose;
    d->refused_why = check(d, &address->addr);
    if (d->refused_why)
        return CURL_SOCKET_BAD;
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    d->socket_errno = fd < 0 ? errno : 0;
    return fd;
}

bool dial_may_pass_proxy(const struct client_options *o, const struct uri *u, const char **ret_why)
{
    unsigned char a[IPV6];
    const char *why = NULL;
    if (str_eq_nocase(u->scheme, S("http")))
        why = "plain http is for loopback addresses only, not for a proxy";
    else if (str_eq_nocase(u->host, S("localhost")) || host_is_within(u->host, S("localhost")))
        why = why_not(o, false, (const unsigned char[]){127, 0, 0, 1}, IPV4); /* RFC 6761, section 6.3 */
    else if (host_parse_ipv4(u->host, a))
        why = why_not(o, false, a, IPV4);
    else if (host_parse_ipv6(u->host, a))
        why = why_not(o, false, a, IPV6);
    *ret_why = why;
    return !why;
}
