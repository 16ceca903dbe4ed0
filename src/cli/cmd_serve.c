/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver serve: reads the options, passes signals on, and prints what happens: the access log on standard output, all else
 * on standard error.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <papaver/serve.h>

#include "cli/command.h"

struct serve_options {
    struct pap_serve_options run;
    const char **listen, **dev_hosts;
    unsigned log; /* 0 common, 1 json, 2 none */
    bool dev, quiet;
};

enum { SOCKETS_MOST = 16, SOCKETS_FROM = 3 };

struct serve_run {
    struct cli *cli;
    struct serve_options options;
    int sockets[SOCKETS_MOST];
    unsigned port; /* of the first address; 0: not yet known */
};

/* ---- options ------------------------------------------------------------------------------------------------------ */

#define AT(member) offsetof(struct serve_options, member)

static const char *const logs[] = {"common", "json", "none", NULL};

static bool set_number(struct cli *cli, const struct given *given, void *field)
{
    uint64_t n = 0;
    if (!cli_whole_number(given->value, &n) || n < 1 || n > 100000000)
        return cli_usage(cli, "%s: \"%s\" is no number from 1 to 100000000", given->origin, given->value);
    *(uint32_t *)field = (uint32_t)n;
    return true;
}

static const struct option_row rows[] = {
    {.group = "Where",
     .name = "listen",
     .argument = "ADDRESS:PORT",
     .field = AT(listen),
     .set = set_list,
     .list = true,
     .help = "an address to listen on, such as 127.0.0.1:8080 (the default), 0.0.0.0:443 or [::]:443; may be repeated"},
    {.name = "tls-cert",
     .argument = "FILE",
     .field = AT(run.tls_cert),
     .set = set_certificates,
     .complete = COMPLETE_FILE,
     .help = "certificate and the chain behind it, PEM: serve https; read again when the file changes"},
    {.name = "tls-key",
     .argument = "FILE",
     .field = AT(run.tls_key),
     .set = set_input,
     .complete = COMPLETE_FILE,
     .help = "its private key, PEM"},
    {.name = "dev-tls",
     .field = AT(run.dev_tls),
     .set = set_flag,
     .not_with = "tls-cert",
     .help =
         "serve https while developing, with a certificate of a throw-away authority for localhost, 127.0.0.1 and ::1; "
         "prints how to trust it. Kept for two weeks in $XDG_STATE_HOME/papaver or "
         "~/.local/state/papaver"},
    {.name = "dev-host",
     .argument = "HOST",
     .field = AT(dev_hosts),
     .set = set_list,
     .list = true,
     .help =
         "with --dev-tls: one more name or address that the certificate is for, such as shop.example; may be repeated"},
    {.name = "plain-http",
     .field = AT(run.plain_http),
     .set = set_flag,
     .help = "serve http to other machines too: behind a proxy that speaks TLS, and nowhere else"},
    {.name = "admin",
     .argument = "ADDRESS:PORT",
     .field = AT(run.admin),
     .set = set_text,
     .help = "an address for operators: /-/healthz, and /-/metrics for Prometheus"},

    {.group = "What",
     .name = "max-age",
     .argument = "SECONDS",
     .field = AT(run.max_age),
     .set = set_number,
     .help =
         "how long the index and poppy.json may be cached (300 unless set); artifacts that are named by their digest "
         "may be kept for good"},
    {.name = "no-watch",
     .field = AT(run.no_watch),
     .set = set_flag,
     .help = "do not look for changes of the folder: only SIGHUP reloads it"},

    {.group = "Limits",
     .name = "workers",
     .argument = "N",
     .field = AT(run.workers),
     .set = set_count,
     .help = "threads that answer (one a core unless set)"},
    {.name = "max-connections",
     .argument = "N",
     .field = AT(run.max_connections),
     .set = set_number,
     .help = "connections at a time (10000 unless set)"},
    {.name = "max-per-address",
     .argument = "N",
     .field = AT(run.max_per_address),
     .set = set_number,
     .help = "of these, from one address (no limit unless set: behind a proxy all have the same)"},
    {.name = "idle",
     .argument = "SECONDS",
     .field = AT(run.idle_ms),
     .set = set_seconds,
     .help = "how long a connection may rest between requests (60 unless set)"},
    {.name = "head-time",
     .argument = "SECONDS",
     .field = AT(run.head_ms),
     .set = set_seconds,
     .help = "how long a client may take for the head of a request (10 unless set)"},
    {.name = "drain",
     .argument = "SECONDS",
     .field = AT(run.drain_ms),
     .set = set_seconds,
     .help = "how long requests under way get after SIGTERM (10 unless set)"},

    {.group = "What is printed",
     .name = "access-log",
     .argument = "FORMAT",
     .field = AT(log),
     .set = set_choice,
     .choices = logs,
     .complete = COMPLETE_CHOICES,
     .help = "a line for each request on standard output: common (the default), json or none"},
    {.name = "dev",
     .field = AT(dev),
     .set = set_flag,
     .help =
         "while writing skills: print all findings of each change, and let nothing be cached for more than a second"},
    {.name = "quiet", .letter = 'q', .field = AT(quiet), .set = set_flag, .help = "print no more than what is wrong"},
    {.name = NULL},
};

