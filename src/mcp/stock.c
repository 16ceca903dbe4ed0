/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/stock.h"

#include <pthread.h>
#include <stdlib.h>

enum { LIST_MS = 60 * 1000 }; /* so old a list may be before it is asked for again */

/* A session, and who needs it: its origin, and the skills that came out of it. */
struct list {
    struct pap_skill_session *session;
    unsigned holders;
    int64_t opened; /* monotonic milliseconds */
};

struct entry {
    struct mcp_skill skill; /* first */
    struct pap_skill *verified;
    struct list *list;
    unsigned holders; /* the stock is one */
    uint64_t used;
    struct arena arena;
};

struct place {
    struct pap_skill_origin origin;
    struct list *list; /* NULL: never asked */
};

/* A struct, because the caller's callbacks want their own ctx. */
struct stock {
    struct stock_options o;
    struct pap_skill_options skills, theirs;
    struct pap_skill_client *client;
    struct mcp *mcp; /* set once, before anything is asked */
    struct arena arena;
    struct place *places;
    struct mcp_origin *origins;
    pthread_mutex_t lock; /* of all below, and of all holders */
    struct entry *entries[LIMIT_MCP_LOADED];
    size_t n_entries;
    uint64_t uses;
    pthread_mutex_t survey; /* one at a time */
    bool surveyed;
    int64_t loaded; /* when what was named was tried to be loaded; 0: never */
    bool all_loaded;
};

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

static const struct pap_alloc *alloc_of(const struct stock *s)
{
    return s->skills.alloc;
}

static void drop_list(struct stock *s, struct list *l)
{
    (void)pthread_mutex_lock(&s->lock);
    bool last = l && --l->holders == 0;
    (void)pthread_mutex_unlock(&s->lock);
    if (last) {
        pap_skill_session_close(l->session);
        (void)alloc_resize(alloc_of(s), l, sizeof *l, 0);
    }
}

static void drop_entry(struct stock *s, struct entry *e)
{
    (void)pthread_mutex_lock(&s->lock);
    bool last = e && --e->holders == 0;
    (void)pthread_mutex_unlock(&s->lock);
    if (last) {
        pap_skill_free(e->verified);
        drop_list(s, e->list);
        arena_fini(&e->arena);
        (void)alloc_resize(alloc_of(s), e, sizeof *e, 0);
    }
}

static pap_result no_memory(struct pap_skill_err *err)
{
    *err = (struct pap_skill_err){.code = PAP_SKILL_NONE, .text = "out of memory"};
    return (pap_result){PAP_NO_MEMORY};
}

/* A session as a list with one holder; closes it when there is no memory. */
static struct list *list_new(struct stock *s, struct pap_skill_session *session)
{
    struct list *l = alloc_resize(alloc_of(s), NULL, 0, sizeof *l);
    if (l)
        *l = (struct list){session, 1, s->o.clock->monotonic_ms(s->o.clock)};
    else
        pap_skill_session_close(session);
    return l;
}

/* The list at hand, held, when it is young enough. */
static struct list *young_list(struct stock *s, const struct place *p)
{
    int64_t now = s->o.clock->monotonic_ms(s->o.clock);
    (void)pthread_mutex_lock(&s->lock);
    struct list *l = p->list && now - p->list->opened < LIST_MS ? p->list : NULL;
    if (l)
        l->holders++;
    (void)pthread_mutex_unlock(&s->lock);
    return l;
}

/* A new list takes the place of the one before; held once more, for whoever asked. */
static void put_list(struct stock *s, struct place *p, struct list *l)
{
    (void)pthread_mutex_lock(&s->lock);
    struct list *before = p->list;
    p->list = l;
    l->holders++;
    (void)pthread_mutex_unlock(&s->lock);
    drop_list(s, before);
}

static pap_result current_list(struct stock *s, struct place *p, struct list **ret, struct pap_skill_err *err)
{
    struct pap_skill_session *session;
    *ret = young_list(s, p);
    if (*ret)
        return OK;
    TRY(pap_skill_session_open(s->client, &p->origin, &session, err));
    struct list *l = list_new(s, session);
    if (!l)
        return no_memory(err);
    put_list(s, p, l);
    *ret = l;
    return OK;
}

/* ---- skills ---- */

static bool fill_files(struct entry *e, size_t n)
{
    struct mcp_file *files = arena_new_array(&e->arena, n, struct mcp_file);
    for (size_t i = 0; files && i < n; i++) {
        struct pap_skill_file f;
        pap_skill_file_at(e->verified, i, &f);
        files[i] = (struct mcp_file){f.path, f.media_type, f.digest, f.size};
    }
    e->skill.files = files;
    e->skill.n_files = n;
    return files != NULL;
}

