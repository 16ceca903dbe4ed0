/* SPDX-License-Identifier: Apache-2.0
 *
 * A skill's files in a folder of the caller's choice: written beside it, in a folder of this call alone, then renamed in one step.
 * Who comes second finds the place taken. What one that was killed leaves (.papaver-...) nobody else takes away.
 */
#include "skills/installing.h"

struct unpacking {
    const struct pap_skill *skill;
    struct arena *a;
    int root;
    const char *name; /* below the root */
    char own[64];     /* the folder of this call */
    const char *aside;
    bool executable;
    struct pap_skill_err *err;
};

static pap_result write_file(struct unpacking *u, const struct pap_skill_file *f)
{
    struct pap_str bytes;
    struct pap_err why = {.text = ""};
    const char *path = arena_cstr(u->a, f->path), *to = arena_fmt(u->a, "%s/%.*s", u->aside, PSTR(f->path)).p;
    if (!path || !to)
        return install_tell(fail_memory(NULL), NULL, u->err);
    TRY(pap_skill_read(u->skill, path, false, &bytes, u->err));
    pap_result r = beneath_write(u->root, to, bytes, u->executable && f->executable, &why);
    pap_skill_bytes_free(u->skill, bytes);
    return is_ok(r) ? r : install_tell(r, &why, u->err);
}

/* An empty folder is replaced; by rename(2), so that no two can do it. */
static pap_result put_in_place(const struct unpacking *u)
{
    struct pap_err why = {.text = ""};
    enum file_type type = FILE_NONE;
    pap_result r = beneath_move(u->root, u->aside, u->name, &why);
    if (is_ok(r))
        return r;
    if (!is_ok(beneath_type(u->root, u->name, &type, NULL)) || type == FILE_NONE)
        return install_tell(r, &why, u->err);
    return refuse(u->err, SKILL_POLICY_DENIED, "%s is there, and it is %s; nothing was written", u->name,
                  type == FILE_FOLDER ? "not empty" : "no folder");
}

static pap_result write_files(struct unpacking *u)
{
    struct pap_skill_facts facts;
    pap_skill_facts(u->skill, &facts);
    for (size_t i = 0; i < facts.files; i++) {
        struct pap_skill_file f;
        pap_skill_file_at(u->skill, i, &f);
        TRY(write_file(u, &f));
    }
    TRY_OURS(u->err, beneath_sync(u->root, &why));
    return put_in_place(u);
}

static pap_result unpack(struct unpacking *u)
{
    TRY_OURS(u->err, beneath_make_own(u->root, ".papaver-", u->own, &why));
    u->aside = arena_fmt(u->a, "%s/%s", u->own, u->name).p;
    pap_result r = u->aside ? write_files(u) : install_tell(fail_memory(NULL), NULL, u->err);
    pap_result cleared = beneath_clear(u->root, u->own, NULL);
    (void)cleared; /* it holds nothing that anybody misses */
    return r;
}

pap_result pap_install_unpack(const struct pap_skill *skill, const char *folder, bool executable,
                              struct pap_skill_err *err)
{
    struct arena a __attribute__((cleanup(arena_fini)));
    int root __attribute__((cleanup(beneath_close))) = -1;
    struct pap_str path = str_c(folder);
    arena_init(&a, NULL);
    while (path.n > 1 && path.p[path.n - 1] == '/')
        path.n--;
    size_t slash = str_rfind_char(path, '/');
    struct pap_str last = slash < path.n ? str_skip(path, slash + 1) : path;
    const char *above = slash == path.n ? "." : slash == 0 ? "/" : arena_cstr(&a, str_take(path, slash));
    struct unpacking u = {.skill = skill, .a = &a, .name = arena_cstr(&a, last), .executable = executable, .err = err};
    if (!above || !u.name)
        return install_tell(fail_memory(NULL), NULL, err);
    if (!last.n || str_is(last, ".") || str_is(last, ".."))
        return refuse(err, SKILL_CONFIGURATION_INVALID, "\"%s\" names no folder that could be made", folder);
    TRY(install_judge_paths(skill, err));
    TRY_OURS(err, beneath_open(above, &root, &why));
    u.root = root;
    return unpack(&u);
}
