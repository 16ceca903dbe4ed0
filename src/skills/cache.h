/* SPDX-License-Identifier: Apache-2.0
 *
 * What the client keeps: documents with what a conditional request needs, and artifacts. On disk (a folder that many
 * processes share), in a store of the caller's own, or in memory only (remote-skills 9, decision 23).
 *
 * An artifact is kept as it came, one file by digest and format, and is hashed again whenever it is got; archives are
 * unpacked again from the bytes so verified, for nothing else could be compared with the digest of the list. A record for
 * each (origin, URL, scope) names the digest that this URL delivered: without it the same bytes serve nobody else.
 *
 * Nothing here fails because a disk is full or a folder is read-only: then it is kept in memory, or not found. What is
 * found is treated as if a stranger had put it there. Thread-safe; one object belongs to one thread at a time.
 */
#ifndef SKILLS_CACHE_H
#define SKILLS_CACHE_H

#include <papaver/skill.h>

#include "base/arena.h"
#include "crypto/digest.h"
#include "pack/pack.h"

struct pack_source;
struct cache;

struct cache_options {
    const struct pap_alloc *alloc;       /* NULL: libc; copied */
    const char *folder;                  /* made when missing; NULL: none */
    const struct pap_skill_store *store; /* the caller's own, instead of a folder; NULL: none; copied */
    uint64_t bytes;                      /* 0: LIMIT_CACHE */
    uint32_t days;                       /* 0: LIMIT_CACHE_DAYS */
    uint64_t most;                       /* a larger artifact is not found; 0: LIMIT_ARTIFACT */
};

/* PAP_USAGE: others may write into the folder, or it is none; a folder that cannot be made is done without. */
pap_result cache_open(const struct cache_options *o, struct cache **ret, struct pap_err *err) PAP_MUST;
/* Objects and spools stay good. Accepts NULL. */
void cache_free(struct cache *c);

/* ---- Documents: indexes, and what leads to them ---- */

struct cache_document {
    struct pap_str url; /* the final one, after redirects: what relative URLs resolve against */
    struct pap_str etag,
        last_modified;   /* p NULL: none. Without the values of configured headers, the caller sees to it */
    int64_t validated;   /* Unix seconds */
    struct pap_str body; /* empty: the answer was that there is none */
};

/* By the URL asked for, and the confirmed scope (empty: none). *ret lives in the arena; no time in it is after `now`. Failure:
 * memory, libcrypto. */
pap_result cache_document_get(struct cache *c, struct arena *a, struct pap_str url, struct pap_str scope, int64_t now,
                              struct cache_document *ret, bool *ret_found, struct pap_err *err) PAP_MUST;
/* In the place of what was there. `memory`: not on disk, for the scope was not confirmed or credentials went with the request
 * (R-HTTP-6); so it is too when a URL in it may open something. What says no-store is not given here at all. Failure: memory,
 * libcrypto. */
pap_result cache_document_put(struct cache *c, struct pap_str url, struct pap_str scope, bool memory, int64_t now,
                              const struct cache_document *d, struct pap_err *err) PAP_MUST;
void cache_document_delete(struct cache *c, struct pap_str url, struct pap_str scope);

/* ---- Spool: bytes that arrive in pieces and are read later, in memory up to LIMIT_SPOOL, else in a file without a name ---- */

struct spool;

pap_result spool_new(struct cache *c, struct spool **ret, struct pap_err *err) PAP_MUST;
pap_result spool_add(struct spool *s, struct pap_str piece, struct pap_err *err) PAP_MUST;
uint64_t spool_size(const struct spool *s);
/* `n` bytes from `off` on into `p`. */
pap_result spool_read(const struct spool *s, uint64_t off, char *p, size_t n, struct pap_err *err) PAP_MUST;
/* Accepts NULL. */
void spool_free(struct spool *s);

/* ---- Objects: artifacts ---- */

/* Who gets the artifact, from where. */
struct cache_place {
    struct pap_str origin; /* URL of the list as asked for, or whatever stands for the origin */
    struct pap_str url;    /* of the artifact */
    struct pap_str scope;  /* confirmed; empty: none */
    bool memory;           /* as with documents */
};

struct cache_object;

enum cache_state {
    CACHE_MISS,
    CACHE_FOUND,
    CACHE_CORRUPT /* what was there was not what the digest says, and is taken away */
};

/* The artifact that this place once delivered: `digest` is "sha256:..." of the list, `archive` its type. Hashed again, then
 * held: no process takes it out of the cache until cache_object_free(). Failure: memory, libcrypto. */
pap_result cache_object_get(struct cache *c, const struct cache_place *place, struct pap_str digest, bool archive,
                            int64_t now, struct cache_object **ret, enum cache_state *ret_state,
                            struct pap_err *err) PAP_MUST;

/* One that arrives: new, add ..., seal; then it can be read, and kept once it has been verified. Freed without being kept
 * it leaves nothing. */
pap_result cache_object_new(struct cache *c, struct cache_object **ret, struct pap_err *err) PAP_MUST;
pap_result cache_object_add(struct cache_object *o, struct pap_str piece, struct pap_err *err) PAP_MUST;
pap_result cache_object_seal(struct cache_object *o, struct pap_err *err) PAP_MUST;
/* All of that at once; *ret is to be freed on failure, too. */
pap_result cache_object_of(struct cache *c, struct pap_str bytes, struct cache_object **ret,
                           struct pap_err *err) PAP_MUST;
/* For this place from now on, here and in other processes; `format` PACK_UNKNOWN: a SKILL.md by itself. Held like one that
 * was got. Failure: out of memory only. */
pap_result cache_object_keep(struct cache *c, struct cache_object *o, const struct cache_place *place,
                             enum pack_format format, int64_t now, struct pap_err *err) PAP_MUST;

/* Of a sealed one. */
const char *cache_object_digest(const struct cache_object *o); /* "sha256:..." */
enum pack_format cache_object_format(const struct cache_object *o);
uint64_t cache_object_size(const struct cache_object *o);
/* Its bytes: whole where they are in memory (up to LIMIT_SPOOL), else in pieces. Good until the object is freed. */
void cache_object_source(struct cache_object *o, struct pack_source *ret);
/* Accepts NULL. */
void cache_object_free(struct cache_object *o);

#endif
