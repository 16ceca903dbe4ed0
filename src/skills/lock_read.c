/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/limits.h"
#include "pack/pack.h"
#include "proto/check.h"
#include "skills/agents.h"
#include "skills/lock.h"
#include "skills/origin.h"
#include "text/json.h"
#include "text/place.h"
#include "text/semver.h"
#include "text/utf8.h"

struct reader {
    struct arena *a;
    const char *path;
    struct pap_str text;
    struct pap_err *err;
};

static const char *const none[] = {NULL};

#define fail_at(r, off, ...) place_fail((r)->err, (r)->path, (r)->text, off, __VA_ARGS__)

/* For sentences; "" when out of memory. */
static const char *visible(struct reader *r, struct pap_str s)
{
    struct pap_str text = utf8_visible(r->a, s, LIMIT_QUOTE, "");
    return text.p ? text.p : "";
}

/* ---- texts ---- */

static bool is_plain(struct pap_str s)
{
    uint32_t code;
    if (s.n == 0 || s.n > LIMIT_URL)
        return false;
    for (size_t n; s.n; s = str_skip(s, n)) {
        n = utf8_decode(s, &code);
        if (n == 0 || utf8_is_unsafe(code))
            return false;
    }
    return true;
}

static bool is_version(struct pap_str s)
{
    struct semver v;
    return semver_parse(s, &v);
}

static bool is_digest(struct pap_str s)
{
    const char *why;
    return format_holds(FORMAT_DIGEST, s, &why);
}

static bool is_path(struct pap_str s)
{
    return !lock_path_fault(s);
}

static bool is_type(struct pap_str s)
{
    return str_is(s, "skill-md") || str_is(s, "archive");
}

static pap_result read_text(struct reader *r, const struct json *j, bool (*holds)(struct pap_str s),
                            struct pap_str *ret)
{
    struct pap_str s = json_str(j);
    if (!json_is(j, JSON_STRING))
        return fail_at(r, j->off, "text is needed here, not %s", json_type_name(j));
    if (!is_plain(s) || (holds && !holds(s)))
        return fail_at(r, j->off, "\"%s\" cannot stand here", visible(r, s));
    *ret = arena_str(r->a, s);
    return ret->p ? OK : fail_memory(r->err);
}

static pap_result read_bool(struct reader *r, const struct json *j, bool *ret)
{
    if (!json_is(j, JSON_TRUE) && !json_is(j, JSON_FALSE))
        return fail_at(r, j->off, "true or false is needed here, not %s", json_type_name(j));
    *ret = json_is(j, JSON_TRUE);
    return OK;
}

static pap_result unknown(struct reader *r, const struct json *j)
{
    return fail_at(r, j->key_off, "there is no member \"%s\"", visible(r, json_key(j)));
}

static pap_result judge_object(struct reader *r, const struct json *j, size_t most)
{
    if (!json_is(j, JSON_OBJECT))
        return fail_at(r, j->off, "an object is needed here, not %s", json_type_name(j));
    if (j->n > most)
        return fail_at(r, j->off, "there are more than %zu members", most);
    json_each (m, j) {
        if (m->flags & JSON_DUPLICATE)
            return fail_at(r, m->key_off, "\"%s\" stands here twice", visible(r, json_key(m)));
    }
    return OK;
}

/* ---- lists ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static pap_result read_list(struct reader *r, const struct json *j, const char *const **ret)
{
    if (!json_is(j, JSON_ARRAY) || j->n > LIMIT_LOCK_LIST)
        return fail_at(r, j->off, "a list of at most %d texts is needed here", LIMIT_LOCK_LIST);
    const char **list = arena_new_array(r->a, (size_t)j->n + 1, const char *);
    size_t n = 0;
    if (!list)
        return fail_memory(r->err);
    json_each (e, j) {
        struct pap_str s = S("");
        TRY(read_text(r, e, NULL, &s));
        list[n++] = s.p;
    }
    if (n)
        qsort(list, n, sizeof *list, by_text);
    *ret = list;
    return OK;
}

static pap_result read_agents(struct reader *r, const struct json *j, struct lock_skill *s)
{
    const char *const *list;
    TRY(read_list(r, j, &list));
    for (; *list; list++) {
        uint32_t bit = agent_bit(str_c(*list));
        if (!bit)
            return fail_at(r, j->off, "there is no agent \"%s\"", *list);
        s->agents |= bit;
    }
    s->agent_names = lock_agents(r->a, s->agents);
    return s->agent_names ? OK : fail_memory(r->err);
}

/* ---- files ---- */

static pap_result read_size(struct reader *r, const struct json *j, uint64_t *ret)
{
    return json_is(j, JSON_NUMBER) && str_to_u64(json_str(j), ret) && *ret <= LIMIT_ARCHIVE_FILE
               ? OK
               : fail_at(r, j->off, "a number of bytes from 0 to %d is needed here", LIMIT_ARCHIVE_FILE);
}

