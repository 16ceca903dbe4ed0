/* SPDX-License-Identifier: Apache-2.0
 *
 * The watch: a check now and then, compared with what was told last.
 */
#include "census/watch_inside.h"

enum { JOBS = 8, HOUR = 3600, NEAR_END = 21 * 86400, AGAIN_MS = 10000, STEP_MS = 200 };

/* ---- what changed at a domain ---- */

struct telling {
    struct watching *w;
    const char *domain;
    struct json_writer json;
    struct arena *arena;
    uint64_t n;
    bool to_people; /* the second walk: the webhook was delivered, or there is none */
};

static pap_result change_of(const struct telling *t, const char *what, const struct mark *before,
                            const struct mark *after, struct pap_watch_change *ret, struct pap_err *err)
{
    struct pap_watch_change c = {.domain = t->domain,
                                 .what = what,
                                 .name = arena_cstr(t->arena, (after ? after : before)->name),
                                 .before = arena_cstr(t->arena, before ? before->value : S("")),
                                 .after = arena_cstr(t->arena, after ? after->value : S(""))};
    if (!c.name || !c.before || !c.after)
        return fail_memory(err);
    if (before && after) {
        c.text_before = before->text;
        c.text_after = after->text;
    }
    *ret = c;
    return OK;
}

static void write_diff(void *to, const char *p, size_t n)
{
    struct json_writer *j = to;
    if (n > LIMIT_WATCH_DIFF)
        return;
    json_write_key(j, "diff");
    json_write_str(j, str(p, n));
}

static void write_change(const struct telling *t, struct json_writer *j, const struct pap_watch_change *c)
{
    const struct pap_watch_options *o = t->w->o;
    json_object_begin(j);
    json_write_key(j, "what");
    json_write_cstr(j, c->what);
    json_write_key(j, "name");
    json_write_cstr(j, c->name);
    json_write_key(j, "before");
    json_write_cstr(j, c->before);
    json_write_key(j, "after");
    json_write_cstr(j, c->after);
    if (o->diff && c->text_before.n && c->text_after.n)
        o->diff(o->ctx, c, write_diff, j);
    json_object_end(j);
}

static pap_result on_difference(void *ctx, const struct mark *before, const struct mark *after, struct pap_err *err)
{
    struct telling *t = ctx;
    enum mark_kind kind = (after ? after : before)->kind;
    const char *what = mark_change(kind, before != NULL, after != NULL);
    if (!what)
        return OK;
    struct pap_watch_change c = {.what = what};
    TRY(change_of(t, what, before, after, &c, err));
    if (!t->to_people) {
        t->n++;
        write_change(t, &t->json, &c);
    } else if (t->w->o->changed) {
        t->w->o->changed(t->w->o->ctx, &c);
    }
    return OK;
}

/* Tells the webhook first: what it did not take is told again the next time. */
static pap_result tell(struct watching *w, struct watched_domain *d, const struct marks *now, struct arena *a,
                       bool *ret_told, struct pap_err *err)
{
    struct buf body;
    struct telling t = {.w = w, .domain = arena_cstr(a, d->name), .arena = a};
    bool delivered = true;
    if (!t.domain)
        return fail_memory(err);
    buf_init(&body, w->o->alloc, LIMIT_WATCH);
    json_writer_init(&t.json, &body, 0);
    json_object_begin(&t.json);
    json_write_key(&t.json, "domain");
    json_write_str(&t.json, d->name);
    json_write_key(&t.json, "time");
    json_write_str(&t.json, out_time(a, now->seen_at));
    json_write_key(&t.json, "changes");
    json_array_begin(&t.json);
    pap_result r = marks_compare(&d->marks, now, on_difference, &t, err);
    json_array_end(&t.json);
    json_object_end(&t.json);
    if (is_ok(r))
        r = buf_result(&body, err);
    if (is_ok(r) && t.n && w->o->webhook)
        r = webhook_send(w, buf_str(&body), &delivered, err);
    buf_fini(&body);
    t.to_people = true;
    if (is_ok(r) && t.n)
        r = marks_compare(&d->marks, now, on_difference, &t, err);
    w->counts.changes += t.n;
    w->counts.failed += !delivered;
    *ret_told = delivered;
    return r;
}

/* ---- a check ---- */

/* A site that does not answer has not lost its skills: only that is told. */
static pap_result unreached(struct arena *a, const struct watched_domain *d, const char *outcome, int64_t now,
                            struct marks *ret, struct pap_err *err)
{
    *ret = (struct marks){.at = arena_new_array(a, d->marks.n + 1, struct mark), .seen_at = now};
    if (!ret->at)
        return fail_memory(err);
    ret->at[ret->n++] =
        (struct mark){.kind = MARK_OUTCOME, .name = S("poppy.json"), .value = str_c(outcome), .text = S("")};
    for (size_t i = 0; i < d->marks.n; i++) {
        const struct mark *m = &d->marks.at[i];
        if (m->kind == MARK_OUTCOME)
            continue;
        ret->at[ret->n] = (struct mark){.kind = m->kind,
                                        .name = arena_str(a, m->name),
                                        .value = arena_str(a, m->value),
                                        .text = arena_str(a, m->text)};
        if (!ret->at[ret->n].name.p || !ret->at[ret->n].value.p || !ret->at[ret->n].text.p)
            return fail_memory(err);
        ret->n++;
    }
    return OK;
}

