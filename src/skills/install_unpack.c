/* SPDX-License-Identifier: Apache-2.0
 *
 * A skill's files in a folder of the caller's choice: written beside it, then renamed.
 */
#include "skills/installing.h"

struct unpacking {
    const struct pap_skill *skill;
    struct arena *a;
    int root;
    const char *name, *aside; /* below the root */
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

static pap_result write_files(struct unpacking *u)
{
    struct pap_skill_facts facts;
    enum file_type type;
    pap_skill_facts(u->skill, &facts);
    TRY_OURS(u->err, beneath_clear(u->root, u->aside, &why)); /* of one that was killed */
    for (size_t i = 0; i < facts.files; i++) {
        struct pap_skill_file f;
        pap_skill_file_at(u->skill, i, &f);
        TRY(write_file(u, &f));
    }
    TRY_OURS(u->err, beneath_sync(u->root, &why));
    TRY_OURS(u->err, beneath_remove_empty(u->root, u->name, &why));
    TRY_OURS(u->err, beneath_type(u->root, u->name, &type, &why));
    if (type != FILE_NONE)
        return refuse(u->err, SKILL_POLICY_DENIED, "%s is there, and it is %s; nothing was written", u->name,
                      type == FILE_FOLDER ? "not empty" : "no folder");
    TRY_OURS(u->err, beneath_move(u->root, u->aside, u->name, &why));
    return OK;
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
    struct unpacking u = {.skill = skill,
                          .a = &a,
                          .name = arena_cstr(&a, last),
                          .aside = arena_fmt(&a, ".%.*s.papaver", PSTR(last)).p,
                          .executable = executable,
                          .err = err};
    if (!above || !u.name || !u.aside)
        return install_tell(fail_memory(NULL), NULL, err);
    if (!last.n || str_is(last, ".") || str_is(last, ".."))
        return refuse(err, SKILL_CONFIGURATION_INVALID, "%s names no folder that could be made", u.name);
    TRY_OURS(err, beneath_open(above, &root, &why));
    u.root = root;
    pap_result r = write_files(&u);
    if (!is_ok(r)) {
        pap_result cleared = beneath_clear(root, u.aside, NULL);
        (void)cleared; /* the next one does it */
    }
    return r;
}
