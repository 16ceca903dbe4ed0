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
    {"AGE-SECRET-KEY-1", DIGITS | UPPER, 58, true, "a secret key of age"},
    {"AIza", URL64, 35, true, "an API key of Google"},
    {"AKIA", DIGITS | UPPER, 16, true, "an access key of AWS"},
    {"ASIA", DIGITS | UPPER, 16, true, "an access key of AWS"},
    {"dckr_pat_", URL64, 27, true, "an access token of Docker"},
    {"dop_v1_", DIGITS | LOWER, 64, true, "an access token of DigitalOcean"},
    {"figd_", URL64, 40, false, "an access token of Figma"},
    {"gho_", ALNUM, 36, false, "an access token of GitHub"},
    {"ghp_", ALNUM, 36, false, "an access token of GitHub"},
    {"ghr_", ALNUM, 36, false, "a refresh token of GitHub"},
    {"ghs_", ALNUM, 36, false, "an access token of GitHub"},
    {"ghu_", ALNUM, 36, false, "an access token of GitHub"},
    {"github_pat_", ALNUM | UNDERSCORE, 50, false, "an access token of GitHub"},
    {"gldt-", URL64, 20, false, "a deploy token of GitLab"},
    {"glpat-", URL64, 20, false, "an access token of GitLab"},
    {"glrt-", URL64, 20, false, "a runner token of GitLab"},
    {"glsa_", ALNUM | UNDERSCORE, 41, true, "a token of Grafana"},
    {"GOCSPX-", URL64, 28, true, "a client secret of Google"},
    {"gsk_", ALNUM, 52, true, "an API key of Groq"},
    {"hf_", ALNUM, 34, true, "an access token of Hugging Face"},
    {"https://hooks.slack.com/services/T", ALNUM | SLASH, 30, false, "a webhook of Slack"},
    {"hvs.", URL64, 24, false, "a token of Vault"},
    {"lin_api_", ALNUM, 40, true, "an API key of Linear"},
    {"npm_", ALNUM, 36, true, "an access token of npm"},
    {"ntn_", ALNUM, 40, false, "a token of Notion"},
    {"PMAK-", ALNUM | DASH, 50, false, "an API key of Postman"},
    {"PuTTY-User-Key-File-", DIGITS, 1, false, "a private key of PuTTY"},
    {"pypi-AgE", URL64, 50, false, "an upload token of PyPI"},
    {"rk_live_", ALNUM, 16, false, "a live key of Stripe"},
    {"rubygems_", DIGITS | LOWER, 48, true, "an API key of RubyGems"},
    {"sbp_", DIGITS | LOWER, 40, true, "an access token of Supabase"},
    {"SG.", URL64 | DOT, 60, false, "an API key of SendGrid"},
    {"shpat_", DIGITS | LOWER, 32, true, "an access token of Shopify"},
    {"shpss_", DIGITS | LOWER, 32, true, "a shared secret of Shopify"},
    {"sk-ant-", URL64, 32, false, "an API key of Anthropic"},
    {"sk-or-v1-", DIGITS | LOWER, 64, true, "an API key of OpenRouter"},
    {"sk-proj-", URL64, 32, false, "an API key of OpenAI"},
    {"sk-svcacct-", URL64, 32, false, "an API key of OpenAI"},
    {"sk_live_", ALNUM, 16, false, "a live key of Stripe"},
    {"sntrys_", URL64, 60, false, "a token of Sentry"},
    {"tskey-", ALNUM | DASH, 30, false, "a key of Tailscale"},
    {"whsec_", ALNUM, 32, false, "a signing secret of Stripe"},
    {"xapp-", ALNUM | DASH, 40, false, "an app token of Slack"},
    {"xoxb-", ALNUM | DASH, 24, false, "a token of Slack"},
    {"xoxp-", ALNUM | DASH, 24, false, "a token of Slack"},
    {"xoxr-", ALNUM | DASH, 24, false, "a token of Slack"},
    {"ya29.", URL64, 60, false, "an access token of Google"},
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
