/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps 1 and 2 of an install (installing.h).
 */
#include "base/limits.h"
#include "crypto/digest.h"
#include "skills/installing.h"

struct applying {
    struct pap_install *in;
    struct arena *a; /* of what is written */
    struct lock old, new;
    struct pap_str text; /* of the old one; p NULL: there is none */
    struct pap_skill_err *err;
};

/* Another process may have been at work since the plan was made, and be back where it began. */
static pap_result judge_change(struct applying *p, struct install_change *c)
{
    if (lock_skill_eq(lock_find(&p->old, c->name), c->before))
        return c->after ? install_plan_places(p->in, c, p->err) : OK;
    (void)refuse(p->err, SKILL_LOCK_MISMATCH, "%s: %.*s was changed meanwhile by somebody else; nothing was done",
                 p->in->shown, PSTR(c->name));
    err_set(p->err, SKILL_KEY_SKILL_NAME, c->name);
    return (pap_result){PAP_REFUSED};
}

static pap_result merge(struct applying *p)
{
    TRY(install_read_lock(p->in, p->a, p->in->lock_path, &p->old, &p->text, p->err));
    p->new = p->old;
    for (size_t i = 0; i < p->in->n_changes; i++) {
        struct install_change *c = &p->in->changes[i];
        TRY(judge_change(p, c));
        TRY_OURS(p->err, lock_change(p->a, &p->new, c->name, c->after, &p->new, &why));
    }
    return OK;
}

/* ---- 1: everything new ---- */

static pap_result write_file(struct applying *p, const struct install_change *c, const struct lock_file *f,
                             const char *staged)
{
    struct pap_str bytes;
    struct digest d = {{0}};
    char text[DIGEST_TEXT + 1];
    const char *path = arena_fmt(p->a, "%s/%s", staged, f->path.p).p;
    if (!path)
        return install_tell(fail_memory(NULL), NULL, p->err);
    TRY(c->from.read(c->from.ctx, f->path.p, &bytes, p->err));
    struct pap_err why = {.text = ""};
    pap_result r = digest_sha256(&bytes, 1, &d, &why);
    digest_text(&d, text);
    bool same = is_ok(r) && bytes.n == f->size && str_eq(f->digest, str(text, DIGEST_TEXT));
    if (same)
        r = beneath_write(p->in->root, path, bytes, f->executable, &why);
    c->from.done(c->from.ctx, bytes);
    if (!is_ok(r))
        return install_tell(r, &why, p->err);
    return same ? OK : refuse(p->err, SKILL_LOCK_MISMATCH, "%s is not what was shown", f->path.p);
}

static pap_result stage_change(struct applying *p, const struct install_change *c)
{
    for (unsigned i = 0; i < INSTALL_PLACES; i++) {
        const char *staged = install_staged(p->a, i, c->name);
        if (!staged)
            return install_tell(fail_memory(NULL), NULL, p->err);
        for (size_t k = 0; c->stage & (uint64_t)1 << i && k < c->after->n_files; k++)
            TRY(write_file(p, c, &c->after->files[k], staged));
    }
    return OK;
}

/* ---- 2: the new lock ---- */

static bool is_same(const struct applying *p)
{
    bool same = p->text.p && p->old.n == p->new.n;
    for (size_t i = 0; same && i < p->old.n; i++)
        same = lock_skill_eq(&p->old.skills[i], &p->new.skills[i]);
    return same;
}

/* What this program could not read again is not written. A lock that says the same stays as it is written. */
static pap_result write_journal(struct applying *p)
{
    struct buf out __attribute__((cleanup(buf_fini)));
    struct lock again;
    buf_init(&out, p->in->arena.alloc, LIMIT_LOCK);
    if (is_same(p))
        buf_add(&out, p->text);
    else
        lock_write(&out, &p->new);
    TRY_OURS(p->err, buf_result(&out, &why));
    struct pap_err why = {.text = ""};
    pap_result r = lock_read(p->a, buf_str(&out), "this skill cannot be locked", &again, &why);
    if (r.code == PAP_SYNTAX)
        return refuse(p->err, SKILL_LOCK_MISMATCH, "%s", why.text);
    if (!is_ok(r))
        return install_tell(r, &why, p->err);
    return install_journal_write(p->in, p->text, buf_str(&out), p->err);
}

static bool is_idle(const struct applying *p)
{
    bool idle = is_same(p);
    for (size_t i = 0; idle && i < p->in->n_changes; i++)
        idle = p->in->changes[i].kind == PAP_INSTALL_KEEP;
    return idle;
}

static pap_result apply(struct applying *p)
{
    TRY(merge(p));
    if (is_idle(p))
        return OK;
    for (size_t i = 0; i < p->in->n_changes; i++)
        TRY(stage_change(p, &p->in->changes[i]));
    return write_journal(p);
}

pap_result pap_install_apply(struct pap_install *in, pap_install_state_fn *kept, void *ctx, struct pap_skill_err *err)
{
    struct arena a __attribute__((cleanup(arena_fini)));
    int held __attribute__((cleanup(beneath_close))) = -1;
    struct applying p = {.in = in, .a = &a, .err = err};
    arena_init(&a, in->arena.alloc);
    TRY_OURS(err, beneath_lock(in->root, AGENTS_FOLDER, true, &held, &why));
    TRY(install_settle(in, true, err));
    pap_result r = apply(&p);
    if (!is_ok(r)) {
        pap_result cleared = install_finish(in, NULL, NULL, NULL);
        (void)cleared; /* if it is not, the next call does it */
        return r;
    }
    TRY(install_finish(in, kept, ctx, err));
    in->n_changes = 0;
    return install_read_own(in, err);
}
