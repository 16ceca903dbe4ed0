/* SPDX-License-Identifier: Apache-2.0
 *
 * Every address of the site in one table, and the way from a request to its row. To add one: a row, a function, and for the
 * API its part of openapi.json.
 */
#include "web/inside.h"
#include "web/readers.h"
#include "web/visitor.h"

const struct route routes[] = {
    {"GET", "/", page_home, ROUTE_PAGE, false, "the form; with ?domain= to its report"},
    {"GET", "/paste", page_paste, ROUTE_PAGE, false, "the form for a document"},
    {"POST", "/check", post_paste, ROUTE_PAGE, true, "a pasted document, judged; nothing is fetched"},
    {"GET", "/check/*", page_check, ROUTE_PAGE, false, "the report of a domain"},
    {"POST", "/check/*", post_check, ROUTE_PAGE, true, "a new report; a stream of events where that is accepted"},
    {"GET", "/check/*/*", file_report, ROUTE_FILE, false, "the report as report.json, report.sarif, report.md"},
    {"GET", "/check/*/body/*", file_body, ROUTE_FILE, false, "a document as it came"},
    {"GET", "/badge/*.svg", file_badge, ROUTE_FILE, false, "the badge of a domain"},
    {"POST", "/opt-out", post_opt_out, ROUTE_PAGE, true, "leave a domain alone that says so"},
    {"GET", "/api/v1/check/*", api_report, ROUTE_API, false, "the report of a domain"},
    {"POST", "/api/v1/check/*", api_check, ROUTE_API, true, "a new report: 303 to it when it is there"},
    {"GET", "/sites", page_sites, ROUTE_PAGE, false, "who publishes: sorted, filtered, searched"},
    {"GET", "/sites.csv", file_sites_csv, ROUTE_FILE, false, "the same for spreadsheets"},
    {"GET", "/sites.json", api_sites, ROUTE_FILE, false, "the same as /api/v1/sites"},
    {"GET", "/sites.atom", file_sites_atom, ROUTE_FILE, false, "new ones as a feed"},
    {"GET", "/sites/*", page_site, ROUTE_PAGE, false, "a site with its history"},
    {"GET", "/sites/*/diff", page_site_diff, ROUTE_PAGE, false, "what differs between two days"},
    {"GET", "/sites/*/*", page_observation, ROUTE_PAGE, false, "the report of a stretch of its history"},
    {"GET", "/charts", page_charts, ROUTE_PAGE, false, "how many, which versions, which faults"},
    {"GET", "/charts/adoption.svg", file_adoption, ROUTE_FILE, false, "sites, day by day"},
    {"GET", "/charts/versions.svg", file_versions, ROUTE_FILE, false, "sites, by version"},
    {"GET", "/charts/faults.svg", file_faults, ROUTE_FILE, false, "sites, by finding"},
    {"GET", "/api/v1/sites", api_sites, ROUTE_API, false, "who publishes: a page of 100"},
    {"GET", "/api/v1/sites/*", api_site, ROUTE_API, false, "a site with its history"},
    {"GET", "/explain", page_explain, ROUTE_PAGE, false, "every rule"},
    {"GET", "/explain/*", page_rule, ROUTE_PAGE, false, "one rule"},
    {"GET", "/about", page_about, ROUTE_PAGE, false, "what this is, and whom to write to"},
    {"GET", "/opt-out", page_opt_out, ROUTE_PAGE, false, "how a domain is left alone"},
    {"GET", "/api", page_api, ROUTE_PAGE, false, "what programs may ask"},
    {"GET", "/api/openapi.json", api_openapi, ROUTE_API, false, "the API, described for programs"},
    {"GET", "/api/v1/rules", api_rules, ROUTE_API, false, "every rule"},
    {"GET", "/api/v1/rules/*", api_rule, ROUTE_API, false, "one rule"},
    {"POST", "/api/v1/judge", api_judge, ROUTE_API, true, "a document in the body, judged; nothing is fetched"},
    {"GET", "/assets/site-*.css", file_style, ROUTE_FILE, false, "the style sheet"},
    {"GET", "/assets/site-*.js", file_script, ROUTE_FILE, false, "the script"},
    {"GET", "/favicon.svg", file_icon, ROUTE_FILE, false, "the icon"},
    {"GET", "/robots.txt", file_robots, ROUTE_FILE, false, "for search engines"},
    {"GET", "/.well-known/poppy.json", file_poppy, ROUTE_FILE, false, "what this site itself publishes"},
    {0},
};

