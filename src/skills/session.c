/* SPDX-License-Identifier: Apache-2.0 */
#include "skills/session.h"

#include "skills/folder.h"
#include "skills/skill.h"
#include "text/scan.h"

pap_result session_new(struct pap_skill_client *c, struct pap_skill_session **ret, struct pap_skill_err *err)
{
    struct pap_skill_session *s = alloc_resize(c->alloc, NULL, 0, sizeof *s);
    if (!s)
        return failure_tell((pap_result){PAP_NO_MEMORY}, NULL, err);
    *s = (struct pap_skill_session){.client = c, .refs = 1};
    arena_init(&s->arena, c->alloc);
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->changed, NULL);
    client_hold(c);
    *ret = s;
    return OK;
}

static void free_shell(const struct pap_alloc *alloc, struct pap_skill_session *s)
{
    (void)pthread_cond_destroy(&s->changed);
    (void)pthread_mutex_destroy(&s->lock);
    (void)alloc_resize(alloc, s, sizeof *s, 0);
}

void session_free_shells(struct pap_skill_session *first)
{
    while (first) {
        struct pap_skill_session *s = first;
        first = s->next_closed;
        free_shell(s->client->alloc, s);
    }
}

static void empty(struct pap_skill_session *s)
{
    folder_close(s->folder);
    s->folder = NULL;
    s->catalog = (struct catalog){0};
    s->facts = (struct pap_skill_session_facts){0};
    s->order = NULL;
    s->origin = (struct origin){0};
    arena_fini(&s->arena);
}

void session_discard(struct pap_skill_session *s)
{
    struct pap_skill_client *c = s->client;
    empty(s);
    free_shell(c->alloc, s);
    client_drop(c);
}

void session_hold(struct pap_skill_session *s)
{
    (void)pthread_mutex_lock(&s->lock);
    s->refs++;
    (void)pthread_mutex_unlock(&s->lock);
}

/* Puts the shell behind the others; the oldest one goes when there are too many. With the client's lock held. */
static struct pap_skill_session *keep_shell(struct pap_skill_client *c, struct pap_skill_session *s)
{
    struct pap_skill_session *oldest = c->closed;
    s->next_closed = NULL;
    if (c->last_closed)
        c->last_closed->next_closed = s;
    else
        c->closed = s;
    c->last_closed = s;
    if (++c->n_closed <= CLOSED_MOST)
        return NULL;
    c->n_closed--;
    c->closed = oldest->next_closed;
    return oldest;
}

/* The last one out leaves the shell to the client, where somebody may still know it. */
void session_drop(struct pap_skill_session *s)
{
    struct pap_skill_client *c = s->client;
    (void)pthread_mutex_lock(&s->lock);
    unsigned left = --s->refs;
    (void)pthread_mutex_unlock(&s->lock);
    if (left)
        return;
    empty(s);
    (void)pthread_mutex_lock(&c->lock);
    struct pap_skill_session *gone = s->closed ? keep_shell(c, s) : s;
    (void)pthread_mutex_unlock(&c->lock);
    if (gone)
        free_shell(c->alloc, gone);
    client_drop(c);
}

pap_result session_enter(struct pap_skill_session *s, struct pap_skill_err *err)
{
    (void)pthread_mutex_lock(&s->lock);
    bool closed = s->closed;
    s->busy += !closed;
    (void)pthread_mutex_unlock(&s->lock);
    if (!closed)
        return OK;
    pap_result r = refuse(err, SKILL_SESSION_CLOSED, "the session was closed");
    err_set(err, SKILL_KEY_ORIGIN_ALIAS, str_c(s->label));
    return r;
}

void session_leave(struct pap_skill_session *s)
{
    (void)pthread_mutex_lock(&s->lock);
    s->busy--;
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
}

void pap_skill_session_close(struct pap_skill_session *session)
{
    if (!session)
        return;
    struct pap_skill_session *s = session;
    (void)pthread_mutex_lock(&s->lock);
    bool first = !s->closed;
    s->closed = true;
    while (s->busy)
        (void)pthread_cond_wait(&s->changed, &s->lock);
    struct pin *pins = s->pins;
    s->pins = NULL;
    (void)pthread_mutex_unlock(&s->lock);
    if (!first)
        return;
    while (pins) {
        struct pin *p = pins;
        pins = p->next;
        skill_drop(p->skill);
        (void)alloc_resize(s->client->alloc, p, sizeof *p, 0);
    }
    session_drop(s);
}

/* ---- what it lists ---- */

