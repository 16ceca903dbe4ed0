/* SPDX-License-Identifier: Apache-2.0
 *
 * poppy.json. Draft 0.1 is known in full; for 0.2 two independent readers saw no difference in the document. For 0.3 the
 * identity and the https rules are carried over as stated, what concerns scopes and sign-in as provisional (company scopes
 * such as orders:read are seen there); the members of 0.4 and 1.0 are not public, so every structural row is provisional
 * for those.
 */
#include "base/limits.h"
#include "proto/check.h"
#include "text/uri.h"

static void is_object(struct run *r)
{
    if (r->doc->root && r->doc->root->type != JSON_OBJECT)
        find(r, r->doc->root, "the document is %s; poppy.json is a JSON object", json_type_name(r->doc->root));
}

static void major_known(struct run *r)
{
    const struct json *v = json_get_c(r->doc->root, "protocol_version");
    uint64_t major, minor;
    if (json_is(v, JSON_STRING) && version_parse(json_str(v), &major, &minor) && !version_nearest(json_str(v)))
        find(r, v, "protocol_version is %s: agents know the majors 0 and 1, and must not use a document of another",
             qv(r, v));
}

static void version_known(struct run *r)
{
    const struct json *v = json_get_c(r->doc->root, "protocol_version");
    const struct version *near = json_is(v, JSON_STRING) ? version_nearest(json_str(v)) : NULL;
    if (near && !str_is(json_str(v), near->text))
        find(r, v, "protocol_version is %s, which nobody has published; judged as %s, the nearest lower one", qv(r, v),
             near->text);
}

static void domain_is_asked(struct run *r)
{
    const struct json *d = json_at(r->doc->root, "/organization/domain");
    const char *why;
    if (!r->bundle->domain.n || !json_is(d, JSON_STRING) || !format_holds(FORMAT_HOST, json_str(d), &why))
        return;
    if (str_eq_nocase(host_bare(json_str(d)), host_bare(r->bundle->domain)))
        return;
    find(r, d, "organization.domain is %s, but the document was asked for at %s", qv(r, d), q(r, r->bundle->domain));
    if (host_is_within(r->bundle->domain, json_str(d)))
        mend(r, "A file speaks only for its own host: publish one at %s too that names itself, or point agents at %s.",
             whole(r, r->bundle->domain), whole(r, json_str(d)));
}

static bool has_list(const struct json *root, const char *member)
{
    return json_get_c(root, member) != NULL;
}

static void has_channel(struct run *r)
{
    const struct json *root = r->doc->root;
    if (json_is(root, JSON_OBJECT) && !has_list(root, "agent") && !has_list(root, "apis") && !has_list(root, "web"))
        find(r, root, "none of agent, apis and web is there, so an agent has nothing to work with");
}

static void speaks_poppy(struct run *r)
{
    const struct json *protocols = json_at(r->doc->root, "/agent/protocols");
    if (!json_is(protocols, JSON_ARRAY))
        return;
    json_each (p, protocols)
        if (str_is(json_str(json_get_c(p, "type")), "poppy"))
            return;
    find(r, protocols,
         "no entry of agent.protocols has the type \"poppy\", so no agent of this protocol can talk to yours");
}

static void unknown_types(struct run *r)
{
    static const struct {
        const char *path, *known[3];
    } lists[] = {{"/apis/*/type", {"openapi", "mcp"}}, {"/agent/protocols/*/type", {"poppy"}}};
    for (size_t i = 0; i < 2; i++) {
        struct path_walk w = {0};
        const struct json *t;
        while ((t = path_next(r->doc->root, lists[i].path, &w)) != NULL) {
            bool known = false;
            for (size_t k = 0; k < 3 && lists[i].known[k]; k++)
                known |= str_is(json_str(t), lists[i].known[k]);
            if (t->type == JSON_STRING && !known)
                find(r, t, "the type %s is not one that the protocol defines; agents skip this entry", qv(r, t));
        }
    }
}

static void apis_not_empty(struct run *r)
{
    const struct json *apis = json_get_c(r->doc->root, "apis");
    if (json_is(apis, JSON_ARRAY) && !apis->child)
        find(r, apis, "apis is there but empty");
}

static void extension_names(struct run *r)
{
    json_each (e, json_get_c(r->doc->root, "extensions")) {
        const char *why;
        if (e->flags & JSON_HAS_KEY && !format_holds(FORMAT_EXTENSION, json_key(e), &why))
            find_key(r, e, "the extension name %s is not usable: %s", q(r, json_key(e)), why);
    }
}

