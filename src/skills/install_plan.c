/* SPDX-License-Identifier: Apache-2.0 */
#include "skills/installing.h"
#include "skills/range.h"

static pap_result no_memory(struct pap_skill_err *err)
{
    return install_tell(fail_memory(NULL), NULL, err);
}

/* ---- refusals ---- */

static pap_result refuse_place(const struct install_look *look, struct pap_str name, struct pap_skill_err *err)
{
    const char *is = look->state == PAP_INSTALL_CHANGED ? "was changed since it was installed"
                     : look->type == FILE_LINK          ? "is a symbolic link that the lock does not know"
                                                        : "is not the lock's";
    (void)refuse(err, SKILL_LOCK_MISMATCH, "%s %s; a skill's folder is replaced as a whole: move it away first",
                 look->offender, is);
    err_set(err, SKILL_KEY_SKILL_NAME, name);
    err_set(err, SKILL_KEY_PATH, str_c(look->offender));
    return (pap_result){PAP_REFUSED};
}

/* Decision 24: by its name alone nobody can tell which one it is. */
static pap_result judge_origin(const struct lock_skill *had, const struct lock_skill *after, struct pap_skill_err *err)
{
    if (!had || (str_eq(had->origin, after->origin) && str_eq(had->scope, after->scope)))
        return OK;
    bool scope = str_eq(had->origin, after->origin);
    (void)refuse(err, SKILL_CONFIGURATION_INVALID,
                 "%s is installed from %s already, and skills of one name cannot stand side by side; to have that of "
                 "%s, remove the other first",
                 after->name.p, scope ? "another scope" : had->origin.p, scope ? "this scope" : after->origin.p);
    err_set(err, SKILL_KEY_SKILL_NAME, after->name);
    err_set(err, SKILL_KEY_FIELD, S("name"));
    return (pap_result){PAP_REFUSED};
}

/* Whoever has the one has not the other, and neither of them knows. */
static pap_result judge_release(const struct pap_install *in, const struct lock_skill *had,
                                const struct lock_skill *after, struct pap_skill_err *err)
{
    if (!lock_skill_replaced(had, after))
        return OK;
    (void)refuse(err, SKILL_LOCK_MISMATCH,
                 "%s: release %.*s of %s was replaced by another under the same version: %s is installed, and %s is "
                 "offered now",
                 in->shown, PSTR(after->version), after->name.p, had->digest.p, after->digest.p);
    err_set(err, SKILL_KEY_SKILL_NAME, after->name);
    return (pap_result){PAP_REFUSED};
}

/* An origin that takes a release back may have its reasons, or be in somebody else's hands. */
static pap_result judge_lower(const struct pap_install *in, const struct lock_skill *had,
                              const struct lock_skill *after, struct pap_skill_err *err)
{
    if (!lock_skill_lower(had, after))
        return OK;
    (void)refuse(err, SKILL_LOCK_MISMATCH,
                 "%s: %s is installed as %.*s, and the best that is offered is lower: %.*s; to go back to it say so: "
                 "papaver skill add %s %s@%.*s",
                 in->shown, after->name.p, PSTR(had->version), PSTR(after->version), after->origin.p, after->name.p,
                 PSTR(after->version));
    err_set(err, SKILL_KEY_SKILL_NAME, after->name);
    return (pap_result){PAP_REFUSED};
}

static bool in_range(const struct lock_skill *s)
{
    struct range r;
    struct semver v;
    return !s->range.n || (range_parse(s->range, &r) &&
                           (s->version.n ? semver_parse(s->version, &v) && range_holds(&r, &v) : r.form == RANGE_ANY));
}

/* The lock is right, and this is what it says. */
static pap_result judge_frozen(const struct pap_install *in, const struct lock_skill *had,
                               const struct lock_skill *after, struct pap_skill_err *err)
{
    struct lock_difference d;
    if (had && in_range(had) && !lock_skill_differs(had, after, &d))
        return OK;
    if (!had)
        (void)refuse(err, SKILL_LOCK_MISMATCH, "%s: not what the lock says: there is no %s in it", in->shown,
                     after->name.p);
    else if (!in_range(had))
        (void)refuse(err, SKILL_LOCK_MISMATCH, "%s: %s is locked at \"%.*s\", which is not in its range \"%.*s\"",
                     in->shown, had->name.p, PSTR(had->version), PSTR(had->range));
    else
        (void)refuse(err, SKILL_LOCK_MISMATCH,
                     "%s: not what the lock says: %s%s%.*s of %s is \"%.*s\" there, and \"%.*s\" would be installed",
                     in->shown, d.what, d.path.n ? " of " : "", PSTR(d.path), had->name.p, PSTR(d.a), PSTR(d.b));
    err_set(err, SKILL_KEY_SKILL_NAME, after->name);
    return (pap_result){PAP_REFUSED};
}

