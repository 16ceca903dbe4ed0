/* SPDX-License-Identifier: Apache-2.0
 *
 * HTTP/1.1 without a socket: bytes in, bytes out, and what the handler and the log see between.
 */
#include "net/talk.h"

#include <stdlib.h>

#include "unit.h"

#define DATE "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
#define HOST "Host: a\r\n"
#define GET(path) "GET " path " HTTP/1.1\r\n" HOST "\r\n"

/* What a site of the tests knows about itself. */
struct seen {
    unsigned handled, logged, released;
    int last_status;
    uint64_t last_bytes;
    char last[256]; /* method target authority body of the last request */
};

static char large[100 * 1024];

static void release(void *ctx)
{
    ((struct seen *)ctx)->released++;
}

/* The path says what to answer. */
static void handle(void *ctx, const struct http_request *r, struct http_response *a)
{
    struct seen *seen = ctx;
    static const struct header plain[] = {{S_INIT("Content-Type"), S_INIT("text/plain")}};
    static const struct header split[] = {{S_INIT("X"), S_INIT("a\r\nSet-Cookie: b")}};
    static const struct header framing[] = {{S_INIT("content-length"), S_INIT("1")}};
    static const struct header nameless[] = {{S_INIT(""), S_INIT("x")}};
    seen->handled++;
    snprintf(seen->last, sizeof seen->last, "%.*s %.*s %.*s %.*s", PSTR(r->method), PSTR(r->target), PSTR(r->authority),
             PSTR(r->body));
    a->status = 200;
    if (str_is(r->path, "/echo")) {
        a->body = arena_fmt(a->arena, "%.*s#%llu.%llu", PSTR(r->body), (unsigned long long)r->connection,
                            (unsigned long long)r->number);
    } else if (str_is(r->path, "/large") || str_is(r->path, "/copied")) {
        a->body = str(large, sizeof large);
        if (str_is(r->path, "/large"))
            a->release = release;
    } else if (str_is(r->path, "/small")) {
        a->headers = plain;
        a->n_headers = 1;
        a->body = S("small");
        a->release = release;
    } else if (str_is(r->path, "/file")) {
        a->file = 0;
        a->file_at = 5;
        a->file_length = 7;
        a->release = release;
    } else if (str_is(r->path, "/304")) {
        a->status = 304;
        a->body = S("never sent");
    } else if (str_is(r->path, "/204")) {
        a->status = 204;
    } else if (str_is(r->path, "/close")) {
        a->close = true;
    } else if (str_is(r->path, "/split") || str_is(r->path, "/framing") || str_is(r->path, "/nameless")) {
        a->headers = str_is(r->path, "/split") ? split : str_is(r->path, "/framing") ? framing : nameless;
        a->n_headers = 1;
        a->release = release;
    } else {
        a->status = str_is(r->path, "/600") ? 600 : str_is(r->path, "/0") ? 0 : str_is(r->path, "/299") ? 299 : 404;
    }
    a->release_ctx = seen;
}

static void log_access(void *ctx, const struct http_access *access)
{
    struct seen *seen = ctx;
    seen->logged++;
    seen->last_status = access->status;
    seen->last_bytes = access->bytes;
    assert_int_equal(access->unix_seconds, 784111777);
}

struct fixture {
    struct seen seen;
    struct http_site site;
    struct clock clock;
    struct http_desk desk;
    struct http_talk talk;
    struct buf in, out;
};

static void begin(struct fixture *f, const struct pap_alloc *alloc)
{
    memset(f, 0, sizeof *f);
    f->site = (struct http_site){.handle = handle, .access = log_access, .ctx = &f->seen, .max_body = 40};
    f->clock = clock_stopped(784111777);
    desk_init(&f->desk, &f->site, &f->clock, alloc);
    f->talk = (struct http_talk){.connection = 3, .scheme = S("http"), .tail.file = -1};
    buf_init(&f->in, NULL, 1 << 20);
    buf_init(&f->out, NULL, 1 << 24);
}

static void end(struct fixture *f)
{
    talk_end(&f->desk, &f->talk);
    desk_fini(&f->desk);
    buf_fini(&f->in);
    buf_fini(&f->out);
}

/* Bytes in and out in a fresh connection, fed in pieces of `step`. */
static void say(struct fixture *f, struct pap_str bytes, size_t step)
{
    begin(f, NULL);
    for (size_t at = 0; at < bytes.n && f->talk.wants != TALK_CLOSE; at += step)
        talk_feed(&f->desk, &f->talk, &f->in, str_take(str_skip(bytes, at), step), &f->out);
    assert_true(buf_ok(&f->out) && buf_ok(&f->in));
}

