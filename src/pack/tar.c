/* SPDX-License-Identifier: Apache-2.0
 *
 * tar inside gzip: ustar, with the GNU and PAX extensions that real tools write as soon as a path passes 100 bytes
 * (agent-skills 3.8, tar specifics; decision 14). An entry that readers could see in two ways is refused.
 */
#include "pack/reading.h"

enum { BLOCK = 512 };

/* Fields of a header: offset and length. */
struct field {
    uint16_t at, n;
};
static const struct field f_name = {0, 100}, f_mode = {100, 8}, f_uid = {108, 8}, f_gid = {116, 8}, f_size = {124, 12},
                          f_mtime = {136, 12}, f_checksum = {148, 8}, f_link = {157, 100}, f_magic = {257, 6},
                          f_uname = {265, 32}, f_gname = {297, 32}, f_prefix = {345, 155};
enum { TYPE_AT = 156, SPARSE_MORE_AT = 482, SPARSE_BLOCK_MORE_AT = 504 };

struct tar {
    struct reading *r;
    struct gzip gzip;
    char h[BLOCK];
    /* What extended headers said about the next entry; p NULL: nothing. */
    struct pap_str path, link, size;
    bool pax, sparse;
    unsigned facts;
    struct arena extra; /* those headers; given back with each entry, for a bomb may be made of them */
    char *global;       /* LIMIT_ARCHIVE_PAX bytes for headers of the whole archive, of which nothing is kept */
};

static struct pap_str field(const struct tar *t, struct field f)
{
    return str(t->h + f.at, f.n);
}

/* Text of a field without the NULs behind it. A NUL inside stays, so that the name is refused (R-ARC-4). */
static struct pap_str text(struct pap_str s)
{
    while (s.n && s.p[s.n - 1] == '\0')
        s.n--;
    return s;
}

/* Octal digits with blanks in front and blanks or NULs behind, or base-256. */
static bool number(struct pap_str s, uint64_t *ret)
{
    uint64_t v = 0;
    if (s.n && (unsigned char)s.p[0] == 0x80) {
        for (size_t i = 1; i < s.n; i++) {
            if (v >> 56)
                return false;
            v = v << 8 | (unsigned char)s.p[i];
        }
        *ret = v;
        return true;
    }
    while (s.n && s.p[0] == ' ')
        s = str_skip(s, 1);
    while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\0'))
        s.n--;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '7')
            return false;
        v = v << 3 | (uint64_t)(s.p[i] - '0'); /* at most 12 digits */
    }
    *ret = v;
    return s.n > 0;
}

static bool is_zero_or_empty(struct pap_str s)
{
    uint64_t v;
    return text(s).n == 0 || (number(s, &v) && v == 0);
}

static bool is_zero_block(const char *h, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (h[i])
            return false;
    return true;
}

static bool check_sum(struct tar *t)
{
    uint64_t want = 0;
    uint32_t plain = 0;
    int32_t with_sign = 0; /* old tars summed char where it has a sign */
    for (size_t i = 0; i < BLOCK; i++) {
        bool own = i >= f_checksum.at && i < (size_t)(f_checksum.at + f_checksum.n);
        plain += own ? ' ' : (unsigned char)t->h[i];
        with_sign += own ? ' ' : (signed char)t->h[i];
    }
    if (number(field(t, f_checksum), &want) && (want == plain || (with_sign >= 0 && want == (uint32_t)with_sign)))
        return true;
    if (!t->r->pack.n_entries && !str_eq(str_take(field(t, f_magic), 5), S("ustar")))
        return reading_stop(t->r, PACK_TAR_CHECKSUM, S(""), "the gzip holds no tar archive (no header at its start)");
    struct pap_str name = arena_str(t->r->a, text(field(t, f_name)));
    return name.p ? reading_stop(t->r, PACK_TAR_CHECKSUM, name, "the header's checksum is %llo, its bytes sum to %o",
                                 (unsigned long long)want, plain)
                  : reading_no_memory(t->r);
}

