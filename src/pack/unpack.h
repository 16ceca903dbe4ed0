/* SPDX-License-Identifier: Apache-2.0
 *
 * Archives as a stream: the bytes come in pieces from a source, each entry goes out in pieces to a sink, and nothing ever
 * holds a whole entry or a whole tar.gz. Readers, faults and caps are those of pack_read(), which is a sink of this.
 */
#ifndef PACK_UNPACK_H
#define PACK_UNPACK_H

#include "pack/pack.h"

/* Where the bytes of an archive are: in memory, or read by pieces. */
struct pack_source {
    struct pap_str whole; /* all of it; p NULL: ask next() */
    /* The bytes from `off` on, any number of them, valid until the next call; n 0 at the end. Called with ascending `off`
     * from 0, and again from 0 by whoever reads twice. */
    pap_result (*next)(void *ctx, uint64_t off, struct pap_str *ret, struct pap_err *err);
    void *ctx;
};

/* Where the entries go. A failure ends the reading and is passed on. Each may be NULL. */
struct pack_sink {
    /* An entry begins, within the caps so far; *e lives in the arena. Its name, type and link are not judged. */
    pap_result (*begin)(void *ctx, struct pack_entry *e, uint64_t size, struct pap_err *err);
    /* Bytes of it, `size` of them in all (a link's target in a zip, too). */
    pap_result (*data)(void *ctx, struct pap_str piece, struct pap_err *err);
    /* It is whole: size, and CRC-32 in a zip. Not called for what has no content in a tar: folders, links, devices. */
    pap_result (*end)(void *ctx, struct pack_entry *e, struct pap_err *err);
    void *ctx;
};

/* The bytes of `from` once more in one view: of memory as they are, else read into the arena, at most `max` of them
 * (PAP_LIMIT). */
pap_result pack_source_read(struct arena *a, const struct pack_source *from, uint64_t max, struct pap_str *ret,
                            struct pap_err *err) PAP_MUST;

/* Reads all of it; as with pack_read(), what is wrong is ret->fault, and then entries may have gone to the sink before it
 * was seen: use nothing of them. Entries of *ret have no data, and live in the arena. Memory: 150 bytes an entry, and
 * some 200 kB while reading; a zip that comes by pieces is collected first, at most LIMIT_ARTIFACT of it. Failures: out of
 * memory, and those of source and sink. */
pap_result pack_unpack(struct arena *a, const struct pack_source *from, enum pack_format format,
                       const struct pack_limits *limits, const struct pack_sink *to, struct pack *ret,
                       struct pap_err *err) PAP_MUST;

#endif
