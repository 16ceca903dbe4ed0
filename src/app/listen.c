/* SPDX-License-Identifier: Apache-2.0 */
#include "app/listen.h"

static pap_result check(const struct listening *l, const char *what, bool heard_by_others, const char *many,
                        struct pap_err *err)
{
    if (heard_by_others)
        return fail(err, PAP_USAGE,
                    "%s: without TLS only this machine is served; give a certificate, or allow plain http", what);
    if (l->n == LISTENERS_MOST)
        return fail(err, PAP_USAGE, "more than %d %s", LISTENERS_MOST, many);
    return OK;
}

static void add(struct listening *l, int fd, bool tls, const char *address)
{
    l->addresses[l->n] = address;
    l->ports[l->n] = server_port(fd);
    l->at[l->n++] = (struct server_listener){fd, tls};
}

pap_result listen_on(struct listening *l, const char *address, bool tls, bool open, struct pap_err *err)
{
    int fd;
    TRY(server_check(str_c(address), err));
    TRY(check(l, address, !tls && !open && !server_is_local(str_c(address)), "addresses", err));
    TRY(server_listen(str_c(address), &fd, err));
    add(l, fd, tls, address);
    return OK;
}

pap_result listen_given(struct listening *l, int fd, bool tls, bool open, struct pap_err *err)
{
    TRY(check(l, "a socket that was given", !tls && !open, "sockets", err));
    add(l, fd, tls, NULL);
    return OK;
}
