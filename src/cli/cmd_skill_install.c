/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver skill add, update and remove.
 */
#include <string.h>

#include "cli/skill_installing.h"

#define TEXT(s) (int)(s).n, (s).n ? (s).p : ""

static struct pap_install_add settled(const struct installing *i, const char *range, bool index)
{
    const struct skill_options *o = &i->run.o;
    return (struct pap_install_add){.range = range,
                                    .index = index,
                                    .agents = (const char *const *)o->agents,
                                    .copy = o->copy,
                                    .executable = o->executable,
                                    .frozen = o->frozen};
}

/* ---- add ---------------------------------------------------------------------------------------------------------- */

static bool add_one(struct installing *i, struct pap_skill_session *s, const char *place, const char *name,
                    const char *range)
{
    struct pap_skill *skill = skill_activate(&i->run, s, place, name, range);
    return skill && skill_plan_add(&i->changes, place, skill, settled(i, range, i->run.o.index));
}

/* All or nothing: what was refused is told, and then nothing is installed. */
static bool plan_names(struct installing *i, struct pap_skill_session *s, const char *place, const char **names)
{
    bool good = true;
    struct pap_skill_session_facts f;
    pap_skill_session_facts(s, &f);
    for (; *names; names++) {
        const char *name, *range;
        good &= skill_split(&i->run, *names, &name, &range) && add_one(i, s, place, name, range);
    }
    if (i->run.args.n > 1)
        return good;
    for (size_t k = 0; k < f.skills; k++) {
        struct pap_skill_release r;
        size_t releases;
        pap_skill_session_at(s, k, &r, &releases);
        const char *name = skill_c(&i->run, r.name);
        good &= name && add_one(i, s, place, name, NULL);
    }
    if (!f.skills)
        cli_note(i->run.cli, "%s lists no skills", skill_shown_c(&i->run, place));
    return good;
}

static void add(struct installing *i)
{
    const char **at = i->run.args.at;
    if (!skill_is_origin(&i->run, at[0]))
        return;
    if (!i->run.o.yes && !i->run.o.dry_run && !skill_can_ask(&i->run)) {
        skill_worse(&i->run, CLI_USAGE);
        cli_usage(i->run.cli, "nobody can be asked here: add --yes to install without a question, or --dry-run to see "
                              "what it would be");
        return;
    }
    if (!installing_open_lock(i, !i->run.o.dry_run) || !skill_client(&i->run, false))
        return;
    struct pap_skill_origin origin = skill_origin(&i->run, at[0]);
    struct open_session *o = cli_alloc(i->run.cli, sizeof *o);
    if (!o || !(o->session = skill_session(&i->run, &origin)))
        return;
    i->sessions = o;
    if (plan_names(i, o->session, at[0], at + 1))
        skill_changes_make(&i->changes);
}

/* ---- add --frozen ------------------------------------------------------------------------------------------------- */

static bool frozen_one(struct installing *i, size_t at)
{
    struct pap_install_skill s;
    struct pap_skill *skill = NULL;
    struct pap_skill_err err = {.text = ""};
    pap_install_at(i->changes.in, at, &s);
    const char *name = skill_c(&i->run, s.name), *place = skill_c(&i->run, s.place);
    const char *type = skill_c(&i->run, s.type), *url = skill_c(&i->run, s.url), *digest = skill_c(&i->run, s.digest);
    const char *version = s.version.n ? skill_c(&i->run, s.version) : NULL;
    const char *range = s.range.n ? skill_c(&i->run, s.range) : NULL;
    const char *scope = s.scope.n ? skill_c(&i->run, s.scope) : NULL;
    if (url && place && !strstr(url, "://")) /* in a folder */
        url = cli_join(i->run.cli, (const char *const[]){place, "/", url, NULL});
    if (!name || !place || !type || !url || !digest)
        return false;
    pap_result r = pap_install_url_allowed(i->changes.in, at, &err);
    if (r.code == PAP_OK) {
        struct pap_skill_origin origin = skill_origin(&i->run, place);
        struct pap_skill_pin pin = {
            .name = name, .type = type, .url = url, .digest = digest, .version = version, .hosts = s.artifact_hosts};
        origin.scope = scope;
        origin.index |= s.index;
        r = pap_skill_activate_pinned(i->run.client, &origin, &pin, &skill, &err);
        progress_clear(&i->run.progress);
    }
    if (r.code == PAP_OK)
        return skill_plan_add(&i->changes, place, skill, settled(i, range, s.index));
    skill_tell(&i->run, place, name, r, &err);
    return false;
}

