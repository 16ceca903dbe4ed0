/* SPDX-License-Identifier: Apache-2.0
 *
 * zip: the central directory is the authority, and everything a streaming reader would see must agree with it: local
 * headers, descriptors, and no byte in front, between or behind that belongs to no entry (agent-skills 3.8, zip
 * specifics; R-ARC-6).
 */
#include <stdlib.h>

#include "pack/reading.h"
#include "text/utf8.h"

enum { END = 22, COMMENT_MAX = 65535, RECORD = 46, LOCAL = 30, DESCRIPTOR = 12, LOCATOR = 20 };
enum {
    FLAG_ENCRYPTED = 1 | 1 << 6 | 1 << 13,
    FLAG_DESCRIPTOR = 1 << 3,
    FLAG_UTF8 = 1 << 11,
    FLAGS_KNOWN = 1 << 1 | 1 << 2 | FLAG_DESCRIPTOR | FLAG_UTF8 /* 1 and 2 say how hard deflate tried */
};
enum { STORED = 0, DEFLATED = 8 };
enum { EXTRA_ZIP64 = 0x0001, EXTRA_TIME = 0x5455, EXTRA_OWNER = 0x7875, EXTRA_NAME = 0x7075 };
enum { MADE_BY_UNIX = 3, MADE_BY_MACOS = 19, DOS_FOLDER = 0x10, DATE_1980 = 0x21 };
enum { MODE_TYPE = 0170000, MODE_FOLDER = 0040000, MODE_FILE = 0100000, MODE_LINK = 0120000 };

/* One record of the central directory. */
struct item {
    struct pack_entry *entry;
    struct pap_str name;
    uint32_t at, packed, size, crc; /* `at`: of the local header */
    uint32_t flags, method;
    size_t data_at;
};

struct zip {
    struct reading *r;
    struct pap_str bytes;
    size_t end_at; /* of the end record */
    size_t directory_at, directory_n;
    struct item *items;
    size_t n_items;
    z_stream stream;
    char *room; /* READING_BUFFER bytes */
};

static bool signature(struct pap_str s, size_t at, const char *two)
{
    return at + 4 <= s.n && s.p[at] == 'P' && s.p[at + 1] == 'K' && s.p[at + 2] == two[0] && s.p[at + 3] == two[1];
}

/* -- end record and directory -- */

static bool find_end(struct zip *z)
{
    struct pap_str b = z->bytes;
    size_t from = b.n > END + COMMENT_MAX ? b.n - END - COMMENT_MAX : 0, fits = 0, last = SIZE_MAX;
    for (size_t i = from; i + END <= b.n; i++) {
        if (!signature(b, i, "\5\6"))
            continue;
        last = i;
        if (i + END + le16(b.p + i + 20) == b.n) {
            fits++;
            z->end_at = i;
        }
    }
    if (last == SIZE_MAX)
        return reading_stop(z->r, PACK_ZIP_END, S(""), "there is no end record: the zip is cut short");
    if (fits > 1 || (fits && last != z->end_at))
        return reading_stop(z->r, PACK_ZIP_END, S(""), "there is more than one end record");
    size_t comment = le16(b.p + last + 20), behind = b.n - last - END;
    if (!fits && comment < behind)
        return reading_stop(z->r, PACK_ZIP_TRAILING, S(""), "the end of the zip is followed by %zu byte%s",
                            behind - comment, str_plural(behind - comment));
    return fits ||
           reading_stop(z->r, PACK_ZIP_END, S(""), "the comment has %zu bytes of %zu: cut short", behind, comment);
}

static bool read_end(struct zip *z)
{
    if (!find_end(z))
        return false;
    const char *e = z->bytes.p + z->end_at;
    uint32_t disk = le16(e + 4), start = le16(e + 6), here = le16(e + 8), all = le16(e + 10), size = le32(e + 12),
             at = le32(e + 16);
    if (all == 0xffff || size == UINT32_MAX || at == UINT32_MAX ||
        (z->end_at >= LOCATOR && signature(z->bytes, z->end_at - LOCATOR, "\6\7")))
        return reading_stop(z->r, PACK_ZIP_64, S(""), "the archive is zip64, which no skill needs");
    if (disk || start || here != all)
        return reading_stop(z->r, PACK_ZIP_END, S(""), "the end record speaks of %u parts", disk + 1);
    if (size > z->end_at || at > z->end_at - size || (uint64_t)all * RECORD > size)
        return reading_stop(z->r, PACK_ZIP_DIRECTORY, S(""),
                            "the end record gives a directory of %u entries and %u bytes at %u, which cannot be", all,
                            size, at);
    size_t extra = z->end_at - size - at;
    if (extra) /* the directory is not where it should be, or something stands behind it */
        return reading_stop(z->r, size && !signature(z->bytes, at, "\1\2") ? PACK_ZIP_PREFIX : PACK_ZIP_DIRECTORY,
                            S(""), "%zu byte%s more than the end record accounts for", extra, str_plural(extra));
    z->directory_at = at;
    z->directory_n = size;
    z->n_items = all;
    z->items = arena_new_array(&z->r->scratch, all, struct item);
    return z->items || reading_no_memory(z->r);
}

