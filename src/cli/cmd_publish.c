/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver publish: reads the options, and tells people (or a script, as JSON) what becomes public and what is refused.
 */
#include <string.h>

#include "cli/json.h"
#include "cli/progress.h"
#include "cli/publish_options.h"
#include "cli/rules.h"

struct publish_run {
    struct cli *cli;
    struct publish_options options;
    struct progress progress;
    struct pap_remote_config *remote; /* NULL: there is none */
    bool first;                       /* JSON: no event was written yet */
};

static const char *const what_names[] = {
    [PAP_PUBLISH_SKILL] = "skill",     [PAP_PUBLISH_FILE] = "file",       [PAP_PUBLISH_LEFT_OUT] = "left-out",
    [PAP_PUBLISH_RELEASE] = "release", [PAP_PUBLISH_REMOVED] = "removed", [PAP_PUBLISH_OUTPUT] = "output",
    [PAP_PUBLISH_EXPIRED] = "expired", [PAP_PUBLISH_NOTE] = "note",       [PAP_PUBLISH_WAIT] = "wait",
};
static const char *const state_names[] = {[PAP_PUBLISH_SAME] = "same",
                                          [PAP_PUBLISH_NEW] = "new",
                                          [PAP_PUBLISH_CHANGED] = "changed",
                                          [PAP_PUBLISH_GONE] = "gone"};

#define TEXT(s) (int)(s).n, (s).n ? (s).p : ""

/* ---- JSON --------------------------------------------------------------------------------------------------------- */

static void begin_event(struct publish_run *run, const char *what)
{
    (void)fprintf(run->cli->out, "%s\n    {", run->first ? "" : ",");
    run->first = false;
    bool first = true;
    json_member(run->cli->out, &first, "what", what);
}

static void member(struct publish_run *run, const char *key, struct pap_str s)
{
    bool first = false;
    if (s.n)
        json_member_text(run->cli->out, &first, key, s.p, s.n);
}

static void event_as_json(struct publish_run *run, const struct pap_publish_event *e)
{
    bool first = false;
    begin_event(run, what_names[e->what]);
    member(run, "skill", e->skill);
    member(run, "version", e->version);
    member(run, "path", e->path);
    member(run, "type", e->type);
    member(run, "digest", e->digest);
    member(run, "text", e->text);
    if (e->what == PAP_PUBLISH_SKILL || e->what == PAP_PUBLISH_OUTPUT)
        json_member(run->cli->out, &first, "state", state_names[e->state]);
    (void)fprintf(run->cli->out, ", \"bytes\": %llu}", (unsigned long long)e->bytes);
}

static void finding_as_json(struct publish_run *run, const struct pap_finding *f)
{
    bool first = false;
    begin_event(run, "finding");
    json_member(run->cli->out, &first, "rule", f->id);
    json_member(run->cli->out, &first, "severity", f->severity == PAP_ERROR ? "error" : "warning");
    member(run, "path", f->where);
    member(run, "at", f->at);
    member(run, "message", f->message);
    member(run, "mend", f->mend);
    (void)fprintf(run->cli->out, ", \"line\": %u, \"column\": %u}", f->line, f->column);
}

static struct pap_str why(const struct cli *cli)
{
    return (struct pap_str){cli->why, strlen(cli->why)};
}

/* Nothing was counted: the run came to no end. */
static void error_as_json(struct publish_run *run, int status)
{
    struct json_out j = {.f = run->cli->out, .depth = 1};
    (void)fprintf(j.f, "%s]", run->first ? "" : "\n  ");
    json_words(&j, "error", why(run->cli));
    json_number(&j, "exit", (uint64_t)status);
    json_end(&j, '}');
}

/* The same of a run that did not begin. */
static int usage_as_json(struct cli *cli, bool json)
{
    struct json_out j = {.f = cli->out};
    if (!json || cli->status < CLI_USAGE) /* help was asked for */
        return cli->status;
    json_begin(&j, NULL, '{');
    json_c(&j, "papaver", pap_version());
    json_words(&j, "error", why(cli));
    json_number(&j, "exit", (uint64_t)cli->status);
    json_end(&j, '}');
    return cli->status;
}

