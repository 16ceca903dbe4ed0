/* SPDX-License-Identifier: Apache-2.0 */
#include "check/checker.h"

#include <assert.h>
#include <stdio.h>

#include "base/limits.h"
#include "sys/file.h"

enum { JOBS = 16 };

/* ---- slots ---- */

struct slot *checker_take_slot(struct checker *c, struct pap_str target)
{
    struct slot *s = c->free_slots;
    if (s) {
        c->free_slots = s->next;
        *s = (struct slot){.arena = s->arena, .next_made = s->next_made};
        arena_reset(&s->arena);
    } else {
        s = arena_new(&c->arena, struct slot);
        if (!s)
            return NULL;
        arena_init(&s->arena, c->o->alloc);
        s->next_made = c->made;
        c->made = s;
    }
    s->checker = c;
    s->bundle.now = c->now;
    s->bundle.domain = S("");
    s->started_ms = c->clock.monotonic_ms(&c->clock);
    s->target = arena_str(&s->arena, target);
    if (!s->target.p)
        return NULL;
    return s;
}

static void free_slots(struct slot *s)
{
    for (; s; s = s->next_made)
        arena_fini(&s->arena);
}

/* ---- judging and reporting ---- */

pap_result checker_judge(struct checker *c, struct slot *s, struct pap_err *err)
{
    bundle_choose_version(&s->bundle, c->as);
    s->done = true;
    return judge(&s->arena, &c->plan, &s->bundle, &s->findings, err);
}

static void count(struct checker *c, const struct pap_finding *f)
{
    if (f->known) {
        c->counts.known++;
        return;
    }
    c->counts.errors += f->severity == PAP_ERROR;
    c->counts.warnings += f->severity == PAP_WARNING;
    c->counts.infos += f->severity == PAP_INFO;
    if (f->severity > c->worst)
        c->worst = f->severity;
}

/* Hands over what the report wrote. */
static pap_result flush(struct checker *c, struct pap_err *err)
{
    TRY(report_result(&c->report, err));
    struct pap_str out = buf_str(&c->report.out);
    if (out.n && c->o->write && !c->o->write(c->o->ctx, out.p, out.n))
        return fail(err, PAP_IO, "the report could not be written");
    buf_reset(&c->report.out);
    return OK;
}

