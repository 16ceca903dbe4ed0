/* SPDX-License-Identifier: Apache-2.0
 *
 * Options made ready, and the skills found: an immediate subfolder of a root with a SKILL.md is one (R-PUB-3).
 */
#include <errno.h>
#include <stdlib.h>

#include "base/limits.h"
#include "publish/project.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/stage.h"
#include "text/host.h"
#include "text/uri.h"
#include "text/utf8.h"

enum { ENTRIES_MOST = 10000 }; /* R-PUB-7 */

static const char *const default_roots[] = {"skills", NULL};
static const char *const not_legacy[] = {"publish.legacy", NULL};

static void settle_limits(struct project *p)
{
    const struct pap_publish_options *o = p->o;
    p->limits = pack_limits_default;
    p->limits.unpacked = o->most_unpacked_bytes ? o->most_unpacked_bytes : p->limits.unpacked;
    p->limits.file = o->most_file_bytes ? o->most_file_bytes : p->limits.file;
    p->limits.files = o->most_files ? o->most_files : p->limits.files;
    p->most_index = o->most_index_bytes ? o->most_index_bytes : LIMIT_DOCUMENT;
    p->most_archive = o->most_archive_bytes ? o->most_archive_bytes : LIMIT_ARTIFACT;
}

static bool has_dots(struct pap_str path)
{
    struct pap_str part;
    while (str_next(&path, '/', &part))
        if (str_is(part, ".") || str_is(part, "..") || str_has_nocase(part, S("%2e")))
            return true;
    return false;
}

static pap_result settle_base_url(struct project *p, struct pap_err *err)
{
    struct uri u;
    size_t at;
    const char *why = "";
    struct pap_str text = str_c(p->o->base_url);
    if (!text.p)
        return OK;
    bool path_only = str_starts(text, S("/")) && !str_starts(text, S("//"));
    bool good = uri_parse(text, &u, &at, &why);
    if (good && !path_only && (!uri_is_web(&u, &why) || !str_eq_nocase(u.scheme, S("https"))))
        return fail(err, PAP_USAGE,
                    "the base URL %s is no https URL; write https://shop.example, or / for URLs with a path only",
                    p->o->base_url);
    if (!good || u.query.p || u.fragment.p)
        return fail(err, PAP_USAGE, "the base URL %s has %s", p->o->base_url, good ? "a query or fragment" : why);
    if (has_dots(u.path) || (u.host_is_ip && !host_is_loopback(u.host)))
        return fail(err, PAP_USAGE, "the base URL %s has %s", p->o->base_url,
                    has_dots(u.path) ? "a dot segment, which clients resolve to another path"
                                     : "an IP address for a host, for which agents know no company; write its name");
    while (text.n && text.p[text.n - 1] == '/')
        text.n--;
    p->base_url = text;
    return OK;
}

static bool lies_in(struct pap_str inner, struct pap_str outer)
{
    return str_starts(inner, outer) && (inner.n == outer.n || inner.p[outer.n] == '/' || str_is(outer, "/"));
}

/* The tree must neither hold a root nor lie in one, on a file system that folds case too (R-PUB-2). */
static pap_result check_apart(struct project *p, const char *root, struct pap_err *err)
{
    struct pap_str a = path_real(&p->arena, root), b = path_real(&p->arena, p->out), x, y;
    if (!a.p || !b.p)
        return fail_memory(err);
    bool valid = utf8_check(a) == a.n && utf8_check(b) == b.n;
    x = valid ? utf8_fold(&p->arena, a) : a;
    y = valid ? utf8_fold(&p->arena, b) : b;
    if (!x.p || !y.p)
        return fail_memory(err);
    return lies_in(x, y) || lies_in(y, x)
               ? fail(err, PAP_USAGE, "the tree %s and the folder of skills %s must not lie in each other", p->out,
                      root)
               : OK;
}

/* ---- skills ---- */

