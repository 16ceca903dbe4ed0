/* SPDX-License-Identifier: Apache-2.0
 *
 * The site keeps to robots.txt of those whose artifacts it would fetch (RFC 9309), and says so in the report.
 */
#include "fail_alloc.h"
#include "web/robots.h"
#include "web_check_unit.h"

#define ROBOTS "< 200\n< Content-Type: text/plain\n"
#define SKILL "< 200\n< Content-Type: text/markdown\n---\nname: a\ndescription: A.\n---\n%%\n"
#define ENTRY(name, url)                                                                                           \
    "{\"name\": \"" name "\", \"type\": \"skill-md\", \"description\": \"A.\", \"url\": \"" url "\", \"digest\": " \
    "\"sha256:05129e266a667172a31e0f9ffd2c9feececf8cf47e67e3abf66d86a5bc0a45a2\"}"
#define SITE(host, entries)                                                                                 \
    "> GET https://" host "/.well-known/agent-skills/index.json\n< 200\n< Content-Type: application/json\n" \
    "{\"$schema\": \"https://schemas.agentskills.io/discovery/0.2.0/schema.json\", \"skills\": [" entries "]}\n%%\n"

static const char world[] = SITE(
    "shop.example",
    ENTRY("a", "/open/a.md") "," ENTRY("b", "/closed/b.md") "," ENTRY("c", "/closed/c.md?x=1") "," ENTRY(
        "d",
        "https://cdn.example/d.md")) "> GET https://shop.example/robots.txt\n" ROBOTS
                                     "User-agent: *\nDisallow: /closed/\nDisallow: /.well-known/\n%%\n"
                                     "> GET https://shop.example/open/a.md\n" SKILL
                                     "> GET https://cdn.example/d.md\n" SKILL
                                         /* in trouble, then not */
                                         SITE(
                                             "later.example",
                                             ENTRY(
                                                 "a",
                                                 "/a.md")) "> GET https://later.example/robots.txt\n< 503\n> GET https://later.example/robots.txt\n< 404\n"
                                                           "> GET https://later.example/a.md\n" SKILL
                                                               /* nobody there */
                                                               SITE(
                                                                   "dead.example",
                                                                   ENTRY("a", "https://nobody.example/a.md") "," ENTRY(
                                                                       "b",
                                                                       "https://slow.example/b.md")) "> GET https://nobody.example/robots.txt\n! dns\n> GET https://slow.example/robots.txt\n! timeout\n"
    /* redirects, of artifacts and of the file */
    SITE(
        "moved.example",
        ENTRY("a", "/a.md") "," ENTRY("b", "/b.md") "," ENTRY("c", "https://ring.example/c.md") "," ENTRY(
            "d",
            "https://far.example/d.md")) "> GET https://moved.example/a.md\n< 302\n< Location: https://shop.example/closed/a.md\n"
                                         "> GET https://moved.example/b.md\n< 302\n< Location: https://shop.example/open/a.md\n"
                                         "> GET https://ring.example/robots.txt\n< 302\n< Location: /robots.txt\n"
                                         "> GET https://ring.example/c.md\n" SKILL
                                         "> GET https://far.example/robots.txt\n< 301\n< Location: https://shop.example/robots-of-far.txt\n"
                                         "> GET https://shop.example/robots-of-far.txt\n" ROBOTS
                                         "User-agent: papaver\nDisallow: /\n%%\n";

static unsigned asked(struct fixture *f, const char *url)
{
    return script_count(f->script, "GET", url);
}

static void checked(struct fixture *f, const char *path)
{
    struct pap_str a = post(f, path, "", "");
    if (web_status(a) != 303)
        unit_fail("%.*s", PSTR(a));
}

static void what_is_disallowed_is_not_asked(void **state)
{
    (void)state;
    struct fixture f;
    check_begin(&f, world);
    checked(&f, "/check/shop.example");
    assert_int_equal(asked(&f, "https://shop.example/robots.txt"), 1); /* for three that wait for it */
    assert_int_equal(asked(&f, "https://shop.example/open/a.md"), 1);
    assert_int_equal(asked(&f, "https://shop.example/closed/b.md"), 0);
    assert_int_equal(asked(&f, "https://shop.example/closed/c.md?x=1"), 0);
    assert_int_equal(asked(&f, "https://cdn.example/robots.txt"), 1); /* 404 */
    assert_int_equal(asked(&f, "https://cdn.example/d.md"), 1);
    /* what agents ask for themselves is no artifact */
    assert_int_equal(asked(&f, "https://shop.example/.well-known/agent-skills/index.json"), 1);
    struct pap_str a = get(&f, "/check/shop.example/report.json");
    assert_has(a, "this document and 1 more were not fetched and not judged: robots.txt of shop.example disallows it");
    assert_has(a, "\"http.not-asked\"");
    assert_false(web_has(a, "\"artifact.http.status\""));
    assert_has(get(&f, "/check/shop.example"), "robots.txt of shop.example disallows it");
    check_end(&f);
}

static void a_file_is_kept_for_a_day(void **state)
{
    (void)state;
    struct fixture f;
    check_begin(&f, world);
    checked(&f, "/check/shop.example");
    check_move(&f, 24 * 3600 - 1);
    checked(&f, "/check/shop.example");
    assert_int_equal(asked(&f, "https://shop.example/robots.txt"), 1);
    assert_int_equal(asked(&f, "https://shop.example/open/a.md"), 2);
    assert_int_equal(asked(&f, "https://shop.example/closed/b.md"), 0);
    check_move(&f, 100);
    checked(&f, "/check/shop.example");
    assert_int_equal(asked(&f, "https://shop.example/robots.txt"), 2);
    check_end(&f);
}

