/* SPDX-License-Identifier: Apache-2.0
 *
 * The one reader of command lines and of papaver.json: both end in a row's `set`.
 */
#include <string.h>
#include <unistd.h>

#include <papaver/config.h>

#include "cli/command.h"

struct parser {
    struct cli *cli;
    const struct command *command;
    int argc, i; /* argv[i] is looked at */
    char **argv;
    char *options; /* the command's struct */
    struct arguments *args;
};

/* What people type from the habit of another tool, where no name is near enough to propose. */
static const struct hint {
    const char *name, *text;
} hints[] = {
    {"json", "; write --format json"},
    {"sarif", "; write --format sarif"},
    {"html", "; write --format html --output report.html"},
    {"junit", "; write --format junit"},
    {"version", "; write papaver version"},
    {"verbose", "; --exchanges shows each request and answer"},
    {"debug", "; --exchanges shows each request and answer"},
    {"strict", "; --fail-on warning makes warnings count"},
    {"insecure", "; certificates are always checked: trust your own CA with --cacert FILE"},
    {"silent", "; write --quiet"},
    {"no-color", "; write --color never"},
    {"ignore", "; write --skip PATTERN"},
    {"exclude", "; write --skip PATTERN"},
    {"disable", "; write --skip PATTERN"},
    {"concurrency", "; write --jobs N"},
    {"parallel", "; write --jobs N"},
    {"stdin", "; write - as the target"},
    {"file", "; a file is a target: write ./poppy.json without an option"},
    {"input", "; a file is a target: write ./poppy.json without an option"},
    {"url", "; a URL is a target: write it without an option"},
    {"domain", "; a domain is a target: write it without an option"},
    {"ca", "; write --cacert FILE"},
    {"protocol", "; write --as VERSION"},
    {"severity", "; write --fail-on error|warning|info"},
};

const struct option_row *option_find(const struct option_row *rows, const char *name, size_t *ret_index)
{
    for (size_t i = 0; rows && rows[i].name; i++) {
        if (strcmp(rows[i].name, name) != 0)
            continue;
        if (ret_index)
            *ret_index = i;
        return &rows[i];
    }
    return NULL;
}

static bool may_be_negated(const struct option_row *row)
{
    return !row->argument && row->config != CONFIG_NEVER;
}

static bool unknown_option(struct cli *cli, const struct command *command, const char *name)
{
    const char *names[OPTION_MOST + 2] = {"help"};
    size_t n = 1;
    for (const struct option_row *row = command->options; row && row->name; row++)
        names[n++] = row->name;
    const char *near = pap_nearest(name, names);
    if (near)
        return cli_usage(cli, "there is no option --%s; did you mean --%s?", name, near);
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (command->options && strcmp(hints[i].name, name) == 0)
            return cli_usage(cli, "there is no option --%s%s", name, hints[i].text);
    return cli_usage(cli, "there is no option --%s; papaver %s --help lists them", name, command->name);
}

/* ---- one option --------------------------------------------------------------------------------------------------- */

/* The name of a row that was seen and excludes `row`, or is excluded by it; NULL when there is none. */
static const char *conflict(const struct option_row *rows, const struct option_row *row, const bool *seen)
{
    for (size_t i = 0; rows[i].name; i++)
        if (seen[i] && ((row->not_with && strcmp(row->not_with, rows[i].name) == 0) ||
                        (rows[i].not_with && strcmp(rows[i].not_with, row->name) == 0)))
            return rows[i].name;
    return NULL;
}

static bool apply(struct parser *p, const struct option_row *row, const char *value)
{
    size_t index = (size_t)(row - p->command->options);
    const char *origin = cli_join(p->cli, (const char *const[]){"--", row->name, NULL});
    const char *other = conflict(p->command->options, row, p->args->seen);
    if (!origin)
        return false;
    if (other)
        return cli_usage(p->cli, "--%s and --%s exclude each other; leave one out", other, row->name);
    p->args->seen[index] = true;
    return row->set(p->cli, &(struct given){row, origin, value}, p->options + row->field);
}

