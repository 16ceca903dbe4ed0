/* SPDX-License-Identifier: Apache-2.0
 *
 * Links: what must agree between documents. Each finding stands at the place where a person would change something.
 */
#include "base/limits.h"
#include "proto/check.h"
#include "proto/links.h"
#include "text/uri.h"

static const struct doc *poppy_of(const struct run *r)
{
    return bundle_doc(r->bundle, KIND_POPPY, ROLE_MAIN);
}

static const struct doc *metadata_of(const struct run *r)
{
    return bundle_doc(r->bundle, KIND_METADATA, ROLE_MAIN);
}

static const struct json *string_at(const struct doc *d, const char *pointer)
{
    const struct json *j = json_at(d ? d->root : NULL, pointer);
    return json_is(j, JSON_STRING) ? j : NULL;
}

/* ---- issuer ---- */

static void issuer_equal(struct run *r)
{
    const struct json *named = string_at(poppy_of(r), "/auth/issuer"), *own = string_at(metadata_of(r), "/issuer");
    if (!named || !own || str_eq(json_str(named), json_str(own)))
        return;
    r->doc = poppy_of(r);
    find(r, named, "auth.issuer is %s, but the issuer's metadata says it is %s: %s", q(r, json_str(named)),
         q(r, json_str(own)), difference(r, json_str(named), json_str(own)));
    mend(r, "Write \"issuer\": \"%s\" in poppy.json, or change the OAuth server's issuer; agents compare byte by byte.",
         whole(r, json_str(own)));
}

/* 0: not in the list, 1: but for the case of letters, 2: exactly. */
static int in_domains(const struct json *list, struct pap_str domain)
{
    int best = 0;
    json_each (d, json_is(list, JSON_ARRAY) ? list : NULL) {
        if (d->type == JSON_STRING && str_eq(json_str(d), domain))
            return 2;
        if (d->type == JSON_STRING && str_eq_nocase(json_str(d), domain))
            best = 1;
    }
    return best;
}

static void domain_vouched_for(struct run *r)
{
    const struct json *domain = string_at(poppy_of(r), "/organization/domain");
    const struct doc *m = metadata_of(r);
    const struct json *list = json_get_c(m ? m->root : NULL, "poppy_domains");
    if (!domain || !json_is(list, JSON_ARRAY) || in_domains(list, json_str(domain)))
        return;
    r->doc = m;
    find(r, list, "poppy_domains does not list %s, so the issuer does not vouch for this domain",
         q(r, json_str(domain)));
    mend(r, "Add \"%s\" to poppy_domains in the issuer's metadata, spelled as in organization.domain.",
         whole(r, json_str(domain)));
}

static void domain_spelled_alike(struct run *r)
{
    const struct json *domain = string_at(poppy_of(r), "/organization/domain");
    const struct doc *m = metadata_of(r);
    const struct json *list = json_get_c(m ? m->root : NULL, "poppy_domains");
    if (!domain || in_domains(list, json_str(domain)) != 1)
        return;
    r->doc = m;
    find(r, list, "poppy_domains lists %s with other letters in upper case; some agents compare exactly",
         q(r, json_str(domain)));
}

/* ---- MCP servers ---- */

static bool lists(const struct json *array, struct pap_str text)
{
    json_each (s, json_is(array, JSON_ARRAY) ? array : NULL)
        if (s->type == JSON_STRING && str_eq(json_str(s), text))
            return true;
    return false;
}

static const struct doc *mcp_answer(const struct run *r, const struct json *api)
{
    return bundle_named_by(r->bundle, api, KIND_MCP);
}

static void mcp_lists_issuer(struct run *r)
{
    const struct json *issuer = string_at(poppy_of(r), "/auth/issuer");
    for (const struct doc *d = r->bundle->docs; issuer && d; d = d->next) {
        const struct json *servers = json_get_c(d->root, "authorization_servers");
        if (d->kind != KIND_RESOURCE || d->role != ROLE_MCP || !json_is(d->root, JSON_OBJECT) ||
            lists(servers, json_str(issuer)))
            continue;
        if (servers && servers->type != JSON_ARRAY)
            continue; /* said where its type is judged */
        r->doc = d;
        if (servers)
            find(r, servers, "authorization_servers of this MCP server does not list your issuer %s",
                 q(r, json_str(issuer)));
        else
            find_missing(r, d->root, "authorization_servers",
                         "this MCP server names no authorization server; your issuer is %s", q(r, json_str(issuer)));
        mend(r, "Write \"authorization_servers\": [\"%s\"].", whole(r, json_str(issuer)));
    }
}

