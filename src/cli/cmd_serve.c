/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver serve: reads the options, passes signals on, and prints what happens: the access log on standard output, all else
 * on standard error.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <papaver/serve.h>

#include "cli/outlet.h"
#include "cli/serve_options.h"

enum { SOCKETS_MOST = 16, SOCKETS_FROM = 3, LOG_WAIT_MS = 100 };

struct serve_run {
    struct cli *cli;
    struct serve_options options;
    int sockets[SOCKETS_MOST];
    struct outlet log;
    unsigned port; /* of the first address; 0: not yet known */
};

/* ---- what happens ------------------------------------------------------------------------------------------------- */

static size_t on_access(void *ctx, const char *lines, size_t n)
{
    const struct serve_run *run = ctx;
    return outlet_put(&run->log, lines, n, LOG_WAIT_MS);
}

/* How to trust the authority of --dev-tls, in lines to be copied: a shell reads the path, which comes from the
 * environment, as one word. */
static void say_trust(const struct serve_run *run, const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._,+-:";
    const char *q = path[strspn(path, plain)] ? "'" : "";
    const struct serve_options *o = &run->options;
    const char *domain = o->dev_hosts ? o->dev_hosts[0] : o->run.n_sites ? o->run.sites[0].domain : NULL;
    const char *host = domain ? domain : "localhost";
    const char *target = domain ? domain : "https://localhost/.well-known/agent-skills/index.json";
    cli_note(run->cli,
             "this authority is good for the names of this server alone and for %d days at most, and its key is gone; "
             "to trust it:",
             PAP_SERVE_DEV_DAYS);
    cli_note(run->cli, "  curl --cacert %s%s%s --connect-to %s:443:127.0.0.1:%u https://%s/", q, path, q, host,
             run->port, host);
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
        [PAP_SERVE_INVALID] = {"clients refuse the certificate: ", true},
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

/* ---- tokens ------------------------------------------------------------------------------------------------------- */

static int failed(struct cli *cli, pap_result r, const struct pap_err *err)
{
    cli_note(cli, "%s", err->text);
    return r.code == PAP_USAGE ? CLI_USAGE : r.code == PAP_SYNTAX ? CLI_FINDINGS : CLI_FAILED;
}

/* One line of standard input: what stands in a command line can be read by everybody on the machine. */
static int hash_token(struct cli *cli)
{
    char line[8192] = "", hash[PAP_SERVE_HASH];
    struct pap_err err = {.text = ""};
    if (!fgets(line, sizeof line, cli->in))
        line[0] = '\0';
    pap_result r = pap_serve_hash_token(line, strcspn(line, "\r\n"), hash, &err);
    explicit_bzero(line, sizeof line);
    if (r.code != PAP_OK)
        return failed(cli, r, &err);
    (void)fprintf(cli->out, "%s\n", hash);
    return CLI_FINE;
}

static int make_token(struct cli *cli)
{
    char token[PAP_SERVE_TOKEN] = "", hash[PAP_SERVE_HASH];
    struct pap_err err = {.text = ""};
    pap_result r = pap_serve_make_token(token, &err);
    if (r.code == PAP_OK)
        r = pap_serve_hash_token(token, strlen(token), hash, &err);
    if (r.code == PAP_OK) {
        (void)fprintf(cli->out, "%s\n", token);
        cli_note(cli, "in \"tokens\" of a configuration file: \"%s\"", hash);
    }
    explicit_bzero(token, sizeof token);
    return r.code == PAP_OK ? CLI_FINE : failed(cli, r, &err);
}

/* ---- the command -------------------------------------------------------------------------------------------------- */

/* What stands in the file counts for the folder named on the command line, too. */
static bool settle(struct serve_run *run, const struct arguments *args)
{
    static const struct arguments none;
    struct serve_options *options = &run->options;
    struct pap_serve_options *o = &options->run;
    struct cli *cli = run->cli;
    if (args->n > 1)
        return cli_usage(cli, "one folder at a time: %s and %s are two", args->at[0], args->at[1]);
    const char *folder = args->n ? args->at[0] : NULL;
    if (!options_from_tables(cli, "serve", serve_option_rows, serve_option_tables, options->config, args, options) ||
        (serve_options_publish(options, folder) &&
         !options_from_config(cli, "publish", publish_option_rows, options->config, &none, &options->publish)) ||
        !serve_options_settle(cli, options, folder))
        return false;
    o->alloc = cli->alloc;
    o->dev_tls = o->dev_tls || o->dev_hosts;
    o->state = o->dev_tls ? cli_user_folder(cli, "XDG_STATE_HOME", "/.local/state", "/papaver") : NULL;
    o->max_connections = cli_connections(cli, o->max_connections);
    o->max_age = options->dev ? 1 : o->max_age;
    o->log = options->log == 1 ? PAP_SERVE_LOG_JSON : PAP_SERVE_LOG_COMMON;
    o->access = options->log == 2 ? NULL : on_access;
    o->event = on_event;
    o->finding = on_finding;
    o->ctx = run;
    return take_sockets(run) && cli_control(cli, true, &o->control);
}

static int serve(struct serve_run *run)
{
    struct pap_err err = {.text = ""};
    outlet_open(&run->log, STDOUT_FILENO); /* not before sockets were taken over: it may be a descriptor more */
    pap_result r = pap_serve(&run->options.run, &err);
    return r.code == PAP_OK ? CLI_FINE : failed(run->cli, r, &err);
}

static int run(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct serve_run *run = cli_alloc(cli, sizeof *run);
    struct arguments args;
    if (!run || !options_parse(cli, self, argc, argv, &run->options, &args))
        return cli->status;
    run->cli = cli;
    if (run->options.hash_token || run->options.make_token)
        return run->options.make_token ? make_token(cli) : hash_token(cli);
    int status = settle(run, &args) ? serve(run) : cli->status;
    serve_options_end(&run->options);
    return status;
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
        "Where DIR has no .well-known but a folder skills, these are published as papaver publish would, by the section "
        "publish of the same papaver.json, for this server alone: digests and archives are made of the very bytes that it "
        "serves. Without DIR it is dist, or else the folder here.\n\n"
        "The tree is read whole and judged by the rules of papaver check before it is served. A change is seen by itself "
        "and takes the place of what was served in one step; one that has errors, or is half done, is refused, and what "
        "was good before is served on. SIGHUP reloads the folder and the certificate (not the configuration), SIGTERM "
        "answers the requests under way and ends.\n\n"
        "A configuration file may name several domains, each with a folder, a certificate and scopes of its own "
        "(\"sites\"), and parts of the skills that only some callers see (\"scopes\", Remote-Skills-Scope): "
        "{\"serve\": {\"scopes\": {\"staff\": {\"skills\": [\"refund-*\"], \"tokens\": [\"sha256:...\"]}}}}. "
        "docs/serve.md has it all. A skill that is in a scope is not open; its files need a token, too.\n\n"
        "Without a certificate it listens on this machine only, unless --plain-http says that a proxy in front speaks "
        "TLS.\n\n"
        "Exit status: 0 stopped by a signal, 1 the tree or the certificate is wrong, 2 a mistake in the command, 3 something "
        "could not be read or an address not be had.",
    .options = serve_option_rows,
    .examples =
        (const struct example[]){
            {"papaver serve", "dist, for this machine"},
            {"papaver serve public --listen 0.0.0.0:443 --tls-cert chain.pem --tls-key key.pem", "for everybody"},
            {"papaver serve --dev .", "while skills are written"},
            {"papaver serve --config /etc/papaver.json", "several domains, or skills for some callers only"},
            {"papaver serve --make-token >token", "a token, and what the file has of it"},
            {"papaver serve --dev-tls --dev-host shop.example", "https on this machine, without a certificate"},
            {NULL, NULL}},
    .completes_files = true,
};
