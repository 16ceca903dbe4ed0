/* SPDX-License-Identifier: Apache-2.0
 *
 * remote-skills.json, the configuration of another publisher, understood as it is (R-PUB-1): strict at every level.
 */
#include "base/limits.h"
#include "pack/pack.h"
#include "publish/project.h"
#include "sys/file.h"
#include "text/place.h"

struct pap_remote_config {
    struct arena arena;
};

enum { ROOTS_MOST = 64 };

struct reader {
    struct arena *a;
    const char *path;
    struct pap_str text;
    struct pap_publish_options *to;
    struct pap_err *err;
};

typedef pap_result read_fn(struct reader *r, const struct json *v);

static pap_result bad(struct reader *r, const struct json *v, const char *what)
{
    return place_fail(r->err, r->path, r->text, v->off, "%s", what);
}

static pap_result read_path(struct reader *r, const struct json *v, const char **ret)
{
    if (!json_is(v, JSON_STRING) || !v->n || pack_name_fault(json_str(v)))
        return bad(r, v, "a path below the project is needed");
    *ret = arena_cstr(r->a, json_str(v));
    return *ret ? OK : fail_memory(r->err);
}

static pap_result read_roots(struct reader *r, const struct json *v)
{
    const char **roots = arena_new_array(r->a, ROOTS_MOST + 1, const char *);
    size_t n = 0;
    if (!roots)
        return fail_memory(r->err);
    if (!json_is(v, JSON_ARRAY) || !v->n || v->n > ROOTS_MOST)
        return bad(r, v, "a list of folders is needed");
    json_each (root, v)
        TRY(read_path(r, root, &roots[n++]));
    r->to->roots = roots;
    return OK;
}

static pap_result read_out(struct reader *r, const struct json *v)
{
    return read_path(r, v, &r->to->out);
}

static pap_result read_format(struct reader *r, const struct json *v)
{
    r->to->zip = str_is(json_str(v), "zip");
    return r->to->zip || str_is(json_str(v), "tar.gz") ? OK : bad(r, v, "\"tar.gz\" or \"zip\" is needed");
}

static pap_result read_strict(struct reader *r, const struct json *v)
{
    r->to->strict = v->type == JSON_TRUE;
    return v->type == JSON_TRUE || v->type == JSON_FALSE ? OK : bad(r, v, "true or false is needed");
}

static pap_result read_schema(struct reader *r, const struct json *v)
{
    return str_is(json_str(v), "https://remote-skills.dev/schemas/config/0.0.1.json")
               ? OK
               : bad(r, v, "this schema is not known");
}

static pap_result read_limits(struct reader *r, const struct json *v)
{
    uint64_t files = 0;
    struct {
        const char *name;
        uint64_t *to;
    } rows[] = {{"catalogBytes", &r->to->most_index_bytes},
                {"archiveBytes", &r->to->most_archive_bytes},
                {"extractedBytes", &r->to->most_unpacked_bytes},
                {"fileBytes", &r->to->most_file_bytes},
                {"files", &files}};
    if (!json_is(v, JSON_OBJECT))
        return bad(r, v, "an object is needed");
    json_each (m, v) {
        size_t i = 0;
        while (i < 5 && !str_is(json_key(m), rows[i].name))
            i++;
        if (i == 5)
            return bad(r, m, "there is no such limit");
        if (!json_is(m, JSON_NUMBER) || !str_to_u64(json_str(m), rows[i].to) || !*rows[i].to)
            return bad(r, m, "a whole number above 0 is needed");
    }
    r->to->most_files = files > UINT32_MAX ? UINT32_MAX : (uint32_t)files;
    return OK;
}

static pap_result read_dev(struct reader *r, const struct json *v)
{
    return json_is(v, JSON_OBJECT) ? OK : bad(r, v, "an object is needed"); /* of its server, not of a publisher */
}

static const struct {
    const char *name;
    read_fn *read;
} members[] = {{"$schema", read_schema}, {"sourceRoots", read_roots}, {"outDir", read_out}, {"format", read_format},
               {"strict", read_strict},  {"limits", read_limits},     {"dev", read_dev}};

static pap_result read_members(struct reader *r)
{
    struct json *root = NULL;
    struct notes notes = {0};
    TRY(file_read(r->a, r->path, LIMIT_CONFIG, &r->text, NULL, r->err));
    if (!is_ok(json_read(r->a, r->text, &root, &notes)))
        return fail_memory(r->err);
    if (!json_is(root, JSON_OBJECT))
        return fail(r->err, PAP_SYNTAX, "%s is no JSON object", r->path);
    json_each (m, root) {
        size_t i = 0;
        while (i < sizeof members / sizeof *members && !str_is(json_key(m), members[i].name))
            i++;
        if (i == sizeof members / sizeof *members || (m->flags & JSON_DUPLICATE))
            return bad(r, m, i == sizeof members / sizeof *members ? "there is no such setting" : "it stands twice");
        TRY(members[i].read(r, m));
    }
    return OK;
}

pap_result pap_remote_config_read(const struct pap_alloc *alloc, const char *path,
                                  struct pap_publish_options *ret_options, struct pap_remote_config **ret,
                                  struct pap_err *err)
{
    struct pap_remote_config *c = alloc_resize(alloc, NULL, 0, sizeof *c);
    struct pap_publish_options options = {0};
    if (!c)
        return fail_memory(err);
    arena_init(&c->arena, alloc);
    pap_result r = read_members(&(struct reader){&c->arena, path, {0}, &options, err});
    if (!is_ok(r)) {
        pap_remote_config_free(c);
        return r;
    }
    *ret_options = options;
    *ret = c;
    return OK;
}

void pap_remote_config_free(struct pap_remote_config *c)
{
    if (!c)
        return;
    const struct pap_alloc *alloc = c->arena.alloc;
    arena_fini(&c->arena);
    (void)alloc_resize(alloc, c, sizeof *c, 0);
}
