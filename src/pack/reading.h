/* SPDX-License-Identifier: Apache-2.0
 *
 * What the readers of one archive share: where entries go, what is left of the caps, and how reading stops. Functions
 * that return bool say whether to go on; after false, the fault is recorded or `failure` is set.
 */
#ifndef PACK_READING_H
#define PACK_READING_H

#define ZLIB_CONST
#include <zlib.h>

#include "base/limits.h"
#include "pack/unpack.h"

enum { READING_BUFFER = 64 * 1024 }; /* what is inflated at a time */

struct reading {
    struct arena *a;      /* what the caller keeps */
    struct arena scratch; /* freed when reading ends: zlib's state, buffers, tables */
    const struct pack_limits *limits;
    const struct pack_source *from;
    uint64_t from_at; /* what reading_more() has given */
    const struct pack_sink *to;
    struct pack pack;
    struct pack_entry **tail;
    uint64_t charged;   /* against limits->unpacked */
    pap_result failure; /* memory, or the caller's source or sink */
    struct pap_err *err;
};

/* Records the fault and its sentence, which holds no text of the archive; always false. `name` must live in the arena
 * or in a literal. */
bool reading_stop(struct reading *r, enum pack_fault fault, struct pap_str name, const char *fmt, ...)
    PAP_PRINTF(4, 5) PAP_MUST;

/* Out of memory; always false. */
bool reading_no_memory(struct reading *r) PAP_MUST;

bool reading_stopped(const struct reading *r);

/* The next bytes of the source; n 0 at its end. */
bool reading_more(struct reading *r, struct pap_str *ret) PAP_MUST;

/* What goes to the sink: an entry, its bytes, its end. The root itself ("./") is no entry. */
bool reading_begin(struct reading *r, struct pack_entry *e, uint64_t size) PAP_MUST;
bool reading_data(struct reading *r, struct pap_str piece) PAP_MUST;
bool reading_end(struct reading *r, struct pack_entry *e) PAP_MUST;

/* A notice about an archive that stays usable. */
void reading_notice(struct reading *r, enum pack_fault notice);

/* Takes `size` bytes, at least LIMIT_ARCHIVE_CHARGE, off what may be unpacked. */
bool reading_charge(struct reading *r, struct pap_str name, uint64_t size) PAP_MUST;

/* Makes an entry of a copy of `raw`, counted and charged against all caps, and appends it; a folder that is the root
 * itself ("./") is made but not appended (R-A3). `mode` fills the facts about bits too. */
bool reading_add(struct reading *r, struct pap_str raw, enum pack_type type, uint64_t size, uint32_t mode,
                 struct pack_entry **ret) PAP_MUST;

/* Raw inflate whose memory is in the scratch arena, so that nothing needs an end call. */
bool reading_inflate(struct reading *r, z_stream *ret) PAP_MUST;

/* The gzip layer: one member, read piece by piece. */
struct gzip {
    struct reading *r;
    z_stream z;
    struct pap_str unfed; /* input of which nothing has been taken yet */
    uint32_t head_crc;    /* of the header */
    unsigned char *buf;   /* inflated: bytes at..n are not taken yet */
    size_t at, n;
    uint64_t out, max_out;
    uint32_t crc;
    bool ended;
};

bool gzip_open(struct gzip *g, struct reading *r) PAP_MUST;

/* The next bytes, `most` at most, good until the next call. None only at the end or when reading stopped; the end has been
 * checked against CRC-32, size and what follows. */
struct pap_str gzip_next(struct gzip *g, uint64_t most);

/* The next n bytes, to `to` unless it is NULL; fewer where gzip_next() gives none. */
size_t gzip_read(struct gzip *g, void *to, size_t n);

/* The whole archive into r->pack and to the sink; of a zip the source must be whole. */
void tar_read(struct reading *r);
void zip_read(struct reading *r);

static inline uint32_t le16(const char *p)
{
    const unsigned char *u = (const unsigned char *)p;
    return u[0] | (uint32_t)u[1] << 8;
}

static inline uint32_t le32(const char *p)
{
    return le16(p) | le16(p + 2) << 16;
}

#endif
