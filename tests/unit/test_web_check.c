/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that visitors ask for, without a network: the runner over a script of answers, reports kept and shown in each
 * format, who joins, who has to wait, what is refused.
 */
#include "fake_dns.h"
#include "web_check_unit.h"

#define JSON "< 200\n< Content-Type: application/json\n"
#define EVIL "<script>alert(1)</script>\\\"'>=cmd|' /C calc'!A0`$(id)`"

static const char world[] =
    "> GET https://shop.example/.well-known/poppy.json\n" JSON
    "{\"protocol_version\": \"0.1\", \"organization\": {\"name\": \"Shop\", \"domain\": \"shop.example\"}, \"web\": {}}\n%%\n"
    "> GET https://evil.example/.well-known/poppy.json\n< 200\n< Content-Type: application/json\n"
    "< Set-Cookie: session=s3cr3t\n< X-Evil: </dd><script>alert(3)</script>\n"
    "{\"protocol_version\": \"" EVIL "\", \"organization\": {\"name\": \"" EVIL "\", \"domain\": \"" EVIL "\"}, \"" EVIL
    "\": 1, \"web\": {\"browser_session_endpoint\": \"javascript:alert(4)\"}}\n%%\n"
    "> GET https://gone.example/.well-known/poppy.json\n! dns\n"
    "> GET https://ports.example/.well-known/poppy.json\n< 302\n< Location: https://ports.example:8443/poppy.json\n"
    "> GET https://out.example/.well-known/papaver-opt-out.txt\n< 200\n< Content-Type: text/plain\npapaver-opt-out\n%%\n"
    "> GET https://moved.example/.well-known/papaver-opt-out.txt\n< 302\n< Location: https://out.example/.well-known/papaver-opt-out.txt\n"
    "> GET https://soft.example/.well-known/papaver-opt-out.txt\n< 200\n< Content-Type: text/html\n<html>papaver-opt-out</html>\n%%\n";

static void a_domain_is_checked_and_its_report_shown(void **state)
{
    (void)state;
    struct fixture f;
    check_begin(&f, world);
    struct pap_str a = get(&f, "/check/shop.example");
    assert_int_equal(web_status(a), 404);
    assert_has(a, "<form method=\"post\" action=\"/check/shop.example\"");
    assert_int_equal(web_status(get(&f, "/check/shop.example/report.json")), 404);
    assert_has(get(&f, "/badge/shop.example.svg"), "not checked");
    a = post(&f, "/check/shop.example", "", "");
    assert_int_equal(web_status(a), 303);
    assert_str(web_field(a, "Location"), "/check/shop.example");
    a = get(&f, "/check/shop.example");
    assert_int_equal(web_status(a), 200);
    assert_has(a, "2026-12-01 00:00 UTC");
    assert_has(a, "<div class=\"report\">");
    assert_has(a, "Requests and answers");
    assert_has(get(&f, "/check/shop.example/report.json"), "\"target\": \"shop.example\"");
    assert_str(web_field(get(&f, "/check/shop.example/report.sarif"), "Content-Type"), "application/sarif+json");
    assert_has(get(&f, "/check/shop.example/report.md"), "`shop.example`");
    assert_int_equal(web_status(get(&f, "/check/shop.example/report.exe")), 404);
    assert_has(get(&f, "/badge/shop.example.svg"), "image/svg+xml");
    assert_has(get(&f, "/api/v1/check/shop.example"), "\"target\": \"shop.example\"");
    /* within a minute nobody is asked again */
    unsigned asked = script_count(f.script, "GET", "https://shop.example/.well-known/poppy.json");
    assert_int_equal(asked, 1);
    assert_int_equal(web_status(post(&f, "/check/shop.example", "", "")), 303);
    a = post(&f, "/api/v1/check/SHOP.example", "", "");
    assert_str(web_field(a, "Location"), "/api/v1/check/shop.example");
    assert_int_equal(script_count(f.script, "GET", "https://shop.example/.well-known/poppy.json"), 1);
    f.site.clock = clock_stopped(WEB_NOW + 61);
    assert_int_equal(web_status(post(&f, "/check/shop.example", "", "")), 303);
    assert_int_equal(script_count(f.script, "GET", "https://shop.example/.well-known/poppy.json"), 2);
    check_end(&f);
}

static void what_did_not_change_is_304(void **state)
{
    (void)state;
    static const char *const paths[] = {"/check/shop.example", "/check/shop.example/report.json",
                                        "/check/shop.example/report.md", "/badge/shop.example.svg",
                                        "/api/v1/check/shop.example"};
    struct fixture f;
    check_begin(&f, world);
    (void)post(&f, "/check/shop.example", "", "");
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char field[200], line[100];
        struct pap_str tag = web_field(get(&f, paths[i]), "ETag");
        snprintf(field, sizeof field, "If-None-Match: %.*s\r\n", PSTR(tag));
        snprintf(line, sizeof line, "GET %s", paths[i]);
        assert_int_equal(web_status(web_ask(&f.site, line, field)), 304);
    }
    check_end(&f);
}

