/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver help [COMMAND]
 */
#include "cli/command.h"

static int run(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct arguments args;
    if (!options_parse(cli, self, argc, argv, NULL, &args))
        return cli->status;
    if (args.n > 1) {
        cli_usage(cli, "help takes one command: papaver help %s", args.at[0]);
        return CLI_USAGE;
    }
    if (args.n == 0) {
        help_program(cli, cli->out);
        return CLI_FINE;
    }
    const struct command *command = command_find(cli, args.at[0]);
    if (!command)
        return cli->status;
    help_command(cli, command, cli->out);
    return CLI_FINE;
}

const struct command cmd_help = {
    .name = "help",
    .run = run,
    .summary = "tell what papaver or one of its commands does",
    .arguments = "[COMMAND]",
    .about = "Shows the commands, or how to use one of them.",
    .examples = (const struct example[]){{"papaver help check", "every option of papaver check"}, {NULL, NULL}},
    .completes_commands = true,
};