/* Takes the verified skill, and holds the list; NULL when out of memory, and then the skill is freed. */
static struct entry *entry_new(struct stock *s, struct pap_skill *verified, struct list *l)
{
    struct pap_skill_facts f;
    struct entry *e = alloc_resize(alloc_of(s), NULL, 0, sizeof *e);
    if (!e) {
        pap_skill_free(verified);
        return NULL;
    }
    pap_skill_facts(verified, &f);
    *e = (struct entry){.verified = verified, .list = l, .holders = 1};
    (void)pthread_mutex_lock(&s->lock);
    l->holders++;
    (void)pthread_mutex_unlock(&s->lock);
    arena_init(&e->arena, alloc_of(s));
    e->skill = (struct mcp_skill){.label = f.label,
                                  .place = f.place,
                                  .name = f.release.name,
                                  .description = f.release.description,
                                  .version = f.release.version,
                                  .digest = f.release.digest,
                                  .frontmatter = f.frontmatter,
                                  .warning = f.warning};
    if (fill_files(e, f.files))
        return e;
    drop_entry(s, e);
    return NULL;
}

/* Under the lock: the entry of that name. */
static struct entry **find(struct stock *s, struct pap_str label, struct pap_str name)
{
    for (size_t i = 0; i < s->n_entries; i++)
        if (str_eq(s->entries[i]->skill.name, name) && str_eq(s->entries[i]->skill.label, label))
            return &s->entries[i];
    return NULL;
}

static struct entry *find_held(struct stock *s, struct pap_str label, struct pap_str name)
{
    (void)pthread_mutex_lock(&s->lock);
    struct entry **at = find(s, label, name), *e = at ? *at : NULL;
    if (e) {
        e->holders++;
        e->used = ++s->uses;
    }
    (void)pthread_mutex_unlock(&s->lock);
    return e;
}

/* Under the lock: room for one more; the longest unused that nobody else holds goes. NULL: all are held. */
static struct entry **make_room(struct stock *s, struct entry **ret_gone)
{
    struct entry **oldest = NULL;
    if (s->n_entries < LIMIT_MCP_LOADED)
        return &s->entries[s->n_entries++];
    for (size_t i = 0; i < s->n_entries; i++)
        if (s->entries[i]->holders == 1 && (!oldest || s->entries[i]->used < (*oldest)->used))
            oldest = &s->entries[i];
    if (oldest)
        *ret_gone = *oldest;
    return oldest;
}

/* Puts it on the stock, in the place of another release; with no room it is only the caller's. */
static void put_entry(struct stock *s, struct entry *e)
{
    struct entry *gone = NULL;
    (void)pthread_mutex_lock(&s->lock);
    struct entry **at = find(s, e->skill.label, e->skill.name);
    if (at)
        gone = *at;
    else
        at = make_room(s, &gone);
    if (at) {
        *at = e;
        e->holders++;
        e->used = ++s->uses;
    }
    (void)pthread_mutex_unlock(&s->lock);
    drop_entry(s, gone);
}

static bool is_release(const struct entry *e, const struct pap_skill_release *r)
{
    return str_eq(e->skill.digest, r->digest) && str_eq(e->skill.version, r->version);
}

