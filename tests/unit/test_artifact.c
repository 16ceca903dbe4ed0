/* SPDX-License-Identifier: Apache-2.0
 *
 * A skill out of an artifact: the digest before anything else, the format, the files with their digests, sinks that fail,
 * and what it costs. What is refused of archives is in test_archive_cases.c, of front matter in test_front.c.
 */
#include "archive_unit.h"
#include "skill_unit.h"
#include "skills/artifact.h"

#define SKILL "---\nname: a\ndescription: Does a thing.\n---\n\n# A\n"

static struct pap_str digest_of(struct arena *a, struct pap_str bytes)
{
    struct digest d;
    char text[DIGEST_TEXT + 1];
    assert_ok(digest_sha256(&bytes, 1, &d, NULL));
    digest_text(&d, text);
    return arena_str(a, str_c(text));
}

static struct artifact_want wanted(struct arena *a, struct pap_str bytes, enum artifact_type type)
{
    return (struct artifact_want){.alias = S("acme"),
                                  .name = S("a"),
                                  .type = type,
                                  .digest = digest_of(a, bytes),
                                  .url = type == ARTIFACT_ARCHIVE ? S("https://a.example/a.tar.gz") : S("x")};
}

static struct pap_str read_it(struct arena *a, const struct artifact_want *want, struct pap_str bytes,
                              struct skill *ret, struct skill_fault *ret_fault)
{
    struct pack_source from = {.whole = bytes};
    struct pap_err err;
    assert_ok(artifact_read(a, want, &from, NULL, ret, ret_fault, &err));
    return fault_line(a, ret_fault);
}

/* ---- digests ---- */

static void assert_says(const struct skill_fault *f, const char *part)
{
    if (str_find(f->text, str_c(part)) == f->text.n)
        unit_fail("\"%.*s\" does not say \"%s\"", PSTR(f->text), part);
}

static void a_wrong_digest_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *served, *hashed, *cause; /* of a SKILL.md */
    } rows[] = {
        {"a\r\nb\r\n", "a\nb\n", "with LF line ends the digest is right"},
        {"a\nb\n", "a\r\nb\r\n", "with CR LF line ends the digest is right"},
        {"\xef\xbb\xbfx", "x", "without the byte order mark"},
        {"x", "\xef\xbb\xbfx", "with a byte order mark"},
        {"x\n", "x", "without the line end at its end"},
        {"x", "x\n", "with a further line end"},
        {" <!DOCTYPE html><p>", "x", "an HTML page"},
        {"<HTML>", "x", "an HTML page"},
        {"x", "y", NULL},
        {"", "y", "it is empty"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena a;
        struct skill s = {.n_files = 77};
        struct skill_fault f;
        arena_init(&a, NULL);
        struct pap_str served = str_c(rows[i].served), own = digest_of(&a, served);
        struct artifact_want want = wanted(&a, str_c(rows[i].hashed), ARTIFACT_SKILL_MD);
        struct pap_str line =
            arena_fmt(&a, "digest_mismatch expected_digest=%.*s origin_alias=acme skill_name=a", PSTR(want.digest));
        assert_true(str_eq(read_it(&a, &want, served, &s, &f), line));
        assert_says(&f, want.digest.p);
        assert_says(&f, own.p);
        if (rows[i].cause)
            assert_says(&f, rows[i].cause);
        else
            assert_true(str_ends(f.text, own));
        assert_int_equal(s.n_files, 77);
        arena_fini(&a);
    }
}

/* The archive is not even looked at: it would be refused for something else. */
static void the_digest_comes_first(void **state)
{
    (void)state;
    struct arena a;
    struct skill s;
    struct skill_fault f;
    arena_init(&a, NULL);
    struct artifact_want want = wanted(&a, S("x"), ARTIFACT_ARCHIVE);
    assert_true(str_starts(read_it(&a, &want, S("\x1f\xef\xbf\xbd\x08"), &s, &f), S("digest_mismatch ")));
    assert_says(&f, "took it for text");
    want.url = S("https://a.example/a.rar");
    assert_true(str_starts(read_it(&a, &want, S("Rar!"), &s, &f), S("digest_mismatch ")));
    want.limits.archive = 3;
    assert_str(read_it(&a, &want, S("Rar!"), &s, &f), "limit_exceeded limit=archive_bytes");
    want = wanted(&a, S("Rar!"), ARTIFACT_ARCHIVE);
    want.url = S("https://a.example/a.rar");
    assert_str(read_it(&a, &want, S("Rar!"), &s, &f),
               "artifact_unsupported artifact_type=archive origin_alias=acme skill_name=a");
    arena_fini(&a);
}

