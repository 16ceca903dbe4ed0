/* SPDX-License-Identifier: Apache-2.0
 *
 * The sites of a server: each a domain with a tree, scopes, generations and a watch of its own; and which of them a request
 * is for. A program that names none has one, which answers to every name.
 */
#ifndef APP_SITES_H
#define APP_SITES_H

#include <stdatomic.h>

#include "app/asker.h"
#include "app/source.h"
#include "host/answer.h"
#include "sys/watch.h"

struct site {
    const struct pap_serve_site *o;
    struct source source;
    struct access *access; /* NULL: it has no scopes */
    struct asked asked;
    struct host host; /* good when `runs` */
    bool runs;
    struct watch watch;
    atomic_uint_fast64_t reloads, refusals; /* trees taken, trees refused */
    _Atomic int64_t loaded;                 /* when the tree was taken, Unix seconds */
    atomic_bool stale;                      /* the tree on disk was refused */
};

struct site_name {
    struct pap_str name; /* in lower case */
    struct site *site;
};

struct sites {
    struct arena arena;
    struct pap_serve_site only; /* the one of a program that names none */
    struct site *at;
    size_t n;
    struct site_name *names; /* sorted; none: every name is answered */
    size_t n_names;
    struct site *fallback; /* for names that are nobody's; NULL: 421 */
};

/* Reads what the options say; `asker` decides where a site has somebody to ask. Then sites_close() has to follow, after a
 * failure too. PAP_USAGE says what is wrong. */
pap_result sites_open(struct sites *s, const struct pap_serve_options *o, struct asker *asker,
                      struct pap_err *err) PAP_MUST;
/* Watches and loads each tree; the failure names the site. */
pap_result sites_load(struct sites *s, const struct pap_serve_options *o, struct pap_err *err) PAP_MUST;
void sites_close(struct sites *s);

/* As `named` of a request (net/talk.h): the site, or something that is none. */
const void *sites_named(const struct sites *s, struct pap_str name);
/* The site that answers; NULL: none, or not the one that TLS was asked for. */
struct site *sites_choose(const struct sites *s, const struct http_request *q);

/* Whether somebody has to be asked at all. */
bool sites_ask(const struct pap_serve_options *o);

#endif
