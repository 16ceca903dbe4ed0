/* SPDX-License-Identifier: Apache-2.0
 *
 * One release a name for a whole session, and one download for all who ask at the same time (R-ACT-5).
 */
#include "skills/activate.h"

static struct pin *find_pin(const struct pap_skill_session *s, struct pap_str name)
{
    struct pin *p = s->pins;
    while (p && !str_eq(p->name, name))
        p = p->next;
    return p;
}

static void free_pin(struct pap_skill_session *s, struct pin *p)
{
    (void)alloc_resize(s->client->alloc, p, sizeof *p, 0);
}

static void take_out(struct pap_skill_session *s, const struct pin *p)
{
    struct pin **at = &s->pins;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
}

/* Waits for whoever is at it. With the lock held. */
static pap_result join(struct pap_skill_session *s, struct pin *p, struct pap_skill **ret, struct pap_skill_err *err)
{
    p->waiting++;
    while (!p->skill && !p->failed)
        (void)pthread_cond_wait(&s->changed, &s->lock);
    p->waiting--;
    if (!p->failed) {
        p->skill->refs++;
        *ret = p->skill;
        return OK;
    }
    pap_result r = p->result;
    if (err)
        *err = p->err;
    if (!p->waiting)
        free_pin(s, p);
    return r;
}

/* With the lock held: what came of it, for everybody who waits. */
static void settle(struct pap_skill_session *s, struct pin *p, pap_result r, struct pap_skill *k)
{
    if (is_ok(r)) {
        k->refs++; /* the session's */
        p->skill = k;
    } else {
        p->result = r;
        p->failed = true;
        take_out(s, p);
    }
    (void)pthread_cond_broadcast(&s->changed);
    if (p->failed && !p->waiting)
        free_pin(s, p);
}

/* *ret_gone: the name was being activated, and that failed just now; who chose nothing of his own has to choose. */
static pap_result pinned(struct pap_skill_session *s, const struct catalog_choice *choice, bool any,
                         struct pap_skill **ret, bool *ret_gone, struct pap_skill_err *err)
{
    struct pin *mine = alloc_resize(s->client->alloc, NULL, 0, sizeof *mine);
    if (!mine)
        return failure_tell((pap_result){PAP_NO_MEMORY}, NULL, err);
    *mine = (struct pin){.name = choice->entry->name};
    (void)pthread_mutex_lock(&s->lock);
    struct pin *p = find_pin(s, mine->name);
    *ret_gone = !p && !choice->release;
    if (!p && choice->release)
        mine->next = s->pins, s->pins = mine;
    pap_result r = p ? join(s, p, ret, err) : OK;
    (void)pthread_mutex_unlock(&s->lock);
    if (p || *ret_gone) {
        free_pin(s, mine);
        return r;
    }
    struct pap_skill *k = NULL;
    r = activate_release(s, choice->entry, choice->release, any ? ACTIVATE_ANY : ACTIVATE_CHOSEN, &k, &mine->err);
    if (!is_ok(r) && err)
        *err = mine->err;
    (void)pthread_mutex_lock(&s->lock);
    settle(s, mine, r, k);
    (void)pthread_mutex_unlock(&s->lock);
    if (is_ok(r))
        *ret = k;
    return r;
}

/* A name that was activated before keeps its release, whatever range is asked for (R-ACT-5). */
static pap_result choose(struct pap_skill_session *s, const char *name, const char *range, struct catalog_choice *ret,
                         struct pap_skill_err *err)
{
    struct arena a;
    struct skill_fault fault = {0};
    (void)pthread_mutex_lock(&s->lock);
    bool known = find_pin(s, str_c(name)) != NULL;
    (void)pthread_mutex_unlock(&s->lock);
    if (known) {
        *ret = (struct catalog_choice){.entry = catalog_find(&s->catalog, str_c(name))};
        return OK;
    }
    arena_init(&a, s->client->alloc);
    pap_result r = catalog_select(&a, &s->catalog, s->origin.label, str_c(name), str_c(range), ret, &fault);
    if (!is_ok(r))
        r = failure_tell(r, NULL, err);
    else if (fault.code != SKILL_FINE)
        r = fault_tell(&fault, err);
    arena_fini(&a);
    return r;
}

pap_result pap_skill_activate(struct pap_skill_session *session, const char *name, const char *range,
                              struct pap_skill **ret, struct pap_skill_err *err)
{
    struct catalog_choice choice = {0};
    bool gone = true;
    TRY(session_enter(session, err));
    pap_result r = OK;
    while (is_ok(r) && gone) {
        r = choose(session, name ? name : "", range, &choice, err);
        if (is_ok(r))
            r = pinned(session, &choice, !range || str_is(S("*"), range), ret, &gone, err);
    }
    session_leave(session);
    return r;
}
