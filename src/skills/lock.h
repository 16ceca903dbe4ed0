/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver-skills.lock: what was installed, from where, with the digest of every file. Sorted JSON with a version of its
 * own. It lies in a repository, so that reading it trusts nothing: every name, path and number is judged again, every list
 * has a cap, and what this version does not know is refused.
 */
#ifndef SKILLS_LOCK_H
#define SKILLS_LOCK_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/result.h"

enum { LOCK_VERSION = 1 };

struct lock_file {
    struct pap_str path;   /* a NUL is behind it */
    struct pap_str digest; /* "sha256:..." */
    uint64_t size;
    bool executable;
};

struct lock_skill {
    struct pap_str name, origin, url, type, digest; /* a NUL is behind each text */
    struct pap_str scope, range, version;           /* n 0: none */
    struct pap_str place;                    /* where the origin lies from here; set by installs, p NULL until then */
    struct pap_str claude_home, config_home; /* of a person, below the home folder; n 0: .claude and .config */
    bool index, copy;
    uint32_t agents;                   /* agent_bit() */
    const char *const *agent_names;    /* the same, ended by NULL */
    const char *const *artifact_hosts; /* sorted, ended by NULL */
    struct lock_file *files;           /* by path */
    size_t n_files;
};

struct lock {
    struct lock_skill *skills; /* by name */
    size_t n;
};

/* Everything lives in the arena. PAP_SYNTAX says "PATH:LINE:COLUMN: what is wrong". A text whose p is NULL (there is no
 * file) is a lock without skills. */
pap_result lock_read(struct arena *a, struct pap_str text, const char *path, struct lock *ret,
                     struct pap_err *err) PAP_MUST;
/* Always the same bytes for the same lock. */
void lock_write(struct buf *out, const struct lock *lock);

/* Why no lock may hold a file of that path; NULL: it may. */
const char *lock_path_fault(struct pap_str path);

/* NULL when there is none. */
const struct lock_skill *lock_find(const struct lock *lock, struct pap_str name);
/* The lock with the skill in the place of one of its name; `with` NULL: without that name. */
pap_result lock_change(struct arena *a, const struct lock *lock, struct pap_str name, const struct lock_skill *with,
                       struct lock *ret, struct pap_err *err) PAP_MUST;
/* What two locks say differently of a skill. */
struct lock_difference {
    const char *what;    /* "range", "size" ... */
    struct pap_str path; /* of the file that this is of; empty: of the skill */
    struct pap_str a, b; /* "": one does not have it */
    char numbers[2][24]; /* what `a` and `b` may point to: not to be copied */
};
/* The first of them; false: both say the same. */
bool lock_skill_differs(const struct lock_skill *a, const struct lock_skill *b, struct lock_difference *ret);
/* The same where either may be NULL. */
bool lock_skill_eq(const struct lock_skill *a, const struct lock_skill *b);
/* The same version with another digest. Either may be NULL. */
bool lock_skill_replaced(const struct lock_skill *a, const struct lock_skill *b);
/* A lower version, and the range of `b` does not ask for it: it would allow that of `a` as well. Either may be NULL. */
bool lock_skill_lower(const struct lock_skill *a, const struct lock_skill *b);
/* NULL when there is none. */
const struct lock_file *lock_file_find(const struct lock_skill *s, struct pap_str path);
/* The names of a set of agents, ended by NULL; NULL when out of memory. */
const char *const *lock_agents(struct arena *a, uint32_t set) PAP_MUST;

#endif
