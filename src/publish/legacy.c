/* SPDX-License-Identifier: Apache-2.0
 *
 * The layout of Agent Skills Discovery 0.1 (agent-skills 3.12): .well-known/skills/NAME/PATH for every file, and an index
 * without digests, for clients that know no other. Files are replaced one by one, each whole; the index is written last.
 *
 * Its names do not say who made a file, as those of artifacts do. So a list beside the index says which are a publisher's,
 * from before the first of them is there until after the last one is gone; no other file is replaced or taken away.
 */
#include "base/limits.h"
#include "publish/project.h"
#include "sys/file.h"
#include "sys/stage.h"
#include "text/json_write.h"

#define LIST_NAME ".papaver-files"
#define LIST_ALL "legacy-list" /* while files come and go: the old ones and the new ones */
#define LIST_NOW "legacy-list-now"

static pap_result path_in(struct project *p, const char *below, const char **ret, struct pap_err *err)
{
    *ret = arena_fmt(&p->arena, "%s/" LEGACY_FOLDER "%s%s", p->out, *below ? "/" : "", below).p;
    return *ret ? OK : fail_memory(err);
}

static pap_result read_list(struct project *p, struct pap_err *err)
{
    const char *path;
    struct tree_entry e;
    struct pap_str rest, line;
    TRY(path_in(p, LIST_NAME, &path, err));
    if (!tree_stat(path, &e) || e.type != TREE_FILE)
        return OK;
    TRY(file_read(&p->arena, path, LIMIT_REPORT, &rest, NULL, err));
    while (str_next(&rest, '\n', &line))
        if (line.n && !is_ok(names_add(&p->arena, &p->legacy_ours, line)))
            return fail_memory(err);
    names_sort(&p->legacy_ours);
    return OK;
}

pap_result legacy_open(struct project *p, struct pap_err *err)
{
    const char *folder;
    struct tree_entry e;
    TRY(path_in(p, "", &folder, err));
    if (!tree_stat(folder, &e) || e.type != TREE_FOLDER) /* what is a link is not ours */
        return OK;
    TRY(read_list(p, err));
    return p->o->legacy || p->legacy_ours.n ? tree_list(&p->arena, folder, LIMIT_WALK_FILES, LIMIT_ARCHIVE_DEPTH + 1,
                                                        NULL, NULL, &p->legacy_tree, err)
                                            : tree_names(&p->arena, folder, LIMIT_WALK_FILES, &p->legacy_tree, err);
}

/* ---- what is to be there ---- */

/* Whether the file has other bytes; one that no publisher wrote must not have. */
static pap_result differs(const struct project *p, struct arena *scratch, const char *path, struct pap_str below,
                          struct pap_str bytes, bool *ret, struct pap_err *err)
{
    struct tree_entry e;
    *ret = !file_is(scratch, path, bytes);
    if (!*ret || !tree_stat(path, &e) || e.type == TREE_FOLDER || names_have(&p->legacy_ours, below))
        return OK;
    struct pap_str name = shown(scratch, str_c(path));
    return name.p ? fail(err, PAP_IO,
                         "%.*s is another file than papaver publish would write there, and not one that it wrote; move "
                         "it away, or publish without --legacy",
                         PSTR(name))
                  : fail_memory(err);
}

static struct pap_str place_of_file(const struct project *p, struct arena *a, const struct skill *s, size_t i)
{
    return arena_fmt(a, "%s/" LEGACY_FOLDER "/%.*s/%.*s", p->out, PSTR(s->name), PSTR(s->files[i]->path));
}

/* "NAME/PATH" */
static struct pap_str below_layout(const struct project *p, struct pap_str path)
{
    return str_skip(path, strlen(p->out) + sizeof "/" LEGACY_FOLDER);
}

