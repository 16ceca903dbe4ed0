/* SPDX-License-Identifier: Apache-2.0 */
#include "check/baseline.h"

#include <stdlib.h>

#include "base/limits.h"
#include "sys/file.h"
#include "text/json_write.h"
#include "text/place.h"

static int compare(const void *a, const void *b)
{
    const struct baseline_entry *x = a, *y = b;
    int c = str_cmp(x->where, y->where);
    c = c ? c : str_cmp(x->id, y->id);
    return c ? c : str_cmp(x->at, y->at);
}

static struct baseline_entry *grow(struct arena *a, struct baseline *b)
{
    if (b->n == b->cap) {
        size_t cap = b->cap ? b->cap * 2 : 64;
        struct baseline_entry *entries = arena_new_array(a, cap, struct baseline_entry);
        if (!entries)
            return NULL;
        if (b->n)
            memcpy(entries, b->entries, b->n * sizeof *entries);
        b->entries = entries;
        b->cap = cap;
    }
    return &b->entries[b->n++];
}

static pap_result add(struct arena *a, struct baseline *b, struct pap_str id, struct pap_str where, struct pap_str at)
{
    struct baseline_entry *e = grow(a, b);
    if (!e)
        return fail_memory(NULL);
    *e = (struct baseline_entry){.id = id, .where = where, .at = at};
    return OK;
}

pap_result baseline_read(struct arena *a, const char *path, struct baseline *ret, struct pap_err *err)
{
    struct pap_str bytes;
    struct json *root = NULL;
    struct notes notes = {0};
    struct baseline b = {0};
    TRY(file_read(a, path, (size_t)LIMIT_DOCUMENT * 8, &bytes, NULL, err));
    if (!is_ok(json_read(a, bytes, &root, &notes)))
        return fail_memory(err);
    const struct json *list = json_get_c(root, "findings");
    if (!root || !json_is(list, JSON_ARRAY))
        return place_fail(err, path, bytes, notes.last ? notes.last->off : 0,
                          "not a baseline: wanted is an object with a list \"findings\"");
    json_each (e, list) {
        const struct json *id = json_get_c(e, "id"), *where = json_get_c(e, "where"), *at = json_get_c(e, "at");
        if (!json_is(id, JSON_STRING) || !json_is(where, JSON_STRING) || (at && !json_is(at, JSON_STRING)))
            return place_fail(err, path, bytes, e->off,
                              "an entry needs \"id\" and \"where\" (and may have \"at\"), all strings");
        if (!is_ok(add(a, &b, json_str(id), json_str(where), at ? json_str(at) : S(""))))
            return fail_memory(err);
    }
    if (b.n)
        qsort(b.entries, b.n, sizeof *b.entries, compare);
    *ret = b;
    return OK;
}

pap_result baseline_may_replace(struct arena *a, const char *path, struct pap_err *err)
{
    struct pap_str bytes;
    struct baseline old;
    struct pap_err why = {0};
    if (file_type_of(path) != FILE_REGULAR)
        return OK;
    pap_result r = file_read(a, path, (size_t)LIMIT_DOCUMENT * 8, &bytes, NULL, &why);
    if (is_ok(r) && bytes.n)
        r = baseline_read(a, path, &old, &why);
    if (is_ok(r) || r.code == PAP_NO_MEMORY)
        return is_ok(r) ? OK : fail_memory(err);
    return fail(err, PAP_USAGE, "%s is not replaced by a baseline, because it is none; name another file, or remove it",
                path);
}

bool baseline_knows(struct baseline *b, const struct pap_finding *f)
{
    struct baseline_entry key = {.id = str_c(f->id), .where = f->where, .at = f->at};
    struct baseline_entry *e = b->n ? bsearch(&key, b->entries, b->n, sizeof *b->entries, compare) : NULL;
    if (!e)
        return false;
    /* Equal entries may stand side by side in a file edited by hand: one finding answers for all of them. */
    for (struct baseline_entry *x = e; x >= b->entries && compare(x, &key) == 0; x--)
        x->seen = true;
    for (struct baseline_entry *x = e; x < b->entries + b->n && compare(x, &key) == 0; x++)
        x->seen = true;
    return true;
}

pap_result baseline_add(struct arena *a, struct baseline *b, const struct pap_finding *f)
{
    struct pap_str where = arena_str(a, f->where), at = arena_str(a, f->at);
    return where.p && at.p ? add(a, b, str_c(f->id), where, at) : fail_memory(NULL);
}

pap_result baseline_write(const struct pap_alloc *alloc, struct baseline *b, const char *path, struct pap_err *err)
{
    struct buf out;
    struct json_writer w;
    if (b->n)
        qsort(b->entries, b->n, sizeof *b->entries, compare);
    buf_init(&out, alloc, (size_t)LIMIT_DOCUMENT * 8);
    json_writer_init(&w, &out, 2);
    json_object_begin(&w);
    json_write_key(&w, "papaver_baseline");
    json_write_int(&w, 1);
    json_write_key(&w, "findings");
    json_array_begin(&w);
    for (size_t i = 0; i < b->n; i++) {
        const struct baseline_entry *e = &b->entries[i];
        if (i && compare(e, e - 1) == 0)
            continue;
        json_object_begin(&w);
        json_write_key(&w, "id");
        json_write_str(&w, e->id);
        json_write_key(&w, "where");
        json_write_str(&w, e->where);
        json_write_key(&w, "at");
        json_write_str(&w, e->at);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
    buf_char(&out, '\n');
    pap_result r = buf_result(&out, err);
    if (is_ok(r))
        r = file_write_atomic(path, buf_str(&out), err);
    buf_fini(&out);
    return r;
}

struct pap_str baseline_text(struct arena *a, const struct baseline_entry *e)
{
    return arena_fmt(a, "%.*s in %.*s%s%.*s", PSTR(e->id), PSTR(e->where), e->at.n ? " at " : "", PSTR(e->at));
}
