/* SPDX-License-Identifier: Apache-2.0
 *
 * tar.gz: what is honoured, what is recorded, and every fault of the gzip layer, of headers, extended headers and ends.
 */
#include "archive_unit.h"

static struct buf new_buf(void)
{
    struct buf b;
    buf_init(&b, NULL, 1 << 22);
    return b;
}

/* -- entries -- */

static const struct {
    const char *label;
    struct tar_part part;
    const char *verdict, *name; /* name NULL: not asked */
    enum pack_type type;
    unsigned facts;
} entries[] = {
    {"file", {.name = "a", .data = S_INIT("x")}, "good", "a", PACK_FILE, 0},
    {"NUL type is a file", {.name = "a", .type = 'N', .data = S_INIT("x")}, "good", "a", PACK_FILE, 0},
    {"contiguous", {.name = "a", .type = '7', .data = S_INIT("x")}, "good", "a", PACK_FILE, 0},
    {"folder", {.name = "a/", .type = '5'}, "good", "a", PACK_DIR, 0},
    {"folder without slash", {.name = "a", .type = '5'}, "good", "a", PACK_DIR, 0},
    {"old folder", {.name = "a/", .type = 'N'}, "good", "a", PACK_DIR, 0},
    {"file with a slash", {.name = "a/", .data = S_INIT("x")}, "name", "a/", PACK_FILE, 0},
    {"prefix", {.name = "b", .prefix = "a/x", .data = S_INIT("x")}, "good", "a/x/b", PACK_FILE, 0},
    {"GNU has no prefix", {.name = "b", .prefix = "a", .magic = "ustar  "}, "good", "b", PACK_FILE, 0},
    {"v7 has no prefix", {.name = "b", .prefix = "a", .magic = "\0\0\0\0\0\0\0"}, "good", "b", PACK_FILE, 0},
    {"dot slash", {.name = "././a"}, "good", "a", PACK_FILE, PACK_F_DOT_SLASH},
    {"hard link", {.name = "a", .type = '1', .link = "b"}, "hardlink", "a", PACK_HARDLINK, 0},
    {"symlink", {.name = "a", .type = '2', .link = "/etc"}, "symlink", "a", PACK_SYMLINK, 0},
    {"character device", {.name = "a", .type = '3'}, "special", "a", PACK_SPECIAL, 0},
    {"block device", {.name = "a", .type = '4'}, "special", "a", PACK_SPECIAL, 0},
    {"FIFO", {.name = "a", .type = '6'}, "special", "a", PACK_SPECIAL, 0},
    {"sparse", {.name = "a", .type = 'S', .data = S_INIT("x")}, "special", "a", PACK_SPECIAL, 0},
    {"unknown type", {.name = "a", .type = 'Z', .data = S_INIT("x")}, "special", "a", PACK_SPECIAL, 0},
    {"NUL in the name", {.raw_name = S_INIT("a\0b")}, "name", NULL, PACK_FILE, 0},
    {"setuid", {.name = "a", .mode = "0004755"}, "setid", "a", PACK_FILE, PACK_F_SETID | PACK_F_EXEC},
    {"sticky folder", {.name = "a", .type = '5', .mode = "0001777"}, "setid", "a", PACK_DIR, PACK_F_SETID},
    {"x bit", {.name = "a", .mode = "0000744"}, "good", "a", PACK_FILE, PACK_F_EXEC},
    {"x bit of a folder", {.name = "a", .type = '5', .mode = "0000755"}, "good", "a", PACK_DIR, 0},
    {"time", {.name = "a", .mtime = "14000000000"}, "good", "a", PACK_FILE, PACK_F_MTIME},
    {"time before 1970",
     {.name = "a", .mtime = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"},
     "good",
     "a",
     PACK_FILE,
     PACK_F_MTIME},
    {"owner", {.name = "a", .uid = "0001750"}, "good", "a", PACK_FILE, PACK_F_OWNER},
    {"owner's name", {.name = "a", .uname = "root"}, "good", "a", PACK_FILE, PACK_F_OWNER},
    {"blanks around numbers", {.name = "a", .data = S_INIT("xyz"), .size = "         3 \0"}, "good", "a", PACK_FILE, 0},
    {"twelve digits", {.name = "a", .data = S_INIT("xyz"), .size = "000000000003"}, "good", "a", PACK_FILE, 0},
    {"base-256",
     {.name = "a", .data = S_INIT("xyz"), .size = "\x80\0\0\0\0\0\0\0\0\0\0\x03"},
     "good",
     "a",
     PACK_FILE,
     0},
    {"no mode", {.name = "a", .mode = ""}, "good", "a", PACK_FILE, 0},
    {"signed checksum", {.name = "caf\xc3\xa9", .signed_sum = true}, "good", "caf\xc3\xa9", PACK_FILE, 0},
    {"checksum", {.name = "a", .sum_off = 1}, "tar-checksum", NULL, 0, 0},
    {"mode", {.name = "a", .mode = "rw-r--r"}, "tar-number", NULL, 0, 0},
    {"size of text", {.name = "a", .size = "0000000001x"}, "tar-number", NULL, 0, 0},
    {"size of nothing", {.name = "a", .size = "\0\0\0\0\0\0\0\0\0\0\0"}, "tar-number", NULL, 0, 0},
    {"size with a sign", {.name = "a", .size = "-0000000001"}, "tar-number", NULL, 0, 0},
    {"size with a hole", {.name = "a", .size = "000 0000001"}, "tar-number", NULL, 0, 0},
    {"size in decimal", {.name = "a", .size = "00000000009"}, "tar-number", NULL, 0, 0},
    {"size below zero",
     {.name = "a", .size = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"},
     "tar-number",
     NULL,
     0,
     0},
    {"size beyond 64 bits", {.name = "a", .size = "\x80\0\0\x01\0\0\0\0\0\0\0\0"}, "tar-number", NULL, 0, 0},
    {"size near 64 bits",
     {.name = "a", .size = "\x80\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"},
     "limit-file",
     NULL,
     0,
     0},
    {"device of endless size", {.name = "a", .type = '3', .size = "77777777777"}, "limit-file", NULL, 0, 0},
    {"folder with data", {.name = "a", .type = '5', .data = S_INIT("x")}, "tar-number", NULL, 0, 0},
    {"link with data", {.name = "a", .type = '2', .link = "b", .data = S_INIT("x")}, "tar-number", NULL, 0, 0},
    {"size beyond the end", {.name = "a", .size = "00000010000"}, "tar-truncated", NULL, 0, 0},
};

static void entries_are_recorded_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        struct arena a;
        arena_init(&a, NULL);
        struct pack p = read_tar_parts(&a, &entries[i].part, 1);
        const char *got = verdict(&a, &p);
        if (strcmp(got, entries[i].verdict) != 0)
            unit_fail("%s: %s (%.*s), want %s", entries[i].label, got, PSTR(p.fault_text), entries[i].verdict);
        if (entries[i].name) {
            struct pack_entry e = entry_of(&p, entries[i].name);
            if (e.type != entries[i].type || e.facts != entries[i].facts)
                unit_fail("%s: type %d, facts %u", entries[i].label, (int)e.type, e.facts);
            if (e.type == PACK_FILE)
                assert_true(str_eq(e.data, entries[i].part.data));
            if (e.type == PACK_SYMLINK || e.type == PACK_HARDLINK)
                assert_str(e.link, entries[i].part.link);
        }
        arena_fini(&a);
    }
}

