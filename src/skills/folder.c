/* SPDX-License-Identifier: Apache-2.0 */
#include "skills/folder.h"

#include "pack/write.h"
#include "sys/file.h"
#include "sys/stage.h"
#include "sys/tree.h"
#include "text/json_write.h"
#include "text/skillmd.h"

enum { DEPTH = LIMIT_ARCHIVE_DEPTH, SKILLS_MOST = LIMIT_INDEX_ENTRIES };

/* Where nothing can be asked for (RFC 6761): what a list names below it lies below the folder. */
static const char base[] = "https://folder.invalid/";
static const char tree_index[] = ".well-known/agent-skills/index.json";

struct folder {
    struct arena arena;
    const char *root; /* no link in it */
    bool published;   /* a tree with an index; else folders with a SKILL.md each */
};

static pap_result no_memory(struct pap_skill_err *err)
{
    return failure_tell((pap_result){PAP_NO_MEMORY}, NULL, err);
}

static pap_result refuse_folder(const struct pap_skill_session *s, const char *path, const char *why,
                                struct pap_skill_err *err)
{
    pap_result r = refuse(err, SKILL_ORIGIN_UNAVAILABLE, "%s: %s", path, why);
    err_set(err, SKILL_KEY_ORIGIN_ALIAS, s->origin.label);
    return r;
}

/* ---- one folder of a skill, as an artifact ---- */

static bool enter(void *ctx, const struct tree_entry *e)
{
    (void)ctx;
    return !str_starts(
        str_skip(e->path, str_rfind_char(e->path, '/') == e->path.n ? 0 : str_rfind_char(e->path, '/') + 1), S("."));
}

static bool is_hidden(struct pap_str path)
{
    struct pap_str part;
    while (str_next(&path, '/', &part))
        if (str_starts(part, S(".")))
            return true;
    return false;
}

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const struct pack_file *)a)->name, ((const struct pack_file *)b)->name);
}

/* Its files, read whole and in byte order. Nothing hidden, no links. */
static pap_result read_files(struct arena *a, const char *path, uint64_t most, struct pack_file **ret, size_t *ret_n,
                             struct pap_err *err)
{
    struct tree t = {0};
    uint64_t bytes = 0;
    size_t n = 0;
    bool changed = false;
    TRY(tree_list(a, path, LIMIT_ARCHIVE_FILES * 4, DEPTH, enter, NULL, &t, err));
    struct pack_file *files = arena_new_array(a, t.n, struct pack_file);
    if (!files)
        return fail_memory(err);
    for (size_t i = 0; i < t.n; i++) {
        const struct tree_entry *e = &t.entries[i];
        if (e->type != TREE_FILE || is_hidden(e->path))
            continue;
        bytes += e->size;
        if (bytes > most)
            return fail(err, PAP_LIMIT, "%s holds more than %llu bytes", path, (unsigned long long)most);
        TRY(tree_read(a, path, e, &files[n].data, &changed, err));
        if (changed)
            return fail(err, PAP_IO, "%s/%.*s changed while it was read", path, PSTR(e->path));
        files[n].name = e->path;
        files[n++].executable = e->mode & 0111;
    }
    qsort(files, n, sizeof *files, by_name);
    *ret = files;
    *ret_n = n;
    return OK;
}

/* The artifact that a publisher would make of it, near enough: what a digest is made of has to stay the same between the
 * list and the activation, nothing more. */
static pap_result pack_folder(const struct pap_skill_client *c, struct arena *a, const char *path, struct pap_str *ret,
                              bool *ret_alone, struct pap_str *ret_md, struct pap_err *err)
{
    struct pack_file *files = NULL;
    size_t n = 0;
    struct packer *p = NULL;
    struct buf out __attribute__((cleanup(buf_fini)));
    buf_init(&out, c->alloc, c->o.most_archive_bytes + 1024);
    TRY(read_files(a, path, c->o.most_unpacked_bytes, &files, &n, err));
    *ret_md = S("");
    for (size_t i = 0; i < n; i++)
        if (str_is(files[i].name, "SKILL.md"))
            *ret_md = files[i].data;
    *ret_alone = n == 1 && str_is(files[0].name, "SKILL.md");
    if (*ret_alone) {
        *ret = files[0].data;
        return OK;
    }
    TRY(packer_new(c->alloc, &p, err));
    pap_result r = pack_write(p, PACK_TAR_GZ, files, n, &out, err);
    packer_free(p);
    TRY(r);
    *ret = arena_str(a, buf_str(&out));
    return ret->p ? OK : fail_memory(err);
}

/* ---- a folder of skills: its list ---- */

