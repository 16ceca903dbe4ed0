/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/stock_inside.h"

void list_drop(struct stock *s, struct list *l)
{
    (void)pthread_mutex_lock(&s->lock);
    bool last = l && --l->holders == 0;
    (void)pthread_mutex_unlock(&s->lock);
    if (last) {
        pap_skill_session_close(l->session);
        (void)alloc_resize(alloc_of(s), l, sizeof *l, 0);
    }
}

void entry_drop(struct stock *s, struct entry *e)
{
    (void)pthread_mutex_lock(&s->lock);
    bool last = e && --e->holders == 0;
    (void)pthread_mutex_unlock(&s->lock);
    if (last) {
        pap_skill_free(e->verified);
        list_drop(s, e->list);
        arena_fini(&e->arena);
        (void)alloc_resize(alloc_of(s), e, sizeof *e, 0);
    }
}

pap_result stock_no_memory(struct pap_skill_err *err)
{
    *err = (struct pap_skill_err){.code = PAP_SKILL_NONE, .text = "out of memory"};
    return (pap_result){PAP_NO_MEMORY};
}

struct list *list_new(struct stock *s, struct pap_skill_session *session)
{
    struct list *l = alloc_resize(alloc_of(s), NULL, 0, sizeof *l);
    if (l)
        *l = (struct list){session, 1, s->o.clock->monotonic_ms(s->o.clock)};
    else
        pap_skill_session_close(session);
    return l;
}

struct list *list_young(struct stock *s, const struct place *p)
{
    int64_t now = s->o.clock->monotonic_ms(s->o.clock);
    (void)pthread_mutex_lock(&s->lock);
    struct list *l = p->list && now - p->list->opened < LIST_MS ? p->list : NULL;
    if (l)
        l->holders++;
    (void)pthread_mutex_unlock(&s->lock);
    return l;
}

void list_put(struct stock *s, struct place *p, struct list *l)
{
    (void)pthread_mutex_lock(&s->lock);
    struct list *before = p->list;
    p->list = l;
    l->holders++;
    (void)pthread_mutex_unlock(&s->lock);
    list_drop(s, before);
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

struct entry *entry_new(struct stock *s, struct pap_skill *verified, struct list *l)
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
    entry_drop(s, e);
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

struct entry *entry_find(struct stock *s, struct pap_str label, struct pap_str name)
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

void entry_put(struct stock *s, struct entry *e)
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
    entry_drop(s, gone);
}

bool entry_is_there(struct stock *s, struct pap_str label, struct pap_str name)
{
    (void)pthread_mutex_lock(&s->lock);
    bool there = find(s, label, name) != NULL;
    (void)pthread_mutex_unlock(&s->lock);
    return there;
}
