/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader of an index. Every fault names its field as Remote Skills does (skills[0].digest), and its sentence begins with
 * it, so that one function makes all of them.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "skills/catalog_inside.h"
#include "text/place.h"

#define SCHEMA "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
#define SCHEMA_OLD "https://schemas.agentskills.io/discovery/0.1/schema.json"

/* ---- faults ---- */

bool catalog_no_memory(struct catalog_reader *r)
{
    r->result = fail_memory(NULL);
    return false;
}

/* Where the reader stands: "skills[0].x-remote-skills.releases[2]". */
static struct pap_str where(struct catalog_reader *r, const char *member)
{
    if (r->place == CATALOG_NOWHERE)
        return str_c(member);
    if (r->release == CATALOG_NOWHERE)
        return arena_fmt(r->a, "skills[%ld]%s", r->place, member);
    return arena_fmt(r->a, "skills[%ld].x-remote-skills.releases[%ld]%s", r->place, r->release, member);
}

bool catalog_bad(struct catalog_reader *r, const char *member, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct pap_str field = where(r, member), phrase = arena_vfmt(r->a, fmt, ap);
    va_end(ap);
    const char *noun = str_is(field, "$document") ? "the list" : field.p;
    if (!field.p || !phrase.p ||
        !is_ok(skill_fault_make(r->a, &r->fault, SKILL_CATALOG_INVALID, "%s %.*s", noun, PSTR(phrase))))
        return catalog_no_memory(r);
    skill_fault_set(&r->fault, SKILL_KEY_ORIGIN_ALIAS, r->from->alias);
    skill_fault_set(&r->fault, SKILL_KEY_FIELD, field);
    return false;
}

const char *catalog_value(struct catalog_reader *r, const struct json *j)
{
    if (json_is(j, JSON_STRING))
        return skill_quote(r->a, json_str(j));
    return j ? json_type_name(j) : "missing";
}

/* ---- members that stand twice (R-CAT-4): another reader takes the other one ---- */

static bool check_once(struct catalog_reader *r, const struct json *object, const char *const *names)
{
    json_each (m, json_is(object, JSON_OBJECT) ? object : NULL)
        for (const char *const *n = names; *n && (m->flags & JSON_DUPLICATE); n++)
            if (str_is(json_key(m), *n))
                return catalog_bad(r, "$document", "has the member %s twice in one object", *n);
    return true;
}

static bool check_all_once(struct catalog_reader *r, const struct json *root)
{
    static const char *const of_root[] = {"$schema", "skills", NULL};
    static const char *const of_entry[] = {"name", "description", "type", "url", "digest", "x-remote-skills", NULL};
    static const char *const of_history[] = {"version", "releases", NULL};
    static const char *const of_release[] = {"version", "type", "url", "digest", NULL};
    const struct json *skills = json_get_c(root, "skills");
    if (!check_once(r, root, of_root))
        return false;
    json_each (e, json_is(skills, JSON_ARRAY) ? skills : NULL) {
        const struct json *x = json_get_c(e, "x-remote-skills"), *releases = json_get_c(x, "releases");
        if (!check_once(r, e, of_entry) || !check_once(r, x, of_history))
            return false;
        json_each (one, json_is(releases, JSON_ARRAY) ? releases : NULL)
            if (!check_once(r, one, of_release))
                return false;
    }
    return true;
}

/* ---- the list ---- */

struct list {
    struct catalog_entry *entries;
    struct catalog_skipped *skipped;
    size_t n_entries, n_skipped, n_bad;
};

static void skip(struct catalog_reader *r, struct list *l, size_t place, struct pap_str name, bool is_bad)
{
    l->skipped[l->n_skipped++] =
        (struct catalog_skipped){.place = place, .name = name, .bad = is_bad, .fault = r->fault};
    l->n_bad += is_bad;
    r->fault = (struct skill_fault){0};
}

static bool skip_unknown(struct catalog_reader *r, struct list *l, const struct catalog_entry *e,
                         const struct json *type)
{
    struct pap_str word = arena_str(r->a, json_str(type));
    if (!word.p || !is_ok(skill_fault_make(r->a, &r->fault, SKILL_ARTIFACT_UNSUPPORTED,
                                           "skills[%zu].type is %s, which is neither \"skill-md\" nor \"archive\"",
                                           e->place, skill_quote(r->a, word))))
        return catalog_no_memory(r);
    skill_fault_set(&r->fault, SKILL_KEY_ORIGIN_ALIAS, r->from->alias);
    skill_fault_set(&r->fault, SKILL_KEY_SKILL_NAME, e->name);
    skill_fault_set(&r->fault, SKILL_KEY_ARTIFACT_TYPE, word);
    skip(r, l, e->place, e->name, false);
    return true;
}

