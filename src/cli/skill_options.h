/* SPDX-License-Identifier: Apache-2.0
 *
 * What the commands below `papaver skill` are told. One struct for all of them; each has the rows that make sense for it.
 */
#ifndef CLI_SKILL_OPTIONS_H
#define CLI_SKILL_OPTIONS_H

#include "cli/header_env.h"
#include "cli/network_options.h"

struct skill_options {
    struct network_options network;
    bool insecure_http, strict, offline, refresh, index, legacy, no_cache;
    bool json;
    uint32_t stale_ms, retries, jobs;
    const char *scope, *cache;
    const char **header_env;
    /* search */
    const char **origins;
    uint32_t limit;
    /* get, read */
    bool wrap;
    const char *to;
    /* installs */
    const char *lock;
    const char **agents;
    bool user, copy, executable, yes, dry_run, frozen;
    /* cache */
    uint32_t days;
    /* new */
    const char *root;
};

#define SKILL_AT(member) offsetof(struct skill_options, member)

#define SKILL_JSON_ROW                                                                        \
    {                                                                                         \
        .name = "json", .field = SKILL_AT(json), .set = set_flag,                             \
        .help = "print one JSON document, as docs/skill.schema.json has it; nothing is asked" \
    }

#define SKILL_CACHE_ROWS                                                                              \
    {.name = "cache",                                                                                 \
     .argument = "FOLDER",                                                                            \
     .field = SKILL_AT(cache),                                                                        \
     .set = set_text,                                                                                 \
     .complete = COMPLETE_FILE,                                                                       \
     .not_with = "no-cache",                                                                          \
     .help = "keep lists and skills there (unless set: papaver in $XDG_CACHE_HOME, or in ~/.cache)"}, \
    {                                                                                                 \
        .name = "no-cache", .field = SKILL_AT(no_cache), .set = set_flag,                             \
        .help = "neither use nor keep anything on disk"                                               \
    }

/* Which list is read, and how. */
#define SKILL_ORIGIN_ROWS                                                                                              \
    {.group = "Origin",                                                                                                \
     .name = "index",                                                                                                  \
     .field = SKILL_AT(index),                                                                                         \
     .set = set_flag,                                                                                                  \
     .help = "read a domain's well-known index, whatever its poppy.json says"},                                        \
        {.name = "scope",                                                                                              \
         .argument = "SCOPE",                                                                                          \
         .field = SKILL_AT(scope),                                                                                     \
         .set = set_text,                                                                                              \
         .help = "ask for the list of this scope (Remote-Skills-Scope)"},                                              \
        HEADER_ENV_ROW(SKILL_AT(header_env)),                                                                          \
        {.name = "legacy",                                                                                             \
         .field = SKILL_AT(legacy),                                                                                    \
         .set = set_flag,                                                                                              \
         .help = "also read the layouts before 0.2.0, where an origin has nothing else; they have no digests, and so " \
                 "are listed and never fetched"},                                                                      \
        {.name = "strict",                                                                                             \
         .field = SKILL_AT(strict),                                                                                    \
         .set = set_flag,                                                                                              \
         .help = "refuse at the first bad entry, and skills whose front matter is not exactly right; never "           \
                 "fetch twice"},                                                                                       \
        {.group = "Cache",                                                                                             \
         .name = "offline",                                                                                            \
         .field = SKILL_AT(offline),                                                                                   \
         .set = set_flag,                                                                                              \
         .not_with = "refresh",                                                                                        \
         .help = "make no request: what is in the cache, or nothing"},                                                 \
        {.name = "refresh",                                                                                            \
         .field = SKILL_AT(refresh),                                                                                   \
         .set = set_flag,                                                                                              \
         .help = "ask the origin, even if the list at hand is still fresh"},                                           \
        {.name = "stale",                                                                                              \
         .argument = "SECONDS",                                                                                        \
         .field = SKILL_AT(stale_ms),                                                                                  \
         .set = set_age,                                                                                               \
         .help = "a list of at most this age may stand in when the origin cannot be reached"},                         \
        SKILL_CACHE_ROWS, NETWORK_ROWS("Network", SKILL_AT(network)),                                                  \
        {.name = "insecure-http",                                                                                      \
         .field = SKILL_AT(insecure_http),                                                                             \
         .set = set_flag,                                                                                              \
         .help = "allow http to loopback addresses, for tests"},                                                       \
    {                                                                                                                  \
        .name = "retries", .argument = "N", .field = SKILL_AT(retries), .set = set_retries,                            \
        .help = "try again so often, 0 to 10 times, when an origin cannot be reached (2)"                              \
    }

/* Where skills are installed. */
#define SKILL_PLACE_ROWS                                                                                    \
    {.group = "Place",                                                                                      \
     .name = "lock",                                                                                        \
     .argument = "FILE",                                                                                    \
     .field = SKILL_AT(lock),                                                                               \
     .set = set_text,                                                                                       \
     .complete = COMPLETE_FILE,                                                                             \
     .not_with = "user",                                                                                    \
     .help = "the lock; its folder is the project (unless set papaver-skills.lock of the current folder)"}, \
    {                                                                                                       \
        .name = "user", .field = SKILL_AT(user), .set = set_flag,                                           \
        .help = "the skills of your home folder instead of a project's"                                     \
    }

#define SKILL_ASK_ROWS                                                                     \
    {.group = "Confirmation",                                                              \
     .name = "yes",                                                                        \
     .letter = 'y',                                                                        \
     .field = SKILL_AT(yes),                                                               \
     .set = set_flag,                                                                      \
     .help = "do not ask; needed where nobody can be asked"},                              \
    {                                                                                      \
        .name = "dry-run", .field = SKILL_AT(dry_run), .set = set_flag, .not_with = "yes", \
        .help = "show what would be done, and do nothing"                                  \
    }

option_fn set_age;     /* uint32_t: milliseconds; up to 30 days */
option_fn set_retries; /* uint32_t: 0 to 10 */

extern const char *const skill_agent_names[];
extern const struct command cmd_skill_list, cmd_skill_search, cmd_skill_show, cmd_skill_get, cmd_skill_read,
    cmd_skill_verify, cmd_skill_add, cmd_skill_update, cmd_skill_remove, cmd_skill_outdated, cmd_skill_cache,
    cmd_skill_new;

#endif
