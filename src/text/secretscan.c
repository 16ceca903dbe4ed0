/* SPDX-License-Identifier: Apache-2.0 */
#include "text/secretscan.h"

#include "text/secret_inside.h"

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

static const char *token_at(struct pap_str s)
{
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        if (tokens[i].prefix[0] != s.p[0] || !str_starts(s, str_c(tokens[i].prefix)))
            continue;
        struct pap_str rest = str_skip(s, strlen(tokens[i].prefix));
        size_t n = secret_run(tokens[i].set, rest);
        if (n >= tokens[i].least && (!tokens[i].exact || n == tokens[i].least) &&
            !secret_is_placeholder(str_take(rest, n)))
            return tokens[i].what;
    }
    return NULL;
}

/* A word, and who judges what stands around it. To add a shape: a row. */
static const struct {
    const char *word;
    const char *(*judge)(struct pap_str all, size_t at);
    bool inside; /* also in the middle of a longer word */
} shapes[] = {
    {"-----BEGIN ", secret_key_block, true},
    {"://", secret_login, true},
    {"kty", secret_jwk, false},
    {"secret", secret_aws, true},
    {"Secret", secret_aws, true},
    {"SECRET", secret_aws, true},
};

/* A secret at `at`; `behind`: in the middle of a word. */
static const char *secret_at(struct pap_str all, size_t at, bool behind)
{
    struct pap_str s = str_skip(all, at);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].word[0] == s.p[0] && (shapes[i].inside || !behind) && str_starts(s, str_c(shapes[i].word))) {
            const char *what = shapes[i].judge(all, at);
            if (what)
                return what;
        }
    return behind ? NULL : token_at(s);
}

/* ---- UTF-16 ---- */

/* Letters of UTF-16, low or high byte first, have a NUL between them: up to `most` of them from `at` on. */
static size_t narrow(struct pap_str all, size_t at, size_t most, char *ret)
{
    size_t n = 0;
    for (; n < most && at + 2 * n < all.n && (n == 0 || !all.p[at + 2 * n - 1]); n++)
        ret[n] = all.p[at + 2 * n];
    return n;
}

static bool begins_one(struct pap_str s)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (str_starts(s, str_c(shapes[i].word)))
            return true;
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
        if (tokens[i].prefix[0] == s.p[0] && str_starts(s, str_c(tokens[i].prefix)))
            return true;
    return false;
}

static const char *wide_at(struct pap_str all, size_t at)
{
    enum { WORD_MOST = 40 };
    char word[WORD_MOST] = {0};
    if (!begins_one(str(word, narrow(all, at, WORD_MOST, word))))
        return NULL;
    char text[2 * SECRET_FAR] = {0};
    size_t before = 0;
    while (before < SECRET_FAR && at >= 2 * before + 2 && !all.p[at - 2 * before - 1])
        before++;
    size_t n = narrow(all, at - 2 * before, sizeof text, text);
    return secret_at(str(text, n), before, before && secret_is_in(URL64, all.p[at - 2]));
}

/* ---- the walk ---- */

/* What a character may begin, and which two may begin a word, by their lower bits: nearly every place is passed over by a
 * look at these. */
enum { WORD = 1, INSIDE = 2, LETTER = 4 /* behind which a word does not begin */, PAIR = 64 };

struct filter {
    unsigned char kinds[256];
    bool pairs[PAIR][PAIR];
};

static void add_word(struct filter *f, const char *word, unsigned kind)
{
    f->kinds[(unsigned char)word[0]] |= (unsigned char)kind;
    f->pairs[(unsigned char)word[0] % PAIR][(unsigned char)word[1] % PAIR] = true;
}

static void fill(struct filter *f)
{
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
        add_word(f, tokens[i].prefix, WORD);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        add_word(f, shapes[i].word, shapes[i].inside ? WORD | INSIDE : WORD);
    for (unsigned c = 0; c < 128; c++)
        f->kinds[c] |= secret_is_in(URL64, (char)c) ? LETTER : 0;
}

bool secret_find(struct pap_str bytes, size_t from, struct secret *ret)
{
    struct filter f = {0};
    const unsigned char *u = (const unsigned char *)bytes.p;
    const char *what = from == 0 ? secret_der(bytes) : NULL;
    size_t i = from;
    fill(&f);
    for (; !what && i + 2 < bytes.n; i++) {
        unsigned kind = f.kinds[u[i]];
        if (!(kind & WORD))
            continue;
        bool behind = i > 0 && (f.kinds[u[i - 1]] & LETTER), wide = !u[i + 1];
        if ((behind && !(kind & INSIDE)) || !f.pairs[u[i] % PAIR][u[i + 1 + wide] % PAIR])
            continue;
        what = wide ? wide_at(bytes, i) : secret_at(bytes, i, behind);
        if (what)
            break;
    }
    if (what)
        *ret = (struct secret){what, i};
    return what != NULL;
}
