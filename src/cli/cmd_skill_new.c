/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver skill new NAME: a SKILL.md to start from.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/skill_options.h"

static const char text[] =
    "---\n"
    "name: %s\n"
    "description: \"Says in one or two sentences what it does, and when an agent should use it.\"\n"
    "metadata:\n"
    "  version: \"0.1.0\"\n"
    "---\n"
    "\n"
    "# %s\n"
    "\n"
    "This text is information. It grants no permission: ask the person before anything is bought, sent, changed or paid,\n"
    "and use only the access that they have given.\n"
    "\n"
    "## Before you start\n"
    "\n"
    "* What must be known or at hand, and where it comes from.\n"
    "* When not to use this skill.\n"
    "\n"
    "## Steps\n"
    "\n"
    "1. The first thing to do, with the operation or tool by its exact name.\n"
    "2. What to show the person, and what to wait for.\n"
    "3. The last thing to do, and how to tell that it worked.\n"
    "\n"
    "## When something goes wrong\n"
    "\n"
    "* Signed out or not allowed: say so, and let the person sign in. Try nothing else.\n"
    "* Not found or out of date: say what was looked for, and ask.\n"
    "* Too many requests: wait as long as the answer says, then try once more.\n"
    "* Anything else: stop, and tell the person what happened in their words.\n";

static bool is_name(const char *name)
{
    size_t n = strlen(name);
    return n >= 1 && n <= 64 && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == n && name[0] != '-' &&
           name[n - 1] != '-' && !strstr(name, "--");
}

static bool make(struct cli *cli, const char *folder)
{
    return mkdir(folder, 0755) == 0 || errno == EEXIST || cli_fail(cli, "cannot make %s: %s", folder, strerror(errno));
}

static int run(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct skill_options o = {.root = "skills"};
    struct arguments args;
    if (!options_parse(cli, self, argc, argv, &o, &args))
        return cli->status;
    if (args.n != 1) {
        cli_usage(cli, "write papaver skill new NAME");
        return cli->status;
    }
    const char *name = args.at[0];
    if (!is_name(name)) {
        cli_usage(cli,
                  "\"%s\" is no name of a skill: 1 to 64 of a-z, 0-9 and single hyphens inside, such as water-plants",
                  name);
        return cli->status;
    }
    const char *folder = cli_join(cli, (const char *const[]){o.root, "/", name, NULL});
    const char *path = folder ? cli_join(cli, (const char *const[]){folder, "/SKILL.md", NULL}) : NULL;
    if (!path || !make(cli, o.root) || !make(cli, folder))
        return cli->status;
    FILE *f = fopen(path, "wxe");
    if (!f) {
        cli_fail(cli, errno == EEXIST ? "%s is there already" : "cannot write %s: %s", path, strerror(errno));
        return cli->status;
    }
    int written = fprintf(f, text, name, name);
    if (fclose(f) != 0 || written < 0) {
        cli_fail(cli, "cannot write %s: %s", path, strerror(errno));
        return cli->status;
    }
    (void)fprintf(cli->out, "%s\nFill it in, then: papaver publish --dry-run\n", path);
    return CLI_FINE;
}

static const struct option_row options[] = {
    {.name = "root",
     .argument = "FOLDER",
     .field = SKILL_AT(root),
     .set = set_text,
     .complete = COMPLETE_FILE,
     .help = "the folder of skills (default skills)"},
    {.name = NULL},
};

const struct command cmd_skill_new = {
    .name = "skill new",
    .run = run,
    .summary = "write a SKILL.md to start from",
    .arguments = "NAME",
    .about =
        "Makes skills/NAME/SKILL.md with the front matter that clients need, a first line that says that a skill grants "
        "no permission, and the parts that a good one has: what is needed before, the steps, and what to do when "
        "something goes wrong.",
    .options = options,
    .examples =
        (const struct example[]){{"papaver skill new water-plants", "skills/water-plants/SKILL.md"}, {NULL, NULL}},
};
