/* SPDX-License-Identifier: Apache-2.0
 *
 * What `papaver serve` is told, on the command line and in papaver.json: one row an option, in the order of --help and of the
 * manual, and the tables that only a file can have.
 */
#include "cli/serve_options.h"
#include "cli/shared_rows.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

static bool set_head(struct cli *cli, const struct given *given, void *field)
{
    uint64_t n = 0;
    if (!cli_whole_number(given->value, &n) || n < PAP_SERVE_HEAD_LEAST || n > PAP_SERVE_HEAD_MOST)
        return cli_usage(cli, "%s: \"%s\" is no number of bytes from %d to %d", given->origin, given->value,
                         PAP_SERVE_HEAD_LEAST, PAP_SERVE_HEAD_MOST);
    *(uint32_t *)field = (uint32_t)n;
    return true;
}

/* An empty list is no skill at all. */
static bool set_open(struct cli *cli, const struct given *given, void *field)
{
    if (given->value)
        return set_list(cli, given, field);
    return (*(const char ***)field = cli_alloc(cli, sizeof(const char *))) != NULL;
}

const struct option_row serve_option_rows[] = {
    {.group = "Where",
     .name = "listen",
     .argument = "ADDRESS:PORT",
     .field = AT(listen),
     .set = set_list,
     .list = true,
     .config = CONFIG_NAMED,
     .help = "an address to listen on, such as 127.0.0.1:8080 (the default), 0.0.0.0:443 or [::]:443; may be repeated"},
    CERTIFICATE_ROWS(AT(run.tls_cert), AT(run.tls_key),
                     "certificate and the chain behind it, PEM: serve https; read again when the file changes"),
    {.name = "dev-tls",
     .field = AT(run.dev_tls),
     .set = set_flag,
     .not_with = "tls-cert",
     .config = CONFIG_ANY,
     .help =
         "serve https while developing, with a certificate of a throw-away authority for localhost, 127.0.0.1 and ::1; "
         "prints how to trust it. Good for 30 days, made anew after 15; kept in $XDG_STATE_HOME/papaver or "
         "~/.local/state/papaver"},
    {.name = "dev-host",
     .argument = "HOST",
     .field = AT(dev_hosts),
     .set = set_list,
     .list = true,
     .config = CONFIG_ANY,
     .help =
         "with --dev-tls: one more name or address that the certificate is for, such as shop.example; may be repeated"},
    {.name = "plain-http",
     .field = AT(run.plain_http),
     .set = set_flag,
     .config = CONFIG_NAMED,
     .help = "serve http to other machines too: behind a proxy that speaks TLS, and nowhere else"},
    {.name = "admin",
     .argument = "ADDRESS:PORT",
     .field = AT(run.admin),
     .set = set_text,
     .config = CONFIG_NAMED,
     .help = "an address for operators: /-/healthz, and /-/metrics for Prometheus"},

    {.group = "What",
     .name = "max-age",
     .argument = "SECONDS",
     .field = AT(run.max_age),
     .set = set_number,
     .config = CONFIG_ANY,
     .help =
         "how long the index and poppy.json may be cached (300 unless set); artifacts that are named by their digest "
         "may be kept for good"},
    {.name = "no-watch",
     .field = AT(run.no_watch),
     .set = set_flag,
     .config = CONFIG_ANY,
     .help = "do not look for changes of the folder: only SIGHUP reloads it"},

    {.name = "domain",
     .argument = "HOST",
     .field = AT(run.domain),
     .set = set_text,
     .config = CONFIG_ANY,
     .help = "the domain that the folder is for: what its documents say of their own domain is compared with it"},
    {.name = "fallback",
     .argument = "DOMAIN",
     .field = AT(run.fallback),
     .set = set_text,
     .config = CONFIG_NAMED,
     .help = "of several domains, the one that answers for names that are nobody's (unless set they get 421)"},
    CONFIG_ROW(NULL, AT(config), "{\"serve\": {\"max-age\": 60}}, also \"scopes\" and \"sites\""),

    {.group = "Who sees what (with \"scopes\" in a configuration file)",
     .name = "open",
     .argument = "SKILL",
     .field = AT(site.open),
     .set = set_open,
     .list = true,
     .may_be_empty = true,
     .config = CONFIG_ANY,
     .help =
         "a skill that everybody sees, by its name or a pattern such as help-*; may be repeated (those that are in no "
         "scope, unless set)"},
    {.name = "ask",
     .argument = "URL",
     .field = AT(site.ask),
     .set = set_text,
     .config = CONFIG_NAMED,
     .help =
         "who is asked about a credential that is no token of the file: https, or http to this machine; gets {\"site\", "
         "\"scopes\", \"authorization\"} by POST and answers 200 or 204 (yes), 403 (no) or 401 (who is that?) within 3 "
         "seconds"},
    {.name = "ask-cacert",
     .argument = "FILE",
     .field = AT(run.ask_cacert),
     .set = set_certificates,
     .path = true,
     .complete = COMPLETE_FILE,
     .config = CONFIG_NAMED,
     .help = "know those by these certificate authorities (PEM) instead of the system's"},
    {.name = "make-token",
     .field = AT(make_token),
     .set = set_flag,
     .not_with = "hash-token",
     .help = "only make a token and print it; what a configuration file has of it goes to standard error"},
    {.name = "hash-token",
     .field = AT(hash_token),
     .set = set_flag,
     .help = "only read a token, a line of standard input, and print what a configuration file has of it"},

    {.group = "Limits",
     .name = "workers",
     .argument = "N",
     .field = AT(run.workers),
     .set = set_count,
     .config = CONFIG_ANY,
     .help = "threads that answer (one a core unless set)"},
    {.name = "max-connections",
     .argument = "N",
     .field = AT(run.max_connections),
     .set = set_number,
     .config = CONFIG_ANY,
     .help = "connections at a time (10000 unless set)"},
    {.name = "max-per-address",
     .argument = "N",
     .field = AT(run.max_per_address),
     .set = set_number,
     .config = CONFIG_ANY,
     .help = "of these, from one address (no limit unless set: behind a proxy all have the same)"},
    {.name = "idle",
     .argument = "SECONDS",
     .field = AT(run.idle_ms),
     .set = set_seconds,
     .config = CONFIG_ANY,
     .help = "how long a connection may rest between requests (60 unless set)"},
    {.name = "head-time",
     .argument = "SECONDS",
     .field = AT(run.head_ms),
     .set = set_seconds,
     .config = CONFIG_ANY,
     .help = "how long a client may take for the head of a request (10 unless set)"},
    {.name = "body-time",
     .argument = "SECONDS",
     .field = AT(run.body_ms),
     .set = set_seconds,
     .config = CONFIG_ANY,
     .help = "how long a client may take for the body of a request, which is read and dropped (30 unless set)"},
    {.name = "send-time",
     .argument = "SECONDS",
     .field = AT(run.send_ms),
     .set = set_seconds,
     .config = CONFIG_ANY,
     .help = "how long a client may take for each 16 KiB of an answer (20 unless set)"},
    {.name = "max-head",
     .argument = "BYTES",
     .field = AT(run.head_bytes),
     .set = set_head,
     .config = CONFIG_ANY,
     .help = "how long request line and header fields may be together, from 1024 to 65536 (16384 unless set)"},
    {.name = "drain",
     .argument = "SECONDS",
     .field = AT(run.drain_ms),
     .set = set_seconds,
     .config = CONFIG_ANY,
     .help = "how long requests under way get after SIGTERM (10 unless set)"},

    {.group = "What is printed",
     .name = "access-log",
     .argument = "FORMAT",
     .field = AT(log),
     .set = set_choice,
     .choices = logs,
     .complete = COMPLETE_CHOICES,
     .config = CONFIG_ANY,
     .help = "a line for each request on standard output: common (the default), json or none"},
    {.name = "dev",
     .field = AT(dev),
     .set = set_flag,
     .config = CONFIG_ANY,
     .help =
         "while writing skills: print all findings of each change, and let nothing be cached for more than a second"},
    {.name = "quiet",
     .letter = 'q',
     .field = AT(quiet),
     .set = set_flag,
     .config = CONFIG_ANY,
     .help = "print no more than what is wrong"},
    {.name = NULL},
};

