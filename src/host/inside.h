/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside src/host: a generation while it is made.
 */
#ifndef HOST_INSIDE_H
#define HOST_INSIDE_H

#include <stdatomic.h>

#include "base/buf.h"
#include "crypto/digest.h"
#include "host/access.h"
#include "host/generation.h"
#include "text/json.h"
#include "text/uri.h"

struct generation {
    struct arena arena; /* of everything, this struct too */
    atomic_size_t readers;
    struct host_file *files; /* sorted by path */
    size_t n_files, cap_files, n_skills;
    uint64_t bytes;
    const struct access *access; /* NULL: everything is for everybody */
    struct host_file *views;     /* the index of each scope */
};

#define PATH_INDEX "/.well-known/agent-skills/index.json"
#define PATH_LEGACY "/.well-known/skills/index.json"
#define PATH_POPPY "/.well-known/poppy.json"

/* media.c: the media type of a file by its path, a row of a table. */
const char *media_of(struct pap_str path);

/* fields.c: makes a representation of bytes. */
struct representing {
    struct pap_str path, bytes;
    const char *media, *coding, *policy; /* coding: Content-Encoding, policy: Content-Security-Policy; or NULL */
    const char *vary;                    /* what else decides which one it is; or NULL */
    struct pap_str scope;                /* confirmed in it; p NULL: of no scope */
    bool closed;                         /* a credential decides who gets it: nobody may keep it */
    int64_t modified;                    /* or MODIFIED_NEVER: the bytes depend on more than a file */
};
pap_result represent(struct arena *a, const struct generation_options *o, const struct representing *as,
                     struct representation *ret, struct pap_err *err) PAP_MUST;
/* A name that holds the digest of its own bytes can never mean others. */
bool is_addressed_by_content(struct pap_str path, struct pap_str digest_hex);
/* generation.c: the same in gzip. */
pap_result represent_gzip(struct arena *a, const struct generation_options *o, const struct representing *plain,
                          struct representation *ret, struct pap_err *err) PAP_MUST;

/* The documents of a tree that list skills, read; NULL where there is none. */
struct judged {
    const struct json *index, *poppy, *legacy;
};

/* judge.c: the rows over all documents of the tree. *ret is in `scratch`. */
pap_result generation_judge(struct generation *g, struct arena *scratch, const char *folder,
                            const struct generation_options *o, struct judged *ret, struct pap_err *err) PAP_MUST;

/* The file with the path of an entry's url; NULL when there is none. *ret (may be NULL): the address, as from the index of a
 * site "site.invalid"; left alone where the url is none. */
const struct host_file *entry_file(const struct generation *g, struct arena *scratch, struct pap_str url,
                                   struct uri *ret);

/* view.c: makes the views of a tree that has scopes, and closes what is of hidden skills. */
pap_result generation_view(struct generation *g, struct arena *scratch, const struct generation_options *o,
                           const struct judged *docs, struct pap_err *err) PAP_MUST;

/* scoped.c: the view of the index, or the file, that the request may see; NULL: it is answered. */
const struct host_file *scoped_index(const struct generation *g, const struct host_file *index, const struct asking *x);
const struct host_file *scoped_file(const struct generation *g, const struct host_file *f, const struct asking *x);

/* page.c: the page for people, of a list of skills (NULL: none) those that everybody sees; and its Content-Security-Policy. */
void page_write(struct buf *out, struct arena *scratch, const struct generation *g, const struct json *skills);
struct pap_str page_policy(struct arena *a);

#endif
