/* SPDX-License-Identifier: Apache-2.0 */
#include "host/token.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/limits.h"

/* Random tokens of 128 bits in hex, or of 192 and more in base64, always have so many here; four words and a year have less. */
enum { TOKEN_LEAST = 24, TOKEN_BITS = 66, TOKEN_LETTERS = 10 };

bool token_is_visible(struct pap_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < 0x21 || s.p[i] > 0x7e)
            return false;
    return true;
}

/* ---- guessing ---- */

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

/* The end of the word that begins at `at`: letters of one case, or a capital and small ones behind it. */
static size_t word_end(struct pap_str s, size_t at)
{
    size_t i = at + 1;
    if (i < s.n && (is_lower(s.p[at]) || is_lower(s.p[i])))
        while (i < s.n && is_lower(s.p[i]))
            i++;
    else
        while (i < s.n && ascii_is_alpha(s.p[i]) && !is_lower(s.p[i]))
            i++;
    return i;
}

/* Whether the piece stands in the text before it already, in any case. */
static bool is_repeated(struct pap_str s, size_t at, size_t end)
{
    for (size_t i = 0; i + (end - at) <= at; i++)
        if (str_eq_nocase(str(s.p + i, end - at), str(s.p + at, end - at)))
            return true;
    return false;
}

unsigned token_bits(struct pap_str s)
{
    enum { LETTER = 47, WORD = 120, DIGIT = 33, SIGN = 20, WORD_LEAST = 3, WORD_USUAL = 6 }; /* tenths of a bit */
    unsigned tenths = 0;
    for (size_t i = 0, end; i < s.n; i = end) {
        int step = i ? s.p[i] - s.p[i - 1] : 9;
        bool is_word = ascii_is_alpha(s.p[i]);
        end = is_word ? word_end(s, i) : i + 1;
        size_t n = end - i;
        if (is_word && n < WORD_LEAST)
            tenths += (unsigned)n * LETTER;
        else if (ascii_is_digit(s.p[i]))
            tenths += step < -1 || step > 1 ? DIGIT : 0; /* 1234, 7777 */
        else if (!is_repeated(s, i, end))
            tenths += !is_word ? SIGN : n < 2 * WORD_USUAL ? WORD : (unsigned)(n / WORD_USUAL) * WORD;
    }
    return tenths / 10;
}

static size_t different(struct pap_str s)
{
    bool seen[128] = {false};
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        n += !seen[(unsigned char)s.p[i]];
        seen[(unsigned char)s.p[i]] = true;
    }
    return n;
}

/* A plain hash keeps only what nobody can guess: a word or a number is found by trying. */
pap_result token_hash(struct pap_str token, char ret[static DIGEST_TEXT + 1], struct pap_err *err)
{
    struct digest d;
    if (!token_is_visible(token) || token.n > LIMIT_TOKEN)
        return fail(err, PAP_USAGE, "a token is one line of visible ASCII characters, %d at most", LIMIT_TOKEN);
    const char *why = token.n < TOKEN_LEAST              ? "it is short"
                      : different(token) < TOKEN_LETTERS ? "the same few characters come again and again"
                      : token_bits(token) < TOKEN_BITS   ? "it is made of words, numbers or rows of characters"
                                                         : NULL;
    if (why)
        return fail(err, PAP_USAGE,
                    "a token of %zu characters that could be guessed: %s; papaver serve --make-token makes one, and so "
                    "does openssl rand -base64 32",
                    token.n, why);
    TRY(digest_sha256(&token, 1, &d, err));
    digest_text(&d, ret);
    return OK;
}

/* ---- making ---- */

pap_result token_make(char ret[static TOKEN_TEXT + 1], struct pap_err *err)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    unsigned char random[TOKEN_TEXT];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return fail(err, PAP_IO, "no random bytes: %s", strerror(errno));
    for (size_t i = 0; i < sizeof random; i++)
        ret[i] = letters[random[i] % 64]; /* 256 is a multiple of it, so each is as likely as any */
    ret[TOKEN_TEXT] = '\0';
    explicit_bzero(random, sizeof random);
    return OK;
}
