/* SPDX-License-Identifier: Apache-2.0
 *
 * Archives built in memory, right unless a field of the part says otherwise, so that each test breaks one thing:
 *     struct buf t; buf_init(&t, NULL, 1 << 20);
 *     tar_add(&t, &(struct tar_part){.name = "SKILL.md", .data = S("x")}); tar_end(&t, 2); gzip_wrap(&gz, buf_str(&t));
 */
#ifndef TESTS_MAKE_ARCHIVE_H
#define TESTS_MAKE_ARCHIVE_H

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/base.h"

struct tar_part {
    const char *name, *prefix, *link, *uname;
    struct pap_str raw_name; /* instead of name: may hold NULs */
    char type;               /* '0' when 0; 'N' for NUL */
    const char *magic;       /* 8 bytes; ustar when NULL */
    const char *size;        /* 12 bytes as they are, instead of the size of data */
    const char *mode, *mtime, *uid;
    struct pap_str data;
    int sum_off;     /* added to the checksum */
    bool signed_sum; /* summed as char with a sign */
    bool no_padding;
};

static inline void put(char *h, size_t at, size_t n, const char *text)
{
    memcpy(h + at, text, strlen(text) < n ? strlen(text) : n);
}

static inline void tar_add(struct buf *b, const struct tar_part *p)
{
    char h[512] = {0}, text[16];
    if (p->raw_name.p)
        memcpy(h, p->raw_name.p, p->raw_name.n);
    else
        put(h, 0, 100, p->name);
    put(h, 100, 8, p->mode ? p->mode : "0000644");
    put(h, 108, 8, p->uid ? p->uid : "0000000");
    put(h, 116, 8, "0000000");
    snprintf(text, sizeof text, "%011zo", p->data.n);
    if (p->size)
        memcpy(h + 124, p->size, 12);
    else
        put(h, 124, 12, text);
    put(h, 136, 12, p->mtime ? p->mtime : "00000000000");
    h[156] = (char)(p->type == 'N' ? 0 : p->type ? p->type : '0');
    put(h, 157, 100, p->link ? p->link : "");
    memcpy(h + 257, p->magic ? p->magic : "ustar\00000", 8);
    put(h, 265, 32, p->uname ? p->uname : "");
    put(h, 345, 155, p->prefix ? p->prefix : "");
    memset(h + 148, ' ', 8);
    int sum = p->sum_off;
    for (size_t i = 0; i < sizeof h; i++)
        sum += p->signed_sum ? (signed char)h[i] : (unsigned char)h[i];
    snprintf(text, sizeof text, "%06o", (unsigned)sum);
    memcpy(h + 148, text, 7);
    buf_add(b, str(h, sizeof h));
    buf_add(b, p->data);
    for (size_t i = p->data.n; !p->no_padding && i % 512; i++)
        buf_char(b, '\0');
}

/* A PAX header of records, or a GNU long name ('L', 'K'). */
static inline void tar_extra(struct buf *b, char type, struct pap_str data)
{
    tar_add(b, &(struct tar_part){.name = "././@Extra", .type = type, .data = data});
}

static inline void tar_end(struct buf *b, size_t blocks)
{
    for (size_t i = 0; i < blocks * 512; i++)
        buf_char(b, '\0');
}

/* Little-endian. */
static inline void le(struct buf *b, unsigned bytes, uint32_t v)
{
    for (unsigned i = 0; i < bytes; i++)
        buf_char(b, (char)(v >> (8 * i)));
}

