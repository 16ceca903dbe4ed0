/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of `papaver publish`: one row each, in the order of --help and of the manual.
 */
#include "cli/publish_options.h"

#include "cli/rules.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AT(member) offsetof(struct publish_options, member)

static const char *const formats[] = {"tar.gz", "zip", NULL};

static bool is_from_file(const struct given *given)
{
    return strncmp(given->origin, "--", 2) != 0;
}

/* Where links lead, as far as the path exists; false when one leads nowhere. */
static bool resolve(char *path, char ret[PATH_MAX])
{
    struct stat st;
    while (!realpath(path, ret)) {
        char *slash = strrchr(path, '/');
        if (!slash || lstat(path, &st) == 0)
            return false;
        *slash = '\0';
    }
    return true;
}

static bool leaves_folder(const char *folder, const char *path)
{
    char root[PATH_MAX], real[PATH_MAX], full[PATH_MAX];
    for (const char *p = path; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL)
        if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || !p[2]))
            return true;
    int n = snprintf(full, sizeof full, "%s/%s", folder, path);
    if (path[0] == '/' || n < 0 || n >= PATH_MAX || !realpath(folder, root) || !resolve(full, real))
        return true;
    size_t below = strcmp(root, "/") == 0 ? 0 : strlen(root);
    return strncmp(real, root, below) != 0 || (real[below] && real[below] != '/');
}

/* A file that was found in the folder must not make us write elsewhere. */
static bool set_inside(struct cli *cli, const struct given *given, void *field)
{
    if (is_from_file(given) && leaves_folder(".", given->value))
        return cli_usage(cli, "%s: %s leads out of the project; give --%s on the command line", given->origin,
                         given->value, given->row->name);
    return set_text(cli, given, field);
}

static bool set_roots(struct cli *cli, const struct given *given, void *field)
{
    const char *checked;
    return set_inside(cli, given, &checked) && set_list(cli, given, field);
}

static bool set_rules(struct cli *cli, const struct given *given, void *field)
{
    unsigned host = 0;
    if (!set_choice(cli, given, &host))
        return false;
    *(unsigned *)field = host + 1;
    return true;
}

static bool set_release(struct cli *cli, const struct given *given, void *field)
{
    const char *at = strchr(given->value, '@'), *eq = strchr(given->value, '=');
    bool needs_reason = strcmp(given->row->name, "deprecate") == 0,
         bare = strcmp(given->row->name, "allow-removal") == 0;
    if ((!at && !bare) || at == given->value || (at && !at[1]) || needs_reason != (eq != NULL) || (eq && eq < at + 2))
        return cli_usage(cli, "%s: \"%s\" is not %s; an example: --%s water-plants@1.3.0%s", given->origin,
                         given->value, given->row->argument, given->row->name,
                         needs_reason ? "=\"forgets the cactus\"" : "");
    return set_list(cli, given, field);
}

