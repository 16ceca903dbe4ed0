/* SPDX-License-Identifier: Apache-2.0
 *
 * The metadata of the company's authorization server (RFC 8414), as an agent needs it: pap.md section 29.2, M03 to M12.
 * What follows from the sign-in types is judged when poppy.json is at hand. How it came and whether it fits poppy.json
 * (M01, M02, M13, M14) are rows of exchange_checks.c and links_checks.c.
 */
#include "proto/check.h"
#include "text/uri.h"

static const struct json *member(const struct run *r, const char *name)
{
    return json_get_c(r->doc->root, name);
}

static bool is_object_read(const struct run *r)
{
    return json_is(r->doc->root, JSON_OBJECT);
}

static const struct json *poppy_root(const struct run *r)
{
    const struct doc *poppy = bundle_doc(r->bundle, KIND_POPPY, ROLE_MAIN);
    return poppy ? poppy->root : NULL;
}

/* Whether poppy.json is there and offers "direct", "device" or "mediated". */
static bool offers(const struct run *r, const char *type)
{
    return json_is(json_get_c(json_get_c(poppy_root(r), "auth"), type), JSON_OBJECT);
}

static bool lists_mcp_server(const struct run *r)
{
    const struct json *apis = json_get_c(poppy_root(r), "apis");
    json_each (api, json_is(apis, JSON_ARRAY) ? apis : NULL) {
        if (str_is(json_str(json_get_c(api, "type")), "mcp"))
            return true;
    }
    return false;
}

static void is_object(struct run *r)
{
    if (r->doc->root && !is_object_read(r))
        find(r, r->doc->root, "the document is %s; server metadata is a JSON object", json_type_name(r->doc->root));
}

/* Where poppy.json names the issuer, the row that compares both speaks. */
static void is_where_it_belongs(struct run *r)
{
    const struct json *node = member(r, "issuer");
    struct uri u;
    struct pap_str belongs;
    if (!r->doc->from_node && format_url(FORMAT_ISSUER, node, &u) &&
        !is_well_known_of(r, &u, "oauth-authorization-server", &belongs))
        find(r, node, "issuer is %s, whose metadata belongs to \"%s\", but this document is at \"%s\"", qv(r, node),
             whole(r, belongs), whole(r, r->doc->name));
}

static void some_domain_listed(struct run *r)
{
    const struct json *list = member(r, "poppy_domains");
    bool asked = json_is(json_get_c(json_get_c(poppy_root(r), "organization"), "domain"), JSON_STRING);
    if (json_is(list, JSON_ARRAY) && !list->child && !asked) /* else the row that looks for that domain speaks */
        find(r, list, "poppy_domains is empty, so the server vouches for nobody");
}

static void direct_has_endpoint(struct run *r)
{
    if (is_object_read(r) && offers(r, "direct") && !member(r, "authorization_endpoint"))
        find_missing(r, r->doc->root, "authorization_endpoint",
                     "authorization_endpoint is missing, but poppy.json offers direct sign-in (auth.direct), which "
                     "begins there");
}

static void device_has_endpoint(struct run *r)
{
    if (is_object_read(r) && offers(r, "device") && !member(r, "device_authorization_endpoint"))
        find_missing(
            r, r->doc->root, "device_authorization_endpoint",
            "device_authorization_endpoint is missing, but poppy.json offers device sign-in (auth.device), which "
            "begins there");
}

/* ---- lists --------------------------------------------------------------------------------------------------------- */

/* Reports a list that is there without `word`. */
static void lacks(struct run *r, const char *list, const char *word, const char *consequence)
{
    const struct json *node = member(r, list);
    if (!json_is(node, JSON_ARRAY) || json_has(node, word))
        return;
    find(r, node, "%s does not have \"%s\": %s", list, word, consequence);
    mend(r, "Add \"%s\" to %s, if your server can do it; if it cannot, agents cannot work with it.", word, list);
}

static void agents_can_sign_in(struct run *r)
{
    lacks(r, "token_endpoint_auth_methods_supported", "private_key_jwt",
          "agents have no other way to say who they are");
}

static void assertions_by_es256(struct run *r)
{
    lacks(r, "token_endpoint_auth_signing_alg_values_supported", "ES256",
          "it is the one algorithm that every agent signs with");
}

