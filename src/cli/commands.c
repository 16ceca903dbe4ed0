/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of commands, and the choice among them.
 */
#include <string.h>

#include "cli/command.h"

const struct command *const commands[] = {
    &cmd_check, &cmd_publish, &cmd_skill,   &cmd_serve,   &cmd_web,  &cmd_census,
    &cmd_watch, &cmd_mcp,     &cmd_explain, &cmd_version, &cmd_help, NULL,
};

const char *command_word(const struct command *command)
{
    const char *blank = strrchr(command->name, ' ');
    return blank ? blank + 1 : command->name;
}

static const struct command *lookup(const struct command *const *list, const char *word)
{
    for (; *list; list++)
        if (strcmp(command_word(*list), word) == 0)
            return *list;
    return NULL;
}

/* What people type from the habit of another tool. */
static const struct {
    const char *name, *means;
} habits[] = {{"install", "add"},      {"i", "add"},          {"fetch", "get"},     {"cat", "get"},
              {"uninstall", "remove"}, {"rm", "remove"},      {"delete", "remove"}, {"upgrade", "update"},
              {"find", "search"},      {"ls", "list"},        {"info", "show"},     {"init", "new"},
              {"check", "verify"},     {"validate", "verify"}};

/* `above`: the command whose part it should be, NULL for one of the program. */
static void propose(struct cli *cli, const struct command *above, const char *word)
{
    const char *names[32];
    const char *before = above ? above->name : "", *blank = above ? " " : "";
    size_t n = 0;
    for (const struct command *const *c = above ? above->parts : commands; *c; c++)
        names[n++] = command_word(*c);
    names[n] = NULL;
    for (size_t i = 0; above && i < sizeof habits / sizeof *habits; i++)
        if (strcmp(habits[i].name, word) == 0) {
            cli_usage(cli, "there is no command \"%s %s\"; write papaver %s %s", before, word, before, habits[i].means);
            return;
        }
    const char *near = cli_did_you_mean(cli, word, names);
    if (*near)
        cli_usage(cli, "there is no command \"%s%s%s\"%s", before, blank, word, near);
    else if (!above && (strcmp(word, "-") == 0 || strpbrk(word, "./:")))
        cli_usage(cli, "there is no command \"%s\"; to check it write: papaver check %s", word, word);
    else
        cli_usage(cli, "there is no command \"%s%s%s\"; papaver help%s%s lists them", before, blank, word, blank,
                  before);
}

const struct command *command_find(struct cli *cli, const char *const *words, size_t *ret_words)
{
    const struct command *const *list = commands;
    const struct command *found = NULL;
    size_t n = 0;
    for (; list && words[n] && (!found || words[n][0] != '-'); n++) {
        const struct command *c = lookup(list, words[n]);
        if (!c) {
            propose(cli, found, words[n]);
            return NULL;
        }
        found = c;
        list = c->parts;
    }
    *ret_words = n;
    return found;
}

/* A command with parts that was named without one. */
static int run_parts(struct cli *cli, const struct command *command, const char *next)
{
    bool help = next && (strcmp(next, "--help") == 0 || strcmp(next, "-h") == 0);
    if (next && !help) {
        cli_usage(cli, "options stand behind the command: papaver %s %s %s ...", command->name,
                  command_word(command->parts[0]), next);
        return cli->status;
    }
    help_command(cli, command, help ? cli->out : cli->err);
    return help ? CLI_FINE : CLI_USAGE;
}

int commands_run(struct cli *cli, int argc, char **argv)
{
    if (argc < 2) {
        help_program(cli, cli->err);
        return CLI_USAGE;
    }
    const char *words[4] = {argv[1], argv[2], argc > 2 ? argv[3] : NULL, NULL};
    if (strcmp(words[0], "--version") == 0 || strcmp(words[0], "-V") == 0)
        words[0] = "version";
    if (strcmp(words[0], "--help") == 0 || strcmp(words[0], "-h") == 0)
        words[0] = "help";
    if (words[0][0] == '-' && words[0][1]) {
        cli_usage(cli, "options stand behind the command: papaver check %s ...", words[0]);
        return cli->status;
    }
    size_t n = 0;
    const struct command *command = command_find(cli, words, &n);
    if (!command)
        return cli->status;
    return command->parts ? run_parts(cli, command, words[n])
                          : command->run(cli, command, argc - 1 - (int)n, argv + 1 + n);
}
