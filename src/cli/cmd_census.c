/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver census: add, prune, and what all its commands do.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/census_options.h"
#include "cli/census_run.h"

#define AT(member) offsetof(struct census_options, member)
enum { JUNK_SHOWN = 20 };

/* ---- what all of them do ------------------------------------------------------------------------------------------ */

int census_status_of(struct cli *cli, pap_result r, const struct pap_err *err)
{
    if (r.code == PAP_OK)
        return CLI_FINE;
    cli_note(cli, "%s", err->text);
    return r.code == PAP_USAGE ? CLI_USAGE : CLI_FAILED;
}

static bool on_wait(void *ctx, const char *why, uint32_t waited_ms)
{
    if (waited_ms < 1000) /* who waits longer is told why */
        return true;
    cli_note(ctx, "waiting for the database: %s", why);
    return true;
}

bool census_begin(struct census_command *c, struct cli *cli, const struct command *self, int argc, char **argv,
                  size_t arguments, bool read_only)
{
    struct pap_err err = {.text = ""};
    c->cli = cli;
    if (!options_parse(cli, self, argc, argv, &c->o, &c->args))
        return false;
    if (c->args.n > arguments)
        return cli_usage(cli, "%s is one word too many; papaver %s --help shows what is taken", c->args.at[arguments],
                         self->name);
    const char *database = database_settle(cli, &c->o.database);
    if (!database)
        return false;
    struct pap_census_options o = {
        .alloc = cli->alloc, .database = database, .read_only = read_only, .waits = on_wait, .ctx = cli};
    cli->status = census_status_of(cli, pap_census_open(&o, &c->census, &err), &err);
    return cli->status == CLI_FINE;
}

int census_end(struct census_command *c, pap_result r, const struct pap_err *err)
{
    pap_census_close(c->census);
    return census_status_of(c->cli, r, err);
}

#define DATABASE_HERE DATABASE_ROWS("Database", AT(database))

/* ---- add ---------------------------------------------------------------------------------------------------------- */

struct adding {
    struct census_command c;
    int fd;
    uint64_t junk;
};

static ptrdiff_t read_list(void *ctx, char *p, size_t n)
{
    struct adding *a = ctx;
    ssize_t got;
    do
        got = read(a->fd, p, n);
    while (got < 0 && errno == EINTR);
    return got;
}

static void on_junk(void *ctx, uint64_t line, const char *text, const char *why)
{
    struct adding *a = ctx;
    if (a->junk++ < JUNK_SHOWN)
        cli_note(a->c.cli, "line %llu: \"%s\" %s", (unsigned long long)line, text, why);
}

static bool on_lines(void *ctx, uint64_t lines)
{
    struct adding *a = ctx;
    if (a->c.cli->err_is_terminal && lines > 20000)
        (void)fprintf(a->c.cli->err, "\r%llu lines\033[K", (unsigned long long)lines);
    return true;
}

static void tell_added(struct cli *cli, const struct adding *a, const struct pap_census_added *n)
{
    if (cli->err_is_terminal && n->lines > 20000)
        (void)fputs("\r\033[K", cli->err);
    if (a->junk > JUNK_SHOWN)
        cli_note(cli, "%llu more lines without a domain", (unsigned long long)(a->junk - JUNK_SHOWN));
    if (cli->out_is_terminal)
        (void)fprintf(cli->out, "%llu lines: %llu added, %llu known, %llu left alone, %llu without a domain\n",
                      (unsigned long long)n->lines, (unsigned long long)n->added, (unsigned long long)n->known,
                      (unsigned long long)n->opted_out, (unsigned long long)n->junk);
    else
        (void)fprintf(cli->out, "{\"lines\":%llu,\"added\":%llu,\"known\":%llu,\"opted_out\":%llu,\"junk\":%llu}\n",
                      (unsigned long long)n->lines, (unsigned long long)n->added, (unsigned long long)n->known,
                      (unsigned long long)n->opted_out, (unsigned long long)n->junk);
}

static int run_add(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct adding *a = cli_alloc(cli, sizeof *a);
    struct pap_err err = {.text = ""};
    struct pap_census_added n;
    if (!a || !census_begin(&a->c, cli, self, argc, argv, 1, false))
        return cli->status;
    const char *file = a->c.args.n ? a->c.args.at[0] : NULL;
    bool is_stdin = file && strcmp(file, "-") == 0;
    a->fd = is_stdin ? STDIN_FILENO : file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
    if (a->fd < 0) {
        if (file)
            cli_fail(cli, "%s cannot be read: %s", file, strerror(errno));
        else
            cli_usage(cli, "a list is missing: papaver census add FILE, or - for standard input");
        pap_census_close(a->c.census);
        return cli->status;
    }
    struct pap_census_list list = {.read = read_list,
                                   .column = a->c.o.column,
                                   .source = a->c.o.source,
                                   .junk = on_junk,
                                   .go_on = on_lines,
                                   .ctx = a,
                                   .opt_out = a->c.o.opt_out,
                                   .opt_in = a->c.o.opt_in};
    pap_result r = pap_census_add(a->c.census, &list, &n, &err);
    if (!is_stdin)
        (void)close(a->fd);
    if (r.code == PAP_OK)
        tell_added(cli, a, &n);
    return census_end(&a->c, r, &err);
}