#define BARE(status) \
    "HTTP/1.1 " status "\r\n" DATE "Cache-Control: no-store\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
#define SMALL "HTTP/1.1 200 OK\r\n" DATE "Content-Type: text/plain\r\nContent-Length: 5\r\n"
#define ECHO(n, text) "HTTP/1.1 200 OK\r\n" DATE "Content-Length: " n "\r\n\r\n" text

static const struct conversation {
    struct pap_str in;
    const char *out;
    unsigned handled, released;
    bool closes;
} conversations[] = {
    {S_INIT(GET("/small")), SMALL "\r\nsmall", 1, 1, false},
    {S_INIT("HEAD /small HTTP/1.1\r\n" HOST "\r\n" GET("/small")), SMALL "\r\n" SMALL "\r\nsmall", 2, 2, false},
    {S_INIT("\r\n" GET("/small") "\r\n" GET("/204")), SMALL "\r\nsmallHTTP/1.1 204 No Content\r\n" DATE "\r\n", 2, 1,
     false},
    {S_INIT(GET("/304") GET("/none") GET("/299")),
     "HTTP/1.1 304 Not Modified\r\n" DATE "\r\nHTTP/1.1 404 Not Found\r\n" DATE
     "Content-Length: 0\r\n\r\nHTTP/1.1 299 \r\n" DATE "Content-Length: 0\r\n\r\n",
     3, 0, false},
    {S_INIT(GET("/close") GET("/small")), "HTTP/1.1 200 OK\r\n" DATE "Content-Length: 0\r\nConnection: close\r\n\r\n",
     1, 0, true},
    {S_INIT("GET /small HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n"), SMALL "Connection: close\r\n\r\nsmall", 1, 1,
     true},
    {S_INIT("GET /small HTTP/1.0\r\n\r\n"), SMALL "Connection: close\r\n\r\nsmall", 1, 1, true},
    {S_INIT("GET /small HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" GET("/204")),
     SMALL "Connection: keep-alive\r\n\r\nsmallHTTP/1.1 204 No Content\r\n" DATE "\r\n", 2, 1, false},
    {S_INIT("POST /echo HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nabcde" GET("/echo")),
     ECHO("9", "abcde#3.1") ECHO("4", "#3.2"), 2, 0, false},
    {S_INIT("POST /echo HTTP/1.1\r\n" HOST
            "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3;x=y\r\ncde\r\n0\r\nX: y\r\n\r\n" GET("/echo")),
     ECHO("9", "abcde#3.1") ECHO("4", "#3.2"), 2, 0, false},
    {S_INIT("POST /echo HTTP/1.1\r\n" HOST "Content-Length: 41\r\n\r\nabc"), BARE("413 Content Too Large"), 0, 0, true},
    {S_INIT("POST /echo HTTP/1.1\r\n" HOST
            "Transfer-Encoding: chunked\r\n\r\n28\r\n0123456789012345678901234567890123456789\r\n1\r\n"),
     BARE("413 Content Too Large"), 0, 0, true},
    {S_INIT("POST /echo HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n2\r\nabX"), BARE("400 Bad Request"), 0, 0,
     true},
    {S_INIT(GET("/small") "GET / HTTP/1.1\r\n\r\n" GET("/small")), SMALL "\r\nsmall" BARE("400 Bad Request"), 1, 1,
     true},
    {S_INIT("TRACE / HTTP/1.1\r\n" HOST "\r\n"), BARE("501 Not Implemented"), 0, 0, true},
    {S_INIT("GET / HTTP/3.0\r\n" HOST "\r\n"), BARE("505 HTTP Version Not Supported"), 0, 0, true},
    {S_INIT("GET / HTTP/1.1\r\n" HOST "Expect: x\r\n\r\n"), BARE("417 Expectation Failed"), 0, 0, true},
    {S_INIT(GET("/split")), BARE("500 Internal Server Error"), 1, 1, true},
    {S_INIT(GET("/framing")), BARE("500 Internal Server Error"), 1, 1, true},
    {S_INIT(GET("/nameless")), BARE("500 Internal Server Error"), 1, 1, true},
    {S_INIT(GET("/600")), BARE("500 Internal Server Error"), 1, 0, true},
    {S_INIT(GET("/0")), BARE("500 Internal Server Error"), 1, 0, true},
    {S_INIT(GET("/file") GET("/204")),
     "HTTP/1.1 200 OK\r\n" DATE "Content-Length: 7\r\n\r\n???????HTTP/1.1 204 No Content\r\n" DATE "\r\n", 2, 1, false},
    {S_INIT("HEAD /file HTTP/1.1\r\n" HOST "\r\n"), "HTTP/1.1 200 OK\r\n" DATE "Content-Length: 7\r\n\r\n", 1, 1,
     false},
};
enum { N_CONVERSATIONS = sizeof conversations / sizeof conversations[0] };