/* What the range stands for on the list: from the stock, or verified now. */
static pap_result hold_from(struct stock *s, struct list *l, const char *label, const char *name, const char *range,
                            struct entry **ret, bool *ret_new, struct pap_skill_err *err)
{
    struct pap_skill_release release;
    struct pap_skill *verified;
    TRY(pap_skill_session_select(l->session, name, range, &release, err));
    struct entry *e = find_held(s, str_c(label), str_c(name));
    if (e && is_release(e, &release)) {
        *ret = e;
        return OK;
    }
    drop_entry(s, e);
    TRY(pap_skill_activate(l->session, name, range, &verified, err));
    e = entry_new(s, verified, l);
    if (!e)
        return no_memory(err);
    put_entry(s, e);
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

/* `ret_new`: others are loaded now than before. */
static pap_result hold_named(struct stock *s, struct pap_str label, struct pap_str name, struct pap_str range,
                             struct entry **ret, bool *ret_new, struct pap_skill_err *err)
{
    struct place *p = find_place(s, label);
    struct list *l;
    struct arena a __attribute__((cleanup(arena_fini)));
    arena_init(&a, alloc_of(s));
    const char *c_name = arena_cstr(&a, name), *c_range = arena_cstr(&a, range);
    if (!p || !c_name || !c_range)
        return no_memory(err);
    TRY(current_list(s, p, &l, err));
    pap_result r = hold_from(s, l, p->origin.label, c_name, range.n ? c_range : NULL, ret, ret_new, err);
    drop_list(s, l);
    return r;
}

static pap_result hold(void *ctx, struct pap_str label, struct pap_str name, struct pap_str range,
                       const struct mcp_skill **ret, struct pap_skill_err *err)
{
    struct stock *s = ctx;
    struct entry *e = range.p ? NULL : find_held(s, label, name);
    bool is_new = false;
    if (!e)
        TRY(hold_named(s, label, name, range, &e, &is_new, err));
    if (is_new && s->mcp)
        mcp_changed(s->mcp);
    *ret = &e->skill;
    return OK;
}

static void release(void *ctx, const struct mcp_skill *skill)
{
    drop_entry(ctx, (struct entry *)(uintptr_t)skill);
}

static pap_result read_skill(void *ctx, const struct mcp_skill *skill, struct arena *a, struct pap_str path, bool wrap,
                             struct pap_str *ret, struct pap_skill_err *err)
{
    const struct entry *e = (const struct entry *)(const void *)skill;
    const char *c_path = path.p ? arena_cstr(a, path) : NULL;
    struct pap_str bytes;
    (void)ctx;
    if (path.p && !c_path)
        return no_memory(err);
    if (wrap)
        TRY(pap_skill_wrap(e->verified, c_path, &bytes, err));
    else
        TRY(pap_skill_read(e->verified, c_path, false, &bytes, err));
    *ret = arena_str(a, bytes);
    pap_skill_bytes_free(e->verified, bytes);
    return ret->p ? OK : no_memory(err);
}

/* ---- what is here already ---- */

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
        struct entry *e = name ? find_held(s, facts.label, release.name) : NULL;
        if (name && !e && is_ok(pap_skill_activate(session, name, NULL, &verified, &err)) &&
            (e = entry_new(s, verified, l)))
            put_entry(s, e);
        drop_entry(s, e);
    }
    drop_list(s, l);
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

/* Those that were named. One that fails is tried again a minute later. */
static void load_named(struct stock *s)
{
    int64_t now = s->o.clock->monotonic_ms(s->o.clock);
    if (s->all_loaded || (s->loaded && now - s->loaded < LIST_MS))
        return;
    s->loaded = now ? now : 1;
    s->all_loaded = true;
    for (const char *const *what = s->o.load; what && *what; what++) {
        struct pap_str rest = str_c(*what), label = str_take(rest, str_find_char(rest, '/'));
        rest = str_skip(rest, label.n + 1);
        struct pap_str name = str_take(rest, str_find_char(rest, '@')), range = str_skip(rest, name.n + 1);
        struct pap_skill_err err = {0};
        struct entry *e;
        bool is_new; /* told by the list that is being asked for */
        if (is_ok(hold_named(s, label, name, range, &e, &is_new, &err))) {
            drop_entry(s, e);
        } else {
            s->all_loaded = false;
            if (s->o.trouble)
                s->o.trouble(s->o.ctx, *what, &err);
        }
    }
}

static int by_name(const void *a, const void *b)
{
    const struct mcp_skill *x = *(const struct mcp_skill *const *)a, *y = *(const struct mcp_skill *const *)b;
    int order = str_cmp(x->label, y->label);
    return order ? order : str_cmp(x->name, y->name);
}

