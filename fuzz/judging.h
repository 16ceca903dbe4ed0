/* SPDX-License-Identifier: Apache-2.0
 *
 * What the fuzz targets that judge documents have in common: one document to findings, and what must be true of every
 * finding (papaver/check.h).
 */
#ifndef FUZZ_JUDGING_H
#define FUZZ_JUDGING_H

#include <assert.h>

#include "proto/check.h"
#include "text/utf8.h"

static inline void must_be_clean(struct pap_str s)
{
    uint32_t code;
    size_t n;
    for (size_t i = 0; i < s.n; i += n) {
        n = utf8_decode(str_skip(s, i), &code);
        assert(n && !utf8_is_unsafe(code));
    }
}

static inline void must_be_finding(const struct pap_finding *f)
{
    struct pap_str parts[] = {f->message, f->mend, f->at, f->excerpt, f->where, f->version};
    assert(check_find(str_c(f->id)) != NULL && f->message.n && f->where.n);
    assert(f->severity >= PAP_INFO && f->severity <= PAP_ERROR && (!f->provisional || f->severity == PAP_INFO));
    assert((f->line > 0) == (f->column > 0) && (!f->excerpt.n || f->line));
    assert(!f->excerpt.n || (f->excerpt_column > 0 && f->excerpt_column <= utf8_count(f->excerpt) + 1));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        must_be_clean(parts[i]);
}

/* Judges one document, and what is inside it, by every row. */
static inline void judge_document(struct arena *a, struct doc d, const struct version *as)
{
    static struct arena kept; /* the plan is the same for every input */
    static struct plan plan;
    struct bundle b = {.domain = S("shop.example"), .now = 1796040000, .mcp_asked = true};
    struct findings out = {0};
    if (!kept.head)
        assert(is_ok(plan_make(&kept, PROFILE_CHECK, NULL, NULL, &plan, NULL)));
    assert(is_ok(doc_read(a, &d)));
    struct doc *added = bundle_add(&b, a, d);
    assert(added && is_ok(bundle_add_inside(&b, a, added)));
    b.first = d.exchange ? added : NULL;
    bundle_choose_version(&b, as);
    assert(is_ok(judge(a, &plan, &b, &out, NULL)));
    for (size_t i = 0; i < out.n; i++)
        must_be_finding(&out.items[i]);
    for (const struct note *n = d.notes.first; n; n = n->next) /* what is broken is said */
        assert(!n->fatal || out.n > 0);
}

#endif
