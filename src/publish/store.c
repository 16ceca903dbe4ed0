/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree on disk. Everything is written aside first, on the same file system, and then renamed: artifacts, then the
 * index, then poppy.json. Whenever the process dies, each file is the old or the new one, and whatever an old or a new
 * index names is there: artifacts never change, and those that the old index named stay.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "publish/project.h"
#include "sys/file.h"
#include "sys/stage.h"

enum { KEEP_DAYS = 30, DAY = 24 * 60 * 60 };

static pap_result path_in(struct project *p, const char *below, const char **ret, struct pap_err *err)
{
    *ret = arena_fmt(&p->arena, "%s/%s", p->out, below).p;
    return *ret ? OK : fail_memory(err);
}

pap_result store_open(struct project *p, int *ret_lock, struct pap_err *err)
{
    const char *staging;
    if (!project_writes(p))
        return OK;
    p->out_is_new = file_type_of(p->out) == FILE_NONE;
    TRY(folder_make(p->out, err));
    TRY(folder_lock(p->out, ret_lock, err));
    TRY(path_in(p, STAGING_FOLDER, &staging, err));
    TRY(stage_clear(staging, err));
    return folder_make_real(staging, err);
}

pap_result store_close(struct project *p, struct pap_err *err)
{
    const char *staging;
    if (!project_writes(p))
        return OK;
    TRY(path_in(p, STAGING_FOLDER, &staging, err));
    TRY(stage_clear(staging, err));
    return p->out_is_new && !p->commits ? stage_clear(p->out, err) : OK;
}

void tell_output(struct project *p, enum pap_publish_what what, enum pap_publish_state state, const char *path,
                 uint64_t bytes)
{
    p->counts.written++;
    if (p->o->event)
        p->o->event(p->o->ctx,
                    &(struct pap_publish_event){.what = what, .state = state, .path = str_c(path), .bytes = bytes});
}

/* ---- artifacts ---- */

/* Renames what is in the staging folder; names are digests, so that the order does not matter. */
static pap_result move_artifact(struct project *p, const struct artifact *a, struct pap_err *err)
{
    struct pap_str name = artifact_file(&p->arena, a);
    struct pap_str from = arena_fmt(&p->arena, "%s/" STAGING_FOLDER "/%.*s", p->out, PSTR(name));
    struct pap_str below = arena_fmt(&p->arena, ARTIFACTS_FOLDER "/%.*s", PSTR(name));
    struct pap_str to = arena_fmt(&p->arena, "%s/%.*s", p->out, PSTR(below));
    int64_t time;
    if (!name.p || !from.p || !below.p || !to.p)
        return fail_memory(err);
    if (!file_time(from.p, &time))
        return OK; /* the tree has it, or an equal one was moved before */
    tell_output(p, PAP_PUBLISH_OUTPUT, file_time(to.p, &time) ? PAP_PUBLISH_CHANGED : PAP_PUBLISH_NEW, below.p,
                a->bytes);
    return stage_move(from.p, to.p, err);
}

static pap_result move_artifacts(struct project *p, struct pap_err *err)
{
    static const char *const folders[] = {".well-known", INDEX_FOLDER, ARTIFACTS_FOLDER};
    const char *path;
    for (size_t i = 0; i < 3; i++) {
        TRY(path_in(p, folders[i], &path, err));
        TRY(folder_make_real(path, err));
    }
    for (size_t i = 0; i < p->n_skills; i++) {
        const struct skill *s = &p->skills[i];
        if (s->artifact_state != PAP_PUBLISH_SAME)
            TRY(move_artifact(p, &s->artifact, err));
        for (size_t k = 0; k < s->n_releases; k++)
            TRY(move_artifact(p, &s->releases[k].artifact, err));
    }
    return folder_sync(path, err);
}

/* The same for a run that writes nothing. */
static pap_result tell_artifacts(struct project *p, struct pap_err *err)
{
    for (size_t i = 0; i < p->n_skills; i++) {
        const struct skill *s = &p->skills[i];
        struct pap_str name = artifact_file(&p->arena, &s->artifact);
        struct pap_str below = arena_fmt(&p->arena, ARTIFACTS_FOLDER "/%.*s", PSTR(name));
        if (!name.p || !below.p)
            return fail_memory(err);
        if (s->artifact_state != PAP_PUBLISH_SAME)
            tell_output(p, PAP_PUBLISH_OUTPUT, s->artifact_state, below.p, s->artifact.bytes);
    }
    return OK;
}

/* ---- old artifacts ---- */

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const struct pap_str *)a, *(const struct pap_str *)b);
}

struct names {
    struct pap_str *at;
    size_t n;
};

static bool has_name(const struct names *names, struct pap_str name)
{
    return names->n && bsearch(&name, names->at, names->n, sizeof name, by_text);
}

static pap_result add_name(struct project *p, struct names *names, const struct artifact *a)
{
    names->at[names->n] = artifact_file(&p->arena, a);
    return names->at[names->n++].p ? OK : fail_memory(NULL);
}

