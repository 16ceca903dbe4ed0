/* SPDX-License-Identifier: Apache-2.0 */
#include "publish/project.h"
#include "sys/stage.h"

static void tell(struct project *p, struct pap_publish_event e)
{
    if (p->o->event)
        p->o->event(p->o->ctx, &e);
}

static void tell_findings(struct project *p, const struct findings *f)
{
    for (size_t i = 0; i < f->n; i++) {
        p->counts.errors += f->items[i].severity == PAP_ERROR;
        p->counts.warnings += f->items[i].severity == PAP_WARNING;
        if (p->o->finding)
            p->o->finding(p->o->ctx, &f->items[i]);
    }
}

/* Everything of one skill, in one piece. */
static pap_result tell_skill(struct project *p, const struct skill *s)
{
    struct pap_str name = artifact_file(&p->arena, &s->artifact);
    struct pap_str path = ARENA_JOIN(&p->arena, S(ARTIFACTS_FOLDER "/"), name);
    if (!name.p || !path.p)
        return fail_memory(NULL);
    p->counts.fresh += s->state == PAP_PUBLISH_NEW;
    p->counts.changed += s->state == PAP_PUBLISH_CHANGED;
    p->counts.same += s->state == PAP_PUBLISH_SAME;
    p->counts.remembered += s->remembered;
    p->counts.files += s->n_files;
    p->counts.bytes += s->artifact.bytes;
    struct pap_str type = s->artifact.archive ? S("archive") : S("skill-md");
    tell(p, (struct pap_publish_event){.what = PAP_PUBLISH_SKILL,
                                       .state = s->state,
                                       .skill = s->name,
                                       .version = s->version,
                                       .path = path,
                                       .type = type,
                                       .digest = s->artifact.digest,
                                       .bytes = s->artifact.bytes});
    for (size_t i = 0; i < s->n_files; i++) {
        struct pap_str file = p->o->event ? shown(&p->arena, s->files[i]->path) : S("");
        if (!file.p)
            return fail_memory(NULL);
        tell(p, (struct pap_publish_event){
                    .what = PAP_PUBLISH_FILE, .skill = s->name, .path = file, .bytes = s->files[i]->size});
    }
    for (size_t i = 0; i < s->n_releases; i++) {
        const struct release *r = &s->releases[i];
        struct pap_str why = r->deprecated.p ? shown(&p->arena, r->deprecated) : S("");
        if (!why.p)
            return fail_memory(NULL);
        if (!r->current)
            tell(p, (struct pap_publish_event){.what = PAP_PUBLISH_RELEASE,
                                               .skill = s->name,
                                               .version = r->version.text,
                                               .digest = r->artifact.digest,
                                               .bytes = r->artifact.bytes,
                                               .text = why});
    }
    return OK;
}

static void tell_left_out(struct project *p, const struct skill *s)
{
    p->counts.left_out += s->n_left_out;
    for (size_t i = 0; i < s->n_left_out; i++)
        tell(p, (struct pap_publish_event){.what = PAP_PUBLISH_LEFT_OUT,
                                           .skill = s->name,
                                           .path = s->left_out[i].path,
                                           .text = s->left_out[i].why});
}

static void tell_all_findings(struct project *p)
{
    for (size_t i = 0; i < p->n_skills; i++)
        tell_findings(p, &p->skills[i].judged.findings);
    tell_findings(p, &p->judged.findings);
}

static pap_result check_index_size(struct project *p, struct pap_err *err)
{
    return p->index.n <= p->most_index || is_ok(find_own(&p->judged, "publish.size", S(INDEX_PATH_BELOW), str(NULL, 0),
                                                         0, "the index would have %zu bytes; clients read %llu",
                                                         p->index.n, (unsigned long long)p->most_index))
               ? OK
               : fail_memory(err);
}

/* From the skills to what is to be written; p->judged.refused when nothing may be. */
static pap_result make(struct project *p, struct pap_err *err)
{
    TRY(poppy_open(p, err));
    TRY(prior_read(p, err));
    if (!is_ok(memory_open(p)))
        return fail_memory(err);
    TRY(project_build(p, err));
    if (!p->judged.refused)
        TRY(prior_join(p, err));
    if (p->judged.refused)
        return OK;
    TRY(index_write(p, &p->index, err));
    TRY(poppy_write(p, err));
    TRY(legacy_write(p, err));
    return check_index_size(p, err);
}

static pap_result run(struct project *p, struct pap_err *err)
{
    TRY(make(p, err));
    p->counts.skills = p->n_skills;
    for (size_t i = 0; i < p->n_skills; i++)
        tell_left_out(p, &p->skills[i]);
    tell_all_findings(p);
    if (p->judged.refused)
        return OK;
    for (size_t i = 0; i < p->n_skills; i++)
        if (!is_ok(tell_skill(p, &p->skills[i])))
            return fail_memory(err);
    TRY(store_commit(p, err));
    if (project_writes(p))
        memory_save(p);
    return OK;
}

static pap_result open_and_run(struct project *p, struct pap_err *err)
{
    int lock = -1;
    TRY(project_open(p, err));
    pap_result r = store_open(p, &lock, err);
    if (is_ok(r))
        r = run(p, err);
    if (lock >= 0) { /* a failure before stays the reason */
        pap_result closed = store_close(p, is_ok(r) ? err : NULL);
        r = is_ok(r) ? closed : r;
    }
    folder_unlock(&lock);
    return r;
}

pap_result publish_run(const struct pap_publish_options *options, struct transport *transport,
                       struct pap_publish_counts *ret_counts, int *ret_exit, struct pap_err *err)
{
    struct project p = {.o = options, .transport = transport};
    arena_init(&p.arena, options->alloc);
    pap_result r = open_and_run(&p, err);
    if (is_ok(r)) {
        bool differs = options->mode == PAP_PUBLISH_CHECK && p.counts.written > 0;
        *ret_counts = p.counts;
        *ret_exit = p.judged.refused || differs ? 1 : 0;
    }
    for (size_t i = 0; i < WORKERS_MOST; i++)
        arena_fini(&p.kept[i]);
    origin_close(p.origin);
    arena_fini(&p.arena);
    return r;
}

pap_result pap_publish(const struct pap_publish_options *options, struct pap_publish_counts *ret_counts, int *ret_exit,
                       struct pap_err *err)
{
    return publish_run(options, NULL, ret_counts, ret_exit, err);
}
