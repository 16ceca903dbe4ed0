/* SPDX-License-Identifier: Apache-2.0 */
#include "text/secretscan.h"

enum set {
    DIGITS = 1,
    UPPER = 2,
    LOWER = 4,
    DASH = 8,
    UNDERSCORE = 16,
    DOT = 32,
    SLASH = 64,
    ALNUM = DIGITS | UPPER | LOWER,
    URL64 = ALNUM | DASH | UNDERSCORE
};

/* A prefix and at least `least` characters of a set behind it (`exact`: no more than that). To add a token: a row. */
static const struct {
    const char *prefix;
    unsigned set;
    size_t least;
    bool exact;
    const char *what;
} tokens[] = {
    {"AKIA", DIGITS | UPPER, 16, true, "an access key of AWS"},
    {"ASIA", DIGITS | UPPER, 16, true, "an access key of AWS"},
    {"AIza", URL64, 35, true, "an API key of Google"},
    {"AGE-SECRET-KEY-1", DIGITS | UPPER, 58, true, "a secret key of age"},
    {"PuTTY-User-Key-File-", DIGITS, 1, false, "a private key of PuTTY"},
    {"SG.", URL64 | DOT, 60, false, "an API key of SendGrid"},
    {"dop_v1_", DIGITS | LOWER, 64, true, "an access token of DigitalOcean"},
    {"ghp_", ALNUM, 36, false, "an access token of GitHub"},
    {"gho_", ALNUM, 36, false, "an access token of GitHub"},
    {"ghu_", ALNUM, 36, false, "an access token of GitHub"},
    {"ghs_", ALNUM, 36, false, "an access token of GitHub"},
    {"ghr_", ALNUM, 36, false, "a refresh token of GitHub"},
    {"github_pat_", ALNUM | UNDERSCORE, 50, false, "an access token of GitHub"},
    {"glpat-", URL64, 20, false, "an access token of GitLab"},
    {"hf_", ALNUM, 34, true, "an access token of Hugging Face"},
    {"https://hooks.slack.com/services/T", ALNUM | SLASH, 30, false, "a webhook of Slack"},
    {"npm_", ALNUM, 36, true, "an access token of npm"},
    {"pypi-AgE", URL64, 50, false, "an upload token of PyPI"},
    {"rk_live_", ALNUM, 16, false, "a live key of Stripe"},
    {"shpat_", DIGITS | LOWER, 32, true, "an access token of Shopify"},
    {"sk-ant-", URL64, 32, false, "an API key of Anthropic"},
    {"sk-proj-", URL64, 32, false, "an API key of OpenAI"},
    {"sk_live_", ALNUM, 16, false, "a live key of Stripe"},
    {"xoxb-", ALNUM | DASH, 24, false, "a token of Slack"},
    {"xoxp-", ALNUM | DASH, 24, false, "a token of Slack"},
};

static bool is_in(unsigned set, char c)
{
    return (ascii_is_digit(c) && (set & DIGITS)) || (c >= 'A' && c <= 'Z' && (set & UPPER)) ||
           (c >= 'a' && c <= 'z' && (set & LOWER)) || (c == '-' && (set & DASH)) || (c == '_' && (set & UNDERSCORE)) ||
           (c == '.' && (set & DOT)) || (c == '/' && (set & SLASH));
}

/* What documentation shows instead of a secret: one letter over and over, or a word that says so. */
static bool is_placeholder(struct pap_str s)
{
    static const char *const words[] = {"EXAMPLE", "example", "XXXXXX", "xxxxxx", "YOUR", "your"};
    size_t same = 0;
    for (size_t i = 1; i < s.n; i++)
        same += s.p[i] == s.p[i - 1];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_find(s, str_c(words[i])) < s.n)
            return true;
    return same * 2 > s.n;
}

static const char *token_at(struct pap_str s)
{
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        if (tokens[i].prefix[0] != s.p[0] || !str_starts(s, str_c(tokens[i].prefix)))
            continue;
        struct pap_str rest = str_skip(s, strlen(tokens[i].prefix));
        size_t n = 0;
        while (n < rest.n && is_in(tokens[i].set, rest.p[n]))
            n++;
        if (n >= tokens[i].least && (!tokens[i].exact || n == tokens[i].least) && !is_placeholder(str_take(rest, n)))
            return tokens[i].what;
    }
    return NULL;
}

/* "-----BEGIN ... PRIVATE KEY-----" (PEM, OpenSSH, PGP with "BLOCK") with something like a key in the lines behind it. */
static const char *key_block_at(struct pap_str s)
{
    enum { LABEL_MOST = 64, LINE = 16 };
    if (!str_starts(s, S("-----BEGIN ")))
        return NULL;
    struct pap_str label = str_take(str_skip(s, 11), LABEL_MOST);
    label = str_take(label, str_find_char(label, '-'));
    if (!str_ends(label, S("PRIVATE KEY")) && !str_ends(label, S("PRIVATE KEY BLOCK")))
        return NULL;
    size_t run = 0;
    for (size_t i = 11 + label.n + 5; i < s.n && i < 600; i++) {
        bool base64 = is_in(ALNUM | SLASH, s.p[i]) || s.p[i] == '+' || s.p[i] == '=';
        run = base64 ? run + 1 : 0;
        if (run >= LINE && !is_placeholder(str(s.p + i + 1 - run, run)))
            return "a private key";
    }
    return NULL;
}

bool secret_find(struct pap_str bytes, size_t from, struct secret *ret)
{
    bool first[256] = {['-'] = true};
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
        first[(unsigned char)tokens[i].prefix[0]] = true;
    for (size_t i = from; i < bytes.n; i++) {
        if (!first[(unsigned char)bytes.p[i]] || (bytes.p[i] != '-' && i > 0 && is_in(URL64, bytes.p[i - 1])))
            continue;
        const char *what = bytes.p[i] == '-' ? key_block_at(str_skip(bytes, i)) : token_at(str_skip(bytes, i));
        if (what) {
            *ret = (struct secret){what, i};
            return true;
        }
    }
    return false;
}
