/* SPDX-License-Identifier: Apache-2.0
 *
 * Which site a request is for, what of a program's sites is refused, and who is asked over HTTP: by a server that is another
 * thread of the test, with clients that go, too many at once, and without memory. tests/flows/sites.sh does it over TLS.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "serving_unit.h"

#include "app/sites.h"
#include "net/later.h"
#include "sys/stage.h"

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})
#define TREE TESTS_FOLDER "/http/scoped"

/* ---- names ---- */

static struct site *choose(const struct sites *s, const char *sni, const char *host)
{
    struct http_request q = {.authority = str_c(host), .named = sni ? sites_named(s, str_c(sni)) : NULL};
    return sites_choose(s, &q);
}

static void names_choose_sites(void **state)
{
    (void)state;
    const struct pap_serve_site sites[] = {
        {.domain = "shop.example", .folder = TREE, .aliases = LIST("www.shop.example", "xn--bcher-kva.example")},
        {.domain = "Bakery.Example", .folder = TREE},
    };
    static char longest[400];
    memset(longest, 'a', sizeof longest - 1);
    const struct {
        const char *sni, *host;
        int site, with_fallback; /* -1: none */
    } rows[] = {
        {NULL, "shop.example", 0, 0},
        {NULL, "SHOP.example:8443", 0, 0},
        {NULL, "shop.example.", 0, 0},
        {NULL, "shop.example.:1", 0, 0},
        {NULL, "shop.example..", -1, 1},
        {NULL, "www.shop.example", 0, 0},
        {NULL, "xn--bcher-kva.example", 0, 0},
        {NULL, "bakery.example", 1, 1},
        {NULL, "a.bakery.example", -1, 1},
        {NULL, "", -1, 1},
        {NULL, ".", -1, 1},
        {NULL, ":80", -1, 1},
        {NULL, "[::1]:80", -1, 1},
        {NULL, "127.0.0.1", -1, 1},
        {NULL, longest, -1, 1},
        {"shop.example", "shop.example", 0, 0},
        {"WWW.shop.example", "shop.example:1", 0, 0},
        {"shop.example.", "shop.example", 0, 0},
        {"shop.example", "bakery.example", -1, -1},
        {"shop.example", "other.example", -1, -1},
        {"other.example", "shop.example", -1, -1},
        {"other.example", "bakery.example", -1, 1},
        {"other.example", "another.example", -1, 1},
        {longest, "shop.example", -1, -1},
    };
    for (unsigned fallback = 0; fallback < 2; fallback++) {
        struct sites s;
        struct pap_serve_options o = {.sites = sites, .n_sites = 2, .fallback = fallback ? "bakery.example" : NULL};
        assert_ok(sites_open(&s, &o, NULL, NULL));
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            int want = fallback ? rows[i].with_fallback : rows[i].site;
            const struct site *got = choose(&s, rows[i].sni, rows[i].host);
            if (got != (want < 0 ? NULL : &s.at[want]))
                unit_fail("%zu: %s, %s", i, rows[i].sni ? rows[i].sni : "-", rows[i].host);
        }
        sites_close(&s);
    }
}

