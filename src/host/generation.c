/* SPDX-License-Identifier: Apache-2.0
 *
 * Loading a tree, and looking things up in it.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "host/inside.h"
#include "pack/write.h"
#include "sys/file.h"

enum { FOLDER_DEPTH = 32, KEPT_SECONDS = 24 * 3600 };

struct loading {
    struct generation *g;
    const struct generation_options *o;
    const char *folder;
    size_t folder_n;
};

/* A component that begins with a dot is not meant to be seen (editors' files, .git, a publisher's staging folder). */
static bool is_hidden(struct pap_str path)
{
    return str_find(str_skip(path, strlen("/.well-known")), S("/.")) < path.n - strlen("/.well-known");
}

static struct host_file *add_file(struct generation *g)
{
    if (g->n_files == g->cap_files) {
        size_t cap = g->cap_files ? g->cap_files * 2 : 64;
        struct host_file *grown = arena_new_array(&g->arena, cap, struct host_file);
        if (!grown)
            return NULL;
        if (g->n_files)
            memcpy(grown, g->files, g->n_files * sizeof *grown);
        g->files = grown;
        g->cap_files = cap;
    }
    g->files[g->n_files] = (struct host_file){0};
    return &g->files[g->n_files++];
}

pap_result represent_gzip(struct arena *a, const struct generation_options *o, const struct representing *plain,
                          struct representation *ret, struct pap_err *err)
{
    struct packer *packer;
    struct buf b;
    TRY(packer_new(o->alloc, &packer, err));
    buf_init(&b, o->alloc, LIMIT_ARTIFACT);
    gzip_write(packer, plain->bytes, &b);
    packer_free(packer);
    struct representing as = *plain;
    as.bytes = buf_ok(&b) ? arena_str(a, buf_str(&b)) : str(NULL, 0);
    as.coding = "gzip";
    pap_result r = as.bytes.p ? represent(a, o, &as, ret, err) : fail_memory(err);
    buf_fini(&b);
    return r;
}

static pap_result meet(void *ctx, const char *path, enum file_type type, struct pap_err *err)
{
    struct loading *l = ctx;
    struct representing as = {.path = str_skip(str_c(path), l->folder_n)};
    if (is_hidden(as.path) || type == FILE_OTHER || type == FILE_FOLDER_LINK)
        return OK;
    if (type == FILE_FOLDER)
        return fail(err, PAP_IO, "cannot read the folder %s", path);
    if (type == FILE_LINK && !file_is_below(path, l->folder))
        return fail(err, PAP_SYNTAX, "%s is a link that leads out of %s", path, l->folder);
    if (l->g->n_files == LIMIT_HOST_FILES)
        return fail(err, PAP_LIMIT, "%s has more than %d files", l->folder, LIMIT_HOST_FILES);
    TRY(file_read(&l->g->arena, path, LIMIT_ARTIFACT, &as.bytes, NULL, err));
    l->g->bytes += as.bytes.n;
    if (l->g->bytes > LIMIT_HOST_BYTES)
        return fail(err, PAP_LIMIT, "%s has more than %d MiB", l->folder, LIMIT_HOST_BYTES >> 20);
    if (!file_modified(path, &as.modified))
        return fail(err, PAP_IO, "%s went away while it was read", path);
    struct host_file *f = add_file(l->g);
    if (!f || !(as.path = arena_str(&l->g->arena, as.path)).p)
        return fail_memory(err);
    f->path = as.path;
    as.media = media_of(as.path);
    as.vary = str_is(as.path, PATH_INDEX) ? "Accept-Encoding" : NULL;
    TRY(represent(&l->g->arena, l->o, &as, &f->plain, err));
    return as.vary ? represent_gzip(&l->g->arena, l->o, &as, &f->gzip, err) : OK;
}

static int by_path(const void *a, const void *b)
{
    return str_cmp(((const struct host_file *)a)->path, ((const struct host_file *)b)->path);
}

static void sort(struct generation *g)
{
    if (g->n_files)
        qsort(g->files, g->n_files, sizeof *g->files, by_path);
}

