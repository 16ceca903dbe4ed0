/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows that judge a published skill judge it before it is published. A publisher is stricter than `papaver check`
 * (decisions 13: R-FM): what strict clients refuse to load is not sent out. What only a publisher can see (secrets, URLs
 * that will change) is found here.
 */
#include <stdio.h>

#include "base/limits.h"
#include "proto/index.h"
#include "publish/project.h"
#include "text/place.h"
#include "text/secretscan.h"
#include "text/uri.h"
#include "text/utf8.h"

/* Rows that warn in a check and refuse here, because a client of R-FM does not load the skill, or because a file is
 * missing from what is being made. To add one: its id. */
static const char *const strict_rows[] = {
    "text.bom",          "skill.license",       "skill.metadata",  "skill.scalar",
    "skill.unknown-key", "skill.allowed-tools", "skill.reference", "archive.mode",
};

static bool is_strict(const char *id)
{
    for (size_t i = 0; i < sizeof strict_rows / sizeof *strict_rows; i++)
        if (strcmp(strict_rows[i], id) == 0)
            return true;
    return false;
}

static bool is_plain(struct pap_str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] < 0x20 || text.p[i] > 0x7e)
            return false;
    return true;
}

struct pap_str shown(struct arena *a, struct pap_str text)
{
    if (is_plain(text))
        return text;
    struct buf b __attribute__((cleanup(buf_fini)));
    buf_init(&b, a->alloc, 8 * text.n + 64);
    utf8_add_visible(&b, text, text.n);
    return buf_ok(&b) ? arena_str(a, buf_str(&b)) : str(NULL, 0);
}

/* How to mend what only a publisher finds. */
static const struct {
    const char *id, *title, *mend;
} own_rules[] = {
    {"archive.link", "a skill holds files and folders only", "Put the file itself there."},
    {"archive.collision", "no two entries fall on one file", "Rename one of them."},
    {"archive.limits", "a skill is within what clients take", "Leave files out with .skillignore, or split the skill."},
    {"index.name.duplicate", "no two skills have one name", "Rename one of the folders, and its name."},
    {"publish.changed", "files do not change while they are published", "Publish again."},
    {"publish.legacy", "names of the 0.1 layout are printable ASCII", "Rename the file, or publish without --legacy."},
    {"publish.history", "a history has at most 100 releases", "Drop old ones with --prune SKILL@VERSION."},
    {"publish.release", "a release never changes",
     "Raise metadata.version, or take back what was changed since that release."},
    {"publish.removal", "nothing that was public vanishes unnoticed",
     "Bring it back, or say --allow-removal with the name."},
    {"publish.secret", "no file that becomes public holds a secret",
     "Take it out and revoke it; if it is none, say --allow-secret SKILL/FILE."},
    {"publish.url.mutable", "what a skill fetches does not change behind its digest",
     "Name a tag or a commit instead of the branch."},
    {"publish.version", "metadata.version is a version by Semantic Versioning", "Write it as \"1.4.0\", in quotes."},
    {"skill.file", "a skill's folder holds a file SKILL.md, in these letters", "Rename the file."},
    {"text.utf8", "the text is valid UTF-8", "Save the file as UTF-8."},
    {"index.size", "the index is no larger than clients read", "Publish fewer skills, or drop old releases."},
};

pap_result find_own(struct arena *a, struct findings *out, const char *id, enum pap_severity severity,
                    struct pap_str file, struct pap_str bytes, size_t off, const char *fmt, ...)
{
    va_list ap;
    struct pap_finding f = {.id = id,
                            .severity = severity,
                            .specification = "Agent Skills Discovery 0.2.0",
                            .section = "",
                            .title = "",
                            .version = S(""),
                            .at = S(""),
                            .mend = S(""),
                            .excerpt = S("")};
    for (size_t i = 0; i < sizeof own_rules / sizeof *own_rules; i++)
        if (strcmp(own_rules[i].id, id) == 0) {
            f.title = own_rules[i].title;
            f.mend = str_c(own_rules[i].mend);
        }
    if (bytes.p) {
        struct place at = place_of(bytes, off);
        f.line = at.line;
        f.column = at.column;
    }
    va_start(ap, fmt);
    f.message = arena_vfmt(a, fmt, ap);
    va_end(ap);
    f.message = f.message.p ? shown(a, f.message) : f.message;
    f.where = arena_str(a, file);
    f.where = f.where.p ? shown(a, f.where) : f.where;
    struct pap_finding *to = f.message.p && f.where.p ? findings_add(a, out) : NULL;
    if (!to)
        return fail_memory(NULL);
    *to = f;
    return OK;
}

