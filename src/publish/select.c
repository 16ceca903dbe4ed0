/* SPDX-License-Identifier: Apache-2.0
 *
 * Which files of a skill become public: all but what is built in here (R-PUB-5, and what operating systems and editors
 * leave behind) and what .skillignore names (R-PUB-6). What is left out is listed, so that nobody is surprised.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "publish/project.h"
#include "sys/file.h"
#include "text/ignore.h"
#include "text/utf8.h"

enum { IGNORE_MOST = 64 * 1024, ENTRIES_LEAST = 1024, ENTRIES_MOST = 10000 };

/* In small letters: on a file system that folds case ".ENV" is the same file. */
static const char built_in[] =
    ".git\n.hg\n.svn\nnode_modules/\nbower_components/\n.pnpm-store/\n.yarn/\n.cache/\n.turbo/\ndist/\nbuild/\ncoverage/\n"
    ".ds_store\nthumbs.db\n.env\n.env*\n.git-credentials\n.npmrc\n.pypirc\n.netrc\n_netrc\n.secrets\n.secrets.*\n"
    "credentials\ncredentials.json\nsecrets.json\nservice-account*.json\n*.pem\n*.key\n*.p12\n*.pfx\nid_rsa\nid_dsa\n"
    "id_ecdsa\nid_ed25519\n.venv/\nvenv/\n__pycache__/\n.pytest_cache/\n.mypy_cache/\n.ruff_cache/\n.tox/\n.nox/\n"
    ".skillignore\nskill.md.[0-9]*-[0-9]*.tmp\n" /* of a --fix that was killed */
    "__macosx/\n._*\n*~\n.*.sw[op]\n";           /* not of R-PUB-5: R-A8 and R-A10 */

pap_result select_open(struct project *p)
{
    return ignore_read(&p->arena, str(built_in, sizeof built_in - 1), &p->never);
}

struct selection {
    const struct project *p;
    struct skill *s;
    struct arena *scratch;
    struct ignore own;
    bool no_memory;
    bool hides; /* .skillignore left something out */
    size_t left_cap;
};

/* The path as patterns see it: with `fold` in small letters, for those that hold whatever the case. */
static struct pap_str normal(struct selection *sel, struct pap_str path, bool fold)
{
    bool plain = true, valid = utf8_check(path) == path.n;
    for (size_t i = 0; i < path.n; i++)
        plain &= (unsigned char)path.p[i] < 0x80 && !(fold && path.p[i] >= 'A' && path.p[i] <= 'Z');
    if (plain || !valid)
        return path;
    struct pap_str n = fold ? utf8_fold(sel->scratch, path) : utf8_nfc(sel->scratch, path);
    sel->no_memory |= !n.p;
    return n.p ? n : path;
}

static bool is_skill_file(const struct tree_entry *e)
{
    return str_is(e->path, "SKILL.md") && e->type == TREE_FILE;
}

/* Why an entry is left out: p NULL when it is not. *ret_own: by .skillignore. */
static const struct ignore_pattern *excluded(struct selection *sel, const struct tree_entry *e, bool *ret_own)
{
    const struct ignore_pattern *by = ignore_match(&sel->p->never, normal(sel, e->path, true), e->type == TREE_FOLDER);
    *ret_own = false;
    if (!by && !is_skill_file(e) && sel->own.n) {
        by = ignore_match(&sel->own, normal(sel, e->path, false), e->type == TREE_FOLDER);
        *ret_own = by != NULL;
    }
    return by;
}

static bool enter(void *ctx, const struct tree_entry *folder)
{
    bool own;
    return !excluded(ctx, folder, &own);
}

static pap_result read_ignore(struct selection *sel, struct pap_err *err)
{
    struct arena *a = sel->scratch;
    struct pap_str path = ARENA_JOIN(a, str_c(sel->s->full), S("/" IGNORE_NAME)), text = S("");
    struct pap_str shown = arena_fmt(sel->s->arena, "%.*s/" IGNORE_NAME, PSTR(sel->s->path));
    if (!path.p || !shown.p)
        return fail_memory(err);
    if (file_type_of(path.p) != FILE_REGULAR)
        return OK;
    TRY(file_read(a, path.p, IGNORE_MOST, &text, NULL, err));
    if (utf8_check(text) < text.n) {
        return find_own(&sel->s->judged, "text.utf8", shown, text, utf8_check(text),
                        "the patterns are not valid UTF-8");
    }
    struct pap_str nfc = text.n ? utf8_nfc(a, text) : text;
    return nfc.p && is_ok(ignore_read(a, nfc, &sel->own)) ? OK : fail_memory(err);
}

