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
    if (args.n == 0) {
        help_program(cli, cli->out);
        return CLI_FINE;
    }
    size_t words;
    const struct command *command = command_find(cli, args.at, &words);
    if (!command)
        return cli->status;
    if (words < args.n) {
        cli_usage(cli, "help takes one command: papaver help %s", command->name);
        return CLI_USAGE;
    }
    help_command(cli, command, cli->out);
    return CLI_FINE;
}

const struct command cmd_help = {
    .name = "help",
    .run = run,
    .summary = "tell what papaver or one of its commands does",
    .arguments = "[COMMAND...]",
    .about = "Shows the commands, or how to use one of them.",
    .examples = (const struct example[]){{"papaver help check", "every option of papaver check"},
                                         {"papaver help skill add", "one of the commands of papaver skill"},
                                         {NULL, NULL}},
    .completes_commands = true,
};
