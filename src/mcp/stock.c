/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/stock.h"

#include <stdio.h>

#include "mcp/stock_inside.h"

/* ---- the caller's callbacks, with the caller's ctx ---- */

static bool on_progress(void *ctx, enum pap_skill_phase phase, uint64_t done, uint64_t total)
{
    const struct stock *s = ctx;
    bool go_on = !s->theirs.progress || s->theirs.progress(s->theirs.ctx, phase, done, total);
    return go_on && (!s->mcp || mcp_progress(s->mcp, phase, done, total));
}

static int64_t on_now(void *ctx)
{
    const struct stock *s = ctx;
    return s->theirs.now(s->theirs.ctx);
}

static pap_result on_fetch(void *ctx, const struct pap_skill_request *request, const struct pap_skill_answer *answer,
                           struct pap_err *err)
{
    const struct stock *s = ctx;
    return s->theirs.fetch(s->theirs.ctx, request, answer, err);
}

static size_t on_addresses(void *ctx, const char *host, char (*ret)[46], size_t most)
{
    const struct stock *s = ctx;
    return s->theirs.addresses(s->theirs.ctx, host, ret, most);
}

static bool on_credential(void *ctx, const char *label, const char *scope, char *ret, size_t size)
{
    const struct stock *s = ctx;
    return s->theirs.credential(s->theirs.ctx, label, scope, ret, size);
}

/* What the extension allows is never exceeded, whatever else is. */
static void settle_options(struct stock *s)
{
    struct pap_skill_options *o = &s->skills;
    s->theirs = *o = *s->o.skills;
    if (!o->most_files || o->most_files > LIMIT_MCP_FILES)
        o->most_files = LIMIT_MCP_FILES;
    if (!o->most_unpacked_bytes || o->most_unpacked_bytes > LIMIT_MCP_UNPACKED)
        o->most_unpacked_bytes = LIMIT_MCP_UNPACKED;
    o->progress = on_progress;
    o->now = s->theirs.now ? on_now : NULL;
    o->fetch = s->theirs.fetch ? on_fetch : NULL;
    o->addresses = s->theirs.addresses ? on_addresses : NULL;
    o->credential = s->theirs.credential ? on_credential : NULL;
    o->ctx = s;
}

/* ---- holding ---- */

static pap_result current_list(struct stock *s, struct place *p, struct list **ret, struct pap_skill_err *err)
{
    struct pap_skill_session *session;
    *ret = list_young(s, p);
    if (*ret)
        return OK;
    TRY(pap_skill_session_open(s->client, &p->origin, &session, err));
    struct list *l = list_new(s, session);
    if (!l)
        return stock_no_memory(err);
    list_put(s, p, l);
    *ret = l;
    return OK;
}

static bool is_release(const struct entry *e, const struct pap_skill_release *r)
{
    return str_eq(e->skill.digest, r->digest) && str_eq(e->skill.version, r->version);
}

/* A list gives one release of a skill, whatever range comes later; who asked for another is not to take it for that. */
static pap_result other_release(const struct entry *e, const struct pap_skill_release *wanted,
                                struct pap_skill_err *err)
{
    *err = (struct pap_skill_err){.code = PAP_SKILL_VERSION_UNAVAILABLE};
    (void)snprintf(err->text, sizeof err->text,
                   "release %.*s was loaded first, and %.*s was asked for; there is one release of a skill until its "
                   "list is read anew, in a minute at most: use %.*s (leave the version out), or ask again then",
                   PSTR(e->skill.version), PSTR(wanted->version), PSTR(e->skill.version));
    return (pap_result){PAP_REFUSED};
}

/* What the range stands for on the list: from the stock, or verified now. Without a range the one that is here is right. */
static pap_result hold_from(struct stock *s, struct list *l, const char *label, const char *name, const char *range,
                            struct entry **ret, bool *ret_new, struct pap_skill_err *err)
{
    struct pap_skill_release release;
    struct pap_skill *verified;
    TRY(pap_skill_session_select(l->session, name, range, &release, err));
    struct entry *e = entry_find(s, str_c(label), str_c(name));
    if (e && (is_release(e, &release) || (!range && e->list == l))) {
        *ret = e;
        return OK;
    }
    entry_drop(s, e);
    TRY(pap_skill_activate(l->session, name, range, &verified, err));
    e = entry_new(s, verified, l);
    if (!e)
        return stock_no_memory(err);
    if (range && !is_release(e, &release)) {
        pap_result refused = other_release(e, &release, err);
        entry_drop(s, e);
        return refused;
    }
    entry_put(s, e);
    *ret = e;
    *ret_new = true;
    return OK;
}

