/* SPDX-License-Identifier: Apache-2.0
 *
 * URIs and hosts: the grammar, the examples of RFC 3986 section 5.4, hosts that programs read differently, and the URL
 * cases of another implementation where PAPAVER_CASES has them (there: equal or refused, never different).
 */
#include "text/uri.h"
#include "unit.h"
#include "url_cases.h"

#define countof(a) (sizeof(a) / sizeof(a)[0])

static struct uri parsed(struct pap_str text)
{
    struct uri u;
    size_t at;
    const char *why = "";
    if (!uri_parse(text, &u, &at, &why))
        unit_fail("\"%.*s\": %s at %zu", PSTR(text), why, at);
    return u;
}

static void components_are_views_of_the_text(void **state)
{
    (void)state;
    struct pap_str text = S("HTTPS://us%65r:pw@Shop.Example:08443/a;b//c?x=/?#f?/");
    struct uri u = parsed(text);
    assert_str(u.scheme, "HTTPS");
    assert_str(u.userinfo, "us%65r:pw");
    assert_str(u.host, "Shop.Example");
    assert_int_equal(u.port, 8443);
    assert_str(u.path, "/a;b//c");
    assert_str(u.query, "x=/?");
    assert_str(u.fragment, "f?/");
    assert_ptr_equal(u.path.p, text.p + 36);
    assert_true(u.has_authority);
    assert_false(u.host_is_ip);

    u = parsed(S("https://h?#"));
    assert_true(u.query.p && u.fragment.p && u.path.p);
    assert_int_equal(u.query.n + u.fragment.n + u.path.n + u.port, 0);
    assert_null(u.userinfo.p);
    u = parsed(S("https://h:/"));
    assert_int_equal(u.port, 0);
    assert_int_equal(uri_port(&u), 443);
    u = parsed(S("https://[2001:db8::1]:8/"));
    assert_str(u.host, "2001:db8::1");
    assert_true(u.host_is_ip && u.port == 8);
    u = parsed(S("http://192.0.2.7"));
    assert_true(u.host_is_ip && uri_port(&u) == 80);
    u = parsed(str(NULL, 0));
    assert_true(u.path.p && !u.scheme.p && !u.has_authority && !u.query.p && !u.fragment.p);
    u = parsed(S("mailto:a@b.example"));
    assert_str(u.path, "a@b.example");
    assert_int_equal(uri_port(&u), 0);
    u = parsed(S("file:///etc"));
    assert_true(u.has_authority && u.host.p && u.host.n == 0);
    u = parsed(S("//h/p"));
    assert_true(!u.scheme.p && u.has_authority);
    u = parsed(S("./a:b"));
    assert_str(u.path, "./a:b");
}

