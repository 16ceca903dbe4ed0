/* SPDX-License-Identifier: Apache-2.0
 *
 * The scripted transport, and with it the rules of redirects that it shares with the real client (net/walk.h).
 */
#include "lib/script.h"
#include "text/uri.h"

#include "unit.h"

static struct arena arena;
static struct budget budget;
static const struct exchange *last;

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, NULL);
    budget_init(&budget, &arena, S("shop.example"), 0);
    last = NULL;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_fini(&arena);
    return 0;
}

static void on_done(void *ctx, const struct exchange *x)
{
    (void)ctx;
    last = x;
}

static struct script *script(const char *text)
{
    struct script *s = NULL;
    struct pap_err err;
    if (!is_ok(script_parse(&arena, str_c(text), "/nonexistent", &s, &err)))
        unit_fail("%s", err.text);
    return s;
}

static const struct exchange *fetch(struct script *s, struct request r)
{
    struct transport *t = script_transport(s);
    last = NULL;
    assert_ok(t->start(t, &arena, &r, &budget, on_done, NULL));
    assert_int_equal(t->pending(t), 1);
    assert_null(last); /* never called from inside start */
    assert_ok(t->step(t, 0, NULL));
    assert_int_equal(t->pending(t), 0);
    assert_non_null(last);
    return last;
}

static const struct exchange *get(struct script *s, const char *url)
{
    return fetch(s, (struct request){.method = "GET", .url = str_c(url), .cap = 1000, .redirects = LIMIT_REDIRECTS});
}

static const char text[] = "# what a script may hold\n"
                           "\n"
                           "> GET https://shop.example/a.json\n"
                           "# a comment\n"
                           "~ tls TLSv1.2\n"
                           "~ not-after 2026-12-05T00:00:01Z\n"
                           "~ ms 2300\n"
                           "< 200 OK\n"
                           "< Content-Type:application/json; charset=utf-8\n"
                           "< Content-Type: x\n"
                           "{\n"
                           "\n"
                           "> GET is no request\n"
                           "}\n"
                           "\n"
                           "\n"
                           "> GET https://shop.example/a.json\n"
                           "< 304\n"
                           "> GET https://shop.example/b\n"
                           "< 200\n"
                           "# is a heading\n"
                           "%%\n"
                           "# is a comment\n"
                           "> GET https://shop.example/dead\n"
                           "! refused\n"
                           "> GET https://shop.example/expired\n"
                           "! tls says no\n"
                           "> GET https://shop.example/cut\n"
                           "< 200\n"
                           "half a\n"
                           "! protocol\n"
                           "> GET https://shop.example/bytes\n"
                           "< 200\n"
                           "@base64 AP8K/w==\n"
                           "> GET https://shop.example/large\n"
                           "< 200\n"
                           "@repeat 400 abc\n"
                           "> POST https://shop.example/post\n"
                           "< 302\n"
                           "< Location: /elsewhere\n";

static void answers_as_written(void **state)
{
    (void)state;
    struct script *s = script(text);
    const struct exchange *x = get(s, "https://shop.example/a.json#frag");
    assert_int_equal(x->fault, FAULT_NONE);
    assert_int_equal(exchange_status(x), 200);
    assert_str(x->body, "{\n\n> GET is no request\n}\n");
    const struct hop *h = exchange_last(x);
    assert_str(h->url, "https://shop.example/a.json");
    assert_str(h->tls_version, "TLSv1.2");
    assert_str(h->address, "192.0.2.1");
    assert_int_equal(h->not_after, 1796428801);
    assert_int_equal(h->ms, 2300);
    assert_int_equal(x->ms, 2300);
    assert_int_equal(script_now_ms(s), 2300);
    assert_int_equal(hop_header_count(h, "content-type"), 2);
    assert_str(hop_header(h, "content-type"), "application/json; charset=utf-8");
    assert_int_equal(exchange_status(get(s, "https://shop.example/a.json")), 304);
    assert_int_equal(exchange_status(get(s, "https://shop.example/a.json")), 304);
    assert_str(get(s, "https://shop.example/b")->body, "# is a heading\n");
    assert_memory_equal(get(s, "https://shop.example/bytes")->body.p, "\0\xff\n\xff", 4);
    x = get(s, "https://shop.example/none");
    assert_int_equal(exchange_status(x), 404);
    assert_str(hop_header(exchange_last(x), "Content-Type"), "text/plain");
    assert_int_equal(script_count(s, "GET", "https://shop.example/a.json"), 3);
    assert_int_equal(script_asked_count(s), 6);
    assert_false(script_asked(s, 5)->in_script);
    assert_null(script_asked(s, 6));
}

