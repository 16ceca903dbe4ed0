/* SPDX-License-Identifier: Apache-2.0
 *
 * The HTTP server over real sockets: order, large and slow transfers, limits, time-outs, draining, TLS. What is TLS is
 * skipped, with the reason, where openssl or nginx is missing.
 */
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "net/tally.h"
#include "serving_unit.h"

#define HOST "Host: a\r\n"
#define GET(path) "GET " path " HTTP/1.1\r\n" HOST "\r\n"

enum { LARGE = 8 << 20, FILE_BYTES = LARGE - 123456 };

static struct {
    _Atomic unsigned handled, released;
    char *large;
    int file;
} site;

static void release(void *ctx)
{
    (void)ctx;
    site.released++;
}

static char large_byte(size_t i)
{
    return (char)('a' + i % 23 + i / 1000 % 3);
}

static void handle(void *ctx, const struct http_request *r, struct http_response *a)
{
    (void)ctx;
    site.handled++;
    a->status = 200;
    if (str_is(r->path, "/large")) {
        a->body = str(site.large, LARGE);
        a->release = release;
    } else if (str_is(r->path, "/file")) {
        a->file = site.file;
        a->file_at = 7;
        a->file_length = FILE_BYTES - 7;
        a->release = release;
    } else if (str_is(r->path, "/short-file")) {
        a->file = site.file;
        a->file_length = LARGE + 1;
        a->release = release;
    } else {
        a->body = arena_fmt(a->arena, "[%.*s %.*s %.*s %.*s]", PSTR(r->target), PSTR(r->scheme), PSTR(r->peer),
                            PSTR(r->body));
    }
}

static struct server_options options(void)
{
    return (struct server_options){.site = {.handle = handle, .max_body = 100000}};
}

static void requests_are_answered_in_order(void **state)
{
    (void)state;
    unsigned port;
    struct server *s = serve(options(), false, &port);
    struct buf requests, out;
    buf_init(&requests, NULL, 1 << 20);
    for (unsigned i = 0; i < 3000; i++)
        buf_fmt(&requests, "GET /%u HTTP/1.1\r\n" HOST "\r\n", i);
    buf_add(&requests, S("GET /end HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n"));
    assert_true(ask(port, buf_str(&requests), 5000, &out));
    struct pap_str rest = buf_str(&out);
    for (unsigned i = 0; i < 3000; i++) {
        char want[64];
        snprintf(want, sizeof want, "[/%u http 127.0.0.1 ]", i);
        size_t at = str_find(rest, str_c(want));
        assert_in_range(at, 1, 200);
        rest = str_skip(rest, at);
    }
    assert_int_equal(server_count(s).requests, 3001);
    server_stop(s, 1000);
    buf_fini(&requests);
    buf_fini(&out);
}

static void bodies_come_in_pieces(void **state)
{
    (void)state;
    unsigned port;
    bool ended;
    struct server *s = serve(options(), false, &port);
    struct buf out, body;
    int fd = connect_to(port), on = 1;
    assert_int_equal(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), 0);
    buf_init(&out, NULL, 1 << 20);
    buf_init(&body, NULL, 1 << 20);
    send_all(fd, S("POST /x HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"));
    receive_all(fd, &out, 25, 3000, &ended);
    assert_str(buf_str(&out), "HTTP/1.1 100 Continue\r\n\r\n");
    for (unsigned i = 0; i < 50000; i += 1000) {
        char chunk[1100], data[1001];
        memset(data, 'a' + (int)(i / 1000 % 26), 1000);
        snprintf(chunk, sizeof chunk, "3e8\r\n%.1000s\r\n", data);
        buf_add(&body, str(data, 1000));
        send_all(fd, str(chunk, 600));
        usleep(200);
        send_all(fd, str(chunk + 600, 1007 - 600));
    }
    send_all(fd, S("0\r\n\r\n" GET("/next")));
    receive_all(fd, &out, SIZE_MAX, 700, &ended);
    assert_false(ended);
    assert_true(str_find(buf_str(&out), buf_str(&body)) < out.n);
    assert_int_equal(count_of(buf_str(&out), "[/next"), 1);
    close(fd);
    server_stop(s, 1000);
    buf_fini(&out);
    buf_fini(&body);
}

