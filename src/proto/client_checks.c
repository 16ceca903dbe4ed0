/* SPDX-License-Identifier: Apache-2.0
 *
 * The client metadata document of an agent: pap.md sections 5.1 and 29.3, A01 to A05, A08, A09. Where companies differ in
 * what "same domain" means (K5), the narrow reading counts: it is the one that every company takes.
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
        find(r, r->doc->root, "the document is %s; a client metadata document is a JSON object",
             json_type_name(r->doc->root));
}

static bool has_dot_segment(struct pap_str path)
{
    struct pap_str part;
    while (str_next(&path, '/', &part))
        if (str_is(part, ".") || str_is(part, ".."))
            return true;
    return false;
}

static void client_id_has_path(struct run *r)
{
    const struct json *id = member(r, "client_id");
    struct uri u;
    if (!format_url(FORMAT_HTTPS, id, &u))
        return;
    if (u.path.n < 2)
        find(r, id, "client_id is %s, which has no path; the address of a document is wanted", qv(r, id));
    else if (has_dot_segment(u.path))
        find(r, id, "client_id is %s, whose path has a \".\" or \"..\" in it; programs rewrite that and then differ",
             qv(r, id));
}

static void client_id_is_its_url(struct run *r)
{
    const struct json *id = member(r, "client_id");
    if (!r->doc->exchange || !json_is(id, JSON_STRING) || str_eq(json_str(id), r->doc->name))
        return;
    find(r, id, "client_id is \"%s\", but the document was asked for at \"%s\": %s", whole(r, json_str(id)),
         whole(r, r->doc->name), difference(r, json_str(id), r->doc->name));
    mend(r, "Write \"client_id\": \"%s\", or use the other address everywhere.", whole(r, r->doc->name));
}

static void name_is_no_other_host(struct run *r)
{
    const struct json *name = member(r, "client_name");
    const char *why;
    struct uri id;
    if (!json_is(name, JSON_STRING) || !format_url(FORMAT_HTTPS, member(r, "client_id"), &id))
        return;
    struct pap_str s = str_trim(json_str(name));
    if (str_find_char(s, '.') < s.n && host_is_name(s, &why) && !host_is_within(id.host, host_bare(s)))
        find(r, name, "client_name is %s, the name of a host that is not the agent's own (%s)", qv(r, name),
             q(r, id.host));
}

static void keys_are_named(struct run *r)
{
    if (json_is(r->doc->root, JSON_OBJECT) && !member(r, "jwks_uri") && !member(r, "jwks"))
        find_missing(r, r->doc->root, "jwks_uri",
                     "jwks_uri is missing, so a company cannot get the agent's public keys");
}

static void keys_are_not_inline(struct run *r)
{
    const struct json *jwks = member(r, "jwks");
    if (jwks)
        find_key(r, jwks, "the document has its keys inline (jwks)%s",
                 member(r, "jwks_uri") ? " beside jwks_uri; companies read jwks_uri only, or refuse both"
                                       : "; companies want a jwks_uri");
}

static void keys_are_on_its_origin(struct run *r)
{
    const struct json *keys = member(r, "jwks_uri");
    struct uri id, u;
    if (format_url(FORMAT_HTTPS, member(r, "client_id"), &id) && format_url(FORMAT_HTTPS, keys, &u) &&
        !uri_same_origin(&id, &u))
        find(r, keys, "jwks_uri is %s, which is not on the same host and port as client_id, %s", qv(r, keys),
             q(r, id.text));
}

static void redirects_are_on_its_host(struct run *r)
{
    const struct json *uris = member(r, "redirect_uris");
    struct uri id, u;
    if (!format_url(FORMAT_HTTPS, member(r, "client_id"), &id))
        return;
    json_each (uri, json_is(uris, JSON_ARRAY) ? uris : NULL) {
        if (format_url(FORMAT_HTTPS, uri, &u) && !str_eq_nocase(u.host, id.host))
            find(r, uri, "a redirect URI is %s, which is not on the host of client_id, %s", qv(r, uri), q(r, id.host));
    }
}

static void no_secret(struct run *r)
{
    const struct json *secret = member(r, "client_secret");
    if (secret)
        find_key(r, secret, "the document has a client_secret, and everybody can read it");
}

/* One row a paragraph, as in every table of checks: clang-format would put a member in each line. */
/* clang-format off */