/* ---- tables ------------------------------------------------------------------------------------------------------- */

#define OF_SCOPE(member) offsetof(struct scope_given, member)
#define OF_SITE(member) offsetof(struct site_given, member)

/* "sha256:" and 64 digits; the library says the rest. */
static bool set_token(struct cli *cli, const struct given *given, void *field)
{
    bool fits = strncmp(given->value, "sha256:", 7) == 0 && strlen(given->value) == PAP_SERVE_HASH - 1;
    return fits ? set_list(cli, given, field)
                : cli_usage(cli,
                            "%s: a token stands in a file as its hash, \"sha256:\" and 64 hex digits; papaver serve "
                            "--hash-token makes it",
                            given->origin);
}

static const struct option_row scope_rows[] = {
    {.name = "skills",
     .argument = "SKILL",
     .list = true,
     .field = OF_SCOPE(skills),
     .set = set_list,
     .config = CONFIG_ANY},
    {.name = "tokens",
     .argument = "HASH",
     .list = true,
     .field = OF_SCOPE(tokens),
     .set = set_token,
     .config = CONFIG_ANY},
    {.name = "anybody", .field = OF_SCOPE(anybody), .set = set_flag, .config = CONFIG_ANY},
    {.name = NULL},
};

static const struct option_row site_rows[] = {
    {.name = "folder",
     .argument = "DIR",
     .field = OF_SITE(folder),
     .set = set_text,
     .path = true,
     .config = CONFIG_ANY},
    {.name = "aliases",
     .argument = "HOST",
     .list = true,
     .field = OF_SITE(aliases),
     .set = set_list,
     .config = CONFIG_ANY},
    {.name = "tls-cert",
     .argument = "FILE",
     .field = OF_SITE(tls_cert),
     .set = set_certificates,
     .path = true,
     .config = CONFIG_ANY},
    {.name = "tls-key",
     .argument = "FILE",
     .field = OF_SITE(tls_key),
     .set = set_input,
     .path = true,
     .config = CONFIG_ANY},
    {.name = "open",
     .argument = "SKILL",
     .list = true,
     .may_be_empty = true,
     .field = OF_SITE(open),
     .set = set_open,
     .config = CONFIG_ANY},
    {.name = "ask", .argument = "URL", .field = OF_SITE(ask), .set = set_text, .config = CONFIG_ANY},
    {.name = NULL},
};

