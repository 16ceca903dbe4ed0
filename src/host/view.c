/* SPDX-License-Identifier: Apache-2.0
 *
 * What of a tree who may see: the index that everybody gets, the one of each scope, and which files are of hidden skills.
 * The entries of an index are cut out as they stand; no other byte of it changes.
 */
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
    struct claim *claims; /* by file */
    const struct json *index;
};

/* Whether an entry of that name stays. */
struct cut {
    const struct access *access;
    scope_set scope;           /* 0: for everybody */
    const struct json *listed; /* only what this list has, too; NULL: whatever it is */
};

static bool is_listed(const struct json *skills, struct pap_str name)
{
    json_each (entry, skills)
        if (str_eq(json_str(json_get_c(entry, "name")), name))
            return true;
    return false;
}

static bool stays(const struct cut *c, struct pap_str name)
{
    if (!name.p || (c->listed && !is_listed(c->listed, name)))
        return false;
    return c->scope ? (access_scopes_of(c->access, name) & c->scope) != 0 : access_is_open(c->access, name);
}

/* The text with only those entries of the list `skills` that stay, each with the blanks in front of it. */
static void add_cut(struct buf *out, struct pap_str text, const struct json *skills, const struct cut *c)
{
    size_t list_end = json_value_end(text, skills->off), at = skills->off + 1;
    bool any = false;
    buf_add(out, str_take(text, at));
    json_each (entry, skills) {
        size_t end = json_value_end(text, entry->off);
        if (stays(c, json_str(json_get_c(entry, "name")))) {
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

static pap_result cut_out(const struct viewing *v, struct pap_str text, const struct json *skills,
                          const struct cut *cut, struct pap_str *ret, struct pap_err *err)
{
    struct buf b;
    buf_init(&b, v->o->alloc, LIMIT_ARTIFACT);
    add_cut(&b, text, skills, cut);
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
    bool own;
    struct pap_str url = json_str(json_get_c(entry, "url"));
    const struct host_file *f = url.p ? entry_file(v->g, v->scratch, url, &own) : NULL;
    if (f && !path_is_index(f->path))
        claim(v, f, name);
}

/* The file that an entry names, and those of its releases. */
static void claim_entries(struct viewing *v, const struct json *skills)
{
    json_each (entry, json_is(skills, JSON_ARRAY) ? skills : NULL) {
        struct pap_str name = json_str(json_get_c(entry, "name"));
        if (!name.p)
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
    json_each (entry, json_get_c(v->index, "skills"))
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

static pap_result show_index(const struct viewing *v, const struct host_file *f, scope_set scope,
                             struct representing *as, struct host_file *to, struct pap_err *err)
{
    struct cut cut = {.access = v->access, .scope = scope};
    TRY(cut_out(v, f->plain.bytes, json_get_c(v->index, "skills"), &cut, &as->bytes, err));
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
        struct representing as = of_file(f);
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
                            const struct json *listed, struct pap_err *err)
{
    if (!skills)
        return OK;
    if (!json_is(skills, JSON_ARRAY))
        return fail_uncuttable(f, err);
    struct representing as = of_file(f);
    struct cut cut = {.access = v->access, .listed = listed};
    TRY(cut_out(v, f->plain.bytes, skills, &cut, &as.bytes, err));
    return represent(&v->g->arena, v->o, &as, &f->plain, err);
}

/* The list of 0.1 is nothing but a list. What the index does not have is nobody's: no pattern was checked against it. */
static pap_result show_legacy(const struct viewing *v, struct host_file *f, const struct json *root,
                              struct pap_err *err)
{
    const struct json *skills = json_get_c(root, "skills");
    if (!f)
        return OK;
    if (!skills)
        return fail_uncuttable(f, err);
    return show_list(v, f, skills, json_get_c(v->index, "skills"), err);
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
        json_each (entry, json_get_c(v->index, "skills"))
            found = found || str_fits(json_str(json_get_c(entry, "name")), str_c(*patterns));
        if (!found)
            return fail(err, PAP_SYNTAX, "%s names \"%s\", but there is no such skill in the index", what, *patterns);
    }
    return OK;
}

static pap_result read(struct arena *scratch, const struct host_file *f, const struct json **ret)
{
    struct json *root = NULL;
    struct notes notes = {0};
    *ret = NULL;
    if (f)
        TRY(json_read(scratch, f->plain.bytes, &root, &notes));
    *ret = root;
    return OK;
}

static struct host_file *file_at(struct generation *g, struct pap_str path)
{
    return (struct host_file *)(uintptr_t)generation_find(g, path);
}

pap_result generation_view(struct generation *g, struct arena *scratch, const struct generation_options *o,
                           const struct json **ret_index, struct pap_err *err)
{
    struct viewing v = {.g = g, .o = o, .access = o->access, .scratch = scratch};
    struct host_file *index = file_at(g, S(PATH_INDEX)), *poppy = file_at(g, S(PATH_POPPY)),
                     *legacy = file_at(g, S(PATH_LEGACY));
    const struct json *poppy_root, *legacy_root;
    v.claims = arena_new_array(scratch, g->n_files + 1, struct claim);
    if (!v.claims || !is_ok(read(scratch, index, &v.index)) || !is_ok(read(scratch, poppy, &poppy_root)) ||
        !is_ok(read(scratch, legacy, &legacy_root)))
        return fail_memory(err);
    if (!json_is(json_get_c(v.index, "skills"), JSON_ARRAY))
        return fail(err, PAP_SYNTAX, "scopes are parts of %s, which is not there", PATH_INDEX);
    TRY(check_names(&v, "\"open\"", o->access->open, err));
    for (size_t i = 0; i < o->access->n; i++)
        TRY(check_names(&v, o->access->scopes[i].name.p, o->access->scopes[i].skills, err));
    claim_entries(&v, json_get_c(v.index, "skills"));
    claim_entries(&v, json_at(poppy_root, "/skill_index/skills"));
    close_files(&v);
    g->access = o->access;
    TRY(show_scopes(&v, index, err));
    TRY(show_list(&v, poppy, json_at(poppy_root, "/skill_index/skills"), NULL, err));
    TRY(show_legacy(&v, legacy, legacy_root, err));
    TRY(show_closed(&v, err));
    struct representing as = of_file(index);
    as.vary = "Accept-Encoding, Remote-Skills-Scope";
    TRY(show_index(&v, index, 0, &as, index, err));
    return is_ok(read(scratch, index, ret_index)) ? OK : fail_memory(err);
}