static void wrong_sites_are_refused(void **state)
{
    (void)state;
    const struct pap_serve_scope scope = {.name = "a", .skills = LIST("*"), .anybody = true};
    static struct pap_serve_site many[LIMIT_HOST_SITES + 1];
    const struct {
        struct pap_serve_options o;
        const char *why;
    } rows[] = {
        {{.sites = &(struct pap_serve_site){.folder = "x"}, .n_sites = 1}, "has no domain"},
        {{.sites = &(struct pap_serve_site){.domain = ""}, .n_sites = 1}, "has no domain"},
        {{.sites = &(struct pap_serve_site){.domain = "a b"}, .n_sites = 1}, "is no domain"},
        {{.sites = &(struct pap_serve_site){.domain = "127.0.0.1"}, .n_sites = 1}, "is no domain"},
        {{.sites = &(struct pap_serve_site){.domain = "a.example", .aliases = LIST("A.Example")}, .n_sites = 1},
         "two sites"},
        {{.sites = many, .n_sites = LIMIT_HOST_SITES + 1}, "can have 100 sites"},
        {{.fallback = "a.example"}, "without sites"},
        {{.ask = "https://a.example/"}, "needs scopes"},
        {{.open = LIST("a")}, "needs scopes"},
        {{.scopes = &scope, .n_scopes = 1, .ask = "http://a.example/"}, "over https"},
        {{.scopes = &scope, .n_scopes = 1, .ask = "http://127.0.0.1.a.example/"}, "over https"},
        {{.scopes = &scope, .n_scopes = 1, .ask = "http://10.0.0.1/"}, "over https"},
        {{.scopes = &scope, .n_scopes = 1, .ask = "/may"}, "no URL"},
        {{.scopes = &scope, .n_scopes = 1, .ask = "file:///etc/passwd"}, "no URL"},
        {{.scopes = &scope, .n_scopes = 1, .ask = "https://"}, "no URL"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sites s;
        struct pap_err err = {.text = ""};
        assert_int_equal(sites_open(&s, &rows[i].o, NULL, &err).code, PAP_USAGE);
        if (str_find(str_c(err.text), str_c(rows[i].why)) == strlen(err.text))
            unit_fail("%zu: %s", i, err.text);
        sites_close(&s);
    }
    static const char *const good[] = {"https://a.example/may", "http://localhost:9000/", "http://127.0.0.1/",
                                       "http://[::1]:80/x?y"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_ok(asker_check_url(good[i], NULL));
}

static void sites_without_memory(void **state)
{
    (void)state;
    const struct pap_serve_scope scope = {.name = "a", .skills = LIST("deploy-*"), .anybody = true};
    const struct pap_serve_site sites[] = {{.domain = "shop.example",
                                            .folder = TREE,
                                            .aliases = LIST("www.shop.example"),
                                            .scopes = &scope,
                                            .n_scopes = 1},
                                           {.domain = "bakery.example", .folder = TESTS_FOLDER "/http/none"}};
    for (unsigned n = 1;; n++) {
        struct sites s;
        struct fail_alloc f;
        struct pap_err err = {.text = ""};
        fail_alloc_init(&f, n);
        struct pap_serve_options o = {.alloc = &f.alloc, .sites = sites, .n_sites = 2, .no_watch = true, .control = -1};
        pap_result r = sites_open(&s, &o, NULL, &err);
        if (is_ok(r))
            r = sites_load(&s, &o, &err);
        sites_close(&s);
        assert_int_equal(f.live, 0);
        if (f.calls < n) { /* the second has no tree */
            assert_int_equal(r.code, PAP_IO);
            assert_true(str_starts(str_c(err.text), S("bakery.example: ")));
            break;
        }
        assert_int_equal(r.code, PAP_NO_MEMORY);
    }
}

/* ---- who is asked ---- */

/* The server that is asked: its answer is the number in the credential; "hold" waits until it may go on. */
static struct {
    atomic_uint asked;
    atomic_bool hold;
    pthread_mutex_t lock;
    char last[1024];
} other = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void be_asked(void *ctx, const struct http_request *q, struct http_response *ret)
{
    uint64_t status = 0;
    (void)ctx;
    (void)pthread_mutex_lock(&other.lock);
    (void)snprintf(other.last, sizeof other.last, "%.*s %.*s", PSTR(q->method), PSTR(q->body));
    (void)pthread_mutex_unlock(&other.lock);
    other.asked++;
    while (other.hold)
        (void)usleep(1000);
    struct pap_str number = str_skip(q->body, str_find(q->body, S("number ")) + 7);
    ret->status = str_to_u64(str_take(number, str_find_char(number, '"')), &status) ? (int)status : 200;
}

/* A site whose skills are all in scopes, with somebody to ask. */
struct asking_site {
    struct sites sites;
    struct asker *asker;
    struct server *other, *server;
    unsigned port;
    atomic_uint answered;
    char url[64];
    struct pap_serve_scope scopes[2];
    struct pap_serve_options o;
};

static void count(void *ctx, int status)
{
    struct asking_site *s = ctx;
    assert_in_range(status, 200, 599);
    s->answered++;
}

static void handle(void *ctx, const struct http_request *q, struct http_response *ret)
{
    struct asking_site *s = ctx;
    host_handle(&s->sites.at[0].host, q, ret);
}

static void begin(struct asking_site *s)
{
    static const char *const all[] = {"*", NULL}, *const one[] = {"refund-order", NULL};
    unsigned other_port;
    memset(s, 0, sizeof *s);
    other.asked = 0;
    other.hold = false;
    s->other = serve((struct server_options){.site = {.handle = be_asked}, .workers = 16}, false, &other_port);
    (void)snprintf(s->url, sizeof s->url, "http://127.0.0.1:%u/may", other_port);
    s->scopes[0] = (struct pap_serve_scope){.name = "all", .skills = all};
    s->scopes[1] = (struct pap_serve_scope){.name = "one", .skills = one};
    s->o = (struct pap_serve_options){
        .folder = TREE, .scopes = s->scopes, .n_scopes = 2, .ask = s->url, .domain = "shop.example", .no_watch = true};
    assert_ok(asker_new(&(struct asker_options){.answered = count, .ctx = s}, &s->asker, NULL));
    assert_ok(sites_open(&s->sites, &s->o, s->asker, NULL));
    assert_ok(sites_load(&s->sites, &s->o, NULL));
    s->server = serve((struct server_options){.site = {.handle = handle, .ctx = s}, .workers = 1}, false, &s->port);
}

static void end(struct asking_site *s)
{
    server_stop(s->server, 5000);
    asker_free(s->asker);
    sites_close(&s->sites);
    server_stop(s->other, 1000);
}

#define INDEX "/.well-known/agent-skills/index.json"
#define ASK(credential)                                                                                  \
    "GET " INDEX " HTTP/1.1\r\nHost: a\r\nRemote-Skills-Scope: one\r\nAuthorization: " credential "\r\n" \
    "Connection: close\r\n\r\n"

static void what_is_said_decides(void **state)
{
    (void)state;
    static const struct {
        const char *request;
        unsigned status;
    } rows[] = {
        {ASK("number 200"), 200}, {ASK("number 204"), 200}, {ASK("number 401"), 401}, {ASK("number 403"), 403},
        {ASK("number 500"), 503}, {ASK("number 302"), 503}, {ASK("number 404"), 503}, {ASK("number 206"), 503},
        {ASK("number 429"), 503}, {ASK("\"\\/ <>&"), 200},
    };
    struct asking_site s;
    begin(&s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf out;
        char head[32];
        (void)snprintf(head, sizeof head, "HTTP/1.1 %u ", rows[i].status);
        assert_true(ask(s.port, str_c(rows[i].request), 5000, &out));
        if (!str_starts(buf_str(&out), str_c(head)))
            unit_fail("%zu: %.*s", i, PSTR(buf_str(&out)));
        assert_int_equal(count_of(buf_str(&out), "Remote-Skills-Scope: one\r\n"), rows[i].status == 200);
        buf_fini(&out);
    }
    assert_int_equal(other.asked, sizeof rows / sizeof *rows);
    assert_string_equal(other.last, "POST {\"site\":\"shop.example\",\"scopes\":[\"one\"],\"authorization\":"
                                    "\"\\\"\\\\/ \\u003c\\u003e\\u0026\"}");
    assert_int_equal(s.answered, sizeof rows / sizeof *rows);
    end(&s);
}

/* While all who ask wait, those who need nobody are answered; what is too much is refused; who goes costs nothing more; and the
 * end answers what waits. */
static void too_many_at_once(void **state)
{
    (void)state;
    enum { MANY = 300, ROOM = 8 + 256 };
    struct asking_site s;
    struct buf out;
    int fds[MANY];
    bool ended;
    begin(&s);
    other.hold = true;
    for (unsigned i = 0; i < MANY; i++) {
        fds[i] = connect_to(s.port);
        send_all(fds[i], S(ASK("number 200")));
        if (i < 8) /* those that are under way do not take room of those that wait */
            for (unsigned k = 0; k < 1000 && other.asked <= i; k++)
                (void)usleep(1000);
    }
    assert_int_equal(other.asked, 8);
    buf_init(&out, NULL, 1 << 20);
    for (unsigned i = ROOM; i < MANY; i++) {
        buf_reset(&out);
        receive_all(fds[i], &out, SIZE_MAX, 2000, &ended);
        assert_true(ended && str_starts(buf_str(&out), S("HTTP/1.1 503 ")));
        close(fds[i]);
    }
    buf_fini(&out);
    assert_true(
        ask(s.port, S("GET /.well-known/security.txt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"), 2000, &out));
    assert_true(str_starts(buf_str(&out), S("HTTP/1.1 200 ")));
    buf_fini(&out);
    for (unsigned i = 8; i < ROOM; i += 2) /* gone before their turn */
        close(fds[i]);
    (void)usleep(50000);
    other.hold = false;
    buf_init(&out, NULL, 1 << 20);
    for (unsigned i = 0; i < ROOM; i++) {
        if (i >= 8 && i % 2 == 0)
            continue;
        buf_reset(&out);
        receive_all(fds[i], &out, SIZE_MAX, 5000, &ended);
        assert_true(ended);
        assert_true(str_starts(buf_str(&out), S("HTTP/1.1 200 ")) || str_starts(buf_str(&out), S("HTTP/1.1 503 ")));
        close(fds[i]);
    }
    buf_fini(&out);
    assert_in_range(other.asked, 8, 8 + 128 + 20);
    end(&s);
}

/* The tree is replaced while somebody is asked: the answer is from the one that the request began with. */
static void the_tree_stays_while_one_waits(void **state)
{
    (void)state;
    struct asking_site s;
    struct buf out;
    bool ended;
    begin(&s);
    other.hold = true;
    int fd = connect_to(s.port);
    send_all(fd, S(ASK("number 200")));
    for (unsigned k = 0; k < 1000 && other.asked == 0; k++)
        (void)usleep(1000);
    struct generation *next;
    assert_ok(source_load(&s.sites.at[0].source, NULL, &next, NULL));
    host_swap(&s.sites.at[0].host, next);
    other.hold = false;
    buf_init(&out, NULL, 1 << 20);
    receive_all(fd, &out, SIZE_MAX, 3000, &ended);
    assert_true(ended && str_starts(buf_str(&out), S("HTTP/1.1 200 ")));
    buf_fini(&out);
    close(fd);
    end(&s);
}

/* Memory that fails at its nth call, whichever thread makes it. */
struct locked_alloc {
    struct pap_alloc alloc;
    pthread_mutex_t lock;
    struct fail_alloc f;
};

static void *locked_fn(void *ctx, void *old, size_t old_size, size_t new_size)
{
    struct locked_alloc *l = ctx;
    (void)pthread_mutex_lock(&l->lock);
    void *p = fail_alloc_fn(&l->f, old, old_size, new_size);
    (void)pthread_mutex_unlock(&l->lock);
    return p;
}

static void asking_without_memory(void **state)
{
    (void)state;
    struct asking_site s;
    begin(&s);
    struct header fields[] = {{S("Remote-Skills-Scope"), S("one")}, {S("Authorization"), S("number 200")}};
    const struct http_request q = {
        .method = S("GET"), .path = S(INDEX), .target = S(INDEX), .headers = fields, .n_headers = 2};
    unsigned n = 1, done = 0;
    for (; n < 2000; n++) {
        struct locked_alloc l = {.lock = PTHREAD_MUTEX_INITIALIZER};
        struct arena arena;
        struct asker *asker;
        arena_init(&arena, NULL);
        fail_alloc_init(&l.f, 0);
        l.alloc = (struct pap_alloc){locked_fn, &l};
        assert_ok(asker_new(&(struct asker_options){.alloc = &l.alloc}, &asker, NULL));
        struct asked to = {asker, s.url};
        struct access access = *s.sites.at[0].access;
        access.ask_ctx = &to;
        unsigned before = l.f.calls;
        l.f.fail_at = before + n;
        struct generation *g = host_take(&s.sites.at[0].host);
        struct http_response r = {.arena = &arena};
        const struct question question = {&access, 2, S("number 200"), &(struct asking){g, &q, &r, NULL}};
        enum verdict v = asker_ask(&to, &question);
        assert_true(v == VERDICT_LATER || v == VERDICT_FAILED);
        assert_int_equal(v == VERDICT_LATER, r.later != NULL);
        if (r.later)
            later_leave(r.later);
        generation_drop(g);
        asker_free(asker);
        done += v == VERDICT_LATER;
        bool all = l.f.calls < before + n;
        assert_int_equal(l.f.live, 0);
        arena_fini(&arena);
        if (all)
            break;
    }
    assert_true(done > 0);
    assert_in_range(n, 5, 1999);
    for (unsigned i = 1;; i++) { /* its own beginning */
        struct fail_alloc f;
        struct asker *asker = NULL;
        fail_alloc_init(&f, i);
        pap_result r = asker_new(&(struct asker_options){.alloc = &f.alloc}, &asker, NULL);
        asker_free(asker);
        assert_int_equal(f.live, 0);
        if (f.calls < i)
            break;
        assert_int_equal(r.code, PAP_NO_MEMORY);
    }
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_choose_sites),    cmocka_unit_test(wrong_sites_are_refused),
        cmocka_unit_test(sites_without_memory),  cmocka_unit_test(what_is_said_decides),
        cmocka_unit_test(too_many_at_once),      cmocka_unit_test(the_tree_stays_while_one_waits),
        cmocka_unit_test(asking_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
