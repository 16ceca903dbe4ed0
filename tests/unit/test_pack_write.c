/* SPDX-License-Identifier: Apache-2.0
 *
 * Archives written: pinned digests (of files of our own here, of Remote Skills' where PAPAVER_CASES points), and what is
 * written is read back whole by the strict reader.
 */
#include <stdlib.h>

#include "crypto/digest.h"
#include "pack/write.h"
#include "sys/file.h"
#include "unit.h"

enum { MOST = 50 << 20 };

static struct buf written(enum pack_format format, const struct pack_file *files, size_t n)
{
    struct packer *p;
    struct buf out;
    buf_init(&out, NULL, MOST);
    assert_ok(packer_new(NULL, &p, NULL));
    assert_ok(pack_write(p, format, files, n, &out, NULL));
    packer_free(p);
    return out;
}

static void assert_digest(struct pap_str bytes, const char *want)
{
    struct digest d;
    char text[DIGEST_TEXT + 1];
    assert_ok(digest_sha256(&bytes, 1, &d, NULL));
    digest_text(&d, text);
    assert_str(str_c(text + 7), want);
}

static const char long_name[] = "references/a-folder-with-a-rather-long-name-for-a-tar-header/and-another-one-below-it-"
                                "which-is-long-too/the-file-itself.md"; /* 121 bytes */

/* Digests computed by another encoder (Python's zipfile and tarfile layouts over zlib 1.2.13). */
static void our_own_files_give_pinned_bytes(void **state)
{
    (void)state;
    const struct pack_file files[] = {
        {S("SKILL.md"), S("---\nname: water-plants\ndescription: Waters the plants.\n---\nWater them.\n"), false},
        {S("assets/empty.txt"), S(""), false},
        {str_c(long_name), S("# Long\n"), false},
        {S("scripts/run.sh"), S("#!/bin/sh\necho water\n"), true},
        {S("\xc3\xa9t\xc3\xa9.md"), S("\xc3\xa9t\xc3\xa9\n"), false},
    };
    struct buf tar = written(PACK_TAR_GZ, files, 5), zip = written(PACK_ZIP, files, 5),
               none = written(PACK_TAR_GZ, files, 0);
    assert_digest(buf_str(&tar), "3be50377e2f1d89d7f871887325cae7d3a72f105cddf389864e9756cec8677fc");
    assert_digest(buf_str(&zip), "55ad38c96ea3995fb3be452e5e3eb7ff6e9e66224dcd81fca13f57ef23d4fb9c");
    assert_digest(buf_str(&none), "272adeccafe73e7009d51f2ec2be9871db5e0eb14239f483ea429be26c3c6402");
    buf_fini(&tar);
    buf_fini(&zip);
    buf_fini(&none);
}

static void goldens_of_remote_skills(void **state)
{
    (void)state;
    const char *cases = getenv("PAPAVER_CASES");
    static const char *const names[] = {"SKILL.md", "assets/template.md", "references/security.md"};
    struct pack_file files[3];
    struct arena a;
    if (!cases) {
        print_message("PAPAVER_CASES is not set: the goldens of Remote Skills are not compared\n");
        return;
    }
    arena_init(&a, NULL);
    for (size_t i = 0; i < 3; i++) {
        struct pap_str path =
            arena_fmt(&a, "%s/remote-skills/publisher/source/skills/release-notes/%s", cases, names[i]);
        files[i] = (struct pack_file){.name = str_c(names[i])};
        assert_ok(file_read(&a, path.p, MOST, &files[i].data, NULL, NULL));
    }
    struct buf tar = written(PACK_TAR_GZ, files, 3), zip = written(PACK_ZIP, files, 3);
    assert_digest(buf_str(&tar), "921ecb597c44cc3adaaca7488b7cf3b9ae54e74f7bdf1084f117d30d37fb6f0e");
    assert_digest(buf_str(&zip), "3a81c4ee90f7f0cc8c382af0cb44919bab16a0432aaec18c9d85c210d0f1a05d");
    buf_fini(&tar);
    buf_fini(&zip);
    arena_fini(&a);
}

static void assert_read_back(struct arena *a, enum pack_format format, const struct pack_file *files, size_t n)
{
    struct buf out = written(format, files, n);
    struct pack p;
    assert_ok(pack_read(a, buf_str(&out), format, NULL, &p));
    assert_int_equal(p.fault, PACK_WHOLE);
    assert_int_equal(p.notices, 0);
    assert_false(p.gzip_time);
    assert_int_equal(p.n_entries, n);
    const struct pack_entry *e = p.entries;
    for (size_t i = 0; i < n; i++, e = e->next) {
        assert_true(str_eq(e->raw_name, files[i].name) && str_eq(e->data, files[i].data));
        assert_int_equal(e->mode, files[i].executable ? 0755 : 0644);
        assert_int_equal(e->facts & ~(unsigned)(PACK_F_EXEC | PACK_F_LONG_NAME), 0);
    }
    buf_fini(&out);
}

