/* SPDX-License-Identifier: Apache-2.0
 *
 * The gzip layer of a tar.gz (RFC 1952). The header is read here and zlib gets the raw deflate data only, so that each
 * thing that can be wrong (header, data, CRC-32, size, trailing bytes) is a fault of its own with both values. What
 * libraries let pass in silence is refused: a second member, bytes behind the member, a wrong trailer.
 */
#include "pack/reading.h"

enum { BUFFER = 64 * 1024, HEADER = 10, TRAILER = 8, FEED_MAX = 1 << 30 };
enum { FLAG_CRC = 2, FLAG_EXTRA = 4, FLAG_NAME = 8, FLAG_COMMENT = 16, FLAG_RESERVED = 0xe0 };

static bool truncated(struct reading *r, const char *where)
{
    return reading_stop(r, PACK_GZIP_TRUNCATED, S(""), "the gzip data ends inside its %s", where);
}

/* Takes a field that ends with NUL off *rest. */
static bool skip_text(struct pap_str *rest)
{
    size_t end = str_find_char(*rest, '\0');
    bool there = end < rest->n;
    *rest = str_skip(*rest, end + 1);
    return there;
}

static bool check_header(struct reading *r, struct pap_str bytes, struct pap_str *ret_data)
{
    if (bytes.n < HEADER)
        return truncated(r, "header");
    unsigned method = (unsigned char)bytes.p[2], flags = (unsigned char)bytes.p[3];
    if (method != 8)
        return reading_stop(r, PACK_GZIP_HEADER, S(""), "the gzip header names compression method %u, not 8", method);
    if (flags & FLAG_RESERVED)
        return reading_stop(r, PACK_GZIP_HEADER, S(""), "the gzip header has reserved flags set (0x%02x)", flags);
    r->pack.gzip_time = le32(bytes.p + 4) != 0 || (flags & FLAG_NAME);
    struct pap_str rest = str_skip(bytes, HEADER);
    if (flags & FLAG_EXTRA) {
        size_t n = rest.n < 2 ? SIZE_MAX : le16(rest.p) + 2u;
        if (n > rest.n)
            return truncated(r, "header");
        rest = str_skip(rest, n);
    }
    if (((flags & FLAG_NAME) && !skip_text(&rest)) || ((flags & FLAG_COMMENT) && !skip_text(&rest)))
        return truncated(r, "header");
    if (flags & FLAG_CRC) {
        if (rest.n < 2)
            return truncated(r, "header");
        size_t n = bytes.n - rest.n;
        unsigned want = le16(rest.p), got = (unsigned)crc32_z(0, (const Bytef *)bytes.p, n) & 0xffff;
        if (got != want)
            return reading_stop(r, PACK_GZIP_HEADER, S(""), "the gzip header's CRC-16 is %04x, its bytes give %04x",
                                want, got);
        rest = str_skip(rest, 2);
    }
    *ret_data = rest;
    return true;
}

bool gzip_open(struct gzip *g, struct reading *r, struct pap_str bytes)
{
    *g = (struct gzip){.r = r};
    if (!check_header(r, bytes, &g->unfed))
        return false;
    /* Headers and padding of a tar are less than a quarter of what its entries are charged at least; anything beyond
     * that is a bomb of padding. */
    uint64_t cap = r->limits->unpacked < UINT64_MAX / 2 ? r->limits->unpacked : UINT64_MAX / 2;
    g->max_out = cap + cap / 4 + BUFFER;
    g->buf = (unsigned char *)arena_text(&r->scratch, BUFFER);
    return g->buf ? reading_inflate(r, &g->z) : reading_no_memory(r);
}

/* The deflate data has ended: what the member says about it, and that nothing follows. */
static bool check_end(struct gzip *g)
{
    struct reading *r = g->r;
    struct pap_str rest = str((const char *)g->z.next_in, g->z.avail_in + g->unfed.n);
    if (rest.n < TRAILER)
        return truncated(r, "trailer");
    uint32_t crc = le32(rest.p), size = le32(rest.p + 4);
    if (crc != g->crc)
        return reading_stop(r, PACK_GZIP_CRC, S(""), "the gzip trailer gives CRC-32 %08x, the data has %08x", crc,
                            g->crc);
    if (size != (uint32_t)g->out)
        return reading_stop(r, PACK_GZIP_SIZE, S(""), "the gzip trailer gives %u bytes, the data unpacks to %llu", size,
                            (unsigned long long)g->out);
    rest = str_skip(rest, TRAILER);
    for (size_t i = 0; i < rest.n; i++)
        if (rest.p[i])
            return reading_stop(r, PACK_GZIP_TRAILING, S(""), "%zu bytes follow the gzip data%s", rest.n,
                                str_starts(rest, S("\x1f\x8b")) ? " (a second gzip member)" : "");
    if (rest.n)
        reading_notice(r, PACK_GZIP_ZERO_PADDING);
    return true;
}

static void feed(struct gzip *g)
{
    if (g->z.avail_in == 0) {
        struct pap_str piece = str_take(g->unfed, FEED_MAX);
        g->z.next_in = (const Bytef *)piece.p;
        g->z.avail_in = (uInt)piece.n;
        g->unfed = str_skip(g->unfed, piece.n);
    }
}

/* Inflates one buffer; false when there is nothing more to take. */
static bool fill(struct gzip *g)
{
    struct reading *r = g->r;
    g->at = g->n = 0;
    while (!g->ended && g->n == 0) {
        feed(g);
        g->z.next_out = g->buf;
        g->z.avail_out = BUFFER;
        int rc = inflate(&g->z, Z_NO_FLUSH);
        g->n = BUFFER - g->z.avail_out;
        g->out += g->n;
        g->crc = (uint32_t)crc32_z(g->crc, g->buf, g->n);
        g->ended = rc != Z_OK;
        if (g->out > g->max_out)
            return reading_stop(r, PACK_LIMIT_UNPACKED, S(""), "the tar archive is larger than %llu bytes",
                                (unsigned long long)g->max_out);
        if (rc == Z_MEM_ERROR)
            return reading_no_memory(r);
        if (rc == Z_BUF_ERROR)
            return truncated(r, "compressed data");
        if (rc == Z_STREAM_END && !check_end(g))
            return false;
        if (rc != Z_OK && rc != Z_STREAM_END)
            return reading_stop(r, PACK_GZIP_DATA, S(""), "the compressed data is damaged after %llu bytes: %s",
                                (unsigned long long)g->out, g->z.msg ? g->z.msg : "not deflate");
    }
    return g->n > 0;
}

size_t gzip_read(struct gzip *g, void *to, size_t n)
{
    size_t got = 0;
    while (got < n && !reading_stopped(g->r) && (g->at < g->n || fill(g))) {
        size_t piece = g->n - g->at < n - got ? g->n - g->at : n - got;
        if (to)
            memcpy((char *)to + got, g->buf + g->at, piece);
        g->at += piece;
        got += piece;
    }
    return got;
}
