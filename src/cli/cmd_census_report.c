/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver census: what is known. status, report, diff, export, and judge.
 */
#include <string.h>
#include <time.h>

#include "cli/census_run.h"

#define AT(member) offsetof(struct census_options, member)

static bool to_stdout(void *ctx, const char *bytes, size_t n)
{
    struct cli *cli = ctx;
    return fwrite(bytes, 1, n, cli->out) == n;
}

/* On a terminal a table, for programs JSON. */
static struct pap_census_out out_of(const struct census_command *c)
{
    bool json = c->o.json || !c->cli->out_is_terminal;
    return (struct pap_census_out){.form = c->o.csv ? PAP_CENSUS_CSV
                                           : json   ? PAP_CENSUS_JSON
                                                    : PAP_CENSUS_TEXT,
                                   .write = to_stdout,
                                   .ctx = c->cli};
}

#define FORM_ROWS                                                                        \
    {.name = "json",                                                                     \
     .field = AT(json),                                                                  \
     .set = set_flag,                                                                    \
     .not_with = "csv",                                                                  \
     .help = "JSON, which is what a pipe gets anyway"},                                  \
    {                                                                                    \
        .name = "csv", .field = AT(csv), .set = set_flag,                                \
        .help = "CSV; a cell that a spreadsheet would compute begins with an apostrophe" \
    }
#define DATABASE_HERE DATABASE_ROWS("Database", AT(database))

/* ---- status ------------------------------------------------------------------------------------------------------- */

static int run_status(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct census_command *c = cli_alloc(cli, sizeof *c);
    struct pap_err err = {.text = ""};
    if (!c || !census_begin(c, cli, self, argc, argv, 0, true))
        return cli->status;
    struct pap_census_out out = out_of(c);
    return census_end(c, pap_census_status(c->census, &out, &err), &err);
}

const struct command cmd_census_status = {
    .name = "census status",
    .run = run_status,
    .summary = "how many domains, how many due, who asks",
    .arguments = "",
    .about =
        "Prints how many domains there are, how many are due, what came of asking them, and which workers hold some.",
    .options = (const struct option_row[]){FORM_ROWS, DATABASE_HERE, {.name = NULL}},
    .examples = (const struct example[]){{"papaver census status", "where it stands"}, {NULL, NULL}},
};

/* ---- report ------------------------------------------------------------------------------------------------------- */

static int run_report(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct census_command *c = cli_alloc(cli, sizeof *c);
    struct pap_err err = {.text = ""};
    if (!c || !census_begin(c, cli, self, argc, argv, 0, true))
        return cli->status;
    struct pap_census_out out = out_of(c);
    pap_result r = c->o.html ? pap_census_pages(c->census, c->o.unlisted, c->o.html, &err)
                             : pap_census_report(c->census, c->o.unlisted, &out, &err);
    return census_end(c, r, &err);
}

const struct command cmd_census_report = {
    .name = "census report",
    .run = run_report,
    .summary = "who publishes, since when, and what is wrong",
    .arguments = "",
    .about =
        "Prints counts (versions, channels, ways to sign in, commonest faults) and every site with the day when it was "
        "first seen. A site is listed when it was seen good twice, a day apart; of one registered domain at most five "
        "names are.",
    .options =
        (const struct option_row[]){
            {.name = "unlisted",
             .field = AT(unlisted),
             .set = set_flag,
             .help = "also sites that are not listed (yet)"},
            {.name = "html",
             .argument = "DIR",
             .field = AT(html),
             .set = set_text,
             .complete = COMPLETE_FILE,
             .help = "write it as web pages: DIR/index.html, one for each site, and the list as JSON and CSV"},
            FORM_ROWS,
            DATABASE_HERE,
            {.name = NULL}},
    .examples = (const struct example[]){{"papaver census report", "on a terminal: tables"},
                                         {"papaver census report --csv >sites.csv", "for a spreadsheet"},
                                         {"papaver census report --html public", "for people"},
                                         {NULL, NULL}},
};

/* ---- diff --------------------------------------------------------------------------------------------------------- */

