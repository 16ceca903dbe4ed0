/* SPDX-License-Identifier: Apache-2.0
 *
 * Each skill by itself: its files chosen, read, judged, packed, hashed and laid aside. Skills share nothing but the
 * staging folder, whose names are digests, so that any number of threads build them.
 */
#include <pthread.h>

#include "base/limits.h"
#include "publish/project.h"
#include "sys/stage.h"

struct work {
    struct project *p;
    atomic_size_t next, done;
    atomic_bool stop;
};

struct worker {
    struct work *work;
    struct arena scratch; /* of one skill */
    struct arena *kept;
    struct packer *packer;
    struct buf out;
    bool started;
    pthread_t thread;
};

static pap_result limit(struct skill *s, const char *fmt, uint64_t most, struct pap_str what)
{
    struct pap_str file = arena_fmt(s->arena, "%.*s%s%.*s", PSTR(s->path), what.n ? "/" : "", PSTR(what));
    if (!file.p)
        return fail_memory(NULL);
    return find_own(&s->judged, "archive.limits", file, str(NULL, 0), 0, "%s %llu bytes", fmt,
                    (unsigned long long)most);
}

/* Before a byte is read. */
static pap_result check_sizes(const struct project *p, struct skill *s, bool *ret_too_much)
{
    uint64_t sum = 0;
    size_t before = s->judged.findings.n;
    for (size_t i = 0; i < s->n_files; i++) {
        sum += s->files[i]->size;
        if (s->files[i]->size > p->limits.file)
            TRY(limit(s, "the file is larger than", p->limits.file, s->files[i]->path));
    }
    if (sum > p->limits.unpacked)
        TRY(limit(s, "the skill's files are larger than", p->limits.unpacked, S("")));
    if (s->n_files > p->limits.files) {
        TRY(find_own(&s->judged, "archive.limits", s->path, str(NULL, 0), 0, "the skill has %zu files; clients take %u",
                     s->n_files, p->limits.files));
    }
    *ret_too_much = s->judged.findings.n > before;
    return OK;
}

static pap_result read_files(struct worker *w, struct skill *s, struct pap_str **ret, struct pap_err *err)
{
    struct pap_str *files = arena_new_array(&w->scratch, s->n_files, struct pap_str);
    if (!files)
        return fail_memory(err);
    for (size_t i = 0; i < s->n_files; i++) {
        bool changed;
        TRY(tree_read(&w->scratch, s->full, s->files[i], &files[i], &changed, err));
        if (!changed)
            continue;
        struct pap_str file = arena_fmt(&w->scratch, "%.*s/%.*s", PSTR(s->path), PSTR(s->files[i]->path));
        if (!file.p || !is_ok(find_own(&s->judged, "publish.changed", file, str(NULL, 0), 0,
                                       "the file changed while it was read")))
            return fail_memory(err);
        files[i] = S("");
    }
    *ret = files;
    return OK;
}

/* ---- the artifact ---- */

static pap_result pack(struct worker *w, struct skill *s, const struct pap_str *files, struct pap_str *ret,
                       struct pap_err *err)
{
    const struct project *p = w->work->p;
    enum pack_format format = p->o->zip ? PACK_ZIP : PACK_TAR_GZ;
    struct pack_file *parts = arena_new_array(&w->scratch, s->n_files, struct pack_file);
    s->artifact.archive = s->n_files > 1 || p->o->archive;
    s->artifact.suffix = s->artifact.archive ? pack_suffix(format) : ".md";
    *ret = files[0];
    if (!s->artifact.archive)
        return OK;
    if (!parts)
        return fail_memory(err);
    for (size_t i = 0; i < s->n_files; i++)
        parts[i] = (struct pack_file){s->files[i]->path, files[i], p->o->executable && (s->files[i]->mode & 0111)};
    buf_reset(&w->out);
    w->out.max = (size_t)p->most_archive;
    pap_result r = pack_write(w->packer, format, parts, s->n_files, &w->out, err);
    if (r.code == PAP_LIMIT) {
        return is_ok(find_own(&s->judged, "archive.limits", s->path, str(NULL, 0), 0, "the archive cannot be made: %s",
                              err->text))
                   ? OK
                   : fail_memory(err);
    }
    *ret = buf_str(&w->out);
    return r;
}

static pap_result lay_aside(struct worker *w, struct skill *s, struct pap_str bytes, struct pap_err *err)
{
    const struct project *p = w->work->p;
    struct pap_str name = artifact_file(&w->scratch, &s->artifact);
    struct pap_str there = arena_fmt(&w->scratch, "%s/" ARTIFACTS_FOLDER "/%.*s", p->out, PSTR(name));
    int64_t time;
    bool twice;
    if (!name.p || !there.p)
        return fail_memory(err);
    s->artifact_state = file_is(&w->scratch, there.p, bytes) ? PAP_PUBLISH_SAME
                        : file_time(there.p, &time)          ? PAP_PUBLISH_CHANGED
                                                             : PAP_PUBLISH_NEW;
    return s->artifact_state == PAP_PUBLISH_SAME || !project_writes(p)
               ? OK
               : store_aside(p, &w->scratch, name.p, bytes, &twice, err);
}

