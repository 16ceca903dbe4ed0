/* SPDX-License-Identifier: Apache-2.0
 *
 * A generation: a published tree as it was at one moment, read whole into memory, judged, and never changed. A request is
 * answered from one generation only; a new one takes its place in one step, and those who still read the old one keep it.
 * Files are found in a table, so no path of a request ever reaches the file system.
 */
#ifndef HOST_GENERATION_H
#define HOST_GENERATION_H

#include <papaver/check.h>

#include "base/message.h"
#include "base/result.h"
#include "host/condition.h"

/* The header fields of an answer, made once. Which answer sends which: */
enum {
    FIELD_CONTENT_DIGEST, /* of a 200 to GET alone: the digest of what is sent (RFC 9530 section 2) */
    FIELD_CONTENT_TYPE,   /* from here on: HEAD and 206, whose type may be another one */
    FIELD_DESCRIBING,     /* from here on: 206 in several parts */
    FIELDS_MOST = 16
};

/* Bytes as they are sent, with what says so. */
struct representation {
    struct pap_str bytes; /* p NULL: there is none of this kind */
    struct validator validator;
    struct header fields[FIELDS_MOST];
    size_t n_fields;
    size_t not_modified; /* fields from here on go with 304 (RFC 9110 section 15.4.5) */
};

struct host_file {
    struct pap_str path; /* "/.well-known/poppy.json", no percent-encoding */
    struct representation plain, gzip;
    bool closed; /* only for who may see one of `scopes` */
    uint64_t scopes;
    int64_t until; /* 0: it is of this tree; else of one before, and kept until then (Unix seconds) */
};

struct access;
struct generation;

struct generation_options {
    const struct pap_alloc *alloc;
    uint32_t max_age;                                        /* seconds, of what may change */
    int64_t now;                                             /* Unix seconds */
    const char *domain;                                      /* that the tree is for; NULL: not known */
    const char *const *aliases;                              /* its other names, ended by NULL; may be NULL */
    const struct access *access;                             /* its scopes, which outlive it; NULL: none */
    const struct generation *before;                         /* whose artifacts are kept for a day; NULL: none */
    void (*finding)(void *ctx, const struct pap_finding *f); /* what the rows say of the tree. May be NULL */
    void *ctx;
};

/* Reads the `.well-known` folder below `folder`. A tree that has an error by the rows of `papaver check`, that names a file
 * which is not there, has a link that leads out of it, or is too large, is refused with PAP_SYNTAX, PAP_IO or PAP_LIMIT. */
pap_result generation_load(const char *folder, const struct generation_options *o, struct generation **ret,
                           struct pap_err *err) PAP_MUST;

struct generation *generation_keep(struct generation *g);
void generation_drop(struct generation *g); /* may be NULL; the last one frees it */

/* The file at the path of a request, percent-encoding undone; NULL when there is none. */
const struct host_file *generation_find(const struct generation *g, struct pap_str path);
size_t generation_count(const struct generation *g);
const struct host_file *generation_at(const struct generation *g, size_t i);
/* Skills of the well-known index, or else of poppy.json. */
size_t generation_skills(const struct generation *g);
/* What the one before has and a change made on purpose hardly takes, with its verb: a list, or every skill. NULL: nothing. */
const char *generation_lost(const struct generation *g, const struct generation *before);
/* Whether every file is the same, path and bytes, in every view. */
bool generation_same(const struct generation *a, const struct generation *b);

#endif