/* ---- the rows ---- */

static enum has_file has_file(const struct doc *d, struct pap_str path)
{
    const struct skill *s = d->has_file_ctx;
    for (size_t i = 0; i < s->n_files; i++) {
        struct pap_str have = s->files[i]->path;
        if (str_eq(have, path))
            return s->files[i]->mode & 0111 ? HAS_EXECUTABLE : HAS_PLAIN;
        if (str_starts(have, path) && have.n > path.n && have.p[path.n] == '/')
            return HAS_FOLDER;
    }
    return HAS_NOT;
}

/* Copies a finding out of the scratch memory; places inside an archive become files of the folder. */
static pap_result keep(const struct project *p, struct skill *s, const struct pap_finding *f)
{
    struct pap_str entry = S("entry ");
    struct pap_finding k = *f;
    if (is_strict(k.id) || (p->o->strict && k.severity == PAP_WARNING))
        k.severity = PAP_ERROR;
    if (k.severity == PAP_INFO)
        return OK;
    s->refused |= k.severity == PAP_ERROR;
    bool inside = str_starts(k.at, entry);
    k.where = inside ? arena_fmt(&s->arena, "%.*s/%.*s", PSTR(k.where), PSTR(str_skip(k.at, entry.n)))
                     : arena_str(&s->arena, k.where);
    k.at = inside ? S("") : arena_str(&s->arena, k.at);
    k.message = arena_str(&s->arena, k.message);
    k.mend = arena_str(&s->arena, k.mend);
    k.excerpt = arena_str(&s->arena, k.excerpt);
    struct pap_finding *to =
        k.where.p && k.at.p && k.message.p && k.mend.p && k.excerpt.p ? findings_add(&s->arena, &s->findings) : NULL;
    if (!to)
        return fail_memory(NULL);
    *to = k;
    return OK;
}

static const struct tree_entry *skill_file(const struct skill *s, size_t *ret_index)
{
    for (size_t i = 0; i < s->n_files; i++)
        if (str_is(s->files[i]->path, "SKILL.md")) {
            *ret_index = i;
            return s->files[i];
        }
    return NULL;
}

/* What the index says of the skill. */
static pap_result take_fields(struct skill *s, const struct doc *d)
{
    const struct json *version = json_get_c(json_get_c(d->root, "metadata"), "version");
    struct semver v;
    s->description = arena_str(&s->arena, json_str(json_get_c(d->root, "description")));
    if (!s->description.p)
        return fail_memory(NULL);
    if (!version)
        return OK;
    s->version = arena_str(&s->arena, json_str(version));
    if (!s->version.p)
        return fail_memory(NULL);
    if (json_is(version, JSON_STRING) && semver_parse(s->version, &v))
        return OK;
    s->refused = true;
    return find_own(&s->arena, &s->findings, "publish.version", PAP_ERROR, d->name, d->bytes, version->off,
                    "metadata.version is \"%.*s\", which is no version such as 1.4.0", PSTR(s->version));
}