static pap_result tell_progress(struct checker *c, const struct slot *s, struct pap_err *err)
{
    char name[128];
    if (!c->o->progress)
        return OK;
    snprintf(name, sizeof name, "%.*s", PSTR(s->target));
    for (char *p = name; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    struct pap_progress p = {.done = c->reported, .total = c->total, .now = name, .errors = c->counts.errors};
    return c->o->progress(c->o->ctx, &p) ? OK : fail(err, PAP_CANCELLED, "cancelled");
}

static size_t count_requests(const struct bundle *b)
{
    size_t n = 0;
    for (const struct doc *d = b->docs; d; d = d->next)
        if (d->exchange && (!d->from || d->exchange != d->from->exchange))
            n += d->exchange->n_hops;
    return n;
}

void checker_target(const struct checker *c, struct slot *s, struct report_target *ret)
{
    if (!s->bundle.version)
        bundle_choose_version(&s->bundle, c->as);
    *ret = (struct report_target){
        .target = s->target,
        .bundle = &s->bundle,
        .findings = s->findings.items,
        .n_findings = s->findings.n,
        .failure = s->failure,
        .ms = (uint32_t)(c->clock.monotonic_ms(&c->clock) - s->started_ms),
    };
    plan_count(&c->plan, s->bundle.version, &ret->certain, &ret->provisional);
}

void checker_put_slot(struct checker *c, struct slot *s)
{
    s->next = c->free_slots;
    c->free_slots = s;
}

pap_result checker_report(struct checker *c, struct slot *s, struct pap_err *err)
{
    struct report_target t;
    checker_target(c, s, &t);
    for (size_t i = 0; i < s->findings.n; i++) {
        struct pap_finding *f = &s->findings.items[i];
        f->known = baseline_knows(&c->known, f);
        count(c, f);
        if (c->o->write_baseline && !is_ok(baseline_add(&c->arena, &c->fresh, f)))
            return fail_memory(err);
        if (c->o->finding)
            c->o->finding(c->o->ctx, f);
    }
    c->counts.unjudged += s->failure.p != NULL;
    c->counts.targets++;
    c->counts.documents += s->failure.p ? 0 : s->bundle.n_docs;
    c->counts.requests += count_requests(&s->bundle);
    c->reported++;
    if (c->o->write)
        report_target(&c->report, &t);
    TRY(flush(c, err));
    TRY(tell_progress(c, s, err));
    checker_put_slot(c, s);
    return OK;
}

/* ---- targets, in order ---- */

static pap_result read_stdin(struct checker *c, struct slot *s, struct pap_err *err)
{
    struct pap_str bytes;
    struct pap_err why = {0};
    pap_result r = fd_read(&s->arena, 0, kind_row(c->kind ? c->kind : KIND_OPENAPI)->cap, &bytes, &why);
    if (r.code == PAP_NO_MEMORY)
        return fail_memory(err);
    if (!is_ok(r)) {
        s->failure = arena_fmt(&s->arena, "standard input: %s", why.text);
        return s->failure.p ? OK : fail_memory(err);
    }
    return is_ok(slot_add_bytes(s, S("<stdin>"), bytes, c->kind)) ? OK : fail_memory(err);
}

pap_result checker_add_file(struct checker *c, struct slot *s, const char *path, enum kind kind, const char *site,
                            struct pap_err *err)
{
    const struct pap_check_options *o = c->o;
    if ((o->output && file_is_same(path, o->output)) || (o->write_baseline && file_is_same(path, o->write_baseline)))
        return fail(err, PAP_USAGE, "%s is checked, so nothing else is written there; name another file", path);
    return slot_add_file(s, path, kind, site, err);
}

/* Takes a target up: a local one is judged at once, a remote one is under way afterwards. */
static pap_result start(struct checker *c, const char *word, struct slot **ret, struct pap_err *err)
{
    enum target_type type;
    struct pap_err why = {0};
    struct slot *s = checker_take_slot(c, str_c(word));
    if (!s)
        return fail_memory(err);
    *ret = s;
    pap_result r = target_classify(word, c->o->insecure_http, &type, &why);
    if (r.code == PAP_USAGE) {
        if (err)
            *err = why;
        return r;
    }
    if (!is_ok(r)) {
        s->failure = arena_str(&s->arena, str_c(why.text));
        s->done = true;
        return s->failure.p ? OK : fail_memory(err);
    }
    if (type == TARGET_DOMAIN || type == TARGET_URL)
        return checker_start_remote(c, s, type, err);
    TRY(type == TARGET_STDIN ? read_stdin(c, s, err) : checker_add_file(c, s, word, c->kind, NULL, err));
    if (c->o->online && !c->o->offline && !s->failure.p)
        return checker_go_online(c, s, err);
    return checker_judge(c, s, err);
}

static bool is_folder(const char *word, bool insecure_http)
{
    enum target_type type;
    return is_ok(target_classify(word, insecure_http, &type, NULL)) && type == TARGET_FOLDER;
}

/* Lets the transport work for a while. The caller of the library hears of it, so that it can cancel: a host that does not
 * answer takes half a minute. */
static pap_result wait(struct checker *c, const struct slot *s, struct pap_err *err)
{
    enum { STEP_MS = 200 };
    TRY(c->transport->step(c->transport, STEP_MS, err));
    return tell_progress(c, s, err);
}

static pap_result finish(struct checker *c, struct slot *s, struct pap_err *err)
{
    while (!s->done)
        TRY(wait(c, s, err));
    if (s->crawl)
        TRY(checker_finish_remote(c, s, err));
    return checker_report(c, s, err);
}

/* Starts targets ahead of the one to report next, so that many crawls share the transport, and reports in order. */
static pap_result run_targets(struct checker *c, const char *const *targets, size_t n, struct pap_err *err)
{
    size_t jobs = c->o->jobs ? c->o->jobs : JOBS, window = jobs * 4;
    assert(window > 0);
    struct slot **ring = arena_new_array(&c->arena, window, struct slot *);
    if (!ring)
        return fail_memory(err);
    size_t started = 0, reported = 0;
    c->total += n;
    while (reported < n) {
        if (started < n && started - reported < window && c->in_flight < jobs) {
            if (is_folder(targets[started], c->o->insecure_http)) {
                for (; reported < started; reported++)
                    TRY(finish(c, ring[reported % window], err));
                c->total--; /* counted by what is found in it */
                TRY(checker_folder(c, targets[started++], err));
                reported++;
                continue;
            }
            TRY(start(c, targets[started], &ring[started % window], err));
            started++;
        } else if (!ring[reported % window]->done) {
            TRY(wait(c, ring[reported % window], err));
        }
        while (reported < started && ring[reported % window]->done) {
            TRY(finish(c, ring[reported % window], err));
            reported++;
        }
    }
    return OK;
}

/* ---- the run ---- */

pap_result checker_make_ready(struct checker *c, struct pap_err *err)
{
    const struct pap_check_options *o = c->o;
    c->clock = clock_system;
    c->now = o->now ? o->now : c->clock.unix_seconds(&c->clock);
    TRY(plan_make(&c->arena, PROFILE_CHECK, o->only, o->skip, &c->plan, err));
    if (o->as_version && !(c->as = version_find(str_c(o->as_version))))
        return fail(err, PAP_USAGE, "version \"%s\" is not known; known are 0.1, 0.2, 0.3, 0.4 and 1.0", o->as_version);
    if (o->kind && !(c->kind = kind_find(str_c(o->kind))))
        return fail(err, PAP_USAGE,
                    "kind \"%s\" is not known; known are poppy, metadata, resource, client, jwks, index, skill, "
                    "archive and openapi",
                    o->kind);
    if (o->baseline)
        TRY(baseline_read(&c->arena, o->baseline, &c->known, err));
    if (o->baseline && o->output && file_is_same(o->baseline, o->output))
        return fail(err, PAP_USAGE, "the report would replace the baseline %s; name another file", o->baseline);
    if (o->write_baseline)
        TRY(baseline_may_replace(&c->arena, o->write_baseline, err));
    report_init(&c->report, o->alloc);
    c->report.format = o->format;
    c->report.color = o->color;
    c->report.quiet = o->quiet;
    c->report.exchanges = o->exchanges;
    c->report.width = o->width ? o->width : 100;
    c->report.now = c->now;
    c->report.proxied = o->network.proxy != NULL;
    c->report.fail_on = o->fail_on ? o->fail_on : PAP_ERROR;
    return OK;
}

static pap_result list_stale(struct checker *c, struct report_total *total, struct pap_err *err)
{
    struct pap_str *stale = arena_new_array(&c->arena, c->known.n, struct pap_str);
    if (!stale)
        return fail_memory(err);
    for (size_t i = 0; i < c->known.n; i++) {
        if (c->known.entries[i].seen)
            continue;
        stale[total->n_stale] = baseline_text(&c->arena, &c->known.entries[i]);
        if (!stale[total->n_stale++].p)
            return fail_memory(err);
    }
    total->stale = stale;
    c->counts.stale_baseline = total->n_stale;
    return OK;
}

static pap_result finish_run(struct checker *c, int *ret_exit, struct pap_err *err)
{
    struct report_total total = {.fail_on = c->report.fail_on};
    TRY(list_stale(c, &total, err));
    if (c->o->write_baseline && !c->counts.unjudged) /* what could not be judged may still have what was known of it */
        TRY(baseline_write(c->o->alloc, &c->fresh, c->o->write_baseline, err));
    bool found = c->worst >= c->report.fail_on || c->counts.stale_baseline;
    total.exit = c->counts.unjudged ? 3 : found ? 1 : 0;
    total.counts = c->counts;
    if (c->o->write)
        report_end(&c->report, &total);
    TRY(flush(c, err));
    *ret_exit = total.exit;
    return OK;
}

static pap_result run(struct checker *c, const char *const *targets, size_t n, int *ret_exit, struct pap_err *err)
{
    TRY(checker_make_ready(c, err));
    c->report.many = n > 1 || (n == 1 && is_folder(targets[0], c->o->insecure_http));
    if (c->o->write)
        report_begin(&c->report);
    TRY(flush(c, err));
    TRY(run_targets(c, targets, n, err));
    return finish_run(c, ret_exit, err);
}

void checker_fini(struct checker *c)
{
    if (c->transport && c->own_transport)
        c->transport->free(c->transport);
    report_fini(&c->report);
    free_slots(c->made);
    arena_fini(&c->arena);
}

pap_result checker_run(const struct pap_check_options *o, struct transport *transport, const char *const *targets,
                       size_t n, struct pap_counts *ret_counts, int *ret_exit, struct pap_err *err)
{
    struct checker c = {.o = o, .transport = transport};
    arena_init(&c.arena, o->alloc);
    pap_result r = run(&c, targets, n, ret_exit, err);
    checker_fini(&c);
    if (is_ok(r) && ret_counts)
        *ret_counts = c.counts;
    return r;
}

pap_result pap_check(const struct pap_check_options *options, const char *const *targets, size_t n,
                     struct pap_counts *ret_counts, int *ret_exit, struct pap_err *err)
{
    static const struct pap_check_options defaults;
    return checker_run(options ? options : &defaults, NULL, targets, n, ret_counts, ret_exit, err);
}