/* What a version control program takes for its own: git runs what the configuration in such a folder names, in whoever's
 * shell or editor asks it about the folder. */
static bool is_of_version_control(struct pap_str path)
{
    static const char *const names[] = {".git", "git~1", ".hg", ".svn", NULL};
    struct pap_str part;
    while (str_next(&path, '/', &part))
        for (const char *const *n = names; *n; n++)
            if (str_eq_nocase(part, str_c(*n)))
                return true;
    return false;
}

/* As the paths of an archive: a lock could name ../../.bashrc as easily. */
const char *lock_path_fault(struct pap_str path)
{
    const char *why = pack_name_fault(path);
    size_t depth = 0;
    for (size_t i = 0; i < path.n; i++)
        depth += path.p[i] == '/';
    if (!why && (path.n > LIMIT_ARCHIVE_PATH || depth > LIMIT_ARCHIVE_DEPTH))
        why = "is too long or too deep";
    if (!why && is_of_version_control(path))
        why = "belongs to a version control program, which would run what it says";
    if (!why && !is_plain(path))
        why = "holds an invisible character";
    return why;
}

static pap_result judge_path(struct reader *r, const struct json *j)
{
    const char *why = lock_path_fault(json_key(j));
    return why ? fail_at(r, j->key_off, "the path \"%s\" %s", visible(r, json_key(j)), why) : OK;
}

static pap_result read_file(struct reader *r, const struct json *j, struct lock_file *ret)
{
    bool has_size = false;
    TRY(judge_path(r, j));
    TRY(judge_object(r, j, 8));
    ret->path = arena_str(r->a, json_key(j));
    json_each (m, j) {
        struct pap_str key = json_key(m);
        if (str_is(key, "digest"))
            TRY(read_text(r, m, is_digest, &ret->digest));
        else if (str_is(key, "size"))
            TRY(read_size(r, m, &ret->size));
        else if (str_is(key, "executable"))
            TRY(read_bool(r, m, &ret->executable));
        else
            return unknown(r, m);
        has_size |= str_is(key, "size");
    }
    if (!ret->path.p)
        return fail_memory(r->err);
    return ret->digest.p && has_size ? OK : fail_at(r, j->off, "a file needs \"digest\" and \"size\"");
}

static int by_path(const void *a, const void *b)
{
    return str_cmp(((const struct lock_file *)a)->path, ((const struct lock_file *)b)->path);
}

static pap_result judge_collisions(struct reader *r, const struct json *j, const struct lock_skill *s)
{
    struct pack_collision hit;
    struct pack_entry *e = arena_new_array(r->a, s->n_files, struct pack_entry);
    if (!e)
        return fail_memory(r->err);
    for (size_t i = 0; i < s->n_files; i++) {
        e[i].raw_name = e[i].name = s->files[i].path;
        e[i].next = i + 1 < s->n_files ? &e[i + 1] : NULL;
    }
    const struct pack p = {.entries = e, .n_entries = s->n_files, .n_files = s->n_files};
    if (!is_ok(pack_find_collision(r->a, &p, &hit)))
        return fail_memory(r->err);
    return !hit.second ? OK
                       : fail_at(r, j->off, "\"%s\" and \"%s\" %s", visible(r, hit.first->name),
                                 visible(r, hit.second->name), hit.why);
}

static pap_result read_files(struct reader *r, const struct json *j, struct lock_skill *s)
{
    uint64_t bytes = 0;
    TRY(judge_object(r, j, LIMIT_ARCHIVE_FILES));
    s->files = arena_new_array(r->a, j->n, struct lock_file);
    if (!s->files)
        return fail_memory(r->err);
    json_each (m, j) {
        TRY(read_file(r, m, &s->files[s->n_files]));
        bytes += s->files[s->n_files++].size;
    }
    if (s->n_files)
        qsort(s->files, s->n_files, sizeof *s->files, by_path);
    if (bytes > LIMIT_UNPACKED)
        return fail_at(r, j->off, "the files are larger than %d bytes together", LIMIT_UNPACKED);
    if (!lock_file_find(s, S("SKILL.md")))
        return fail_at(r, j->off, "there is no SKILL.md among the files");
    return judge_collisions(r, j, s);
}

/* ---- a skill ---- */

