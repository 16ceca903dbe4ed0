/* SPDX-License-Identifier: Apache-2.0
 *
 * Verified skills on disk, where agents look for them, and the lock that says what was put there.
 *
 *   project   `papaver-skills.lock` in the project's folder; skills in .agents/skills/NAME
 *   person    ~/.agents/papaver-skills.lock; skills in ~/.agents/skills/NAME
 *
 * Agents that look elsewhere get a relative link to that folder, or a copy. Nothing is written or deleted through a symbolic
 * link, nothing that the lock does not own is overwritten or deleted, and whenever the process dies, what is there works:
 * the next call that may write finishes what was decided, or forgets what was not. Two processes take turns. Needs Linux 5.6.
 */
#ifndef PAPAVER_INSTALL_H
#define PAPAVER_INSTALL_H

#include <papaver/skill.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where an agent looks. NULL: .agents/skills, and nothing more is needed. Below the folder of the project, of the person. */
struct pap_install_agent {
    const char *name; /* "claude" */
    const char *project, *user;
};
/* Agent i from 0, NULL when there are no more. Static. */
PAP_PUBLIC const struct pap_install_agent *pap_install_agent_at(size_t i);

/* Strings are NUL-terminated and borrowed until pap_install_close(). */
struct pap_install_options {
    const struct pap_alloc *alloc;
    const char *lock; /* of a project: the file; its folder is the project's. NULL: "papaver-skills.lock" */
    const char *home; /* of a person: the home folder; `lock` does not count. NULL: a project */
    /* Where a person keeps Claude's and other programs' settings, absolute; they have to be below `home`. NULL: ~/.claude
     * and ~/.config. */
    const char *claude_home, *config_home;
    /* What a process that was killed left half done is refused with lock_mismatch; else opening finishes it, which writes. For
     * who only reads, and for who asks nobody. */
    bool refuse_unfinished;
};

struct pap_install;

/* Reads the lock, which is input like any other: PAP_REFUSED with lock_mismatch where it is not right. */
PAP_PUBLIC pap_result pap_install_open(const struct pap_install_options *options, struct pap_install **ret,
                                       struct pap_skill_err *err) PAP_MUST;
/* Accepts NULL. Views end here. */
PAP_PUBLIC void pap_install_close(struct pap_install *install);

/* ---- What the lock says, skills by name ---- */

struct pap_install_skill {
    struct pap_str name, origin, scope; /* as struct pap_skill_origin has them; scope may be empty */
    struct pap_str place; /* to open: the origin, but a folder is named from here, and not from the lock's own folder */
    bool index;
    struct pap_str range, version;     /* what was asked for, what was chosen; may be empty */
    struct pap_str type, url, digest;  /* url: of a folder the path in it */
    const char *const *agents;         /* that more than .agents/skills was made for; ends with NULL */
    const char *const *artifact_hosts; /* where the artifact may come from besides the origin's host; ends with NULL */
    bool copy;                         /* these agents have a copy, not a link */
    size_t files;
};
PAP_PUBLIC size_t pap_install_count(const struct pap_install *install);
PAP_PUBLIC void pap_install_at(const struct pap_install *install, size_t i, struct pap_install_skill *ret);
/* False: there is no skill of that name. */
PAP_PUBLIC bool pap_install_find(const struct pap_install *install, const char *name, size_t *ret);
/* Whether that version is lower than that of skill i, though the lock's range allows both. */
PAP_PUBLIC bool pap_install_is_lower(const struct pap_install *install, size_t i, struct pap_str version);
/* File j of skill i, by path. `executable`: it was installed so. */
PAP_PUBLIC void pap_install_file_at(const struct pap_install *install, size_t i, size_t j, struct pap_skill_file *ret);
/* The bytes of an installed file as they are now, p NULL where it is gone; good until the next call of this function. */
PAP_PUBLIC pap_result pap_install_read(struct pap_install *install, size_t i, const char *path, struct pap_str *ret,
                                       struct pap_skill_err *err) PAP_MUST;
/* Whether the lock itself lets skill i come from its URL: https on the host (and port) of its origin, or on one of its
 * artifact_hosts. PAP_REFUSED with lock_mismatch otherwise. For installs that ask nobody. */
PAP_PUBLIC pap_result pap_install_url_allowed(const struct pap_install *install, size_t i,
                                              struct pap_skill_err *err) PAP_MUST;

