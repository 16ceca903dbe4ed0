/* SPDX-License-Identifier: Apache-2.0
 *
 * What the site is made of: which names may be checked, who a visitor is, how often one may ask, what forms send.
 */
#include "unit.h"
#include "web/form.h"
#include "web/name.h"
#include "web/visitor.h"

static void only_public_names_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *typed, *name; /* NULL: refused */
        bool loopback;
    } rows[] = {
        {"shop.example.com", "shop.example.com", false},
        {"  SHOP.Example.COM. ", "shop.example.com", false},
        {"b\xc3\xbc"
         "cher.de",
         "xn--bcher-kva.de", false},
        {"xn--bcher-kva.de", "xn--bcher-kva.de", false},
        {"a.co", "a.co", false},
        {"shop.test", "shop.test", true},
        {"shop.test", NULL, false},
        {"shop.example", "shop.example", true},
        {"shop.example", NULL, false},
        {"localhost", NULL, true},
        {"a.localhost", NULL, true},
        {"printer.local", NULL, false},
        {"printer.LOCAL.", NULL, false},
        {"db.internal", NULL, false},
        {"metadata.google.internal", NULL, true},
        {"abc.onion", NULL, false},
        {"router.home.arpa", NULL, false},
        {"1.0.0.127.in-addr.arpa", NULL, false},
        {"com", NULL, false},
        {"", NULL, false},
        {".", NULL, false},
        {"..", NULL, false},
        {"shop..example.com", NULL, false},
        {"127.0.0.1", NULL, true},
        {"127.1", NULL, true},
        {"0x7f.1", NULL, true},
        {"2130706433", NULL, true},
        {"\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1", NULL, true}, /* full-width digits */
        {"\xe2\x91\xa0.\xe2\x91\xa0", NULL, true},                  /* circled digits */
        {"[::1]", NULL, true},
        {"::1", NULL, true},
        {"shop.example.com:8443", NULL, true},
        {"https://shop.example.com", NULL, true},
        {"shop.example.com/x", NULL, true},
        {"user@shop.example.com", NULL, true},
        {"shop.example.com?x", NULL, true},
        {"shop example.com", NULL, true},
        {"shop.example.com\r\nHost: a.co", NULL, true},
        {"shop.exa\xe2\x80\xaemple.com", NULL, true},
        {"-a.com", NULL, false},
        {"a_b.com", NULL, false},
        {"\xff.com", NULL, false},
        {"%6c.com", NULL, false},
    };
    struct arena a;
    arena_init(&a, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pap_str got = S("");
        struct pap_err err = {.text = ""};
        pap_result r = web_name(&a, str_c(rows[i].typed), rows[i].loopback, &got, &err);
        if (rows[i].name ? !is_ok(r) || !str_is(got, rows[i].name) : r.code != PAP_USAGE || !err.text[0])
            unit_fail("\"%s\": %d \"%.*s\" %s", rows[i].typed, r.code, PSTR(got), err.text);
    }
    struct pap_str got;
    assert_int_equal(web_name(&a, S("a\0.com"), true, &got, NULL).code, PAP_USAGE);
    arena_fini(&a);
}

