/* SPDX-License-Identifier: Apache-2.0
 *
 * A tree judged before it is served, by the rows of `papaver check` and on the very bytes that will be sent.
 */
#include "host/inside.h"
#include "proto/check.h"
#include "text/uri.h"

/* The document that a file is, by what the lists say of it: nothing (an old release), a SKILL.md, an archive. */
struct named {
    struct doc *as[3];
};

struct judging {
    struct generation *g;
    struct arena *arena;
    const char *folder;
    const struct generation_options *o;
    struct pap_str poppy_domain; /* what poppy.json says, where nobody else said it */
    struct named *named;         /* by file */
    struct bundle bundle;
};

/* Resolved as from the index's address; where the host is this site's, only the path counts. */
#define SITE "site.invalid"

const struct host_file *entry_file(const struct generation *g, struct arena *scratch, struct pap_str url,
                                   struct uri *ret)
{
    struct uri base, ref, u;
    size_t at;
    const char *why;
    if (!uri_parse(S("https://" SITE PATH_INDEX), &base, &at, &why) || !uri_parse(url, &ref, &at, &why))
        return NULL;
    struct pap_str whole = uri_resolve(scratch, &base, &ref);
    if (!whole.p || !uri_parse(whole, &u, &at, &why) || u.path.n < 2)
        return NULL;
    if (ret)
        *ret = u;
    return generation_find(g, u.path);
}

/* Whether the address can only mean this site: a path, or a URL with one of its names. */
static bool is_own(const struct judging *j, const struct uri *u)
{
    if (!str_eq_nocase(u->scheme, S("https")) || uri_port(u) != 443)
        return false;
    for (const char *const *alias = j->o->aliases; alias && *alias; alias++)
        if (str_eq_nocase(u->host, str_c(*alias)))
            return true;
    struct pap_str domain = j->o->domain ? str_c(j->o->domain) : j->poppy_domain;
    return str_is(u->host, SITE) || (domain.n && str_eq_nocase(u->host, domain));
}

/* Where the document of a file is kept; that of an old release may be any. */
static struct doc **artifact_at(struct judging *j, const struct host_file *f, enum kind kind)
{
    struct named *n = &j->named[f - j->g->files];
    for (size_t i = 0; kind == KIND_NONE && i < 3; i++)
        if (n->as[i])
            return &n->as[i];
    return &n->as[kind == KIND_NONE ? 0 : kind == KIND_SKILL ? 1 : 2];
}

static pap_result read_artifact(struct judging *j, struct doc *d, struct pap_err *err)
{
    if (d->kind == KIND_ARCHIVE && !bundle_may_unpack(&j->bundle))
        return fail(err, PAP_LIMIT, "the archives below %s unpack to more than %d MiB", j->folder,
                    LIMIT_CHECK_UNPACKED >> 20);
    return is_ok(doc_read(j->arena, d)) ? OK : fail_memory(err);
}

/* What an entry or one of its releases names. An old release (KIND_NONE) was judged when it was the current one and cannot
 * be mended any more: only that it is there, and its bytes are those, counts. */
static pap_result add_artifact(struct judging *j, const struct doc *index, const struct json *node, enum kind kind,
                               struct pap_err *err)
{
    struct uri u = {0};
    struct pap_str url = json_str(json_get_c(node, "url"));
    const struct host_file *f = url.p ? entry_file(j->g, j->arena, url, &u) : NULL;
    if (!f && url.p && is_own(j, &u))
        return fail(err, PAP_SYNTAX, "%.*s names %.*s, which is not in %s (only what lies below .well-known is served)",
                    PSTR(index->name), PSTR(url), j->folder);
    if (!f || str_is(f->path, PATH_INDEX))
        return OK; /* at another place, or wrong in a way that a row says */
    struct doc d = {.role = ROLE_ARTIFACT, .kind = kind, .from = index, .from_node = node, .bytes = f->plain.bytes};
    d.name = arena_fmt(j->arena, "%s%.*s", j->folder, PSTR(f->path));
    if (!d.name.p)
        return fail_memory(err);
    struct doc **at = artifact_at(j, f, kind);
    if (*at)
        return is_ok(doc_also(j->arena, *at, index, node)) ? OK : fail_memory(err);
    TRY(read_artifact(j, &d, err));
    *at = bundle_add(&j->bundle, j->arena, d);
    return *at && is_ok(bundle_add_inside(&j->bundle, j->arena, *at)) ? OK : fail_memory(err);
}

