/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver skill outdated.
 */
#include <string.h>

#include "cli/skill_installing.h"

#define TEXT(s) (int)(s).n, (s).n ? (s).p : ""

static const char *version_or_digest(struct skill_run *run, struct pap_str version, struct pap_str digest)
{
    struct pap_str s = version.n ? version : (struct pap_str){digest.p, digest.n < 19 ? digest.n : 19};
    const char *text = skill_c(run, s);
    return text ? text : "";
}

/* `replaced`: what is installed under the version that is offered with another digest; NULL: it is not so. */
static void say_why(struct skill_run *run, const char *name, const char *now, const char *want,
                    const struct pap_install_skill *replaced, const struct pap_skill_release *wanted, bool lower)
{
    if (replaced)
        cli_note(
            run->cli,
            "%s: release %s was replaced by another under the same version: %.*s is installed, and %.*s is offered "
            "now",
            name, now, TEXT(replaced->digest), TEXT(wanted->digest));
    if (lower)
        cli_note(run->cli,
                 "%s: release %s is installed, which its origin does not offer any more; what it offers is lower: %s",
                 name, now, want);
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
    struct pap_skill_session *session = installing_session(i, &s);
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
    bool lower = is && pap_install_is_lower(i->changes.in, at, wanted.version);
    if (replaced || lower)
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
        if (lower)
            json_bool(j, "lower", true);
        json_end(j, '}');
    } else if (i->run.cli->out_is_terminal) {
        (void)fprintf(out, "%-24s  %-19s  %-19s  %-19s  %s\n", name, now, want, most, shown);
    } else if (is) {
        (void)fprintf(out, "%s\t%s\t%s\t%s\t%s\n", name, now, want, most, shown);
    }
    if (!i->run.o.json)
        say_why(&i->run, name, now, want, replaced ? &s : NULL, &wanted, lower);
    return true;
}

static int run_outdated(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct installing i;
    if (!installing_begin(&i, cli, self, argc, argv))
        return cli->status;
    if (installing_has_lock(&i, false) && skill_client(&i.run, false)) {
        if (i.run.o.json)
            json_begin(&i.run.json, "skills", '[');
        else if (cli->out_is_terminal)
            (void)fprintf(cli->out, "%-24s  %-19s  %-19s  %-19s  %s\n", "NAME", "INSTALLED", "WANTED", "NEWEST",
                          "ORIGIN");
        if (!installing_each(&i, outdated_one))
            skill_worse(&i.run, CLI_FINDINGS);
        if (i.run.o.json)
            json_end(&i.run.json, ']');
    }
    return installing_end(&i);
}

static const struct option_row outdated_rows[] = {SKILL_JSON_ROW, SKILL_PLACE_ROWS, SKILL_ORIGIN_ROWS, {.name = NULL}};

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
