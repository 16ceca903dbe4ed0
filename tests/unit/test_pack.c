/* SPDX-License-Identifier: Apache-2.0
 *
 * What holds for both formats: real and hostile archives, caps, damage at each byte, memory.
 */
#include <dirent.h>

#include "archive_unit.h"

/* -- real and hostile archives, where they are -- */

static struct pap_str load(struct arena *a, const char *folder, const char *name)
{
    char path[1024];
    struct pap_str bytes;
    snprintf(path, sizeof path, "%s/%s/%s", getenv("PAPAVER_CASES"), folder, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        unit_fail("cannot open %s", path);
    char *p = arena_text(a, 1 << 20);
    assert_non_null(p);
    bytes = str(p, fread(p, 1, 1 << 20, f));
    fclose(f);
    return bytes;
}

static bool no_cases(void)
{
    if (getenv("PAPAVER_CASES"))
        return false;
    print_message("PAPAVER_CASES is not set: real and hostile archives were not read\n");
    return true;
}

static const struct {
    const char *file, *verdict;
} hostile[] = {
    {"ok.tar.gz", "good"},
    {"ok.zip", "good"},
    {"abs.tar.gz", "name"},
    {"abs.zip", "name"},
    {"aftereof.tar.gz", "tar-trailing"},
    {"backslash.tar.gz", "name"},
    {"backslash.zip", "name"},
    {"badutf8.tar.gz", "name"},
    {"bomb.tar.gz", "limit-file"},
    {"bomb.zip", "limit-file"},
    {"case.tar.gz", "collision"},
    {"cdname.zip", "zip-local"},
    {"cksum.tar.gz", "tar-checksum"},
    {"crc.zip", "zip-crc"},
    {"dev.tar.gz", "special"},
    {"dotdot.tar.gz", "name"},
    {"dotdot.zip", "name"},
    {"dup.tar.gz", "collision"},
    {"dup.zip", "collision"},
    {"fifo.tar.gz", "special"},
    {"gzcat.tar.gz", "gzip-trailing"},
    {"gzcrc.tar.gz", "gzip-crc"},
    {"gzisize.tar.gz", "gzip-size"},
    {"gztrail.tar.gz", "gzip-trailing"},
    {"gztrunc.tar.gz", "gzip-truncated"},
    {"hard.tar.gz", "hardlink"},
    {"hiddenlocal.zip", "zip-hidden"},
    {"noeof.tar.gz", "tar-no-end"},
    {"nul.tar.gz", "name"},
    {"overlap.zip", "zip-overlap"},
    {"prefix.zip", "zip-prefix"},
    {"suid.tar.gz", "setid"},
    {"sym.tar.gz", "symlink"},
    {"sym.zip", "symlink"},
    {"trail.zip", "zip-trailing"},
};

static enum pack_format format_of(const char *name)
{
    return str_ends(str_c(name), S(".zip")) ? PACK_ZIP : PACK_TAR_GZ;
}

static void hostile_archives_are_seen(void **state)
{
    (void)state;
    size_t n = sizeof hostile / sizeof *hostile, files = 0;
    char path[1024];
    if (no_cases())
        return;
    for (size_t i = 0; i < n; i++) {
        struct arena a;
        arena_init(&a, NULL);
        struct pack p = read_bytes(&a, load(&a, "hostile/archives", hostile[i].file), format_of(hostile[i].file), NULL);
        const char *got = verdict(&a, &p);
        if (strcmp(got, hostile[i].verdict) != 0)
            unit_fail("%s: %s (%.*s), want %s", hostile[i].file, got, PSTR(p.fault_text), hostile[i].verdict);
        arena_fini(&a);
    }
    snprintf(path, sizeof path, "%s/hostile/archives", getenv("PAPAVER_CASES"));
    DIR *d = opendir(path);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        files += e->d_name[0] != '.';
    closedir(d);
    assert_int_equal(files, n); /* none of them is left out */
}

static const struct {
    const char *folder, *file, *root, *other;
    size_t files;
    unsigned facts;
} real[] = {
    {"archives", "01-good-dot-slash-entries.novu-manage-subscribers.tar.gz", "SKILL.md", NULL, 4, PACK_F_DOT_SLASH},
    {"archives", "03-bad-wrapper-directory.web-design-guidelines.zip", NULL, "web-design-guidelines/SKILL.md", 1, 0},
    {"remote-skills/publisher/goldens/tar-gzip",
     "sha256-921ecb597c44cc3adaaca7488b7cf3b9ae54e74f7bdf1084f117d30d37fb6f0e.tar.gz", "SKILL.md",
     "references/security.md", 3, 0},
    {"remote-skills/publisher/goldens/zip",
     "sha256-3a81c4ee90f7f0cc8c382af0cb44919bab16a0432aaec18c9d85c210d0f1a05d.zip", "SKILL.md", "assets/template.md", 3,
     0},
};

static void real_archives_are_read(void **state)
{
    (void)state;
    if (no_cases())
        return;
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        struct arena a;
        arena_init(&a, NULL);
        struct pack p = read_bytes(&a, load(&a, real[i].folder, real[i].file), PACK_UNKNOWN, NULL);
        assert_string_equal(verdict(&a, &p), "good");
        assert_int_equal(p.notices, 0);
        assert_int_equal(p.n_files, real[i].files);
        if (real[i].other)
            assert_true(entry_of(&p, real[i].other).data.n > 0);
        if (real[i].root) {
            struct pack_entry e = entry_of(&p, real[i].root);
            assert_true(str_starts(e.data, S("---")));
            assert_int_equal(e.facts & PACK_F_DOT_SLASH, real[i].facts);
        }
        arena_fini(&a);
    }
}

