/* SPDX-License-Identifier: Apache-2.0
 *
 * robots.txt: the examples of RFC 9309, what files of real life look like, and hostile ones.
 */
#include "base/limits.h"
#include "text/robots.h"
#include "unit.h"

static bool allowed(const char *file, const char *path)
{
    struct buf rules;
    buf_init(&rules, NULL, LIMIT_ROBOTS * 3);
    robots_read(str_c(file), S("papaver"), &rules);
    assert_true(buf_ok(&rules));
    bool r = robots_allow(buf_str(&rules), str_c(path));
    buf_fini(&rules);
    return r;
}

#define ALL "User-agent: *\n"

static const struct {
    const char *file, *path;
    bool allowed;
} rows[] = {
    {"", "/a", true},
    {ALL "Disallow:", "/a", true},
    {ALL "Disallow: /", "/a", false},
    {ALL "Disallow: /", "", false},
    {"user-AGENT :\t* # all\r\ndisALLOW : /a # it\r\n", "/ab", false},
    {"User-agent: *\rDisallow: /a\r", "/a", false},
    {"\xef\xbb\xbf" ALL "Disallow: /a", "/a", false},
    {"Disallow: /a\n", "/a", true}, /* of no group */
    {"<html>User-agent: *</html>\n<p>Disallow: /", "/a", true},
    /* whose group: section 2.2.1 */
    {ALL "Disallow: /\nUser-agent: papaver\nAllow: /", "/a", true},
    {ALL "Disallow: /\nUser-agent: Papaver\nDisallow:", "/a", true},
    {ALL "Disallow: /\nUser-agent: papaver/2.1\n", "/a", true},
    {ALL "Disallow: /\nUser-agent: papaverine\nAllow: /", "/a", false},
    {"User-agent: papaver\nDisallow: /a\n" ALL "Disallow: /b\nUser-agent: papaver\nDisallow: /c", "/b", true},
    {"User-agent: papaver\nDisallow: /a\n" ALL "Disallow: /b\nUser-agent: papaver\nDisallow: /c", "/a", false},
    {"User-agent: papaver\nDisallow: /a\n" ALL "Disallow: /b\nUser-agent: papaver\nDisallow: /c", "/c", false},
    {"User-agent: other\nUser-agent: papaver\nDisallow: /a", "/a", false},
    {"User-agent: papaver\nCrawl-delay: 9\nSitemap: /x\n\nUser-agent: other\nDisallow: /a", "/a", false},
    {"User-agent: papaver\nDisallow: /b\nUser-agent: other\nDisallow: /a", "/a", true},
    /* which rule: section 2.2.2, and the table of section 5.2 */
    {ALL "Disallow: /a\nAllow: /a/b", "/a/b/c", true},
    {ALL "Allow: /a/b\nDisallow: /a", "/a/c", false},
    {ALL "Disallow: /a\nAllow: /a", "/a", true},
    {ALL "Allow: /a\nDisallow: /a", "/a", true},
    {ALL "Allow: /example/page/\nDisallow: /example/page/disallowed.gif", "/example/page/disallowed.gif", false},
    {ALL "Disallow: /foo/bar?baz=quz", "/foo/bar?baz=quz", false},
    {ALL "Disallow: /foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", true},
    {ALL "Disallow: /foo/bar/\xe3\x83\x84", "/foo/bar/%E3%83%84", false},
    {ALL "Disallow: /foo/bar/%e3%83%84", "/foo/bar/%E3%83%84", false},
    {ALL "Disallow: /foo/bar/%62%61%7A", "/foo/bar/baz", false},
    {ALL "Disallow: /foo/bar/baz", "/foo/bar/%62%61%7a", false},
    {ALL "Disallow: /a-%2A.html", "/a-*.html", false},
    {ALL "Disallow: /a-%2A.html", "/a-b.html", true},
    {ALL "Disallow: /foo-%24", "/foo-$", false},
    {ALL "Disallow: /a%2Fb", "/a/b", true},
    {ALL "Disallow: /*.md$", "/skills/a.md", false},
    {ALL "Disallow: /*.md$", "/skills/a.md?x", true},
    {ALL "Disallow: /*.md", "/skills/a.md?x", false},
    {ALL "Disallow: *.md", "/skills/a.md", false},
    {ALL "Disallow: skills", "/skills", true},
    {ALL "Disallow: /a*b*c$", "/a-c-b-c", false},
    {ALL "Disallow: /a*b*c$", "/a-c-b", true},
    {ALL "Disallow: /a*a$", "/a", true},
    {ALL "Disallow: /a$", "/a", false},
    {ALL "Disallow: /a$", "/ab", true},
    {ALL "Disallow: /$", "", false},
    {ALL "Disallow: /*", "/", false},
    {ALL "Disallow: /**$", "/x", false},
    {ALL "Disallow: /a$b", "/a$b", false},
    {ALL "Disallow: /100%", "/100%25", false},
};

static void rules_mean_what_the_rfc_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (allowed(rows[i].file, rows[i].path) != rows[i].allowed)
            unit_fail("\"%s\" and %s: want %s", rows[i].file, rows[i].path, rows[i].allowed ? "allowed" : "disallowed");
}

static void hostile_files(void **state)
{
    (void)state;
    struct buf file, rules;
    char path[LIMIT_URL];
    memset(path, 'a', sizeof path);
    path[0] = '/';
    buf_init(&file, NULL, 8 << 20);
    buf_init(&rules, NULL, 8 << 20);
    buf_add(&file, S(ALL));
    for (int i = 0; i < LIMIT_ROBOTS_RULES; i++)
        buf_add(&file, S("Disallow: /*a*aa*aab\n"));
    robots_read(buf_str(&file), S("papaver"), &rules);
    assert_true(robots_allow(buf_str(&rules), str(path, sizeof path)));
    /* one more, and nobody can mean it */
    buf_add(&file, S("Allow: /\n"));
    buf_reset(&rules);
    robots_read(buf_str(&file), S("papaver"), &rules);
    assert_true(str_eq(buf_str(&rules), ROBOTS_NONE));
    assert_false(robots_allow(buf_str(&rules), S("/a")));
    /* a path that is no URL's */
    assert_false(robots_allow(S(""), str(file.p, file.n)));
    /* no memory: it is known, and what was there before stays */
    struct buf none;
    char room[4];
    buf_on(&none, room, sizeof room);
    robots_read(S(ALL "Disallow: /abcdef"), S("papaver"), &none);
    assert_false(buf_ok(&none));
    buf_fini(&file);
    buf_fini(&rules);
}

static void cut_at_every_byte(void **state)
{
    (void)state;
    static const char file[] = "User-agent: other\nUser-agent: papaver\r\nAllow: /%62*c$\nDisallow: /b%2\n# end";
    const size_t disallows = (size_t)(strstr(file, "Disallow: /") - file) + 11;
    for (size_t n = 0; n < sizeof file; n++) {
        struct buf rules;
        char *copy = malloc(n + 1); /* so that a byte too many is seen */
        assert_non_null(copy);
        memcpy(copy, file, n);
        buf_init(&rules, NULL, 1 << 16);
        robots_read(str(copy, n), S("papaver"), &rules);
        assert_int_equal(robots_allow(buf_str(&rules), S("/b%252")), n < disallows);
        buf_fini(&rules);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_mean_what_the_rfc_says),
        cmocka_unit_test(hostile_files),
        cmocka_unit_test(cut_at_every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
