/* SPDX-License-Identifier: Apache-2.0
 *
 * Documents from files: the kind by name, place and content; a SKILL.md with its folder; artifacts that lie beside an
 * index. No network.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "check/slot.h"
#include "sys/file.h"
#include "text/uri.h"

pap_result slot_fail(struct slot *s, const char *fmt, ...)
{
    va_list ap;
    if (s->failure.p)
        return OK;
    va_start(ap, fmt);
    s->failure = arena_vfmt(&s->arena, fmt, ap);
    va_end(ap);
    return s->failure.p ? OK : fail_memory(NULL);
}

/* ---- files beside a SKILL.md ---- */

static enum has_file beside(const struct doc *d, struct pap_str path)
{
    const char *folder = d->has_file_ctx;
    char full[4096];
    int n = snprintf(full, sizeof full, "%s/%.*s", folder, PSTR(path));
    if (n < 0 || (size_t)n >= sizeof full || str_find_char(path, '\0') < path.n)
        return HAS_NOT;
    switch (file_type_of(full)) {
    case FILE_NONE:
        return HAS_NOT;
    case FILE_FOLDER:
        return HAS_FOLDER;
    default:
        break;
    }
    return file_is_executable(full) ? HAS_EXECUTABLE : HAS_PLAIN;
}

static struct pap_str last_component(struct pap_str path)
{
    while (path.n > 1 && path.p[path.n - 1] == '/')
        path.n--;
    size_t slash = str_rfind_char(path, '/');
    return slash < path.n ? str_skip(path, slash + 1) : path;
}

/* The folder that holds `path`; its name is resolved when the path does not show it ("SKILL.md", "./SKILL.md"). */
static pap_result put_folder(struct slot *s, struct doc *d, const char *path)
{
    struct pap_str p = str_c(path);
    size_t slash = str_rfind_char(p, '/');
    const char *folder = slash < p.n ? arena_cstr(&s->arena, str_take(p, slash ? slash : 1)) : ".";
    if (!folder)
        return fail_memory(NULL);
    d->has_file = beside;
    d->has_file_ctx = (void *)folder;
    if (!str_eq_nocase(last_component(p), S("SKILL.md")))
        return OK; /* a file of another name stands for no folder */
    struct pap_str name = last_component(str_c(folder));
    if (str_is(name, ".") || str_is(name, "..")) {
        char real[PATH_MAX];
        name = realpath(folder, real) ? arena_str(&s->arena, last_component(str_c(real))) : str(NULL, 0);
    }
    d->folder = name;
    return OK;
}

/* ---- artifacts beside an index ---- */

/* The folder that stands for the root of the site: without one, that of the index. */
static struct pap_str root_of(const char *index_path, const char *site)
{
    size_t slash = str_rfind_char(str_c(index_path), '/');
    return site ? str_c(site) : slash < strlen(index_path) ? str_take(str_c(index_path), slash) : S(".");
}

/* The path below that root that an entry's url means; p NULL when it means none. */
static struct pap_str artifact_path(struct slot *s, struct pap_str url, const char *index_path, const char *site)
{
    struct uri base, ref, u;
    size_t at;
    const char *why;
    /* A site's files are looked up as if it were served from its root; without one, beside the index. */
    struct pap_str base_text = site ? arena_fmt(&s->arena, "https://site.invalid%s", index_path + strlen(site))
                                    : S("https://site.invalid/index.json");
    if (!base_text.p || !uri_parse(base_text, &base, &at, &why) || !uri_parse(url, &ref, &at, &why))
        return str(NULL, 0);
    struct pap_str whole = uri_resolve(&s->arena, &base, &ref);
    if (!whole.p || !uri_parse(whole, &u, &at, &why) || u.path.n < 2)
        return str(NULL, 0);
    return arena_fmt(&s->arena, "%.*s%.*s", PSTR(root_of(index_path, site)), PSTR(u.path));
}

/* KIND_NONE: whatever it is. */
static struct doc *artifact_at(const struct slot *s, struct pap_str path, enum kind kind)
{
    for (struct doc *d = s->bundle.docs; d; d = d->next)
        if (d->role == ROLE_ARTIFACT && (kind == KIND_NONE || d->kind == kind) && str_eq(d->name, path))
            return d;
    return NULL;
}

