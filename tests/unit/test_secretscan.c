/* SPDX-License-Identifier: Apache-2.0
 *
 * Secrets are put together here, so that no scanner takes this file for a leak.
 */
#include <stdlib.h>

#include "text/secretscan.h"
#include "unit.h"

static const char run[] = "q7Xk2Pz9Lm4Vt6Rb1Nc8Wd3Hs5Jf0Gy7Ua2Ie9Ko4Zx6Cv1Bn8Mq3Ws5Ed0Rf7Tg2Yh9Uj4";
static const char small[] = "q7xk2pz9lm4vt6rb1nc8wd3hs5jf0gy7ua2ie9ko4zx6cv1bn8mq3ws5ed0rf7tg2yh9uj4";
static const char capitals[] = "Q7XK2PZ9LM4VT6RB1NC8WD3HS5JF0GY7UA2IE9KO4ZX6CV1BN8MQ3WS5ED0RF7TG2YH9UJ4";

static bool finds(const char *before, const char *prefix, const char *body, size_t n, const char *after)
{
    char text[400];
    struct secret s;
    int len = snprintf(text, sizeof text, "%s%s%.*s%s", before, prefix, (int)n, body, after);
    bool found = secret_find(str(text, (size_t)len), 0, &s);
    if (found) {
        assert_int_equal(s.off, strlen(before));
        assert_true(strlen(s.what) > 5);
        assert_false(secret_find(str(text, (size_t)len), s.off + 1, &s));
    }
    return found;
}

static void tokens_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *prefix;
        size_t n;
        enum { MIXED, SMALL, CAPITALS } letters;
    } rows[] = {
        /* one of each row, cut where the names would be found */
        {"AG"
         "E-SECRET-KEY-1",
         58, CAPITALS},
        {"AI"
         "za",
         35, MIXED},
        {"AK"
         "IA",
         16, CAPITALS},
        {"AS"
         "IA",
         16, CAPITALS},
        {"dc"
         "kr_pat_",
         27, MIXED},
        {"do"
         "p_v1_",
         64, SMALL},
        {"fi"
         "gd_",
         40, MIXED},
        {"gh"
         "o_",
         36, MIXED},
        {"gh"
         "p_",
         36, MIXED},
        {"gh"
         "r_",
         36, MIXED},
        {"gh"
         "s_",
         36, MIXED},
        {"gh"
         "u_",
         36, MIXED},
        {"gi"
         "thub_pat_",
         50, MIXED},
        {"gl"
         "dt-",
         20, MIXED},
        {"gl"
         "pat-",
         20, MIXED},
        {"gl"
         "rt-",
         20, MIXED},
        {"gl"
         "sa_",
         41, MIXED},
        {"GO"
         "CSPX-",
         28, MIXED},
        {"gs"
         "k_",
         52, MIXED},
        {"hf"
         "_",
         34, MIXED},
        {"hv"
         "s.",
         24, MIXED},
        {"li"
         "n_api_",
         40, MIXED},
        {"np"
         "m_",
         36, MIXED},
        {"nt"
         "n_",
         40, MIXED},
        {"PM"
         "AK-",
         50, MIXED},
        {"py"
         "pi-AgE",
         50, MIXED},
        {"rk"
         "_live_",
         16, MIXED},
        {"ru"
         "bygems_",
         48, SMALL},
        {"sb"
         "p_",
         40, SMALL},
        {"SG"
         ".",
         60, MIXED},
        {"sh"
         "pat_",
         32, SMALL},
        {"sh"
         "pss_",
         32, SMALL},
        {"sk"
         "-ant-",
         32, MIXED},
        {"sk"
         "-or-v1-",
         64, SMALL},
        {"sk"
         "-proj-",
         32, MIXED},
        {"sk"
         "-svcacct-",
         32, MIXED},
        {"sk"
         "_live_",
         16, MIXED},
        {"sn"
         "trys_",
         60, MIXED},
        {"ts"
         "key-",
         30, MIXED},
        {"wh"
         "sec_",
         32, MIXED},
        {"xa"
         "pp-",
         40, MIXED},
        {"xo"
         "xb-",
         24, MIXED},
        {"xo"
         "xp-",
         24, MIXED},
        {"xo"
         "xr-",
         24, MIXED},
        {"ya"
         "29.",
         60, MIXED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *body = rows[i].letters == CAPITALS ? capitals : rows[i].letters == SMALL ? small : run;
        if (!finds("", rows[i].prefix, body, rows[i].n, "") ||
            !finds("key = \"", rows[i].prefix, body, rows[i].n, "\"\n") ||
            !finds("\xff ", rows[i].prefix, body, rows[i].n, " and more"))
            unit_fail("%s is not found", rows[i].prefix);
        assert_false(finds("", rows[i].prefix, body, 10, " "));
        assert_false(finds("some", rows[i].prefix, body, rows[i].n, "")); /* inside a word */
    }
}

