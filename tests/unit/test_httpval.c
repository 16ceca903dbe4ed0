/* SPDX-License-Identifier: Apache-2.0
 *
 * Header values: quoting, list grammar, the three date forms, challenges; malformed ones are told, not guessed at.
 */
#include "text/httpval.h"
#include "unit.h"

#define countof(a) (sizeof(a) / sizeof(a)[0])
#define NONE str(NULL, 0)

static void media_types_are_split(void **state)
{
    (void)state;
    static const struct {
        const char *value, *type, *params; /* type NULL: none */
    } rows[] = {
        {"text/markdown; charset=utf-8", "text/markdown", "charset=utf-8"},
        {"application/json", "application/json", ""},
        {"  application/json\t;", "application/json", ""},
        {"a/b;x=\"1;2\" ; y", "a/b", "x=\"1;2\" ; y"},
        {"application/vnd.api+json;v=1", "application/vnd.api+json", "v=1"},
        {"", NULL, NULL},
        {"text", NULL, NULL},
        {"text/", NULL, NULL},
        {"/json", NULL, NULL},
        {"text /html", NULL, NULL},
        {"text/html, application/json", NULL, NULL},
        {"text/html x", NULL, NULL},
        {"text/a/b", NULL, NULL},
        {"t\xc3\xa9xt/html", NULL, NULL},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct pap_str type = S("kept"), params = S("kept");
        bool ok = media_type_parse(str_c(rows[i].value), &type, &params);
        if (ok != (rows[i].type != NULL))
            unit_fail("%s", rows[i].value);
        assert_str(type, ok ? rows[i].type : "kept");
        assert_str(params, ok ? rows[i].params : "kept");
    }
    struct pap_str type, params;
    assert_false(media_type_parse(NONE, &type, &params));
    assert_false(media_type_parse(S("text/h\0ml"), &type, &params));
}

static void media_type_parameters_are_found(void **state)
{
    (void)state;
    struct pap_str v = S("kept");
    assert_true(media_type_param(S("a=\"x;charset=no\" ;; CharSet=\"utf-8\""), "charset", &v));
    assert_str(v, "utf-8");
    assert_true(media_type_param(S("charset=\"\""), "charset", &v));
    assert_str(v, "");
    v = S("kept");
    static const char *const none[] = {"",
                                       "charset",
                                       "charset=",
                                       "charset =utf-8",
                                       "charset=\"utf-8",
                                       "x charset=utf-8",
                                       "charsets=utf-8",
                                       "charset=\"u\\tf-8\"",
                                       "a=\"\x01\";charset=utf-8",
                                       "; charset"};
    for (size_t i = 0; i < countof(none); i++)
        if (media_type_param(str_c(none[i]), "charset", &v))
            unit_fail("%s", none[i]);
    assert_str(v, "kept");
}

static void json_types_are_told(void **state)
{
    (void)state;
    assert_true(media_type_is_json(S("application/json")));
    assert_true(media_type_is_json(S("Application/JSON")));
    assert_true(media_type_is_json(S("application/problem+Json")));
    assert_false(media_type_is_json(S("application/+json")));
    assert_false(media_type_is_json(S("text/json")));
    assert_false(media_type_is_json(S("application/jsonp")));
    assert_false(media_type_is_json(S("application/json-seq")));
    assert_false(media_type_is_json(S("application/")));
    assert_false(media_type_is_json(S("application")));
    assert_false(media_type_is_json(NONE));
}

enum { BAD = 1, NO_STORE = 2, NO_CACHE = 4, PRIVATE = 8, PUBLIC = 16, IMMUTABLE = 32, MUST = 64 };
#define NO_AGE (-1)