/* Takes an artifact's bytes off what one check reads and unpacks; false, and said, when there is nothing left. */
static pap_result read_artifact(struct slot *s, struct doc *d)
{
    bool large = false;
    struct pap_err why = {0};
    uint64_t cap = d->kind == KIND_NONE ? LIMIT_ARTIFACT : kind_row(d->kind)->cap;
    pap_result r = file_read(&s->arena, d->name.p, cap, &d->bytes, &large, &why);
    if (r.code == PAP_NO_MEMORY)
        return r;
    if (large) {
        d->bytes = S("");
        return note_add(&d->notes, &s->arena, (struct note){.code = NOTE_TOO_LONG, .fatal = true}) ? OK
                                                                                                   : fail_memory(NULL);
    }
    if (!is_ok(r))
        return OK; /* cannot be read: nothing is known of it */
    s->artifact_bytes += d->bytes.n;
    if (s->artifact_bytes <= LIMIT_CHECK_BYTES && bundle_may_unpack(&s->bundle))
        return doc_read(&s->arena, d);
    d->bytes = str(NULL, 0);
    s->artifacts_end = true;
    return slot_fail(s,
                     "%.*s: the artifacts are larger than one check reads (%d MiB) or unpacks (%d MiB); check them in "
                     "parts",
                     PSTR(s->target), LIMIT_CHECK_BYTES >> 20, LIMIT_CHECK_UNPACKED >> 20);
}

/* A path that leads nowhere; links.artifact says whether that matters. */
static pap_result add_missing(struct slot *s, const struct doc *index, const struct json *entry, struct pap_str path)
{
    struct uri ref;
    size_t at;
    const char *why;
    struct doc d = {.role = ROLE_ARTIFACT, .name = path, .from = index, .from_node = entry};
    if (!uri_parse(json_str(json_get_c(entry, "url")), &ref, &at, &why) || ref.has_authority)
        return OK; /* it may be elsewhere */
    struct doc *same = artifact_at(s, path, KIND_NONE);
    if (same)
        return doc_also(&s->arena, same, index, entry);
    return bundle_add(&s->bundle, &s->arena, d) ? OK : fail_memory(NULL);
}

/* What an entry, or one of its releases, names. An old release (KIND_NONE) cannot be mended any more: only its bytes count. */
static pap_result add_artifact(struct slot *s, const struct doc *index, const struct json *entry, enum kind kind,
                               const char *index_path, const char *site)
{
    const struct json *url = json_get_c(entry, "url");
    struct pap_str path = json_is(url, JSON_STRING) ? artifact_path(s, json_str(url), index_path, site) : str(NULL, 0);
    if (!path.p || str_is(path, index_path))
        return OK;
    if (file_type_of(path.p) != FILE_REGULAR)
        return site ? add_missing(s, index, entry, path) : OK;
    struct doc d = {.kind = kind, .role = ROLE_ARTIFACT, .name = path, .from = index, .from_node = entry};
    const char *root = arena_cstr(&s->arena, root_of(index_path, site));
    if (!root)
        return fail_memory(NULL);
    if (!file_is_below(path.p, *root ? root : "/"))
        return slot_fail(s, "%s is a link that leads out of %s; it was not read", path.p, root);
    struct doc *same = artifact_at(s, path, d.kind);
    if (same)
        return doc_also(&s->arena, same, index, entry);
    TRY(read_artifact(s, &d));
    struct doc *added = d.bytes.p ? bundle_add(&s->bundle, &s->arena, d) : NULL;
    if (!added)
        return d.bytes.p ? fail_memory(NULL) : OK;
    return bundle_add_inside(&s->bundle, &s->arena, added);
}

static pap_result add_releases(struct slot *s, const struct doc *index, const struct json *entry,
                               const char *index_path, const char *site)
{
    const struct json *releases = json_at(entry, "/x-remote-skills/releases");
    size_t n = 0;
    json_each (release, json_is(releases, JSON_ARRAY) ? releases : NULL)
        if (release->type == JSON_OBJECT && n++ < LIMIT_RELEASES && !s->artifacts_end)
            TRY(add_artifact(s, index, release, KIND_NONE, index_path, site));
    return OK;
}

