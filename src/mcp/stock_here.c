/* SPDX-License-Identifier: Apache-2.0
 *
 * What is listed: the skills that are here already, and those that were named to be loaded.
 */
#include <signal.h>
#include <stdlib.h>

#include "mcp/stock_inside.h"

static bool has_room(struct stock *s)
{
    (void)pthread_mutex_lock(&s->lock);
    bool has = s->n_entries < LIMIT_MCP_LOADED;
    (void)pthread_mutex_unlock(&s->lock);
    return has;
}

/* All that this list names and that needs no request. */
static void survey_list(struct stock *s, struct pap_skill_session *session)
{
    struct pap_skill_session_facts facts;
    struct pap_skill_release release;
    struct pap_skill_err err;
    struct list *l = list_new(s, session);
    if (!l)
        return;
    pap_skill_session_facts(session, &facts);
    for (size_t i = 0; i < facts.skills && has_room(s); i++) {
        struct pap_skill *verified;
        struct arena a __attribute__((cleanup(arena_fini)));
        arena_init(&a, alloc_of(s));
        pap_skill_session_at(session, i, &release, NULL);
        const char *name = arena_cstr(&a, release.name);
        struct entry *e = name ? entry_find(s, facts.label, release.name) : NULL;
        if (name && !e && is_ok(pap_skill_activate(session, name, NULL, &verified, &err)) &&
            (e = entry_new(s, verified, l)))
            entry_put(s, e);
        entry_drop(s, e);
    }
    list_drop(s, l);
}

static void survey(struct stock *s)
{
    struct pap_skill_options offline = s->skills;
    struct pap_skill_client *client;
    struct pap_skill_err err;
    offline.offline = true;
    if (!is_ok(pap_skill_client_new(&offline, &client, &err)))
        return;
    for (size_t i = 0; i < s->o.n_origins; i++) {
        struct pap_skill_session *session;
        if (is_ok(pap_skill_session_open(client, &s->places[i].origin, &session, &err)))
            survey_list(s, session);
    }
    pap_skill_client_free(client);
}

/* Those that were named. One that fails is tried again a minute later, by whoever asks for a list. True: others are loaded
 * now than before. */
static bool load_named(struct stock *s)
{
    int64_t now = s->o.clock->monotonic_ms(s->o.clock);
    bool any_new = false;
    if (s->all_loaded || (s->loaded && now - s->loaded < LIST_MS))
        return false;
    s->loaded = now ? now : 1;
    s->all_loaded = true;
    for (const char *const *what = s->o.load; what && *what; what++) {
        struct pap_str rest = str_c(*what), label = str_take(rest, str_find_char(rest, '/'));
        rest = str_skip(rest, label.n + 1);
        struct pap_str name = str_take(rest, str_find_char(rest, '@')), range = str_skip(rest, name.n + 1);
        struct pap_skill_err err = {0};
        struct entry *e;
        if (is_ok(stock_hold(s, label, name, range, &e, &any_new, &err))) {
            entry_drop(s, e);
        } else {
            s->all_loaded = false;
            if (s->o.trouble && err.code != PAP_SKILL_CANCELLED)
                s->o.trouble(s->o.ctx, *what, &err);
        }
    }
    return any_new;
}

static void *load_first(void *ctx)
{
    struct stock *s = ctx;
    (void)pthread_mutex_lock(&s->survey);
    bool any_new = load_named(s);
    (void)pthread_mutex_unlock(&s->survey);
    if (any_new && s->mcp)
        mcp_changed(s->mcp);
    return NULL;
}

pap_result stock_load(struct stock *s, struct pap_err *err)
{
    sigset_t all, before;
    if (!s->o.load || !*s->o.load)
        return OK;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the thread that called */
    int why = pthread_create(&s->loader, NULL, load_first, s);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    s->loads = why == 0;
    return why ? fail(err, PAP_IO, "cannot start a thread: %s", strerror(why)) : OK;
}

void stock_load_end(struct stock *s)
{
    if (s->loads)
        (void)pthread_join(s->loader, NULL);
    s->loads = false;
}

static int by_name(const void *a, const void *b)
{
    const struct mcp_skill *x = *(const struct mcp_skill *const *)a, *y = *(const struct mcp_skill *const *)b;
    int order = str_cmp(x->label, y->label);
    return order ? order : str_cmp(x->name, y->name);
}

pap_result stock_loaded(void *ctx, struct arena *a, const struct mcp_skill ***ret, size_t *ret_n,
                        struct pap_skill_err *err)
{
    struct stock *s = ctx;
    (void)pthread_mutex_lock(&s->survey);
    if (!s->surveyed)
        survey(s);
    s->surveyed = true;
    (void)load_named(s); /* told by the list that is being asked for */
    (void)pthread_mutex_unlock(&s->survey);
    const struct mcp_skill **all = arena_new_array(a, LIMIT_MCP_LOADED, const struct mcp_skill *);
    if (!all)
        return stock_no_memory(err);
    (void)pthread_mutex_lock(&s->lock);
    size_t n = s->n_entries;
    for (size_t i = 0; i < n; i++) {
        all[i] = &s->entries[i]->skill;
        s->entries[i]->holders++;
    }
    (void)pthread_mutex_unlock(&s->lock);
    qsort(all, n, sizeof *all, by_name);
    *ret = all;
    *ret_n = n;
    return OK;
}
