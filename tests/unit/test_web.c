/* SPDX-License-Identifier: Apache-2.0
 *
 * Every address of the site without a socket: what it answers, what it refuses, and that text of anybody stays text.
 */
#include "web_unit.h"

/* What a stranger would like to see interpreted somewhere. */
#define EVIL \
    "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>&amp;\x1b[31m\xe2\x80\xae=cmd|' /C calc'!A0`$(id)`"

static const struct {
    const char *line;
    int status;
    const char *has; /* somewhere in the answer; or NULL */
} requests[] = {
    {"GET /", 200, "<h1>Is your poppy.json right?</h1>"},
    {"GET /?domain=shop.example.com", 303, "Location: /check/shop.example.com\r\n"},
    {"GET /?domain=b%C3%BCcher.de", 303, "Location: /check/b%C3%BCcher.de\r\n"},
    {"GET /?domain=%0d%0aSet-Cookie:%20a=b", 303, "Location: /check/Set-Cookie%3A%20a%3Db\r\n"},
    {"GET /?domain=//evil.example/", 303, "Location: /check/%2F%2Fevil.example%2F\r\n"},
    {"GET /?domain=+", 200, "<h1>"},
    {"GET /paste", 200, "<textarea"},
    {"GET /about", 200, "https://check.example/about"},
    {"GET /opt-out", 200, "papaver-opt-out"},
    {"GET /api", 200, "POST /api/v1/judge"},
    {"GET /explain", 200, "poppy.auth.issuer"},
    {"GET /explain?q=issuer", 200, "poppy.auth.issuer"},
    {"GET /explain?q=nothing-has-this", 200, "No rule has that"},
    {"GET /explain?q=%3Cscript%3E%22onload=", 200, "&lt;script&gt;&quot;onload="},
    {"GET /explain/poppy.auth.issuer", 200, "How to mend it"},
    {"GET /explain/poppy.auth.isuer", 404, "Maybe poppy.auth.issuer was meant."},
    {"GET /explain/%3Cscript%3E", 404, "no such rule"},
    {"GET /explain/%00", 400, NULL}, /* by the server */
    {"GET /api/openapi.json", 200, "\"openapi\": \"3.1.0\""},
    {"GET /api/v1/rules", 200, "\"poppy.auth.issuer\""},
    {"GET /api/v1/rules/poppy.auth.issuer", 200, "\"id\":\"poppy.auth.issuer\""},
    {"GET /api/v1/rules/nothing", 404, "application/problem+json"},
    {"GET /assets/site-x.css", 200, "text/css"},
    {"GET /assets/site-x.js", 200, "text/javascript"},
    {"GET /assets/site-.js", 404, NULL},
    {"GET /assets/../robots.txt", 400, NULL},
    {"GET /favicon.svg", 200, "image/svg+xml"},
    {"GET /robots.txt", 200, "Disallow: /check/"},
    {"GET /.well-known/poppy.json", 200, "\"web\": {}"},
    {"GET /nothing", 404, "no such page"},
    {"GET /check", 405, "Allow: POST\r\n"},
    {"POST /", 405, "Allow: GET, HEAD\r\n"},
    {"DELETE /explain", 405, "Allow: GET, HEAD\r\n"},
    {"GET /explain/a/b", 404, NULL},
    {"GET //", 404, NULL},
};

static void every_address_answers(void **state)
{
    (void)state;
    struct web_site s;
    web_begin_with(&s, (struct web_options){0});
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        struct pap_str a = web_ask(&s, requests[i].line, "");
        if (web_status(a) != requests[i].status || (requests[i].has && !web_has(a, requests[i].has)))
            unit_fail("%s: want %d and \"%s\", got %.*s", requests[i].line, requests[i].status, requests[i].has,
                      PSTR(a));
        if (requests[i].status != 400)
            assert_str(web_field(a, "X-Content-Type-Options"), "nosniff");
        assert_null(web_field(a, "Set-Cookie").p);
    }
    web_end(&s);
}

/* Pages load nothing of others and run nothing but the one script. */
static void every_page_has_a_strict_policy(void **state)
{
    (void)state;
    struct web_site s;
    web_begin_with(&s, (struct web_options){0});
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        struct pap_str a = web_ask(&s, requests[i].line, "");
        if (!str_starts(web_field(a, "Content-Type"), S("text/html")))
            continue;
        struct pap_str policy = web_field(a, "Content-Security-Policy");
        assert_true(str_starts(policy, S("default-src 'none'; ")));
        assert_false(web_has(policy, "unsafe"));
        size_t scripts = 0;
        for (struct pap_str rest = a; str_find(rest, S("<script")) < rest.n; scripts++)
            rest = str_skip(rest, str_find(rest, S("<script")) + 1);
        assert_int_equal(scripts, 1);
        assert_false(web_has(a, " style=") || web_has(a, " onclick=") || web_has(a, "javascript:"));
        assert_true(web_has(a, "</html>") && web_has(a, "<h1>"));
    }
    web_end(&s);
}