static void faults_as_written(void **state)
{
    (void)state;
    struct script *s = script(text);
    const struct exchange *x = get(s, "https://shop.example/dead");
    assert_int_equal(x->fault, FAULT_REFUSED);
    assert_str(x->fault_text, "shop.example (192.0.2.1:443) refused the connection");
    assert_int_equal(exchange_status(x), 0);
    assert_null(x->body.p);
    x = get(s, "https://shop.example/expired");
    assert_int_equal(x->fault, FAULT_TLS);
    assert_str(x->fault_text, "shop.example says no");
    x = get(s, "https://shop.example/cut");
    assert_int_equal(x->fault, FAULT_PROTOCOL);
    assert_true(x->body_cut);
    assert_str(x->body, "half a\n");
    x = get(s, "https://shop.example/large");
    assert_int_equal(x->fault, FAULT_TOO_LARGE);
    assert_int_equal(x->body.n, 1000);
    assert_true(x->body_cut);
}

static void mistakes_in_a_script_are_named(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "GET https://a.example/\n",
        "> GET https://a.example/\n",
        "> GET https://a.example/\n< x\n",
        "> GET https://a.example/\n! nonsense\n",
        "> GET https://a.example/\n~ x y\n< 200\n",
        "> GET https://a.example/\n< 200\n@base64 ?\n",
        "> GET https://a.example/\n< 200\n@ missing\n",
        "> GET https://a.example/\n{}\n",
        "> GET https://a.example/\n< 200\n@repeat x\n",
        "> GET https://a.example/\n~ not-after 2026\n< 200\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct script *s;
        assert_int_not_equal(script_parse(&arena, str_c(bad[i]), "/nonexistent", &s, NULL).code, PAP_OK);
    }
}

static void head_has_the_fields_of_get_and_no_body(void **state)
{
    (void)state;
    struct script *s = script(text);
    const struct exchange *x =
        fetch(s, (struct request){.method = "HEAD", .url = S("https://shop.example/a.json"), .cap = 1000});
    assert_int_equal(exchange_status(x), 200);
    assert_str(x->body, "");
    assert_int_equal(script_count(s, "HEAD", "https://shop.example/a.json"), 1);
}

#define SHOP "https://shop.example"
#define REDIRECT(from, to) "> GET " from "\n< 302\n< Location: " to "\n"

static const char redirects[] = REDIRECT(SHOP "/r1", "r2?x=1#frag") REDIRECT(SHOP "/r2?x=1", "//cdn.example/r3")
    REDIRECT("https://cdn.example/r3", "/r4") REDIRECT("https://cdn.example/r4", SHOP "/r5") REDIRECT(SHOP "/r5", "r6")
        REDIRECT(SHOP "/r6", "r7") "> GET " SHOP "/r6/end\n< 200\nend\n" REDIRECT(SHOP "/loop", "loop2")
            REDIRECT(SHOP "/loop2", "/loop#x") REDIRECT(SHOP "/http", "http://shop.example/x")
                REDIRECT(SHOP "/bad", "https://shop.example/a b") REDIRECT(SHOP "/user", "https://me@shop.example/")
                    REDIRECT(SHOP "/odd", "https://127.1/") REDIRECT(SHOP "/ftp", "ftp://shop.example/")
                        REDIRECT(SHOP "/nowhere", "https:x") "> GET " SHOP "/none\n< 301\n"
                                                             "> GET " SHOP
                                                             "/two\n< 301\n< Location: /a\n< Location: /b\n"
                                                             "> GET " SHOP "/300\n< 300\n< Location: /a\n"
                                                             "> GET " SHOP "/r2five\n< 308\n< Location: r2?x=1\n"
                                                             "> POST " SHOP "/post\n< 307\n< Location: /a\n";