static void the_root_itself_is_left_out(void **state)
{
    (void)state;
    const struct tar_part parts[] = {
        {.name = "./", .type = '5'}, {.name = ".", .type = '5'}, {.name = "./a", .data = S("x")}};
    struct arena a;
    arena_init(&a, NULL);
    struct pack p = read_tar_parts(&a, parts, 3);
    assert_fault(&p, PACK_WHOLE);
    assert_int_equal(p.n_entries, 1);
    assert_str(p.entries->name, "a");
    assert_str(p.entries->raw_name, "./a");
    const struct tar_part file = {.name = "./"};
    p = read_tar_parts(&a, &file, 1);
    assert_string_equal(verdict(&a, &p), "name"); /* a file of that name is not */
    arena_fini(&a);
}

/* -- extended headers -- */

/* One extended header or two, then an entry "short" of content "x". */
static const struct {
    const char *label;
    char type;
    struct pap_str data;
    char type2;
    struct pap_str data2;
    const char *verdict, *name;
} extras[] = {
    {"PAX path", 'x', S_INIT("12 path=a/b\n"), 0, S_INIT(""), "good", "a/b"},
    {"GNU long name", 'L', S_INIT("a/b\0"), 0, S_INIT(""), "good", "a/b"},
    {"GNU long link", 'K', S_INIT("/etc\0"), 0, S_INIT(""), "symlink", "short"},
    {"PAX link", 'x', S_INIT("17 linkpath=/etc\n"), 0, S_INIT(""), "symlink", "short"},
    {"PAX size", 'x', S_INIT("10 size=1\n"), 0, S_INIT(""), "good", "short"},
    {"PAX size, another", 'x', S_INIT("12 size=600\n"), 0, S_INIT(""), "tar-checksum", NULL},
    {"PAX size of text", 'x', S_INIT("10 size=x\n"), 0, S_INIT(""), "tar-pax", NULL},
    {"PAX size beyond caps", 'x', S_INIT("29 size=18446744073709551615\n"), 0, S_INIT(""), "limit-file", NULL},
    {"PAX times", 'x', S_INIT("20 mtime=1700000.125\n"), 0, S_INIT(""), "tar-pax", NULL},
    {"PAX times", 'x', S_INIT("21 mtime=1700000.125\n"), 0, S_INIT(""), "good", "short"},
    {"PAX sparse", 'x', S_INIT("22 GNU.sparse.major=1\n"), 0, S_INIT(""), "special", "short"},
    {"PAX unknown key", 'x', S_INIT("20 SCHILY.xattr.a=b\n"), 0, S_INIT(""), "good", "short"},
    {"PAX path with a line end", 'x', S_INIT("12 path=a\nb\n"), 0, S_INIT(""), "name", NULL},
    {"PAX path, binary", 'x', S_INIT("21 hdrcharset=BINARY\n11 path=\xff\xfe\n"), 0, S_INIT(""), "name", NULL},
    {"PAX path twice", 'x', S_INIT("10 path=a\n10 path=b\n"), 0, S_INIT(""), "tar-pax", NULL},
    {"PAX empty path", 'x', S_INIT("8 path=\n"), 0, S_INIT(""), "tar-pax", NULL},
    {"PAX no key", 'x', S_INIT("6 =ab\n"), 0, S_INIT(""), "tar-pax", NULL},
    {"PAX no value", 'x', S_INIT("7 path\n"), 0, S_INIT(""), "tar-pax", NULL},
    {"PAX no line end", 'x', S_INIT("10 path=a "), 0, S_INIT(""), "tar-pax", NULL},
    {"PAX length too short", 'x', S_INIT("9 path=a\n\n"), 0, S_INIT(""), "tar-pax", NULL},
    {"PAX length too long", 'x', S_INIT("99 path=a\n"), 0, S_INIT(""), "tar-pax", NULL},
    {"PAX length of nothing", 'x', S_INIT(" path=a\n"), 0, S_INIT(""), "tar-pax", NULL},
    {"PAX length 0", 'x', S_INIT("0 path=a\n"), 0, S_INIT(""), "tar-pax", NULL},
    {"PAX length endless", 'x', S_INIT("99999999999999999999 path=a\n"), 0, S_INIT(""), "tar-pax", NULL},
    {"PAX length 2^64-1", 'x', S_INIT("18446744073709551615 a=\n"), 0, S_INIT(""), "tar-pax", NULL},
    {"global comment", 'g', S_INIT("52 comment=0123456789012345678901234567890123456789\n"), 0, S_INIT(""), "good",
     "short"},
    {"global path", 'g', S_INIT("10 path=a\n"), 0, S_INIT(""), "tar-pax", NULL},
    {"PAX in front of PAX", 'x', S_INIT("10 path=a\n"), 'x', S_INIT("7 a=bc\n"), "tar-pax", NULL},
    {"GNU and PAX names", 'L', S_INIT("a\0"), 'x', S_INIT("10 path=a\n"), "tar-pax", NULL},
    {"GNU name twice", 'L', S_INIT("a\0"), 'L', S_INIT("b\0"), "tar-pax", NULL},
    {"GNU name and link", 'L', S_INIT("a\0"), 'K', S_INIT("b\0"), "symlink", "a"},
    {"GNU name of nothing", 'L', S_INIT("\0"), 0, S_INIT(""), "tar-pax", NULL},
    {"GNU name with a NUL", 'L', S_INIT("a\0b\0"), 0, S_INIT(""), "name", NULL},
};