static void cache_control_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        unsigned flags;
        int64_t max_age;
    } rows[] = {
        {"", 0, NO_AGE},
        {",, ,", 0, NO_AGE},
        {"max-age=300", 0, 300},
        {"public, max-age=31536000, immutable", PUBLIC | IMMUTABLE, 31536000},
        {"No-Store,MAX-AGE=0 ,\tmust-revalidate", NO_STORE | MUST, 0},
        {"private=\"a, max-age=5\", no-cache=\"set-cookie\"", PRIVATE | NO_CACHE, NO_AGE},
        {"x=\"\\\", no-store\", y=z, max-age=1", 0, 1},
        {"unknown, max-age=2, s-maxage=3, stale-while-revalidate=4", 0, 2},
        {"max-age=2147483647", 0, 2147483647},
        {"max-age=2147483648", 0, 2147483648},
        {"max-age=99999999999999999999999999", 0, 2147483648},
        {"max-age=007", 0, 7},
        {"max-age=\"5\"", BAD, 5},
        {"max-age=5, max-age=6", BAD, 5},
        {"max-age=5, max-age=5", BAD, 5},
        {"max-age", BAD, NO_AGE},
        {"max-age=", BAD, NO_AGE},
        {"max-age=-1", BAD, NO_AGE},
        {"max-age=1.5", BAD, NO_AGE},
        {"max-age=5s", BAD, NO_AGE},
        {"max-age=\"\"", BAD, NO_AGE},
        {"max-age = 5", BAD, NO_AGE},
        {"max-age: 5, no-store", BAD | NO_STORE, NO_AGE},
        {"public max-age=5", BAD, NO_AGE},
        {"public; max-age=5", BAD, NO_AGE},
        {"s-maxage=x, max-age=9", BAD, 9},
        {"stale-if-error", BAD, NO_AGE},
        {"no-cache=\"x, no-store", BAD | NO_STORE, NO_AGE}, /* read on after the comma: the careful side */
        {"=5, no-store", BAD | NO_STORE, NO_AGE},
        {"\"no-store\"", BAD, NO_AGE},
        {"no-storex", 0, NO_AGE},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct cache_control c;
        cache_control_parse(str_c(rows[i].value), &c);
        unsigned flags = (c.bad ? BAD : 0) | (c.no_store ? NO_STORE : 0) | (c.no_cache ? NO_CACHE : 0) |
                         (c.is_private ? PRIVATE : 0) | (c.is_public ? PUBLIC : 0) | (c.immutable ? IMMUTABLE : 0) |
                         (c.must_revalidate ? MUST : 0);
        assert_true(c.present);
        if (flags != rows[i].flags || (c.has_max_age ? (int64_t)c.max_age : NO_AGE) != rows[i].max_age)
            unit_fail("%s: flags %u, max-age %lld", rows[i].value, flags, c.has_max_age ? (long long)c.max_age : -1);
    }
    struct cache_control c;
    cache_control_parse(NONE, &c);
    assert_false(c.present || c.bad);
    cache_control_parse(S("no-store\0"), &c);
    assert_true(c.bad && !c.no_store);
}

static void dates_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        int64_t unix_seconds;
    } good[] = {
        {"Sun, 06 Nov 1994 08:49:37 GMT", 784111777},
        {"Sunday, 06-Nov-94 08:49:37 GMT", 784111777},
        {"Sun Nov  6 08:49:37 1994", 784111777},
        {"Sun Nov 06 08:49:37 1994", 784111777},
        {" Mon, 06 Nov 1994 08:49:37 GMT\t", 784111777}, /* wrong day of the week */
        {"Thu, 01 Jan 1970 00:00:00 GMT", 0},
        {"Wed, 31 Dec 1969 23:59:59 GMT", -1},
        {"Thu, 29 Feb 2024 00:00:00 GMT", 1709164800},
        {"Tue, 29 Feb 2000 12:00:00 GMT", 951825600},
        {"Fri, 01 Mar 2024 00:00:00 GMT", 1709251200},
        {"Sat, 31 Dec 2016 23:59:60 GMT", 1483228800},
        {"Fri, 31 Dec 9999 23:59:59 GMT", 253402300799},
        {"Mon, 01 Jan 0001 00:00:00 GMT", -62135596800},
        {"Thursday, 01-Jan-70 00:00:00 GMT", 0},
        {"Tuesday, 01-Jan-69 00:00:00 GMT", 3124224000},
        {"Saturday, 01-Jan-00 00:00:00 GMT", 946684800},
    };
    for (size_t i = 0; i < countof(good); i++) {
        int64_t t = 42;
        if (!http_date_parse(str_c(good[i].value), &t) || t != good[i].unix_seconds)
            unit_fail("%s: %lld", good[i].value, (long long)t);
    }
    static const char *const bad[] = {
        "",
        "0",
        "-1",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 GMT+1",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT",
        "Xxx, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nox 1994 08:49:37 GMT",
        "Sun,  06 Nov 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT",
        "Sun, 32 Dec 1994 08:49:37 GMT",
        "Sun, 29 Feb 2023 08:49:37 GMT",
        "Sun, 29 Feb 1900 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 0000 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, +6 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994",
        "Sun Nov  6 08:49:37 1994 GMT",
        "1994-11-06T08:49:37Z",
    };
    for (size_t i = 0; i < countof(bad); i++) {
        int64_t t = 42;
        if (http_date_parse(str_c(bad[i]), &t))
            unit_fail("%s", bad[i]);
        assert_int_equal(t, 42);
    }
}

static void every_day_of_the_calendar_has_its_number(void **state)
{
    (void)state;
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    int64_t want = 0, got = 0;
    for (int year = 1970; year < 2110; year++)
        for (int month = 0; month < 12; month++)
            for (int day = 1; day <= 32; day++) {
                char text[64];
                snprintf(text, sizeof text, "Mon, %02d %s %04d 00:00:00 GMT", day, months[month], year);
                if (http_date_parse(str_c(text), &got)) {
                    assert_int_equal(got, want);
                    want += 86400;
                } else {
                    assert_true(day > 28);
                }
            }
    assert_int_equal(want, 4417977600); /* 1 January 2110 */
}

