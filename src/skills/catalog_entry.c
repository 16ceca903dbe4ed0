/* SPDX-License-Identifier: Apache-2.0
 *
 * One entry of an index: its words, its artifact, its releases.
 */
#include "base/limits.h"
#include "proto/check.h"
#include "skills/catalog_inside.h"
#include "text/utf8.h"

const char *artifact_type_name(enum artifact_type t)
{
    return t == ARTIFACT_ARCHIVE ? "archive" : "skill-md";
}

static bool find_type(const struct json *j, enum artifact_type *ret)
{
    for (unsigned t = ARTIFACT_SKILL_MD; t <= ARTIFACT_ARCHIVE; t++)
        if (json_is(j, JSON_STRING) && str_is(json_str(j), artifact_type_name(t))) {
            *ret = t;
            return true;
        }
    return false;
}

static bool copy(struct catalog_reader *r, struct pap_str s, struct pap_str *ret)
{
    *ret = arena_str(r->a, s);
    return ret->p || catalog_no_memory(r);
}

/* ---- one artifact ---- */

static bool read_url(struct catalog_reader *r, const struct json *j, struct catalog_release *to)
{
    const char *why = NULL;
    if (!json_is(j, JSON_STRING))
        return catalog_bad(r, ".url", "is %s; it is a string", catalog_value(r, j));
    if (!is_ok(catalog_url(r->a, r->from->base, json_str(j), r->from->strict, &to->url, &why)))
        return catalog_no_memory(r);
    if (why)
        return catalog_bad(r, ".url", "is %s: it has %s", catalog_value(r, j), why);
    return copy(r, json_str(j), &to->written_url);
}

static bool read_digest(struct catalog_reader *r, const struct json *j, struct catalog_release *to)
{
    const char *why;
    if (!json_is(j, JSON_STRING))
        return catalog_bad(r, ".digest", "is %s; it is a string", catalog_value(r, j));
    if (!format_holds(FORMAT_DIGEST, json_str(j), &why))
        return catalog_bad(r, ".digest", "is %s: %s", catalog_value(r, j), why);
    return copy(r, json_str(j), &to->digest);
}

static bool read_artifact(struct catalog_reader *r, const struct json *object, struct catalog_release *to)
{
    return read_url(r, json_get_c(object, "url"), to) && read_digest(r, json_get_c(object, "digest"), to);
}

/* ---- x-remote-skills (R-VER) ---- */

static bool has_only(const struct json *object, const char *const *names)
{
    json_each (m, object) {
        const char *const *n = names;
        while (*n && !str_is(json_key(m), *n))
            n++;
        if (!*n)
            return false;
    }
    return true;
}

static bool read_version(struct catalog_reader *r, const struct json *j, struct catalog_release *to)
{
    if (json_is(j, JSON_STRING) && !copy(r, json_str(j), &to->version))
        return false;
    return (json_is(j, JSON_STRING) && semver_parse(to->version, &to->semver)) ||
           catalog_bad(r, ".version", "is %s; it is a version such as \"1.4.2\"", catalog_value(r, j));
}

static bool is_new(struct catalog_reader *r, const struct catalog_release *releases, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(releases[i].version, releases[n].version))
            return catalog_bad(r, ".version", "is %s, as that of releases[%zu]", skill_quote(r->a, releases[n].version),
                               i);
    return true;
}

static bool read_release(struct catalog_reader *r, const struct json *one, struct catalog_release *releases, size_t n)
{
    static const char *const names[] = {"version", "type", "url", "digest", NULL};
    struct catalog_release *to = &releases[n];
    if (!json_is(one, JSON_OBJECT) || one->n != 4 || !has_only(one, names))
        return catalog_bad(r, "", "is not an object of exactly version, type, url and digest");
    if (!read_version(r, json_get_c(one, "version"), to) || !is_new(r, releases, n))
        return false;
    if (!find_type(json_get_c(one, "type"), &to->type))
        return catalog_bad(r, ".type", "is %s; it is \"skill-md\" or \"archive\"",
                           catalog_value(r, json_get_c(one, "type")));
    if (!read_artifact(r, one, to))
        return false;
    r->release = CATALOG_NOWHERE;
    if (n && semver_history_cmp(&releases[n - 1].semver, &to->semver) > 0)
        return catalog_bad(r, ".x-remote-skills.releases.order", "is not descending: %s stands behind %s",
                           skill_quote(r->a, to->version), skill_quote(r->a, releases[n - 1].version));
    return true;
}

