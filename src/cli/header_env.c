/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/header_env.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *copy(struct cli *cli, const char *text, size_t n)
{
    char *kept = cli_alloc(cli, n + 1);
    return kept ? memcpy(kept, text, n) : NULL;
}

/* "Authorization=SHOP_TOKEN", "cdn.example/Authorization=CDN_TOKEN": the value is in the environment, for a command line can be
 * read by everybody. */
static bool read_one(struct cli *cli, const char *text, struct pap_skill_header *ret)
{
    size_t host = strcspn(text, "/=");
    bool bound = host && text[host] == '/';
    if (bound && !memchr(text, ' ', host)) {
        ret->host = copy(cli, text, host);
        text += host + 1;
    }
    size_t n = strcspn(text, "=");
    if ((bound && !ret->host) || !text[n] || !n || !text[n + 1] || strpbrk(text, ":/ "))
        return cli_usage(cli, "--header-env takes the name of a variable, never the value itself: --header-env "
                              "Authorization=VARIABLE, or cdn.example/Authorization=VARIABLE for one host");
    const char *value = getenv(text + n + 1);
    if (!value || !*value)
        return cli_usage(cli, "--header-env: the variable %s is not set", text + n + 1);
    ret->name = copy(cli, text, n);
    ret->value = value;
    return ret->name != NULL;
}

bool header_env_read(struct cli *cli, const char **given, struct header_env *ret)
{
    *ret = (struct header_env){.n = 0};
    while (given && given[ret->n])
        ret->n++;
    ret->at = cli_alloc(cli, (ret->n + 1) * sizeof *ret->at);
    for (size_t i = 0; ret->at && i < ret->n; i++)
        if (!read_one(cli, given[i], &ret->at[i]))
            return false;
    return ret->at != NULL;
}

/* ---- one host for a credential ------------------------------------------------------------------------------------ */

/* Takes the scheme's own port away. */
static size_t without_port(const char *authority, size_t n, bool https)
{
    const char *port = https ? ":443" : ":80";
    size_t m = strlen(port);
    return n > m && memcmp(authority + n - m, port, m) == 0 ? n - m : n;
}

/* "https://host[:port]". Two that differ may still be one host; two that are the same are. */
static const char *host_of(struct cli *cli, const char *place)
{
    const char *end = strstr(place, "://"), *authority = end ? end + 3 : place;
    size_t n = strcspn(authority, "/?#");
    for (size_t i = n; i > 0; i--)
        if (authority[i - 1] == '@') {
            authority += i;
            n -= i;
            break;
        }
    bool http = end && end - place == 4;
    char *host = cli_alloc(cli, n + 1);
    n = without_port(authority, n, !http);
    for (size_t i = 0; host && i < n; i++)
        host[i] = (char)tolower((unsigned char)authority[i]);
    return host ? cli_join(cli, (const char *const[]){http ? "http://" : "https://", host, NULL}) : NULL;
}

bool header_env_may_ask(struct cli *cli, struct header_env *e, const char *place, const char *lock)
{
    const struct pap_skill_header *unbound = NULL;
    for (size_t i = 0; i < e->n && !unbound; i++)
        unbound = e->at[i].host ? NULL : &e->at[i];
    if (!unbound || pap_skill_place_is_folder(place)) /* nothing is sent to a folder */
        return true;
    if (lock)
        return cli_usage(cli,
                         "--header-env: who gets it, a lock alone may not decide; write HOST/%s=VARIABLE with a host "
                         "that %s names",
                         unbound->name, lock);
    const char *host = host_of(cli, place);
    if (!host)
        return false;
    if (!e->to)
        e->to = host;
    return strcmp(e->to, host) == 0 ||
           cli_usage(cli,
                     "--header-env is for exactly one host and port, but these are %s and %s; ask them one by one, or "
                     "write HOST/NAME=VARIABLE",
                     e->to, host);
}
