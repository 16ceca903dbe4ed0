/* SPDX-License-Identifier: Apache-2.0
 *
 * An API description (OpenAPI), as far as agents need it: it can be read, its first server is https and the company's, and
 * its operations can be told apart (pap.md section 11, M15). The rest of OpenAPI is for its own validators.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "proto/check.h"
#include "text/uri.h"
#include "text/utf8.h"

static const struct json *member(const struct run *r, const char *name)
{
    return json_get_c(r->doc->root, name);
}

static bool is_swagger(const struct run *r)
{
    return member(r, "swagger") && !member(r, "openapi");
}

static void is_object(struct run *r)
{
    if (r->doc->root && r->doc->root->type != JSON_OBJECT)
        find(r, r->doc->root, "the document is %s; an API description is a JSON object", json_type_name(r->doc->root));
}

static void not_yaml(struct run *r)
{
    if (!r->doc->root && r->doc->bytes.p && doc_is_yaml(r->doc))
        find_offset(r, 0, "the API description is written in YAML, which is not read here; nothing in it was judged");
}

static void version_is_3(struct run *r)
{
    const struct json *v = member(r, "openapi");
    if (!json_is(r->doc->root, JSON_OBJECT) || is_swagger(r))
        return;
    if (!v)
        find_missing(r, r->doc->root, "openapi", "openapi is missing, so this cannot be told to be an API description");
    else if (v->type != JSON_STRING || !str_starts(json_str(v), S("3.")))
        find(r, v, "openapi is %s; wanted is a version that begins with \"3.\"", qv(r, v));
}

static void not_swagger(struct run *r)
{
    const struct json *v = member(r, "swagger");
    if (is_swagger(r))
        find_key(r, v, "this is a Swagger %s description, which has no servers member", whole(r, json_str(v)));
}

/* ---- the first server ---------------------------------------------------------------------------------------------- */

static const struct json *first_server(const struct run *r)
{
    const struct json *servers = member(r, "servers");
    return json_is(servers, JSON_ARRAY) ? servers->child : NULL;
}

static void has_a_server(struct run *r)
{
    const struct json *servers = member(r, "servers");
    if (!json_is(r->doc->root, JSON_OBJECT) || is_swagger(r))
        return;
    if (!servers)
        find_missing(r, r->doc->root, "servers",
                     "servers is missing; agents take the address of the API from servers[0].url");
    else if (json_is(servers, JSON_ARRAY) && !servers->child)
        find(r, servers, "servers is empty; agents take the address of the API from servers[0].url");
}

/* The server's url with every {name} replaced by its default; false names the variable that has none. */
static bool substitute(struct run *r, const struct json *server, struct pap_str *ret, struct pap_str *ret_without)
{
    struct pap_str rest = json_str(json_get_c(server, "url"));
    const struct json *variables = json_get_c(server, "variables");
    struct buf b;
    buf_init(&b, NULL, LIMIT_URL + 1);
    bool whole_url = true;
    while (whole_url && rest.n) {
        size_t open = str_find_char(rest, '{');
        size_t close = str_find_char(str_skip(rest, open), '}');
        buf_add(&b, str_take(rest, open));
        rest = str_skip(rest, open);
        if (close >= rest.n) {
            buf_add(&b, rest); /* no variable; what is left of it is no URL */
            break;
        }
        *ret_without = str_skip(str_take(rest, close), 1);
        const struct json *value = json_get_c(json_get(variables, *ret_without), "default");
        whole_url = json_is(value, JSON_STRING);
        buf_add(&b, json_str(value));
        rest = str_skip(rest, close + 1);
    }
    r->no_memory |= b.code == PAP_NO_MEMORY;
    *ret = arena_str(r->arena, buf_ok(&b) ? buf_str(&b) : S(" ")); /* longer than any URL: none */
    buf_fini(&b);
    r->no_memory |= !ret->p;
    return whole_url;
}

/* The address of the first server. p is NULL when there is none or it is relative to a file, and when *ret_why says
 * what is wrong with it. */