static struct pap_str name_aside(struct arena *a, const struct skill *s, size_t i)
{
    return arena_fmt(a, "legacy-%.*s-%zu", PSTR(s->name), i);
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
        struct pap_str to = place_of_file(p, scratch, s, i), aside = name_aside(scratch, s, i);
        if (!to.p || !aside.p)
            return fail_memory(err);
        TRY(differs(p, scratch, to.p, below_layout(p, to), files[i], &s->legacy_differs[i], err));
        if (s->legacy_differs[i] && project_writes(p))
            TRY(store_aside(p, scratch, aside.p, files[i], NULL, err));
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

static pap_result write_index(struct project *p, struct pap_err *err)
{
    struct buf b __attribute__((cleanup(buf_fini))) = {0};
    struct json_writer w;
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

static pap_result name_files(struct project *p)
{
    for (size_t i = 0; i < p->n_skills; i++)
        for (size_t k = 0; k < p->skills[i].n_files; k++) {
            struct pap_str path = place_of_file(p, &p->arena, &p->skills[i], k);
            if (!path.p)
                return fail_memory(NULL);
            TRY(names_add(&p->arena, &p->legacy_now, below_layout(p, path)));
        }
    TRY(names_add(&p->arena, &p->legacy_now, S("index.json")));
    names_sort(&p->legacy_now);
    return OK;
}

pap_result legacy_write(struct project *p, struct pap_err *err)
{
    const char *path;
    if (!p->o->legacy)
        return OK;
    TRY(write_index(p, err));
    TRY(path_in(p, "index.json", &path, err));
    TRY(differs(p, &p->arena, path, S("index.json"), p->legacy, &p->legacy_index_differs, err));
    return is_ok(name_files(p)) ? OK : fail_memory(err);
}

/* ---- the list ---- */

static pap_result write_list(struct project *p, const struct names *names, struct pap_str *ret, struct pap_err *err)
{
    struct buf b __attribute__((cleanup(buf_fini)));
    buf_init(&b, p->o->alloc, LIMIT_REPORT);
    for (size_t i = 0; i < names->n; i++) {
        buf_add(&b, names->at[i]);
        buf_char(&b, '\n');
    }
    TRY(buf_result(&b, err));
    *ret = arena_str(&p->arena, buf_str(&b));
    return ret->p ? OK : fail_memory(err);
}

/* What of ours has been and is to go. */
static pap_result all_names(struct project *p, struct names *ret)
{
    *ret = (struct names){0};
    for (size_t i = 0; i < p->legacy_now.n; i++)
        TRY(names_add(&p->arena, ret, p->legacy_now.at[i]));
    for (size_t i = 0; i < p->legacy_ours.n; i++)
        if (!names_have(&p->legacy_now, p->legacy_ours.at[i]))
            TRY(names_add(&p->arena, ret, p->legacy_ours.at[i]));
    names_sort(ret);
    return OK;
}

pap_result legacy_aside(struct project *p, struct pap_err *err)
{
    const char *path;
    struct names names;
    struct pap_str all, now;
    if (!p->o->legacy)
        return OK;
    if (!is_ok(all_names(p, &names)))
        return fail_memory(err);
    TRY(write_list(p, &names, &all, err));
    TRY(write_list(p, &p->legacy_now, &now, err));
    TRY(path_in(p, LIST_NAME, &path, err));
    if (!file_is(&p->arena, path, all))
        TRY(store_aside(p, &p->arena, LIST_ALL, all, NULL, err));
    if (!str_eq(all, now))
        TRY(store_aside(p, &p->arena, LIST_NOW, now, NULL, err));
    return p->legacy_index_differs ? store_aside(p, &p->arena, "legacy.json", p->legacy, NULL, err) : OK;
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

/* Puts in its place what lies aside, if it does. */
static pap_result move(struct project *p, const char *aside, const char *to, struct pap_err *err)
{
    int64_t time;
    struct pap_str from = arena_fmt(&p->arena, "%s/" STAGING_FOLDER "/%s", p->out, aside);
    if (!from.p)
        return fail_memory(err);
    if (!project_writes(p) || !file_time(from.p, &time))
        return OK;
    TRY(make_folders(p, str_c(to), err));
    return stage_move(from.p, to, err);
}

static pap_result move_file(struct project *p, const struct skill *s, size_t i, struct pap_err *err)
{
    struct pap_str to = place_of_file(p, &p->arena, s, i), aside = name_aside(&p->arena, s, i);
    if (!to.p || !aside.p)
        return fail_memory(err);
    tell_output(p, PAP_PUBLISH_OUTPUT, file_type_of(to.p) == FILE_NONE ? PAP_PUBLISH_NEW : PAP_PUBLISH_CHANGED,
                to.p + strlen(p->out) + 1, s->files[i]->size);
    return move(p, aside.p, to.p, err);
}

static pap_result move_files(struct project *p, struct pap_err *err)
{
    const char *to;
    for (size_t i = 0; p->o->legacy && i < p->n_skills; i++)
        for (size_t k = 0; k < p->skills[i].n_files; k++)
            if (p->skills[i].legacy_differs[k])
                TRY(move_file(p, &p->skills[i], k, err));
    if (!p->legacy_index_differs)
        return OK;
    TRY(path_in(p, "index.json", &to, err));
    tell_output(p, PAP_PUBLISH_OUTPUT, file_type_of(to) == FILE_NONE ? PAP_PUBLISH_NEW : PAP_PUBLISH_CHANGED,
                LEGACY_FOLDER "/index.json", p->legacy.n);
    return move(p, "legacy.json", to, err);
}

static pap_result take_away_file(struct project *p, struct pap_str below, struct pap_err *err)
{
    const char *path;
    TRY(path_in(p, below.p, &path, err));
    tell_output(p, PAP_PUBLISH_OUTPUT, PAP_PUBLISH_GONE, path + strlen(p->out) + 1, 0);
    return project_writes(p) ? stage_remove(path, err) : OK;
}

static PAP_PRINTF(3, 4) pap_result note(struct project *p, struct pap_str below, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct pap_str text = arena_vfmt(&p->arena, fmt, ap);
    va_end(ap);
    struct pap_str path = arena_fmt(&p->arena, LEGACY_FOLDER "%s%.*s", below.n ? "/" : "", PSTR(below));
    text = text.p ? shown(&p->arena, text) : text;
    path = path.p ? shown(&p->arena, path) : path;
    if (!text.p || !path.p)
        return fail_memory(NULL);
    if (p->o->event)
        p->o->event(p->o->ctx, &(struct pap_publish_event){.what = PAP_PUBLISH_NOTE, .path = path, .text = text});
    return OK;
}

/* The index goes first, so that nobody looks for files that are gone already. */
static pap_result take_away(struct project *p, bool index, struct pap_err *err)
{
    for (size_t i = 0; i < p->legacy_tree.n; i++) {
        const struct tree_entry *e = &p->legacy_tree.entries[i];
        if (e->type == TREE_FILE && str_is(e->path, "index.json") == index && names_have(&p->legacy_ours, e->path) &&
            !names_have(&p->legacy_now, e->path))
            TRY(take_away_file(p, e->path, err));
    }
    return OK;
}

static bool is_foreign(const struct project *p, const struct tree_entry *e)
{
    bool ours = names_have(&p->legacy_now, e->path) || (e->type == TREE_FILE && names_have(&p->legacy_ours, e->path));
    return e->type != TREE_FOLDER && !ours && !str_is(e->path, LIST_NAME);
}

/* What held files of ours only. */
static pap_result take_away_folders(struct project *p, struct pap_err *err)
{
    for (size_t i = p->legacy_tree.n; i > 0 && project_writes(p); i--) {
        const struct tree_entry *e = &p->legacy_tree.entries[i - 1];
        const char *path;
        if (e->type != TREE_FOLDER || !names_have_below(&p->legacy_ours, e->path) ||
            names_have_below(&p->legacy_now, e->path))
            continue;
        TRY(path_in(p, e->path.p, &path, err));
        TRY(folder_remove_empty(path, strlen(path), err));
    }
    return OK;
}

/* Nothing stays public without a word. */
static pap_result tell_foreign(struct project *p)
{
    size_t n = 0, last = 0;
    for (size_t i = 0; i < p->legacy_tree.n; i++)
        if (is_foreign(p, &p->legacy_tree.entries[i])) {
            n++;
            last = i;
        }
    if (n && !p->o->legacy && !p->legacy_ours.n)
        return note(p, S(""), "papaver publish did not make it, and leaves it as it is");
    if (n > 1)
        return note(p, S(""), "%zu files there are not papaver publish's and stay as they are, such as %.*s", n,
                    PSTR(p->legacy_tree.entries[last].path));
    return n ? note(p, p->legacy_tree.entries[last].path, "papaver publish did not write it, and leaves it as it is")
             : OK;
}

/* Afterwards: only what is there now, or nothing. */
static pap_result close_list(struct project *p, struct pap_err *err)
{
    const char *list, *folder;
    TRY(path_in(p, LIST_NAME, &list, err));
    TRY(path_in(p, "", &folder, err));
    if (p->o->legacy)
        return move(p, LIST_NOW, list, err);
    TRY(stage_remove(list, err));
    return folder_remove_empty(folder, strlen(folder), err);
}

pap_result legacy_commit(struct project *p, struct pap_err *err)
{
    const char *list;
    TRY(path_in(p, LIST_NAME, &list, err));
    if (!is_ok(tell_foreign(p)))
        return fail_memory(err);
    if (!p->o->legacy && !p->legacy_ours.n)
        return OK;
    if (!p->o->legacy && !is_ok(note(p, S(""), "an earlier --legacy made it; without --legacy it is taken away")))
        return fail_memory(err);
    TRY(move(p, LIST_ALL, list, err));
    TRY(take_away(p, true, err));
    TRY(take_away(p, false, err));
    TRY(take_away_folders(p, err));
    TRY(move_files(p, err));
    return project_writes(p) ? close_list(p, err) : OK;
}