/* -- format -- */

static void magic_must_agree(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    assert_int_equal(pack_sniff(S("\x1f\x8b\x08\0")), PACK_TAR_GZ);
    assert_int_equal(pack_sniff(S("PK\3\4")), PACK_ZIP);
    assert_int_equal(pack_sniff(S("PK\5\6")), PACK_ZIP);
    assert_int_equal(pack_sniff(S("PK\1\2")), PACK_UNKNOWN);
    assert_int_equal(pack_sniff(S("")), PACK_UNKNOWN);
    struct pack p = read_bytes(&a, S("PK\3\4"), PACK_TAR_GZ, NULL);
    assert_fault(&p, PACK_BAD_MAGIC);
    assert_text(&p, "50 4b 03 04, which is a zip, not a tar.gz");
    p = read_bytes(&a, S("\x1f\x8b\x08\0"), PACK_ZIP, NULL);
    assert_fault(&p, PACK_BAD_MAGIC);
    p = read_bytes(&a, S("<html>"), PACK_UNKNOWN, NULL);
    assert_fault(&p, PACK_BAD_MAGIC);
    assert_text(&p, "3c 68 74 6d");
    p = read_bytes(&a, S("<html> and more than an end record could be"), PACK_ZIP, NULL);
    assert_fault(&p, PACK_BAD_MAGIC);
    p = read_bytes(&a, S(""), PACK_TAR_GZ, NULL);
    assert_fault(&p, PACK_BAD_MAGIC);
    p = read_bytes(&a, S("\x1f\xef\xbf\xbd\x08"), PACK_TAR_GZ, NULL);
    assert_fault(&p, PACK_UTF8_MANGLED);
    arena_fini(&a);
}

static void every_fault_has_its_word(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PACK_FAULT_COUNT; i++) {
        assert_non_null(pack_fault_name((enum pack_fault)i));
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(pack_fault_name((enum pack_fault)i), pack_fault_name((enum pack_fault)k));
    }
    assert_string_equal(pack_fault_name(PACK_FAULT_COUNT), "unknown");
}

/* -- caps -- */

static const struct pack_limits small = {.unpacked = 20000, .file = 5000, .files = 3, .depth = 2};

static struct pack read_small(struct arena *a, const char *names_, size_t each, bool zip)
{
    struct buf t, b;
    struct zip_part parts[16] = {0};
    static const char content[8192];
    struct pap_str rest = str_c(names_), part;
    size_t n = 0;
    buf_init(&t, NULL, 1 << 20);
    buf_init(&b, NULL, 1 << 20);
    while (str_next(&rest, ' ', &part)) {
        bool folder = str_ends(part, S("/"));
        struct pap_str data = str(content, folder ? 0 : each);
        tar_add(&t, &(struct tar_part){.raw_name = part, .type = folder ? '5' : '0', .data = data});
        parts[n++] = (struct zip_part){.raw_name = part, .data = data};
    }
    tar_end(&t, 2);
    if (zip)
        zip_make(&b, parts, n, NULL);
    else
        gzip_wrap(&b, buf_str(&t));
    struct pack p = read_bytes(a, buf_str(&b), PACK_UNKNOWN, &small);
    buf_fini(&t);
    buf_fini(&b);
    return p;
}