/* Reads a response of `length` bytes of body, slowly at first. */
static void read_whole(int fd, struct buf *out, size_t length)
{
    bool ended;
    for (unsigned i = 0; i < 20; i++) {
        receive_all(fd, out, out->n + 3000, 1000, &ended);
        usleep(1000);
    }
    size_t head = str_find(buf_str(out), S("\r\n\r\n")) + 4;
    receive_all(fd, out, head + length, 5000, &ended);
    assert_int_equal(out->n, head + length);
    memmove(out->p, out->p + head, length);
    out->n = length;
}

static void large_bodies_to_slow_readers(void **state)
{
    (void)state;
    unsigned port;
    struct server *s = serve(options(), false, &port);
    struct buf out;
    int fd = connect_to(port);
    site.released = 0;
    buf_init(&out, NULL, 2 * LARGE);
    send_all(fd, S(GET("/large") GET("/file") GET("/last")));
    read_whole(fd, &out, LARGE);
    assert_memory_equal(out.p, site.large, LARGE);
    buf_reset(&out);
    read_whole(fd, &out, FILE_BYTES - 7);
    assert_memory_equal(out.p, site.large + 7, FILE_BYTES - 7);
    bool ended;
    buf_reset(&out);
    receive_all(fd, &out, SIZE_MAX, 700, &ended);
    assert_int_equal(count_of(buf_str(&out), "[/last http"), 1);
    assert_int_equal(site.released, 2);
    /* Whoever goes in the middle has no body kept for him. */
    send_all(fd, S(GET("/large")));
    receive_all(fd, &out, 1000, 1000, &ended);
    close(fd);
    for (unsigned i = 0; i < 300 && site.released < 3; i++)
        usleep(10000);
    assert_int_equal(site.released, 3);
    /* A file that has shrunk cannot be sent as announced: the connection is cut. */
    buf_fini(&out);
    assert_true(ask(port, S(GET("/short-file")), 1000, &out));
    assert_int_equal(site.released, 4);
    server_stop(s, 1000);
    buf_fini(&out);
}

static void a_client_may_close_its_half(void **state)
{
    (void)state;
    unsigned port;
    bool ended;
    struct server *s = serve(options(), false, &port);
    struct buf out;
    int fd = connect_to(port);
    buf_init(&out, NULL, 1 << 20);
    send_all(fd, S(GET("/half")));
    shutdown(fd, SHUT_WR);
    receive_all(fd, &out, SIZE_MAX, 2000, &ended);
    assert_true(ended);
    assert_int_equal(count_of(buf_str(&out), "[/half"), 1);
    close(fd);
    server_stop(s, 1000);
    buf_fini(&out);
}

/* A child between fork and exec has the server's sockets too: what happens on one that is closed here is nobody's. */
static void a_child_holds_sockets(void **state)
{
    (void)state;
    unsigned port;
    bool ended;
    struct server *s = serve(options(), false, &port);
    struct buf out;
    int fd = connect_to(port);
    buf_init(&out, NULL, 1 << 20);
    send_all(fd, S(GET("/")));
    receive_all(fd, &out, SIZE_MAX, 700, &ended);
    pid_t child = fork();
    if (child == 0) {
        usleep(2000000);
        _exit(0);
    }
    send_all(fd, S("GET /bye HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n"));
    receive_all(fd, &out, SIZE_MAX, 700, &ended);
    assert_int_equal(count_of(buf_str(&out), "[/bye"), 1);
    assert_int_equal(server_count(s).open, 0);
    send_all(fd, S("an event for a connection that is gone"));
    close(fd);
    usleep(50000);
    assert_int_equal(waitpid(child, NULL, 0), child);
    server_stop(s, 1000);
    buf_fini(&out);
}

