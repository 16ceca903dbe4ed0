/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree on disk. Everything is written aside first, on the same file system, and then renamed: artifacts, then the
 * index, then poppy.json. Whenever the process dies, each file is the old or the new one, and whatever an old or a new
 * index names is there: artifacts never change, and those that an old index or poppy.json named stay.
 */
#include "base/limits.h"
#include "publish/project.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/stage.h"

enum { KEEP_DAYS = 30, DAY = 24 * 60 * 60 };

static pap_result path_in(struct project *p, const char *below, const char **ret, struct pap_err *err)
{
    *ret = arena_fmt(&p->arena, "%s/%s", p->out, below).p;
    return *ret ? OK : fail_memory(err);
}

/* Who waits long for another one is told why. */
static pap_result tell_wait(struct project *p, struct pap_err *err)
{
    enum { LOOKS = 10, STEP_MS = 50 };
    for (unsigned i = 0; folder_is_locked(p->out); i++) {
        if (i < LOOKS) {
            clock_sleep_ms(STEP_MS);
            continue;
        }
        struct pap_str path = shown(&p->arena, str_c(p->out));
        if (!path.p)
            return fail_memory(err);
        if (p->o->event)
            p->o->event(p->o->ctx, &(struct pap_publish_event){.what = PAP_PUBLISH_WAIT, .path = path});
        return OK;
    }
    return OK;
}

pap_result store_open(struct project *p, int *ret_lock, struct pap_err *err)
{
    const char *staging;
    if (!project_writes(p))
        return legacy_open(p, err);
    TRY(tell_wait(p, err));
    TRY(folder_make_locked(p->out, &p->out_made, ret_lock, err));
    TRY(path_in(p, STAGING_FOLDER, &staging, err));
    TRY(stage_clear(staging, err));
    return legacy_open(p, err);
}

/* A failure behind the index must not read as if nothing was public. What went wrong stands last: it may be cut. */
static pap_result say_public(const struct project *p, pap_result r, struct pap_err *err)
{
    struct pap_err cause;
    if (is_ok(r) || !p->public_now || !err)
        return r;
    cause = *err;
    return fail(err, r.code, "%s; mend this and run papaver publish again: %s", p->public_now, cause.text);
}

pap_result store_close(struct project *p, struct pap_err *err)
{
    const char *staging;
    if (!project_writes(p))
        return OK;
    TRY(path_in(p, STAGING_FOLDER, &staging, err));
    TRY(say_public(p, stage_clear(staging, err), err));
    if (p->out_made) /* what is in it by now is somebody's; and a refusal stays one if it cannot go */
        (void)is_ok(folder_remove_empty(p->out, p->out_made, NULL));
    return OK;
}