/* A strict reader stops at the first bad one; false then, and when out of memory. */
static bool read_entries(struct catalog_reader *r, const struct json *skills, struct list *l)
{
    size_t place = 0;
    json_each (one, skills) {
        struct catalog_entry *e = &l->entries[l->n_entries];
        bool known = true;
        *e = (struct catalog_entry){.place = place++};
        r->place = (long)e->place;
        r->release = CATALOG_NOWHERE;
        bool good = catalog_entry_read(r, one, e, &known);
        r->place = r->release = CATALOG_NOWHERE;
        if (!is_ok(r->result) || (!good && r->from->strict))
            return false;
        if (!good)
            skip(r, l, e->place, e->name, true);
        else if (known)
            l->n_entries++;
        else if (!skip_unknown(r, l, e, json_get_c(one, "type")))
            return false;
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    const struct catalog_entry *x = a, *y = b;
    int c = str_cmp(x->name, y->name);
    return c ? c : (x->place > y->place) - (x->place < y->place);
}

static int by_place(const void *a, const void *b)
{
    const struct catalog_skipped *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

static bool twice(struct catalog_reader *r, const struct catalog_entry *e, size_t other)
{
    r->place = (long)e->place;
    (void)catalog_bad(r, ".name", "is %s, as that of skills[%zu]", skill_quote(r->a, e->name), other);
    r->place = CATALOG_NOWHERE;
    return is_ok(r->result);
}

/* R-CAT-9: the second of a name that stands first in the list. r->fault stays when there is none. */
static bool find_twice(struct catalog_reader *r, const struct list *l)
{
    const struct catalog_entry *second = NULL;
    for (size_t i = 1; i < l->n_entries; i++)
        if (str_eq(l->entries[i].name, l->entries[i - 1].name) && (!second || l->entries[i].place < second->place))
            second = &l->entries[i];
    return !second || twice(r, second, second[-1].place);
}

/* agent-skills 3.2: all entries of a name that stands twice are dropped, for nobody knows which is meant. */
static bool drop_twice(struct catalog_reader *r, struct list *l)
{
    size_t kept = 0;
    for (size_t i = 0, end; i < l->n_entries; i = end) {
        for (end = i + 1; end < l->n_entries && str_eq(l->entries[i].name, l->entries[end].name); end++)
            ;
        if (end == i + 1) {
            l->entries[kept++] = l->entries[i];
            continue;
        }
        for (size_t k = i; k < end; k++) {
            if (!twice(r, &l->entries[k], l->entries[k == i ? i + 1 : i].place))
                return false;
            skip(r, l, l->entries[k].place, l->entries[k].name, true);
        }
    }
    l->n_entries = kept;
    return true;
}

/* Decision 15: nothing usable, and something was bad. */
static bool is_spoilt(struct catalog_reader *r, const struct list *l)
{
    for (size_t i = 0; i < l->n_skipped && !l->n_entries && l->n_bad; i++)
        if (l->skipped[i].bad) {
            r->fault = l->skipped[i].fault;
            return true;
        }
    return false;
}

static bool read_list(struct catalog_reader *r, const struct json *skills, struct catalog *ret)
{
    struct list l = {0};
    if (!json_is(skills, JSON_ARRAY))
        return catalog_bad(r, "skills", "is %s; it is a list", catalog_value(r, skills));
    l.entries = arena_new_array(r->a, skills->n, struct catalog_entry);
    l.skipped = arena_new_array(r->a, skills->n, struct catalog_skipped);
    if (!l.entries || !l.skipped)
        return catalog_no_memory(r);
    bool good = read_entries(r, skills, &l);
    if (!is_ok(r->result))
        return false;
    if (l.n_entries)
        qsort(l.entries, l.n_entries, sizeof *l.entries, by_name);
    if (r->from->strict && (!find_twice(r, &l) || r->fault.code))
        return false;
    if (!good || (!r->from->strict && !drop_twice(r, &l)))
        return false;
    if (l.n_skipped)
        qsort(l.skipped, l.n_skipped, sizeof *l.skipped, by_place);
    *ret = (struct catalog){l.entries, l.n_entries, l.skipped, l.n_skipped};
    return !is_spoilt(r, &l);
}

/* ---- the document ---- */

static bool check_schema(struct catalog_reader *r, const struct json *schema)
{
    if (json_is(schema, JSON_STRING) && str_is(json_str(schema), SCHEMA))
        return true;
    if (!is_ok(skill_fault_make(r->a, &r->fault, SKILL_UNSUPPORTED_SCHEMA, "$schema is %s, not \"" SCHEMA "\"",
                                catalog_value(r, schema))))
        return catalog_no_memory(r);
    skill_fault_set(&r->fault, SKILL_KEY_ORIGIN_ALIAS, r->from->alias);
    if (json_is(schema, JSON_STRING) && str_is(json_str(schema), SCHEMA_OLD))
        skill_fault_set(&r->fault, SKILL_KEY_SCHEMA, S(SCHEMA_OLD));
    return false;
}

static bool too_large(struct catalog_reader *r, size_t max)
{
    if (!is_ok(skill_fault_make(r->a, &r->fault, SKILL_LIMIT_EXCEEDED, "the list has %zu bytes; %zu are allowed",
                                r->from->bytes.n, max)))
        return catalog_no_memory(r);
    skill_fault_set(&r->fault, SKILL_KEY_ORIGIN_ALIAS, r->from->alias);
    skill_fault_set(&r->fault, SKILL_KEY_LIMIT, S("catalog_bytes"));
    return false;
}

static bool not_json(struct catalog_reader *r, const struct note *n)
{
    struct place at = place_of(r->from->bytes, n ? n->off : 0);
    bool says = n && n->detail.n;
    return catalog_bad(r, "$document", "is %s%s%s (line %u, column %u)",
                       n && n->code == NOTE_HTML ? "HTML" : "not JSON", says ? ": " : "",
                       says ? skill_whole(r->a, n->detail) : "", at.line, at.column);
}

static bool read_tree(struct catalog_reader *r, const struct json **ret)
{
    size_t max = r->from->max_bytes ? r->from->max_bytes : LIMIT_DOCUMENT;
    struct json *root = NULL;
    struct notes notes = {0};
    if (r->from->bytes.n > max)
        return too_large(r, max);
    if (!is_ok(json_read(&r->scratch, r->from->bytes, &root, &notes)))
        return catalog_no_memory(r);
    *ret = root;
    return root || not_json(r, notes.last);
}

/* *ret_root NULL without a fault: there is no index in it. */
static bool find_index(struct catalog_reader *r, const struct json **ret_root)
{
    static const char *const names[] = {"skill_index", NULL};
    if (!read_tree(r, ret_root))
        return false;
    if (r->from->poppy && json_is(*ret_root, JSON_OBJECT)) {
        if (!check_once(r, *ret_root, names))
            return false;
        *ret_root = json_get_c(*ret_root, "skill_index");
        return !*ret_root || json_is(*ret_root, JSON_OBJECT) ||
               catalog_bad(r, "skill_index", "is %s; it is an object", catalog_value(r, *ret_root));
    }
    return json_is(*ret_root, JSON_OBJECT) ||
           catalog_bad(r, "$document", "is %s; it is an object", catalog_value(r, *ret_root));
}

pap_result catalog_read(struct arena *a, const struct catalog_source *from, struct catalog *ret,
                        struct skill_fault *ret_fault)
{
    struct catalog_reader r = {
        .a = a, .from = from, .place = CATALOG_NOWHERE, .release = CATALOG_NOWHERE, .result = OK};
    const struct json *root = NULL;
    struct catalog c = {0};
    arena_init(&r.scratch, a->alloc);
    bool good = find_index(&r, &root);
    if (good && root)
        good = check_all_once(&r, root) && check_schema(&r, json_get_c(root, "$schema")) &&
               read_list(&r, json_get_c(root, "skills"), &c);
    arena_fini(&r.scratch);
    TRY(r.result);
    *ret = good ? c : (struct catalog){0};
    *ret_fault = good ? (struct skill_fault){0} : r.fault;
    return OK;
}
