/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver skill add, update, remove and outdated.
 */
#include <string.h>

#include "cli/skill_change.h"

#define TEXT(s) (int)(s).n, (s).n ? (s).p : ""

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

static bool begin(struct installing *i, struct cli *cli, const struct command *self, int argc, char **argv)
{
    *i = (struct installing){.sessions = NULL};
    return skill_begin(cli, self, argc, argv, &i->run);
}

static bool open_lock(struct installing *i)
{
    i->changes = (struct skill_changes){.run = &i->run, .in = skill_install(&i->run)};
    return i->changes.in != NULL;
}

static int end(struct installing *i)
{
    skill_changes_free(&i->changes);
    for (struct open_session *s = i->sessions; s; s = s->next)
        pap_skill_session_close(s->session);
    return skill_end(&i->run);
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* The session of an installed skill's origin, opened once. NULL after telling why, once. */
static struct pap_skill_session *session_of(struct installing *i, const struct pap_install_skill *s)
{
    const char *place = skill_c(&i->run, s->place), *scope = s->scope.n ? skill_c(&i->run, s->scope) : NULL;
    for (struct open_session *o = i->sessions; o; o = o->next)
        if (same(o->place, place) && same(o->scope, scope) && o->index == s->index)
            return o->session;
    struct open_session *o = cli_alloc(i->run.cli, sizeof *o);
    if (!o || !place)
        return NULL;
    struct pap_skill_origin origin = skill_origin(&i->run, place);
    origin.scope = scope ? scope : origin.scope;
    origin.index |= s->index;
    *o = (struct open_session){.next = i->sessions, .place = place, .scope = scope, .index = s->index};
    i->sessions = o;
    o->session = skill_session(&i->run, &origin);
    return o->session;
}

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
    if (!open_lock(i) || !skill_client(&i->run, false))
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
        r = pap_skill_activate_pinned(i->run.client, &origin, &pin, &skill, &err);
        progress_clear(&i->run.progress);
    }
    if (r.code == PAP_OK)
        return skill_plan_add(&i->changes, place, skill, settled(i, range, s.index));
    skill_tell(&i->run, place, name, r, &err);
    return false;
}

/* Calls `each` for the skills of the lock that the arguments name, or for all. */
static bool each_locked(struct installing *i, bool (*each)(struct installing *i, size_t at))
{
    struct pap_install *in = i->changes.in;
    bool good = true;
    for (size_t k = 0; k < i->run.args.n; k++) {
        size_t at;
        if (pap_install_find(in, i->run.args.at[k], &at)) {
            good &= each(i, at);
            continue;
        }
        skill_worse(&i->run, CLI_USAGE);
        good = cli_usage(i->run.cli, "%s has no skill \"%s\"; papaver skill outdated lists what it has",
                         skill_lock_name(&i->run), i->run.args.at[k]);
    }
    for (size_t k = 0; !i->run.args.n && k < pap_install_count(in); k++)
        good &= each(i, k);
    return good;
}

static bool may_ask(struct installing *i, size_t at)
{
    struct pap_install_skill s;
    pap_install_at(i->changes.in, at, &s);
    const char *place = skill_c(&i->run, s.place);
    return place && skill_may_ask(&i->run, place, skill_lock_name(&i->run));
}

/* The origins of all skills that each_locked() would come to. Names that are not there are its to tell. */
static bool may_ask_all(struct installing *i)
{
    struct pap_install *in = i->changes.in;
    size_t n = i->run.args.n, at;
    for (size_t k = 0; k < n; k++)
        if (pap_install_find(in, i->run.args.at[k], &at) && !may_ask(i, at))
            return false;
    for (size_t k = 0; !n && k < pap_install_count(in); k++)
        if (!may_ask(i, k))
            return false;
    return true;
}