static void counts_as_json(struct publish_run *run, const struct pap_publish_counts *c, int status)
{
    const struct {
        const char *name;
        uint64_t n;
    } rows[] = {{"skills", c->skills},     {"files", c->files},           {"bytes", c->bytes},
                {"new", c->fresh},         {"changed", c->changed},       {"same", c->same},
                {"removed", c->removed},   {"left-out", c->left_out},     {"errors", c->errors},
                {"warnings", c->warnings}, {"remembered", c->remembered}, {"written", c->written}};
    (void)fprintf(run->cli->out, "%s],\n  \"counts\": {", run->first ? "" : "\n  ");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        (void)fprintf(run->cli->out, "%s\"%s\": %llu", i ? ", " : "", rows[i].name, (unsigned long long)rows[i].n);
    (void)fprintf(run->cli->out, "},\n  \"exit\": %d\n}\n", status);
}

/* ---- text --------------------------------------------------------------------------------------------------------- */

static const char signs[] = {
    [PAP_PUBLISH_SAME] = ' ', [PAP_PUBLISH_NEW] = '+', [PAP_PUBLISH_CHANGED] = '~', [PAP_PUBLISH_GONE] = '-'};

static void event_as_text(struct publish_run *run, const struct pap_publish_event *e)
{
    FILE *out = run->cli->out;
    bool all = run->options.dry_run, check = run->options.check, quiet = run->options.quiet;
    unsigned long long bytes = e->bytes;
    switch (e->what) {
    case PAP_PUBLISH_SKILL:
        if (all || (!check && !quiet && e->state != PAP_PUBLISH_SAME))
            (void)fprintf(out, "%c %.*s%s%.*s  %.*s, %llu bytes  %.*s\n", signs[e->state], TEXT(e->skill),
                          e->version.n ? " " : "", TEXT(e->version), TEXT(e->type), bytes, TEXT(e->digest));
        break;
    case PAP_PUBLISH_FILE:
        if (all)
            (void)fprintf(out, "      %.*s  %llu bytes\n", TEXT(e->path), bytes);
        break;
    case PAP_PUBLISH_RELEASE:
        if (all)
            (void)fprintf(out, "      release %.*s  %llu bytes  %.*s%s%.*s\n", TEXT(e->version), bytes, TEXT(e->digest),
                          e->text.n ? "  deprecated: " : "", TEXT(e->text));
        break;
    case PAP_PUBLISH_LEFT_OUT:
        if (!check && !quiet)
            (void)fprintf(out, "  left out: %.*s%s%.*s (%.*s)\n", TEXT(e->skill), e->skill.n ? "/" : "", TEXT(e->path),
                          TEXT(e->text));
        break;
    case PAP_PUBLISH_REMOVED:
        (void)fprintf(out, "- %.*s%s%.*s  is listed no longer; its file stays for the days of --keep\n", TEXT(e->skill),
                      e->version.n ? " " : "", TEXT(e->version));
        break;
    case PAP_PUBLISH_OUTPUT:
    case PAP_PUBLISH_EXPIRED:
        if (all || check)
            (void)fprintf(out, "%c %.*s\n", signs[e->state], TEXT(e->path));
        break;
    case PAP_PUBLISH_NOTE:
        cli_note(run->cli, "note: %.*s: %.*s", TEXT(e->path), TEXT(e->text));
        break;
    case PAP_PUBLISH_WAIT: /* said in any case, as it comes */
        break;
    }
}

static void finding_as_text(struct publish_run *run, const struct pap_finding *f)
{
    char place[32] = "";
    if (f->line)
        (void)snprintf(place, sizeof place, ":%u:%u", f->line, f->column);
    cli_note(run->cli, "%.*s%s: %s: %.*s [%s]", TEXT(f->where), place, f->severity == PAP_ERROR ? "error" : "warning",
             TEXT(f->message), f->id);
    if (f->mend.n)
        (void)fprintf(run->cli->err, "    %.*s\n", TEXT(f->mend));
}

/* After errors: what --fix could do about them. */
static void note_repairs(struct publish_run *run)
{
    size_t n = 0;
    bool written;
    struct pap_publish_options o = run->options.run;
    o.event = NULL;
    if (pap_publish_fix(&o, NULL, NULL, &n, &written, NULL).code == PAP_OK && n)
        cli_note(run->cli, "papaver publish --fix shows repairs of %zu SKILL.md file%s", n, plural(n));
}