/* ---- Is what is there what the lock says? ---- */

enum pap_install_state { PAP_INSTALL_SAME = 0, PAP_INSTALL_CHANGED, PAP_INSTALL_MISSING, PAP_INSTALL_FOREIGN };

/* `path` is below the project's (or home) folder. FOREIGN: something that the lock does not own. */
typedef void pap_install_state_fn(void *ctx, struct pap_str path, enum pap_install_state state);
/* Tells every file and link of skill i that is not SAME, with `all` the others too. *ret_good: all are the same. `each` calls
 * nothing of this header: other processes, and other calls, wait until it is done. */
PAP_PUBLIC pap_result pap_install_verify(struct pap_install *install, size_t i, bool all, pap_install_state_fn *each,
                                         void *ctx, bool *ret_good, struct pap_skill_err *err) PAP_MUST;

/* ---- Changes: planned one by one, told, then made together ---- */

struct pap_install_add {
    const struct pap_skill *skill; /* must live until apply or close: exactly its bytes are installed */
    const char *range;             /* what was asked for; NULL: nothing */
    bool index;                    /* its origin's `index` */
    const char *const *agents;     /* ends with NULL; NULL: those of the lock */
    bool copy;
    bool executable; /* files marked so become executable; else only those that the lock already has so */
    bool frozen;     /* what would change the lock is refused with lock_mismatch */
    /* What is refused with lock_mismatch else: the version of the lock with another digest; a lower version than the lock's that
     * `range` does not ask for. */
    bool replaced, lower;
};

enum pap_install_kind {
    PAP_INSTALL_NEW = 1,
    PAP_INSTALL_UPDATE, /* another digest, or other agents */
    PAP_INSTALL_KEEP,   /* all is there already; only the lock may change */
    PAP_INSTALL_MEND,   /* the digest of the lock, but something was missing */
    PAP_INSTALL_REMOVE
};

struct pap_install_change {
    enum pap_install_kind kind;
    struct pap_install_skill before, after; /* name empty: none */
    const char *const *places;              /* folders and links that are made or replaced; ends with NULL */
    bool replaced;                          /* the same version, and another digest: no release should ever change */
    bool lower; /* a lower version, though the range allows the one before: the origin took that back */
};

/* Plans to install a skill. Refused: another origin has that name in the lock (PAP_SKILL_CONFIGURATION_INVALID), the place
 * holds what the lock does not own, a file was changed since it was installed (PAP_SKILL_LOCK_MISMATCH, context path). The
 * change is the last of pap_install_change_at(). */
PAP_PUBLIC pap_result pap_install_plan_add(struct pap_install *install, const struct pap_install_add *add,
                                           struct pap_skill_err *err) PAP_MUST;
/* Plans to take a skill away. */
PAP_PUBLIC pap_result pap_install_plan_remove(struct pap_install *install, const char *name,
                                              struct pap_skill_err *err) PAP_MUST;
PAP_PUBLIC size_t pap_install_changes(const struct pap_install *install);
PAP_PUBLIC void pap_install_change_at(const struct pap_install *install, size_t i, struct pap_install_change *ret);
/* File j of change i as it will be installed. */
PAP_PUBLIC void pap_install_change_file_at(const struct pap_install *install, size_t i, size_t j,
                                           struct pap_skill_file *ret);
/* What the planned removals would leave in its place, as pap_install_apply() would tell. Changes nothing. */
PAP_PUBLIC pap_result pap_install_would_keep(struct pap_install *install, pap_install_state_fn *kept, void *ctx,
                                             struct pap_skill_err *err) PAP_MUST;
/* Makes all changes and writes the lock. What a removal leaves in its place because it was changed or is not the lock's is
 * told to `kept` (may be NULL). lock_mismatch: another process changed the same skills meanwhile. */
PAP_PUBLIC pap_result pap_install_apply(struct pap_install *install, pap_install_state_fn *kept, void *ctx,
                                        struct pap_skill_err *err) PAP_MUST;

/* Writes a skill's files to a folder that is not there yet, or is empty: all of them or none. No lock knows of it. */
PAP_PUBLIC pap_result pap_install_unpack(const struct pap_skill *skill, const char *folder, bool executable,
                                         struct pap_skill_err *err) PAP_MUST;

#ifdef __cplusplus
}
#endif

#endif
