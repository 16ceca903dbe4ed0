/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "skills/installing.h"

pap_result install_tell(pap_result r, const struct pap_err *why, struct pap_skill_err *err)
{
    if (r.code != PAP_REFUSED)
        return failure_tell(r, why, err);
    (void)refuse(err, SKILL_POLICY_DENIED, "%s", why->text);
    return r;
}

pap_result install_read_lock(struct pap_install *in, struct arena *a, const char *path, struct lock *ret,
                             struct pap_str *ret_text, struct pap_skill_err *err)
{
    TRY_OURS(err, beneath_read(a, in->root, path, LIMIT_LOCK, ret_text, &why));
    struct pap_err why = {.text = ""};
    pap_result r = lock_read(a, *ret_text, strcmp(path, in->lock_path) == 0 ? in->shown : path, ret, &why);
    return r.code == PAP_SYNTAX ? refuse(err, SKILL_LOCK_MISMATCH, "%s", why.text)
           : is_ok(r)           ? r
                                : failure_tell(r, &why, err);
}

pap_result install_read_own(struct pap_install *in, struct pap_skill_err *err)
{
    struct pap_str text;
    TRY(install_read_lock(in, &in->arena, in->lock_path, &in->lock, &text, err));
    for (size_t i = 0; i < in->lock.n; i++) {
        struct lock_skill *s = &in->lock.skills[i];
        s->place = install_place_from_lock(in, s->origin);
        if (!s->place.p)
            return install_tell(fail_memory(NULL), NULL, err);
    }
    return OK;
}

/* ---- opening ---- */

static pap_result usage(struct pap_skill_err *err, const char *text, const char *value)
{
    struct pap_err why;
    pap_result r = fail(&why, PAP_USAGE, "%s%s", text, value);
    return failure_tell(r, &why, err);
}

/* A folder of a person, below the home folder: "/home/a/.config" is ".config". */
static pap_result below_home(struct pap_install *in, const char *home, const char *folder, const char *otherwise,
                             const char **ret, struct pap_skill_err *err)
{
    struct pap_str h = str_c(home), f = folder ? str_c(folder) : (struct pap_str){NULL, 0};
    while (h.n && h.p[h.n - 1] == '/')
        h.n--;
    if (!folder || str_eq(h, f)) {
        *ret = otherwise;
        return OK;
    }
    struct pap_str rest = str_starts(f, h) ? str_skip(f, h.n) : S(""), part, path = S("");
    if (!rest.n || rest.p[0] != '/')
        return usage(err, "skills are installed below the home folder only, and this is not: ", folder);
    while (str_next(&rest, '/', &part)) {
        if (str_is(part, "."))
            return usage(err, "this path cannot be used: ", folder);
        if (part.n)
            path = arena_fmt(&in->arena, "%.*s%s%.*s", PSTR(path), path.n ? "/" : "", PSTR(part));
        if (!path.p)
            return install_tell(fail_memory(NULL), NULL, err);
    }
    *ret = path.n ? path.p : otherwise;
    return OK;
}

static pap_result settle(struct pap_install *in, const struct pap_install_options *o, struct pap_skill_err *err)
{
    const char *path = o->lock ? o->lock : "papaver-skills.lock";
    size_t slash = str_rfind_char(str_c(path), '/'), n = str_c(path).n;
    in->user = o->home != NULL;
    in->refuse_unfinished = o->refuse_unfinished;
    if (in->user) {
        in->lock_path = INSTALL_USER_LOCK;
        in->shown = arena_fmt(&in->arena, "%s/%s", o->home, in->lock_path).p;
        in->folder = o->home;
        TRY(below_home(in, o->home, o->claude_home, INSTALL_CLAUDE, &in->claude, err));
        TRY(below_home(in, o->home, o->config_home, INSTALL_CONFIG, &in->config, err));
    } else {
        in->shown = arena_cstr(&in->arena, str_c(path));
        in->lock_path = slash < n ? path + slash + 1 : path;
        in->lock_path = arena_cstr(&in->arena, str_c(in->lock_path));
        in->folder = slash == n ? "." : slash == 0 ? "/" : arena_cstr(&in->arena, str_take(str_c(path), slash));
    }
    if (!in->shown || !in->lock_path || !in->folder)
        return install_tell(fail_memory(NULL), NULL, err);
    return *in->lock_path ? OK : usage(err, "this names a folder, not a lock: ", path);
}

pap_result install_hold(struct pap_install *in, int *ret_held, struct pap_skill_err *err)
{
    enum file_type staging;
    TRY_OURS(err, beneath_lock(in->root, AGENTS_FOLDER, false, ret_held, &why));
    TRY_OURS(err, beneath_type(in->root, INSTALL_STAGING, &staging, &why));
    return *ret_held < 0 || staging == FILE_NONE ? OK : install_settle(in, false, err);
}

static pap_result open_install(struct pap_install *in, const struct pap_install_options *o, struct pap_skill_err *err)
{
    int held __attribute__((cleanup(beneath_close))) = -1;
    TRY(settle(in, o, err));
    TRY_OURS(err, beneath_open(in->folder, &in->root, &why));
    TRY(install_hold(in, &held, err));
    return install_read_own(in, err);
}

pap_result pap_install_open(const struct pap_install_options *options, struct pap_install **ret,
                            struct pap_skill_err *err)
{
    struct pap_install *in = alloc_resize(options->alloc, NULL, 0, sizeof *in);
    if (!in)
        return install_tell(fail_memory(NULL), NULL, err);
    *in = (struct pap_install){.root = -1};
    arena_init(&in->arena, options->alloc);
    arena_init(&in->reading, options->alloc);
    pap_result r = open_install(in, options, err);
    if (!is_ok(r)) {
        pap_install_close(in);
        return r;
    }
    *ret = in;
    return r;
}

