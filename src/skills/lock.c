/* SPDX-License-Identifier: Apache-2.0 */
#include "skills/lock.h"

#include <stdlib.h>

#include "base/limits.h"
#include "skills/agents.h"
#include "skills/range.h"
#include "text/json_write.h"

/* ---- looking up, changing ---- */

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const struct lock_skill *)a)->name, ((const struct lock_skill *)b)->name);
}

static int by_path(const void *a, const void *b)
{
    return str_cmp(((const struct lock_file *)a)->path, ((const struct lock_file *)b)->path);
}

const struct lock_skill *lock_find(const struct lock *lock, struct pap_str name)
{
    const struct lock_skill key = {.name = name};
    return lock->n ? bsearch(&key, lock->skills, lock->n, sizeof key, by_name) : NULL;
}

const struct lock_file *lock_file_find(const struct lock_skill *s, struct pap_str path)
{
    const struct lock_file key = {.path = path};
    return s && s->n_files ? bsearch(&key, s->files, s->n_files, sizeof key, by_path) : NULL;
}

pap_result lock_change(struct arena *a, const struct lock *lock, struct pap_str name, const struct lock_skill *with,
                       struct lock *ret, struct pap_err *err)
{
    struct lock changed = {.skills = arena_new_array(a, lock->n + 1, struct lock_skill)};
    if (!changed.skills)
        return fail_memory(err);
    for (size_t i = 0; i < lock->n; i++)
        if (!str_eq(lock->skills[i].name, name))
            changed.skills[changed.n++] = lock->skills[i];
    if (with && changed.n == LIMIT_LOCK_SKILLS)
        return fail(err, PAP_LIMIT, "a lock holds at most %d skills", LIMIT_LOCK_SKILLS);
    if (with)
        changed.skills[changed.n++] = *with;
    if (changed.n)
        qsort(changed.skills, changed.n, sizeof *changed.skills, by_name);
    *ret = changed;
    return OK;
}

static bool texts_differ(struct lock_difference *d, const char *what, struct pap_str a, struct pap_str b)
{
    d->what = what;
    d->a = a;
    d->b = b;
    return !str_eq(a, b);
}

static bool flags_differ(struct lock_difference *d, const char *what, bool a, bool b)
{
    return texts_differ(d, what, a ? S("true") : S("false"), b ? S("true") : S("false"));
}

static bool lists_differ(struct lock_difference *d, const char *what, const char *const *a, const char *const *b)
{
    for (; *a && *b && strcmp(*a, *b) == 0; a++, b++)
        ;
    return texts_differ(d, what, str_c(*a ? *a : ""), str_c(*b ? *b : ""));
}

static struct pap_str decimal(uint64_t n, char to[24])
{
    struct buf b;
    buf_on(&b, to, 24);
    buf_fmt(&b, "%llu", (unsigned long long)n);
    return buf_str(&b);
}

static bool file_differs(struct lock_difference *d, const struct lock_file *a, const struct lock_file *b)
{
    d->path = a->path;
    return texts_differ(d, "digest", a->digest, b->digest) ||
           texts_differ(d, "size", decimal(a->size, d->numbers[0]), decimal(b->size, d->numbers[1])) ||
           flags_differ(d, "executable", a->executable, b->executable);
}

/* Both are in the order of their paths. */
static bool files_differ(struct lock_difference *d, const struct lock_skill *a, const struct lock_skill *b)
{
    size_t i = 0;
    for (; i < a->n_files && i < b->n_files && str_eq(a->files[i].path, b->files[i].path); i++)
        if (file_differs(d, &a->files[i], &b->files[i]))
            return true;
    d->path = (struct pap_str){"", 0};
    return texts_differ(d, "files", i < a->n_files ? a->files[i].path : S(""),
                        i < b->n_files ? b->files[i].path : S(""));
}

