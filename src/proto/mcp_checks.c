/* SPDX-License-Identifier: Apache-2.0
 *
 * What an MCP endpoint answers (pap.md section 11; MCP, Streamable HTTP). A GET is always asked: a 401 with its metadata, a
 * stream, 405 and a plain refusal are all fine. `initialize` is sent only on request; then its answer says more than
 * that to the GET, which is not judged any more. A server of a newer revision has no initialize and says so; that is right, too.
 */
#include "proto/check.h"
#include "text/httpval.h"

static bool is_post(const struct doc *d)
{
    return d->exchange && str_is(d->exchange->method, "POST");
}

static int status_of(const struct doc *d)
{
    return exchange_status(d->exchange);
}

/* The answer of the same endpoint to the other method, or NULL. */
static const struct doc *other(const struct run *r)
{
    for (const struct doc *d = r->bundle->docs; d; d = d->next)
        if (d->kind == KIND_MCP && d->role == ROLE_MAIN && d->exchange && is_post(d) != is_post(r->doc) &&
            str_eq(d->name, r->doc->name))
            return d;
    return NULL;
}

/* The status of the GET when that is all that is known of the endpoint, else 0. */
static int lone_get(const struct run *r)
{
    const struct doc *post = other(r);
    return is_post(r->doc) || (post && status_of(post)) ? 0 : status_of(r->doc);
}

static bool is_html(const struct doc *d)
{
    struct pap_str type, params;
    return media_type_parse(hop_header(exchange_last(d->exchange), "Content-Type"), &type, &params) &&
           str_eq_nocase(type, S("text/html"));
}

/* No answer at all. A redirect that cannot be followed is said by its own row, what was not asked by another. */
static bool is_unreachable(const struct exchange *x)
{
    return exchange_status(x) == 0 && x->fault != FAULT_NONE && x->fault != FAULT_BUDGET &&
           x->fault != FAULT_REDIRECT_TARGET && x->fault != FAULT_REDIRECTS;
}

static void is_there(struct run *r)
{
    int status = lone_get(r);
    if (r->doc->exchange && !is_post(r->doc) && is_unreachable(r->doc->exchange))
        find(r, NULL, "the MCP server cannot be reached: %s", whole(r, r->doc->exchange->fault_text));
    if (status == 404 || status == 410)
        find(r, NULL, "no MCP server answers here: GET gives %d; an MCP server answers with a stream, 405 or 401",
             status);
}

static void is_working(struct run *r)
{
    int status = lone_get(r);
    if (status >= 500)
        find(r, NULL, "the MCP server answers GET with %d", status);
}

static void is_no_page(struct run *r)
{
    int status = lone_get(r);
    if (status >= 200 && status < 300 && is_html(r->doc))
        find_header(r, "Content-Type",
                    "a web page answers here (%d, text/html), probably the catch-all page of your app", status);
}

/* ---- 401 ----------------------------------------------------------------------------------------------------------- */

/* The last hop when it asks for a token and this is the document that tells it. */
static const struct hop *unauthorized(const struct run *r)
{
    const struct doc *get = is_post(r->doc) ? other(r) : NULL;
    bool told = get && status_of(get) == 401;
    return status_of(r->doc) == 401 && !told ? exchange_last(r->doc->exchange) : NULL;
}

static bool is_challenge(const struct header *h)
{
    return str_eq_nocase(h->name, S("WWW-Authenticate"));
}

static const struct header *malformed_challenge(const struct hop *h)
{
    for (size_t i = 0; i < h->n_headers; i++)
        if (is_challenge(&h->headers[i]) && !challenges_are_valid(h->headers[i].value))
            return &h->headers[i];
    return NULL;
}

static void challenge_is_readable(struct run *r)
{
    const struct hop *h = unauthorized(r);
    const struct header *bad = h ? malformed_challenge(h) : NULL;
    if (bad)
        find_header(r, "WWW-Authenticate", "the challenge cannot be read: %s", q(r, bad->value));
}

/* resource_metadata of a challenge of that scheme, in whichever of several fields it stands. */
static bool metadata_named(const struct hop *h, const char *scheme, struct pap_str *ret)
{
    for (size_t i = 0; i < h->n_headers; i++)
        if (is_challenge(&h->headers[i]) && challenge_param(h->headers[i].value, scheme, "resource_metadata", ret))
            return true;
    return false;
}