/* ---- signals ------------------------------------------------------------------------------------------------------ */

static int command_fd = -1; /* a handler gets nothing but the number */

static void on_signal(int number)
{
    int kept = errno;
    (void)!write(command_fd, number == SIGHUP ? "r" : "s", 1);
    errno = kept;
}

static bool watch_signals(struct serve_run *run)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    int ends[2];
    if (pipe(ends) < 0)
        return cli_fail(run->cli, "no pipe for signals: %s", strerror(errno));
    run->options.run.control = ends[0];
    command_fd = ends[1];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        (void)sigaction(numbers[i], &(struct sigaction){.sa_handler = on_signal, .sa_flags = SA_RESTART}, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    return true;
}

/* ---- what happens ------------------------------------------------------------------------------------------------- */

/* One write a line: several threads come here at once, and a line must stay whole. */
static void on_access(void *ctx, const char *line, size_t n)
{
    (void)ctx;
    (void)!write(STDOUT_FILENO, line, n);
}

/* How to trust the authority of --dev-tls, in lines to be copied: a shell reads the path, which comes from the
 * environment, as one word. */
static void say_trust(const struct serve_run *run, const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._,+-:";
    const char *q = path[strspn(path, plain)] ? "'" : "";
    const char *host = run->options.dev_hosts ? run->options.dev_hosts[0] : "localhost";
    const char *target = run->options.dev_hosts ? host : "https://localhost/.well-known/agent-skills/index.json";
    cli_note(run->cli,
             "this authority is good for the names of this server alone and for %d days at most, and its key is gone; "
             "to trust it:",
             PAP_SERVE_DEV_DAYS);
    cli_note(run->cli, "  curl --cacert %s%s%s https://localhost:%u/", q, path, q, run->port);
    cli_note(run->cli, "  papaver check --cacert %s%s%s --allow-private --connect-to %s:443:127.0.0.1:%u %s", q, path,
             q, host, run->port, target);
    cli_note(run->cli, "  NODE_EXTRA_CA_CERTS=%s%s%s node ...", q, path, q);
    cli_note(run->cli, "  in a browser: Settings, Certificates, Authorities, Import");
}

/* The number at the end of what is said of an address. */
static unsigned port_of(const char *text)
{
    unsigned n = 0, place = 1;
    for (size_t i = strlen(text); i-- > 0;)
        if (text[i] >= '0' && text[i] <= '9') {
            n += (unsigned)(text[i] - '0') * place;
            place *= 10;
        } else if (place > 1)
            break;
    return n;
}

static void on_event(void *ctx, enum pap_serve_what what, const char *text)
{
    static const struct {
        const char *words;
        bool wrong;
    } rows_of[] = {
        [PAP_SERVE_LISTENING] = {"listening on ", false},
        [PAP_SERVE_LOADED] = {"serving ", false},
        [PAP_SERVE_KEPT] = {"the change is not served, what was good before still is: ", true},
        [PAP_SERVE_CERTIFIED] = {"certificate read: ", false},
        [PAP_SERVE_UNCERTIFIED] = {"the certificate before is kept: ", true},
        [PAP_SERVE_STOPPING] = {"stopping", false},
        [PAP_SERVE_TRUST] = {"https by a throw-away authority: ", false},
    };
    struct serve_run *run = ctx;
    if (rows_of[what].wrong || !run->options.quiet)
        cli_note(run->cli, "%s%s", rows_of[what].words, text);
    if (what == PAP_SERVE_LISTENING && !run->port)
        run->port = port_of(text);
    if (what == PAP_SERVE_TRUST && !run->options.quiet)
        say_trust(run, text);
}

static void on_finding(void *ctx, const struct pap_finding *f)
{
    static const char *const words[] = {[PAP_INFO] = "info", [PAP_WARNING] = "warning", [PAP_ERROR] = "error"};
    struct serve_run *run = ctx;
    if (f->severity == PAP_ERROR || run->options.dev)
        cli_note(run->cli, "%.*s:%u:%u: %s: %.*s [%s]", (int)f->where.n, f->where.p, f->line, f->column,
                 words[f->severity], (int)f->message.n, f->message.p, f->id);
}

