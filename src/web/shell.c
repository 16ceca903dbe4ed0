/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands around every page: head, header, navigation, footer; and the few pieces that several pages have.
 */
#include "text/httpval.h"
#include "web/inside.h"

/* The navigation. To add an entry: a row. */
static const struct {
    const char *path, *name;
} entries[] = {{"/", "Check"},        {"/sites", "Sites"}, {"/charts", "Charts"},
               {"/explain", "Rules"}, {"/api", "API"},     {"/about", "About"}};

#define BRAND                                                                                                          \
    "<svg viewBox=\"0 0 32 32\" width=\"28\" height=\"28\" aria-hidden=\"true\"><g class=\"petal\"><circle cx=\"16\" " \
    "cy=\"9\" r=\"8\"/><circle cx=\"9\" cy=\"17\" r=\"8\"/><circle cx=\"23\" cy=\"17\" r=\"8\"/><circle cx=\"16\" "    \
    "cy=\"23\" r=\"8\"/></g><circle class=\"heart\" cx=\"16\" cy=\"16\" r=\"4.5\"/></svg>"

/* The first bytes of the hash of a file, as part of its address: another content is another address. */
static void add_address(struct buf *out, const char *hash)
{
    for (size_t i = 0; i < 12 && hash[i]; i++)
        buf_char(out, ascii_is_alnum(hash[i]) ? hash[i] : '_');
}

static void head(struct asked *k, const struct page *p)
{
    html(k, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"color-scheme\" content=\"light dark\">\n");
    if (p->hidden)
        html(k, "<meta name=\"robots\" content=\"noindex\">\n");
    html(k, "<title>");
    words(k, p->title);
    html(k, " &ndash; papaver</title>\n<link rel=\"icon\" href=\"/favicon.svg\" type=\"image/svg+xml\">\n");
    if (p->feed)
        buf_fmt(&k->out, "<link rel=\"alternate\" type=\"application/atom+xml\" href=\"%s\">\n", p->feed);
    html(k, "<link rel=\"stylesheet\" href=\"/assets/site-");
    add_address(&k->out, site_style_hash);
    buf_fmt(&k->out, ".css\" integrity=\"sha256-%s\">\n<script src=\"/assets/site-", site_style_hash);
    add_address(&k->out, site_script_hash);
    buf_fmt(&k->out, ".js\" integrity=\"sha256-%s\" defer></script>\n</head>\n", site_script_hash);
}

void shell_open(struct asked *k, const struct page *p)
{
    head(k, p);
    html(k, "<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header class=\"top\">\n"
            "<a class=\"brand\" href=\"/\">" BRAND " papaver</a>\n<nav class=\"site\" aria-label=\"Site\">\n<ul>\n");
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
        buf_fmt(&k->out, "<li><a href=\"%s\"%s>%s</a></li>\n", entries[i].path,
                p->at && str_is(str_c(p->at), entries[i].path) ? " aria-current=\"page\"" : "", entries[i].name);
    html(k, p->wide ? "</ul>\n</nav>\n</header>\n<main id=\"main\" tabindex=\"-1\">\n"
                    : "</ul>\n</nav>\n</header>\n<main id=\"main\" tabindex=\"-1\" class=\"text\">\n");
}

void shell_close(struct asked *k)
{
    html(k, "</main>\n<footer>\n<p>papaver " PAP_VERSION
            ". It reads public documents only, and never signs in. <a href=\"/about\">About and contact</a>, "
            "<a href=\"/opt-out\">opt out</a>.</p>\n</footer>\n</body>\n</html>\n");
}

void add_instant(struct buf *out, int64_t unix_seconds)
{
    int64_t day = unix_seconds < 0 ? 0 : unix_seconds % 86400;
    add_date(out, unix_seconds);
    buf_fmt(out, "T%02d:%02d:%02dZ", (int)(day / 3600), (int)(day / 60 % 60), (int)(day % 60));
}

void html_time(struct asked *k, int64_t unix_seconds)
{
    if (!unix_seconds) {
        html(k, "never");
        return;
    }
    html(k, "<time datetime=\"");
    add_instant(&k->out, unix_seconds);
    html(k, "\">");
    add_date(&k->out, unix_seconds);
    buf_fmt(&k->out, " %02d:%02d UTC</time>", (int)(unix_seconds / 3600 % 24), (int)(unix_seconds / 60 % 60));
}

bool day_parse(struct pap_str s, int64_t *ret)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    uint64_t year, month, day;
    char text[40];
    struct buf b;
    if (s.n != 10 || s.p[4] != '-' || s.p[7] != '-' || !str_to_u64(str_take(s, 4), &year) ||
        !str_to_u64(str(s.p + 5, 2), &month) || !str_to_u64(str(s.p + 8, 2), &day) || month < 1 || month > 12)
        return false;
    buf_on(&b, text, sizeof text);
    buf_fmt(&b, "Mon, %02u %s %04u 00:00:00 GMT", (unsigned)day, months[month - 1], (unsigned)year);
    return buf_ok(&b) && http_date_parse(buf_str(&b), ret);
}

void domain_form(struct asked *k, struct pap_str value)
{
    html(k, "<form class=\"ask\" action=\"/\" method=\"get\" data-stream>\n<label for=\"domain\">Domain</label>\n"
            "<span class=\"field\"><input id=\"domain\" name=\"domain\" type=\"text\" inputmode=\"url\" required "
            "maxlength=\"253\" autocomplete=\"off\" autocapitalize=\"none\" spellcheck=\"false\" "
            "placeholder=\"shop.example.com\" value=\"");
    words(k, value);
    html(k, "\">\n<button type=\"submit\">Check</button></span>\n</form>\n");
}
