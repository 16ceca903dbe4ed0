/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver.json: one section as a flat list of settings. Strict, because a setting that is silently ignored is worse than
 * none: a name twice, null or a nested object is refused with its place.
 */
#include <papaver/config.h>

#include "base/base.h"
#include "sys/file.h"
#include "text/json.h"
#include "text/place.h"
#include "text/similar.h"
#include "text/utf8.h"

enum { OBJECTS_MOST = 4 };

struct pap_config {
    struct arena arena;
    struct pap_setting *settings;
    size_t n;
};

/* What is being read. */
struct config_reader {
    struct arena *a;
    const char *path;
    struct pap_str text;
    const char *const *tables; /* NULL: none */
    struct pap_config *config;
    struct pap_err *err;
};

#define fail_at(r, off, ...) place_fail((r)->err, (r)->path, (r)->text, off, __VA_ARGS__)

/* A copy for people and for C; p is NULL when out of memory. */
static struct pap_str visible(struct config_reader *r, struct pap_str s)
{
    return utf8_visible(r->a, s, LIMIT_QUOTE, "");
}

static bool is_plain(struct pap_str s)
{
    uint32_t code;
    for (size_t n; s.n; s = str_skip(s, n)) {
        n = utf8_decode(s, &code);
        if (n == 0 || utf8_is_unsafe(code))
            return false;
    }
    return true;
}

static enum pap_setting_type type_of(const struct json *value)
{
    return json_is(value, JSON_STRING)   ? PAP_SETTING_TEXT
           : json_is(value, JSON_NUMBER) ? PAP_SETTING_NUMBER
           : json_is(value, JSON_ARRAY)  ? PAP_SETTING_EMPTY_LIST
           : json_is(value, JSON_OBJECT) ? PAP_SETTING_OBJECT
                                         : PAP_SETTING_BOOL;
}

/* A value that is no list with elements. `may_hold`: an object is fine. */
static pap_result add(struct config_reader *r, const char *key, const struct json *value, bool listed, uint32_t depth,
                      bool may_hold)
{
    enum pap_setting_type type = type_of(value);
    if (json_is(value, JSON_NULL) || (json_is(value, JSON_OBJECT) && !may_hold) ||
        (listed && json_is(value, JSON_ARRAY)))
        return fail_at(r, value->off, "\"%s\" is %s, but text, a number, true, false or a list of them is needed", key,
                       json_type_name(value));
    if (!is_plain(json_str(value)))
        return fail_at(r, value->off, "the value of \"%s\" holds a control or invisible character", key);
    const char *text = type == PAP_SETTING_BOOL         ? (json_is(value, JSON_TRUE) ? "true" : "false")
                       : type == PAP_SETTING_EMPTY_LIST ? ""
                       : type == PAP_SETTING_OBJECT     ? ""
                                                        : arena_cstr(r->a, json_str(value));
    if (!text)
        return fail_memory(r->err);
    struct place place = place_of(r->text, value->off);
    r->config->settings[r->config->n++] =
        (struct pap_setting){key, text, type, listed, place.line, place.column, depth};
    return OK;
}

static bool is_table(const struct config_reader *r, const char *key)
{
    for (const char *const *t = r->tables; t && *t; t++)
        if (strcmp(*t, key) == 0)
            return true;
    return false;
}

static pap_result add_member(struct config_reader *r, const struct json *member, uint32_t depth)
{
    struct pap_str key = visible(r, json_key(member));
    if (!key.p)
        return fail_memory(r->err);
    if (member->flags & JSON_DUPLICATE)
        return fail_at(r, member->key_off, "\"%s\" stands here for the second time", key.p);
    if (!json_is(member, JSON_ARRAY) || !member->child)
        TRY(add(r, key.p, member, false, depth, depth ? depth < OBJECTS_MOST : is_table(r, key.p)));
    if (json_is(member, JSON_OBJECT))
        json_each (inner, member)
            TRY(add_member(r, inner, depth + 1));
    if (json_is(member, JSON_ARRAY))
        json_each (element, member)
            TRY(add(r, key.p, element, true, depth, false));
    return OK;
}

/* How many settings there can be. */
static size_t count(const struct json *section, unsigned depth)
{
    size_t n = 0;
    json_each (member, section)
        n += json_is(member, JSON_ARRAY)                             ? member->n + 1
             : json_is(member, JSON_OBJECT) && depth <= OBJECTS_MOST ? 1 + count(member, depth + 1)
                                                                     : 1;
    return n;
}

/* ---- sections ---- */

#define SECTIONS_TEXT "\"check\", \"publish\" and \"serve\""

/* One file may have the settings of several commands. */
static const char *const sections[] = {"check", "publish", "serve"};

enum { SECTIONS = sizeof sections / sizeof *sections };

static bool may_stand(struct pap_str key, const char *wanted)
{
    bool may = str_is(key, wanted) || str_is(key, "$schema");
    for (size_t i = 0; i < SECTIONS; i++)
        may = may || str_is(key, sections[i]);
    return may;
}