const struct option_row publish_option_rows[] = {
    {.group = "What is published",
     .name = "root",
     .argument = "FOLDER",
     .field = AT(roots),
     .set = set_roots,
     .list = true,
     .complete = COMPLETE_FILE,
     .config = CONFIG_ANY,
     .help = "a folder whose subfolders are skills (default skills); may be repeated"},
    {.name = "format",
     .letter = 'f',
     .argument = "FORMAT",
     .field = AT(format),
     .set = set_choice,
     .choices = formats,
     .complete = COMPLETE_CHOICES,
     .config = CONFIG_ANY,
     .help = "of archives: tar.gz (the default) or zip"},
    {.name = "archive",
     .field = AT(run.archive),
     .set = set_flag,
     .config = CONFIG_ANY,
     .help = "make an archive of a skill that is SKILL.md alone, too"},
    {.name = "executable",
     .field = AT(run.executable),
     .set = set_flag,
     .config = CONFIG_ANY,
     .help = "keep the executable bit of files (else every file of an archive has the mode 0644)"},
    {.name = "strict",
     .field = AT(run.strict),
     .set = set_flag,
     .config = CONFIG_ANY,
     .help = "refuse for warnings, too"},
    {.name = "allow-secret",
     .argument = "SKILL/FILE",
     .field = AT(allow_secret),
     .set = set_list,
     .list = true,
     .config = CONFIG_NAMED,
     .help = "what looks like a secret in this file is none; may be repeated"},

    {.group = "Where it goes",
     .name = "out",
     .letter = 'o',
     .argument = "DIR",
     .field = AT(run.out),
     .set = set_inside,
     .complete = COMPLETE_FILE,
     .config = CONFIG_ANY,
     .help = "the tree to write (default dist in the project)"},
    {.name = "base-url",
     .argument = "URL",
     .field = AT(run.base_url),
     .set = set_text,
     .config = CONFIG_ANY,
     .help = "where the tree is served, such as https://shop.example; / for URLs with a path only (default: URLs "
             "relative to the index); files are written to the same places whatever it is"},
    {.name = "poppy",
     .argument = "FILE",
     .field = AT(run.poppy),
     .set = set_inside,
     .complete = COMPLETE_FILE,
     .config = CONFIG_ANY,
     .help = "write skill_index into this poppy.json, too; nothing else of it changes, and URLs become absolute "
             "(https:// and its organization.domain, unless --base-url says otherwise)"},
    {.name = "legacy",
     .field = AT(run.legacy),
     .set = set_flag,
     .config = CONFIG_ANY,
     .help = "write the layout of Discovery 0.1 too (.well-known/skills/NAME/...), for clients that know no other; "
             "without it, a layout of an earlier run is taken away"},
    {.name = "keep",
     .argument = "DAYS",
     .field = AT(run.keep_days),
     .set = set_count,
     .config = CONFIG_ANY,
     .help = "how long files stay that no index names any more (default 30)"},

    {.group = "Releases",
     .name = "prior",
     .argument = "DIR|URL",
     .field = AT(run.prior),
     .set = set_text,
     .complete = COMPLETE_FILE,
     .config = CONFIG_NAMED,
     .help = "a tree whose releases go on beside those of the one of --out, or https://shop.example: what is live "
             "there, which is then fetched and verified; leave it away when you publish for the first time"},
    {.name = "prune",
     .argument = "SKILL@VERSION",
     .field = AT(prune),
     .set = set_release,
     .list = true,
     .help = "drop an old release; may be repeated"},
    {.name = "allow-removal",
     .argument = "NAME[@VERSION]",
     .field = AT(allow_removal),
     .set = set_release,
     .list = true,
     .help = "let a skill or a release vanish that is public now; may be repeated"},
    {.name = "deprecate",
     .argument = "SKILL@VERSION=REASON",
     .field = AT(deprecate),
     .set = set_release,
     .list = true,
     .help = "mark a release as one not to use any more (an empty reason takes the mark back); may be repeated"},

    NETWORK_ROWS("Network (for --prior https://...)", AT(network)),

    {.group = "What happens",
     .name = "dry-run",
     .letter = 'n',
     .field = AT(dry_run),
     .set = set_flag,
     .not_with = "fix", /* and not with --check, whose row says so */
     .help = "write nothing; list exactly what would become public, with sizes and digests"},
    {.name = "check",
     .field = AT(check),
     .set = set_flag,
     .not_with = "dry-run",
     .help = "write nothing; exit with 1 and a list when the tree is not what the sources give, for CI"},
    {.name = "fix",
     .field = AT(fix),
     .set = set_flag,
     .not_with = "check",
     .help =
         "publish nothing; show how what is mechanical in SKILL.md files would be repaired (byte order mark, CRLF, a "
         "plain value with a colon, values of metadata that are no text, name = folder)"},
    {.name = "yes",
     .letter = 'y',
     .field = AT(yes),
     .set = set_flag,
     .help = "with --fix: write it without asking (where nobody can be asked, nothing is written and the status is 1)"},
    {.name = "rules",
     .argument = "HOST",
     .field = AT(rules),
     .set = set_rules,
     .choices = rules_hosts,
     .complete = COMPLETE_CHOICES,
     .help = "only print how a host is told to serve the tree: nginx, caddy, netlify, cloudflare or github"},
    {.name = "json",
     .field = AT(json),
     .set = set_flag,
     .not_with = "fix",
     .help = "tell everything as one JSON object on standard output"},
    {.name = "fresh",
     .field = AT(fresh),
     .set = set_flag,
     .config = CONFIG_ANY,
     .help = "read every file, also of skills that look as they did (what they looked like is kept below "
             "$XDG_CACHE_HOME/papaver or ~/.cache/papaver)"},
    {.name = "quiet",
     .letter = 'q',
     .field = AT(quiet),
     .set = set_flag,
     .config = CONFIG_ANY,
     .help = "say only what is wrong"},
    {.name = "jobs",
     .letter = 'j',
     .argument = "N",
     .field = AT(run.jobs),
     .set = set_count,
     .config = CONFIG_ANY,
     .help = "skills built at once (default: one a core)"},
    CONFIG_ROW(NULL, AT(config), "{\"publish\": {\"format\": \"zip\"}}"),
    {.name = NULL},
};

