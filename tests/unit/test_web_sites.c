/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of sites, their history and what changed, charts and feeds, over a small census; text of strangers in every field.
 */
#include "web_sites_unit.h"

static struct pap_str get(struct fixture *f, const char *path)
{
    char line[400];
    snprintf(line, sizeof line, "GET %s", path);
    return web_ask(&f->site, line, "");
}

static void the_list_is_sorted_filtered_and_turned_over(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int status;
        const char *has, *not ;
    } rows[] = {
        {"/sites", 200, "<a href=\"/sites/shop1.example\">", NULL},
        {"/sites", 200, "<caption>150 sites</caption>", "shop99.example"},
        {"/sites?page=2", 200, "Page 2 of 2", NULL},
        {"/sites?page=3", 200, "No site fits", NULL},
        {"/sites?sort=errors&order=desc", 200, "aria-sort=\"descending\"", NULL},
        {"/sites?q=shop12", 200, "shop12.example", "shop13.example"},
        {"/sites?q=%25", 200, "No site fits", NULL},
        {"/sites?q=_", 200, "No site fits", NULL},
        {"/sites?q='%20OR%201=1--", 200, "No site fits", "150"},
        {"/sites?q=%3Cscript%3Ealert(1)%3C/script%3E", 200, "&lt;script&gt;", "<script>alert"},
        {"/sites?version=0.2", 200, "shop2.example", "shop1.example"},
        {"/sites?channel=api", 200, "shop3.example", "shop1.example"},
        {"/sites?sign_in=device", 200, "shop5.example", "shop1.example"},
        {"/sites?skills=with", 200, "in poppy.json", NULL},
        {"/sites?skills=without&errors=without", 200, "shop", NULL},
        {"/sites?sort=nothing", 400, NULL, NULL},
        {"/sites?order=up", 400, NULL, NULL},
        {"/sites?page=0", 400, NULL, NULL},
        {"/sites?page=99999999999999999999", 400, NULL, NULL},
        {"/sites?skills=maybe", 400, NULL, NULL},
        {"/sites.json?q=shop12.", 200, "\"total\":1", NULL},
        {"/api/v1/sites?page=2", 200, "\"page\":2", NULL},
        {"/api/v1/sites?page=x", 400, "application/problem+json", NULL},
        {"/api/v1/sites/shop1.example", 200, "\"history\":[{", NULL},
        {"/api/v1/sites/nobody.example", 404, "application/problem+json", NULL},
        {"/sites/shop1.example", 200, "<ol class=\"time\">", NULL},
        {"/sites/nobody.example", 404, "No census has seen", NULL},
        {"/sites/127.0.0.1", 400, NULL, NULL},
        {"/sites/shop1.example/99999", 404, NULL, NULL},
        {"/sites/shop1.example/x", 404, NULL, NULL},
        {"/sites/shop1.example/diff?from=2026-11-30", 400, NULL, NULL},
        {"/sites/shop1.example/diff?from=2026-13-30&to=2026-01-01", 400, NULL, NULL},
        {"/charts", 200, "/charts/adoption.svg", NULL},
        {"/charts/adoption.svg", 200, "class=\"l\"", NULL},
        {"/charts/versions.svg", 200, "0.2</text>", NULL},
        {"/charts/faults.svg", 200, "poppy.auth.issuer", NULL},
        {"/sites.atom", 200, "<id>https://check.example/sites/shop", NULL},
    };
    struct fixture f;
    sites_begin(&f, 150);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pap_str a = get(&f, rows[i].path);
        if (web_status(a) != rows[i].status || (rows[i].has && !web_has(a, rows[i].has)) ||
            (rows[i].not &&web_has(a, rows[i].not )))
            unit_fail("%s: want %d, \"%s\", not \"%s\"; got %.*s", rows[i].path, rows[i].status, rows[i].has,
                      rows[i].not, PSTR(a));
        struct pap_str tag = web_field(a, "ETag");
        if (rows[i].status != 200)
            continue;
        char line[400], field[100];
        snprintf(line, sizeof line, "GET %s", rows[i].path);
        snprintf(field, sizeof field, "If-None-Match: %.*s\r\n", PSTR(tag));
        assert_int_equal(web_status(web_ask(&f.site, line, field)), 304);
    }
    sites_end(&f);
}

