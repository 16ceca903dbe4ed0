/* SPDX-License-Identifier: Apache-2.0
 *
 * The crawl: fetches what a company publishes, in the order in which one document names the next, and puts each into the
 * bundle, read. It records and never judges. One crawl per target; many crawls share a transport.
 */
#ifndef DISCOVER_CRAWL_H
#define DISCOVER_CRAWL_H

#include "net/transport.h"
#include "proto/document.h"

struct crawl_options {
    unsigned kinds;           /* OF() of the document kinds that are wanted; what leads to them is fetched too */
    bool twin;                /* also fetch poppy.json of the other of apex and www. */
    bool heads;               /* also HEAD the index and one artifact (Discovery H-4) */
    bool mcp;                 /* send initialize to MCP endpoints */
    bool artifacts;           /* fetch what index entries name */
    bool http;                /* a domain: by plain http, on this machine */
    bool first_only;          /* a domain: poppy.json, then the skill index, and nothing else where neither is one */
    const struct version *as; /* --as, or NULL */
};

struct crawl;

/* Called when nothing is left to fetch. */
typedef void crawl_done(void *ctx, struct crawl *c);

/* Starts the crawl of a company's domain ("shop.example", "shop.example:8443"). Everything lives in `a`; `bundle` is
 * filled until `done`. */
pap_result crawl_domain(struct arena *a, struct transport *t, struct budget *budget, const struct crawl_options *o,
                        struct pap_str domain, struct bundle *bundle, crawl_done *done, void *ctx,
                        struct crawl **ret) PAP_MUST;

/* Starts at one https URL; its kind is `kind`, or by place and content when KIND_NONE. Goes on from there as the kind says
 * (a client metadata document to its keys, an index to its artifacts ...). */
pap_result crawl_url(struct arena *a, struct transport *t, struct budget *budget, const struct crawl_options *o,
                     struct pap_str url, enum kind kind, struct bundle *bundle, crawl_done *done, void *ctx,
                     struct crawl **ret) PAP_MUST;

/* Starts from documents that are in the bundle already (files, with --online): fetches what they name. */
pap_result crawl_documents(struct arena *a, struct transport *t, struct budget *budget, const struct crawl_options *o,
                           struct bundle *bundle, crawl_done *done, void *ctx, struct crawl **ret) PAP_MUST;

/* Out of memory during the crawl; known when `done` is called. */
bool crawl_failed(const struct crawl *c);

#endif
