/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver watch: tells what changed at some domains, as text, as JSON lines, to a webhook, or by the exit status.
 */
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <papaver/watch.h>

#include "cli/database_options.h"
#include "cli/diff.h"
#include "cli/json.h"
#include "cli/network_options.h"
#include "cli/shared_rows.h"
#include "cli/targets.h"

struct watch_options {
    struct pap_watch_options run;
    struct network_options network;
    const char *file, *secret_file;
    const char **only, **skip;
    bool json, quiet;
};

struct watch_run {
    struct cli *cli;
    struct watch_options o;
    struct json_out json;
    uint64_t failed;
};

#define AT(member) offsetof(struct watch_options, member)
enum { SECRET_MOST = 1024 };

/* ---- signals ------------------------------------------------------------------------------------------------------ */

static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
    if (signalled)
        _exit(128 + number);
    signalled = number;
}

static bool go_on(void *ctx)
{
    (void)ctx;
    return !signalled;
}

/* ---- what is told ------------------------------------------------------------------------------------------------- */

/* What people read, for each word of docs/watch.md. */
static const struct {
    const char *what, *words;
} sentences[] = {
    {"outcome-changed", "answers otherwise"},
    {"version-changed", "another version of the protocol"},
    {"error-new", "new error"},
    {"error-mended", "mended"},
    {"warning-new", "new warning"},
    {"warning-mended", "mended"},
    {"skill-added", "new skill"},
    {"skill-removed", "skill gone"},
    {"skill-changed", "skill changed"},
    {"key-added", "new key"},
    {"key-removed", "key gone"},
    {"key-changed", "key changed"},
    {"certificate-near-end", "certificate ends soon"},
};

static const char *words_of(const char *what)
{
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
        if (strcmp(sentences[i].what, what) == 0)
            return sentences[i].words;
    return what;
}

static void as_text(struct watch_run *r, const struct pap_watch_change *c)
{
    FILE *f = r->cli->out;
    (void)fprintf(f, "%s: %s: %s", c->domain, words_of(c->what), c->name);
    if (*c->before && *c->after)
        (void)fprintf(f, ": %s -> %s", c->before, c->after);
    else if (*c->before || *c->after)
        (void)fprintf(f, ": %s", *c->after ? c->after : c->before);
    (void)fputc('\n', f);
    if (c->text_before.n && c->text_after.n && !diff_print(r->cli, f, c->text_before, c->text_after))
        (void)fputs("(no memory to compare the two texts)\n", f);
}

static void as_diff(void *ctx, const struct pap_watch_change *c, void (*take)(void *to, const char *p, size_t n),
                    void *to)
{
    struct watch_run *r = ctx;
    char *text = NULL;
    size_t n = 0;
    FILE *m = open_memstream(&text, &n);
    bool is = m && diff_print(r->cli, m, c->text_before, c->text_after);
    if (m)
        (void)fclose(m);
    if (is && n)
        take(to, text, n);
    free(text);
}

struct member {
    FILE *f;
    bool *first;
};

static void take_member(void *to, const char *p, size_t n)
{
    const struct member *m = to;
    json_member_text(m->f, m->first, "diff", p, n);
}

/* A line: the writer's line ends would be several. */
static void as_json(struct watch_run *r, const struct pap_watch_change *c)
{
    FILE *f = r->cli->out;
    bool first = true;
    (void)fputc('{', f);
    json_member(f, &first, "domain", c->domain);
    json_member(f, &first, "what", c->what);
    json_member(f, &first, "name", c->name);
    json_member(f, &first, "before", c->before);
    json_member(f, &first, "after", c->after);
    if (c->text_before.n && c->text_after.n)
        as_diff(r, c, take_member, &(struct member){f, &first});
    (void)fputs("}\n", f);
}

static void on_change(void *ctx, const struct pap_watch_change *c)
{
    struct watch_run *r = ctx;
    if (r->o.json || !r->cli->out_is_terminal)
        as_json(r, c);
    else
        as_text(r, c);
    (void)fflush(r->cli->out);
}

static void on_look(void *ctx, const char *domain, const char *outcome, bool first)
{
    struct watch_run *r = ctx;
    if (first && !r->o.quiet)
        cli_note(r->cli, "%s: watched from now on; it answers: %s", domain, outcome);
}

static void on_trouble(void *ctx, const char *text)
{
    struct watch_run *r = ctx;
    cli_note(r->cli, "%s", text);
}

/* ---- the command -------------------------------------------------------------------------------------------------- */

/* The secret is a line of a file: what stands in a command line can be read by everybody on the machine. */
static bool read_secret(struct watch_run *r)
{
    struct cli *cli = r->cli;
    const char *path = r->o.secret_file;
    if (!r->o.run.webhook && !path)
        return true;
    if (!r->o.run.webhook || !path)
        return cli_usage(cli, "--webhook and --webhook-secret-file belong together");
    char *line = cli_alloc(cli, SECRET_MOST);
    FILE *f = line ? fopen(path, "re") : NULL;
    bool read = f && fgets(line, SECRET_MOST, f);
    if (f)
        (void)fclose(f);
    if (!read)
        return cli_fail(cli, "--webhook-secret-file: %s cannot be read", path);
    r->o.run.webhook_secret = (struct pap_str){line, strcspn(line, "\r\n")};
    return true;
}