static void summary(struct publish_run *run, const struct pap_publish_counts *c, int status)
{
    const struct publish_options *o = &run->options;
    FILE *out = run->cli->out;
    const char *tree = o->run.out ? o->run.out : "dist";
    if (c->errors) {
        cli_note(run->cli, "%llu error%s: nothing %s published", (unsigned long long)c->errors, plural(c->errors),
                 o->check || o->dry_run ? "would be" : "was");
        note_repairs(run);
        return;
    }
    if (o->check && status)
        cli_note(run->cli, "%s is not what the sources give; run papaver publish", tree);
    if (o->quiet)
        return;
    (void)fprintf(out, "%llu skill%s (%llu new, %llu changed, %llu kept, %llu removed) of %llu file%s, %llu bytes; ",
                  (unsigned long long)c->skills, plural(c->skills), (unsigned long long)c->fresh,
                  (unsigned long long)c->changed, (unsigned long long)c->same, (unsigned long long)c->removed,
                  (unsigned long long)c->files, plural(c->files), (unsigned long long)c->bytes);
    if (!c->written)
        (void)fprintf(out, "%s is up to date\n", tree);
    else
        (void)fprintf(out, "%llu file%s of %s %s\n", (unsigned long long)c->written, plural(c->written), tree,
                      o->check || o->dry_run ? "would change" : "changed");
}

/* ---- repairs ------------------------------------------------------------------------------------------------------ */

static void on_fix(void *ctx, struct pap_str path, uint32_t line, uint32_t last, struct pap_str old_line,
                   struct pap_str new_line, const char *why)
{
    FILE *out = ((struct publish_run *)ctx)->cli->out;
    if (!*why)
        (void)fprintf(out, "%.*s:%u\n-%.*s\n+%.*s\n", TEXT(path), line, TEXT(old_line), TEXT(new_line));
    else if (last > line)
        (void)fprintf(out, "%.*s:%u-%u: without %s\n", TEXT(path), line, last, why);
    else
        (void)fprintf(out, "%.*s:%u: without %s\n", TEXT(path), line, why);
}

/* Whether to write what was shown: --yes, or a person at a terminal says so. */
static bool ask(void *ctx, size_t files)
{
    struct publish_run *run = ctx;
    struct cli *cli = run->cli;
    if (run->options.yes || !cli->out_is_terminal || !cli_can_ask(cli))
        return run->options.yes;
    return cli_ask(cli, files == 1 ? "Write it?" : "Write them?");
}

static int fix(struct publish_run *run)
{
    size_t n = 0;
    bool written = false;
    struct pap_err err = {.text = ""};
    pap_result r = pap_publish_fix(&run->options.run, on_fix, ask, &n, &written, &err);
    if (r.code != PAP_OK) {
        cli_note(run->cli, "%s", err.text);
        return r.code == PAP_USAGE ? CLI_USAGE : CLI_FAILED;
    }
    if (!n)
        (void)fprintf(run->cli->out, "nothing to repair\n");
    else
        (void)fprintf(run->cli->out, "%zu file%s %s\n", n, plural(n),
                      written ? "repaired" : "to repair, not written; papaver publish --fix --yes does it");
    return n && !written ? CLI_FINDINGS : CLI_FINE;
}

/* ---- the command -------------------------------------------------------------------------------------------------- */

static void on_event(void *ctx, const struct pap_publish_event *e)
{
    struct publish_run *run = ctx;
    progress_clear(&run->progress);
    if (e->what == PAP_PUBLISH_WAIT) /* also beside JSON, which may be shown at the end only */
        cli_note(run->cli, "waits for another papaver publish in %.*s", TEXT(e->path));
    if (run->options.json)
        event_as_json(run, e);
    else
        event_as_text(run, e);
}

static void on_finding(void *ctx, const struct pap_finding *f)
{
    struct publish_run *run = ctx;
    progress_clear(&run->progress);
    if (run->options.json)
        finding_as_json(run, f);
    else
        finding_as_text(run, f);
}

static bool on_progress(void *ctx, const struct pap_progress *state)
{
    progress_show(&((struct publish_run *)ctx)->progress, state);
    return true;
}