static pap_result loaded(void *ctx, struct arena *a, const struct mcp_skill ***ret, size_t *ret_n,
                         struct pap_skill_err *err)
{
    struct stock *s = ctx;
    (void)pthread_mutex_lock(&s->survey);
    if (!s->surveyed)
        survey(s);
    s->surveyed = true;
    load_named(s);
    (void)pthread_mutex_unlock(&s->survey);
    const struct mcp_skill **all = arena_new_array(a, LIMIT_MCP_LOADED, const struct mcp_skill *);
    if (!all)
        return no_memory(err);
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

/* ---- searching ---- */

struct asking {
    struct arena *a;
    struct list **lists; /* held; NULL: not had */
    const struct pap_skill_session **sessions;
    size_t *places; /* of each session */
    size_t n;
    struct mcp_search *found;
};

static bool add_trouble(struct stock *s, struct asking *k, size_t place, const struct pap_skill_err *err)
{
    struct mcp_trouble *t = &k->found->troubles[k->found->n_troubles++];
    t->label = s->origins[place].label;
    t->err = *err;
    return true;
}

/* The lists of all places in `wanted`, at once where they have to be asked for. */
static pap_result open_lists(struct stock *s, struct asking *k, const bool *wanted, struct pap_skill_err *err)
{
    size_t n = s->o.n_origins, n_old = 0;
    struct pap_skill_origin *old = arena_new_array(k->a, n, struct pap_skill_origin);
    struct pap_skill_session **sessions = arena_new_array(k->a, n, struct pap_skill_session *);
    struct pap_skill_err *errs = arena_new_array(k->a, n, struct pap_skill_err);
    size_t *place_of = arena_new_array(k->a, n, size_t);
    if (!old || !sessions || !errs || !place_of)
        return no_memory(err);
    for (size_t i = 0; i < n; i++) {
        k->lists[i] = wanted[i] ? young_list(s, &s->places[i]) : NULL;
        if (wanted[i] && !k->lists[i]) {
            place_of[n_old] = i;
            old[n_old++] = s->places[i].origin;
        }
    }
    if (n_old)
        TRY(pap_skill_session_open_all(s->client, old, n_old, sessions, errs));
    bool fine = true;
    for (size_t i = 0; i < n_old; i++) {
        struct list *l = sessions[i] ? list_new(s, sessions[i]) : NULL;
        fine &= !sessions[i] || l;
        if (l)
            put_list(s, &s->places[place_of[i]], k->lists[place_of[i]] = l);
        else if (!sessions[i])
            (void)add_trouble(s, k, place_of[i], &errs[i]);
    }
    for (size_t i = 0; i < n; i++)
        if (k->lists[i]) {
            k->sessions[k->n] = k->lists[i]->session;
            k->places[k->n++] = i;
        }
    return fine ? OK : no_memory(err);
}

static pap_result copy_hits(struct stock *s, struct asking *k, const struct pap_skill_hit *hits, size_t n,
                            struct pap_skill_err *err)
{
    for (size_t i = 0; i < n; i++) {
        struct mcp_hit *h = &k->found->hits[i];
        const struct mcp_origin *o = &s->origins[k->places[hits[i].session]];
        struct pap_skill_release r;
        pap_skill_session_at(k->sessions[hits[i].session], hits[i].skill, &r, NULL);
        *h = (struct mcp_hit){
            o->label, o->place, arena_str(k->a, r.name), arena_str(k->a, r.description), arena_str(k->a, r.version),
            false};
        if (!h->name.p || !h->description.p || !h->version.p)
            return no_memory(err);
        (void)pthread_mutex_lock(&s->lock);
        h->loaded = find(s, h->label, h->name) != NULL;
        (void)pthread_mutex_unlock(&s->lock);
    }
    k->found->n_hits = n;
    return OK;
}

static pap_result search_lists(struct stock *s, struct asking *k, struct pap_str words, size_t most,
                               struct pap_skill_err *err)
{
    struct pap_skill_hit *hits = arena_new_array(k->a, most, struct pap_skill_hit);
    const char *c_words = arena_cstr(k->a, words);
    size_t n = 0;
    k->found->hits = arena_new_array(k->a, most, struct mcp_hit);
    if (!hits || !c_words || !k->found->hits)
        return no_memory(err);
    if (k->n) {
        pap_result r = pap_skill_search(k->sessions, k->n, c_words, hits, most, &n);
        if (!is_ok(r))
            return no_memory(err);
    }
    return copy_hits(s, k, hits, n, err);
}

static pap_result search(void *ctx, struct arena *a, struct pap_str label, struct pap_str words, size_t most,
                         struct mcp_search *ret, struct pap_skill_err *err)
{
    struct stock *s = ctx;
    size_t n = s->o.n_origins;
    struct mcp_search found = {.troubles = arena_new_array(a, n, struct mcp_trouble)};
    struct asking k = {.a = a,
                       .lists = arena_new_array(a, n, struct list *),
                       .sessions = arena_new_array(a, n, const struct pap_skill_session *),
                       .places = arena_new_array(a, n, size_t),
                       .found = &found};
    bool *wanted = arena_new_array(a, n, bool);
    if (!found.troubles || !k.lists || !k.sessions || !k.places || !wanted)
        return no_memory(err);
    for (size_t i = 0; i < n; i++)
        wanted[i] = !label.n || str_eq(s->origins[i].label, label);
    pap_result r = open_lists(s, &k, wanted, err);
    if (is_ok(r))
        r = search_lists(s, &k, words, most, err);
    for (size_t i = 0; i < n; i++)
        drop_list(s, k.lists[i]);
    if (is_ok(r))
        *ret = found;
    return r;
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
                               .search = search,
                               .hold = hold,
                               .release = release,
                               .read = read_skill,
                               .loaded = loaded};
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
        drop_entry(s, s->entries[i]);
    for (size_t i = 0; s->places && i < s->o.n_origins; i++)
        drop_list(s, s->places[i].list);
    pap_skill_client_free(s->client);
    (void)pthread_mutex_destroy(&s->lock);
    (void)pthread_mutex_destroy(&s->survey);
    arena_fini(&s->arena);
    (void)alloc_resize(alloc_of(s), s, sizeof *s, 0);
}