bool lock_skill_differs(const struct lock_skill *a, const struct lock_skill *b, struct lock_difference *ret)
{
    ret->path = (struct pap_str){"", 0};
    return texts_differ(ret, "name", a->name, b->name) || texts_differ(ret, "origin", a->origin, b->origin) ||
           texts_differ(ret, "scope", a->scope, b->scope) || texts_differ(ret, "range", a->range, b->range) ||
           texts_differ(ret, "version", a->version, b->version) || texts_differ(ret, "type", a->type, b->type) ||
           texts_differ(ret, "url", a->url, b->url) || texts_differ(ret, "digest", a->digest, b->digest) ||
           flags_differ(ret, "index", a->index, b->index) || flags_differ(ret, "copy", a->copy, b->copy) ||
           lists_differ(ret, "agents", a->agent_names, b->agent_names) ||
           texts_differ(ret, "claude_home", a->claude_home, b->claude_home) ||
           texts_differ(ret, "config_home", a->config_home, b->config_home) ||
           lists_differ(ret, "artifact_hosts", a->artifact_hosts, b->artifact_hosts) || files_differ(ret, a, b);
}

bool lock_skill_eq(const struct lock_skill *a, const struct lock_skill *b)
{
    struct lock_difference d;
    return a && b ? !lock_skill_differs(a, b, &d) : a == b;
}

bool lock_skill_replaced(const struct lock_skill *a, const struct lock_skill *b)
{
    return a && b && a->version.n && str_eq(a->version, b->version) && !str_eq(a->digest, b->digest);
}

bool lock_skill_lower(const struct lock_skill *a, const struct lock_skill *b)
{
    struct semver was, is;
    struct range r;
    if (!a || !b || !semver_parse(a->version, &was) || !semver_parse(b->version, &is) || semver_cmp(&is, &was) >= 0)
        return false;
    return !b->range.n || !range_parse(b->range, &r) || r.form == RANGE_ANY || range_holds(&r, &was);
}

const char *const *lock_agents(struct arena *a, uint32_t set)
{
    size_t n = 0;
    const char **names = arena_new_array(a, 33, const char *);
    for (size_t i = 0; names && agent_at(i); i++)
        if (set & (uint32_t)1 << i)
            names[n++] = agent_at(i)->shown.name;
    return names;
}

/* ---- writing ---- */

static void write_text(struct json_writer *w, const char *key, struct pap_str s)
{
    if (!s.n)
        return;
    json_write_key(w, key);
    json_write_str(w, s);
}

static void write_true(struct json_writer *w, const char *key, bool value)
{
    if (!value)
        return;
    json_write_key(w, key);
    json_write_bool(w, true);
}

static void write_list(struct json_writer *w, const char *key, const char *const *list)
{
    if (!*list)
        return;
    json_write_key(w, key);
    json_array_begin(w);
    for (; *list; list++)
        json_write_cstr(w, *list);
    json_array_end(w);
}

static void write_file(struct json_writer *w, const struct lock_file *f)
{
    json_write_key_str(w, f->path);
    json_object_begin(w);
    write_text(w, "digest", f->digest);
    json_write_key(w, "size");
    json_write_int(w, (int64_t)f->size);
    write_true(w, "executable", f->executable);
    json_object_end(w);
}

static void write_skill(struct json_writer *w, const struct lock_skill *s)
{
    json_write_key_str(w, s->name);
    json_object_begin(w);
    write_text(w, "origin", s->origin);
    write_true(w, "index", s->index);
    write_text(w, "scope", s->scope);
    write_text(w, "range", s->range);
    write_text(w, "version", s->version);
    write_text(w, "type", s->type);
    write_text(w, "url", s->url);
    write_text(w, "digest", s->digest);
    write_list(w, "artifact_hosts", s->artifact_hosts);
    write_list(w, "agents", s->agent_names);
    write_text(w, "claude_home", s->claude_home);
    write_text(w, "config_home", s->config_home);
    write_true(w, "copy", s->copy);
    json_write_key(w, "files");
    json_object_begin(w);
    for (size_t i = 0; i < s->n_files; i++)
        write_file(w, &s->files[i]);
    json_object_end(w);
    json_object_end(w);
}

void lock_write(struct buf *out, const struct lock *lock)
{
    struct json_writer w;
    json_writer_init(&w, out, 2);
    json_object_begin(&w);
    json_write_key(&w, "lock_version");
    json_write_int(&w, LOCK_VERSION);
    json_write_key(&w, "skills");
    json_object_begin(&w);
    for (size_t i = 0; i < lock->n; i++)
        write_skill(&w, &lock->skills[i]);
    json_object_end(&w);
    json_object_end(&w);
    buf_char(out, '\n');
}