static void a_check_is_told_while_it_runs(void **state)
{
    (void)state;
    struct fixture f;
    check_begin(&f, world);
    struct pap_str a = post(&f, "/check/shop.example", "Accept: text/event-stream\r\n", "");
    assert_int_equal(web_status(a), 200);
    assert_str(web_field(a, "Content-Type"), "text/event-stream");
    assert_has(
        a,
        "event: step\ndata: {\"method\":\"GET\",\"url\":\"https://shop.example/.well-known/poppy.json\",\"status\":200");
    assert_has(a, "event: done\ndata: {\"url\":\"/check/shop.example\"}\n\n");
    a = post(&f, "/check/shop.example", "Accept: text/event-stream\r\n", "");
    assert_false(web_has(a, "event: step"));
    assert_has(a, "event: done\n");
    check_end(&f);
}

static void nothing_of_a_site_gets_out_of_its_place(void **state)
{
    (void)state;
    static const char *const paths[] = {"/check/evil.example", "/badge/evil.example.svg"};
    static const char *const raw[] = {"<script>alert", "s3cr3t", "href=\"javascript:", "</dd><script"};
    struct fixture f;
    check_begin(&f, world);
    assert_int_equal(web_status(post(&f, "/check/evil.example", "", "")), 303);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        for (size_t k = 0; k < sizeof raw / sizeof raw[0]; k++)
            if (web_has(get(&f, paths[i]), raw[k]))
                unit_fail("%s: %s", paths[i], raw[k]);
    assert_has(get(&f, "/check/evil.example"), "&lt;script&gt;");
    assert_false(web_has(get(&f, "/check/evil.example/report.json"), "<script"));
    /* its document, as a file and never as a page */
    struct pap_str a = get(&f, "/check/evil.example"), link = str_skip(a, str_find(a, S("/check/evil.example/body/")));
    char path[200];
    snprintf(path, sizeof path, "%.*s", (int)str_find_char(link, '"'), link.p);
    a = get(&f, path);
    assert_int_equal(web_status(a), 200);
    assert_str(web_field(a, "Content-Type"), "text/plain; charset=utf-8");
    assert_true(str_starts(web_field(a, "Content-Disposition"), S("attachment")));
    assert_has(web_field(a, "Content-Security-Policy"), "sandbox");
    assert_has(web_body(a), "javascript:alert(4)");
    /* and only below its own name */
    snprintf(path, sizeof path, "/check/shop.example/body/%.64s", link.p + 25);
    assert_int_equal(web_status(get(&f, path)), 404);
    assert_int_equal(web_status(get(&f, "/check/evil.example/body/..")), 400);
    assert_int_equal(web_status(get(&f, "/check/evil.example/body/zz")), 404);
    check_end(&f);
}

static void names_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"127.0.0.1", "localhost",    "shop.example:8443", "a",   "http:%2F%2Fa.com",
                                        "%00",       "a%0d%0ab.com", "shop.internal",     "1.1", "%5B::1%5D"};
    struct fixture f;
    check_begin(&f, world);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[100];
        snprintf(path, sizeof path, "/check/%s", names[i]);
        assert_int_equal(web_status(post(&f, path, "", "")), 400);
        assert_int_equal(web_status(get(&f, path)), 400);
        snprintf(path, sizeof path, "/api/v1/check/%s", names[i]);
        assert_int_equal(web_status(post(&f, path, "", "")), 400);
        snprintf(path, sizeof path, "/badge/%s.svg", names[i]);
        assert_int_equal(web_status(get(&f, path)), 400);
    }
    assert_str(web_field(get(&f, "/check/Shop.Example"), "Location"), "/check/shop.example");
    assert_int_equal(script_asked_count(f.script), 0);
    check_end(&f);
}

static void what_cannot_be_reached_is_a_report_too(void **state)
{
    (void)state;
    struct fixture f;
    check_begin(&f, world);
    assert_int_equal(web_status(post(&f, "/check/gone.example", "", "")), 303);
    assert_has(get(&f, "/check/gone.example"), "could not be judged");
    assert_has(get(&f, "/badge/gone.example.svg"), "not reached");
    assert_int_equal(web_status(post(&f, "/check/ports.example", "", "")), 303);
    assert_has(get(&f, "/check/ports.example"), "only port 443 is asked");
    for (size_t i = 0; i < script_asked_count(f.script); i++)
        assert_int_equal(str_find(script_asked(f.script, i)->url, S(":8443")), script_asked(f.script, i)->url.n);
    check_end(&f);
}