static void extended_headers_are_honoured_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof extras / sizeof *extras; i++) {
        struct arena a;
        struct buf t = new_buf();
        arena_init(&a, NULL);
        tar_extra(&t, extras[i].type, extras[i].data);
        if (extras[i].type2)
            tar_extra(&t, extras[i].type2, extras[i].data2);
        tar_add(&t, &(struct tar_part){.name = "short", .data = S("x")});
        tar_add(&t, &(struct tar_part){.name = "next", .data = S("y")});
        tar_end(&t, 2);
        struct pack p = read_tar(&a, &t);
        const char *got = verdict(&a, &p);
        if (strcmp(got, extras[i].verdict) != 0)
            unit_fail("%s: %s (%.*s), want %s", extras[i].label, got, PSTR(p.fault_text), extras[i].verdict);
        if (extras[i].name) {
            struct pack_entry e = entry_of(&p, extras[i].name), next = entry_of(&p, "next");
            assert_int_equal(e.facts & PACK_F_PAX, extras[i].type == 'g' ? 0 : PACK_F_PAX);
            assert_true(e.type != PACK_FILE || str_eq(e.data, S("x")));
            assert_int_equal(next.facts, 0); /* nothing is left for the entry behind */
            assert_str(next.data, "y");
        }
        arena_fini(&a);
    }
}