static void challenge_names_metadata(struct run *r)
{
    const struct hop *h = unauthorized(r);
    struct pap_str url;
    const char *why;
    if (!h || malformed_challenge(h))
        return;
    if (metadata_named(h, "Bearer", &url)) {
        if (!format_holds(FORMAT_HTTPS, url, &why))
            find_header(r, "WWW-Authenticate", "resource_metadata is %s: %s; wanted is an https URL", q(r, url), why);
    } else if (metadata_named(h, "DPoP", &url)) {
        find_header(r, "WWW-Authenticate",
                    "resource_metadata stands in a challenge of the scheme DPoP; at MCP servers it is "
                    "Bearer");
    } else if (!hop_header(h, "WWW-Authenticate").p) {
        find_header(r, "WWW-Authenticate",
                    "the server answers 401 without WWW-Authenticate, so clients must guess where its "
                    "metadata is");
    } else {
        find_header(r, "WWW-Authenticate",
                    "the challenge does not name resource_metadata, so clients must guess where it is");
    }
}

/* ---- initialize ---------------------------------------------------------------------------------------------------- */

/* What came as JSON; the answer of a newer server has a 4xx status and was not read yet. */
static const struct json *message(struct run *r)
{
    struct json *root = NULL;
    struct notes notes = {0};
    if (r->doc->root || !r->doc->exchange->body.p)
        return r->doc->root;
    if (!is_ok(json_read(r->arena, r->doc->exchange->body, &root, &notes)))
        r->no_memory = true;
    return root;
}

/* NULL when it is an answer to initialize or server/discover, else what is missing. */
static const char *result_fault(const struct json *result)
{
    if (!json_is(json_get_c(result, "capabilities"), JSON_OBJECT))
        return "capabilities";
    if (json_is(json_get_c(result, "supportedVersions"), JSON_ARRAY))
        return NULL;
    if (!json_is(json_get_c(result, "protocolVersion"), JSON_STRING))
        return "protocolVersion";
    return json_is(json_get_c(json_get_c(result, "serverInfo"), "name"), JSON_STRING) ? NULL : "serverInfo with a name";
}

static bool is_rpc(const struct json *m)
{
    return str_is(json_str(json_get_c(m, "jsonrpc")), "2.0");
}

/* The error of a well-formed answer, else NULL. */
static const struct json *rpc_error(const struct json *m)
{
    const struct json *error = is_rpc(m) ? json_get_c(m, "error") : NULL;
    return json_is(json_get_c(error, "code"), JSON_NUMBER) ? error : NULL;
}

static bool names_versions(const struct json *error)
{
    return str_is(json_str(json_get_c(error, "code")), "-32022") &&
           json_is(json_get_c(json_get_c(error, "data"), "supported"), JSON_ARRAY);
}

/* Whether there is an answer to initialize that this row has to look at. */
static bool answered(const struct run *r)
{
    int status = status_of(r->doc);
    bool read = r->doc->root || status != 200; /* else the rows of syntax speak */
    return is_post(r->doc) && r->doc->exchange->fault == FAULT_NONE && status && status != 401 && status != 429 && read;
}

static void answers_initialize(struct run *r)
{
    if (!answered(r))
        return;
    const struct json *m = message(r), *result = json_get_c(m, "result"), *at = r->doc->root;
    int status = status_of(r->doc);
    if (rpc_error(m))
        return; /* a refusal */
    if (!at)
        find(r, NULL, "the endpoint answers initialize with status %d and no message of MCP", status);
    else if (!is_rpc(m) || !json_is(result, JSON_OBJECT))
        find(r, at, "the answer to initialize is %s, but not a JSON-RPC 2.0 message with a result", qv(r, m));
    else if (result_fault(result))
        find(r, result, "the result of initialize has no %s", result_fault(result));
}

static void takes_initialize(struct run *r)
{
    const struct json *error = answered(r) ? rpc_error(message(r)) : NULL;
    if (error && !names_versions(error))
        find(r, r->doc->root ? error : NULL,
             "the server refuses initialize (error %s: %s) and does not name the versions it speaks",
             whole(r, json_str(json_get_c(error, "code"))), qv(r, json_get_c(error, "message")));
}