static void a_host_that_was_asked_enough_is_left_alone(void **state)
{
    (void)state;
    struct fixture f;
    check_begin_with(&f, world, (struct runner_options){.host = {1, 1}});
    struct pap_str a = post(&f, "/check/shop.example", "", "");
    assert_int_equal(web_status(a), 303);
    assert_str(web_field(a, "Location"), "/check/shop.example?said=often");
    a = get(&f, "/check/shop.example?said=often");
    assert_int_equal(web_status(a), 404); /* no report, but why */
    assert_has(a, "was asked often enough");
    a = post(&f, "/api/v1/check/shop.example", "", "");
    assert_int_equal(web_status(a), 503);
    assert_str(web_field(a, "Content-Type"), "application/problem+json");
    assert_non_null(web_field(a, "Retry-After").p);
    assert_has(a, "was asked often enough");
    a = post(&f, "/check/shop.example", "Accept: text/event-stream\r\n", "");
    assert_has(a, "event: failed\ndata: {\"detail\":\"");
    check_end(&f);
}

/* How many of `n` names are checked (a0NAME, a1NAME ...) until somebody was asked often enough. */
static unsigned checked_of(struct fixture *f, unsigned n, const char *name)
{
    for (unsigned i = 0; i < n; i++) {
        char host[40], path[60];
        snprintf(host, sizeof host, "a%u%s", i, name);
        snprintf(path, sizeof path, "/check/%s", host);
        struct pap_str a = post(f, path, "", "");
        assert_int_equal(web_status(a), 303);
        if (web_has(web_field(a, "Location"), "?said=often"))
            return i;
    }
    return n;
}

static void names_that_cost_nothing_are_no_way_around(void **state)
{
    (void)state;
    struct fixture f;
    check_begin_with(&f, world, (struct runner_options){.host = {10, 1}});
    unsigned n = checked_of(&f, 60, ".shop.example"); /* 50 requests for all names below shop.example */
    assert_true(n >= 5 && n <= 50);
    assert_int_equal(checked_of(&f, 1, ".other.example"), 1);
    check_end(&f);
}

static void many_domains_at_one_address_are_asked_less(void **state)
{
    (void)state;
    enum { NAMES = 60 };
    static char texts[2 * NAMES][60];
    const char *to[2 * NAMES + 1] = {NULL};
    struct fixture f;
    for (unsigned i = 0; i < 2 * NAMES; i++) {
        snprintf(texts[i], sizeof texts[i], "%sa%u.example:443:127.0.0.1:1", i % 2 ? "www." : "", i / 2);
        to[i] = texts[i];
    }
    check_begin_with(&f, world, (struct runner_options){.host = {4, 1}, .connect_to = to});
    unsigned n = checked_of(&f, NAMES, ".example"); /* 80 connections to one address */
    if (n < 10 || n >= NAMES)
        unit_fail("%u of %d", n, NAMES);
    check_end(&f);
}

static void no_proof(struct fixture *f, const char *name, const char *said)
{
    char body[100], place[100], line[120];
    snprintf(body, sizeof body, "domain=%s", name);
    snprintf(place, sizeof place, "/opt-out?domain=%s&said=%s", name, said);
    struct pap_str a = post(f, "/opt-out", "", body);
    assert_int_equal(web_status(a), 303);
    assert_str(web_field(a, "Location"), place);
    snprintf(line, sizeof line, "GET %s", place);
    a = web_ask(&f->site, line, "");
    assert_has(a, "Nothing was changed.");
    assert_has(a, name);
}

static void a_domain_opts_out_by_itself(void **state)
{
    (void)state;
    struct fixture f;
    check_begin(&f, world);
    no_proof(&f, "moved.example", "no-proof");
    no_proof(&f, "soft.example", "no-proof");
    no_proof(&f, "shop.example", "no-proof");
    assert_int_equal(web_status(post(&f, "/opt-out", "", "domain=127.0.0.1")), 400);
    assert_int_equal(web_status(post(&f, "/check/out.example", "", "")), 303);
    assert_int_equal(web_status(get(&f, "/check/out.example")), 200);
    assert_false(web_has(get(&f, "/opt-out?done=out.example"), "is left alone from")); /* anybody can make a link */
    struct pap_str a = post(&f, "/opt-out", "", "domain=out.example");
    assert_int_equal(web_status(a), 303);
    assert_str(web_field(a, "Location"), "/opt-out?done=out.example");
    assert_has(get(&f, "/opt-out?done=out.example"), "is left alone from");
    assert_false(web_has(get(&f, "/opt-out?done=Call+0900+123"), "0900"));
    assert_false(web_has(get(&f, "/opt-out?said=%3Cb%3E"), "<b>"));
    size_t asked = script_asked_count(f.script);
    f.site.clock = clock_stopped(WEB_NOW + 100);
    assert_int_equal(web_status(get(&f, "/check/out.example")), 404);
    assert_int_equal(web_status(post(&f, "/check/out.example", "", "")), 404);
    assert_int_equal(web_status(post(&f, "/api/v1/check/out.example", "", "")), 404);
    assert_int_equal(script_asked_count(f.script), asked);
    check_end(&f);
}

