/* SPDX-License-Identifier: Apache-2.0
 *
 * Build time only: manual pages and shell completions from the rows of commands and options.
 *     papaver-docs man [COMMAND] | bash | zsh | fish
 */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

/* ---- manual pages (roff) ------------------------------------------------------------------------------------------ */

/* Text for troff: nothing in it is a request or an escape, and hyphens can be copied. */
static void roff(const char *text)
{
    static const struct {
        char c;
        const char *name;
    } special[] = {{'\\', "\\e"}, {'-', "\\-"}, {'~', "\\(ti"}, {'^', "\\(ha"}, {'`', "\\(ga"}, {'\'', "\\(aq"}};
    bool line_begins = true;
    for (; *text; text++) {
        size_t i = 0;
        while (i < sizeof special / sizeof *special && special[i].c != *text)
            i++;
        if (line_begins && *text == '.')
            (void)fputs("\\&", stdout);
        if (i < sizeof special / sizeof *special)
            (void)fputs(special[i].name, stdout);
        else
            (void)fputc(*text, stdout);
        line_begins = *text == '\n';
    }
}

static void roff_line(const char *request, const char *text)
{
    (void)fputs(request, stdout);
    roff(text);
    (void)fputc('\n', stdout);
}

static void roff_paragraphs(const char *text)
{
    for (const char *end; *text; text = end + strspn(end, "\n")) {
        end = strstr(text, "\n\n");
        end = end ? end : text + strlen(text);
        char paragraph[2048];
        (void)snprintf(paragraph, sizeof paragraph, "%.*s", (int)(end - text), text);
        roff_line(".PP\n", paragraph);
    }
}

static void roff_head(const char *command)
{
    static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    (void)fputs(".\\\" Made from the tables of src/cli by papaver-docs.\n.TH PAPAVER", stdout);
    if (command)
        (void)fputs("\\-", stdout);
    for (const char *p = command ? command : ""; *p; p++)
        (void)fputs(*p == ' ' ? "\\-" : (char[]){*p >= 'a' && *p <= 'z' ? capitals[*p - 'a'] : *p, '\0'}, stdout);
    (void)fputs(" 1 \"\" \"papaver " PAP_VERSION "\" \"User Commands\"\n.SH NAME\n", stdout);
}

static void roff_option(const struct option_row *row)
{
    (void)fputs(".TP\n\\fB", stdout);
    if (row->letter)
        (void)printf("\\-%c\\fR, \\fB", row->letter);
    (void)fputs("\\-\\-", stdout);
    roff(row->name);
    (void)fputs("\\fR", stdout);
    if (row->argument)
        (void)printf("%s\\fI%s\\fR%s", row->optional ? "[=" : " ", row->argument, row->optional ? "]" : "");
    roff_line("\n", row->help);
}

static void roff_exit_status(void)
{
    (void)fputs(".SH EXIT STATUS\n"
                ".TP\n0\nNothing at or above the threshold.\n"
                ".TP\n1\nFindings.\n"
                ".TP\n2\nA mistake in the command line or in papaver.json; nothing was done.\n"
                ".TP\n3\nThe job could not be done: something could not be read, reached or written.\n"
                ".TP\n130, 143\nEnded by SIGINT or SIGTERM.\n",
                stdout);
}

/* "papaver-skill-list" of "skill list". */
static void page_name(const char *command)
{
    (void)fputs("papaver\\-", stdout);
    for (; *command; command++)
        (void)fputs(*command == ' ' || *command == '-' ? "\\-" : (char[]){*command, '\0'}, stdout);
}

static void man_list(const struct command *const *list)
{
    (void)fputs(".SH COMMANDS\n", stdout);
    for (; *list; list++) {
        (void)fputs(".TP\n\\fB", stdout);
        page_name((*list)->name);
        (void)fputs("\\fR(1)\n", stdout);
        roff_line("", (*list)->summary);
    }
}

static void man_options(const struct command *c)
{
    (void)fputs(".SH OPTIONS\n", stdout);
    for (const struct option_row *row = c->options; row && row->name; row++) {
        if (row->group)
            roff_line(".SS ", row->group);
        roff_option(row);
    }
    roff_option(&(struct option_row){.name = "help", .letter = 'h', .help = "Shows the same in short."});
}

