/* SPDX-License-Identifier: Apache-2.0
 *
 * A resolver on loopback, in a thread: what it answers depends on the second label of the name that is asked for.
 */
#ifndef TESTS_FAKE_DNS_H
#define TESTS_FAKE_DNS_H

#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "unit.h"

enum { DNS_MOST = 4096 };

#define DNS_POINTER "\xc0\x0c"       /* the name of the question */
#define DNS_TXT "\0\x10\0\1\0\0\0\1" /* type, class, time to live */
#define DNS_YES "\0\x08\x07opt-out"  /* length, one string */

/* To add an answer: a row. `flags`: of the answer; `records`: how many it says there are. */
static const struct dns_row {
    const char *label;
    unsigned flags, records;
    struct pap_str answer;
} dns_rows[] = {
    {"yes", 0x8180, 1, S_INIT(DNS_POINTER DNS_TXT DNS_YES)},
    {"yes-later", 0x8180, 2, S_INIT(DNS_POINTER DNS_TXT "\0\x07\x06v=spf1" DNS_POINTER DNS_TXT DNS_YES)},
    {"split", 0x8180, 1, S_INIT(DNS_POINTER DNS_TXT "\0\x09\x03opt\x04-out")},
    {"no", 0x8180, 0, S_INIT("")},
    {"other", 0x8180, 1, S_INIT(DNS_POINTER DNS_TXT "\0\x09\x08opt-out!")},
    {"none", 0x8183, 0, S_INIT("")},
    {"trouble", 0x8182, 0, S_INIT("")},
    {"refused", 0x8185, 1, S_INIT(DNS_POINTER DNS_TXT DNS_YES)},
    {"cut", 0x8380, 1, S_INIT(DNS_POINTER DNS_TXT DNS_YES)},
    {"question", 0x0100, 1, S_INIT(DNS_POINTER DNS_TXT DNS_YES)}, /* no response */
    {"alias", 0x8180, 2,
     S_INIT(DNS_POINTER "\0\5\0\1\0\0\0\1\0\3\1x\0"
                        "\1x\0" DNS_TXT DNS_YES)},
    {"a-record", 0x8180, 1, S_INIT(DNS_POINTER "\0\1\0\1\0\0\0\1" DNS_YES)},
    {"chaos", 0x8180, 1, S_INIT(DNS_POINTER "\0\x10\0\3\0\0\0\1" DNS_YES)},
    {"short", 0x8180, 1, S_INIT(DNS_POINTER DNS_TXT "\0\x08\x07opt-ou")},
    {"long-string", 0x8180, 1, S_INIT(DNS_POINTER DNS_TXT "\0\x08\xffopt-out")},
    {"circle", 0x8180, 1, S_INIT("\xc0\x2e\xc0\x2e" DNS_TXT DNS_YES)},
    {"beyond", 0x8180, 1, S_INIT("\xff\xff" DNS_TXT DNS_YES)},
    {"missing", 0x8180, 65535, S_INIT(DNS_POINTER DNS_TXT "\0\2\1x")},
    {"behind", 0x8180, 0, S_INIT(DNS_POINTER DNS_TXT DNS_YES)},
};

struct fake_dns {
    pthread_t thread;
    int fd;
    char where[32]; /* "127.0.0.1:PORT" */
    _Atomic unsigned asked;
};

static inline const struct dns_row *dns_row_of(const unsigned char *q, size_t n)
{
    size_t at = n > 12 ? 13u + q[12] : n;
    for (size_t i = 0; at < n && i < sizeof dns_rows / sizeof dns_rows[0]; i++) {
        struct pap_str label = str_c(dns_rows[i].label);
        if (q[at] == label.n && at + label.n < n && memcmp(q + at + 1, label.p, label.n) == 0)
            return &dns_rows[i];
    }
    return NULL;
}

/* An answer in `out` to the question in `q`; 0: none. */
static inline size_t dns_answer(const unsigned char *q, size_t n, const struct dns_row *row, unsigned char *out)
{
    size_t end = 12;
    while (end < n && q[end])
        end += 1u + q[end];
    end += 5;
    if (!row || end > n || end + row->answer.n > DNS_MOST)
        return 0;
    memcpy(out, q, end);
    out[2] = (unsigned char)(row->flags >> 8);
    out[3] = (unsigned char)row->flags;
    out[6] = (unsigned char)(row->records >> 8);
    out[7] = (unsigned char)row->records;
    memset(out + 8, 0, 4);
    memcpy(out + end, row->answer.p, row->answer.n);
    return end + row->answer.n;
}

static void *dns_serve(void *ctx)
{
    struct fake_dns *d = ctx;
    for (;;) {
        unsigned char q[DNS_MOST], a[DNS_MOST];
        struct sockaddr_in from;
        socklen_t size = sizeof from;
        ssize_t n = recvfrom(d->fd, q, sizeof q, 0, (struct sockaddr *)&from, &size);
        if (n <= 1)
            return NULL; /* the word to end */
        atomic_fetch_add(&d->asked, 1);
        size_t has = dns_answer(q, (size_t)n, dns_row_of(q, (size_t)n), a);
        for (unsigned i = 1; has && i <= 40; i++) { /* wrong ids first */
            a[0] = (unsigned char)(q[0] ^ i);
            (void)sendto(d->fd, a, has, 0, (struct sockaddr *)&from, size);
        }
        a[0] = q[0];
        if (has)
            (void)sendto(d->fd, a, has, 0, (struct sockaddr *)&from, size);
    }
}

static inline void dns_begin(struct fake_dns *d)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    atomic_store(&d->asked, 0);
    d->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_true(d->fd >= 0);
    assert_int_equal(bind(d->fd, (struct sockaddr *)&at, size), 0);
    assert_int_equal(getsockname(d->fd, (struct sockaddr *)&at, &size), 0);
    snprintf(d->where, sizeof d->where, "127.0.0.1:%u", ntohs(at.sin_port));
    assert_int_equal(pthread_create(&d->thread, NULL, dns_serve, d), 0);
}

static inline void dns_end(struct fake_dns *d)
{
    struct sockaddr_in at;
    socklen_t size = sizeof at;
    assert_int_equal(getsockname(d->fd, (struct sockaddr *)&at, &size), 0);
    assert_int_equal(sendto(d->fd, "", 1, 0, (struct sockaddr *)&at, size), 1);
    (void)pthread_join(d->thread, NULL);
    (void)close(d->fd);
}

#endif