static int by_place(const void *a, const void *b)
{
    const struct catalog_entry *x = *(const struct catalog_entry *const *)a,
                               *y = *(const struct catalog_entry *const *)b;
    return (x->place > y->place) - (x->place < y->place);
}

static void put_in_order(struct pap_skill_session *s)
{
    size_t n = s->catalog.n_entries;
    for (size_t i = 0; i < n; i++)
        s->order[i] = &s->catalog.entries[i];
    if (n)
        qsort(s->order, n, sizeof *s->order, by_place);
}

pap_result session_ready(struct pap_skill_session *s, struct pap_skill_err *err)
{
    s->order = arena_new_array(&s->arena, s->catalog.n_entries, const struct catalog_entry *);
    if (!s->order)
        return failure_tell((pap_result){PAP_NO_MEMORY}, NULL, err);
    put_in_order(s);
    struct pap_skill_session_facts *f = &s->facts;
    int64_t age = client_now(s->client) / 1000 - s->validated;
    struct pap_str label = text_cut(s->origin.label, sizeof s->label - 1);
    memcpy(s->label, label.p, label.n);
    f->label = s->origin.label;
    f->place = s->origin.place;
    f->scope = s->origin.scope.p ? s->origin.scope : S("");
    f->note = f->note.p ? f->note : S("");
    f->age_s = s->validated && age > 0 ? (uint64_t)age : 0;
    f->skills = s->catalog.n_entries;
    f->skipped = s->catalog.n_skipped;
    return OK;
}

void pap_skill_session_facts(const struct pap_skill_session *session, struct pap_skill_session_facts *ret)
{
    *ret = session->facts;
}

void session_release(const struct catalog_entry *e, const struct catalog_release *r, struct pap_skill_release *ret)
{
    *ret = (struct pap_skill_release){.name = e->name,
                                      .description = e->description,
                                      .version = r->version.p ? r->version : S(""),
                                      .type = str_c(artifact_type_name(r->type)),
                                      .url = r->url,
                                      .digest = r->digest,
                                      .current = r == e->current,
                                      .deprecated = r->deprecated.p ? r->deprecated : S("")};
}

void pap_skill_session_at(const struct pap_skill_session *session, size_t i, struct pap_skill_release *ret,
                          size_t *ret_releases)
{
    const struct catalog_entry *e = i < session->catalog.n_entries ? session->order[i] : NULL;
    *ret = (struct pap_skill_release){0};
    if (e)
        session_release(e, e->current, ret);
    if (ret_releases)
        *ret_releases = e ? e->n_releases : 0;
}

void pap_skill_session_release_at(const struct pap_skill_session *session, size_t i, size_t j,
                                  struct pap_skill_release *ret)
{
    const struct catalog_entry *e = i < session->catalog.n_entries ? session->order[i] : NULL;
    *ret = (struct pap_skill_release){0};
    if (e && j < e->n_releases)
        session_release(e, &e->releases[j], ret);
}

void pap_skill_session_skipped_at(const struct pap_skill_session *session, size_t i, struct pap_skill_err *ret)
{
    *ret = (struct pap_skill_err){0};
    if (i >= session->catalog.n_skipped)
        return;
    (void)fault_tell(&session->catalog.skipped[i].fault, ret);
    err_set(ret, SKILL_KEY_ORIGIN_ALIAS, session->origin.label);
}

static pap_result choose(const struct pap_skill_session *s, struct arena *a, const char *name, const char *range,
                         struct pap_skill_release *ret, struct pap_skill_err *err)
{
    struct catalog_choice choice = {0};
    struct skill_fault fault = {0};
    pap_result r = catalog_select(a, &s->catalog, s->origin.label, str_c(name), str_c(range), &choice, &fault);
    if (!is_ok(r))
        return failure_tell(r, NULL, err);
    if (fault.code != SKILL_FINE)
        return fault_tell(&fault, err);
    session_release(choice.entry, choice.release, ret);
    return OK;
}

pap_result pap_skill_session_select(const struct pap_skill_session *session, const char *name, const char *range,
                                    struct pap_skill_release *ret, struct pap_skill_err *err)
{
    struct pap_skill_session *s = (struct pap_skill_session *)(uintptr_t)session; /* its lock and its count of calls */
    struct arena a;
    TRY(session_enter(s, err));
    arena_init(&a, s->client->alloc);
    pap_result r = choose(s, &a, name ? name : "", range, ret, err);
    arena_fini(&a);
    session_leave(s);
    return r;
}