static void proofs_by_es256(struct run *r)
{
    lacks(r, "dpop_signing_alg_values_supported", "ES256",
          "it is the one algorithm that every agent signs its proofs with");
}

static void assertion_algorithms_listed(struct run *r)
{
    if (json_has(member(r, "token_endpoint_auth_methods_supported"), "private_key_jwt") &&
        !member(r, "token_endpoint_auth_signing_alg_values_supported"))
        find_missing(
            r, r->doc->root, "token_endpoint_auth_signing_alg_values_supported",
            "private_key_jwt is offered, but token_endpoint_auth_signing_alg_values_supported does not say by which "
            "algorithms it may be signed");
}

static void no_unsigned_assertions(struct run *r)
{
    const struct json *list = member(r, "token_endpoint_auth_signing_alg_values_supported");
    json_each (alg, json_is(list, JSON_ARRAY) ? list : NULL) {
        if (str_eq_nocase(json_str(alg), S("none")))
            find(r, alg, "token_endpoint_auth_signing_alg_values_supported lists %s, that is: no signature at all",
                 qv(r, alg));
    }
}

static void code_is_a_response_type(struct run *r)
{
    if (is_object_read(r) && !member(r, "response_types_supported"))
        find_missing(r, r->doc->root, "response_types_supported",
                     "response_types_supported is missing; common OAuth libraries refuse metadata without it");
    if (offers(r, "direct"))
        lacks(r, "response_types_supported", "code", "direct sign-in asks for exactly that");
}

static void pkce_by_s256(struct run *r)
{
    const struct json *methods = member(r, "code_challenge_methods_supported");
    const char *needs = offers(r, "direct")   ? "direct sign-in needs PKCE with S256"
                        : lists_mcp_server(r) ? "clients of the MCP server listed refuse a sign-in without PKCE"
                                              : NULL;
    if (methods)
        lacks(r, "code_challenge_methods_supported", "S256", needs ? needs : "PKCE is used with S256 only");
    else if (needs && is_object_read(r))
        find_missing(r, r->doc->root, "code_challenge_methods_supported",
                     "code_challenge_methods_supported is missing, which means no PKCE, but %s", needs);
}

static void says_true(struct run *r, const char *name, const char *consequence)
{
    const struct json *node = member(r, name);
    if (node && node->type != JSON_TRUE)
        find(r, node, "%s is %s, not true: %s", name, qv(r, node), consequence);
    else if (!node && is_object_read(r))
        find_missing(r, r->doc->root, name, "%s is missing: %s", name, consequence);
}

static void names_issuer_in_answers(struct run *r)
{
    if (offers(r, "direct"))
        says_true(r, "authorization_response_iss_parameter_supported",
                  "the agent compares iss in the answer of the direct sign-in and gives up without it");
}

static void takes_client_documents(struct run *r)
{
    says_true(r, "client_id_metadata_document_supported",
              "agents identify themselves by the URL of a document and look here whether that is understood");
}

#define GRANT_URN "urn:ietf:params:oauth:grant-type:"

/* One grant type that the sign-in types ask for. `what` is why; NULL when it is not needed. */
static const char *grant_needed(const struct run *r, const char *grant)
{
    bool signs_in = offers(r, "direct") || offers(r, "device") || offers(r, "mediated");
    /* From 0.4 on agents name their Sessions themselves and ask for no token to start one (pap.md section 7). */
    bool starts = json_is(json_get_c(poppy_root(r), "auth"), JSON_OBJECT) && r->bundle->version->bit & V_01_03;
    if (str_is(str_c(grant), "authorization_code"))
        return offers(r, "direct") ? "for direct sign-in" : NULL;
    if (str_is(str_c(grant), "refresh_token"))
        return signs_in ? "to use the account again later" : NULL;
    if (str_is(str_c(grant), GRANT_URN "device_code"))
        return offers(r, "device") ? "for device sign-in" : NULL;
    return starts ? "to start a Session" : NULL;
}