static void caps_hold_in_both_formats(void **state)
{
    (void)state;
    static const struct {
        const char *names;
        size_t each;
        enum pack_fault want;
    } cases[] = {
        {"a b c", 5000, PACK_WHOLE},
        {"a b c d", 1, PACK_LIMIT_FILES},
        {"a", 5001, PACK_LIMIT_FILE},
        {"1/2/a 1/2/", 1, PACK_WHOLE},
        {"1/2/3/a", 1, PACK_LIMIT_DEPTH},
        {"1/2/3/", 1, PACK_LIMIT_DEPTH},
        {"1/ 2/ 3/ 4/", 0, PACK_WHOLE},
        {"1/ 2/ 3/ 4/ 5/", 0, PACK_LIMIT_UNPACKED}, /* an entry counts for 4096 bytes */
        {"1/ 2/ a b", 5000, PACK_WHOLE},
        {"1/ 2/ 3/ a b", 5000, PACK_LIMIT_UNPACKED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int zip = 0; zip < 2; zip++) {
            struct arena a;
            arena_init(&a, NULL);
            struct pack p = read_small(&a, cases[i].names, cases[i].each, zip);
            assert_fault(&p, cases[i].want);
            arena_fini(&a);
        }
}

/* 300 MB in some 300 kB: one deflate block of 1 MiB of zeros many times over, behind `head`. */
static void make_bomb(struct buf *out, struct pap_str head, size_t times)
{
    static const char zeros[1 << 20];
    struct buf block;
    buf_init(&block, NULL, 1 << 20);
    buf_add(out, S("\x1f\x8b\x08\0\0\0\0\0\x02\xff"));
    for (int i = 0; i < 2; i++) {
        struct buf *to = i ? &block : out;
        z_stream z = {.next_in = (Bytef *)(uintptr_t)(i ? zeros : head.p),
                      .avail_in = (uInt)(i ? sizeof zeros : head.n)};
        assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
        z.next_out = (Bytef *)buf_room(to, 8192);
        z.avail_out = 8192;
        assert_int_equal(deflate(&z, Z_FULL_FLUSH), Z_OK);
        buf_grew(to, z.total_out);
        deflateEnd(&z);
    }
    while (times--)
        buf_add(out, buf_str(&block));
    buf_fini(&block);
}

static void read_bomb(struct pap_str head, const struct pack_limits *limits, enum pack_fault want, size_t most)
{
    struct meter m = {.alloc = {meter_fn, &m}};
    struct arena a;
    struct buf b;
    arena_init(&a, &m.alloc);
    buf_init(&b, NULL, 1 << 20);
    make_bomb(&b, head, 300);
    assert_true(b.n < 400000);
    struct pack p = read_bytes(&a, buf_str(&b), PACK_TAR_GZ, limits);
    assert_fault(&p, want);
    if (m.peak > most)
        unit_fail("%zu bytes of memory, want %zu at most", m.peak, most);
    arena_fini(&a);
    assert_int_equal(m.live, 0);
    buf_fini(&b);
}

static void bombs_stop_at_the_cap(void **state)
{
    (void)state;
    const struct pack_limits l = {.unpacked = 1 << 20, .file = 1 << 20, .files = 1000, .depth = 16};
    struct buf t;
    buf_init(&t, NULL, 1 << 20);
    tar_add(&t, &(struct tar_part){.name = "a", .size = "02000000000"});
    read_bomb(buf_str(&t), NULL, PACK_LIMIT_FILE, 256 << 10); /* says 268 MB */
    buf_reset(&t);
    tar_add(&t, &(struct tar_part){.name = "d", .type = '3', .size = "00001000000"});
    read_bomb(buf_str(&t), &l, PACK_LIMIT_UNPACKED, 256 << 10); /* the rest is padding behind the end */
    buf_reset(&t);
    tar_add(&t, &(struct tar_part){.name = "a", .size = "00003700000"});
    read_bomb(buf_str(&t), &l, PACK_LIMIT_UNPACKED, (2 << 20) + (256 << 10));
    buf_fini(&t);
}

/* -- damage and memory -- */

static struct buf make_good(bool zip)
{
    struct buf t, b;
    struct pap_str skill = S("---\nname: a\n---\ntext text text text text");
    buf_init(&t, NULL, 1 << 20);
    buf_init(&b, NULL, 1 << 20);
    if (zip) {
        const struct zip_part parts[] = {{.name = "SKILL.md", .data = skill},
                                         {.name = "d/", .mode = 040755, .stored = true},
                                         {.name = "d/x", .data = S("x"), .stored = true},
                                         {.name = "d/y", .data = skill, .descriptor = true}};
        zip_make(&b, parts, 4, &(struct zip_tail){.comment = S("hello")});
    } else {
        tar_extra(&t, 'x', S("17 path=SKILL.md\n"));
        tar_add(&t, &(struct tar_part){.name = "short", .data = skill});
        tar_add(&t, &(struct tar_part){.name = "d/", .type = '5', .mode = "0000755"});
        tar_extra(&t, 'L', S("d/x\0"));
        tar_add(&t, &(struct tar_part){.name = "d", .data = S("x"), .magic = "ustar  \0"});
        tar_add(&t, &(struct tar_part){.name = "y", .prefix = "d", .data = skill});
        tar_end(&t, 2);
        gzip_wrap(&b, buf_str(&t));
    }
    buf_fini(&t);
    assert_true(buf_ok(&b));
    return b;
}

/* A copy of exactly n bytes, so that the sanitizer sees each read past the end. */
static char *exact_copy(const char *p, size_t n)
{
    char *copy = malloc(n + !n);
    assert_non_null(copy);
    memcpy(copy, p, n);
    return copy;
}

static void cut_archives_are_never_whole(void **state)
{
    (void)state;
    for (int zip = 0; zip < 2; zip++) {
        struct buf b = make_good(zip);
        for (size_t n = 0; n <= b.n; n++) {
            struct arena a;
            arena_init(&a, NULL);
            char *cut = exact_copy(b.p, n);
            struct pack p = read_bytes(&a, str(cut, n), zip ? PACK_ZIP : PACK_TAR_GZ, NULL);
            free(cut);
            if ((p.fault == PACK_WHOLE) != (n == b.n))
                unit_fail("%s cut at %zu of %zu: %s", zip ? "zip" : "tar", n, b.n, pack_fault_name(p.fault));
            assert_true(n < b.n || p.n_files == 3);
            arena_fini(&a);
        }
        buf_fini(&b);
    }
}

/* Each bit wrong once: what is still read whole has the same files. */
static void a_wrong_bit_changes_no_file(void **state)
{
    (void)state;
    for (int zip = 0; zip < 2; zip++) {
        struct buf b = make_good(zip);
        for (size_t bit = 0; bit < b.n * 8; bit++) {
            struct arena a;
            arena_init(&a, NULL);
            char *copy = exact_copy(b.p, b.n);
            copy[bit / 8] = (char)(copy[bit / 8] ^ 1 << bit % 8);
            struct pack p = read_bytes(&a, str(copy, b.n), zip ? PACK_ZIP : PACK_TAR_GZ, NULL);
            free(copy);
            if (p.fault == PACK_WHOLE) {
                assert_int_equal(p.n_entries, 4);
                struct pack_entry y = entry_of(&p, "d/y"), skill = entry_of(&p, "SKILL.md");
                assert_true(y.type != PACK_FILE || str_starts(y.data, S("---\nname: a\n")));
                assert_true(skill.type != PACK_FILE || str_starts(skill.data, S("---\nname: a\n")));
            }
            arena_fini(&a);
        }
        buf_fini(&b);
    }
}

static void failing_allocations_are_failures(void **state)
{
    (void)state;
    for (int zip = 0; zip < 2; zip++) {
        struct buf b = make_good(zip);
        unsigned n = 1;
        for (; n < FAIL_ALLOC_MOST; n++) {
            struct fail_alloc f;
            struct arena a;
            struct pack p = {.n_files = 77};
            struct pack_collision c;
            fail_alloc_init(&f, n);
            arena_init(&a, &f.alloc);
            pap_result r = pack_read(&a, buf_str(&b), PACK_UNKNOWN, NULL, &p);
            assert_true(is_ok(r) || p.n_files == 77); /* nothing is written on failure */
            if (is_ok(r))
                r = pack_find_collision(&a, &p, &c);
            arena_fini(&a);
            assert_int_equal(f.live, 0);
            if (is_ok(r))
                break;
            assert_int_equal(r.code, PAP_NO_MEMORY);
        }
        assert_true(n > 2);
        buf_fini(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_archives_are_seen),
        cmocka_unit_test(real_archives_are_read),
        cmocka_unit_test(magic_must_agree),
        cmocka_unit_test(every_fault_has_its_word),
        cmocka_unit_test(caps_hold_in_both_formats),
        cmocka_unit_test(bombs_stop_at_the_cap),
        cmocka_unit_test(cut_archives_are_never_whole),
        cmocka_unit_test(a_wrong_bit_changes_no_file),
        cmocka_unit_test(failing_allocations_are_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
