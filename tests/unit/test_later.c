/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers that come later, over real sockets: whole, as streams, from other threads, to clients that go, in a server that
 * stops; and without memory.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "net/later.h"
#include "serving_unit.h"

#define GET(path) "GET " path " HTTP/1.1\r\nHost: a\r\n\r\n"
#define LAST(path) "GET " path " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

static const struct header type[] = {{S_INIT("Content-Type"), S_INIT("text/event-stream")}};

static _Atomic unsigned gone, answered;

static void pause_ms(long ms)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static void whole(struct later *l)
{
    pause_ms(20);
    later_begin(l, 201, type, 1, false);
    (void)later_write(l, S("ab"));
    pause_ms(5);
    (void)later_write(l, S("c"));
}

static void stream(struct later *l)
{
    later_begin(l, 200, type, 1, true);
    (void)later_write(l, S("first"));
    pause_ms(20);
    (void)later_write(l, S("second piece"));
    pause_ms(20);
}

static void hold(struct later *l)
{
    for (unsigned i = 0; i < 500 && !later_is_gone(l); i++)
        pause_ms(10);
    gone += later_is_gone(l);
    later_begin(l, 200, NULL, 0, false);
}

static void endless(struct later *l)
{
    static char piece[1 << 20];
    later_begin(l, 200, NULL, 0, true);
    for (unsigned i = 0; i < 1000 && later_write(l, str(piece, sizeof piece)); i++)
        ;
    gone++;
}

static void nothing(struct later *l)
{
    (void)later_write(l, S("a body without a head"));
}

static void bad_field(struct later *l)
{
    static const struct header bad[] = {{S_INIT("A"), S_INIT("b\r\nC: d")}};
    later_begin(l, 200, bad, 1, false);
}

static const struct {
    const char *path;
    void (*act)(struct later *l);
} acts[] = {{"/whole", whole},     {"/stream", stream}, {"/hold", hold},
            {"/endless", endless}, {"/none", nothing},  {"/bad", bad_field}};

struct act {
    struct later *later;
    void (*run)(struct later *l);
};

static void *run(void *ctx)
{
    struct act a = *(struct act *)ctx;
    free(ctx);
    a.run(a.later);
    later_end(a.later);
    answered++;
    return NULL;
}

static void handle(void *ctx, const struct http_request *r, struct http_response *a)
{
    (void)ctx;
    a->status = 200;
    a->body = S("now");
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (str_is(r->path, acts[i].path)) {
            pthread_t thread;
            struct act *act = malloc(sizeof *act);
            assert_non_null(act);
            *act = (struct act){later_new(NULL), acts[i].act};
            a->later = act->later;
            assert_non_null(a->later);
            assert_int_equal(pthread_create(&thread, NULL, run, act), 0);
            (void)pthread_detach(thread);
        }
}

/* Without the Date fields, whose lines have one length. */
static struct pap_str undated(struct buf *out)
{
    for (struct pap_str rest = buf_str(out);;) {
        size_t at = str_find(rest, S("Date: "));
        if (at == rest.n)
            return buf_str(out);
        char *p = out->p + (rest.p - out->p) + at;
        size_t n = out->n - (size_t)(p - out->p);
        memmove(p, p + 37, n - 37);
        out->n -= 37;
        rest = str(p, n - 37);
    }
}

/* What is logged, in its order. */
static struct buf logged;

static void log_it(void *ctx, const struct http_access *a)
{
    (void)ctx;
    buf_fmt(&logged, "%.*s %d %llu%s\n", PSTR(a->request->target), a->status, (unsigned long long)a->bytes,
            a->ms >= 0 && a->ms < 60000 ? "" : "?");
}

static void each_comes_in_its_turn(void **state)
{
    (void)state;
    unsigned port;
    struct server *s =
        serve((struct server_options){.site = {.handle = handle, .access = log_it}, .workers = 1}, false, &port);
    buf_init(&logged, NULL, 10000);
    struct buf out;
    assert_true(
        ask(port, S(GET("/whole") GET("/now") GET("/stream") GET("/now") GET("/none") GET("/now")), 3000, &out));
    assert_str(undated(&out), "HTTP/1.1 201 Created\r\nContent-Type: text/event-stream\r\nContent-Length: 3\r\n\r\nabc"
                              "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nnow"
                              "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                              "5\r\nfirst\r\nc\r\nsecond piece\r\n0\r\n\r\n"
                              "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nnow"
                              "HTTP/1.1 500 Internal Server Error\r\nCache-Control: no-store\r\nContent-Length: 0\r\n"
                              "Connection: close\r\n\r\n");
    buf_fini(&out);
    assert_true(ask(port, S("HEAD /whole HTTP/1.1\r\nHost: a\r\n\r\n" LAST("/bad")), 3000, &out));
    assert_int_equal(count_of(buf_str(&out), "abc"), 0);
    assert_int_equal(count_of(buf_str(&out), "Content-Length: 3\r\n\r\nHTTP/1.1 500"), 1);
    buf_fini(&out);
    /* HTTP/1.0 knows no chunks: the end of the connection is the end of the body. */
    assert_true(ask(port, S("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"), 3000, &out));
    assert_int_equal(count_of(buf_str(&out), "Connection: close\r\n\r\nfirstsecond piece"), 1);
    buf_fini(&out);
    server_stop(s, 1000);
    /* A stream's bytes are those of its chunks. */
    assert_str(buf_str(&logged), "/whole 201 3\n/now 200 3\n/stream 200 32\n/now 200 3\n/none 500 0\n"
                                 "/whole 201 0\n/bad 500 0\n/stream 200 17\n");
    buf_fini(&logged);
}