static void private_keys_are_found(void **state)
{
    (void)state;
    static const char *const labels[] = {"", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "};
    char text[400];
    struct secret s;
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        int n = snprintf(text, sizeof text, "see:\n-----BEGIN %sPRIVATE KEY-----\n%s\n-----END", labels[i], run);
        assert_true(secret_find(str(text, (size_t)n), 0, &s));
        assert_int_equal(s.off, 5);
    }
    int n = snprintf(text, sizeof text, "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n%s\n", run);
    assert_true(secret_find(str(text, (size_t)n), 0, &s));
}

static void what_is_no_secret_is_left_alone(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n",
        "grep -l -e '-----BEGIN RSA PRIVATE KEY-----' *",
        "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n",
        "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ7w0Zk0s9m3F5\n",
        "-----BEGIN PRIVATE KEY-----\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n",
        "AK"
        "IAIOSFODNN7EXAMPLE",
        "gh"
        "p_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "gh"
        "p_000000000000000000000000000000000000",
        "sk-"
        "ant-YOUR-KEY-GOES-HERE-123456789012345678",
        "ghp_",
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----",
        "-",
        "",
    };
    struct secret s;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t cut = 0; cut <= strlen(texts[i]); cut++)
            if (secret_find(str(texts[i], cut), 0, &s))
                unit_fail("\"%.*s\" is no secret", (int)cut, texts[i]);
}

/* ---- by their shape ---- */

static bool has_secret(struct pap_str s)
{
    struct secret found;
    size_t from = 0;
    bool any = false;
    for (; secret_find(s, from, &found); any = true) {
        assert_true(found.off >= from && found.off < s.n);
        from = found.off + 1;
    }
    return any;
}

/* Text with "#" for what is a secret where there are many of it: 43 characters. */
static struct pap_str filled(const char *text, char ret[static 2000])
{
    size_t n = 0;
    for (; *text; text++) {
        int len = *text == '#' ? snprintf(ret + n, 2000 - n, "%.43s", run) : snprintf(ret + n, 2000 - n, "%c", *text);
        assert_true(len > 0 && n + (size_t)len < 2000);
        n += (size_t)len;
    }
    return str(ret, n);
}

/* In UTF-16, low byte first or high byte first, with a mark or without. */
static struct pap_str widened(struct pap_str s, bool high, bool mark, char ret[static 4002])
{
    size_t n = 0;
    if (mark) {
        ret[n++] = high ? '\xfe' : '\xff';
        ret[n++] = high ? '\xff' : '\xfe';
    }
    for (size_t i = 0; i < s.n; i++) {
        ret[n++] = high ? '\0' : s.p[i];
        ret[n++] = high ? s.p[i] : '\0';
    }
    return str(ret, n);
}

