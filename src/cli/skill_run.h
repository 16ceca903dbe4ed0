/* SPDX-License-Identifier: Apache-2.0
 *
 * What the commands below `papaver skill` share: a client, sessions, one way to tell what was refused, and the writers of
 * what strangers say.
 */
#ifndef CLI_SKILL_RUN_H
#define CLI_SKILL_RUN_H

#include <papaver/install.h>

#include "cli/header_env.h"
#include "cli/json.h"
#include "cli/progress.h"
#include "cli/skill_options.h"

struct skill_refusal;

struct skill_run {
    struct cli *cli;
    struct skill_options o;
    struct arguments args;
    struct pap_skill_client *client;
    struct header_env headers;
    struct json_out json;
    struct progress progress;       /* of a fetch; the commands fetch one skill at a time */
    int status;                     /* the worst so far */
    struct skill_refusal *refusals; /* for JSON, in order */
    struct skill_refusal **last;
};

/* Reads the command line and begins the JSON document. false: cli->status is the exit status. */
bool skill_begin(struct cli *cli, const struct command *self, int argc, char **argv, struct skill_run *ret) PAP_MUST;
/* Ends the JSON document, frees the client, and returns the exit status. */
int skill_end(struct skill_run *run);

/* Makes the client. With `fresh` without any cache. false after telling why. */
bool skill_client(struct skill_run *run, bool fresh) PAP_MUST;
/* An origin as the options have it. */
struct pap_skill_origin skill_origin(const struct skill_run *run, const char *place);
/* Whether the text can be an origin at all; false after telling what people mostly mean by it. `example` is the rest of a
 * right command line. */
bool skill_is_origin(struct skill_run *run, const char *place) PAP_MUST;
/* header_env_may_ask() */
bool skill_may_ask(struct skill_run *run, const char *place, const char *lock) PAP_MUST;
/* The place as people may see and pass it on: without what may open something. */
const char *skill_shown(struct skill_run *run, struct pap_str place);
/* The same of a C string; NULL of NULL. */
const char *skill_shown_c(struct skill_run *run, const char *place);
/* Fetches and verifies one skill. NULL after telling why. */
struct pap_skill *skill_activate(struct skill_run *run, struct pap_skill_session *session, const char *place,
                                 const char *name, const char *range);
/* Opens a session, and says its note and what it skipped. NULL after telling why. */
struct pap_skill_session *skill_session(struct skill_run *run, const struct pap_skill_origin *origin);
void skill_say_session(struct skill_run *run, const struct pap_skill_session *session);

/* Tells a refusal or failure; `place` and `name` may be NULL. The exit status becomes worse by it. */
void skill_tell(struct skill_run *run, const char *place, const char *name, pap_result r,
                const struct pap_skill_err *err);
/* The exit status that stands for it. */
int skill_status(pap_result r, const struct pap_skill_err *err);
void skill_worse(struct skill_run *run, int status);
/* The members of a refusal within an object. */
void skill_json_err(struct json_out *j, const struct pap_skill_err *err);

/* "NAME@RANGE" in two; *ret_range NULL: none. Memory of the cli. */
bool skill_split(struct skill_run *run, const char *text, const char **ret_name, const char **ret_range) PAP_MUST;
/* A C string of the cli's memory; NULL after saying so. */
const char *skill_c(struct skill_run *run, struct pap_str s) PAP_MUST;

/* Where the cache is; NULL: nowhere. */
const char *skill_cache_folder(struct skill_run *run);

/* ---- what strangers say ---- */

/* Words in one line, invisible characters written out. */
void skill_words(FILE *out, struct pap_str s);
/* The same in at most so many columns, filled up with blanks with `fill`; a cut is shown by "...". */
void skill_column(FILE *out, struct pap_str s, size_t columns, bool fill);
/* A body: exact bytes into a pipe or file, on a terminal with what is invisible written out. */
void skill_body(struct skill_run *run, struct pap_str s);
/* The members that every release has. */
void skill_json_release(struct json_out *j, const struct pap_skill_release *r);

/* Whether somebody can be asked (cli_ask). */
bool skill_can_ask(const struct skill_run *run);

/* ---- installs ---- */

/* Opens the lock that the options name; with `finish` what a killed process left half done is finished, else refused. NULL after
 * telling why. */
struct pap_install *skill_install(struct skill_run *run, bool finish);
/* The lock as the person knows it. */
const char *skill_lock_name(struct skill_run *run);

#endif