static void long_names_are_whole(void **state)
{
    (void)state;
    struct arena a;
    struct buf t = new_buf(), path = new_buf();
    arena_init(&a, NULL);
    for (int i = 0; i < 10; i++)
        buf_add(&path, S("0123456789/"));
    buf_add(&path, S("x"));
    tar_extra(&t, 'L', buf_str(&path));
    tar_add(&t, &(struct tar_part){.name = "cut", .data = S("x")});
    tar_end(&t, 2);
    struct pack p = read_tar(&a, &t);
    assert_fault(&p, PACK_WHOLE);
    assert_true(str_eq(p.entries->name, buf_str(&path)));
    assert_int_equal(p.entries->facts, PACK_F_PAX | PACK_F_LONG_NAME);
    t = new_buf();
    buf_reset(&path);
    for (int i = 0; i < 65537; i++)
        buf_char(&path, 'x');
    tar_extra(&t, 'L', buf_str(&path));
    p = read_tar(&a, &t);
    assert_fault(&p, PACK_TAR_PAX);
    assert_text(&p, "65537");
    t = new_buf();
    tar_extra(&t, 'x', S("10 path=a\n"));
    tar_end(&t, 2);
    p = read_tar(&a, &t);
    assert_fault(&p, PACK_TAR_PAX); /* in front of nothing */
    t = new_buf();
    tar_extra(&t, 'x', S("10 path=a\n"));
    p = read_tar(&a, &t);
    assert_fault(&p, PACK_TAR_PAX);
    arena_fini(&a);
    buf_fini(&path);
}

/* Extended headers cost too: without entries they end at the cap. */
static void headers_alone_are_no_bomb(void **state)
{
    (void)state;
    struct arena a;
    struct buf t = new_buf(), b = new_buf();
    const struct pack_limits l = {.unpacked = 100000, .file = 100000, .files = 10, .depth = 10};
    struct pack p;
    arena_init(&a, NULL);
    for (int i = 0; i < 25; i++)
        tar_extra(&t, 'g', S("13 comment=a\n"));
    tar_end(&t, 2);
    gzip_wrap(&b, buf_str(&t));
    assert_ok(pack_read(&a, buf_str(&b), PACK_TAR_GZ, &l, &p));
    assert_fault(&p, PACK_LIMIT_UNPACKED);
    arena_fini(&a);
    buf_fini(&t);
    buf_fini(&b);
}

