/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows that judge a published skill judge it before it is published, as publishers need them (decisions 13). What a
 * publisher decides itself (src/proto/publish_checks.c, KIND_PUBLISH) is reported here too, by the row's id.
 */
#include <assert.h>
#include <stdio.h>

#include "base/limits.h"
#include "publish/project.h"
#include "text/place.h"
#include "text/utf8.h"

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
    return utf8_visible(a, text, text.n, "");
}

static struct pap_finding *add(struct judgement *j, enum pap_severity severity)
{
    j->refused |= severity == PAP_ERROR;
    return findings_add(j->arena, &j->findings);
}

static enum pap_severity severity_of(const struct judgement *j, enum pap_severity of_row)
{
    return j->strict && of_row == PAP_WARNING ? PAP_ERROR : of_row;
}

pap_result find_own(struct judgement *j, const char *id, struct pap_str file, struct pap_str bytes, size_t off,
                    const char *fmt, ...)
{
    const struct check *row = check_find(str_c(id));
    va_list ap;
    assert(row);
    struct pap_finding f = {.id = row->id,
                            .severity = severity_of(j, check_severity(row, PROFILE_PUBLISH)),
                            .specification = spec_name(row->spec),
                            .section = row->section,
                            .title = row->title,
                            .version = S(""),
                            .at = S(""),
                            .mend = str_c(row->mend),
                            .excerpt = S("")};
    if (bytes.p) {
        struct place at = place_of(bytes, off);
        f.line = at.line;
        f.column = at.column;
    }
    va_start(ap, fmt);
    f.message = arena_vfmt(j->arena, fmt, ap);
    va_end(ap);
    f.message = f.message.p ? shown(j->arena, f.message) : f.message;
    f.where = arena_str(j->arena, file);
    f.where = f.where.p ? shown(j->arena, f.where) : f.where;
    struct pap_finding *to = f.message.p && f.where.p ? add(j, f.severity) : NULL;
    if (!to)
        return fail_memory(NULL);
    *to = f;
    return OK;
}

pap_result mend_own(struct judgement *j, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct pap_str text = arena_vfmt(j->arena, fmt, ap);
    va_end(ap);
    text = text.p ? shown(j->arena, text) : text;
    if (!text.p)
        return fail_memory(NULL);
    j->findings.items[j->findings.n - 1].mend = text;
    return OK;
}

/* ---- the rows ---- */

/* What clients will find: the files as they stand in the archive, and the executable bit only where it is kept. */
struct published {
    const struct skill *skill;
    bool executable;
};

static enum has_file has_file(const struct doc *d, struct pap_str path)
{
    const struct published *p = d->has_file_ctx;
    const struct skill *s = p->skill;
    for (size_t i = 0; i < s->n_files; i++) {
        struct pap_str have = s->files[i]->path;
        if (str_eq(have, path))
            return p->executable && s->files[i]->mode & 0111 ? HAS_EXECUTABLE : HAS_PLAIN;
        if (str_starts(have, path) && have.n > path.n && have.p[path.n] == '/')
            return HAS_FOLDER;
    }
    return HAS_NOT;
}

/* Copies a finding out of the scratch memory; places inside an archive become files of the folder. */
static pap_result keep(struct judgement *j, const struct pap_finding *f)
{
    struct pap_str entry = S("entry ");
    struct arena *a = j->arena;
    struct pap_finding k = *f;
    if (k.severity == PAP_INFO)
        return OK;
    k.severity = severity_of(j, k.severity);
    bool inside = str_starts(k.at, entry);
    k.where = inside ? arena_fmt(a, "%.*s/%.*s", PSTR(k.where), PSTR(str_skip(k.at, entry.n))) : arena_str(a, k.where);
    k.at = inside ? S("") : arena_str(a, k.at);
    k.message = arena_str(a, k.message);
    k.mend = arena_str(a, k.mend);
    k.excerpt = arena_str(a, k.excerpt);
    bool whole = k.where.p && k.at.p && k.message.p && k.mend.p && k.excerpt.p;
    struct pap_finding *to = whole ? add(j, k.severity) : NULL;
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
    s->description = arena_str(s->arena, json_str(json_get_c(d->root, "description")));
    s->version = version ? arena_str(s->arena, json_str(version)) : str(NULL, 0);
    return s->description.p && (!version || s->version.p) ? OK : fail_memory(NULL);
}

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

/* What the files hold, and which may hold what looks like a secret. */
static void fill_entries(const struct project *p, const struct skill *s, const struct pap_str *files,
                         const struct pack *entries)
{
    size_t i = 0;
    for (struct pack_entry *e = entries->entries; e; e = e->next, i++) {
        e->data = files[i];
        e->facts |= is_allowed(p, s->name, e->name) ? PACK_F_VOUCHED : 0u;
    }
}

pap_result skill_judge(const struct project *p, struct skill *s, struct arena *scratch, const struct pap_str *files,
                       const struct pack *entries, struct pap_err *err)
{
    size_t at = 0;
    struct bundle b = {.domain = S(""), .now = p->now, .version = p->version};
    struct findings found = {0};
    if (!skill_file(s, &at)) /* it was there when the root was listed; a link is refused by now */
        return s->judged.refused ? OK
                                 : find_own(&s->judged, "publish.changed", s->path, str(NULL, 0), 0,
                                            "SKILL.md is no file that becomes public");
    struct published as = {s, p->o->executable};
    struct doc skill = {
        .kind = KIND_SKILL, .bytes = files[at], .folder = s->name, .has_file = has_file, .has_file_ctx = &as};
    struct doc archive = {.kind = KIND_ARCHIVE, .name = s->path, .bytes = S(""), .pack = *entries};
    fill_entries(p, s, files, entries);
    skill.name = arena_fmt(scratch, "%.*s/SKILL.md", PSTR(s->path));
    if (!skill.name.p || !is_ok(doc_read(scratch, &skill)))
        return fail_memory(err);
    if (!bundle_add(&b, scratch, skill) || !bundle_add(&b, scratch, archive))
        return fail_memory(err);
    TRY(judge(scratch, &p->plan, &b, &found, err));
    for (size_t i = 0; i < found.n; i++)
        if (!is_ok(keep(&s->judged, &found.items[i])))
            return fail_memory(err);
    return is_ok(take_fields(s, &skill)) ? OK : fail_memory(err);
}
