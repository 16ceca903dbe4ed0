/* SPDX-License-Identifier: Apache-2.0
 *
 * Media types by path. To add one: a row; the first that fits counts. An ending with a '/' in front is a whole name.
 */
#include "host/inside.h"

static const struct {
    const char *ending, *media;
} rows[] = {
    {".json", "application/json"}, /* agent-skills 3.7: exactly this for the index */
    {".md", "text/markdown; charset=utf-8"},
    {".tar.gz", "application/gzip"},
    {".tgz", "application/gzip"},
    {".zip", "application/zip"},
    {".txt", "text/plain; charset=utf-8"},
    {".html", "text/html; charset=utf-8"},
    {".yaml", "application/yaml"}, /* RFC 9512 */
    {".yml", "application/yaml"},
    {".jwt", "application/jwt"},
    {".png", "image/png"},
    {".svg", "image/svg+xml"},
    /* Names without an ending. */
    {"/oauth-authorization-server", "application/json"},
    {"/oauth-protected-resource", "application/json"},
    {"/openid-configuration", "application/json"},
    {"/jwks", "application/json"},
    {"/webfinger", "application/jrd+json"},
    {"/api-catalog", "application/linkset+json"},
    {"/apple-app-site-association", "application/json"},
};

/* RFC 8414 and RFC 9728: the suffix stands in front of the issuer's or resource's path. */
static const char *const folders[] = {
    "/.well-known/oauth-authorization-server/",
    "/.well-known/oauth-protected-resource/",
};

const char *media_of(struct pap_str path)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (str_ends(path, str_c(rows[i].ending)))
            return rows[i].media;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (str_starts(path, str_c(folders[i])))
            return "application/json";
    return "application/octet-stream";
}