/* A star stands for at least one byte, none of them a slash. */
static bool fits(struct pap_str path, struct pap_str pattern, struct pap_str *part, size_t *ret_n)
{
    size_t n = 0;
    for (size_t star; (star = str_find_char(pattern, '*')) < pattern.n; n++) {
        if (!str_starts(path, str_take(pattern, star)) || n == PARTS_MOST)
            return false;
        path = str_skip(path, star);
        pattern = str_skip(pattern, star + 1);
        struct pap_str segment = str_take(path, str_find_char(path, '/'));
        struct pap_str behind = str_take(pattern, str_find_char(pattern, '/')); /* ".svg" */
        if (segment.n <= behind.n || !str_ends(segment, behind))
            return false;
        part[n] = str_take(segment, segment.n - behind.n);
        path = str_skip(path, part[n].n);
    }
    *ret_n = n;
    return str_eq(path, pattern);
}

static bool is_method(const struct route *r, struct pap_str method)
{
    return str_is(method, r->method) || (str_is(method, "HEAD") && str_is(str_c(r->method), "GET"));
}

/* The row of the request; NULL: none. *ret_allow: the methods of the path, empty when there is no such path. */
static const struct route *find_route(struct asked *k, struct pap_str *ret_allow)
{
    bool get = false, post = false;
    for (const struct route *r = routes; r->pattern; r++) {
        size_t n;
        if (!fits(k->q->path, str_c(r->pattern), k->part, &n))
            continue;
        k->route = r;
        if (!is_method(r, k->q->method)) {
            *(str_is(str_c(r->method), "GET") ? &get : &post) = true;
            continue;
        }
        for (size_t i = 0; i < n; i++)
            k->part[i] = form_decoded(k->arena, k->part[i]);
        return r;
    }
    *ret_allow = get && post ? S("GET, HEAD, POST") : get ? S("GET, HEAD") : post ? S("POST") : S("");
    return NULL;
}

/* Pages of others cannot make a visitor's browser ask for checks here. */
static bool comes_from_elsewhere(const struct asked *k)
{
    struct pap_str site = request_header(k->q, "Sec-Fetch-Site");
    return str_is(k->q->method, "POST") && k->route->kind == ROUTE_PAGE && site.p &&
           (str_is(str_trim(site), "cross-site") || str_is(str_trim(site), "same-site"));
}

/* False: the visitor has to wait, and was told. */
static bool may_cost(struct asked *k)
{
    struct limiter_key who = visitor_of(k->q, k->web->o.proxies);
    uint32_t wait =
        k->route->costs ? limiter_take(k->web->visitors, &who, k->web->o.clock->monotonic_ms(k->web->o.clock)) : 0;
    if (!wait)
        return true;
    struct pap_str seconds = arena_fmt(k->arena, "%u", wait);
    asked_field(k, "Retry-After", seconds.p ? seconds : S("60"));
    asked_fail(k, 429, "That was a lot of checks",
               arena_fmt(k->arena,
                         "One visitor may have so many things checked in an hour. The next one in %u seconds.", wait));
    return false;
}

static void refuse(struct asked *k, struct pap_str allow)
{
    if (!allow.n) {
        asked_fail(k, 404, "There is no such page", S("Maybe the address was cut. Everything begins with a domain:"));
    } else {
        asked_field(k, "Allow", allow);
        asked_fail(k, 405, "Not this way", S("This address is not asked with that method."));
    }
}

void web_handle(void *ctx, const struct http_request *q, struct http_response *ret)
{
    struct web *w = ctx;
    struct asked k = {.web = w, .q = q, .ret = ret, .arena = ret->arena, .now = w->o.clock->unix_seconds(w->o.clock)};
    struct pap_str allow = S("");
    buf_init(&k.out, w->o.alloc, LIMIT_WEB_PAGE);
    if (!find_route(&k, &allow))
        refuse(&k, allow);
    else if (comes_from_elsewhere(&k))
        asked_fail(&k, 403, "Not from there", S("Another site's page asked for this. Begin here, please."));
    else if (may_cost(&k))
        k.route->fn(&k);
    buf_fini(&k.out);
    if (k.store)
        readers_put(w->readers, k.store);
}
