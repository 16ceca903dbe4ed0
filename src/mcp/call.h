/* SPDX-License-Identifier: Apache-2.0
 *
 * One request under way, and the table of methods. A method writes the members of its result, or refuses; what every result
 * of an era has is added around it.
 *
 * To add a method: a function and a row in methods.c.
 */
#ifndef MCP_CALL_H
#define MCP_CALL_H

#include <pthread.h>
#include <stdatomic.h>

#include "mcp/mcp.h"
#include "text/json_write.h"

struct mcp_call {
    struct mcp *mcp;
    struct mcp_sink *sink;
    struct mcp_call *next; /* in the queue, among those that run, or among those that listen */
    const struct mcp_method *method;
    struct arena arena;
    struct pap_str text;
    struct mcp_message m;
    enum mcp_era era;
    uint64_t client; /* the sink's; the sink ends before the call does */
    struct buf out;
    struct json_writer w;
    enum mcp_error error; /* 0: none */
    struct pap_str why, data /* JSON; may be empty */;
    bool stays;              /* it is not answered now: it listens */
    bool prompts, resources; /* what it listens for */
    pthread_t thread;
    _Atomic bool cancelled;
    const struct json *token; /* of progress; NULL: not wanted */
    uint64_t steps;
    int64_t told;
    enum pap_skill_phase phase;
};

typedef void mcp_method_fn(struct mcp_call *c);

struct mcp_method {
    const char *name;
    unsigned eras;
    mcp_method_fn *run;
    bool waits;           /* for others, or for the disk: on a thread of the pool */
    bool cacheable;       /* its modern result has ttlMs and cacheScope ... */
    uint32_t ttl_ms;      /* ... so */
    const char *named_by; /* the member of the params that Mcp-Name repeats, or NULL */
};

/* NULL: there is none in that era. */
const struct mcp_method *mcp_method_find(struct pap_str name, enum mcp_era era);

/* ---- what methods use ---- */

const struct mcp_skills *call_skills(const struct mcp_call *c);
bool call_has_origin(const struct mcp_call *c, struct pap_str label);
/* The request is answered with an error; the first one counts. */
void call_fail(struct mcp_call *c, enum mcp_error error, const char *fmt, ...) PAP_PRINTF(3, 4);
void call_no_memory(struct mcp_call *c);
/* No such resource: the code of the era, with data.uri. */
void call_no_resource(struct mcp_call *c, struct pap_str uri);
/* A failure to have a skill in words for a model: our own first, then those of `err` as a remark (decision 25). `label` empty: of no one origin. p NULL when out of memory. */
struct pap_str call_refusal(struct mcp_call *c, struct pap_str label, const struct pap_skill_err *err);
/* The same, as an error. */
void call_fail_skill(struct mcp_call *c, struct pap_str label, pap_result r, const struct pap_skill_err *err);
/* A member of the params that is a string; empty and the call refused when it is none. */
struct pap_str call_text(struct mcp_call *c, const char *name);

/* A page of a list: the items go on behind the one whose key is the cursor. `n` keys; *ret_from. False: refused. */
bool call_page(struct mcp_call *c, const struct pap_str *keys, size_t n, size_t *ret_from);
void call_next_page(struct mcp_call *c, struct pap_str last_key);
/* A list of one page takes no cursor. */
bool call_one_page(struct mcp_call *c);
enum { PAGE_ITEMS = 100, PAGE_BYTES = 256 * 1024 };

/* A string without what must not reach a model unseen: control, bidirectional and zero-width characters; at most `most`
 * characters (decision 25). Line ends become blanks. p NULL when out of memory. */
struct pap_str call_plain(struct mcp_call *c, struct pap_str s, size_t most);
/* A path as it is shown: the same characters written out, so that it can be asked for. p NULL when out of memory. */
struct pap_str call_path(struct mcp_call *c, struct pap_str path);
/* papaver's own sentence about a skill, which may repeat the publisher's words: as a quote, with a word about it before. p NULL
 * when out of memory. */
struct pap_str call_remark(struct mcp_call *c, struct pap_str text);

static inline void write_member(struct json_writer *w, const char *key, struct pap_str value)
{
    json_write_key(w, key);
    json_write_str(w, value);
}

/* ---- URIs: skill://LABEL/NAME/PATH ---- */

struct skill_uri {
    struct pap_str label, name, path; /* path decoded; empty: the root */
};
/* False: it is no URI of ours (nor could be one). */
bool skill_uri_parse(struct arena *a, struct pap_str text, struct skill_uri *ret);
struct pap_str skill_uri_text(struct arena *a, const struct mcp_skill *s, struct pap_str path);
/* It as the member "uri"; the call is refused without memory. */
void call_write_uri(struct mcp_call *c, struct json_writer *w, const struct mcp_skill *s, struct pap_str path);
/* {"type": "text", "text": TEXT} */
void call_write_text(struct json_writer *w, struct pap_str text);

/* The skill that a URI names (`current`: as its origin lists it now), held; NULL and the call refused otherwise. */
const struct mcp_skill *call_hold(struct mcp_call *c, struct pap_str uri, bool current, struct skill_uri *ret);
void call_release(struct mcp_call *c, const struct mcp_skill *s);
/* All loaded ones, held, and their keys ("label/name"). False: refused. */
struct shown {
    const struct mcp_skill **skills;
    struct pap_str *keys;
    size_t n;
};
bool call_loaded(struct mcp_call *c, struct shown *ret);
void call_release_all(struct mcp_call *c, const struct shown *s);
const struct mcp_file *skill_file_find(const struct mcp_skill *s, struct pap_str path);
/* By the path as it is shown. */
const struct mcp_file *call_file(struct mcp_call *c, const struct mcp_skill *s, struct pap_str shown);

mcp_method_fn method_discover, method_initialize, method_ping, method_subscribe;   /* opening.c */
mcp_method_fn method_tools_list, method_tools_call;                                /* tools.c */
mcp_method_fn method_prompts_list, method_prompts_get;                             /* prompts.c */
mcp_method_fn method_resources_list, method_templates_list, method_resources_read; /* resources.c */
mcp_method_fn method_skills_list, method_skills_get, method_directory_read;        /* extension.c */

#endif
