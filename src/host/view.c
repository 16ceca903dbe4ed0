/* SPDX-License-Identifier: Apache-2.0
 *
 * What of a tree who may see: the index that everybody gets, the one of each scope, and which files are of hidden skills.
 * The entries of an index are cut out as they stand; no other byte of it changes.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "host/inside.h"

#define FOLDER_SKILLS "/.well-known/agent-skills/"
#define FOLDER_LEGACY "/.well-known/skills/"

/* Who names a file. */
struct claim {
    bool named, open;
    scope_set scopes;
};

struct viewing {
    struct generation *g;
    const struct generation_options *o;
    const struct access *access;
    struct arena *scratch;
    struct claim *claims;        /* by file */
    const struct json *skills;   /* of the index */
    const struct pap_str *names; /* theirs, sorted */
    size_t n_names;
};

static int by_name(const void *a, const void *b)
{
    return str_cmp(*(const struct pap_str *)a, *(const struct pap_str *)b);
}

static pap_result list_names(struct viewing *v)
{
    struct pap_str *names = arena_new_array(v->scratch, v->skills->n + 1, struct pap_str);
    if (!names)
        return fail_memory(NULL);
    json_each (entry, v->skills) {
        struct pap_str name = json_str(json_get_c(entry, "name"));
        if (name.p)
            names[v->n_names++] = name;
    }
    qsort(names, v->n_names, sizeof *names, by_name);
    v->names = names;
    return OK;
}

/* What the index does not have is nobody's, wherever else it is listed: no pattern was checked against it. */
static bool is_listed(const struct viewing *v, struct pap_str name)
{
    return name.p && bsearch(&name, v->names, v->n_names, sizeof name, by_name);
}

/* Whether an entry of that name stays in the list of a scope; 0: of everybody. */
static bool stays(const struct viewing *v, scope_set scope, struct pap_str name)
{
    return is_listed(v, name) &&
           (scope ? (access_scopes_of(v->access, name) & scope) != 0 : access_is_open(v->access, name));
}

/* The text with only those entries of the list `skills` that stay, each with the blanks in front of it. */
static void add_cut(const struct viewing *v, struct buf *out, struct pap_str text, const struct json *skills,
                    scope_set scope)
{
    size_t list_end = json_value_end(text, skills->off), at = skills->off + 1;
    bool any = false;
    buf_add(out, str_take(text, at));
    json_each (entry, skills) {
        size_t end = json_value_end(text, entry->off);
        if (stays(v, scope, json_str(json_get_c(entry, "name")))) {
            buf_add(out, any ? S(",") : S(""));
            buf_add(out, str(text.p + at, end - at));
            any = true;
        }
        at = end;
        if (entry->next)
            at += str_find_char(str_skip(text, at), ',') + 1;
    }
    buf_add(out, str_skip(text, any ? at : list_end - 1));
}

static pap_result cut_out(const struct viewing *v, struct pap_str text, const struct json *skills, scope_set scope,
                          struct pap_str *ret, struct pap_err *err)
{
    struct buf b;
    buf_init(&b, v->o->alloc, LIMIT_ARTIFACT);
    add_cut(v, &b, text, skills, scope);
    *ret = buf_ok(&b) ? arena_str(&v->g->arena, buf_str(&b)) : str(NULL, 0);
    pap_result r = buf_result(&b, err);
    buf_fini(&b);
    TRY(r);
    return ret->p ? OK : fail_memory(err);
}

/* ---- which files are whose ---- */

static bool path_is_index(struct pap_str path)
{
    return str_is(path, PATH_INDEX) || str_is(path, PATH_LEGACY);
}

static void claim(struct viewing *v, const struct host_file *f, struct pap_str name)
{
    struct claim *c = &v->claims[f - v->g->files];
    scope_set scopes = access_scopes_of(v->access, name);
    c->named = true;
    c->open |= access_is_open(v->access, name) || (scopes & v->access->anybody);
    c->scopes |= scopes;
}