static void extension_versions(struct run *r)
{
    json_each (e, json_get_c(r->doc->root, "extensions")) {
        const struct json *v = json_get_c(e, "version");
        if (e->type != JSON_OBJECT)
            find(r, e, "the extension %s is %s; wanted is an object with a version", q(r, json_key(e)), qv(r, e));
        else if (!v)
            find_missing(r, e, "version", "the extension %s has no version", q(r, json_key(e)));
        else if (v->type != JSON_STRING && v->type != JSON_NUMBER)
            find(r, v, "the version of the extension %s is %s; wanted is a string", q(r, json_key(e)), qv(r, v));
        else if (v->type == JSON_STRING && str_trim(json_str(v)).n == 0)
            find(r, v, "the version of the extension %s is blank", q(r, json_key(e)));
    }
}

static void extension_version_string(struct run *r)
{
    json_each (e, json_get_c(r->doc->root, "extensions")) {
        const struct json *v = json_get_c(e, "version");
        if (json_is(v, JSON_NUMBER)) {
            find(r, v, "the version of the extension %s is %s; all known code writes a string", q(r, json_key(e)),
                 qv(r, v));
            mend(r, "Write \"version\": \"%s\".", whole(r, json_str(v)));
        }
    }
}

static void operations_endpoint_there(struct run *r)
{
    const struct json *o = json_at(r->doc->root, "/extensions/operations");
    if (json_is(o, JSON_OBJECT) && !json_get_c(o, "endpoint"))
        find_missing(r, o, "endpoint",
                     "the operations extension is listed without an endpoint, so no operation can be "
                     "confirmed");
}

static void unknown_member(struct run *r, const struct json *node)
{
    if (node->flags & JSON_HAS_KEY)
        find_key(r, node, "the member %s is not one that version %s defines; agents ignore it", q(r, json_key(node)),
                 r->bundle->version->text);
}

static void unknown_members(struct run *r)
{
    fields_unknown(r, unknown_member);
}

#define POPPY .spec = SPEC_PAP, .kind = KIND_POPPY