static void a_server_in_trouble_is_left_alone_for_a_while(void **state)
{
    (void)state;
    struct fixture f;
    check_begin(&f, world);
    checked(&f, "/check/later.example");
    assert_has(get(&f, "/check/later.example/report.json"),
               "robots.txt of later.example could not be had, which disallows everything");
    assert_int_equal(asked(&f, "https://later.example/a.md"), 0);
    check_move(&f, 9 * 60);
    checked(&f, "/check/later.example");
    assert_int_equal(asked(&f, "https://later.example/robots.txt"), 1);
    check_move(&f, 2 * 60);
    checked(&f, "/check/later.example");
    assert_int_equal(asked(&f, "https://later.example/robots.txt"), 2);
    assert_int_equal(asked(&f, "https://later.example/a.md"), 1);
    check_end(&f);
}

static void where_nobody_answers_the_artifact_is_unreachable(void **state)
{
    (void)state;
    struct fixture f;
    check_begin(&f, world);
    checked(&f, "/check/dead.example");
    struct pap_str a = get(&f, "/check/dead.example/report.json");
    assert_has(a, "\"artifact.http.status\"");
    assert_has(a, "robots.txt of slow.example could not be had");
    assert_int_equal(asked(&f, "https://nobody.example/a.md"), 0);
    assert_int_equal(asked(&f, "https://slow.example/b.md"), 0);
    check_end(&f);
}

static void redirects_are_asked_where_they_lead(void **state)
{
    (void)state;
    struct fixture f;
    check_begin(&f, world);
    checked(&f, "/check/moved.example");
    struct pap_str a = get(&f, "/check/moved.example/report.json");
    assert_has(a, "robots.txt of shop.example disallows it");
    assert_int_equal(asked(&f, "https://shop.example/closed/a.md"), 0);
    assert_int_equal(asked(&f, "https://shop.example/open/a.md"), 1);
    assert_int_equal(asked(&f, "https://shop.example/robots.txt"), 1);
    assert_int_equal(asked(&f, "https://ring.example/c.md"), 1); /* a loop is no file */
    assert_int_equal(asked(&f, "https://shop.example/robots-of-far.txt"), 1);
    assert_int_equal(asked(&f, "https://far.example/d.md"), 0);
    check_end(&f);
}

/* The cache alone: what it holds stays below its maximum, and each allocation may fail. */
static void the_cache_is_bounded(void **state)
{
    (void)state;
    struct hop hop = {.status = 200};
    struct exchange x = {.hops = &hop, .n_hops = 1};
    struct buf file;
    struct robots *r;
    buf_init(&file, NULL, LIMIT_ROBOTS);
    buf_add(&file, S("User-agent: *\n"));
    for (int i = 0; i < 2500; i++)
        buf_fmt(&file, "Disallow: /%0100d\n", i);
    x.body = buf_str(&file);
    assert_ok(robots_new(NULL, &r, NULL));
    bool known;
    char host[32];
    for (int i = 0; i < 100; i++) {
        snprintf(host, sizeof host, "h%d.example", i);
        assert_ok(robots_came(r, str_c(host), &x, 0, &known, NULL));
        assert_true(known);
        assert_int_equal(robots_ask(r, str_c(host), S("/b"), 1), ROBOTS_ALLOWED);
    }
    assert_int_equal(robots_ask(r, S("h0.example"), S("/b"), 1), ROBOTS_UNKNOWN);
    x.body = S("");
    for (int i = 0; i < 1000; i++) {
        snprintf(host, sizeof host, "e%d.example", i);
        assert_ok(robots_came(r, str_c(host), &x, 0, &known, NULL));
    }
    assert_int_equal(robots_ask(r, S("e100.example"), S("/b"), 1), ROBOTS_UNKNOWN);
    assert_int_equal(robots_ask(r, S("E999.example"), S("/b"), 1), ROBOTS_ALLOWED);
    x = (struct exchange){.hops = &hop, .n_hops = 1, .fault = FAULT_TOO_LARGE};
    x.body = S("User-agent: *\nDisallow: /x\nAllow: /x/pu");
    assert_ok(robots_came(r, S("e999.example"), &x, 0, &known, NULL));
    assert_int_equal(robots_ask(r, S("e999.example"), S("/x/public"), 1), ROBOTS_DISALLOWED);
    robots_free(r);
    unsigned n = 1;
    for (; n < FAIL_ALLOC_MOST; n++) {
        struct fail_alloc f;
        fail_alloc_init(&f, n);
        pap_result result = robots_new(&f.alloc, &r, NULL);
        if (is_ok(result)) {
            result = robots_came(r, S("a.example"), &x, 0, &known, NULL);
            assert_int_equal(robots_ask(r, S("a.example"), S("/x"), 1),
                             is_ok(result) ? ROBOTS_DISALLOWED : ROBOTS_UNKNOWN);
            robots_free(r);
        }
        assert_int_equal(f.live, 0);
        if (is_ok(result))
            break;
        assert_int_equal(result.code, PAP_NO_MEMORY);
    }
    assert_true(n > 3);
    buf_fini(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_disallowed_is_not_asked),
        cmocka_unit_test(a_file_is_kept_for_a_day),
        cmocka_unit_test(a_server_in_trouble_is_left_alone_for_a_while),
        cmocka_unit_test(where_nobody_answers_the_artifact_is_unreachable),
        cmocka_unit_test(redirects_are_asked_where_they_lead),
        cmocka_unit_test(the_cache_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
