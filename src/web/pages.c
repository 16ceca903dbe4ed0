/* SPDX-License-Identifier: Apache-2.0
 *
 * The pages that are mostly text: home, about, the API in words, how to opt out.
 */
#include "web/name.h"
#include "web/stored.h"

/* "/?domain=..." is what a form sends that has no script: on to the report, whatever was typed. */
void page_home(struct asked *k)
{
    struct pap_str domain = str_trim(asked_query(k, "domain"));
    if (domain.n) {
        buf_add(&k->out, S("/check/"));
        form_encode(&k->out, domain);
        asked_redirect(k, 303, buf_ok(&k->out) ? arena_str(k->arena, buf_str(&k->out)) : str(NULL, 0));
        return;
    }
    if (asked_has(k, k->web->tag, CACHE_SHORT))
        return;
    shell_open(k, &(struct page){.title = S("Is your poppy.json right?"), .at = "/"});
    html(
        k,
        "<h1>Is your poppy.json right?</h1>\n"
        "<p class=\"lead\">A personal agent that finds a mistake in your Personal Agent Protocol (&ldquo;Poppy&rdquo;) "
        "discovery skips your company without a word. Type your domain: it is looked at from outside, the way an agent "
        "does it, and each fault is named with its rule, its place, and how to mend it.</p>\n");
    domain_form(k, S(""));
    html(
        k,
        "<p class=\"note\">Nothing published yet? <a href=\"/paste\">Paste a document</a> and have it judged before it "
        "goes out.</p>\n"
        "<h2>What is looked at</h2>\n<ul class=\"points\">\n"
        "<li><strong>poppy.json</strong> at <code>/.well-known/poppy.json</code>: every member, the redirects on the way, "
        "the certificate.</li>\n"
        "<li><strong>The sign-in server</strong> that it names: same issuer, your domain in <code>poppy_domains</code>, the "
        "endpoints that each way of signing in needs.</li>\n"
        "<li><strong>APIs and MCP servers</strong>: their descriptions and their resource metadata.</li>\n"
        "<li><strong>Skills</strong>: both indexes, and the digest of every file.</li>\n</ul>\n"
        "<p>Only public documents are read. Nobody signs in, no session begins, no API is called. What was found is kept "
        "and can be read by everybody, as the documents themselves can.</p>\n");
    asked_page(k, 200, CACHE_SHORT, k->web->tag);
}

static void contact(struct asked *k)
{
    struct pap_str to = str_c(k->web->o.contact);
    html(k, str_find(to, S("://")) < to.n ? "<a href=\"" : "<a href=\"mailto:");
    words(k, to);
    html(k, "\">");
    words(k, to);
    html(k, "</a>");
}

void page_about(struct asked *k)
{
    if (asked_has(k, k->web->tag, CACHE_SHORT))
        return;
    shell_open(k, &(struct page){.title = S("About"), .at = "/about"});
    html(
        k,
        "<h1>About</h1>\n<p class=\"lead\">This site runs <code>papaver web</code>: the checks are the same as those of "
        "<code>papaver check</code> on your own machine, rule by rule.</p>\n"
        "<h2>Contact</h2>\n<p>Whoever runs this site is reached at ");
    contact(k);
    html(
        k,
        ".</p>\n<h2>What a check does</h2>\n"
        "<p>It sends a few dozen <code>GET</code> and <code>HEAD</code> requests to port 443 of the domain and of the "
        "places its documents name, in a minute at most, then it is over. Addresses inside a network are never asked, "
        "and artifacts only where <code>robots.txt</code> of their host allows it. "
        "The User-Agent of each request says where this page is. One domain is checked once at a time, and a result that "
        "is younger than a minute is shown again.</p>\n"
        "<h2>What is kept</h2>\n"
        "<p>The last report of a domain, with the public documents it is about. Cookies, keys and tokens are left out. Of "
        "visitors nothing is kept: there are no cookies, no accounts and nothing from third parties. How often an address "
        "has asked within the hour is counted in memory.</p>\n"
        "<h2>Leave us alone</h2>\n<p>A domain that does not want to be here can <a href=\"/opt-out\">opt out</a>.</p>\n");
    asked_page(k, 200, CACHE_SHORT, k->web->tag);
}