static void mcp_has_metadata(struct run *r)
{
    for (const struct doc *d = r->bundle->docs; d; d = d->next) {
        const struct doc *mcp = d->from_node ? mcp_answer(r, d->from_node) : NULL;
        if (d->kind != KIND_RESOURCE || d->role != ROLE_MCP || json_is(d->root, JSON_OBJECT) ||
            d->exchange->fault == FAULT_BUDGET || exchange_status(mcp ? mcp->exchange : NULL) != 401)
            continue;
        r->doc = poppy_of(r);
        find(r, json_get_c(d->from_node, "url"),
             "the MCP server wants a token, but its resource metadata at %s cannot be read "
             "(status %d)",
             whole(r, d->name), exchange_status(d->exchange));
    }
}

/* ---- 0.4 and 1.0: three files that agree ---- */

static void root_names_issuer(struct run *r)
{
    const struct doc *root = bundle_any(r->bundle, KIND_RESOURCE, ROLE_MAIN);
    const struct json *issuer = string_at(poppy_of(r), "/auth/issuer");
    if (!root || !poppy_of(r))
        return;
    r->doc = root;
    if (!json_is(root->root, JSON_OBJECT))
        find(r, NULL, "there is no protected resource metadata at the root of the domain (status %d)",
             exchange_status(root->exchange));
    else if (issuer && !lists(json_get_c(root->root, "authorization_servers"), json_str(issuer)))
        find(r, json_get_c(root->root, "authorization_servers"),
             "the resource metadata of the domain does not name the issuer %s", q(r, json_str(issuer)));
}

static void issuer_lists_resources(struct run *r)
{
    const struct doc *p = poppy_of(r), *m = metadata_of(r);
    const struct json *list = json_get_c(m ? m->root : NULL, "protected_resources");
    struct path_walk w = {0};
    const struct json *resource;
    if (!p || !m)
        return;
    r->doc = m;
    while ((resource = path_next(p->root, "/apis/*/resource", &w)) != NULL) {
        if (resource->type != JSON_STRING || lists(list, json_str(resource)))
            continue;
        if (list)
            find(r, list, "protected_resources does not list %s", q(r, json_str(resource)));
        else
            find_missing(r, m->root, "protected_resources", "protected_resources is missing; poppy.json names %s",
                         q(r, json_str(resource)));
    }
}

/* ---- apex and www. ---- */

/* Equal but for blanks and the order of bytes between values: compared as trees. */
static bool same_tree(const struct json *a, const struct json *b, unsigned depth)
{
    if (a->type != b->type || a->n != b->n || depth > LIMIT_JSON_DEPTH)
        return false;
    if (a->type == JSON_STRING || a->type == JSON_NUMBER)
        return str_eq(str(a->p, a->n), str(b->p, b->n));
    const struct json *y = b->child;
    for (const struct json *x = a->child; x; x = x->next, y = y->next)
        if (!y || !str_eq(json_key(x), json_key(y)) || !same_tree(x, y, depth + 1))
            return false;
    return true;
}

static void twins_equal(struct run *r)
{
    const struct doc *p = poppy_of(r), *twin = bundle_any(r->bundle, KIND_POPPY, ROLE_TWIN);
    if (!p || !twin || twin->exchange->fault == FAULT_DNS || twin->exchange->fault == FAULT_REFUSED ||
        twin->exchange->fault == FAULT_BUDGET || twin->exchange->fault == FAULT_BLOCKED)
        return; /* the other name need not exist */
    r->doc = twin;
    if (!twin->root)
        find(r, NULL, "%s answers, but not with the document (status %d), while %s has one", whole(r, twin->name),
             exchange_status(twin->exchange), whole(r, p->name));
    else if (!same_tree(p->root, twin->root, 0))
        find(r, NULL, "this document differs from the one at %s", whole(r, p->name));
}

/* ---- two indexes ---- */

static const struct json *entry_named(const struct doc *index, struct pap_str name)
{
    const struct json *skills = json_get_c(index->root, "skills");
    unsigned looked = 0;
    json_each (e, json_is(skills, JSON_ARRAY) ? skills : NULL)
        if (looked++ < LIMIT_INDEX_ENTRIES && str_eq(json_str(json_get_c(e, "name")), name))
            return e;
    return NULL;
}