/* A lock with skills, whose origins may be asked. */
static bool has_lock(struct installing *i)
{
    if (!open_lock(i))
        return false;
    if (pap_install_count(i->changes.in))
        return may_ask_all(i);
    skill_worse(&i->run, CLI_USAGE);
    return cli_usage(i->run.cli, "%s names no skills; papaver skill add ORIGIN NAME installs one",
                     skill_lock_name(&i->run));
}

static void frozen(struct installing *i)
{
    if (i->run.args.n && (strpbrk(i->run.args.at[0], "./:") != NULL)) {
        skill_worse(&i->run, CLI_USAGE);
        cli_usage(i->run.cli, "--frozen installs what the lock says, from where it says: papaver skill add --frozen");
        return;
    }
    if (has_lock(i) && skill_client(&i->run, false) && each_locked(i, frozen_one))
        skill_changes_make(&i->changes);
}

static int run_add(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct installing i;
    if (!begin(&i, cli, self, argc, argv))
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
    return end(&i);
}

/* ---- update ------------------------------------------------------------------------------------------------------- */

static bool update_one(struct installing *i, size_t at)
{
    struct pap_install_skill s;
    pap_install_at(i->changes.in, at, &s);
    const char *name = skill_c(&i->run, s.name), *place = skill_c(&i->run, s.place);
    const char *range = s.range.n ? skill_c(&i->run, s.range) : NULL;
    struct pap_skill_session *session = session_of(i, &s);
    struct pap_skill *skill = session && name && place ? skill_activate(&i->run, session, place, name, range) : NULL;
    return skill && skill_plan_add(&i->changes, place, skill, settled(i, range, s.index));
}

/* What can be updated is, whatever became of the others. */
static int run_update(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct installing i;
    if (!begin(&i, cli, self, argc, argv))
        return cli->status;
    bool may = has_lock(&i);
    if (may && !i.run.o.yes && !i.run.o.dry_run && !skill_can_ask(&i.run)) {
        cli_usage(cli,
                  "nobody can be asked here: add --yes to update without a question, or --dry-run to see what would "
                  "change");
        skill_worse(&i.run, CLI_USAGE);
    } else if (may && skill_client(&i.run, false)) {
        if (!each_locked(&i, update_one) && !i.run.o.json && pap_install_changes(i.changes.in))
            cli_note(cli, "the others go on");
        skill_changes_make(&i.changes);
    }
    return end(&i);
}

/* ---- remove ------------------------------------------------------------------------------------------------------- */

static int run_remove(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct installing i;
    bool good = true;
    if (!begin(&i, cli, self, argc, argv))
        return cli->status;
    if (!i.run.args.n) {
        cli_usage(cli, "say what: papaver skill remove water-plants");
        skill_worse(&i.run, CLI_USAGE);
        return end(&i);
    }
    if (!open_lock(&i))
        return end(&i);
    for (size_t k = 0; k < i.run.args.n; k++) {
        struct pap_skill_err err = {.text = ""};
        pap_result r = pap_install_plan_remove(i.changes.in, i.run.args.at[k], &err);
        if (r.code != PAP_OK)
            skill_tell(&i.run, NULL, i.run.args.at[k], r, &err);
        good &= r.code == PAP_OK;
    }
    if (good)
        skill_changes_make(&i.changes);
    return end(&i);
}

/* ---- outdated ----------------------------------------------------------------------------------------------------- */

static const char *version_or_digest(struct skill_run *run, struct pap_str version, struct pap_str digest)
{
    struct pap_str s = version.n ? version : (struct pap_str){digest.p, digest.n < 19 ? digest.n : 19};
    const char *text = skill_c(run, s);
    return text ? text : "";
}