/* The routes of the API in words. */
void page_api(struct asked *k)
{
    if (asked_has(k, k->web->tag, CACHE_SHORT))
        return;
    shell_open(k, &(struct page){.title = S("API"), .at = "/api"});
    html(k,
         "<h1>API</h1>\n<p class=\"lead\">What the pages show, for programs. No key, no sign-up; "
         "<a href=\"/api/openapi.json\">openapi.json</a> has every parameter and member.</p>\n<ul class=\"points\">\n");
    for (const struct route *r = routes; r->pattern; r++) {
        if (r->kind != ROUTE_API)
            continue;
        size_t star = str_find_char(str_c(r->pattern), '*');
        buf_fmt(&k->out, "<li><code>%s %.*s%s</code><br>", r->method, (int)star, r->pattern,
                r->pattern[star] ? "NAME" : "");
        words(k, str_c(r->what));
        html(k, "</li>\n");
    }
    html(
        k,
        "</ul>\n<p>Answers have an <code>ETag</code>: send it back as <code>If-None-Match</code> and what did not change "
        "costs nothing. A fault is an object of <code>application/problem+json</code>; 429 comes with "
        "<code>Retry-After</code>.</p>\n");
    asked_page(k, 200, CACHE_SHORT, k->web->tag);
}

/* What became of the one before: `done` is believed only where it is so, since anybody can make a link. */
static bool opt_out_news(struct asked *k, struct pap_str done, struct pap_str trouble)
{
    struct pap_err err = {.text = ""};
    struct pap_str name = S("");
    bool out = false;
    if (done.n && is_ok(web_name(k->arena, done, k->web->o.loopback, &name, &err))) {
        if (!asked_store(k))
            return false;
        if (!is_ok(census_is_out(k->store, name, &out, &err))) {
            asked_store_failed(k, &err);
            return false;
        }
    }
    if (out) {
        html(k, "<p class=\"verdict good\" role=\"status\">");
        words(k, name);
        html(k, " is left alone from now on.</p>\n");
    } else if (trouble.p) {
        html(k, "<p class=\"verdict bad\" role=\"status\">");
        words(k, trouble);
        html(k, "</p>\n");
    }
    return true;
}

void page_opt_out(struct asked *k)
{
    struct pap_str done = asked_query(k, "done"), domain = str_take(asked_query(k, "domain"), 253);
    struct pap_str trouble = runner_trouble_sentence(asked_query(k, "said"));
    bool plain = !done.n && !domain.n && !trouble.p;
    if (plain && asked_has(k, k->web->tag, CACHE_SHORT))
        return;
    shell_open(k, &(struct page){.title = S("Opt out"), .at = "/about", .hidden = !plain});
    html(k, "<h1>Opt out</h1>\n");
    if (!opt_out_news(k, done, trouble))
        return;
    html(
        k,
        "<p class=\"lead\">A domain that does not want to be checked or listed here says so itself, so that "
        "nobody else can say it.</p>\n<ol class=\"points\">\n"
        "<li>Do one of these two:\n<ul class=\"points\">\n"
        "<li>put a file at <code>https://YOUR-DOMAIN/.well-known/papaver-opt-out.txt</code> whose whole text is "
        "<code>papaver-opt-out</code>; it may not redirect;</li>\n"
        "<li>add a DNS record <code>_papaver.YOUR-DOMAIN</code> of type <code>TXT</code> with the text "
        "<code>opt-out</code>.</li>\n</ul></li>\n"
        "<li>Type the domain below. The file or the record is looked for once; afterwards you may take it away "
        "again.</li>\n"
        "<li>From then on the domain is on no list, no visitor can have it checked, and what was kept of it is gone.</li>\n"
        "</ol>\n<form class=\"ask\" action=\"/opt-out\" method=\"post\">\n<label for=\"domain\">Domain</label>\n"
        "<span class=\"field\"><input id=\"domain\" name=\"domain\" type=\"text\" inputmode=\"url\" required "
        "maxlength=\"253\" autocomplete=\"off\" autocapitalize=\"none\" spellcheck=\"false\" value=\"");
    words(k, domain);
    html(k, "\">\n<button type=\"submit\">Leave it alone</button></span>\n</form>\n"
            "<p class=\"note\">To come back, write to the contact on <a href=\"/about\">this page</a>.</p>\n");
    asked_page(k, 200, CACHE_SHORT, plain ? k->web->tag : S(""));
}

void post_opt_out(struct asked *k)
{
    struct pap_str name;
    k->part[0] = form_value(k->arena, k->q->body, "domain");
    if (asked_name(k, &name))
        asked_run(k, RUNNER_OPT_OUT, name, RUNNER_PAGE);
}
