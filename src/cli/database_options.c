/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/database_options.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 4096 };

static const char *from_file(struct cli *cli, const char *path)
{
    char *line = cli_alloc(cli, LINE);
    FILE *f = line ? fopen(path, "re") : NULL;
    bool read = f && fgets(line, LINE, f);
    if (f)
        (void)fclose(f);
    if (!line)
        return NULL;
    if (!read) {
        cli_fail(cli, "--database-file: %s cannot be read", path);
        return NULL;
    }
    line[strcspn(line, "\r\n")] = '\0';
    if (!*line)
        cli_usage(cli, "--database-file: the first line of %s is empty", path);
    return *line ? line : NULL;
}

/* A password in an argument can be seen by everybody on the machine while we run: what the kernel shows is overwritten, and a
 * copy used. */
static const char *hidden(struct cli *cli, const char *url)
{
    const char *copy = cli_join(cli, (const char *const[]){url, NULL}), *at = strchr(url, '@');
    const char *begin = strstr(url, "://"), *colon = begin ? strchr(begin + 3, ':') : NULL;
    if (copy && at && colon && colon < at)
        memset((char *)(uintptr_t)(colon + 1), 'x', (size_t)(at - colon - 1));
    return copy;
}

const char *database_settle(struct cli *cli, const struct database_options *o)
{
    const char *environment = getenv("PAPAVER_DATABASE");
    if (o->file)
        return from_file(cli, o->file);
    if (o->database)
        return hidden(cli, o->database);
    if (environment && *environment)
        return environment;
    const char *state = cli_user_folder(cli, "XDG_STATE_HOME", "/.local/state", "/papaver/census.db");
    if (!state)
        cli_usage(cli, "there is no home folder for a database; write --database FILE");
    return state;
}

bool set_span(struct cli *cli, const struct given *given, void *field)
{
    static const struct {
        char unit;
        int64_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 7 * 86400}};
    char digits[8] = "";
    uint64_t number = 0;
    size_t n = strspn(given->value, "0123456789");
    if (n >= 1 && n <= 6)
        memcpy(digits, given->value, n);
    (void)cli_whole_number(digits, &number);
    for (size_t i = 0; number && i < sizeof units / sizeof *units; i++)
        if (given->value[n] == units[i].unit && !given->value[n + 1]) {
            *(int64_t *)field = (int64_t)number * units[i].seconds;
            return true;
        }
    return cli_usage(cli, "%s: \"%s\" is no time span; write 90s, 30m, 12h, 7d or 2w", given->origin, given->value);
}