static void claim_url(struct viewing *v, const struct json *entry, struct pap_str name)
{
    struct pap_str url = json_str(json_get_c(entry, "url"));
    const struct host_file *f = url.p ? entry_file(v->g, v->scratch, url, NULL) : NULL;
    if (f && !path_is_index(f->path))
        claim(v, f, name);
}

/* The file that an entry names, and those of its releases. */
static void claim_entries(struct viewing *v, const struct json *skills)
{
    json_each (entry, json_is(skills, JSON_ARRAY) ? skills : NULL) {
        struct pap_str name = json_str(json_get_c(entry, "name"));
        if (!is_listed(v, name))
            continue;
        claim_url(v, entry, name);
        json_each (release, json_at(entry, "/x-remote-skills/releases"))
            claim_url(v, release, name);
    }
}

/* A folder with the name of a skill is that skill's. */
static void claim_folder(struct viewing *v, const struct host_file *f, struct pap_str below)
{
    struct pap_str rest = str_skip(f->path, below.n), name;
    if (!str_starts(f->path, below) || !str_next(&rest, '/', &name) || !rest.p)
        return;
    json_each (entry, v->skills)
        if (str_eq(json_str(json_get_c(entry, "name")), name))
            claim(v, f, name);
}

/* Below the folders of skills nothing is open that no open skill names: an artifact that was a hidden skill's yesterday. */
static void close_files(struct viewing *v)
{
    for (size_t i = 0; i < v->g->n_files; i++) {
        struct host_file *f = &v->g->files[i];
        claim_folder(v, f, S(FOLDER_SKILLS));
        claim_folder(v, f, S(FOLDER_LEGACY));
        bool of_skills = str_starts(f->path, S(FOLDER_SKILLS)) || str_starts(f->path, S(FOLDER_LEGACY));
        f->closed = v->claims[i].named ? !v->claims[i].open : of_skills && !path_is_index(f->path);
        f->scopes = v->claims[i].scopes;
    }
}

/* ---- representations ---- */

static struct representing of_file(const struct host_file *f)
{
    return (struct representing){
        .path = f->path, .bytes = f->plain.bytes, .media = media_of(f->path), .modified = f->plain.validator.modified};
}

/* A list depends on the scopes, too, and these may be others tomorrow while the file is as old as today. */
static struct representing of_list(const struct host_file *f)
{
    struct representing as = of_file(f);
    as.modified = MODIFIED_NEVER;
    return as;
}

static pap_result show_index(const struct viewing *v, const struct host_file *f, scope_set scope,
                             struct representing *as, struct host_file *to, struct pap_err *err)
{
    TRY(cut_out(v, f->plain.bytes, v->skills, scope, &as->bytes, err));
    struct representation plain, gzip;
    TRY(represent(&v->g->arena, v->o, as, &plain, err));
    TRY(represent_gzip(&v->g->arena, v->o, as, &gzip, err));
    to->plain = plain;
    to->gzip = gzip;
    return OK;
}

static pap_result show_scopes(const struct viewing *v, const struct host_file *f, struct pap_err *err)
{
    const struct access *a = v->access;
    v->g->views = arena_new_array(&v->g->arena, a->n + 1, struct host_file);
    if (!v->g->views)
        return fail_memory(err);
    for (size_t i = 0; i < a->n; i++) {
        scope_set scope = (scope_set)1 << i;
        struct representing as = of_list(f);
        as.scope = a->scopes[i].name;
        as.closed = !(a->anybody & scope);
        as.vary =
            as.closed ? "Accept-Encoding, Remote-Skills-Scope, Authorization" : "Accept-Encoding, Remote-Skills-Scope";
        TRY(show_index(v, f, scope, &as, &v->g->views[i], err));
    }
    return OK;
}