static void retry_after_is_read(void **state)
{
    (void)state;
    uint32_t s = 42;
    assert_true(retry_after_parse(S("120"), 0, &s) && s == 120);
    assert_true(retry_after_parse(S(" 0 "), 0, &s) && s == 0);
    assert_true(retry_after_parse(S("99999999999999999999"), 0, &s) && s == UINT32_MAX);
    assert_true(retry_after_parse(S("Sun, 06 Nov 1994 08:49:37 GMT"), 784111770, &s) && s == 7);
    assert_true(retry_after_parse(S("Sun, 06 Nov 1994 08:49:37 GMT"), 784111777, &s) && s == 0);
    assert_true(retry_after_parse(S("Sun, 06 Nov 1994 08:49:37 GMT"), INT64_MAX, &s) && s == 0);
    assert_true(retry_after_parse(S("Sun, 06 Nov 1994 08:49:37 GMT"), INT64_MIN, &s) && s == UINT32_MAX);
    s = 42;
    static const char *const bad[] = {"", "-1", "1.5", "+1", "1 2", "soon", "10s"};
    for (size_t i = 0; i < countof(bad); i++)
        if (retry_after_parse(str_c(bad[i]), 0, &s))
            unit_fail("%s", bad[i]);
    assert_false(retry_after_parse(NONE, 0, &s));
    assert_int_equal(s, 42);
}

static void etags_are_judged(void **state)
{
    (void)state;
    static const char *const good[] = {"\"\"", "\"abc\"", "W/\"abc\"", "\"a,b\\\x80\xff\"", " \"x\" "};
    static const char *const bad[] = {"",      "\"",       "abc",     "w/\"abc\"",   "W/",
                                      "W/\"",  "\"a\"b\"", "\"a b\"", "\"\x7f\"",    "\"\x01\"",
                                      "'abc'", "W/ \"a\"", "*",       "\"a\", \"b\""};
    for (size_t i = 0; i < countof(good); i++)
        if (!etag_is_valid(str_c(good[i])))
            unit_fail("%s", good[i]);
    for (size_t i = 0; i < countof(bad); i++)
        if (etag_is_valid(str_c(bad[i])))
            unit_fail("%s", bad[i]);
    assert_false(etag_is_valid(NONE));
}

static void challenges_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *value, *scheme, *name, *found; /* found NULL: not there */
        bool has, valid;
    } rows[] = {
        {"Bearer resource_metadata=\"https://h/x\"", "Bearer", "resource_metadata", "https://h/x", true, true},
        {"bearer Realm=\"a, b=c\", error=invalid_token", "Bearer", "ERROR", "invalid_token", true, true},
        {"Bearer realm = \"x\" , error\t=\tno", "Bearer", "error", "no", true, true},
        {"DPoP error=\"use_dpop_nonce\"", "DPoP", "error", "use_dpop_nonce", true, true},
        {"DPoP error=\"use_dpop_nonce\"", "Bearer", "error", NULL, false, true},
        {"Basic realm=\"r\", Bearer error=\"e\"", "Bearer", "error", "e", true, true},
        {"Basic realm=\"r\", Bearer error=\"e\"", "Bearer", "realm", NULL, true, true},
        {"Basic realm=\"r\", Bearer error=\"e\"", "Basic", "error", NULL, true, true},
        {"Negotiate YWJj+/==, Bearer a=b", "Bearer", "a", "b", true, true},
        {"Negotiate a=, Bearer a=b", "Negotiate", "a", NULL, true, true}, /* token68 */
        {"Negotiate, NTLM ,, Bearer,a=b", "Bearer", "a", "b", true, true},
        {"Negotiate, NTLM ,, Bearer,a=b", "NTLM", "a", NULL, true, true},
        {"Bearer abc", "Bearer", "abc", NULL, true, true},
        {"Bearer", "Bearer", "x", NULL, true, true},
        {",Bearer x=\"\"", "Bearer", "x", "", true, true},
        {"Bearer a=1, Bearer b=2", "Bearer", "b", NULL, true, true}, /* the first challenge only */
        {"Bearer x=\"a\\\"b\"", "Bearer", "x", NULL, true, true},
        {"Bearer x=\"a\\\"b\", y=z", "Bearer", "y", "z", true, true},
        {"X y=\"Bearer a=b\"", "Bearer", "a", NULL, false, true},
        {"X y=\", Bearer a=b\"", "Bearer", "a", NULL, false, true},
        {"", "Bearer", "x", NULL, false, false},
        {",", "Bearer", "x", NULL, false, false},
        {"a=b", "Bearer", "a", NULL, false, false},
        {"a=b, Bearer c=d", "Bearer", "c", "d", true, false},
        {"Bearer a=\"b", "Bearer", "a", NULL, false, false},
        {"Bearer a=\"b\\", "Bearer", "a", NULL, false, false},
        {"Bearer a=\"b\" c=\"d\"", "Bearer", "c", NULL, false, false},
        {"Bearer a=b c=d", "Bearer", "a", NULL, false, false},
        {"Bearer resource_metadata=https://h/x", "Bearer", "resource_metadata", NULL, false, false},
        {"Bearer a=b, c=\"d", "Bearer", "a", "b", true, false},
        {"Bearer/x a=b", "Bearer", "a", NULL, false, false},
        {"\"Bearer\" a=b", "Bearer", "a", NULL, false, false},
        {"Bearer a=\"\x01\"", "Bearer", "a", NULL, false, false},
        {"Bearer a=b; c=d", "Bearer", "a", NULL, false, false},
        {"Bearer a=, c=d", "Bearer", "c", "d", true, true}, /* "a=" is a token68 */
        {"Bearer a=b, c=", "Bearer", "a", "b", true, false},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct pap_str value = str_c(rows[i].value), v = S("kept");
        bool found = challenge_param(value, rows[i].scheme, rows[i].name, &v);
        if (found != (rows[i].found != NULL))
            unit_fail("%s: %s", rows[i].value, found ? "found" : "not found");
        assert_str(v, found ? rows[i].found : "kept");
        if (challenge_has(value, rows[i].scheme) != rows[i].has)
            unit_fail("%s: has %s", rows[i].value, rows[i].scheme);
        if (challenges_are_valid(value) != rows[i].valid)
            unit_fail("%s: valid %d", rows[i].value, !rows[i].valid);
    }
    struct pap_str v;
    assert_false(challenge_param(NONE, "Bearer", "x", &v) || challenge_has(NONE, "Bearer") ||
                 challenges_are_valid(NONE));
}