static struct place *find_place(struct stock *s, struct pap_str label)
{
    for (size_t i = 0; i < s->o.n_origins; i++)
        if (str_eq(s->origins[i].label, label))
            return &s->places[i];
    return NULL;
}

pap_result stock_hold(struct stock *s, struct pap_str label, struct pap_str name, struct pap_str range,
                      struct entry **ret, bool *ret_new, struct pap_skill_err *err)
{
    struct place *p = find_place(s, label);
    struct list *l;
    struct arena a __attribute__((cleanup(arena_fini)));
    arena_init(&a, alloc_of(s));
    const char *c_name = arena_cstr(&a, name), *c_range = arena_cstr(&a, range);
    if (!p || !c_name || !c_range)
        return stock_no_memory(err);
    TRY(current_list(s, p, &l, err));
    pap_result r = hold_from(s, l, p->origin.label, c_name, range.n ? c_range : NULL, ret, ret_new, err);
    list_drop(s, l);
    return r;
}

static pap_result hold(void *ctx, struct pap_str label, struct pap_str name, struct pap_str range,
                       const struct mcp_skill **ret, struct pap_skill_err *err)
{
    struct stock *s = ctx;
    struct entry *e = range.p ? NULL : entry_find(s, label, name);
    bool is_new = false;
    if (!e)
        TRY(stock_hold(s, label, name, range, &e, &is_new, err));
    if (is_new && s->mcp)
        mcp_changed(s->mcp);
    *ret = &e->skill;
    return OK;
}

static void release(void *ctx, const struct mcp_skill *skill)
{
    entry_drop(ctx, (struct entry *)(uintptr_t)skill);
}

static pap_result read_skill(void *ctx, const struct mcp_skill *skill, struct arena *a, struct pap_str path, bool wrap,
                             struct pap_str *ret, struct pap_skill_err *err)
{
    const struct entry *e = (const struct entry *)(const void *)skill;
    const char *c_path = path.p ? arena_cstr(a, path) : NULL;
    struct pap_str bytes;
    (void)ctx;
    if (path.p && !c_path)
        return stock_no_memory(err);
    if (wrap)
        TRY(pap_skill_wrap(e->verified, c_path, &bytes, err));
    else
        TRY(pap_skill_read(e->verified, c_path, false, &bytes, err));
    *ret = arena_str(a, bytes);
    pap_skill_bytes_free(e->verified, bytes);
    return ret->p ? OK : stock_no_memory(err);
}

/* ---- the stock ---- */

static pap_result fill_places(struct stock *s, struct pap_err *err)
{
    s->places = arena_new_array(&s->arena, s->o.n_origins, struct place);
    s->origins = arena_new_array(&s->arena, s->o.n_origins, struct mcp_origin);
    if (!s->places || !s->origins)
        return fail_memory(err);
    for (size_t i = 0; i < s->o.n_origins; i++) {
        s->places[i].origin = s->o.origins[i];
        s->origins[i] = (struct mcp_origin){str_c(s->o.origins[i].label), str_c(s->o.origins[i].place)};
    }
    return OK;
}

pap_result stock_new(const struct stock_options *o, struct stock **ret, struct pap_err *err)
{
    const struct pap_alloc *alloc = o->skills->alloc;
    struct pap_skill_err why = {0};
    struct stock *s = alloc_resize(alloc, NULL, 0, sizeof *s);
    if (!s)
        return fail_memory(err);
    memset(s, 0, sizeof *s);
    s->o = *o;
    settle_options(s);
    arena_init(&s->arena, alloc);
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_mutex_init(&s->survey, NULL);
    pap_result r = fill_places(s, err);
    if (is_ok(r)) {
        r = pap_skill_client_new(&s->skills, &s->client, &why);
        if (!is_ok(r))
            (void)fail(err, r.code, "%s", why.text);
    }
    if (is_ok(r))
        *ret = s;
    else
        stock_free(s);
    return r;
}

struct mcp_skills stock_skills(struct stock *s)
{
    return (struct mcp_skills){.ctx = s,
                               .origins = s->origins,
                               .n_origins = s->o.n_origins,
                               .search = stock_search,
                               .hold = hold,
                               .release = release,
                               .read = read_skill,
                               .loaded = stock_loaded};
}

void stock_serves(struct stock *s, struct mcp *m)
{
    s->mcp = m;
}

void stock_free(struct stock *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n_entries; i++)
        entry_drop(s, s->entries[i]);
    for (size_t i = 0; s->places && i < s->o.n_origins; i++)
        list_drop(s, s->places[i].list);
    pap_skill_client_free(s->client);
    (void)pthread_mutex_destroy(&s->lock);
    (void)pthread_mutex_destroy(&s->survey);
    arena_fini(&s->arena);
    (void)alloc_resize(alloc_of(s), s, sizeof *s, 0);
}