/* The value of a row that needs one: behind "=" (or the letter), else the next argument. */
static bool apply_value(struct parser *p, const struct option_row *row, const char *attached)
{
    const char *value = attached;
    if (!value && row->optional)
        return apply(p, row, "");
    if (!value && p->i + 1 < p->argc) {
        value = p->argv[++p->i];
        if (strncmp(value, "--", 2) == 0)
            return cli_usage(p->cli, "--%s needs its %s before the option %s (or --%s=%s, if that is the %s)",
                             row->name, row->argument, value, row->name, value, row->argument);
    }
    if (!value)
        return cli_usage(p->cli, "--%s needs a value: --%s %s", row->name, row->name, row->argument);
    if (!*value)
        return cli_usage(p->cli, "--%s: the value is empty (a variable that is not set?)", row->name);
    return apply(p, row, value);
}

static bool show_help(struct parser *p)
{
    help_command(p->cli, p->command, p->cli->out);
    p->cli->status = CLI_FINE;
    return false;
}

static bool parse_long(struct parser *p, const char *argument)
{
    size_t n = strcspn(argument, "=");
    const char *attached = argument[n] == '=' ? argument + n + 1 : NULL;
    char name[64];
    if (n >= sizeof name)
        return cli_usage(p->cli, "there is no option --%s", argument);
    memcpy(name, argument, n);
    name[n] = '\0';
    if (strcmp(name, "help") == 0)
        return show_help(p);
    const struct option_row *row = option_find(p->command->options, name, NULL);
    const struct option_row *no =
        strncmp(name, "no-", 3) == 0 ? option_find(p->command->options, name + 3, NULL) : NULL;
    bool off = !row && no && may_be_negated(no);
    if (!row && !off)
        return unknown_option(p->cli, p->command, name);
    if (row && row->argument)
        return apply_value(p, row, attached);
    if (attached)
        return cli_usage(p->cli, "--%s takes no value; write just --%s", name, name);
    return apply(p, off ? no : row, off ? "false" : "true");
}

static bool parse_letters(struct parser *p, const char *letters)
{
    char name[64] = "";
    size_t n = strcspn(letters, "=");
    if (n > 1 && n < sizeof name && option_find(p->command->options, memcpy(name, letters, n), NULL))
        return cli_usage(p->cli, "-%s: a long option has two hyphens: --%s", letters, letters);
    for (; *letters; letters++) {
        const struct option_row *row = p->command->options;
        if (*letters == 'h')
            return show_help(p);
        while (row && row->name && row->letter != *letters)
            row++;
        if (!row || !row->name)
            return cli_usage(p->cli, "there is no option -%c; papaver %s --help lists them", *letters,
                             p->command->name);
        if (row->argument)
            return apply_value(p, row, letters[1] ? letters + 1 : NULL);
        if (!apply(p, row, "true"))
            return false;
    }
    return true;
}

bool options_parse(struct cli *cli, const struct command *command, int argc, char **argv, void *options,
                   struct arguments *ret)
{
    *ret = (struct arguments){.at = cli_alloc(cli, ((size_t)argc + 1) * sizeof *ret->at)};
    if (!ret->at)
        return false;
    struct parser p = {cli, command, argc, 0, argv, options, ret};
    for (bool options_end = false; p.i < argc; p.i++) {
        const char *a = argv[p.i];
        if (options_end || a[0] != '-' || !a[1])
            ret->at[ret->n++] = a;
        else if (strcmp(a, "--") == 0)
            options_end = true;
        else if (a[1] == '-' ? !parse_long(&p, a + 2) : !parse_letters(&p, a + 1))
            return false;
    }
    return true;
}

/* ---- papaver.json ------------------------------------------------------------------------------------------------- */

enum { LEVELS = 6, TABLES_MOST = 8 };

/* An object that settings lie in: a record (the section is the first), or a table, whose members are records. */
struct config_level {
    const struct option_row *rows; /* NULL: this is a table */
    const struct option_table *tables, *table;
    const char *origin; /* of a record in a table */
    char *record;
    bool seen[OPTION_MOST]; /* rows that the file gave */
};

struct config_source {
    struct cli *cli;
    const char *path;
    bool named; /* by --config */
    const struct arguments *given;
    size_t depth; /* of the level that is read */
    struct config_level levels[LEVELS];
};

