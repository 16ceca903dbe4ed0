/* SPDX-License-Identifier: Apache-2.0
 *
 * Artifacts that a client takes or refuses, each with its code and context. The archives are built here from what is wrong
 * with them. The table below pins them; where PAPAVER_CASES points, the cases of Remote Skills are built from their
 * category and must give their results.
 */
#include "make_archive.h"
#include "skill_unit.h"
#include "skills/artifact.h"
#include "text/utf8.h"

#define SKILL "---\nname: fixture-skill\ndescription: Says what it is for.\n---\n\n# A skill\n"
#define FRONT "---\nname: fixture-skill\n"

/* An entry of either format. */
struct entry {
    struct pap_str name, data;
    char type; /* as tar calls it: 0 a file, 's' a socket */
    const char *link;
    uint32_t size_off; /* zip: added to the size that is told */
};

enum { PARTS = 6 };

/* What is wrong, and what is in the archive: entries whose name begins with NULL are left out. `skill` false: without the
 * plain SKILL.md in front. To add a case: a row. */
struct category {
    const char *name;
    bool no_skill;
    struct entry parts[PARTS];
    struct artifact_limits limits;
    const char *want; /* the fault; of a zip `want_zip`, when it is another */
    const char *want_zip;
};

#define NAMED(text)                               \
    {                                             \
        .name = S_INIT(text), .data = S_INIT("x") \
    }

