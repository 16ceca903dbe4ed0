/* SPDX-License-Identifier: Apache-2.0
 *
 * What a document leads to: one row per kind of document, one function per kind of link.
 */
#include "base/limits.h"
#include "discover/fetch.h"
#include "proto/check.h"
#include "text/httpval.h"
#include "text/uri.h"

static bool wants(const struct crawl *c, unsigned kinds)
{
    return c->o->kinds & kinds;
}

/* ---- poppy.json ---- */

static void want_metadata(struct crawl *c, struct doc *d)
{
    const struct json *issuer = json_at(d->root, "/auth/issuer");
    struct uri u;
    if (wants(c, OF(KIND_METADATA)) && format_url(FORMAT_ISSUER, issuer, &u))
        fetch_want(c, "GET", uri_well_known(c->arena, &u, "oauth-authorization-server"),
                   (struct wish){.kind = KIND_METADATA, .from = d, .from_node = issuer});
}

/* A standing GET tells whether the endpoint wants a token; a stream is not asked for. */
static void want_api(struct crawl *c, struct doc *d, const struct json *api)
{
    struct pap_str type = json_str(json_get_c(api, "type"));
    const struct json *url = json_get_c(api, "url");
    struct uri u;
    if (!format_url(FORMAT_HTTPS, url, &u))
        return;
    if (str_is(type, "openapi") && wants(c, OF(KIND_OPENAPI)))
        fetch_want(c, "GET", json_str(url), (struct wish){.kind = KIND_OPENAPI, .from = d, .from_node = api});
    if (str_is(type, "mcp") && wants(c, OF(KIND_MCP) | OF(KIND_RESOURCE)))
        fetch_want(c, "GET", json_str(url), (struct wish){.kind = KIND_MCP, .from = d, .from_node = api});
}

static void want_root_resource(struct crawl *c)
{
    struct pap_str url = arena_fmt(c->arena, "%.*s/.well-known/oauth-protected-resource", PSTR(c->origin));
    fetch_want(c, "GET", url, (struct wish){.kind = KIND_RESOURCE});
}

static void follow_poppy(struct crawl *c, struct doc *d)
{
    if (d->role != ROLE_MAIN)
        return;
    want_metadata(c, d);
    json_each (api, json_get_c(d->root, "apis"))
        want_api(c, d, api);
    bundle_choose_version(c->bundle, c->o->as);
    if (c->origin.p && c->bundle->version->bit & V_04_10 && wants(c, OF(KIND_RESOURCE)))
        want_root_resource(c);
}

/* ---- skill indexes ---- */

/* The index itself, or another query of it: index.url says so, and there is nothing to fetch. */
static bool is_same_document(struct pap_str a, struct pap_str b)
{
    a = str_take(a, str_find_char(a, '#'));
    return str_eq(str_take(a, str_find_char(a, '?')), str_take(b, str_find_char(b, '?')));
}

static void want_artifact(struct crawl *c, struct doc *d, const struct json *entry)
{
    const struct json *url = json_get_c(entry, "url");
    struct uri base, ref;
    size_t at;
    const char *why;
    bool archive = str_is(json_str(json_get_c(entry, "type")), "archive");
    bool skill = str_is(json_str(json_get_c(entry, "type")), "skill-md");
    if ((!archive && !skill) || !json_is(url, JSON_STRING) || !uri_parse(json_str(url), &ref, &at, &why))
        return;
    if (!d->base.p && !ref.scheme.p)
        return; /* a file has no address to resolve against */
    if (d->base.p && !uri_parse(d->base, &base, &at, &why))
        return;
    struct pap_str target = d->base.p ? uri_resolve(c->arena, &base, &ref) : json_str(url);
    if (target.p && (!format_holds(FORMAT_HTTPS, str_take(target, str_find_char(target, '#')), &why) ||
                     is_same_document(target, d->base)))
        return;
    fetch_want(c, "GET", target,
               (struct wish){
                   .kind = archive ? KIND_ARCHIVE : KIND_SKILL, .role = ROLE_ARTIFACT, .from = d, .from_node = entry});
}

static bool absent(const struct doc *d)
{
    int status = exchange_status(d->exchange);
    return d->exchange && d->exchange->fault == FAULT_NONE && (status == 404 || status == 410);
}

