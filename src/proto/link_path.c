/* SPDX-License-Identifier: Apache-2.0
 *
 * Paths that skills name, such as `GET /poppy/orders`, against the API descriptions.
 */
#include "base/limits.h"
#include "proto/links.h"
#include "text/uri.h"

enum {
    MOST_STEPS = 4000000, /* comparisons of a row: skills and descriptions are hostile */
    MOST_SERVERS = 8
};

static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"};
enum { N_METHODS = sizeof methods / sizeof methods[0] };

bool links_is_method(struct pap_str s)
{
    for (size_t i = 0; i < N_METHODS; i++)
        if (str_is(s, methods[i]))
            return true;
    return false;
}

/* "/orders/{id}" fits "/orders/{order_id}" and "/orders/42". */
static bool path_fits(struct pap_str path, struct pap_str template)
{
    struct pap_str a, b;
    path = str_skip(path, 1);
    template = str_skip(template, 1);
    for (;;) {
        bool more_a = str_next(&path, '/', &a), more_b = str_next(&template, '/', &b);
        if (!more_a || !more_b)
            return more_a == more_b;
        bool variable = str_starts(b, S("{")) && str_ends(b, S("}")) && a.n > 0;
        if (!variable && !str_eq(a, b))
            return false;
    }
}

/* What stands before the paths of the document; p NULL when only the API's people know (a template). */
static struct pap_str path_of_server(const struct json *server)
{
    const struct json *url = json_get_c(server, "url");
    struct uri u;
    size_t at;
    const char *why;
    if (!json_is(url, JSON_STRING))
        return S("");
    if (!uri_parse(json_str(url), &u, &at, &why))
        return str(NULL, 0);
    return str_ends(u.path, S("/")) ? str_take(u.path, u.path.n - 1) : u.path;
}

struct path_search {
    struct pap_str method, path; /* of the span */
    struct links_names names;    /* paths of all documents, whole */
    size_t steps;
    const struct json *other_methods; /* of the path that fits */
    bool found;
};

static void search_below(const struct doc *d, struct pap_str path, struct path_search *s)
{
    json_each (p, json_get_c(d->root, "paths")) {
        if (++s->steps > MOST_STEPS)
            return;
        if (!path_fits(path, json_key(p)))
            continue;
        s->other_methods = p;
        s->found |= json_get_c(p, "$ref") != NULL; /* its methods stand elsewhere */
        json_each (operation, p)
            s->found |= str_eq_nocase(json_key(operation), s->method);
    }
}

/* The path may be written with or without that of a server. */
static void search_document(const struct doc *d, struct path_search *s)
{
    unsigned servers = 0;
    search_below(d, s->path, s);
    json_each (server, json_get_c(d->root, "servers")) {
        if (++servers > MOST_SERVERS)
            return;
        struct pap_str before = path_of_server(server);
        if (!before.p)
            s->found = true;
        else if (before.n && s->path.p && str_starts(s->path, before) && !s->found && s->steps < MOST_STEPS)
            search_below(d, str_skip(s->path, before.n), s);
    }
}

/* "GET, PATCH" */
static const char *methods_of(struct run *r, const struct json *path)
{
    struct pap_str list = S("");
    for (size_t i = 0; i < N_METHODS && list.p; i++) {
        bool there = false;
        json_each (o, path)
            there |= str_eq_nocase(json_key(o), str_c(methods[i]));
        if (there)
            list = arena_fmt(r->arena, "%.*s%s%s", PSTR(list), list.n ? ", " : "", methods[i]);
    }
    r->no_memory |= !list.p;
    return list.n ? list.p : "none";
}

static void judge_path(struct run *r, const struct span *span, void *ctx)
{
    struct path_search *s = ctx;
    size_t blank = str_find_char(span->text, ' ');
    s->method = str_take(span->text, blank);
    s->path = str_trim(str_skip(span->text, blank));
    s->path = str_take(s->path, str_find_char(s->path, '?'));
    s->found = false;
    s->other_methods = NULL;
    if (!links_is_method(s->method) || !str_starts(s->path, S("/")) || str_find_char(s->path, ' ') < s->path.n)
        return;
    for (const struct doc *d = r->bundle->docs; d && !s->found && ++s->steps < MOST_STEPS; d = d->next)
        if (links_has_paths(d))
            search_document(d, s);
    if (s->found || s->steps > MOST_STEPS || r->row_findings > LIMIT_FINDINGS_PER_ROW)
        return;
    if (s->other_methods) {
        find_offset(r, span->off,
                    "the skill names %s, but the API description has this path for other methods only: %s",
                    q(r, span->text), methods_of(r, s->other_methods));
        return;
    }
    struct similar near = links_nearest(&s->names, s->path);
    find_offset(r, span->off, "the skill names %s, but no API description has this path", q(r, span->text));
    if (near.best.p)
        mend(r, "Did you mean `%s %s`?", whole(r, s->method), whole(r, near.best));
}

static void collect_paths(struct run *r, struct links_names *names)
{
    for (const struct doc *d = r->bundle->docs; d; d = d->next) {
        struct pap_str before = path_of_server(json_at(d->root, "/servers/0"));
        const struct json *paths = links_has_paths(d) ? json_get_c(d->root, "paths") : NULL;
        json_each (p, paths) {
            if (names->n == LINKS_NAMES)
                return;
            struct pap_str whole_path = arena_fmt(r->arena, "%.*s%.*s", PSTR(before), PSTR(json_key(p)));
            r->no_memory |= !whole_path.p;
            links_name_add(names, whole_path);
        }
    }
}

void skill_paths_exist(struct run *r)
{
    struct path_search *s = arena_new(r->arena, struct path_search);
    r->no_memory |= !s;
    if (!s || !links_knows_apis(r->bundle))
        return;
    collect_paths(r, &s->names);
    links_each_span(r, judge_path, s);
}
