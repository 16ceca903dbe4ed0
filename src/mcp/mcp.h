/* SPDX-License-Identifier: Apache-2.0
 *
 * The MCP server without a transport: a message in, what answers it out. Revisions 2025-06-18 and 2025-11-25 (a client opens
 * with `initialize`: the legacy era) and 2026-07-28 (every request says its revision: the modern one) side by side; nothing
 * that one client said changes what another is answered.
 */
#ifndef MCP_MCP_H
#define MCP_MCP_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "mcp/message.h"
#include "mcp/skills.h"
#include "sys/clock.h"

struct mcp;

enum mcp_era { MCP_LEGACY = 1, MCP_MODERN = 2, MCP_BOTH = 3 };

/* Where what answers messages goes. A transport has one for each HTTP request, or one for the whole of stdio; the functions are
 * called from any thread, finish() last. */
struct mcp_sink {
    /* A notification that belongs to a request: before its answer, or for as long as it stays open. False: nobody reads. */
    bool (*event)(struct mcp_sink *sink, struct pap_str json);
    /* The answer; empty when there is none. `status` is that of HTTP. A sink of one request ends here. */
    void (*finish)(struct mcp_sink *sink, int status, struct pap_str json);
    bool (*is_gone)(struct mcp_sink *sink);
    /* `initialize` was answered: the client belongs to the legacy era. */
    void (*opened)(struct mcp_sink *sink);
    uint64_t client; /* whose ids these are, for cancellation; 0: nobody's */
    bool cancels;    /* a client that goes wants its modern requests cancelled */
    bool quiet;      /* event() would keep the answer from having a status of its own, and is not wanted */
};

/* What HTTP says about a message beside its body; NULL for stdio. p is NULL where a field is missing. */
struct mcp_fields {
    struct pap_str version, method, name;
};

struct mcp_options {
    const struct pap_alloc *alloc;
    struct mcp_skills skills;
    unsigned threads; /* for methods that wait for others; 0: the caller's own (for tests) */
    const struct clock *clock;
};

pap_result mcp_new(const struct mcp_options *o, struct mcp **ret, struct pap_err *err) PAP_MUST;
/* Waits for requests under way, at most `ms`, then cancels them; ends what listens. Then no sink is known any more. */
void mcp_stop(struct mcp *m, unsigned ms);
/* After mcp_stop(). */
void mcp_free(struct mcp *m);

/* One message. `text` is copied. */
void mcp_take(struct mcp *m, struct mcp_sink *sink, const struct mcp_fields *fields, struct pap_str text);

/* Anything else than a message: an answer with an error and no id. */
void mcp_refuse(struct mcp_sink *sink, int status, enum mcp_error error, const char *why);

/* Told to those who listen: other skills are loaded now. */
void mcp_changed(struct mcp *m);
/* A legacy client that hears of it on this sink, until it is gone or mcp_forget(). False: no room, or no memory. */
bool mcp_listen(struct mcp *m, struct mcp_sink *sink) PAP_MUST;
/* Ends what the client (of that number) listens to; finish() is called. */
void mcp_forget(struct mcp *m, uint64_t client);
/* Drops those who are gone, and says something to the others so that it shows. */
void mcp_heartbeat(struct mcp *m, void (*beat)(struct mcp_sink *sink));

/* For the functions of struct mcp_skills, on the thread that they were called on: how far the work is. False: stop. */
bool mcp_progress(struct mcp *m, enum pap_skill_phase phase, uint64_t done, uint64_t total);

/* "2025-06-18" ...; a legacy revision, or the modern one. */
bool mcp_version_is(struct pap_str version, enum mcp_era era);

#endif
