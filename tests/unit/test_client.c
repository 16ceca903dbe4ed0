/* SPDX-License-Identifier: Apache-2.0
 *
 * The real client against nginx on loopback (tests/lib/client_sites.sh) and, for what no honest server sends, against a
 * small raw server in a child process. Skipped, with the reason, when nginx or openssl is missing.
 */
#include "net/client.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "text/uri.h"
#include "unit.h"

static char folder[64], missing[128], ca[128], connect_shop[64], connect_old[64], connect_new[64], connect_ancient[64];
static unsigned web_port, raw_port;
static pid_t raw_server;

/* The raw server: the path says which bytes to send. */

struct bytes {
    const char *path, *bytes;
    unsigned repeat;  /* the last line of `bytes`, or all of them when that is blank, so often again */
    unsigned wait_ms; /* before the connection is closed */
};

static const struct bytes raw_answers[] = {
    {"/ok", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 0, 0},
    {"/nothing", "", 0, 0},
    {"/stream", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {\"result\": 1}\n\n", 0, 4000},
    {"/garbage", "\x16\x03 this is no HTTP\r\n\r\n", 0, 0},
    {"/http09", "<html>hello</html>", 0, 0},
    {"/short", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this", 0, 0},
    {"/chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nxyz\r\n", 0, 0},
    {"/chunkcut", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n50\r\nx", 0, 0},
    {"/trailer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Trailer: 1\r\n\r\n", 0, 0},
    {"/early",
     "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nX-Real: 1\r\nContent-Length: 2\r\n\r\nok", 0, 0},
    {"/fold", "HTTP/1.1 200 OK\r\nX-Long: one\r\n  two\r\n\tthree\r\nContent-Length: 2\r\n\r\nok", 0, 0},
    {"/nocolon", "HTTP/1.1 200 OK\r\nnocolon\r\nContent-Length: 2\r\n\r\nok", 0, 0},
    {"/head-cut", "HTTP/1.1 200 OK\r\nX: 1\r\n", 0, 0},
    {"/head-cut-in-field", "HTTP/1.1 200 OK\r\nContent-Len", 0, 0},
    {"/head-cut-in-status", "HTTP/1.1 200", 0, 0},
    {"/head-cut-204", "HTTP/1.1 204 No Content\r\n", 0, 0},
    {"/head-cut-302", "HTTP/1.1 302 Found\r\nLocation: /ok\r\n", 0, 0},
    {"/head-cut-404", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n", 0, 0},
    {"/flood", "HTTP/1.1 200 OK\r\nX-Flood: 0123456789012345678901234567890123456789\r\n", 100000, 0},
    {"/many", "HTTP/1.1 200 OK\r\nX: 1\r\n", 201, 0},
    {"/early-flood", "HTTP/1.1 100 Continue\r\n\r\n", 100000, 0},
    {"/trailers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Trailer: 0123456789\r\n",
     100000, 0},
    {"/wide-status", "HTTP/1.1 200 0123456789", 50000, 0},
    {"/wide", "HTTP/1.1 200 OK\r\nX-Wide: 0123456789", 50000, 0},
    {"/hang", "", 0, 5000},
    {"/stall", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this", 0, 5000},
    {"/to-echo", "HTTP/1.1 302 Found\r\nLocation: /echo\r\nContent-Length: 2\r\n\r\nno", 0, 0},
    {"/hundred", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789", 9, 0},
    {"/redirect", "HTTP/1.1 302 Found\r\nLocation: /ok\r\nContent-Length: 2\r\n\r\nno", 0, 0},
    {"/big-redirect", "HTTP/1.1 302 Found\r\nLocation: /ok\r\n\r\nno\r\n", 1000000, 0},
    {"/99", "HTTP/1.1 099 Odd\r\nContent-Length: 2\r\n\r\nok", 0, 0},
    {"/101", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nok", 0, 0},
    {"/999", "HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok", 0, 0},
    {"/continue", "HTTP/1.1 100 Continue\r\n\r\n", 0, 0},
};

static void put(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t k = send(fd, p, n, MSG_NOSIGNAL);
        if (k <= 0)
            return;
        p += k;
        n -= (size_t)k;
    }
}

/* A proxy: whatever host was named, the sites of nginx. */
static void tunnel(int fd, struct pap_str where)
{
    static const char refused[] = "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n";
    if (str_is(where, "closed.example:443"))
        return;
    if (str_is(where, "refused.example:443")) {
        put(fd, refused, sizeof refused - 1);
        return;
    }
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)web_port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int to = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(to, (struct sockaddr *)&at, sizeof at) != 0)
        return;
    static const char connected[] = "HTTP/1.1 200 Connected\r\nX-Proxy: 1\r\n\r\n";
    put(fd, connected, sizeof connected - 1);
    struct pollfd both[2] = {{.fd = fd, .events = POLLIN}, {.fd = to, .events = POLLIN}};
    while (poll(both, 2, 5000) > 0)
        for (int i = 0; i < 2; i++) {
            char piece[4096];
            ssize_t n = both[i].revents ? recv(both[i].fd, piece, sizeof piece, 0) : -1;
            if (n == 0)
                return;
            if (n > 0)
                put(both[!i].fd, piece, (size_t)n);
        }
}

static void answer(int fd)
{
    char head[4096];
    size_t n = 0;
    while (n < sizeof head && !memmem(head, n, "\r\n\r\n", 4)) {
        ssize_t k = recv(fd, head + n, sizeof head - n, 0);
        if (k <= 0)
            return;
        n += (size_t)k;
        if (head[0] == 0x16) { /* TLS is not what this server speaks */
            put(fd, "HTTP/1.1 400 Bad Request\r\n\r\n", strlen("HTTP/1.1 400 Bad Request\r\n\r\n"));
            return;
        }
    }
    struct pap_str rest = str(head, n), path = S("");
    (void)str_next(&rest, ' ', &path);
    bool connects = str_is(path, "CONNECT");
    (void)str_next(&rest, ' ', &path);
    if (connects) {
        tunnel(fd, path);
        return;
    }
    if (str_is(path, "/echo")) {
        put(fd, "HTTP/1.1 200 OK\r\n\r\n", 19);
        put(fd, head, n);
        return;
    }
    for (size_t i = 0; i < sizeof raw_answers / sizeof *raw_answers; i++) {
        const struct bytes *b = &raw_answers[i];
        struct pap_str all = str_c(b->bytes), last = str_take(all, all.n ? all.n - 1 : 0);
        if (!str_is(path, b->path))
            continue;
        put(fd, all.p, all.n);
        last = str_skip(all, str_rfind_char(last, '\n') == last.n ? 0 : str_rfind_char(last, '\n') + 1);
        last = last.n == 2 ? all : last;
        static char piece[64 * 1024];
        size_t in_piece = last.n ? sizeof piece / last.n : 0, filled = 0;
        for (; filled < in_piece; filled++)
            memcpy(piece + filled * last.n, last.p, last.n);
        for (unsigned sent = 0; sent < b->repeat; sent += (unsigned)in_piece)
            put(fd, piece, (b->repeat - sent < in_piece ? b->repeat - sent : in_piece) * last.n);
        (void)poll(NULL, 0, (int)b->wait_ms);
    }
    (void)shutdown(fd, SHUT_WR);
    while (recv(fd, head, sizeof head, 0) > 0)
        ;
}

static void start_raw_server(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof at;
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 64) ||
        getsockname(fd, (struct sockaddr *)&at, &n))
        abort();
    raw_port = ntohs(at.sin_port);
    raw_server = fork();
    if (raw_server) {
        close(fd);
        return;
    }
    (void)signal(SIGCHLD, SIG_IGN);
    for (;;) {
        int c = accept(fd, NULL, NULL);
        if (c >= 0 && fork() == 0) {
            (void)alarm(20);
            answer(c);
            _exit(0);
        }
        close(c);
    }
}

static void run_sites(const char *what, char *ret, int size)
{
    char command[256];
    (void)snprintf(command, sizeof command, "sh '%s/lib/client_sites.sh' %s %s", TESTS_FOLDER, what, folder);
    FILE *f = popen(command, "r");
    if (!f || (size && !fgets(ret, size, f)))
        (void)snprintf(ret, (size_t)size, "the sites do not start");
    if (f)
        (void)pclose(f);
}

static int start_all(void **state)
{
    (void)state;
    (void)strcpy(folder, "/tmp/papaver-client-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    /* Nobody listens there; the client is to look at none of these. */
    (void)setenv("https_proxy", "http://127.0.0.1:1", 1);
    (void)setenv("http_proxy", "http://127.0.0.1:1", 1);
    (void)setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
    (void)setenv("NO_PROXY", "proxied.example", 1);
    run_sites("start", missing, sizeof missing);
    if (sscanf(missing, "%u", &web_port) == 1)
        missing[0] = '\0';
    start_raw_server();
    (void)snprintf(ca, sizeof ca, "%s/ca.pem", folder);
    (void)snprintf(connect_shop, sizeof connect_shop, "::127.0.0.1:%u", web_port);
    (void)snprintf(connect_old, sizeof connect_old, "old.example:443:127.0.0.2:%u", web_port);
    (void)snprintf(connect_new, sizeof connect_new, "new.example:443:127.0.0.3:%u", web_port);
    (void)snprintf(connect_ancient, sizeof connect_ancient, "ancient.example:443:127.0.0.4:%u", web_port);
    return 0;
}

static int stop_all(void **state)
{
    char none[1], command[128];
    (void)state;
    (void)kill(raw_server, SIGKILL);
    (void)waitpid(raw_server, NULL, 0);
    run_sites("stop", none, 0);
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* The client under test. */

static bool only_public(const void *ctx, const unsigned char *address, size_t n, const char **ret_why)
{
    const bool *allow_loopback = ctx;
    if (*allow_loopback || address[0] != (n == 4 ? 127 : 0))
        return true;
    *ret_why = "loopback";
    return false;
}

struct bench {
    struct arena arena;
    struct budget budget;
    bool allow_loopback;
    const char *connect_to[5];
    struct client_options o;
    struct transport *t;
    const struct exchange *last;
    unsigned done;
};

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    arena_init(&b->arena, NULL);
    budget_init(&b->budget, &b->arena, S("shop.example"), clock_system.monotonic_ms(&clock_system));
    b->allow_loopback = true;
    b->connect_to[0] = connect_old;
    b->connect_to[1] = connect_new;
    b->connect_to[2] = connect_ancient;
    b->connect_to[3] = connect_shop;
    b->o = (struct client_options){.clock = &clock_system,
                                   .policy = only_public,
                                   .policy_ctx = &b->allow_loopback,
                                   .timeout_ms = 3000,
                                   .cacert = ca,
                                   .connect_to = b->connect_to};
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    if (b->t)
        b->t->free(b->t);
    arena_fini(&b->arena);
    free(b);
    return 0;
}

static struct bench *sites(void **state)
{
    if (missing[0]) {
        print_message("skipped: %s\n", missing);
        skip();
    }
    return *state;
}

/* Plain http to the raw server. */
static struct bench *raw(void **state)
{
    struct bench *b = *state;
    b->o.connect_to = NULL;
    b->o.cacert = NULL;
    b->o.insecure_http = true;
    return b;
}

static void on_done(void *ctx, const struct exchange *x)
{
    struct bench *b = ctx;
    b->last = x;
    b->done++;
}

static const struct exchange *fetch(struct bench *b, struct request r)
{
    struct pap_err err = {0};
    if (!b->t && !is_ok(client_new(&b->o, &b->t, &err)))
        unit_fail("%s", err.text);
    b->last = NULL;
    assert_ok(b->t->start(b->t, &b->arena, &r, &b->budget, on_done, b));
    assert_null(b->last);
    while (b->t->pending(b->t))
        if (!is_ok(b->t->step(b->t, 1000, &err)))
            unit_fail("%s", err.text);
    assert_non_null(b->last);
    return b->last;
}

static struct request get(const char *url)
{
    return (struct request){.method = "GET", .url = str_c(url), .cap = 64 * 1024, .redirects = LIMIT_REDIRECTS};
}

static const struct exchange *fetch_raw(struct bench *b, const char *path)
{
    struct pap_str url = arena_fmt(&b->arena, "http://127.0.0.1:%u%s", raw_port, path);
    return fetch(b, get(url.p));
}

#define assert_fault(x, want, part)                                                                              \
    do {                                                                                                         \
        const struct exchange *x_ = (x);                                                                         \
        if (x_->fault != (want) || str_find(x_->fault_text, S(part)) == x_->fault_text.n)                        \
            unit_fail("%.*s: fault %d: %.*s; want %d: %s", PSTR(x_->url), x_->fault, PSTR(x_->fault_text), want, \
                      part);                                                                                     \
    } while (0)
#define assert_whole(x)                                                   \
    do {                                                                  \
        const struct exchange *x_ = (x);                                  \
        if (x_->fault)                                                    \
            unit_fail("fault %d: %.*s", x_->fault, PSTR(x_->fault_text)); \
        assert_false(x_->body_cut);                                       \
    } while (0)

static void a_document_and_its_facts(void **state)
{
    struct bench *b = sites(state);
    const struct exchange *x = fetch(b, get("https://shop.example/poppy.json#x"));
    assert_whole(x);
    assert_int_equal(exchange_status(x), 200);
    assert_str(x->body, "{\"a\": 1}\n");
    assert_str(x->final_url, "https://shop.example/poppy.json");
    const struct hop *h = exchange_last(x);
    assert_str(h->tls_version, "TLSv1.3");
    assert_str(h->address, "127.0.0.1");
    assert_str(hop_header(h, "content-type"), "application/json");
    int64_t days = (h->not_after - clock_system.unix_seconds(&clock_system)) / 86400;
    assert_in_range(days, 18, 20);
    assert_int_equal(b->budget.bytes_left, LIMIT_CHECK_BYTES - 9);
    assert_int_equal(b->budget.requests_left, LIMIT_REQUESTS - 1);
    /* The same facts again over the connection that is open. */
    h = exchange_last(fetch(b, get("https://shop.example/poppy.json")));
    assert_str(h->tls_version, "TLSv1.3");
    assert_str(h->address, "127.0.0.1");
    assert_in_range((h->not_after - clock_system.unix_seconds(&clock_system)) / 86400, 18, 20);
}

static void older_and_newer_servers(void **state)
{
    struct bench *b = sites(state);
    const struct exchange *x = fetch(b, get("https://old.example/poppy.json"));
    assert_whole(x);
    assert_str(exchange_last(x)->tls_version, "TLSv1.2");
    assert_str(exchange_last(x)->address, "127.0.0.2");
    x = fetch(b, get("https://new.example/poppy.json"));
    assert_whole(x);
    assert_str(exchange_last(x)->address, "127.0.0.3");
    assert_str(exchange_last(x)->tls_version, "TLSv1.3");
    assert_str(hop_header(exchange_last(x), "Content-Type"), "application/json");
    assert_str(x->body, "{\"a\": 1}\n");
}

static void what_is_sent(void **state)
{
    struct bench *b = sites(state);
    const struct header extra = {S("X-Extra"), S("yes")};
    struct request r = get("https://shop.example/echo?q=%7e#no");
    r.accept = "application/json";
    r.extra = &extra;
    r.n_extra = 1;
    assert_str(fetch(b, r)->body, "GET|papaver/" PAP_VERSION "|application/json|gzip||||yes|||/echo?q=%7e");
    r.identity = true;
    r.accept = NULL;
    r.n_extra = 0;
    assert_str(fetch(b, r)->body, "GET|papaver/" PAP_VERSION "|*/*||||||||/echo?q=%7e");
    r = (struct request){.method = "POST",
                         .url = S("https://shop.example/echo"),
                         .cap = 1000,
                         .body = S("{}"),
                         .content_type = "application/json",
                         .accept = "a/b",
                         .identity = true};
    assert_str(fetch(b, r)->body, "POST|papaver/" PAP_VERSION "|a/b||||||application/json||/echo");
    r.method = "DELETE";
    assert_str(fetch(b, r)->body, "DELETE|papaver/" PAP_VERSION "|a/b||||||||/echo");
    r.method = "HEAD";
    const struct exchange *x = fetch(b, r);
    assert_whole(x);
    assert_int_equal(exchange_status(x), 200);
    assert_str(x->body, "");
    assert_str(fetch(b, get("https://shop.example/echo"))->body, "GET|papaver/" PAP_VERSION "|*/*|gzip|||||||/echo");
    /* Neither the referrer nor what was meant for the first origin goes to another one. */
    r = get("https://shop.example/away");
    r.extra = &extra;
    r.n_extra = 1;
    assert_str(fetch(b, r)->body, "|");
    r.method = "BREW";
    assert_int_equal(b->t->start(b->t, &b->arena, &r, &b->budget, on_done, b).code, PAP_USAGE);
    r.method = "GET";
    r.extra = &(const struct header){S("X"), S("a\r\nHost: b")};
    assert_int_equal(b->t->start(b->t, &b->arena, &r, &b->budget, on_done, b).code, PAP_USAGE);
}

static void certificates_are_verified(void **state)
{
    struct bench *b = sites(state);
    assert_fault(fetch(b, get("https://expired.example/")), FAULT_TLS,
                 "has a certificate that has expired: it was good until 20");
    assert_in_range(exchange_last(b->last)->not_after, 1, time(NULL));
    assert_fault(fetch(b, get("https://stranger.example/")), FAULT_TLS, "of an authority that is not trusted");
    assert_true(exchange_last(b->last)->not_after > time(NULL));
    assert_fault(fetch(b, get("https://wrong.example/")), FAULT_TLS, "for other names than this one: it holds \"");
    const struct exchange *x = b->last;
    assert_int_equal(x->n_hops, 1);
    assert_int_equal(exchange_status(x), 0);
    assert_null(x->body.p);
    assert_fault(x, FAULT_TLS, "wrong.example (127.0.0.1:");
    assert_whole(fetch(b, get("https://shop.example/poppy.json")));
    assert_fault(fetch(b, get("https://ancient.example/")), FAULT_TLS, "offers no TLS version from 1.2 up");
}

static void tls_may_not_come_about(void **state)
{
    struct bench *b = *state;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); /* listens, and never accepts */
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, 4), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
    b->o.connect_to = NULL;
    b->o.cacert = NULL;
    b->o.timeout_ms = 300;
    struct pap_str url = arena_fmt(&b->arena, "https://127.0.0.1:%u/", ntohs(at.sin_port));
    assert_fault(fetch(b, get(url.p)), FAULT_TIMEOUT, "gave no connection (TCP and TLS) within ");
    assert_int_equal(exchange_status(b->last), 0);
    close(fd);
    url = arena_fmt(&b->arena, "https://127.0.0.1:%u/", raw_port);
    assert_fault(fetch(b, get(url.p)), FAULT_TLS, "does not speak TLS on this port");
}

static void redirects_are_walked(void **state)
{
    struct bench *b = sites(state);
    const struct exchange *x = fetch(b, get("https://shop.example/other"));
    assert_whole(x);
    assert_int_equal(x->n_hops, 2);
    assert_int_equal(x->hops[0].status, 301);
    assert_str(x->final_url, "https://www.shop.example/poppy.json");
    assert_str(x->body, "{\"a\": 1}\n");
    x = fetch(b, get("https://shop.example/six/1"));
    assert_fault(x, FAULT_REDIRECTS, "at most 5 redirects");
    assert_int_equal(x->n_hops, 6);
    assert_str(x->final_url, "https://shop.example/six/1xxxxx");
    assert_fault(fetch(b, get("https://shop.example/loop")), FAULT_REDIRECTS, "loop");
    x = fetch(b, get("https://shop.example/http"));
    assert_fault(x, FAULT_REDIRECT_TARGET, "not https");
    assert_str(x->final_url, "http://shop.example/poppy.json");
    struct request r = get("https://shop.example/other");
    r.method = "POST";
    assert_fault(fetch(b, r), FAULT_REDIRECTS, "a POST is not redirected");
}

static void endless_bodies_stop_at_the_cap(void **state)
{
    struct bench *b = sites(state);
    struct rusage before, after;
    struct request r = get("https://shop.example/endless");
    r.cap = LIMIT_DOCUMENT;
    (void)getrusage(RUSAGE_SELF, &before);
    const struct exchange *x = fetch(b, r);
    assert_fault(x, FAULT_TOO_LARGE, "sent more than 1048576 bytes");
    assert_int_equal(x->body.n, LIMIT_DOCUMENT);
    assert_true(x->body_cut);
    assert_int_equal(exchange_status(x), 200);
    r.url = S("https://shop.example/bomb");
    x = fetch(b, r);
    assert_fault(x, FAULT_TOO_LARGE, "sent more than 1048576 bytes");
    assert_int_equal(x->body.n, LIMIT_DOCUMENT);
    (void)getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 16 * 1024);
    b->budget.bytes_left = 100000;
    r.url = S("https://shop.example/endless");
    x = fetch(b, r);
    assert_fault(x, FAULT_BUDGET, "100 MiB");
    assert_int_equal(x->body.n, 100000);
    assert_fault(fetch(b, r), FAULT_BUDGET, "100 MiB");
}