/* Old GNU sparse files: further maps stand between header and data. */
static void sparse_maps_are_stepped_over(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    for (int cut = 0; cut < 2; cut++) {
        struct buf t = new_buf();
        tar_add(&t, &(struct tar_part){.name = "s", .type = 'S', .magic = "ustar  ", .size = "00000000001"});
        t.p[482] = 1;
        memcpy(t.p + 148, "        ", 8);
        unsigned sum = 0;
        for (int i = 0; i < 512; i++)
            sum += (unsigned char)t.p[i];
        snprintf(t.p + 148, 8, "%06o", sum);
        char map[512] = {[504] = 1};
        buf_add(&t, str(map, 512));
        map[504] = 0;
        if (!cut) {
            buf_add(&t, str(map, 512));
            buf_add(&t, str(map, 512)); /* data */
            tar_add(&t, &(struct tar_part){.name = "a", .data = S("x")});
            tar_end(&t, 2);
        }
        struct pack p = read_tar(&a, &t);
        assert_fault(&p, cut ? PACK_TAR_TRUNCATED : PACK_WHOLE);
        if (!cut)
            assert_str(entry_of(&p, "a").data, "x");
    }
    arena_fini(&a);
}

/* -- ends -- */

static void ends_are_judged(void **state)
{
    (void)state;
    static const struct {
        size_t zero_blocks, more_zeros;
        bool then_entry;
        enum pack_fault fault;
        unsigned notices;
    } cases[] = {
        {2, 0, false, PACK_WHOLE, 0},
        {20, 0, false, PACK_WHOLE, 0},
        {2, 100, false, PACK_WHOLE, 0},
        {0, 0, false, PACK_WHOLE, PACK_NOTICE(PACK_TAR_NO_END)},
        {1, 0, false, PACK_WHOLE, PACK_NOTICE(PACK_TAR_ONE_ZERO_BLOCK)},
        {0, 100, false, PACK_TAR_TRUNCATED, 0},
        {1, 100, false, PACK_TAR_TRUNCATED, 0},
        {1, 0, true, PACK_TAR_TRAILING, 0},
        {2, 0, true, PACK_TAR_TRAILING, 0},
        {500, 0, true, PACK_TAR_TRAILING, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena a;
        struct buf t = new_buf();
        arena_init(&a, NULL);
        tar_add(&t, &(struct tar_part){.name = "a", .data = S("x")});
        tar_end(&t, cases[i].zero_blocks);
        for (size_t k = 0; k < cases[i].more_zeros; k++)
            buf_char(&t, '\0');
        if (cases[i].then_entry)
            tar_add(&t, &(struct tar_part){.name = "hidden", .data = S("x")});
        struct pack p = read_tar(&a, &t);
        assert_fault(&p, cases[i].fault);
        assert_int_equal(p.fault ? 0 : p.notices, cases[i].notices);
        arena_fini(&a);
    }
}

/* The tar cut at each byte and gzipped again: whole only where an entry ends, and then with a notice. */
static void a_cut_tar_is_seen(void **state)
{
    (void)state;
    struct buf t = new_buf();
    tar_extra(&t, 'x', S("10 path=a\n"));
    tar_add(&t, &(struct tar_part){.name = "short", .data = S("x")});
    size_t first = t.n;
    tar_add(&t, &(struct tar_part){.name = "b", .data = S("y")});
    size_t second = t.n;
    tar_end(&t, 2);
    for (size_t n = 0; n <= t.n; n++) {
        struct arena a;
        struct buf cut = new_buf();
        arena_init(&a, NULL);
        buf_add(&cut, str(t.p, n));
        struct pack p = read_tar(&a, &cut);
        bool whole = n == first || n == second || n == second + 512 || n == t.n;
        if ((p.fault == PACK_WHOLE) != whole)
            unit_fail("cut at %zu: %s", n, pack_fault_name(p.fault));
        assert_int_equal(whole && n < t.n, p.fault == PACK_WHOLE && p.notices != 0);
        arena_fini(&a);
    }
    buf_fini(&t);
}

static void what_is_no_tar_is_said_so(void **state)
{
    (void)state;
    struct arena a;
    struct buf t = new_buf();
    arena_init(&a, NULL);
    for (int i = 0; i < 100; i++)
        buf_add(&t, S("# A skill that was gzipped alone\n"));
    struct pack p = read_tar(&a, &t);
    assert_fault(&p, PACK_TAR_CHECKSUM);
    assert_text(&p, "holds no tar archive");
    t = new_buf();
    p = read_tar(&a, &t);
    assert_fault(&p, PACK_TAR_TRUNCATED);
    assert_text(&p, "holds nothing");
    const struct tar_part part = {.name = "a", .sum_off = 1};
    p = read_tar_parts(&a, &part, 1);
    assert_fault(&p, PACK_TAR_CHECKSUM);
    assert_str(p.fault_name, "a");
    arena_fini(&a);
}

/* -- gzip -- */

/* A good tar behind a header of our own; `mend` may change the bytes behind it. */
static struct pack read_gzip(struct arena *a, struct pap_str header, struct pap_str behind, size_t from_end, char flip)
{
    struct buf t = new_buf(), b = new_buf();
    tar_add(&t, &(struct tar_part){.name = "a", .data = S("x")});
    tar_end(&t, 2);
    buf_add(&b, header);
    deflate_raw(&b, buf_str(&t));
    gzip_trailer(&b, buf_str(&t));
    if (from_end)
        b.p[b.n - from_end] = (char)(b.p[b.n - from_end] ^ flip);
    buf_add(&b, behind);
    struct pack p;
    assert_ok(pack_read(a, buf_str(&b), PACK_TAR_GZ, NULL, &p));
    buf_fini(&t);
    buf_fini(&b);
    return p;
}

static const struct {
    const char *label;
    struct pap_str header;
    enum pack_fault fault;
    bool time;
} headers[] = {
    {"plain", S_INIT("\x1f\x8b\x08\0\0\0\0\0\0\x03"), PACK_WHOLE, false},
    {"time", S_INIT("\x1f\x8b\x08\0\1\2\3\4\0\x03"), PACK_WHOLE, true},
    {"name", S_INIT("\x1f\x8b\x08\x08\0\0\0\0\0\x03x.tar\0"), PACK_WHOLE, true},
    {"comment", S_INIT("\x1f\x8b\x08\x10\0\0\0\0\0\x03hello\0"), PACK_WHOLE, false},
    {"extra", S_INIT("\x1f\x8b\x08\x04\0\0\0\0\0\x03\x03\0abc"), PACK_WHOLE, false},
    {"text", S_INIT("\x1f\x8b\x08\x01\0\0\0\0\0\x03"), PACK_WHOLE, false},
    {"right CRC-16", S_INIT("\x1f\x8b\x08\x02\0\0\0\0\0\x03\xa7\x77"), PACK_WHOLE, false},
    {"wrong CRC-16", S_INIT("\x1f\x8b\x08\x02\0\0\0\0\0\x03\0\0"), PACK_GZIP_HEADER, false},
    {"method 7", S_INIT("\x1f\x8b\x07\0\0\0\0\0\0\x03"), PACK_GZIP_HEADER, false},
    {"reserved flag", S_INIT("\x1f\x8b\x08\x20\0\0\0\0\0\x03"), PACK_GZIP_HEADER, false},
    {"reserved flag", S_INIT("\x1f\x8b\x08\x80\0\0\0\0\0\x03"), PACK_GZIP_HEADER, false},
};

static void gzip_headers_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct arena a;
        arena_init(&a, NULL);
        struct pack p = read_gzip(&a, headers[i].header, S(""), 0, 0);
        if (p.fault != headers[i].fault || (p.fault == PACK_WHOLE && p.gzip_time != headers[i].time))
            unit_fail("%s: %s (%.*s)", headers[i].label, pack_fault_name(p.fault), PSTR(p.fault_text));
        for (size_t n = 3; n < headers[i].header.n && p.fault == PACK_WHOLE; n++) {
            struct pack cut;
            assert_ok(pack_read(&a, str_take(headers[i].header, n), PACK_TAR_GZ, NULL, &cut));
            assert_fault(&cut, PACK_GZIP_TRUNCATED);
        }
        arena_fini(&a);
    }
}