/* The folder is there only while something lies in it, so that a run without changes writes nothing at all. */
pap_result store_aside(const struct project *p, struct arena *scratch, const char *name, struct pap_str bytes,
                       bool *ret_there, struct pap_err *err)
{
    struct pap_str folder = arena_fmt(scratch, "%s/" STAGING_FOLDER, p->out);
    struct pap_str path = arena_fmt(scratch, "%s/" STAGING_FOLDER "/%s", p->out, name);
    if (!folder.p || !path.p)
        return fail_memory(err);
    TRY(folder_make_real(folder.p, err));
    return stage_write(path.p, bytes, ret_there, err);
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
static pap_result tell_artifact(struct project *p, const struct artifact *a, enum pap_publish_state state,
                                struct pap_err *err)
{
    struct pap_str name = artifact_file(&p->arena, a);
    struct pap_str below = arena_fmt(&p->arena, ARTIFACTS_FOLDER "/%.*s", PSTR(name));
    if (!name.p || !below.p)
        return fail_memory(err);
    if (state != PAP_PUBLISH_SAME)
        tell_output(p, PAP_PUBLISH_OUTPUT, state, below.p, a->bytes);
    return OK;
}

static pap_result tell_artifacts(struct project *p, struct pap_err *err)
{
    for (size_t i = 0; i < p->n_skills; i++) {
        const struct skill *s = &p->skills[i];
        TRY(tell_artifact(p, &s->artifact, s->artifact_state, err));
        for (size_t k = 0; k < s->n_releases; k++)
            if (!s->releases[k].current)
                TRY(tell_artifact(p, &s->releases[k].artifact, s->releases[k].artifact_state, err));
    }
    return OK;
}

/* ---- old artifacts ---- */

static pap_result add_name(struct project *p, struct names *names, const struct artifact *a)
{
    struct pap_str name = artifact_file(&p->arena, a);
    return name.p ? names_add(&p->arena, names, name) : fail_memory(NULL);
}

static pap_result names_now(struct project *p, struct names *ret)
{
    *ret = (struct names){0};
    for (size_t i = 0; i < p->n_skills; i++) {
        TRY(add_name(p, ret, &p->skills[i].artifact));
        for (size_t k = 0; k < p->skills[i].n_releases; k++)
            TRY(add_name(p, ret, &p->skills[i].releases[k].artifact));
    }
    names_sort(ret);
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

typedef pap_result old_fn(struct project *p, struct pap_str name, const char *path, struct pap_err *err);

/* The artifacts in the tree that the new index does not name. */
static pap_result each_old(struct project *p, old_fn *each, struct pap_err *err)
{
    const char *folder;
    struct names now;
    struct tree t;
    TRY(path_in(p, ARTIFACTS_FOLDER, &folder, err));
    if (file_type_of(folder) == FILE_NONE)
        return OK;
    if (!is_ok(names_now(p, &now)))
        return fail_memory(err);
    TRY(tree_names(&p->arena, folder, LIMIT_WALK_FILES, &t, err));
    for (size_t i = 0; i < t.n; i++) {
        struct pap_str name = t.entries[i].path, path = arena_fmt(&p->arena, "%s/%.*s", folder, PSTR(name));
        if (!path.p)
            return fail_memory(err);
        if (is_artifact_name(name) && !names_have(&now, name))
            TRY(each(p, name, path.p, err));
    }
    return OK;
}

static bool names_it(struct pap_str document, struct pap_str name)
{
    return document.p && str_find(document, name) < document.n;
}

/* What this run is about to replace. */
static bool was_named(const struct project *p, struct pap_str name)
{
    return names_it(p->old_index, name) || names_it(p->poppy_old, name);
}

/* The time of last change of an artifact that nothing names is when the last document that named it was replaced. It is set
 * before, so that it is right whenever the process dies. */
static pap_result stamp(struct project *p, struct pap_str name, const char *path, struct pap_err *err)
{
    (void)err;
    if (was_named(p, name))
        (void)file_set_time(path, p->now); /* at worst it goes earlier or later than wanted */
    return OK;
}

static pap_result expire(struct project *p, struct pap_str name, const char *path, struct pap_err *err)
{
    int64_t keep = (int64_t)(p->o->keep_days ? p->o->keep_days : KEEP_DAYS) * DAY, time;
    /* The age first: whether a document names it costs a walk through that document. */
    if (!file_time(path, &time) || time + keep > p->now || was_named(p, name) || names_it(p->poppy_there, name))
        return OK;
    tell_output(p, PAP_PUBLISH_EXPIRED, PAP_PUBLISH_GONE, path + strlen(p->out) + 1, 0);
    return stage_remove(path, err);
}

/* A poppy.json of the tree may have been written by another run, or have been left behind by one that was killed. */
static pap_result expire_old(struct project *p, struct pap_err *err)
{
    const char *poppy;
    TRY(path_in(p, ".well-known/poppy.json", &poppy, err));
    if (file_type_of(poppy) != FILE_NONE &&
        !is_ok(file_read(&p->arena, poppy, LIMIT_DOCUMENT, &p->poppy_there, NULL, NULL)))
        return OK; /* who knows what it names */
    return each_old(p, expire, err);
}

/* ---- all of it ---- */

static enum pap_publish_state state_of(struct pap_str old, struct pap_str new)
{
    return !old.p ? PAP_PUBLISH_NEW : str_eq(old, new) ? PAP_PUBLISH_SAME : PAP_PUBLISH_CHANGED;
}

/* *ret_any: something lies aside, which is on the disk by now. */
static pap_result write_aside(struct project *p, bool index, bool *ret_any, struct pap_err *err)
{
    const char *staging;
    TRY(path_in(p, STAGING_FOLDER, &staging, err));
    if (index)
        TRY(store_aside(p, &p->arena, "index.json", p->index, NULL, err));
    TRY(legacy_aside(p, err));
    *ret_any = file_type_of(staging) == FILE_FOLDER;
    return *ret_any ? stage_sync(staging, err) : OK;
}

static pap_result move_index(struct project *p, struct pap_err *err)
{
    const char *from, *to, *folder;
    TRY(path_in(p, STAGING_FOLDER "/index.json", &from, err));
    TRY(path_in(p, INDEX_PATH_BELOW, &to, err));
    TRY(path_in(p, INDEX_FOLDER, &folder, err));
    TRY(stage_move(from, to, err));
    p->public_now = "the new index is public";
    return folder_sync(folder, err);
}

static pap_result move_poppy(struct project *p, struct pap_err *err)
{
    const char *index = p->public_now;
    if (index)
        p->public_now = "the new index is public, and poppy.json may still be the old one, which stays right";
    TRY(file_replace(p->o->poppy, p->poppy_old, p->poppy_new,
                     err)); /* people edit it, while this run goes on as well */
    p->public_now = index ? "the new index and poppy.json are public" : "the new poppy.json is public";
    return OK;
}

static pap_result commit(struct project *p, struct pap_err *err)
{
    enum pap_publish_state index = state_of(p->old_index, p->index);
    enum pap_publish_state poppy = p->poppy_new.p ? state_of(p->poppy_old, p->poppy_new) : PAP_PUBLISH_SAME;
    bool writes = project_writes(p), any = false;
    if (writes)
        TRY(write_aside(p, index != PAP_PUBLISH_SAME, &any, err));
    else
        TRY(tell_artifacts(p, err));
    if (any)
        TRY(move_artifacts(p, err));
    if (writes && (index != PAP_PUBLISH_SAME || poppy != PAP_PUBLISH_SAME))
        TRY(each_old(p, stamp, err));
    if (index != PAP_PUBLISH_SAME) {
        if (writes)
            TRY(move_index(p, err));
        tell_output(p, PAP_PUBLISH_OUTPUT, index, INDEX_PATH_BELOW, p->index.n);
    }
    if (poppy != PAP_PUBLISH_SAME) {
        if (writes)
            TRY(move_poppy(p, err));
        tell_output(p, PAP_PUBLISH_OUTPUT, poppy, p->o->poppy, p->poppy_new.n);
    }
    TRY(legacy_commit(p, err));
    return writes ? expire_old(p, err) : OK;
}

pap_result store_commit(struct project *p, struct pap_err *err)
{
    return say_public(p, commit(p, err), err);
}