static const struct category categories[] = {
    {"valid",
     .parts = {{S_INIT("references/security.md"), S_INIT("12345678901234567890123456789012345678901234567890123")},
               {S_INIT("assets/template.bin"), S_INIT("\0\1\2\3")}},
     .want = "fine"},
    {"traversal", .parts = {NAMED("../escape.txt")}, .want = "archive_unsafe path=../escape.txt"},
    {"duplicate_path", .parts = {NAMED("references/dup.txt"), NAMED("references/dup.txt")},
     .want = "archive_unsafe path=references/dup.txt"},
    {"case_collision", .parts = {NAMED("README.md"), NAMED("readme.md")}, .want = "archive_unsafe path=readme.md"},
    {"symlink", .parts = {{S_INIT("references/link"), .type = '2', .link = "../SKILL.md"}},
     .want = "archive_unsafe path=references/link"},
    {"hard_link", .parts = {{S_INIT("references/link"), .type = '1', .link = "SKILL.md"}},
     .want = "archive_unsafe path=references/link"},
    {"special_file", .parts = {{S_INIT("scripts/pipe"), .type = '6'}}, .want = "archive_unsafe path=scripts/pipe"},
    {"device", .parts = {{S_INIT("devices/null"), .type = '3'}}, .want = "archive_unsafe path=devices/null"},
    {"socket", .parts = {{S_INIT("sockets/fixture.sock"), .type = 's'}},
     .want = "archive_unsafe path=sockets/fixture.sock"},
    {"invalid_utf8_path", .parts = {NAMED("references/\xff.txt")}, .want = "archive_unsafe"},
    {"nul_path", .parts = {{S_INIT("references/a\0b.txt"), S_INIT("x")}}, .want = "archive_unsafe"},
    {"decompression_limit", .parts = {{S_INIT("assets/large.bin"), .type = 'Z'}}, .limits = {.unpacked = 1024},
     .want = "limit_exceeded limit=extracted_bytes"},
    {"count_limit", .parts = {NAMED("a.txt"), NAMED("b.txt"), NAMED("c.txt")}, .limits = {.files = 3},
     .want = "limit_exceeded limit=files"},
    {"size_limit", .parts = {{S_INIT("assets/large.bin"), .type = 'Z'}}, .limits = {.file = 1024},
     .want = "limit_exceeded limit=file_bytes"},
    {"archive_byte_limit", .limits = {.archive = 1}, .want = "limit_exceeded limit=archive_bytes"},
    {"absolute_path", .parts = {NAMED("/absolute.txt")}, .want = "archive_unsafe path=/absolute.txt"},
    {"drive_prefixed_path", .parts = {NAMED("C:/escape.txt")}, .want = "archive_unsafe path=C:/escape.txt"},
    {"windows_drive_backslash", .parts = {NAMED("C:\\escape.txt")}, .want = "archive_unsafe path=C:\\escape.txt"},
    {"root_backslash", .parts = {NAMED("\\escape.txt")}, .want = "archive_unsafe path=\\escape.txt"},
    {"unc_path", .parts = {NAMED("\\\\server\\share\\escape.txt")},
     .want = "archive_unsafe path=\\\\server\\share\\escape.txt"},
    {"mixed_separator_traversal", .parts = {NAMED("references\\../escape.txt")},
     .want = "archive_unsafe path=references\\../escape.txt"},
    {"unicode_normalization_collision",
     .parts = {NAMED("references/cafe\xcc\x81.txt"), NAMED("references/caf\xc3\xa9.txt")},
     .want = "archive_unsafe path=references/caf\xc3\xa9.txt"},
    {"dot_segment", .parts = {NAMED("references/./dot.txt")}, .want = "archive_unsafe path=references/./dot.txt"},
    {"dot_dot_segment", .parts = {NAMED("references/../safe.txt")},
     .want = "archive_unsafe path=references/../safe.txt"},
    {"missing_root_skill", .no_skill = true, .parts = {NAMED("references/security.md")},
     .want = "archive_unsafe path=SKILL.md"},
    {"non_regular_root_skill", .no_skill = true,
     .parts = {{S_INIT("SKILL.md"), .type = '5'}, NAMED("references/security.md")},
     .want = "archive_unsafe path=SKILL.md"},
    {"streamed_size_mismatch", .parts = {{S_INIT("assets/large.bin"), .type = 'Z', .size_off = (uint32_t)-4000}},
     .limits = {.file = 1024}, .want = "limit_exceeded limit=file_bytes",
     .want_zip = "archive_unsafe path=assets/large.bin"},
    /* more of our own */
    {"a folder as root skill, with a slash", .no_skill = true, .parts = {{S_INIT("SKILL.md/"), .type = '5'}},
     .want = "archive_unsafe path=SKILL.md"},
    {"a link as root skill", .no_skill = true, .parts = {{S_INIT("./SKILL.md"), .type = '2', .link = "x"}},
     .want = "archive_unsafe path=SKILL.md"},
    {"a wrapper", .no_skill = true, .parts = {{S_INIT("a/SKILL.md"), S_INIT(SKILL)}},
     .want = "archive_unsafe path=SKILL.md"},
    {"another case", .no_skill = true, .parts = {{S_INIT("skill.md"), S_INIT(SKILL)}},
     .want = "archive_unsafe path=SKILL.md"},
    {"two cases of the skill", .parts = {NAMED("skill.md")}, .want = "archive_unsafe path=skill.md"},
    {"a file and a folder", .parts = {NAMED("a"), NAMED("a/b")}, .want = "archive_unsafe path=a/b"},
    {"a device of Windows", .parts = {NAMED("a/nul.txt")}, .want = "archive_unsafe path=a/nul.txt"},
    {"a name that ends in a dot", .parts = {NAMED("a./b")}, .want = "archive_unsafe path=a./b"},
    {"an empty component", .parts = {NAMED("a//b")}, .want = "archive_unsafe path=a//b"},
    {"a control character", .parts = {NAMED("a\x1b[1m")}, .want = "archive_unsafe path=a\x1b[1m"},
    {"too deep", .parts = {NAMED("1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/a")}, .want = "limit_exceeded limit=depth"},
    {"junk", .parts = {NAMED("._x"), NAMED("__MACOSX/a"), NAMED("b/.DS_Store")}, .want = "fine"},
    {"a leading dot", .no_skill = true,
     .parts = {{S_INIT("./"), .type = '5'}, {S_INIT("./SKILL.md"), S_INIT(SKILL)}, NAMED("./a")}, .want = "fine"},
};
enum { CATEGORIES = sizeof categories / sizeof *categories };

/* ---- building ---- */

static const char zeros[5000];

static void build_tar(struct buf *out, const struct category *c, struct pap_str skill)
{
    struct buf t;
    buf_init(&t, NULL, 1 << 20);
    if (!c->no_skill)
        tar_add(&t, &(struct tar_part){.name = "SKILL.md", .data = skill});
    for (size_t i = 0; i < PARTS && c->parts[i].name.p; i++) {
        const struct entry *e = &c->parts[i];
        bool large = e->type == 'Z';
        tar_add(&t, &(struct tar_part){.raw_name = e->name,
                                       .type = large            ? '0'
                                               : e->type == 's' ? '6'
                                                                : e->type,
                                       .link = e->link,
                                       .data = large ? str(zeros, sizeof zeros) : e->data});
    }
    tar_end(&t, 2);
    gzip_wrap(out, buf_str(&t));
    assert_true(buf_ok(&t) && buf_ok(out));
    buf_fini(&t);
}