static pap_result add_skill(struct project *p, struct skill s, size_t *cap, struct pap_err *err)
{
    if (p->n_skills == *cap) {
        size_t grown = *cap ? 2 * *cap : 32;
        struct skill *more = arena_new_array(&p->arena, grown, struct skill);
        if (!more)
            return fail_memory(err);
        if (p->n_skills)
            memcpy(more, p->skills, p->n_skills * sizeof *more);
        p->skills = more;
        *cap = grown;
    }
    p->skills[p->n_skills++] = s;
    return OK;
}

static void tell_note(struct project *p, enum pap_publish_what what, struct pap_str path, struct pap_str text)
{
    p->counts.left_out += what == PAP_PUBLISH_LEFT_OUT;
    if (p->o->event)
        p->o->event(p->o->ctx, &(struct pap_publish_event){.what = what, .path = path, .text = text});
}

/* What is called SKILL.md and is none: a folder that is no skill would be passed over in silence. */
static pap_result refuse_skill_file(struct project *p, struct pap_str path, enum tree_type type, struct pap_err *err)
{
    struct pap_str file = arena_fmt(&p->arena, "%.*s/SKILL.md", PSTR(path));
    if (!file.p)
        return fail_memory(err);
    return find_own(&p->judged, type == TREE_FOLDER ? "skill.file" : "archive.link", file, str(NULL, 0), 0,
                    "it is %s; a skill's SKILL.md is a file",
                    type == TREE_FOLDER ? "a folder" : "a device, pipe or other special file");
}

/* A folder without SKILL.md is none; one with "skill.md" was meant to be one. */
static pap_result look_into(struct project *p, const char *full, struct pap_str path, bool *ret_skill,
                            struct pap_err *err)
{
    static const char *const slips[] = {"skill.md", "Skill.md", "SKILL.MD", "SKILLS.md"};
    struct pap_str file = ARENA_JOIN(&p->arena, str_c(full), S("/SKILL.md"));
    struct tree_entry e;
    if (!file.p)
        return fail_memory(err);
    if (tree_stat(file.p, &e)) {
        *ret_skill = e.type == TREE_FILE || e.type == TREE_LINK; /* which is refused like any link in a skill */
        return *ret_skill ? OK : refuse_skill_file(p, path, e.type, err);
    }
    if (errno != ENOENT)
        return fail_errno(err, "read", file.p);
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        file = arena_fmt(&p->arena, "%s/%s", full, slips[i]);
        if (!file.p)
            return fail_memory(err);
        if (file_type_of(file.p) != FILE_REGULAR)
            continue;
        return find_own(&p->judged, "skill.file", path, str(NULL, 0), 0,
                        "the folder holds %s; a skill's file is SKILL.md, in these letters", slips[i]);
    }
    tell_note(p, PAP_PUBLISH_LEFT_OUT, path, S("holds no SKILL.md"));
    return OK;
}

static bool stay_out(void *ctx, const struct tree_entry *folder)
{
    (void)ctx;
    (void)folder;
    return false;
}

static pap_result find_in_root(struct project *p, const char *root, const char *full_root, size_t *cap,
                               struct pap_err *err)
{
    struct tree t;
    TRY(tree_list(&p->arena, full_root, ENTRIES_MOST, LIMIT_ARCHIVE_DEPTH, stay_out, NULL, &t, err));
    for (size_t i = 0; i < t.n; i++) {
        const struct tree_entry *e = &t.entries[i];
        struct skill s = {.name = e->path};
        bool is_skill = false;
        struct pap_str full = ARENA_JOIN(&p->arena, str_c(full_root), S("/"), e->path);
        struct pap_str path = strcmp(root, ".") == 0 ? e->path : ARENA_JOIN(&p->arena, str_c(root), S("/"), e->path);
        s.path = path.p ? shown(&p->arena, path) : path;
        if (!full.p || !s.path.p)
            return fail_memory(err);
        s.full = full.p;
        if (e->type == TREE_LINK || e->type == TREE_OTHER) {
            TRY(find_own(&p->judged, "archive.link", s.path, str(NULL, 0), 0,
                         "it is %s; a folder of skills holds folders and files only",
                         e->type == TREE_LINK ? "a symbolic link" : "a special file"));
            continue;
        }
        if (is_ignore_name(e->path))
            TRY(refuse_ignore(&p->judged, s.path));
        else if (e->type == TREE_FOLDER)
            TRY(look_into(p, s.full, s.path, &is_skill, err));
        if (is_skill)
            TRY(add_skill(p, s, cap, err));
    }
    return OK;
}

