/* SPDX-License-Identifier: Apache-2.0
 *
 * Several locks may lie in one folder (--lock; a project in a home folder), and .agents is one for all of them. A skill belongs to
 * one: what two own, one would take away under the other.
 */
#include "base/limits.h"
#include "skills/installing.h"

static bool first_level(void *ctx, const struct tree_entry *e)
{
    (void)ctx;
    (void)e;
    return false;
}

/* By its name; anything may be named to --lock, but not everything in a folder is read for that. */
static bool may_be_lock(const struct tree_entry *e)
{
    return e->type == TREE_FILE && e->size <= LIMIT_LOCK &&
           (str_ends(e->path, S(".lock")) || str_ends(e->path, S(".json")));
}

/* What is no lock has no skills. */
static pap_result judge_lock(struct pap_install *in, const char *path, struct pap_str name, struct pap_skill_err *err)
{
    struct arena a __attribute__((cleanup(arena_fini)));
    struct pap_str text;
    struct lock lock;
    arena_init(&a, in->arena.alloc);
    pap_result r = beneath_read(&a, in->root, path, LIMIT_LOCK, &text, NULL);
    if (is_ok(r))
        r = lock_read(&a, text, path, &lock, NULL);
    if (!is_ok(r) || !lock_find(&lock, name))
        return r.code == PAP_NO_MEMORY ? install_tell(r, NULL, err) : OK;
    (void)refuse(err, SKILL_LOCK_MISMATCH,
                 "%.*s belongs to the lock %s/%s, and one skill of a name can be in %s/" SKILLS_FOLDER
                 ": use that lock, or remove it there first",
                 PSTR(name), in->folder, path, in->folder);
    err_set(err, SKILL_KEY_SKILL_NAME, name);
    return (pap_result){PAP_REFUSED};
}

pap_result install_judge_other(struct pap_install *in, struct pap_str name, struct pap_skill_err *err)
{
    struct arena a __attribute__((cleanup(arena_fini)));
    struct tree t = {0};
    arena_init(&a, in->arena.alloc);
    pap_result r = tree_list(&a, in->folder, LIMIT_WALK_FILES, 1, first_level, NULL, &t, NULL);
    if (r.code == PAP_NO_MEMORY)
        return install_tell(r, NULL, err);
    for (size_t i = 0; is_ok(r) && i < t.n; i++)
        if (may_be_lock(&t.entries[i]) && !str_is(t.entries[i].path, in->lock_path))
            TRY(judge_lock(in, t.entries[i].path.p, name, err));
    return in->user ? OK : judge_lock(in, INSTALL_USER_LOCK, name, err);
}