static void nobody_else_waits(void **state)
{
    (void)state;
    unsigned port;
    struct server *s = serve((struct server_options){.site = {.handle = handle}, .workers = 1}, false, &port);
    struct buf out;
    int slow = connect_to(port);
    send_all(slow, S(GET("/hold")));
    assert_true(ask(port, S(LAST("/now")), 1000, &out));
    assert_int_equal(count_of(buf_str(&out), "now"), 1);
    buf_fini(&out);
    /* What it sends meanwhile is kept, and is no reason to think that it has gone. */
    send_all(slow, S(GET("/now")));
    pause_ms(50);
    assert_int_equal(gone, 0);
    assert_int_equal(server_count(s).open, 1);
    close(slow);
    for (unsigned i = 0; i < 300 && !gone; i++)
        pause_ms(10);
    assert_int_equal(gone, 1);
    server_stop(s, 1000);
}

static void a_client_that_does_not_read_is_let_go(void **state)
{
    (void)state;
    unsigned port;
    struct server *s = serve((struct server_options){.site = {.handle = handle}, .send_ms = 200}, false, &port);
    gone = 0;
    int slow = connect_to(port);
    send_all(slow, S(GET("/endless")));
    for (unsigned i = 0; i < 500 && !gone; i++)
        pause_ms(10);
    assert_int_equal(gone, 1);
    close(slow);
    server_stop(s, 1000);
}

static void a_server_that_stops_cuts_them_off(void **state)
{
    (void)state;
    unsigned port, before = answered;
    struct server *s = serve((struct server_options){.site = {.handle = handle}}, false, &port);
    gone = 0;
    int held[20];
    for (unsigned i = 0; i < 20; i++)
        send_all(held[i] = connect_to(port), S(GET("/hold")));
    while (server_count(s).requests < 20)
        pause_ms(1);
    server_stop(s, 50);
    for (unsigned i = 0; i < 300 && answered < before + 20; i++)
        pause_ms(10);
    assert_int_equal(gone, 20);
    for (unsigned i = 0; i < 20; i++)
        close(held[i]);
}

/* ---- without memory ---- */

static void answer_at_once(void *ctx, const struct http_request *r, struct http_response *a)
{
    struct later *l = later_new(ctx);
    if (!l) {
        a->status = 503;
        return;
    }
    a->later = l;
    later_begin(l, 200, type, 1, str_is(r->path, "/stream"));
    (void)later_write(l, S("abc"));
    (void)later_write(l, S("def"));
    later_end(l);
}

static void memory_may_fail(void **state)
{
    (void)state;
    static const char *const paths[] = {GET("/whole"), GET("/stream")};
    for (size_t p = 0; p < 2; p++) {
        bool done = false;
        for (unsigned n = 1; !done; n++) {
            struct fail_alloc f;
            fail_alloc_init(&f, n);
            struct http_site site = {.handle = answer_at_once, .ctx = &f.alloc, .max_body = 10};
            struct clock clock = clock_stopped(784111777);
            struct http_desk desk;
            struct http_talk talk = {.connection = 1, .scheme = S("http"), .tail.file = -1};
            struct buf in, out;
            desk_init(&desk, &site, &clock, &f.alloc);
            buf_init(&in, NULL, 10000);
            buf_init(&out, NULL, 10000);
            talk_feed(&desk, &talk, &in, str_c(paths[p]), &out);
            done = f.calls < n;
            assert_int_equal(talk.later == NULL, 1);
            assert_true(!done || count_of(buf_str(&out), "abc") + count_of(buf_str(&out), "6\r\nabcdef\r\n0\r\n") ==
                                     1 + (p == 1));
            assert_true(out.n == 0 || str_starts(buf_str(&out), S("HTTP/1.1 ")));
            desk_fini(&desk);
            buf_fini(&in);
            buf_fini(&out);
            assert_int_equal(f.live, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_comes_in_its_turn),
        cmocka_unit_test(nobody_else_waits),
        cmocka_unit_test(a_client_that_does_not_read_is_let_go),
        cmocka_unit_test(a_server_that_stops_cuts_them_off),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