static const struct option_table *find_table(const struct config_level *level, const char *name)
{
    for (const struct option_table *t = level->tables; t && t->name; t++)
        if (strcmp(t->name, name) == 0)
            return t;
    return NULL;
}

static bool unknown_key(struct config_source *s, const struct config_level *level, const struct pap_setting *setting)
{
    const char *names[OPTION_MOST + TABLES_MOST + 1];
    size_t n = 0;
    for (const struct option_row *row = level->rows; row->name; row++)
        if (row->config != CONFIG_NEVER)
            names[n++] = row->name;
    for (const struct option_table *t = level->tables; t && t->name; t++)
        names[n++] = t->name;
    names[n] = NULL;
    return cli_usage(s->cli, "%s:%u:%u: there is no setting \"%s\"%s", s->path, setting->line, setting->column,
                     setting->key, cli_did_you_mean(s->cli, setting->key, names));
}

static bool only_named(struct config_source *s, const struct pap_setting *setting, bool is_option)
{
    const char *other =
        is_option ? cli_join(s->cli, (const char *const[]){", or give --", setting->key, " on the command line", NULL})
                  : "";
    return cli_usage(s->cli,
                     "%s:%u:%u: \"%s\" cannot be set by a file that was merely found in the folder; name the file "
                     "with --config%s",
                     s->path, setting->line, setting->column, setting->key, other ? other : "");
}

/* Whether the row takes this kind of value, and may be set here at all. */
static bool setting_fits(struct config_source *s, const struct option_row *row, const struct pap_setting *setting)
{
    if (row->config == CONFIG_NEVER)
        return cli_usage(s->cli, "%s:%u:%u: \"%s\" cannot be set in a file; give --%s on the command line", s->path,
                         setting->line, setting->column, row->name, row->name);
    if (row->config == CONFIG_NAMED && !s->named)
        return only_named(s, setting, setting->depth == 0);
    bool is_bool = setting->type == PAP_SETTING_BOOL;
    if (is_bool == (row->argument == NULL) &&
        (row->list || !(setting->listed || setting->type == PAP_SETTING_EMPTY_LIST)))
        return true;
    return cli_usage(s->cli, "%s:%u:%u: \"%s\" needs %s", s->path, setting->line, setting->column, row->name,
                     !row->argument ? "true or false"
                     : row->list    ? "text or a list of texts"
                                    : "one text or number");
}

/* A file name in papaver.json is relative to papaver.json. */
static const char *beside(struct config_source *s, const char *value)
{
    const char *slash = strrchr(s->path, '/');
    if (!slash || value[0] == '/')
        return value;
    char *folder = cli_alloc(s->cli, (size_t)(slash - s->path) + 2);
    return folder ? cli_join(s->cli,
                             (const char *const[]){memcpy(folder, s->path, (size_t)(slash - s->path) + 1), value, NULL})
                  : NULL;
}

static const char *origin_of(struct config_source *s, const struct pap_setting *setting)
{
    char place[48];
    (void)snprintf(place, sizeof place, ":%u:%u: ", setting->line, setting->column);
    return cli_join(s->cli, (const char *const[]){s->path, place, setting->key, NULL});
}

/* A setting of a record. */
static bool apply_setting(struct config_source *s, struct config_level *level, const struct pap_setting *setting)
{
    size_t i;
    const struct option_row *row = option_find(level->rows, setting->key, &i);
    const bool *given = setting->depth == 0 ? s->given->seen : NULL;
    if (!row)
        return unknown_key(s, level, setting);
    if (!setting_fits(s, row, setting))
        return false;
    bool off = setting->type == PAP_SETTING_BOOL && strcmp(setting->value, "false") == 0;
    if (given && (given[i] || conflict(level->rows, row, given)))
        return true; /* the command line wins */
    if (off || (setting->type == PAP_SETTING_EMPTY_LIST && !row->may_be_empty))
        return true; /* these are the defaults */
    const char *other = conflict(level->rows, row, level->seen);
    if (other)
        return cli_usage(s->cli, "%s:%u:%u: \"%s\" and \"%s\" exclude each other; leave one out", s->path,
                         setting->line, setting->column, other, row->name);
    level->seen[i] = true;
    const char *origin = origin_of(s, setting);
    const char *copy = cli_join(s->cli, (const char *const[]){setting->value, NULL});
    if (!origin || !copy)
        return false;
    if (setting->type == PAP_SETTING_EMPTY_LIST)
        copy = NULL;
    else if (!*copy)
        return cli_usage(s->cli, "%s: the value is empty", origin);
    if (copy && row->path && !(copy = beside(s, copy)))
        return false;
    return row->set(s->cli, &(struct given){row, origin, copy}, level->record + row->field);
}