/* ---- formats and media ---- */

static void formats_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *type, *url;
        enum pack_format want;
    } rows[] = {
        {NULL, "https://a.example/a.tar.gz", PACK_TAR_GZ},
        {NULL, "https://a.example/a.TGZ", PACK_TAR_GZ},
        {NULL, "https://a.example/a.zip?x=.tgz", PACK_ZIP},
        {NULL, "https://a.example/a.zip#.tgz", PACK_ZIP},
        {NULL, "https://a.example/a?x=a.zip", PACK_UNKNOWN},
        {NULL, "https://a.example/zip", PACK_UNKNOWN},
        {NULL, "", PACK_UNKNOWN},
        {"", "a.zip", PACK_ZIP},
        {"application/gzip", "a.zip", PACK_TAR_GZ},
        {"application/x-gzip; x=y", "a", PACK_TAR_GZ},
        {"Application/ZIP", "a.tar.gz", PACK_ZIP},
        {"application/x-zip-compressed", "a", PACK_ZIP},
        {"application/x-tgz", "a", PACK_TAR_GZ},
        {"application/octet-stream", "a.zip", PACK_ZIP},
        {"binary/octet-stream", "a", PACK_UNKNOWN},
        {"text/html", "a.zip", PACK_UNKNOWN},
        {"application/zip, text/html", "a.zip", PACK_UNKNOWN},
        {"zip", "a.zip", PACK_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (artifact_format(str_c(rows[i].type), str_c(rows[i].url)) != rows[i].want)
            unit_fail("%s at %s", rows[i].type, rows[i].url);
    assert_string_equal(artifact_media(S("SKILL.md")), "text/markdown");
    assert_string_equal(artifact_media(S("a/b.JPEG")), "image/jpeg");
    assert_string_equal(artifact_media(S("a.md/b")), "application/octet-stream");
    assert_string_equal(artifact_media(S(".md")), "application/octet-stream");
}

/* ---- files ---- */

static struct buf make_archive(bool zip, bool twice)
{
    struct buf t, b;
    buf_init(&t, NULL, 1 << 20);
    buf_init(&b, NULL, 1 << 20);
    static char large[200000];
    memset(large, 'l', sizeof large);
    if (zip) {
        const struct zip_part parts[] = {{.name = "z/run.sh", .data = S("#!/bin/sh\n"), .mode = 0100755},
                                         {.name = "z/", .mode = 040755},
                                         {.name = "cafe\xcc\x81.txt", .data = S("x"), .flags = 1 << 11},
                                         {.name = ".DS_Store", .data = S("junk")},
                                         {.name = "SKILL.md", .data = S(SKILL)},
                                         {.name = "large.bin", .data = str(large, sizeof large)},
                                         {.name = "Z/RUN.sh", .data = S("")}};
        zip_make(&b, parts, twice ? 7 : 6, NULL);
    } else {
        tar_add(&t, &(struct tar_part){.name = "./z/run.sh", .data = S("#!/bin/sh\n"), .mode = "0000755"});
        tar_add(&t, &(struct tar_part){.name = "z/", .type = '5'});
        tar_add(&t, &(struct tar_part){.name = "cafe\xcc\x81.txt", .data = S("x")});
        tar_add(&t, &(struct tar_part){.name = ".DS_Store", .data = S("junk")});
        tar_add(&t, &(struct tar_part){.name = "SKILL.md", .data = S(SKILL)});
        tar_add(&t, &(struct tar_part){.name = "large.bin", .data = str(large, sizeof large)});
        if (twice)
            tar_add(&t, &(struct tar_part){.name = "Z/RUN.sh"});
        tar_end(&t, 1);
        gzip_wrap(&b, buf_str(&t));
    }
    assert_true(buf_ok(&b) && buf_ok(&t));
    buf_fini(&t);
    return b;
}

static void files_are_listed(void **state)
{
    (void)state;
    static const char *const paths[] = {"SKILL.md", "caf\xc3\xa9.txt", "large.bin", "z/run.sh"};
    for (int zip = 0; zip < 2; zip++) {
        struct arena a;
        struct skill s;
        struct skill_fault f;
        struct buf b = make_archive(zip, false);
        arena_init(&a, NULL);
        struct artifact_want want = wanted(&a, buf_str(&b), ARTIFACT_ARCHIVE);
        want.content_type = zip ? S("application/zip") : S("application/gzip");
        assert_str(read_it(&a, &want, buf_str(&b), &s, &f), "fine");
        buf_fini(&b); /* nothing points into it */
        assert_int_equal(s.n_files, 4);
        for (size_t i = 0; i < 4; i++) {
            assert_str(s.files[i].path, paths[i]);
            assert_int_equal(s.files[i].path.p[s.files[i].path.n], '\0');
            assert_int_equal(s.files[i].executable, i == 3);
        }
        assert_int_equal(s.bytes, sizeof SKILL - 1 + 1 + 200000 + 10);
        struct digest d;
        assert_true(digest_parse(digest_of(&a, S(SKILL)), &d) && digest_same(&d, &s.files[0].digest));
        assert_true(digest_parse(digest_of(&a, S("#!/bin/sh\n")), &d) && digest_same(&d, &s.files[3].digest));
        assert_int_equal(s.files[2].size, 200000);
        assert_string_equal(s.files[0].media, "text/markdown");
        assert_int_equal(s.format, zip ? PACK_ZIP : PACK_TAR_GZ);
        assert_str(s.text, SKILL);
        assert_str(s.instructions, "# A\n");
        assert_int_equal(s.n_warnings, zip ? 1 : 2); /* junk; one block of zeros */
        arena_fini(&a);
    }
}

static void a_skill_md_is_a_skill(void **state)
{
    (void)state;
    struct arena a;
    struct skill s;
    struct skill_fault f;
    arena_init(&a, NULL);
    struct artifact_want want = wanted(&a, S(SKILL), ARTIFACT_SKILL_MD);
    assert_str(read_it(&a, &want, S(SKILL), &s, &f), "fine");
    assert_true(s.n_files == 1 && str_is(s.files[0].path, "SKILL.md") && s.files[0].size == sizeof SKILL - 1);
    assert_int_equal(s.format, PACK_UNKNOWN);
    want.limits.file = sizeof SKILL - 2;
    assert_str(read_it(&a, &want, S(SKILL), &s, &f), "limit_exceeded limit=file_bytes");
    want.limits.unpacked = 10;
    assert_str(read_it(&a, &want, S(SKILL), &s, &f), "limit_exceeded limit=extracted_bytes");
    arena_fini(&a);
}

static void a_skill_md_has_a_size(void **state)
{
    (void)state;
    static char large[LIMIT_DOCUMENT + 2];
    memset(large, 'x', sizeof large);
    memcpy(large, SKILL, sizeof SKILL - 1);
    for (unsigned over = 0; over < 2; over++)
        for (unsigned archive = 0; archive < 2; archive++) {
            struct arena a;
            struct skill s;
            struct skill_fault f;
            struct buf b, t;
            struct pap_str bytes = str(large, LIMIT_DOCUMENT + over);
            arena_init(&a, NULL);
            buf_init(&b, NULL, 1 << 22);
            buf_init(&t, NULL, 1 << 22);
            tar_add(&t, &(struct tar_part){.name = "SKILL.md", .data = bytes});
            tar_end(&t, 2);
            gzip_wrap(&b, buf_str(&t));
            bytes = archive ? buf_str(&b) : bytes;
            struct artifact_want want = wanted(&a, bytes, archive ? ARTIFACT_ARCHIVE : ARTIFACT_SKILL_MD);
            assert_str(read_it(&a, &want, bytes, &s, &f), over ? "limit_exceeded limit=file_bytes" : "fine");
            buf_fini(&b);
            buf_fini(&t);
            arena_fini(&a);
        }
}

/* ---- sources and sinks ---- */

struct play {
    struct pap_str bytes; /* the source */
    unsigned calls, fail_at;
    enum pap_code code;
    size_t files;
};

static pap_result play(struct play *p, struct pap_err *err)
{
    return ++p->calls == p->fail_at ? fail(err, p->code, "it fails") : OK;
}

static pap_result play_next(void *ctx, uint64_t off, struct pap_str *ret, struct pap_err *err)
{
    struct play *p = ctx;
    (void)err;
    *ret = str_take(str_skip(p->bytes, (size_t)off), 100);
    return OK;
}

static pap_result play_begin(void *ctx, struct pap_str path, uint64_t size, bool executable, struct pap_err *err)
{
    (void)path, (void)size, (void)executable;
    return play(ctx, err);
}

static pap_result play_data(void *ctx, struct pap_str piece, struct pap_err *err)
{
    (void)piece;
    return play(ctx, err);
}

static pap_result play_end(void *ctx, const struct skill_file *f, struct pap_err *err)
{
    (void)f;
    ((struct play *)ctx)->files++;
    return play(ctx, err);
}

static pap_result play_all(const struct pap_alloc *alloc, struct play *p, bool zip, struct skill_fault *ret)
{
    struct arena a;
    struct skill s;
    struct pap_err err = {0};
    struct pack_source from = {.next = play_next, .ctx = p};
    struct artifact_sink to = {play_begin, play_data, play_end, p};
    arena_init(&a, NULL);
    struct artifact_want want = wanted(&a, p->bytes, ARTIFACT_ARCHIVE);
    want.content_type = zip ? S("application/zip") : S("application/gzip");
    struct arena own;
    arena_init(&own, alloc);
    pap_result r = artifact_read(&own, &want, &from, &to, &s, ret, &err);
    if (r.code == PAP_IO || r.code == PAP_CANCELLED)
        assert_string_equal(err.text, "it fails");
    arena_fini(&own);
    arena_fini(&a);
    return r;
}

/* A sink's failure is passed on, a caller's wish to stop too, and neither is a fault of the artifact. */
static void failures_are_passed_on(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        bool zip = i % 2;
        struct buf b = make_archive(zip, false);
        unsigned n = 0;
        for (;;) {
            struct play p = {.bytes = buf_str(&b), .fail_at = ++n, .code = i / 2 ? PAP_IO : PAP_CANCELLED};
            struct skill_fault f = {0};
            pap_result r = play_all(NULL, &p, zip, &f);
            assert_int_equal(f.code, SKILL_FINE);
            if (is_ok(r))
                break;
            assert_int_equal(r.code, p.code);
        }
        assert_true(n > 12);
        buf_fini(&b);
    }
}