/* Names other than ASCII need flag 11: without it every system reads another name. */
static bool check_encoding(struct zip *z, const struct item *it, struct pap_str raw)
{
    size_t ascii = 0;
    while (ascii < raw.n && (unsigned char)raw.p[ascii] < 0x80)
        ascii++;
    if (ascii == raw.n || ((it->flags & FLAG_UTF8) && utf8_check(raw) == raw.n))
        return true;
    return reading_stop(z->r, PACK_ZIP_NAME, raw, "a name is neither ASCII nor UTF-8 that is marked so (flag 11)");
}

/* Extra fields of the directory: 64-bit sizes and a second name would be another reading of the entry. */
static bool take_extra(struct zip *z, struct item *it, struct pap_str rest)
{
    while (rest.n >= 4) {
        uint32_t id = le16(rest.p);
        struct pap_str value = str_take(str_skip(rest, 4), le16(rest.p + 2));
        rest = str_skip(rest, 4 + value.n);
        if (id == EXTRA_ZIP64)
            return reading_stop(z->r, PACK_ZIP_64, it->entry->raw_name, "an entry is zip64, which no skill needs");
        if (id == EXTRA_NAME && !str_eq(str_skip(value, 5), it->name))
            return reading_stop(z->r, PACK_ZIP_NAME, it->entry->raw_name, "an extra field gives another name");
        it->entry->facts |= (id == EXTRA_TIME ? PACK_F_MTIME : 0) | (id == EXTRA_OWNER ? PACK_F_OWNER : 0);
    }
    return true;
}

static enum pack_type type_of(const char *record, struct pap_str name)
{
    unsigned made_by = (unsigned char)record[5];
    uint32_t attributes = le32(record + 38), mode = attributes >> 16 & MODE_TYPE;
    bool unix_mode = made_by == MADE_BY_UNIX || made_by == MADE_BY_MACOS;
    if (unix_mode && mode == MODE_LINK)
        return PACK_SYMLINK;
    if (unix_mode && mode && mode != MODE_FOLDER && mode != MODE_FILE)
        return PACK_SPECIAL;
    bool folder = unix_mode ? mode == MODE_FOLDER : made_by == 0 && (attributes & DOS_FOLDER);
    return folder || str_ends(name, S("/")) ? PACK_DIR : PACK_FILE;
}

static bool check_item(struct zip *z, const struct item *it)
{
    struct pap_str name = it->entry->raw_name;
    if (it->flags & FLAG_ENCRYPTED)
        return reading_stop(z->r, PACK_ZIP_ENCRYPTED, name, "an entry is encrypted");
    if ((it->flags & ~(uint32_t)FLAGS_KNOWN) || (it->method != STORED && it->method != DEFLATED))
        return reading_stop(z->r, PACK_ZIP_METHOD, name, "an entry has method %u and flags 0x%04x; methods are 0 and 8",
                            it->method, it->flags);
    if (it->size == UINT32_MAX || it->packed == UINT32_MAX || it->at == UINT32_MAX)
        return reading_stop(z->r, PACK_ZIP_64, name, "an entry is zip64, which no skill needs");
    if (it->at > z->directory_at || z->directory_at - it->at < LOCAL)
        return reading_stop(z->r, PACK_ZIP_LOCAL, name, "byte %u, the place of an entry, lies behind all entries",
                            it->at);
    if (it->entry->type == PACK_DIR && it->size)
        return reading_stop(z->r, PACK_ZIP_SIZE, name, "a folder has %u byte%s", it->size, str_plural(it->size));
    if (it->method == STORED && it->packed != it->size)
        return reading_stop(z->r, PACK_ZIP_SIZE, name, "a stored entry has %u bytes and takes %u", it->size,
                            it->packed);
    if (it->size > LIMIT_ARCHIVE_RATIO_FILE && it->size / LIMIT_ARCHIVE_RATIO > it->packed)
        return reading_stop(z->r, PACK_LIMIT_RATIO, name, "%u bytes are packed into %u: more than %d to 1", it->size,
                            it->packed, LIMIT_ARCHIVE_RATIO);
    return true;
}

