/* SPDX-License-Identifier: Apache-2.0
 *
 * Places of origins: how they are shown, and which of them a credential is for (docs/decisions.md 18).
 */
#include <ctype.h>
#include <string.h>

#include <papaver/text.h>

#include "cli/skill_run.h"

/* ---- shown -------------------------------------------------------------------------------------------------------- */

struct shown {
    char *text; /* NULL: only counted */
    size_t n;
};

static void add(void *ctx, const char *piece, size_t n)
{
    struct shown *s = ctx;
    if (s->text)
        memcpy(s->text + s->n, piece, n);
    s->n += n;
}

/* Without a scheme the library's function cannot know that a user name stands there. */
static void write_place(const char *place, struct shown *s)
{
    const char *user = strrchr(place, '@');
    bool bare = user && !strstr(place, "://");
    if (bare)
        add(s, "[hidden]", 8);
    place = bare ? user : place;
    pap_text_redacted((struct pap_str){place, strlen(place)}, add, s);
}

const char *skill_shown_c(struct skill_run *run, const char *place)
{
    struct shown s = {.text = NULL};
    if (!place || pap_skill_place_is_folder(place))
        return place;
    write_place(place, &s);
    s = (struct shown){.text = cli_alloc(run->cli, s.n + 1)};
    if (!s.text)
        return "[hidden]";
    write_place(place, &s);
    return s.text;
}

const char *skill_shown(struct skill_run *run, struct pap_str place)
{
    const char *text = skill_c(run, place);
    return text ? skill_shown_c(run, text) : "[hidden]";
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
static const char *host_of(struct skill_run *run, const char *place)
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
    char *host = cli_alloc(run->cli, n + 1);
    n = without_port(authority, n, !http);
    for (size_t i = 0; host && i < n; i++)
        host[i] = (char)tolower((unsigned char)authority[i]);
    return host ? cli_join(run->cli, (const char *const[]){http ? "http://" : "https://", host, NULL}) : NULL;
}

bool skill_may_ask(struct skill_run *run, const char *place, const char *lock)
{
    bool any = false;
    for (size_t i = 0; i < run->n_headers; i++)
        any |= !run->headers[i].host;
    if (!any || pap_skill_place_is_folder(place)) /* nothing is sent to a folder */
        return true;
    const char *host = host_of(run, place);
    if (!host) {
        skill_worse(run, CLI_FAILED);
        return false;
    }
    if (!run->header_to)
        run->header_to = host;
    if (strcmp(run->header_to, host) == 0)
        return true;
    skill_worse(run, CLI_USAGE);
    return cli_usage(run->cli,
                     "--header-env is for exactly one host and port, but %s%s %s and %s; ask them one by one, or write "
                     "HOST/NAME=VARIABLE",
                     lock ? lock : "these", lock ? " names" : " are", run->header_to, host);
}