static void conversations_in_any_pieces(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CONVERSATIONS; i++)
        for (size_t step = 1; step <= conversations[i].in.n; step++) {
            const struct conversation *c = &conversations[i];
            struct fixture f;
            say(&f, c->in, step);
            if (!str_is(buf_str(&f.out), c->out))
                unit_fail("conversation %zu, step %zu: got\n%.*s\nwant\n%s", i, step, PSTR(buf_str(&f.out)), c->out);
            assert_int_equal(f.seen.handled, c->handled);
            assert_int_equal(f.seen.released, c->released);
            assert_int_equal(f.talk.wants == TALK_CLOSE, c->closes);
            assert_true(c->closes || f.in.n == 0);
            end(&f);
        }
}

static void nothing_is_answered_too_early(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CONVERSATIONS; i++)
        for (size_t n = 0; n < conversations[i].in.n; n++) {
            struct fixture f;
            say(&f, str_take(conversations[i].in, n), n + 1);
            assert_in_range(f.seen.handled, 0, conversations[i].handled);
            assert_true(f.out.n == 0 || str_starts(str_c(conversations[i].out), buf_str(&f.out)));
            end(&f);
        }
}

static void a_body_is_invited_once(void **state)
{
    (void)state;
    struct fixture f;
    static const char head[] = "POST /echo HTTP/1.1\r\n" HOST "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n";
    begin(&f, NULL);
    talk_feed(&f.desk, &f.talk, &f.in, str_c(head), &f.out);
    assert_str(buf_str(&f.out), "HTTP/1.1 100 Continue\r\n\r\n");
    talk_feed(&f.desk, &f.talk, &f.in, S("a"), &f.out);
    talk_feed(&f.desk, &f.talk, &f.in, S("b"), &f.out);
    assert_str(buf_str(&f.out), "HTTP/1.1 100 Continue\r\n\r\n" ECHO("6", "ab#3.1"));
    end(&f);
    say(&f, S("POST /echo HTTP/1.1\r\n" HOST "Content-Length: 2\r\nExpect: 100-continue\r\n\r\nab"), 1000);
    assert_str(buf_str(&f.out), ECHO("6", "ab#3.1")); /* it came without waiting */
    end(&f);
    say(&f, S("POST /echo HTTP/1.1\r\n" HOST "Content-Length: 200\r\nExpect: 100-continue\r\n\r\n"), 1000);
    assert_str(buf_str(&f.out), BARE("413 Content Too Large")); /* and is not invited in vain */
    end(&f);
}

static void large_bodies_are_not_copied(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, NULL);
    char request[] = GET("/large") GET("/large");
    struct http_input in = {request, sizeof request - 1};
    talk_input(&f.desk, &f.talk, &in);
    assert_int_equal(f.talk.wants, TALK_FLUSH);
    assert_ptr_equal(f.talk.tail.body.p, large);
    assert_int_equal(f.seen.handled, 1); /* the next one has to wait */
    assert_int_equal(f.seen.released, 0);
    assert_int_equal(in.n, (sizeof request - 1) / 2);
    tail_end(&f.talk.tail);
    assert_int_equal(f.seen.released, 1);
    end(&f);
    say(&f, S(GET("/copied") GET("/large") GET("/copied")), 1000);
    assert_int_equal(f.seen.handled, 3);
    assert_int_equal(f.seen.released, 1);
    assert_in_range(f.out.n, 3 * sizeof large, 3 * sizeof large + 600);
    end(&f);
}

static void the_last_request_says_so(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, NULL);
    f.site.max_requests = 2;
    talk_feed(&f.desk, &f.talk, &f.in, S(GET("/204") GET("/204") GET("/204")), &f.out);
    assert_str(buf_str(&f.out),
               "HTTP/1.1 204 No Content\r\n" DATE "\r\nHTTP/1.1 204 No Content\r\n" DATE "Connection: close\r\n\r\n");
    end(&f);
    begin(&f, NULL);
    f.desk.draining = true;
    talk_feed(&f.desk, &f.talk, &f.in, S(GET("/204")), &f.out);
    assert_str(buf_str(&f.out), "HTTP/1.1 204 No Content\r\n" DATE "Connection: close\r\n\r\n");
    assert_int_equal(f.talk.wants, TALK_CLOSE);
    end(&f);
}

