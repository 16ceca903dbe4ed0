/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver mcp: reads the options, gives each origin its label, and either serves or prints how a client is told about it.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <papaver/mcp.h>

#include "cli/command.h"
#include "cli/header_env.h"
#include "cli/mcp_config.h"
#include "cli/network_options.h"
#include "cli/skill_options.h"

struct mcp_options {
    const char **load, **hosts, **allow_origins, **header_env, **scopes;
    const char *cache, *listen, *token_file, *tls_cert, *tls_key, *print_config;
    bool index, no_cache, offline, strict, no_token, insecure_http, quiet;
    uint32_t stale_ms;
    struct network_options network;
};

struct mcp_run {
    struct cli *cli;
    struct mcp_options options;
    struct pap_network network;
    struct pap_skill_options skills;
    struct pap_mcp_options run;
    struct header_env headers;
    const char *token;
};

/* ---- options ------------------------------------------------------------------------------------------------------ */

#define AT(member) offsetof(struct mcp_options, member)

static const struct option_row rows[] = {
    {.group = "Which skills",
     .name = "load",
     .argument = "LABEL/NAME[@RANGE]",
     .field = AT(load),
     .set = set_list,
     .list = true,
     .help =
         "fetch this skill at once and list it; others are found by a search, or listed when the cache has them; may be "
         "repeated"},
    {.name = "index",
     .field = AT(index),
     .set = set_flag,
     .help = "read the well-known index of each domain, whatever its poppy.json says"},
    {.name = "scope",
     .argument = "[LABEL/]SCOPE",
     .field = AT(scopes),
     .set = set_list,
     .list = true,
     .help =
         "ask for the list of this scope (Remote-Skills-Scope), every origin or that of the label; may be repeated"},
    HEADER_ENV_ROW(AT(header_env)),
    {.name = "cache",
     .argument = "FOLDER",
     .field = AT(cache),
     .set = set_text,
     .complete = COMPLETE_FILE,
     .help = "keep what was verified here ($XDG_CACHE_HOME/papaver or ~/.cache/papaver unless set)"},
    {.name = "no-cache", .field = AT(no_cache), .set = set_flag, .not_with = "cache", .help = "keep nothing on disk"},
    {.name = "offline",
     .field = AT(offline),
     .set = set_flag,
     .help = "make no request: only the cache and folders answer"},
    {.name = "stale",
     .argument = "SECONDS",
     .field = AT(stale_ms),
     .set = set_age,
     .help = "a list so old may stand in while its origin cannot be reached"},
    {.name = "strict",
     .field = AT(strict),
     .set = set_flag,
     .help = "refuse a list with one bad entry, and front matter that the publisher's rules refuse"},

    {.group = "Over HTTP instead of standard input and output",
     .name = "listen",
     .argument = "ADDRESS:PORT",
     .field = AT(listen),
     .set = set_text,
     .help = "serve at http://ADDRESS:PORT/mcp, such as 127.0.0.1:7420 (port 0: any free one)"},
    {.name = "token-file",
     .argument = "FILE",
     .field = AT(token_file),
     .set = set_input,
     .complete = COMPLETE_FILE,
     .help =
         "the bearer token is the first line of this file, which only its owner may read; without it one is made at each "
         "start and printed"},
    {.name = "no-token",
     .field = AT(no_token),
     .set = set_flag,
     .not_with = "token-file",
     .help = "ask nobody for a token: every program on this machine can ask"},
    {.name = "allow-origin",
     .argument = "ORIGIN",
     .field = AT(allow_origins),
     .set = set_list,
     .list = true,
     .help = "let pages of this origin ask, such as https://app.example; may be repeated"},
    {.name = "allow-host",
     .argument = "HOST[:PORT]",
     .field = AT(hosts),
     .set = set_list,
     .list = true,
     .help = "a further name that clients use for this server; may be repeated"},
    {.name = "tls-cert",
     .argument = "FILE",
     .field = AT(tls_cert),
     .set = set_certificates,
     .complete = COMPLETE_FILE,
     .help = "certificate and the chain behind it, PEM: needed to serve other machines"},
    {.name = "tls-key",
     .argument = "FILE",
     .field = AT(tls_key),
     .set = set_input,
     .complete = COMPLETE_FILE,
     .help = "its private key, PEM"},

    {.group = "Clients",
     .name = "print-config",
     .argument = "CLIENT",
     .field = AT(print_config),
     .set = set_choice_text,
     .choices = mcp_clients,
     .complete = COMPLETE_CHOICES,
     .help =
         "serve nothing; print what goes into the configuration of claude, claude-desktop, codex, cursor, vscode, gemini "
         "or zed"},
    {.name = "quiet", .letter = 'q', .field = AT(quiet), .set = set_flag, .help = "print no more than what is wrong"},

    NETWORK_ROWS("How requests go", AT(network)),
    {.name = "insecure-http",
     .field = AT(insecure_http),
     .set = set_flag,
     .help = "allow http to loopback addresses, for tests"},
    {.name = NULL},
};

