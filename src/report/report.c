/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of formats, and the one way through them: begin, targets, end. A failure of any buffer is kept here, because
 * the caller empties `out` between the calls.
 */
#include "report/format.h"

static const struct report_format *const formats[] = {
    [PAP_TEXT] = &format_text,         [PAP_JSON] = &format_json,     [PAP_SARIF] = &format_sarif,
    [PAP_JUNIT] = &format_junit,       [PAP_GITHUB] = &format_github, [PAP_HTML] = &format_html,
    [PAP_MARKDOWN] = &format_markdown,
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

bool pap_format_find(const char *name, enum pap_format *ret)
{
    for (unsigned i = 0; i < FORMATS; i++)
        if (str_eq(str_c(name), str_c(formats[i]->name))) {
            *ret = (enum pap_format)i;
            return true;
        }
    return false;
}

void report_init(struct report *r, const struct pap_alloc *alloc)
{
    *r = (struct report){.fail_on = PAP_ERROR};
    arena_init(&r->arena, alloc);
    struct buf *const bufs[] = {&r->out, &r->scratch, &r->body, &r->more};
    for (size_t i = 0; i < sizeof bufs / sizeof bufs[0]; i++)
        buf_init(bufs[i], alloc, LIMIT_REPORT);
}

void report_fini(struct report *r)
{
    buf_fini(&r->out);
    buf_fini(&r->scratch);
    buf_fini(&r->body);
    buf_fini(&r->more);
    arena_fini(&r->arena);
}

static void keep_failure(struct report *r)
{
    const struct buf *const bufs[] = {&r->out, &r->scratch, &r->body, &r->more};
    for (size_t i = 0; i < sizeof bufs / sizeof bufs[0]; i++)
        if (r->code == PAP_OK)
            r->code = bufs[i]->code;
}

struct buf *report_scratch(struct report *r)
{
    keep_failure(r);
    buf_reset(&r->scratch);
    return &r->scratch;
}

struct pap_str report_kept(struct report *r)
{
    struct pap_str s = arena_str(&r->arena, buf_str(&r->scratch));
    if (!s.p)
        r->code = PAP_NO_MEMORY;
    return s.p ? s : S("");
}

void report_begin(struct report *r)
{
    formats[r->format]->begin(r);
    keep_failure(r);
}

void report_target(struct report *r, const struct report_target *t)
{
    if (r->code != PAP_OK)
        return;
    arena_reset(&r->arena);
    formats[r->format]->target(r, t);
    r->n_targets++;
    r->n_failed += t->failure.p != NULL;
    keep_failure(r);
}

void report_end(struct report *r, const struct report_total *total)
{
    if (r->code != PAP_OK)
        return;
    arena_reset(&r->arena);
    formats[r->format]->end(r, total);
    keep_failure(r);
}

pap_result report_result(const struct report *r, struct pap_err *err)
{
    if (r->code == PAP_LIMIT)
        return fail(err, PAP_LIMIT, "the report is longer than %d bytes", LIMIT_REPORT);
    return r->code == PAP_OK ? OK : fail_memory(err);
}