static inline void deflate_raw(struct buf *out, struct pap_str s)
{
    z_stream z = {0};
    size_t most = s.n + s.n / 1000 + 64;
    char *to = buf_room(out, most);
    if (!to || deflateInit2(&z, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        abort();
    z.next_in = (Bytef *)(uintptr_t)s.p;
    z.avail_in = (uInt)s.n;
    z.next_out = (Bytef *)to;
    z.avail_out = (uInt)most;
    if (deflate(&z, Z_FINISH) != Z_STREAM_END)
        abort();
    buf_grew(out, z.total_out);
    deflateEnd(&z);
}

static inline uint32_t crc_of(struct pap_str s)
{
    return (uint32_t)crc32_z(0, (const Bytef *)s.p, s.n);
}

/* The trailer of a gzip member. */
static inline void gzip_trailer(struct buf *out, struct pap_str s)
{
    le(out, 4, crc_of(s));
    le(out, 4, (uint32_t)s.n);
}

static inline void gzip_wrap(struct buf *out, struct pap_str s)
{
    buf_add(out, S("\x1f\x8b\x08\0\0\0\0\0\x02\xff"));
    deflate_raw(out, s);
    gzip_trailer(out, s);
}

/* The same bytes `times` over in one member, without deflating them each time. */
static inline void gzip_repeat(struct buf *out, struct pap_str s, size_t times)
{
    struct buf block;
    z_stream z = {.next_in = (Bytef *)(uintptr_t)s.p, .avail_in = (uInt)s.n};
    uint32_t crc = 0;
    buf_init(&block, NULL, 2 * s.n + 64);
    char *to = buf_room(&block, 2 * s.n + 64);
    if (!to || deflateInit2(&z, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        abort();
    z.next_out = (Bytef *)to;
    z.avail_out = (uInt)(2 * s.n + 64);
    if (deflate(&z, Z_FULL_FLUSH) != Z_OK)
        abort();
    buf_grew(&block, z.total_out);
    deflateEnd(&z);
    buf_add(out, S("\x1f\x8b\x08\0\0\0\0\0\x02\xff"));
    for (size_t i = 0; i < times; i++) {
        buf_add(out, buf_str(&block));
        crc = i ? (uint32_t)crc32_combine(crc, crc_of(s), (z_off_t)s.n) : crc_of(s);
    }
    buf_add(out, S("\3\0")); /* an empty last block */
    le(out, 4, crc);
    le(out, 4, (uint32_t)(s.n * times));
    buf_fini(&block);
}

struct zip_part {
    const char *name;
    struct pap_str data;
    struct pap_str raw_name; /* instead of name */
    const char *local_name;  /* instead of the name, in the local header */
    bool stored, descriptor, descriptor_unmarked;
    uint32_t mode;                                                     /* with made_by 3; a plain file when 0 */
    int made_by;                                                       /* 3 when 0; -1 for 0 (DOS) */
    uint32_t attributes;                                               /* with DOS */
    uint32_t flags, method;                                            /* added */
    uint32_t crc_off, size_off, packed_off;                            /* added, local and directory */
    uint32_t local_flags, local_crc_off, local_size_off, local_method; /* added, local only */
    uint32_t descriptor_off;                                           /* added to the CRC there */
    uint32_t at_off;                                                   /* added to the place */
    uint32_t date;                                                     /* 1980-01-01 when 0 */
    uint32_t disk;
    struct pap_str extra, local_extra, before,
        behind;            /* before and behind: bytes that the directory does not tell of */
    struct pap_str packed; /* instead of the deflated data */
    bool unlisted;         /* local only */
};

struct zip_tail {
    struct pap_str comment, behind_data, behind_directory, behind;
    uint32_t count_off, size_off, at_off, disk;
};

static inline struct pap_str part_name(const struct zip_part *p)
{
    return p->raw_name.p ? p->raw_name : str_c(p->name);
}

/* The fields that local header and directory share, from "flags" to "name length". */
static inline void zip_common(struct buf *out, const struct zip_part *p, bool local, uint32_t packed, size_t name_n)
{
    bool zero = local && p->descriptor;
    le(out, 2, p->flags + (p->descriptor ? 8 : 0) + (local ? p->local_flags : 0));
    le(out, 2, (p->stored ? 0 : 8) + p->method + (local ? p->local_method : 0));
    le(out, 2, 0);
    le(out, 2, p->date ? p->date : 0x21);
    le(out, 4, zero ? 0 : crc_of(p->data) + p->crc_off + (local ? p->local_crc_off : 0));
    le(out, 4, zero ? 0 : packed + p->packed_off);
    le(out, 4, zero ? 0 : (uint32_t)p->data.n + p->size_off + (local ? p->local_size_off : 0));
    le(out, 2, (uint32_t)name_n);
}

static inline uint32_t zip_add_local(struct buf *out, const struct zip_part *p, uint32_t *ret_at)
{
    struct buf packed;
    buf_init(&packed, NULL, 1 << 26);
    if (p->packed.p)
        buf_add(&packed, p->packed);
    else if (p->stored)
        buf_add(&packed, p->data);
    else
        deflate_raw(&packed, p->data);
    struct pap_str name = p->local_name ? str_c(p->local_name) : part_name(p);
    uint32_t n = (uint32_t)packed.n;
    buf_add(out, p->before);
    *ret_at = (uint32_t)out->n;
    buf_add(out, S("PK\3\4\x14\0"));
    zip_common(out, p, true, n, name.n);
    le(out, 2, (uint32_t)p->local_extra.n);
    buf_add(out, name);
    buf_add(out, p->local_extra);
    buf_add(out, buf_str(&packed));
    if (p->descriptor) {
        buf_add(out, p->descriptor_unmarked ? S("") : S("PK\7\x08"));
        le(out, 4, crc_of(p->data) + p->descriptor_off);
        le(out, 4, n);
        le(out, 4, (uint32_t)p->data.n);
    }
    buf_add(out, p->behind);
    buf_fini(&packed);
    return n;
}

static inline void zip_add_record(struct buf *out, const struct zip_part *p, uint32_t packed, uint32_t at)
{
    struct pap_str name = part_name(p);
    buf_add(out, S("PK\1\2\x14"));
    buf_char(out, (char)(p->made_by < 0 ? 0 : p->made_by ? p->made_by : 3));
    le(out, 2, 20);
    zip_common(out, p, false, packed, name.n);
    le(out, 2, (uint32_t)p->extra.n);
    le(out, 2, 0);
    le(out, 2, p->disk);
    le(out, 2, 0);
    le(out, 4, p->made_by < 0 ? p->attributes : (p->mode ? p->mode : 0100644) << 16);
    le(out, 4, at + p->at_off);
    buf_add(out, name);
    buf_add(out, p->extra);
}

/* At most 2,000 parts. `t` NULL: nothing odd. */
static inline void zip_make(struct buf *out, const struct zip_part *parts, size_t n, const struct zip_tail *t)
{
    static uint32_t at[2000], packed[2000];
    static const struct zip_tail plain;
    uint32_t listed = 0;
    t = t ? t : &plain;
    for (size_t i = 0; i < n; i++)
        packed[i] = zip_add_local(out, &parts[i], &at[i]);
    buf_add(out, t->behind_data);
    uint32_t directory = (uint32_t)out->n;
    for (size_t i = 0; i < n; i++)
        if (!parts[i].unlisted) {
            zip_add_record(out, &parts[i], packed[i], at[i]);
            listed++;
        }
    uint32_t size = (uint32_t)out->n - directory;
    buf_add(out, t->behind_directory);
    buf_add(out, S("PK\5\6"));
    le(out, 2, t->disk);
    le(out, 2, 0);
    le(out, 2, listed + t->count_off);
    le(out, 2, listed + t->count_off);
    le(out, 4, size + t->size_off);
    le(out, 4, directory + t->at_off);
    le(out, 2, (uint32_t)t->comment.n);
    buf_add(out, t->comment);
    buf_add(out, t->behind);
}

#endif