static bool is_ascii(struct pap_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] & 0x80)
            return false;
    return true;
}

static void build_zip(struct buf *out, const struct category *c, struct pap_str skill)
{
    static const struct {
        char type;
        uint32_t mode;
    } modes[] = {{'2', 0120777}, {'3', 0020644}, {'5', 040755}, {'6', 0010644}, {'s', 0140755}};
    struct zip_part parts[PARTS + 1] = {{.name = "SKILL.md", .data = skill}};
    size_t n = !c->no_skill;
    for (size_t i = 0; i < PARTS && c->parts[i].name.p; i++) {
        const struct entry *e = &c->parts[i];
        bool large = e->type == 'Z', ascii = is_ascii(e->name);
        parts[n] = (struct zip_part){.raw_name = e->name,
                                     .data = large ? str(zeros, sizeof zeros) : e->data,
                                     .flags = ascii ? 0 : 1 << 11,
                                     .descriptor = e->size_off != 0,
                                     .size_off = e->size_off};
        for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
            if (modes[k].type == e->type)
                parts[n].mode = modes[k].mode;
        if (e->type == '2')
            parts[n].data = str_c(e->link);
        n++;
    }
    zip_make(out, parts, n, NULL);
    assert_true(buf_ok(out));
}

/* ---- reading ---- */

struct seen {
    size_t files, bytes;
    char last[300];
};

static pap_result see_begin(void *ctx, struct pap_str path, uint64_t size, bool executable, struct pap_err *err)
{
    struct seen *s = ctx;
    (void)size, (void)executable, (void)err;
    assert_null(pack_name_fault(path)); /* nothing else ever goes on */
    snprintf(s->last, sizeof s->last, "%.*s", PSTR(path));
    return OK;
}

static pap_result see_data(void *ctx, struct pap_str piece, struct pap_err *err)
{
    (void)err;
    ((struct seen *)ctx)->bytes += piece.n;
    return OK;
}

static pap_result see_end(void *ctx, const struct skill_file *f, struct pap_err *err)
{
    struct seen *s = ctx;
    (void)err;
    assert_str(f->path, s->last);
    s->files++;
    return OK;
}

static struct skill_fault read_bytes(struct arena *a, struct pap_str bytes, struct artifact_want want,
                                     struct skill *ret, struct seen *seen)
{
    struct pack_source from = {.whole = bytes};
    struct artifact_sink to = {see_begin, see_data, see_end, seen};
    struct skill_fault f;
    struct digest d;
    struct pap_err err = {0};
    char text[DIGEST_TEXT + 1];
    *seen = (struct seen){0};
    assert_ok(digest_sha256(&bytes, 1, &d, NULL));
    digest_text(&d, text);
    want.digest = arena_str(a, str_c(text));
    want.name = want.name.p ? want.name : S("fixture-skill");
    assert_ok(artifact_read(a, &want, &from, &to, ret, &f, &err));
    return f;
}

static struct skill_fault read_category(struct arena *a, const struct category *c, bool zip, struct pap_str skill,
                                        struct skill *ret)
{
    struct artifact_want want = {.type = ARTIFACT_ARCHIVE,
                                 .strict = true,
                                 .url = zip ? S("https://a.example/a.zip") : S("https://a.example/a.tar.gz"),
                                 .limits = c->limits};
    struct buf b;
    struct seen seen;
    buf_init(&b, NULL, 1 << 20);
    (zip ? build_zip : build_tar)(&b, c, skill);
    struct skill_fault f = read_bytes(a, buf_str(&b), want, ret, &seen);
    if (!f.code)
        assert_true(seen.files == ret->n_files && seen.bytes == ret->bytes);
    buf_fini(&b);
    return f;
}