/* ---- origins ------------------------------------------------------------------------------------------------------ */

/* The host of a domain or a URL, without its port; the last part of a folder. What no label may hold becomes '-'. */
static const char *label_of(struct cli *cli, const char *place)
{
    const char *start = strstr(place, "://");
    size_t n;
    start = start ? start + 3 : place;
    if (pap_skill_place_is_folder(place)) {
        n = strlen(place);
        while (n > 1 && place[n - 1] == '/')
            n--;
        start = place + n;
        while (start > place && start[-1] != '/')
            start--;
        n -= (size_t)(start - place);
    } else {
        n = strcspn(start, "/:?#");
    }
    char *label = cli_alloc(cli, n + 3);
    if (!label)
        return NULL;
    size_t at = 0;
    for (size_t i = 0; i < n && at < 63; i++) {
        char c = start[i] >= 'A' && start[i] <= 'Z' ? (char)(start[i] + 32) : start[i];
        bool good = (c >= 'a' && c <= 'z') || (at && ((c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-'));
        if (!good && at == 0 && c >= '0' && c <= '9')
            label[at++] = 'h';
        if (good || at)
            label[at++] = good || (c >= '0' && c <= '9') ? c : '-';
    }
    return at ? label : "folder";
}

static bool take_origin(struct mcp_run *run, const char *given, struct pap_skill_origin *ret)
{
    const char *equals = mcp_label_end(given), *label = NULL;
    if (equals) {
        char *copy = cli_alloc(run->cli, (size_t)(equals - given) + 1);
        label = copy ? memcpy(copy, given, (size_t)(equals - given)) : NULL;
        given = equals + 1;
    } else {
        label = label_of(run->cli, given);
    }
    if (!label)
        return false;
    *ret = (struct pap_skill_origin){.place = given,
                                     .label = label,
                                     .index = run->options.index,
                                     .headers = run->headers.at,
                                     .n_headers = run->headers.n,
                                     .stale_s = run->options.stale_ms / 1000};
    return header_env_may_ask(run->cli, &run->headers, given, NULL);
}

/* "staff" for every origin that can have one, "shop/staff" for that of the label. */
static bool take_scope(struct mcp_run *run, struct pap_skill_origin *origins, size_t n, const char *given)
{
    size_t label = strcspn(given, "/");
    bool any = false, for_one = given[label] == '/';
    for (size_t i = 0; i < n; i++) {
        bool meant = for_one ? strncmp(origins[i].label, given, label) == 0 && !origins[i].label[label]
                             : !pap_skill_place_is_folder(origins[i].place);
        if (meant)
            origins[i].scope = for_one ? given + label + 1 : given;
        any |= meant;
    }
    return any || cli_usage(run->cli,
                            "--scope %s: there is no such origin to ask; it is SCOPE, or LABEL/SCOPE with a label "
                            "of an origin",
                            given);
}

static bool take_origins(struct mcp_run *run, const struct arguments *args)
{
    struct pap_skill_origin *origins = cli_alloc(run->cli, (args->n + 1) * sizeof *origins);
    if (!origins)
        return false;
    for (size_t i = 0; i < args->n; i++)
        if (!take_origin(run, args->at[i], &origins[i]))
            return false;
    for (const char **scope = run->options.scopes; scope && *scope; scope++)
        if (!take_scope(run, origins, args->n, *scope))
            return false;
    run->run.origins = origins;
    run->run.n_origins = args->n;
    return true;
}

/* ---- the rest of the options -------------------------------------------------------------------------------------- */

static bool read_token(struct mcp_run *run)
{
    const char *path = run->options.token_file;
    struct stat st;
    char line[256], *copy;
    if (!path)
        return true;
    if (stat(path, &st) == 0 && (st.st_mode & 077))
        return cli_usage(run->cli, "%s: others may read it, and so they have the token; chmod 600 it", path);
    FILE *f = fopen(path, "re");
    if (!f)
        return cli_fail(run->cli, "cannot read %s: %s", path, strerror(errno));
    bool got = fgets(line, sizeof line, f) != NULL;
    (void)fclose(f);
    line[got ? strcspn(line, "\r\n") : 0] = '\0';
    copy = cli_alloc(run->cli, strlen(line) + 1);
    if (!copy)
        return false;
    run->run.token = memcpy(copy, line, strlen(line));
    return true;
}

static bool settle(struct mcp_run *run, const struct arguments *args)
{
    const struct mcp_options *o = &run->options;
    static const struct {
        size_t at;
        const char *name;
    } http_only[] = {{AT(token_file), "token-file"},
                     {AT(allow_origins), "allow-origin"},
                     {AT(hosts), "allow-host"},
                     {AT(tls_cert), "tls-cert"},
                     {AT(tls_key), "tls-key"}};
    if (o->no_token && !o->listen)
        return cli_usage(run->cli, "--no-token is for HTTP; give --listen too");
    for (size_t i = 0; !o->listen && i < sizeof http_only / sizeof *http_only; i++)
        if (*(const void *const *)(const void *)((const char *)o + http_only[i].at))
            return cli_usage(run->cli, "--%s is for HTTP; give --listen too", http_only[i].name);
    run->network = network_settle(&o->network);
    run->skills = (struct pap_skill_options){
        .alloc = run->cli->alloc,
        .strict = o->strict,
        .offline = o->offline,
        .cache = o->no_cache ? NULL
                 : o->cache  ? o->cache
                             : cli_user_folder(run->cli, "XDG_CACHE_HOME", "/.cache", "/papaver"),
        .allow_private = run->network.allow_private,
        .insecure_http = o->insecure_http,
        .timeout_ms = run->network.timeout_ms,
        .cacert = run->network.cacert,
        .resolve = run->network.resolve,
        .connect_to = run->network.connect_to,
        .proxy = run->network.proxy,
    };
    run->run.skills = &run->skills;
    run->run.load = (const char *const *)o->load;
    run->run.listen = o->listen;
    run->run.no_token = o->no_token;
    run->run.hosts = (const char *const *)o->hosts;
    run->run.allow_origins = (const char *const *)o->allow_origins;
    run->run.tls_cert = o->tls_cert;
    run->run.tls_key = o->tls_key;
    return header_env_read(run->cli, o->header_env, &run->headers) && take_origins(run, args) && read_token(run);
}

/* ---- what happens ------------------------------------------------------------------------------------------------- */

static void on_event(void *ctx, enum pap_mcp_what what, const char *text)
{
    struct mcp_run *run = ctx;
    if (what == PAP_MCP_TOKEN)
        run->token = cli_join(run->cli, (const char *const[]){text, NULL});
    if (what == PAP_MCP_NOT_LOADED)
        cli_note(run->cli, "not loaded: %s", text);
    if (what == PAP_MCP_STOPPING && !run->options.quiet)
        cli_note(run->cli, "stopping");
    if (what != PAP_MCP_LISTENING)
        return;
    if (!run->options.quiet)
        cli_note(run->cli, "listening on %s", text);
    if (run->token) /* whoever does not print it cannot let anybody in */
        mcp_config_print(run->cli->err, "claude", text, run->token);
}

/* ---- the command -------------------------------------------------------------------------------------------------- */

static int print_config(struct mcp_run *run, int argc, char **argv)
{
    const struct mcp_options *o = &run->options;
    const char *url = NULL;
    if (o->listen)
        url = cli_join(run->cli, (const char *const[]){o->tls_cert ? "https://" : "http://", o->listen, "/mcp", NULL});
    if (o->listen && !url)
        return run->cli->status;
    if (o->listen && strlen(o->listen) > 2 && strcmp(o->listen + strlen(o->listen) - 2, ":0") == 0) {
        cli_usage(run->cli, "--listen %s is another port at each start; an entry for a client needs one that stays",
                  o->listen);
        return run->cli->status;
    }
    if (run->headers.n && !url)
        cli_note(run->cli, "the variables of --header-env have to be set where the client starts this, too");
    return mcp_config_command(run->cli, o->print_config, url, argc, argv);
}

static int failed(struct cli *cli, const struct pap_err *err)
{
    cli_note(cli, "%s", err->text);
    return err->code == PAP_USAGE ? CLI_USAGE : CLI_FAILED;
}

static int run(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct mcp_run *run = cli_alloc(cli, sizeof *run);
    struct arguments args;
    struct pap_err err = {.text = ""};
    const struct mcp_options *o = run ? &run->options : NULL;
    if (!run || !options_parse(cli, self, argc, argv, &run->options, &args))
        return cli->status;
    run->cli = cli;
    if (!args.n) {
        cli_usage(cli, "say whose skills: papaver mcp shop.example");
        return cli->status;
    }
    if (!settle(run, &args))
        return cli->status;
    if (run->options.print_config)
        return pap_mcp_check(&run->run, &err).code == PAP_OK ? print_config(run, argc, argv) : failed(cli, &err);
    if (!o->listen && isatty(STDIN_FILENO) && !o->quiet)
        cli_note(cli, "an MCP client starts this and writes to its standard input; see --print-config");
    /* On standard input and output the client ends the server; a signal may do so at once, for nothing is lost by it. */
    if (o->listen && !cli_control(cli, false, &run->run.control))
        return cli->status;
    run->run.event = on_event;
    run->run.ctx = run;
    return pap_mcp(&run->run, &err).code == PAP_OK ? CLI_FINE : failed(cli, &err);
}

const struct command cmd_mcp = {
    .name = "mcp",
    .run = run,
    .summary = "let MCP clients find, verify and read skills",
    .arguments = "[LABEL=]ORIGIN...",
    .about =
        "An MCP server, on standard input and output unless --listen is given. An origin is a domain, an https URL of an index, "
        "or a folder; its label (the host, unless one is given) is how a model names it.\n\n"
        "A model searches the lists of the origins (search_skills), and loads a skill by name (load_skill): it is fetched, its "
        "digest compared with the list, and only then unpacked and shown, with a label around it that says whose words they "
        "are. read_skill_file shows another file of it. Clients that know prompts, resources or the skills extension find "
        "loaded skills there too, each file byte for byte with its digest. Nothing is fetched that was not asked for, no script "
        "is run, and a model cannot name a place that is not among the origins.\n\n"
        "Over HTTP, requests have to name this server in Host, to come from no page of another origin, and to bring the bearer "
        "token that is printed at the start. Revisions 2025-06-18, 2025-11-25 and 2026-07-28 of MCP are spoken, each client's "
        "own.\n\n"
        "Exit status: 0 the client or a signal ended it, 2 a mistake in the command, 3 an address or the cache cannot be had.",
    .options = rows,
    .examples =
        (const struct example[]){
            {"papaver mcp shop.example", "the skills of one company, for a client that starts it"},
            {"papaver mcp shop=shop.example garden=https://garden.example/skills/index.json",
             "two, with labels of one's own"},
            {"papaver mcp shop.example --print-config claude", "what goes into .mcp.json"},
            {"papaver mcp shop.example --listen 127.0.0.1:7420", "over HTTP, with a token"},
            {"papaver mcp shop.example --scope staff --header-env shop.example/Authorization=TOKEN",
             "what only some callers see; TOKEN is a variable, such as \"Bearer ...\""},
            {NULL, NULL}},
    .completes_files = true,
};