static void frozen(struct installing *i)
{
    if (i->run.args.n && (strpbrk(i->run.args.at[0], "./:") != NULL)) {
        skill_worse(&i->run, CLI_USAGE);
        cli_usage(i->run.cli, "--frozen installs what the lock says, from where it says: papaver skill add --frozen");
        return;
    }
    if (installing_has_lock(i, false) && skill_client(&i->run, false) && installing_each(i, frozen_one))
        skill_changes_make(&i->changes);
}

static int run_add(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct installing i;
    if (!installing_begin(&i, cli, self, argc, argv))
        return cli->status;
    if (i.run.o.frozen) {
        frozen(&i);
    } else if (!i.run.args.n) {
        cli_usage(cli,
                  "say from where: papaver skill add shop.example water-plants (or --frozen, to install what the lock "
                  "says)");
        skill_worse(&i.run, CLI_USAGE);
    } else {
        add(&i);
    }
    return installing_end(&i);
}

/* ---- update ------------------------------------------------------------------------------------------------------- */

static bool update_one(struct installing *i, size_t at)
{
    struct pap_install_skill s;
    pap_install_at(i->changes.in, at, &s);
    const char *name = skill_c(&i->run, s.name), *place = skill_c(&i->run, s.place);
    const char *range = s.range.n ? skill_c(&i->run, s.range) : NULL;
    struct pap_skill_session *session = installing_session(i, &s);
    struct pap_skill *skill = session && name && place ? skill_activate(&i->run, session, place, name, range) : NULL;
    return skill && skill_plan_add(&i->changes, place, skill, settled(i, range, s.index));
}

/* What can be updated is, whatever became of the others. */
static int run_update(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct installing i;
    if (!installing_begin(&i, cli, self, argc, argv))
        return cli->status;
    bool may = installing_has_lock(&i, !i.run.o.dry_run);
    if (may && !i.run.o.yes && !i.run.o.dry_run && !skill_can_ask(&i.run)) {
        cli_usage(cli,
                  "nobody can be asked here: add --yes to update without a question, or --dry-run to see what would "
                  "change");
        skill_worse(&i.run, CLI_USAGE);
    } else if (may && skill_client(&i.run, false)) {
        if (!installing_each(&i, update_one) && !i.run.o.json && pap_install_changes(i.changes.in))
            cli_note(cli, "the others go on");
        skill_changes_make(&i.changes);
    }
    return installing_end(&i);
}

/* ---- remove ------------------------------------------------------------------------------------------------------- */