static void each_category_gives_its_fault(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2 * CATEGORIES; i++) {
        const struct category *c = &categories[i / 2];
        bool zip = i % 2;
        struct arena a;
        struct skill s;
        if (zip && str_is(str_c(c->name), "hard_link"))
            continue; /* a zip has none */
        arena_init(&a, NULL);
        struct skill_fault f = read_category(&a, c, zip, S(SKILL), &s);
        struct pap_str got = fault_line(&a, &f);
        const char *want = zip && c->want_zip ? c->want_zip : c->want;
        if (!str_is(got, want))
            unit_fail("%s in a %s: %.*s (%.*s), want %s", c->name, zip ? "zip" : "tar.gz", PSTR(got), PSTR(f.text),
                      want);
        arena_fini(&a);
    }
}

/* ---- the cases of Remote Skills ---- */

static const struct category *find_category(struct pap_str name)
{
    for (size_t i = 0; i < CATEGORIES; i++)
        if (str_is(name, categories[i].name))
            return &categories[i];
    unit_fail("no archive is built for the category %.*s", PSTR(name));
    return NULL;
}

static uint64_t limit_of(const struct json *limits, const char *name)
{
    uint64_t n = 0; /* the default */
    (void)str_to_u64(member(limits, name), &n);
    return n;
}

static struct artifact_limits limits_of(const struct json *limits)
{
    return (struct artifact_limits){.archive = limit_of(limits, "archive_bytes"),
                                    .unpacked = limit_of(limits, "extracted_bytes"),
                                    .file = limit_of(limits, "file_bytes"),
                                    .files = (uint32_t)limit_of(limits, "files")};
}

/* The collision of two spellings is told in one of them. */
static bool is_same(struct arena *a, struct pap_str x, struct pap_str y)
{
    return str_eq(utf8_nfc(a, x), utf8_nfc(a, y));
}

static void compare_skill(const struct skill *s, const struct json *want, struct pap_str digest)
{
    const struct json *front = json_get_c(want, "frontmatter");
    size_t i = 0;
    assert_true(str_eq(s->name, member(want, "name")));
    assert_true(str_eq(s->instructions, member(want, "instructions")));
    assert_int_equal(s->front->n, front->n);
    json_each (m, front)
        if (m->type == JSON_STRING)
            assert_true(str_eq(json_str(json_get(s->front, json_key(m))), json_str(m)));
    json_each (f, json_get_c(want, "files")) {
        uint64_t size = 0;
        assert_true(i < s->n_files && str_to_u64(member(f, "size"), &size));
        assert_true(str_eq(s->files[i].path, member(f, "path")) && s->files[i].size == size);
        assert_str(member(f, "media_type"), s->files[i++].media);
    }
    assert_int_equal(i, s->n_files);
    if (digest.p)
        assert_true(str_eq(digest, member(want, "digest")));
}

/* A SKILL.md by itself: the file of the case, or the one that is not there. */
static struct skill_fault read_skill_md(struct arena *a, const struct json *one, struct skill *ret)
{
    struct artifact_want want = {.type = ARTIFACT_SKILL_MD, .strict = true};
    struct seen seen;
    const char *path = arena_cstr(a, member(one, "path"));
    struct pap_str text = case_file(a, "archive", path);
    want.limits = limits_of(json_get_c(one, "limits"));
    return read_bytes(a, text.p ? text : S("---\nname: fixture-skill\ndescription: \xff\n---\n"), want, ret, &seen);
}

static struct skill_fault read_case(struct arena *a, const struct json *one, struct skill *ret)
{
    if (str_is(member(one, "artifact_type"), "skill-md"))
        return read_skill_md(a, one, ret);
    struct category c = *find_category(member(one, "category"));
    c.limits = limits_of(json_get_c(one, "limits"));
    return read_category(a, &c, str_is(member(one, "format"), "zip"), case_file(a, "archive", "skill-md/valid.md"),
                         ret);
}