/* The release that the entry itself names. */
static bool find_current(struct catalog_reader *r, const struct catalog_release *own, struct catalog_entry *e)
{
    for (size_t i = 0; i < e->n_releases; i++) {
        const struct catalog_release *one = &e->releases[i];
        if (!str_eq(one->version, own->version))
            continue;
        e->current = one;
        return (one->type == own->type && str_eq(one->written_url, own->written_url) &&
                str_eq(one->digest, own->digest)) ||
               catalog_bad(r, ".x-remote-skills.releases.current",
                           "differs: the entry has %s %s at %s, its version %s has %s %s at %s",
                           artifact_type_name(own->type), own->digest.p, skill_quote(r->a, own->written_url),
                           skill_quote(r->a, own->version), artifact_type_name(one->type), one->digest.p,
                           skill_quote(r->a, one->written_url));
    }
    return catalog_bad(r, ".x-remote-skills.releases.current", "is missing: no release has the entry's version %s",
                       skill_quote(r->a, own->version));
}

/* Notes of our own that others ignore; whatever is wrong with them is ignored too (decision 20). */
static bool read_deprecations(struct catalog_reader *r, const struct json *entry, struct catalog_release *releases,
                              size_t n)
{
    const struct json *notes = json_get_c(json_get_c(entry, "x-papaver"), "deprecated");
    for (size_t i = 0; i < n; i++) {
        const struct json *reason = json_get(notes, releases[i].version);
        if (json_is(reason, JSON_STRING) && !copy(r, json_str(reason), &releases[i].deprecated))
            return false;
    }
    return true;
}

static bool read_history(struct catalog_reader *r, const struct json *entry, const struct json *x,
                         struct catalog_release *own, struct catalog_entry *e)
{
    static const char *const names[] = {"version", "releases", NULL};
    const struct json *version = json_get_c(x, "version"), *list = json_get_c(x, "releases");
    if (!json_is(x, JSON_OBJECT) || !has_only(x, names))
        return catalog_bad(r, ".x-remote-skills", "is not an object of version and releases only");
    if (!json_is(version, JSON_STRING) || !semver_parse(json_str(version), &own->semver))
        return catalog_bad(r, ".x-remote-skills.version", "is %s; it is a version such as \"1.4.2\"",
                           catalog_value(r, version));
    own->version = json_str(version);
    if (!json_is(list, JSON_ARRAY) || list->n == 0 || list->n > LIMIT_RELEASES)
        return catalog_bad(r, ".x-remote-skills.releases", "is %s of %u; it is a list of 1 to %d releases",
                           catalog_value(r, list), list ? list->n : 0, LIMIT_RELEASES);
    struct catalog_release *releases = arena_new_array(r->a, list->n, struct catalog_release);
    if (!releases)
        return catalog_no_memory(r);
    json_each (one, list) {
        r->release = (long)e->n_releases;
        if (!read_release(r, one, releases, e->n_releases))
            return false;
        e->n_releases++;
    }
    e->releases = releases;
    return find_current(r, own, e) && read_deprecations(r, entry, releases, e->n_releases);
}

/* ---- entries (R-CAT-7) ---- */

static bool read_words(struct catalog_reader *r, const struct json *entry, struct catalog_entry *to)
{
    const struct json *name = json_get_c(entry, "name"), *words = json_get_c(entry, "description");
    const char *why;
    if (!json_is(name, JSON_STRING))
        return catalog_bad(r, ".name", "is %s; it is a string", catalog_value(r, name));
    if (!format_holds(FORMAT_SKILL_NAME, json_str(name), &why))
        return catalog_bad(r, ".name", "is %s: %s", catalog_value(r, name), why);
    if (!copy(r, json_str(name), &to->name)) /* first: who asks for it is told what is wrong with the rest */
        return false;
    if (!json_is(words, JSON_STRING))
        return catalog_bad(r, ".description", "is %s; it is a string", catalog_value(r, words));
    struct pap_str trimmed = str_trim(json_str(words));
    size_t n = utf8_count(r->from->strict ? json_str(words) : trimmed);
    if (trimmed.n == 0 || n > LIMIT_DESCRIPTION)
        return catalog_bad(r, ".description", "has %zu characters; it has 1 to %d and is not blank", n,
                           LIMIT_DESCRIPTION);
    return copy(r, json_str(words), &to->description);
}

bool catalog_entry_read(struct catalog_reader *r, const struct json *entry, struct catalog_entry *to, bool *ret_known)
{
    const struct json *type = json_get_c(entry, "type"), *x = json_get_c(entry, "x-remote-skills");
    struct catalog_release own = {0};
    if (!json_is(entry, JSON_OBJECT))
        return catalog_bad(r, "", "is %s; it is an object with name, description, type, url and digest",
                           catalog_value(r, entry));
    if (!read_words(r, entry, to))
        return false;
    if (!json_is(type, JSON_STRING))
        return catalog_bad(r, ".type", "is %s; it is a string", catalog_value(r, type));
    *ret_known = find_type(type, &own.type);
    if (!*ret_known)
        return true;
    if (!read_artifact(r, entry, &own))
        return false;
    if (x)
        return read_history(r, entry, x, &own, to);
    struct catalog_release *only = arena_new(r->a, struct catalog_release);
    if (!only)
        return catalog_no_memory(r);
    *only = own;
    to->releases = to->current = only;
    to->n_releases = 1;
    return true;
}
