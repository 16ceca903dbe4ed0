/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver skill show: what a list says of one skill, before anything is fetched.
 */
#include <string.h>

#include <papaver/check.h>

#include "cli/skill_run.h"

struct showing {
    struct skill_run run;
    const struct pap_skill_session *session;
    size_t skill, releases;
    struct pap_skill_release chosen;
};

static bool same(struct pap_str a, struct pap_str b)
{
    return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
}

static void find(struct showing *s)
{
    struct pap_skill_session_facts f;
    pap_skill_session_facts(s->session, &f);
    for (size_t i = 0; i < f.skills; i++) {
        struct pap_skill_release r;
        size_t releases;
        pap_skill_session_at(s->session, i, &r, &releases);
        if (same(r.name, s->chosen.name)) {
            s->skill = i;
            s->releases = releases;
        }
    }
}

static struct pap_str shown(struct showing *s, struct pap_str place)
{
    const char *text = skill_shown(&s->run, place);
    return (struct pap_str){text, strlen(text)};
}

static void show_json(struct showing *s)
{
    struct json_out *j = &s->run.json;
    struct pap_skill_session_facts f;
    pap_skill_session_facts(s->session, &f);
    json_words(j, "origin", shown(s, f.place));
    json_words(j, "list", shown(s, f.url));
    json_begin(j, "skill", '{');
    skill_json_release(j, &s->chosen);
    json_end(j, '}');
    json_begin(j, "releases", '[');
    for (size_t i = 0; i < s->releases; i++) {
        struct pap_skill_release r;
        pap_skill_session_release_at(s->session, s->skill, i, &r);
        json_begin(j, NULL, '{');
        skill_json_release(j, &r);
        json_end(j, '}');
    }
    json_end(j, ']');
}

static void line(struct showing *s, const char *name, struct pap_str value)
{
    FILE *out = s->run.cli->out;
    if (!value.n)
        return;
    (void)(s->run.cli->out_is_terminal ? fprintf(out, "%-12s", name) : fprintf(out, "%s\t", name));
    skill_words(out, value);
    (void)fputc('\n', out);
}

static void show_text(struct showing *s)
{
    struct pap_skill_session_facts f;
    pap_skill_session_facts(s->session, &f);
    line(s, "name", s->chosen.name);
    line(s, "origin", shown(s, f.place));
    line(s, "list", shown(s, f.url));
    line(s, "description", s->chosen.description);
    line(s, "version", s->chosen.version);
    line(s, "deprecated", s->chosen.deprecated);
    line(s, "type", s->chosen.type);
    line(s, "url", s->chosen.url);
    line(s, "digest", s->chosen.digest);
    for (size_t i = 0; i < s->releases; i++) {
        struct pap_skill_release r;
        pap_skill_session_release_at(s->session, s->skill, i, &r);
        if (r.version.n)
            line(s, r.deprecated.n ? "withdrawn" : r.current ? "current" : "release", r.version);
    }
    if (s->run.cli->out_is_terminal)
        (void)fputs("\nNothing was fetched: these are the list's words, not verified ones.\n", s->run.cli->out);
}

static void show(struct showing *s, const char *place, const char *name, const char *range)
{
    struct pap_skill_err err = {.text = ""};
    pap_result r = pap_skill_session_select(s->session, name, range, &s->chosen, &err);
    if (r.code != PAP_OK) {
        skill_tell(&s->run, place, name, r, &err);
        return;
    }
    find(s);
    if (s->run.o.json)
        show_json(s);
    else
        show_text(s);
}

static int run_show(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct showing s = {.skill = 0};
    const char *name = NULL, *range = NULL;
    if (!skill_begin(cli, self, argc, argv, &s.run))
        return cli->status;
    const char **at = s.run.args.at;
    if (s.run.args.n != 2) {
        cli_usage(cli, "write papaver skill show ORIGIN NAME, such as papaver skill show shop.example water-plants");
        skill_worse(&s.run, CLI_USAGE);
    } else if (skill_is_origin(&s.run, at[0]) && skill_split(&s.run, at[1], &name, &range) &&
               skill_client(&s.run, false)) {
        struct pap_skill_origin origin = skill_origin(&s.run, at[0]);
        struct pap_skill_session *session = skill_session(&s.run, &origin);
        s.session = session;
        if (session)
            show(&s, at[0], name, range);
        pap_skill_session_close(session);
    }
    return skill_end(&s.run);
}

static const struct option_row rows[] = {SKILL_JSON_ROW, SKILL_ORIGIN_ROWS, {.name = NULL}};

const struct command cmd_skill_show = {
    .name = "skill show",
    .run = run_show,
    .summary = "show what a list says of one skill, without fetching it",
    .arguments = "ORIGIN NAME[@RANGE]",
    .about =
        "Shows which release a range stands for, where it is, its digest and the other releases: all that can be known before "
        "anything is fetched. In a pipe each line has the name of a fact, a tab, and the fact.",
    .options = rows,
    .examples =
        (const struct example[]){{"papaver skill show shop.example water-plants", "the release that add would take"},
                                 {"papaver skill show shop.example water-plants@^1.2.0", "the best of a range"},
                                 {NULL, NULL}},
    .completes_files = true,
};