/* "a" (why), "b" (why) ... for a sentence, or "a", "b" ... to paste. */
static const char *grants_text(struct run *r, const char *const *grants, size_t n, bool with_why)
{
    struct pap_str s = S("");
    for (size_t i = 0; i < n && s.p; i++)
        s = arena_fmt(r->arena, "%.*s%s\"%s\"%s%s%s", PSTR(s), i ? ", " : "", grants[i], with_why ? " (" : "",
                      with_why ? grant_needed(r, grants[i]) : "", with_why ? ")" : "");
    if (!s.p)
        r->no_memory = true;
    return s.p ? s.p : "";
}

static void grants_needed_are_listed(struct run *r)
{
    static const char *const grants[] = {GRANT_URN "jwt-bearer", "authorization_code", "refresh_token",
                                         GRANT_URN "device_code"};
    const struct json *list = member(r, "grant_types_supported");
    const char *needed[4], *missing[4];
    size_t n_needed = 0, n = 0;
    if (!is_object_read(r) || (list && list->type != JSON_ARRAY))
        return;
    for (size_t i = 0; i < 4; i++) {
        if (!grant_needed(r, grants[i]))
            continue;
        needed[n_needed++] = grants[i];
        /* RFC 8414 section 2: without the member it is authorization_code and implicit. */
        if (list ? !json_has(list, grants[i]) : !str_is(str_c(grants[i]), "authorization_code"))
            missing[n++] = grants[i];
    }
    if (n && list) {
        find(r, list, "grant_types_supported does not have %s", grants_text(r, missing, n, true));
        mend(r, "Add %s to grant_types_supported.", grants_text(r, missing, n, false));
    } else if (n) {
        find_missing(
            r, r->doc->root, "grant_types_supported",
            "grant_types_supported is missing, which means authorization_code and implicit only; needed besides: %s",
            grants_text(r, missing, n, true));
        mend(r, "Add \"grant_types_supported\": [%s].", grants_text(r, needed, n_needed, false));
    }
}

static void offered_scopes_are_listed(struct run *r)
{
    static const char *const paths[] = {"/auth/direct/scopes/*", "/auth/device/scopes/*", "/auth/mediated/scopes/*"};
    const struct json *list = member(r, "scopes_supported"), *scope;
    if (!json_is(list, JSON_ARRAY) || list->n > 1000)
        return; /* the loop below is quadratic */
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct path_walk w = {0};
        for (unsigned looked = 0; looked < 256 && (scope = path_next(poppy_root(r), paths[i], &w)) != NULL; looked++) {
            bool found = scope->type != JSON_STRING;
            json_each (s, list)
                found |= str_eq(json_str(s), json_str(scope));
            if (!found)
                find(r, list, "scopes_supported does not have %s, which poppy.json offers under %.*s", qv(r, scope),
                     (int)(strlen(paths[i]) - 10), paths[i] + 1);
        }
    }
}

/* One row a paragraph, as in every table of checks: clang-format would put a member in each line. */
/* clang-format off */

/* How RFC 8414 sees it, in every version; and what the protocol asks on top, not public in its last versions. */
#define OAUTH .spec = SPEC_RFC8414, .kind = KIND_METADATA, .sure = V_ALL
#define PAP .spec = SPEC_PAP, .kind = KIND_METADATA, .sure = V_01_03, .maybe = V_04_10

#define STRINGS(path) {path, T_ARRAY, 0, FORMAT_NONE, 0, NULL}, {path "/*", T_STRING, 0, FORMAT_NONE, 0, NULL}
#define HTTPS(path) {path, T_STRING, 0, FORMAT_HTTPS, 0, NULL}

