/* SPDX-License-Identifier: Apache-2.0
 *
 * Raw requests that parsers read differently, to our server and to nginx at once: nothing that nginx refuses is accepted,
 * neither as it stands nor hidden in the body of another request. More cases are read from PAPAVER_CASES where it is set.
 */
#include <fcntl.h>

#include "sys/file.h"
#include "text/json.h"

#include "serving_unit.h"

#define LINE "GET /hello HTTP/1.1\r\n"
#define HOST "Host: x\r\n"
#define POST "POST /hello HTTP/1.1\r\n" HOST
#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"
#define NEXT LINE HOST "\r\n"

static const struct pap_str own[] = {
    S_INIT(NEXT),
    S_INIT(POST "Content-Length: 5\r\n\r\nabcde" NEXT),
    S_INIT(CHUNKED "5\r\nabcde\r\n0\r\n\r\n" NEXT),
    S_INIT(CHUNKED "5;a=b\r\nabcde\r\n0\r\nX: y\r\n\r\n" NEXT),
    S_INIT("\r\n" NEXT),
    S_INIT("GET /hello?a=b HTTP/1.1\r\n" HOST "\r\n" NEXT),
    S_INIT("GET /hello HTTP/1.0\r\n\r\n" NEXT),
    S_INIT("HEAD /hello HTTP/1.1\r\n" HOST "\r\n" NEXT),
    /* two notions of a length */
    S_INIT(POST "Content-Length: 5\r\nContent-Length: 5\r\n\r\nabcde" NEXT),
    S_INIT(POST "Content-Length: 5\r\ncontent-length: 6\r\n\r\nabcdeG" NEXT),
    S_INIT(POST "Content-Length: 5,6\r\n\r\nabcde" NEXT),
    S_INIT(POST "Content-Length: 5;\r\n\r\nabcde" NEXT),
    S_INIT(POST "Content-Length: \r\n\r\n" NEXT),
    S_INIT(POST "Content-Length: 5a\r\n\r\nabcde" NEXT),
    S_INIT(POST "Content-Length: 1e1\r\n\r\n0123456789" NEXT),
    S_INIT(POST "Content-Length: 5.0\r\n\r\nabcde" NEXT),
    S_INIT(POST "Content-Length: \"5\"\r\n\r\nabcde" NEXT),
    S_INIT(POST "Content-Length:\v5\r\n\r\nabcde" NEXT),
    S_INIT(POST "Content-Length:\f5\r\n\r\nabcde" NEXT),
    S_INIT(POST "Content-Length: 9223372036854775808\r\n\r\nabcde" NEXT),
    S_INIT(POST "Content-Length: 99999999999999999999999999\r\n\r\nabcde" NEXT),
    S_INIT(POST "Content-Length\t: 5\r\n\r\nabcde" NEXT),
    S_INIT(POST "Content-Length\r\n : 5\r\n\r\nabcde" NEXT),
    S_INIT(POST "Content-Length\0: 5\r\n\r\nabcde" NEXT),
    S_INIT(POST "X: y\nContent-Length: 5\r\n\r\nabcde" NEXT),
    S_INIT(POST "X: y\rContent-Length: 5\r\n\r\nabcde" NEXT),
    S_INIT(POST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" NEXT),
    S_INIT(POST "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n0\r\n\r\n" NEXT),
    S_INIT(POST "Content-Length: 5\r\nTransfer-Encoding : chunked\r\n\r\nabcde" NEXT),
    S_INIT(POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" NEXT),
    S_INIT(POST "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n" NEXT),
    S_INIT(POST "Transfer-Encoding: identity\r\n\r\n" NEXT),
    S_INIT(POST "Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n" NEXT),
    S_INIT(POST "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n" NEXT),
    S_INIT(POST "Transfer-Encoding: \x0b"
                "chunked\r\n\r\n0\r\n\r\n" NEXT),
    S_INIT(POST "Transfer-Encoding: chunked\0\r\n\r\n0\r\n\r\n" NEXT),
    S_INIT(POST "Transfer_Encoding: chunked\r\n\r\n0\r\n\r\n" NEXT),
    S_INIT("POST /hello HTTP/1.0\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" NEXT),
    /* chunks */
    S_INIT(CHUNKED "0x5\r\nabcde\r\n0\r\n\r\n" NEXT),
    S_INIT(CHUNKED " 5\r\nabcde\r\n0\r\n\r\n" NEXT),
    S_INIT(CHUNKED "5g\r\nabcde\r\n0\r\n\r\n" NEXT),
    S_INIT(CHUNKED "\r\n5\r\nabcde\r\n0\r\n\r\n" NEXT),
    S_INIT(CHUNKED "5\rabcde\r\n0\r\n\r\n" NEXT),
    S_INIT(CHUNKED "5\r\nabcdefg\r\n0\r\n\r\n" NEXT),
    S_INIT(CHUNKED "5\r\nabc\r\n0\r\n\r\n" NEXT),
    S_INIT(CHUNKED "5\r\nabcde0\r\n\r\n" NEXT),
    S_INIT(CHUNKED "FFFFFFFFFFFFFFFF\r\nabcde\r\n0\r\n\r\n" NEXT),
    S_INIT(CHUNKED "8000000000000005\r\nabcde\r\n0\r\n\r\n" NEXT),
    S_INIT(CHUNKED "100000005\r\nabcde\r\n0\r\n\r\n" NEXT),
    S_INIT(CHUNKED "5;\0\r\nabcde\r\n0\r\n\r\n" NEXT),
    S_INIT(CHUNKED "0\r\nX\r\n\r\n" NEXT),
    S_INIT(CHUNKED "0\r\n" NEXT),
    /* Host */
    S_INIT(LINE "\r\n" NEXT),
    S_INIT(LINE HOST "Host: y\r\n\r\n" NEXT),
    S_INIT(LINE HOST HOST "\r\n" NEXT),
    S_INIT(LINE "Host:\r\n\r\n" NEXT),
    S_INIT(LINE "Host: x/y\r\n\r\n" NEXT),
    S_INIT(LINE "Host: x..y\r\n\r\n" NEXT),
    S_INIT(LINE "Host: x\0y\r\n\r\n" NEXT),
    S_INIT(LINE "Host : x\r\n\r\n" NEXT),
    S_INIT(LINE "Host: [::1\r\n\r\n" NEXT),
    S_INIT("GET http:///hello HTTP/1.1\r\n" HOST "\r\n" NEXT),
    S_INIT("GET http://y/hello HTTP/1.1\r\n\r\n" NEXT),
    S_INIT("GET http://y/hello HTTP/1.1\r\n" HOST HOST "\r\n" NEXT),
    S_INIT("GET http://u@y/hello HTTP/1.1\r\n" HOST "\r\n" NEXT),
    /* request line and fields */
    S_INIT("get /hello HTTP/1.1\r\n" HOST "\r\n" NEXT),
    S_INIT("GET\t/hello HTTP/1.1\r\n" HOST "\r\n" NEXT),
    S_INIT("GET /hello\tHTTP/1.1\r\n" HOST "\r\n" NEXT),
    S_INIT("GET /hello HTTP/1.1\t\r\n" HOST "\r\n" NEXT),
    S_INIT("GET /hello HTTP/1.01\r\n" HOST "\r\n" NEXT),
    S_INIT("GET /hello HTTP /1.1\r\n" HOST "\r\n" NEXT),
    S_INIT("GET /hello FTP/1.1\r\n" HOST "\r\n" NEXT),
    S_INIT("GET /hello HTTP/3.1\r\n" HOST "\r\n" NEXT),
    S_INIT("GET hello HTTP/1.1\r\n" HOST "\r\n" NEXT),
    S_INIT("GET * HTTP/1.1\r\n" HOST "\r\n" NEXT),
    S_INIT("GET /../hello HTTP/1.1\r\n" HOST "\r\n" NEXT),
    S_INIT("GET /%2e%2e/hello HTTP/1.1\r\n" HOST "\r\n" NEXT),
    S_INIT("GET /hello%0 HTTP/1.1\r\n" HOST "\r\n" NEXT),
    S_INIT("GET /hello%zz HTTP/1.1\r\n" HOST "\r\n" NEXT),
    S_INIT("GET /hel\0lo HTTP/1.1\r\n" HOST "\r\n" NEXT),
    S_INIT("CONNECT /hello HTTP/1.1\r\n" HOST "\r\n" NEXT),
    S_INIT("CONNECT x:80 HTTP/1.1\r\n" HOST "\r\n" NEXT),
    S_INIT("TRACE /hello HTTP/1.1\r\n" HOST "\r\n" NEXT),
    S_INIT(LINE HOST "X: a\r\n b\r\n\r\n" NEXT),
    S_INIT(LINE HOST "X: a\r\n\tb\r\n\r\n" NEXT),
    S_INIT(LINE " " HOST "\r\n" NEXT),
    S_INIT(LINE HOST "X\r\n\r\n" NEXT),
    S_INIT(LINE HOST "X Y: z\r\n\r\n" NEXT),
    S_INIT(LINE HOST "X: a\0b\r\n\r\n" NEXT),
    S_INIT(LINE HOST "X\x80: a\r\n\r\n" NEXT),
    S_INIT(LINE HOST "Authorization: a\r\nAuthorization: b\r\n\r\n" NEXT),
    S_INIT(LINE HOST "If-None-Match: \"a\"\r\nIf-None-Match: \"b\"\r\n\r\n" NEXT),
    S_INIT(LINE HOST "If-Modified-Since: a\r\nIf-Modified-Since: b\r\n\r\n" NEXT),
    S_INIT(LINE HOST "If-Range: a\r\nIf-Range: b\r\n\r\n" NEXT),
    S_INIT(LINE HOST "Expect: 100-continue\r\nExpect: 100-continue\r\n\r\n" NEXT),
    S_INIT("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" NEXT),
};
enum { N_OWN = sizeof own / sizeof own[0], MOST_CASES = 300 };

struct trial {
    char name[64];
    struct pap_str bytes;
    int fd[2]; /* ours, nginx's; -1 when it has ended */
    struct buf answer[2];
};

static struct trial trials[MOST_CASES];
static size_t n_trials;

static void add_trial(const char *name, struct pap_str bytes)
{
    assert_true(n_trials < MOST_CASES);
    struct trial *t = &trials[n_trials++];
    *t = (struct trial){.bytes = bytes};
    snprintf(t->name, sizeof t->name, "%s", name);
    buf_init(&t->answer[0], NULL, 1 << 20);
    buf_init(&t->answer[1], NULL, 1 << 20);
}

/* base64 with padding; the input is right. */
static struct pap_str decode64(struct arena *a, struct pap_str s)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *p = arena_text(a, s.n), *at = p;
    uint32_t bits = 0;
    unsigned have = 0;
    for (size_t i = 0; i < s.n && s.p[i] != '='; i++) {
        bits = bits << 6 | (uint32_t)(strchr(alphabet, s.p[i]) - alphabet);
        if ((have += 6) >= 8)
            *at++ = (char)(bits >> (have -= 8));
    }
    return str(p, (size_t)(at - p));
}

static void add_given_cases(struct arena *a)
{
    char path[4096];
    struct pap_str text;
    struct json *root;
    struct notes notes = {0};
    const char *folder = getenv("PAPAVER_CASES");
    if (!folder) {
        print_message("PAPAVER_CASES is not set: only the cases of this file were tried\n");
        return;
    }
    snprintf(path, sizeof path, "%s/hostile/http-raw.json", folder);
    assert_ok(file_read(a, path, 1 << 24, &text, NULL, NULL));
    assert_ok(json_read(a, text, &root, &notes));
    json_each (item, root)
        add_trial(arena_cstr(a, json_str(json_get_c(item, "name"))),
                  decode64(a, json_str(json_get_c(item, "bytes_base64"))));
}

/* All connections at once, until both sides have ended or been silent for a while. */
static void run_trials(unsigned our_port, int silence_ms)
{
    static struct pollfd polls[2 * MOST_CASES];
    for (size_t i = 0; i < 2 * n_trials; i++) {
        struct trial *t = &trials[i / 2];
        t->fd[i % 2] = connect_to(i % 2 ? sites_port : our_port);
        buf_reset(&t->answer[i % 2]);
        assert_int_equal(fcntl(t->fd[i % 2], F_SETFL, O_NONBLOCK), 0);
        send_all(t->fd[i % 2], t->bytes);
        polls[i] = (struct pollfd){.fd = t->fd[i % 2], .events = POLLIN};
    }
    while (poll(polls, 2 * n_trials, silence_ms) > 0)
        for (size_t i = 0; i < 2 * n_trials; i++) {
            char piece[16384];
            ssize_t n = polls[i].revents ? recv(polls[i].fd, piece, sizeof piece, 0) : 1;
            if (n > 0 && polls[i].revents)
                buf_add(&trials[i / 2].answer[i % 2], str(piece, (size_t)n));
            if (n <= 0)
                polls[i].fd = -1;
        }
    for (size_t i = 0; i < 2 * n_trials; i++)
        close(trials[i / 2].fd[i % 2]);
}

static void say_hello(void *ctx, const struct http_request *r, struct http_response *a)
{
    (void)ctx;
    a->status = str_is(r->path, "/hello") ? 200 : 404;
    a->body = S("hello");
}

static size_t accepted(const struct buf *answer)
{
    return count_of(buf_str(answer), "HTTP/1.1 2");
}

static void nothing_that_nginx_refuses(void **state)
{
    (void)state;
    struct arena a;
    unsigned port;
    size_t stricter = 0, refused = 0, good = 0;
    if (sites_missing[0]) {
        print_message("not compared with nginx: %s\n", sites_missing);
        skip();
    }
    arena_init(&a, NULL);
    for (size_t i = 0; i < N_OWN; i++)
        add_trial(arena_fmt(&a, "own %zu, %.60s", i, own[i].p).p, own[i]);
    add_given_cases(&a);
    struct server *s = serve((struct server_options){.site.handle = say_hello}, false, &port);
    run_trials(port, 1500);
    for (size_t i = 0; i < n_trials; i++) {
        size_t ours = accepted(&trials[i].answer[0]), theirs = accepted(&trials[i].answer[1]);
        if (ours > theirs)
            print_message("%s: %zu accepted by us, %zu by nginx: %.*s\n", trials[i].name, ours, theirs,
                          PSTR(str_take(buf_str(&trials[i].answer[1]), 40)));
        good += ours <= theirs;
        stricter += ours < theirs;
        refused += theirs == 0;
    }
    assert_int_equal(accepted(&trials[1].answer[0]), 2); /* and what is right is not refused */
    assert_int_equal(accepted(&trials[2].answer[0]), 2);
    assert_int_equal(accepted(&trials[3].answer[0]), 2);
    print_message("%zu cases: nginx answers none of %zu; we are stricter in %zu\n", n_trials, refused, stricter);
    assert_true(n_trials >= 60 && refused >= 40);
    server_stop(s, 1000);
    for (size_t i = 0; i < 2 * n_trials; i++)
        buf_fini(&trials[i / 2].answer[i % 2]);
    arena_fini(&a);
    assert_int_equal(good, n_trials);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_that_nginx_refuses)};
    return cmocka_run_group_tests(tests, start_sites, stop_sites);
}