/* Values cut at every byte, in memory of just that size, for the sanitizers; a cut quoted value is never found. */
static void cut_values_are_read_inside_their_bytes(void **state)
{
    (void)state;
    static const char *const values[] = {
        "Bearer realm=\"a\\\"b\", resource_metadata=\"https://h/x\"",
        "max-age=300, private=\"a,\\\"b\", no-store",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "text/markdown; charset=\"utf-8\"",
        "W/\"abc\"",
    };
    for (size_t i = 0; i < countof(values); i++)
        for (size_t n = 0; n < strlen(values[i]); n++) {
            char *copy = malloc(n ? n : 1);
            assert_non_null(copy);
            memcpy(copy, values[i], n);
            struct pap_str s = str(copy, n), type, params, v;
            struct cache_control c;
            int64_t t;
            uint32_t seconds;
            assert_false(challenge_param(s, "Bearer", "resource_metadata", &v));
            (void)challenges_are_valid(s);
            cache_control_parse(s, &c);
            assert_false(http_date_parse(s, &t) || retry_after_parse(s, 0, &seconds) || etag_is_valid(s));
            if (media_type_parse(s, &type, &params))
                assert_false(media_type_param(params, "charset", &v));
            free(copy);
        }
}

static void dates_are_written(void **state)
{
    (void)state;
    char text[HTTP_DATE_TEXT + 1];
    http_date_write(784111777, text);
    assert_string_equal(text, "Sun, 06 Nov 1994 08:49:37 GMT");
    http_date_write(951782400, text);
    assert_string_equal(text, "Tue, 29 Feb 2000 00:00:00 GMT");
    http_date_write(INT64_MIN, text);
    assert_string_equal(text, "Mon, 01 Jan 0001 00:00:00 GMT");
    http_date_write(INT64_MAX, text);
    assert_string_equal(text, "Fri, 31 Dec 9999 23:59:59 GMT");
    for (int64_t t = -62135596800; t < 253402300800; t += 86399 * 17) {
        int64_t back = 0;
        http_date_write(t, text);
        assert_true(http_date_parse(str(text, HTTP_DATE_TEXT), &back));
        assert_true(back == t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(media_types_are_split), cmocka_unit_test(media_type_parameters_are_found),
        cmocka_unit_test(json_types_are_told),   cmocka_unit_test(cache_control_is_read),
        cmocka_unit_test(dates_are_read),        cmocka_unit_test(every_day_of_the_calendar_has_its_number),
        cmocka_unit_test(retry_after_is_read),   cmocka_unit_test(etags_are_judged),
        cmocka_unit_test(challenges_are_read),   cmocka_unit_test(cut_values_are_read_inside_their_bytes),
        cmocka_unit_test(dates_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
