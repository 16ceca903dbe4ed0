/* SPDX-License-Identifier: Apache-2.0
 *
 * To add a client: a row, and its name in mcp_clients.
 */
#include "cli/mcp_config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <papaver/text.h>

#define NAME "papaver"

struct client {
    const char *name, *where;
    const char *key;     /* of the object that holds the servers; NULL: a TOML table */
    bool says_type;      /* "type": "stdio" is part of an entry */
    const char *url_key; /* of a remote entry; NULL: there is none */
    bool says_http;      /* "type": "http" is part of one */
};

static const struct client clients[] = {
    {"claude", ".mcp.json in the project", "mcpServers", false, "url", true},
    {"claude-desktop", "claude_desktop_config.json (Settings, Developer); start Claude again afterwards", "mcpServers",
     false, NULL, false},
    {"codex", "~/.codex/config.toml", NULL, false, "url", false},
    {"cursor", ".cursor/mcp.json in the project, or ~/.cursor/mcp.json", "mcpServers", false, "url", false},
    {"vscode", ".vscode/mcp.json in the workspace", "servers", true, "url", true},
    {"gemini", ".gemini/settings.json in the project, or ~/.gemini/settings.json", "mcpServers", false, "httpUrl",
     false},
    {"zed", "Zed's settings.json", "context_servers", false, "url", false},
};

const char *const mcp_clients[] = {"claude", "claude-desktop", "codex", "cursor", "vscode", "gemini", "zed", NULL};

static const struct client *find(const char *name)
{
    for (size_t i = 0; i < sizeof clients / sizeof *clients; i++)
        if (strcmp(clients[i].name, name) == 0)
            return &clients[i];
    return NULL;
}

static void begin(FILE *out, const struct client *c)
{
    if (c->key)
        (void)fprintf(out, "{\n  \"%s\": {\n    \"" NAME "\": {\n", c->key);
    else
        (void)fputs("[mcp_servers." NAME "]\n", out);
}

static void end(FILE *out, const struct client *c)
{
    if (c->key)
        (void)fputs("\n    }\n  }\n}\n", out);
}

static void put(void *ctx, const char *piece, size_t n)
{
    (void)fwrite(piece, 1, n, ctx);
}

/* A JSON string is a basic string of TOML, too. */
static void put_text(FILE *out, const char *text)
{
    pap_text_json((struct pap_str){text, strlen(text)}, put, out);
}

static void print_remote(FILE *out, const struct client *c, const char *url, const char *token)
{
    begin(out, c);
    if (!c->key) {
        (void)fputs("url = ", out);
        put_text(out, url);
        if (token)
            (void)fputs("\nbearer_token_env_var = \"PAPAVER_MCP_TOKEN\"", out);
        (void)fputc('\n', out);
        return;
    }
    if (c->says_http)
        (void)fputs("      \"type\": \"http\",\n", out);
    (void)fprintf(out, "      \"%s\": ", c->url_key);
    put_text(out, url);
    if (token) {
        (void)fputs(",\n      \"headers\": { \"Authorization\": \"Bearer ", out);
        (void)fprintf(out, "%s\" }", token);
    }
    end(out, c);
}

void mcp_config_print(FILE *out, const char *client, const char *url, const char *token)
{
    print_remote(out, find(client), url, token);
}

const char *mcp_label_end(const char *given)
{
    const char *equals = strchr(given, '='), *scheme = strstr(given, "://");
    return strchr("./~", given[0]) || (scheme && equals && scheme < equals) ? NULL : equals;
}

/* A folder or file is found from wherever the client starts us. */
static const char *absolute(struct cli *cli, const char *argument)
{
    const char *equals = mcp_label_end(argument), *place = equals ? equals + 1 : argument;
    size_t n = strlen(place);
    char path[PATH_MAX];
    struct stat st;
    if (argument[0] == '-' || (place[0] != '.' && (n == 0 || place[n - 1] != '/')) || !realpath(place, path))
        return argument;
    char *label = cli_alloc(cli, (size_t)(place - argument) + 1);
    const char *end = stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? "/" : "";
    if (label)
        (void)memcpy(label, argument, (size_t)(place - argument));
    return label ? cli_join(cli, (const char *const[]){label, path, end, NULL}) : NULL;
}

static bool print_local(struct cli *cli, const struct client *c, int argc, char **argv)
{
    char program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    begin(cli->out, c);
    if (c->says_type)
        (void)fputs("      \"type\": \"stdio\",\n", cli->out);
    (void)fputs(c->key ? "      \"command\": " : "command = ", cli->out);
    put_text(cli->out, n > 0 ? program : NAME);
    (void)fputs(c->key ? ",\n      \"args\": [\"mcp\"" : "\nargs = [\"mcp\"", cli->out);
    for (int i = 0; i < argc; i++) {
        bool with_value = strcmp(argv[i], "--print-config") == 0;
        if (with_value || strncmp(argv[i], "--print-config=", strlen("--print-config=")) == 0) {
            i += with_value;
            continue;
        }
        const char *argument = absolute(cli, argv[i]);
        if (!argument)
            return false;
        (void)fputs(", ", cli->out);
        put_text(cli->out, argument);
    }
    (void)fputs(c->key ? "]" : "]\n", cli->out);
    end(cli->out, c);
    return true;
}

int mcp_config_command(struct cli *cli, const char *client, const char *url, int argc, char **argv)
{
    const struct client *c = find(client);
    if (url && !c->url_key) {
        cli_usage(cli, "%s starts its servers itself; leave --listen out", client);
        return cli->status;
    }
    if (url) {
        print_remote(cli->out, c, url, "TOKEN");
        cli_note(cli, "this goes into %s; TOKEN is what papaver mcp --listen prints, or the line of its --token-file",
                 c->where);
        return CLI_FINE;
    }
    if (!print_local(cli, c, argc, argv))
        return cli->status;
    cli_note(cli, "this goes into %s", c->where);
    return CLI_FINE;
}
