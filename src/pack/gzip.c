/* SPDX-License-Identifier: Apache-2.0
 *
 * The gzip layer of a tar.gz (RFC 1952). The header is read here and zlib gets the raw deflate data only, so that each
 * thing that can be wrong (header, data, CRC-32, size, trailing bytes) is a fault of its own with both values. What
 * libraries let pass in silence is refused: a second member, bytes behind the member, a wrong trailer.
 */
#include "pack/reading.h"

enum { SLACK = 64 * 1024, HEADER = 10, TRAILER = 8, FEED_MAX = 1 << 30 };
enum { FLAG_CRC = 2, FLAG_EXTRA = 4, FLAG_NAME = 8, FLAG_COMMENT = 16, FLAG_RESERVED = 0xe0 };

static bool truncated(struct reading *r, const char *where)
{
    return reading_stop(r, PACK_GZIP_TRUNCATED, S(""), "the gzip data ends inside its %s", where);
}

/* `n` bytes of the source to `to`, counted into the header's CRC. */
static bool take(struct gzip *g, const char *part, char *to, size_t n)
{
    for (size_t got = 0; got < n;) {
        if (!g->unfed.n && !reading_more(g->r, &g->unfed))
            return false;
        if (!g->unfed.n)
            return truncated(g->r, part);
        struct pap_str piece = str_take(g->unfed, n - got);
        memcpy(to + got, piece.p, piece.n);
        g->unfed = str_skip(g->unfed, piece.n);
        got += piece.n;
    }
    g->head_crc = (uint32_t)crc32_z(g->head_crc, (const Bytef *)to, n);
    return true;
}

static bool skip_text(struct gzip *g)
{
    char c = '\0';
    do {
        if (!take(g, "header", &c, 1))
            return false;
    } while (c);
    return true;
}

static bool skip_extra(struct gzip *g)
{
    char n[2] = {0}, c;
    if (!take(g, "header", n, 2))
        return false;
    for (uint32_t i = le16(n); i; i--)
        if (!take(g, "header", &c, 1))
            return false;
    return true;
}

static bool check_header_crc(struct gzip *g)
{
    char crc[2] = {0};
    uint32_t got = g->head_crc & 0xffff;
    if (!take(g, "header", crc, 2))
        return false;
    return le16(crc) == got || reading_stop(g->r, PACK_GZIP_HEADER, S(""),
                                            "the gzip header's CRC-16 is %04x, its bytes give %04x", le16(crc), got);
}

static bool check_header(struct gzip *g)
{
    char h[HEADER] = {0};
    if (!take(g, "header", h, HEADER))
        return false;
    unsigned method = (unsigned char)h[2], flags = (unsigned char)h[3];
    if (method != 8)
        return reading_stop(g->r, PACK_GZIP_HEADER, S(""), "the gzip header names compression method %u, not 8",
                            method);
    if (flags & FLAG_RESERVED)
        return reading_stop(g->r, PACK_GZIP_HEADER, S(""), "the gzip header has reserved flags set (0x%02x)", flags);
    g->r->pack.gzip_time = le32(h + 4) != 0 || (flags & FLAG_NAME);
    return (!(flags & FLAG_EXTRA) || skip_extra(g)) && (!(flags & FLAG_NAME) || skip_text(g)) &&
           (!(flags & FLAG_COMMENT) || skip_text(g)) && (!(flags & FLAG_CRC) || check_header_crc(g));
}

bool gzip_open(struct gzip *g, struct reading *r)
{
    *g = (struct gzip){.r = r};
    if (!check_header(g))
        return false;
    /* Headers and padding of a tar are less than a quarter of what its entries are charged at least; anything beyond
     * that is a bomb of padding. */
    uint64_t cap = r->limits->unpacked < UINT64_MAX / 2 ? r->limits->unpacked : UINT64_MAX / 2;
    g->max_out = cap + cap / 4 + SLACK;
    g->buf = (unsigned char *)arena_text(&r->scratch, READING_BUFFER);
    return g->buf ? reading_inflate(r, &g->z) : reading_no_memory(r);
}