static struct pap_str server_address(struct run *r, const char **ret_why)
{
    struct pap_str none = {NULL, 0}, url, without;
    struct uri base, ref;
    size_t at;
    const struct json *server = first_server(r);
    *ret_why = NULL;
    if (!json_is(json_get_c(server, "url"), JSON_STRING))
        return none;
    if (!substitute(r, server, &url, &without)) {
        struct pap_str why = arena_fmt(r->arena, "its variable %s has no default", q(r, without));
        r->no_memory |= !why.p;
        *ret_why = why.p;
        return none;
    }
    if (!url.p)
        return none;
    if (!uri_parse(url, &ref, &at, ret_why)) {
        *ret_why = "it is not a URL";
        return none;
    }
    if (!ref.scheme.p && (!r->doc->base.p || !uri_parse(r->doc->base, &base, &at, ret_why))) {
        *ret_why = NULL;
        return none;
    }
    struct pap_str address = ref.scheme.p ? url : uri_resolve(r->arena, &base, &ref);
    r->no_memory |= !address.p;
    return format_holds(FORMAT_HTTPS, address, ret_why) ? address : none;
}

static void server_is_https(struct run *r)
{
    const char *why;
    const struct json *url = json_get_c(first_server(r), "url");
    struct pap_str address = server_address(r, &why);
    if (!address.p && why)
        find(r, url, "the first server is %s: %s; wanted is an https URL, absolute or relative to the document's",
             qv(r, url), why);
}

/* Whether `host` is that of the URL in `node`, or below it. */
static bool host_of(struct pap_str host, const struct json *node)
{
    struct uri u;
    size_t at;
    const char *why;
    return json_is(node, JSON_STRING) && uri_parse(json_str(node), &u, &at, &why) && u.host.n &&
           host_is_within(host, host_bare(u.host));
}

static void server_is_the_companys(struct run *r)
{
    const struct doc *poppy = bundle_doc(r->bundle, KIND_POPPY, ROLE_MAIN);
    const char *why;
    struct uri u;
    size_t at;
    struct pap_str address = poppy ? server_address(r, &why) : str(NULL, 0);
    if (!address.p || !uri_parse(address, &u, &at, &why))
        return;
    struct pap_str domain = host_bare(json_str(json_at(poppy->root, "/organization/domain")));
    if ((domain.n && host_is_within(u.host, domain)) ||
        (r->bundle->domain.n && host_is_within(u.host, host_bare(r->bundle->domain))) ||
        host_of(u.host, json_at(poppy->root, "/auth/issuer")) ||
        host_of(u.host, json_get_c(r->doc->from_node, "url")) ||
        host_of(u.host, json_get_c(r->doc->from_node, "resource")))
        return;
    find(r, json_get_c(first_server(r), "url"),
         "the first server is on %s, which by its name is neither below %s nor the host of the issuer, of this "
         "document or of "
         "its resource",
         q(r, u.host), q(r, domain));
}

/* ---- operations ---------------------------------------------------------------------------------------------------- */

struct operation {
    const struct json *path, *node; /* its path item and itself; both have keys */
    struct pap_str id;
};

static bool is_method(struct pap_str key)
{
    static const char *const methods[] = {"get", "put", "post", "delete", "options", "head", "patch", "trace"};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (str_is(key, methods[i]))
            return true;
    return false;
}

/* Fills `ret` (may be NULL: counts only) with the operations in document order; returns how many. */
static size_t list_operations(const struct run *r, struct operation *ret)
{
    size_t n = 0;
    const struct json *paths = member(r, "paths");
    json_each (path, json_is(paths, JSON_OBJECT) ? paths : NULL) {
        json_each (node, json_is(path, JSON_OBJECT) ? path : NULL) {
            if (!is_method(json_key(node)) || node->type != JSON_OBJECT)
                continue;
            if (ret)
                ret[n] = (struct operation){path, node, json_str(json_get_c(node, "operationId"))};
            n++;
        }
    }
    return n;
}

static struct operation *operations(struct run *r, size_t *ret_n)
{
    *ret_n = list_operations(r, NULL);
    struct operation *list = arena_new_array(r->arena, *ret_n, struct operation);
    if (list)
        list_operations(r, list);
    else
        r->no_memory = true;
    return list;
}

/* "GET /orders" */
static const char *operation_name(struct run *r, const struct operation *o)
{
    char method[8] = "";
    struct pap_str key = json_key(o->node);
    for (size_t i = 0; i < key.n && i < 7; i++)
        method[i] = (char)(key.p[i] - 32); /* is_method(): lower-case letters */
    struct pap_str s = arena_fmt(r->arena, "%s %s", method, whole(r, str_take(json_key(o->path), LIMIT_QUOTE)));
    r->no_memory |= !s.p;
    return s.p ? s.p : "";
}