static void man_command(const struct command *c)
{
    roff_head(c->name);
    page_name(c->name);
    (void)fputs(" \\- ", stdout);
    roff_line("", c->summary);
    (void)printf(".SH SYNOPSIS\n\\fBpapaver %s\\fR %s", c->name,
                 c->parts     ? "\\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]"
                 : c->options ? "[\\fIOPTION\\fR...] "
                              : "");
    roff_line("", c->parts ? "" : c->arguments);
    (void)fputs(".SH DESCRIPTION\n", stdout);
    roff_paragraphs(c->about);
    if (c->parts)
        man_list(c->parts);
    else
        man_options(c);
    (void)fputs(".SH EXAMPLES\n", stdout);
    for (const struct example *e = c->examples; e->command; e++) {
        roff_line(".PP\n", e->what);
        roff_line(".PP\n.RS 4\n.nf\n", e->command);
        (void)fputs(".fi\n.RE\n", stdout);
    }
    roff_exit_status();
    (void)fputs(".SH SEE ALSO\n\\fBpapaver\\fR(1)\n", stdout);
}

static void man_program(void)
{
    roff_head(NULL);
    (void)fputs("papaver \\- tools for the Personal Agent Protocol and Agent Skills discovery\n"
                ".SH SYNOPSIS\n\\fBpapaver\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n",
                stdout);
    man_list(commands);
    roff_exit_status();
    (void)fputs(".SH FILES\n.TP\npapaver.json\nSettings of a project, read from the current folder or from where "
                "\\fB\\-\\-config\\fR says: an object with one member a command, such as\n"
                ".RS\n.PP\n.nf\n{\"check\": {\"fail\\-on\": \"warning\", \"skip\": [\"exchange.*\"]}}\n.fi\n.PP\n"
                "The names are those of the options; options win. A file that merely lies in the folder may not set:",
                stdout);
    const char *before = " ";
    for (const struct option_row *row = cmd_check.options; row->name; row++)
        if (row->config == CONFIG_NAMED) {
            (void)printf("%s\\fB", before);
            roff(row->name);
            (void)fputs("\\fR", stdout);
            before = ", ";
        }
    (void)fputs(".\n.RE\n.SH ENVIRONMENT\n.TP\nNO_COLOR\nNo colours, when set to anything.\n"
                ".TP\nTERM\nNeither colours nor a progress bar when it is \\(lqdumb\\(rq.\n"
                ".PP\nNo proxy variable is looked at; see \\fB\\-\\-proxy\\fR.\n",
                stdout);
}

/* ---- completions -------------------------------------------------------------------------------------------------- */

/* The first clause of a help text, without what the shells would read. */
static void brief(const char *help)
{
    size_t n = strcspn(help, ";:(");
    while (n && help[n - 1] == ' ')
        n--;
    for (size_t i = 0; i < n; i++)
        if (!strchr("'\"`[]\\$", help[i]))
            (void)fputc(help[i], stdout);
}

static void print_choices(const struct option_row *row)
{
    for (const char *const *c = row->choices; *c; c++)
        (void)printf("%s%s", c > row->choices ? " " : "", *c);
}

static void print_commands(const struct command *const *list)
{
    for (const struct command *const *c = list; *c; c++)
        (void)printf("%s%s", c > list ? " " : "", command_word(*c));
}

/* Prints the ids of all checks, one a line; the first word of the indented lines of `papaver explain`. */
#define LIST_RULES "papaver explain 2>/dev/null | sed -n \"s/^  \\([a-z][^ ]*\\.[^ ]*\\) .*/\\1/p\""

static void bash_arguments(const struct command *c)
{
    (void)printf("    %s)\n        case $before in\n", command_word(c));
    for (const struct option_row *row = c->options; row && row->name; row++) {
        if (!row->argument || row->optional)
            continue;
        (void)printf("        --%s", row->name);
        if (row->letter)
            (void)printf(" | -%c", row->letter);
        (void)fputs(") ", stdout);
        if (row->complete == COMPLETE_CHOICES) {
            (void)fputs("COMPREPLY=($(compgen -W '", stdout);
            print_choices(row);
            (void)fputs("' -- \"$word\")); ", stdout);
        } else if (row->complete == COMPLETE_RULE) {
            (void)fputs("COMPREPLY=($(compgen -W \"$(_papaver_rules)\" -- \"$word\")); ", stdout);
        } else if (row->complete == COMPLETE_FILE) {
            (void)fputs("compopt -o default; ", stdout);
        }
        (void)fputs("return ;;\n", stdout);
    }
    (void)fputs("        esac\n        words='--help", stdout);
    for (const struct option_row *row = c->options; row && row->name; row++)
        (void)printf(" --%s", row->name);
    (void)fputs("'\n", stdout);
    if (c->completes_rules)
        (void)fputs("        [[ $word == -* ]] || words=$(_papaver_rules)\n", stdout);
    if (c->completes_commands) {
        (void)fputs("        [[ $word == -* ]] || words='", stdout);
        print_commands(commands);
        (void)fputs("'\n", stdout);
    }
    if (c->completes_files)
        (void)fputs("        [[ $word == -* ]] || { compopt -o default; return; }\n", stdout);
    (void)fputs("        ;;\n", stdout);
}