static void a_refusal_arrives(void **state)
{
    (void)state;
    unsigned port;
    struct server *s = serve(options(), false, &port);
    static char flood[200 * 1024];
    memset(flood, 'a', sizeof flood);
    memcpy(flood, "GET /", 5);
    for (unsigned i = 0; i < 20; i++) {
        struct buf out;
        /* Much more is sent than is read; the answer must not be lost in a reset. */
        assert_true(ask(port, str(flood, sizeof flood), 3000, &out));
        assert_true(str_starts(buf_str(&out), S("HTTP/1.1 414 URI Too Long\r\n")));
        buf_fini(&out);
    }
    server_stop(s, 1000);
}

static void slow_clients_are_cut(void **state)
{
    (void)state;
    static const struct {
        const char *sent, *got; /* got NULL: nothing */
    } rows[] = {
        {"", NULL},
        {"GET /", "HTTP/1.1 408 Request Timeout\r\n"},
        {GET("/") "GET", "HTTP/1.1 408 Request Timeout\r\n"},
        {"POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nabc", "HTTP/1.1 408 Request Timeout\r\n"},
        {GET("/"), "[/ http"},
        {GET("/large"), "HTTP/1.1 200 OK"},
    };
    enum { N = sizeof rows / sizeof rows[0] };
    struct server_options o = options();
    o.head_ms = o.body_ms = o.idle_ms = o.send_ms = 400;
    unsigned port;
    struct server *s = serve(o, false, &port);
    int fds[N];
    site.released = 0;
    for (size_t i = 0; i < N; i++) {
        fds[i] = connect_to(port);
        send_all(fds[i], str_c(rows[i].sent));
    }
    usleep(2200000); /* the large body is not read meanwhile */
    for (size_t i = 0; i < N; i++) {
        struct buf out;
        bool ended;
        buf_init(&out, NULL, 2 * LARGE);
        receive_all(fds[i], &out, SIZE_MAX, 1500, &ended);
        if (!ended || (rows[i].got ? count_of(buf_str(&out), rows[i].got) != 1 : out.n != 0))
            unit_fail("row %zu: %d, %.*s", i, ended, PSTR(str_take(buf_str(&out), 200)));
        assert_true(out.n < LARGE);
        buf_fini(&out);
        close(fds[i]);
    }
    assert_int_equal(server_count(s).timed_out, N);
    assert_int_equal(site.released, 1);
    /* A byte now and then does not put the end of a head off. */
    int fd = connect_to(port);
    struct buf out;
    bool ended = false;
    buf_init(&out, NULL, 1 << 20);
    for (unsigned i = 0; i < 80 && !out.n && !ended; i++) {
        send_all(fd,
                 str(&"GET /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"[i],
                     1));
        receive_all(fd, &out, 1000, 25, &ended);
    }
    assert_true(str_starts(buf_str(&out), S("HTTP/1.1 408")));
    close(fd);
    server_stop(s, 1000);
    buf_fini(&out);
}