static void *add_scope(struct cli *cli, const struct given *given, void *field)
{
    struct scope_given *new = cli_alloc(cli, sizeof *new), **at = field;
    if (!new)
        return NULL;
    new->name = given->value;
    while (*at)
        at = &(*at)->next;
    return *at = new;
}

static bool scope_done(struct cli *cli, const char *origin, const void *record)
{
    const struct scope_given *scope = record;
    return scope->skills || cli_usage(cli, "%s: a scope needs \"skills\", the names of those that are in it", origin);
}

static const struct option_table scope_tables[] = {
    {.name = "scopes",
     .config = CONFIG_ANY,
     .field = OF_SITE(scopes),
     .add = add_scope,
     .done = scope_done,
     .rows = scope_rows},
    {.name = NULL},
};

static void *add_site(struct cli *cli, const struct given *given, void *field)
{
    struct site_given *new = cli_alloc(cli, sizeof *new), **at = field;
    if (!new)
        return NULL;
    new->domain = given->value;
    while (*at)
        at = &(*at)->next;
    return *at = new;
}

static bool site_done(struct cli *cli, const char *origin, const void *record)
{
    const struct site_given *site = record;
    return site->folder || cli_usage(cli, "%s: a site needs \"folder\", the tree that it serves", origin);
}