/* To add a text: a row here, a line in write_skill() and one in lock_skill_differs(). */
static const struct text_member {
    const char *name;
    size_t at;
    bool (*holds)(struct pap_str s);
    bool required;
} texts[] = {
    {"origin", offsetof(struct lock_skill, origin), NULL, true},
    {"scope", offsetof(struct lock_skill, scope), origin_is_scope, false},
    {"range", offsetof(struct lock_skill, range), NULL, false},
    {"version", offsetof(struct lock_skill, version), is_version, false},
    {"type", offsetof(struct lock_skill, type), is_type, true},
    {"url", offsetof(struct lock_skill, url), NULL, true},
    {"digest", offsetof(struct lock_skill, digest), is_digest, true},
    {"claude_home", offsetof(struct lock_skill, claude_home), is_path, false},
    {"config_home", offsetof(struct lock_skill, config_home), is_path, false},
};
enum { TEXTS = sizeof texts / sizeof *texts };

static struct pap_str *text_of(struct lock_skill *s, const struct text_member *m)
{
    return (struct pap_str *)(void *)((char *)s + m->at);
}

static pap_result read_member(struct reader *r, const struct json *m, struct lock_skill *s)
{
    struct pap_str key = json_key(m);
    for (size_t i = 0; i < TEXTS; i++)
        if (str_is(key, texts[i].name))
            return read_text(r, m, texts[i].holds, text_of(s, &texts[i]));
    return str_is(key, "index")            ? read_bool(r, m, &s->index)
           : str_is(key, "copy")           ? read_bool(r, m, &s->copy)
           : str_is(key, "agents")         ? read_agents(r, m, s)
           : str_is(key, "artifact_hosts") ? read_list(r, m, &s->artifact_hosts)
           : str_is(key, "files")          ? read_files(r, m, s)
                                           : unknown(r, m);
}

static pap_result read_skill(struct reader *r, const struct json *j, struct lock_skill *ret)
{
    const char *why;
    if (!format_holds(FORMAT_SKILL_NAME, json_key(j), &why))
        return fail_at(r, j->key_off, "\"%s\" is no name of a skill: %s", visible(r, json_key(j)), why);
    TRY(judge_object(r, j, 32));
    *ret = (struct lock_skill){.name = arena_str(r->a, json_key(j)),
                               .scope = S(""),
                               .range = S(""),
                               .version = S(""),
                               .claude_home = S(""),
                               .config_home = S(""),
                               .agent_names = none,
                               .artifact_hosts = none};
    json_each (m, j)
        TRY(read_member(r, m, ret));
    for (size_t i = 0; i < TEXTS; i++)
        if (texts[i].required && !text_of(ret, &texts[i])->n)
            return fail_at(r, j->off, "the skill \"%s\" has no \"%s\"", visible(r, json_key(j)), texts[i].name);
    if (!ret->n_files)
        return fail_at(r, j->off, "the skill \"%s\" has no \"files\"", visible(r, json_key(j)));
    return ret->name.p ? OK : fail_memory(r->err);
}

/* ---- the file ---- */

static pap_result read_root(struct reader *r, const struct json *root, struct lock *ret)
{
    const struct json *version = json_get_c(root, "lock_version"), *skills = json_get_c(root, "skills");
    uint64_t number = 0;
    TRY(judge_object(r, root, 8));
    if (!json_is(version, JSON_NUMBER) || !str_to_u64(json_str(version), &number) || number != LOCK_VERSION)
        return fail_at(r, version ? version->off : root->off,
                       "\"lock_version\" is not %d, and this program knows no other", LOCK_VERSION);
    json_each (m, root) {
        if (m != version && m != skills)
            return unknown(r, m);
    }
    if (!skills)
        return fail_at(r, root->off, "there is no \"skills\"");
    TRY(judge_object(r, skills, LIMIT_LOCK_SKILLS));
    ret->skills = arena_new_array(r->a, skills->n, struct lock_skill);
    if (!ret->skills)
        return fail_memory(r->err);
    json_each (s, skills)
        TRY(read_skill(r, s, &ret->skills[ret->n++]));
    return OK;
}

static pap_result not_json(struct reader *r, const struct notes *notes)
{
    size_t marks = str_find(r->text, S("<<<<<<<"));
    return marks < r->text.n ? fail_at(r, (uint32_t)marks, "a merge left its marks here")
                             : fail_at(r, notes->last ? notes->last->off : 0, "this is not JSON");
}

pap_result lock_read(struct arena *a, struct pap_str text, const char *path, struct lock *ret, struct pap_err *err)
{
    struct reader r = {a, path, text, err};
    struct notes notes = {0};
    struct json *root = NULL;
    struct lock lock = {0}, sorted;
    if (text.p) {
        if (!is_ok(json_read(a, text, &root, &notes)))
            return fail_memory(err);
        TRY(root ? read_root(&r, root, &lock) : not_json(&r, &notes));
    }
    TRY(lock_change(a, &lock, S(""), NULL, &sorted, err)); /* which sorts */
    *ret = sorted;
    return OK;
}