static bool settle(struct watch_run *r)
{
    struct pap_watch_options *o = &r->o.run;
    o->alloc = r->cli->alloc;
    o->network = network_settle(&r->o.network);
    o->only = (const char *const *)r->o.only;
    o->skip = (const char *const *)r->o.skip;
    o->changed = on_change;
    o->diff = as_diff;
    o->looked = on_look;
    o->trouble = on_trouble;
    o->go_on = go_on;
    o->ctx = r;
    if (!o->state)
        o->state = cli_user_folder(r->cli, "XDG_STATE_HOME", "/.local/state", "/papaver/watch.json");
    if (!o->state)
        return cli_usage(r->cli, "there is no home folder for what was seen; write --state FILE");
    return read_secret(r);
}

static int run(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct watch_run *r = cli_alloc(cli, sizeof *r);
    struct arguments args;
    struct targets t = {0};
    struct pap_err err = {.text = ""};
    struct pap_watched n = {0};
    if (!r || !options_parse(cli, self, argc, argv, &r->o, &args))
        return cli->status;
    r->cli = cli;
    if (!args.n && !r->o.file) {
        cli_usage(cli, "a domain is missing: papaver watch shop.example, or --file LIST");
        return cli->status;
    }
    if (!settle(r) || !targets_read(cli, &args, r->o.file, &t))
        return cli->status;
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        (void)sigaction(numbers[i], &(struct sigaction){.sa_handler = on_signal}, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    pap_result x = pap_watch(&r->o.run, t.at, t.n, &n, &err);
    if (x.code != PAP_OK) {
        cli_note(cli, "%s", err.text);
        return x.code == PAP_USAGE ? CLI_USAGE : CLI_FAILED;
    }
    if (signalled)
        return 128 + signalled;
    return n.failed ? CLI_FAILED : n.changes ? CLI_FINDINGS : CLI_FINE;
}

const struct command cmd_watch = {
    .name = "watch",
    .run = run,
    .summary = "tell what changes at some domains",
    .arguments = "DOMAIN...",
    .about =
        "Checks the domains now and then and tells only what changed since it told last: a new error or one that is mended, a "
        "digest that went stale, a skill added, removed or changed (with a diff), another version, a key that came or went, a "
        "certificate near its end, a site that stopped answering. The first check of a domain only remembers.\n\n"
        "On a terminal changes are text, elsewhere a line of JSON each. A webhook gets one signed POST for each domain with "
        "changes; what it does not take is told again with the next check. With --once the exit status tells, for cron and "
        "continuous integration.\n\n"
        "Exit status with --once: 0 nothing changed, 1 something did, 2 a mistake in the command, 3 something could not be done "
        "or not be delivered.",
    .options =
        (const struct option_row[]){
            {.group = "What to watch, and when",
             .name = "file",
             .argument = "LIST",
             .field = AT(file),
             .set = set_text,
             .complete = COMPLETE_FILE,
             .help = "more domains, one a line (- is standard input)"},
            {.name = "every",
             .argument = "SPAN",
             .field = AT(run.every),
             .set = set_span,
             .not_with = "once",
             .help = "check so often: 15m, 1h, 1d (default 1h)"},
            {.name = "once", .field = AT(run.once), .set = set_flag, .help = "check once and end"},
            {.name = "state",
             .argument = "FILE",
             .field = AT(run.state),
             .set = set_text,
             .complete = COMPLETE_FILE,
             .help = "keep there what was seen (default: papaver/watch.json in $XDG_STATE_HOME or ~/.local/state)"},
            {.name = "again",
             .argument = "SECONDS",
             .field = AT(run.again_ms),
             .set = set_seconds,
             .help = "a site that does not answer is asked once more after that before it is told (default 10)"},
            {.name = "near-end",
             .argument = "SPAN",
             .field = AT(run.near_end),
             .set = set_span,
             .help = "tell certificates that end within that (default 21d)"},
            RULE_ROWS(AT(only), AT(skip), CONFIG_NEVER, RULES_AS_CHECK),
            {.group = "Who is told",
             .name = "json",
             .field = AT(json),
             .set = set_flag,
             .help = "a line of JSON for each change, which is what a pipe gets anyway"},
            {.name = "webhook",
             .argument = "URL",
             .field = AT(run.webhook),
             .set = set_text,
             .help = "POST changes there, signed; https only, and no redirect is followed"},
            {.name = "webhook-secret-file",
             .argument = "FILE",
             .field = AT(secret_file),
             .set = set_input,
             .complete = COMPLETE_FILE,
             .help = "its first line is the secret of the signature, of at least 16 bytes"},
            {.name = "webhook-private",
             .field = AT(run.webhook_private),
             .set = set_flag,
             .help = "the webhook may be at a private or loopback address"},
            {.name = "quiet", .letter = 'q', .field = AT(quiet), .set = set_flag, .help = "changes only, no notes"},
            NETWORK_ROWS("Network", AT(network)),
            {.name = "insecure-http",
             .field = AT(run.insecure_http),
             .set = set_flag,
             .help = "allow plain http to loopback addresses; never use it on anything but a test"},
            {.name = NULL}},
    .examples =
        (const struct example[]){
            {"papaver watch shop.example", "tell on the terminal what changes, hourly"},
            {"papaver watch shop.example --once || mail -s changed me", "from cron"},
            {"papaver watch --file domains.txt --webhook https://hooks.example/poppy --webhook-secret-file secret",
             "to another program"},
            {NULL, NULL}},
};