static pap_result add_entry(const struct pap_skill_client *c, const char *root, struct pap_str name,
                            struct json_writer *w, struct pap_err *err)
{
    struct arena a;
    struct pap_str bytes = S(""), text = S("");
    struct skillmd md = {0};
    struct notes notes = {0};
    struct digest d = {0};
    char digest[DIGEST_TEXT + 1];
    bool alone = false;
    arena_init(&a, c->alloc);
    const char *path = arena_fmt(&a, "%s/%.*s", root, PSTR(name)).p;
    pap_result r = path ? pack_folder(c, &a, path, &bytes, &alone, &text, err) : fail_memory(err);
    if (is_ok(r) && text.n > LIMIT_DOCUMENT)
        r = fail(err, PAP_LIMIT, "%s/SKILL.md has more than %d bytes", path, LIMIT_DOCUMENT);
    r = is_ok(r) ? skillmd_read(&a, text, &md, &notes) : r;
    r = is_ok(r) ? digest_sha256(&bytes, 1, &d, err) : r;
    if (is_ok(r)) {
        struct pap_str url = arena_fmt(&a, "%.*s", PSTR(name));
        digest_text(&d, digest);
        json_object_begin(w);
        json_write_key(w, "name");
        json_write_str(w, name);
        json_write_key(w, "description");
        json_write_str(w, json_str(json_get_c(md.root, "description")));
        json_write_key(w, "type");
        json_write_cstr(w, alone ? "skill-md" : "archive");
        json_write_key(w, "url");
        json_write_str(w, url);
        json_write_key(w, "digest");
        json_write_str(w, str(digest, DIGEST_TEXT));
        json_object_end(w);
    }
    arena_fini(&a);
    return r;
}

static bool first_level(void *ctx, const struct tree_entry *e)
{
    (void)ctx;
    (void)e;
    return false;
}

static pap_result list_skills(const struct pap_skill_client *c, struct folder *f, struct pap_str *ret, size_t *ret_n,
                              bool *ret_links, struct pap_err *err)
{
    struct tree t = {0};
    struct buf out __attribute__((cleanup(buf_fini)));
    struct json_writer w;
    buf_init(&out, c->alloc, SIZE_MAX);
    json_writer_init(&w, &out, 0);
    TRY(tree_list(&f->arena, f->root, LIMIT_WALK_FILES, 1, first_level, NULL, &t, err));
    json_object_begin(&w);
    json_write_key(&w, "$schema");
    json_write_cstr(&w, "https://schemas.agentskills.io/discovery/0.2.0/schema.json");
    json_write_key(&w, "skills");
    json_array_begin(&w);
    *ret_n = 0;
    *ret_links = false;
    for (size_t i = 0; i < t.n && *ret_n < SKILLS_MOST; i++) {
        const struct tree_entry *e = &t.entries[i];
        const char *skill = arena_fmt(&f->arena, "%s/%.*s/SKILL.md", f->root, PSTR(e->path)).p;
        if (!skill)
            return fail_memory(err);
        *ret_links |= e->type == TREE_LINK;
        if (e->type != TREE_FOLDER || is_hidden(e->path) || file_type_of(skill) != FILE_REGULAR)
            continue;
        TRY(add_entry(c, f->root, e->path, &w, err));
        ++*ret_n;
    }
    json_array_end(&w);
    json_object_end(&w);
    TRY(buf_result(&out, err));
    *ret = arena_str(&f->arena, buf_str(&out));
    return ret->p ? OK : fail_memory(err);
}

/* ---- the list, whichever ---- */

/* URLs below the folder become paths; others lead away and stay what they are. */
static bool name_paths(struct pap_skill_session *s, const char *root)
{
    struct pap_str below = str(base, sizeof base - 1);
    for (size_t i = 0; i < s->catalog.n_entries; i++)
        for (size_t j = 0; j < s->catalog.entries[i].n_releases; j++) {
            struct catalog_release *r = (struct catalog_release *)(uintptr_t)&s->catalog.entries[i].releases[j];
            if (!str_starts(r->url, below))
                continue;
            r->url = arena_fmt(&s->arena, "%s/%.*s", root, PSTR(str_skip(r->url, below.n)));
            if (!r->url.p)
                return false;
        }
    return true;
}

static pap_result read_list(struct pap_skill_session *s, struct pap_str bytes, const char *below,
                            struct pap_skill_err *err)
{
    const struct pap_skill_client *c = s->client;
    struct skill_fault fault = {0};
    struct pap_str at = arena_fmt(&s->arena, "%s%s", base, below);
    const struct catalog_source from = {.bytes = bytes,
                                        .base = at,
                                        .alias = s->origin.label,
                                        .strict = c->o.strict,
                                        .max_bytes = c->o.most_catalog_bytes};
    if (!at.p || !is_ok(catalog_read(&s->arena, &from, &s->catalog, &fault)))
        return no_memory(err);
    if (fault.code != SKILL_FINE)
        return fault_tell(&fault, err);
    s->facts.source = PAP_SKILL_FROM_FOLDER;
    s->validated = client_now(c) / 1000;
    if (!name_paths(s, s->folder->root))
        return no_memory(err);
    return session_ready(s, err);
}