/* Sizes around blocks, records and the compressor's own buffers; noise, which grows, and two letters, its worst case (of
 * which it takes seconds a megabyte). */
static void what_is_written_is_read_back(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 511, 512, 513, 8191, 8192, 9216, 65535, 65536, 65537, 1 << 20, 3000001};
    struct arena a;
    arena_init(&a, NULL);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *noise = arena_text(&a, sizes[i] + 1);
        uint32_t x = (uint32_t)i + 1;
        for (size_t k = 0; k < sizes[i]; k++) {
            x = x * 1664525 + 1013904223;
            noise[k] = i % 2 || sizes[i] > 70000 ? (char)(x >> 24) : "ab"[x >> 31];
        }
        const struct pack_file files[] = {
            {S("SKILL.md"), str(noise, sizes[i]), false}, {S("b/c"), S("c"), true}, {str_c(long_name), S("d"), false}};
        assert_read_back(&a, PACK_TAR_GZ, files, i % 3 + 1);
        assert_read_back(&a, PACK_ZIP, files, i % 3 + 1);
    }
    arena_fini(&a);
}

static void one_packer_writes_many_archives_alike(void **state)
{
    (void)state;
    const struct pack_file files[] = {{S("SKILL.md"), S("some text, some text, some text"), false}};
    struct packer *p;
    struct buf out, first = written(PACK_TAR_GZ, files, 1);
    assert_ok(packer_new(NULL, &p, NULL));
    for (int i = 0; i < 3; i++) {
        buf_init(&out, NULL, MOST);
        assert_ok(pack_write(p, PACK_ZIP, files, 1, &out, NULL));
        buf_reset(&out);
        assert_ok(pack_write(p, PACK_TAR_GZ, files, 1, &out, NULL));
        assert_true(str_eq(buf_str(&out), buf_str(&first)));
        buf_fini(&out);
    }
    packer_free(p);
    packer_free(NULL);
    buf_fini(&first);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    char name[300];
    struct packer *p;
    struct buf out;
    struct pap_err err;
    static const struct {
        size_t n, slash; /* bytes of the name, place of its only slash (0: none) */
        bool fits;
    } names[] = {{100, 0, true},    {101, 0, false},   {101, 1, true},   {256, 155, true},
                 {257, 156, false}, {256, 154, false}, {201, 100, true}, {202, 100, false}};
    assert_ok(packer_new(NULL, &p, NULL));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        memset(name, 'n', sizeof name);
        if (names[i].slash)
            name[names[i].slash] = '/';
        const struct pack_file f = {str(name, names[i].n), S("x"), false};
        buf_init(&out, NULL, MOST);
        pap_result r = pack_write(p, PACK_TAR_GZ, &f, 1, &out, &err);
        assert_int_equal(r.code, names[i].fits ? PAP_OK : PAP_LIMIT);
        assert_ok(pack_write(p, PACK_ZIP, &f, 1, &out, &err));
        buf_fini(&out);
    }
    const struct pack_file f = {S("SKILL.md"), S("some text"), false};
    for (size_t max = 0; max < 100; max++) { /* 10 + 8 bytes of gzip and what the zeros become */
        buf_init(&out, NULL, max);
        assert_int_equal(pack_write(p, max % 2 ? PACK_ZIP : PACK_TAR_GZ, &f, 1, &out, &err).code, PAP_LIMIT);
        assert_true(out.n <= max);
        buf_fini(&out);
    }
    packer_free(p);
}

static void failing_allocations(void **state)
{
    (void)state;
    const struct pack_file files[] = {{S("SKILL.md"), S("text"), false}, {S("a"), S("text"), false}};
    for (int zip = 0; zip < 2; zip++)
        for (unsigned n = 1; n < FAIL_ALLOC_MOST; n++) {
            struct fail_alloc f;
            struct packer *p = NULL;
            struct buf out;
            fail_alloc_init(&f, n);
            buf_init(&out, &f.alloc, MOST);
            pap_result r = packer_new(&f.alloc, &p, NULL);
            if (is_ok(r))
                r = pack_write(p, zip ? PACK_ZIP : PACK_TAR_GZ, files, 2, &out, NULL);
            packer_free(p);
            buf_fini(&out);
            assert_int_equal(f.live, 0);
            if (is_ok(r)) {
                assert_true(n > 3);
                break;
            }
            assert_int_equal(r.code, PAP_NO_MEMORY);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_own_files_give_pinned_bytes), cmocka_unit_test(goldens_of_remote_skills),
        cmocka_unit_test(what_is_written_is_read_back),    cmocka_unit_test(one_packer_writes_many_archives_alike),
        cmocka_unit_test(what_does_not_fit_is_refused),    cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