static int by_name(const void *a, const void *b)
{
    const struct skill *x = a, *y = b;
    int c = str_cmp(x->name, y->name);
    return c ? c : str_cmp(x->path, y->path);
}

static pap_result check_names_once(struct project *p)
{
    for (size_t i = 1; i < p->n_skills; i++)
        if (str_eq(p->skills[i - 1].name, p->skills[i].name)) {
            TRY(find_own(&p->judged, "index.name.duplicate", p->skills[i].path, str(NULL, 0), 0,
                         "%.*s has a skill of that name too", PSTR(p->skills[i - 1].path)));
        }
    return OK;
}

/* ---- roots ---- */

static bool has_skill_file(struct project *p, const char *folder)
{
    struct pap_str file = arena_fmt(&p->arena, "%s/SKILL.md", folder);
    return file.p && file_type_of(file.p) == FILE_REGULAR;
}

/* Whether skills lie in the folder as if it was a root. */
static bool holds_skills(struct project *p, const char *folder)
{
    struct tree t = {0};
    bool found = false;
    if (!is_ok(tree_list(&p->arena, folder, ENTRIES_MOST, LIMIT_ARCHIVE_DEPTH, stay_out, NULL, &t, NULL)))
        return false;
    for (size_t i = 0; i < t.n && !found; i++) {
        struct pap_str full = arena_fmt(&p->arena, "%s/%s", folder, t.entries[i].path.p);
        found = full.p && t.entries[i].type == TREE_FOLDER && has_skill_file(p, full.p);
    }
    return found;
}

/* There is no root at all: people name the folder of skills instead of the project, or are somewhere else. */
static pap_result no_root(struct project *p, const char *folder, const char *root, const char *full,
                          struct pap_err *err)
{
    if (file_type_of(folder) != FILE_FOLDER)
        return fail(err, PAP_USAGE, "there is no folder %s%s", folder,
                    file_type_of(folder) == FILE_NONE ? "" : "; it is a file: name the folder of the project");
    if (has_skill_file(p, folder))
        return fail(err, PAP_USAGE, "%s is itself a skill: name the folder that it lies in with --root", folder);
    if (root == default_roots[0] && holds_skills(p, folder))
        return fail(err, PAP_USAGE, "there is no folder %s, but skills are in %s itself: name it with --root %s", full,
                    folder, folder);
    return fail(err, PAP_USAGE,
                "there is no folder of skills: %s; name it with --root, or begin one with papaver skill new NAME",
                full);
}

struct root {
    const char *given, *full;
    struct pap_str real;
};

/* Where a root is, and that it is none by mistake; full NULL: it was named before. */
static pap_result open_root(struct project *p, const char *folder, const char *given, const struct root *before,
                            size_t n, struct root *ret, struct pap_err *err)
{
    struct pap_str full =
        given[0] == '/' || strcmp(folder, ".") == 0 ? str_c(given) : arena_fmt(&p->arena, "%s/%s", folder, given);
    *ret = (struct root){given, full.p, full.p ? path_real(&p->arena, full.p) : full};
    if (!ret->real.p)
        return fail_memory(err);
    for (size_t i = 0; i < n; i++)
        if (before[i].full && str_eq(before[i].real, ret->real))
            ret->full = NULL;
    if (has_skill_file(p, full.p))
        return fail(err, PAP_USAGE, "%s is a skill; --root names the folder that it lies in", full.p);
    return check_apart(p, full.p, err);
}