static void redirects_are_walked(void **state)
{
    (void)state;
    struct script *s = script(redirects);
    const struct exchange *x = get(s, SHOP "/r1");
    assert_int_equal(x->fault, FAULT_REDIRECTS);
    assert_str(x->fault_text, SHOP "/r6 redirects to " SHOP "/r7, and at most 5 redirects are followed");
    assert_int_equal(x->n_hops, 6);
    assert_str(x->hops[1].url, SHOP "/r2?x=1");
    assert_str(x->hops[2].url, "https://cdn.example/r3");
    assert_str(x->url, SHOP "/r1");
    assert_str(x->final_url, SHOP "/r6");
    assert_int_equal(x->ms, 60);
    assert_int_equal(script_asked_count(s), 6);
    x = fetch(s, (struct request){.method = "HEAD", .url = S(SHOP "/r2five"), .cap = 10, .redirects = 7});
    assert_str(x->final_url, SHOP "/r7");
    assert_int_equal(exchange_status(x), 404);
    assert_str(x->hops[6].method, "HEAD");
}

static void redirects_that_must_not_be_followed(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        enum exchange_fault fault;
        size_t hops;
        const char *text;
    } rows[] = {
        {SHOP "/loop", FAULT_REDIRECTS, 2, "the redirects go in a loop: " SHOP "/loop2 leads back to " SHOP "/loop#x"},
        {SHOP "/http", FAULT_REDIRECT_TARGET, 2,
         SHOP "/http redirects to http://shop.example/x, which is not https; that "
              "was not asked"},
        {SHOP "/bad", FAULT_REDIRECT_TARGET, 1,
         SHOP "/bad redirects to \"https://shop.example/a b\", where there is a "
              "blank at byte 23"},
        {SHOP "/user", FAULT_REDIRECT_TARGET, 1,
         SHOP "/user redirects to \"https://[hidden]@shop.example/\", which has a user "
              "name"},
        {SHOP "/odd", FAULT_REDIRECT_TARGET, 1, NULL},
        {SHOP "/ftp", FAULT_REDIRECT_TARGET, 1, NULL},
        {SHOP "/nowhere", FAULT_REDIRECT_TARGET, 1, NULL},
        {SHOP "/none", FAULT_REDIRECT_TARGET, 1, SHOP "/none answered 301 without a Location header field"},
        {SHOP "/two", FAULT_REDIRECT_TARGET, 1, NULL},
        {SHOP "/300", FAULT_NONE, 1, NULL},
    };
    struct script *s = script(redirects);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct exchange *x = get(s, rows[i].url);
        assert_int_equal(x->fault, rows[i].fault);
        assert_int_equal(x->n_hops, rows[i].hops);
        if (rows[i].text)
            assert_str(x->fault_text, rows[i].text);
    }
    const struct exchange *x = get(s, SHOP "/http");
    assert_str(x->final_url, "http://shop.example/x"); /* shown, not asked */
    assert_int_equal(exchange_status(x), 0);
    assert_int_equal(script_count(s, "GET", "http://shop.example/x"), 0);
    x = fetch(s, (struct request){.method = "POST", .url = S(SHOP "/post"), .cap = 10, .redirects = 5});
    assert_int_equal(x->fault, FAULT_REDIRECTS);
    assert_int_equal(exchange_status(x), 307);
    x = fetch(s, (struct request){.method = "GET", .url = S(SHOP "/r1"), .cap = 10});
    assert_int_equal(x->fault, FAULT_REDIRECTS);
    assert_int_equal(x->n_hops, 1);
}