/* ---- for the library ---------------------------------------------------------------------------------------------- */

/* That file was found, too. */
static bool stays_inside(struct cli *cli, const char *folder, const char *file,
                         const struct pap_publish_options *remote)
{
    const char *out = remote->out && leaves_folder(folder, remote->out) ? remote->out : NULL;
    for (const char *const *root = remote->roots; !out && root && *root; root++)
        out = leaves_folder(folder, *root) ? *root : NULL;
    return !out || cli_usage(cli, "%s: %s leads out of the project", file, out);
}

/* What remote-skills.json says counts where nothing else was said. Its paths are below the project, like the file. */
static bool add_remote_config(struct cli *cli, struct publish_options *options, const struct arguments *args,
                              struct pap_remote_config **ret)
{
    struct pap_publish_options *o = &options->run, remote;
    const char *const parts[] = {o->folder ? o->folder : ".", "/remote-skills.json", NULL};
    const char *path = o->folder ? cli_join(cli, parts) : "remote-skills.json";
    struct pap_err err = {.text = ""};
    size_t format = 0;
    if (!path || access(path, F_OK) != 0)
        return path != NULL;
    pap_result r = pap_remote_config_read(cli->alloc, path, &remote, ret, &err);
    if (r.code != PAP_OK)
        return cli_say(cli, r.code == PAP_SYNTAX ? CLI_USAGE : CLI_FAILED, "%s", err.text);
    if (!stays_inside(cli, parts[0], path, &remote))
        return false;
    (void)option_find(publish_option_rows, "format", &format);
    if (o->folder && remote.out)
        remote.out = cli_join(cli, (const char *const[]){o->folder, "/", remote.out, NULL});
    o->roots = o->roots ? o->roots : remote.roots;
    o->out = o->out ? o->out : remote.out;
    o->zip = args->seen[format] || options->format ? o->zip : remote.zip;
    o->strict |= remote.strict;
    o->most_index_bytes = remote.most_index_bytes;
    o->most_archive_bytes = remote.most_archive_bytes;
    o->most_unpacked_bytes = remote.most_unpacked_bytes;
    o->most_file_bytes = remote.most_file_bytes;
    o->most_files = remote.most_files;
    return true;
}

bool publish_options_settle(struct cli *cli, struct publish_options *o, const struct arguments *args,
                            struct pap_remote_config **ret)
{
    o->run.zip = o->format == 1;
    o->run.roots = (const char *const *)o->roots;
    o->run.prune = (const char *const *)o->prune;
    o->run.allow_removal = (const char *const *)o->allow_removal;
    o->run.deprecate = (const char *const *)o->deprecate;
    o->run.network = network_settle(&o->network);
    o->run.allow_secret = (const char *const *)o->allow_secret;
    return add_remote_config(cli, o, args, ret);
}
