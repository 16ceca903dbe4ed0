/* SPDX-License-Identifier: Apache-2.0
 *
 * What the writers of both formats share: one raw deflate stream that is begun anew for every member.
 */
#ifndef PACK_WRITING_H
#define PACK_WRITING_H

#define ZLIB_CONST
#include <zlib.h>

#include "pack/write.h"

struct packer {
    struct arena arena; /* zlib's memory */
    z_stream z;
};

/* Begins a stream. */
void packer_begin(struct packer *p);
/* Compresses `bytes` to the end of `out`, and ends the stream when `last`. Failures stay in `out`. */
void packer_add(struct packer *p, struct pap_str bytes, bool last, struct buf *out);

/* The ten bytes in front of a gzip member. */
void gzip_begin(struct buf *out);

/* zlib takes 32 bits at a time. */
uint32_t packer_crc(uint32_t crc, struct pap_str bytes);

void write_le16(struct buf *out, uint32_t v);
void write_le32(struct buf *out, uint32_t v);

pap_result tar_gz_write(struct packer *p, const struct pack_file *files, size_t n, struct buf *out,
                        struct pap_err *err) PAP_MUST;
pap_result zip_write(struct packer *p, const struct pack_file *files, size_t n, struct buf *out,
                     struct pap_err *err) PAP_MUST;

#endif