static pap_result open_published(struct pap_skill_session *s, const char *index, struct pap_skill_err *err)
{
    struct pap_str bytes;
    struct pap_err why = {0};
    bool large = false;
    pap_result r = file_read(&s->folder->arena, index, (size_t)s->client->o.most_catalog_bytes, &bytes, &large, &why);
    if (large) {
        r = refuse(err, SKILL_LIMIT_EXCEEDED, "%s", why.text);
        err_set(err, SKILL_KEY_LIMIT, S("catalog_bytes"));
        return r;
    }
    if (!is_ok(r))
        return r.code == PAP_NO_MEMORY ? no_memory(err) : refuse_folder(s, index, why.text, err);
    s->facts.url = str_c(index);
    s->folder->published = true;
    return read_list(s, bytes, tree_index, err);
}

static pap_result open_skills(struct pap_skill_session *s, struct pap_skill_err *err)
{
    struct pap_str list;
    struct pap_err why = {0};
    size_t n = 0;
    bool links;
    pap_result r = list_skills(s->client, s->folder, &list, &n, &links, &why);
    if (!is_ok(r))
        return r.code == PAP_NO_MEMORY ? no_memory(err) : refuse_folder(s, s->folder->root, why.text, err);
    if (!n)
        return refuse_folder(
            s, s->folder->root,
            links ? "no folders with a SKILL.md; links to folders are passed over"
                  : "neither a published tree (.well-known/agent-skills/index.json) nor folders with a SKILL.md",
            err);
    s->facts.url = str_c(s->folder->root);
    return read_list(s, list, "", err);
}

static const char *no_folder(const char *path)
{
    struct tree_entry e;
    return !tree_stat(path, &e)  ? "no such folder"
           : e.type == TREE_LINK ? "this link leads to no folder"
                                 : "this is no folder";
}

pap_result folder_open(struct pap_skill_session *s, struct pap_skill_err *err)
{
    struct folder *f = alloc_resize(s->client->alloc, NULL, 0, sizeof *f);
    if (!f)
        return no_memory(err);
    *f = (struct folder){0};
    arena_init(&f->arena, s->client->alloc);
    s->folder = f;
    struct pap_str root = path_real(&f->arena, s->origin.path);
    if (!root.p)
        return no_memory(err);
    f->root = root.p;
    if (file_type_of(f->root) != FILE_FOLDER)
        return refuse_folder(s, s->origin.path, no_folder(s->origin.path), err);
    const char *index = arena_fmt(&f->arena, "%s/%s", f->root, tree_index).p;
    if (!index)
        return no_memory(err);
    return file_type_of(index) == FILE_REGULAR ? open_published(s, index, err) : open_skills(s, err);
}

void folder_close(struct folder *f)
{
    if (!f)
        return;
    const struct pap_alloc *alloc = f->arena.alloc;
    arena_fini(&f->arena);
    (void)alloc_resize(alloc, f, sizeof *f, 0);
}

/* A tree that was published for a host names its artifacts by URLs of that host: the same path lies in the tree. */
static const char *path_of(const struct folder *f, struct arena *a, struct pap_str url)
{
    struct uri u;
    size_t at;
    const char *why;
    if (!f->published || str_find(url, S("://")) == url.n || !uri_parse(url, &u, &at, &why))
        return arena_cstr(a, url);
    return arena_fmt(a, "%s%.*s", f->root, PSTR(u.path)).p;
}

pap_result folder_artifact(struct pap_skill_session *s, struct arena *a, struct pap_str url, struct pap_str *ret,
                           struct pap_skill_err *err)
{
    const struct pap_skill_client *c = s->client;
    struct pap_err why = {0};
    struct pap_str md;
    bool alone, large = false;
    if (!s->folder) { /* a lock names it: no list was read */
        struct pap_skill_err ignored;
        pap_result opened = folder_open(s, &ignored);
        if (!is_ok(opened) && !s->folder)
            return no_memory(err);
    }
    const char *path = path_of(s->folder, a, url);
    if (!path)
        return no_memory(err);
    if (!file_is_below(path, s->folder->root))
        return refuse_folder(
            s, path, file_type_of(path) == FILE_NONE ? "no such file" : "not below the folder of the list", err);
    pap_result r = file_type_of(path) == FILE_FOLDER
                       ? pack_folder(c, a, path, ret, &alone, &md, &why)
                       : file_read(a, path, (size_t)c->o.most_archive_bytes, ret, &large, &why);
    if (is_ok(r) || r.code == PAP_NO_MEMORY)
        return is_ok(r) ? OK : no_memory(err);
    if (!large && r.code != PAP_LIMIT)
        return refuse_folder(s, path, why.text, err);
    r = refuse(err, SKILL_LIMIT_EXCEEDED, "%s", why.text);
    err_set(err, SKILL_KEY_LIMIT, S("archive_bytes"));
    return r;
}
