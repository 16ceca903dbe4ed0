/* SPDX-License-Identifier: Apache-2.0
 *
 * From a verified skill to what a lock says of it.
 */
#include "skills/installing.h"
#include "skills/origin.h"
#include "skills/skill.h"
#include "sys/stage.h"

static pap_result no_memory(struct pap_skill_err *err)
{
    return install_tell(fail_memory(NULL), NULL, err);
}

static pap_result read_bytes(void *ctx, const char *path, struct pap_str *ret, struct pap_skill_err *err)
{
    return pap_skill_read(ctx, path, false, ret, err);
}

static void free_bytes(void *ctx, struct pap_str bytes)
{
    pap_skill_bytes_free(ctx, bytes);
}

pap_result install_judge_paths(const struct pap_skill *skill, struct pap_skill_err *err)
{
    struct pap_skill_facts facts;
    pap_skill_facts(skill, &facts);
    for (size_t i = 0; i < facts.files; i++) {
        struct pap_skill_file f;
        pap_skill_file_at(skill, i, &f);
        const char *why = lock_path_fault(f.path);
        if (!why)
            continue;
        (void)refuse(err, SKILL_ARCHIVE_UNSAFE, "the path \"%.*s\" %s, so that the skill is not written to a disk",
                     PSTR(str_take(f.path, LIMIT_QUOTE)), why);
        err_set(err, SKILL_KEY_PATH, f.path);
        return (pap_result){PAP_REFUSED};
    }
    return OK;
}

static pap_result lock_files(struct arena *a, const struct pap_skill *skill, size_t n, struct lock_skill *s,
                             struct pap_skill_err *err)
{
    s->files = arena_new_array(a, n, struct lock_file);
    if (!s->files)
        return no_memory(err);
    for (; s->n_files < n; s->n_files++) {
        struct pap_skill_file f;
        struct lock_file *to = &s->files[s->n_files];
        pap_skill_file_at(skill, s->n_files, &f);
        *to = (struct lock_file){
            .path = arena_str(a, f.path), .digest = arena_str(a, f.digest), .size = f.size, .executable = f.executable};
        if (!to->path.p || !to->digest.p)
            return no_memory(err);
    }
    return OK;
}

/* What stands behind `root` and a slash, or all of it. */
static struct pap_str below(struct pap_str url, struct pap_str root)
{
    while (root.n && root.p[root.n - 1] == '/')
        root.n--;
    if (!root.n || !str_starts(url, root) || url.n <= root.n || url.p[root.n] != '/')
        return url;
    url = str_skip(url, root.n);
    while (url.n && url.p[0] == '/')
        url = str_skip(url, 1);
    return url;
}

/* Of a folder, the path in it: where the folder lies is no business of a lock. */
static struct pap_str lock_url(struct arena *a, struct pap_str place, struct pap_str url)
{
    const char *folder = arena_cstr(a, place);
    struct pap_str root = folder && origin_is_folder(place) ? path_real(a, folder) : S("");
    return folder && root.p ? arena_str(a, root.n ? below(below(url, place), root) : url) : str(NULL, 0);
}

pap_result pap_install_plan_add(struct pap_install *in, const struct pap_install_add *add, struct pap_skill_err *err)
{
    static const char *const none[] = {NULL};
    struct arena *a = &in->arena;
    struct pap_skill_facts f;
    struct lock_skill *s = arena_new(a, struct lock_skill);
    struct install_source from = {(void *)(uintptr_t)add->skill, read_bytes, free_bytes, add->skill->led_to};
    if (!s)
        return no_memory(err);
    pap_skill_facts(add->skill, &f);
    *s = (struct lock_skill){.name = arena_str(a, f.release.name),
                             .origin = install_place_to_lock(in, f.place, lock_find(&in->lock, f.release.name)),
                             .scope = arena_str(a, f.scope),
                             .range = arena_str(a, add->range ? str_c(add->range) : S("")),
                             .version = arena_str(a, f.release.version),
                             .type = arena_str(a, f.release.type),
                             .url = lock_url(a, f.place, f.release.url),
                             .digest = arena_str(a, f.release.digest),
                             .index = add->index,
                             .agent_names = none,
                             .artifact_hosts = none};
    if (!s->name.p || !s->origin.p || !s->scope.p || !s->range.p || !s->version.p || !s->type.p || !s->url.p ||
        !s->digest.p)
        return no_memory(err);
    TRY(install_judge_paths(add->skill, err));
    TRY(lock_files(a, add->skill, f.files, s, err));
    return install_plan(in, add, s, &from, err);
}
