/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/targets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TARGET_MOST = 8192 }; /* bytes of one line; a path or URL is shorter */

static bool add(struct cli *cli, struct targets *t, const char *target)
{
    if (t->n == t->room) {
        size_t room = t->room ? 2 * t->room : 64;
        const char **grown = cli_alloc(cli, room * sizeof *grown);
        if (!grown)
            return false;
        if (t->n)
            memcpy(grown, t->at, t->n * sizeof *grown);
        t->at = grown;
        t->room = room;
    }
    t->at[t->n++] = target;
    return true;
}

static bool add_line(struct cli *cli, struct targets *t, char *line, size_t n, const char *list, size_t number)
{
    if (strlen(line) != n || n > TARGET_MOST)
        return cli_usage(cli, "%s:%zu: this line is no target: it %s", list, number,
                         n > TARGET_MOST ? "is too long" : "holds a NUL byte");
    line[strcspn(line, "\r\n")] = '\0';
    line += strspn(line, " \t");
    for (n = strlen(line); n && (line[n - 1] == ' ' || line[n - 1] == '\t'); n--)
        line[n - 1] = '\0';
    if (!*line || *line == '#')
        return true;
    const char *copy = cli_join(cli, (const char *const[]){line, NULL});
    return copy && add(cli, t, copy);
}

static bool add_list(struct cli *cli, struct targets *t, const char *list)
{
    bool is_in = strcmp(list, "-") == 0;
    const char *name = is_in ? "standard input" : list;
    FILE *f = is_in ? cli->in : fopen(list, "re");
    if (!f)
        return cli_usage(cli, "--targets: cannot read %s: %s", list, strerror(errno));
    char *line = NULL;
    size_t room = 0, number = 0, before = t->n;
    bool fine = true;
    for (ssize_t n; fine && (n = getline(&line, &room, f)) >= 0;)
        fine = add_line(cli, t, line, (size_t)n, name, ++number);
    if (fine && ferror(f))
        fine = cli_usage(cli, "--targets: cannot read %s: %s", name, strerror(errno));
    free(line);
    if (!is_in)
        (void)fclose(f);
    return fine && (t->n > before || cli_usage(cli,
                                               "--targets: %s names no target; write one domain, URL, file or folder a "
                                               "line",
                                               name));
}

/* A word that can be no domain is refused by the library, in its own words. */
static bool may_be_domain(const char *name)
{
    static const char of_domains[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.:";
    return strchr(name, '.') && !strstr(name, "..") && !name[strspn(name, of_domains)];
}

/* A bare word is a domain, even if there is such a file (docs/decisions.md 9): say it where both are meant easily. */
static void note_files(struct cli *cli, const struct targets *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const char *name = t->at[i];
        struct stat st;
        if (strchr("-.~", name[0]) || !may_be_domain(name) || stat(name, &st) != 0)
            continue;
        cli_note(cli, "note: \"%s\" is taken for a domain; to check the %s of that name write ./%s", name,
                 S_ISDIR(st.st_mode) ? "folder" : "file", name);
        return;
    }
}

bool targets_read(struct cli *cli, const struct arguments *args, const char *list, struct targets *ret)
{
    size_t from_input = list && strcmp(list, "-") == 0;
    *ret = (struct targets){.n = 0};
    for (size_t i = 0; i < args->n; i++) {
        if (!*args->at[i])
            return cli_usage(cli, "target %zu is empty (a variable that is not set?)", i + 1);
        from_input += strcmp(args->at[i], "-") == 0;
        if (!add(cli, ret, args->at[i]))
            return false;
    }
    if (from_input > 1)
        return cli_usage(cli, "standard input can be read once: it is either one target or the list of targets");
    if (list && !add_list(cli, ret, list))
        return false;
    if (ret->n == 0)
        return cli_usage(cli,
                         "nothing to check: name a domain, an https URL, a file, a folder, or - for standard input\n"
                         "  papaver check shop.example        what a company publishes\n"
                         "  papaver check ./poppy.json        a file, without any network\n"
                         "papaver check --help tells more.");
    note_files(cli, ret);
    if (from_input && !list && isatty(fileno(cli->in)) == 1)
        cli_note(cli, "note: reading the document from the terminal; end it with Ctrl-D");
    return true;
}