static void codings_are_undone_strictly(void **state)
{
    struct bench *b = sites(state);
    struct pap_str plain = fetch(b, get("https://shop.example/plain.json"))->body;
    assert_int_equal(plain.n, 400 * 29);
    const struct exchange *x = fetch(b, get("https://shop.example/whole.gz"));
    assert_whole(x);
    assert_true(str_eq(x->body, plain));
    assert_true(LIMIT_CHECK_BYTES - b->budget.bytes_left < plain.n + 200); /* counted as received */
    x = fetch(b, get("https://shop.example/twice.gz"));
    assert_whole(x);
    assert_int_equal(x->body.n, 2 * plain.n);
    x = fetch(b, get("https://shop.example/cut.gz"));
    assert_fault(x, FAULT_ENCODING, "it ends too early");
    assert_true(x->body.n > 0 && x->body.n < plain.n && x->body_cut);
    x = fetch(b, get("https://shop.example/junk.gz"));
    assert_fault(x, FAULT_ENCODING, "cannot be decoded as gzip");
    assert_fault(fetch(b, get("https://shop.example/br")), FAULT_ENCODING, "\"br\", which was not asked for");
    struct request r = get("https://shop.example/whole.gz");
    r.identity = true;
    x = fetch(b, r);
    assert_whole(x);
    assert_memory_equal(x->body.p, "\x1f\x8b", 2);
    assert_str(hop_header(exchange_last(x), "Content-Encoding"), "gzip");
}

