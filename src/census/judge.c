/* SPDX-License-Identifier: Apache-2.0
 *
 * History judged by the rules of today: the check is run again with the answers of that day, by a transport that has them from
 * the record and asks nobody.
 */
#include "census/inside.h"
#include "proto/rules_version.h"
#include "report/record.h"

/* ---- answers of that day ---- */

struct answer {
    struct answer *next;
    const struct exchange *x;
    request_done *done;
    void *ctx;
};

struct replay {
    struct transport base; /* first */
    const struct record *record;
    struct answer *first, **end;
    size_t n;
};

static struct replay *replay_of(const struct transport *t)
{
    return (struct replay *)(uintptr_t)t; /* `base` is its first member */
}

static const struct exchange *answer_to(const struct record *r, const struct request *q)
{
    for (const struct doc *d = r->bundle.docs; d; d = d->next)
        if (d->exchange && str_is(d->exchange->method, q->method) && str_eq(d->exchange->url, q->url))
            return d->exchange;
    return NULL;
}

static pap_result replay_start(struct transport *t, struct arena *a, const struct request *q, struct budget *b,
                               request_done *done, void *ctx)
{
    struct replay *r = replay_of(t);
    struct answer *w = arena_new(a, struct answer);
    struct exchange *none = arena_new(a, struct exchange);
    (void)b;
    if (!w || !none)
        return (pap_result){PAP_NO_MEMORY};
    *none = (struct exchange){.method = str_c(q->method),
                              .url = q->url,
                              .final_url = q->url,
                              .fault = FAULT_BUDGET,
                              .fault_text = S("it was not asked for then")};
    *w = (struct answer){.x = answer_to(r->record, q), .done = done, .ctx = ctx};
    w->x = w->x ? w->x : none;
    if (!r->first)
        r->end = &r->first;
    *r->end = w;
    r->end = &w->next;
    r->n++;
    return OK;
}

static pap_result replay_step(struct transport *t, int timeout_ms, struct pap_err *err)
{
    struct replay *r = replay_of(t);
    (void)timeout_ms;
    (void)err;
    while (r->first) {
        struct answer *w = r->first;
        r->first = w->next;
        r->n--;
        w->done(w->ctx, w->x);
    }
    return OK;
}

static size_t replay_pending(const struct transport *t)
{
    return replay_of(t)->n;
}

static void replay_free(struct transport *t)
{
    (void)t;
}

/* ---- bodies ---- */

struct judging {
    struct pap_census *census;
    struct arena arena; /* of an observation */
    bool missing;       /* some body is not kept */
    struct pap_census_judged counts;
    const struct census_observation *observation;
    struct pap_err *err;
};

static pap_result find_body(void *ctx, struct pap_str name, struct pap_str *ret, struct pap_err *err)
{
    struct judging *j = ctx;
    struct census_digest d;
    *ret = str(NULL, 0);
    if (facts_digest(name, &d))
        TRY(census_body(j->census->store, &j->arena, &d, ret, err));
    j->missing |= !ret->p;
    return OK;
}

/* ---- one observation ---- */

static pap_result on_judged(void *ctx, const struct surveyed *s, struct pap_err *err)
{
    struct judging *j = ctx;
    struct census_result k = {.id = j->observation->domain};
    TRY(facts_of(&j->arena, s->target, s->published, true, &k, err));
    j->counts.judged++;
    j->counts.changed += memcmp(k.fingerprint, j->observation->fingerprint, sizeof k.fingerprint) != 0;
    return census_judged(j->census->store, j->observation->id, &k, err);
}

static pap_result again(struct judging *j, const struct record *record)
{
    struct pap_check_options check = {.alloc = j->census->o.alloc, .now = record->bundle.now, .jobs = 1};
    struct replay r = {.base = {replay_start, replay_step, replay_pending, replay_free}, .record = record};
    struct survey_options o = {.check = &check, .first_only = true, .transport = &r.base, .done = on_judged, .ctx = j};
    struct survey *s;
    TRY(survey_new(&o, &s, j->err));
    pap_result x = survey_start(s, record->target.target, j, j->err);
    while (is_ok(x) && survey_under_way(s))
        x = survey_step(s, 0, j->err);
    survey_free(s);
    return x;
}

static pap_result judge_one(struct judging *j, const struct census_observation *o)
{
    struct pap_str text;
    struct record *record;
    arena_reset(&j->arena);
    j->missing = false;
    j->observation = o;
    TRY(census_body(j->census->store, &j->arena, &o->record, &text, j->err));
    if (!text.p) {
        j->counts.skipped++;
        return OK;
    }
    pap_result r = record_read(&j->arena, text, find_body, j, &record, j->err);
    if (j->missing || r.code == PAP_SYNTAX) {
        j->counts.skipped++;
        return r.code == PAP_SYNTAX ? OK : r;
    }
    return is_ok(r) ? again(j, record) : r;
}

static pap_result judge_all(struct judging *j, struct arena *a)
{
    enum { PAGE = 100 };
    struct census_history page;
    int64_t after = 0;
    do {
        arena_reset(a);
        TRY(census_unjudged(j->census->store, a, rules_version(), after, PAGE, &page, j->err));
        for (size_t i = 0; i < page.n; i++) {
            TRY(judge_one(j, &page.observation[i]));
            after = page.observation[i].id;
        }
    } while (page.n);
    return OK;
}

pap_result pap_census_judge(struct pap_census *census, struct pap_census_judged *ret, struct pap_err *err)
{
    struct judging j = {.census = census, .err = err};
    struct arena a;
    arena_init(&a, census->o.alloc);
    arena_init(&j.arena, census->o.alloc);
    pap_result r = judge_all(&j, &a);
    if (is_ok(r))
        *ret = j.counts;
    arena_fini(&j.arena);
    arena_fini(&a);
    return r;
}