static pap_result judge_rows(const struct project *p, struct skill *s, struct arena *scratch, struct pap_str text,
                             const struct pack *entries, const struct doc **ret_doc, struct pap_err *err)
{
    struct bundle b = {.domain = S(""), .now = p->now, .version = p->version};
    struct findings found = {0};
    struct doc skill = {.kind = KIND_SKILL, .bytes = text, .folder = s->name, .has_file = has_file, .has_file_ctx = s};
    struct doc archive = {.kind = KIND_ARCHIVE, .name = s->path, .bytes = S(""), .pack = *entries};
    skill.name = arena_fmt(scratch, "%.*s/SKILL.md", PSTR(s->path));
    if (!skill.name.p || !is_ok(doc_read(scratch, &skill)))
        return fail_memory(err);
    *ret_doc = bundle_add(&b, scratch, skill);
    if (!*ret_doc || !bundle_add(&b, scratch, archive))
        return fail_memory(err);
    TRY(judge(scratch, &p->plan, &b, &found, err));
    for (size_t i = 0; i < found.n; i++)
        if (!is_ok(keep(p, s, &found.items[i])))
            return fail_memory(err);
    return OK;
}

/* ---- what only a publisher sees ---- */

static bool is_allowed(const struct project *p, struct pap_str skill, struct pap_str file)
{
    for (const char *const *a = p->o->allow_secret; a && *a; a++) {
        struct pap_str given = str_c(*a);
        if (given.n == skill.n + 1 + file.n && str_starts(given, skill) && given.p[skill.n] == '/' &&
            str_ends(given, file))
            return true;
    }
    return false;
}

static pap_result find_secrets(const struct project *p, struct skill *s, const struct tree_entry *e,
                               struct pap_str bytes)
{
    struct secret found;
    if (!secret_find(bytes, 0, &found) || is_allowed(p, s->name, e->path))
        return OK;
    struct pap_str file = arena_fmt(&s->arena, "%.*s/%.*s", PSTR(s->path), PSTR(e->path));
    s->refused = true;
    return file.p ? find_own(&s->arena, &s->findings, "publish.secret", PAP_ERROR, file, bytes, found.off,
                             "here stands what looks like %s", found.what)
                  : fail_memory(NULL);
}

static bool ends_url(char c)
{
    return (unsigned char)c <= ' ' || memchr("\"'`<>)]}|\\", c, 10) != NULL;
}

/* Only what is fetched as it is: a page about a file ("/blob/") is for people. */
static pap_result find_moving_urls(struct skill *s, const struct doc *d)
{
    struct pap_str body = d->skill.body;
    for (size_t i = 0; i < body.n;) {
        size_t at = i + str_find(str_skip(body, i), S("https://")), end = at;
        struct uri u;
        const char *why;
        while (end < body.n && !ends_url(body.p[end]))
            end++;
        struct pap_str url = str(body.p + at, end - at);
        i = end + 1;
        if (at < body.n && uri_parse(url, &u, &at, &why) && str_find(u.path, S("/blob/")) == u.path.n &&
            index_url_moves(&u)) {
            s->refused = true;
            TRY(find_own(&s->arena, &s->findings, "publish.url.mutable", PAP_ERROR, d->name, d->bytes,
                         (size_t)(url.p - d->bytes.p),
                         "%.*s follows a branch, whose next change comes behind the digest", PSTR(url)));
        }
    }
    return OK;
}

pap_result skill_judge(const struct project *p, struct skill *s, struct arena *scratch, const struct pap_str *files,
                       const struct pack *entries, struct pap_err *err)
{
    size_t at = 0;
    const struct doc *d = NULL;
    if (!skill_file(s, &at)) { /* it was there when the root was listed */
        s->refused = true;
        return find_own(&s->arena, &s->findings, "publish.changed", PAP_ERROR, s->path, str(NULL, 0), 0,
                        "SKILL.md is no file that becomes public");
    }
    TRY(judge_rows(p, s, scratch, files[at], entries, &d, err));
    if (!is_ok(take_fields(s, d)) || !is_ok(find_moving_urls(s, d)))
        return fail_memory(err);
    for (size_t i = 0; i < s->n_files; i++)
        if (!is_ok(find_secrets(p, s, s->files[i], files[i])))
            return fail_memory(err);
    return OK;
}
