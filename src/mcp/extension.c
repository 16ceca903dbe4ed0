/* SPDX-License-Identifier: Apache-2.0
 *
 * The extension io.modelcontextprotocol/skills, in every era: entries with the whole front matter and a digest of each file.
 * skills/list shows what is loaded; skills/get fetches on demand; a skill larger than the extension's limits is never loaded.
 */
#include "mcp/call.h"

static void write_file(struct mcp_call *c, const struct mcp_skill *s, const struct mcp_file *f)
{
    json_object_begin(&c->w);
    call_write_uri(c, &c->w, s, f->path);
    write_member(&c->w, "digest", f->digest);
    json_write_key(&c->w, "size");
    json_write_int(&c->w, (int64_t)f->size);
    json_object_end(&c->w);
}

static void write_entry(struct mcp_call *c, const struct mcp_skill *s)
{
    json_object_begin(&c->w);
    call_write_uri(c, &c->w, s, S("SKILL.md"));
    json_write_key(&c->w, "frontmatter");
    json_write_raw(&c->w, s->frontmatter);
    json_write_key(&c->w, "resources");
    json_array_begin(&c->w);
    for (size_t i = 0; i < s->n_files; i++)
        write_file(c, s, &s->files[i]);
    json_array_end(&c->w);
    json_object_end(&c->w);
}

void method_skills_list(struct mcp_call *c)
{
    struct shown s = {0};
    size_t i, from;
    if (!call_loaded(c, &s))
        return;
    if (call_page(c, s.keys, s.n, &from)) {
        json_write_key(&c->w, "skills");
        json_array_begin(&c->w);
        /* An entry is never split, and may be long: the page ends where it is long enough. */
        for (i = from; i < s.n && i - from < PAGE_ITEMS && c->out.n < PAGE_BYTES; i++)
            write_entry(c, s.skills[i]);
        json_array_end(&c->w);
        if (i < s.n)
            call_next_page(c, s.keys[i - 1]);
    }
    call_release_all(c, &s);
}

void method_skills_get(struct mcp_call *c)
{
    struct pap_str uri = call_text(c, "uri");
    struct skill_uri parts;
    const struct mcp_skill *s = c->error ? NULL : call_hold(c, uri, true, &parts);
    if (s && str_is(parts.path, "SKILL.md")) {
        json_write_key(&c->w, "skill");
        write_entry(c, s);
    } else if (s) {
        call_no_resource(c, uri);
    }
    if (c->error == MCP_NO_RESOURCE)
        c->error = MCP_INVALID_PARAMS; /* the extension's own code, in every era */
    call_release(c, s);
}

/* ---- folders ---- */

/* The direct child of `folder` (empty: the root) that the path stands for or below; p NULL when it is not inside. */
static struct pap_str child_of(struct pap_str folder, struct pap_str path, bool *ret_is_folder)
{
    if (folder.n && (!str_starts(path, folder) || path.n <= folder.n || path.p[folder.n] != '/'))
        return str(NULL, 0);
    struct pap_str rest = folder.n ? str_skip(path, folder.n + 1) : path;
    size_t slash = str_find_char(rest, '/');
    *ret_is_folder = slash < rest.n;
    return str_take(rest, slash);
}

struct child {
    struct pap_str name;
    const struct mcp_file *file; /* NULL: a folder */
};

/* The children in order of paths: those of one folder stand together. False: out of memory. */
static bool children_of(struct mcp_call *c, const struct mcp_skill *s, struct pap_str folder, struct child **ret,
                        struct pap_str **ret_keys, size_t *ret_n)
{
    struct child *all = arena_new_array(&c->arena, s->n_files, struct child);
    struct pap_str *keys = arena_new_array(&c->arena, s->n_files, struct pap_str);
    size_t n = 0;
    for (size_t i = 0; all && keys && i < s->n_files; i++) {
        bool is_folder;
        struct pap_str name = child_of(folder, s->files[i].path, &is_folder);
        if (!name.p || (is_folder && n && !all[n - 1].file && str_eq(all[n - 1].name, name)))
            continue;
        keys[n] = name;
        all[n++] = (struct child){name, is_folder ? NULL : &s->files[i]};
    }
    *ret = all;
    *ret_keys = keys;
    *ret_n = n;
    return all && keys;
}

static void write_child(struct mcp_call *c, const struct mcp_skill *s, struct pap_str folder, const struct child *k)
{
    struct pap_str path = folder.n ? arena_fmt(&c->arena, "%.*s/%.*s", PSTR(folder), PSTR(k->name)) : k->name;
    if (!path.p)
        call_no_memory(c);
    json_object_begin(&c->w);
    call_write_uri(c, &c->w, s, path);
    write_member(&c->w, "name", call_path(c, k->name));
    write_member(&c->w, "mimeType", k->file ? k->file->type : S("inode/directory"));
    if (k->file) {
        json_write_key(&c->w, "size");
        json_write_int(&c->w, (int64_t)k->file->size);
    }
    json_object_end(&c->w);
}

void method_directory_read(struct mcp_call *c)
{
    struct pap_str uri = call_text(c, "uri"), *keys;
    struct skill_uri parts;
    struct child *children;
    size_t n = 0, i;
    const struct mcp_skill *s = c->error ? NULL : call_hold(c, uri, false, &parts);
    if (s && !children_of(c, s, parts.path, &children, &keys, &n)) {
        call_no_memory(c);
    } else if (s && n == 0) {
        call_no_resource(c, uri); /* a folder without a file is not in an archive */
    } else if (s && call_page(c, keys, n, &i)) {
        size_t end = i + PAGE_ITEMS < n ? i + PAGE_ITEMS : n;
        json_write_key(&c->w, "resources");
        json_array_begin(&c->w);
        for (; i < end; i++)
            write_child(c, s, parts.path, &children[i]);
        json_array_end(&c->w);
        if (end < n)
            call_next_page(c, keys[end - 1]);
    }
    if (c->error == MCP_NO_RESOURCE)
        c->error = MCP_INVALID_PARAMS;
    call_release(c, s);
}
