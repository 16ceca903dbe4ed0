/* SPDX-License-Identifier: Apache-2.0
 *
 * A tree judged before it is served, by the rows of `papaver check` and on the very bytes that will be sent.
 */
#include "host/inside.h"
#include "proto/check.h"
#include "text/uri.h"

struct judging {
    struct generation *g;
    struct arena *arena;
    const char *folder;
    struct bundle bundle;
};

/* Resolved as from the index's address; where the host is this site's, only the path counts. */
#define SITE "https://site.invalid"

const struct host_file *entry_file(const struct generation *g, struct arena *scratch, struct pap_str url, bool *ret_own)
{
    struct uri base, ref, u;
    size_t at;
    const char *why;
    *ret_own = false;
    if (!uri_parse(S(SITE PATH_INDEX), &base, &at, &why) || !uri_parse(url, &ref, &at, &why))
        return NULL;
    struct pap_str whole = uri_resolve(scratch, &base, &ref);
    if (!whole.p || !uri_parse(whole, &u, &at, &why) || u.path.n < 2)
        return NULL;
    *ret_own = uri_same_origin(&base, &u);
    return generation_find(g, u.path);
}

static struct doc *artifact_at(struct bundle *b, struct pap_str name, enum kind kind)
{
    for (struct doc *d = b->docs; d; d = d->next)
        if (d->role == ROLE_ARTIFACT && d->kind == kind && str_eq(d->name, name))
            return d;
    return NULL;
}

static pap_result add_artifact(struct judging *j, const struct doc *index, const struct json *entry,
                               struct pap_err *err)
{
    bool own;
    struct pap_str url = json_str(json_get_c(entry, "url"));
    const struct host_file *f = url.p ? entry_file(j->g, j->arena, url, &own) : NULL;
    if (!f && url.p && own)
        return fail(err, PAP_SYNTAX, "%.*s names %.*s, which is not in %s (only what lies below .well-known is served)",
                    PSTR(index->name), PSTR(url), j->folder);
    if (!f || str_is(f->path, PATH_INDEX))
        return OK; /* at another place, or wrong in a way that a row says */
    struct doc d = {.role = ROLE_ARTIFACT, .from = index, .from_node = entry, .bytes = f->plain.bytes};
    d.kind = str_is(json_str(json_get_c(entry, "type")), "archive") ? KIND_ARCHIVE : KIND_SKILL;
    d.name = arena_fmt(j->arena, "%s%.*s", j->folder, PSTR(f->path));
    if (!d.name.p)
        return fail_memory(err);
    struct doc *same = artifact_at(&j->bundle, d.name, d.kind);
    if (same)
        return is_ok(doc_also(j->arena, same, index, entry)) ? OK : fail_memory(err);
    if (!bundle_may_unpack(&j->bundle))
        return fail(err, PAP_LIMIT, "the archives below %s unpack to more than %d MiB", j->folder,
                    LIMIT_CHECK_UNPACKED >> 20);
    if (!is_ok(doc_read(j->arena, &d)))
        return fail_memory(err);
    struct doc *added = bundle_add(&j->bundle, j->arena, d);
    return added && is_ok(bundle_add_inside(&j->bundle, j->arena, added)) ? OK : fail_memory(err);
}

static pap_result add_artifacts(struct judging *j, const struct doc *index, struct pap_err *err)
{
    const struct json *skills = json_get_c(index->root, "skills");
    size_t n = 0;
    json_each (entry, json_is(skills, JSON_ARRAY) ? skills : NULL)
        if (entry->type == JSON_OBJECT && n++ < LIMIT_INDEX_ENTRIES)
            TRY(add_artifact(j, index, entry, err));
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
    if (!added || !is_ok(bundle_add_inside(&j->bundle, j->arena, added)))
        return fail_memory(err);
    for (struct doc *index = added; index; index = index->next)
        if (index->kind == KIND_INDEX)
            TRY(add_artifacts(j, index, err));
    return OK;
}

/* What was read of the file at a path of the tree. */
static const struct json *root_at(const struct judging *j, const char *path)
{
    for (const struct doc *d = j->bundle.docs; d; d = d->next)
        if (str_starts(d->name, str_c(j->folder)) && str_is(str_skip(d->name, strlen(j->folder)), path))
            return d->root;
    return NULL;
}

pap_result generation_judge(struct generation *g, struct arena *scratch, const char *folder,
                            const struct generation_options *o, struct judged *ret, struct pap_err *err)
{
    struct judging j = {g, scratch, folder, {.domain = o->domain ? str_c(o->domain) : S(""), .now = o->now}};
    struct plan plan;
    struct findings out = {0};
    const struct pap_finding *first = NULL;
    size_t errors = 0;
    for (size_t i = 0; i < g->n_files; i++)
        TRY(add_document(&j, &g->files[i], err));
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