static bool outdated_one(struct installing *i, size_t at)
{
    struct pap_install_skill s;
    struct pap_skill_release wanted, newest;
    struct pap_skill_err err = {.text = ""};
    FILE *out = i->run.cli->out;
    pap_install_at(i->changes.in, at, &s);
    const char *name = skill_c(&i->run, s.name), *place = skill_c(&i->run, s.place);
    const char *range = s.range.n ? skill_c(&i->run, s.range) : NULL;
    struct pap_skill_session *session = session_of(i, &s);
    if (!session || !name || !place)
        return false;
    pap_result r = pap_skill_session_select(session, name, range, &wanted, &err);
    if (r.code == PAP_OK)
        r = pap_skill_session_select(session, name, NULL, &newest, &err);
    if (r.code != PAP_OK) {
        skill_tell(&i->run, place, name, r, &err);
        return false;
    }
    const char *shown = skill_shown_c(&i->run, place);
    bool is = wanted.digest.n != s.digest.n || memcmp(wanted.digest.p, s.digest.p, s.digest.n) != 0;
    bool replaced =
        is && s.version.n && s.version.n == wanted.version.n && memcmp(wanted.version.p, s.version.p, s.version.n) == 0;
    const char *now = version_or_digest(&i->run, s.version, s.digest);
    const char *want = version_or_digest(&i->run, wanted.version, wanted.digest);
    const char *most = version_or_digest(&i->run, newest.version, newest.digest);
    if (replaced)
        skill_worse(&i->run, CLI_FINDINGS);
    if (i->run.o.json) {
        struct json_out *j = &i->run.json;
        json_begin(j, NULL, '{');
        json_c(j, "name", name);
        json_c(j, "origin", shown);
        json_c(j, "installed", now);
        json_c(j, "wanted", want);
        json_c(j, "newest", most);
        json_text(j, "installed_digest", s.digest);
        json_words(j, "wanted_digest", wanted.digest);
        json_bool(j, "outdated", is);
        if (replaced)
            json_bool(j, "replaced", true);
        json_end(j, '}');
    } else if (i->run.cli->out_is_terminal) {
        (void)fprintf(out, "%-24s  %-19s  %-19s  %-19s  %s\n", name, now, want, most, shown);
    } else if (is) {
        (void)fprintf(out, "%s\t%s\t%s\t%s\t%s\n", name, now, want, most, shown);
    }
    if (replaced && !i->run.o.json)
        cli_note(
            i->run.cli,
            "%s: release %s was replaced by another under the same version: %.*s is installed, and %.*s is offered "
            "now",
            name, now, TEXT(s.digest), TEXT(wanted.digest));
    return true;
}

static int run_outdated(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct installing i;
    if (!begin(&i, cli, self, argc, argv))
        return cli->status;
    if (has_lock(&i) && skill_client(&i.run, false)) {
        if (i.run.o.json)
            json_begin(&i.run.json, "skills", '[');
        else if (cli->out_is_terminal)
            (void)fprintf(cli->out, "%-24s  %-19s  %-19s  %-19s  %s\n", "NAME", "INSTALLED", "WANTED", "NEWEST",
                          "ORIGIN");
        if (!each_locked(&i, outdated_one))
            skill_worse(&i.run, CLI_FINDINGS);
        if (i.run.o.json)
            json_end(&i.run.json, ']');
    }
    return end(&i);
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

static const struct option_row outdated_rows[] = {SKILL_JSON_ROW, SKILL_PLACE_ROWS, SKILL_ORIGIN_ROWS, {.name = NULL}};

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

const struct command cmd_skill_outdated = {
    .name = "skill outdated",
    .run = run_outdated,
    .summary = "show which installed skills have newer releases",
    .arguments = "[NAME...]",
    .about =
        "Reads the lists of the origins in the lock, and nothing else. WANTED is the best release of the range that a skill was "
        "installed with, NEWEST that of all. On a terminal all skills are shown; in a pipe only those that papaver skill "
        "update would change, with tabs between name, installed, wanted, newest and origin.",
    .options = outdated_rows,
    .examples = (const struct example[]){{"papaver skill outdated", "all of the lock"}, {NULL, NULL}},
};