static const struct host_file *find_among(const struct host_file *files, size_t n, struct pap_str path)
{
    const struct host_file key = {.path = path};
    return n ? bsearch(&key, files, n, sizeof *files, by_path) : NULL;
}

/* An artifact of a tree before, for who holds the list of then. It is open or closed as it was there: what scopes a skill has
 * does not change while a server runs. */
static pap_result keep_artifact(struct loading *l, const struct host_file *f, struct pap_err *err)
{
    struct arena *a = &l->g->arena;
    struct representing as = {.path = arena_str(a, f->path),
                              .bytes = arena_str(a, f->plain.bytes),
                              .media = media_of(f->path),
                              .vary = f->closed ? "Authorization" : NULL,
                              .closed = f->closed,
                              .modified = f->plain.validator.modified};
    struct representation plain;
    if (!as.path.p || !as.bytes.p)
        return fail_memory(err);
    TRY(represent(a, l->o, &as, &plain, err));
    struct host_file *kept = add_file(l->g);
    if (!kept)
        return fail_memory(err);
    *kept = (struct host_file){.path = as.path,
                               .plain = plain,
                               .closed = f->closed,
                               .scopes = f->scopes,
                               .until = f->until ? f->until : l->o->now + KEPT_SECONDS};
    return OK;
}

/* Those of the tree just before come first, where there is no room for all. */
static pap_result keep_artifacts(struct loading *l, struct pap_err *err)
{
    const struct generation *b = l->o->before;
    const size_t own = l->g->n_files;
    uint64_t room = LIMIT_HOST_KEPT;
    for (unsigned older = 0; b && older < 2; older++)
        for (size_t i = 0; i < b->n_files && l->g->n_files < LIMIT_HOST_FILES; i++) {
            const struct host_file *f = &b->files[i];
            struct pap_str hex = str_take(str_skip(f->plain.validator.etag, strlen("\"sha256:")), 64);
            if (f->until ? older == 0 || f->until <= l->o->now : older == 1)
                continue;
            if (!is_addressed_by_content(f->path, hex) || f->plain.bytes.n > room ||
                find_among(l->g->files, own, f->path))
                continue;
            room -= f->plain.bytes.n;
            TRY(keep_artifact(l, f, err));
        }
    return OK;
}

/* The page for people, at "/". */
static pap_result add_page(struct loading *l, struct arena *scratch, const struct json *skills, struct pap_err *err)
{
    struct buf b;
    struct generation *g = l->g;
    struct representing as = {.path = S("/"),
                              .media = "text/html; charset=utf-8",
                              .policy = page_policy(&g->arena).p,
                              .modified = MODIFIED_NEVER};
    buf_init(&b, l->o->alloc, LIMIT_ARTIFACT);
    page_write(&b, scratch, g, skills);
    as.bytes = buf_ok(&b) ? arena_str(&g->arena, buf_str(&b)) : str(NULL, 0);
    pap_result written = buf_result(&b, err);
    buf_fini(&b);
    TRY(written);
    struct host_file *f = add_file(g);
    if (!f || !as.bytes.p || !as.policy)
        return fail_memory(err);
    f->path = as.path;
    TRY(represent(&g->arena, l->o, &as, &f->plain, err));
    sort(g);
    return OK;
}

static pap_result load(struct loading *l, struct arena *scratch, struct pap_err *err)
{
    struct judged docs;
    struct pap_str root = arena_fmt(scratch, "%s/.well-known", l->folder);
    if (!root.p)
        return fail_memory(err);
    if (file_type_of(root.p) != FILE_FOLDER)
        return fail(err, PAP_IO, "there is no folder %s", file_type_of(l->folder) == FILE_FOLDER ? root.p : l->folder);
    TRY(folder_walk(root.p, FOLDER_DEPTH, meet, l, err));
    sort(l->g);
    TRY(generation_judge(l->g, scratch, l->folder, l->o, &docs, err));
    const struct json *index = docs.index ? docs.index : json_get_c(docs.poppy, "skill_index");
    const struct json *skills = json_get_c(index, "skills");
    l->g->n_skills = json_is(skills, JSON_ARRAY) ? skills->n : 0;
    if (l->o->access)
        TRY(generation_view(l->g, scratch, l->o, &docs, err));
    TRY(keep_artifacts(l, err));
    return add_page(l, scratch, skills, err);
}

