/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the stock share: lists and skills, each with a count of who holds it.
 */
#ifndef MCP_STOCK_INSIDE_H
#define MCP_STOCK_INSIDE_H

#include <pthread.h>

#include "mcp/stock.h"

enum { LIST_MS = 60 * 1000 }; /* so old a list may be before it is asked for again */

/* A session, and who needs it: its origin, and the skills that came out of it. */
struct list {
    struct pap_skill_session *session;
    unsigned holders;
    int64_t opened; /* monotonic milliseconds */
};

struct entry {
    struct mcp_skill skill; /* first */
    struct pap_skill *verified;
    struct list *list;
    unsigned holders; /* the stock is one */
    uint64_t used;
    struct arena arena;
};

struct place {
    struct pap_skill_origin origin;
    struct list *list; /* NULL: never asked */
};

/* A struct, because the caller's callbacks want their own ctx. */
struct stock {
    struct stock_options o;
    struct pap_skill_options skills, theirs;
    struct pap_skill_client *client;
    struct mcp *mcp; /* set once, before anything is asked */
    struct arena arena;
    struct place *places;
    struct mcp_origin *origins;
    pthread_mutex_t lock; /* of all below, and of all holders */
    struct entry *entries[LIMIT_MCP_LOADED];
    size_t n_entries;
    uint64_t uses;
    pthread_mutex_t survey; /* one at a time */
    bool surveyed;
    int64_t loaded; /* when what was named was tried to be loaded; 0: never */
    bool all_loaded;
    pthread_t loader; /* once it was begun */
    bool loads;
};

static inline const struct pap_alloc *alloc_of(const struct stock *s)
{
    return s->skills.alloc;
}

pap_result stock_no_memory(struct pap_skill_err *err);

/* ---- stock_held.c ---- */

/* A session as a list with one holder. NULL when out of memory, and then it is closed. */
struct list *list_new(struct stock *s, struct pap_skill_session *session) PAP_MUST;
/* Accepts NULL. */
void list_drop(struct stock *s, struct list *l);
/* The list at hand, held, when it is young enough. */
struct list *list_young(struct stock *s, const struct place *p);
/* A new list takes the place of the one before; held once more, for whoever asked. */
void list_put(struct stock *s, struct place *p, struct list *l);

/* Takes the verified skill, and holds the list; NULL when out of memory, and then the skill is freed. */
struct entry *entry_new(struct stock *s, struct pap_skill *verified, struct list *l) PAP_MUST;
/* Accepts NULL. */
void entry_drop(struct stock *s, struct entry *e);
/* The one of that name, held; NULL when there is none. */
struct entry *entry_find(struct stock *s, struct pap_str label, struct pap_str name);
bool entry_is_there(struct stock *s, struct pap_str label, struct pap_str name);
/* Puts it into the stock, in the place of another release; with no room it is only the caller's. */
void entry_put(struct stock *s, struct entry *e);

/* ---- stock.c ---- */

/* `ret_new`: others are loaded now than before. */
pap_result stock_hold(struct stock *s, struct pap_str label, struct pap_str name, struct pap_str range,
                      struct entry **ret, bool *ret_new, struct pap_skill_err *err) PAP_MUST;

/* ---- stock_here.c, stock_search.c: functions of struct mcp_skills ---- */

pap_result stock_loaded(void *ctx, struct arena *a, const struct mcp_skill ***ret, size_t *ret_n,
                        struct pap_skill_err *err) PAP_MUST;
pap_result stock_search(void *ctx, struct arena *a, struct pap_str label, struct pap_str words, size_t most,
                        struct mcp_search *ret, struct pap_skill_err *err) PAP_MUST;

#endif
