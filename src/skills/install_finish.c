/* SPDX-License-Identifier: Apache-2.0
 *
 * From a decided change to the lock: every step may have been done before, by a process that was killed.
 */
#include "skills/installing.h"

struct finishing {
    struct pap_install *in;
    struct arena *a;
    struct lock before, after;
    struct pap_str before_text, after_text;
    pap_install_state_fn *kept;
    void *ctx;
    bool only_tell; /* take nothing away */
    struct pap_skill_err *err;
};

static pap_result no_memory(struct finishing *f)
{
    return install_tell(fail_memory(NULL), NULL, f->err);
}

static void keep(struct finishing *f, const char *path, enum pap_install_state state)
{
    if (f->kept)
        f->kept(f->ctx, str_c(path), state);
}

static pap_result in_the_way(struct finishing *f, const char *path)
{
    (void)refuse(f->err, SKILL_LOCK_MISMATCH,
                 "%s is in the way, and it is not the lock's: move it away, then run this again", path);
    err_set(f->err, SKILL_KEY_PATH, str_c(path));
    return (pap_result){PAP_REFUSED};
}

/* ---- taking away ---- */

/* Folders that are empty go, the innermost first; the others are told. More than can be listed is somebody else's, and stays as
 * it is: a change that was decided has to come to its end. */
static pap_result remove_folders(struct finishing *f, const char *path, const struct lock_skill *told, bool *ret_gone)
{
    struct tree t;
    enum file_type type;
    bool all;
    *ret_gone = false;
    TRY(install_list(f->in, f->a, path, &t, &all, f->err));
    if (!all) {
        keep(f, path, PAP_INSTALL_FOREIGN);
        return OK;
    }
    for (size_t i = t.n; i; i--) {
        const struct tree_entry *e = &t.entries[i - 1];
        const char *full = arena_fmt(f->a, "%s/%s", path, e->path.p).p;
        if (!full)
            return no_memory(f);
        if (e->type == TREE_FOLDER && f->only_tell)
            continue;
        if (e->type == TREE_FOLDER)
            TRY_OURS(f->err, beneath_remove_empty(f->in->root, full, &why));
        else if (!lock_file_find(told, e->path))
            keep(f, full, PAP_INSTALL_FOREIGN);
    }
    if (!f->only_tell)
        TRY_OURS(f->err, beneath_remove_empty(f->in->root, path, &why));
    TRY_OURS(f->err, beneath_type(f->in->root, path, &type, &why));
    *ret_gone = type == FILE_NONE;
    return OK;
}

/* Whether what a file of the lock stands in are folders still; what is none is told with what is nobody's. */
static pap_result is_in_folders(struct finishing *f, const char *folder, struct pap_str path, bool *ret)
{
    enum file_type type = FILE_FOLDER;
    for (size_t i = 0; i < path.n && type == FILE_FOLDER; i++) {
        if (path.p[i] != '/')
            continue;
        const char *above = arena_fmt(f->a, "%s/%.*s", folder, PSTR(str_take(path, i))).p;
        if (!above)
            return no_memory(f);
        TRY_OURS(f->err, beneath_type(f->in->root, above, &type, &why));
    }
    *ret = type == FILE_FOLDER;
    return OK;
}

/* The file goes if it is still that one. */
static pap_result remove_file(struct finishing *f, const char *folder, const struct lock_file *file, bool tell)
{
    bool is = false;
    enum file_type type;
    const char *path = arena_fmt(f->a, "%s/%s", folder, file->path.p).p;
    if (!path)
        return no_memory(f);
    TRY(is_in_folders(f, folder, file->path, &is));
    if (!is)
        return OK;
    TRY_OURS(f->err, beneath_type(f->in->root, path, &type, &why));
    if (type == FILE_NONE)
        return OK;
    is = false;
    if (type == FILE_REGULAR)
        TRY(install_file_is(f->in, path, file, &is, f->err));
    if (is && !f->only_tell)
        TRY_OURS(f->err, beneath_remove(f->in->root, path, &why));
    else if (!is && tell)
        keep(f, path, PAP_INSTALL_CHANGED);
    return OK;
}