pap_result generation_load(const char *folder, const struct generation_options *o, struct generation **ret,
                           struct pap_err *err)
{
    struct arena arena, scratch;
    arena_init(&arena, o->alloc);
    struct generation *g = arena_new(&arena, struct generation);
    if (!g)
        return fail_memory(err);
    g->arena = arena;
    atomic_init(&g->readers, 1);
    struct loading l = {g, o, folder, strlen(folder)};
    while (l.folder_n > 1 && folder[l.folder_n - 1] == '/')
        l.folder_n--;
    arena_init(&scratch, o->alloc);
    l.folder = arena_cstr(&g->arena, str(folder, l.folder_n));
    pap_result r = l.folder ? load(&l, &scratch, err) : fail_memory(err);
    arena_fini(&scratch);
    if (is_ok(r))
        *ret = g;
    else
        generation_drop(g);
    return r;
}

struct generation *generation_keep(struct generation *g)
{
    atomic_fetch_add_explicit(&g->readers, 1, memory_order_relaxed);
    return g;
}

void generation_drop(struct generation *g)
{
    if (!g || atomic_fetch_sub_explicit(&g->readers, 1, memory_order_acq_rel) != 1)
        return;
    struct arena arena = g->arena; /* g itself lies in it */
    arena_fini(&arena);
}

/* ---- looking up ---- */

/* Undoes percent-encoding. False for "%2F", which is no separator, "%00", and what is too long for any file. */
static bool decode(struct pap_str path, char *to, size_t room, struct pap_str *ret)
{
    size_t n = 0;
    for (size_t i = 0; i < path.n; i++, n++) {
        char c = path.p[i];
        if (n == room)
            return false;
        if (c == '%') {
            int high = i + 2 < path.n ? ascii_hex(path.p[i + 1]) : -1, low = high < 0 ? -1 : ascii_hex(path.p[i + 2]);
            if (low < 0)
                return false;
            c = (char)(high << 4 | low);
            i += 2;
            if (c == '/' || c == '\0')
                return false;
        }
        to[n] = c;
    }
    *ret = str(to, n);
    return true;
}

const struct host_file *generation_find(const struct generation *g, struct pap_str path)
{
    char room[4096];
    if (str_find_char(path, '%') < path.n && !decode(path, room, sizeof room, &path))
        return NULL;
    return find_among(g->files, g->n_files, path);
}

size_t generation_count(const struct generation *g)
{
    return g->n_files;
}

const struct host_file *generation_at(const struct generation *g, size_t i)
{
    return &g->files[i];
}

size_t generation_skills(const struct generation *g)
{
    return g->n_skills;
}

const char *generation_lost(const struct generation *g, const struct generation *before)
{
    static const char *const lists[] = {PATH_INDEX " is", PATH_POPPY " is"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct pap_str path = str(lists[i], strlen(lists[i]) - strlen(" is"));
        if (generation_find(before, path) && !generation_find(g, path))
            return lists[i];
    }
    return before->n_skills && !g->n_skills ? "every skill is" : NULL;
}

static bool are_same(const struct host_file *a, const struct host_file *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!str_eq(a[i].path, b[i].path) || !str_eq(a[i].plain.validator.etag, b[i].plain.validator.etag) ||
            a[i].closed != b[i].closed || a[i].scopes != b[i].scopes)
            return false;
    return true;
}

bool generation_same(const struct generation *a, const struct generation *b)
{
    return a->n_files == b->n_files && a->access == b->access && are_same(a->files, b->files, a->n_files) &&
           (!a->access || are_same(a->views, b->views, a->access->n));
}