static bool settle(struct publish_run *run, const struct arguments *args)
{
    struct publish_options *o = &run->options;
    if (args->n > 1)
        return cli_usage(run->cli,
                         "one folder at a time: %s and %s are two; more folders of skills are named with --root",
                         args->at[0], args->at[1]);
    o->run.folder = args->n ? args->at[0] : NULL;
    o->run.alloc = run->cli->alloc;
    o->run.mode = o->dry_run ? PAP_PUBLISH_DRY_RUN : o->check ? PAP_PUBLISH_CHECK : PAP_PUBLISH_WRITE;
    o->run.memory = o->fresh ? NULL : cli_user_folder(run->cli, "XDG_CACHE_HOME", "/.cache", "/papaver/publish");
    o->run.event = on_event;
    o->run.finding = on_finding;
    o->run.progress = on_progress;
    o->run.ctx = run;
    return publish_options_settle(run->cli, o, args, &run->remote);
}

static int publish(struct publish_run *run)
{
    struct cli *cli = run->cli;
    struct pap_publish_counts counts = {0};
    struct pap_err err = {.text = ""};
    int status = CLI_FAILED;
    progress_init(&run->progress, cli, !run->options.quiet);
    if (run->options.json)
        (void)fprintf(cli->out, "{\n  \"papaver\": \"%s\",\n  \"events\": [", pap_version());
    pap_result r = pap_publish(&run->options.run, &counts, &status, &err);
    progress_clear(&run->progress);
    if (r.code != PAP_OK) {
        status = r.code == PAP_USAGE ? CLI_USAGE : CLI_FAILED;
        cli_say(cli, status, "%s", err.text);
        if (run->options.json)
            error_as_json(run, status);
        return status;
    }
    if (run->options.json)
        counts_as_json(run, &counts, status);
    else
        summary(run, &counts, status);
    return status;
}

static int run(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct publish_run *run = cli_alloc(cli, sizeof *run);
    struct arguments args;
    bool json = false; /* known before the options are, which may be what is wrong */
    for (int i = 0; i < argc; i++)
        json |= strcmp(argv[i], "--json") == 0;
    if (!run || !options_parse(cli, self, argc, argv, &run->options, &args))
        return usage_as_json(cli, json);
    run->cli = cli;
    run->first = true;
    if (run->options.rules) {
        (void)fputs(rules_text(run->options.rules - 1), cli->out);
        return CLI_FINE;
    }
    if (!options_from_config(cli, "publish", publish_option_rows, run->options.config, &args, &run->options))
        return usage_as_json(cli, json);
    int status = !settle(run, &args) ? usage_as_json(cli, json) : run->options.fix ? fix(run) : publish(run);
    pap_remote_config_free(run->remote);
    return status;
}

const struct command cmd_publish = {
    .name = "publish",
    .run = run,
    .summary = "make a static tree of skills that any host can serve",
    .arguments = "[DIR]",
    .about =
        "Publishes the skills of a project: each folder skills/NAME with a SKILL.md becomes a file below "
        "dist/.well-known/agent-skills/artifacts, named by its digest, and index.json lists them with those very digests. "
        "SKILL.md alone is published as it is, a skill with other files as an archive that is the same whenever and "
        "wherever it is made.\n\n"
        "The rules of papaver check judge each skill first, and more strictly; links, names that other systems cannot hold, "
        "secrets, and references to files that are not there are refused too. Then nothing is written. Files such as .env and "
        "keys are never published; .skillignore in a skill's folder names more, as .gitignore does. What was public stays "
        "public, or is named with --allow-removal; releases (metadata.version) stay in the index and never change.\n\n"
        "Artifacts are written first, the index last, each by renaming: a host that serves the tree always has one that is "
        "right. Exit status: 0 done, 1 findings or (--check) differences, 2 a mistake in the command, 3 something could not be "
        "read or written.",
    .options = publish_option_rows,
    .examples = (const struct example[]){{"papaver publish --dry-run", "what would become public"},
                                         {"papaver publish --out public", "write the tree"},
                                         {"papaver publish --check --out public", "in CI: is the tree up to date?"},
                                         {"papaver publish --prune water-plants@1.0.0", "drop an old release"},
                                         {NULL, NULL}},
    .completes_files = true,
};