static void bash_command(const struct command *c)
{
    if (!c->parts) {
        bash_arguments(c);
        return;
    }
    (void)printf("    %s)\n        if ((COMP_CWORD == 2)); then\n            COMPREPLY=($(compgen -W '--help ",
                 c->name);
    print_commands(c->parts);
    (void)fputs("' -- \"$word\"))\n            return\n        fi\n        case ${COMP_WORDS[2]} in\n", stdout);
    for (const struct command *const *part = c->parts; *part; part++)
        bash_arguments(*part);
    (void)fputs("        esac\n        ;;\n", stdout);
}

static void bash(void)
{
    (void)fputs("# bash completion of papaver; made from the tables of src/cli by papaver-docs.\n"
                "_papaver_rules() { " LIST_RULES "; }\n"
                "_papaver() {\n"
                "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
                "    [[ $before == '=' ]] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
                "    [[ $word == '=' ]] && { before=${COMP_WORDS[COMP_CWORD-1]}; word=; }\n"
                "    if ((COMP_CWORD == 1)); then\n        COMPREPLY=($(compgen -W '--help --version ",
                stdout);
    print_commands(commands);
    (void)fputs("' -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n", stdout);
    for (const struct command *const *c = commands; *c; c++)
        bash_command(*c);
    (void)fputs("    esac\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\ncomplete -F _papaver papaver\n",
                stdout);
}

static void zsh_option(const struct option_row *row)
{
    (void)fputs("            ", stdout);
    if (row->letter)
        (void)printf("{-%c%s,--%s%s}'", row->letter, row->argument ? "+" : "", row->name, row->argument ? "=" : "");
    else
        (void)printf("'%s--%s%s", row->list ? "*" : "", row->name, row->optional ? "=-" : row->argument ? "=" : "");
    (void)fputc('[', stdout);
    brief(row->help);
    (void)fputc(']', stdout);
    if (row->argument) {
        (void)printf("%s", row->optional ? "::" : ":");
        for (const char *p = row->argument; *p; p++)
            (void)fputc(*p == ':' ? ' ' : *p, stdout);
        (void)fputc(':', stdout);
    }
    if (row->complete == COMPLETE_CHOICES) {
        (void)fputc('(', stdout);
        print_choices(row);
        (void)fputc(')', stdout);
    }
    (void)printf("%s' \\\n", row->complete == COMPLETE_RULE   ? "_papaver_rules"
                             : row->complete == COMPLETE_FILE ? "_files"
                             : row->argument && !row->choices ? " "
                                                              : "");
}

static void zsh_list(const struct command *const *list)
{
    (void)fputs("    local -a list=(\n", stdout);
    for (; *list; list++) {
        (void)printf("        '%s:", command_word(*list));
        brief((*list)->summary);
        (void)fputs("'\n", stdout);
    }
    (void)fputs("    )\n    _describe command list\n", stdout);
}

static void zsh_arguments(const struct command *c)
{
    (void)printf("        %s)\n            _arguments \\\n            '(- *)'{-h,--help}'[how to use it]' \\\n",
                 command_word(c));
    for (const struct option_row *row = c->options; row && row->name; row++)
        zsh_option(row);
    (void)printf("            '*:argument:%s'\n            ;;\n", c->completes_files      ? "_files"
                                                                  : c->completes_rules    ? "_papaver_rules"
                                                                  : c->completes_commands ? "_papaver_commands"
                                                                                          : " ");
}

static void zsh_command(const struct command *c)
{
    if (!c->parts) {
        zsh_arguments(c);
        return;
    }
    (void)printf("        %s)\n    if ((CURRENT == 2)); then\n", c->name);
    zsh_list(c->parts);
    (void)fputs(
        "        return\n    fi\n    command=$words[2]\n    shift words\n    ((CURRENT--))\n    case $command in\n",
        stdout);
    for (const struct command *const *part = c->parts; *part; part++)
        zsh_arguments(*part);
    (void)fputs("    esac\n            ;;\n", stdout);
}