static pap_result make_artifact(struct worker *w, struct skill *s, const struct pap_str *files, struct pap_err *err)
{
    struct pap_str bytes = {0};
    struct digest digest;
    char text[DIGEST_TEXT + 1];
    TRY(pack(w, s, files, &bytes, err));
    if (s->judged.refused)
        return OK;
    TRY(digest_sha256(&bytes, 1, &digest, err));
    digest_text(&digest, text);
    s->artifact.digest = arena_str(s->arena, str(text, DIGEST_TEXT));
    s->artifact.bytes = bytes.n;
    if (!s->artifact.digest.p)
        return fail_memory(err);
    TRY(lay_aside(w, s, bytes, err));
    return legacy_lay_aside(w->work->p, s, &w->scratch, files, err);
}

static pap_result build(struct worker *w, struct skill *s, struct pap_err *err)
{
    const struct project *p = w->work->p;
    struct pack entries;
    struct pap_str *files = NULL;
    bool too_much = false;
    s->arena = w->kept;
    s->judged = (struct judgement){.arena = w->kept, .strict = p->o->strict};
    arena_reset(&w->scratch);
    TRY(skill_select(p, s, &w->scratch, &entries, err));
    if (!is_ok(memory_find(p, s, &w->scratch)))
        return fail_memory(err);
    if (s->remembered)
        return OK;
    if (!is_ok(check_sizes(p, s, &too_much)))
        return fail_memory(err);
    if (too_much || !entries.format)
        return OK;
    TRY(read_files(w, s, &files, err));
    pap_result r = skill_judge(p, s, &w->scratch, files, &entries, err);
    if (r.code == PAP_NO_MEMORY)
        return fail_memory(err);
    TRY(r);
    return s->judged.refused ? OK : make_artifact(w, s, files, err);
}

/* ---- threads ---- */

static void tell_progress(struct work *work)
{
    const struct pap_publish_options *o = work->p->o;
    struct pap_progress now = {.done = work->done, .total = work->p->n_skills, .now = "skills"};
    if (o->progress && !o->progress(o->ctx, &now))
        work->stop = true;
}

static void run(struct worker *w, bool tells)
{
    struct work *work = w->work;
    while (!work->stop) {
        size_t i = atomic_fetch_add(&work->next, 1);
        if (i >= work->p->n_skills)
            return;
        struct skill *s = &work->p->skills[i];
        s->result = build(w, s, &s->err);
        if (!is_ok(s->result))
            work->stop = true;
        atomic_fetch_add(&work->done, 1);
        if (tells)
            tell_progress(work);
    }
}

static void *run_thread(void *ctx)
{
    run(ctx, false);
    return NULL;
}

static pap_result open_worker(struct worker *w, struct work *work, struct arena *kept, struct pap_err *err)
{
    const struct pap_alloc *alloc = work->p->o->alloc;
    *w = (struct worker){.work = work, .kept = kept};
    arena_init(kept, alloc);
    arena_init(&w->scratch, alloc);
    buf_init(&w->out, alloc, 0);
    return packer_new(alloc, &w->packer, err);
}

static void close_worker(struct worker *w)
{
    if (w->started)
        (void)pthread_join(w->thread, NULL);
    packer_free(w->packer);
    buf_fini(&w->out);
    arena_fini(&w->scratch);
}

static unsigned count_workers(const struct project *p)
{
    unsigned n = p->o->jobs ? p->o->jobs : cores();
    n = n > WORKERS_MOST ? WORKERS_MOST : n;
    n = n > p->n_skills / 4 + 1 ? (unsigned)(p->n_skills / 4 + 1) : n;
    return p->o->alloc || n == 0 ? 1 : n; /* an allocator of the caller's need not be safe for threads */
}

pap_result project_build(struct project *p, struct pap_err *err)
{
    struct work work = {.p = p};
    struct worker workers[WORKERS_MOST] = {0};
    unsigned n = count_workers(p), opened = 0;
    pap_result r = OK;
    for (; opened < n && is_ok(r); opened++)
        r = open_worker(&workers[opened], &work, &p->kept[opened], err);
    for (unsigned i = 1; i < n && is_ok(r); i++)
        workers[i].started = pthread_create(&workers[i].thread, NULL, run_thread, &workers[i]) == 0;
    if (is_ok(r))
        run(&workers[0], true);
    for (unsigned i = 0; i < opened; i++)
        close_worker(&workers[i]);
    TRY(r);
    for (size_t i = 0; i < p->n_skills; i++) {
        const struct skill *s = &p->skills[i];
        if (!is_ok(s->result))
            return fail(err, s->result.code, "%s", s->err.text);
        p->judged.refused |= s->judged.refused;
    }
    return work.stop ? fail(err, PAP_CANCELLED, "cancelled") : OK;
}