static void what_did_not_change_is_not_sent_again(void **state)
{
    (void)state;
    struct web_site s;
    struct arena a;
    arena_init(&a, NULL);
    web_begin_with(&s, (struct web_options){0});
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        if (requests[i].status != 200 || strncmp(requests[i].line, "GET", 3) != 0)
            continue;
        struct pap_str tag = web_field(web_ask(&s, requests[i].line, ""), "ETag");
        if (!tag.n)
            unit_fail("%s has no ETag", requests[i].line);
        struct pap_str field = arena_fmt(&a, "If-None-Match: %.*s\r\n", PSTR(tag));
        struct pap_str again = web_ask(&s, requests[i].line, field.p);
        assert_int_equal(web_status(again), 304);
        assert_int_equal(web_body(again).n, 0);
        assert_true(str_eq(web_field(again, "ETag"), arena_str(&a, str_trim(str_skip(field, 15)))));
        char head[300];
        snprintf(head, sizeof head, "HEAD%s", requests[i].line + 3);
        struct pap_str without = web_ask(&s, head, "");
        assert_int_equal(web_status(without), 200);
        assert_int_equal(web_body(without).n, 0);
    }
    arena_fini(&a);
    web_end(&s);
}

static void a_pasted_document_is_judged(void **state)
{
    (void)state;
    struct web_site s;
    web_begin_with(&s, (struct web_options){0});
    struct pap_str a =
        web_ask_from(&s, "192.0.2.1", "POST /check", "Content-Type: application/x-www-form-urlencoded\r\n",
                     S("kind=poppy&document=%7B%22protocol_version%22%3A+%221%22%7D"));
    assert_int_equal(web_status(a), 200);
    assert_has(a, "href=\"/explain/poppy.");
    assert_has(a, "<div class=\"report\">");
    assert_null(web_field(a, "ETag").p);
    a = web_ask_from(&s, "192.0.2.1", "POST /check", "", S("document=+"));
    assert_int_equal(web_status(a), 400);
    a = web_ask_from(&s, "192.0.2.1", "POST /check", "", S("document=x&kind=archive"));
    assert_int_equal(web_status(a), 400);
    a = web_ask_from(&s, "192.0.2.1", "POST /check", "", S("document=hello"));
    assert_has(a, "not recognised as any document");
    a = web_ask_from(&s, "192.0.2.1", "POST /api/v1/judge?kind=poppy", "", S("{\"protocol_version\": \"0.1\"}"));
    assert_int_equal(web_status(a), 200);
    assert_str(web_field(a, "Access-Control-Allow-Origin"), "*");
    assert_true(str_starts(web_body(a), S("{")));
    web_end(&s);
}

static void nothing_of_a_document_gets_out_of_its_place(void **state)
{
    (void)state;
    struct web_site s;
    struct buf body;
    web_begin_with(&s, (struct web_options){0});
    buf_init(&body, NULL, 1 << 16);
    static const char document[] = "{\"protocol_version\": \""
                                   "<script>alert(1)</script>\\\"'><img src=x onerror=alert(2)>"
                                   "\", \"organization\": "
                                   "{\"name\": \"<svg/onload=1>\", \"domain\": \"<b>\"}, \"<i>\": 1}";
    buf_add(&body, S("kind=poppy&document="));
    form_encode(&body, str_c(document));
    struct pap_str a = web_ask_from(&s, "192.0.2.1", "POST /check", "", buf_str(&body));
    assert_int_equal(web_status(a), 200);
    static const char *const raw[] = {"<script>", "<img", "<svg/", "<b>alert", "<i>"};
    for (size_t i = 0; i < sizeof raw / sizeof raw[0]; i++)
        if (web_has(a, raw[i]))
            unit_fail("%s stands in %.*s", raw[i], PSTR(a));
    assert_has(a, "&lt;script&gt;");
    buf_fini(&body);
    web_end(&s);
}

static void a_visitor_may_only_so_often(void **state)
{
    (void)state;
    struct web_site s;
    web_begin_with(&s, (struct web_options){.checks_per_hour = 2});
    for (int i = 0; i < 2; i++)
        assert_int_equal(web_status(web_ask_from(&s, "192.0.2.1", "POST /api/v1/judge", "", S("{}"))), 200);
    struct pap_str a = web_ask_from(&s, "192.0.2.1", "POST /api/v1/judge", "", S("{}"));
    assert_int_equal(web_status(a), 429);
    assert_true(web_field(a, "Retry-After").n > 0);
    assert_has(a, "application/problem+json");
    assert_int_equal(web_status(web_ask_from(&s, "192.0.2.2", "POST /check", "", S("document={}"))), 200);
    assert_int_equal(web_status(web_ask_from(&s, "192.0.2.1", "POST /check", "", S("document={}"))), 429);
    assert_int_equal(web_status(web_ask(&s, "GET /", "")), 200);
    web_end(&s);
}