static pap_result names_now(struct project *p, struct names *ret)
{
    size_t most = p->n_skills;
    for (size_t i = 0; i < p->n_skills; i++)
        most += p->skills[i].n_releases;
    *ret = (struct names){.at = arena_new_array(&p->arena, most, struct pap_str)};
    if (!ret->at)
        return fail_memory(NULL);
    for (size_t i = 0; i < p->n_skills; i++) {
        TRY(add_name(p, ret, &p->skills[i].artifact));
        for (size_t k = 0; k < p->skills[i].n_releases; k++)
            TRY(add_name(p, ret, &p->skills[i].releases[k].artifact));
    }
    if (ret->n)
        qsort(ret->at, ret->n, sizeof *ret->at, by_text);
    return OK;
}

/* Files that a publisher named: nothing else in the folder is touched. */
static bool is_artifact_name(struct pap_str name)
{
    static const char *const suffixes[] = {".md", ".tar.gz", ".zip"};
    struct pap_str rest = str_skip(name, 7 + 64);
    bool good = str_starts(name, S("sha256-")) && name.n > 7 + 64;
    for (size_t i = 7; good && i < 7 + 64; i++)
        good = ascii_is_digit(name.p[i]) || (name.p[i] >= 'a' && name.p[i] <= 'f');
    for (size_t i = 0; good && i < 3; i++)
        if (str_is(rest, suffixes[i]))
            return true;
    return false;
}

/* The time of last change of an artifact that nothing names is when the last index that named it was replaced. */
static pap_result expire(struct project *p, const struct names *now, const char *folder, const char *name,
                         struct pap_err *err)
{
    struct pap_str path = arena_fmt(&p->arena, "%s/%s", folder, name);
    struct pap_str below = arena_fmt(&p->arena, ARTIFACTS_FOLDER "/%s", name);
    int64_t keep = (int64_t)(p->o->keep_days ? p->o->keep_days : KEEP_DAYS) * DAY, time;
    if (!path.p || !below.p)
        return fail_memory(err);
    if (!is_artifact_name(str_c(name)) || has_name(now, str_c(name)) || !file_time(path.p, &time))
        return OK;
    if (p->old_index.p && str_find(p->old_index, str_c(name)) < p->old_index.n) {
        (void)file_set_time(path.p, p->now); /* at worst it goes earlier or later than wanted */
        return OK;
    }
    if (time + keep > p->now)
        return OK;
    tell_output(p, PAP_PUBLISH_EXPIRED, PAP_PUBLISH_GONE, below.p, 0);
    return stage_remove(path.p, err);
}

static pap_result expire_old(struct project *p, struct pap_err *err)
{
    const char *folder;
    struct names now;
    struct tree t;
    TRY(path_in(p, ARTIFACTS_FOLDER, &folder, err));
    if (!is_ok(names_now(p, &now)))
        return fail_memory(err);
    TRY(tree_names(&p->arena, folder, LIMIT_WALK_FILES, &t, err));
    for (size_t i = 0; i < t.n; i++)
        TRY(expire(p, &now, folder, t.entries[i].path.p, err));
    return OK;
}

/* ---- all of it ---- */

static enum pap_publish_state state_of(struct pap_str old, struct pap_str new)
{
    return !old.p ? PAP_PUBLISH_NEW : str_eq(old, new) ? PAP_PUBLISH_SAME : PAP_PUBLISH_CHANGED;
}

static pap_result write_aside(struct project *p, struct pap_err *err)
{
    const char *index, *staging;
    TRY(path_in(p, STAGING_FOLDER "/index.json", &index, err));
    TRY(path_in(p, STAGING_FOLDER, &staging, err));
    TRY(stage_write(index, p->index, NULL, err));
    if (p->legacy.p) {
        TRY(path_in(p, STAGING_FOLDER "/legacy.json", &index, err));
        TRY(stage_write(index, p->legacy, NULL, err));
    }
    return stage_sync(staging, err);
}

static pap_result move_index(struct project *p, struct pap_err *err)
{
    const char *from, *to, *folder;
    TRY(path_in(p, STAGING_FOLDER "/index.json", &from, err));
    TRY(path_in(p, INDEX_PATH_BELOW, &to, err));
    TRY(path_in(p, INDEX_FOLDER, &folder, err));
    TRY(stage_move(from, to, err));
    return folder_sync(folder, err);
}

pap_result store_commit(struct project *p, struct pap_err *err)
{
    enum pap_publish_state index = state_of(p->old_index, p->index);
    enum pap_publish_state poppy = p->poppy_new.p ? state_of(p->poppy_old, p->poppy_new) : PAP_PUBLISH_SAME;
    bool writes = project_writes(p);
    p->commits = true;
    if (writes && (index != PAP_PUBLISH_SAME || p->legacy.p))
        TRY(write_aside(p, err));
    TRY(writes ? move_artifacts(p, err) : tell_artifacts(p, err));
    if (index != PAP_PUBLISH_SAME) {
        if (writes)
            TRY(move_index(p, err));
        tell_output(p, PAP_PUBLISH_OUTPUT, index, INDEX_PATH_BELOW, p->index.n);
    }
    if (poppy != PAP_PUBLISH_SAME) {
        if (writes)
            TRY(file_write_atomic(p->o->poppy, p->poppy_new, err));
        tell_output(p, PAP_PUBLISH_OUTPUT, poppy, p->o->poppy, p->poppy_new.n);
    }
    TRY(legacy_commit(p, err));
    return writes ? expire_old(p, err) : OK;
}