static void slow_servers_time_out(void **state)
{
    struct bench *b = sites(state);
    b->o.timeout_ms = 400;
    const struct exchange *x = fetch(b, get("https://shop.example/slow"));
    assert_fault(x, FAULT_TIMEOUT, "shop.example (127.0.0.1:");
    assert_in_range(x->ms, 350, 2500);
    b->budget.deadline_ms = clock_system.monotonic_ms(&clock_system) + 200;
    x = fetch(b, get("https://shop.example/slow"));
    assert_fault(x, FAULT_BUDGET, "60 seconds");
    assert_fault(fetch(b, get("https://shop.example/slow")), FAULT_BUDGET, "60 seconds");
}

static void private_addresses_are_refused(void **state)
{
    struct bench *b = sites(state);
    const char *resolve[] = {"rebind.example:443:127.0.0.1", "both.example:443:127.0.0.1,127.0.0.2", NULL};
    b->allow_loopback = false;
    b->o.connect_to = NULL;
    b->o.resolve = resolve;
    const struct exchange *x = fetch(b, get("https://rebind.example/"));
    assert_fault(x, FAULT_BLOCKED, "rebind.example was not asked: the address 127.0.0.1:443 is not allowed (loopback)");
    assert_int_equal(x->n_hops, 1);
    assert_int_equal(x->hops[0].address.n, 0);
    assert_fault(fetch(b, get("https://127.0.0.1/")), FAULT_BLOCKED, "loopback");
    assert_fault(fetch(b, get("https://localhost/")), FAULT_BLOCKED, "");
    assert_fault(fetch(b, get("https://both.example/")), FAULT_BLOCKED, "loopback");
}

