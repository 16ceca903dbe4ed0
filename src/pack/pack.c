/* SPDX-License-Identifier: Apache-2.0
 *
 * What the readers of either format have in common: caps, entries, how reading stops, and the words for faults.
 */
#include "pack/reading.h"

const struct pack_limits pack_limits_default = {
    .unpacked = LIMIT_UNPACKED, .file = LIMIT_ARCHIVE_FILE, .files = LIMIT_ARCHIVE_FILES, .depth = LIMIT_ARCHIVE_DEPTH};

/* One word each; a new fault gets its word here. */
static const char *const fault_names[PACK_FAULT_COUNT] = {
    [PACK_WHOLE] = "whole",
    [PACK_BAD_MAGIC] = "bad-magic",
    [PACK_UTF8_MANGLED] = "utf8-mangled",
    [PACK_GZIP_HEADER] = "gzip-header",
    [PACK_GZIP_CRC] = "gzip-crc",
    [PACK_GZIP_SIZE] = "gzip-size",
    [PACK_GZIP_DATA] = "gzip-data",
    [PACK_GZIP_TRUNCATED] = "gzip-truncated",
    [PACK_GZIP_TRAILING] = "gzip-trailing",
    [PACK_TAR_CHECKSUM] = "tar-checksum",
    [PACK_TAR_NUMBER] = "tar-number",
    [PACK_TAR_TRUNCATED] = "tar-truncated",
    [PACK_TAR_TRAILING] = "tar-trailing",
    [PACK_TAR_PAX] = "tar-pax",
    [PACK_ZIP_END] = "zip-end",
    [PACK_ZIP_DIRECTORY] = "zip-directory",
    [PACK_ZIP_LOCAL] = "zip-local",
    [PACK_ZIP_OVERLAP] = "zip-overlap",
    [PACK_ZIP_PREFIX] = "zip-prefix",
    [PACK_ZIP_TRAILING] = "zip-trailing",
    [PACK_ZIP_CRC] = "zip-crc",
    [PACK_ZIP_SIZE] = "zip-size",
    [PACK_ZIP_DATA] = "zip-data",
    [PACK_ZIP_METHOD] = "zip-method",
    [PACK_ZIP_ENCRYPTED] = "zip-encrypted",
    [PACK_ZIP_64] = "zip-64",
    [PACK_ZIP_NAME] = "zip-name",
    [PACK_ZIP_HIDDEN] = "zip-hidden",
    [PACK_LIMIT_UNPACKED] = "limit-unpacked",
    [PACK_LIMIT_FILES] = "limit-files",
    [PACK_LIMIT_FILE] = "limit-file",
    [PACK_LIMIT_DEPTH] = "limit-depth",
    [PACK_LIMIT_RATIO] = "limit-ratio",
    [PACK_TAR_ONE_ZERO_BLOCK] = "tar-one-zero-block",
    [PACK_TAR_NO_END] = "tar-no-end",
    [PACK_GZIP_ZERO_PADDING] = "gzip-zero-padding",
};

const char *pack_fault_name(enum pack_fault f)
{
    return (unsigned)f < PACK_FAULT_COUNT ? fault_names[f] : "unknown";
}

enum pack_format pack_sniff(struct pap_str bytes)
{
    if (str_starts(bytes, S("\x1f\x8b\x08")))
        return PACK_TAR_GZ;
    if (str_starts(bytes, S("PK\x03\x04")) || str_starts(bytes, S("PK\x05\x06")))
        return PACK_ZIP;
    return PACK_UNKNOWN;
}

bool reading_stop(struct reading *r, enum pack_fault fault, struct pap_str name, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct pap_str text = arena_vfmt(r->a, fmt, ap);
    va_end(ap);
    if (!text.p)
        return reading_no_memory(r);
    r->pack.fault = fault;
    r->pack.fault_name = name;
    r->pack.fault_text = text;
    return false;
}

bool reading_no_memory(struct reading *r)
{
    r->failure = fail_memory(r->err);
    return false;
}

