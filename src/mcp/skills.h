/* SPDX-License-Identifier: Apache-2.0
 *
 * What the MCP methods need of skills, as a list of functions: filled in by stock.c over papaver/skill.h, and by tests. They are
 * called from several threads at once. An origin is named by its label, never by a URL.
 */
#ifndef MCP_SKILLS_H
#define MCP_SKILLS_H

#include <papaver/skill.h>

#include "base/arena.h"
#include "base/result.h"

struct mcp_origin {
    struct pap_str label, place;
};

struct mcp_file {
    struct pap_str path, type, digest;
    uint64_t size;
};

/* One verified release; good until it is released. */
struct mcp_skill {
    struct pap_str label, place, name, description, version, digest;
    struct pap_str frontmatter; /* JSON */
    struct pap_str warning;
    const struct mcp_file *files; /* by path, in byte order */
    size_t n_files;
};

/* What a list says: words of a stranger that nobody has verified. */
struct mcp_hit {
    struct pap_str label, place, name, description, version;
    bool loaded;
};

struct mcp_trouble {
    struct pap_str label;
    struct pap_skill_err err;
};

struct mcp_search {
    struct mcp_hit *hits;
    size_t n_hits;
    struct mcp_trouble *troubles; /* origins whose list could not be had */
    size_t n_troubles;
};

struct mcp_skills {
    void *ctx;
    const struct mcp_origin *origins; /* by label */
    size_t n_origins;

    /* `label` empty: every origin. At most `most` hits, best first; all in the arena. */
    pap_result (*search)(void *ctx, struct arena *a, struct pap_str label, struct pap_str words, size_t most,
                         struct mcp_search *ret, struct pap_skill_err *err);
    /* Fetches and verifies where it is not loaded yet. The label is one of the origins'; `range` p NULL: the one that
     * is loaded, if one is; empty: the one that is current now. */
    pap_result (*hold)(void *ctx, struct pap_str label, struct pap_str name, struct pap_str range,
                       const struct mcp_skill **ret, struct pap_skill_err *err);
    void (*release)(void *ctx, const struct mcp_skill *skill);
    /* One file, exactly; `path` p NULL with `wrap`: the instructions, labelled for a model, or a file so. In the arena. */
    pap_result (*read)(void *ctx, const struct mcp_skill *skill, struct arena *a, struct pap_str path, bool wrap,
                       struct pap_str *ret, struct pap_skill_err *err);
    /* All that are loaded, by label and name, each held. */
    pap_result (*loaded)(void *ctx, struct arena *a, const struct mcp_skill ***ret, size_t *ret_n,
                         struct pap_skill_err *err);
};

#endif