static pap_result leave_out(struct selection *sel, const struct tree_entry *e, const struct ignore_pattern *by,
                            bool own)
{
    struct skill *s = sel->s;
    if (s->n_left_out == sel->left_cap) {
        size_t cap = sel->left_cap ? 2 * sel->left_cap : 8;
        struct left_out *more = arena_new_array(s->arena, cap, struct left_out);
        if (!more)
            return fail_memory(NULL);
        if (s->n_left_out)
            memcpy(more, s->left_out, s->n_left_out * sizeof *more);
        s->left_out = more;
        sel->left_cap = cap;
    }
    struct left_out *l = &s->left_out[s->n_left_out++];
    struct pap_str path = shown(s->arena, e->path), pattern = shown(s->arena, by->text);
    l->path = arena_fmt(s->arena, "%.*s%s", PSTR(path), e->type == TREE_FOLDER ? "/" : "");
    l->why = arena_fmt(s->arena, "%s %.*s%s", own ? "in " IGNORE_NAME ":" : "never published:", PSTR(pattern),
                       by->folders_only ? "/" : "");
    return path.p && pattern.p && l->path.p && l->why.p ? OK : fail_memory(NULL);
}

bool is_ignore_name(struct pap_str path)
{
    size_t slash = str_rfind_char(path, '/');
    struct pap_str name = slash < path.n ? str_skip(path, slash + 1) : path;
    return str_eq_nocase(name, S(IGNORE_NAME)) || str_eq_nocase(name, S(IGNORE_NAME ".txt")); /* some editors add it */
}

pap_result refuse_ignore(struct judgement *j, struct pap_str path)
{
    for (size_t i = 0; i < j->findings.n; i++) /* roots may have a folder above them in common */
        if (str_eq(j->findings.items[i].where, path) && strcmp(j->findings.items[i].id, "publish.ignore") == 0)
            return OK;
    return find_own(j, "publish.ignore", path, str(NULL, 0), 0,
                    "it has no effect: patterns are read from the file " IGNORE_NAME
                    " right in the folder of a skill, and nowhere else");
}

/* One that is meant to leave files out, and does not: elsewhere than in the skill's folder, in other letters, a folder. */
static pap_result check_ignore(struct selection *sel, const struct tree_entry *e)
{
    struct skill *s = sel->s;
    if (!is_ignore_name(e->path) || (str_is(e->path, IGNORE_NAME) && e->type == TREE_FILE) ||
        ignore_match(&sel->own, normal(sel, e->path, false), e->type == TREE_FOLDER))
        return OK;
    struct pap_str path = arena_fmt(s->arena, "%.*s/%.*s", PSTR(s->path), PSTR(e->path));
    return path.p ? refuse_ignore(&s->judged, path) : fail_memory(NULL);
}

/* What no archive may hold (R-PUB-4): a link wherever it is met, a second name of a file that becomes public. */
static const char *fault_of(const struct tree_entry *e, bool included)
{
    return e->type == TREE_LINK                               ? "it is a symbolic link"
           : e->type == TREE_OTHER                            ? "it is a device, pipe or other special file"
           : included && e->type == TREE_FILE && e->links > 1 ? "it is a hard link: the file has another name"
                                                              : NULL;
}

static pap_result refuse(struct selection *sel, const struct tree_entry *e, const char *why)
{
    struct skill *s = sel->s;
    struct pap_str file = arena_fmt(s->arena, "%.*s/%.*s", PSTR(s->path), PSTR(e->path));
    return file.p ? find_own(&s->judged, "archive.link", file, str(NULL, 0), 0,
                             "%s; a skill holds folders and files only", why)
                  : fail_memory(NULL);
}

/* The entry as if it stood in an archive. */
static struct pack_entry *make_entry(struct selection *sel, const struct tree_entry *e)
{
    struct pack_entry *entry = arena_new(sel->scratch, struct pack_entry);
    if (!entry)
        return NULL;
    *entry = (struct pack_entry){
        .raw_name = e->path, .name = e->path, .type = e->type == TREE_FOLDER ? PACK_DIR : PACK_FILE};
    if (entry->type == PACK_FILE && (e->mode & 0111))
        entry->facts |= PACK_F_EXEC;
    if (entry->type == PACK_FILE && e->path.n > 100)
        entry->facts |= PACK_F_LONG_NAME;
    return entry;
}

