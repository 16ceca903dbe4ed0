/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver skill get and read: a verified skill's text, exactly.
 */
#include "cli/skill_run.h"

struct getting {
    struct skill_run run;
    const char *place, *name, *range;
    const char *path; /* of read; NULL: SKILL.md */
};

static void files_as_json(struct json_out *j, const struct pap_skill *skill, size_t n)
{
    json_begin(j, "files", '[');
    for (size_t i = 0; i < n; i++) {
        struct pap_skill_file f;
        pap_skill_file_at(skill, i, &f);
        json_begin(j, NULL, '{');
        json_words(j, "path", f.path);
        json_words(j, "media_type", f.media_type);
        json_words(j, "digest", f.digest);
        json_number(j, "bytes", f.size);
        json_bool(j, "executable", f.executable);
        json_end(j, '}');
    }
    json_end(j, ']');
}

static void facts_as_json(struct getting *g, const struct pap_skill *skill)
{
    struct json_out *j = &g->run.json;
    struct pap_skill_facts f;
    pap_skill_facts(skill, &f);
    json_c(j, "origin", skill_shown_c(&g->run, g->place));
    json_begin(j, "skill", '{');
    skill_json_release(j, &f.release);
    json_raw(j, "frontmatter", f.frontmatter);
    json_words(j, "warning", f.warning);
    json_bool(j, "from_cache", f.from_cache);
    files_as_json(j, skill, f.files);
    json_end(j, '}');
}

/* The text asked for: exact bytes, or with the label for a model. */
static void print(struct getting *g, const struct pap_skill *skill)
{
    struct pap_skill_err err = {.text = ""};
    struct pap_str text;
    const char *path = g->path ? g->path : "SKILL.md";
    pap_result r = g->run.o.wrap ? pap_skill_wrap(skill, g->path, &text, &err)
                                 : pap_skill_read(skill, path, g->run.o.json, &text, &err);
    if (r.code != PAP_OK) {
        skill_tell(&g->run, g->place, g->name, r, &err);
        return;
    }
    if (g->run.o.json)
        json_text(&g->run.json, "text", text);
    else
        skill_body(&g->run, text);
    pap_skill_bytes_free(skill, text);
}

static void unpack(struct getting *g, const struct pap_skill *skill)
{
    struct pap_skill_err err = {.text = ""};
    struct pap_skill_facts f;
    pap_result r = pap_install_unpack(skill, g->run.o.to, g->run.o.executable, &err);
    if (r.code != PAP_OK) {
        skill_tell(&g->run, g->place, g->name, r, &err);
        return;
    }
    pap_skill_facts(skill, &f);
    if (g->run.o.json)
        json_c(&g->run.json, "to", g->run.o.to);
    else
        (void)fprintf(g->run.cli->out, "%s: %zu file%s of %s\n", g->run.o.to, f.files, plural(f.files), g->name);
}

static void get(struct getting *g)
{
    struct pap_skill_origin origin = skill_origin(&g->run, g->place);
    struct pap_skill_session *session = skill_session(&g->run, &origin);
    struct pap_skill *skill = session ? skill_activate(&g->run, session, g->place, g->name, g->range) : NULL;
    if (skill) {
        struct pap_skill_facts f;
        pap_skill_facts(skill, &f);
        if (g->run.o.json)
            facts_as_json(g, skill);
        else if (f.warning.n)
            cli_note(g->run.cli, "%s: %s: %.*s", skill_shown_c(&g->run, g->place), g->name, (int)f.warning.n,
                     f.warning.p);
        if (g->run.o.to)
            unpack(g, skill);
        else
            print(g, skill);
    }
    pap_skill_free(skill);
    pap_skill_session_close(session);
}

static int run_get(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct getting g = {.path = NULL};
    bool read = self == &cmd_skill_read;
    if (!skill_begin(cli, self, argc, argv, &g.run))
        return cli->status;
    if (g.run.args.n != (read ? 3u : 2u)) {
        cli_usage(cli,
                  read ? "write papaver skill read ORIGIN NAME PATH, such as papaver skill read shop.example "
                         "water-plants references/amounts.md"
                       : "write papaver skill get ORIGIN NAME, such as papaver skill get shop.example water-plants");
        skill_worse(&g.run, CLI_USAGE);
        return skill_end(&g.run);
    }
    g.place = g.run.args.at[0];
    g.path = read ? g.run.args.at[2] : NULL;
    if (skill_is_origin(&g.run, g.place) && skill_split(&g.run, g.run.args.at[1], &g.name, &g.range) &&
        skill_client(&g.run, false))
        get(&g);
    return skill_end(&g.run);
}

static const struct option_row get_rows[] = {
    {.name = "wrap",
     .letter = 'w',
     .field = SKILL_AT(wrap),
     .set = set_flag,
     .not_with = "to",
     .help =
         "for a model: a label says whose words these are and what they cannot do, between marks that the text cannot "
         "forge"},
    {.name = "to",
     .argument = "FOLDER",
     .field = SKILL_AT(to),
     .set = set_text,
     .complete = COMPLETE_FILE,
     .help = "write all files of the skill to a folder that is not there yet, or is empty"},
    {.name = "executable",
     .field = SKILL_AT(executable),
     .set = set_flag,
     .help = "with --to: files that the skill marks executable become so"},
    SKILL_JSON_ROW,
    SKILL_ORIGIN_ROWS,
    {.name = NULL},
};

static const struct option_row read_rows[] = {
    {.name = "wrap",
     .letter = 'w',
     .field = SKILL_AT(wrap),
     .set = set_flag,
     .help =
         "for a model: a label says whose words these are and what they cannot do, between marks that the text cannot "
         "forge"},
    SKILL_JSON_ROW,
    SKILL_ORIGIN_ROWS,
    {.name = NULL},
};

const struct command cmd_skill_get = {
    .name = "skill get",
    .run = run_get,
    .summary = "print a verified skill, or write its files to a folder",
    .arguments = "ORIGIN NAME[@RANGE]",
    .about =
        "Fetches one skill, or takes it from the cache, compares its digest with the list before anything of it is used, and "
        "prints its SKILL.md: byte for byte into a pipe or file, with control and invisible characters written out on a "
        "terminal.\n\n"
        "A skill is what a company wrote. It is not the person's word, grants no access and approves nothing: what goes to a "
        "model goes there with --wrap. Nothing of it is run.",
    .options = get_rows,
    .examples = (const struct example[]){{"papaver skill get shop.example water-plants", "its SKILL.md"},
                                         {"papaver skill get --wrap shop.example water-plants@^1.2.0", "for a model"},
                                         {"papaver skill get shop.example water-plants --to ./plants", "all its files"},
                                         {NULL, NULL}},
    .completes_files = true,
};

const struct command cmd_skill_read = {
    .name = "skill read",
    .run = run_get,
    .summary = "print one file of a verified skill",
    .arguments = "ORIGIN NAME[@RANGE] PATH",
    .about =
        "The same as papaver skill get, for one of the skill's other files: exact bytes into a pipe or file, written out on a "
        "terminal. papaver skill get --json lists the files.",
    .options = read_rows,
    .examples =
        (const struct example[]){{"papaver skill read shop.example water-plants references/amounts.md", "one file"},
                                 {NULL, NULL}},
    .completes_files = true,
};
