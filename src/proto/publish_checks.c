/* SPDX-License-Identifier: Apache-2.0
 *
 * What only a publisher sees, or can still mend before anybody has a digest: rows of PROFILE_PUBLISH alone. Those of a
 * document have a function like any row. Those of KIND_PUBLISH are about what is being done (what was public before, files
 * that change meanwhile): the publisher decides and reports by the id, the row says what it means and how severe it is.
 */
#include "base/limits.h"
#include "proto/check.h"
#include "proto/index.h"
#include "proto/skill.h"
#include "text/secretscan.h"
#include "text/semver.h"
#include "text/uri.h"
#include "text/utf8.h"

/* ---- SKILL.md ---- */

static void version_is_semantic(struct run *r)
{
    const struct json *version = json_get_c(json_get_c(r->doc->root, "metadata"), "version");
    struct semver v;
    if (json_is(version, JSON_STRING) && !semver_parse(json_str(version), &v)) /* skill.scalar judges the rest */
        find(r, version, "metadata.version is %s, which is no version such as 1.4.0", qv(r, version));
}

/* It becomes a folder at clients, and Windows has none called "nul". What else may be wrong with it skill.name says. */
static void name_fits_every_system(struct run *r)
{
    const struct json *name = json_get_c(r->doc->root, "name");
    const char *why, *fault;
    if (json_is(name, JSON_STRING) && format_holds(FORMAT_SKILL_NAME, json_str(name), &why) &&
        (fault = pack_name_fault(json_str(name))) != NULL)
        find(r, name, "the name %s %s", qv(r, name), fault);
}

static bool ends_url(char c)
{
    return (unsigned char)c <= ' ' || memchr("\"'`<>)]}|\\", c, 10) != NULL;
}

/* Only what is fetched as it is: a page about a file ("/blob/") is for people. */
static bool moves(struct pap_str url)
{
    struct uri u;
    size_t at;
    const char *why;
    return uri_parse(url, &u, &at, &why) && str_find(u.path, S("/blob/")) == u.path.n && index_url_moves(&u);
}

/* From where on a file is read: the front matter of SKILL.md says where the skill comes from. No text: from its end on. */
static size_t text_begin(const struct run *r, const struct pack_entry *e)
{
    if (str_find_char(e->data, '\0') < e->data.n || utf8_check(e->data) < e->data.n)
        return e->data.n;
    for (const struct doc *d = str_is(e->name, "SKILL.md") ? r->bundle->docs : NULL; d; d = d->next)
        if (d->kind == KIND_SKILL)
            return d->skill.body_off;
    return 0;
}

static void urls_of_file_stay(struct run *r, const struct pack_entry *e)
{
    struct pap_str text = e->data, scheme = S("https://");
    for (size_t at = text_begin(r, e), end; at < text.n; at = end) {
        at += str_find(str_skip(text, at), scheme);
        for (end = at; end < text.n && !ends_url(text.p[end]);)
            end++;
        struct pap_str url = str(text.p + at, end - at);
        if (at < text.n && moves(url))
            find_inside(r, e, at, "%s follows a branch, whose next change comes behind the digest", q(r, url));
    }
}

static void urls_stay(struct run *r)
{
    for (const struct pack_entry *e = r->doc->pack.entries; e; e = e->next)
        urls_of_file_stay(r, e);
}

/* ---- every file that becomes public ---- */

/* Several secrets may stand in one file; one finding a line is enough. */
static void holds_no_secret(struct run *r)
{
    for (const struct pack_entry *e = r->doc->pack.entries; e; e = e->next) {
        struct secret found;
        for (size_t from = 0; !(e->facts & PACK_F_VOUCHED) && secret_find(e->data, from, &found);) {
            find_inside(r, e, found.off, "here stands what looks like %s", found.what);
            from = found.off + str_find_char(str_skip(e->data, found.off), '\n');
        }
    }
}

static bool is_legacy_name(struct pap_str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] < 0x20 || name.p[i] > 0x7e || memchr("\\?#[]", name.p[i], 5))
            return false;
    return true;
}

static void names_fit_legacy(struct run *r)
{
    for (const struct pack_entry *e = r->doc->pack.entries; e; e = e->next)
        if (!is_legacy_name(e->name))
            find_entry(r, e->name, "%s cannot be in the 0.1 layout", q(r, e->name));
}

#define PUBLISH_AS(of, severe) \
    .spec = SPEC_PAPAVER, .section = "", .kind = (of), .sure = V_ALL, .publish_only = true, .severity = (severe)
#define PUBLISH(of) PUBLISH_AS(of, PAP_ERROR)