static bool read_record(struct zip *z, size_t *at, struct item *it)
{
    struct pap_str b = str_take(z->bytes, z->end_at);
    if (*at + RECORD > b.n || !signature(b, *at, "\1\2"))
        return reading_stop(z->r, PACK_ZIP_DIRECTORY, S(""), "no directory record at byte %zu", *at);
    const char *p = b.p + *at;
    size_t name_n = le16(p + 28), extra_n = le16(p + 30), whole = RECORD + name_n + extra_n + le16(p + 32);
    if (whole > b.n - *at)
        return reading_stop(z->r, PACK_ZIP_DIRECTORY, S(""), "the directory record at byte %zu is cut", *at);
    *it = (struct item){.flags = le16(p + 8),
                        .method = le16(p + 10),
                        .crc = le32(p + 16),
                        .packed = le32(p + 20),
                        .size = le32(p + 24),
                        .at = le32(p + 42),
                        .name = str(p + RECORD, name_n)};
    uint32_t mode = p[5] == MADE_BY_UNIX || p[5] == MADE_BY_MACOS ? le32(p + 38) >> 16 : 0;
    if (!reading_add(z->r, it->name, type_of(p, it->name), it->size, mode, &it->entry))
        return false;
    if (le16(p + 12) || le16(p + 14) > DATE_1980)
        it->entry->facts |= PACK_F_MTIME;
    *at += whole;
    if (le16(p + 34))
        return reading_stop(z->r, PACK_ZIP_DIRECTORY, it->entry->raw_name, "an entry is in another part (%u)",
                            le16(p + 34));
    return check_encoding(z, it, it->entry->raw_name) && take_extra(z, it, str(p + RECORD + name_n, extra_n)) &&
           check_item(z, it);
}

static bool read_directory(struct zip *z)
{
    size_t at = z->directory_at;
    for (size_t i = 0; i < z->n_items; i++)
        if (!read_record(z, &at, &z->items[i]))
            return false;
    return at == z->end_at ||
           reading_stop(z->r, PACK_ZIP_DIRECTORY, S(""), "the directory goes on for %zu byte%s that no record has",
                        z->end_at - at, str_plural(z->end_at - at));
}

/* -- local headers -- */

static bool local_fault(struct zip *z, const struct item *it, const char *what)
{
    return reading_stop(z->r, PACK_ZIP_LOCAL, it->entry->raw_name, "local header and directory differ in %s", what);
}

/* With a descriptor the local values are 0 (or already right). */
static bool holds(const struct item *it, uint32_t local, uint32_t value)
{
    return local == value || ((it->flags & FLAG_DESCRIPTOR) && local == 0);
}

static bool check_local(struct zip *z, const struct item *it, struct pap_str h)
{
    if (le16(h.p + 6) != it->flags)
        return local_fault(z, it, "flags");
    if (le16(h.p + 8) != it->method)
        return local_fault(z, it, "method");
    if (le32(h.p + 18) == UINT32_MAX || le32(h.p + 22) == UINT32_MAX)
        return reading_stop(z->r, PACK_ZIP_64, it->entry->raw_name, "an entry is zip64, which no skill needs");
    if (!holds(it, le32(h.p + 14), it->crc))
        return local_fault(z, it, "CRC-32");
    if (!holds(it, le32(h.p + 18), it->packed) || !holds(it, le32(h.p + 22), it->size))
        return local_fault(z, it, "size");
    return str_eq(str(h.p + LOCAL, le16(h.p + 26)), it->name) || local_fault(z, it, "name");
}

/* Bytes that no entry owns. */
static bool check_gap(struct zip *z, struct pap_str gap, enum pack_fault fault)
{
    if (gap.n == 0)
        return true;
    if (str_find(gap, S("PK\3\4")) < gap.n)
        return reading_stop(z->r, PACK_ZIP_HIDDEN, S(""), "a local header stands where the directory lists no entry");
    return reading_stop(z->r, fault, S(""), "%zu byte%s of no entry", gap.n, str_plural(gap.n));
}

/* What stands between an entry's data and the next entry: its descriptor, or nothing. */
static bool check_behind(struct zip *z, const struct item *it, struct pap_str gap)
{
    if (it->flags & FLAG_DESCRIPTOR) {
        size_t mark = signature(gap, 0, "\7\x08") && gap.n >= DESCRIPTOR + 4 ? 4 : 0;
        if (gap.n < mark + DESCRIPTOR)
            return local_fault(z, it, "the descriptor, which is not there");
        const char *d = gap.p + mark;
        if (le32(d) != it->crc || le32(d + 4) != it->packed || le32(d + 8) != it->size)
            return local_fault(z, it, "the descriptor");
        gap = str_skip(gap, mark + DESCRIPTOR);
    }
    return check_gap(z, gap, PACK_ZIP_HIDDEN);
}