static void faults_are_named_with_their_place(void **state)
{
    (void)state;
    static const struct {
        struct pap_str text;
        size_t at;
        const char *why;
    } rows[] = {
        {S_INIT("https://h/a b"), 11, "a blank"},
        {S_INIT(" https://h/"), 0, "a blank"},
        {S_INIT("https://h/\\x"), 10, "a backslash"},
        {S_INIT("https:\\\\h"), 6, "a backslash"},
        {S_INIT("https://h/\n"), 10, "a control character"},
        {S_INIT("https://h/a\0b"), 11, "a control character"},
        {S_INIT("https://h/\x7f"), 10, "a control character"},
        {S_INIT("https://b\xc3\xbc"
                "cher.example/"),
         9, "a non-ASCII character"},
        {S_INIT("https://h/%"), 10, "a % without two hex digits"},
        {S_INIT("https://h/%2"), 10, "a % without two hex digits"},
        {S_INIT("https://h/%2g"), 10, "a % without two hex digits"},
        {S_INIT("https://h/^"), 10, "a character that must be percent-encoded"},
        {S_INIT("https://h/{x}"), 10, "a character that must be percent-encoded"},
        {S_INIT("https://h/\"<>`|"), 10, "a character that must be percent-encoded"},
        {S_INIT("1a:b"), 0, "a scheme that does not begin with a letter"},
        {S_INIT(":b"), 0, "a scheme that does not begin with a letter"},
        {S_INIT("a~b:c"), 1, "a character that no scheme may hold"},
        {S_INIT("a%3a:c"), 1, "a character that no scheme may hold"},
        {S_INIT("https://"), 8, "no host"},
        {S_INIT("HTTP:///a"), 7, "no host"},
        {S_INIT("https://:443/"), 8, "no host"},
        {S_INIT("https://u@/"), 10, "no host"},
        {S_INIT("https://a@b@c/"), 11, "a second @"},
        {S_INIT("https://h:0/"), 10, "a port that is no number from 1 to 65535"},
        {S_INIT("https://h:65536/"), 10, "a port that is no number from 1 to 65535"},
        {S_INIT("https://h:8a/"), 10, "a port that is no number from 1 to 65535"},
        {S_INIT("https://h:+8/"), 10, "a port that is no number from 1 to 65535"},
        {S_INIT("https://h:1:2/"), 10, "a port that is no number from 1 to 65535"},
        {S_INIT("https://h:99999999999999999999999/"), 10, "a port that is no number from 1 to 65535"},
        {S_INIT("https://::1/"), 9, "a port that is no number from 1 to 65535"},
        {S_INIT("https://[::1/"), 8, "a [ without its ]"},
        {S_INIT("https://[fe80::1%25eth0]/"), 16, "a zone in an IPv6 address"},
        {S_INIT("https://[]/"), 9, "brackets around something that is no IPv6 address"},
        {S_INIT("https://[1.2.3.4]/"), 9, "brackets around something that is no IPv6 address"},
        {S_INIT("https://[v1.x]/"), 9, "brackets around something that is no IPv6 address"},
        {S_INIT("https://[::1]x/"), 13, "something other than a port behind an IPv6 address"},
        {S_INIT("https://x[::1]/"), 9, "a bracket outside an IPv6 host"},
        {S_INIT("https://[u]@h/"), 8, "a bracket outside an IPv6 host"},
        {S_INIT("https://h/a[0]"), 11, "a bracket outside an IPv6 host"},
        {S_INIT("?a[]=1"), 2, "a bracket outside an IPv6 host"},
        {S_INIT("#a]"), 2, "a bracket outside an IPv6 host"},
        {S_INIT("#a#b"), 2, "a second #"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct uri u = {.port = 77};
        size_t at = 99;
        const char *why = NULL;
        if (uri_parse(rows[i].text, &u, &at, &why))
            unit_fail("\"%.*s\" parses", PSTR(rows[i].text));
        if (at != rows[i].at || strcmp(why, rows[i].why) != 0)
            unit_fail("\"%.*s\": got %zu %s", PSTR(rows[i].text), at, why);
        assert_int_equal(u.port, 77); /* nothing is written on failure */
    }
}

static void long_urls_are_refused(void **state)
{
    (void)state;
    static char text[LIMIT_URL + 1];
    struct uri u;
    size_t at;
    const char *why;
    memset(text, 'a', sizeof text);
    assert_true(uri_parse(str(text, LIMIT_URL), &u, &at, &why));
    assert_false(uri_parse(str(text, LIMIT_URL + 1), &u, &at, &why));
    assert_int_equal(at, LIMIT_URL);
}

/* Each URL cut at every byte, in memory of just that size: a sanitizer sees a read past the end. */
static void cut_urls_are_read_inside_their_bytes(void **state)
{
    (void)state;
    struct pap_str all[] = {S("https://us:er@[2001:db8::192.0.2.1]:8443/a/../%2e/b?q=%41#f"), S("//1.2.3.4/..%2e")};
    for (size_t i = 0; i < countof(all); i++)
        for (size_t n = 0; n <= all[i].n; n++) {
            char *copy = malloc(n ? n : 1);
            struct uri u;
            size_t at = 0;
            const char *why;
            assert_non_null(copy);
            memcpy(copy, all[i].p, n);
            if (uri_parse(str(copy, n), &u, &at, &why))
                (void)uri_is_web(&u, &why);
            else
                assert_true(at <= n);
            free(copy);
        }
}

static void check_resolved(const char *base, const char *ref, const char *want)
{
    struct arena a;
    arena_init(&a, NULL);
    struct uri b = parsed(str_c(base)), r = parsed(str_c(ref));
    struct pap_str got = uri_resolve(&a, &b, &r);
    if (!str_is(got, want))
        unit_fail("%s against %s: got %.*s, want %s", ref, base, PSTR(got), want);
    assert_int_equal(got.p[got.n], '\0');
    arena_fini(&a);
}

static void references_resolve_as_in_rfc3986(void **state)
{
    (void)state;
    static const struct {
        const char *ref, *want;
    } rows[] = {
        /* 5.4.1 */
        {"g:h", "g:h"},
        {"g", "http://a/b/c/g"},
        {"./g", "http://a/b/c/g"},
        {"g/", "http://a/b/c/g/"},
        {"/g", "http://a/g"},
        {"//g", "http://g"},
        {"?y", "http://a/b/c/d;p?y"},
        {"g?y", "http://a/b/c/g?y"},
        {"#s", "http://a/b/c/d;p?q#s"},
        {"g#s", "http://a/b/c/g#s"},
        {"g?y#s", "http://a/b/c/g?y#s"},
        {";x", "http://a/b/c/;x"},
        {"g;x", "http://a/b/c/g;x"},
        {"g;x?y#s", "http://a/b/c/g;x?y#s"},
        {"", "http://a/b/c/d;p?q"},
        {".", "http://a/b/c/"},
        {"./", "http://a/b/c/"},
        {"..", "http://a/b/"},
        {"../", "http://a/b/"},
        {"../g", "http://a/b/g"},
        {"../..", "http://a/"},
        {"../../", "http://a/"},
        {"../../g", "http://a/g"},
        /* 5.4.2 */
        {"../../../g", "http://a/g"},
        {"../../../../g", "http://a/g"},
        {"/./g", "http://a/g"},
        {"/../g", "http://a/g"},
        {"g.", "http://a/b/c/g."},
        {".g", "http://a/b/c/.g"},
        {"g..", "http://a/b/c/g.."},
        {"..g", "http://a/b/c/..g"},
        {"./../g", "http://a/b/g"},
        {"./g/.", "http://a/b/c/g/"},
        {"g/./h", "http://a/b/c/g/h"},
        {"g/../h", "http://a/b/c/h"},
        {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
        {"g;x=1/../y", "http://a/b/c/y"},
        {"g?y/./x", "http://a/b/c/g?y/./x"},
        {"g?y/../x", "http://a/b/c/g?y/../x"},
        {"g#s/./x", "http://a/b/c/g#s/./x"},
        {"g#s/../x", "http://a/b/c/g#s/../x"},
        {"http:g", "http:g"},
    };
    for (size_t i = 0; i < countof(rows); i++)
        check_resolved("http://a/b/c/d;p?q", rows[i].ref, rows[i].want);
}

static void references_of_an_index_resolve(void **state)
{
    (void)state;
#define SKILLS "https://example.com/.well-known/agent-skills/"
    static const struct {
        const char *ref, *want;
    } rows[] = {
        {"code-review/SKILL.md", SKILLS "code-review/SKILL.md"},
        {"./a/./b/../SKILL.md", SKILLS "a/SKILL.md"},
        {"/x/a.zip", "https://example.com/x/a.zip"},
        {"../../../a.zip", "https://example.com/a.zip"},
        {"//cdn.example.net/a.zip", "https://cdn.example.net/a.zip"},
        {"a.tar.gz?v=2#x", SKILLS "a.tar.gz?v=2#x"},
        {"a%2Fb/SKILL.md", SKILLS "a%2Fb/SKILL.md"},
        {"https://cdn.example.net/v2/SKILL.md", "https://cdn.example.net/v2/SKILL.md"},
        {"", SKILLS "index.json"},
        {"#x", SKILLS "index.json#x"},
        {"?v=2", SKILLS "index.json?v=2"},
        {"https://h/a/../../b/./", "https://h/b/"},
        {"data:text/plain,a/../b", "data:text/b"},
    };
    for (size_t i = 0; i < countof(rows); i++)
        check_resolved(SKILLS "index.json", rows[i].ref, rows[i].want);
}

static void references_resolve_at_the_edges(void **state)
{
    (void)state;
    check_resolved("http://a", "g", "http://a/g");
    check_resolved("http://a", "..", "http://a/");
    check_resolved("http://a?q", "", "http://a?q");
    check_resolved("http://a?q", "?", "http://a?");
    check_resolved("http://u@a:8/x", "y#", "http://u@a:8/y#");
    check_resolved("http://[::1]:8/x/", "../../y", "http://[::1]:8/y");
    check_resolved("http://a/b//c/", "..", "http://a/b//");
    check_resolved("http://a/b//c/", "../..", "http://a/b/");
    check_resolved("urn:x", "y", "urn:y");
    check_resolved("urn:x", "../y", "urn:y");
    /* a path that would read as a host (RFC 3986 section 3.3) */
    check_resolved("a:/b", "..//c", "a:/.//c");
    check_resolved("a:/b", "/.//c", "a:/.//c");
    check_resolved("a:b", "x:/..//c", "x:/.//c");
}

static void resolving_survives_no_memory(void **state)
{
    (void)state;
    struct uri u = parsed(S("https://h:8/a?b"));
    for (unsigned kind = 0; kind < 4; kind++) {
        struct fail_alloc f;
        struct arena a;
        fail_alloc_init(&f, 1);
        arena_init(&a, &f.alloc);
        struct pap_str s = kind == 0   ? uri_resolve(&a, &u, &u)
                           : kind == 1 ? uri_origin(&a, &u)
                           : kind == 2 ? uri_well_known(&a, &u, "x")
                                       : uri_appended(&a, &u, "x");
        assert_null(s.p);
        assert_int_equal(s.n, 0);
        arena_fini(&a);
        assert_int_equal(f.live, 0);
    }
}

static void origins_compare(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *origin_of_a;
        bool same;
    } rows[] = {
        {"https://Shop.Example/x", "HTTPS://shop.example:443/y", "https://shop.example", true},
        {"http://h:80", "http://h:/", "http://h", true},
        {"https://h:8443", "https://h", "https://h:8443", false},
        {"https://h:80/", "http://h/", "https://h:80", false},
        {"https://u@h/", "https://h/", "https://h", true},
        {"https://[2001:DB8::1]/", "https://[2001:db8::1]:443/", "https://[2001:db8::1]", true},
        {"https://[::1]:8/", "https://[::1]:9/", "https://[::1]:8", false},
        {"https://h.example/", "https://h.example./", "https://h.example", false},
        {"ftp://h:21/", "ftp://h/", "ftp://h:21", false},
        {"file:///a", "file:///a", "file://", false},
    };
    struct arena a;
    arena_init(&a, NULL);
    for (size_t i = 0; i < countof(rows); i++) {
        struct uri x = parsed(str_c(rows[i].a)), y = parsed(str_c(rows[i].b));
        assert_int_equal(uri_same_origin(&x, &y), rows[i].same);
        assert_int_equal(uri_same_origin(&y, &x), rows[i].same);
        assert_str(uri_origin(&a, &x), rows[i].origin_of_a);
    }
    struct uri relative = parsed(S("//h/x"));
    assert_false(uri_same_origin(&relative, &relative));
    arena_fini(&a);
}

static void well_known_urls_are_made(void **state)
{
    (void)state;
    static const struct {
        const char *url, *inserted, *appended;
    } rows[] = {
        {"https://h", "https://h/.well-known/S", "https://h/.well-known/S"},
        {"https://h/", "https://h/.well-known/S", "https://h/.well-known/S"},
        {"https://H:8443/a", "https://H:8443/.well-known/S/a", "https://H:8443/a/.well-known/S"},
        {"https://h/a/b/", "https://h/.well-known/S/a/b", "https://h/a/b/.well-known/S"},
        {"https://h/a?t=1#f", "https://h/.well-known/S/a?t=1", "https://h/a/.well-known/S"},
        {"https://h?t=1", "https://h/.well-known/S?t=1", "https://h/.well-known/S"},
        {"https://u:p@[::1]:8/a", "https://[::1]:8/.well-known/S/a", "https://[::1]:8/a/.well-known/S"},
    };
    struct arena a;
    arena_init(&a, NULL);
    for (size_t i = 0; i < countof(rows); i++) {
        struct uri u = parsed(str_c(rows[i].url));
        assert_str(uri_well_known(&a, &u, "S"), rows[i].inserted);
        assert_str(uri_appended(&a, &u, "S"), rows[i].appended);
    }
    arena_fini(&a);
}

static void urls_of_the_web_have_one_reading(void **state)
{
    (void)state;
    static const struct {
        const char *url, *why; /* NULL: fine */
    } rows[] = {
        {"https://shop.example/a", NULL},
        {"http://localhost:8080", NULL},
        {"https://my_shop.example/", NULL},
        {"https://[::1]/", NULL},
        {"https://192.0.2.1/", NULL},
        {"https://h/a%2e%2eb/...", NULL},
        {"https://h/a%2Fb", NULL},
        {"https://h/a/../b/.", NULL}, /* every parser removes these */
        {"https://h/%2e.%2e", NULL},  /* three dots are a name */
        {"//h/a", "no scheme"},
        {"ftp://h/", "a scheme other than http and https"},
        {"javascript:alert(1)", "a scheme other than http and https"},
        {"data:,x", "a scheme other than http and https"},
        {"https:foo", "no host"},
        {"https:/foo", "no host"},
        {"https://u:p@h/", "a user name"},
        {"https://@h/", "a user name"},
        {"https://h/a/%2E%2e/b", "a dot segment written as %2e"},
        {"https://h/.%2e", "a dot segment written as %2e"},
        {"https://h/%2e", "a dot segment written as %2e"},
        {"https://0x7f.1/", "an IPv4 address in a form that programs read differently"},
        {"https://%65xample.com/", "percent-encoding"},
        {"https://a..b.example/", "an empty label (two dots, or one at the start)"},
        {"https://a,b/", "a character other than letters, digits, hyphens and dots"},
        {"https://shop.example./", "a trailing dot"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct uri u = parsed(str_c(rows[i].url));
        const char *why = NULL;
        bool web = uri_is_web(&u, &why);
        if (web != !rows[i].why || (why && strcmp(why, rows[i].why) != 0))
            unit_fail("%s: %s", rows[i].url, why ? why : "fine");
    }
}

static void ip_addresses_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int ok;
        unsigned char bytes[16];
    } six[] = {
        {"::", 1, {0}},
        {"::1", 1, {[15] = 1}},
        {"1::", 1, {0, 1}},
        {"2001:DB8::a:1", 1, {0x20, 0x01, 0x0d, 0xb8, [13] = 10, [15] = 1}},
        {"1:2:3:4:5:6:7:8", 1, {0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8}},
        {"1:2:3:4:5:6:7::", 1, {0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7}},
        {"::2:3:4:5:6:7:8", 1, {0, 0, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8}},
        {"::ffff:192.0.2.1", 1, {[10] = 255, 255, 192, 0, 2, 1}},
        {"1:2:3:4:5:6:1.2.3.4", 1, {0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 1, 2, 3, 4}},
        {"64:ff9b::1.2.3.4", 1, {0, 0x64, 0xff, 0x9b, [12] = 1, 2, 3, 4}},
        {"", 0, {0}},
        {":", 0, {0}},
        {":::", 0, {0}},
        {"1", 0, {0}},
        {":1::", 0, {0}},
        {"1:", 0, {0}},
        {"1::2:", 0, {0}},
        {"1::2::3", 0, {0}},
        {"1:2:3:4:5:6:7:8:9", 0, {0}},
        {"1:2:3:4:5:6:7", 0, {0}},
        {"1:2:3:4::5:6:7:8", 0, {0}},
        {"1:2:3:4:5:6:7:1.2.3.4", 0, {0}},
        {"::1.2.3.4:5", 0, {0}},
        {"::1.2.3", 0, {0}},
        {"::1.2.3.04", 0, {0}},
        {"12345::", 0, {0}},
        {"::g", 0, {0}},
        {"::1%25lo", 0, {0}},
        {"[::1]", 0, {0}},
        {"1.2.3.4", 0, {0}},
    };
    for (size_t i = 0; i < countof(six); i++) {
        unsigned char got[16];
        memset(got, 0xee, sizeof got);
        if (host_parse_ipv6(str_c(six[i].text), got) != six[i].ok)
            unit_fail("%s", six[i].text);
        if (six[i].ok)
            assert_memory_equal(got, six[i].bytes, 16);
        else
            assert_int_equal(got[0], 0xee);
    }
    unsigned char four[4], want[4] = {0, 10, 199, 255};
    assert_true(host_parse_ipv4(S("0.10.199.255"), four));
    assert_memory_equal(four, want, 4);
    static const char *const bad[] = {"",          "1.2.3",      "1.2.3.4.5", "1.2.3.256", "01.2.3.4",
                                      "1.2.3.4.",  ".1.2.3.4",   "1..2.3",    "1.2.3.+4",  "1.2.3. 4",
                                      "0x1.2.3.4", "1.2.3.0004", "1,2,3,4",   "00.0.0.0"};
    for (size_t i = 0; i < countof(bad); i++)
        assert_false(host_parse_ipv4(str_c(bad[i]), four));
}