static void compare_entries(struct run *r, const struct json *a, const struct json *b)
{
    static const char *const members[] = {"digest", "type", "description"};
    struct pap_str name = json_str(json_get_c(a, "name"));
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        const struct json *x = json_get_c(a, members[i]);
        struct pap_str y = json_str(json_get_c(b, members[i]));
        if (x && !str_eq(json_str(x), y))
            find(r, x, "the %s of the skill %s is another one in poppy.json's skill_index: %s against %s", members[i],
                 q(r, name), whole(r, json_str(x)), whole(r, y));
    }
}

static void indexes_equal(struct run *r)
{
    const struct doc *inside = bundle_doc(r->bundle, KIND_INDEX, ROLE_EMBEDDED);
    const struct doc *outside = bundle_doc(r->bundle, KIND_INDEX, ROLE_WELL_KNOWN);
    unsigned looked = 0;
    if (!inside || !outside)
        return;
    const struct json *skills = json_get_c(outside->root, "skills"), *others = json_get_c(inside->root, "skills");
    json_each (e, json_is(skills, JSON_ARRAY) ? skills : NULL) {
        struct pap_str name = json_str(json_get_c(e, "name"));
        const struct json *same = looked++ < LIMIT_INDEX_ENTRIES ? entry_named(inside, name) : NULL;
        r->doc = outside;
        if (same)
            compare_entries(r, e, same);
        else if (name.n && looked < LIMIT_INDEX_ENTRIES)
            find(r, e, "the skill %s is in the well-known index but not in poppy.json's skill_index", q(r, name));
    }
    looked = 0;
    json_each (e, json_is(others, JSON_ARRAY) ? others : NULL) {
        struct pap_str name = json_str(json_get_c(e, "name"));
        r->doc = inside;
        if (name.n && looked++ < LIMIT_INDEX_ENTRIES && !entry_named(outside, name))
            find(r, e, "the skill %s is in skill_index but not in the well-known index", q(r, name));
    }
}

#define LINKS .kind = KIND_LINKS

