/* SPDX-License-Identifier: Apache-2.0
 *
 * Before a byte is parsed: how many there are, and that they have the digest of the list.
 */
#include "base/limits.h"
#include "proto/digest_cause.h"
#include "skills/artifact_inside.h"
#include "text/httpval.h"
#include "text/uri.h"

pap_result artifact_digest(const struct pack_source *from, uint64_t max, struct digest *ret, uint64_t *ret_bytes,
                           struct pap_err *err)
{
    struct digest_run run __attribute__((cleanup(digest_drop))) = {0};
    struct pap_str piece = from->whole;
    uint64_t n = 0;
    TRY(digest_begin(&run, err));
    if (piece.p && piece.n <= max)
        digest_add(&run, piece);
    n = piece.n;
    while (!from->whole.p && n <= max) {
        TRY(from->next(from->ctx, n, &piece, err));
        if (!piece.n)
            break;
        digest_add(&run, piece);
        n += piece.n;
    }
    *ret_bytes = n;
    return digest_end(&run, ret, err);
}

/* R-A1. To add a media type: a row. */
static const struct {
    const char *type;
    enum pack_format format;
    bool generic; /* says nothing: the URL does */
} types[] = {
    {"application/gzip", PACK_TAR_GZ, false},
    {"application/x-gzip", PACK_TAR_GZ, false},
    {"application/x-tgz", PACK_TAR_GZ, false},
    {"application/x-gtar", PACK_TAR_GZ, false},
    {"application/x-compressed-tar", PACK_TAR_GZ, false},
    {"application/zip", PACK_ZIP, false},
    {"application/x-zip-compressed", PACK_ZIP, false},
    {"application/octet-stream", PACK_UNKNOWN, true},
    {"binary/octet-stream", PACK_UNKNOWN, true},
};

static enum pack_format format_by_name(struct pap_str url)
{
    static const struct {
        const char *ending;
        enum pack_format format;
    } endings[] = {{".tar.gz", PACK_TAR_GZ}, {".tgz", PACK_TAR_GZ}, {".zip", PACK_ZIP}};
    struct pap_str path = str_take(str_take(url, str_find_char(url, '#')), str_find_char(url, '?'));
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        struct pap_str e = str_c(endings[i].ending);
        if (path.n > e.n && str_eq_nocase(str_skip(path, path.n - e.n), e))
            return endings[i].format;
    }
    return PACK_UNKNOWN;
}

enum pack_format artifact_format(struct pap_str content_type, struct pap_str url)
{
    struct pap_str type, params;
    if (!str_trim(content_type).n)
        return format_by_name(url);
    if (!media_type_parse(content_type, &type, &params))
        return PACK_UNKNOWN;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (str_eq_nocase(type, str_c(types[i].type)))
            return types[i].generic ? format_by_name(url) : types[i].format;
    return PACK_UNKNOWN;
}

/* The likely cause, which is worth a second look at the bytes; of a large archive at its beginning only. */
static pap_result find_cause(struct arena *a, const struct artifact_want *want, const struct pack_source *from,
                             const char **ret, struct pap_err *err)
{
    struct arena scratch __attribute__((cleanup(arena_fini)));
    struct pap_str bytes = {0};
    bool archive = want->type == ARTIFACT_ARCHIVE;
    arena_init(&scratch, a->alloc);
    if (archive && !from->whole.p)
        TRY(from->next(from->ctx, 0, &bytes, err));
    else
        TRY(pack_source_read(&scratch, from, LIMIT_ARTIFACT, &bytes, err));
    return is_ok(digest_cause(&scratch, want->digest, bytes, archive, ret)) ? OK : fail_memory(err);
}

static pap_result mismatch(struct arena *a, const struct artifact_want *want, const struct pack_source *from,
                           const char *got, uint64_t n, struct skill_fault *ret, struct pap_err *err)
{
    const char *cause = NULL;
    if (n <= (want->type == ARTIFACT_ARCHIVE ? LIMIT_ARTIFACT : LIMIT_DOCUMENT))
        TRY(find_cause(a, want, from, &cause, err));
    if (!is_ok(skill_fault_make(a, ret, SKILL_DIGEST_MISMATCH, "the list says %s, but the %llu bytes have %s%s%s",
                                skill_whole(a, want->digest), (unsigned long long)n, got, cause ? ": " : "",
                                cause ? cause : "")))
        return fail_memory(err);
    skill_fault_set(ret, SKILL_KEY_ORIGIN_ALIAS, want->alias);
    skill_fault_set(ret, SKILL_KEY_SKILL_NAME, want->name);
    skill_fault_set(ret, SKILL_KEY_EXPECTED_DIGEST, want->digest);
    return OK;
}

pap_result artifact_read(struct arena *a, const struct artifact_want *want, const struct pack_source *from,
                         const struct artifact_sink *to, struct skill *ret, struct skill_fault *ret_fault,
                         struct pap_err *err)
{
    uint64_t max = want->limits.archive ? want->limits.archive : LIMIT_ARTIFACT, n = 0;
    struct digest is;
    char text[DIGEST_TEXT + 1];
    struct skill_fault fault = {0};
    TRY(artifact_digest(from, max, &is, &n, err));
    digest_text(&is, text);
    if (n > max && !is_ok(artifact_over(a, &fault, "archive_bytes", "the artifact has more than %llu bytes",
                                        (unsigned long long)max)))
        return fail_memory(err);
    if (n <= max && !str_is(want->digest, text))
        TRY(mismatch(a, want, from, text, n, &fault, err));
    if (!fault.code)
        return artifact_unpack(a, want, from, to, ret, ret_fault, err);
    *ret_fault = fault;
    return OK;
}

/* R-RES-2. To add one: a row. */
static const struct {
    const char *ending, *media;
} medias[] = {
    {".md", "text/markdown"},      {".txt", "text/plain"},       {".json", "application/json"},
    {".yaml", "application/yaml"}, {".yml", "application/yaml"}, {".html", "text/html"},
    {".css", "text/css"},          {".js", "text/javascript"},   {".mjs", "text/javascript"},
    {".ts", "text/typescript"},    {".svg", "image/svg+xml"},    {".png", "image/png"},
    {".jpg", "image/jpeg"},        {".jpeg", "image/jpeg"},      {".gif", "image/gif"},
    {".pdf", "application/pdf"},
};

const char *artifact_media(struct pap_str path)
{
    for (size_t i = 0; i < sizeof medias / sizeof medias[0]; i++) {
        struct pap_str e = str_c(medias[i].ending);
        if (path.n > e.n && str_eq_nocase(str_skip(path, path.n - e.n), e))
            return medias[i].media;
    }
    return "application/octet-stream";
}
