/* SPDX-License-Identifier: Apache-2.0
 *
 * The page for people: what skills there are, what they are for, where to get them and how to tell that what one got is
 * right. No script; names and descriptions are text of anybody.
 */
#include "host/inside.h"
#include "report/format.h"
#include "text/uri.h"

extern const char host_style[], host_style_hash[];

struct pap_str page_policy(struct arena *a)
{
    return arena_fmt(a,
                     "default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'; "
                     "frame-ancestors 'none'",
                     host_style_hash);
}

static void words(struct buf *out, struct pap_str s)
{
    add_escaped(out, s, escape_markup);
}

/* A link only to what is served here or to a URL that may be asked: never "javascript:" and its like. */
static void write_link(struct buf *out, struct arena *scratch, const struct generation *g, const struct json *skill)
{
    struct uri u;
    size_t at;
    const char *why;
    struct pap_str url = json_str(json_get_c(skill, "url"));
    const struct host_file *f = url.p ? entry_file(g, scratch, url, NULL) : NULL;
    bool is_web = url.p && uri_parse(url, &u, &at, &why) && u.scheme.p && uri_is_web(&u, &why);
    /* A path of the tree may hold bytes that a URL may not; then the entry's own form of it is the right one. */
    struct pap_str href = f && str_find_char(url, '%') == url.n && !is_web ? f->path : is_web ? url : str(NULL, 0);
    if (!href.p)
        return;
    buf_add(out, S("<p><a href=\""));
    words(out, href);
    buf_add(out, S("\">Download"));
    buf_add(out, S("<span class=\"soft\"> "));
    words(out, json_str(json_get_c(skill, "name")));
    buf_add(out, S("</span></a>"));
    if (f)
        buf_fmt(out, " <span class=\"soft\">%zu bytes</span>", f->plain.bytes.n);
    buf_add(out, S("</p>\n"));
}

static void write_skill(struct buf *out, struct arena *scratch, const struct generation *g, const struct json *skill)
{
    buf_add(out, S("<li>\n<h2>"));
    words(out, json_str(json_get_c(skill, "name")));
    buf_add(out, S("</h2>\n<p>"));
    words(out, json_str(json_get_c(skill, "description")));
    buf_add(out, S("</p>\n"));
    write_link(out, scratch, g, skill);
    buf_add(out, S("<p class=\"soft\"><code>"));
    words(out, json_str(json_get_c(skill, "digest")));
    buf_add(out, S("</code></p>\n</li>\n"));
}

static bool is_open(const struct generation *g, const struct json *skill)
{
    return !g->access || access_is_open(g->access, json_str(json_get_c(skill, "name")));
}

static bool has_open(const struct generation *g, const struct json *skills)
{
    json_each (skill, skills)
        if (is_open(g, skill))
            return true;
    return false;
}

void page_write(struct buf *out, struct arena *scratch, const struct generation *g, const struct json *skills)
{
    buf_add(out, S("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Skills for agents</title>\n<style>"));
    buf_add(out, str_c(host_style));
    buf_add(out, S("</style>\n</head>\n<body>\n<main>\n<h1>Skills for agents</h1>\n"));
    if (!json_is(skills, JSON_ARRAY) || !has_open(g, skills)) {
        buf_add(out, S("<p>No skills are published here.</p>\n"));
    } else {
        buf_add(out,
                S("<p>What a personal agent can do with this company, in its own words. The digest is the SHA-256 of "
                  "the download: <code>sha256sum</code> must give the same.</p>\n<ul>\n"));
        json_each (skill, skills)
            if (is_open(g, skill))
                write_skill(out, scratch, g, skill);
        buf_add(out, S("</ul>\n"));
    }
    buf_add(out, S("</main>\n<footer>"));
    if (generation_find(g, S(PATH_INDEX)))
        buf_add(out, S("<a href=\"" PATH_INDEX "\">The index, for programs</a>"));
    buf_add(out, S("</footer>\n</body>\n</html>\n"));
}