/* Those of the entries first: where a check ends early, they were judged. */
static pap_result add_artifacts(struct slot *s, const struct doc *index, const char *index_path, const char *site)
{
    const struct json *skills = json_get_c(index->root, "skills");
    for (int old = 0; old < 2; old++) {
        size_t n = 0;
        json_each (entry, json_is(skills, JSON_ARRAY) ? skills : NULL) {
            bool archive = str_is(json_str(json_get_c(entry, "type")), "archive");
            if (entry->type != JSON_OBJECT || n++ >= LIMIT_INDEX_ENTRIES || s->artifacts_end)
                continue;
            TRY(old ? add_releases(s, index, entry, index_path, site)
                    : add_artifact(s, index, entry, archive ? KIND_ARCHIVE : KIND_SKILL, index_path, site));
        }
    }
    return OK;
}

/* "X" when the path is X/.well-known/..., else NULL. */
static const char *site_of(struct slot *s, const char *path)
{
    struct pap_str p = str_c(path);
    size_t at = str_find(p, S("/.well-known/"));
    return at < p.n ? arena_cstr(&s->arena, str_take(p, at)) : NULL;
}

static pap_result add_document(struct slot *s, struct doc d, const char *path, const char *site)
{
    TRY(doc_read(&s->arena, &d));
    if (d.kind == KIND_NONE) {
        /* Its content must tell: read as JSON first, which is what most documents are. */
        d.kind = KIND_POPPY;
        TRY(doc_read(&s->arena, &d));
        d.kind = kind_of_content(d.bytes, d.root);
        if (d.kind == KIND_NONE)
            return slot_fail(s, "%.*s: not recognised as any document that is checked; say which with --kind",
                             PSTR(d.name));
        if (kind_row(d.kind)->reader != READ_JSON) {
            d.root = NULL;
            d.notes = (struct notes){0};
            TRY(doc_read(&s->arena, &d));
        }
    }
    if (d.kind == KIND_SKILL && path)
        TRY(put_folder(s, &d, path));
    if (d.kind == KIND_INDEX && d.role == ROLE_MAIN)
        d.role = str_find(d.name, S(".well-known/skills/")) < d.name.n ? ROLE_LEGACY : ROLE_WELL_KNOWN;
    struct doc *added = bundle_add(&s->bundle, &s->arena, d);
    if (!added)
        return fail_memory(NULL);
    TRY(bundle_add_inside(&s->bundle, &s->arena, added));
    for (struct doc *index = added; index && path; index = index->next)
        if (index->kind == KIND_INDEX)
            TRY(add_artifacts(s, index, path, site ? site : site_of(s, path)));
    return OK;
}

pap_result slot_add_file(struct slot *s, const char *path, enum kind kind, const char *site, struct pap_err *err)
{
    struct doc d = {.kind = kind ? kind : kind_of_path(str_c(path))};
    struct pap_err why = {0};
    bool large = false;
    d.name = arena_str(&s->arena, str_c(path));
    if (!d.name.p)
        return fail_memory(err);
    pap_result r = file_read(&s->arena, path, kind_row(d.kind ? d.kind : KIND_OPENAPI)->cap, &d.bytes, &large, &why);
    if (r.code == PAP_NO_MEMORY)
        return fail_memory(err);
    if (!is_ok(r) && large && d.kind) {
        d.bytes = S("");
        if (!note_add(&d.notes, &s->arena, (struct note){.code = NOTE_TOO_LONG, .fatal = true}))
            return fail_memory(err);
        return bundle_add(&s->bundle, &s->arena, d) ? OK : fail_memory(err);
    }
    if (!is_ok(r))
        return is_ok(slot_fail(s, "%s", why.text)) ? OK : fail_memory(err);
    return is_ok(add_document(s, d, path, site)) ? OK : fail_memory(err);
}

pap_result slot_add_bytes(struct slot *s, struct pap_str name, struct pap_str bytes, enum kind kind)
{
    return add_document(s, (struct doc){.kind = kind, .name = name, .bytes = bytes}, NULL, NULL);
}