/* clang-format off */ /* a row is read as a block */
static const struct check rows[] = {
    {
        .id = "publish.secret", .covers = "", PUBLISH(KIND_ARCHIVE), .level = LEVEL_MUST, .fn = holds_no_secret,
        .title = "no file that becomes public holds a secret",
        .why = "Within minutes somebody finds it: public trees are searched for keys and tokens all the time.",
        .mend = "Take it out of the file and revoke it, for it may have been seen; if it is none, say --allow-secret SKILL/FILE.",
        .good = "export SHOP_TOKEN=your-token-here", .bad = "-----BEGIN PRIVATE KEY-----",
    },
    {
        .id = "publish.url.mutable", .covers = "", PUBLISH(KIND_ARCHIVE), .level = LEVEL_SHOULD, .fn = urls_stay,
        .title = "what a skill fetches does not change behind its digest",
        .why = "The digest says that the skill is what was looked at; a file on a branch is another one tomorrow.",
        .mend = "Name a tag or a commit instead of the branch, or put the file into the skill.",
        .good = "https://raw.githubusercontent.com/shop/tools/v1.2.0/run.py",
        .bad = "https://raw.githubusercontent.com/shop/tools/main/run.py",
    },
    {
        .id = "publish.version", .covers = "R-HIS-1", PUBLISH(KIND_SKILL), .level = LEVEL_MUST, .fn = version_is_semantic,
        .title = "metadata.version is a version by Semantic Versioning",
        .why = "Clients sort releases by it and choose by ranges such as ^1.2.0.",
        .mend = "Write it as three numbers in quotes: version: \"1.4.0\".",
        .good = "version: \"1.4.0\"", .bad = "version: \"1.4\"",
    },
    {
        .id = "publish.version.older", .covers = "", PUBLISH_AS(KIND_PUBLISH, PAP_WARNING), .level = LEVEL_ADVICE,
        .title = "what is published is not older than what is public",
        .why = "The index names it as the current one; agents that choose by version take the higher one all the same.",
        .mend = "Raise metadata.version; to take a release back, mark it with --deprecate or drop it with --prune.",
        .good = "1.4.1 after 1.4.0", .bad = "0.9.0 after 1.0.0",
    },
    {
        .id = "publish.name", .covers = "", PUBLISH(KIND_SKILL), .level = LEVEL_MUST, .fn = name_fits_every_system,
        .title = "the name of a skill is a folder on every system",
        .why = "Clients install a skill into a folder of its name, and Windows keeps some names for devices.",
        .mend = "Give the skill, and its folder, another name.",
        .good = "name: null-hypothesis", .bad = "name: nul",
    },
    {
        .id = "publish.reference", .covers = "R-PUB-8", PUBLISH(KIND_SKILL), .level = LEVEL_MUST, .fn = references_are_files,
        .title = "every reference of SKILL.md to the skill's own is a file",
        .why = "An agent asks for what the link names; a folder cannot be given to it.",
        .mend = "Name the files in the folder, or one that lists them.",
        .good = "[the amounts](references/amounts.md)", .bad = "[the amounts](references)",
    },
    {
        .id = "publish.legacy", .covers = "", PUBLISH(KIND_ARCHIVE), .level = LEVEL_MUST, .fn = names_fit_legacy,
        .title = "names of the 0.1 layout are printable ASCII",
        .why = "Its clients make a URL of each name as it stands, and refuse the skill when they cannot.",
        .mend = "Rename the file, or publish without --legacy.",
        .good = "references/cafe.md", .bad = "references/caf\u00e9.md",
    },
    {
        .id = "publish.ignore", .covers = "R-PUB-6", PUBLISH(KIND_PUBLISH), .level = LEVEL_MUST,
        .title = "every .skillignore leaves out what it names",
        .why = "Elsewhere than in a skill's folder, or in other letters, nothing reads it: what it names becomes public.",
        .mend = "Move it into the skill's folder as the file .skillignore, with patterns that begin there, or take it away.",
        .good = "skills/water-plants/.skillignore", .bad = "skills/.skillignore, skills/water-plants/notes/.skillignore",
    },
    {
        .id = "publish.changed", .covers = "R-PUB-4", PUBLISH(KIND_PUBLISH), .level = LEVEL_MUST,
        .title = "files do not change while they are published",
        .why = "What was judged would not be what becomes public.",
        .mend = "Publish again when nothing writes to the folder.",
    },
    {
        .id = "publish.release", .covers = "R-HIS-3", PUBLISH(KIND_PUBLISH), .level = LEVEL_MUST,
        .title = "a release never changes",
        .why = "Who has pinned the version gets a file with another digest, and takes it for an attack.",
        .mend = "Raise metadata.version, or take back what was changed since that release.",
        .good = "version 1.4.1 with the change", .bad = "version 1.4.0 with other bytes than before",
    },
    {
        .id = "publish.history", .covers = "R-HIS-3", PUBLISH(KIND_PUBLISH), .level = LEVEL_MUST,
        .title = "a history has at most 100 releases",
        .why = "Clients read no more, and refuse the entry.",
        .mend = "Drop old ones: --prune SKILL@VERSION.",
        .good = "the newest 100", .bad = "101 releases",
    },
    {
        .id = "publish.removal", .covers = "R-HIS-5", PUBLISH(KIND_PUBLISH), .level = LEVEL_MUST,
        .title = "nothing that was public vanishes unnoticed",
        .why = "Agents that used the skill find nothing any more; a folder that was moved by mistake looks the same.",
        .mend = "Bring it back, or say --allow-removal with the name.",
        .good = "--allow-removal water-plants", .bad = "the folder skills/water-plants is gone",
    },
    {
        .id = "publish.size", .covers = "R-OUT-7", PUBLISH(KIND_PUBLISH), .level = LEVEL_MUST,
        .title = "the index is no larger than clients read",
        .why = "They stop at their cap and find no skill at all.",
        .mend = "Publish fewer skills, or drop old releases with --prune SKILL@VERSION.",
        .good = "30 kB", .bad = "2 MB",
    },
};
/* clang-format on */
CHECK_TABLE(publish_checks, rows);
