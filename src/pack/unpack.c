/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading of either format: from a source, past the magic bytes, to a sink; and the sink that keeps all of it.
 */
#include "pack/unpack.h"

#include <stdio.h>

#include "base/buf.h"
#include "pack/reading.h"

/* ---- source and sink, for the readers ---- */

bool reading_more(struct reading *r, struct pap_str *ret)
{
    struct pap_str piece = r->from->whole;
    if (piece.p)
        piece = str_skip(piece, (size_t)r->from_at);
    else
        r->failure = r->from->next(r->from->ctx, r->from_at, &piece, r->err);
    if (!is_ok(r->failure))
        return false;
    r->from_at += piece.n;
    *ret = piece;
    return true;
}

static bool is_root(const struct pack_entry *e)
{
    return e->type == PACK_DIR && !e->name.n;
}

bool reading_begin(struct reading *r, struct pack_entry *e, uint64_t size)
{
    if (r->to->begin && !is_root(e))
        r->failure = r->to->begin(r->to->ctx, e, size, r->err);
    return is_ok(r->failure);
}

bool reading_data(struct reading *r, struct pap_str piece)
{
    if (r->to->data && piece.n)
        r->failure = r->to->data(r->to->ctx, piece, r->err);
    return is_ok(r->failure);
}

bool reading_end(struct reading *r, struct pack_entry *e)
{
    if (r->to->end && !is_root(e))
        r->failure = r->to->end(r->to->ctx, e, r->err);
    return is_ok(r->failure);
}

/* ---- the first bytes ---- */

enum { MAGIC = 4 };

/* In words: "1f 8b 08 00". */
static void in_words(struct pap_str bytes, char ret[static 16])
{
    size_t at = 0;
    for (size_t i = 0; i < MAGIC && i < bytes.n; i++)
        at += (size_t)snprintf(ret + at, 16 - at, i ? " %02x" : "%02x", (unsigned char)bytes.p[i]);
}

static bool check_magic(struct reading *r, struct pap_str bytes, enum pack_format format)
{
    static const char *const words[] = {
        [PACK_UNKNOWN] = "neither gzip nor zip", [PACK_TAR_GZ] = "gzip", [PACK_ZIP] = "a zip"};
    static const char *const wanted[] = {
        [PACK_UNKNOWN] = "an archive", [PACK_TAR_GZ] = "a tar.gz", [PACK_ZIP] = "a zip"};
    enum pack_format found = pack_sniff(bytes);
    char first[16] = "";
    if (bytes.n == 0)
        return reading_stop(r, PACK_BAD_MAGIC, S(""), "the archive is empty");
    if (str_starts(bytes, S("\x1f\xef\xbf\xbd")))
        return reading_stop(r, PACK_UTF8_MANGLED, S(""),
                            "the bytes begin 1f ef bf bd: a binary file that was converted as if it were text");
    /* Of gzip with another method, or a zip behind a script, the readers know more to say. */
    if (format != PACK_UNKNOWN && (found == format || (format == PACK_TAR_GZ && str_starts(bytes, S("\x1f\x8b"))) ||
                                   (format == PACK_ZIP && !found && str_find(bytes, S("PK\5\6")) < bytes.n)))
        return true;
    in_words(bytes, first);
    return reading_stop(r, PACK_BAD_MAGIC, S(""), "the bytes begin %s, which is %s, not %s", first, words[found],
                        wanted[format]);
}

/* The first bytes of the source, which is then at its beginning again. */
static bool first_bytes(struct reading *r, char *room, struct pap_str *ret)
{
    size_t n = 0;
    for (struct pap_str piece; n < MAGIC; n += piece.n) {
        if (!reading_more(r, &piece))
            return false;
        piece = str_take(piece, MAGIC - n);
        if (!piece.n)
            break;
        memcpy(room + n, piece.p, piece.n);
    }
    r->from_at = 0;
    *ret = str(room, n);
    return true;
}

