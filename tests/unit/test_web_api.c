/* SPDX-License-Identifier: Apache-2.0
 *
 * The API is what openapi.json says: every path and method of the file is asked, and what comes has a status, a media type and
 * the members that stand there, no others.
 */
#include "text/json.h"
#include "web_check_unit.h"

#include "lib/made_census.h"

static const char world[] =
    "> GET https://shop1.example/.well-known/poppy.json\n< 200\n< Content-Type: application/json\n"
    "{\"protocol_version\": \"0.1\", \"organization\": {\"name\": \"Shop\", \"domain\": \"shop1.example\"}, \"web\": {}}\n%%\n";

struct api {
    struct fixture f;
    struct made_census made;
    struct arena arena;
    const struct json *file;
};

static const struct json *read_json(struct arena *a, struct pap_str text)
{
    struct json *root = NULL;
    struct notes notes = {0};
    assert_ok(json_read(a, text, &root, &notes));
    if (!root)
        unit_fail("no JSON: %.*s", PSTR(text));
    return root;
}

/* ---- as much of JSON Schema as the file uses ---- */

static const struct json *resolved(const struct api *p, const struct json *schema)
{
    struct pap_str ref = json_str(json_get_c(schema, "$ref"));
    return ref.n ? json_at(p->file, arena_cstr((struct arena *)(uintptr_t)&p->arena, str_skip(ref, 1))) : schema;
}

static const char *type_of(const struct json *v)
{
    return json_is(v, JSON_OBJECT)   ? "object"
           : json_is(v, JSON_ARRAY)  ? "array"
           : json_is(v, JSON_STRING) ? "string"
           : json_is(v, JSON_NUMBER) ? "integer"
           : json_is(v, JSON_NULL)   ? "null"
                                     : "boolean";
}

static bool is_one_of(const struct json *v, const struct json *list)
{
    json_each (one, list)
        if (json_is(v, JSON_NULL) ? json_is(one, JSON_NULL)
                                  : json_is(one, JSON_STRING) && str_eq(json_str(one), json_str(v)))
            return true;
    return false;
}

static const struct json *property(const struct api *p, const struct json *schema, struct pap_str key)
{
    schema = resolved(p, schema);
    const struct json *found = json_get(json_get_c(schema, "properties"), key);
    json_each (part, json_get_c(schema, "allOf"))
        found = found ? found : property(p, part, key);
    return found;
}

static void holds(const struct api *p, const struct json *schema, const struct json *v, const char *where)
{
    schema = resolved(p, schema);
    const struct json *type = json_get_c(schema, "type"), *words = json_get_c(schema, "enum");
    bool ok = !type || (json_is(type, JSON_ARRAY) ? false : str_is(json_str(type), type_of(v)));
    json_each (one, json_is(type, JSON_ARRAY) ? type : NULL)
        ok |= str_is(json_str(one), type_of(v));
    if (!ok || (words && !is_one_of(v, words)))
        unit_fail("%s: %s is not what openapi.json says", where, type_of(v));
    json_each (key, json_get_c(schema, "required"))
        if (!json_get(v, json_str(key)))
            unit_fail("%s: no member %.*s", where, PSTR(json_str(key)));
    json_each (part, json_get_c(schema, "allOf"))
        holds(p, part, v, where);
    json_each (one, json_is(v, JSON_ARRAY) ? v : NULL)
        holds(p, json_get_c(schema, "items"), one, where);
    json_each (member, json_get_c(schema, "properties") && json_is(v, JSON_OBJECT) ? v : NULL)
        if (json_get(json_get_c(schema, "properties"), json_key(member)))
            holds(p, property(p, schema, json_key(member)), member, where);
}

/* No member that is not described; those of parts are each other's. */
static void knows(const struct api *p, const struct json *schema, const struct json *v, const char *where)
{
    schema = resolved(p, schema);
    bool closed = json_get_c(schema, "properties") || json_get_c(schema, "allOf");
    json_each (one, json_is(v, JSON_ARRAY) ? v : NULL)
        knows(p, json_get_c(schema, "items"), one, where);
    json_each (member, json_is(v, JSON_OBJECT) && closed ? v : NULL) {
        const struct json *s = property(p, schema, json_key(member));
        if (!s)
            unit_fail("%s: the member %.*s is not described", where, PSTR(json_key(member)));
        knows(p, s, member, where);
    }
}

