/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver check: reads the options, gives the library its targets, and carries the report out.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <papaver/check.h>

#include "cli/check_options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/targets.h"

struct check_run {
    struct cli *cli;
    struct check_options options;
    struct output output;
    struct progress progress;
    bool clear_first; /* the report goes to the terminal that shows the bar */
};

/* ---- signals ------------------------------------------------------------------------------------------------------ */

/* A handler gets nothing but the number, so these two are global. */
static volatile sig_atomic_t signalled;
static struct check_run *volatile signalled_run;

/* Out at once, from inside a signal handler: only what is allowed there. */
static void end_now(void)
{
    struct check_run *run = signalled_run;
    if (run->output.temporary[0])
        (void)unlink(run->output.temporary);
    if (run->progress.drawn)
        (void)!write(STDERR_FILENO, "\r\033[K", 4);
    _exit(128 + signalled);
}

/* The first signal ends the check in good order, by the progress callback. A second one, or half a second without that
 * (the library waits for standard input, say), ends it here. */
static void on_signal(int number)
{
    if (signalled || number == SIGALRM)
        end_now();
    signalled = number;
    (void)setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_usec = 500000}}, NULL);
}

static void watch_signals(struct check_run *run)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
    signalled_run = run;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction old, new = {.sa_handler = on_signal};
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* nohup stays in force */
            (void)sigaction(numbers[i], &new, NULL);
    }
    /* A reader that goes away is seen as EPIPE: by SIGPIPE a peer that closes its connection would end us too. */
    (void)signal(SIGPIPE, SIG_IGN);
}

/* ---- callbacks ---------------------------------------------------------------------------------------------------- */

static bool on_write(void *ctx, const char *bytes, size_t n)
{
    struct check_run *run = ctx;
    if (run->clear_first)
        progress_clear(&run->progress);
    return output_write(&run->output, bytes, n);
}

static bool on_progress(void *ctx, const struct pap_progress *state)
{
    struct check_run *run = ctx;
    progress_show(&run->progress, state);
    return signalled == 0;
}

/* ---- what the options mean together ------------------------------------------------------------------------------- */

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