static void follow_index(struct crawl *c, struct doc *d)
{
    size_t n = 0;
    const struct json *skills = json_get_c(d->root, "skills");
    if (d->role == ROLE_WELL_KNOWN && absent(d) && c->origin.p)
        fetch_want(c, "GET", arena_fmt(c->arena, "%.*s/.well-known/skills/index.json", PSTR(c->origin)),
                   (struct wish){.kind = KIND_INDEX, .role = ROLE_LEGACY, .from = d});
    if (c->o->heads && d->role == ROLE_WELL_KNOWN && d->root)
        fetch_want(c, "HEAD", d->name, (struct wish){.kind = KIND_INDEX, .role = ROLE_HEAD, .from = d});
    if (!c->o->artifacts)
        return;
    json_each (entry, json_is(skills, JSON_ARRAY) ? skills : NULL)
        if (n++ < LIMIT_INDEX_ENTRIES)
            want_artifact(c, d, entry);
}

/* ---- OAuth documents ---- */

static void follow_metadata(struct crawl *c, struct doc *d)
{
    struct uri u;
    if (d->role != ROLE_MAIN || json_is(d->root, JSON_OBJECT) || !format_url(FORMAT_ISSUER, d->from_node, &u))
        return;
    if (u.path.n > 1) /* without a path both forms are the same URL */
        fetch_want(
            c, "GET", uri_appended(c->arena, &u, "oauth-authorization-server"),
            (struct wish){.kind = KIND_METADATA, .role = ROLE_APPENDED, .from = d->from, .from_node = d->from_node});
}

static void follow_client(struct crawl *c, struct doc *d)
{
    const struct json *keys = json_get_c(d->root, "jwks_uri");
    struct uri u;
    if (wants(c, OF(KIND_JWKS)) && format_url(FORMAT_HTTPS, keys, &u))
        fetch_want(c, "GET", json_str(keys), (struct wish){.kind = KIND_JWKS, .from = d, .from_node = keys});
}

/* ---- MCP endpoints ---- */

/* A server may send several challenges, each in a field of its own. */
static bool metadata_named(const struct hop *h, struct pap_str *ret)
{
    for (size_t i = 0; h && i < h->n_headers; i++)
        if (str_eq_nocase(h->headers[i].name, S("WWW-Authenticate")) &&
            (challenge_param(h->headers[i].value, "Bearer", "resource_metadata", ret) ||
             challenge_param(h->headers[i].value, "DPoP", "resource_metadata", ret)))
            return true;
    return false;
}

static void want_mcp_resource(struct crawl *c, struct doc *d)
{
    const struct json *url = json_get_c(d->from_node, "url");
    struct pap_str named;
    struct uri u;
    const char *why;
    if (!format_url(FORMAT_HTTPS, url, &u) || !wants(c, OF(KIND_RESOURCE)))
        return;
    if (!metadata_named(exchange_last(d->exchange), &named) || !format_holds(FORMAT_HTTPS, named, &why))
        named = uri_well_known(c->arena, &u, "oauth-protected-resource");
    fetch_want(c, "GET", named,
               (struct wish){.kind = KIND_RESOURCE, .role = ROLE_MCP, .from = d->from, .from_node = d->from_node});
}

static const char initialize[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
    "\"capabilities\":{},\"clientInfo\":{\"name\":\"papaver\",\"version\":\"" PAP_VERSION "\"}}}";

static void follow_mcp(struct crawl *c, struct doc *d)
{
    if (!d->exchange || !d->from_node)
        return;
    if (str_is(d->exchange->method, "POST")) {
        struct pap_str session = hop_header(exchange_last(d->exchange), "Mcp-Session-Id");
        if (session.n)
            fetch_end_session(c, d->name, session, (struct wish){.kind = KIND_MCP, .role = ROLE_HEAD, .from = d});
        return;
    }
    want_mcp_resource(c, d);
    if (c->o->mcp && exchange_status(d->exchange) != 0)
        fetch_post(c, d->name, str(initialize, sizeof initialize - 1),
                   (struct wish){.kind = KIND_MCP, .from = d->from, .from_node = d->from_node});
}

static const struct {
    enum kind kind;
    void (*follow)(struct crawl *c, struct doc *d);
} rows[] = {
    {KIND_POPPY, follow_poppy},   {KIND_INDEX, follow_index}, {KIND_METADATA, follow_metadata},
    {KIND_CLIENT, follow_client}, {KIND_MCP, follow_mcp},
};

void crawl_follow(struct crawl *c, struct doc *d)
{
    if (d->role == ROLE_HEAD || d->role == ROLE_TWIN)
        return;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].kind == d->kind)
            rows[i].follow(c, d);
    /* The index inside poppy.json came with it. */
    if (d->kind == KIND_POPPY && d->role == ROLE_MAIN)
        for (struct doc *e = d->next; e; e = e->next)
            if (e->role == ROLE_EMBEDDED)
                follow_index(c, e);
}
