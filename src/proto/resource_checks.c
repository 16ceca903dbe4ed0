/* SPDX-License-Identifier: Apache-2.0
 *
 * Protected resource metadata (RFC 9728): of an MCP server, or of the whole company at the root of its domain. Whether it
 * names the company's issuer (M14, M16) is a row of links_checks.c.
 */
#include "proto/check.h"
#include "text/uri.h"

static const struct json *member(const struct run *r, const char *name)
{
    return json_get_c(r->doc->root, name);
}

static void is_object(struct run *r)
{
    if (r->doc->root && r->doc->root->type != JSON_OBJECT)
        find(r, r->doc->root, "the document is %s; resource metadata is a JSON object", json_type_name(r->doc->root));
}

static bool differ_by_slash(struct pap_str a, struct pap_str b)
{
    struct pap_str longer = a.n > b.n ? a : b, shorter = a.n > b.n ? b : a;
    return longer.n == shorter.n + 1 && str_starts(longer, shorter) && longer.p[shorter.n] == '/';
}

static void is_the_server_listed(struct run *r)
{
    const struct json *node = member(r, "resource"), *listed = json_get_c(r->doc->from_node, "url");
    struct uri u;
    if (!json_is(listed, JSON_STRING) || !format_url(FORMAT_HTTPS, node, &u) ||
        str_eq(json_str(node), json_str(listed)))
        return;
    find(r, node, "resource is \"%s\", but poppy.json lists the MCP server as \"%s\": %s", whole(r, json_str(node)),
         whole(r, json_str(listed)), difference(r, json_str(node), json_str(listed)));
    mend(r, "Write \"resource\": \"%s\" here%s, or change the url in poppy.json if that is the wrong one.",
         whole(r, json_str(listed)),
         differ_by_slash(json_str(node), json_str(listed))
             ? " (with a slash more or less, clients sign in again and again)"
             : "");
}

static void is_where_it_belongs(struct run *r)
{
    const struct json *node = member(r, "resource");
    struct uri u;
    struct pap_str belongs;
    if (format_url(FORMAT_HTTPS, node, &u) && !is_well_known_of(r, &u, "oauth-protected-resource", &belongs))
        find(r, node, "resource is %s, whose metadata belongs to \"%s\", but this document is at \"%s\"", qv(r, node),
             whole(r, belongs), whole(r, r->doc->name));
}

/* Only of a document that was asked for by its URL: of those that others name, the rows of links tell. */
static void answers(struct run *r)
{
    const struct exchange *x = r->doc->exchange;
    int status = exchange_status(x);
    bool told = x && (x->fault == FAULT_BUDGET || x->fault == FAULT_REDIRECT_TARGET || x->fault == FAULT_TOO_LARGE);
    if (!x || r->bundle->first != r->doc || told || (x->fault == FAULT_NONE && status == 200))
        return;
    if (x->fault_text.n)
        find(r, NULL, "the resource metadata cannot be read: %s", whole(r, x->fault_text));
    else
        find(r, NULL, "the resource metadata cannot be read: the answer has the status %d", status);
}

static void has_a_server(struct run *r)
{
    const struct json *servers = member(r, "authorization_servers");
    const struct doc *poppy = bundle_doc(r->bundle, KIND_POPPY, ROLE_MAIN);
    /* The rows that look for the issuer in the list: of MCP servers, and from 0.4 on of the domain. */
    bool asked = poppy && json_at(poppy->root, "/auth/issuer") &&
                 (r->doc->role == ROLE_MCP || r->bundle->version->bit & V_04_10);
    if (!json_is(r->doc->root, JSON_OBJECT) || asked)
        return;
    if (!servers)
        find_missing(r, r->doc->root, "authorization_servers",
                     "authorization_servers is missing, so a client cannot tell where to sign in");
    else if (json_is(servers, JSON_ARRAY) && !servers->child)
        find(r, servers, "authorization_servers is empty, so a client cannot tell where to sign in");
}

static void takes_token_in_header(struct run *r)
{
    const struct json *methods = member(r, "bearer_methods_supported");
    if (json_is(methods, JSON_ARRAY) && !json_has(methods, "header"))
        find(r, methods, "bearer_methods_supported does not have \"header\", the one way in which agents send a token");
}

static void no_token_in_url(struct run *r)
{
    const struct json *methods = member(r, "bearer_methods_supported");
    json_each (m, json_is(methods, JSON_ARRAY) ? methods : NULL) {
        if (str_is(json_str(m), "query"))
            find(r, m, "bearer_methods_supported has \"query\", that is: tokens in the URL");
    }
}

/* One row a paragraph, as in every table of checks: clang-format would put a member in each line. */
/* clang-format off */

#define RESOURCE .spec = SPEC_RFC9728, .kind = KIND_RESOURCE
#define STRINGS(path) {path, T_ARRAY, 0, FORMAT_NONE, 0, NULL}, {path "/*", T_STRING, 0, FORMAT_NONE, 0, NULL}

