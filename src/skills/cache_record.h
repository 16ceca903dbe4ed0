/* SPDX-License-Identifier: Apache-2.0
 *
 * What the cache writes beside artifacts, as text: a document with its head, and the record of what a URL delivered. Pure:
 * bytes in, facts out. What is read may have been written by anybody, so that every member is checked, and all that goes
 * back into a request (validators, URLs) for what may stand there.
 */
#ifndef SKILLS_CACHE_RECORD_H
#define SKILLS_CACHE_RECORD_H

#include "base/arena.h"
#include "base/buf.h"
#include "pack/pack.h"
#include "skills/cache.h"

enum { CACHE_KEY = 90 + 1 };

/* "document", "record": the kinds of a key that is made from texts. Failure: libcrypto, memory. */
pap_result cache_key(const char *kind, struct pap_str origin, struct pap_str url, struct pap_str scope,
                     char ret[static CACHE_KEY], struct pap_err *err) PAP_MUST;
/* "object-" + hex + ending by format. `digest` must be "sha256:..." of lowercase hex. */
bool cache_object_key(struct pap_str digest, enum pack_format format, char ret[static CACHE_KEY]) PAP_MUST;

/* What a name in the folder is. */
enum cache_kind { CACHE_FOREIGN, CACHE_OBJECT, CACHE_RECORD, CACHE_DOCUMENT, CACHE_PART };
enum cache_kind cache_kind_of(struct pap_str name);
/* Of an object's name. */
enum pack_format cache_format_of(struct pap_str name);

/* A URL that may open something by itself: user information, a token in its query. */
bool cache_url_is_secret(struct arena *scratch, struct pap_str url);
/* A JSON document with such a URL in it, or what is no JSON. Empty: no. */
bool cache_body_is_secret(struct arena *scratch, struct pap_str body);

/* Both appended to `out`, whose failure says all. */
void cache_document_write(struct buf *out, struct pap_str asked, struct pap_str scope, const struct cache_document *d);
/* False: not one of ours, or of another URL or scope. */
bool cache_document_read(struct arena *a, struct pap_str bytes, struct pap_str asked, struct pap_str scope,
                         struct cache_document *ret);

/* In front of every value stands its digest, for a crash of the machine may leave half of it. */
enum { CACHE_SEAL = DIGEST_TEXT + 1 };
void cache_seal_write(const struct digest *d, char ret[static CACHE_SEAL]);
/* What is behind the seal, and the digest it has to have. */
bool cache_seal_read(struct pap_str bytes, struct pap_str *ret, struct digest *ret_digest);

struct cache_record {
    struct pap_str origin, url, scope, digest;
    enum pack_format format; /* PACK_UNKNOWN: a SKILL.md by itself */
};

void cache_record_write(struct buf *out, const struct cache_record *r);
bool cache_record_read(struct arena *a, struct pap_str bytes, struct cache_record *ret);

#endif