/* What cannot be cut is not served whole: it may name what is hidden. */
static pap_result fail_uncuttable(const struct host_file *f, struct pap_err *err)
{
    return fail(err, PAP_SYNTAX, "%.*s: \"skills\" is not an array, so that hidden skills cannot be taken out of it",
                PSTR(f->path));
}

/* Another document that lists skills. */
static pap_result show_list(const struct viewing *v, struct host_file *f, const struct json *skills,
                            struct pap_err *err)
{
    if (!skills)
        return OK;
    if (!json_is(skills, JSON_ARRAY))
        return fail_uncuttable(f, err);
    struct representing as = of_list(f);
    TRY(cut_out(v, f->plain.bytes, skills, 0, &as.bytes, err));
    return represent(&v->g->arena, v->o, &as, &f->plain, err);
}

/* The list of 0.1 is nothing but a list. */
static pap_result show_legacy(const struct viewing *v, struct host_file *f, const struct json *root,
                              struct pap_err *err)
{
    const struct json *skills = json_get_c(root, "skills");
    if (!f)
        return OK;
    return skills ? show_list(v, f, skills, err) : fail_uncuttable(f, err);
}

static pap_result show_closed(const struct viewing *v, struct pap_err *err)
{
    for (size_t i = 0; i < v->g->n_files; i++) {
        struct host_file *f = &v->g->files[i];
        struct representing as = of_file(f);
        as.closed = true;
        as.vary = "Authorization";
        if (f->closed)
            TRY(represent(&v->g->arena, v->o, &as, &f->plain, err));
    }
    return OK;
}

/* ---- all of it ---- */

/* A slip in a name must not open a skill that was meant to be hidden. */
static pap_result check_names(const struct viewing *v, const char *what, const char *const *patterns,
                              struct pap_err *err)
{
    for (; patterns && *patterns; patterns++) {
        bool found = str_is(S("*"), *patterns);
        json_each (entry, v->skills)
            found = found || str_fits(json_str(json_get_c(entry, "name")), str_c(*patterns));
        if (!found)
            return fail(err, PAP_SYNTAX, "%s names \"%s\", but there is no such skill in the index", what, *patterns);
    }
    return OK;
}

static struct host_file *file_at(struct generation *g, struct pap_str path)
{
    return (struct host_file *)(uintptr_t)generation_find(g, path);
}

pap_result generation_view(struct generation *g, struct arena *scratch, const struct generation_options *o,
                           const struct judged *docs, struct pap_err *err)
{
    struct viewing v = {.g = g, .o = o, .access = o->access, .scratch = scratch};
    const struct json *of_poppy = json_at(docs->poppy, "/skill_index/skills");
    struct host_file *index = file_at(g, S(PATH_INDEX));
    v.claims = arena_new_array(scratch, g->n_files + 1, struct claim);
    v.skills = json_get_c(docs->index, "skills");
    if (!json_is(v.skills, JSON_ARRAY))
        return fail(err, PAP_SYNTAX, "scopes are parts of %s, which is not there", PATH_INDEX);
    if (!v.claims || !is_ok(list_names(&v)))
        return fail_memory(err);
    TRY(check_names(&v, "\"open\"", o->access->open, err));
    for (size_t i = 0; i < o->access->n; i++)
        TRY(check_names(&v, o->access->scopes[i].name.p, o->access->scopes[i].skills, err));
    claim_entries(&v, v.skills);
    claim_entries(&v, of_poppy);
    close_files(&v);
    g->access = o->access;
    TRY(show_scopes(&v, index, err));
    TRY(show_list(&v, file_at(g, S(PATH_POPPY)), of_poppy, err));
    TRY(show_legacy(&v, file_at(g, S(PATH_LEGACY)), docs->legacy, err));
    TRY(show_closed(&v, err));
    struct representing as = of_list(index);
    as.vary = "Accept-Encoding, Remote-Skills-Scope";
    return show_index(&v, index, 0, &as, index, err);
}
