/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/skill_installing.h"

bool installing_begin(struct installing *i, struct cli *cli, const struct command *self, int argc, char **argv)
{
    *i = (struct installing){.sessions = NULL};
    return skill_begin(cli, self, argc, argv, &i->run);
}

bool installing_open_lock(struct installing *i, bool finish)
{
    i->changes = (struct skill_changes){.run = &i->run, .in = skill_install(&i->run, finish)};
    return i->changes.in != NULL;
}

int installing_end(struct installing *i)
{
    skill_changes_free(&i->changes);
    for (struct open_session *s = i->sessions; s; s = s->next)
        pap_skill_session_close(s->session);
    return skill_end(&i->run);
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

struct pap_skill_session *installing_session(struct installing *i, const struct pap_install_skill *s)
{
    const char *place = skill_c(&i->run, s->place), *scope = s->scope.n ? skill_c(&i->run, s->scope) : NULL;
    for (struct open_session *o = i->sessions; o; o = o->next)
        if (same(o->place, place) && same(o->scope, scope) && o->index == s->index)
            return o->session;
    struct open_session *o = cli_alloc(i->run.cli, sizeof *o);
    if (!o || !place)
        return NULL;
    struct pap_skill_origin origin = skill_origin(&i->run, place);
    origin.scope = scope ? scope : origin.scope;
    origin.index |= s->index;
    *o = (struct open_session){.next = i->sessions, .place = place, .scope = scope, .index = s->index};
    i->sessions = o;
    o->session = skill_session(&i->run, &origin);
    return o->session;
}

bool installing_each(struct installing *i, bool (*each)(struct installing *i, size_t at))
{
    struct pap_install *in = i->changes.in;
    bool good = true;
    for (size_t k = 0; k < i->run.args.n; k++) {
        size_t at;
        if (pap_install_find(in, i->run.args.at[k], &at)) {
            good &= each(i, at);
            continue;
        }
        skill_worse(&i->run, CLI_USAGE);
        good = cli_usage(i->run.cli, "%s has no skill \"%s\"; papaver skill outdated lists what it has",
                         skill_lock_name(&i->run), i->run.args.at[k]);
    }
    for (size_t k = 0; !i->run.args.n && k < pap_install_count(in); k++)
        good &= each(i, k);
    return good;
}

static bool may_ask(struct installing *i, size_t at)
{
    struct pap_install_skill s;
    pap_install_at(i->changes.in, at, &s);
    const char *place = skill_c(&i->run, s.place);
    return place && skill_may_ask(&i->run, place, skill_lock_name(&i->run));
}

/* The origins of all skills that installing_each() would come to. Names that are not there are its to tell. */
static bool may_ask_all(struct installing *i)
{
    struct pap_install *in = i->changes.in;
    size_t n = i->run.args.n, at;
    for (size_t k = 0; k < n; k++)
        if (pap_install_find(in, i->run.args.at[k], &at) && !may_ask(i, at))
            return false;
    for (size_t k = 0; !n && k < pap_install_count(in); k++)
        if (!may_ask(i, k))
            return false;
    return true;
}

bool installing_has_lock(struct installing *i, bool finish)
{
    if (!installing_open_lock(i, finish))
        return false;
    if (pap_install_count(i->changes.in))
        return may_ask_all(i);
    skill_worse(&i->run, CLI_USAGE);
    return cli_usage(i->run.cli, "%s names no skills; papaver skill add ORIGIN NAME installs one",
                     skill_lock_name(&i->run));
}
