/* SPDX-License-Identifier: Apache-2.0 */
#include "app/source.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/stage.h"

static bool has(const char *folder, const char *below)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s", folder, below);
    return n > 0 && (size_t)n < sizeof path && file_type_of(path) == FILE_FOLDER;
}

static const struct pap_publish_options usual;

static const struct pap_publish_options *settings(const struct pap_serve_site *site)
{
    return site->publish ? site->publish : &usual;
}

static const char *const *roots_of(const struct pap_serve_site *site)
{
    static const char *const skills[] = {"skills", NULL};
    const struct pap_publish_options *o = settings(site);
    return o->roots && o->roots[0] ? o->roots : skills;
}

static bool has_root(const struct source *s)
{
    for (const char *const *root = roots_of(s->site); *root; root++)
        if (has(s->folder, *root))
            return true;
    return false;
}

/* Of a project the folders of skills, and poppy.json, which is not named from the folder but from here. */
static pap_result list_watched(struct source *s, struct arena *a, struct pap_err *err)
{
    static const char *const tree[] = {".well-known", NULL};
    const char *const *roots = roots_of(s->site), *poppy = settings(s->site)->poppy;
    size_t n = 0;
    s->watched = tree;
    if (!s->is_project)
        return OK;
    while (roots[n])
        n++;
    const char **watched = arena_new_array(a, n + 2, const char *);
    if (!watched)
        return fail_memory(err);
    memcpy(watched, roots, n * sizeof *roots);
    if (poppy && !(watched[n] = arena_fmt(a, "%s%s", poppy[0] == '/' ? "" : "./", poppy).p))
        return fail_memory(err);
    s->watched = watched;
    return OK;
}

pap_result source_init(struct source *s, struct arena *a, const struct pap_serve_options *o,
                       const struct pap_serve_site *site, const struct access *access, struct pap_err *err)
{
    const char *tree = settings(site)->out ? settings(site)->out : "dist";
    const char *folder = site->folder ? site->folder : has(tree, ".well-known") ? tree : ".";
    *s = (struct source){.o = o, .site = site, .access = access, .folder = folder};
    s->is_project = !has(folder, ".well-known") && has_root(s);
    return list_watched(s, a, err);
}

static pap_result load(const struct source *s, const char *folder, const struct generation *before,
                       struct generation **ret, struct pap_err *err)
{
    struct generation_options o = {
        .alloc = s->o->alloc,
        .max_age = s->o->max_age ? s->o->max_age : 300,
        .now = clock_system.unix_seconds(&clock_system),
        .domain = s->site->domain,
        .aliases = s->site->aliases,
        .access = s->access,
        .before = before,
        .finding = s->o->finding,
        .ctx = s->o->ctx,
    };
    return generation_load(folder, &o, ret, err);
}

/* A copy of poppy.json in the tree, for the index to be written into. */
static pap_result copy_poppy(struct arena *a, const char *from, const char *out, const char **ret, struct pap_err *err)
{
    struct pap_str bytes, folder = arena_fmt(a, "%s/.well-known", out),
                          to = arena_fmt(a, "%s/.well-known/poppy.json", out);
    if (!folder.p || !to.p)
        return fail_memory(err);
    TRY(file_read(a, from, LIMIT_DOCUMENT, &bytes, NULL, err));
    TRY(folder_make(folder.p, err));
    *ret = to.p;
    return file_write_atomic(to.p, bytes, err);
}

static pap_result publish(const struct source *s, struct arena *a, const char *out, struct pap_err *err)
{
    struct pap_publish_options o = *settings(s->site);
    struct pap_publish_counts counts = {0};
    int status = 1;
    o.mode = PAP_PUBLISH_WRITE;
    o.folder = s->folder;
    o.out = out;
    o.memory = NULL;
    o.finding = s->o->finding;
    o.event = NULL;
    o.progress = NULL;
    o.ctx = s->o->ctx;
    if (o.poppy)
        TRY(copy_poppy(a, o.poppy, out, &o.poppy, err));
    TRY(pap_publish(&o, &counts, &status, err));
    return status == 0 ? OK
                       : fail(err, PAP_SYNTAX, "%llu error%s in the skills of %s", (unsigned long long)counts.errors,
                              counts.errors == 1 ? "" : "s", s->folder);
}

static pap_result load_project(const struct source *s, const struct generation *before, struct generation **ret,
                               struct pap_err *err)
{
    char folder[64];
    struct arena a;
    TRY(folder_temporary(folder, err));
    arena_init(&a, s->o->alloc);
    pap_result r = publish(s, &a, folder, err);
    arena_fini(&a);
    if (is_ok(r))
        r = load(s, folder, before, ret, err);
    pap_result tidy = folder_remove(folder, is_ok(r) ? err : NULL);
    if (is_ok(r) && !is_ok(tidy))
        generation_drop(*ret);
    return is_ok(r) ? tidy : r;
}

pap_result source_load(const struct source *s, const struct generation *before, struct generation **ret,
                       struct pap_err *err)
{
    if (s->is_project)
        return load_project(s, before, ret, err);
    if (!before && file_type_of(s->folder) == FILE_FOLDER && !has(s->folder, ".well-known"))
        return fail(
            err, PAP_IO,
            "there is nothing to serve in %s: neither a tree (a folder .well-known; papaver publish writes one to "
            "dist) nor skills to publish (a folder %s; papaver skill new NAME begins one)",
            s->folder, roots_of(s->site)[0]);
    return load(s, s->folder, NULL, ret, err);
}
