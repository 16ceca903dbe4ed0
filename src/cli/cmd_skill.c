/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver skill: its commands.
 */
#include "cli/skill_options.h"

const struct command cmd_skill = {
    .name = "skill",
    .parts =
        (const struct command *const[]){&cmd_skill_list, &cmd_skill_search, &cmd_skill_show, &cmd_skill_get,
                                        &cmd_skill_read, &cmd_skill_verify, &cmd_skill_add, &cmd_skill_update,
                                        &cmd_skill_remove, &cmd_skill_outdated, &cmd_skill_cache, &cmd_skill_new, NULL},
    .summary = "find, verify and install the skills that companies publish",
    .about =
        "Skills are what companies write for agents. These commands read a company's list, fetch one skill when it is "
        "wanted, and compare its digest before a byte of it is used; what is refused is told with the rule and both "
        "values. Nothing but the request is sent, no script is run, and no skill grants a permission.\n\n"
        "An ORIGIN is a domain (shop.example), an https URL (of a domain, or of exactly one index) or a folder (./skills/). A "
        "RANGE is 1.2.3, ^1.2.0, ~1.2.3, 1.x, \">=1.0.0 <2.0.0\" or *; without one it is the highest stable release that is "
        "not deprecated. On a terminal there are tables; in a pipe fields are separated by tabs; --json is for programs.\n\n"
        "Exit status: 0 done, 1 refused by a rule, 2 a mistake in the command, 3 something could not be reached, read or "
        "written.",
    .examples = (const struct example[]){{"papaver skill list shop.example", "what a company offers"},
                                         {"papaver skill get shop.example water-plants", "one skill, verified"},
                                         {"papaver skill add shop.example water-plants --agent claude", "install it"},
                                         {"papaver skill update", "install newer releases, after showing what changes"},
                                         {NULL, NULL}},
};
