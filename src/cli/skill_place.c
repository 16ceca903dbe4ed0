/* SPDX-License-Identifier: Apache-2.0
 *
 * Places of origins: how they are shown, and which of them a credential is for (docs/decisions.md 18).
 */
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

bool skill_may_ask(struct skill_run *run, const char *place, const char *lock)
{
    if (header_env_may_ask(run->cli, &run->headers, place, lock))
        return true;
    skill_worse(run, run->cli->status);
    return false;
}
