/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of an install share. A change goes like this, under a lock on .agents that other processes wait for:
 *
 *   1. everything new is written below .agents/.papaver-staging, and reaches the disk
 *   2. a file is renamed to `journal` there: from now on the change is decided
 *   3. folders change places with the staged ones, links are made, what goes is deleted; each step may be done twice
 *   4. lock.json of the staging folder is renamed to the lock, unless both are the same to the byte
 *
 * Who is to write and finds a staging folder does 3 and 4 again where a journal of this lock is in it (install_journal.c), and
 * clears it where none is. Who only reads, and who asks nobody, refuses where something is left to be done. The staging folder
 * is no place where an agent looks for skills.
 */
#ifndef SKILLS_INSTALLING_H
#define SKILLS_INSTALLING_H

#include "skills/agents.h"
#include "skills/fault.h"
#include "skills/lock.h"
#include "sys/beneath.h"

#define AGENTS_FOLDER ".agents"
#define SKILLS_FOLDER AGENTS_FOLDER "/skills"
#define INSTALL_STAGING AGENTS_FOLDER "/.papaver-staging"
#define INSTALL_JOURNAL INSTALL_STAGING "/journal"
#define INSTALL_NEXT INSTALL_STAGING "/lock.json"
#define INSTALL_USER_LOCK AGENTS_FOLDER "/papaver-skills.lock"
#define INSTALL_CLAUDE ".claude"
#define INSTALL_CONFIG ".config"
#define INSTALL_KEPT AGENTS_FOLDER "/papaver-kept"

/* Calls what fails with a `struct pap_err why`. */
#define TRY_OURS(err, call)                          \
    do {                                             \
        struct pap_err why = {.text = ""};           \
        pap_result ours_ = (call);                   \
        if (!is_ok(ours_))                           \
            return install_tell(ours_, &why, (err)); \
    } while (0)

/* Where the bytes of a skill come from. */
struct install_source {
    void *ctx;
    pap_result (*read)(void *ctx, const char *path, struct pap_str *ret, struct pap_skill_err *err);
    void (*done)(void *ctx, struct pap_str bytes);
    const char *const *led_to; /* URLs that were asked besides that of the lock, ended by NULL; NULL: none */
};

struct install_change {
    enum pap_install_kind kind;
    struct pap_str name;
    const struct lock_skill *before, *after; /* NULL: not there */
    struct install_source from;
    uint64_t stage;      /* bit p: place p gets new files */
    const char **places; /* to show, ended by NULL */
};

struct pap_install {
    struct arena arena, reading; /* reading: of pap_install_read() */
    bool user;
    bool refuse_unfinished; /* of the options */
    int root;
    const char *lock_path;          /* below the root */
    const char *shown;              /* the lock as the caller named it */
    const char *folder;             /* what `root` is, likewise */
    const char *claude, *config;    /* of a person, below the root; what is new goes there */
    struct lock lock;               /* as it was when opened, or after apply */
    struct install_change *changes; /* room for `cap` */
    size_t n_changes, cap;
};

/* A failure of ours, or what a link on the way refused. */
pap_result install_tell(pap_result r, const struct pap_err *why, struct pap_skill_err *err);
/* The lock as it is on disk, in the arena; its text, too, p NULL where there is none. */
pap_result install_read_lock(
    struct pap_install *in, struct arena *a, const char *path, struct lock *ret, struct pap_str *ret_text,
    struct pap_skill_err *err) PAP_MUST; /* in->lock as it is on disk, and the places of its origins. */
pap_result install_read_own(struct pap_install *in, struct pap_skill_err *err) PAP_MUST;

/* While it is held (closing ends it) no other process moves or deletes anything here; what one that was killed left is
 * finished, or forgotten, before, or refused (refuse_unfinished). *ret_held -1: there is no .agents, and none is made. */
pap_result install_hold(struct pap_install *in, int *ret_held, struct pap_skill_err *err) PAP_MUST;

/* ---- install_place.c: one folder or link of one skill ---- */

/* 0 is .agents/skills/NAME, 1 + i that of agent i. */
enum { INSTALL_PLACES = 33 };

struct install_place {
    const char *path;   /* ".claude/skills/NAME" */
    const char *target; /* of a link; NULL: a folder of files */
};

/* *ret_has false: the skill has no such place. */
pap_result install_place_of(struct pap_install *in, struct arena *a, const struct lock_skill *s, unsigned p,
                            struct install_place *ret, bool *ret_has, struct pap_skill_err *err) PAP_MUST;
/* The same of a skill that was there before, as far as it lies where `now` will (path NULL: nowhere). *ret_left has a path where it
 * lies elsewhere, which is to be taken away. */
