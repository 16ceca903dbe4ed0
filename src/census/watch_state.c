/* SPDX-License-Identifier: Apache-2.0
 *
 * The file that keeps what a watch saw last: {"watch": 1, "domains": {NAME: {"seen_at": ..., "marks": [...]}}}.
 */
#include "census/watch_inside.h"
#include "sys/file.h"
#include "sys/private.h"

enum { VERSION = 1 };

static pap_result damaged(const char *path, struct pap_err *err)
{
    return fail(err, PAP_SYNTAX, "%s is no state of papaver watch, or is damaged; move it away to begin anew", path);
}

static bool read_mark(const struct json *j, struct mark *ret)
{
    struct pap_str kind = json_str(json_get_c(j, "kind"));
    const struct json *name = json_get_c(j, "name"), *value = json_get_c(j, "value"), *text = json_get_c(j, "text");
    for (unsigned k = 0; k < MARK_KINDS; k++)
        if (str_is(kind, mark_word((enum mark_kind)k))) {
            *ret = (struct mark){
                .kind = (enum mark_kind)k, .name = json_str(name), .value = json_str(value), .text = json_str(text)};
            return json_is(name, JSON_STRING) && json_is(value, JSON_STRING) && json_is(text, JSON_STRING);
        }
    return false;
}

static pap_result read_domain(struct arena *a, const struct json *j, const char *path, struct marks *ret,
                              struct pap_err *err)
{
    const struct json *list = json_get_c(j, "marks");
    uint64_t at;
    if (!json_is(list, JSON_ARRAY) || !str_to_u64(json_str(json_get_c(j, "seen_at")), &at) || at > INT64_MAX)
        return damaged(path, err);
    *ret = (struct marks){.at = arena_new_array(a, list->n, struct mark), .seen_at = (int64_t)at};
    if (!ret->at)
        return fail_memory(err);
    json_each (m, list)
        if (!read_mark(m, &ret->at[ret->n++]))
            return damaged(path, err);
    return OK;
}

pap_result watch_state_read(struct watching *w, struct pap_err *err)
{
    struct pap_str text;
    struct json *root;
    struct notes notes = {0};
    const char *path = w->o->state;
    if (file_type_of(path) == FILE_NONE)
        return OK;
    TRY(file_read(&w->arena, path, LIMIT_WATCH, &text, NULL, err));
    TRY(json_read(&w->arena, text, &root, &notes));
    const struct json *domains = json_get_c(root, "domains");
    if (!str_is(json_str(json_get_c(root, "watch")), "1") || !json_is(domains, JSON_OBJECT))
        return damaged(path, err);
    for (size_t i = 0; i < w->n; i++) {
        const struct json *j = json_get(domains, w->domains[i].name);
        if (j)
            TRY(read_domain(&w->domains[i].arena, j, path, &w->domains[i].marks, err));
    }
    /* Those that are not watched this time stay as they are. */
    w->others = domains;
    return OK;
}

static void write_marks(struct json_writer *j, const struct marks *m)
{
    json_object_begin(j);
    json_write_key(j, "seen_at");
    json_write_int(j, m->seen_at);
    json_write_key(j, "marks");
    json_array_begin(j);
    for (size_t i = 0; i < m->n; i++) {
        json_object_begin(j);
        json_write_key(j, "kind");
        json_write_cstr(j, mark_word(m->at[i].kind));
        json_write_key(j, "name");
        json_write_str(j, m->at[i].name);
        json_write_key(j, "value");
        json_write_str(j, m->at[i].value);
        json_write_key(j, "text");
        json_write_str(j, m->at[i].text);
        json_object_end(j);
    }
    json_array_end(j);
    json_object_end(j);
}

static bool is_watched(const struct watching *w, struct pap_str name)
{
    for (size_t i = 0; i < w->n; i++)
        if (str_eq(w->domains[i].name, name))
            return true;
    return false;
}

/* The folder of a file that is not there yet. */
static pap_result make_folder(struct watching *w, struct pap_err *err)
{
    struct pap_str path = str_c(w->o->state);
    size_t slash = str_rfind_char(path, '/');
    const char *folder = slash < path.n ? arena_cstr(&w->arena, str_take(path, slash)) : "";
    if (!folder)
        return fail_memory(err);
    if (*folder && file_type_of(folder) == FILE_NONE)
        private_folder(folder);
    return OK;
}

pap_result watch_state_write(struct watching *w, struct pap_err *err)
{
    struct buf b;
    struct json_writer j;
    buf_init(&b, w->o->alloc, LIMIT_WATCH);
    json_writer_init(&j, &b, 1);
    json_object_begin(&j);
    json_write_key(&j, "watch");
    json_write_int(&j, VERSION);
    json_write_key(&j, "domains");
    json_object_begin(&j);
    for (size_t i = 0; i < w->n; i++)
        if (w->domains[i].marks.seen_at) {
            json_write_key_str(&j, w->domains[i].name);
            write_marks(&j, &w->domains[i].marks);
        }
    json_each (other, w->others)
        if (!is_watched(w, json_key(other))) {
            json_write_key_str(&j, json_key(other));
            json_write_tree(&j, other);
        }
    json_object_end(&j);
    json_object_end(&j);
    buf_char(&b, '\n');
    pap_result r = buf_result(&b, err);
    if (is_ok(r))
        r = make_folder(w, err);
    if (is_ok(r))
        r = file_write_private(w->o->state, buf_str(&b), err);
    buf_fini(&b);
    return r;
}
