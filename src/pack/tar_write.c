/* SPDX-License-Identifier: Apache-2.0
 *
 * ustar in gzip, byte for byte as R-OUT-4 says: the device fields stay NUL, the checksum has six digits, the archive is
 * padded to 10,240 bytes.
 */
#include <stdio.h>

#include "pack/writing.h"

enum { BLOCK = 512, RECORD = 20 * BLOCK, NAME = 100, PREFIX = 155 };
enum {
    MODE_AT = 100,
    UID_AT = 108,
    GID_AT = 116,
    SIZE_AT = 124,
    MTIME_AT = 136,
    SUM_AT = 148,
    TYPE_AT = 156,
    MAGIC_AT = 257,
    PREFIX_AT = 345
};

struct tar_out {
    struct packer *packer;
    struct buf *out;
    uint32_t crc;
    uint64_t n;
};

static const char zeros[RECORD];

static void add(struct tar_out *t, struct pap_str bytes, bool last)
{
    t->crc = packer_crc(t->crc, bytes);
    t->n += bytes.n;
    packer_add(t->packer, bytes, last, t->out);
}

/* Where a name is cut for the two fields: 0 when it needs no prefix, SIZE_MAX when it does not fit. */
static size_t cut_of(struct pap_str name)
{
    if (name.n <= NAME)
        return 0;
    for (size_t i = name.n - 1; i > 0; i--)
        if (name.p[i - 1] == '/' && i - 1 <= PREFIX && i > 1 && name.n - i <= NAME)
            return i;
    return SIZE_MAX;
}

/* `digits` octal digits and a NUL. */
static void put_octal(char *at, int digits, unsigned long long v)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%0*llo", digits, v);
    memcpy(at, text, (size_t)digits + 1);
}

static void fill_header(char h[static BLOCK], const struct pack_file *f, size_t cut)
{
    unsigned sum = 0;
    memset(h, 0, BLOCK);
    memcpy(h, f->name.p + cut, f->name.n - cut);
    if (cut)
        memcpy(h + PREFIX_AT, f->name.p, cut - 1);
    put_octal(h + MODE_AT, 7, f->executable ? 0755 : 0644);
    put_octal(h + UID_AT, 7, 0);
    put_octal(h + GID_AT, 7, 0);
    put_octal(h + SIZE_AT, 11, f->data.n);
    put_octal(h + MTIME_AT, 11, 0);
    memset(h + SUM_AT, ' ', 8);
    h[TYPE_AT] = '0';
    memcpy(h + MAGIC_AT,
           "ustar\0"
           "00",
           8);
    for (size_t i = 0; i < BLOCK; i++)
        sum += (unsigned char)h[i];
    put_octal(h + SUM_AT, 6, sum); /* six digits, NUL, and the blank that is there */
}

pap_result tar_gz_write(struct packer *p, const struct pack_file *files, size_t n, struct buf *out, struct pap_err *err)
{
    struct tar_out t = {.packer = p, .out = out, .crc = 0};
    char header[BLOCK];
    gzip_begin(out);
    packer_begin(p);
    for (size_t i = 0; i < n; i++) {
        const struct pack_file *f = &files[i];
        size_t cut = cut_of(f->name);
        if (cut == SIZE_MAX || (uint64_t)f->data.n >> 33)
            return fail(err, PAP_LIMIT, "%.*s: the %s does not fit a tar header", PSTR(f->name),
                        cut == SIZE_MAX ? "name" : "size");
        fill_header(header, f, cut);
        add(&t, str(header, BLOCK), false);
        add(&t, f->data, false);
        add(&t, str(zeros, (size_t)(-f->data.n & (BLOCK - 1))), false);
    }
    add(&t, str(zeros, 2 * BLOCK), false);
    add(&t, str(zeros, (size_t)((RECORD - t.n % RECORD) % RECORD)), true);
    write_le32(out, t.crc);
    write_le32(out, (uint32_t)t.n);
    return OK;
}