static void zsh(void)
{
    (void)fputs("#compdef papaver\n# zsh completion of papaver; made from the tables of src/cli by papaver-docs.\n"
                "_papaver_rules() { compadd -- ${(f)\"$(" LIST_RULES ")\"} }\n"
                "_papaver_commands() {\n",
                stdout);
    zsh_list(commands);
    (void)fputs("}\n_papaver() {\n"
                "    if ((CURRENT == 2)); then\n        _papaver_commands\n        return\n    fi\n"
                "    local command=$words[2]\n    shift words\n    ((CURRENT--))\n    case $command in\n",
                stdout);
    for (const struct command *const *c = commands; *c; c++)
        zsh_command(*c);
    (void)fputs("    esac\n}\n_papaver \"$@\"\n", stdout);
}

/* The condition under which a command, or a part of one, is on the line. */
static void fish_seen(const struct command *c)
{
    size_t n = strcspn(c->name, " ");
    (void)printf("complete -c papaver -n '__fish_seen_subcommand_from %.*s", (int)n, c->name);
    if (c->name[n])
        (void)printf("; and __fish_seen_subcommand_from %s", c->name + n + 1);
    (void)fputs("'", stdout);
}

static void fish_option(const struct command *c, const struct option_row *row)
{
    fish_seen(c);
    (void)printf(" -l %s", row->name);
    if (row->letter)
        (void)printf(" -s %c", row->letter);
    if (row->argument && !row->optional)
        (void)fputs(row->complete == COMPLETE_FILE ? " -r -F" : " -x", stdout);
    if (row->complete == COMPLETE_CHOICES) {
        (void)fputs(" -a '", stdout);
        print_choices(row);
        (void)fputs("'", stdout);
    }
    if (row->complete == COMPLETE_RULE)
        (void)fputs(" -a '(__papaver_rules)'", stdout);
    (void)fputs(" -d '", stdout);
    brief(row->help);
    (void)fputs("'\n", stdout);
}

static void fish_arguments(const struct command *c)
{
    fish_seen(c);
    (void)fputs(" -l help -s h -d 'how to use it'\n", stdout);
    for (const struct option_row *row = c->options; row && row->name; row++)
        fish_option(c, row);
    if (c->completes_files) {
        fish_seen(c);
        (void)fputs(" -F\n", stdout);
    }
    if (c->completes_rules) {
        fish_seen(c);
        (void)fputs(" -a '(__papaver_rules)'\n", stdout);
    }
    if (c->completes_commands) {
        fish_seen(c);
        (void)fputs(" -a '", stdout);
        print_commands(commands);
        (void)fputs("'\n", stdout);
    }
}

static void fish_parts(const struct command *c)
{
    for (const struct command *const *part = c->parts; *part; part++) {
        (void)printf("complete -c papaver -n '__fish_seen_subcommand_from %s; and not __fish_seen_subcommand_from ",
                     c->name);
        print_commands(c->parts);
        (void)printf("' -a %s -d '", command_word(*part));
        brief((*part)->summary);
        (void)fputs("'\n", stdout);
        fish_arguments(*part);
    }
}

static void fish(void)
{
    (void)fputs("# fish completion of papaver; made from the tables of src/cli by papaver-docs.\n"
                "function __papaver_rules\n    " LIST_RULES "\nend\ncomplete -c papaver -f\n",
                stdout);
    for (const struct command *const *c = commands; *c; c++) {
        (void)printf("complete -c papaver -n __fish_use_subcommand -a %s -d '", (*c)->name);
        brief((*c)->summary);
        (void)fputs("'\n", stdout);
        if ((*c)->parts)
            fish_parts(*c);
        else
            fish_arguments(*c);
    }
}

/* "skill-list" or "skill". */
static bool man_of(const struct command *const *list, const char *name)
{
    for (; *list; list++) {
        size_t i = 0;
        while (name[i] && (name[i] == (*list)->name[i] || (name[i] == '-' && (*list)->name[i] == ' ')))
            i++;
        if (!name[i] && !(*list)->name[i])
            return man_command(*list), true;
        if ((*list)->parts && man_of((*list)->parts, name))
            return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "man") == 0 && argc > 2 && man_of(commands, argv[2]))
        return fflush(stdout) != 0;
    static const struct {
        const char *name;
        void (*print)(void);
    } kinds[] = {{"man", man_program}, {"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    for (size_t i = 0; argc == 2 && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, what) == 0)
            return kinds[i].print(), fflush(stdout) != 0;
    (void)fputs("papaver-docs man [COMMAND] | bash | zsh | fish\n", stderr);
    return 2;
}