static bool ends_early(struct tar *t, struct pap_str name, uint64_t got, uint64_t want)
{
    return !reading_stopped(t->r) &&
           reading_stop(t->r, PACK_TAR_TRUNCATED, name,
                        "the archive ends after %llu of the entry's %llu bytes (padding included)",
                        (unsigned long long)got, (unsigned long long)want);
}

static size_t padding(uint64_t n)
{
    return (size_t)(-n & (BLOCK - 1));
}

/* The entry's content and the padding behind it; only a file's goes to the sink. */
static bool pass_content(struct tar *t, struct pack_entry *e, uint64_t n)
{
    uint64_t got = 0, want = n + padding(n);
    for (struct pap_str piece; got < n && (piece = gzip_next(&t->gzip, n - got)).n; got += piece.n)
        if (e->type == PACK_FILE && !reading_data(t->r, piece))
            return false;
    if (got == n)
        got += gzip_read(&t->gzip, NULL, padding(n));
    return got == want || ends_early(t, e->raw_name, got, want);
}

/* -- extended headers -- */

static bool bad_pax(struct tar *t, const char *why)
{
    return reading_stop(t->r, PACK_TAR_PAX, S(""), "an extended header %s", why);
}

static bool set_once(struct tar *t, struct pap_str *slot, struct pap_str value)
{
    if (slot->p)
        return bad_pax(t, "says a path, link or size that another has said");
    if (!value.n)
        return bad_pax(t, "says an empty path, link or size");
    *slot = value;
    return true;
}

static const struct {
    const char *key;
    unsigned fact;
} pax_facts[] = {
    {"mtime", PACK_F_MTIME}, {"uid", PACK_F_OWNER},   {"gid", PACK_F_OWNER},
    {"uname", PACK_F_OWNER}, {"gname", PACK_F_OWNER},
};

/* Keys that say nothing about what is unpacked where are ignored, as POSIX wants. */
static bool take_record(struct tar *t, struct pap_str key, struct pap_str value, bool global)
{
    if (global)
        return str_is(key, "comment") || bad_pax(t, "for the whole archive says more than a comment");
    if (str_is(key, "path"))
        return set_once(t, &t->path, value);
    if (str_is(key, "linkpath"))
        return set_once(t, &t->link, value);
    if (str_is(key, "size"))
        return set_once(t, &t->size, value);
    t->sparse |= str_starts(key, S("GNU.sparse."));
    for (size_t i = 0; i < sizeof pax_facts / sizeof *pax_facts; i++)
        if (str_is(key, pax_facts[i].key) && value.n && !str_is(value, "0"))
            t->facts |= pax_facts[i].fact;
    return true;
}

/* "LENGTH KEY=VALUE\n", where LENGTH counts the whole record. */
static bool take_records(struct tar *t, struct pap_str rest, bool global)
{
    while (rest.n) {
        size_t blank = str_find_char(str_take(rest, 20), ' ');
        uint64_t n;
        if (!str_to_u64(str_take(rest, blank), &n) || n > rest.n || n < blank + 4 || rest.p[n - 1] != '\n')
            return bad_pax(t, "has a record of wrong length");
        struct pap_str record = str(rest.p + blank + 1, (size_t)n - blank - 2);
        size_t eq = str_find_char(record, '=');
        if (eq == record.n || eq == 0)
            return bad_pax(t, "has a record without a key");
        if (!take_record(t, str_take(record, eq), str_skip(record, eq + 1), global))
            return false;
        rest = str_skip(rest, (size_t)n);
    }
    return true;
}

static bool is_extension(char type)
{
    return type == 'x' || type == 'g' || type == 'L' || type == 'K';
}

static bool take_extension(struct tar *t, char type, uint64_t size)
{
    if (size > LIMIT_ARCHIVE_PAX)
        return reading_stop(t->r, PACK_TAR_PAX, S(""), "an extended header of %llu bytes; %d are allowed",
                            (unsigned long long)size, LIMIT_ARCHIVE_PAX);
    if (!reading_charge(t->r, S(""), size))
        return false;
    if (type == 'g' && !t->global)
        t->global = arena_text(&t->r->scratch, LIMIT_ARCHIVE_PAX);
    char *p = type == 'g' ? t->global : arena_text(&t->extra, (size_t)size);
    if (!p)
        return reading_no_memory(t->r);
    struct pap_str content = str(p, (size_t)size);
    size_t want = content.n + padding(size), got = gzip_read(&t->gzip, p, content.n);
    if (got == content.n)
        got += gzip_read(&t->gzip, NULL, padding(size));
    if (got != want)
        return ends_early(t, S(""), got, want);
    if (type == 'L' || type == 'K')
        return set_once(t, type == 'L' ? &t->path : &t->link, text(content));
    if (type == 'x' && t->pax)
        return bad_pax(t, "stands in front of another of its kind");
    t->pax |= type == 'x';
    return take_records(t, content, type == 'g');
}