static bool did_publish(const struct watched_domain *d)
{
    return d->marks.n && d->marks.at[0].kind == MARK_OUTCOME && str_is(d->marks.at[0].value, "publishes");
}

static pap_result take(struct watching *w, const struct surveyed *s, struct watched_domain *d, struct arena *a,
                       struct pap_err *err)
{
    struct marks now;
    const char *outcome = census_outcome_word(facts_outcome(s->target->bundle, s->published)).p;
    int64_t at = w->clock.unix_seconds(&w->clock), near_end = w->o->near_end ? w->o->near_end : NEAR_END;
    bool told = true, first = !d->marks.seen_at;
    if (s->published || first)
        TRY(marks_of(a, s, outcome, at, near_end, &now, err));
    else
        TRY(unreached(a, d, outcome, at, &now, err));
    const char *name = arena_cstr(a, d->name);
    if (!name)
        return fail_memory(err);
    if (!first)
        TRY(tell(w, d, &now, a, &told, err));
    if (w->o->looked)
        w->o->looked(w->o->ctx, name, outcome, first);
    if (!told)
        return OK;
    struct arena old = d->arena;
    d->arena = *a;
    *a = old;
    d->marks = now;
    return OK;
}

static pap_result on_end(void *ctx, const struct surveyed *s, struct pap_err *err)
{
    struct watching *w = ctx;
    struct watched_domain *d = s->tag;
    struct arena a;
    if (!s->published && did_publish(d) && !d->again) {
        d->again = true;
        return OK;
    }
    d->again = false;
    arena_init(&a, w->o->alloc);
    pap_result r = take(w, s, d, &a, err);
    arena_fini(&a);
    return r;
}

static bool goes_on(const struct watching *w)
{
    return !w->o->go_on || w->o->go_on(w->o->ctx);
}

static pap_result look(struct watching *w, bool again, struct pap_err *err)
{
    size_t next = 0;
    while (goes_on(w)) {
        for (; next < w->n && survey_under_way(w->survey) < JOBS; next++)
            if (!again || w->domains[next].again)
                TRY(survey_start(w->survey, w->domains[next].name, &w->domains[next], err));
        if (!survey_under_way(w->survey))
            break;
        TRY(survey_step(w->survey, STEP_MS, err));
    }
    return OK;
}

static void rest(struct watching *w, int64_t ms)
{
    int64_t end = w->clock.monotonic_ms(&w->clock) + ms, left;
    while (goes_on(w) && (left = end - w->clock.monotonic_ms(&w->clock)) > 0)
        clock_sleep_ms(left < STEP_MS ? left : STEP_MS);
}

static pap_result look_round(struct watching *w, struct pap_err *err)
{
    bool again = false;
    TRY(look(w, false, err));
    for (size_t i = 0; i < w->n; i++)
        again |= w->domains[i].again;
    if (again) {
        rest(w, w->o->again_ms ? w->o->again_ms : AGAIN_MS);
        TRY(look(w, true, err));
    }
    return watch_state_write(w, err);
}

static pap_result run(struct watching *w, struct pap_err *err)
{
    struct survey_options so = {.check = &w->check, .done = on_end, .ctx = w};
    TRY(watch_state_read(w, err));
    TRY(survey_new(&so, &w->survey, err));
    for (;;) {
        TRY(look_round(w, err));
        if (w->o->once || !goes_on(w))
            return OK;
        rest(w, (w->o->every ? w->o->every : HOUR) * 1000);
        if (!goes_on(w))
            return OK;
    }
}

/* Each domain once, in lower case. */
static pap_result take_domains(struct watching *w, const char *const *domains, size_t n, struct pap_err *err)
{
    w->domains = arena_new_array(&w->arena, n, struct watched_domain);
    if (!w->domains)
        return fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        struct census_name name;
        bool is_one, seen = false;
        const char *why;
        TRY(census_name_of(&w->arena, str_c(domains[i]), &name, &is_one, &why, err));
        if (!is_one)
            return fail(err, PAP_USAGE, "\"%.100s\" %s", domains[i], why);
        for (size_t k = 0; k < w->n; k++)
            seen |= str_eq(w->domains[k].name, name.name);
        if (seen)
            continue;
        w->domains[w->n].name = name.name;
        arena_init(&w->domains[w->n++].arena, w->o->alloc);
    }
    return w->n ? OK : fail(err, PAP_USAGE, "no domain is given");
}

pap_result pap_watch(const struct pap_watch_options *options, const char *const *domains, size_t n,
                     struct pap_watched *ret, struct pap_err *err)
{
    struct watching w = {.o = options, .clock = clock_system};
    w.check = (struct pap_check_options){.alloc = options->alloc,
                                         .only = options->only,
                                         .skip = options->skip,
                                         .insecure_http = options->insecure_http,
                                         .jobs = JOBS,
                                         .network = options->network};
    arena_init(&w.arena, options->alloc);
    pap_result r = options->webhook ? webhook_check(options, err) : OK;
    if (is_ok(r))
        r = take_domains(&w, domains, n, err);
    if (is_ok(r))
        r = run(&w, err);
    survey_free(w.survey);
    for (size_t i = 0; i < w.n; i++)
        arena_fini(&w.domains[i].arena);
    arena_fini(&w.arena);
    if (is_ok(r))
        *ret = w.counts;
    return r;
}