const struct command cmd_census_add = {
    .name = "census add",
    .run = run_add,
    .summary = "add domains to ask",
    .arguments = "FILE|-",
    .about =
        "Reads a list of any length: domains or URLs one a line, a CSV file, or a ranked list (\"1,shop.example\"). Capitals, "
        "ports, paths, other scripts, a dot at the end and www. are made one name; lines without a domain are counted, the "
        "first 20 shown with their numbers. What is there already stays as it is.",
    .options =
        (const struct option_row[]){
            {.name = "column",
             .argument = "COLUMN",
             .field = AT(column),
             .set = set_text,
             .help = "the column of a CSV file: its name in the first line, or its number from 1"},
            {.name = "source",
             .argument = "WORD",
             .field = AT(source),
             .set = set_text,
             .help = "remember that the domains came from there"},
            {.name = "opt-out",
             .field = AT(opt_out),
             .set = set_flag,
             .not_with = "opt-in",
             .help = "these want to be left alone: never asked, on no list, and what was seen of them goes"},
            {.name = "opt-in", .field = AT(opt_in), .set = set_flag, .help = "take that back"},
            DATABASE_HERE,
            {.name = NULL}},
    .examples = (const struct example[]){{"papaver census add domains.txt", "one a line"},
                                         {"zcat top-1m.csv.gz | papaver census add - --source top", "a ranked list"},
                                         {"papaver census add shops.csv --column website", "a CSV file"},
                                         {NULL, NULL}},
    .completes_files = true,
};

/* ---- prune -------------------------------------------------------------------------------------------------------- */

static int run_prune(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct census_command *c = cli_alloc(cli, sizeof *c);
    struct pap_err err = {.text = ""};
    struct pap_census_pruned n = {0};
    if (!c)
        return cli->status;
    c->o.older = 365 * (int64_t)86400;
    if (!census_begin(c, cli, self, argc, argv, 0, false))
        return cli->status;
    pap_result r = pap_census_prune(c->census, (int64_t)time(NULL) - c->o.older, &n, &err);
    if (r.code == PAP_OK)
        (void)fprintf(cli->out,
                      cli->out_is_terminal ? "%llu observations and %llu documents gone, %llu bytes\n"
                                           : "{\"observations\":%llu,\"bodies\":%llu,\"bytes\":%llu}\n",
                      (unsigned long long)n.observations, (unsigned long long)n.bodies, (unsigned long long)n.bytes);
    return census_end(c, r, &err);
}

const struct command cmd_census_prune = {
    .name = "census prune",
    .run = run_prune,
    .summary = "forget old observations",
    .arguments = "",
    .about =
        "Takes observations that ended long ago, and the documents that only they name. What a site answered last, when it "
        "last answered well, and the day when it was first seen stay.",
    .options = (const struct option_row[]){{.name = "older",
                                            .argument = "SPAN",
                                            .field = AT(older),
                                            .set = set_span,
                                            .help = "what ended before so long: 90d, 26w (default 365d)"},
                                           DATABASE_HERE,
                                           {.name = NULL}},
    .examples = (const struct example[]){{"papaver census prune --older 90d", "keep three months"}, {NULL, NULL}},
};

/* ---- the group ---------------------------------------------------------------------------------------------------- */

const struct command cmd_census = {
    .name = "census",
    .parts = (const struct command *const[]){&cmd_census_add, &cmd_census_run, &cmd_census_status, &cmd_census_report,
                                             &cmd_census_diff, &cmd_census_export, &cmd_census_prune, &cmd_census_judge,
                                             NULL},
    .summary = "who publishes, since when, what is wrong, what changed",
    .about =
        "Asks many domains, again and again, whether they publish poppy.json or a skill index, and keeps what was seen: first "
        "seen, versions, channels, skills, faults, changes. A page that answers 200 with something else is no site. It asks "
        "politely: 50 requests a second in all, one connection a host, a limit per address, Retry-After honoured, and a "
        "User-Agent that says whom to ask.\n\n"
        "Everything is in one database, a file of SQLite or PostgreSQL, where any number of workers on any number of machines "
        "share the work. Killed at any moment, the next run goes on where it was.\n\n"
        "Exit status: 0 done, 1 diff: there is a difference, 2 a mistake in the command, 3 something could not be done. "
        "docs/census.md has it all.",
    .examples =
        (const struct example[]){{"papaver census add domains.txt", "whom to ask"},
                                 {"papaver census run --contact https://example.org/census", "ask those that are due"},
                                 {"papaver census status", "where it stands"},
                                 {NULL, NULL}},
};