static const struct check rows[] = {
    {
        .id = "resource.http.status", .covers = "", RESOURCE, .section = "3.2", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .roles = 1u << ROLE_MAIN, .sure = V_ALL, .fn = answers,
        .title = "the metadata is there: status 200",
        .why = "A client that does not find it cannot tell where to sign in.",
        .mend = "Serve it at /.well-known/oauth-protected-resource, followed by the path of the resource, without sign-in.",
        .good = "200", .bad = "404",
    },
    {
        .id = "resource.json-object", .covers = "", RESOURCE, .section = "3.2", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .sure = V_ALL, .fn = is_object,
        .title = "the body is a JSON object",
        .why = "A client that does not find an object cannot tell where to sign in.",
        .mend = "Put the members at the top level of one object, { ... }.",
        .good = "{ \"resource\": \"https://mcp.shop.example/mcp\", ... }", .bad = "[ \"https://mcp.shop.example/mcp\" ]",
    },
    {
        .id = "resource.resource", .covers = "", RESOURCE, .section = "1.2, 2", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .sure = V_ALL, .fields = FIELDS({"/resource", T_STRING, F_REQUIRED, FORMAT_HTTPS, 0, NULL}),
        .title = "resource is an https URL without fragment",
        .why = "The client asks for a token for exactly this resource and compares it with the address it uses.",
        .mend = "Write the address of the server as clients use it: \"resource\": \"https://...\".",
        .good = "\"resource\": \"https://mcp.shop.example/mcp\"", .bad = "\"resource\": \"mcp.shop.example/mcp\"",
    },
    {
        .id = "resource.match", .covers = "", RESOURCE, .section = "3.3", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .roles = 1u << ROLE_MCP, .sure = V_ALL, .fn = is_the_server_listed,
        .title = "resource is the address of the MCP server, byte for byte",
        .why = "Clients must not use metadata of another resource. With a slash more or less they sign in, get a token for "
               "the other address, are refused, and sign in again.",
        .mend = "Write the same string here and as the url in poppy.json.",
        .good = "listed as https://mcp.shop.example/mcp: \"resource\": \"https://mcp.shop.example/mcp\"",
        .bad = "listed as https://mcp.shop.example/mcp: \"resource\": \"https://mcp.shop.example/mcp/\"",
    },
    {
        .id = "resource.location", .covers = "", RESOURCE, .section = "3.1, 3.3", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .roles = 1u << ROLE_MAIN, .sure = V_01_03, .maybe = V_04_10, .fn = is_where_it_belongs,
        .title = "the document is at the well-known address of its resource",
        .why = "Clients make the address from the resource, and must not use metadata that names another one.",
        .mend = "Put /.well-known/oauth-protected-resource between the host and the path of the resource, or correct resource.",
        .good = "at https://shop.example/.well-known/oauth-protected-resource: \"resource\": \"https://shop.example\"",
        .bad = "at https://shop.example/.well-known/oauth-protected-resource: \"resource\": \"https://shop.example/api\"",
    },
    {
        .id = "resource.authorization-servers", .covers = "", RESOURCE, .section = "2", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .sure = V_ALL,
        .fields = FIELDS({"/authorization_servers", T_ARRAY, 0, FORMAT_NONE, 0, NULL},
                         {"/authorization_servers/*", T_STRING, 0, FORMAT_ISSUER, 0, NULL}),
        .title = "authorization_servers is an array of issuers, each an https URL",
        .why = "Clients look for the issuer in this list, and make the address of its metadata from it.",
        .mend = "List the issuer exactly as poppy.json has it: \"authorization_servers\": [\"https://id.shop.example\"].",
        .good = "\"authorization_servers\": [\"https://id.shop.example\"]",
        .bad = "\"authorization_servers\": \"https://id.shop.example\"",
    },
    {
        .id = "resource.authorization-servers.empty", .covers = "", .spec = SPEC_MCP, .kind = KIND_RESOURCE,
        .section = "authorization", .level = LEVEL_MUST, .severity = PAP_WARNING, .sure = V_ALL, .fn = has_a_server,
        .title = "authorization_servers has an entry",
        .why = "Without one clients do not know where to sign in, and stop.",
        .mend = "List the issuer: \"authorization_servers\": [\"https://...\"].",
        .good = "\"authorization_servers\": [\"https://id.shop.example\"]", .bad = "\"authorization_servers\": []",
    },
    {
        .id = "resource.types", .covers = "", RESOURCE, .section = "2", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .sure = V_ALL,
        .fields = FIELDS(STRINGS("/bearer_methods_supported"), STRINGS("/scopes_supported"),
                         STRINGS("/resource_signing_alg_values_supported"),
                         {"/jwks_uri", T_STRING, 0, FORMAT_HTTPS, 0, NULL}, {"/resource_name", T_STRING, 0, FORMAT_NONE, 0, NULL}),
        .title = "lists are arrays of strings, and jwks_uri is https",
        .why = "Programs that look through a list do not find a value that stands alone.",
        .mend = "Write an array, also for one value: [\"header\"].",
        .good = "\"bearer_methods_supported\": [\"header\"]", .bad = "\"bearer_methods_supported\": \"header\"",
    },
    {
        .id = "resource.bearer-header", .covers = "", .spec = SPEC_PAP, .kind = KIND_RESOURCE, .section = "4.3",
        .level = LEVEL_SHOULD, .severity = PAP_WARNING, .sure = V_ALL, .fn = takes_token_in_header,
        .title = "bearer_methods_supported, when there, has header",
        .why = "Agents send tokens in the Authorization header only.",
        .mend = "Add \"header\", or leave bearer_methods_supported out.",
        .good = "\"bearer_methods_supported\": [\"header\"]", .bad = "\"bearer_methods_supported\": [\"body\"]",
    },
    {
        .id = "resource.bearer-query", .covers = "", .spec = SPEC_PAP, .kind = KIND_RESOURCE, .section = "4.3",
        .level = LEVEL_SHOULD, .severity = PAP_WARNING, .sure = V_ALL, .fn = no_token_in_url,
        .title = "tokens are not taken in the URL",
        .why = "A URL ends up in logs, histories and referrers, and the token with it.",
        .mend = "Remove \"query\", and refuse requests with access_token= in the URL.",
        .good = "[\"header\"]", .bad = "[\"header\", \"query\"]",
    },
};

CHECK_TABLE(resource_checks, rows);
