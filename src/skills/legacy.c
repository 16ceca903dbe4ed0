/* SPDX-License-Identifier: Apache-2.0
 *
 * The layout of Agent Skills Discovery 0.1: names and files, no digest. It can be listed; nothing of it can be verified, and
 * so nothing of it is activated (decision 19).
 */
#include "skills/legacy.h"

#include "base/limits.h"
#include "proto/check.h"
#include "text/json.h"
#include "text/utf8.h"

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const struct catalog_entry *)a)->name, ((const struct catalog_entry *)b)->name);
}

static bool add(struct arena *a, struct pap_str base, const struct json *one, size_t place, struct catalog_entry *e)
{
    struct catalog_release *r = arena_new(a, struct catalog_release);
    struct pap_str name = json_str(json_get_c(one, "name"));
    struct pap_str folder = str_take(base, str_rfind_char(base, '/') + 1);
    if (!r)
        return false;
    *r = (struct catalog_release){.type = ARTIFACT_SKILL_MD, .digest = S(""), .deprecated = {NULL, 0}};
    r->url = r->written_url = arena_fmt(a, "%.*s%.*s/SKILL.md", PSTR(folder), PSTR(name));
    *e = (struct catalog_entry){.name = arena_str(a, name),
                                .description = arena_str(a, json_str(json_get_c(one, "description"))),
                                .place = place,
                                .releases = r,
                                .n_releases = 1,
                                .current = r};
    return r->url.p && e->name.p && e->description.p;
}

static bool is_entry(const struct json *one)
{
    const char *why;
    struct pap_str description = json_str(json_get_c(one, "description"));
    return json_is(json_get_c(one, "name"), JSON_STRING) && json_is(json_get_c(one, "description"), JSON_STRING) &&
           json_is(json_get_c(one, "files"), JSON_ARRAY) &&
           format_holds(FORMAT_SKILL_NAME, json_str(json_get_c(one, "name")), &why) && description.n &&
           utf8_count(description) <= LIMIT_DESCRIPTION;
}

pap_result legacy_read(struct arena *a, struct pap_str bytes, struct pap_str base, struct catalog *ret, bool *ret_is)
{
    struct json *root = NULL;
    struct notes notes = {0};
    struct catalog_entry *entries;
    size_t n = 0, place = 0;
    TRY(json_read(a, bytes, &root, &notes));
    const struct json *skills = json_get_c(root, "skills");
    *ret_is = json_is(skills, JSON_ARRAY) && !json_get_c(root, "$schema") && skills->n <= LIMIT_INDEX_ENTRIES;
    if (!*ret_is)
        return OK;
    entries = arena_new_array(a, skills->n, struct catalog_entry);
    if (!entries)
        return fail_memory(NULL);
    json_each (one, skills) {
        if (is_entry(one) && !add(a, base, one, place, &entries[n++]))
            return fail_memory(NULL);
        place++;
    }
    qsort(entries, n, sizeof *entries, by_name);
    *ret = (struct catalog){.entries = entries, .n_entries = n};
    return OK;
}