static void no_memory_is_told(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        bool zip = i % 2;
        struct buf b = make_archive(zip, i / 2);
        unsigned n = 1;
        for (; n < FAIL_ALLOC_MOST; n++) {
            struct fail_alloc alloc;
            struct play p = {.bytes = buf_str(&b)};
            struct skill_fault f;
            fail_alloc_init(&alloc, n);
            pap_result r = play_all(&alloc.alloc, &p, zip, &f);
            assert_int_equal(alloc.live, 0);
            if (is_ok(r))
                break;
            assert_int_equal(r.code, PAP_NO_MEMORY);
        }
        assert_true(n > 3 && n < FAIL_ALLOC_MOST);
        buf_fini(&b);
    }
}

static void no_memory_is_told_of_a_cause(void **state)
{
    (void)state;
    struct buf b;
    unsigned n = 1;
    buf_init(&b, NULL, 1 << 20);
    gzip_wrap(&b, S(SKILL));
    for (; n < FAIL_ALLOC_MOST; n++) {
        struct fail_alloc alloc;
        struct arena a, own;
        struct skill s;
        struct skill_fault f;
        struct pap_err err;
        struct pack_source from = {.whole = buf_str(&b)};
        fail_alloc_init(&alloc, n);
        arena_init(&a, NULL);
        arena_init(&own, &alloc.alloc);
        struct artifact_want want = wanted(&a, S(SKILL), ARTIFACT_SKILL_MD);
        pap_result r = artifact_read(&own, &want, &from, NULL, &s, &f, &err);
        if (is_ok(r))
            assert_says(&f, "unpacked once more the digest is right");
        arena_fini(&own);
        arena_fini(&a);
        assert_int_equal(alloc.live, 0);
        if (is_ok(r))
            break;
        assert_int_equal(r.code, PAP_NO_MEMORY);
    }
    assert_true(n > 3 && n < FAIL_ALLOC_MOST);
    buf_fini(&b);
}

