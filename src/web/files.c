/* SPDX-License-Identifier: Apache-2.0
 *
 * Files: style, script, icon, robots.txt, and what this site itself publishes for agents.
 */
#include "text/json_write.h"
#include "web/inside.h"

static void file(struct asked *k, const char *bytes, const char *type, const char *cache)
{
    buf_add(&k->out, str_c(bytes));
    asked_send(k, 200, type, cache, k->web->tag);
}

void file_style(struct asked *k)
{
    file(k, site_style, "text/css; charset=utf-8", CACHE_EVER);
}

void file_script(struct asked *k)
{
    file(k, site_script, "text/javascript; charset=utf-8", CACHE_EVER);
}

void api_openapi(struct asked *k)
{
    file(k, site_openapi, "application/json", CACHE_SHORT);
}

void file_icon(struct asked *k)
{
    file(
        k,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\"><g fill=\"#d8432b\"><circle cx=\"16\" cy=\"9\" "
        "r=\"8\"/><circle cx=\"9\" cy=\"17\" r=\"8\"/><circle cx=\"23\" cy=\"17\" r=\"8\"/><circle cx=\"16\" cy=\"23\" "
        "r=\"8\"/></g><circle fill=\"#2a2320\" cx=\"16\" cy=\"16\" r=\"4.5\"/></svg>\n",
        "image/svg+xml", CACHE_SHORT);
}

/* Reports are without end, and each costs a look into the database: they are not for crawlers. */
void file_robots(struct asked *k)
{
    file(k, "User-agent: *\nDisallow: /check/\nDisallow: /badge/\nDisallow: /api/\n", "text/plain; charset=utf-8",
         CACHE_SHORT);
}

void file_poppy(struct asked *k)
{
    struct json_writer w;
    json_writer_init(&w, &k->out, 2);
    json_object_begin(&w);
    json_write_key(&w, "protocol_version");
    json_write_cstr(&w, "0.1");
    json_write_key(&w, "organization");
    json_object_begin(&w);
    json_write_key(&w, "name");
    json_write_cstr(&w, "papaver");
    json_write_key(&w, "domain");
    json_write_str(&w, k->web->host);
    json_object_end(&w);
    json_write_key(&w, "web");
    json_object_begin(&w);
    json_object_end(&w);
    json_object_end(&w);
    buf_char(&k->out, '\n');
    asked_send(k, 200, "application/json", CACHE_SHORT, k->web->tag);
}