void pap_install_close(struct pap_install *in)
{
    if (!in)
        return;
    const struct pap_alloc *alloc = in->arena.alloc;
    beneath_close(&in->root);
    arena_fini(&in->arena);
    arena_fini(&in->reading);
    alloc_resize(alloc, in, sizeof *in, 0);
}

/* ---- views ---- */

size_t pap_install_count(const struct pap_install *in)
{
    return in->lock.n;
}

static void show(const struct lock_skill *s, struct pap_install_skill *ret)
{
    *ret = (struct pap_install_skill){.name = S("")};
    if (s)
        *ret = (struct pap_install_skill){.name = s->name,
                                          .origin = s->origin,
                                          .scope = s->scope,
                                          .place = s->place.p ? s->place : s->origin,
                                          .index = s->index,
                                          .range = s->range,
                                          .version = s->version,
                                          .type = s->type,
                                          .url = s->url,
                                          .digest = s->digest,
                                          .agents = s->agent_names,
                                          .artifact_hosts = s->artifact_hosts,
                                          .copy = s->copy,
                                          .files = s->n_files};
}

void pap_install_at(const struct pap_install *in, size_t i, struct pap_install_skill *ret)
{
    show(&in->lock.skills[i], ret);
}

bool pap_install_find(const struct pap_install *in, const char *name, size_t *ret)
{
    const struct lock_skill *s = lock_find(&in->lock, str_c(name));
    if (s)
        *ret = (size_t)(s - in->lock.skills);
    return s != NULL;
}

static void show_file(const struct lock_file *f, struct pap_skill_file *ret)
{
    *ret = (struct pap_skill_file){
        .path = f->path, .media_type = S(""), .digest = f->digest, .size = f->size, .executable = f->executable};
}

bool pap_install_is_lower(const struct pap_install *in, size_t i, struct pap_str version)
{
    const struct lock_skill *had = &in->lock.skills[i], wanted = {.version = version, .range = had->range};
    return lock_skill_lower(had, &wanted);
}

void pap_install_file_at(const struct pap_install *in, size_t i, size_t j, struct pap_skill_file *ret)
{
    show_file(&in->lock.skills[i].files[j], ret);
}

pap_result pap_install_read(struct pap_install *in, size_t i, const char *path, struct pap_str *ret,
                            struct pap_skill_err *err)
{
    const struct lock_skill *s = &in->lock.skills[i];
    const struct lock_file *f = lock_file_find(s, str_c(path));
    arena_reset(&in->reading);
    if (!f) {
        (void)refuse(err, SKILL_RESOURCE_NOT_FOUND, "%.*s has no file \"%s\"", PSTR(s->name), path);
        err_set(err, SKILL_KEY_PATH, str_c(path));
        return (pap_result){PAP_REFUSED};
    }
    const char *full = arena_fmt(&in->reading, SKILLS_FOLDER "/%.*s/%.*s", PSTR(s->name), PSTR(f->path)).p;
    if (!full)
        return install_tell(fail_memory(NULL), NULL, err);
    TRY_OURS(err, beneath_read(&in->reading, in->root, full, LIMIT_ARCHIVE_FILE, ret, &why));
    return OK;
}

size_t pap_install_changes(const struct pap_install *in)
{
    return in->n_changes;
}

void pap_install_change_at(const struct pap_install *in, size_t i, struct pap_install_change *ret)
{
    const struct install_change *c = &in->changes[i];
    *ret = (struct pap_install_change){.kind = c->kind,
                                       .places = c->places,
                                       .replaced = lock_skill_replaced(c->before, c->after),
                                       .lower = lock_skill_lower(c->before, c->after)};
    show(c->before, &ret->before);
    show(c->after, &ret->after);
}

void pap_install_change_file_at(const struct pap_install *in, size_t i, size_t j, struct pap_skill_file *ret)
{
    show_file(&in->changes[i].after->files[j], ret);
}

/* ---- is it as the lock says? ---- */

static pap_result verify_place(struct pap_install *in, const struct lock_skill *s, unsigned p,
                               pap_install_state_fn *each, void *ctx, bool *good, struct pap_skill_err *err)
{
    struct arena a __attribute__((cleanup(arena_fini)));
    struct install_place place;
    struct install_look look;
    bool has;
    arena_init(&a, in->arena.alloc);
    TRY(install_place_of(in, &a, s, p, &place, &has, err));
    if (!has)
        return OK;
    if (!place.target) {
        TRY(install_look(in, &a, place.path, s, s, each, ctx, &look, err));
    } else {
        TRY(install_look_link(in, &a, &place, &look, err));
        if (each)
            each(ctx, str_c(place.path), look.state);
    }
    *good &= look.whole;
    return OK;
}

struct filter {
    pap_install_state_fn *each;
    void *ctx;
};

static void tell_wrong(void *ctx, struct pap_str path, enum pap_install_state state)
{
    const struct filter *f = ctx;
    if (f->each && state != PAP_INSTALL_SAME)
        f->each(f->ctx, path, state);
}

pap_result pap_install_verify(struct pap_install *in, size_t i, bool all, pap_install_state_fn *each, void *ctx,
                              bool *ret_good, struct pap_skill_err *err)
{
    struct filter f = {each, ctx};
    int held __attribute__((cleanup(beneath_close))) = -1;
    bool good = true;
    TRY(install_hold(in, &held, err));
    for (unsigned p = 0; p < INSTALL_PLACES; p++)
        TRY(verify_place(in, &in->lock.skills[i], p, all ? each : tell_wrong, all ? ctx : &f, &good, err));
    *ret_good = good;
    return OK;
}