static pap_result add_entry(struct judging *j, const struct doc *index, const struct json *entry, struct pap_err *err)
{
    const struct json *releases = json_at(entry, "/x-remote-skills/releases");
    bool is_archive = str_is(json_str(json_get_c(entry, "type")), "archive");
    size_t n = 0;
    TRY(add_artifact(j, index, entry, is_archive ? KIND_ARCHIVE : KIND_SKILL, err));
    json_each (release, json_is(releases, JSON_ARRAY) ? releases : NULL)
        if (release->type == JSON_OBJECT && n++ < LIMIT_RELEASES)
            TRY(add_artifact(j, index, release, KIND_NONE, err));
    return OK;
}

static pap_result add_artifacts(struct judging *j, const struct doc *index, struct pap_err *err)
{
    const struct json *skills = json_get_c(index->root, "skills");
    size_t n = 0;
    json_each (entry, json_is(skills, JSON_ARRAY) ? skills : NULL)
        if (entry->type == JSON_OBJECT && n++ < LIMIT_INDEX_ENTRIES)
            TRY(add_entry(j, index, entry, err));
    return OK;
}

static pap_result add_document(struct judging *j, const struct host_file *f, struct pap_err *err)
{
    struct doc d = {.kind = kind_of_path(f->path), .bytes = f->plain.bytes};
    if (d.kind == KIND_NONE || kind_row(d.kind)->reader != READ_JSON)
        return OK; /* artifacts are judged with the index that names them */
    if (d.kind == KIND_INDEX)
        d.role = str_is(f->path, PATH_INDEX) ? ROLE_WELL_KNOWN : ROLE_LEGACY;
    d.name = arena_fmt(j->arena, "%s%.*s", j->folder, PSTR(f->path));
    if (!d.name.p || !is_ok(doc_read(j->arena, &d)))
        return fail_memory(err);
    struct doc *added = bundle_add(&j->bundle, j->arena, d);
    return added && is_ok(bundle_add_inside(&j->bundle, j->arena, added)) ? OK : fail_memory(err);
}

/* What was read of the file at a path of the tree. */
static const struct json *root_at(const struct judging *j, const char *path)
{
    for (const struct doc *d = j->bundle.docs; d; d = d->next)
        if (str_starts(d->name, str_c(j->folder)) && str_is(str_skip(d->name, strlen(j->folder)), path))
            return d->root;
    return NULL;
}

/* The documents, and then what the indexes among them name. */
static pap_result add_all(struct judging *j, struct pap_err *err)
{
    j->named = arena_new_array(j->arena, j->g->n_files + 1, struct named);
    if (!j->named)
        return fail_memory(err);
    for (size_t i = 0; i < j->g->n_files; i++)
        TRY(add_document(j, &j->g->files[i], err));
    j->poppy_domain = json_str(json_at(root_at(j, PATH_POPPY), "/organization/domain"));
    const struct doc *last = j->bundle.last;
    for (const struct doc *d = j->bundle.docs; d; d = d == last ? NULL : d->next)
        if (d->kind == KIND_INDEX)
            TRY(add_artifacts(j, d, err));
    return OK;
}

pap_result generation_judge(struct generation *g, struct arena *scratch, const char *folder,
                            const struct generation_options *o, struct judged *ret, struct pap_err *err)
{
    struct judging j = {.g = g,
                        .arena = scratch,
                        .folder = folder,
                        .o = o,
                        .bundle = {.domain = o->domain ? str_c(o->domain) : S(""), .now = o->now}};
    struct plan plan;
    struct findings out = {0};
    const struct pap_finding *first = NULL;
    size_t errors = 0;
    TRY(add_all(&j, err));
    TRY(plan_make(scratch, PROFILE_CHECK, NULL, NULL, &plan, err));
    bundle_choose_version(&j.bundle, NULL);
    TRY(judge(scratch, &plan, &j.bundle, &out, err));
    for (size_t i = 0; i < out.n; i++) {
        if (o->finding)
            o->finding(o->ctx, &out.items[i]);
        if (out.items[i].severity == PAP_ERROR && errors++ == 0)
            first = &out.items[i];
    }
    if (first)
        return fail(err, PAP_SYNTAX, "%zu error%s; the first: %.*s: %s: %.*s", errors, str_plural(errors),
                    PSTR(first->where), first->id, PSTR(first->message));
    *ret = (struct judged){root_at(&j, PATH_INDEX), root_at(&j, PATH_POPPY), root_at(&j, PATH_LEGACY)};
    return OK;
}