static void gzip_ends_are_checked(void **state)
{
    (void)state;
    const struct pap_str h = headers[0].header;
    struct arena a;
    arena_init(&a, NULL);
    struct pack p = read_gzip(&a, h, S(""), 8, 1);
    assert_fault(&p, PACK_GZIP_CRC);
    p = read_gzip(&a, h, S(""), 4, 1);
    assert_fault(&p, PACK_GZIP_SIZE);
    assert_text(&p, "gives 2049 bytes, the data unpacks to 2048");
    p = read_gzip(&a, h, S("\0\0\0"), 0, 0);
    assert_fault(&p, PACK_WHOLE);
    assert_int_equal(p.notices, PACK_NOTICE(PACK_GZIP_ZERO_PADDING));
    p = read_gzip(&a, h, S("\0\0x"), 0, 0);
    assert_fault(&p, PACK_GZIP_TRAILING);
    assert_text(&p, "3 bytes");
    p = read_gzip(&a, h, S("\x1f\x8b\x08"), 0, 0);
    assert_fault(&p, PACK_GZIP_TRAILING);
    assert_text(&p, "second gzip member");
    p = read_bytes(&a, S("\x1f\x8b\x08\0\0\0\0\0\0\x03\x07"), PACK_TAR_GZ, NULL); /* block type 3 */
    assert_fault(&p, PACK_GZIP_DATA);
    arena_fini(&a);
}