/* SKILL.md first: without it no agent takes the folder for a skill. */
static pap_result remove_files(struct finishing *f, const char *folder, const struct lock_skill *s, bool tell)
{
    const struct lock_file *first = lock_file_find(s, S("SKILL.md"));
    enum file_type type;
    TRY_OURS(f->err, beneath_type(f->in->root, folder, &type, &why));
    if (type != FILE_FOLDER)
        return OK;
    TRY(remove_file(f, folder, first, tell));
    for (size_t i = 0; i < s->n_files; i++)
        if (&s->files[i] != first)
            TRY(remove_file(f, folder, &s->files[i], tell));
    return OK;
}

static pap_result take_away(struct finishing *f, const struct install_place *place, const struct lock_skill *s)
{
    struct install_look look = {.type = FILE_NONE};
    bool gone;
    if (place->target) {
        TRY(install_look_link(f->in, f->a, place, &look, f->err));
        if (look.whole && !f->only_tell)
            TRY_OURS(f->err, beneath_remove(f->in->root, place->path, &why));
        else if (!look.whole && look.type != FILE_NONE)
            keep(f, place->path, PAP_INSTALL_FOREIGN);
        return OK;
    }
    TRY_OURS(f->err, beneath_type(f->in->root, place->path, &look.type, &why));
    if (look.type != FILE_FOLDER) {
        if (look.type != FILE_NONE)
            keep(f, place->path, PAP_INSTALL_FOREIGN);
        return OK;
    }
    TRY(remove_files(f, place->path, s, true));
    return remove_folders(f, place->path, s, &gone);
}

/* ---- putting in place ---- */

/* What lies in the staging folder after the exchange is the old one. What is neither the old lock's nor the new one's was put
 * there in the last moment, and is kept where nobody looks for skills. */
static pap_result clear_old(struct finishing *f, const char *staged, const struct lock_skill *before,
                            const struct lock_skill *after)
{
    bool gone = false;
    if (before)
        TRY(remove_files(f, staged, before, false));
    TRY(remove_files(f, staged, after, false));
    pap_install_state_fn *kept = f->kept;
    f->kept = NULL;
    pap_result r = remove_folders(f, staged, NULL, &gone);
    f->kept = kept;
    TRY(r);
    for (unsigned n = 0; !gone && n < 100; n++) {
        const char *to = arena_fmt(f->a, INSTALL_KEPT "/%.*s.%u", PSTR(after->name), n).p;
        enum file_type type;
        if (!to)
            return no_memory(f);
        TRY_OURS(f->err, beneath_type(f->in->root, to, &type, &why));
        if (type != FILE_NONE)
            continue;
        TRY_OURS(f->err, beneath_move(f->in->root, staged, to, &why));
        keep(f, to, PAP_INSTALL_CHANGED);
        return OK;
    }
    return gone ? OK : in_the_way(f, INSTALL_KEPT);
}

/* The staged folder goes to its place. `old`: what was ours there (path NULL: nothing). */
static pap_result put_folder(struct finishing *f, const char *staged, const struct install_place *now,
                             const struct install_place *old, const struct lock_skill *before,
                             const struct lock_skill *after)
{
    struct install_look look;
    enum file_type type;
    bool is_link = old->path && old->target;
    if (is_link)
        TRY(take_away(f, old, before));
    TRY_OURS(f->err, beneath_type(f->in->root, now->path, &type, &why));
    if (type == FILE_NONE) {
        TRY_OURS(f->err, beneath_move(f->in->root, staged, now->path, &why));
        return OK;
    }
    const struct lock_skill *owner = old->path && !is_link ? before : NULL;
    TRY(install_look(f->in, f->a, now->path, owner, after, NULL, NULL, &look, f->err));
    if (type != FILE_FOLDER || (!look.mine && !owner))
        return in_the_way(f, look.offender ? look.offender : now->path);
    TRY_OURS(f->err, beneath_swap(f->in->root, staged, now->path, &why));
    return clear_old(f, staged, before, after);
}

static pap_result put_copy(struct finishing *f, unsigned p, const struct install_place *now,
                           const struct install_place *old, const struct lock_skill *before,
                           const struct lock_skill *after)
{
    struct install_look look;
    const char *staged = install_staged(f->a, p, after->name);
    if (!staged)
        return no_memory(f);
    TRY(install_look(f->in, f->a, staged, NULL, after, NULL, NULL, &look, f->err));
    if (look.type == FILE_NONE)
        return OK;
    return look.whole ? put_folder(f, staged, now, old, before, after) : clear_old(f, staged, before, after);
}