static const struct {
    const char *text;
    bool secret;
} rows[] = {
    {"-----BEGIN "
     "PRIVATE KEY-----\n#\n-----END",
     true},
    {"{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"#\",\"d\":\"#\"}", true},
    {"{\n  \"d\": \"#\",\n  \"x5c\": [\"a\", \"b\"],\n  \"kty\": \"EC\"\n}", true},
    {"{\"keys\": [{\"kty\":\"RSA\",\"n\":\"#\",\"e\":\"AQAB\"},{\"kty\":\"RSA\",\"n\":\"#\",\"d\":\"##\"}]}", true},
    {"echo '{\\\"kty\\\": \\\"EC\\\", \\\"d\\\": \\\"#\\\"}'", true},
    {"const key = {kty: 'EC', crv: 'P-256', d: '#'}", true},
    {"{\"kty\":\"oct\",\"k\":\"#\"}", true},
    {"{\"kty\":\"oct\",\"alg\":\"HS256\"}", false},
    {"{\"kty\":\"EC\",\"x\":\"#\",\"y\":\"#\",\"kid\":\"d\"}", false},
    {"{\"kty\":\"EC\",\"k\":\"#\"}", false},
    {"{\"kty\":\"EC\",\"d\":\"...\"}", false},
    {"{\"kty\":\"EC\",\"d\":\"your-private-key-in-base64url-without-any-padding\"}", false},
    {"{\"kty\":\"EC\"}, {\"d\":\"#\"}", false},
    {"kty EC d #", false},

    {"AWS_SECRET_"
     "ACCESS_KEY=q7Xk2Pz9Lm4Vt6Rb1Nc8Wd3Hs5Jf0Gy7Ua2I/+e9",
     true},
    {"export PROD_AWS_SECRET_"
     "ACCESS_KEY=\"q7Xk2Pz9Lm4Vt6Rb1Nc8Wd3Hs5Jf0Gy7Ua2I/+e9\"\n",
     true},
    {"aws configure set aws_secret_"
     "access_key q7Xk2Pz9Lm4Vt6Rb1Nc8Wd3Hs5Jf0Gy7Ua2I/+e9 --profile x",
     true},
    {"{\"Secret"
     "AccessKey\": \"q7Xk2Pz9Lm4Vt6Rb1Nc8Wd3Hs5Jf0Gy7Ua2I/+e9\"}",
     true},
    {"--secret-"
     "access-key q7Xk2Pz9Lm4Vt6Rb1Nc8Wd3Hs5Jf0Gy7Ua2I/+e9",
     true},
    {"<Secret"
     "AccessKey>q7Xk2Pz9Lm4Vt6Rb1Nc8Wd3Hs5Jf0Gy7Ua2I/+e9</Secret",
     true},
    {"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", false},
    {"AWS_SECRET_ACCESS_KEY=${AWS_SECRET_ACCESS_KEY}", false},
    {"AWS_SECRET_ACCESS_KEY=your-key", false},
    {"AWS_SECRET_ACCESS_KEY=0123456789", false},
    {"AWS_SECRET_ACCESS_KEYq7Xk2Pz9Lm4Vt6Rb1Nc8Wd3Hs5Jf0Gy7Ua2I/+e9", false},
    {"AWS_SECRET_ACCESS_KEY=q7Xk2Pz9Lm4Vt6Rb1Nc8Wd3Hs5Jf0Gy7Ua2I/+e9xyz", false},

    {"postgres://shop:Tr0ub4dor@db.shop.test.de/orders", true},
    {"see https://ann:h7-Kq2@files.shop.de:8443/a", true},
    {"redis://:q7Xk2Pz9@cache:6379", true},
    {"mongodb+srv://app:a%40q7Xk2@cluster0.abcde.mongodb.net/?w=1", true},
    {"postgres://user:S3cr3tPassw0rd@db.example.com/x", true}, /* as a generator makes them */
    {"https://user:p4ssw0rd@shop.example/", false},            /* as people do for an example */
    {"https://user:password@example.com/", false},
    {"https://user:pass@files.shop.de/", false},
    {"https://user:wonderland@files.shop.de/", false},
    {"https://user:Password123@files.shop.de/", false},
    {"https://x-access-token:${GITHUB_TOKEN}@github.com/a/b", false},
    {"https://<user>:<password>@files.shop.de/", false},
    {"https://{{user}}:{{pass-9}}@files.shop.de/", false},
    {"https://$USER:$PASS9a@files.shop.de/", false},
    {"https://user:%s_%d_X1@files.shop.de/", false},
    {"postgres://postgres:Postgres@db/x", false},
    {"postgres://postgres:q7Xk2Pz9Lm@localhost:5432/x", false},
    {"postgres://postgres:q7Xk2Pz9Lm@127.0.0.1/x", false},
    {"https://shop.de:8443/@q7Xk2Pz9", false},
    {"ssh://git@github.com/a/b", false},
    {"https://shop.de/a?b=c:q7Xk2Pz9@d", false},
    {"git@github.com:shop/tools.git, http://a:b c@d", false},
    {"://:q7Xk2Pz9@cache", false},
    {"https://user:q7Xk2Pz9@", false},
};

static void shapes_are_found_in_any_width(void **state)
{
    (void)state;
    char text[2000], wide[4002];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pap_str s = filled(rows[i].text, text);
        if (has_secret(s) != rows[i].secret)
            unit_fail("%s: %s", rows[i].text, rows[i].secret ? "is not found" : "is no secret");
        for (unsigned form = 0; form < 4; form++)
            if (has_secret(widened(s, form & 1, form & 2, wide)) != rows[i].secret)
                unit_fail("in UTF-16 (%u): %s", form, rows[i].text);
        for (size_t cut = 0; cut < s.n; cut++) { /* exactly so long, for who watches memory */
            char *exact = malloc(2 * cut + 2);
            assert_non_null(exact);
            memcpy(exact, s.p, cut);
            (void)has_secret(str(exact, cut));
            struct pap_str w = widened(str(s.p, cut), true, false, wide);
            memcpy(exact, w.p, w.n);
            (void)has_secret(str(exact, w.n));
            free(exact);
        }
    }
}

