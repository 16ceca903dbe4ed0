/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rules.h"

#define HEADERS_FILE                                                       \
    "/.well-known/agent-skills/index.json\n"                               \
    "  Content-Type: application/json\n"                                   \
    "  Cache-Control: public, max-age=300, must-revalidate\n"              \
    "  Access-Control-Allow-Origin: *\n"                                   \
    "  Access-Control-Expose-Headers: ETag\n"                              \
    "  X-Content-Type-Options: nosniff\n"                                  \
    "/.well-known/poppy.json\n"                                            \
    "  Content-Type: application/json\n"                                   \
    "  Cache-Control: public, max-age=300, must-revalidate\n"              \
    "  Access-Control-Allow-Origin: *\n"                                   \
    "/.well-known/agent-skills/artifacts/*\n"                              \
    "  Cache-Control: public, max-age=31536000, immutable, no-transform\n" \
    "  Access-Control-Allow-Origin: *\n"                                   \
    "  Access-Control-Expose-Headers: ETag\n"                              \
    "  X-Content-Type-Options: nosniff\n"                                  \
    "/.well-known/agent-skills/artifacts/*.md\n"                           \
    "  Content-Type: text/markdown; charset=utf-8\n"                       \
    "/.well-known/agent-skills/artifacts/*.tar.gz\n"                       \
    "  Content-Type: application/gzip\n"                                   \
    "/.well-known/agent-skills/artifacts/*.zip\n"                          \
    "  Content-Type: application/zip\n"

#define REDIRECTS_FILE                                                         \
    "# without --legacy: readers of the 0.1 address find the index of today\n" \
    "/.well-known/skills/index.json  /.well-known/agent-skills/index.json  301\n"

/* To add a host: a row in each, in the same place. */
const char *const rules_hosts[] = {"nginx", "caddy", "netlify", "cloudflare", "github", 0};

static const char *const texts[] = {
    "# nginx: inside server { }; DIR is the folder that papaver publish wrote\n"
    "location ^~ /.well-known/agent-skills/ {\n"
    "    root DIR;\n"
    "    types { application/json json; text/markdown md; application/gzip gz; application/zip zip; }\n"
    "    charset utf-8;\n"
    "    charset_types text/markdown;\n"
    "    gzip off;\n"
    "    default_type application/octet-stream;\n"
    "    add_header Cache-Control \"public, max-age=300, must-revalidate\";\n"
    "    add_header Access-Control-Allow-Origin *;\n"
    "    add_header Access-Control-Expose-Headers ETag;\n"
    "    add_header X-Content-Type-Options nosniff;\n"
    "    try_files $uri =404;\n"
    "    location ~ ^/[.]well-known/agent-skills/artifacts/sha256-[0-9a-f]+[.](md|tar[.]gz|zip)$ {\n"
    "        root DIR;\n"
    "        add_header Cache-Control \"public, max-age=31536000, immutable, no-transform\";\n"
    "        add_header Access-Control-Allow-Origin *;\n"
    "        add_header Access-Control-Expose-Headers ETag;\n"
    "        add_header X-Content-Type-Options nosniff;\n"
    "        try_files $uri =404;\n"
    "    }\n"
    "}\n"
    "location = /.well-known/poppy.json {\n"
    "    root DIR;\n"
    "    default_type application/json;\n"
    "    add_header Cache-Control \"public, max-age=300, must-revalidate\";\n"
    "    add_header Access-Control-Allow-Origin *;\n"
    "    add_header X-Content-Type-Options nosniff;\n"
    "}\n"
    "# without --legacy: readers of the 0.1 address find the index of today\n"
    "location = /.well-known/skills/index.json { return 301 /.well-known/agent-skills/index.json; }\n",

    "# Caddy: inside the site's block; DIR is the folder that papaver publish wrote. What is not there is not kept.\n"
    "handle /.well-known/agent-skills/* {\n"
    "    root * DIR\n"
    "    @index {\n"
    "        path /.well-known/agent-skills/index.json\n"
    "        file\n"
    "    }\n"
    "    @artifact {\n"
    "        path /.well-known/agent-skills/artifacts/*\n"
    "        file\n"
    "    }\n"
    "    header @index Cache-Control \"public, max-age=300, must-revalidate\"\n"
    "    header @artifact Cache-Control \"public, max-age=31536000, immutable, no-transform\"\n"
    "    header Access-Control-Allow-Origin *\n"
    "    header Access-Control-Expose-Headers ETag\n"
    "    header X-Content-Type-Options nosniff\n"
    "    header *.md Content-Type \"text/markdown; charset=utf-8\"\n"
    "    header *.tar.gz Content-Type application/gzip\n"
    "    header *.zip Content-Type application/zip\n"
    "    file_server\n"
    "}\n"
    "handle /.well-known/poppy.json {\n"
    "    root * DIR\n"
    "    header Cache-Control \"public, max-age=300, must-revalidate\"\n"
    "    header Access-Control-Allow-Origin *\n"
    "    header X-Content-Type-Options nosniff\n"
    "    file_server\n"
    "}\n"
    "# without --legacy: readers of the 0.1 address find the index of today\n"
    "redir /.well-known/skills/index.json /.well-known/agent-skills/index.json 301\n",

    "# Netlify: the file _headers in the folder that is deployed\n" HEADERS_FILE
    "# Netlify: the file _redirects beside it\n" REDIRECTS_FILE,

    "# Cloudflare Pages: the file _headers in the folder that is deployed. Switch off what rewrites files (minifying,\n"
    "# e-mail obfuscation): it breaks digests.\n" HEADERS_FILE
    "# Cloudflare Pages: the file _redirects beside it\n" REDIRECTS_FILE,

    "# GitHub Pages: media types and caching are its own (SKILL.md comes as text/markdown, archives as application/gzip or\n"
    "# application/zip); what is needed is that folders with a dot are published at all:\n"
    "# 1. an empty file .nojekyll in the folder that is deployed:\n"
    "touch DIR/.nojekyll\n"
    "# 2. with actions/upload-pages-artifact, which leaves hidden files out:\n"
    "#      with: { path: DIR, include-hidden-files: true }\n"
    "# 3. in .gitattributes, so that no line end is changed:\n"
    "#      DIR/.well-known/** -text\n",
};

const char *rules_text(unsigned host)
{
    return texts[host];
}
