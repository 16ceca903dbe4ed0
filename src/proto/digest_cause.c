/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/digest_cause.h"

#include "base/buf.h"
#include "pack/gunzip.h"

enum { UNPACKED_MOST = 4 << 20 };

static bool crlf_to_lf(struct pap_str s, struct buf *out)
{
    for (size_t i = 0; i < s.n; i++)
        if (!(s.p[i] == '\r' && i + 1 < s.n && s.p[i + 1] == '\n'))
            buf_char(out, s.p[i]);
    return out->n != s.n;
}

static bool lf_to_crlf(struct pap_str s, struct buf *out)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\n' && (i == 0 || s.p[i - 1] != '\r'))
            buf_char(out, '\r');
        buf_char(out, s.p[i]);
    }
    return out->n != s.n;
}

static bool without_bom(struct pap_str s, struct buf *out)
{
    buf_add(out, str_starts(s, S("\xef\xbb\xbf")) ? str_skip(s, 3) : s);
    return out->n != s.n;
}

static bool with_bom(struct pap_str s, struct buf *out)
{
    buf_add(out, S("\xef\xbb\xbf"));
    buf_add(out, s);
    return !str_starts(s, S("\xef\xbb\xbf"));
}

static bool without_final_newline(struct pap_str s, struct buf *out)
{
    size_t n = s.n;
    while (n && (s.p[n - 1] == '\n' || s.p[n - 1] == '\r'))
        n--;
    buf_add(out, str_take(s, n));
    return n < s.n;
}

static bool with_final_newline(struct pap_str s, struct buf *out)
{
    buf_add(out, s);
    buf_char(out, '\n');
    return true;
}

static bool unpacked(struct pap_str s, struct buf *out)
{
    const char *why = NULL;
    if (!str_starts(s, S("\x1f\x8b")))
        return false;
    pap_result r = gunzip(s, UNPACKED_MOST, out, &why, NULL);
    if (!is_ok(r))
        out->code = r.code;
    return is_ok(r) && !why;
}

/* What the bytes may have been. To add a cause: a row. `make` writes the variant of the bytes; false when there is none. */
static const struct {
    const char *cause;
    bool (*make)(struct pap_str s, struct buf *out);
    bool archive; /* tried with archives too, which are no text */
} variants[] = {
    {"with LF line ends the digest is right; what is served has CR LF", crlf_to_lf, false},
    {"with CR LF line ends the digest is right; what is served has LF", lf_to_crlf, false},
    {"without the byte order mark at its beginning the digest is right", without_bom, false},
    {"with a byte order mark in front of it the digest is right", with_bom, false},
    {"without the line end at its end the digest is right", without_final_newline, false},
    {"with a further line end at its end the digest is right", with_final_newline, false},
    {"unpacked once more the digest is right: it was compressed although nothing asked for that", unpacked, true},
};

static bool is_digest_of(struct pap_str wanted, struct pap_str bytes)
{
    struct digest d;
    char text[DIGEST_TEXT + 1];
    if (!is_ok(digest_sha256(&bytes, 1, &d, NULL)))
        return false;
    digest_text(&d, text);
    return str_is(wanted, text);
}

static bool is_html(struct pap_str bytes)
{
    struct pap_str s = str_trim(str_take(bytes, 512));
    return str_eq_nocase(str_take(s, 9), S("<!doctype")) || str_eq_nocase(str_take(s, 5), S("<html"));
}

/* U+FFFD, which converters put in the place of what is no text. */
static bool has_replacements(struct pap_str s)
{
    size_t n = 0;
    for (size_t at; n < 4 && (at = str_find(s, S("\xef\xbf\xbd"))) < s.n; n++)
        s = str_skip(s, at + 3);
    return n == 4;
}

/* What the bytes are, whatever their digest. */
static const char *look(struct pap_str bytes, bool archive)
{
    if (!bytes.n)
        return "it is empty";
    if (is_html(bytes))
        return "it is an HTML page, as hosts send it for a path that they do not have";
    if (archive && (str_starts(bytes, S("\x1f\xef\xbf\xbd")) || has_replacements(bytes)))
        return "the archive went through a program that took it for text";
    if (archive && bytes.n > 262 && memcmp(bytes.p + 257, "ustar", 5) == 0)
        return "the gzip layer of the archive was taken off on the way, as content codings are";
    return NULL;
}

pap_result digest_cause(struct arena *scratch, struct pap_str wanted, struct pap_str bytes, bool archive,
                        const char **ret)
{
    const char *cause = look(bytes, archive);
    struct buf b;
    bool no_memory = false;
    buf_init(&b, scratch->alloc, bytes.n * 2 + UNPACKED_MOST + (64 << 10));
    for (size_t i = 0; i < sizeof variants / sizeof variants[0] && !cause; i++) {
        buf_reset(&b);
        if ((!archive || variants[i].archive) && variants[i].make(bytes, &b) && buf_ok(&b) &&
            is_digest_of(wanted, buf_str(&b)))
            cause = variants[i].cause;
        no_memory |= b.code == PAP_NO_MEMORY;
    }
    buf_fini(&b);
    *ret = cause;
    return no_memory ? fail_memory(NULL) : OK;
}
