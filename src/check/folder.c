/* SPDX-License-Identifier: Apache-2.0
 *
 * A folder: each SKILL.md is judged and reported by itself as it is met, so that memory stays flat over any number of
 * them; the documents of a site (poppy.json, metadata, indexes with their artifacts ...) are judged together at the end.
 */
#include "base/limits.h"
#include "check/checker.h"
#include "sys/file.h"

enum { FOLDER_DEPTH = 32, SITE_DOCUMENTS = 256 };

struct folder {
    struct checker *c;
    const char *root;
    struct arena arena; /* paths of site documents */
    const char *site[SITE_DOCUMENTS];
    size_t owner[SITE_DOCUMENTS]; /* of each: the place of a poppy.json in `site`, or SITE_DOCUMENTS */
    size_t n_site, n_skills, n_unread;
    bool too_many;
};

static pap_result judge_skill(struct folder *f, const char *path, struct pap_err *err)
{
    struct slot *s = checker_take_slot(f->c, str_c(path));
    if (!s)
        return fail_memory(err);
    f->n_skills++;
    f->c->total++;
    TRY(checker_add_file(f->c, s, path, KIND_SKILL, NULL, err));
    TRY(checker_judge(f->c, s, err));
    return checker_report(f->c, s, err);
}

/* Reports what is there and was not read. */
static pap_result not_read(struct folder *f, const char *path, const char *why, struct pap_err *err)
{
    struct slot *s = checker_take_slot(f->c, str_c(path));
    if (!s || !is_ok(slot_fail(s, "%s %s", path, why)))
        return fail_memory(err);
    f->c->total++;
    f->n_unread++;
    s->done = true;
    return checker_report(f->c, s, err);
}

static bool in_site(struct pap_str path)
{
    return str_find(path, S("/.well-known/")) < path.n;
}

/* Whether somebody would expect a linked folder to be looked into; else it is passed over, as many are. */
static bool may_hold_skills(struct folder *f, const char *path, struct pap_str name)
{
    struct pap_str file = arena_fmt(&f->arena, "%s/SKILL.md", path);
    return str_is(name, "skills") || str_is(name, ".well-known") || (file.p && file_type_of(file.p) == FILE_REGULAR);
}

static pap_result meet(void *ctx, const char *path, enum file_type type, struct pap_err *err)
{
    struct folder *f = ctx;
    struct pap_str p = str_c(path), name = str_skip(p, str_rfind_char(p, '/') + 1);
    enum kind kind = kind_of_path(p);
    if (type == FILE_FOLDER)
        return not_read(f, path, "is a folder that may not be read", err);
    if (type == FILE_FOLDER_LINK)
        return may_hold_skills(f, path, name)
                   ? not_read(f, path, "is a link to a folder; links are not followed: check that folder itself", err)
                   : OK;
    /* A folder may come from strangers (a pull request); a report must not show what a link in it leads to elsewhere. */
    if (kind != KIND_NONE && type == FILE_LINK && !file_is_below(path, f->root))
        return not_read(f, path, "is a link that leads out of the folder; it was not read: check the file itself", err);
    if (kind == KIND_SKILL && !in_site(p) && str_eq_nocase(name, S("SKILL.md")))
        return judge_skill(f, path, err);
    /* Artifacts are judged with the index that names them; "x.index.json" and the like are documents of others. */
    if (kind == KIND_NONE || kind == KIND_SKILL || kind == KIND_ARCHIVE)
        return OK;
    if (f->n_site == SITE_DOCUMENTS) {
        f->too_many = true;
        return OK;
    }
    f->site[f->n_site] = arena_cstr(&f->arena, p);
    return f->site[f->n_site++] ? OK : fail_memory(err);
}

/* What holds a site: "X" of X/.well-known/..., else the folder of the file. */
static struct pap_str base_of(const char *path)
{
    struct pap_str p = str_c(path);
    size_t at = str_find(p, S("/.well-known/"));
    return str_take(p, at < p.n ? at : str_rfind_char(p, '/'));
}

/* The poppy.json whose site the document `i` is of: the only one, or that of the nearest folder above. SITE_DOCUMENTS when
 * there is none, or several. */
static size_t owner_of(const struct folder *f, size_t i)
{
    size_t best = SITE_DOCUMENTS, longest = 0, n_poppy = 0, only = 0;
    struct pap_str path = str_c(f->site[i]);
    if (kind_of_path(path) == KIND_POPPY)
        return i;
    for (size_t k = 0; k < f->n_site; k++) {
        struct pap_str base = base_of(f->site[k]);
        if (kind_of_path(str_c(f->site[k])) != KIND_POPPY)
            continue;
        n_poppy++;
        only = k;
        if (!str_starts(path, base) || path.p[base.n] != '/' || base.n < longest)
            continue;
        best = base.n == longest && best < SITE_DOCUMENTS ? SITE_DOCUMENTS : k;
        longest = base.n;
    }
    return n_poppy == 1 ? only : best;
}

/* Judges the documents of one owner together. */
static pap_result judge_site(struct folder *f, size_t owner, struct pap_str name, struct pap_err *err)
{
    struct slot *s = checker_take_slot(f->c, name);
    if (!s)
        return fail_memory(err);
    f->c->total++;
    for (size_t i = 0; i < f->n_site; i++) /* a file that cannot be read does not stop the others */
        if (f->owner[i] == owner)
            TRY(checker_add_file(f->c, s, f->site[i], KIND_NONE, in_site(str_c(f->site[i])) ? NULL : f->root, err));
    if (f->n_site == 0) {
        /* No document at all: a skill's folder without its file is what this most often is. */
        struct doc d = {.kind = KIND_SKILL, .name = s->target};
        if (!bundle_add(&s->bundle, &s->arena, d))
            return fail_memory(err);
    }
    if (f->too_many &&
        !is_ok(slot_fail(s, "more than %d documents of sites in one folder; check them in parts", SITE_DOCUMENTS)))
        return fail_memory(err);
    f->too_many = false;
    TRY(checker_judge(f->c, s, err));
    return checker_report(f->c, s, err);
}

/* Several companies below one folder are judged one by one: each has its own version, domain and issuer. */
static pap_result judge_sites(struct folder *f, struct pap_err *err)
{
    bool rest = false, several = false;
    for (size_t i = 0; i < f->n_site; i++)
        f->owner[i] = owner_of(f, i);
    for (size_t i = 1; i < f->n_site; i++)
        several |= f->owner[i] != f->owner[0];
    if (!several)
        return judge_site(f, f->owner[0], str_c(f->root), err);
    for (size_t i = 0; i < f->n_site; i++) {
        rest |= f->owner[i] == SITE_DOCUMENTS;
        if (f->owner[i] == i)
            TRY(judge_site(f, i, in_site(str_c(f->site[i])) ? base_of(f->site[i]) : str_c(f->site[i]), err));
    }
    return rest ? judge_site(f, SITE_DOCUMENTS, str_c(f->root), err) : OK;
}

pap_result checker_folder(struct checker *c, const char *path, struct pap_err *err)
{
    struct folder f = {.c = c, .root = path};
    arena_init(&f.arena, c->o->alloc);
    pap_result r = folder_walk(path, FOLDER_DEPTH, meet, &f, err);
    if (is_ok(r) && (f.n_site || !(f.n_skills || f.n_unread)))
        r = judge_sites(&f, err);
    arena_fini(&f.arena);
    return r;
}
