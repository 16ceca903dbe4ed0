/* SPDX-License-Identifier: Apache-2.0 */
#include "check/survey.h"

struct survey {
    struct checker checker;
    struct survey_options o;
    struct commons own;
};

pap_result survey_new(const struct survey_options *o, struct survey **ret, struct pap_err *err)
{
    struct survey *s = alloc_resize(o->check->alloc, NULL, 0, sizeof *s);
    if (!s)
        return fail_memory(err);
    *s = (struct survey){.checker = {.o = o->check,
                                     .transport = o->transport,
                                     .survey = true,
                                     .first_only = o->first_only,
                                     .manners = o->manners},
                         .o = *o};
    commons_init(&s->own);
    s->checker.commons = o->commons ? o->commons : &s->own;
    arena_init(&s->checker.arena, o->check->alloc);
    pap_result r = checker_make_ready(&s->checker, err);
    if (!is_ok(r))
        survey_free(s);
    else
        *ret = s;
    return r;
}

void survey_free(struct survey *s)
{
    if (!s)
        return;
    const struct pap_alloc *alloc = s->o.check->alloc;
    checker_fini(&s->checker);
    commons_fini(&s->own);
    (void)alloc_resize(alloc, s, sizeof *s, 0);
}

size_t survey_under_way(const struct survey *s)
{
    size_t n = s->checker.in_flight;
    for (const struct slot *e = s->checker.ended; e; e = e->next)
        n++;
    return n;
}

pap_result survey_start(struct survey *s, struct pap_str domain, void *tag, struct pap_err *err)
{
    struct checker *c = &s->checker;
    if (!s->o.check->now)
        c->now = c->clock.unix_seconds(&c->clock);
    struct slot *slot = checker_take_slot(c, domain);
    if (!slot)
        return fail_memory(err);
    slot->tag = tag;
    return checker_start_remote(c, slot, TARGET_DOMAIN, err);
}

static bool is_busy(const struct bundle *b)
{
    const struct exchange *x = b->first ? b->first->exchange : NULL;
    return x && x->fault == FAULT_BLOCKED && str_find(x->fault_text, str_c(checker_busy)) < x->fault_text.n;
}

static pap_result tell(struct survey *s, struct slot *slot, struct pap_err *err)
{
    struct checker *c = &s->checker;
    struct report_target t;
    TRY(checker_finish_remote(c, slot, err));
    checker_target(c, slot, &t);
    return s->o.done(s->o.ctx,
                     &(struct surveyed){.tag = slot->tag,
                                        .target = &t,
                                        .slot = slot,
                                        .published = bundle_is_published(&slot->bundle),
                                        .busy = is_busy(&slot->bundle)},
                     err);
}

pap_result survey_step(struct survey *s, int timeout_ms, struct pap_err *err)
{
    struct checker *c = &s->checker;
    if (c->transport && !c->ended)
        TRY(c->transport->step(c->transport, timeout_ms, err));
    while (c->ended) {
        struct slot *slot = c->ended;
        c->ended = slot->next;
        TRY(tell(s, slot, err));
        checker_put_slot(c, slot);
    }
    return OK;
}
