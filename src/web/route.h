/* SPDX-License-Identifier: Apache-2.0
 *
 * Every address of the site, as rows (route.c), and the files that are part of the program.
 */
#ifndef WEB_ROUTE_H
#define WEB_ROUTE_H

#include <stdbool.h>

struct asked;
typedef void route_fn(struct asked *k);

/* How a route says that something went wrong, and what its answers are. */
enum route_kind { ROUTE_PAGE, ROUTE_API, ROUTE_FILE };

struct route {
    const char *method;  /* "GET" (HEAD, too) or "POST" */
    const char *pattern; /* "/check/" with a star for a part of the path between two slashes, or its beginning */
    route_fn *fn;
    enum route_kind kind;
    bool costs;       /* a visitor may do it so often */
    const char *what; /* for people, and for the list of the API */
};
extern const struct route routes[]; /* ended by one without a pattern */

/* What tools/embed put into the program. */
extern const char site_style[], site_style_hash[], site_script[], site_script_hash[], site_openapi[],
    site_openapi_hash[];

#endif