/* An object that is a table. */
static bool open_table(struct config_source *s, const struct config_level *level, const struct option_table *table,
                       const struct pap_setting *setting)
{
    if (setting->type != PAP_SETTING_OBJECT)
        return cli_usage(s->cli, "%s:%u:%u: \"%s\" needs an object with an object for each name", s->path,
                         setting->line, setting->column, setting->key);
    if (table->config == CONFIG_NAMED && !s->named)
        return only_named(s, setting, false);
    s->levels[++s->depth] = (struct config_level){.table = table, .record = level->record};
    return true;
}

/* An object of a table. */
static bool open_record(struct config_source *s, const struct config_level *level, const struct pap_setting *setting)
{
    const struct option_table *t = level->table;
    if (setting->type != PAP_SETTING_OBJECT)
        return cli_usage(s->cli, "%s:%u:%u: \"%s\" needs an object", s->path, setting->line, setting->column,
                         setting->key);
    const char *origin = origin_of(s, setting);
    const char *name = cli_join(s->cli, (const char *const[]){setting->key, NULL});
    void *record =
        origin && name ? t->add(s->cli, &(struct given){NULL, origin, name}, level->record + t->field) : NULL;
    s->levels[++s->depth] =
        (struct config_level){.rows = t->rows, .tables = t->tables, .table = t, .origin = origin, .record = record};
    return record != NULL;
}

/* Ends the levels deeper than `depth`. */
static bool close_levels(struct config_source *s, size_t depth)
{
    for (; s->depth > depth; s->depth--) {
        const struct config_level *level = &s->levels[s->depth];
        if (level->rows && level->table->done && !level->table->done(s->cli, level->origin, level->record))
            return false;
    }
    return true;
}

static bool read_setting(struct config_source *s, const struct pap_setting *setting)
{
    if (!close_levels(s, setting->depth))
        return false;
    struct config_level *level = &s->levels[s->depth];
    if (!level->rows)
        return open_record(s, level, setting);
    const struct option_table *table = find_table(level, setting->key);
    return table ? open_table(s, level, table, setting) : apply_setting(s, level, setting);
}

bool options_from_tables(struct cli *cli, const char *section, const struct option_row *rows,
                         const struct option_table *tables, const char *path, const struct arguments *given,
                         void *options)
{
    struct config_source s = {.cli = cli, .path = path ? path : "papaver.json", .named = path != NULL, .given = given};
    const char *names[TABLES_MOST + 1];
    size_t n = 0;
    if (!path && access(s.path, F_OK) != 0)
        return true;
    for (const struct option_table *t = tables; t && t->name; t++)
        names[n++] = t->name;
    names[n] = NULL;
    struct pap_config *config;
    struct pap_err err;
    pap_result read = pap_config_read_tables(cli->alloc, s.path, section, names, &config, &err);
    if (read.code == PAP_NO_MEMORY)
        return cli_fail(cli, "%s", err.text);
    if (read.code != PAP_OK)
        return cli_usage(cli, "%s", err.text);
    s.levels[0] = (struct config_level){.rows = rows, .tables = tables, .record = options};
    bool fine = true;
    for (size_t i = 0; fine && i < pap_config_count(config); i++)
        fine = read_setting(&s, pap_config_at(config, i));
    fine = fine && close_levels(&s, 0);
    pap_config_free(config);
    return fine;
}

bool options_from_config(struct cli *cli, const char *section, const struct option_row *rows, const char *path,
                         const struct arguments *given, void *options)
{
    return options_from_tables(cli, section, rows, NULL, path, given, options);
}