static void connections_are_limited(void **state)
{
    (void)state;
    struct server_options o = options();
    o.max_connections = 3;
    o.max_per_address = 2;
    unsigned port;
    struct server *s = serve(o, false, &port);
    struct buf out;
    bool ended;
    int fds[4] = {connect_from(port, 2), connect_from(port, 2), connect_from(port, 2), connect_from(port, 3)};
    buf_init(&out, NULL, 1 << 20);
    receive_all(fds[2], &out, SIZE_MAX, 2000, &ended); /* the third of one address */
    assert_true(ended && str_starts(buf_str(&out), S("HTTP/1.1 503 Service Unavailable\r\n")));
    buf_reset(&out);
    send_all(fds[3], S(GET("/")));
    receive_all(fds[3], &out, SIZE_MAX, 700, &ended);
    assert_int_equal(count_of(buf_str(&out), "[/ http 127.0.0.3 ]"), 1);
    buf_fini(&out);
    assert_true(ask(port, S(""), 2000, &out)); /* the fourth in all */
    assert_true(str_starts(buf_str(&out), S("HTTP/1.1 503 Service Unavailable\r\n")));
    buf_fini(&out);
    for (size_t i = 0; i < 4; i++)
        close(fds[i]);
    for (unsigned i = 0; i < 300 && server_count(s).open; i++)
        usleep(10000);
    assert_int_equal(server_count(s).refused, 2);
    assert_false(ask(port, S(GET("/")), 700, &out)); /* there is room again */
    assert_int_equal(count_of(buf_str(&out), "[/ http"), 1);
    buf_fini(&out);
    server_stop(s, 1000);
}

static struct sockaddr_storage address_of(int family, const char *text)
{
    struct sockaddr_storage a = {.ss_family = (sa_family_t)family};
    void *at = family == AF_INET ? (void *)&((struct sockaddr_in *)(void *)&a)->sin_addr
                                 : (void *)&((struct sockaddr_in6 *)(void *)&a)->sin6_addr;
    assert_int_equal(inet_pton(family, text, at), 1);
    return a;
}

static void addresses_are_counted(void **state)
{
    (void)state;
    static const struct {
        int family;
        const char *address;
        bool fits;
    } rows[] = {
        {AF_INET, "192.0.2.1", true},       {AF_INET, "192.0.2.1", true},         {AF_INET, "192.0.2.1", false},
        {AF_INET, "192.0.2.2", true},       {AF_INET6, "::ffff:192.0.2.2", true}, /* one and the same */
        {AF_INET, "192.0.2.2", false},      {AF_INET6, "2001:db8::1", true},      {AF_INET6, "2001:db8::2:1", true},
        {AF_INET6, "2001:db8::", false}, /* the /64 is full */
        {AF_INET6, "2001:db8:0:1::", true},
    };
    enum { N = sizeof rows / sizeof rows[0] };
    struct fail_alloc f;
    fail_alloc_init(&f, 0);
    static struct tally t;
    t = (struct tally){.alloc = &f.alloc, .lock = PTHREAD_MUTEX_INITIALIZER, .max_all = 8, .max_each = 2};
    struct tally_entry *entries[N];
    for (size_t i = 0; i < N; i++) {
        struct sockaddr_storage a = address_of(rows[i].family, rows[i].address);
        assert_int_equal(tally_add(&t, &a, &entries[i]), rows[i].fits);
    }
    struct sockaddr_storage none = {.ss_family = AF_UNIX};
    struct tally_entry *entry;
    assert_true(tally_add(&t, &none, &entry)); /* only the sum counts for it, and now that is reached */
    assert_null(entry);
    assert_false(tally_add(&t, &none, &entry));
    tally_remove(&t, NULL);
    for (size_t i = 0; i < N; i++)
        if (rows[i].fits)
            tally_remove(&t, entries[i]);
    assert_int_equal(t.all, 0);
    assert_int_equal(f.live, 0);
}

/* Without descriptors a connection waits in the queue, the server does not spin, and it is answered when there are some. */
static void descriptors_run_out(void **state)
{
    (void)state;
    unsigned port;
    bool ended;
    struct server_options o = options();
    o.workers = 1;
    struct server *s = serve(o, false, &port);
    struct rlimit before, none;
    struct buf out;
    int fd = connect_to(port);
    for (unsigned i = 0; i < 300 && !server_count(s).open; i++)
        usleep(10000);
    int waiting = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){3, before.rlim_max};
    struct timespec cpu[2];
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    struct sockaddr_in a = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(connect(waiting, (struct sockaddr *)&a, sizeof a), 0);
    send_all(waiting, S(GET("/waited")));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu[0]);
    usleep(400000);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu[1]);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(server_count(s).accepted, 1);
    int64_t used = (cpu[1].tv_sec - cpu[0].tv_sec) * 1000 + (cpu[1].tv_nsec - cpu[0].tv_nsec) / 1000000;
    assert_in_range(used, 0, 100);
    buf_init(&out, NULL, 1 << 20);
    receive_all(waiting, &out, 100, 2000, &ended);
    assert_int_equal(count_of(buf_str(&out), "[/waited"), 1);
    buf_fini(&out);
    close(fd);
    close(waiting);
    server_stop(s, 1000);
}