/* clang-format off */ /* a row is read as a block */
static const struct check rows[] = {
    {
        .id = "links.issuer", .covers = "M02", LINKS, .spec = SPEC_PAP, .section = "3.2", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_POPPY) | OF(KIND_METADATA), .sure = V_01_03, .maybe = V_04_10, .fn = issuer_equal,
        .title = "auth.issuer and the issuer in the server's metadata are the same, byte by byte",
        .why = "Agents compare the two strings exactly and skip the company without a word when they differ, be it by one "
               "slash at the end.",
        .mend = "Write the same string in both documents.",
        .good = "poppy.json: \"https://id.shop.example\"; metadata: \"https://id.shop.example\"",
        .bad = "poppy.json: \"https://id.shop.example/\"; metadata: \"https://id.shop.example\"",
    },
    {
        .id = "links.poppy-domains", .covers = "M03", LINKS, .spec = SPEC_PAP, .section = "3.2", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_POPPY) | OF(KIND_METADATA), .sure = V_01_03, .maybe = V_04_10,
        .fn = domain_vouched_for,
        .title = "the issuer's poppy_domains lists the domain",
        .why = "Anybody could publish a file that names your sign-in server; only this list says that it is really yours. "
               "Without the entry agents must not use the company.",
        .mend = "Add the domain to poppy_domains in the issuer's metadata.",
        .good = "\"poppy_domains\": [\"shop.example\"]", .bad = "\"poppy_domains\": [\"www.shop.example\"]",
    },
    {
        .id = "links.poppy-domains.spelling", .covers = "M03", LINKS, .spec = SPEC_PAP, .section = "3.2",
        .level = LEVEL_SHOULD, .severity = PAP_WARNING, .of = OF(KIND_POPPY) | OF(KIND_METADATA), .sure = V_01_03,
        .maybe = V_04_10, .fn = domain_spelled_alike,
        .title = "the domain is spelled alike in poppy.json and poppy_domains",
        .why = "Some agents compare with, some without regard to upper case; from 1.0 on strings are compared exactly.",
        .mend = "Write the domain in lower case in both.", .good = "shop.example and shop.example",
        .bad = "shop.example and Shop.Example",
    },
    {
        .id = "links.mcp-issuer", .covers = "M14", LINKS, .spec = SPEC_PAP, .section = "6", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_POPPY) | OF(KIND_RESOURCE), .sure = V_01_03, .maybe = V_04_10,
        .fn = mcp_lists_issuer,
        .title = "the resource metadata of an MCP server lists the issuer",
        .why = "MCP clients find the sign-in server there; when it is another one, nobody can sign in.",
        .mend = "Add your issuer to authorization_servers of the MCP server's resource metadata.",
        .good = "\"authorization_servers\": [\"https://id.shop.example\"]", .bad = "\"authorization_servers\": []",
    },
    {
        .id = "links.mcp-metadata", .covers = "M14", LINKS, .spec = SPEC_RFC9728, .section = "3.1", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_POPPY) | OF(KIND_MCP) | OF(KIND_RESOURCE), .sure = V_ALL, .fn = mcp_has_metadata,
        .title = "an MCP server that wants a token publishes resource metadata",
        .why = "Without it MCP clients cannot find the sign-in server and give up.",
        .mend = "Serve it at https://HOST/.well-known/oauth-protected-resource followed by the MCP URL's path.",
        .good = "https://mcp.shop.example/.well-known/oauth-protected-resource/mcp: 200", .bad = "404 there",
    },
    {
        .id = "links.root-resource", .covers = "M16", LINKS, .spec = SPEC_PAP, .section = "", .level = LEVEL_MUST,
        .severity = PAP_INFO, .of = OF(KIND_POPPY) | OF(KIND_RESOURCE), .maybe = V_04_10, .fn = root_names_issuer,
        .title = "the domain publishes resource metadata that names the issuer",
        .why = "From 0.4 on three documents have to agree; an agent that finds a mismatch skips the company.",
        .mend = "Serve RFC 9728 metadata at /.well-known/oauth-protected-resource of your domain, with your issuer in "
                "authorization_servers.",
        .good = "\"authorization_servers\": [\"https://id.shop.example\"]", .bad = "404",
    },
    {
        .id = "links.metadata-resources", .covers = "M17", LINKS, .spec = SPEC_PAP, .section = "", .level = LEVEL_MUST,
        .severity = PAP_INFO, .of = OF(KIND_POPPY) | OF(KIND_METADATA), .maybe = V_04_10, .fn = issuer_lists_resources,
        .title = "the issuer's metadata lists the company's resources",
        .why = "From 0.4 on the sign-in server says for which resources it gives tokens.",
        .mend = "Add the resource to protected_resources in the issuer's metadata.",
        .good = "\"protected_resources\": [\"https://api.shop.example/\"]", .bad = "no protected_resources",
    },
    {
        .id = "links.apex-www", .covers = "D35", LINKS, .spec = SPEC_PAP, .section = "3.1", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .of = OF(KIND_POPPY), .sure = V_ALL, .fn = twins_equal,
        .title = "the domain with and without www. gives the same document",
        .why = "A leading www. is ignored when domains are compared, so an agent may ask either.",
        .mend = "Serve the same document at both names, or redirect one to the other over https.",
        .good = "www.shop.example redirects to shop.example", .bad = "www.shop.example answers 404",
    },
    {
        .id = "links.indexes", .covers = "S09", LINKS, .spec = SPEC_PAP, .section = "9.4", .level = LEVEL_MAY,
        .severity = PAP_INFO, .of = OF(KIND_POPPY) | OF(KIND_INDEX), .sure = V_ALL, .fn = indexes_equal,
        .title = "skill_index and the well-known index list the same skills",
        .why = "They need not be equal, but most often they are meant to be, and different clients read different ones.",
        .mend = "Write both from one source; absolute URLs let the entries be identical.",
        .good = "the same entries in both", .bad = "a skill in one of them only",
    },
    {
        .id = "links.artifact", .covers = "R-P1", LINKS, .spec = SPEC_DISCOVERY, .section = "Discovery Index",
        .level = LEVEL_MUST, .severity = PAP_ERROR, .of = OF(KIND_INDEX), .also = OF(KIND_SKILL) | OF(KIND_ARCHIVE), .sure = V_ALL,
        .fn = artifacts_exist,
        .title = "the files that an index names are in its tree, those of old releases too",
        .why = "Agents get 404 for the skill, or for the release that they were told to use, although the list offers it.",
        .mend = "Publish again into the same tree, or put the file back; papaver publish --prune drops an old release.",
        .good = "each url leads to a file of the tree", .bad = "an old release whose file was tidied away",
    },
    {
        .id = "links.digest", .covers = "S04 I205 P-9 C-5", LINKS, .spec = SPEC_DISCOVERY, .section = "Integrity and Verification",
        .level = LEVEL_MUST, .severity = PAP_ERROR, .of = OF(KIND_INDEX), .also = OF(KIND_SKILL) | OF(KIND_ARCHIVE), .sure = V_ALL,
        .fn = digests_match,
        .title = "the digest of an entry is that of the file's exact bytes",
        .why = "Agents refuse a skill whose bytes do not match and go on without it. Most often the file was edited and the "
               "index was not made anew.",
        .mend = "Compute the digest from the very bytes that are served, at every build.",
        .good = "\"digest\": \"sha256:\" and the SHA-256 of the served file", .bad = "the digest of last month's file",
    },
    {
        .id = "links.skill-name", .covers = "S06 I210 R-C14", LINKS, .spec = SPEC_DISCOVERY, .section = "Discovery Index",
        .level = LEVEL_MUST, .severity = PAP_ERROR, .of = OF(KIND_INDEX) | OF(KIND_SKILL), .also = OF(KIND_ARCHIVE),
        .sure = V_ALL, .fn = names_match,
        .title = "an entry's name is the name in its SKILL.md",
        .why = "Clients install the skill under its name; with two names careful ones refuse it.",
        .mend = "Write the same name in the index and in the front matter.",
        .good = "index: change-booking; SKILL.md: change-booking", .bad = "index: change-booking; SKILL.md: booking",
    },
    {
        .id = "links.skill-description", .covers = "I209 P-6", LINKS, .spec = SPEC_DISCOVERY, .section = "Discovery Index",
        .level = LEVEL_SHOULD, .severity = PAP_WARNING, .of = OF(KIND_INDEX) | OF(KIND_SKILL), .also = OF(KIND_ARCHIVE),
        .sure = V_ALL,
        .fn = descriptions_match,
        .title = "an entry's description is the one in its SKILL.md",
        .why = "The agent chooses by the index and then reads something else.",
        .mend = "Copy the description from the front matter when the index is made.",
        .good = "the same text in both", .bad = "a shortened text in the index",
    },
    {
        .id = "links.skill-paths", .covers = "S10", LINKS, .spec = SPEC_PAP, .section = "9.4", .level = LEVEL_ADVICE,
        .severity = PAP_WARNING, .of = OF(KIND_POPPY) | OF(KIND_OPENAPI) | OF(KIND_SKILL),
        .also = OF(KIND_ARCHIVE), .sure = V_ALL,
        .fn = skill_paths_exist,
        .title = "every path that a skill names is in the API description",
        .why = "An agent that follows the skill makes a call that does not exist and is left with an error.",
        .mend = "Name only what you offer; correct the path, or describe the operation in the API description.",
        .good = "`GET /poppy/orders`, and the path is in the OpenAPI document", .bad = "`GET /poppy/order`",
    },
    {
        .id = "links.skill-scopes", .covers = "S10", LINKS, .spec = SPEC_PAP, .section = "9.4", .level = LEVEL_ADVICE,
        .severity = PAP_WARNING, .of = OF(KIND_POPPY) | OF(KIND_SKILL),
        .also = OF(KIND_OPENAPI) | OF(KIND_ARCHIVE), .sure = V_ALL, .fn = skill_scopes_exist,
        .title = "every scope that a skill names is offered",
        .why = "The agent asks its person for a sign-in that the company then refuses.",
        .mend = "Name only scopes of poppy.json or of the API description.",
        .good = "`orders:write`, and the scope is offered", .bad = "`order:write`",
    },
    {
        .id = "links.skill-tools", .covers = "S10", LINKS, .spec = SPEC_PAP, .section = "9.4", .level = LEVEL_ADVICE,
        .severity = PAP_WARNING, .of = OF(KIND_POPPY) | OF(KIND_OPENAPI) | OF(KIND_SKILL),
        .also = OF(KIND_ARCHIVE), .sure = V_ALL,
        .fn = skill_tools_exist,
        .title = "every tool that a skill names is in the API description",
        .why = "An agent that follows the skill looks for a tool that is not there.",
        .mend = "Name only operations (operationId) of the API description or tools of your MCP servers.",
        .good = "`my_orders`, and an operation has that operationId", .bad = "`my_order`",
    },
};
/* clang-format on */

CHECK_TABLE(links_checks, rows);
