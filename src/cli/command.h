/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands and options as rows. The parser, --help, papaver.json, the manual pages and the completions all read the same
 * rows, so that none of them can say something else.
 *
 * To add a command: a file cmd_NAME.c with its struct command, and a line in commands.c.
 * To add an option: a member in the command's struct and a row that fills it.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/cli.h"

struct option_row;

/* A value on its way into a command's struct. */
struct given {
    const struct option_row *row;
    const char *origin; /* for messages: "--timeout" or "papaver.json:3:14: timeout" */
    const char *value;  /* flags: "true" or "false" */
};

/* Checks the value and writes it to the member at `field`. false after saying why. */
typedef bool option_fn(struct cli *cli, const struct given *given, void *field);

/* Whether papaver.json may set it. A file that merely lies in the folder must not be able to weaken a check or to write
 * anywhere (docs/decisions.md 12). */
enum option_config { CONFIG_NEVER = 0, CONFIG_NAMED /* only a file named by --config */, CONFIG_ANY };

/* What the shells complete. */
enum option_complete { COMPLETE_NOTHING = 0, COMPLETE_CHOICES, COMPLETE_FILE, COMPLETE_RULE };

struct option_row {
    const char *name; /* without the two hyphens; also the key in papaver.json */
    char letter;      /* of the short form, or 0 */
    enum option_config config;
    enum option_complete complete;
    bool optional;     /* the argument may be left out; it is then given with "=" only */
    bool list;         /* may be repeated, and be a list in papaver.json */
    bool path;         /* a file name: in papaver.json it is relative to that file */
    bool may_be_empty; /* an empty list in papaver.json is no default: `set` gets the value NULL */
    unsigned field;    /* offset in the command's struct */
    option_fn *set;
    const char *argument;       /* "FILE"; NULL: a flag */
    const char *const *choices; /* ended by NULL, or NULL */
    const char *not_with;       /* name of the option that it excludes, or NULL */
    const char *group;          /* heading in --help, on the first row of a group */
    const char *help;
};

/* A member of papaver.json that is an object of objects: {"scopes": {"staff": {"skills": "*"}}}. Each is a record, a struct
 * that `rows` and `tables` fill. Names have meaning, so a table has no option. */
struct option_table {
    const char *name;
    enum option_config config;
    unsigned field; /* offset in the struct that holds the records */
    /* A new record named given->value (given->row is NULL); NULL after saying why. */
    void *(*add)(struct cli *cli, const struct given *given, void *field);
    /* Its members have been read: false after saying what is missing. `origin`: where the record begins. */
    bool (*done)(struct cli *cli, const char *origin, const void *record);
    const struct option_row *rows;
    const struct option_table *tables; /* ended by a row without a name, or NULL */
};

struct example {
    const char *command, *what;
};

/* A command does something, or has commands of its own: then only `parts`, name, summary, about and examples count. */
struct command {
    const char *name;                   /* "check"; of a part with that before it: "skill list" */
    const struct command *const *parts; /* ended by NULL, or NULL */
    int (*run)(struct cli *cli, const struct command *self, int argc,
               char **argv);                                   /* argv[0] is the first after the name */
    const char *summary;                                       /* one line */
    const char *arguments;                                     /* "TARGET..." */
    const char *about;                                         /* paragraphs for --help and the manual */
    const struct option_row *options;                          /* ended by a row without a name, or NULL */
    const struct example *examples;                            /* ended by a row without a command */
    bool completes_rules, completes_files, completes_commands; /* its arguments */
};

extern const struct command *const commands[]; /* ended by NULL */
extern const struct command cmd_check, cmd_publish, cmd_skill, cmd_serve, cmd_web, cmd_census, cmd_watch, cmd_mcp,
    cmd_explain, cmd_help, cmd_version;

/* The whole program after cli_init(): returns the exit status, for cli_fini(). */
int commands_run(struct cli *cli, int argc, char **argv);
/* The command that the words name, such as "skill" "list" (as many as are needed; NULL or an option ends them), and how many
 * they were. A command with parts is the answer where no more words are. NULL after proposing the nearest. */
const struct command *command_find(struct cli *cli, const char *const *words, size_t *ret_words);
/* The last word of its name. */
const char *command_word(const struct command *command);

/* ---- options.c ---- */

enum { OPTION_MOST = 64 };

struct arguments {
    const char **at; /* what is no option, in order, ended by NULL */
    size_t n;
    bool seen[OPTION_MOST]; /* rows that the command line gave */
};

/* Reads a command line by the rows of `command` into `options`, its struct. GNU style: options anywhere, "--" ends them,
 * --name=value and --name value, letters may be joined; no abbreviations, because a script that uses one breaks with the
 * next option. --no-NAME turns off a flag that papaver.json may set. After --help (status 0) or a mistake it returns false
 * and cli->status is the exit status. */
bool options_parse(struct cli *cli, const struct command *command, int argc, char **argv, void *options,
                   struct arguments *ret) PAP_MUST;

/* The row of that name, NULL when there is none; *ret_index (may be NULL) counts from 0. */
const struct option_row *option_find(const struct option_row *rows, const char *name, size_t *ret_index);

/* The row of a command that reads one; `example` is what may stand in it. */
#define CONFIG_ROW(heading, at, example)                                                                             \
    {                                                                                                                \
        .group = (heading), .name = "config", .argument = "FILE", .field = (at), .set = set_input,                   \
        .complete = COMPLETE_FILE,                                                                                   \
        .help = "read settings from there (else from ./papaver.json, if there is one): " example                     \
                ", with the names of these options; options given here win, and --no-NAME turns a flag of the file " \
                "off"                                                                                                \
    }

/* papaver.json: a section by the rows. `path` NULL: ./papaver.json when it is there. Rows that the command line gave
 * are left alone. */
bool options_from_config(struct cli *cli, const char *section, const struct option_row *rows, const char *path,
                         const struct arguments *given, void *options) PAP_MUST;

/* The same with tables. */
bool options_from_tables(struct cli *cli, const char *section, const struct option_row *rows,
                         const struct option_table *tables, const char *path, const struct arguments *given,
                         void *options) PAP_MUST;

/* ---- values.c: what a row's `set` can be ---- */

option_fn set_flag;         /* bool */
option_fn set_text;         /* const char * */
option_fn set_choice;       /* unsigned: index in `choices` */
option_fn set_choice_text;  /* const char *: one of `choices` */
option_fn set_list;         /* const char *const *: one more value */
option_fn set_comma_list;   /* the same, split at commas */
option_fn set_input;        /* const char *: a file that can be read */
option_fn set_certificates; /* const char *: such a file that holds PEM certificates */
option_fn set_seconds;      /* uint32_t: milliseconds */
/* A number of at most nine digits and nothing else. */
bool cli_whole_number(const char *text, uint64_t *ret);
option_fn set_count;      /* uint32_t: 1 to 1000 */
option_fn set_resolve;    /* list of HOST:PORT:ADDR */
option_fn set_connect_to; /* list of HOST:PORT:HOST:PORT */
option_fn set_proxy;      /* const char *: URL */
option_fn set_version;    /* const char *: "0.1" */

/* ---- help.c ---- */

void help_command(struct cli *cli, const struct command *command, FILE *out);
void help_program(struct cli *cli, FILE *out);

#endif