static void *stop_it(void *server)
{
    server_stop(server, 20000);
    return NULL;
}

/* One worker: another one, which has not come to it yet, would still answer without `Connection: close`. */
static void draining_finishes_what_has_begun(void **state)
{
    (void)state;
    unsigned port;
    struct server_options o = options();
    o.workers = 1;
    struct server *s = serve(o, false, &port);
    struct buf out;
    bool ended;
    pthread_t stopper;
    int idle = connect_to(port), busy = connect_to(port), slow = connect_to(port);
    buf_init(&out, NULL, 2 * LARGE);
    send_all(idle, S(GET("/")));
    receive_all(idle, &out, SIZE_MAX, 700, &ended);
    assert_false(ended);
    send_all(busy, S("POST /late HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\na"));
    send_all(slow, S(GET("/large")));
    for (unsigned i = 0; i < 300 && server_count(s).open < 3; i++)
        usleep(10000);
    usleep(50000);
    assert_int_equal(pthread_create(&stopper, NULL, stop_it, s), 0);
    buf_reset(&out);
    receive_all(idle, &out, SIZE_MAX, 10000, &ended);
    assert_true(ended && out.n == 0);
    send_all(busy, S("bc"));
    receive_all(busy, &out, SIZE_MAX, 10000, &ended);
    assert_true(ended);
    assert_int_equal(count_of(buf_str(&out), "[/late http 127.0.0.1 abc]"), 1);
    assert_int_equal(count_of(buf_str(&out), "Connection: close"), 1);
    buf_reset(&out);
    receive_all(slow, &out, SIZE_MAX, 10000, &ended);
    assert_true(ended && out.n > LARGE);
    assert_int_equal(pthread_join(stopper, NULL), 0);
    close(idle);
    close(busy);
    close(slow);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in a = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof a), -1);
    close(fd);
    buf_fini(&out);
}

static void addresses_to_listen_on(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"", "no port"},
        {"8080", "without an address"},
        {"127.0.0.1", "no port"},
        {"127.0.0.1:", "no number"},
        {"127.0.0.1:65536", "no number"},
        {"127.0.0.1:+1", "no number"},
        {"localhost:80", "names a host"},
        {":80", "or nothing"},
        {"127.1:80", "names a host"},
        {"127.evil.example:80", "names a host"},
        {"[127.0.0.1]:80", "names a host"},
        {"::1", "in brackets"},
        {"::1:80", "in brackets"},
        {"[::1]", "no port"},
    };
    static const struct {
        const char *address;
        bool local;
    } good[] = {
        {"127.0.0.1:80", true}, {"127.9.9.9:0", true}, {"[::1]:80", true},     {"[0:0::0:1]:80", true},
        {"0.0.0.0:80", false},  {"[::]:80", false},    {"10.0.0.1:80", false}, {"[::ffff:127.0.0.1]:80", false},
    };
    struct pap_err err;
    int fd = -1, other = -1;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(server_listen(str_c(bad[i][0]), &fd, &err).code, PAP_USAGE);
        if (!strstr(err.text, bad[i][1]))
            unit_fail("%s", err.text);
        assert_false(server_is_local(str_c(bad[i][0])));
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_ok(server_check(str_c(good[i].address), &err));
        assert_int_equal(server_is_local(str_c(good[i].address)), good[i].local);
    }
    assert_ok(server_listen(S("127.0.0.1:0"), &fd, &err));
    char taken[32];
    snprintf(taken, sizeof taken, "127.0.0.1:%u", server_port(fd));
    assert_int_equal(server_listen(str_c(taken), &other, &err).code, PAP_IO);
    assert_non_null(strstr(err.text, "in use"));
    close(fd);
    if (server_listen(S("[::1]:0"), &fd, &err).code == PAP_OK)
        close(fd);
}

