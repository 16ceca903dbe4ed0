/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "crypto/digest.h"
#include "skills/installing.h"

enum { MOST_ENTRIES = 20 * 1000, MOST_DEPTH = 64 };

/* ---- where ---- */

/* The folder of an agent, where the skill was put or is to be put; NULL where *ret_has is false. */
static const char *agent_folder(const struct pap_install *in, struct arena *a, const struct lock_skill *s,
                                const struct agent *agent, bool *ret_has)
{
    *ret_has = in->user ? agent->base != AGENT_NOWHERE : agent->shown.project != NULL;
    if (!*ret_has || !in->user)
        return agent->shown.project;
    bool claude = agent->base == AGENT_CLAUDE;
    struct pap_str home = claude ? s->claude_home : s->config_home;
    if (!home.n)
        home = str_c(claude ? INSTALL_CLAUDE : INSTALL_CONFIG);
    return arena_fmt(a, "%.*s/%s", PSTR(home), agent->below).p;
}

/* From FOLDER/NAME up to the root, then down. */
static const char *link_target(struct arena *a, const char *folder, struct pap_str name)
{
    char up[3 * 64 + 1] = "../";
    size_t n = 1;
    for (const char *p = folder; *p; p++)
        if (*p == '/' && n < 63)
            memcpy(up + 3 * n++, "../", 4);
    return arena_fmt(a, "%s" SKILLS_FOLDER "/%.*s", up, PSTR(name)).p;
}

pap_result install_place_of(struct pap_install *in, struct arena *a, const struct lock_skill *s, unsigned p,
                            struct install_place *ret, bool *ret_has, struct pap_skill_err *err)
{
    const char *folder = SKILLS_FOLDER;
    *ret_has = p == 0;
    if (p && agent_at(p - 1) && (s->agents & (uint32_t)1 << (p - 1)))
        folder = agent_folder(in, a, s, agent_at(p - 1), ret_has);
    if (!*ret_has)
        return OK;
    struct install_place place = {.path = folder ? arena_fmt(a, "%s/%.*s", folder, PSTR(s->name)).p : NULL};
    if (p && !s->copy && place.path)
        place.target = link_target(a, folder, s->name);
    if (!place.path || (p && !s->copy && !place.target))
        return install_tell(fail_memory(NULL), NULL, err);
    *ret = place;
    return OK;
}

pap_result install_place_before(struct pap_install *in, struct arena *a, const struct lock_skill *before, unsigned p,
                                const struct install_place *now, struct install_place *ret,
                                struct install_place *ret_left, struct pap_skill_err *err)
{
    struct install_place old = {NULL, NULL};
    bool had = false;
    *ret = *ret_left = old;
    if (before)
        TRY(install_place_of(in, a, before, p, &old, &had, err));
    if (had)
        *(now->path && strcmp(now->path, old.path) == 0 ? ret : ret_left) = old;
    return OK;
}

const char *install_staged(struct arena *a, unsigned p, struct pap_str name)
{
    return arena_fmt(a, INSTALL_STAGING "/%u/%.*s", p, PSTR(name)).p;
}

/* ---- what is there ---- */

pap_result install_file_is(struct pap_install *in, const char *path, const struct lock_file *f, bool *ret,
                           struct pap_skill_err *err)
{
    struct arena a __attribute__((cleanup(arena_fini)));
    struct pap_str bytes;
    struct digest d = {{0}};
    struct pap_err why = {.text = ""};
    char text[DIGEST_TEXT + 1];
    arena_init(&a, in->arena.alloc);
    pap_result r = beneath_read(&a, in->root, path, (size_t)f->size, &bytes, &why);
    bool larger = r.code == PAP_LIMIT, same_size = is_ok(r) && bytes.p && bytes.n == f->size;
    if (same_size)
        r = digest_sha256(&bytes, 1, &d, &why);
    if (!is_ok(r) && !larger)
        return install_tell(r, &why, err);
    digest_text(&d, text);
    *ret = same_size && str_eq(f->digest, str(text, DIGEST_TEXT));
    return OK;
}

struct looking {
    struct pap_install *in;
    struct arena *a;
    const char *path;
    const struct lock_skill *owner, *want;
    bool *seen; /* files of `want` */
    pap_install_state_fn *each;
    void *ctx;
    struct install_look *look;
    struct pap_skill_err *err;
};

