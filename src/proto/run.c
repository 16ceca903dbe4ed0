/* SPDX-License-Identifier: Apache-2.0
 *
 * The runner: every row of the plan against every document, then the links between documents.
 */
#include "base/limits.h"
#include "proto/check.h"

static bool holds_for(const struct check *c, const struct bundle *b)
{
    return (c->sure | c->maybe) & b->version->bit;
}

static bool role_fits(const struct check *c, enum role role)
{
    if (c->roles)
        return c->roles & (1u << role);
    return role != ROLE_TWIN && role != ROLE_APPENDED && role != ROLE_HEAD;
}

static void say_how_many_more(struct run *r)
{
    size_t more = r->row_findings - LIMIT_FINDINGS_PER_ROW;
    r->row_findings = 0;
    find(r, NULL, "%zu more of these in this document are not shown", more);
}

static void run_row(struct run *r, const struct check *c)
{
    r->row = c;
    r->row_findings = 0;
    r->last = NULL;
    if (c->fields)
        fields_judge(r);
    if (c->fn)
        c->fn(r);
    if (r->row_findings > LIMIT_FINDINGS_PER_ROW)
        say_how_many_more(r);
}

static bool is_stopped(const struct run *r)
{
    return r->no_memory || !is_ok(r->failure);
}

static void run_rows(struct run *r, enum kind kind)
{
    for (size_t i = 0; i < r->plan->n[kind] && !is_stopped(r); i++) {
        const struct check *c = r->plan->rows[kind][i];
        bool fits = kind < KIND_COUNT || c->of == 0 || c->of & OF(r->doc->kind);
        if (fits && role_fits(c, r->doc->role) && holds_for(c, r->bundle))
            run_row(r, c);
    }
}

static void judge_document(struct run *r, const struct doc *d)
{
    r->doc = d;
    if (d->exchange)
        run_rows(r, KIND_EXCHANGE);
    if (d->notes.n || d->bytes.n > LIMIT_DOCUMENT_GOOD) /* else no row about the bytes has anything to say */
        run_rows(r, KIND_TEXT);
    run_rows(r, d->kind);
}

static bool has_kinds(const struct bundle *b, unsigned of)
{
    for (const struct doc *d = b->docs; d; d = d->next)
        if (d->bytes.p || d->exchange)
            of &= ~OF(d->kind);
    return of == 0;
}

static void judge_links(struct run *r)
{
    for (size_t i = 0; i < r->plan->n[KIND_LINKS] && !is_stopped(r); i++) {
        const struct check *c = r->plan->rows[KIND_LINKS][i];
        r->doc = NULL;
        if (has_kinds(r->bundle, c->of) && holds_for(c, r->bundle))
            run_row(r, c);
    }
}

pap_result judge(struct arena *a, const struct plan *plan, const struct bundle *b, struct findings *out,
                 struct pap_err *err)
{
    struct run r = {.arena = a, .plan = plan, .bundle = b, .out = out};
    for (const struct doc *d = b->docs; d && !is_stopped(&r); d = d->next)
        if (!bundle_has_before(b, d))
            judge_document(&r, d);
    if (plan->n[KIND_LINKS] && b->n_docs > 1)
        judge_links(&r);
    if (r.no_memory)
        return fail_memory(err);
    if (!is_ok(r.failure) && err)
        *err = r.err;
    return r.failure;
}