static void every_request_is_logged(void **state)
{
    (void)state;
    struct fixture f;
    say(&f, S(GET("/large") "HEAD /large HTTP/1.1\r\n" HOST "\r\n"), 1000);
    assert_int_equal(f.seen.logged, 2);
    assert_int_equal(f.seen.last_status, 200);
    assert_int_equal(f.seen.last_bytes, 0);
    end(&f);
    say(&f, S("GET http://b:8/large HTTP/1.1\r\n" HOST "\r\nx"), 1000);
    assert_int_equal(f.seen.logged, 2);
    assert_int_equal(f.seen.last_status, 400);
    assert_string_equal(f.seen.last, "GET http://b:8/large b:8 ");
    end(&f);
    begin(&f, NULL);
    talk_feed(&f.desk, &f.talk, &f.in, S("GET /"), &f.out);
    assert_true(talk_is_inside(&f.talk));
    talk_refuse(&f.desk, &f.talk, 408);
    assert_int_equal(f.seen.logged, 0);
    talk_sent(&f.desk, &f.talk, f.desk.out.n);
    assert_int_equal(f.seen.last_status, 408);
    assert_str(buf_str(&f.desk.out), BARE("408 Request Timeout"));
    end(&f);
}

/* Two answers, of which one byte after the other is sent: each is told with its last one; what is cut off, with the bytes of
 * its body that were sent. */
static void what_is_logged_was_sent(void **state)
{
    (void)state;
    static const size_t bodies[] = {5, sizeof large};
    for (size_t cut = 0;; cut = cut < 300 ? cut + 1 : cut * 2) {
        struct fixture f;
        char request[] = GET("/small") GET("/large");
        struct http_input in = {request, sizeof request - 1};
        begin(&f, NULL);
        talk_input(&f.desk, &f.talk, &in);
        size_t heads[] = {str_find(buf_str(&f.desk.out), S("small")), f.desk.out.n - 5}, first = heads[0] + 5,
               all = (size_t)f.talk.queued;
        assert_int_equal(all, f.desk.out.n + sizeof large);
        heads[1] = f.desk.out.n;
        talk_sent(&f.desk, &f.talk, cut < all ? cut : all);
        assert_int_equal(f.seen.logged, cut >= all ? 2 : cut >= first);
        if (f.seen.logged)
            assert_int_equal(f.seen.last_bytes, bodies[f.seen.logged - 1]);
        unsigned logged = f.seen.logged;
        talk_end(&f.desk, &f.talk);
        assert_int_equal(f.seen.logged, 2);
        if (logged < 2)
            assert_int_equal(f.seen.last_bytes, cut > heads[1] ? cut - heads[1] : 0);
        talk_end(&f.desk, &f.talk); /* nothing is told twice */
        assert_int_equal(f.seen.logged, 2);
        end(&f);
        if (cut >= all)
            break;
    }
}

/* Whatever cannot be had: the connection ends, nothing leaks, each body is released once. */
static void every_failing_allocation(void **state)
{
    (void)state;
    static const char in[] = GET("/echo") GET("/large") GET("/copied") GET("/small");
    unsigned n = 1;
    for (; n < FAIL_ALLOC_MOST; n++) {
        struct fixture f;
        struct fail_alloc a;
        fail_alloc_init(&a, n);
        begin(&f, &a.alloc);
        talk_feed(&f.desk, &f.talk, &f.in, str_c(in), &f.out);
        unsigned handled = f.seen.handled;
        assert_int_equal(f.seen.released, (handled > 1) + (handled > 3));
        end(&f);
        assert_int_equal(a.live, 0);
        if (a.calls < n) {
            assert_int_equal(handled, 4);
            break;
        }
    }
    assert_in_range(n, 4, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversations_in_any_pieces), cmocka_unit_test(nothing_is_answered_too_early),
        cmocka_unit_test(a_body_is_invited_once),      cmocka_unit_test(large_bodies_are_not_copied),
        cmocka_unit_test(the_last_request_says_so),    cmocka_unit_test(every_request_is_logged),
        cmocka_unit_test(what_is_logged_was_sent),     cmocka_unit_test(every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