/* What a shell command prints. */
PAP_PRINTF(2, 3) static void shell(struct buf *out, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    buf_init(out, NULL, 1 << 20);
    buf_vfmt(out, fmt, ap);
    va_end(ap);
    buf_char(out, '\0');
    FILE *f = popen(out->p, "r");
    assert_non_null(f);
    buf_reset(out);
    for (int c; (c = fgetc(f)) != EOF;)
        buf_char(out, (char)c);
    (void)pclose(f);
}

static bool has_sites(void)
{
    if (sites_missing[0])
        print_message("TLS was not tried: %s\n", sites_missing);
    return !sites_missing[0];
}

static struct tls_certificate certificate(const char *name)
{
    static char paths[8][128];
    static unsigned next;
    char *chain = paths[next++ % 8], *key = paths[next++ % 8];
    snprintf(chain, sizeof paths[0], "%s/%s.pem", sites_folder, name);
    snprintf(key, sizeof paths[0], "%s/%s.key", sites_folder, name);
    return (struct tls_certificate){chain, key};
}

static void expect_line(const char *want, const struct buf *got)
{
    if (!count_of(buf_str(got), want))
        unit_fail("no \"%s\" in:\n%.*s", want, PSTR(buf_str(got)));
}

#define CURL "curl --noproxy '*' -s -S --max-time 10 --cacert %s/ca.pem "
#define CLIENT "openssl s_client -connect 127.0.0.1:%u </dev/null 2>&1 "

static void tls_by_name_and_reloaded(void **state)
{
    (void)state;
    if (!has_sites())
        skip();
    struct server_options o = options();
    struct tls_certificate both[] = {certificate("one.example"), certificate("two.example")};
    o.certificates = both;
    o.n_certificates = 2;
    unsigned port;
    struct server *s = serve(o, true, &port);
    struct buf out;
    shell(&out, CURL "--resolve '*:%u:127.0.0.1' https://one.example:%u/1 https://a.two.example:%u/2 -d x%s 2>&1",
          sites_folder, port, port, port, "yz");
    expect_line("[/1 https 127.0.0.1 xyz]", &out);
    expect_line("[/2 https 127.0.0.1 xyz]", &out);
    buf_fini(&out);
    shell(&out, CURL "--tlsv1.2 --tls-max 1.2 --resolve '*:%u:127.0.0.1' https://one.example:%u/file | wc -c",
          sites_folder, port, port);
    assert_int_equal(atoi(out.p), FILE_BYTES - 7);
    buf_fini(&out);
    shell(&out, CURL "--limit-rate 40M --resolve '*:%u:127.0.0.1' https://one.example:%u/large | cksum", sites_folder,
          port, port);
    struct buf want;
    shell(&want, "head -c %u %s/large | cksum", (unsigned)LARGE, sites_folder);
    assert_str(buf_str(&out), (buf_char(&want, '\0'), want.p));
    buf_fini(&out);
    buf_fini(&want);
    shell(&out, CLIENT "-alpn h2,http/1.1 -servername b.two.example", port);
    expect_line("ALPN protocol: http/1.1", &out);
    expect_line("subject=CN = *.two.example", &out);
    buf_fini(&out);
    shell(&out, CLIENT "-alpn h2", port);
    expect_line("no application protocol", &out);
    buf_fini(&out);
    shell(&out, CLIENT "-servername nobody.example", port);
    expect_line("subject=CN = one.example", &out);
    buf_fini(&out);
    shell(&out, CLIENT "-tls1_1 -cipher DEFAULT@SECLEVEL=0", port);
    expect_line("alert protocol version", &out);
    buf_fini(&out);
    /* Others from now on; a failure changes nothing. */
    struct pap_err err;
    struct tls_certificate swapped = certificate("two.example"), wrong = {both[0].chain_path, both[1].key_path};
    assert_int_equal(server_certify(s, &wrong, 1, &err).code, PAP_SYNTAX);
    assert_non_null(strstr(err.text, "two.example.key"));
    shell(&out, CLIENT "-servername one.example", port);
    expect_line("subject=CN = one.example", &out);
    buf_fini(&out);
    assert_ok(server_certify(s, &swapped, 1, &err));
    shell(&out, CLIENT "-servername one.example", port);
    expect_line("subject=CN = *.two.example", &out);
    buf_fini(&out);
    /* What is no TLS ends, and harms nobody. */
    assert_true(ask(port, S(GET("/")), 1000, &out));
    buf_fini(&out);
    server_stop(s, 1000);
    assert_int_equal(
        server_start(&(struct server_options){.listeners = &(struct server_listener){-1, true}, .n_listeners = 1}, &s,
                     &err)
            .code,
        PAP_USAGE);
}