/* clang-format off */ /* a row is read as a block */
static const struct check rows[] = {
    {
        .id = "poppy.json-object", .covers = "D04", POPPY, .section = "3", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .sure = V_ALL, .fn = is_object,
        .title = "the body is a JSON object",
        .why = "An agent that does not find an object has nothing to read and skips the company.",
        .mend = "Put the members at the top level of one object, { ... }.",
        .good = "{ \"protocol_version\": \"0.1\", ... }", .bad = "[ { \"protocol_version\": \"0.1\", ... } ]",
    },
    {
        .id = "poppy.protocol-version", .covers = "D09", POPPY, .section = "3.1", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .sure = V_01_03, .maybe = V_04_10,
        .fields = FIELDS({"/protocol_version", T_STRING, F_REQUIRED, FORMAT_VERSION, 0, NULL}),
        .title = "protocol_version is a string of the form digits.digits",
        .why = "Agents choose how to read the document by it; without it they do not read on.",
        .mend = "Write the version you follow as a string: \"protocol_version\": \"0.1\".",
        .good = "\"protocol_version\": \"0.1\"", .bad = "\"protocol_version\": 0.1",
    },
    {
        .id = "poppy.protocol-version.major", .covers = "D10", POPPY, .section = "3.1", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .sure = V_ALL, .fn = major_known,
        .title = "the major version is one that agents support",
        .why = "An agent must not use a document whose major version it does not know.",
        .mend = "Publish a version that exists: \"0.1\", \"0.2\", \"0.3\", \"0.4\" or \"1.0\".",
        .good = "\"protocol_version\": \"0.1\"", .bad = "\"protocol_version\": \"9.0\"",
    },
    {
        .id = "poppy.protocol-version.unknown", .covers = "D10", POPPY, .section = "3.1", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .sure = V_ALL, .fn = version_known,
        .title = "the version is one that was published",
        .why = "While the major is 0 every version may differ, so careful agents compare the whole of it and skip the "
               "company when they do not know it.",
        .mend = "Write a version that was published: \"0.1\", \"0.2\", \"0.3\", \"0.4\" or \"1.0\".",
        .good = "\"protocol_version\": \"0.3\"", .bad = "\"protocol_version\": \"0.7\"",
    },
    {
        .id = "poppy.protocol-versions", .covers = "", POPPY, .section = "", .level = LEVEL_MAY, .severity = PAP_INFO,
        .maybe = V_04_10, .fields = FIELDS({"/protocol_versions", T_ARRAY, 0, FORMAT_NONE, 0, NULL},
                                           {"/protocol_versions/*", T_STRING, F_OPAQUE, FORMAT_VERSION, 0, NULL}),
        .title = "protocol_versions lists versions as strings",
        .why = "A list of versions is known to exist from 0.4 on; its exact form is not public.",
        .mend = "If the text you follow gives another form, keep that; this is only what is seen so far.",
        .good = "\"protocol_versions\": [\"0.4\", \"1.0\"]", .bad = "\"protocol_versions\": \"1.0\"",
    },
    {
        .id = "poppy.organization.name", .covers = "D11", POPPY, .section = "3.1", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .sure = V_01_03, .maybe = V_04_10,
        .fields = FIELDS({"/organization", T_OBJECT, F_REQUIRED, FORMAT_NONE, 0, NULL},
                         {"/organization/name", T_STRING, F_REQUIRED, FORMAT_TEXT, 0, NULL}),
        .title = "organization.name is a string that is not blank",
        .why = "It is the name that the agent shows to its person.",
        .mend = "Add \"organization\": { \"name\": \"Your company\", \"domain\": \"your.domain\" }.",
        .good = "\"organization\": { \"name\": \"Shop Example\", ... }", .bad = "\"organization\": { \"name\": \"\", ... }",
    },
    {
        .id = "poppy.organization.domain", .covers = "D12", POPPY, .section = "3.1", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .sure = V_01_03, .maybe = V_04_10,
        .fields = FIELDS({"/organization/domain", T_STRING, F_REQUIRED, FORMAT_HOST, 0, NULL}),
        .title = "organization.domain is a bare host name",
        .why = "Agents compare it with the host they asked; a scheme, port or path never compares equal.",
        .mend = "Write the host alone: \"domain\": \"shop.example\".",
        .good = "\"domain\": \"shop.example\"", .bad = "\"domain\": \"https://shop.example\"",
    },
    {
        .id = "poppy.domain-match", .covers = "D13", POPPY, .section = "3.1", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .sure = V_01_03, .maybe = V_04_10, .fn = domain_is_asked,
        .title = "organization.domain is the host that was asked, a leading www. aside",
        .why = "A document speaks only for the domain first asked for, whatever it was redirected to. A parent brand or "
               "another country's domain does not count: each domain names itself.",
        .mend = "Let each domain serve a document that names that very domain, and list each in the issuer's poppy_domains.",
        .good = "asked at shop.example: \"domain\": \"shop.example\"", .bad = "asked at shop.example: \"domain\": \"brand.example\"",
    },
    {
        .id = "poppy.channels", .covers = "D14", POPPY, .section = "3.1", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .sure = V_01_03, .maybe = V_04_10, .fn = has_channel,
        .title = "at least one of agent, apis and web is there",
        .why = "They are the ways to work with a company; without one there is nothing an agent can do.",
        .mend = "List what you offer. A website alone is enough: \"web\": {}.",
        .good = "\"web\": {}", .bad = "{ \"protocol_version\": \"0.1\", \"organization\": { ... } }",
    },
    {
        .id = "poppy.agent.protocols", .covers = "D24", POPPY, .section = "3.1, 7.1", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .sure = V_01_03, .maybe = V_04_10,
        .fields = FIELDS({"/agent", T_OBJECT, 0, FORMAT_NONE, 0, NULL},
                         {"/agent/protocols", T_ARRAY, F_REQUIRED, FORMAT_NONE, 0, NULL},
                         {"/agent/protocols/*", T_OBJECT, 0, FORMAT_NONE, 0, NULL},
                         {"/agent/protocols/*/type", T_STRING, F_REQUIRED, FORMAT_TEXT, 0, NULL},
                         {"/agent/protocols/*/endpoint", T_STRING, F_REQUIRED, FORMAT_HTTPS, 0, NULL}),
        .title = "agent.protocols lists protocols with a type and an https endpoint",
        .why = "It is where a conversation with the company's own agent begins.",
        .mend = "Write { \"type\": \"poppy\", \"endpoint\": \"https://...\" } for each protocol.",
        .good = "{ \"type\": \"poppy\", \"endpoint\": \"https://api.shop.example/poppy/conversations\" }",
        .bad = "{ \"type\": \"poppy\", \"endpoint\": \"http://api.shop.example/poppy\" }",
    },
    {
        .id = "poppy.agent.poppy-protocol", .covers = "D25", POPPY, .section = "7.1", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .sure = V_01_03, .maybe = V_04_10, .fn = speaks_poppy,
        .title = "one conversation protocol is of type poppy",
        .why = "Agents skip types they do not know; with only such types the company's agent cannot be reached.",
        .mend = "Add an entry of type \"poppy\", or leave agent out.",
        .good = "\"protocols\": [ { \"type\": \"poppy\", ... } ]", .bad = "\"protocols\": [ { \"type\": \"chat\", ... } ]",
    },
    {
        .id = "poppy.apis", .covers = "D26", POPPY, .section = "3.1, 6", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .sure = V_01_03, .maybe = V_04_10,
        .fields = FIELDS({"/apis", T_ARRAY, 0, FORMAT_NONE, 0, NULL}, {"/apis/*", T_OBJECT, 0, FORMAT_NONE, 0, NULL},
                         {"/apis/*/type", T_STRING, F_REQUIRED, FORMAT_TEXT, 0, NULL},
                         {"/apis/*/url", T_STRING, F_REQUIRED, FORMAT_HTTPS, 0, NULL},
                         {"/apis/*/description", T_STRING, F_REQUIRED, FORMAT_TEXT, 0, NULL}),
        .title = "each API has a type, an https url and a description",
        .why = "The agent picks an API by its description and reads it from its url; a relative url leads nowhere.",
        .mend = "Write { \"type\": \"openapi\" or \"mcp\", \"url\": \"https://...\", \"description\": \"...\" } for each API.",
        .good = "{ \"type\": \"mcp\", \"url\": \"https://mcp.shop.example/mcp\", \"description\": \"Product search\" }",
        .bad = "{ \"type\": \"openapi\", \"url\": \"/openapi.json\" }",
    },
    {
        .id = "poppy.type.unknown", .covers = "D27", POPPY, .section = "3.3", .level = LEVEL_MAY, .severity = PAP_INFO,
        .sure = V_01_03, .maybe = V_04_10, .fn = unknown_types,
        .title = "types are ones that the protocol defines",
        .why = "Unknown types are allowed and skipped; a misspelled one is skipped too.",
        .mend = "If it was meant to be \"openapi\", \"mcp\" or \"poppy\", spell it so.",
        .good = "\"type\": \"openapi\"", .bad = "\"type\": \"open-api\"",
    },
    {
        .id = "poppy.apis.empty", .covers = "D28", POPPY, .section = "3.1", .level = LEVEL_SHOULD, .severity = PAP_WARNING,
        .sure = V_01_03, .maybe = V_04_10, .fn = apis_not_empty,
        .title = "apis, when there, has an entry",
        .why = "No source says that an empty list is allowed, and it offers nothing.",
        .mend = "Leave apis out until there is one.", .good = "no \"apis\" member", .bad = "\"apis\": []",
    },
    {
        .id = "poppy.web", .covers = "D29", POPPY, .section = "3.1, 5", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .sure = V_01_03, .maybe = V_04_10,
        .fields = FIELDS({"/web", T_OBJECT, 0, FORMAT_NONE, 0, NULL},
                         {"/web/browser_session_endpoint", T_STRING, 0, FORMAT_HTTPS, 0, NULL}),
        .title = "web is an object, and its browser_session_endpoint an https URL",
        .why = "The agent's browser posts a signed statement there; over http anybody could read it.",
        .mend = "Write \"web\": {} or \"web\": { \"browser_session_endpoint\": \"https://...\" }.",
        .good = "\"web\": { \"browser_session_endpoint\": \"https://shop.example/poppy/browser-session\" }", .bad = "\"web\": []",
    },
    {
        .id = "poppy.resource", .covers = "D30", POPPY, .section = "4.3", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .sure = V_01_03, .maybe = V_04_10,
        .fields = FIELDS({"/agent/protocols/*/resource", T_STRING, 0, FORMAT_HTTPS, 0, NULL},
                         {"/apis/*/resource", T_STRING, 0, FORMAT_HTTPS, 0, NULL},
                         {"/extensions/*/resource", T_STRING, 0, FORMAT_HTTPS, 0, NULL}),
        .title = "resource values are absolute https URLs without fragment",
        .why = "The agent asks for a token for exactly this resource (RFC 8707).",
        .mend = "Write the resource identifier that your OAuth server knows, as an https URL.",
        .good = "\"resource\": \"https://api.shop.example/\"", .bad = "\"resource\": \"api.shop.example\"",
    },
    {
        .id = "poppy.extension.name", .covers = "D31", POPPY, .section = "3.3", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .sure = V_01_02, .maybe = V_03_10, .fn = extension_names,
        .fields = FIELDS({"/extensions", T_OBJECT, 0, FORMAT_NONE, 0, NULL}),
        .title = "extension names are the protocol's own or begin with a domain and a slash",
        .why = "Bare names belong to the protocol, so that two companies never mean different things by one name.",
        .mend = "Put your domain in front: \"shop.example/loyalty\".",
        .good = "\"extensions\": { \"shop.example/gift-wrap\": { \"version\": \"1\" } }",
        .bad = "\"extensions\": { \"gift-wrap\": { \"version\": \"1\" } }",
    },
    {
        .id = "poppy.extension.version", .covers = "D32", POPPY, .section = "3.3", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .sure = V_01_03, .maybe = V_04_10, .fn = extension_versions,
        .fields = FIELDS({"/extensions/*", T_ANY, F_OPAQUE, FORMAT_NONE, 0, NULL}),
        .title = "each extension has a version",
        .why = "Neither side may use an extension that the other does not list with a version it knows.",
        .mend = "Add \"version\": \"1\" (the version you follow).",
        .good = "\"operations\": { \"version\": \"1\" }", .bad = "\"operations\": {}",
    },
    {
        .id = "poppy.extension.version-number", .covers = "D32", POPPY, .section = "3.3", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .sure = V_01_03, .maybe = V_04_10, .fn = extension_version_string,
        .title = "the version of an extension is written as a string",
        .why = "One public example writes the number 1, all code the string \"1\"; strict readers refuse the number.",
        .mend = "Put the version in quotes.", .good = "\"version\": \"1\"", .bad = "\"version\": 1",
    },
    {
        .id = "poppy.operations.endpoint", .covers = "D33", .spec = SPEC_OPERATIONS, .kind = KIND_POPPY, .section = "1",
        .level = LEVEL_MUST, .severity = PAP_ERROR, .sure = V_01_03, .maybe = V_04_10,
        .fields = FIELDS({"/extensions/operations/endpoint", T_STRING, 0, FORMAT_HTTPS, 0, NULL}),
        .title = "extensions.operations.endpoint is an https URL",
        .why = "Agents confirm operations there with a token.",
        .mend = "Write the endpoint with https.",
        .good = "\"endpoint\": \"https://api.shop.example/poppy/operations\"", .bad = "\"endpoint\": \"/poppy/operations\"",
    },
    {
        .id = "poppy.operations.endpoint-missing", .covers = "D33", .spec = SPEC_OPERATIONS, .kind = KIND_POPPY,
        .section = "1", .level = LEVEL_SHOULD, .severity = PAP_WARNING, .sure = V_01_02, .maybe = V_03_10,
        .fn = operations_endpoint_there,
        .title = "the operations extension names its endpoint",
        .why = "Version 1 confirms and cancels operations at an endpoint; agents cannot guess it.",
        .mend = "Add \"endpoint\": \"https://...\" to extensions.operations.",
        .good = "\"operations\": { \"version\": \"1\", \"endpoint\": \"https://api.shop.example/poppy/operations\" }",
        .bad = "\"operations\": { \"version\": \"1\" }",
    },
    {
        .id = "poppy.skill-index", .covers = "", POPPY, .section = "9.4", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .sure = V_ALL, .fields = FIELDS({"/skill_index", T_OBJECT, F_OPAQUE, FORMAT_NONE, 0, NULL}),
        .title = "skill_index is an object",
        .why = "It is a whole skill index inside poppy.json; agents that find another type ignore your skills.",
        .mend = "Write \"skill_index\": { \"$schema\": \"https://schemas.agentskills.io/discovery/0.2.0/schema.json\", "
                "\"skills\": [ ... ] }.",
        .good = "\"skill_index\": { \"$schema\": ..., \"skills\": [ ... ] }",
        .bad = "\"skill_index\": \"/.well-known/agent-skills/index.json\"",
    },
    {
        .id = "poppy.unknown-member", .covers = "D34", POPPY, .section = "3.3", .level = LEVEL_MAY, .severity = PAP_INFO,
        .sure = V01, .maybe = V02 | V_03_10, .fn = unknown_members,
        .title = "members are ones that the version defines",
        .why = "Unknown members are allowed and ignored; a misspelled one is ignored too.",
        .mend = "If it was meant to be a member of the protocol, look at its spelling and place.",
        .good = "\"organization\": { \"name\": ..., \"domain\": ... }", .bad = "\"organisation\": { ... }",
    },
};
/* clang-format on */

CHECK_TABLE(poppy_checks, rows);
