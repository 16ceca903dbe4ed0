/* SPDX-License-Identifier: Apache-2.0
 *
 * zip, byte for byte as R-OUT-5 says: deflate always, even where it makes a file longer; sizes in the local headers, no
 * extra fields, 1980-01-01.
 */
#include "pack/writing.h"

enum { VERSION = 20, MADE_BY = 0x0314, DEFLATE = 8, DATE = 0x21, UTF8_NAMES = 0x0800, MOST_FILES = 65535 };

/* What a file's two headers both say. */
struct member {
    uint32_t offset, crc, packed;
};

static bool is_ascii(struct pap_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] >= 0x80)
            return false;
    return true;
}

/* From "version needed" to the length of the extra field. */
static void add_common(struct buf *out, const struct pack_file *f, const struct member *m)
{
    write_le16(out, VERSION);
    write_le16(out, is_ascii(f->name) ? 0 : UTF8_NAMES);
    write_le16(out, DEFLATE);
    write_le16(out, 0); /* time */
    write_le16(out, DATE);
    write_le32(out, m->crc);
    write_le32(out, m->packed);
    write_le32(out, (uint32_t)f->data.n);
    write_le16(out, (uint32_t)f->name.n);
    write_le16(out, 0);
}

static void add_file(struct packer *p, const struct pack_file *f, size_t start, struct member *m, struct buf *out)
{
    enum { PACKED_AT = 18 };
    *m = (struct member){.offset = (uint32_t)(out->n - start), .crc = packer_crc(0, f->data)};
    size_t header = out->n;
    buf_add(out, S("PK\003\004"));
    add_common(out, f, m);
    buf_add(out, f->name);
    size_t data = out->n;
    packer_begin(p);
    packer_add(p, f->data, true, out);
    m->packed = (uint32_t)(out->n - data);
    for (size_t i = 0; i < 4 && buf_ok(out); i++)
        out->p[header + PACKED_AT + i] = (char)(m->packed >> (8 * i) & 255);
}

static void add_directory_entry(struct buf *out, const struct pack_file *f, const struct member *m)
{
    buf_add(out, S("PK\001\002"));
    write_le16(out, MADE_BY);
    add_common(out, f, m);
    write_le16(out, 0); /* comment */
    write_le16(out, 0); /* disk */
    write_le16(out, 0); /* internal attributes */
    write_le32(out, f->executable ? 0100755u << 16 : 0100644u << 16);
    write_le32(out, m->offset);
    buf_add(out, f->name);
}

pap_result zip_write(struct packer *p, const struct pack_file *files, size_t n, struct buf *out, struct pap_err *err)
{
    struct arena a __attribute__((cleanup(arena_fini)));
    size_t start = out->n;
    arena_init(&a, p->arena.alloc);
    if (n > MOST_FILES || out->max - start >= UINT32_MAX)
        return fail(err, PAP_LIMIT, "a zip holds %d files and 4 GiB at most", MOST_FILES);
    struct member *members = arena_new_array(&a, n, struct member);
    if (!members)
        return fail_memory(err);
    for (size_t i = 0; i < n; i++)
        add_file(p, &files[i], start, &members[i], out);
    size_t directory = out->n;
    for (size_t i = 0; i < n; i++)
        add_directory_entry(out, &files[i], &members[i]);
    size_t directory_size = out->n - directory;
    buf_add(out, S("PK\005\006\0\0\0\0"));
    write_le16(out, (uint32_t)n);
    write_le16(out, (uint32_t)n);
    write_le32(out, (uint32_t)directory_size);
    write_le32(out, (uint32_t)(directory - start));
    write_le16(out, 0);
    return OK;
}