static int run_remove(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct installing i;
    bool good = true;
    if (!installing_begin(&i, cli, self, argc, argv))
        return cli->status;
    if (!i.run.args.n) {
        cli_usage(cli, "say what: papaver skill remove water-plants");
        skill_worse(&i.run, CLI_USAGE);
        return installing_end(&i);
    }
    if (!installing_open_lock(&i, !i.run.o.dry_run))
        return installing_end(&i);
    for (size_t k = 0; k < i.run.args.n; k++) {
        struct pap_skill_err err = {.text = ""};
        pap_result r = pap_install_plan_remove(i.changes.in, i.run.args.at[k], &err);
        if (r.code != PAP_OK)
            skill_tell(&i.run, NULL, i.run.args.at[k], r, &err);
        good &= r.code == PAP_OK;
    }
    if (good)
        skill_changes_make(&i.changes);
    return installing_end(&i);
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

#define AGENT_ROWS                                                                                                    \
    {.name = "agent",                                                                                                 \
     .letter = 'a',                                                                                                   \
     .argument = "AGENT",                                                                                             \
     .field = SKILL_AT(agents),                                                                                       \
     .set = set_agents,                                                                                               \
     .choices = skill_agent_names,                                                                                    \
     .complete = COMPLETE_CHOICES,                                                                                    \
     .list = true,                                                                                                    \
     .help = "for this agent, too: claude, codex, cursor, copilot, gemini, opencode, goose or amp; may be repeated. " \
             "Those that do not read .agents/skills get a link"},                                                     \
        {.name = "copy", .field = SKILL_AT(copy), .set = set_flag, .help = "with --agent: copies instead of links"},  \
    {                                                                                                                 \
        .name = "executable", .field = SKILL_AT(executable), .set = set_flag,                                         \
        .help = "files that the skill marks executable become so; unless set, only those that were before"            \
    }

static bool set_agents(struct cli *cli, const struct given *given, void *field)
{
    const char *name;
    return set_choice_text(cli, given, &name) && set_list(cli, given, field);
}

static const struct option_row add_rows[] = {
    AGENT_ROWS,
    {.name = "frozen",
     .field = SKILL_AT(frozen),
     .set = set_flag,
     .help = "for CI: install exactly what the lock says, from where it says, and nothing else; no list is read"},
    SKILL_JSON_ROW,
    SKILL_ASK_ROWS,
    SKILL_PLACE_ROWS,
    SKILL_ORIGIN_ROWS,
    {.name = NULL},
};

static const struct option_row update_rows[] = {
    AGENT_ROWS, SKILL_JSON_ROW, SKILL_ASK_ROWS, SKILL_PLACE_ROWS, SKILL_ORIGIN_ROWS, {.name = NULL},
};

static const struct option_row remove_rows[] = {
    SKILL_JSON_ROW,
    {.name = "dry-run", .field = SKILL_AT(dry_run), .set = set_flag, .help = "show what would be done, and do nothing"},
    SKILL_PLACE_ROWS,
    {.name = NULL},
};

const struct command cmd_skill_add = {
    .name = "skill add",
    .run = run_add,
    .summary = "install verified skills, and write down what was installed",
    .arguments = "ORIGIN [NAME[@RANGE]...]",
    .about =
        "Fetches and verifies skills (all of the origin unless some are named), shows what they are, asks, and installs exactly "
        "the digests shown: files in .agents/skills/NAME, which most agents read, and for the others a link to it or a copy. "
        "papaver-skills.lock says from where, which release, and the digest of every file.\n\n"
        "What the lock does not own is never overwritten, and files that were changed since are not either. Nothing is "
        "written through a symbolic link. Scripts do not become executable unless --executable says so, and nothing is ever "
        "run. Two origins with a skill of one name cannot be installed side by side. Whenever the command is killed, each "
        "skill is the old or the new one, whole.\n\n"
        "With --frozen the arguments are names of the lock: exactly these digests are installed, from URLs on the origin's host "
        "or on one of its artifact_hosts, and what differs is refused.",
    .options = add_rows,
    .examples = (const struct example[]){{"papaver skill add shop.example water-plants", "the newest release"},
                                         {"papaver skill add shop.example water-plants@^1.2.0 --agent claude --yes",
                                          "without a question, also for Claude"},
                                         {"papaver skill add --frozen", "in CI: what the lock says"},
                                         {"papaver skill add --user stall.example", "all of an origin, for yourself"},
                                         {NULL, NULL}},
    .completes_files = true,
};

const struct command cmd_skill_update = {
    .name = "skill update",
    .run = run_update,
    .summary = "install newer releases of what is installed",
    .arguments = "[NAME...]",
    .about =
        "Looks for newer releases within the range that each skill was installed with, shows both digests and how SKILL.md "
        "changes, asks, and installs. What is missing is mended. Files that were changed since stop it: they are never "
        "overwritten.",
    .options = update_rows,
    .examples = (const struct example[]){{"papaver skill update", "all of the lock"},
                                         {"papaver skill update --dry-run water-plants", "what would change"},
                                         {NULL, NULL}},
};

const struct command cmd_skill_remove = {
    .name = "skill remove",
    .run = run_remove,
    .summary = "take installed skills away",
    .arguments = "NAME...",
    .about =
        "Deletes the files that the lock owns and that are unchanged, and the links to them. What was changed or added since "
        "stays and is named. Nothing is asked: papaver skill add brings back whatever goes.",
    .options = remove_rows,
    .examples = (const struct example[]){{"papaver skill remove water-plants", "one skill"}, {NULL, NULL}},
};