pap_result pack_source_read(struct arena *a, const struct pack_source *from, uint64_t max, struct pap_str *ret,
                            struct pap_err *err)
{
    struct buf b __attribute__((cleanup(buf_fini)));
    struct pap_str piece = from->whole;
    buf_init(&b, a->alloc, (size_t)max);
    if (piece.p && piece.n > max)
        return fail(err, PAP_LIMIT, "more than %llu bytes", (unsigned long long)max);
    while (!from->whole.p) {
        TRY(from->next(from->ctx, b.n, &piece, err));
        if (!piece.n)
            break;
        buf_add(&b, piece);
        TRY(buf_result(&b, err));
    }
    *ret = from->whole.p ? from->whole : arena_str(a, buf_str(&b));
    return ret->p ? OK : fail_memory(err);
}

/* `whole` is where all of it is then, and outlives the reading. */
static void read_zip(struct reading *r, struct pack_source *whole)
{
    *whole = *r->from;
    if (!whole->whole.p)
        r->failure = pack_source_read(&r->scratch, r->from, LIMIT_ARTIFACT, &whole->whole, r->err);
    r->from = whole;
    if (is_ok(r->failure) && check_magic(r, whole->whole, PACK_ZIP))
        zip_read(r);
}

pap_result pack_unpack(struct arena *a, const struct pack_source *from, enum pack_format format,
                       const struct pack_limits *limits, const struct pack_sink *to, struct pack *ret,
                       struct pap_err *err)
{
    struct reading r = {
        .a = a, .limits = limits ? limits : &pack_limits_default, .from = from, .to = to, .failure = OK, .err = err};
    char room[MAGIC];
    struct pap_str first = {0};
    struct pack_source whole;
    arena_init(&r.scratch, a->alloc);
    r.tail = &r.pack.entries;
    bool good = first_bytes(&r, room, &first);
    r.pack.format = format != PACK_UNKNOWN ? format : pack_sniff(first);
    if (good && r.pack.format == PACK_ZIP)
        read_zip(&r, &whole);
    else if (good && check_magic(&r, first, r.pack.format))
        tar_read(&r);
    arena_fini(&r.scratch);
    TRY(r.failure);
    *ret = r.pack;
    return OK;
}

/* ---- all of it in memory ---- */

struct keeper {
    struct arena *a;
    char *p; /* where the content of this entry goes; NULL: nowhere */
    size_t at;
};

static pap_result keep_begin(void *ctx, struct pack_entry *e, uint64_t size, struct pap_err *err)
{
    struct keeper *k = ctx;
    bool zip_link = e->type == PACK_SYMLINK && !e->link.p; /* its content is the target */
    *k = (struct keeper){.a = k->a};
    if (e->type != PACK_FILE && !zip_link)
        return OK;
    k->p = arena_text(k->a, (size_t)size + 1);
    return k->p ? OK : fail_memory(err);
}

static pap_result keep_data(void *ctx, struct pap_str piece, struct pap_err *err)
{
    struct keeper *k = ctx;
    (void)err;
    if (k->p)
        memcpy(k->p + k->at, piece.p, piece.n);
    k->at += piece.n;
    return OK;
}

static pap_result keep_end(void *ctx, struct pack_entry *e, struct pap_err *err)
{
    struct keeper *k = ctx;
    (void)err;
    if (!k->p)
        return OK;
    k->p[k->at] = '\0';
    *(e->type == PACK_FILE ? &e->data : &e->link) = str(k->p, k->at);
    return OK;
}

pap_result pack_read(struct arena *a, struct pap_str bytes, enum pack_format format, const struct pack_limits *limits,
                     struct pack *ret)
{
    struct keeper keeper = {.a = a};
    struct pack_source from = {.whole = bytes.p ? bytes : S("")};
    struct pack_sink to = {keep_begin, keep_data, keep_end, &keeper};
    return pack_unpack(a, &from, format, limits, &to, ret, NULL);
}