static void what_changed_between_two_days(void **state)
{
    (void)state;
    struct fixture f;
    sites_begin(&f, 3);
    struct pap_str a = get(&f, "/sites/shop1.example/diff?from=2026-11-20&to=2026-11-24");
    assert_int_equal(web_status(a), 200);
    assert_has(a, "New faults");
    assert_has(a, "Faults that went");
    assert_has(a, "poppy.json changed");
    assert_has(a, "<del>-   &quot;a&quot;: 1,</del>");
    assert_has(a, "<ins>+   &quot;a&quot;: 2,</ins>");
    assert_has(a, "<span>    &quot;same&quot;: true,</span>");
    a = get(&f, "/sites/shop1.example/diff?from=2026-11-20&to=2026-11-20");
    assert_has(a, "Nothing changed");
    a = get(&f, "/sites/shop1.example/diff?from=2026-01-01&to=2026-11-24");
    assert_has(a, "At the first day nothing was published");
    a = get(&f, "/sites/shop1.example/diff?from=2026-01-01&to=2026-01-02");
    assert_has(a, "At neither day");
    /* the report of then, and only of this site */
    a = get(&f, "/sites/shop1.example");
    struct pap_str link = str_skip(a, str_find(a, S("/sites/shop1.example/")));
    char path[200];
    for (; link.n && !ascii_is_digit(link.p[21]);
         link = str_skip(link, 21 + str_find(str_skip(link, 21), S("/sites/shop1.example/"))))
        ;
    snprintf(path, sizeof path, "%.*s", (int)str_find_char(link, '"'), link.p);
    a = get(&f, path);
    assert_int_equal(web_status(a), 200);
    assert_has(a, "<div class=\"report\">");
    char other[200];
    snprintf(other, sizeof other, "/sites/shop2.example/%s", path + 21);
    assert_int_equal(web_status(get(&f, other)), 404);
    sites_end(&f);
}

/* One encoder a format: what a spreadsheet, a browser or a feed reader would obey is a text in each of them. */
static void text_of_strangers_stays_text(void **state)
{
    (void)state;
    static const char *const paths[] = {"/sites",
                                        "/sites/shop0.example",
                                        "/charts",
                                        "/charts/versions.svg",
                                        "/charts/faults.svg",
                                        "/sites.atom",
                                        "/sites.json",
                                        "/sites.csv",
                                        "/sites/shop0.example/diff?from=2026-11-20&to=2026-11-24"};
    struct fixture f;
    sites_begin(&f, 3);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct pap_str a = get(&f, paths[i]);
        assert_int_equal(web_status(a), 200);
        bool csv = web_has(web_field(a, "Content-Type"), "csv");
        if ((!csv && web_has(web_body(a), "<script>x")) || web_has(web_body(a), "\x1b[31m") ||
            web_has(web_body(a), "\xe2\x80\xae"))
            unit_fail("%s: %.*s", paths[i], PSTR(a));
    }
    struct pap_str csv = get(&f, "/sites.csv"), body = web_body(csv), line;
    assert_has(web_field(csv, "Content-Disposition"), "attachment");
    assert_has(body, ",\"'=cmd|");
    for (size_t n = 0; str_next(&body, '\n', &line); n++) {
        struct pap_str cell;
        while (n && str_next(&line, ',', &cell)) /* no cell begins like a formula, quoted or not */
            if (cell.n > 1 && (memchr("=+@", cell.p[0], 3) || (cell.p[0] == '"' && memchr("=+-@\t\r", cell.p[1], 6))))
                unit_fail("cell %.*s", PSTR(cell));
    }
    sites_end(&f);
}

static void a_database_that_is_away_is_said(void **state)
{
    (void)state;
    static const char *const paths[] = {"/sites", "/sites/shop1.example", "/charts", "/check/shop1.example",
                                        "/sites.csv"};
    struct web_site s;
    web_begin_with(&s, (struct web_options){.loopback = true});
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char line[100];
        snprintf(line, sizeof line, "GET %s", paths[i]);
        struct pap_str a = web_ask(&s, line, "");
        assert_int_equal(web_status(a), 503);
        assert_true(web_field(a, "Retry-After").n > 0);
    }
    web_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_is_sorted_filtered_and_turned_over),
        cmocka_unit_test(what_changed_between_two_days),
        cmocka_unit_test(text_of_strangers_stays_text),
        cmocka_unit_test(a_database_that_is_away_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