/* Whatever cannot be had at the start or for a connection: an error, or that connection is lost; no more. */
static void failing_allocations(void **state)
{
    (void)state;
    bool answered = false;
    for (unsigned n = 1; n < 60 && !answered; n++) {
        struct fail_alloc f;
        struct server *s;
        struct pap_err err;
        struct server_listener listener = {0};
        fail_alloc_init(&f, n);
        struct server_options o = options();
        o.alloc = &f.alloc;
        o.listeners = &listener;
        o.n_listeners = 1;
        assert_ok(server_listen(S("127.0.0.1:0"), &listener.fd, &err));
        unsigned port = server_port(listener.fd);
        pap_result r = server_start(&o, &s, &err);
        assert_true(r.code == PAP_OK || r.code == PAP_NO_MEMORY);
        if (r.code == PAP_OK) {
            struct buf out;
            (void)ask(port,
                      S("GET /large HTTP/1.1\r\n" HOST "\r\nGET /x HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n"),
                      3000, &out);
            server_stop(s, 1000); /* the counter is the workers' until then */
            answered = f.calls < n;
            assert_true(!answered || count_of(buf_str(&out), "[/x http") == 1);
            buf_fini(&out);
        }
        assert_int_equal(f.live, 0);
    }
    assert_true(answered);
}

static int start(void **state)
{
    char path[128];
    if (start_sites(state))
        return 1;
    site.large = malloc(LARGE);
    if (!site.large)
        return 1;
    for (size_t i = 0; i < LARGE; i++)
        site.large[i] = large_byte(i);
    snprintf(path, sizeof path, "%s/large", sites_folder);
    site.file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return write(site.file, site.large, LARGE) == LARGE ? 0 : 1;
}

static int stop(void **state)
{
    close(site.file);
    free(site.large);
    return stop_sites(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_answered_in_order),
        cmocka_unit_test(bodies_come_in_pieces),
        cmocka_unit_test(large_bodies_to_slow_readers),
        cmocka_unit_test(a_client_may_close_its_half),
        cmocka_unit_test(a_child_holds_sockets),
        cmocka_unit_test(a_refusal_arrives),
        cmocka_unit_test(slow_clients_are_cut),
        cmocka_unit_test(connections_are_limited),
        cmocka_unit_test(draining_finishes_what_has_begun),
        cmocka_unit_test(addresses_to_listen_on),
        cmocka_unit_test(addresses_are_counted),
        cmocka_unit_test(descriptors_run_out),
        cmocka_unit_test(tls_by_name_and_reloaded),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