/* The first hop is allowed, the second leads inside. */
struct each {
    unsigned asked;
    size_t sunk, stop_at;
};

static bool name_the_hop(void *ctx, struct arena *a, const struct uri *to, const struct header **ret, size_t *ret_n)
{
    struct each *e = ctx;
    struct header *h = arena_new(a, struct header);
    e->asked++;
    *h = (struct header){S("X-Hop"), to->path};
    *ret = h;
    *ret_n = 1;
    return true;
}

static void fields_are_asked_for_hop_by_hop(void **state)
{
    struct bench *b = raw(state);
    struct each e = {0};
    struct pap_str url = arena_fmt(&b->arena, "http://127.0.0.1:%u/to-echo", raw_port);
    struct request r = get(url.p);
    r.fields = name_the_hop;
    r.each_ctx = &e;
    const struct exchange *x = fetch(b, r);
    assert_int_equal(e.asked, 2);
    assert_true(str_find(x->body, S("X-Hop: /echo\r\n")) < x->body.n);
    assert_true(str_find(x->body, S("X-Hop: /to-echo")) == x->body.n);
}

static bool sink(void *ctx, const char *p, size_t n)
{
    struct each *e = ctx;
    (void)p;
    e->sunk += n;
    return !e->stop_at || e->sunk < e->stop_at;
}

