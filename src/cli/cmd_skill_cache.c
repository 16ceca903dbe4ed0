/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver skill cache: what is kept on disk.
 */
#include <string.h>
#include <time.h>

#include "cli/skill_run.h"

#define TEXT(s) (int)(s).n, (s).n ? (s).p : ""

struct caching {
    struct skill_run run;
    const char *folder;
    bool verify;
    size_t objects;
    uint64_t bytes;
    unsigned url; /* of an object, for what stands between */
};

/* URLs, one a line, and none has a blank. */
static void each_origin(struct pap_str lines, void (*each)(void *ctx, struct pap_str url), void *ctx)
{
    while (lines.n) {
        const char *end = memchr(lines.p, '\n', lines.n);
        struct pap_str url = {lines.p, end ? (size_t)(end - lines.p) : lines.n};
        each(ctx, url);
        lines = (struct pap_str){url.p + url.n + (end != NULL), lines.n - url.n - (end != NULL)};
    }
}

static void origin_as_json(void *ctx, struct pap_str url)
{
    json_words(ctx, NULL, url);
}

static void origin_as_text(void *ctx, struct pap_str url)
{
    struct caching *c = ctx;
    if (c->url++)
        (void)fputc(' ', c->run.cli->out);
    skill_words(c->run.cli->out, url);
}

static bool on_object(void *ctx, const struct pap_skill_cached *o)
{
    struct caching *c = ctx;
    FILE *out = c->run.cli->out;
    c->objects++;
    c->bytes += o->bytes;
    if (c->verify && !o->good)
        skill_worse(&c->run, CLI_FINDINGS);
    if (c->run.o.json) {
        struct json_out *j = &c->run.json;
        json_begin(j, NULL, '{');
        json_text(j, "digest", o->digest);
        json_text(j, "type", o->type);
        json_number(j, "bytes", o->bytes);
        json_number(j, "used", (uint64_t)(o->used > 0 ? o->used : 0));
        json_bool(j, "held", o->held);
        if (c->verify)
            json_bool(j, "good", o->good);
        json_begin(j, "origins", '[');
        each_origin(o->origins, origin_as_json, j);
        json_end(j, ']');
        json_end(j, '}');
        return true;
    }
    char used[32] = "-";
    struct tm tm;
    time_t t = (time_t)o->used;
    if (gmtime_r(&t, &tm))
        (void)strftime(used, sizeof used, "%Y-%m-%d", &tm);
    (void)fprintf(out, "%.*s\t%.*s\t%llu\t%s\t%s\t", TEXT(o->digest), TEXT(o->type), (unsigned long long)o->bytes, used,
                  c->verify ? (o->good ? "ok" : "bad")
                  : o->held ? "held"
                            : "");
    c->url = 0;
    each_origin(o->origins, origin_as_text, c);
    (void)fputc('\n', out);
    return true;
}

static void list(struct caching *c)
{
    struct pap_skill_err err = {.text = ""};
    if (c->run.o.json)
        json_begin(&c->run.json, "objects", '[');
    pap_result r = pap_skill_cache_list(c->folder, c->run.cli->alloc, c->verify, on_object, c, &err);
    if (c->run.o.json)
        json_end(&c->run.json, ']');
    if (r.code != PAP_OK)
        skill_tell(&c->run, NULL, NULL, r, &err);
    if (!c->run.o.json && c->run.cli->out_is_terminal)
        (void)fprintf(c->run.cli->out, "%zu skill%s, %llu bytes\n", c->objects, plural(c->objects),
                      (unsigned long long)c->bytes);
}

static void verify(struct caching *c)
{
    c->verify = true;
    list(c);
}

static void take(struct caching *c, bool all)
{
    struct pap_skill_err err = {.text = ""};
    uint64_t objects = 0, bytes = 0;
    pap_result r = pap_skill_cache_prune(c->folder, c->run.cli->alloc, 0, c->run.o.days, all, &objects, &bytes, &err);
    if (r.code != PAP_OK) {
        skill_tell(&c->run, NULL, NULL, r, &err);
    } else if (c->run.o.json) {
        json_number(&c->run.json, "removed", objects);
        json_number(&c->run.json, "bytes", bytes);
    } else {
        (void)fprintf(c->run.cli->out, "%llu removed, %llu bytes\n", (unsigned long long)objects,
                      (unsigned long long)bytes);
    }
}

static void prune(struct caching *c)
{
    take(c, false);
}

static void clear(struct caching *c)
{
    take(c, true);
}

static void path(struct caching *c)
{
    if (c->run.o.json)
        json_c(&c->run.json, "path", c->folder);
    else
        (void)fprintf(c->run.cli->out, "%s\n", c->folder);
}

static const struct action {
    const char *name;
    void (*run)(struct caching *c);
} actions[] = {{"path", path}, {"list", list}, {"verify", verify}, {"prune", prune}, {"clear", clear}};

static bool act(struct caching *c, const char *name)
{
    static const char *const names[] = {"path", "list", "verify", "prune", "clear", NULL};
    for (size_t i = 0; name && i < sizeof actions / sizeof *actions; i++)
        if (strcmp(actions[i].name, name) == 0) {
            actions[i].run(c);
            return true;
        }
    skill_worse(&c->run, CLI_USAGE);
    return cli_usage(c->run.cli, "write papaver skill cache path, list, verify, prune or clear%s",
                     name ? cli_did_you_mean(c->run.cli, name, names) : "");
}

static int run_cache(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct caching c = {.objects = 0};
    if (!skill_begin(cli, self, argc, argv, &c.run))
        return cli->status;
    c.folder = skill_cache_folder(&c.run);
    if (!c.folder) {
        cli_usage(cli, "there is no cache: neither XDG_CACHE_HOME nor HOME is set; --cache FOLDER names one");
        skill_worse(&c.run, CLI_USAGE);
    } else if (!act(&c, c.run.args.n == 1 ? c.run.args.at[0] : NULL)) {
        skill_worse(&c.run, CLI_USAGE);
    }
    return skill_end(&c.run);
}

static const struct option_row rows[] = {
    {.name = "cache",
     .argument = "FOLDER",
     .field = SKILL_AT(cache),
     .set = set_text,
     .complete = COMPLETE_FILE,
     .help = "the folder (unless set: papaver in $XDG_CACHE_HOME, or in ~/.cache)"},
    {.name = "days",
     .argument = "N",
     .field = SKILL_AT(days),
     .set = set_count,
     .help = "with prune: take away what was not used for so long (30 unless set)"},
    SKILL_JSON_ROW,
    {.name = NULL},
};

const struct command cmd_skill_cache = {
    .name = "skill cache",
    .run = run_cache,
    .summary = "look after what is kept on disk",
    .arguments = "path|list|verify|prune|clear",
    .about =
        "path: where the cache is. list: the skills in it, with digest, type, bytes, day of last use and the URLs that "
        "delivered them. verify: hashes every one again, and takes a bad one away. prune: takes away what was not used for 30 "
        "days, and then the longest unused until 512 MiB are left. clear: takes everything away that no program is using.",
    .options = rows,
    .examples = (const struct example[]){{"papaver skill cache list", "what is there"},
                                         {"papaver skill cache prune --days 7", "only the last week"},
                                         {NULL, NULL}},
};