/* -- entries -- */

static const struct {
    char flag;
    enum pack_type type;
} types[] = {
    {'0', PACK_FILE}, {'\0', PACK_FILE}, {'7', PACK_FILE}, {'1', PACK_HARDLINK}, {'2', PACK_SYMLINK}, {'5', PACK_DIR},
};

static enum pack_type type_of(const struct tar *t, struct pap_str name)
{
    char flag = t->h[TYPE_AT];
    if (t->sparse)
        return PACK_SPECIAL;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].flag == flag) {
            if (flag == '\0' && str_ends(name, S("/")))
                return PACK_DIR;
            return types[i].type == PACK_FILE && t->link.p ? PACK_SYMLINK : types[i].type;
        }
    return PACK_SPECIAL; /* devices, FIFOs, sparse files and what nobody knows */
}

/* The name of the entry: of an extended header, or prefix and name. Only in `ret` until it is copied. */
static struct pap_str name_of(struct tar *t, char ret[static 256])
{
    if (t->path.p)
        return t->path;
    struct pap_str name = text(field(t, f_name)), prefix = text(field(t, f_prefix));
    if (!prefix.n || !str_eq(field(t, f_magic), S("ustar\0"))) /* GNU "ustar  " keeps times there */
        return name;
    memcpy(ret, prefix.p, prefix.n);
    ret[prefix.n] = '/';
    memcpy(ret + prefix.n + 1, name.p, name.n);
    return str(ret, prefix.n + 1 + name.n);
}

static unsigned facts_of(const struct tar *t)
{
    unsigned facts = t->facts;
    if (t->pax || t->path.p || t->link.p)
        facts |= PACK_F_PAX;
    if (!is_zero_or_empty(field(t, f_mtime)))
        facts |= PACK_F_MTIME;
    if (!is_zero_or_empty(field(t, f_uid)) || !is_zero_or_empty(field(t, f_gid)) || field(t, f_uname).p[0] ||
        field(t, f_gname).p[0])
        facts |= PACK_F_OWNER;
    return facts;
}

/* Old GNU sparse files have more maps between header and data. */
static bool skip_sparse_maps(struct tar *t)
{
    char map[BLOCK];
    bool more = t->h[TYPE_AT] == 'S' && t->h[SPARSE_MORE_AT];
    while (more) {
        if (!reading_charge(t->r, S(""), 0) || gzip_read(&t->gzip, map, BLOCK) != BLOCK)
            return !reading_stopped(t->r) &&
                   reading_stop(t->r, PACK_TAR_TRUNCATED, S(""), "the archive ends in a sparse map");
        more = map[SPARSE_BLOCK_MORE_AT];
    }
    return true;
}

static bool take_entry(struct tar *t, uint64_t size, uint32_t mode)
{
    char joined[256];
    struct pap_str raw = name_of(t, joined);
    enum pack_type type = type_of(t, raw);
    if (t->size.p && !str_to_u64(t->size, &size))
        return bad_pax(t, "says a size that is no number");
    struct pack_entry *e;
    if (!reading_add(t->r, raw, type, size, mode, &e))
        return false;
    e->facts |= facts_of(t);
    if (size && (t->h[TYPE_AT] == '1' || t->h[TYPE_AT] == '2' || type == PACK_DIR))
        return reading_stop(t->r, PACK_TAR_NUMBER, e->raw_name, "a %s with a size of %llu bytes",
                            type == PACK_DIR ? "folder" : "link", (unsigned long long)size);
    if (type == PACK_SYMLINK || type == PACK_HARDLINK) {
        e->link = arena_str(t->r->a, t->link.p ? t->link : text(field(t, f_link)));
        if (!e->link.p)
            return reading_no_memory(t->r);
    }
    if (!reading_begin(t->r, e, size) || !skip_sparse_maps(t) || !pass_content(t, e, size) || !reading_end(t->r, e))
        return false;
    t->path = t->link = t->size = str(NULL, 0);
    t->pax = t->sparse = false;
    t->facts = 0;
    arena_reset(&t->extra);
    return true;
}

