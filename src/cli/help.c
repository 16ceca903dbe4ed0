/* SPDX-License-Identifier: Apache-2.0
 *
 * --help, from the rows.
 */
#include <string.h>

#include "cli/command.h"

enum { HELP_COLUMN = 28, HELP_WIDTH = 80 };

/* "  -f, --format FORMAT" and the text behind it, or below it where the name is long. */
static void help_option(const struct option_row *row, unsigned width, FILE *out)
{
    char left[80];
    char letter[8] = "    ";
    if (row->letter)
        (void)snprintf(letter, sizeof letter, "-%c, ", row->letter);
    const char *between = !row->argument ? "" : row->optional ? "[=" : " ";
    (void)snprintf(left, sizeof left, "  %s--%s%s%s%s", letter, row->name, between, row->argument ? row->argument : "",
                   row->optional ? "]" : "");
    if (strlen(left) < HELP_COLUMN - 1)
        (void)fprintf(out, "%-*s", HELP_COLUMN, left);
    else
        (void)fprintf(out, "%s\n%*s", left, HELP_COLUMN, "");
    cli_wrap(out, row->help, HELP_COLUMN, HELP_COLUMN, width);
}

static void help_examples(const struct command *command, FILE *out)
{
    if (command->examples[0].command)
        (void)fprintf(out, "\nExamples\n");
    for (const struct example *e = command->examples; e->command; e++)
        (void)fprintf(out, "  %s\n      %s\n", e->command, e->what);
}

static void help_list(const struct command *const *list, FILE *out)
{
    (void)fprintf(out, "Commands\n");
    for (; *list; list++)
        (void)fprintf(out, "  %-10s%s\n", command_word(*list), (*list)->summary);
}

static void help_parts(const struct command *command, unsigned width, FILE *out)
{
    (void)fprintf(out, "Usage: papaver %s COMMAND [OPTION...] [ARGUMENT...]\n\n", command->name);
    cli_wrap(out, command->about, 0, 0, width);
    (void)fputc('\n', out);
    help_list(command->parts, out);
    help_examples(command, out);
    (void)fprintf(out, "\npapaver help %s COMMAND tells more.\n", command->name);
}

void help_command(struct cli *cli, const struct command *command, FILE *out)
{
    static const struct option_row help = {.name = "help", .letter = 'h', .help = "this text"};
    unsigned width = cli_width(out, HELP_WIDTH);
    width = width < 50 ? 50 : width > 100 ? 100 : width;
    (void)cli;
    if (command->parts) {
        help_parts(command, width, out);
        return;
    }
    (void)fprintf(out, "Usage: papaver %s%s%s%s\n\n", command->name, command->options ? " [OPTION...]" : "",
                  command->arguments[0] ? " " : "", command->arguments);
    cli_wrap(out, command->about, 0, 0, width);
    help_examples(command, out);
    (void)fprintf(out, "%s", command->options && command->options->group ? "" : "\nOptions\n");
    for (const struct option_row *row = command->options; row && row->name; row++) {
        if (row->group)
            (void)fprintf(out, "\n%s\n", row->group);
        help_option(row, width, out);
    }
    help_option(&help, width, out);
}

void help_program(struct cli *cli, FILE *out)
{
    (void)cli;
    (void)fprintf(out, "Usage: papaver COMMAND [OPTION...] [ARGUMENT...]\n\n"
                       "Tools for the Personal Agent Protocol (\"Poppy\") and Agent Skills discovery.\n\n");
    help_list(commands, out);
    (void)fprintf(out, "\nExamples\n"
                       "  papaver check shop.example         a company's published documents\n"
                       "  papaver check ./skills             files and folders, without any network\n"
                       "  papaver explain links.issuer       what a finding means\n"
                       "\npapaver help COMMAND tells more.\n");
}
