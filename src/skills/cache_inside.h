/* SPDX-License-Identifier: Apache-2.0
 *
 * How the cache is made: three places for a value of a name, looked into in this order: memory, the caller's store, the
 * folder. A value stands in one of them. Nothing in the folder is trusted, and no failure of it is one of the caller's.
 */
#ifndef SKILLS_CACHE_INSIDE_H
#define SKILLS_CACHE_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "skills/cache.h"
#include "skills/cache_record.h"
#include "sys/shelf.h"

enum { CACHE_BUCKETS = 256 };

/* A value kept in memory. */
struct cache_kept {
    struct cache_kept *next;
    char key[CACHE_KEY];
    struct spool *value;
    int64_t used;
    uint64_t turn; /* grows with each use */
};

struct cache {
    struct pap_alloc alloc;
    atomic_uint refs; /* the owner, and everything that is read or written through it */
    struct shelf shelf;
    struct pap_skill_store store; /* get NULL: none */
    uint64_t bytes, most;         /* of all; of one artifact */
    uint32_t days;
    pthread_mutex_t mutex; /* of what follows */
    struct cache_kept *buckets[CACHE_BUCKETS];
    uint64_t kept_bytes, turn;
};

/* Bytes in memory, or in a file: a nameless one, a part that waits for its name, or one of the cache. When it is in memory
 * an open file is held for others to see that it is in use. Not changed any more once two threads can have it. */
struct spool {
    struct cache *cache;
    atomic_uint refs;
    struct buf memory;
    struct shelf_file file;
    char part[SHELF_PART_NAME]; /* its name until it gets its own; "": none */
    bool named;                 /* a file is to be a part */
    bool in_file, no_file;      /* no_file: none could be made */
    uint64_t n;
};

struct cache *cache_ref(struct cache *c);
void cache_unref(struct cache *c);

/* Used just now; the disk hears of it once an hour at most. */
void cache_touch(const struct shelf_file *f, int64_t now);

/* ---- cache_spool.c ---- */

pap_result spool_make(struct cache *c, bool named, struct spool **ret, struct pap_err *err) PAP_MUST;
struct spool *spool_ref(struct spool *s);
/* Where this process has very many files open, one whose bytes are in memory is not held any longer. */
void spool_spare(struct spool *s);
/* The bytes of a file of the cache, which becomes the spool's whatever the result: in memory up to LIMIT_SPOOL. */
pap_result spool_of_file(struct cache *c, struct shelf_file f, struct spool **ret, bool *ret_read,
                         struct pap_err *err) PAP_MUST;
/* SHA-256 of all. PAP_IO: it could not be read. */
pap_result cache_file_digest(const struct pap_alloc *alloc, const struct shelf_file *f, struct digest *ret,
                             struct pap_err *err) PAP_MUST;
pap_result spool_digest(const struct spool *s, struct digest *ret, struct pap_err *err) PAP_MUST;
/* All of it in the arena. */
pap_result spool_copy(const struct spool *s, struct arena *a, struct pap_str *ret, struct pap_err *err) PAP_MUST;

/* ---- cache_memory.c ---- */

/* NULL: there is none. The caller frees it. */
struct spool *memory_get(struct cache *c, const char *key, int64_t now);
/* In the place of another; takes its own reference. What was used longest ago and is not in use goes when there is too
 * much, or when it is too old. Failure: out of memory. */
pap_result memory_put(struct cache *c, const char *key, struct spool *value, int64_t now, struct pap_err *err) PAP_MUST;
void memory_remove(struct cache *c, const char *key);
void memory_clear(struct cache *c);

/* ---- cache_value.c: small values ---- */

/* ret->p NULL: there is none of at most `most` bytes that is whole. */
pap_result value_get(struct cache *c, struct arena *a, const char *key, size_t most, int64_t now, struct pap_str *ret,
                     struct pap_err *err) PAP_MUST;
pap_result value_put(struct cache *c, const char *key, struct pap_str bytes, bool memory, int64_t now,
                     struct pap_err *err) PAP_MUST;
void value_remove(struct cache *c, const char *key);

/* ---- cache_bound.c ---- */

/* So many bytes were added to the folder: it is tidied up when it has become too much, and once a day. */
void cache_account(struct cache *c, uint64_t bytes, int64_t now);

/* A file of ours in the folder. */
struct cache_item {
    struct pap_str name; /* a NUL is behind it */
    enum cache_kind kind;
    struct shelf_file file; /* not open; zeroed for what is no file */
};

/* All of them, at most LIMIT_WALK_FILES. */
pap_result cache_collect(const struct shelf *s, struct arena *a, struct cache_item **ret, size_t *ret_n,
                         struct pap_err *err) PAP_MUST;

/* A record of the folder; false where there is none that can be used. */
bool cache_record_of(const struct shelf *s, struct arena *a, const char *name, struct cache_record *ret) PAP_MUST;

struct cache_bounds {
    uint64_t bytes;
    uint32_t days;
    bool all; /* everything that nobody holds */
    int64_t now;
};

/* Takes away what is too old, and the longest unused until no more than `bytes` are left; never what is held. And records
 * of what is not there, and parts whose writer is gone. */
pap_result cache_tidy(const struct shelf *s, const struct pap_alloc *alloc, const struct cache_bounds *b,
                      uint64_t *ret_objects, uint64_t *ret_bytes, struct pap_err *err) PAP_MUST;

#endif