/* Damage in the middle of a large archive: the gzip is named, not the header in which it shows first. */
static void the_cause_is_named_before_its_effect(void **state)
{
    (void)state;
    struct arena a;
    struct buf t = new_buf(), b = new_buf();
    static char noise[300000];
    uint32_t x = 1;
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (char)((x = x * 1664525 + 1013904223) >> 24);
    arena_init(&a, NULL);
    tar_add(&t, &(struct tar_part){.name = "a", .data = S("x")});
    tar_add(&t, &(struct tar_part){.name = "b", .data = str(noise, sizeof noise)});
    tar_end(&t, 2);
    uint32_t crc = crc_of(buf_str(&t));
    t.p[3] = '!'; /* in the first header */
    buf_add(&b, S("\x1f\x8b\x08\0\0\0\0\0\x02\xff"));
    deflate_raw(&b, buf_str(&t));
    le(&b, 4, crc);
    le(&b, 4, (uint32_t)t.n);
    struct pack p;
    assert_ok(pack_read(&a, buf_str(&b), PACK_TAR_GZ, NULL, &p));
    assert_fault(&p, PACK_GZIP_CRC);
    b.n = 10;
    deflate_raw(&b, buf_str(&t));
    gzip_trailer(&b, buf_str(&t));
    assert_ok(pack_read(&a, buf_str(&b), PACK_TAR_GZ, NULL, &p));
    assert_fault(&p, PACK_TAR_CHECKSUM);
    arena_fini(&a);
    buf_fini(&t);
    buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_recorded_or_refused),
        cmocka_unit_test(the_root_itself_is_left_out),
        cmocka_unit_test(extended_headers_are_honoured_or_refused),
        cmocka_unit_test(long_names_are_whole),
        cmocka_unit_test(headers_alone_are_no_bomb),
        cmocka_unit_test(sparse_maps_are_stepped_over),
        cmocka_unit_test(ends_are_judged),
        cmocka_unit_test(a_cut_tar_is_seen),
        cmocka_unit_test(what_is_no_tar_is_said_so),
        cmocka_unit_test(gzip_headers_are_read),
        cmocka_unit_test(gzip_ends_are_checked),
        cmocka_unit_test(the_cause_is_named_before_its_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
