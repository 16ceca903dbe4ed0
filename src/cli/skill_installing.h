/* SPDX-License-Identifier: Apache-2.0
 *
 * What the commands share that work on the skills of a lock: the lock, and one session for each origin in it.
 */
#ifndef CLI_SKILL_INSTALLING_H
#define CLI_SKILL_INSTALLING_H

#include "cli/skill_change.h"

struct installing {
    struct skill_run run;
    struct skill_changes changes;
    struct open_session { /* one an origin */
        struct open_session *next;
        const char *place, *scope;
        bool index;
        struct pap_skill_session *session;
    } * sessions;
};

/* As skill_begin() and skill_end(). */
bool installing_begin(struct installing *i, struct cli *cli, const struct command *self, int argc,
                      char **argv) PAP_MUST;
int installing_end(struct installing *i);

/* The lock, which may be none yet; `finish` as skill_install() has it. false after telling why. */
bool installing_open_lock(struct installing *i, bool finish) PAP_MUST;
/* A lock with skills, whose origins may be asked. */
bool installing_has_lock(struct installing *i, bool finish) PAP_MUST;
/* Calls `each` for the skills of the lock that the arguments name, or for all. */
bool installing_each(struct installing *i, bool (*each)(struct installing *i, size_t at)) PAP_MUST;
/* The session of an installed skill's origin, opened once. NULL after telling why, once. */
struct pap_skill_session *installing_session(struct installing *i, const struct pap_install_skill *s);

#endif