static void found(struct looking *l, const char *path, enum pap_install_state state)
{
    if (l->each)
        l->each(l->ctx, str_c(path), state);
    l->look->whole &= state == PAP_INSTALL_SAME;
    if (state != PAP_INSTALL_CHANGED && state != PAP_INSTALL_FOREIGN)
        return;
    if (l->look->mine) {
        l->look->offender = path;
        l->look->state = state;
    }
    l->look->mine = false;
}

static pap_result look_at(struct looking *l, const struct tree_entry *e)
{
    const struct lock_file *had = lock_file_find(l->owner, e->path), *wanted = lock_file_find(l->want, e->path);
    const char *path = arena_fmt(l->a, "%s/%s", l->path, e->path.p).p;
    bool is_had = false, is_wanted = false;
    if (e->type == TREE_FOLDER)
        return OK;
    if (!path)
        return install_tell(fail_memory(NULL), NULL, l->err);
    if (wanted)
        l->seen[wanted - l->want->files] = true;
    if (wanted && e->type == TREE_FILE && e->size == wanted->size)
        TRY(install_file_is(l->in, path, wanted, &is_wanted, l->err));
    if (had && had != wanted && e->type == TREE_FILE && !is_wanted)
        TRY(install_file_is(l->in, path, had, &is_had, l->err));
    bool executable = (e->mode & 0100) != 0;
    if (is_wanted && executable == wanted->executable)
        found(l, path, PAP_INSTALL_SAME);
    else if (is_wanted || is_had)
        found(l, path, l->want == l->owner ? PAP_INSTALL_CHANGED : PAP_INSTALL_MISSING); /* its mode; it is replaced */
    else
        found(l, path, had ? PAP_INSTALL_CHANGED : PAP_INSTALL_FOREIGN);
    return OK;
}

pap_result install_list(struct pap_install *in, struct arena *a, const char *path, struct tree *ret, bool *ret_all,
                        struct pap_skill_err *err)
{
    struct pap_err why = {.text = ""};
    pap_result r = beneath_list(a, in->root, path, MOST_ENTRIES, MOST_DEPTH, ret, &why);
    *ret_all = r.code != PAP_LIMIT;
    return is_ok(r) || !*ret_all ? OK : install_tell(r, &why, err);
}

pap_result install_look(struct pap_install *in, struct arena *a, const char *path, const struct lock_skill *owner,
                        const struct lock_skill *want, pap_install_state_fn *each, void *ctx, struct install_look *ret,
                        struct pap_skill_err *err)
{
    struct tree t = {0};
    struct looking l = {in, a, path, owner, want, NULL, each, ctx, ret, err};
    bool all = true;
    *ret = (struct install_look){.mine = true, .whole = true};
    TRY_OURS(err, beneath_type(in->root, path, &ret->type, &why));
    l.seen = arena_new_array(a, want ? want->n_files : 0, bool);
    if (!l.seen)
        return install_tell(fail_memory(NULL), NULL, err);
    if (ret->type == FILE_FOLDER)
        TRY(install_list(in, a, path, &t, &all, err));
    if (!all || (ret->type != FILE_FOLDER && ret->type != FILE_NONE))
        found(&l, path, PAP_INSTALL_FOREIGN);
    for (size_t i = 0; i < t.n; i++)
        TRY(look_at(&l, &t.entries[i]));
    for (size_t i = 0; want && all && i < want->n_files; i++) {
        const char *missing = l.seen[i] ? "" : arena_fmt(a, "%s/%s", path, want->files[i].path.p).p;
        if (!missing)
            return install_tell(fail_memory(NULL), NULL, err);
        if (*missing)
            found(&l, missing, PAP_INSTALL_MISSING);
    }
    return OK;
}

pap_result install_look_link(struct pap_install *in, struct arena *a, const struct install_place *place,
                             struct install_look *ret, struct pap_skill_err *err)
{
    struct pap_str target = {NULL, 0};
    *ret = (struct install_look){.mine = true};
    TRY_OURS(err, beneath_type(in->root, place->path, &ret->type, &why));
    if (ret->type == FILE_LINK)
        TRY_OURS(err, beneath_read_link(a, in->root, place->path, &target, &why));
    ret->whole = target.p && str_is(target, place->target);
    ret->mine = ret->whole || ret->type == FILE_NONE;
    ret->offender = place->path;
    ret->state = ret->type == FILE_NONE ? PAP_INSTALL_MISSING : ret->mine ? PAP_INSTALL_SAME : PAP_INSTALL_FOREIGN;
    return OK;
}
