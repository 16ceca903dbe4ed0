/* SPDX-License-Identifier: Apache-2.0
 *
 * struct mcp_skills over papaver/skill.h: the origins' lists as they were a minute ago at most, and the skills that are loaded.
 *
 * Listed are those that were here already: in the cache or in a folder, which are looked for without any request when somebody
 * first asks for a list; and those that were named, which are fetched from the start on.
 */
#ifndef MCP_STOCK_H
#define MCP_STOCK_H

#include "mcp/mcp.h"

struct stock;

struct stock_options {
    const struct pap_skill_options *skills; /* copied; its strings are borrowed */
    const struct pap_skill_origin *origins; /* each with a label of its own */
    size_t n_origins;
    const char *const *load; /* "label/name" or "label/name@range"; ends with NULL */
    const struct clock *clock;
    /* What could not be loaded; NULL: nobody asks. */
    void (*trouble)(void *ctx, const char *what, const struct pap_skill_err *err);
    void *ctx;
};

pap_result stock_new(const struct stock_options *o, struct stock **ret, struct pap_err *err) PAP_MUST;
struct mcp_skills stock_skills(struct stock *s);
/* Whom to tell of progress and changes. */
void stock_serves(struct stock *s, struct mcp *m);
/* Begins to load what was named, on a thread of its own: a client that opens need not wait, a list does. After
 * stock_serves(). */
pap_result stock_load(struct stock *s, struct pap_err *err) PAP_MUST;
/* Waits for that; after mcp_stop(), by which it is given up. */
void stock_load_end(struct stock *s);
/* When nothing of it is held any more. Accepts NULL. */
void stock_free(struct stock *s);

#endif