/* A bomb of 300 MB in some 300 kB: 16 MB of memory at most, from the first byte to the refusal (issue 4). */
static void a_bomb_costs_little(void **state)
{
    (void)state;
    static char zeros[1 << 20];
    struct meter m = {.alloc = {meter_fn, &m}};
    struct arena a, own;
    struct skill s;
    struct skill_fault f;
    struct buf b, t;
    struct pap_err err;
    arena_init(&a, NULL);
    arena_init(&own, &m.alloc);
    buf_init(&b, NULL, 1 << 22);
    buf_init(&t, NULL, 1 << 22);
    tar_add(&t, &(struct tar_part){.name = "a", .data = str(zeros, sizeof zeros - 512)});
    gzip_repeat(&b, buf_str(&t), 300);
    struct play p = {.bytes = buf_str(&b)};
    struct pack_source from = {.next = play_next, .ctx = &p};
    struct artifact_want want = wanted(&a, p.bytes, ARTIFACT_ARCHIVE);
    assert_ok(artifact_read(&own, &want, &from, NULL, &s, &f, &err));
    assert_str(fault_line(&a, &f), "limit_exceeded limit=extracted_bytes");
    print_message("a bomb of %zu bytes and 300 MB costs %zu kB\n", b.n, m.peak >> 10);
    assert_true(b.n < 400000 && m.peak < 1 << 20);
    arena_fini(&own);
    assert_int_equal(m.live, 0);
    buf_fini(&b);
    buf_fini(&t);
    arena_fini(&a);
}