/* ---- places ---- */

struct planning {
    struct pap_install *in;
    struct install_change *c;
    size_t n_places;
    bool missing; /* something has to be made */
    struct pap_skill_err *err;
};

/* A folder of files at `now`, where `old` was (path NULL: nothing of ours). */
static pap_result plan_copy(struct planning *p, unsigned number, const struct install_place *now,
                            const struct install_place *old)
{
    struct install_look look;
    bool link = old->path && old->target;
    if (link)
        TRY(install_look_link(p->in, &p->in->arena, old, &look, p->err));
    else
        TRY(install_look(p->in, &p->in->arena, now->path, old->path ? p->c->before : NULL, p->c->after, NULL, NULL,
                         &look, p->err));
    if (!look.mine)
        return refuse_place(&look, p->c->name, p->err);
    if (!link && look.whole)
        return OK;
    p->c->stage |= (uint64_t)1 << number;
    p->c->places[p->n_places++] = now->path;
    return OK;
}

static pap_result plan_link(struct planning *p, const struct install_place *now, const struct install_place *old)
{
    struct install_look look;
    bool folder = old->path && !old->target;
    TRY(install_look_link(p->in, &p->in->arena, now, &look, p->err));
    if (look.whole)
        return OK;
    if (folder && look.type == FILE_FOLDER)
        TRY(install_look(p->in, &p->in->arena, old->path, p->c->before, NULL, NULL, NULL, &look, p->err));
    if (!look.mine)
        return refuse_place(&look, p->c->name, p->err);
    p->c->places[p->n_places++] = now->path;
    return OK;
}

static pap_result plan_place(struct planning *p, unsigned number)
{
    struct arena *a = &p->in->arena;
    struct install_place now, old, left;
    bool has;
    TRY(install_place_of(p->in, a, p->c->after, number, &now, &has, p->err));
    if (!has)
        return OK;
    TRY(install_place_before(p->in, a, p->c->before, number, &now, &old, &left, p->err));
    return now.target ? plan_link(p, &now, &old) : plan_copy(p, number, &now, &old);
}

pap_result install_plan_places(struct pap_install *in, struct install_change *c, struct pap_skill_err *err)
{
    struct planning p = {.in = in, .c = c, .err = err};
    c->stage = 0;
    if (!c->before)
        TRY(install_judge_other(in, c->name, err));
    c->places = arena_new_array(&in->arena, INSTALL_PLACES + 1, const char *);
    if (!c->places)
        return no_memory(err);
    for (unsigned i = 0; i < INSTALL_PLACES; i++)
        TRY(plan_place(&p, i));
    const struct lock_skill *b = c->before;
    c->kind = !b ? PAP_INSTALL_NEW
              : !str_eq(b->digest, c->after->digest) || b->agents != c->after->agents || b->copy != c->after->copy
                  ? PAP_INSTALL_UPDATE
              : p.n_places ? PAP_INSTALL_MEND
                           : PAP_INSTALL_KEEP;
    return OK;
}

/* ---- changes ---- */

static pap_result new_change(struct pap_install *in, struct pap_str name, struct install_change **ret,
                             struct pap_skill_err *err)
{
    for (size_t i = 0; i < in->n_changes; i++)
        if (str_eq(in->changes[i].name, name)) {
            struct pap_err why;
            pap_result r = fail(&why, PAP_USAGE, "%.*s was named twice", PSTR(name));
            return install_tell(r, &why, err);
        }
    if (in->n_changes == in->cap) {
        size_t cap = in->cap ? 2 * in->cap : 8;
        struct install_change *more = arena_new_array(&in->arena, cap, struct install_change);
        if (!more)
            return no_memory(err);
        if (in->n_changes)
            memcpy(more, in->changes, in->n_changes * sizeof *more);
        in->changes = more;
        in->cap = cap;
    }
    *ret = &in->changes[in->n_changes];
    **ret = (struct install_change){.name = name, .before = lock_find(&in->lock, name)};
    return OK;
}

