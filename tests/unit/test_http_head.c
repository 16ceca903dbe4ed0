/* SPDX-License-Identifier: Apache-2.0
 *
 * Request heads and chunked bodies: what is refused and with which status, what is read, and that it makes no difference
 * how the bytes arrive.
 */
#include "net/http_head.h"

#include <stdlib.h>

#include "unit.h"

#define LINE "GET / HTTP/1.1\r\n"
#define HOST "Host: a\r\n"

static struct http_limits limits;

/* Scans `bytes` as if they came in pieces of `step`, and parses. HTTP_MORE when the head never ends. */
static int read_head(struct pap_str bytes, size_t step, struct header *slots, struct http_request *r,
                     struct http_framing *f)
{
    struct http_scan s = {0};
    int status = HTTP_MORE;
    for (size_t n = 0; status == HTTP_MORE && n < bytes.n;) {
        n = bytes.n - n < step ? bytes.n : n + step;
        /* A copy of exactly n bytes: the sanitizer sees a read behind them. */
        char *copy = malloc(n);
        assert_non_null(copy);
        memcpy(copy, bytes.p, n);
        status = http_head_scan(&s, str(copy, n), &limits);
        free(copy);
    }
    return status ? status : http_head_parse(str(bytes.p + s.begin, s.at - s.begin), slots, r, f);
}