static void pages_of_others_cannot_ask(void **state)
{
    (void)state;
    struct web_site s;
    web_begin_with(&s, (struct web_options){0});
    struct pap_str d = S("document={}");
    assert_int_equal(web_status(web_ask_from(&s, "192.0.2.1", "POST /check", "Sec-Fetch-Site: cross-site\r\n", d)),
                     403);
    assert_int_equal(web_status(web_ask_from(&s, "192.0.2.1", "POST /check", "Sec-Fetch-Site: same-origin\r\n", d)),
                     200);
    web_end(&s);
}

/* Whatever allocation fails: an answer or none, never a crash, and nothing stays. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    static const char *const lines[] = {"GET /",
                                        "GET /?domain=a.b",
                                        "GET /explain?q=x",
                                        "GET /explain/poppy.auth.issuer",
                                        "GET /api/v1/rules/nothing",
                                        "GET /.well-known/poppy.json",
                                        "POST /check"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        for (unsigned n = 1; n < FAIL_ALLOC_MOST; n++) {
            struct fail_alloc f;
            struct web_site s;
            fail_alloc_init(&f, 0);
            web_begin_with(&s, (struct web_options){.alloc = &f.alloc});
            f.fail_at = f.calls + n;
            struct http_talk talk = {.connection = 1, .scheme = S("https"), .tail.file = -1};
            struct buf in, request;
            buf_init(&in, NULL, 1 << 20);
            buf_init(&request, NULL, 1 << 20);
            buf_fmt(&request, "%s HTTP/1.1\r\nHost: a\r\n", lines[i]);
            buf_add(&request, lines[i][0] == 'P' ? S("Content-Length: 11\r\n\r\ndocument={}") : S("\r\n"));
            talk_feed(&s.desk, &talk, &in, buf_str(&request), &s.out);
            talk_end(&s.desk, &talk);
            bool over = f.calls < f.fail_at;
            if (over)
                assert_true(web_status(buf_str(&s.out)) < 500);
            buf_fini(&in);
            buf_fini(&request);
            web_end(&s);
            assert_int_equal(f.live, 0);
            if (over)
                break;
        }
}

static void options_that_make_no_site(void **state)
{
    (void)state;
    static const char *const origins[] = {"",
                                          "check.example",
                                          "ftp://a.example",
                                          "https://a.example/",
                                          "https://a.example?x",
                                          "https://u@a.example",
                                          "https://"};
    struct clock clock = clock_stopped(0);
    for (size_t i = 0; i < sizeof origins / sizeof origins[0]; i++) {
        struct web *w;
        struct web_options o = {.clock = &clock, .origin = origins[i], .contact = "a@b.example"};
        struct pap_err err;
        if (web_new(&o, &w, &err).code != PAP_USAGE)
            unit_fail("%s is taken", origins[i]);
    }
}

/* openapi.json names each route of the API, and nothing else. */
static void the_api_is_described(void **state)
{
    (void)state;
    size_t n = 0, described = 0;
    struct pap_str all = str_c(site_openapi);
    for (const struct route *r = routes; r->pattern; r++) {
        char path[100];
        if (r->kind != ROUTE_API)
            continue;
        n++;
        struct pap_str p = str_c(r->pattern);
        size_t star = str_find_char(p, '*');
        snprintf(path, sizeof path, "\"%.*s", (int)star, p.p);
        if (str_find(all, str_c(path)) == all.n)
            unit_fail("%s is not in openapi.json", r->pattern);
    }
    for (struct pap_str rest = all; str_find(rest, S("\"operationId\"")) < rest.n; described++)
        rest = str_skip(rest, str_find(rest, S("\"operationId\"")) + 1);
    assert_int_equal(n, described);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_address_answers),
        cmocka_unit_test(every_page_has_a_strict_policy),
        cmocka_unit_test(what_did_not_change_is_not_sent_again),
        cmocka_unit_test(a_pasted_document_is_judged),
        cmocka_unit_test(nothing_of_a_document_gets_out_of_its_place),
        cmocka_unit_test(a_visitor_may_only_so_often),
        cmocka_unit_test(pages_of_others_cannot_ask),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(options_that_make_no_site),
        cmocka_unit_test(the_api_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