/* Where a person's agents look: as the environment of today says for those that are asked for, else as it was. */
static void settle_homes(const struct pap_install *in, const struct pap_install_add *add,
                         const struct lock_skill *before, struct lock_skill *after)
{
    bool kept = before && !add->agents;
    after->claude_home = kept ? before->claude_home : S("");
    after->config_home = kept ? before->config_home : S("");
    for (size_t i = 0; in->user && !kept && agent_at(i); i++) {
        if (!(after->agents & (uint32_t)1 << i))
            continue;
        if (agent_at(i)->base == AGENT_CLAUDE && strcmp(in->claude, INSTALL_CLAUDE) != 0)
            after->claude_home = str_c(in->claude);
        if (agent_at(i)->base == AGENT_CONFIG && strcmp(in->config, INSTALL_CONFIG) != 0)
            after->config_home = str_c(in->config);
    }
}

static pap_result settle_agents(struct pap_install *in, const struct pap_install_add *add,
                                const struct lock_skill *before, struct lock_skill *after, struct pap_skill_err *err)
{
    after->agents = before ? before->agents : 0;
    after->copy = before && !add->agents ? before->copy : add->copy;
    for (const char *const *name = add->agents; name && *name; name++) {
        uint32_t bit = agent_bit(str_c(*name));
        if (!bit) {
            (void)refuse(err, SKILL_CONFIGURATION_INVALID, "there is no agent \"%.*s\"", PSTR(str_c(*name)));
            err_set(err, SKILL_KEY_FIELD, S("agents"));
            return (pap_result){PAP_REFUSED};
        }
        after->agents |= bit;
    }
    settle_homes(in, add, before, after);
    after->agent_names = lock_agents(&in->arena, after->agents);
    return after->agent_names ? OK : no_memory(err);
}

/* Executable bits: those the caller lets through, and those that the lock has. */
static void settle_bits(const struct pap_install_add *add, const struct lock_skill *before, struct lock_skill *after)
{
    for (size_t i = 0; i < after->n_files; i++) {
        const struct lock_file *had = lock_file_find(before, after->files[i].path);
        after->files[i].executable = after->files[i].executable && (add->executable || (had && had->executable));
    }
}

pap_result install_plan(struct pap_install *in, const struct pap_install_add *add, struct lock_skill *after,
                        const struct install_source *from, struct pap_skill_err *err)
{
    struct install_change *c;
    int held __attribute__((cleanup(beneath_close))) = -1;
    for (size_t i = 0; i < in->n_changes; i++)
        if (str_eq(in->changes[i].name, after->name))
            TRY(judge_origin(in->changes[i].after, after, err));
    TRY(new_change(in, after->name, &c, err));
    TRY(judge_origin(c->before, after, err));
    TRY(settle_agents(in, add, c->before, after, err));
    TRY(install_settle_hosts(&in->arena, c->before, after, from->led_to, err));
    settle_bits(add, c->before, after);
    if (!add->replaced)
        TRY(judge_release(in, c->before, after, err));
    if (!add->lower && !add->frozen)
        TRY(judge_lower(in, c->before, after, err));
    if (add->frozen)
        TRY(judge_frozen(in, c->before, after, err));
    c->after = after;
    c->from = *from;
    TRY(install_hold(in, &held, err));
    TRY(install_plan_places(in, c, err));
    in->n_changes++;
    return OK;
}

pap_result pap_install_plan_remove(struct pap_install *in, const char *name, struct pap_skill_err *err)
{
    const struct lock_skill *s = lock_find(&in->lock, str_c(name));
    struct install_change *c;
    size_t n = 0;
    if (!s) {
        (void)refuse(err, SKILL_NOT_FOUND, "%s has no skill \"%.*s\"", in->shown, PSTR(str_c(name)));
        err_set(err, SKILL_KEY_SKILL_NAME, str_c(name));
        return (pap_result){PAP_REFUSED};
    }
    TRY(new_change(in, s->name, &c, err));
    c->kind = PAP_INSTALL_REMOVE;
    c->places = arena_new_array(&in->arena, INSTALL_PLACES + 1, const char *);
    if (!c->places)
        return no_memory(err);
    for (unsigned i = 0; i < INSTALL_PLACES; i++) {
        struct install_place place;
        bool has;
        TRY(install_place_of(in, &in->arena, s, i, &place, &has, err));
        if (has)
            c->places[n++] = place.path;
    }
    in->n_changes++;
    return OK;
}