static void the_cases_of_remote_skills(void **state)
{
    (void)state;
    unsigned good = 0, n = 0;
    struct arena a;
    if (!has_cases("the archive cases of Remote Skills"))
        return;
    arena_init(&a, NULL);
    const struct json *results = case_json(&a, "expected-results", "archive-results.json");
    json_each (one, case_json(&a, "archive", "archive-cases.json")) {
        const struct json *want = case_result(results, member(one, "id"));
        struct skill s = {0};
        struct skill_fault f = read_case(&a, one, &s);
        struct pap_str line = fault_line(&a, &f), wanted = error_line(&a, json_get_c(want, "error"));
        n++;
        if (!is_same(&a, line, wanted)) {
            print_error("%.*s: %.*s (%.*s), want %.*s\n", PSTR(member(one, "id")), PSTR(line), PSTR(f.text),
                        PSTR(wanted));
            continue;
        }
        if (!f.code)
            compare_skill(&s, want,
                          str_is(member(one, "id"), "skill-md-valid") ? member(want, "digest") : str(NULL, 0));
        good++;
    }
    arena_fini(&a);
    print_message("%u of %u archive cases\n", good, n);
    assert_true(n == 58 && good == n);
}

/* ---- hostile archives ---- */

static const struct {
    const char *file, *want;
} hostile[] = {
    {"abs.tar.gz", "archive_unsafe path=/etc/x"},
    {"abs.zip", "archive_unsafe path=/etc/x"},
    {"aftereof.tar.gz", "archive_unsafe"},
    {"backslash.tar.gz", "archive_unsafe path=a\\..\\b"},
    {"backslash.zip", "archive_unsafe path=a\\..\\b"},
    {"badutf8.tar.gz", "archive_unsafe"},
    {"bomb.tar.gz", "limit_exceeded limit=file_bytes"},
    {"bomb.zip", "limit_exceeded limit=file_bytes"},
    {"case.tar.gz", "archive_unsafe path=readme"},
    {"cdname.zip", "archive_unsafe path=q"},
    {"cksum.tar.gz", "archive_unsafe path=a"},
    {"crc.zip", "archive_unsafe path=a"},
    {"dev.tar.gz", "archive_unsafe path=d"},
    {"dotdot.tar.gz", "archive_unsafe path=../../etc/x"},
    {"dotdot.zip", "archive_unsafe path=../../etc/x"},
    {"dup.tar.gz", "archive_unsafe path=a"},
    {"dup.zip", "archive_unsafe path=a"},
    {"fifo.tar.gz", "archive_unsafe path=f"},
    {"gzcat.tar.gz", "archive_unsafe"},
    {"gzcrc.tar.gz", "archive_unsafe"},
    {"gzisize.tar.gz", "archive_unsafe"},
    {"gztrail.tar.gz", "archive_unsafe"},
    {"gztrunc.tar.gz", "archive_unsafe"},
    {"hard.tar.gz", "archive_unsafe path=h"},
    {"hiddenlocal.zip", "archive_unsafe"},
    {"noeof.tar.gz", "archive_unsafe path=SKILL.md"},
    {"nul.tar.gz", "archive_unsafe path=ok\nname"},
    {"ok.tar.gz", "archive_unsafe path=SKILL.md"},
    {"ok.zip", "archive_unsafe path=SKILL.md"},
    {"overlap.zip", "archive_unsafe path=a2"},
    {"prefix.zip", "archive_unsafe"},
    {"suid.tar.gz", "archive_unsafe path=SKILL.md"},
    {"sym.tar.gz", "archive_unsafe path=l"},
    {"sym.zip", "archive_unsafe path=l"},
    {"trail.zip", "archive_unsafe"},
};

static void hostile_archives(void **state)
{
    (void)state;
    unsigned good = 0, n = sizeof hostile / sizeof *hostile;
    if (!has_cases("hostile archives"))
        return;
    for (size_t i = 0; i < n; i++) {
        struct arena a;
        struct skill s;
        struct seen seen;
        arena_init(&a, NULL);
        struct artifact_want want = {.type = ARTIFACT_ARCHIVE, .url = str_c(hostile[i].file), .name = S("x")};
        struct pap_str bytes = case_file(&a, "../hostile/archives", hostile[i].file);
        assert_non_null(bytes.p);
        struct skill_fault f = read_bytes(&a, bytes, want, &s, &seen);
        struct pap_str got = fault_line(&a, &f);
        if (str_is(got, hostile[i].want))
            good++;
        else
            print_error("%s: %.*s (%.*s), want %s\n", hostile[i].file, PSTR(got), PSTR(f.text), hostile[i].want);
        arena_fini(&a);
    }
    print_message("%u of %u hostile archives\n", good, n);
    assert_true(good == n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_category_gives_its_fault),
        cmocka_unit_test(the_cases_of_remote_skills),
        cmocka_unit_test(hostile_archives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
