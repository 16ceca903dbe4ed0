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
    size_t n_site, n_skills, n_refused;
    bool too_many;
};

static pap_result judge_skill(struct folder *f, const char *path, struct pap_err *err)
{
    struct slot *s = checker_take_slot(f->c, str_c(path));
    if (!s)
        return fail_memory(err);
    f->n_skills++;
    f->c->total++;
    TRY(slot_add_file(s, path, KIND_SKILL, NULL, err));
    TRY(checker_judge(f->c, s, err));
    return checker_report(f->c, s, err);
}

/* A folder may come from strangers (a pull request); what a link in it leads to outside of it is not shown in a report. */
static pap_result refuse_link(struct folder *f, const char *path, struct pap_err *err)
{
    struct slot *s = checker_take_slot(f->c, str_c(path));
    if (!s)
        return fail_memory(err);
    f->c->total++;
    f->n_refused++;
    s->failure = arena_fmt(&s->arena, "%s is a link that leads out of %s; it was not read: check the file itself", path,
                           f->root);
    s->done = true;
    return s->failure.p ? checker_report(f->c, s, err) : fail_memory(err);
}

static bool in_site(struct pap_str path)
{
    return str_find(path, S("/.well-known/")) < path.n;
}

static pap_result meet(void *ctx, const char *path, bool link, struct pap_err *err)
{
    struct folder *f = ctx;
    struct pap_str p = str_c(path), name = str_skip(p, str_rfind_char(p, '/') + 1);
    enum kind kind = kind_of_path(p);
    if (kind != KIND_NONE && link && !file_is_below(path, f->root))
        return refuse_link(f, path, err);
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

/* The folder that a site document's URLs are looked up in. */
static const char *root_of(struct folder *f, const char *path)
{
    return in_site(str_c(path)) ? NULL : f->root; /* NULL: what stands before /.well-known/ */
}

static pap_result judge_site(struct folder *f, struct pap_err *err)
{
    struct slot *s = checker_take_slot(f->c, str_c(f->root));
    if (!s)
        return fail_memory(err);
    f->c->total++;
    for (size_t i = 0; i < f->n_site; i++) {
        TRY(slot_add_file(s, f->site[i], KIND_NONE, root_of(f, f->site[i]), err));
        if (s->failure.p && s->bundle.n_docs == 0 && i + 1 < f->n_site)
            s->failure = str(NULL, 0); /* one unreadable file does not stop the others */
    }
    if (f->n_site == 0) {
        /* No document at all: a skill's folder without its file is what this most often is. */
        struct doc d = {.kind = KIND_SKILL, .name = s->target};
        if (!bundle_add(&s->bundle, &s->arena, d))
            return fail_memory(err);
    }
    if (f->too_many)
        s->failure =
            arena_fmt(&s->arena, "more than %d documents of a site in one folder; check them in parts", SITE_DOCUMENTS);
    TRY(checker_judge(f->c, s, err));
    return checker_report(f->c, s, err);
}

pap_result checker_folder(struct checker *c, const char *path, struct pap_err *err)
{
    struct folder f = {.c = c, .root = path};
    arena_init(&f.arena, c->o->alloc);
    pap_result r = folder_walk(path, FOLDER_DEPTH, meet, &f, err);
    if (is_ok(r) && (f.n_site || !(f.n_skills || f.n_refused)))
        r = judge_site(&f, err);
    arena_fini(&f.arena);
    return r;
}
