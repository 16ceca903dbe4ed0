/* SPDX-License-Identifier: Apache-2.0
 *
 * The shape of a skill index, and the walk over its entries.
 */
#include "base/limits.h"
#include "proto/index.h"

static enum index_shape shape_of_entry(const struct json *e, const struct json **ret_at)
{
    const struct json *files = json_get_c(e, "files"), *path = json_get_c(e, "path");
    bool current = json_get_c(e, "url") || (path && (json_get_c(e, "digest") || json_get_c(e, "type")));
    *ret_at = files ? files : path;
    if (!current && json_is(files, JSON_ARRAY))
        return json_is(files->child, JSON_OBJECT) ? INDEX_FEBRUARY : INDEX_FILES;
    return !current && json_is(path, JSON_STRING) ? INDEX_PATH : INDEX_CURRENT;
}

enum index_shape index_shape(const struct json *root, const struct json **ret_at)
{
    const struct json *skills = json_get_c(root, "skills"), *version = json_get_c(root, "version"), *at;
    enum index_shape shape = INDEX_CURRENT;
    unsigned looked = 0;
    if (json_get_c(root, "$schema") || !json_is(skills, JSON_ARRAY))
        return INDEX_CURRENT;
    json_each (e, skills) { /* one of another shape: a broken index, not an old one */
        enum index_shape own = shape_of_entry(e, &at);
        if (++looked == 1) {
            shape = own;
            *ret_at = at;
        }
        if (own != shape)
            return INDEX_CURRENT;
        if (own == INDEX_CURRENT && json_get_c(e, "url"))
            return INDEX_CURRENT;
        if (looked == LIMIT_INDEX_ENTRIES)
            break;
    }
    if (shape == INDEX_CURRENT && str_starts(json_str(version), S("0.2"))) {
        *ret_at = version;
        return INDEX_FEBRUARY;
    }
    return shape;
}

bool index_is_foreign(const struct run *r)
{
    const struct doc *d = r->doc;
    return d->kind == KIND_INDEX && d->role == ROLE_WELL_KNOWN && d->exchange && r->bundle->first != d &&
           json_is(d->root, JSON_OBJECT) && !json_get_c(d->root, "$schema") && !json_get_c(d->root, "skills");
}

bool index_is_current(const struct run *r)
{
    const struct json *root = r->doc->root, *at;
    /* The address of 0.1: what stands there need not say which layout it has. */
    bool old_place = r->doc->role == ROLE_LEGACY && !json_get_c(root, "$schema");
    return json_is(root, JSON_OBJECT) && !old_place && !index_is_foreign(r) && index_shape(root, &at) == INDEX_CURRENT;
}

void index_each(struct run *r, index_entry_fn *each)
{
    const struct json *skills = json_get_c(r->doc->root, "skills");
    size_t place = 0;
    if (!index_is_current(r) || !json_is(skills, JSON_ARRAY))
        return;
    json_each (e, skills) {
        if (place == LIMIT_INDEX_ENTRIES)
            return; /* index.size says so */
        each(r, e, ++place);
    }
}

const char *index_noun(struct run *r, const struct json *entry, size_t place)
{
    const struct json *name = json_get_c(entry, "name");
    struct pap_str s = json_is(name, JSON_STRING) && json_str(name).n
                           ? arena_fmt(r->arena, "the skill %s", q(r, json_str(name)))
                           : arena_fmt(r->arena, "entry %zu of skills", place);
    if (!s.p)
        r->no_memory = true;
    return s.p ? s.p : "";
}

bool index_digest_is_placeholder(struct pap_str digest)
{
    struct pap_str hex = str_starts(digest, S("sha256:")) ? str_skip(digest, 7) : digest;
    bool same = hex.n == 64;
    for (size_t i = 1; same && i < hex.n; i++)
        same = hex.p[i] == hex.p[0];
    return same;
}