/* The last second of a day: "2026-11-30", "today", "yesterday"; or a moment, "2026-11-30T12:00:00Z", "now". */
static bool read_day(struct cli *cli, const char *text, int64_t *ret)
{
    int64_t now = (int64_t)time(NULL), day = now - now % 86400;
    struct tm tm = {0};
    const char *end = strptime(text, "%Y-%m-%d", &tm);
    if (strcmp(text, "now") == 0)
        *ret = now;
    else if (strcmp(text, "today") == 0)
        *ret = day + 86399;
    else if (strcmp(text, "yesterday") == 0)
        *ret = day - 1;
    else if (end && !*end)
        *ret = (int64_t)timegm(&tm) + 86399;
    else if (end && (end = strptime(end, "T%H:%M:%SZ", &tm)) && !*end)
        *ret = (int64_t)timegm(&tm);
    else
        return cli_usage(cli, "\"%s\" is no day; write 2026-11-30, 2026-11-30T12:00:00Z, today, yesterday or now",
                         text);
    return true;
}

static int run_diff(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct census_command *c = cli_alloc(cli, sizeof *c);
    struct pap_err err = {.text = ""};
    uint64_t n = 0;
    int64_t before = 0, after = 0;
    if (!c || !census_begin(c, cli, self, argc, argv, 2, true))
        return cli->status;
    if (c->args.n < 2)
        cli_usage(cli, "two days are compared: papaver census diff yesterday today");
    if (c->args.n < 2 || !read_day(cli, c->args.at[0], &before) || !read_day(cli, c->args.at[1], &after)) {
        pap_census_close(c->census);
        return cli->status;
    }
    struct pap_census_out out = out_of(c);
    pap_result r = pap_census_diff(c->census, before, after, &out, &n, &err);
    int status = census_end(c, r, &err);
    return status == CLI_FINE && n ? CLI_FINDINGS : status;
}

const struct command cmd_census_diff = {
    .name = "census diff",
    .run = run_diff,
    .summary = "what changed between two days",
    .arguments = "DAY DAY",
    .about =
        "Compares what held at the end of two days: sites that are new or gone, and of the others version, channels, "
        "skills and faults. A site that only failed to answer for a while has not changed.\n\n"
        "Exit status 1: there is a difference.",
    .options = (const struct option_row[]){FORM_ROWS, DATABASE_HERE, {.name = NULL}},
    .examples = (const struct example[]){{"papaver census diff yesterday today", "last night"},
                                         {"papaver census diff 2026-11-01 2026-11-30", "a month"},
                                         {NULL, NULL}},
};

/* ---- export ------------------------------------------------------------------------------------------------------- */

static int run_export(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct census_command *c = cli_alloc(cli, sizeof *c);
    struct pap_err err = {.text = ""};
    if (!c || !census_begin(c, cli, self, argc, argv, 0, true))
        return cli->status;
    struct pap_census_out out = out_of(c);
    return census_end(c, pap_census_export(c->census, &out, &err), &err);
}

const struct command cmd_census_export = {
    .name = "census export",
    .run = run_export,
    .summary = "every domain, for other programs",
    .arguments = "",
    .about = "Writes each domain with what is known of it: a line of JSON each, or CSV.",
    .options = (const struct option_row[]){FORM_ROWS, DATABASE_HERE, {.name = NULL}},
    .examples = (const struct example[]){{"papaver census export --csv >domains.csv", "all of them"}, {NULL, NULL}},
};

/* ---- judge -------------------------------------------------------------------------------------------------------- */

static int run_judge(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct census_command *c = cli_alloc(cli, sizeof *c);
    struct pap_err err = {.text = ""};
    struct pap_census_judged n = {0};
    if (!c || !census_begin(c, cli, self, argc, argv, 0, false))
        return cli->status;
    pap_result r = pap_census_judge(c->census, &n, &err);
    if (r.code == PAP_OK)
        (void)fprintf(cli->out,
                      cli->out_is_terminal
                          ? "%llu observations judged again, %llu of them otherwise; %llu left as they are, "
                            "because some answer is not kept\n"
                          : "{\"judged\":%llu,\"changed\":%llu,\"skipped\":%llu}\n",
                      (unsigned long long)n.judged, (unsigned long long)n.changed, (unsigned long long)n.skipped);
    return census_end(c, r, &err);
}

const struct command cmd_census_judge = {
    .name = "census judge",
    .run = run_judge,
    .summary = "judge what was seen by the rules of today",
    .arguments = "",
    .about =
        "After an update of papaver: observations that an earlier version judged are judged again, from the answers that "
        "were kept. Nobody is asked.",
    .options = (const struct option_row[]){DATABASE_HERE, {.name = NULL}},
    .examples = (const struct example[]){{"papaver census judge", "after an update"}, {NULL, NULL}},
};