/* A .skillignore in the project's folder, or in another above a root in it. */
static pap_result check_above(struct project *p, const char *folder, const char *root, struct pap_err *err)
{
    struct tree t;
    struct pap_str above = str_starts(str_c(root), S("/")) ? S("") : str_c(root);
    while (above.n) {
        above = str_take(above, str_rfind_char(above, '/') < above.n ? str_rfind_char(above, '/') : 0);
        struct pap_str full = arena_fmt(&p->arena, "%s/%.*s", folder, PSTR(above));
        if (!full.p)
            return fail_memory(err);
        if (!is_ok(tree_names(&p->arena, full.p, LIMIT_WALK_FILES, &t, NULL)))
            continue; /* what cannot be listed is no root either */
        for (size_t i = 0; i < t.n; i++) {
            if (!is_ignore_name(t.entries[i].path))
                continue;
            struct pap_str path =
                arena_fmt(&p->arena, "%.*s%s%.*s", PSTR(above), above.n ? "/" : "", PSTR(t.entries[i].path));
            path = path.p ? shown(&p->arena, path) : path;
            if (!path.p || !is_ok(refuse_ignore(&p->judged, path)))
                return fail_memory(err);
        }
    }
    return OK;
}

static pap_result find_skills(struct project *p, const char *folder, const char *const *roots, struct pap_err *err)
{
    size_t cap = 0, found = 0, n = 0;
    while (roots[n])
        n++;
    struct root *all = arena_new_array(&p->arena, n, struct root);
    if (!all)
        return fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        TRY(open_root(p, folder, roots[i], all, i, &all[i], err));
        if (all[i].full && file_type_of(all[i].full) == FILE_FOLDER) {
            found++;
            TRY(check_above(p, folder, all[i].given, err));
            TRY(find_in_root(p, all[i].given, all[i].full, &cap, err));
        }
    }
    if (!found)
        return no_root(p, folder, roots[0], all[0].full, err);
    for (size_t i = 0; i < n; i++)
        if (all[i].full && file_type_of(all[i].full) != FILE_FOLDER)
            tell_note(p, PAP_PUBLISH_NOTE, str_c(roots[i]), S("there is no such folder"));
    if (!p->n_skills && !p->judged.refused)
        tell_note(p, PAP_PUBLISH_NOTE, str_c(roots[0]), S("no folder in it holds a SKILL.md, so the index is empty"));
    return OK;
}

pap_result project_open(struct project *p, struct pap_err *err)
{
    const char *folder = p->o->folder ? p->o->folder : ".";
    p->judged = (struct judgement){.arena = &p->arena, .strict = p->o->strict};
    settle_limits(p);
    TRY(settle_base_url(p, err));
    p->started = clock_system.unix_seconds(&clock_system);
    p->now = p->o->now ? p->o->now : clock_system.unix_seconds(&clock_system);
    p->version = &version_rows[0];
    if (!is_ok(select_open(p)))
        return fail_memory(err);
    TRY(plan_make(&p->arena, PROFILE_PUBLISH, NULL, p->o->legacy ? NULL : not_legacy, &p->plan, err));
    p->out = p->o->out ? p->o->out : strcmp(folder, ".") == 0 ? "dist" : arena_fmt(&p->arena, "%s/dist", folder).p;
    if (!p->out)
        return fail_memory(err);
    TRY(find_skills(p, folder, p->o->roots && p->o->roots[0] ? p->o->roots : default_roots, err));
    if (p->n_skills)
        qsort(p->skills, p->n_skills, sizeof *p->skills, by_name);
    return is_ok(check_names_once(p)) ? OK : fail_memory(err);
}