static void a_sink_takes_the_body_to_the_byte(void **state)
{
    struct bench *b = raw(state);
    static const struct {
        const char *path;
        size_t cap, stop_at, sunk; /* SIZE_MAX: at most the cap */
        enum exchange_fault fault;
        bool cut;
    } cases[] = {
        {"/hundred", 100, 0, 100, FAULT_NONE, false},       {"/hundred", 99, 0, 0, FAULT_TOO_LARGE, true},
        {"/hundred", 1000, 50, SIZE_MAX, FAULT_NONE, true}, {"/redirect", 1000, 0, 2, FAULT_NONE, false},
        {"/short", 1000, 0, 9, FAULT_PROTOCOL, true},       {"/404", 1000, 0, 0, FAULT_PROTOCOL, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct each e = {.stop_at = cases[i].stop_at};
        struct request r = get(arena_fmt(&b->arena, "http://127.0.0.1:%u%s", raw_port, cases[i].path).p);
        r.sink = sink;
        r.each_ctx = &e;
        r.identity = true;
        r.cap = cases[i].cap;
        const struct exchange *x = fetch(b, r);
        if (x->fault != cases[i].fault || x->body_cut != cases[i].cut || x->body.n)
            unit_fail("%s: fault %d, cut %d: %.*s", cases[i].path, x->fault, x->body_cut, PSTR(x->fault_text));
        if (cases[i].sunk == SIZE_MAX)
            assert_in_range(e.sunk, cases[i].stop_at, cases[i].cap);
        else
            assert_int_equal(e.sunk, cases[i].sunk);
    }
}

struct found {
    const char *addresses[3];
    char asked[64];
};

static bool never_ten(const void *ctx, const unsigned char *address, size_t n, const char **ret_why)
{
    (void)ctx;
    *ret_why = "ten";
    return address[n - 4] != 10;
}

static size_t find_addresses(void *ctx, const char *host, char (*ret)[46], size_t most)
{
    struct found *f = ctx;
    size_t n = 0;
    (void)snprintf(f->asked, sizeof f->asked, "%.60s", host);
    for (; n < 3 && n < most && f->addresses[n]; n++)
        (void)snprintf(ret[n], 46, "%s", f->addresses[n]);
    return n;
}

static void addresses_that_the_caller_finds_are_all_judged(void **state)
{
    static const struct {
        const char *addresses[3];
        enum exchange_fault fault;
    } cases[] = {
        {{"127.0.0.1"}, FAULT_NONE},
        {{"127.0.0.1", "10.0.0.1"}, FAULT_BLOCKED},
        {{"127.0.0.1", "::ffff:10.0.0.1", "127.0.0.1"}, FAULT_BLOCKED},
        {{"shop.example"}, FAULT_BLOCKED},
        {{NULL}, FAULT_DNS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench *b = raw(state);
        struct found f = {.addresses = {cases[i].addresses[0], cases[i].addresses[1], cases[i].addresses[2]}};
        b->o.policy = never_ten;
        b->o.addresses = find_addresses;
        b->o.addresses_ctx = &f;
        const struct exchange *x = fetch(b, get(arena_fmt(&b->arena, "http://shop.example:%u/ok", raw_port).p));
        assert_int_equal(x->fault, cases[i].fault);
        assert_string_equal(f.asked, "shop.example");
        assert_int_equal(exchange_status(x), cases[i].fault ? 0 : 200);
        b->t->free(b->t);
        b->t = NULL;
    }
}

static bool only_the_first(const void *ctx, const unsigned char *address, size_t n, const char **ret_why)
{
    (void)ctx;
    (void)n;
    *ret_why = "inside";
    return address[3] != 2;
}

static void redirects_do_not_lead_inside(void **state)
{
    struct bench *b = sites(state);
    char inside[64];
    (void)snprintf(inside, sizeof inside, "inside.example:443:127.0.0.2:%u", web_port);
    b->connect_to[0] = inside;
    b->o.policy = only_the_first;
    const struct exchange *x = fetch(b, get("https://shop.example/inside"));
    assert_fault(x, FAULT_BLOCKED, "inside.example was not asked: the address 127.0.0.2:");
    assert_int_equal(x->n_hops, 2);
    assert_int_equal(x->hops[0].status, 302);
    assert_int_equal(x->hops[1].status, 0);
}

static void a_proxy_is_used_when_named(void **state)
{
    struct bench *b = sites(state);
    char proxy[64];
    (void)snprintf(proxy, sizeof proxy, "http://127.0.0.1:%u", raw_port);
    b->o.connect_to = NULL;
    b->o.proxy = proxy;
    b->allow_loopback = false;
    const struct exchange *x = fetch(b, get("https://shop.example/poppy.json"));
    assert_whole(x);
    assert_str(x->body, "{\"a\": 1}\n");
    assert_str(exchange_last(x)->tls_version, "TLSv1.3");
    assert_int_equal(hop_header_count(exchange_last(x), "X-Proxy"), 0);
    assert_fault(fetch(b, get("https://wrong.example/")), FAULT_TLS, "wrong.example has a certificate for other names");
    assert_fault(fetch(b, get("https://refused.example/")), FAULT_REFUSED, "answered CONNECT with 502");
    assert_fault(fetch(b, get("https://closed.example/")), FAULT_REFUSED, "gave no answer to CONNECT");
}

static void a_proxy_is_no_way_around(void **state)
{
    struct bench *b = *state;
    b->o = (struct client_options){.clock = &clock_system,
                                   .policy = only_public,
                                   .policy_ctx = &b->allow_loopback,
                                   .insecure_http = true,
                                   .proxy = "http://127.0.0.1:1"};
    b->allow_loopback = false;
    assert_fault(fetch(b, get("https://127.0.0.1/")), FAULT_BLOCKED, "was not asked: loopback");
    assert_int_equal(b->last->n_hops, 1);
    assert_fault(fetch(b, get("https://[::1]/")), FAULT_BLOCKED, "was not asked: loopback");
    assert_fault(fetch(b, get("https://localhost/")), FAULT_BLOCKED, "was not asked: loopback");
    assert_fault(fetch(b, get("https://db.localhost/")), FAULT_BLOCKED, "was not asked: loopback");
    assert_fault(fetch(b, get("http://shop.example/")), FAULT_BLOCKED, "not for a proxy");
    assert_fault(fetch(b, get("https://shop.example/")), FAULT_REFUSED,
                 "shop.example was not asked: the proxy (127.0.0.1:1) refused the connection");
}

static void an_event_stream_is_not_waited_for(void **state)
{
    struct bench *b = *state;
    b->o.insecure_http = true;
    b->o.connect_to = NULL;
    struct pap_str url = arena_fmt(&b->arena, "http://127.0.0.1:%u/stream", raw_port);
    for (int post = 0; post < 2; post++) {
        struct request r = get(url.p);
        r.message = true;
        r.method = post ? "POST" : "GET";
        const struct exchange *x = fetch(b, r);
        assert_int_equal(x->fault, FAULT_NONE);
        assert_int_equal(exchange_status(x), 200);
        assert_true(x->body_cut);
        assert_true(x->ms < 3000);
        if (post)
            assert_str(x->body, "data: {\"result\": 1}\n\n");
    }
}

/* Not "the host cannot be reached": that would be a finding about somebody else. */
static void a_socket_that_cannot_be_opened_is_our_failure(void **state)
{
    struct bench *b = *state;
    struct rlimit before, none;
    struct pap_err err = {0};
    b->o.insecure_http = true;
    b->o.connect_to = NULL;
    assert_int_equal(exchange_status(fetch_raw(b, "/ok")), 200);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    int next = dup(0);
    close(next);
    none = before;
    none.rlim_cur = (rlim_t)next;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    struct request r = get("http://127.0.0.1:1/");
    assert_ok(b->t->start(b->t, &b->arena, &r, &b->budget, on_done, b));
    pap_result result = b->t->step(b->t, 1000, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(result.code, PAP_IO);
    assert_non_null(strstr(err.text, "Too many open files"));
}

static void nobody_there(void **state)
{
    struct bench *b = *state;
    const char *resolve[] = {"shop.example:9:127.0.0.1", NULL};
    b->o.connect_to = NULL;
    b->o.cacert = NULL;
    b->o.resolve = resolve;
    const struct exchange *x = fetch(b, get("https://shop.example:9/"));
    assert_fault(x, FAULT_REFUSED, "shop.example (127.0.0.1:9) refused the connection");
    assert_fault(fetch(b, get("https://nosuch.invalid/")), FAULT_DNS, "nosuch.invalid was not found");
    assert_fault(fetch(b, get("http://shop.example/")), FAULT_URL, "not https");
    assert_fault(fetch(b, get("https://0x7f.1/")), FAULT_URL, "");
}

static void plain_http_is_for_loopback(void **state)
{
    struct bench *b = raw(state);
    const char *resolve[] = {"shop.example:80:192.0.2.1", NULL};
    b->o.resolve = resolve;
    const struct exchange *x = fetch_raw(b, "/ok");
    assert_whole(x);
    assert_str(x->body, "ok");
    assert_str(exchange_last(x)->tls_version, "");
    assert_str(exchange_last(x)->address, "127.0.0.1");
    assert_fault(fetch(b, get("http://shop.example/")), FAULT_BLOCKED, "plain http is for loopback addresses only");
    x = fetch_raw(b, "/redirect");
    assert_whole(x);
    assert_int_equal(x->n_hops, 2);
    x = fetch_raw(b, "/big-redirect"); /* its body is nobody's */
    assert_whole(x);
    assert_str(x->body, "ok");
}

static void garbage_is_no_answer(void **state)
{
    struct bench *b = raw(state);
    static const char *const paths[] = {"/nothing", "/garbage", "/http09", "/continue", "/99", "/101"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const struct exchange *x = fetch_raw(b, paths[i]);
        assert_fault(x, FAULT_PROTOCOL, "127.0.0.1");
        assert_int_equal(exchange_status(x), 0);
        assert_null(x->body.p);
    }
    assert_int_equal(exchange_status(fetch_raw(b, "/999")), 999);
    const struct exchange *x = fetch_raw(b, "/short");
    assert_fault(x, FAULT_PROTOCOL, "before the body was whole");
    assert_str(x->body, "only this");
    assert_true(x->body_cut);
    assert_int_equal(exchange_status(x), 200);
    x = fetch_raw(b, "/chunk");
    assert_fault(x, FAULT_PROTOCOL, "broken answer");
    assert_str(x->body, "hello");
    assert_fault(fetch_raw(b, "/nocolon"), FAULT_PROTOCOL, "breaks the rules of HTTP");
    x = fetch_raw(b, "/chunkcut");
    assert_fault(x, FAULT_PROTOCOL, "");
    assert_str(str_take(x->body, 5), "hello");
    assert_true(x->body_cut);
}

/* libcurl is content with it: yes, no or "go there" of a head that lacks its end would count. */
static void a_head_without_an_end_is_no_answer(void **state)
{
    struct bench *b = raw(state);
    static const char *const paths[] = {"/head-cut",     "/head-cut-in-field", "/head-cut-in-status",
                                        "/head-cut-204", "/head-cut-302",      "/head-cut-404"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const struct exchange *x = fetch_raw(b, paths[i]);
        assert_fault(x, FAULT_PROTOCOL, "127.0.0.1");
        assert_int_equal(x->n_hops, 1);
        assert_null(x->body.p);
    }
    assert_fault(fetch_raw(b, "/head-cut"), FAULT_PROTOCOL, "before the head of its answer was whole");
}

static void header_fields_are_read(void **state)
{
    struct bench *b = raw(state);
    const struct exchange *x = fetch_raw(b, "/trailer");
    assert_whole(x);
    assert_int_equal(exchange_last(x)->n_headers, 1);
    x = fetch_raw(b, "/early");
    assert_whole(x);
    assert_int_equal(exchange_status(x), 200);
    assert_int_equal(exchange_last(x)->n_headers, 2);
    assert_str(hop_header(exchange_last(x), "x-real"), "1");
    x = fetch_raw(b, "/fold");
    assert_whole(x);
    assert_str(hop_header(exchange_last(x), "X-Long"), "one    two  \tthree");
    assert_int_equal(exchange_last(x)->n_headers, 2);
}

static void header_floods_are_cut(void **state)
{
    struct bench *b = raw(state);
    static const char *const paths[] = {"/flood", "/many", "/early-flood", "/wide", "/wide-status", "/trailers"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const struct exchange *x = fetch_raw(b, paths[i]);
        assert_fault(x, FAULT_HEAD, "header fields");
        assert_true(exchange_last(x)->n_headers <= 200);
    }
    assert_whole(fetch_raw(b, "/ok"));
}

static void silence_times_out(void **state)
{
    struct bench *b = raw(state);
    b->o.timeout_ms = 300;
    assert_fault(fetch_raw(b, "/hang"), FAULT_TIMEOUT, "did not answer within");
    const struct exchange *x = fetch_raw(b, "/stall");
    assert_fault(x, FAULT_TIMEOUT, "had not sent all");
    assert_str(x->body, "only this");
}

static size_t count_open(void)
{
    DIR *d = opendir("/proc/self/fd");
    size_t n = 0;
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

static void many_requests_stay_bounded(void **state)
{
    enum { REQUESTS = 2000, JOBS = 100 };
    struct bench *b = sites(state);
    struct budget *budgets = arena_new_array(&b->arena, REQUESTS, struct budget);
    struct rusage before, after;
    size_t most = 0;
    b->o.jobs = JOBS;
    b->o.timeout_ms = 0;
    assert_ok(client_new(&b->o, &b->t, NULL));
    size_t fds = count_open();
    (void)getrusage(RUSAGE_SELF, &before);
    for (unsigned i = 0; i < REQUESTS; i++) {
        struct pap_str url = arena_fmt(&b->arena, "https://h%u.crawl.test/poppy.json", i % 40 + 1);
        struct request r = get(url.p);
        budget_init(&budgets[i], &b->arena, S("crawl.test"), clock_system.monotonic_ms(&clock_system));
        assert_ok(b->t->start(b->t, &b->arena, &r, &budgets[i], on_done, b));
    }
    while (b->t->pending(b->t)) {
        unsigned done = b->done;
        assert_ok(b->t->step(b->t, 5000, NULL));
        assert_true(b->done > done);
        assert_whole(b->last);
        assert_int_equal(exchange_status(b->last), 200);
        size_t n = count_open();
        most = n > most ? n : most;
    }
    assert_int_equal(b->done, REQUESTS);
    assert_true(most <= fds + 3 * JOBS);
    (void)getrusage(RUSAGE_SELF, &after);
    print_message("2000 requests: %zu descriptors at most, %ld MiB more\n", most,
                  (after.ru_maxrss - before.ru_maxrss) / 1024);
#if !defined(__SANITIZE_ADDRESS__) /* which keeps what was freed */
    assert_true(after.ru_maxrss - before.ru_maxrss < 48 * 1024);
#endif
    b->t->free(b->t);
    b->t = NULL;
    assert_true(count_open() <= fds);
}

static void a_client_may_go_with_work_to_do(void **state)
{
    struct bench *b = sites(state);
    struct request r = get("https://shop.example/slow");
    assert_ok(client_new(&b->o, &b->t, NULL));
    b->o.jobs = 2;
    for (int i = 0; i < 5; i++)
        assert_ok(b->t->start(b->t, &b->arena, &r, &b->budget, on_done, b));
    assert_int_equal(b->t->pending(b->t), 5);
    assert_ok(b->t->step(b->t, 100, NULL));
    assert_int_equal(b->t->pending(b->t), 5);
    assert_int_equal(b->done, 0);
}

static void bad_options_are_named(void **state)
{
    struct bench *b = *state;
    static const char *const resolve[] = {"shop.example",
                                          "shop.example:443",
                                          "shop.example:x:127.0.0.1",
                                          "shop.example:443:",
                                          "shop.example:443:localhost",
                                          "shop.example:0:127.0.0.1",
                                          "shop.example:443:127.0.0.1,",
                                          "-shop.example:443",
                                          "[::1:443:127.0.0.1",
                                          ""};
    static const char *const connect_to[] = {"", "a:1", "a:1:b", "a:x:b:2", "a:1:b:70000", "a b:1:c:2", "a:1:::1:2"};
    static const char *const proxy[] = {"", "proxy.example:3128", "ftp://proxy.example/", "http://", "http://a/?x"};
    struct pap_err err;
    struct transport *t;
    const char *list[2] = {NULL, NULL};
    for (size_t i = 0; i < sizeof resolve / sizeof *resolve; i++) {
        struct client_options o = {.clock = &clock_system, .resolve = list};
        list[0] = resolve[i];
        assert_int_equal(client_new(&o, &t, &err).code, PAP_USAGE);
        assert_non_null(strstr(err.text, "is no HOST:PORT:ADDRESS, such as"));
    }
    for (size_t i = 0; i < sizeof connect_to / sizeof *connect_to; i++) {
        struct client_options o = {.clock = &clock_system, .connect_to = list};
        list[0] = connect_to[i];
        assert_int_equal(client_new(&o, &t, &err).code, PAP_USAGE);
        assert_non_null(strstr(err.text, "is no HOST:PORT:HOST:PORT, such as"));
    }
    for (size_t i = 0; i < sizeof proxy / sizeof *proxy; i++) {
        struct client_options o = {.clock = &clock_system, .proxy = proxy[i]};
        assert_int_equal(client_new(&o, &t, &err).code, PAP_USAGE);
    }
    struct client_options o = {.clock = &clock_system, .cacert = "/nonexistent/ca.pem"};
    assert_int_equal(client_new(&o, &t, &err).code, PAP_USAGE);
    assert_non_null(strstr(err.text, "/nonexistent/ca.pem"));
    static const char *const good_resolve[] = {"*:443:127.0.0.1", "[::1]:443:[::1]", "a.example:443:127.0.0.1,::1",
                                               NULL};
    static const char *const good_connect[] = {"::127.0.0.1:8443", "a:443:b:8443", "a::b:", "[::1]:1:[::2]:2", NULL};
    b->o.resolve = good_resolve;
    b->o.connect_to = good_connect;
    b->o.cacert = NULL;
    assert_ok(client_new(&b->o, &b->t, &err));
}

static void every_allocation_may_fail(void **state)
{
    struct bench *b = raw(state);
    struct pap_str url = arena_fmt(&b->arena, "http://127.0.0.1:%u/redirect", raw_port);
    for (unsigned n = 1; n < FAIL_ALLOC_MOST; n++) {
        struct fail_alloc f;
        struct arena a;
        struct request r = get(url.p);
        fail_alloc_init(&f, n);
        b->o.alloc = &f.alloc;
        arena_init(&a, &f.alloc);
        budget_init(&b->budget, &a, S(""), clock_system.monotonic_ms(&clock_system));
        pap_result result = client_new(&b->o, &b->t, NULL);
        if (is_ok(result))
            result = b->t->start(b->t, &a, &r, &b->budget, on_done, b);
        while (is_ok(result) && b->t->pending(b->t))
            result = b->t->step(b->t, 1000, NULL);
        if (b->t)
            b->t->free(b->t);
        b->t = NULL;
        arena_fini(&a);
        assert_int_equal(f.live, 0);
        if (is_ok(result)) {
            assert_true(n > 4);
            return;
        }
        assert_int_equal(result.code, PAP_NO_MEMORY);
    }
    unit_fail("never whole");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_document_and_its_facts),
        TEST(older_and_newer_servers),
        TEST(what_is_sent),
        TEST(certificates_are_verified),
        TEST(tls_may_not_come_about),
        TEST(redirects_are_walked),
        TEST(endless_bodies_stop_at_the_cap),
        TEST(codings_are_undone_strictly),
        TEST(slow_servers_time_out),
        TEST(private_addresses_are_refused),
        TEST(redirects_do_not_lead_inside),
        TEST(fields_are_asked_for_hop_by_hop),
        TEST(a_sink_takes_the_body_to_the_byte),
        TEST(addresses_that_the_caller_finds_are_all_judged),
        TEST(a_proxy_is_no_way_around),
        TEST(a_proxy_is_used_when_named),
        TEST(nobody_there),
        TEST(an_event_stream_is_not_waited_for),
        TEST(a_socket_that_cannot_be_opened_is_our_failure),
        TEST(plain_http_is_for_loopback),
        TEST(garbage_is_no_answer),
        TEST(a_head_without_an_end_is_no_answer),
        TEST(header_fields_are_read),
        TEST(header_floods_are_cut),
        TEST(silence_times_out),
        TEST(many_requests_stay_bounded),
        TEST(a_client_may_go_with_work_to_do),
        TEST(bad_options_are_named),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, start_all, stop_all);
}