pap_result install_place_before(struct pap_install *in, struct arena *a, const struct lock_skill *before, unsigned p,
                                const struct install_place *now, struct install_place *ret,
                                struct install_place *ret_left, struct pap_skill_err *err) PAP_MUST;
/* Where place p of that name is staged. */
const char *install_staged(struct arena *a, unsigned p, struct pap_str name) PAP_MUST;

struct install_look {
    enum file_type type;
    bool mine;                    /* nothing there is changed or foreign */
    bool whole;                   /* exactly what is wanted, nothing else */
    const char *offender;         /* the first that is not mine, below the root, in the arena */
    enum pap_install_state state; /* CHANGED or FOREIGN: why */
};

/* What is below a folder; *ret_all false: more than anybody would install. */
pap_result install_list(struct pap_install *in, struct arena *a, const char *path, struct tree *ret, bool *ret_all,
                        struct pap_skill_err *err) PAP_MUST;
/* Looks at a folder: files are mine when they are those that `owner` had, or those that `want` will have; either may be
 * NULL. Tells each file where `each` is not NULL. */
pap_result install_look(struct pap_install *in, struct arena *a, const char *path, const struct lock_skill *owner,
                        const struct lock_skill *want, pap_install_state_fn *each, void *ctx, struct install_look *ret,
                        struct pap_skill_err *err) PAP_MUST;
/* The same of a link. */
pap_result install_look_link(struct pap_install *in, struct arena *a, const struct install_place *place,
                             struct install_look *ret, struct pap_skill_err *err) PAP_MUST;
/* Whether the file has that digest and size; *ret false also where it is gone. */
pap_result install_file_is(struct pap_install *in, const char *path, const struct lock_file *f, bool *ret,
                           struct pap_skill_err *err) PAP_MUST;

/* ---- install_host.c ---- */

/* A folder in a lock is named from the lock's own folder: as it is named from here, and back again. {NULL, 0} when out of
 * memory. */
struct pap_str install_place_from_lock(struct pap_install *in, struct pap_str origin) PAP_MUST;
struct pap_str install_place_to_lock(struct pap_install *in, struct pap_str place,
                                     const struct lock_skill *had) PAP_MUST;
/* pap_install_url_allowed() */
pap_result install_judge_url(const struct lock_skill *s, const char *shown, struct pap_skill_err *err) PAP_MUST;
/* Sets after->artifact_hosts: those of before, and the hosts of its URL and of those that it led to where they are neither the
 * origin's nor one of them. */
pap_result install_settle_hosts(struct arena *a, const struct lock_skill *before, struct lock_skill *after,
                                const char *const *led_to, struct pap_skill_err *err) PAP_MUST;

/* ---- install_other.c ---- */

/* Refused: another lock in this folder has a skill of that name. */
pap_result install_judge_other(struct pap_install *in, struct pap_str name, struct pap_skill_err *err) PAP_MUST;

/* ---- install_plan.c ---- */

/* Plans the change to `after`, of which agents, agent_names and copy are settled here. */
pap_result install_plan(struct pap_install *in, const struct pap_install_add *add, struct lock_skill *after,
                        const struct install_source *from, struct pap_skill_err *err) PAP_MUST;
/* What has to be made of the change as things are, and whether it may be: kind, stage and places. Under the lock. */
pap_result install_plan_places(struct pap_install *in, struct install_change *c, struct pap_skill_err *err) PAP_MUST;

/* ---- install_journal.c: step 2 ---- */

/* `after` is the text of the new lock; `before` that of the old one, p NULL: there is none. */
pap_result install_journal_write(struct pap_install *in, struct pap_str before, struct pap_str after,
                                 struct pap_skill_err *err) PAP_MUST;
/* *ret_decided: a change of this lock is to be finished. false: there is none, or nothing is left of it but clearing up.
 * Refused: one that nobody can answer for, or of another lock. */
pap_result install_journal_judge(struct pap_install *in, struct arena *a, bool *ret_decided,
                                 struct pap_skill_err *err) PAP_MUST;

/* ---- install_skill.c ---- */

/* Whether all of the skill's paths may come to lie on a disk, where people see them: refused as archive_unsafe. */
pap_result install_judge_paths(const struct pap_skill *skill, struct pap_skill_err *err) PAP_MUST;

/* ---- install_finish.c: steps 3 and 4 ---- */

/* What a process that was killed left, before anything else is done. Under the lock; `clears`: something will be written. */
pap_result install_settle(struct pap_install *in, bool clears, struct pap_skill_err *err) PAP_MUST;

/* Finishes or forgets what lies in the staging folder. Under the lock. */
pap_result install_finish(struct pap_install *in, pap_install_state_fn *kept, void *ctx,
                          struct pap_skill_err *err) PAP_MUST;

#endif