static void odd_ipv4_is_told(void **state)
{
    (void)state;
    static const char *const odd[] = {"0x7f.1",   "2130706433", "127.1",     "0177.0.0.1", "0x7f000001",
                                      "1.2.3.4.", "0x",         "1.2.3.",    "1.2.3.4.5",  "a.9",
                                      "08.8.8.8", "0X7F.1",     "256.0.0.1", "1..2",       "a.0xg.0xAf"};
    static const char *const fine[] = {
        "1.2.3.4", "a.example", "9.example",      "127.0.0.a1",      "0xg", "", ".", "a.",
        "::1",     "1.2.3.4a",  "xn--0x.example", "::ffff:192.0.2.1"};
    for (size_t i = 0; i < countof(odd); i++)
        if (!host_is_odd_ipv4(str_c(odd[i])))
            unit_fail("%s", odd[i]);
    for (size_t i = 0; i < countof(fine); i++)
        if (host_is_odd_ipv4(str_c(fine[i])))
            unit_fail("%s", fine[i]);
}

#define L63 "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz0"

static void names_of_hosts_are_told(void **state)
{
    (void)state;
    static const struct {
        struct pap_str name;
        const char *why; /* NULL: a name */
    } rows[] = {
        {S_INIT("shop.example"), NULL},
        {S_INIT("localhost"), NULL},
        {S_INIT("XN--BCHER-KVA.example"), NULL},
        {S_INIT("9.r3---sn.example"), NULL},
        {S_INIT(L63 ".example"), NULL},
        {S_INIT(L63 "." L63 "." L63 "."
                    "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxy"),
         NULL},
        {S_INIT(L63 "." L63 "." L63 "."
                    "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz"),
         "more than 253 bytes"},
        {S_INIT(L63 "x.example"), "a label of more than 63 bytes"},
        {S_INIT(""), "nothing"},
        {S_INIT("."), "an empty label (two dots, or one at the start)"},
        {S_INIT("a..b"), "an empty label (two dots, or one at the start)"},
        {S_INIT(".a"), "an empty label (two dots, or one at the start)"},
        {S_INIT("shop.example."), "a trailing dot"},
        {S_INIT("-a.example"), "a label that begins or ends with a hyphen"},
        {S_INIT("xn--.example"), "a label that begins or ends with a hyphen"},
        {S_INIT("https://shop.example"), "a scheme"},
        {S_INIT("shop.example:443"), "a port"},
        {S_INIT("shop.example/"), "a path"},
        {S_INIT("shop.example?x"), "a query"},
        {S_INIT("u@shop.example"), "a user name"},
        {S_INIT("*.shop.example"), "a wildcard"},
        {S_INIT("my_shop.example"), "an underscore"},
        {S_INIT("shop example"), "a blank"},
        {S_INIT("shop\0.example"), "a control character"},
        {S_INIT("b\xc3\xbc"
                "cher.example"),
         "a non-ASCII character (such a name is written in its xn-- form)"},
        {S_INIT("192.0.2.1"), "an IP address"},
        {S_INIT("::1"), "an IP address"},
        {S_INIT("[2001:db8::1]"), "an IP address"},
        {S_INIT("127.1"), "an IP address or a last label that is a number"},
        {S_INIT("a,b"), "a character other than letters, digits, hyphens and dots"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const char *why = NULL;
        bool is = host_is_name(rows[i].name, &why);
        if (is != !rows[i].why || (why && strcmp(why, rows[i].why) != 0))
            unit_fail("%.*s: %s", PSTR(rows[i].name), why ? why : "a name");
    }
}

static void this_machine_has_many_names(void **state)
{
    static const char *const here[] = {"localhost", "LocalHost", "127.0.0.1", "127.9.8.7", "::1", "0:0:0:0:0:0:0:1"};
    static const char *const not_here[] = {"",    "localhost.example", "128.0.0.1",         "127.1",      "[::1]",
                                           "::2", "0.0.0.0",           "127.0.0.1.example", "a.localhost"};
    (void)state;
    for (size_t i = 0; i < sizeof here / sizeof *here; i++)
        assert_true(host_is_loopback(str_c(here[i])));
    for (size_t i = 0; i < sizeof not_here / sizeof *not_here; i++)
        assert_false(host_is_loopback(str_c(not_here[i])));
}

static void bare_and_within(void **state)
{
    (void)state;
    assert_str(host_bare(S("www.shop.example")), "shop.example");
    assert_str(host_bare(S("WWW.www.shop.example.")), "www.shop.example");
    assert_str(host_bare(S("www.")), "www");
    assert_str(host_bare(S("wwwx.example")), "wwwx.example");
    assert_str(host_bare(S("")), "");
    assert_true(host_is_within(S("API.shop.example"), S("Shop.Example")));
    assert_true(host_is_within(S("shop.example"), S("shop.example")));
    assert_true(host_is_within(S("a.b.shop.example"), S("shop.example")));
    assert_false(host_is_within(S("badshop.example"), S("shop.example")));
    assert_false(host_is_within(S("example"), S("shop.example")));
    assert_false(host_is_within(S(".shop.example"), S("shop.example")));
    assert_false(host_is_within(S("shop.example"), S("")));
    assert_false(host_is_within(S(""), S("")));
    assert_false(host_is_within(S("1.2.3.4"), S("3.4")));
    assert_true(host_is_within(S("1.2.3.4"), S("1.2.3.4")));
}

/* What we would ask for `ref` (against `base` if there is one): {NULL,0} when refused. */
static struct pap_str asked_for(struct arena *a, struct pap_str ref, struct pap_str base)
{
    struct uri b, r, u;
    size_t at;
    const char *why;
    if (!uri_parse(ref, &r, &at, &why) || !uri_parse(base.p ? base : ref, &b, &at, &why) || !b.scheme.p)
        return str(NULL, 0);
    struct pap_str text = uri_resolve(a, &b, &r);
    if (!uri_parse(text, &u, &at, &why) || !uri_is_web(&u, &why))
        return str(NULL, 0);
    return arena_fmt(a, "%.*s%s%.*s%s%.*s", PSTR(uri_origin(a, &u)), u.path.n ? "" : "/", PSTR(u.path),
                     u.query.p ? "?" : "", PSTR(u.query));
}

static void foreign_cases_are_equal_or_refused(void **state)
{
    (void)state;
    struct url_count n = url_cases(asked_for);
    if (n.seen)
        print_message("%u URL cases, %u equal, the others refused\n", n.seen, n.equal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_are_views_of_the_text),
        cmocka_unit_test(this_machine_has_many_names),
        cmocka_unit_test(faults_are_named_with_their_place),
        cmocka_unit_test(long_urls_are_refused),
        cmocka_unit_test(cut_urls_are_read_inside_their_bytes),
        cmocka_unit_test(references_resolve_as_in_rfc3986),
        cmocka_unit_test(references_of_an_index_resolve),
        cmocka_unit_test(references_resolve_at_the_edges),
        cmocka_unit_test(resolving_survives_no_memory),
        cmocka_unit_test(origins_compare),
        cmocka_unit_test(well_known_urls_are_made),
        cmocka_unit_test(urls_of_the_web_have_one_reading),
        cmocka_unit_test(ip_addresses_are_read),
        cmocka_unit_test(odd_ipv4_is_told),
        cmocka_unit_test(names_of_hosts_are_told),
        cmocka_unit_test(bare_and_within),
        cmocka_unit_test(foreign_cases_are_equal_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
