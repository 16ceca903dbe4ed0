/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside src/web: the site, a request on its way through it, and what pages are made of. Text of anybody goes through
 * words(), url() and the encoders of each format, markup of ours through html().
 */
#ifndef WEB_INSIDE_H
#define WEB_INSIDE_H

#include <papaver/check.h>

#include "base/buf.h"
#include "base/limits.h"
#include "report/format.h"
#include "web/form.h"
#include "web/limiter.h"
#include "web/route.h"
#include "web/web.h"

struct web {
    struct web_options o;
    struct pap_str host;      /* of the origin, without a port */
    struct limiter *visitors; /* how often one may have something checked */
    struct readers *readers;  /* NULL: nothing is kept */
    struct arena arena;       /* of the texts below */
    struct pap_str tag;       /* in the ETags of pages that come from the program alone */
};

enum { PARTS_MOST = 2, FIELDS_OWN = 16 };

/* A request on its way. */
struct asked {
    struct web *web;
    const struct http_request *q;
    struct http_response *ret;
    const struct route *route;
    struct arena *arena;             /* of the answer */
    struct pap_str part[PARTS_MOST]; /* what the stars stand for, decoded */
    int64_t now;
    struct census *store; /* for this request (stored.h) */
    struct buf out;       /* the body */
    struct header fields[FIELDS_OWN];
    size_t n_fields;
};

/* ---- answer.c: what goes back ---- */

void asked_field(struct asked *k, const char *name, struct pap_str value);
/* The body in k->out. `cache`: a Cache-Control. With an ETag (strong, p NULL: that of the body's bytes) the answer may be 304;
 * errors have none. */
void asked_send(struct asked *k, int status, const char *type, const char *cache, struct pap_str etag);
/* True: the client has the answer with that ETag, and it was sent 304. For those who would have to make it first. */
bool asked_has(struct asked *k, struct pap_str etag, const char *cache);
void asked_page(struct asked *k, int status, const char *cache, struct pap_str etag);
void asked_redirect(struct asked *k, int status, struct pap_str to);
/* A page or an object that says so, as the route's kind wants. `sentence` is text of anybody. */
void asked_fail(struct asked *k, int status, const char *title, struct pap_str sentence);
void asked_no_memory(struct asked *k);
/* The name in k->part[0] in its one right form; false when it was answered: refused, or sent to the right place. */
bool asked_name(struct asked *k, struct pap_str *ret) PAP_MUST;
/* A field of the query. */
struct pap_str asked_query(struct asked *k, const char *name);

#define CACHE_LOOK "no-cache" /* keep it, but look each time whether it is still right */
#define CACHE_SHORT "public, max-age=300"
#define CACHE_EVER "public, max-age=31536000, immutable"
#define CACHE_NEVER "no-store"

/* ---- shell.c: what stands around a page ---- */

struct page {
    struct pap_str title; /* of anybody */
    const char *at;       /* path of the entry in the navigation where it belongs; NULL: none */
    bool hidden;          /* not for search engines */
    const char *feed;     /* of this page; or NULL */
    bool wide;
};
void shell_open(struct asked *k, const struct page *p);
void shell_close(struct asked *k);

static inline void html(struct asked *k, const char *markup)
{
    buf_add(&k->out, str_c(markup));
}
static inline void words(struct asked *k, struct pap_str s)
{
    add_escaped(&k->out, s, escape_markup);
}
/* "2026-11-30 22:57 UTC" in a <time> element; "never" for 0. */
void html_time(struct asked *k, int64_t unix_seconds);
/* "2026-11-30T22:57:00Z" */
void add_instant(struct buf *out, int64_t unix_seconds);
/* "2026-11-30" to the first second of that day. */
bool day_parse(struct pap_str s, int64_t *ret);
/* The form with one field. `value` may be empty. */
void domain_form(struct asked *k, struct pap_str value);

/* report.c: writes the report of one target to k->out; HTML as a part of a page. `at`: when it was judged. */
pap_result report_add(struct asked *k, const struct report_target *t, enum pap_format format, int64_t at,
                      struct pap_err *err) PAP_MUST;

/* ---- the routes ---- */

route_fn page_home, page_about, page_opt_out, page_paste, page_explain, page_rule, page_api, file_style, file_script,
    file_icon, file_robots, file_poppy, api_openapi, api_rules, api_rule, post_paste, api_judge, page_check, post_check,
    file_report, file_body, file_badge, api_report, api_check, post_opt_out, page_sites, page_site, page_observation,
    page_site_diff, page_charts, file_sites_csv, file_sites_atom, file_adoption, file_versions, file_faults, api_sites,
    api_site;

#endif