/* .skillignore hides no collision: who checks the folder out on another system has it (R-PUB-6). */
static pap_result check_all_collisions(struct selection *sel, const struct pack *all, struct pap_err *err)
{
    struct pack_collision c;
    if (!is_ok(pack_find_collision(sel->scratch, all, &c)))
        return fail_memory(err);
    if (!c.first)
        return OK;
    struct pap_str shown = arena_fmt(sel->s->arena, "%.*s/%.*s", PSTR(sel->s->path), PSTR(c.second->name));
    return shown.p && is_ok(find_own(&sel->s->judged, "archive.collision", shown, str(NULL, 0), 0, "it and %.*s %s",
                                     PSTR(c.first->name), c.why))
               ? OK
               : fail_memory(err);
}

static int by_path(const void *a, const void *b)
{
    const struct tree_entry *const *x = a, *const *y = b;
    return str_cmp((*x)->path, (*y)->path);
}

struct entries {
    struct pack pack;
    struct pack_entry **tail;
};

static pap_result append(struct selection *sel, struct entries *to, const struct tree_entry *e)
{
    struct pack_entry *entry = make_entry(sel, e);
    if (!entry)
        return fail_memory(NULL);
    *to->tail = entry;
    to->tail = &entry->next;
    to->pack.n_entries++;
    return OK;
}

static pap_result sort_entry(struct selection *sel, const struct tree_entry *e, struct entries *all)
{
    struct skill *s = sel->s;
    bool own;
    const struct ignore_pattern *by = excluded(sel, e, &own);
    const char *fault = fault_of(e, !by);
    if (fault)
        TRY(refuse(sel, e, fault));
    if (by)
        TRY(leave_out(sel, e, by, own));
    TRY(check_ignore(sel, e));
    if (!by || own)
        TRY(append(sel, all, e));
    sel->hides |= own;
    if (e->type == TREE_FILE && !by)
        s->files[s->n_files++] = e;
    return OK;
}

static pap_result sort_out(struct selection *sel, const struct tree *t, struct pack *ret, struct pap_err *err)
{
    struct skill *s = sel->s;
    struct entries all = {.pack.format = PACK_TAR_GZ}, public = all;
    all.tail = &all.pack.entries;
    public.tail = &public.pack.entries;
    s->files = arena_new_array(s->arena, t->n, const struct tree_entry *);
    if (!s->files)
        return fail_memory(err);
    for (size_t i = 0; i < t->n; i++)
        if (!is_ok(sort_entry(sel, &t->entries[i], &all)))
            return fail_memory(err);
    if (s->n_files)
        qsort(s->files, s->n_files, sizeof *s->files, by_path);
    for (size_t i = 0; i < s->n_files; i++)
        if (!is_ok(append(sel, &public, s->files[i])))
            return fail_memory(err);
    public.pack.n_files = s->n_files;
    *ret = public.pack;
    return sel->hides ? check_all_collisions(sel, &all.pack, err) : OK;
}

pap_result skill_select(const struct project *p, struct skill *s, struct arena *scratch, struct pack *ret_entries,
                        struct pap_err *err)
{
    struct selection sel = {.p = p, .s = s, .scratch = scratch};
    size_t most = 4 * (size_t)p->limits.files;
    most = most < ENTRIES_LEAST ? ENTRIES_LEAST : most > ENTRIES_MOST ? ENTRIES_MOST : most;
    TRY(read_ignore(&sel, err));
    pap_result r = tree_list(s->arena, s->full, most, LIMIT_ARCHIVE_DEPTH - 1, enter, &sel, &s->tree, err);
    if (r.code == PAP_LIMIT) { /* R-PUB-7 */
        *ret_entries = (struct pack){0};
        return is_ok(find_own(&s->judged, "archive.limits", s->path, str(NULL, 0), 0, "%s", err->text))
                   ? OK
                   : fail_memory(err);
    }
    TRY(r);
    TRY(sort_out(&sel, &s->tree, ret_entries, err));
    return sel.no_memory ? fail_memory(err) : OK;
}
