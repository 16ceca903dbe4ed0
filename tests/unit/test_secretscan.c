/* SPDX-License-Identifier: Apache-2.0
 *
 * Secrets are put together here, so that no scanner takes this file for a leak.
 */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_found),
        cmocka_unit_test(private_keys_are_found),
        cmocka_unit_test(what_is_no_secret_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
