/* SPDX-License-Identifier: Apache-2.0
 *
 * Archives of skills, written: the same files give the same bytes, whenever and wherever, because a digest is made of
 * them (agent-skills R-A10). The bytes are those of Remote Skills (R-OUT-4, R-OUT-5): sorted names, no folders, no times,
 * no owners, deflate level 9. They depend on the compressor too; tests pin them to stock zlib.
 */
#ifndef PACK_WRITE_H
#define PACK_WRITE_H

#include "base/buf.h"
#include "pack/pack.h"

struct pack_file {
    struct pap_str name, data;
    bool executable; /* mode 0755 instead of 0644 */
};

/* The compressor's state, some 260 kB: made once, used for any number of archives, by one thread at a time. */
struct packer;

/* `alloc` NULL: libc. */
pap_result packer_new(const struct pap_alloc *alloc, struct packer **ret, struct pap_err *err) PAP_MUST;
/* Accepts NULL. */
void packer_free(struct packer *p);

/* Appends one archive to `out`. The names are good ones (pack_name_fault), stand in byte order and are different. A name
 * that a ustar header cannot hold, more than 65,535 files of a zip and more bytes than `out` takes are PAP_LIMIT. */
pap_result pack_write(struct packer *p, enum pack_format format, const struct pack_file *files, size_t n,
                      struct buf *out, struct pap_err *err) PAP_MUST;

/* Appends one gzip member (RFC 1952) that holds `bytes`, without a time or a name. Failures stay in `out`. */
void gzip_write(struct packer *p, struct pap_str bytes, struct buf *out);

/* ".tar.gz" or ".zip". */
const char *pack_suffix(enum pack_format format);

#endif