/* The section that a slip was meant for: none that is there, too. */
static struct pap_str section_near(const struct json *root, struct pap_str key, const char *wanted)
{
    struct similar near = {.distance = SIZE_MAX};
    if (!json_get_c(root, wanted))
        similar_try(&near, key, str_c(wanted));
    for (size_t i = 0; i < SECTIONS; i++)
        if (!json_get_c(root, sections[i]))
            similar_try(&near, key, str_c(sections[i]));
    return near.best;
}

/* Only one section has these tables, whichever is read. */
static bool is_table_of_serve(const char *key)
{
    return strcmp(key, "scopes") == 0 || strcmp(key, "sites") == 0;
}

/* Not passed over: {"scopes": {...}} outside of its section would leave open what it was written to hide. */
static pap_result fail_no_section(struct config_reader *r, const struct json *root, const struct json *member,
                                  const char *wanted)
{
    struct pap_str wrong = visible(r, json_key(member)), near = section_near(root, json_key(member), wanted);
    if (!wrong.p)
        return fail_memory(r->err);
    if (near.p)
        return fail_at(r, member->key_off, "there is no section \"%s\"; did you mean \"%.*s\"?", wrong.p, PSTR(near));
    if (is_table(r, wrong.p) || is_table_of_serve(wrong.p))
        return fail_at(r, member->key_off,
                       "there is no section \"%s\" (there are " SECTIONS_TEXT "); write {\"%s\": {\"%s\": ...}}",
                       wrong.p, is_table_of_serve(wrong.p) ? "serve" : wanted, wrong.p);
    return fail_at(r, member->key_off,
                   "there is no section \"%s\" (there are " SECTIONS_TEXT
                   "); for a setting of \"%s\" write {\"%s\": {\"%s\": ...}}",
                   wrong.p, wanted, wanted, wrong.p);
}

/* The section, NULL when it is not there. */
static pap_result find_section(struct config_reader *r, const struct json *root, const char *name,
                               const struct json **ret)
{
    const struct json *found = NULL;
    json_each (member, root) {
        if (!may_stand(json_key(member), name))
            return fail_no_section(r, root, member, name);
        if (!str_is(json_key(member), name))
            continue;
        if (found)
            return fail_at(r, member->key_off, "\"%s\" stands here for the second time", name);
        found = member;
    }
    if (found && !json_is(found, JSON_OBJECT))
        return fail_at(r, found->off, "\"%s\" is %s, but an object is needed: {\"%s\": {...}}", name,
                       json_type_name(found), name);
    *ret = found;
    return OK;
}

static pap_result read_settings(struct config_reader *r, const char *section_name)
{
    const struct json *found = NULL;
    struct json *root = NULL;
    struct notes notes = {0};
    if (!is_ok(json_read(r->a, r->text, &root, &notes)))
        return fail_memory(r->err);
    if (!root) {
        struct pap_str why = notes.last->detail;
        return fail_at(r, notes.last->off, "not JSON: %.*s", PSTR(why));
    }
    if (!json_is(root, JSON_OBJECT))
        return fail_at(r, root->off, "the file holds %s, but an object is needed: {\"%s\": {...}}",
                       json_type_name(root), section_name);
    TRY(find_section(r, root, section_name, &found));
    r->config->settings = arena_new_array(r->a, count(found, 0), struct pap_setting);
    if (!r->config->settings)
        return fail_memory(r->err);
    json_each (member, found)
        TRY(add_member(r, member, 0));
    return OK;
}

pap_result pap_config_read_tables(const struct pap_alloc *alloc, const char *path, const char *section,
                                  const char *const *tables, struct pap_config **ret, struct pap_err *err)
{
    struct pap_config *config = alloc_resize(alloc, NULL, 0, sizeof *config);
    if (!config)
        return fail_memory(err);
    *config = (struct pap_config){.n = 0};
    arena_init(&config->arena, alloc);
    struct config_reader r = {.a = &config->arena, .path = path, .tables = tables, .config = config, .err = err};
    pap_result result = file_read(r.a, path, LIMIT_CONFIG, &r.text, NULL, err);
    if (is_ok(result))
        result = read_settings(&r, section);
    if (is_ok(result))
        *ret = config;
    else
        pap_config_free(config);
    return result;
}

pap_result pap_config_read(const struct pap_alloc *alloc, const char *path, const char *section,
                           struct pap_config **ret, struct pap_err *err)
{
    return pap_config_read_tables(alloc, path, section, NULL, ret, err);
}

size_t pap_config_count(const struct pap_config *config)
{
    return config->n;
}

const struct pap_setting *pap_config_at(const struct pap_config *config, size_t i)
{
    return &config->settings[i];
}

void pap_config_free(struct pap_config *config)
{
    if (!config)
        return;
    const struct pap_alloc *alloc = config->arena.alloc;
    arena_fini(&config->arena);
    (void)alloc_resize(alloc, config, sizeof *config, 0);
}

const char *pap_nearest(const char *name, const char *const *names)
{
    struct similar near = {.distance = SIZE_MAX};
    const char *best = NULL;
    for (; *names; names++) {
        similar_try(&near, str_c(name), str_c(*names));
        if (near.best.p == *names)
            best = *names;
    }
    return best;
}
