/* SPDX-License-Identifier: Apache-2.0
 *
 * The layout of Agent Skills Discovery 0.1 (agent-skills 3.12): .well-known/skills/NAME/PATH for every file, and an index
 * without digests, for clients that know no other. Files are replaced one by one, each whole; the index is written last.
 */
#include "base/limits.h"
#include "publish/project.h"
#include "sys/file.h"
#include "sys/stage.h"
#include "text/json_write.h"

static struct pap_str place_of_file(const struct project *p, struct arena *a, const struct skill *s, size_t i)
{
    return arena_fmt(a, "%s/" LEGACY_FOLDER "/%.*s/%.*s", p->out, PSTR(s->name), PSTR(s->files[i]->path));
}

static struct pap_str place_aside(const struct project *p, struct arena *a, const struct skill *s, size_t i)
{
    return arena_fmt(a, "%s/" STAGING_FOLDER "/legacy-%.*s-%zu", p->out, PSTR(s->name), i);
}

pap_result legacy_lay_aside(const struct project *p, struct skill *s, struct arena *scratch,
                            const struct pap_str *files, struct pap_err *err)
{
    if (!p->o->legacy)
        return OK;
    s->legacy_differs = arena_new_array(s->arena, s->n_files, bool);
    if (!s->legacy_differs)
        return fail_memory(err);
    for (size_t i = 0; i < s->n_files; i++) {
        struct pap_str to = place_of_file(p, scratch, s, i), aside = place_aside(p, scratch, s, i);
        if (!to.p || !aside.p)
            return fail_memory(err);
        s->legacy_differs[i] = !file_is(scratch, to.p, files[i]);
        if (s->legacy_differs[i] && project_writes(p))
            TRY(stage_write(aside.p, files[i], NULL, err));
    }
    return OK;
}

/* SKILL.md stands first. */
static void write_files(struct json_writer *w, const struct skill *s)
{
    json_write_key(w, "files");
    json_array_begin(w);
    json_write_cstr(w, "SKILL.md");
    for (size_t i = 0; i < s->n_files; i++)
        if (!str_is(s->files[i]->path, "SKILL.md"))
            json_write_str(w, s->files[i]->path);
    json_array_end(w);
}

pap_result legacy_write(struct project *p, struct pap_err *err)
{
    struct buf b __attribute__((cleanup(buf_fini))) = {0};
    struct json_writer w;
    if (!p->o->legacy)
        return OK;
    buf_init(&b, p->o->alloc, LIMIT_REPORT);
    json_writer_init(&w, &b, 2);
    json_object_begin(&w);
    json_write_key(&w, "skills");
    json_array_begin(&w);
    for (size_t i = 0; i < p->n_skills; i++) {
        json_object_begin(&w);
        json_write_key(&w, "name");
        json_write_str(&w, p->skills[i].name);
        json_write_key(&w, "description");
        json_write_str(&w, p->skills[i].description);
        write_files(&w, &p->skills[i]);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
    buf_char(&b, '\n');
    TRY(buf_result(&b, err));
    p->legacy = arena_str(&p->arena, buf_str(&b));
    return p->legacy.p ? OK : fail_memory(err);
}

/* ---- on disk ---- */

/* Makes the folders above a file, from the tree on. */
static pap_result make_folders(struct project *p, struct pap_str path, struct pap_err *err)
{
    for (size_t i = strlen(p->out) + 1; i < path.n; i++) {
        if (path.p[i] != '/')
            continue;
        const char *folder = arena_cstr(&p->arena, str_take(path, i));
        if (!folder)
            return fail_memory(err);
        TRY(folder_make_real(folder, err));
    }
    return OK;
}

static pap_result move_file(struct project *p, const struct skill *s, size_t i, struct pap_err *err)
{
    struct pap_str to = place_of_file(p, &p->arena, s, i), from = place_aside(p, &p->arena, s, i);
    if (!to.p || !from.p)
        return fail_memory(err);
    tell_output(p, PAP_PUBLISH_OUTPUT, file_type_of(to.p) == FILE_NONE ? PAP_PUBLISH_NEW : PAP_PUBLISH_CHANGED,
                to.p + strlen(p->out) + 1, s->files[i]->size);
    if (!project_writes(p))
        return OK;
    TRY(make_folders(p, to, err));
    return stage_move(from.p, to.p, err);
}

static pap_result take_away(struct project *p, struct pap_err *err)
{
    struct pap_str folder = arena_fmt(&p->arena, "%s/" LEGACY_FOLDER, p->out);
    struct tree t;
    if (!folder.p)
        return fail_memory(err);
    if (file_type_of(folder.p) != FILE_FOLDER)
        return OK;
    TRY(tree_list(&p->arena, folder.p, LIMIT_WALK_FILES, LIMIT_ARCHIVE_DEPTH + 1, NULL, NULL, &t, err));
    for (size_t i = t.n; i > 0; i--) {
        const struct tree_entry *e = &t.entries[i - 1];
        if (e->type != TREE_FILE || str_is(e->path, "index.json") || has_file_named(p, e->path))
            continue;
        struct pap_str path = arena_fmt(&p->arena, "%.*s/%.*s", PSTR(folder), PSTR(e->path));
        if (!path.p)
            return fail_memory(err);
        tell_output(p, PAP_PUBLISH_OUTPUT, PAP_PUBLISH_GONE, path.p + strlen(p->out) + 1, 0);
        if (project_writes(p))
            TRY(stage_remove(path.p, err));
    }
    return OK;
}

pap_result legacy_commit(struct project *p, struct pap_err *err)
{
    struct pap_str to = arena_fmt(&p->arena, "%s/" LEGACY_FOLDER "/index.json", p->out);
    struct pap_str from = arena_fmt(&p->arena, "%s/" STAGING_FOLDER "/legacy.json", p->out);
    if (!to.p || !from.p)
        return fail_memory(err);
    if (!p->o->legacy)
        return OK;
    for (size_t i = 0; i < p->n_skills; i++)
        for (size_t k = 0; k < p->skills[i].n_files; k++)
            if (p->skills[i].legacy_differs[k])
                TRY(move_file(p, &p->skills[i], k, err));
    bool there = file_type_of(to.p) != FILE_NONE;
    if (!file_is(&p->arena, to.p, p->legacy)) {
        tell_output(p, PAP_PUBLISH_OUTPUT, there ? PAP_PUBLISH_CHANGED : PAP_PUBLISH_NEW, LEGACY_FOLDER "/index.json",
                    p->legacy.n);
        if (project_writes(p)) {
            TRY(make_folders(p, to, err));
            TRY(stage_move(from.p, to.p, err));
        }
    }
    return take_away(p, err);
}