/* Before the options are read: `--write-baseline known.json` would take the file for a target. */
static bool is_clear(struct cli *cli, int argc, char **argv)
{
    for (int i = 0; i + 1 < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--write-baseline") == 0 && argv[i + 1][0] != '-' && ends_with(argv[i + 1], ".json"))
            return cli_usage(cli,
                             "is %s the file to write, or a target? Write --write-baseline=%s, or put --write-baseline "
                             "last",
                             argv[i + 1], argv[i + 1]);
    return true;
}

static bool settle_baseline(struct cli *cli, struct pap_check_options *run)
{
    if (run->write_baseline && !*run->write_baseline)
        run->write_baseline = run->baseline ? run->baseline : "papaver-baseline.json";
    if (!run->baseline || access(run->baseline, F_OK) == 0)
        return true;
    if (!run->write_baseline)
        return cli_usage(cli, "--baseline: there is no file %s; to make it, write --write-baseline=%s instead",
                         run->baseline, run->baseline);
    run->baseline = NULL; /* nothing is known yet */
    return true;
}

/* A name that promises another format than the one written. */
static void note_format(struct cli *cli, const struct check_options *o, bool format_given)
{
    static const char *const suffixes[][2] = {
        {".json", "json"}, {".sarif", "sarif"}, {".xml", "junit"}, {".html", "html"}, {".md", "markdown"}};
    for (size_t i = 0; o->output && !format_given && i < sizeof suffixes / sizeof *suffixes; i++)
        if (ends_with(o->output, suffixes[i][0]))
            cli_note(cli, "note: %s gets the report as text; for %s add --format %s", o->output, suffixes[i][1],
                     suffixes[i][1]);
    if (o->run.format == PAP_HTML && !o->output && cli->out_is_terminal)
        cli_note(cli, "note: the page goes to the terminal; --output report.html writes a file");
}

static bool wants_color(struct cli *cli, const struct check_options *o)
{
    bool dumb = cli->term && strcmp(cli->term, "dumb") == 0;
    bool out_is_terminal = cli->out_is_terminal && (!o->output || strcmp(o->output, "-") == 0);
    return o->color == 1 || (o->color == 0 && out_is_terminal && !dumb && !(cli->no_color && *cli->no_color));
}

static bool settle(struct check_run *run, const struct arguments *args)
{
    static const enum pap_severity severities[] = {PAP_ERROR, PAP_WARNING, PAP_INFO};
    struct check_options *o = &run->options;
    size_t format_row;
    o->run.alloc = run->cli->alloc;
    o->run.only = (const char *const *)o->only;
    o->run.skip = (const char *const *)o->skip;
    o->run.network = network_settle(&o->network);
    o->run.fail_on = severities[o->fail_on];
    o->run.color = wants_color(run->cli, o);
    o->run.width = run->cli->out_is_terminal && !o->output ? cli_width(run->cli->out, 0) : 0;
    o->run.write = on_write;
    o->run.output = o->output;
    o->run.progress = on_progress;
    o->run.ctx = run;
    if (!pap_format_find(format_names[o->format], &o->run.format))
        return cli_usage(run->cli, "--format: %s is not in this library", format_names[o->format]);
    (void)option_find(check_option_rows, "format", &format_row);
    note_format(run->cli, o, args->seen[format_row] || o->run.format != PAP_TEXT);
    if (o->run.insecure_http)
        cli_note(run->cli,
                 "WARNING: --insecure-http allows plain http to loopback addresses: anybody on this machine can read "
                 "and change what is fetched. For tests only.");
    return settle_baseline(run->cli, &o->run);
}

/* ---- the command -------------------------------------------------------------------------------------------------- */

/* With the report in a file, somebody still wants to know. */
static void say_where(struct check_run *run, const struct pap_counts *c)
{
    const char *path = run->output.path;
    if (!path || run->options.run.quiet)
        return;
    unsigned long long errors = c->errors, warnings = c->warnings, documents = c->documents, unjudged = c->unjudged;
    if (unjudged && unjudged == c->targets)
        cli_note(run->cli, "nothing could be judged; why is in the report, %s", path);
    else if (unjudged)
        cli_note(
            run->cli,
            "%llu error%s, %llu warning%s in %llu document%s; %llu of %llu targets could not be judged; the report is "
            "in %s",
            errors, plural(errors), warnings, plural(warnings), documents, plural(documents), unjudged,
            (unsigned long long)c->targets, path);
    else
        cli_note(run->cli, "%llu error%s, %llu warning%s in %llu document%s; the report is in %s", errors,
                 plural(errors), warnings, plural(warnings), documents, plural(documents), path);
}

static int check(struct check_run *run, const struct targets *targets)
{
    struct pap_counts counts = {0};
    struct pap_err err = {.text = ""};
    int status = CLI_FAILED;
    if (!output_open(run->cli, run->options.output, &run->output))
        return run->cli->status;
    pap_result r = pap_check(&run->options.run, targets->at, targets->n, &counts, &status, &err);
    progress_clear(&run->progress);
    bool whole = r.code == PAP_OK;
    bool written = output_close(&run->output, whole);
    if (whole && written)
        say_where(run, &counts);
    if (whole && counts.unjudged && run->options.run.write_baseline)
        cli_note(run->cli, "%s was not written, because not all could be judged", run->options.run.write_baseline);
    if (whole)
        return written ? status : CLI_FAILED;
    if (signalled) {
        cli_note(run->cli, "stopped by a signal%s", run->output.path ? "; no report was written" : "");
        return 128 + signalled;
    }
    if (!run->output.failed)
        cli_note(run->cli, "%s", err.text);
    return r.code == PAP_USAGE || r.code == PAP_SYNTAX ? CLI_USAGE : CLI_FAILED;
}

/* Each request under way has a connection, and as many are kept for the next ones: more than the 1024 descriptors that
 * many systems give at first. */
enum { DESCRIPTORS = 4096 };

static int run(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct check_run *run = cli_alloc(cli, sizeof *run);
    struct arguments args;
    struct targets targets;
    if (!run || !is_clear(cli, argc, argv) || !options_parse(cli, self, argc, argv, &run->options, &args) ||
        !options_from_config(cli, "check", check_option_rows, run->options.config, &args, &run->options))
        return cli->status;
    run->cli = cli;
    if (!targets_read(cli, &args, run->options.targets, &targets) || !settle(run, &args))
        return cli->status;
    progress_init(&run->progress, cli, !run->options.run.quiet);
    run->clear_first = cli->out_is_terminal;
    watch_signals(run);
    (void)cli_descriptors(DESCRIPTORS); /* with what there is, fewer jobs will do */
    return check(run, &targets);
}

const struct command cmd_check = {
    .name = "check",
    .run = run,
    .summary = "check what a company publishes, as agents see it",
    .arguments = "TARGET...",
    .about = "Checks what a company publishes for personal agents: poppy.json, the issuer, the protected resources, "
             "the skill "
             "indexes, every artifact and its digest, and how all of it is served. Each finding names the rule, its "
             "section and "
             "version, the place, and how to mend it.\n\n"
             "A TARGET is a domain, an https URL, a file, a folder, or - for standard input. A bare word is a domain; "
             "a path has "
             "a / or begins with . or ~. Files and folders are judged without any network unless --online is given.\n\n"
             "Exit status: 0 nothing at or above the threshold of --fail-on, 1 findings, 2 a mistake in the command, 3 "
             "something "
             "could not be judged (a host that is not found, a file that cannot be read).",
    .options = check_option_rows,
    .examples =
        (const struct example[]){
            {"papaver check shop.example", "everything that the company publishes"},
            {"papaver check ./site/.well-known/poppy.json", "a file before it goes live"},
            {"papaver check skills/", "every SKILL.md and index below a folder"},
            {"papaver check --fail-on warning --format sarif --output papaver.sarif shop.example", "in CI"},
            {"papaver check --cacert ca.pem --resolve shop.example:443:127.0.0.1 --allow-private shop.example",
             "a test server on this machine"},
            {NULL, NULL}},
    .completes_files = true,
};