/* Whether the source has come to its end; zeros in front of that are padding. */
static bool check_nothing_follows(struct gzip *g)
{
    uint64_t n = 0;
    unsigned char first = 0;
    bool zeros = true, again = false;
    for (;;) {
        if (!g->unfed.n && !reading_more(g->r, &g->unfed))
            return false;
        if (!g->unfed.n)
            break;
        for (size_t i = 0; i < g->unfed.n; i++, n++) {
            unsigned char c = (unsigned char)g->unfed.p[i];
            again |= n == 1 && first == 0x1f && c == 0x8b;
            first = n == 0 ? c : first;
            zeros &= c == 0;
        }
        g->unfed = str(NULL, 0);
    }
    if (!zeros)
        return reading_stop(g->r, PACK_GZIP_TRAILING, S(""), "the gzip data is followed by %llu byte%s%s",
                            (unsigned long long)n, str_plural(n), again ? " (a second gzip member)" : "");
    if (n)
        reading_notice(g->r, PACK_GZIP_ZERO_PADDING);
    return true;
}

/* The deflate data has ended: what the member says about it, and that nothing follows. */
static bool check_end(struct gzip *g)
{
    struct reading *r = g->r;
    char t[TRAILER] = {0};
    g->unfed = str((const char *)g->z.next_in, g->z.avail_in + g->unfed.n);
    g->z.avail_in = 0;
    if (!take(g, "trailer", t, TRAILER))
        return false;
    uint32_t crc = le32(t), size = le32(t + 4);
    if (crc != g->crc)
        return reading_stop(r, PACK_GZIP_CRC, S(""), "the gzip trailer gives CRC-32 %08x, the data has %08x", crc,
                            g->crc);
    if (size != (uint32_t)g->out)
        return reading_stop(r, PACK_GZIP_SIZE, S(""), "the gzip trailer gives %u bytes, the data unpacks to %llu", size,
                            (unsigned long long)g->out);
    return check_nothing_follows(g);
}

static bool feed(struct gzip *g)
{
    if (g->z.avail_in)
        return true;
    if (!g->unfed.n && !reading_more(g->r, &g->unfed))
        return false;
    struct pap_str piece = str_take(g->unfed, FEED_MAX);
    g->z.next_in = (const Bytef *)piece.p;
    g->z.avail_in = (uInt)piece.n;
    g->unfed = str_skip(g->unfed, piece.n);
    return true;
}

/* Inflates one buffer; false when there is nothing more to take. */
static bool fill(struct gzip *g)
{
    struct reading *r = g->r;
    g->at = g->n = 0;
    while (!g->ended && g->n < READING_BUFFER) {
        if (!feed(g))
            return false;
        g->z.next_out = g->buf + g->n;
        g->z.avail_out = (uInt)(READING_BUFFER - g->n);
        int rc = inflate(&g->z, Z_NO_FLUSH);
        size_t got = READING_BUFFER - g->n - g->z.avail_out;
        g->crc = (uint32_t)crc32_z(g->crc, g->buf + g->n, got);
        g->n += got;
        g->out += got;
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

struct pap_str gzip_next(struct gzip *g, uint64_t most)
{
    if (!most || reading_stopped(g->r) || (g->at == g->n && !fill(g)))
        return str(NULL, 0);
    size_t n = g->n - g->at < most ? g->n - g->at : (size_t)most;
    g->at += n;
    return str((const char *)g->buf + g->at - n, n);
}

size_t gzip_read(struct gzip *g, void *to, size_t n)
{
    size_t got = 0;
    for (struct pap_str piece; (piece = gzip_next(g, n - got)).n; got += piece.n)
        if (to)
            memcpy((char *)to + got, piece.p, piece.n);
    return got;
}