/* What any client document must be; and what the protocol asks on top, whose last wording is not public. */
#define DOCUMENT .spec = SPEC_CIMD, .kind = KIND_CLIENT, .section = "", .level = LEVEL_MUST, .severity = PAP_ERROR, .sure = V_ALL
#define CLIENT .spec = SPEC_PAP, .kind = KIND_CLIENT, .section = "4.1", .level = LEVEL_MUST, .severity = PAP_ERROR, \
               .sure = V_01_03, .maybe = V_04_10
#define HTTPS(path) {path, T_STRING, 0, FORMAT_HTTPS, 0, NULL}

static const struct check rows[] = {
    {
        .id = "client.json-object", .covers = "", DOCUMENT, .fn = is_object,
        .title = "the body is a JSON object",
        .why = "A company that does not find an object does not know the agent and answers invalid_client.",
        .mend = "Put the members at the top level of one object, { ... }.",
        .good = "{ \"client_id\": \"https://agent.example/poppy/client.json\", ... }", .bad = "[ { \"client_id\": ... } ]",
    },
    {
        .id = "client.client-id", .covers = "A01", DOCUMENT, .fn = client_id_has_path,
        .fields = FIELDS({"/client_id", T_STRING, F_REQUIRED, FORMAT_HTTPS, 0, NULL}),
        .title = "client_id is an https URL with a path, without fragment and user name",
        .why = "It is the agent's name and the address of this document; companies fetch it to know whom they talk to.",
        .mend = "Write the URL at which this very document is served.",
        .good = "\"client_id\": \"https://agent.example/poppy/client.json\"", .bad = "\"client_id\": \"https://agent.example/\"",
    },
    {
        .id = "client.client-id.match", .covers = "A02", DOCUMENT, .fn = client_id_is_its_url,
        .title = "client_id is the URL of the document, byte for byte",
        .why = "Otherwise a document could speak for another agent; companies refuse it, a slash more or less included.",
        .mend = "Write the URL at which this very document is served.",
        .good = "at https://agent.example/client: \"client_id\": \"https://agent.example/client\"",
        .bad = "at https://agent.example/client: \"client_id\": \"https://agent.example/client/\"",
    },
    {
        .id = "client.client-name", .covers = "A03", CLIENT,
        .fields = FIELDS({"/client_name", T_STRING, F_REQUIRED, FORMAT_TEXT, 0, NULL}),
        .title = "client_name is there and not blank",
        .why = "It is what a person reads when a company asks whether this agent may act for them.",
        .mend = "Add \"client_name\": \"...\".",
        .good = "\"client_name\": \"Example Agent\"", .bad = "\"client_name\": \"\"",
    },
    {
        .id = "client.client-name.host", .covers = "", .spec = SPEC_PAPAVER, .kind = KIND_CLIENT, .section = "",
        .level = LEVEL_ADVICE, .severity = PAP_WARNING, .sure = V_ALL, .fn = name_is_no_other_host,
        .title = "client_name is not the name of somebody else's host",
        .why = "A consent page that shows it looks as if that host were asking; companies refuse such names.",
        .mend = "Write the name of the agent.",
        .good = "\"client_name\": \"agent.example\" at agent.example", .bad = "\"client_name\": \"bank.example\" at agent.example",
    },
    {
        .id = "client.auth-method", .covers = "A04", CLIENT,
        .fields = FIELDS({"/token_endpoint_auth_method", T_STRING, F_REQUIRED, FORMAT_NONE, 0, ONE_OF("private_key_jwt")}),
        .title = "token_endpoint_auth_method is private_key_jwt",
        .why = "It is the only way in which an agent can prove who it is; some companies refuse documents that leave it out.",
        .mend = "Write \"token_endpoint_auth_method\": \"private_key_jwt\".",
        .good = "\"token_endpoint_auth_method\": \"private_key_jwt\"", .bad = "\"token_endpoint_auth_method\": \"none\"",
    },
    {
        .id = "client.jwks-uri", .covers = "A05", CLIENT, .fields = FIELDS(HTTPS("/jwks_uri")), .fn = keys_are_named,
        .title = "jwks_uri is an https URL",
        .why = "Companies check the agent's signatures with the keys they get there.",
        .mend = "Publish the public keys as a key set and write \"jwks_uri\": \"https://...\".",
        .good = "\"jwks_uri\": \"https://agent.example/poppy/jwks.json\"", .bad = "no jwks_uri",
    },
    {
        .id = "client.jwks-uri.origin", .covers = "A05", CLIENT, .fn = keys_are_on_its_origin,
        .title = "jwks_uri is on the origin of client_id",
        .why = "Whoever controls the keys is the agent, so they must be where the agent's name is; many companies refuse keys "
               "from another host, some from another port.",
        .mend = "Serve the key set on the same host and port as this document.",
        .good = "https://agent.example/client.json and https://agent.example/jwks.json",
        .bad = "https://agent.example/client.json and https://keys.example/jwks.json",
    },
    {
        .id = "client.inline-jwks", .covers = "A05", CLIENT, .fn = keys_are_not_inline,
        .fields = FIELDS({"/jwks", T_ANY, F_OPAQUE, FORMAT_NONE, 0, NULL}),
        .title = "keys are not inline",
        .why = "Keys are renewed without a new document, so companies read them from jwks_uri only.",
        .mend = "Move the key set to a file of its own, name it in jwks_uri, and remove jwks.",
        .good = "\"jwks_uri\": \"https://agent.example/poppy/jwks.json\"", .bad = "\"jwks\": { \"keys\": [ ... ] }",
    },
    {
        .id = "client.redirect-uris", .covers = "A08", CLIENT,
        .fields = FIELDS({"/redirect_uris", T_ARRAY, F_REQUIRED | F_NONEMPTY, FORMAT_NONE, 0, NULL},
                         {"/redirect_uris/*", T_STRING, 0, FORMAT_HTTPS, 0, NULL}),
        .title = "redirect_uris lists https URLs",
        .why = "The company sends its person back to one of these after sign-in, and to nowhere else.",
        .mend = "Write \"redirect_uris\": [\"https://...\"], each exactly as the agent sends it.",
        .good = "\"redirect_uris\": [\"https://agent.example/poppy/callback\"]", .bad = "\"redirect_uris\": []",
    },
    {
        .id = "client.redirect-uris.host", .covers = "A08", CLIENT, .fn = redirects_are_on_its_host,
        .title = "redirect_uris are on the host of client_id",
        .why = "The answer to a sign-in must not go to another host; companies refuse the whole document.",
        .mend = "Receive the answer on the host of client_id.",
        .good = "https://agent.example/client.json and https://agent.example/callback",
        .bad = "https://agent.example/client.json and https://other.example/callback",
    },
    {
        .id = "client.extensions", .covers = "A09", .spec = SPEC_PAP, .kind = KIND_CLIENT, .section = "3.3",
        .level = LEVEL_SHOULD, .severity = PAP_WARNING, .sure = V_01_03, .maybe = V_04_10,
        .fields = FIELDS({"/extensions", T_OBJECT, 0, FORMAT_NONE, 0, NULL},
                         {"/extensions/*", T_OBJECT, F_OPAQUE, FORMAT_NONE, 0, NULL},
                         {"/extensions/*/version", T_STRING, F_REQUIRED, FORMAT_TEXT, 0, NULL}),
        .title = "each extension has a version, as a string",
        .why = "A company uses an extension only in a version that both sides list.",
        .mend = "Add \"version\": \"1\" (the version that the agent understands).",
        .good = "\"operations\": { \"version\": \"1\" }", .bad = "\"operations\": {}",
    },
    {
        .id = "client.pages", .covers = "", .spec = SPEC_CIMD, .kind = KIND_CLIENT, .section = "", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .sure = V_ALL,
        .fields = FIELDS(HTTPS("/logo_uri"), HTTPS("/client_uri"), HTTPS("/tos_uri"), HTTPS("/policy_uri")),
        .title = "the logo and pages named are https URLs",
        .why = "Consent pages leave out what is not https, or show a broken image.",
        .mend = "Write the whole URL with https, or leave the member out.",
        .good = "\"logo_uri\": \"https://agent.example/logo.png\"", .bad = "\"logo_uri\": \"/logo.png\"",
    },
    {
        .id = "client.secret", .covers = "", .spec = SPEC_CIMD, .kind = KIND_CLIENT, .section = "", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .sure = V_ALL, .fn = no_secret,
        .fields = FIELDS({"/client_secret", T_ANY, F_OPAQUE, FORMAT_NONE, 0, NULL}),
        .title = "the document has no client_secret",
        .why = "The document is public, so a secret in it is none: anybody can act as the agent where it is accepted.",
        .mend = "Remove client_secret, never use that secret again, and authenticate with private_key_jwt.",
        .good = "\"token_endpoint_auth_method\": \"private_key_jwt\"", .bad = "\"client_secret\": \"...\"",
    },
};

CHECK_TABLE(client_checks, rows);