const struct option_table serve_option_tables[] = {
    {.name = "scopes",
     .config = CONFIG_ANY,
     .field = AT(site.scopes),
     .add = add_scope,
     .done = scope_done,
     .rows = scope_rows},
    {.name = "sites",
     .config = CONFIG_NAMED,
     .field = AT(sites),
     .add = add_site,
     .done = site_done,
     .rows = site_rows,
     .tables = scope_tables},
    {.name = NULL},
};

/* ---- for the library ---------------------------------------------------------------------------------------------- */

static bool settle_site(struct cli *cli, const struct site_given *given, struct pap_serve_site *ret)
{
    size_t n = 0;
    for (const struct scope_given *s = given->scopes; s; s = s->next)
        n++;
    struct pap_serve_scope *scopes = cli_alloc(cli, (n + 1) * sizeof *scopes);
    if (!scopes)
        return false;
    *ret = (struct pap_serve_site){.domain = given->domain,
                                   .aliases = (const char *const *)given->aliases,
                                   .folder = given->folder,
                                   .tls_cert = given->tls_cert,
                                   .tls_key = given->tls_key,
                                   .scopes = scopes,
                                   .n_scopes = n,
                                   .open = (const char *const *)given->open,
                                   .ask = given->ask};
    for (const struct scope_given *s = given->scopes; s; s = s->next)
        *scopes++ = (struct pap_serve_scope){s->name, (const char *const *)s->skills, (const char *const *)s->tokens,
                                             s->anybody};
    return true;
}

static bool is_tree(const char *folder)
{
    char path[4096];
    struct stat st;
    int n = snprintf(path, sizeof path, "%s/.well-known", folder);
    return n > 0 && (size_t)n < sizeof path && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* How the skills of a folder are published: what papaver publish would do there with the same file. A tree is published
 * already. */
static bool settle_publish(struct cli *cli, struct serve_options *o, const char *folder,
                           const struct pap_publish_options **ret)
{
    const struct arguments none = {0};
    struct publish_options *p = cli_alloc(cli, sizeof *p);
    if (!p)
        return false;
    *p = o->publish;
    p->run.folder = folder;
    *ret = &p->run;
    return (folder && is_tree(folder)) || publish_options_settle(cli, p, &none, &o->remotes[o->n_remotes++]);
}

bool serve_options_publish(const struct serve_options *o, const char *folder)
{
    for (const struct site_given *s = o->sites; s; s = s->next)
        if (!is_tree(s->folder))
            return true;
    return !o->sites && (!folder || !is_tree(folder));
}

bool serve_options_settle(struct cli *cli, struct serve_options *o, const char *folder)
{
    struct pap_serve_site only, *sites;
    size_t n = 0;
    for (const struct site_given *s = o->sites; s; s = s->next)
        n++;
    if (n && o->run.domain)
        return cli_usage(cli, "with \"sites\", the name of each is its domain; leave \"domain\" out");
    if (n && (o->site.scopes || o->site.open || o->site.ask))
        return cli_usage(cli, "with \"sites\", each has \"scopes\", \"open\" and \"ask\" of its own");
    if (n && folder)
        return cli_usage(cli, "the sites of the configuration have folders of their own; leave %s out", folder);
    o->remotes = cli_alloc(cli, (n + 1) * sizeof *o->remotes);
    if (!o->remotes || !settle_site(cli, &o->site, &only) || !(sites = cli_alloc(cli, (n + 1) * sizeof *sites)))
        return false;
    o->run.folder = folder;
    o->run.scopes = only.scopes;
    o->run.n_scopes = only.n_scopes;
    o->run.open = only.open;
    o->run.ask = only.ask;
    o->run.sites = sites;
    o->run.n_sites = n;
    o->run.listen = (const char *const *)o->listen;
    o->run.dev_hosts = (const char *const *)o->dev_hosts;
    for (const struct site_given *s = o->sites; s; s = s->next, sites++)
        if (!settle_site(cli, s, sites) || !settle_publish(cli, o, s->folder, &sites->publish))
            return false;
    return n || settle_publish(cli, o, folder, &o->run.publish);
}

void serve_options_end(struct serve_options *o)
{
    for (size_t i = 0; i < o->n_remotes; i++)
        pap_remote_config_free(o->remotes[i]);
}
