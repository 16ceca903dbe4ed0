/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver web: reads the options, passes signals on, and prints what happens.
 */
#include <papaver/web.h>

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "cli/database_options.h"
#include "cli/outlet.h"
#include "cli/shared_rows.h"

enum { LOG_WAIT_MS = 100 };

struct web_command {
    struct cli *cli;
    struct pap_web_options run;
    struct database_options database;
    const char **listen, **proxies, **connect_to, *config;
    struct outlet log;
    bool no_log, quiet;
};

static bool set_number(struct cli *cli, const struct given *given, void *field)
{
    uint64_t n = 0;
    if (!cli_whole_number(given->value, &n) || n < 1 || n > 1000000)
        return cli_usage(cli, "%s: \"%s\" is no number from 1 to 1000000", given->origin, given->value);
    *(uint32_t *)field = (uint32_t)n;
    return true;
}

#define AT(member) offsetof(struct web_command, member)
static const struct option_row web_rows[] = {
    {.group = "Site",
     .name = "origin",
     .argument = "URL",
     .field = AT(run.origin),
     .set = set_text,
     .config = CONFIG_NAMED,
     .help = "where visitors find the site, such as https://check.example.com; needed"},
    {.name = "contact",
     .argument = "URL|MAIL",
     .field = AT(run.contact),
     .set = set_text,
     .config = CONFIG_NAMED,
     .help = "who answers for it: stands on the site and in the User-Agent of each request; needed"},
    {.name = "only-show",
     .field = AT(run.only_show),
     .set = set_flag,
     .config = CONFIG_NAMED,
     .help = "check nothing that visitors ask for, show only what is kept"},
    DATABASE_ROWS("Database", AT(database)),
    {.group = "Where",
     .name = "listen",
     .argument = "ADDRESS:PORT",
     .field = AT(listen),
     .set = set_list,
     .list = true,
     .config = CONFIG_NAMED,
     .help = "an address to listen on, such as 127.0.0.1:8080 (the default) or [::]:443; may be repeated"},
    CERTIFICATE_ROWS(AT(run.tls_cert), AT(run.tls_key), "certificate and the chain behind it, PEM: serve https"),
    {.name = "plain-http",
     .field = AT(run.plain_http),
     .set = set_flag,
     .config = CONFIG_NAMED,
     .help = "serve http to other machines too: behind a proxy that speaks TLS, and nowhere else"},
    {.name = "trust-proxy",
     .argument = "ADDRESS",
     .field = AT(proxies),
     .set = set_list,
     .list = true,
     .config = CONFIG_NAMED,
     .help = "IP address of a proxy in front, whose X-Forwarded-For says who a visitor is; may be repeated"},
    {.group = "Limits",
     .name = "visitor-checks",
     .argument = "N",
     .field = AT(run.checks_per_hour),
     .set = set_number,
     .config = CONFIG_NAMED,
     .help =
         "checks and pasted documents that one visitor may ask for in an hour (60); a visitor is an IPv4 address or an "
         "IPv6 network of 64 bits"},
    {.name = "jobs",
     .argument = "N",
     .field = AT(run.jobs),
     .set = set_count,
     .config = CONFIG_NAMED,
     .help = "checks at once (8); others wait"},
    {.name = "workers",
     .argument = "N",
     .field = AT(run.workers),
     .set = set_count,
     .config = CONFIG_NAMED,
     .help = "threads that answer (one a core)"},
    {.name = "max-connections",
     .argument = "N",
     .field = AT(run.max_connections),
     .set = set_number,
     .config = CONFIG_NAMED,
     .help = "connections in all (10000)"},
    {.name = "max-per-address",
     .argument = "N",
     .field = AT(run.max_per_address),
     .set = set_number,
     .config = CONFIG_NAMED,
     .help = "connections of one address (100; no limit with --trust-proxy)"},
    {.group = "Tests of the site itself",
     .name = "insecure-loopback",
     .field = AT(run.insecure_loopback),
     .set = set_flag,
     .help = "ask this machine, and take names below .test and .example; for listening on this machine only"},
    {.name = "cacert",
     .argument = "FILE",
     .field = AT(run.cacert),
     .set = set_certificates,
     .complete = COMPLETE_FILE,
     .path = true,
     .help = "with --insecure-loopback: PEM certificates to trust"},
    {.name = "connect-to",
     .argument = "HOST:PORT:HOST:PORT",
     .field = AT(connect_to),
     .set = set_connect_to,
     .list = true,
     .help = "with --insecure-loopback: connect to another host and port instead; may be repeated"},
    {.group = "Output",
     .name = "no-log",
     .field = AT(no_log),
     .set = set_flag,
     .config = CONFIG_NAMED,
     .help = "no line a request on standard output (Common Log Format)"},
    {.name = "quiet", .letter = 'q', .field = AT(quiet), .set = set_flag, .help = "say only what is wrong"},
    {.name = "config",
     .argument = "FILE",
     .field = AT(config),
     .set = set_input,
     .complete = COMPLETE_FILE,
     .path = true,
     .help = "read options from this file, section \"web\"; no file is read unless it is named here"},
    {0},
};

