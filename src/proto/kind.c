/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/kind.h"

#include "base/limits.h"
#include "pack/pack.h"

/* To add a kind: an enum value before KIND_COUNT, a row here, a way to recognise it below, and a table of checks. */
static const struct kind_row rows[KIND_ROWS_COUNT] = {
    [KIND_NONE] = {"", "document", READ_NONE, LIMIT_DOCUMENT, "*/*"},
    [KIND_POPPY] = {"poppy", "poppy.json", READ_JSON, LIMIT_DOCUMENT, "application/json"},
    [KIND_METADATA] = {"metadata", "authorization server metadata", READ_JSON, LIMIT_DOCUMENT, "application/json"},
    [KIND_RESOURCE] = {"resource", "protected resource metadata", READ_JSON, LIMIT_DOCUMENT, "application/json"},
    [KIND_CLIENT] = {"client", "client metadata document", READ_JSON, LIMIT_DOCUMENT, "application/json"},
    [KIND_JWKS] = {"jwks", "key set", READ_JSON, LIMIT_DOCUMENT, "application/json"},
    [KIND_INDEX] = {"index", "skill index", READ_JSON, LIMIT_DOCUMENT, "application/json"},
    [KIND_SKILL] = {"skill", "SKILL.md", READ_SKILL, LIMIT_DOCUMENT, "text/markdown, text/plain;q=0.9, */*;q=0.1"},
    [KIND_ARCHIVE] = {"archive", "skill archive", READ_PACK, LIMIT_ARTIFACT,
                      "application/gzip, application/zip, */*;q=0.1"},
    [KIND_OPENAPI] = {"openapi", "OpenAPI document", READ_JSON, LIMIT_OPENAPI, "application/json, */*;q=0.1"},
    [KIND_MCP] = {"mcp", "MCP endpoint", READ_JSON, LIMIT_DOCUMENT, "application/json, text/event-stream"},
    [KIND_TEXT] = {"", "syntax", READ_NONE, 0, ""},
    [KIND_EXCHANGE] = {"", "exchange", READ_NONE, 0, ""},
    [KIND_LINKS] = {"", "documents together", READ_NONE, 0, ""},
    [KIND_PUBLISH] = {"", "publishing", READ_NONE, 0, ""},
};

const struct kind_row *kind_row(enum kind k)
{
    return &rows[k < KIND_ROWS_COUNT ? k : KIND_NONE];
}

enum kind kind_find(struct pap_str word)
{
    for (enum kind k = KIND_NONE + 1; k < KIND_COUNT; k++)
        if (str_is(word, rows[k].word))
            return k;
    return KIND_NONE;
}

/* Longest endings first; a leading '/' means a whole path component. */
static const struct {
    const char *ending;
    enum kind kind;
} endings[] = {
    {"/.well-known/poppy.json", KIND_POPPY},
    {"/.well-known/agent-skills/index.json", KIND_INDEX},
    {"/.well-known/skills/index.json", KIND_INDEX},
    {"/oauth-authorization-server.json", KIND_METADATA},
    {"/oauth-authorization-server", KIND_METADATA},
    {"/oauth-protected-resource.json", KIND_RESOURCE},
    {"/oauth-protected-resource", KIND_RESOURCE},
    {"/poppy.json", KIND_POPPY},
    {".poppy.json", KIND_POPPY},
    {".metadata.json", KIND_METADATA},
    {".resource.json", KIND_RESOURCE},
    {".client.json", KIND_CLIENT},
    {"/client.json", KIND_CLIENT},
    {".jwks.json", KIND_JWKS},
    {"/jwks.json", KIND_JWKS},
    {".index.json", KIND_INDEX},
    {".openapi.json", KIND_OPENAPI},
    {"/openapi.json", KIND_OPENAPI},
    {".openapi.yaml", KIND_OPENAPI},
    {"/openapi.yaml", KIND_OPENAPI},
    {"skill.md", KIND_SKILL},
    {".tar.gz", KIND_ARCHIVE},
    {".tgz", KIND_ARCHIVE},
    {".zip", KIND_ARCHIVE},
};

enum kind kind_of_path(struct pap_str path)
{
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        struct pap_str e = str_c(endings[i].ending);
        bool component = e.p[0] == '/' && path.n == e.n - 1 && str_eq_nocase(path, str_skip(e, 1));
        if (component || (path.n >= e.n && str_eq_nocase(str_skip(path, path.n - e.n), e)))
            return endings[i].kind;
    }
    /* The path form of RFC 8414 and RFC 9728: the suffix stands before the issuer's path. */
    if (str_find(path, S("/.well-known/oauth-authorization-server/")) < path.n)
        return KIND_METADATA;
    if (str_find(path, S("/.well-known/oauth-protected-resource/")) < path.n)
        return KIND_RESOURCE;
    return KIND_NONE;
}

/* The first row that has a member of the document wins, so the most telling ones stand first. */
static const struct {
    const char *member;
    enum kind kind;
} telling[] = {
    {"openapi", KIND_OPENAPI},
    {"swagger", KIND_OPENAPI},
    {"protocol_version", KIND_POPPY},
    {"organization", KIND_POPPY},
    {"skill_index", KIND_POPPY},
    {"protocol_versions", KIND_POPPY},
    {"token_endpoint", KIND_METADATA},
    {"poppy_domains", KIND_METADATA},
    {"issuer", KIND_METADATA},
    {"resource", KIND_RESOURCE},
    {"authorization_servers", KIND_RESOURCE},
    {"client_id", KIND_CLIENT},
    {"redirect_uris", KIND_CLIENT},
    {"skills", KIND_INDEX},
    {"keys", KIND_JWKS},
};

enum kind kind_of_content(struct pap_str bytes, const struct json *root)
{
    if (pack_sniff(bytes) != PACK_UNKNOWN)
        return KIND_ARCHIVE;
    for (size_t i = 0; i < sizeof telling / sizeof telling[0]; i++)
        if (json_get_c(root, telling[i].member))
            return telling[i].kind;
    struct pap_str text = str_starts(bytes, S("\xef\xbb\xbf")) ? str_skip(bytes, 3) : bytes;
    return str_starts(text, S("---")) ? KIND_SKILL : KIND_NONE;
}