static int by_place(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* Walks the entries in the order of their places, so that each byte in front of the directory has one owner. */
static bool check_places(struct zip *z)
{
    struct pap_str b = str_take(z->bytes, z->directory_at);
    if (z->n_items)
        qsort(z->items, z->n_items, sizeof *z->items, by_place);
    if (!check_gap(z, str_take(b, z->n_items ? z->items[0].at : b.n), PACK_ZIP_PREFIX))
        return false;
    for (size_t i = 0; i < z->n_items; i++) {
        struct item *it = &z->items[i];
        size_t next = i + 1 < z->n_items ? z->items[i + 1].at : b.n;
        if (it->at == next && i + 1 < z->n_items)
            return reading_stop(z->r, PACK_ZIP_OVERLAP, it[1].entry->raw_name, "two entries share the bytes at %u",
                                it->at);
        if (!signature(b, it->at, "\3\4"))
            return reading_stop(z->r, PACK_ZIP_LOCAL, it->entry->raw_name, "there is no local header at byte %u",
                                it->at);
        struct pap_str h = str_skip(b, it->at);
        it->data_at = it->at + LOCAL + (size_t)le16(h.p + 26) + le16(h.p + 28);
        if (it->data_at > next || it->packed > next - it->data_at)
            return reading_stop(z->r, PACK_ZIP_OVERLAP, it->entry->raw_name,
                                "an entry reaches to byte %zu, where %s begins at %zu", it->data_at + it->packed,
                                next == b.n ? "the directory" : "another", next);
        size_t end = it->data_at + it->packed;
        if (!check_local(z, it, h) || !check_behind(z, it, str(b.p + end, next - end)))
            return false;
    }
    return true;
}

/* -- contents -- */

static bool pass(struct zip *z, struct pap_str piece, uint32_t *crc)
{
    *crc = (uint32_t)crc32_z(*crc, (const Bytef *)piece.p, piece.n);
    return reading_data(z->r, piece);
}

/* One piece; *ret_more is false at the end of the compressed data. */
static bool inflate_piece(struct zip *z, const struct item *it, uint32_t *left, uint32_t *crc, bool *ret_more)
{
    z_stream *s = &z->stream;
    struct pap_str name = it->entry->raw_name;
    uInt room = *left < READING_BUFFER ? *left + 1 : READING_BUFFER; /* the byte that must not come */
    s->next_out = (Bytef *)z->room;
    s->avail_out = room;
    int rc = inflate(s, Z_NO_FLUSH);
    uInt n = room - s->avail_out;
    if (rc == Z_MEM_ERROR)
        return reading_no_memory(z->r);
    if (n > *left)
        return reading_stop(z->r, PACK_ZIP_SIZE, name,
                            "the data unpacks to more than the %u bytes that the directory says", it->size);
    if (rc != Z_OK && rc != Z_STREAM_END)
        return reading_stop(z->r, PACK_ZIP_DATA, name, "the compressed data is damaged: %s",
                            s->msg ? s->msg : "it ends early");
    *left -= n;
    *ret_more = rc == Z_OK;
    return pass(z, str(z->room, n), crc);
}

static bool inflate_content(struct zip *z, const struct item *it, uint32_t *crc)
{
    z_stream *s = &z->stream;
    uint32_t left = it->size;
    bool more = true;
    s->next_in = (const Bytef *)z->bytes.p + it->data_at;
    s->avail_in = it->packed;
    if (inflateReset(s) != Z_OK)
        return reading_no_memory(z->r);
    while (more)
        if (!inflate_piece(z, it, &left, crc, &more))
            return false;
    if (left)
        return reading_stop(z->r, PACK_ZIP_SIZE, it->entry->raw_name,
                            "the data unpacks to %u bytes, the directory says %u", it->size - left, it->size);
    return !s->avail_in || reading_stop(z->r, PACK_ZIP_DATA, it->entry->raw_name,
                                        "the end of the compressed data is followed by %u byte%s", s->avail_in,
                                        str_plural(s->avail_in));
}

static bool read_content(struct zip *z, const struct item *it)
{
    struct pack_entry *e = it->entry;
    uint32_t crc = 0;
    if (!reading_begin(z->r, e, it->size) ||
        !(it->method == STORED ? pass(z, str(z->bytes.p + it->data_at, it->size), &crc) : inflate_content(z, it, &crc)))
        return false;
    if (crc != it->crc)
        return reading_stop(z->r, PACK_ZIP_CRC, e->raw_name, "the directory gives CRC-32 %08x, the data has %08x",
                            it->crc, crc);
    return reading_end(z->r, e);
}

static bool make_room(struct zip *z)
{
    z->room = arena_text(&z->r->scratch, READING_BUFFER);
    return z->room || reading_no_memory(z->r);
}

void zip_read(struct reading *r)
{
    struct zip z = {.r = r, .bytes = r->from->whole};
    if (!read_end(&z) || !read_directory(&z) || !check_places(&z) || !reading_inflate(r, &z.stream) || !make_room(&z))
        return;
    for (size_t i = 0; i < z.n_items; i++)
        if (!read_content(&z, &z.items[i]))
            return;
}