static struct pap_str element(char tag, struct pap_str body, char *at)
{
    memmove(at + 4, body.p, body.n);
    at[0] = tag;
    at[1] = '\x82';
    at[2] = (char)(body.n >> 8);
    at[3] = (char)(body.n & 255);
    return str(at, 4 + body.n);
}

/* A sequence of elements: each is a tag and a body. */
static struct pap_str sequence(const struct pap_str *bodies, const char *tags, char ret[static 2000])
{
    size_t n = 0;
    char all[2000];
    for (size_t i = 0; tags[i]; i++)
        n += element(tags[i], bodies[i], all + n).n;
    return element('\x30', str(all, n), ret);
}

static void keys_in_der_are_found(void **state)
{
    (void)state;
    const struct pap_str rsa = S("\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00");
    const struct pap_str pbes2 = S("\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0d\x05\x00");
    const struct pap_str body = str(run, 64), zero = S("\0"), one = S("\1");
    const struct {
        const char *tags;
        struct pap_str bodies[4];
        bool secret;
    } der[] = {
        {"\2\x30\4", {zero, rsa, body}, true},
        {"\2\2\2\2", {zero, body, one, body}, true},
        {"\2\4", {one, body}, true},
        {"\x30\4", {pbes2, body}, true},
        {"\x30\3", {rsa, body}, false},
        {"\x30\4", {rsa, body}, false},
        {"\x30\x30\3", {rsa, rsa, body}, false},
        {"\2\x30\4", {S("\3"), rsa, body}, false},
        {"\2\x30\x30\3", {zero, rsa, rsa, body}, false},
        {"\2\2", {body, one}, false},
        {"\2\2\2", {zero, one, one}, false},
    };
    for (size_t i = 0; i < sizeof der / sizeof *der; i++) {
        char bytes[2000];
        struct pap_str s = sequence(der[i].bodies, der[i].tags, bytes);
        if (has_secret(s) != der[i].secret)
            unit_fail("row %zu of DER", i);
        for (size_t cut = 0; cut < s.n; cut++) {
            char *exact = malloc(cut + 1);
            assert_non_null(exact);
            memcpy(exact, s.p, cut);
            assert_false(has_secret(str(exact, cut)));
            free(exact);
        }
    }
    assert_false(has_secret(S("\x30\x80\2\1\0")));
    assert_false(has_secret(S("\x30\x84\xff\xff\xff\xff\2\1\0")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_found),
        cmocka_unit_test(private_keys_are_found),
        cmocka_unit_test(what_is_no_secret_is_left_alone),
        cmocka_unit_test(shapes_are_found_in_any_width),
        cmocka_unit_test(keys_in_der_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
