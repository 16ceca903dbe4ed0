/* SPDX-License-Identifier: Apache-2.0
 *
 * --header-env [HOST/]NAME=VARIABLE: credentials for origins, out of the environment, each for exactly one host and port.
 */
#ifndef CLI_HEADER_ENV_H
#define CLI_HEADER_ENV_H

#include <papaver/skill.h>

#include "cli/command.h"

/* The row of a command: `at` is the offset of its `const char **`. */
#define HEADER_ENV_ROW(at)                                                                                           \
    {                                                                                                                \
        .name = "header-env", .argument = "[HOST/]NAME=VARIABLE", .field = (at), .set = set_list, .list = true,      \
        .help =                                                                                                      \
            "send the header field NAME with the value of the environment variable, to exactly the host and "        \
            "port of the list, or to exactly HOST[:PORT], which has to be said where the origin comes from a lock; " \
            "never on to another; may be repeated"                                                                   \
    }

struct header_env {
    struct pap_skill_header *at;
    size_t n;
    const char *to; /* who gets those without a host of their own, as "https://host"; NULL: none yet */
};

/* What was given, a list that ends with NULL or NULL. false after saying what is wrong. */
bool header_env_read(struct cli *cli, const char **given, struct header_env *ret) PAP_MUST;
/* Called with every origin before any is asked: those without a host are for exactly one of the command line, and for none of a
 * lock, which may come from anybody. False after telling. `lock` names the lock that the origin comes from; NULL: none. */
bool header_env_may_ask(struct cli *cli, struct header_env *e, const char *place, const char *lock) PAP_MUST;

#endif
