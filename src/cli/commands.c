/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of commands, and the choice among them.
 */
#include <string.h>

#include "cli/command.h"

const struct command *const commands[] = {
    &cmd_check, &cmd_publish, &cmd_skill, &cmd_serve, &cmd_explain, &cmd_version, &cmd_help, NULL,
};

static const struct command *lookup(const char *name)
{
    for (const struct command *const *c = commands; *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}

static void propose(struct cli *cli, const char *name)
{
    const char *names[16];
    size_t n = 0;
    for (const struct command *const *c = commands; *c; c++)
        names[n++] = (*c)->name;
    names[n] = NULL;
    const char *near = cli_did_you_mean(cli, name, names);
    if (*near)
        cli_usage(cli, "there is no command \"%s\"%s", name, near);
    else if (strcmp(name, "-") == 0 || strpbrk(name, "./:"))
        cli_usage(cli, "there is no command \"%s\"; to check it write: papaver check %s", name, name);
    else
        cli_usage(cli, "there is no command \"%s\"; papaver help lists them", name);
}

const struct command *command_find(struct cli *cli, const char *name)
{
    const struct command *c = lookup(name);
    if (!c)
        propose(cli, name);
    return c;
}

int commands_run(struct cli *cli, int argc, char **argv)
{
    if (argc < 2) {
        help_program(cli, cli->err);
        return CLI_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (name[0] == '-' && name[1]) {
        cli_usage(cli, "options stand behind the command: papaver check %s ...", name);
        return cli->status;
    }
    const struct command *command = command_find(cli, name);
    return command ? command->run(cli, command, argc - 2, argv + 2) : cli->status;
}