static bool check_nothing_open(struct tar *t)
{
    return (!t->path.p && !t->link.p && !t->pax) || bad_pax(t, "stands in front of no entry");
}

/* After the first zero block: another, then nothing but zeros. */
static bool take_end(struct tar *t)
{
    if (!check_nothing_open(t))
        return false;
    size_t n = gzip_read(&t->gzip, t->h, BLOCK);
    if (n == 0 && !reading_stopped(t->r))
        reading_notice(t->r, PACK_TAR_ONE_ZERO_BLOCK);
    bool zero = true;
    for (size_t got = n; got && zero; got = gzip_read(&t->gzip, t->h, BLOCK))
        zero = is_zero_block(t->h, got);
    if (reading_stopped(t->r))
        return false;
    if (!zero)
        return reading_stop(t->r, PACK_TAR_TRAILING, S(""), "bytes other than zeros follow the end of the archive");
    return n == 0 || n == BLOCK ||
           reading_stop(t->r, PACK_TAR_TRUNCATED, S(""), "the archive ends %zu byte%s into its last block", n,
                        str_plural(n));
}

/* One header and what belongs to it; *ret_more is false after the end. */
static bool take_header(struct tar *t, bool *ret_more)
{
    uint64_t size, mode = 0;
    size_t n = gzip_read(&t->gzip, t->h, BLOCK);
    if (reading_stopped(t->r))
        return false;
    *ret_more = n == BLOCK && !is_zero_block(t->h, BLOCK);
    if (n == 0 && t->gzip.out == 0)
        return reading_stop(t->r, PACK_TAR_TRUNCATED, S(""), "the gzip holds nothing");
    if (n == 0) {
        reading_notice(t->r, PACK_TAR_NO_END);
        return check_nothing_open(t);
    }
    if (n < BLOCK)
        return reading_stop(t->r, PACK_TAR_TRUNCATED, S(""), "the archive ends %zu byte%s into a header of 512", n,
                            str_plural(n));
    if (!*ret_more)
        return take_end(t);
    if (!check_sum(t))
        return false;
    if (!number(field(t, f_size), &size) || (text(field(t, f_mode)).n && !number(field(t, f_mode), &mode))) {
        struct pap_str name = arena_str(t->r->a, text(field(t, f_name)));
        return name.p ? reading_stop(t->r, PACK_TAR_NUMBER, name, "the header's size or mode is no octal number")
                      : reading_no_memory(t->r);
    }
    return is_extension(t->h[TYPE_AT]) ? take_extension(t, t->h[TYPE_AT], size) : take_entry(t, size, (uint32_t)mode);
}

/* Damage of the file as a whole explains damage of its headers: read on, and name the cause. */
static void prefer_gzip_fault(struct tar *t)
{
    struct pack seen = t->r->pack;
    if (!is_ok(t->r->failure) || seen.fault < PACK_TAR_CHECKSUM || seen.fault > PACK_TAR_PAX)
        return;
    t->r->pack.fault = PACK_WHOLE;
    while (gzip_read(&t->gzip, NULL, BLOCK * 128))
        ;
    if (t->r->pack.fault == PACK_WHOLE || t->r->pack.fault >= PACK_LIMIT_UNPACKED)
        t->r->pack = seen;
}

void tar_read(struct reading *r)
{
    struct tar t = {.r = r};
    arena_init(&t.extra, r->scratch.alloc);
    bool more = gzip_open(&t.gzip, r);
    while (more && take_header(&t, &more))
        ;
    if (reading_stopped(r))
        prefer_gzip_fault(&t);
    arena_fini(&t.extra);
}