static struct limiter_key key_of(const char *peer, const char *const *proxies, const char *const *forwarded)
{
    struct header h[4];
    struct http_request q = {.peer = str_c(peer), .headers = h};
    for (; forwarded && *forwarded; forwarded++)
        h[q.n_headers++] = (struct header){S("x-forwarded-for"), str_c(*forwarded)};
    return visitor_of(&q, proxies);
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static bool is_key(struct limiter_key k, const char *as)
{
    struct limiter_key want = key_of(as, NULL, NULL);
    return memcmp(&k, &want, sizeof k) == 0;
}

static void a_visitor_is_an_address_or_a_network(void **state)
{
    (void)state;
    static const char *const proxies[] = {"127.0.0.1", "::1", "10.0.0.9", NULL};
    assert_true(is_key(key_of("2001:db8:1:2::5", NULL, NULL), "2001:db8:1:2:ffff::1"));
    assert_false(is_key(key_of("2001:db8:1:2::5", NULL, NULL), "2001:db8:1:3::5"));
    assert_true(is_key(key_of("::ffff:192.0.2.7", NULL, NULL), "192.0.2.7"));
    assert_false(is_key(key_of("192.0.2.7", NULL, NULL), "192.0.2.8"));
    /* nobody believes a stranger's header */
    assert_true(is_key(key_of("192.0.2.7", proxies, LIST("198.51.100.1")), "192.0.2.7"));
    assert_true(is_key(key_of("127.0.0.1", NULL, LIST("198.51.100.1")), "127.0.0.1"));
    /* the right-most that no proxy of ours is */
    assert_true(is_key(key_of("127.0.0.1", proxies, LIST("198.51.100.1")), "198.51.100.1"));
    assert_true(is_key(key_of("127.0.0.1", proxies, LIST("203.0.113.9, 198.51.100.1")), "198.51.100.1"));
    assert_true(is_key(key_of("127.0.0.1", proxies, LIST("203.0.113.9", "198.51.100.1, 10.0.0.9")), "198.51.100.1"));
    assert_true(is_key(key_of("::1", proxies, LIST("203.0.113.9 , 198.51.100.1:4711 ", "10.0.0.9")), "198.51.100.1"));
    assert_true(is_key(key_of("::1", proxies, LIST("[2001:db8:1:2::5]:80")), "2001:db8:1:2::1"));
    /* what is no address ends the walk */
    assert_true(is_key(key_of("127.0.0.1", proxies, LIST("198.51.100.1, unknown")), "127.0.0.1"));
    assert_true(is_key(key_of("127.0.0.1", proxies, LIST("")), "127.0.0.1"));
    assert_true(is_key(key_of("127.0.0.1", proxies, LIST("198.51.100.1,")), "127.0.0.1"));
    assert_true(is_key(key_of("127.0.0.1", proxies, LIST("[::2")), "::2"));
    assert_true(is_key(key_of("", proxies, LIST("198.51.100.1")), ""));
}

static void a_bucket_is_emptied_and_filled(void **state)
{
    (void)state;
    struct limiter *l;
    struct limiter_key a = limiter_host(S("a.example")), b = limiter_host(S("b.example"));
    assert_ok(limiter_new(NULL, (struct limiter_rule){3, 60}, &l, NULL));
    for (int i = 0; i < 3; i++)
        assert_int_equal(limiter_take(l, &a, 0), 0);
    uint32_t wait = limiter_take(l, &a, 0);
    assert_in_range(wait, 60, 61);
    assert_int_equal(limiter_take(l, &b, 0), 0);
    assert_in_range(limiter_take(l, &a, 30 * 1000), 30, 31);
    assert_int_equal(limiter_take(l, &a, 60 * 1000), 0);
    assert_true(limiter_take(l, &a, 60 * 1000) > 0);
    for (int i = 0; i < 3; i++) /* full again, and no fuller */
        assert_int_equal(limiter_take(l, &a, (int64_t)1 << 50), 0);
    assert_true(limiter_take(l, &a, (int64_t)1 << 50) > 0);
    struct limiter_key upper = limiter_host(S("A.Example"));
    assert_memory_equal(&a, &upper, sizeof a);
    limiter_free(l);
    limiter_free(NULL);
}

/* A crowd does not help anybody whose bucket is empty: those that are fuller make room. */
static void a_crowd_does_not_free_who_waits(void **state)
{
    (void)state;
    struct limiter *l;
    struct limiter_key key = {{1}}, crowd = {{2}};
    assert_ok(limiter_new(NULL, (struct limiter_rule){5, 5}, &l, NULL));
    for (int i = 0; i < 5; i++)
        assert_int_equal(limiter_take(l, &key, 0), 0);
    for (uint32_t i = 0; i < 300000; i++) {
        memcpy(crowd.b + 1, &i, sizeof i);
        (void)!limiter_take(l, &crowd, 0);
    }
    assert_true(limiter_take(l, &key, 0) > 0);
    limiter_free(l);
}

static void fields_of_forms(void **state)
{
    (void)state;
    static const struct {
        const char *fields, *name, *value;
    } rows[] = {
        {"domain=shop.example", "domain", "shop.example"},
        {"a=1&domain=x+y%20z%2B&domain=2", "domain", "x y z+"},
        {"dom%61in=1", "domain", "1"},
        {"domain", "domain", ""},
        {"domain=", "domain", ""},
        {"domain=a=b", "domain", "a=b"},
        {"domain=%zz%4", "domain", "%zz%4"},
        {"domain=%", "domain", "%"},
        {"&&=&domain=1", "domain", "1"},
        {"Domain=1", "domain", NULL},
        {"", "domain", NULL},
        {"=1", "", "1"},
    };
    struct arena a;
    struct buf out;
    arena_init(&a, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pap_str v = form_value(&a, str_c(rows[i].fields), rows[i].name);
        if (rows[i].value ? !v.p || !str_is(v, rows[i].value) : v.p != NULL)
            unit_fail("%s: %.*s", rows[i].fields, PSTR(v));
    }
    assert_null(form_value(&a, str(NULL, 0), "x").p);
    struct pap_str nul = form_value(&a, S("x=a%00b"), "x");
    assert_int_equal(nul.n, 3);
    char all[256];
    for (int i = 0; i < 256; i++)
        all[i] = (char)i;
    buf_init(&out, NULL, 4096);
    form_encode(&out, str(all, sizeof all));
    for (size_t i = 0; i < out.n; i++)
        assert_true(ascii_is_alnum(out.p[i]) || memchr("-._~%", out.p[i], 5));
    struct pap_str back = form_decoded(&a, buf_str(&out));
    assert_true(str_eq(back, str(all, sizeof all)));
    buf_fini(&out);
    arena_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_public_names_are_checked),
        cmocka_unit_test(a_visitor_is_an_address_or_a_network),
        cmocka_unit_test(a_bucket_is_emptied_and_filled),
        cmocka_unit_test(a_crowd_does_not_free_who_waits),
        cmocka_unit_test(fields_of_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
