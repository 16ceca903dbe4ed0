/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver version
 */
#include <stddef.h>

#include <papaver/check.h>

#include "cli/command.h"
#include "cli/json.h"

struct version_options {
    bool json;
};

static int run(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct version_options o = {0};
    struct arguments args;
    if (!options_parse(cli, self, argc, argv, &o, &args))
        return cli->status;
    if (args.n) {
        cli_usage(cli, "version takes no argument \"%s\"", args.at[0]);
        return CLI_USAGE;
    }
    if (o.json) {
        bool first = true;
        (void)fputc('{', cli->out);
        json_member(cli->out, &first, "name", "papaver");
        json_member(cli->out, &first, "version", pap_version());
        (void)fprintf(cli->out, ", \"checks\": %zu}\n", pap_rule_count());
    } else {
        (void)fprintf(cli->out, "papaver %s\n", pap_version());
    }
    return CLI_FINE;
}

static const struct option_row options[] = {
    {.name = "json",
     .field = offsetof(struct version_options, json),
     .set = set_flag,
     .help = "as JSON: name, version and the number of checks"},
    {.name = NULL},
};

const struct command cmd_version = {
    .name = "version",
    .run = run,
    .summary = "print the version of papaver",
    .arguments = "",
    .about = "Prints the version.",
    .options = options,
    .examples = (const struct example[]){{"papaver version --json", "for a script"}, {NULL, NULL}},
};
