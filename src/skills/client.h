/* SPDX-License-Identifier: Apache-2.0
 *
 * The client: options made ready, the cache, transports that wait for the next call, and what makes a list fresh. Shared by
 * sessions and skills, which hold it. Thread-safe; a transport belongs to one thread at a time.
 */
#ifndef SKILLS_CLIENT_H
#define SKILLS_CLIENT_H

#include <pthread.h>

#include "net/client.h"
#include "skills/cache.h"
#include "skills/fault.h"
#include "skills/fresh.h"
#include "sys/clock.h"

enum { TRANSPORTS = 8, TRANSPORT_MS = 60 * 1000, CLOSED_MOST = 1000 };

struct pap_skill_client {
    struct pap_alloc own_alloc;    /* a copy: the options may be gone */
    const struct pap_alloc *alloc; /* NULL: libc */
    struct arena arena;            /* of the options' strings */
    struct pap_skill_options o;    /* with the defaults in place of 0 */
    struct client_options net;
    struct clock clock;                                   /* monotonic milliseconds: pauses between attempts */
    void (*nap)(struct pap_skill_client *c, uint32_t ms); /* tests let time pass here */
    uint32_t (*chance)(void);
    struct cache *cache;
    pthread_mutex_t lock; /* for what follows */
    unsigned holders;
    struct {
        struct transport *t; /* NULL: the place is free */
        int64_t made_ms;     /* addresses found are kept as long as the transport, which is not for ever */
        bool taken;
    } transports[TRANSPORTS];
    struct fresh_table fresh;
    struct pap_skill_session *closed, *last_closed; /* shells of sessions, which say session_closed */
    size_t n_closed;
};

void client_hold(struct pap_skill_client *c);
void client_drop(struct pap_skill_client *c);

/* Unix milliseconds. */
int64_t client_now(const struct pap_skill_client *c);

/* A transport for one call of one thread, and back again; one with requests under way, or that failed, is freed. */
pap_result client_take(struct pap_skill_client *c, struct transport **ret, struct pap_skill_err *err) PAP_MUST;
void client_give(struct pap_skill_client *c, struct transport *t, pap_result how);

/* Tells the caller where we are; PAP_CANCELLED, with its code, when that says stop. */
pap_result client_progress(struct pap_skill_client *c, enum pap_skill_phase phase, uint64_t done, uint64_t total,
                           struct pap_skill_err *err) PAP_MUST;

/* The transport over the caller's fetch hook (hook.c). */
pap_result hook_new(struct pap_skill_client *c, struct transport **ret, struct pap_err *err) PAP_MUST;

#endif