/* One row a paragraph, as in every table of checks: clang-format would put a member in each line. */
/* clang-format off */

#define MCP .spec = SPEC_MCP, .kind = KIND_MCP, .sure = V_ALL

static const struct check rows[] = {
    {
        .id = "mcp.endpoint", .covers = "", MCP, .section = "basic/transports", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fn = is_there,
        .title = "an MCP server answers at the url that poppy.json lists",
        .why = "Agents get the same answer and have no tools to work with.",
        .mend = "Correct the url in poppy.json: the path of the MCP endpoint is part of it. If the server is there for POST "
                "alone, let it answer GET with 405.",
        .good = "GET gives 405, or 401 with WWW-Authenticate", .bad = "GET gives 404",
    },
    {
        .id = "mcp.failing", .covers = "", MCP, .section = "basic/transports", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .fn = is_working,
        .title = "the MCP server does not answer with a failure of its own",
        .why = "Agents take it for broken and try later, or not at all.",
        .mend = "Look at the server's log; a server without a stream answers GET with 405.",
        .good = "GET gives 405", .bad = "GET gives 502",
    },
    {
        .id = "mcp.html", .covers = "", MCP, .section = "basic/transports", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fn = is_no_page,
        .title = "no web page answers at the MCP endpoint",
        .why = "A page with status 200 where nothing is served hides that the server is missing.",
        .mend = "Route the endpoint to the MCP server, and let it answer GET with a stream or 405.",
        .good = "GET gives 405", .bad = "GET gives 200 text/html",
    },
    {
        .id = "mcp.challenge", .covers = "", .spec = SPEC_RFC9110, .kind = KIND_MCP, .section = "11.6.1",
        .level = LEVEL_MUST, .severity = PAP_WARNING, .sure = V_ALL, .fn = challenge_is_readable,
        .title = "WWW-Authenticate can be read",
        .why = "Clients that cannot read it do not find where to sign in.",
        .mend = "Write a scheme, then name=\"value\" pairs with commas between them.",
        .good = "Bearer error=\"invalid_token\", resource_metadata=\"https://...\"", .bad = "Bearer resource_metadata=https://...",
    },
    {
        .id = "mcp.resource-metadata", .covers = "", .spec = SPEC_RFC9728, .kind = KIND_MCP, .section = "5.1",
        .level = LEVEL_SHOULD, .severity = PAP_WARNING, .sure = V_ALL, .fn = challenge_names_metadata,
        .title = "a 401 names the metadata of the server in a Bearer challenge",
        .why = "From there clients find where to sign in; without it they guess, and on some servers they guess wrong.",
        .mend = "Send WWW-Authenticate: Bearer resource_metadata=\"https://HOST/.well-known/oauth-protected-resource/PATH\".",
        .good = "WWW-Authenticate: Bearer resource_metadata=\"https://mcp.shop.example/.well-known/oauth-protected-resource/mcp\"",
        .bad = "WWW-Authenticate: Bearer",
    },
    {
        .id = "mcp.initialize", .covers = "", MCP, .section = "basic/lifecycle", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fn = answers_initialize,
        .title = "initialize is answered with protocolVersion, capabilities and serverInfo",
        .why = "It is the first thing a client sends; without a right answer it disconnects.",
        .mend = "Look at the raw answer (--exchanges), and try the endpoint with an MCP client.",
        .good = "{ \"jsonrpc\": \"2.0\", \"id\": 1, \"result\": { \"protocolVersion\": \"2025-11-25\", ... } }",
        .bad = "{ \"status\": \"ok\" }",
    },
    {
        .id = "mcp.initialize.refused", .covers = "", MCP, .section = "basic/versioning", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .fn = takes_initialize,
        .title = "a server that refuses initialize says which versions it speaks",
        .why = "Most clients still begin with initialize; without a list of versions they do not know what to try next.",
        .mend = "Answer initialize, or refuse with error -32022 and the versions in data.supported.",
        .good = "\"error\": { \"code\": -32022, \"data\": { \"supported\": [\"2026-07-28\"] }, ... }",
        .bad = "\"error\": { \"code\": -32601, \"message\": \"Method not found\" }",
    },
};

CHECK_TABLE(mcp_checks, rows);