static const struct check rows[] = {
    {
        .id = "metadata.json-object", .covers = "M01", OAUTH, .section = "3.2", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .fn = is_object,
        .title = "the body is a JSON object",
        .why = "An agent that does not find an object cannot tell who vouches for the company and skips it.",
        .mend = "Put the members at the top level of one object, { ... }.",
        .good = "{ \"issuer\": \"https://id.shop.example\", ... }", .bad = "[ { \"issuer\": ... } ]",
    },
    {
        .id = "metadata.issuer", .covers = "", OAUTH, .section = "2", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fields = FIELDS({"/issuer", T_STRING, F_REQUIRED, FORMAT_ISSUER, 0, NULL}),
        .title = "issuer is an https URL without query and fragment",
        .why = "It is compared byte for byte with auth.issuer of poppy.json; without it nothing can be compared and agents stop.",
        .mend = "Write the same string as auth.issuer in poppy.json: \"issuer\": \"https://...\".",
        .good = "\"issuer\": \"https://id.shop.example\"", .bad = "\"issuer\": \"id.shop.example\"",
    },
    {
        .id = "metadata.location", .covers = "", OAUTH, .section = "3.1, 3.3", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fn = is_where_it_belongs,
        .title = "the document is at the well-known address of its issuer",
        .why = "Agents make the address from the issuer, and must not use metadata that names another one: on a host with "
               "several tenants it would be somebody else's.",
        .mend = "Put /.well-known/oauth-authorization-server between the host and the path of the issuer, or correct issuer.",
        .good = "at https://id.example/.well-known/oauth-authorization-server/shop: \"issuer\": \"https://id.example/shop\"",
        .bad = "at https://id.example/.well-known/oauth-authorization-server: \"issuer\": \"https://id.example/shop\"",
    },
    {
        .id = "metadata.poppy-domains", .covers = "M03", PAP, .section = "3.2", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fn = some_domain_listed,
        .fields = FIELDS({"/poppy_domains", T_ARRAY, F_REQUIRED, FORMAT_NONE, 0, NULL},
                         {"/poppy_domains/*", T_STRING, 0, FORMAT_HOST, 0, NULL}),
        .title = "poppy_domains is an array of host names",
        .why = "It is how the server vouches for the company: without it anybody could name your server in a poppy.json of "
               "their own, so agents use no company whose server does not list it.",
        .mend = "List the domains of the company, each as poppy.json has it: \"poppy_domains\": [\"shop.example\"].",
        .good = "\"poppy_domains\": [\"shop.example\"]", .bad = "\"poppy_domains\": \"shop.example\"",
    },
    {
        .id = "metadata.token-endpoint", .covers = "M04", OAUTH, .section = "2", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .fields = FIELDS({"/token_endpoint", T_STRING, F_REQUIRED, FORMAT_HTTPS, 0, NULL}),
        .title = "token_endpoint is an https URL",
        .why = "Agents get their tokens there; over http anybody on the way could take them.",
        .mend = "Add \"token_endpoint\": \"https://...\", the whole URL.",
        .good = "\"token_endpoint\": \"https://id.shop.example/oauth/token\"", .bad = "\"token_endpoint\": \"/oauth/token\"",
    },
    {
        .id = "metadata.revocation-endpoint", .covers = "M04", PAP, .section = "3.2, 4.9", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .fields = FIELDS({"/revocation_endpoint", T_STRING, F_REQUIRED, FORMAT_HTTPS, 0, NULL}),
        .title = "revocation_endpoint is an https URL",
        .why = "It is how a person signs an agent out; agents use no company without one.",
        .mend = "Add \"revocation_endpoint\": \"https://...\" (RFC 7009).",
        .good = "\"revocation_endpoint\": \"https://id.shop.example/oauth/revoke\"", .bad = "no revocation_endpoint",
    },
    {
        .id = "metadata.endpoint.https", .covers = "", OAUTH, .section = "2", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fields = FIELDS(HTTPS("/authorization_endpoint"), HTTPS("/device_authorization_endpoint"), HTTPS("/jwks_uri"),
                         HTTPS("/registration_endpoint"), HTTPS("/introspection_endpoint"),
                         HTTPS("/pushed_authorization_request_endpoint")),
        .title = "every other endpoint is an https URL",
        .why = "Codes, keys and credentials go over these; agents refuse any that is not https.",
        .mend = "Write the whole URL with https.",
        .good = "\"authorization_endpoint\": \"https://id.shop.example/oauth/authorize\"",
        .bad = "\"authorization_endpoint\": \"http://id.shop.example/oauth/authorize\"",
    },
    {
        .id = "metadata.direct-endpoint", .covers = "M05", PAP, .section = "3.2, 4.5", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .fn = direct_has_endpoint,
        .title = "there is an authorization_endpoint when poppy.json offers direct sign-in",
        .why = "The person's browser is sent there; without it agents use no part of the company.",
        .mend = "Add \"authorization_endpoint\": \"https://...\", or take auth.direct out of poppy.json.",
        .good = "auth.direct in poppy.json and \"authorization_endpoint\": \"https://...\" here",
        .bad = "auth.direct in poppy.json and no authorization_endpoint here",
    },
    {
        .id = "metadata.device-endpoint", .covers = "M06", PAP, .section = "3.2, 4.6", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .fn = device_has_endpoint,
        .title = "there is a device_authorization_endpoint when poppy.json offers device sign-in",
        .why = "The agent asks there for the code that its person types in; without it agents use no part of the company.",
        .mend = "Add \"device_authorization_endpoint\": \"https://...\", or take auth.device out of poppy.json.",
        .good = "auth.device in poppy.json and \"device_authorization_endpoint\": \"https://...\" here",
        .bad = "auth.device in poppy.json and no device_authorization_endpoint here",
    },
    {
        .id = "metadata.lists", .covers = "", OAUTH, .section = "2", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fields = FIELDS(STRINGS("/scopes_supported"), STRINGS("/response_types_supported"),
                         STRINGS("/response_modes_supported"), STRINGS("/grant_types_supported"),
                         STRINGS("/token_endpoint_auth_methods_supported"),
                         STRINGS("/token_endpoint_auth_signing_alg_values_supported"),
                         STRINGS("/dpop_signing_alg_values_supported"), STRINGS("/code_challenge_methods_supported")),
        .title = "members that hold several values are arrays of strings",
        .why = "A single string or a blank-separated one is not found by programs that look through a list.",
        .mend = "Write an array, also for one value: [\"S256\"].",
        .good = "\"code_challenge_methods_supported\": [\"S256\"]", .bad = "\"code_challenge_methods_supported\": \"S256\"",
    },
    {
        .id = "metadata.auth-method", .covers = "M07", PAP, .section = "4.1", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .fn = agents_can_sign_in,
        .title = "token_endpoint_auth_methods_supported, when there, has private_key_jwt",
        .why = "Agents have a key pair and no shared secret, so it is their only way to authenticate.",
        .mend = "Add \"private_key_jwt\".",
        .good = "\"token_endpoint_auth_methods_supported\": [\"private_key_jwt\"]",
        .bad = "\"token_endpoint_auth_methods_supported\": [\"client_secret_basic\"]",
    },
    {
        .id = "metadata.signing-alg", .covers = "M08", PAP, .section = "4.1", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .fn = assertions_by_es256,
        .title = "token_endpoint_auth_signing_alg_values_supported, when there, has ES256",
        .why = "ES256 is the one algorithm that every agent and company has in common.",
        .mend = "Add \"ES256\".",
        .good = "\"token_endpoint_auth_signing_alg_values_supported\": [\"ES256\", \"RS256\"]",
        .bad = "\"token_endpoint_auth_signing_alg_values_supported\": [\"RS256\"]",
    },
    {
        .id = "metadata.dpop-alg", .covers = "M08", PAP, .section = "4.3", .level = LEVEL_SHOULD, .severity = PAP_WARNING,
        .fn = proofs_by_es256,
        .title = "dpop_signing_alg_values_supported, when there, has ES256",
        .why = "ES256 is the one algorithm that every agent and company has in common.",
        .mend = "Add \"ES256\".", .good = "\"dpop_signing_alg_values_supported\": [\"ES256\"]",
        .bad = "\"dpop_signing_alg_values_supported\": [\"EdDSA\"]",
    },
    {
        .id = "metadata.signing-alg.missing", .covers = "", OAUTH, .section = "2", .level = LEVEL_MUST,
        .severity = PAP_WARNING, .fn = assertion_algorithms_listed,
        .title = "token_endpoint_auth_signing_alg_values_supported is there when private_key_jwt is offered",
        .why = "Without it agents must guess how to sign, and the first token request can fail.",
        .mend = "Add \"token_endpoint_auth_signing_alg_values_supported\": [\"ES256\"].",
        .good = "\"token_endpoint_auth_signing_alg_values_supported\": [\"ES256\"]",
        .bad = "\"token_endpoint_auth_methods_supported\": [\"private_key_jwt\"] alone",
    },
    {
        .id = "metadata.signing-alg.none", .covers = "", OAUTH, .section = "2", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fn = no_unsigned_assertions,
        .title = "\"none\" is no signing algorithm",
        .why = "A server that takes unsigned statements lets anybody pose as any agent.",
        .mend = "Remove \"none\", and make sure that your server refuses it.",
        .good = "[\"ES256\"]", .bad = "[\"ES256\", \"none\"]",
    },
    {
        .id = "metadata.response-types", .covers = "", OAUTH, .section = "2", .level = LEVEL_MUST, .severity = PAP_WARNING,
        .fn = code_is_a_response_type,
        .title = "response_types_supported is there, and has code for direct sign-in",
        .why = "RFC 8414 requires the member, and OAuth libraries that check for it stop there.",
        .mend = "Add \"response_types_supported\": [\"code\"].",
        .good = "\"response_types_supported\": [\"code\"]", .bad = "no response_types_supported",
    },
    {
        .id = "metadata.pkce", .covers = "M09", PAP, .section = "4.5", .level = LEVEL_SHOULD, .severity = PAP_WARNING,
        .fn = pkce_by_s256,
        .title = "code_challenge_methods_supported has S256 where people sign in with a browser",
        .why = "A server that does not list S256 says that it knows no PKCE; agents and MCP clients then refuse to sign in.",
        .mend = "Add \"code_challenge_methods_supported\": [\"S256\"], if your server checks it (it must).",
        .good = "\"code_challenge_methods_supported\": [\"S256\"]", .bad = "\"code_challenge_methods_supported\": [\"plain\"]",
    },
    {
        .id = "metadata.iss-parameter", .covers = "M10", PAP, .section = "4.5", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .fn = names_issuer_in_answers,
        .fields = FIELDS({"/authorization_response_iss_parameter_supported", T_ANY, 0, FORMAT_NONE, 0, NULL}),
        .title = "authorization_response_iss_parameter_supported is true when direct sign-in is offered",
        .why = "Agents compare iss in the answer with the issuer (RFC 9207), so that no other server can answer in its place.",
        .mend = "Send iss in every authorization response and add \"authorization_response_iss_parameter_supported\": true.",
        .good = "\"authorization_response_iss_parameter_supported\": true",
        .bad = "\"authorization_response_iss_parameter_supported\": false",
    },
    {
        .id = "metadata.grant-types", .covers = "M11", .spec = SPEC_PAP, .kind = KIND_METADATA,
        .section = "4.2, 4.5, 4.6, 4.8", .level = LEVEL_SHOULD, .severity = PAP_WARNING, .sure = V_01_02, .maybe = V_03_10,
        .fn = grants_needed_are_listed,
        .title = "grant_types_supported has what the Sessions and sign-in types of poppy.json need",
        .why = "Agents and OAuth libraries look here before they ask for a token, and do not ask for what is not listed.",
        .mend = "List every grant type that your token endpoint takes.",
        .good = "\"grant_types_supported\": [\"" GRANT_URN "jwt-bearer\", \"authorization_code\", \"refresh_token\"]",
        .bad = "\"grant_types_supported\": [\"authorization_code\"]",
    },
    {
        .id = "metadata.client-id-document", .covers = "M12", PAP, .section = "4.1", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .fn = takes_client_documents,
        .fields = FIELDS({"/client_id_metadata_document_supported", T_ANY, 0, FORMAT_NONE, 0, NULL}),
        .title = "client_id_metadata_document_supported is true",
        .why = "Agents do not register: their client_id is a URL. Clients that do not see this flag try to register instead.",
        .mend = "Add \"client_id_metadata_document_supported\": true.",
        .good = "\"client_id_metadata_document_supported\": true", .bad = "no client_id_metadata_document_supported",
    },
    {
        .id = "metadata.scopes", .covers = "", OAUTH, .section = "2", .level = LEVEL_SHOULD, .severity = PAP_INFO,
        .fn = offered_scopes_are_listed,
        .title = "scopes_supported, when there, has every scope that poppy.json offers",
        .why = "A server may leave scopes out of the list, but some clients ask only for what is in it.",
        .mend = "Add the scope to scopes_supported, or leave scopes_supported out.",
        .good = "\"scopes_supported\": [\"poppy:read\", \"poppy:write\"]", .bad = "\"scopes_supported\": [\"openid\"]",
    },
};

CHECK_TABLE(metadata_checks, rows);
