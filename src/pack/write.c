/* SPDX-License-Identifier: Apache-2.0 */
#include "pack/write.h"

#include <assert.h>

#include "pack/writing.h"

enum { STEP = 64 * 1024, FEED_MAX = 1 << 30, LEVEL = 9, RAW_WINDOW = -15, MEMORY_LEVEL = 8 };

static void *take(void *opaque, uInt count, uInt size)
{
    return arena_array(opaque, count, size);
}

static void give_back(void *opaque, void *p)
{
    (void)opaque; /* the arena frees all of it */
    (void)p;
}

pap_result packer_new(const struct pap_alloc *alloc, struct packer **ret, struct pap_err *err)
{
    struct packer *p = alloc_resize(alloc, NULL, 0, sizeof *p);
    if (!p)
        return fail_memory(err);
    *p = (struct packer){0};
    arena_init(&p->arena, alloc);
    p->z = (z_stream){.zalloc = take, .zfree = give_back, .opaque = &p->arena};
    if (deflateInit2(&p->z, LEVEL, Z_DEFLATED, RAW_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
        packer_free(p);
        return fail_memory(err); /* with these constants nothing else can fail */
    }
    *ret = p;
    return OK;
}

void packer_free(struct packer *p)
{
    if (!p)
        return;
    const struct pap_alloc *alloc = p->arena.alloc;
    arena_fini(&p->arena);
    (void)alloc_resize(alloc, p, sizeof *p, 0);
}

void packer_begin(struct packer *p)
{
    int r = deflateReset(&p->z);
    assert(r == Z_OK);
    (void)r;
}

void packer_add(struct packer *p, struct pap_str bytes, bool last, struct buf *out)
{
    do {
        struct pap_str piece = str_take(bytes, FEED_MAX);
        bytes = str_skip(bytes, piece.n);
        p->z.next_in = (const Bytef *)piece.p;
        p->z.avail_in = (uInt)piece.n;
        int flush = last && bytes.n == 0 ? Z_FINISH : Z_NO_FLUSH;
        do {
            size_t left = out->max - out->n, step = left < STEP && left > 0 ? left : STEP;
            char *room = buf_room(out, step);
            if (!room)
                return;
            p->z.next_out = (Bytef *)room;
            p->z.avail_out = (uInt)step;
            (void)deflate(&p->z, flush); /* Z_BUF_ERROR: nothing was left to do */
            buf_grew(out, step - p->z.avail_out);
        } while (p->z.avail_out == 0);
    } while (bytes.n);
}

uint32_t packer_crc(uint32_t crc, struct pap_str bytes)
{
    return (uint32_t)crc32_z(crc, (const Bytef *)bytes.p, bytes.n);
}

void write_le16(struct buf *out, uint32_t v)
{
    buf_char(out, (char)(v & 255));
    buf_char(out, (char)(v >> 8 & 255));
}

void write_le32(struct buf *out, uint32_t v)
{
    write_le16(out, v);
    write_le16(out, v >> 16);
}

pap_result pack_write(struct packer *p, enum pack_format format, const struct pack_file *files, size_t n,
                      struct buf *out, struct pap_err *err)
{
    for (size_t i = 1; i < n; i++)
        assert(str_cmp(files[i - 1].name, files[i].name) < 0);
    TRY(format == PACK_ZIP ? zip_write(p, files, n, out, err) : tar_gz_write(p, files, n, out, err));
    return buf_result(out, err);
}

const char *pack_suffix(enum pack_format format)
{
    return format == PACK_ZIP ? ".zip" : ".tar.gz";
}

void gzip_begin(struct buf *out)
{
    static const char header[] = {0x1f, (char)0x8b, 8, 0, 0, 0, 0, 0, 2, (char)0xff};
    buf_add(out, str(header, sizeof header));
}

void gzip_write(struct packer *p, struct pap_str bytes, struct buf *out)
{
    gzip_begin(out);
    packer_begin(p);
    packer_add(p, bytes, true, out);
    write_le32(out, packer_crc(0, bytes));
    write_le32(out, (uint32_t)bytes.n);
}