/* ---- asking ---- */

/* The answer fits one of the responses. */
static void judge_answer(const struct api *p, const struct json *operation, struct pap_str answer, const char *what)
{
    char status[16];
    snprintf(status, sizeof status, "%d", web_status(answer));
    const struct json *response = resolved(p, json_get_c(json_get_c(operation, "responses"), status));
    if (!response)
        unit_fail("%s: %s is not described", what, status);
    const struct json *content = json_get_c(response, "content");
    if (!content)
        return;
    struct pap_str type = web_field(answer, "Content-Type");
    const struct json *media = json_get(content, str_take(type, str_find_char(type, ';')));
    if (!media)
        unit_fail("%s: %.*s is not described", what, PSTR(type));
    if (!web_has(type, "json"))
        return;
    const struct json *v = read_json((struct arena *)(uintptr_t)&p->arena, web_body(answer));
    holds(p, json_get_c(media, "schema"), v, what);
    knows(p, json_get_c(media, "schema"), v, what);
}

/* {domain} and {id} become `domain` and `id`. */
static void fill(char *to, size_t size, struct pap_str path, const char *domain, const char *id)
{
    size_t open = str_find_char(path, '{');
    snprintf(to, size, "%.*s%s", (int)open, path.p,
             open == path.n                                ? ""
             : str_starts(str_skip(path, open), S("{id}")) ? id
                                                           : domain);
}

static void asks(struct api *p, const struct json *path, const struct json *operation, const char *domain,
                 const char *id)
{
    char to[200], line[260];
    bool posts = str_is(json_key(operation), "post"), judges = posts && str_ends(json_key(path), S("/judge"));
    fill(to, sizeof to, json_key(path), domain, id);
    snprintf(line, sizeof line, "%s %s", posts ? "POST" : "GET", to);
    struct pap_str a =
        web_ask_from(&p->f.site, "192.0.2.1", line, "", posts ? judges ? S("{\"a\": 1}") : S("") : str(NULL, 0));
    judge_answer(p, operation, a, line);
    struct pap_str tag = web_field(a, "ETag");
    if (posts || web_status(a) != 200)
        return;
    char field[200];
    if (!tag.n)
        unit_fail("%s: no ETag", line);
    snprintf(field, sizeof field, "If-None-Match: %.*s\r\n", PSTR(tag));
    assert_int_equal(web_status(web_ask(&p->f.site, line, field)), 304);
}

static void every_path_is_what_the_file_says(void **state)
{
    (void)state;
    struct api p = {.file = NULL};
    unsigned n = 0;
    arena_init(&p.arena, NULL);
    arena_init(&p.made.arena, NULL);
    check_begin(&p.f, world);
    snprintf(p.made.database, sizeof p.made.database, "%s", p.f.database.where);
    sites_fill(&p.made, 12);
    p.file = read_json(&p.arena, str_c(site_openapi));
    json_each (path, json_get_c(p.file, "paths"))
        json_each (operation, path) {
            if (str_is(json_key(operation), "parameters"))
                continue;
            asks(&p, path, operation, "never.example", "no.such.rule");
            asks(&p, path, operation, "127.0.0.1", "x");
            asks(&p, path, operation, "shop1.example", "poppy.auth.issuer");
            asks(&p, path, operation, "shop0.example", "poppy.auth.issuer"); /* with hostile words */
            n++;
        }
    size_t rows = 0;
    for (const struct route *r = routes; r->pattern; r++)
        rows += r->kind == ROUTE_API;
    assert_int_equal(n, rows);
    census_close(p.made.census);
    arena_fini(&p.made.arena);
    arena_fini(&p.arena);
    check_end(&p.f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_path_is_what_the_file_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
