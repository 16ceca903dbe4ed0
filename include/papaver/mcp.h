/* SPDX-License-Identifier: Apache-2.0
 *
 * `papaver mcp` as a library: an MCP server that finds, verifies and hands over the skills of configured origins, on standard
 * input and output or over HTTP on this machine.
 *
 * Source: Model Context Protocol 2025-06-18, 2025-11-25, 2026-07-28 and its extension io.modelcontextprotocol/skills.
 */
#ifndef PAPAVER_MCP_H
#define PAPAVER_MCP_H

#include <papaver/skill.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pap_mcp_what {
    PAP_MCP_LISTENING = 1, /* text: the URL of the endpoint */
    PAP_MCP_TOKEN,         /* text: the token that was made; only here is it ever told */
    PAP_MCP_NOT_LOADED,    /* a skill that was to be loaded could not be; text says which and why */
    PAP_MCP_STOPPING
};

/* Everything but the origins is optional. Strings are NUL-terminated and borrowed for the length of the run; lists end with
 * NULL. */
struct pap_mcp_options {
    /* Of the client; its `alloc` is that of the whole server, called from several threads at once. A skill of more than 512 files
     * or 16 MiB is never loaded, whatever this allows, for no MCP host has to take it. NULL: the defaults. */
    const struct pap_skill_options *skills;
    /* Each with a label of its own: [a-z][a-z0-9._-]{0,62}. What a model asks for names a label, never a place. */
    const struct pap_skill_origin *origins;
    size_t n_origins;
    const char *const *load; /* "label/name" or "label/name@range": fetched at the start, and listed from then on */
    unsigned threads;        /* requests at once that wait for others; 0: 4 */

    int in, out; /* descriptors, one message a line; both 0: standard input and output */

    /* Or HTTP, at http://ADDRESS:PORT/mcp. Other machines than this one are served with a certificate only. */
    const char *listen;               /* "127.0.0.1:7420", "[::1]:0" (any free port); NULL: the descriptors */
    const char *token;                /* every request has to bring it (Authorization: Bearer); NULL: one is made */
    bool no_token;                    /* nobody is asked for one; for this machine only */
    const char *const *hosts;         /* what Host may say besides the address and the names of this machine */
    const char *const *allow_origins; /* pages that may ask, such as "https://app.example"; none otherwise */
    const char *tls_cert, *tls_key;   /* PEM files */
    int control;                      /* a descriptor: 's', or its end, stops */

    void (*event)(void *ctx, enum pap_mcp_what what, const char *text); /* from several threads at once */
    void *ctx;
};

/* Whether all this makes sense, labels and places first, without asking anybody: PAP_USAGE and a sentence where it does not.
 * pap_mcp() judges the same before anything else. */
PAP_PUBLIC pap_result pap_mcp_check(const struct pap_mcp_options *options, struct pap_err *err) PAP_MUST;

/* Serves until the client closes its side, or until it is told to stop. A program that serves over HTTP ignores SIGPIPE. */
PAP_PUBLIC pap_result pap_mcp(const struct pap_mcp_options *options, struct pap_err *err) PAP_MUST;

#ifdef __cplusplus
}
#endif

#endif