static void refused_heads(void **state)
{
    (void)state;
    static const struct {
        struct pap_str bytes;
        int status;
    } rows[] = {
        /* request line */
        {S_INIT("GET /\r\n\r\n"), 400},
        {S_INIT("GET  / HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET /  HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET / HTTP/1.1 \r\n" HOST "\r\n"), 400},
        {S_INIT(" GET / HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET\t/ HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("get / HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("G@T / HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET / http/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET / HTTP/1.1x\r\n" HOST "\r\n"), 400},
        {S_INIT("GET / HTTP/11\r\n" HOST "\r\n"), 400},
        {S_INIT("GET / HTTP/2.0\r\n" HOST "\r\n"), 505},
        {S_INIT("GET / HTTP/0.9\r\n" HOST "\r\n"), 505},
        {S_INIT("CONNECT a:443 HTTP/1.1\r\n" HOST "\r\n"), 501},
        {S_INIT("TRACE / HTTP/1.1\r\n" HOST "\r\n"), 501},
        {S_INIT("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505},
        {S_INIT("\x16\x03\x01"), 400},
        {S_INIT("\r\n\r\n" LINE HOST "\r\n"), 400},
        /* target */
        {S_INIT("GET * HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET a HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET a:80 HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET /\x80 HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET /\x01 HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET /?\x7f HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET /a\0b HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET /a#b HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET /?a#b HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET /a\\b HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET /% HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET /%4 HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET /%4g HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET /%00 HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET /a/../b HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET /.. HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET /./b HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET /a/%2e%2E/b HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET /a/.%2e HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET http:///x HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET http://u@a/x HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET http://a:x/ HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET ftp://a/ HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET http:/a HTTP/1.1\r\n" HOST "\r\n"), 400},
        {S_INIT("GET http://a/../b HTTP/1.1\r\n" HOST "\r\n"), 400},
        /* fields */
        {S_INIT("GET / HTTP/1.1\n" HOST "\r\n"), 400},
        {S_INIT(LINE "Host: a\n\r\n"), 400},
        {S_INIT(LINE HOST "\n"), 400},
        {S_INIT(LINE HOST "X: a\r b\r\n\r\n"), 400},
        {S_INIT(LINE HOST "X: a\0b\r\n\r\n"), 400},
        {S_INIT(LINE HOST "X: a\x01\r\n\r\n"), 400},
        {S_INIT(LINE HOST "X: a\x7f\r\n\r\n"), 400},
        {S_INIT(LINE HOST "X: a\r\r\n\r\n"), 400},
        {S_INIT(LINE HOST "X : a\r\n\r\n"), 400},
        {S_INIT(LINE HOST "X\t: a\r\n\r\n"), 400},
        {S_INIT(LINE HOST "X\r\n\r\n"), 400},
        {S_INIT(LINE HOST ": a\r\n\r\n"), 400},
        {S_INIT(LINE HOST "X@: a\r\n\r\n"), 400},
        {S_INIT(LINE HOST "X\x80: a\r\n\r\n"), 400},
        {S_INIT(LINE HOST "X: a\r\n b\r\n\r\n"), 400},
        {S_INIT(LINE HOST "X: a\r\n\tb: c\r\n\r\n"), 400},
        {S_INIT(LINE " X: a\r\n" HOST "\r\n"), 400},
        /* Host */
        {S_INIT(LINE "\r\n"), 400},
        {S_INIT(LINE HOST HOST "\r\n"), 400},
        {S_INIT("GET / HTTP/1.0\r\n" HOST HOST "\r\n"), 400},
        {S_INIT(LINE "Host:\r\n\r\n"), 400},
        {S_INIT(LINE "Host: a b\r\n\r\n"), 400},
        {S_INIT(LINE "Host: a/b\r\n\r\n"), 400},
        {S_INIT(LINE "Host: a,b\r\n\r\n"), 400},
        {S_INIT(LINE "Host: u@a\r\n\r\n"), 400},
        {S_INIT(LINE "Host: a:\xc2\xb2\r\n\r\n"), 400},
        {S_INIT(LINE "Host: a:65536\r\n\r\n"), 400},
        {S_INIT(LINE "Host: a:\r\n\r\n"), 400},
        {S_INIT(LINE "Host: :80\r\n\r\n"), 400},
        {S_INIT(LINE "Host: .a\r\n\r\n"), 400},
        {S_INIT(LINE "Host: a..b\r\n\r\n"), 400},
        {S_INIT(LINE "Host: [::1\r\n\r\n"), 400},
        {S_INIT(LINE "Host: [::1]x\r\n\r\n"), 400},
        {S_INIT(LINE "Host: [a]\r\n\r\n"), 400},
        {S_INIT("GET http://a/ HTTP/1.1\r\n\r\n"), 400},
        {S_INIT("GET http://a/ HTTP/1.1\r\nHost: x y\r\n\r\n"), 400},
        /* framing */
        {S_INIT(LINE HOST "Content-Length: 5\r\nContent-Length: 5\r\n\r\n"), 400},
        {S_INIT(LINE HOST "Content-Length: 5, 5\r\n\r\n"), 400},
        {S_INIT(LINE HOST "Content-Length: +5\r\n\r\n"), 400},
        {S_INIT(LINE HOST "Content-Length: -5\r\n\r\n"), 400},
        {S_INIT(LINE HOST "Content-Length: 0x5\r\n\r\n"), 400},
        {S_INIT(LINE HOST "Content-Length: 5 5\r\n\r\n"), 400},
        {S_INIT(LINE HOST "Content-Length:\r\n\r\n"), 400},
        {S_INIT(LINE HOST "Content-Length: 18446744073709551616\r\n\r\n"), 400},
        {S_INIT(LINE HOST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"), 400},
        {S_INIT(LINE HOST "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"), 400},
        {S_INIT(LINE HOST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"), 400},
        {S_INIT(LINE HOST "Transfer-Encoding: gzip, chunked\r\n\r\n"), 501},
        {S_INIT(LINE HOST "Transfer-Encoding: chunked, chunked\r\n\r\n"), 501},
        {S_INIT(LINE HOST "Transfer-Encoding: xchunked\r\n\r\n"), 501},
        {S_INIT(LINE HOST "Transfer-Encoding: \"chunked\"\r\n\r\n"), 501},
        {S_INIT(LINE HOST "Transfer-Encoding:\r\n\r\n"), 501},
        {S_INIT(LINE HOST "Transfer-Encoding: identity\r\n\r\n"), 501},
        {S_INIT("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400},
        {S_INIT(LINE HOST "Expect: 200-ok\r\n\r\n"), 417},
        {S_INIT(LINE HOST "Authorization: a\r\nauthorization: b\r\n\r\n"), 400},
        {S_INIT(LINE HOST "If-None-Match: \"a\"\r\nIf-None-Match: \"b\"\r\n\r\n"), 400},
        {S_INIT(LINE HOST "Range: bytes=0-1\r\nRange: bytes=2-3\r\n\r\n"), 400},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t step = 1; step < 400; step += 397) {
            struct header slots[LIMIT_HTTP_FIELDS];
            struct http_request r = {0};
            struct http_framing f;
            int status = read_head(rows[i].bytes, step, slots, &r, &f);
            if (status != rows[i].status || r.method.p)
                unit_fail("row %zu, \"%.*s\": %d, want %d", i, PSTR(rows[i].bytes), status, rows[i].status);
        }
}

static void good_heads(void **state)
{
    (void)state;
    static const struct {
        struct pap_str bytes;
        const char *path, *query, *authority; /* query NULL: none */
        bool keep_alive;
    } rows[] = {
        {S_INIT(LINE HOST "\r\n"), "/", NULL, "a", true},
        {S_INIT("\r\n" LINE HOST "\r\n"), "/", NULL, "a", true},
        {S_INIT("GET /a%20b/..c/.well-known/x|^?q={\\}&100% HTTP/1.1\r\n" HOST "\r\n"), "/a%20b/..c/.well-known/x|^",
         "q={\\}&100%", "a", true},
        {S_INIT("GET //a//? HTTP/1.1\r\n" HOST "\r\n"), "//a//", "", "a", true},
        {S_INIT("OPTIONS * HTTP/1.1\r\n" HOST "\r\n"), "*", NULL, "a", true},
        {S_INIT("GET http://b.example:80/x?y HTTP/1.1\r\n" HOST "\r\n"), "/x", "y", "b.example:80", true},
        {S_INIT("GET HTTPS://[::1]:443?y HTTP/1.1\r\n" HOST "\r\n"), "/", "y", "[::1]:443", true},
        {S_INIT("GET http://b HTTP/1.0\r\n\r\n"), "/", NULL, "b", false},
        {S_INIT("GET / HTTP/1.0\r\n\r\n"), "/", NULL, "", false},
        {S_INIT("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"), "/", NULL, "", true},
        {S_INIT("GET / HTTP/1.9\r\nhOST:a_b.c.:8080 \t \r\n\r\n"), "/", NULL, "a_b.c.:8080", true},
        {S_INIT(LINE HOST "Connection: x, Close\r\n\r\n"), "/", NULL, "a", false},
        {S_INIT(LINE HOST "Connection: keep-alive\r\nConnection: close\r\n\r\n"), "/", NULL, "a", false},
        {S_INIT(LINE HOST "X:\r\nX: \xff\ty\r\nX_Y: z\r\n\r\n"), "/", NULL, "a", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t step = 1; step <= rows[i].bytes.n; step++) {
            struct header slots[LIMIT_HTTP_FIELDS];
            struct http_request r = {0};
            struct http_framing f;
            int status = read_head(rows[i].bytes, step, slots, &r, &f);
            if (status)
                unit_fail("row %zu: %d", i, status);
            assert_str(r.path, rows[i].path);
            assert_int_equal(r.query.p != NULL, rows[i].query != NULL);
            assert_str(r.query, rows[i].query);
            assert_str(r.authority, rows[i].authority);
            assert_int_equal(f.keep_alive, rows[i].keep_alive);
            /* Cut anywhere, it is a head that is not whole, and never one that is refused. */
            assert_int_equal(read_head(str_take(rows[i].bytes, step - 1), 1, slots, &r, &f), HTTP_MORE);
        }
}

static void fields_are_views(void **state)
{
    (void)state;
    struct header slots[LIMIT_HTTP_FIELDS];
    struct http_request r = {.connection = 7};
    struct http_framing f;
    struct pap_str bytes = S(
        "POST /x HTTP/1.1\r\nHost: a\r\nA:  b c \r\na: d\r\nContent-Length: 0012\r\nExpect: 100-Continue\r\n\r\nbody");
    assert_int_equal(read_head(bytes, 9, slots, &r, &f), HTTP_DONE);
    assert_str(r.method, "POST");
    assert_int_equal(r.connection, 7);
    assert_int_equal(r.n_headers, 5);
    assert_str(request_header(&r, "a"), "b c");
    assert_int_equal(request_header_count(&r, "A"), 2);
    assert_null(request_header(&r, "b").p);
    assert_int_equal(f.length, 12);
    assert_true(f.expects_continue && !f.chunked);
}

static void long_heads(void **state)
{
    (void)state;
    static char bytes[4 * LIMIT_HTTP_HEAD];
    static const struct {
        const char *start, *again, *end;
        size_t times;
        int status;
    } rows[] = {
        {"GET /", "a", " HTTP/1.1\r\n" HOST "\r\n", LIMIT_HTTP_LINE - 16, HTTP_DONE},
        {"GET /", "a", " HTTP/1.1\r\n" HOST "\r\n", LIMIT_HTTP_LINE - 15, 414},
        {LINE HOST "X: ", "a", "\r\n\r\n", LIMIT_HTTP_LINE - 5, HTTP_DONE},
        {LINE HOST "X: ", "a", "\r\n\r\n", LIMIT_HTTP_LINE - 4, 431},
        {LINE HOST "X: ", "a", "", 2 * LIMIT_HTTP_LINE, 431}, /* before the line has ended */
        {LINE HOST, "X: y\r\n", "\r\n", LIMIT_HTTP_FIELDS - 1, HTTP_DONE},
        {LINE HOST, "X: y\r\n", "\r\n", LIMIT_HTTP_FIELDS, 431},
        {LINE HOST,
         "X: 4567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890"
         "123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890\r\n",
         "\r\n", 90, 431},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct header slots[LIMIT_HTTP_FIELDS];
        struct http_request r = {0};
        struct http_framing f;
        struct buf b;
        buf_init(&b, NULL, sizeof bytes);
        buf_add(&b, str_c(rows[i].start));
        for (size_t k = 0; k < rows[i].times; k++)
            buf_add(&b, str_c(rows[i].again));
        buf_add(&b, str_c(rows[i].end));
        assert_true(buf_ok(&b));
        int status = read_head(buf_str(&b), 1000, slots, &r, &f);
        buf_fini(&b);
        if (status != rows[i].status)
            unit_fail("row %zu: %d, want %d", i, status, rows[i].status);
    }
}

static void limits_are_set(void **state)
{
    (void)state;
    struct header slots[LIMIT_HTTP_FIELDS];
    struct http_request r = {0};
    struct http_framing f;
    const struct pap_str bytes = S(LINE HOST "X: y\r\n\r\n");
    limits = (struct http_limits){bytes.n, 2};
    assert_int_equal(read_head(bytes, 1, slots, &r, &f), HTTP_DONE);
    limits = (struct http_limits){bytes.n - 1, 2};
    assert_int_equal(read_head(bytes, 1, slots, &r, &f), 431);
    limits = (struct http_limits){bytes.n, 1};
    assert_int_equal(read_head(bytes, 1, slots, &r, &f), 431);
    limits = (struct http_limits){0};
}

/* The status; the body in *ret (of 64 bytes), and how many bytes belong to it. */
static int read_chunks(struct pap_str bytes, size_t step, uint64_t room, char *ret, size_t *ret_n, size_t *ret_used)
{
    struct http_chunked c = {0};
    int status = HTTP_MORE;
    size_t body = 0, at = 0;
    while (status == HTTP_MORE && at < bytes.n) {
        size_t n = bytes.n - at < step ? bytes.n - at : step, used = 0, more = 0;
        char *piece = malloc(n);
        assert_non_null(piece);
        memcpy(piece, bytes.p + at, n);
        status = http_chunked_decode(&c, piece, n, room - body, &used, &more);
        if (status < 400) {
            assert_true(status == HTTP_DONE || used == n);
            memcpy(ret + body, piece, more);
            body += more;
            at += used;
        }
        free(piece);
    }
    *ret_n = body;
    *ret_used = at;
    return status;
}

static void chunks(void **state)
{
    (void)state;
    static const struct {
        struct pap_str bytes;
        const char *body; /* NULL: refused */
        int status;
        size_t rest; /* bytes behind it */
    } rows[] = {
        {S_INIT("0\r\n\r\n"), "", HTTP_DONE, 0},
        {S_INIT("5\r\nabcde\r\n0\r\n\r\nGET"), "abcde", HTTP_DONE, 3},
        {S_INIT("1\r\na\r\n0002;x=\"y\"; z\r\nbc\r\nA\r\n0123456789\r\n00\r\nX: y\r\nZ:\r\n\r\n"), "abc0123456789",
         HTTP_DONE, 0},
        {S_INIT("5\r\n\r\n0\r\n\r\n0\r\n\r\n"), "\r\n0\r\n", HTTP_DONE, 0},
        {S_INIT("5\r\nabcd"), "abcd", HTTP_MORE, 0},
        {S_INIT("0x5\r\nabcde\r\n0\r\n\r\n"), NULL, 400, 0},
        {S_INIT("+5\r\nabcde\r\n0\r\n\r\n"), NULL, 400, 0},
        {S_INIT("-0\r\n\r\n"), NULL, 400, 0},
        {S_INIT("\r\n\r\n"), NULL, 400, 0},
        {S_INIT(";x\r\n\r\n"), NULL, 400, 0},
        {S_INIT(" 5\r\nabcde\r\n0\r\n\r\n"), NULL, 400, 0},
        {S_INIT("5 \r\nabcde\r\n0\r\n\r\n"), NULL, 400, 0},
        {S_INIT("5\nabcde\r\n0\r\n\r\n"), NULL, 400, 0},
        {S_INIT("5;a\nbcde\r\n0\r\n\r\n"), NULL, 400, 0},
        {S_INIT("5;\x01\r\nabcde\r\n0\r\n\r\n"), NULL, 400, 0},
        {S_INIT("5\r\nabcdeXX0\r\n\r\n"), NULL, 400, 0},
        {S_INIT("5\r\nabcde\n0\r\n\r\n"), NULL, 400, 0},
        {S_INIT("0\r\n\n"), NULL, 400, 0},
        {S_INIT("0\r\n X: y\r\n\r\n"), NULL, 400, 0},
        {S_INIT("0\r\nX\r\n\r\n"), NULL, 400, 0},
        {S_INIT("0\r\nX: a\nb\r\n\r\n"), NULL, 400, 0},
        {S_INIT("0\r\n: y\r\n\r\n"), NULL, 400, 0},
        {S_INIT("10000000000000005\r\nabcde\r\n0\r\n\r\n"), NULL, 400, 0},
        {S_INIT("FFFFFFFFFFFFFFFF\r\nabcde\r\n0\r\n\r\n"), NULL, 400, 0},
        {S_INIT("3f\r\n"), NULL, 413, 0},
        {S_INIT("20\r\nabcdefghabcdefghabcdefghabcdefgh\r\n20\r\n"), NULL, 413, 0},
        {S_INIT("7FFFFFFFFFFFFFFF\r\n"), NULL, 413, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t step = 1; step <= rows[i].bytes.n; step++) {
            char body[64];
            size_t n, used;
            int status = read_chunks(rows[i].bytes, step, 62, body, &n, &used);
            if (status != rows[i].status)
                unit_fail("row %zu, step %zu: %d, want %d", i, step, status, rows[i].status);
            if (status >= 400)
                continue;
            assert_str(str(body, n), rows[i].body);
            assert_int_equal(used, rows[i].bytes.n - rows[i].rest);
        }
}

static void chunk_lines_are_bounded(void **state)
{
    (void)state;
    struct http_chunked c = {0}, t = {0};
    size_t used, body, n = 0;
    char start[] = "1;", extension[] = "x", last[] = "0\r\n", trailer[] = "X: y\r\n";
    assert_int_equal(http_chunked_decode(&c, start, 2, 9, &used, &body), HTTP_MORE);
    while (n < 2 * LIMIT_HTTP_CHUNK_LINE && http_chunked_decode(&c, extension, 1, 9, &used, &body) == HTTP_MORE)
        n++;
    assert_int_equal(n, LIMIT_HTTP_CHUNK_LINE - 2);
    assert_int_equal(http_chunked_decode(&t, last, 3, 9, &used, &body), HTTP_MORE);
    for (n = 0; n < LIMIT_HTTP_TRAILERS && http_chunked_decode(&t, trailer, 6, 9, &used, &body) == HTTP_MORE;)
        n++;
    assert_in_range(n, LIMIT_HTTP_TRAILERS / 6, LIMIT_HTTP_TRAILERS / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_heads),           cmocka_unit_test(good_heads),
        cmocka_unit_test(fields_are_views),        cmocka_unit_test(long_heads),
        cmocka_unit_test(limits_are_set),          cmocka_unit_test(chunks),
        cmocka_unit_test(chunk_lines_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
