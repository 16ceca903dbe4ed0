/* SPDX-License-Identifier: Apache-2.0
 *
 * Why a digest is another one. Honest causes are many and each leaves its mark; the digest cannot tell them from an attack,
 * so that this is said and changes nothing.
 */
#include "pack/gunzip.h"
#include "skills/download.h"

enum { LOOKED_AT = 2 << 20 };

static bool has_digest(struct pap_str bytes, struct pap_str want)
{
    struct digest d;
    char text[DIGEST_TEXT + 1];
    if (!is_ok(digest_sha256(&bytes, 1, &d, NULL)))
        return false;
    digest_text(&d, text);
    return str_is(want, text);
}

/* With `crlf` every line ends with CR LF, without it with LF. p NULL: out of memory. */
static struct pap_str with_ends(struct arena *a, struct pap_str s, bool crlf)
{
    char *p = arena_text(a, 2 * s.n + 1);
    size_t n = 0;
    for (size_t i = 0; p && i < s.n; i++) {
        if (s.p[i] == '\r' && i + 1 < s.n && s.p[i + 1] == '\n')
            continue;
        if (crlf && s.p[i] == '\n')
            p[n++] = '\r';
        p[n++] = s.p[i];
    }
    return str(p, n);
}

static bool has_replacements(struct pap_str s)
{
    size_t n = 0;
    for (struct pap_str mark = S("\xef\xbf\xbd"); n < 4; n++) {
        size_t at = str_find(s, mark);
        if (at == s.n)
            return false;
        s = str_skip(s, at + mark.n);
    }
    return true;
}

static bool is_html(struct pap_str s)
{
    s = str_trim(str_take(s, 512));
    return str_eq_nocase(str_take(s, 9), S("<!doctype")) || str_eq_nocase(str_take(s, 5), S("<html"));
}

static const char *of_other_release(struct arena *a, const struct pap_skill_session *s, const struct catalog_entry *e,
                                    const struct catalog_release *r, struct pap_str actual)
{
    for (size_t i = 0; i < e->n_releases; i++) {
        const struct catalog_release *o = &e->releases[i];
        if (o != r && str_eq(o->digest, actual)) {
            struct pap_str text = arena_fmt(a, "these are the bytes of release %.*s", PSTR(o->version));
            return text.p ? text.p : "";
        }
    }
    for (size_t i = 0; i < s->catalog.n_entries; i++) {
        const struct catalog_entry *o = &s->catalog.entries[i];
        if (o != e && str_eq(o->current->digest, actual)) {
            struct pap_str text = arena_fmt(a, "these are the bytes of the skill %.*s", PSTR(o->name));
            return text.p ? text.p : "";
        }
    }
    return NULL;
}

static const char *of_bytes(struct arena *a, struct pap_str b, const struct catalog_release *r, bool coded)
{
    bool archive = r->type == ARTIFACT_ARCHIVE;
    struct buf plain __attribute__((cleanup(buf_fini)));
    const char *why = NULL;
    buf_init(&plain, a->alloc, SIZE_MAX);
    if (!b.n)
        return "the answer is empty";
    if (is_html(b))
        return "the answer is an HTML page, as hosts send it for a path that they do not have";
    if (archive && has_replacements(b))
        return "the archive went through something that took it for text (U+FFFD stands in it)";
    if (archive && b.n > 262 && memcmp(b.p + 257, "ustar", 5) == 0)
        return "the gzip layer of the archive was taken off on the way, as content codings are";
    if (!archive && has_digest(with_ends(a, b, false), r->digest))
        return "with LF line ends the digest is right: something on the way to the host turned them into CR LF";
    if (!archive && has_digest(with_ends(a, b, true), r->digest))
        return "with CR LF line ends the digest is right: something on the way to the host turned them into LF";
    if (str_starts(b, S("\x1f\x8b")) && is_ok(gunzip(b, LOOKED_AT, &plain, &why, NULL)) && !why &&
        has_digest(buf_str(&plain), r->digest))
        return "unpacked once more the digest is right: the host compressed it although nothing asked for that";
    if (str_starts(b, S("\xef\xbb\xbf")) && has_digest(str_skip(b, 3), r->digest))
        return "without the byte order mark at its beginning the digest is right";
    if (has_digest(str_trim(b), r->digest))
        return "without the blanks at its ends the digest is right";
    return coded ? "it came in a content coding that nothing asked for" : NULL;
}

const char *download_cause(struct arena *a, const struct pap_skill_session *s, const struct catalog_entry *e,
                           const struct catalog_release *r, const struct download *d)
{
    struct pap_str b = download_bytes(a, d->object, LOOKED_AT);
    const char *cause = of_other_release(a, s, e, r, str_c(cache_object_digest(d->object)));
    if (!cause && b.p)
        cause = of_bytes(a, b, r, d->coded);
    return cause ? cause
                 : "most likely the file was changed and the list was not made again, or one of the two is an old copy";
}