static pap_result put_link(struct finishing *f, const struct install_place *now, const struct install_place *old,
                           const struct lock_skill *before)
{
    struct install_look look;
    TRY(install_look_link(f->in, f->a, now, &look, f->err));
    if (look.whole)
        return OK;
    if (look.type == FILE_FOLDER && old->path && !old->target) {
        TRY(take_away(f, old, before));
        TRY(install_look_link(f->in, f->a, now, &look, f->err));
    }
    if (look.type != FILE_NONE)
        return in_the_way(f, now->path);
    TRY_OURS(f->err, beneath_link(f->in->root, now->path, now->target, &why));
    return OK;
}

/* ---- all of it ---- */

static pap_result finish_place(struct finishing *f, unsigned p, const struct lock_skill *before,
                               const struct lock_skill *after)
{
    struct install_place now = {NULL, NULL}, old, left;
    bool has = false;
    if (after)
        TRY(install_place_of(f->in, f->a, after, p, &now, &has, f->err));
    TRY(install_place_before(f->in, f->a, before, p, &now, &old, &left, f->err));
    if (left.path)
        TRY(take_away(f, &left, before));
    if (!has)
        return OK;
    return now.target ? put_link(f, &now, &old, before) : put_copy(f, p, &now, &old, before, after);
}

/* Files before the links that lead to them; the other way round when both go. */
static pap_result finish_skill(struct finishing *f, const struct lock_skill *before, const struct lock_skill *after)
{
    for (unsigned i = 0; i < INSTALL_PLACES; i++)
        TRY(finish_place(f, after ? i : INSTALL_PLACES - 1 - i, before, after));
    return OK;
}

static pap_result finish(struct finishing *f)
{
    for (size_t i = 0; i < f->before.n; i++)
        if (!lock_find(&f->after, f->before.skills[i].name))
            TRY(finish_skill(f, &f->before.skills[i], NULL));
    for (size_t i = 0; i < f->after.n; i++)
        TRY(finish_skill(f, lock_find(&f->before, f->after.skills[i].name), &f->after.skills[i]));
    /* Renames reach the disk in their order; all content was there before the journal. */
    if (!f->before_text.p || !str_eq(f->before_text, f->after_text))
        TRY_OURS(f->err, beneath_move(f->in->root, INSTALL_NEXT, f->in->lock_path, &why));
    return OK;
}

pap_result install_finish(struct pap_install *in, pap_install_state_fn *kept, void *ctx, struct pap_skill_err *err)
{
    struct arena a __attribute__((cleanup(arena_fini)));
    struct finishing f = {.in = in, .a = &a, .kept = kept, .ctx = ctx, .err = err};
    bool decided;
    arena_init(&a, in->arena.alloc);
    TRY(install_journal_judge(in, &a, &decided, err));
    if (decided) {
        TRY(install_read_lock(in, &a, in->lock_path, &f.before, &f.before_text, err));
        TRY(install_read_lock(in, &a, INSTALL_NEXT, &f.after, &f.after_text, err));
        TRY(finish(&f));
    }
    TRY_OURS(err, beneath_clear(in->root, INSTALL_STAGING, &why));
    return OK;
}

pap_result install_settle(struct pap_install *in, bool clears, struct pap_skill_err *err)
{
    struct arena a __attribute__((cleanup(arena_fini)));
    bool decided = false;
    arena_init(&a, in->arena.alloc);
    if (in->refuse_unfinished)
        TRY(install_journal_judge(in, &a, &decided, err));
    if (decided)
        return refuse(err, SKILL_LOCK_MISMATCH,
                      "%s: a change of skills was cut off; papaver skill add, update or remove finishes it (or delete "
                      "%s/" INSTALL_STAGING " to forget it)",
                      in->shown, in->folder);
    return in->refuse_unfinished && !clears ? OK : install_finish(in, NULL, NULL, err);
}

pap_result pap_install_would_keep(struct pap_install *in, pap_install_state_fn *kept, void *ctx,
                                  struct pap_skill_err *err)
{
    struct arena a __attribute__((cleanup(arena_fini)));
    int held __attribute__((cleanup(beneath_close))) = -1;
    struct finishing f = {.in = in, .a = &a, .kept = kept, .ctx = ctx, .only_tell = true, .err = err};
    arena_init(&a, in->arena.alloc);
    TRY(install_hold(in, &held, err));
    for (size_t i = 0; i < in->n_changes; i++)
        if (!in->changes[i].after)
            TRY(finish_skill(&f, in->changes[i].before, NULL));
    return OK;
}