bool reading_stopped(const struct reading *r)
{
    return !is_ok(r->failure) || r->pack.fault != PACK_WHOLE;
}

void reading_notice(struct reading *r, enum pack_fault notice)
{
    r->pack.notices |= PACK_NOTICE(notice);
}

bool reading_charge(struct reading *r, struct pap_str name, uint64_t size)
{
    uint64_t cost = size > LIMIT_ARCHIVE_CHARGE ? size : LIMIT_ARCHIVE_CHARGE, cap = r->limits->unpacked;
    if (r->charged > cap || cost > cap - r->charged)
        return reading_stop(r, PACK_LIMIT_UNPACKED, name,
                            "the entries take more than %llu bytes (each counts for %d at least)",
                            (unsigned long long)cap, LIMIT_ARCHIVE_CHARGE);
    r->charged += cost;
    return true;
}

/* name out of raw_name: leading ./ and the closing / of a folder go (R-A3). */
static void cut_name(struct pack_entry *e)
{
    struct pap_str s = e->raw_name;
    while (str_starts(s, S("./"))) {
        s = str_skip(s, 2);
        e->facts |= PACK_F_DOT_SLASH;
    }
    if (e->type == PACK_DIR && str_ends(s, S("/")) && s.n > 1)
        s.n--;
    if (e->type == PACK_DIR && str_is(s, "."))
        s.n = 0;
    e->name = s;
}

static size_t count_folders(const struct pack_entry *e)
{
    size_t n = e->type == PACK_DIR;
    for (size_t i = 0; i < e->name.n; i++)
        n += e->name.p[i] == '/';
    return n;
}

static bool check_caps(struct reading *r, const struct pack_entry *e, uint64_t size)
{
    const struct pack_limits *l = r->limits;
    if (e->type == PACK_FILE && r->pack.n_files >= l->files)
        return reading_stop(r, PACK_LIMIT_FILES, e->raw_name, "more than %u files", l->files);
    if (size > l->file)
        return reading_stop(r, PACK_LIMIT_FILE, e->raw_name, "a file of %llu bytes; %llu are allowed",
                            (unsigned long long)size, (unsigned long long)l->file);
    size_t folders = count_folders(e);
    if (folders > l->depth)
        return reading_stop(r, PACK_LIMIT_DEPTH, e->raw_name, "%zu folders deep; %u are allowed", folders, l->depth);
    return reading_charge(r, e->raw_name, size);
}

bool reading_add(struct reading *r, struct pap_str raw, enum pack_type type, uint64_t size, uint32_t mode,
                 struct pack_entry **ret)
{
    struct pack_entry *e = arena_new(r->a, struct pack_entry);
    if (!e)
        return reading_no_memory(r);
    e->raw_name = arena_str(r->a, raw);
    if (!e->raw_name.p)
        return reading_no_memory(r);
    e->type = type;
    e->mode = mode & 07777;
    cut_name(e);
    e->facts |= (raw.n > 100 ? PACK_F_LONG_NAME : 0) | (mode & 07000 ? PACK_F_SETID : 0) |
                (type == PACK_FILE && (mode & 0111) ? PACK_F_EXEC : 0);
    if (!check_caps(r, e, size))
        return false;
    if (type != PACK_DIR || e->name.n) {
        *r->tail = e;
        r->tail = &e->next;
        r->pack.n_entries++;
        r->pack.n_files += type == PACK_FILE;
        r->pack.unpacked += type == PACK_FILE ? size : 0;
    }
    *ret = e;
    return true;
}

static void *zlib_take(void *ctx, uInt count, uInt size)
{
    return arena_array(ctx, count, size);
}

static void zlib_give_back(void *ctx, void *p)
{
    (void)ctx;
    (void)p;
}

bool reading_inflate(struct reading *r, z_stream *ret)
{
    *ret = (z_stream){.zalloc = zlib_take, .zfree = zlib_give_back, .opaque = &r->scratch};
    return inflateInit2(ret, -MAX_WBITS) == Z_OK || reading_no_memory(r);
}
