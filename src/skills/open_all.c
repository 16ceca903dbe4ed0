/* SPDX-License-Identifier: Apache-2.0
 *
 * Many origins at once, on one thread and one transport.
 */
#include "skills/open.h"

enum { STEP_MS = 100, AHEAD = 4 };

struct batch {
    struct pap_skill_client *client;
    const struct pap_skill_origin *origins;
    size_t n, started, finished;
    struct pap_skill_session **ret;
    struct pap_skill_err *errs;
    struct transport *below;
    struct opening *openings; /* `window` of them */
    bool *used;
    size_t *which;
    size_t window;
};

static struct pap_skill_err *err_of(const struct batch *b, size_t i)
{
    return b->errs ? &b->errs[i] : NULL;
}

static bool is_ours(pap_result r)
{
    return !is_ok(r) && r.code != PAP_REFUSED;
}

/* Origin i goes into a free place; one whose options make no sense is finished at once. */
static pap_result start(struct batch *b, size_t place, size_t i)
{
    struct pap_skill_session *s;
    TRY(session_new(b->client, &s, err_of(b, i)));
    pap_result r = origin_read(&s->arena, &b->origins[i], b->client->o.insecure_http, &s->origin, err_of(b, i));
    if (!is_ok(r)) {
        session_discard(s);
        b->finished++;
        return is_ours(r) ? r : OK;
    }
    b->used[place] = true;
    b->which[place] = i;
    opening_begin(&b->openings[place], s, b->below, false);
    return OK;
}

static pap_result end(struct batch *b, size_t place)
{
    struct opening *o = &b->openings[place];
    size_t i = b->which[place];
    pap_result r = o->result;
    if (is_ok(r))
        b->ret[i] = o->session;
    else
        session_discard(o->session);
    if (!is_ok(r) && b->errs)
        b->errs[i] = o->err;
    opening_fini(o);
    b->used[place] = false;
    b->finished++;
    return is_ours(r) ? r : OK;
}

static pap_result turn(struct batch *b, int *ret_ms)
{
    *ret_ms = STEP_MS;
    for (size_t place = 0; place < b->window; place++) {
        struct opening *o = &b->openings[place];
        int ms = STEP_MS;
        if (b->used[place] && o->done)
            TRY(end(b, place));
        if (!b->used[place] && b->started < b->n)
            TRY(start(b, place, b->started++));
        if (b->used[place] && !o->done)
            TRY(line_turn(&o->line, STEP_MS, &ms));
        if (b->used[place] && o->done)
            ms = 0;
        *ret_ms = ms < *ret_ms ? ms : *ret_ms;
    }
    return OK;
}

static pap_result run(struct batch *b, struct pap_skill_err *err)
{
    struct pap_err why = {0};
    while (b->finished < b->n) {
        int ms = 0;
        TRY(client_progress(b->client, PAP_SKILL_LISTING, b->finished, b->n, err));
        TRY(turn(b, &ms));
        if (b->finished == b->n)
            break;
        if (b->below->pending(b->below)) {
            pap_result r = b->below->step(b->below, ms, &why);
            if (!is_ok(r))
                return failure_tell(r, &why, err);
        } else if (ms) {
            b->client->nap(b->client, (uint32_t)ms);
        }
    }
    return OK;
}

static void abandon(struct batch *b)
{
    for (size_t place = 0; place < b->window; place++)
        if (b->used[place]) {
            session_discard(b->openings[place].session);
            opening_fini(&b->openings[place]);
        }
}

pap_result pap_skill_session_open_all(struct pap_skill_client *client, const struct pap_skill_origin *origins, size_t n,
                                      struct pap_skill_session **ret, struct pap_skill_err *errs)
{
    struct arena a;
    size_t window = (size_t)client->o.jobs * AHEAD;
    struct batch b = {.client = client, .origins = origins, .n = n, .ret = ret, .errs = errs};
    struct pap_skill_err err = {0};
    b.window = window < n ? window : n;
    for (size_t i = 0; i < n; i++) {
        ret[i] = NULL;
        if (errs)
            errs[i] = (struct pap_skill_err){0};
    }
    arena_init(&a, client->alloc);
    b.openings = arena_new_array(&a, b.window, struct opening);
    b.used = arena_new_array(&a, b.window, bool);
    b.which = arena_new_array(&a, b.window, size_t);
    pap_result r = b.openings && b.used && b.which ? client_take(client, &b.below, &err)
                                                   : failure_tell((pap_result){PAP_NO_MEMORY}, NULL, &err);
    if (is_ok(r)) {
        r = run(&b, &err);
        client_give(client, b.below, r);
        abandon(&b);
    }
    arena_fini(&a);
    for (size_t i = 0; !is_ok(r) && i < n; i++) {
        pap_skill_session_close(ret[i]);
        ret[i] = NULL;
        if (errs)
            errs[i] = err;
    }
    return r;
}
