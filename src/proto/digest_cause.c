/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/digest_cause.h"

#include "base/buf.h"

struct variant {
    const char *cause;
    /* Writes the variant of `s` to `out`; false when the bytes do not differ. */
    bool (*make)(struct pap_str s, struct buf *out);
};

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

static const struct variant variants[] = {
    {"it is the digest of the file with LF line ends; what is served has CR LF", crlf_to_lf},
    {"it is the digest of the file with CR LF line ends; what is served has LF", lf_to_crlf},
    {"it is the digest of the file without the byte order mark that is served", without_bom},
    {"it is the digest of the file with a byte order mark that is not served", with_bom},
    {"it is the digest of the file without the line end that is served at its end", without_final_newline},
    {"it is the digest of the file with a further line end at its end", with_final_newline},
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

pap_result digest_cause(struct arena *scratch, struct pap_str wanted, struct pap_str bytes, bool archive,
                        const char **ret)
{
    const char *cause = NULL;
    struct buf b;
    bool no_memory = false;
    buf_init(&b, scratch->alloc, bytes.n * 2 + 16);
    if (archive && str_starts(bytes, S("\x1f\xef\xbf\xbd")))
        cause = "the archive went through a program that took it for text";
    for (size_t i = 0; !archive && i < sizeof variants / sizeof variants[0] && !cause; i++) {
        buf_reset(&b);
        if (variants[i].make(bytes, &b) && buf_ok(&b) && is_digest_of(wanted, buf_str(&b)))
            cause = variants[i].cause;
        no_memory |= b.code == PAP_NO_MEMORY;
    }
    buf_fini(&b);
    *ret = cause;
    return no_memory ? fail_memory(NULL) : OK;
}