/* One finding for all operations that fault() is true of, at the first one: a person mends them together. */
static void report_operations(struct run *r, bool (*fault)(const struct operation *o), const char *what)
{
    size_t n, bad = 0;
    const struct operation *list = operations(r, &n), *named[3];
    for (size_t i = 0; list && i < n; i++)
        if (fault(&list[i]) && bad++ < 3)
            named[bad - 1] = &list[i];
    if (bad)
        find_key(r, named[0]->node, "%zu of %zu operations %s %s: %s%s%s%s%s%s", bad, n, bad == 1 ? "has" : "have",
                 what, operation_name(r, named[0]), bad > 1 ? ", " : "", bad > 1 ? operation_name(r, named[1]) : "",
                 bad > 2 ? ", " : "", bad > 2 ? operation_name(r, named[2]) : "", bad > 3 ? " ..." : "");
}

static bool has_no_id(const struct operation *o)
{
    return str_trim(o->id).n == 0;
}

static void operations_have_ids(struct run *r)
{
    report_operations(r, has_no_id, "no operationId");
}

static bool is_blank(const struct json *text)
{
    return !json_is(text, JSON_STRING) || str_trim(json_str(text)).n == 0;
}

static bool has_no_text(const struct operation *o)
{
    return is_blank(json_get_c(o->node, "summary")) && is_blank(json_get_c(o->node, "description"));
}

static void operations_have_texts(struct run *r)
{
    report_operations(r, has_no_text, "neither summary nor description");
}

/* By id, then by place. */
static int by_id(const void *a, const void *b)
{
    const struct operation *x = a, *y = b;
    int order = str_cmp(x->id, y->id);
    return order ? order : x->node->off < y->node->off ? -1 : x->node->off > y->node->off;
}

static void operation_ids_are_unique(struct run *r)
{
    size_t n;
    struct operation *list = operations(r, &n);
    if (list && n)
        qsort(list, n, sizeof *list, by_id);
    for (size_t i = 1; list && i < n; i++)
        if (list[i].id.n && str_eq(list[i].id, list[i - 1].id))
            find(r, json_get_c(list[i].node, "operationId"), "%s has the operationId %s, as has %s",
                 operation_name(r, &list[i]), q(r, list[i].id), operation_name(r, &list[i - 1]));
}

/* One row a paragraph, as in every table of checks: clang-format would put a member in each line. */
/* clang-format off */

#define OPENAPI .spec = SPEC_OPENAPI, .kind = KIND_OPENAPI, .sure = V_ALL
#define AGENTS .spec = SPEC_PAP, .kind = KIND_OPENAPI, .section = "6", .sure = V_01_03, .maybe = V_04_10