static size_t on_access(void *ctx, const char *lines, size_t n)
{
    const struct web_command *w = ctx;
    return outlet_put(&w->log, lines, n, LOG_WAIT_MS);
}

static void on_event(void *ctx, enum pap_web_what what, const char *text)
{
    static const char *const words[] = {
        [PAP_WEB_LISTENING] = "listening on ", [PAP_WEB_TROUBLE] = "database: ", [PAP_WEB_STOPPING] = "stopping"};
    const struct web_command *w = ctx;
    if (what == PAP_WEB_TROUBLE || !w->quiet)
        cli_note(w->cli, "%s%s", words[what], text);
}

static bool settle(struct web_command *w, const struct arguments *args)
{
    struct cli *cli = w->cli;
    struct pap_web_options *o = &w->run;
    if (args->n)
        return cli_usage(cli, "papaver web takes options only, not %s", args->at[0]);
    if (w->config && !options_from_config(cli, "web", web_rows, w->config, args, w))
        return false;
    if (!o->origin)
        return cli_usage(cli, "write --origin URL: where visitors find the site");
    if (!o->contact)
        return cli_usage(cli, "write --contact URL or MAIL: whoever is checked must be able to ask");
    if (!o->insecure_loopback && (o->cacert || w->connect_to))
        return cli_usage(cli, "--cacert and --connect-to are for tests, with --insecure-loopback");
    o->alloc = cli->alloc;
    o->max_connections = cli_connections(cli, o->max_connections);
    o->listen = w->listen;
    o->proxies = w->proxies;
    o->connect_to = w->connect_to;
    o->access = w->no_log ? NULL : on_access;
    outlet_open(&w->log, STDOUT_FILENO);
    o->event = on_event;
    o->ctx = w;
    o->database = database_settle(cli, &w->database);
    return o->database && cli_control(cli, false, &o->control);
}

static int run(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct web_command *w = cli_alloc(cli, sizeof *w);
    struct arguments args;
    struct pap_err err = {.text = ""};
    if (!w || !options_parse(cli, self, argc, argv, w, &args))
        return cli->status;
    w->cli = cli;
    if (!settle(w, &args))
        return cli->status;
    pap_result r = pap_web(&w->run, &err);
    if (r.code == PAP_OK)
        return CLI_FINE;
    cli_note(cli, "%s", err.text);
    return r.code == PAP_USAGE ? CLI_USAGE : CLI_FAILED;
}

const struct command cmd_web = {
    .name = "web",
    .run = run,
    .summary = "the checker as a public web site",
    .arguments = "",
    .about =
        "A site where people type a domain and read what is wrong with its discovery: reports with every exchange, each "
        "rule, a badge, the same as JSON, SARIF and Markdown, and an API that describes itself at /api/openapi.json. It "
        "works without JavaScript; with it a check is shown while it runs. Sites that a census found (papaver census) are "
        "listed with their history, from the same database.\n\n"
        "It is public by design: only names that are public are checked, on port 443, and no address inside a network is ever "
        "dialled. One domain is checked once at a time, a result younger than a minute is shown again, and no host is asked "
        "too often, whoever has what checked. No cookies, no accounts, nothing of third parties. A domain opts out with a "
        "file or a DNS record of its own (/opt-out).\n\n"
        "Without a certificate it listens on this machine only, unless --plain-http says that a proxy in front speaks TLS; "
        "name that with --trust-proxy, or all visitors are one. docs/web.md has a unit for systemd.\n\n"
        "Exit status: 0 stopped by a signal, 2 a mistake in the command, 3 the database or an address could not be had.",
    .options = web_rows,
    .examples =
        (const struct example[]){
            {"papaver web --origin https://check.example.com --contact ops@example.com --trust-proxy 127.0.0.1",
             "behind a proxy on this machine"},
            {"papaver web --origin https://check.example.com --contact ops@example.com --listen [::]:443 --tls-cert chain.pem "
             "--tls-key key.pem",
             "for everybody"},
            {"papaver web --config /etc/papaver/web.json", "options from a file"},
            {NULL, NULL}},
};