static void urls_that_must_not_be_asked(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "http://shop.example/",
        "shop.example",
        "https://me:pw@shop.example/",
        "https://0x7f.1/",
        "https://127.1/",
        "https://2130706433/",
        "https://sh\xc3\xb6p.example/",
        "https://shop.example/\xff",
        "https://shop.example:0/",
        "https://[fe80::1%25eth0]/",
        "file:///etc/passwd",
        "https://%31.example/",
        "https:///x",
        "",
        "https://shop.example/a\r\nb",
    };
    struct script *s = script("");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct exchange *x = get(s, bad[i]);
        assert_int_equal(x->fault, FAULT_URL);
        assert_int_equal(x->n_hops, 0);
        assert_true(x->fault_text.n > 0);
    }
    assert_int_equal(script_asked_count(s), 0);
    assert_int_equal(budget.requests_left, LIMIT_REQUESTS);
}

static void budget_holds_for_hops(void **state)
{
    (void)state;
    struct script *s = script(redirects);
    budget.requests_left = 2;
    const struct exchange *x = get(s, SHOP "/r1");
    assert_int_equal(x->fault, FAULT_BUDGET);
    assert_int_equal(x->n_hops, 2);
    budget.requests_left = 100;
    budget.bytes_left = 5;
    s = script("> GET " SHOP "/\n< 200\n@repeat 10 x\n");
    x = get(s, SHOP "/");
    assert_int_equal(x->fault, FAULT_BUDGET);
    assert_int_equal(x->body.n, 5);
    x = get(s, SHOP "/");
    assert_int_equal(x->fault, FAULT_BUDGET);
    assert_int_equal(x->n_hops, 0);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct script *s = script(redirects);
    struct transport *t = script_transport(s);
    for (unsigned n = 1; n < FAIL_ALLOC_MOST; n++) {
        struct fail_alloc f;
        struct arena a;
        fail_alloc_init(&f, n);
        arena_init(&a, &f.alloc);
        budget_init(&budget, &a, S("shop.example"), 0);
        /* small blocks, so that more than one allocation happens */
        struct request r = {.method = "GET", .url = S(SHOP "/r1"), .cap = 100, .redirects = 4};
        char *pad = arena_text(&a, 1);
        while (pad && a.end - a.at > 700)
            pad = arena_text(&a, 500);
        pap_result started = pad ? t->start(t, &a, &r, &budget, on_done, NULL) : (pap_result){PAP_NO_MEMORY};
        pap_result stepped = is_ok(started) ? t->step(t, 0, NULL) : started;
        arena_fini(&a);
        assert_int_equal(f.live, 0);
        assert_int_equal(t->pending(t), 0);
        if (is_ok(stepped)) {
            assert_true(n > 2);
            return;
        }
        assert_int_equal(stepped.code, PAP_NO_MEMORY);
    }
    unit_fail("never whole");
}

static bool may(void *ctx, const struct uri *to, int64_t now, const char **ret_why)
{
    unsigned *asked = ctx;
    assert_true(now >= 0);
    ++*asked;
    *ret_why = str_is(to->host, "busy.example") ? "that host was asked enough" : NULL;
    return !*ret_why;
}

static void a_limit_that_checks_share_is_asked_at_each_hop(void **state)
{
    (void)state;
    unsigned asked = 0;
    struct script *s = script("> GET https://shop.example/a\n< 302\n< Location: https://busy.example/\n");
    budget.may = may;
    budget.may_ctx = &asked;
    const struct exchange *x = get(s, "https://shop.example/a");
    assert_int_equal(x->fault, FAULT_BUDGET);
    assert_true(str_ends(x->fault_text, S("that host was asked enough")));
    assert_int_equal(asked, 2);
    assert_int_equal(script_asked_count(s), 1);
    budget.requests_left = 0;
    assert_int_equal(get(s, "https://shop.example/a")->fault, FAULT_BUDGET);
    assert_int_equal(asked, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_limit_that_checks_share_is_asked_at_each_hop, set_up, tear_down),
        cmocka_unit_test_setup_teardown(answers_as_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(faults_as_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(mistakes_in_a_script_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(head_has_the_fields_of_get_and_no_body, set_up, tear_down),
        cmocka_unit_test_setup_teardown(redirects_are_walked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(redirects_that_must_not_be_followed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(urls_that_must_not_be_asked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(budget_holds_for_hops, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