/* As many folders as the caps allow, each as deep and as long as it may be, and capital letters in all of them. */
static void folders_cost_little(void **state)
{
    (void)state;
    struct meter m = {.alloc = {meter_fn, &m}};
    struct arena a, own;
    struct skill s;
    struct skill_fault f;
    struct buf b, t;
    struct pap_err err;
    arena_init(&a, NULL);
    arena_init(&own, &m.alloc);
    buf_init(&b, NULL, 1 << 25);
    buf_init(&t, NULL, 1 << 25);
    tar_add(&t, &(struct tar_part){.name = "SKILL.md", .data = S(SKILL)});
    for (unsigned i = 0; i < LIMIT_UNPACKED / LIMIT_ARCHIVE_CHARGE - 1; i++) {
        char name[256];
        snprintf(name, sizeof name, "D%05u/%u/%u/A/A/A/A/A/A/A/A/A/A/A/A/%0*u", i, i % 7, i % 11, 30, i);
        tar_add(&t, &(struct tar_part){.name = name, .type = '5'});
    }
    tar_end(&t, 2);
    gzip_wrap(&b, buf_str(&t));
    assert_true(buf_ok(&b) && buf_ok(&t));
    struct play p = {.bytes = buf_str(&b)};
    struct pack_source from = {.next = play_next, .ctx = &p};
    struct artifact_want want = wanted(&a, p.bytes, ARTIFACT_ARCHIVE);
    assert_ok(artifact_read(&own, &want, &from, NULL, &s, &f, &err));
    assert_str(fault_line(&a, &f), "fine");
    print_message("%u folders in %zu bytes cost %zu kB\n", LIMIT_UNPACKED / LIMIT_ARCHIVE_CHARGE - 1, b.n,
                  m.peak >> 10);
    assert_true(m.peak < 16 << 20);
    arena_fini(&own);
    buf_fini(&b);
    buf_fini(&t);
    arena_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_digest_refuses),
        cmocka_unit_test(the_digest_comes_first),
        cmocka_unit_test(formats_are_told),
        cmocka_unit_test(files_are_listed),
        cmocka_unit_test(a_skill_md_is_a_skill),
        cmocka_unit_test(a_skill_md_has_a_size),
        cmocka_unit_test(failures_are_passed_on),
        cmocka_unit_test(no_memory_is_told),
        cmocka_unit_test(no_memory_is_told_of_a_cause),
        cmocka_unit_test(a_bomb_costs_little),
        cmocka_unit_test(folders_cost_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