/* Where the certificate of --dev-tls is kept; NULL: nowhere. */
static const char *state_folder(struct cli *cli)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && state[0] == '/')
        return cli_join(cli, (const char *const[]){state, "/papaver", NULL});
    return home && home[0] == '/' ? cli_join(cli, (const char *const[]){home, "/.local/state/papaver", NULL}) : NULL;
}

/* Socket activation: whoever started us (systemd, or inetd's successors) has opened the sockets from 3 on, and says so to
 * exactly this process. */
static bool take_sockets(struct serve_run *run)
{
    const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
    uint64_t ours = 0, n = 0;
    if (!pid || !count || !cli_whole_number(pid, &ours) || ours != (uint64_t)getpid())
        return true;
    if (!cli_whole_number(count, &n) || n < 1 || n > SOCKETS_MOST)
        return cli_usage(run->cli, "LISTEN_FDS=%s: from 1 to %d sockets can be taken over", count, SOCKETS_MOST);
    for (int i = 0; i < (int)n; i++) {
        run->sockets[i] = SOCKETS_FROM + i;
        if (fcntl(run->sockets[i], F_SETFL, O_NONBLOCK) < 0 || fcntl(run->sockets[i], F_SETFD, FD_CLOEXEC) < 0)
            return cli_fail(run->cli, "LISTEN_FDS=%s: there is no socket %d: %s", count, run->sockets[i],
                            strerror(errno));
    }
    run->options.run.sockets = run->sockets;
    run->options.run.n_sockets = (size_t)n;
    return true;
}

/* ---- the command -------------------------------------------------------------------------------------------------- */

static int run(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct serve_run *run = cli_alloc(cli, sizeof *run);
    struct arguments args;
    struct pap_err err = {.text = ""};
    if (!run || !options_parse(cli, self, argc, argv, &run->options, &args))
        return cli->status;
    run->cli = cli;
    struct pap_serve_options *o = &run->options.run;
    if (args.n > 1) {
        cli_usage(cli, "one folder at a time: %s and %s are two", args.at[0], args.at[1]);
        return cli->status;
    }
    o->folder = args.n ? args.at[0] : NULL;
    o->alloc = cli->alloc;
    o->listen = (const char *const *)run->options.listen;
    o->dev_hosts = (const char *const *)run->options.dev_hosts;
    o->dev_tls = o->dev_tls || o->dev_hosts;
    o->state = o->dev_tls ? state_folder(cli) : NULL;
    o->max_age = run->options.dev ? 1 : o->max_age;
    o->log = run->options.log == 1 ? PAP_SERVE_LOG_JSON : PAP_SERVE_LOG_COMMON;
    o->access = run->options.log == 2 ? NULL : on_access;
    o->event = on_event;
    o->finding = on_finding;
    o->ctx = run;
    if (!take_sockets(run) || !watch_signals(run))
        return cli->status;
    pap_result r = pap_serve(o, &err);
    if (r.code == PAP_OK)
        return CLI_FINE;
    cli_note(cli, "%s", err.text);
    return r.code == PAP_USAGE ? CLI_USAGE : r.code == PAP_SYNTAX ? CLI_FINDINGS : CLI_FAILED;
}

const struct command cmd_serve = {
    .name = "serve",
    .run = run,
    .summary = "serve a published tree over https or http",
    .arguments = "[DIR]",
    .about =
        "Serves what lies below DIR/.well-known: poppy.json, the skill index, the artifacts, "
        "any other well-known file; and a page for people at /. Nothing else of DIR is shown, and no name that begins with "
        "a dot.\n\n"
        "Where DIR has no .well-known but a folder skills, these are published as papaver publish would, for this "
        "server alone: digests and archives are made of the very bytes that it serves. Without DIR it is dist, or else "
        "the folder here.\n\n"
        "The tree is read whole and judged by the rules of papaver check before it is served. A change is seen by itself "
        "and takes the place of what was served in one step; one that has errors is refused, and what was good before "
        "is served on. SIGHUP reloads the folder and the certificate, SIGTERM answers the requests under way and "
        "ends.\n\n"
        "Without a certificate it listens on this machine only, unless --plain-http says that a proxy in front speaks "
        "TLS.\n\n"
        "Exit status: 0 stopped by a signal, 1 the tree has errors, 2 a mistake in the command, 3 something could not be "
        "read or an address not be had.",
    .options = rows,
    .examples =
        (const struct example[]){
            {"papaver serve", "dist, for this machine"},
            {"papaver serve public --listen 0.0.0.0:443 --tls-cert chain.pem --tls-key key.pem", "for everybody"},
            {"papaver serve --dev .", "while skills are written"},
            {"papaver serve --dev-tls --dev-host shop.example", "https on this machine, without a certificate"},
            {NULL, NULL}},
    .completes_files = true,
};