static void the_dns_is_a_proof(void **state)
{
    (void)state;
    struct fixture f;
    struct fake_dns d;
    dns_begin(&d);
    check_begin_with(&f, world, (struct runner_options){.resolver = d.where});
    no_proof(&f, "no.example", "no-proof");
    no_proof(&f, "none.example", "no-proof");
    no_proof(&f, "alias.example", "no-proof");
    no_proof(&f, "trouble.example", "no-dns");
    assert_int_equal(web_status(post(&f, "/check/yes.example", "", "")), 303);
    assert_int_equal(web_status(get(&f, "/check/yes.example")), 200);
    assert_str(web_field(post(&f, "/opt-out", "", "domain=yes.example"), "Location"), "/opt-out?done=yes.example");
    assert_int_equal(web_status(get(&f, "/check/yes.example")), 404);
    /* the file first: nobody is asked twice */
    unsigned asked = atomic_load(&d.asked);
    assert_str(web_field(post(&f, "/opt-out", "", "domain=out.example"), "Location"), "/opt-out?done=out.example");
    assert_int_equal(atomic_load(&d.asked), asked);
    check_end(&f);
    dns_end(&d);
}

/* Somebody waits for a resolver that says nothing: the server stops all the same. */
static void a_silent_resolver_holds_nobody(void **state)
{
    (void)state;
    struct fixture f;
    struct fake_dns d;
    struct later *l;
    struct later_news news;
    struct buf body;
    struct limiter_key who = {{1}};
    dns_begin(&d);
    buf_init(&body, NULL, 1 << 16);
    check_begin_with(&f, world, (struct runner_options){.resolver = d.where});
    assert_int_equal(runner_ask(f.runner, RUNNER_OPT_OUT, S("silent.example"), RUNNER_EVENTS, &who, &l), RUNNER_TAKEN);
    for (int i = 0; !atomic_load(&d.asked) && i < 10000; i++)
        (void)usleep(1000);
    assert_int_equal(web_status(post(&f, "/check/shop.example", "", "")), 303); /* meanwhile */
    runner_stop(f.runner);
    f.runner = NULL;
    later_take(l, &body, &news);
    assert_true(news.ends);
    assert_has(buf_str(&body), "event: failed");
    later_leave(l);
    buf_fini(&body);
    check_end(&f);
    dns_end(&d);
}

static void a_server_that_stops_tells_who_waits(void **state)
{
    (void)state;
    struct fixture f;
    struct later *l[9];
    struct limiter_key who = {{1}};
    size_t n = 0;
    check_begin(&f, world);
    for (; n < 9; n++) {
        char name[32];
        snprintf(name, sizeof name, "a%zu.example", n);
        if (runner_ask(f.runner, RUNNER_CHECK, str_c(name), RUNNER_PAGE, &who, &l[n]) != RUNNER_TAKEN)
            break;
    }
    assert_true(n >= 1);
    runner_stop(f.runner);
    f.runner = NULL;
    for (size_t i = 0; i < n; i++) {
        struct buf body;
        struct later_news news;
        buf_init(&body, NULL, 1 << 16);
        later_take(l[i], &body, &news);
        assert_true(news.begins && news.ends && (news.status == 303 || news.status == 503));
        later_leave(l[i]);
        buf_fini(&body);
    }
    check_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_domain_is_checked_and_its_report_shown),
        cmocka_unit_test(what_did_not_change_is_304),
        cmocka_unit_test(a_check_is_told_while_it_runs),
        cmocka_unit_test(nothing_of_a_site_gets_out_of_its_place),
        cmocka_unit_test(names_that_are_none_are_refused),
        cmocka_unit_test(what_cannot_be_reached_is_a_report_too),
        cmocka_unit_test(a_host_that_was_asked_enough_is_left_alone),
        cmocka_unit_test(names_that_cost_nothing_are_no_way_around),
        cmocka_unit_test(many_domains_at_one_address_are_asked_less),
        cmocka_unit_test(a_domain_opts_out_by_itself),
        cmocka_unit_test(the_dns_is_a_proof),
        cmocka_unit_test(a_silent_resolver_holds_nobody),
        cmocka_unit_test(a_server_that_stops_tells_who_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