static const struct check rows[] = {
    {
        .id = "openapi.json-object", .covers = "M15", OPENAPI, .section = "OpenAPI Object", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .fn = is_object,
        .title = "the API description is a JSON object",
        .why = "An agent cannot call an API whose description it cannot read.",
        .mend = "Publish the OpenAPI document itself, not a list or a page about it.",
        .good = "{ \"openapi\": \"3.1.0\", ... }", .bad = "[ { \"openapi\": \"3.1.0\", ... } ]",
    },
    {
        .id = "openapi.yaml", .covers = "M15", .spec = SPEC_PAPAVER, .kind = KIND_OPENAPI, .section = "",
        .level = LEVEL_ADVICE, .severity = PAP_INFO, .sure = V_ALL, .fn = not_yaml,
        .title = "the API description is JSON, which is what is judged here",
        .why = "OpenAPI allows YAML, but many agents read JSON only.",
        .mend = "Publish a JSON form, too, and name that in poppy.json.",
        .good = "{ \"openapi\": \"3.1.0\", ... }", .bad = "openapi: 3.1.0",
    },
    {
        .id = "openapi.version", .covers = "M15", OPENAPI, .section = "OpenAPI Object", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .fn = version_is_3,
        .fields = FIELDS({"/openapi", T_ANY, 0, FORMAT_NONE, 0, NULL}),
        .title = "openapi is a version string, 3.x",
        .why = "Readers choose by it how to read the rest, and refuse what they do not know.",
        .mend = "Write the version that the document follows: \"openapi\": \"3.1.0\".",
        .good = "\"openapi\": \"3.1.0\"", .bad = "\"openapi\": 3.1",
    },
    {
        .id = "openapi.swagger", .covers = "M15", OPENAPI, .section = "OpenAPI Object", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .fn = not_swagger,
        .title = "the description is OpenAPI 3, not Swagger 2",
        .why = "Agents take the address of the API from servers[0], which Swagger 2 does not have.",
        .mend = "Convert the description to OpenAPI 3; there are converters for it.",
        .good = "\"openapi\": \"3.0.3\"", .bad = "\"swagger\": \"2.0\"",
    },
    {
        .id = "openapi.paths", .covers = "M15", OPENAPI, .section = "Paths Object", .level = LEVEL_MUST,
        .severity = PAP_ERROR,
        .fields = FIELDS({"/paths", T_OBJECT, F_REQUIRED, FORMAT_NONE, 0, NULL}, {"/paths/*", T_OBJECT, F_OPAQUE, FORMAT_NONE, 0, NULL}),
        .title = "paths is an object of path items",
        .why = "It lists what an agent can ask for.",
        .mend = "Write \"paths\": { \"/orders\": { \"get\": { ... } } }.",
        .good = "\"paths\": { \"/orders\": { \"get\": { ... } } }", .bad = "\"paths\": [ \"/orders\" ]",
    },
    {
        .id = "openapi.servers.missing", .covers = "M15", AGENTS, .level = LEVEL_SHOULD, .severity = PAP_WARNING,
        .fn = has_a_server,
        .title = "servers has an entry",
        .why = "Without one the API is taken to be at the root of the host that serves the description, or agents give up.",
        .mend = "Add \"servers\": [ { \"url\": \"https://...\" } ].",
        .good = "\"servers\": [ { \"url\": \"https://api.shop.example/v1\" } ]", .bad = "\"servers\": []",
    },
    {
        .id = "openapi.server", .covers = "M15", AGENTS, .level = LEVEL_MUST, .severity = PAP_ERROR, .fn = server_is_https,
        .fields = FIELDS({"/servers", T_ARRAY, 0, FORMAT_NONE, 0, NULL}, {"/servers/*", T_OBJECT, F_OPAQUE, FORMAT_NONE, 0, NULL},
                         {"/servers/*/url", T_STRING, F_REQUIRED, FORMAT_NONE, 0, NULL}),
        .title = "the url of the first server leads to https",
        .why = "It is where agents send their requests, with the token of a person.",
        .mend = "Write the https address of the API first: \"servers\": [ { \"url\": \"https://...\" } ].",
        .good = "\"servers\": [ { \"url\": \"/v1\" } ]", .bad = "\"servers\": [ { \"url\": \"http://api.shop.example\" } ]",
    },
    {
        .id = "openapi.server.company", .covers = "M15", AGENTS, .level = LEVEL_SHOULD, .severity = PAP_WARNING,
        .fn = server_is_the_companys,
        .title = "the first server is the company's, as far as its name tells",
        .why = "Agents do not send a token to a host that the company has not declared.",
        .mend = "Put the company's own server first. If it is yours under another name, give this API a resource in poppy.json "
                "on that host.",
        .good = "shop.example: \"url\": \"https://api.shop.example\"", .bad = "shop.example: \"url\": \"https://petstore.example\"",
    },
    {
        .id = "openapi.operation-id", .covers = "M15", OPENAPI, .section = "Operation Object", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .fn = operations_have_ids,
        .title = "each operation has an operationId",
        .why = "Agents make the name of a tool from it; without one they make up a name, and skills cannot refer to it.",
        .mend = "Add \"operationId\": \"listOrders\" to each operation.",
        .good = "\"get\": { \"operationId\": \"listOrders\" }", .bad = "\"get\": { \"responses\": { ... } }",
    },
    {
        .id = "openapi.operation-id.unique", .covers = "M15", OPENAPI, .section = "Operation Object", .level = LEVEL_MUST,
        .severity = PAP_WARNING, .fn = operation_ids_are_unique,
        .title = "each operationId stands once",
        .why = "Of two tools with one name an agent can call only one.",
        .mend = "Give each operation an id of its own.",
        .good = "\"listOrders\" and \"cancelOrder\"", .bad = "\"listOrders\" twice",
    },
    {
        .id = "openapi.operation.text", .covers = "", AGENTS, .level = LEVEL_SHOULD, .severity = PAP_INFO,
        .fn = operations_have_texts,
        .title = "each operation has a summary or a description",
        .why = "A model chooses by it; a path alone says little.",
        .mend = "Add a sentence to each operation, and say which scope it needs and whether it must be confirmed.",
        .good = "\"summary\": \"List the orders of the person\"", .bad = "\"get\": { \"operationId\": \"op17\" }",
    },
};

CHECK_TABLE(openapi_checks, rows);
