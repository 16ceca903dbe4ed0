/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of the HTTP server over sockets: a server with a site of its own, raw connections to it, and the sites of
 * tests/lib/server_sites.sh (certificates, nginx).
 */
#ifndef TESTS_SERVING_UNIT_H
#define TESTS_SERVING_UNIT_H

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/server.h"
#include "unit.h"

/* A socket connected to a port of 127.0.0.1, or to `from` 127.0.0.x bound first (0: any). */
static inline int connect_from(unsigned port, unsigned from)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in a = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in b = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000000U + from)};
    assert_true(fd >= 0);
    assert_true(!from || bind(fd, (struct sockaddr *)&b, sizeof b) == 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    return fd;
}

static inline int connect_to(unsigned port)
{
    return connect_from(port, 0);
}

static inline void send_all(int fd, struct pap_str s)
{
    while (s.n) {
        ssize_t n = send(fd, s.p, s.n, MSG_NOSIGNAL);
        if (n <= 0)
            return; /* the other side has closed: what it answered is still to be read */
        s = str_skip(s, (size_t)n);
    }
}

/* Reads until `most` bytes are there, the end (*ret_end), or `ms` of silence. */
static inline void receive_all(int fd, struct buf *out, size_t most, int ms, bool *ret_end)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    *ret_end = false;
    while (out->n < most && poll(&p, 1, ms) == 1) {
        char *room = buf_room(out, 65536);
        assert_non_null(room);
        ssize_t n = recv(fd, room, most - out->n < 65536 ? most - out->n : 65536, 0);
        if (n <= 0) {
            *ret_end = true;
            return;
        }
        buf_grew(out, (size_t)n);
    }
}

/* Sends and reads until the end or silence; the answer in *out (initialised here). True: the connection was ended. */
static inline bool ask(unsigned port, struct pap_str request, int ms, struct buf *out)
{
    bool ended;
    int fd = connect_to(port);
    buf_init(out, NULL, 1 << 26);
    send_all(fd, request);
    receive_all(fd, out, SIZE_MAX, ms, &ended);
    close(fd);
    return ended;
}

static inline size_t count_of(struct pap_str s, const char *what)
{
    size_t n = 0;
    for (;;) {
        size_t at = str_find(s, str_c(what));
        if (at == s.n)
            return n;
        n++;
        s = str_skip(s, at + 1);
    }
}

/* Starts a server of `o` on a free port of 127.0.0.1. */
static inline struct server *serve(struct server_options o, bool tls, unsigned *ret_port)
{
    struct server_listener listener = {.tls = tls};
    struct server *s;
    struct pap_err err = {0};
    assert_ok(server_listen(S("127.0.0.1:0"), &listener.fd, &err));
    *ret_port = server_port(listener.fd);
    o.listeners = &listener;
    o.n_listeners = 1;
    if (!o.workers)
        o.workers = 2;
    if (server_start(&o, &s, &err).code != PAP_OK)
        unit_fail("%s", err.text);
    return s;
}

/* The sites of server_sites.sh: the folder, nginx's port, or what is missing. */
static char sites_folder[64], sites_missing[128];
static unsigned sites_port;

static inline void run_sites(const char *what, char *ret, int size)
{
    char command[512];
    (void)snprintf(command, sizeof command, "sh '%s/lib/server_sites.sh' %s %s", TESTS_FOLDER, what, sites_folder);
    FILE *f = popen(command, "r");
    if (!f || (size && !fgets(ret, size, f)))
        (void)snprintf(ret, (size_t)size, "the sites do not start");
    if (f)
        (void)pclose(f);
}

static inline int start_sites(void **state)
{
    (void)state;
    (void)strcpy(sites_folder, "/tmp/papaver-server-XXXXXX");
    if (!mkdtemp(sites_folder))
        return 1;
    run_sites("start", sites_missing, sizeof sites_missing);
    if (sscanf(sites_missing, "%u", &sites_port) == 1)
        sites_missing[0] = '\0';
    return 0;
}

static inline int stop_sites(void **state)
{
    char command[128], none[2];
    (void)state;
    run_sites("stop", none, 0);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", sites_folder);
    return system(command) == 0 ? 0 : 1;
}

#endif
