/* SPDX-License-Identifier: Apache-2.0 */
#include "pack/gunzip.h"

#define ZLIB_CONST
#include <zlib.h>

#include "base/arena.h"

enum { PIECE = 32 * 1024, GZIP_ONLY = 15 + 16 };

/* zlib's memory is in an arena, so that nothing needs an end call. */
static void *zlib_alloc(void *arena, unsigned count, unsigned size)
{
    return arena_array(arena, count, size);
}

static void zlib_free(void *arena, void *p)
{
    (void)arena;
    (void)p;
}

/* One piece. False when there is nothing more to do. */
static bool inflate_piece(z_stream *z, struct buf *out, const char **ret_why)
{
    char *room = buf_room(out, PIECE);
    if (!room)
        return false;
    z->next_out = (Bytef *)room;
    z->avail_out = PIECE;
    int rc = inflate(z, Z_NO_FLUSH);
    buf_grew(out, PIECE - z->avail_out);
    if (rc == Z_STREAM_END && z->avail_in == 0)
        return false;
    if (rc == Z_STREAM_END) /* another member, or bytes that are none */
        rc = inflateReset(z);
    *ret_why = rc == Z_OK ? NULL : rc == Z_BUF_ERROR ? "it ends too early" : z->msg ? z->msg : "it is damaged";
    return rc == Z_OK;
}

pap_result gunzip(struct pap_str bytes, size_t cap, struct buf *out, const char **ret_why, struct pap_err *err)
{
    struct arena scratch;
    const char *why = NULL;
    arena_init(&scratch, out->alloc);
    z_stream z = {.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = &scratch};
    bool ok = inflateInit2(&z, GZIP_ONLY) == Z_OK;
    z.next_in = (const Bytef *)bytes.p;
    z.avail_in = bytes.n < UINT32_MAX ? (uInt)bytes.n : UINT32_MAX;
    while (ok && out->n <= cap && inflate_piece(&z, out, &why))
        ;
    arena_fini(&scratch);
    if (!ok)
        return fail_memory(err);
    TRY(buf_result(out, err));
    *ret_why = why;
    return OK;
}
