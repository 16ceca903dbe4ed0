/* SPDX-License-Identifier: Apache-2.0
 *
 * The front matter of a SKILL.md as a client takes it: leniently, and to the letter (decision 13).
 */
#include "skill_unit.h"
#include "skills/artifact_inside.h"
#include "text/skillmd.h"

static pap_result read_front(struct arena *a, const struct artifact_want *want, struct pap_str text, struct skill *ret,
                             struct skill_fault *ret_fault)
{
    struct skill skill = {.text = text};
    *ret_fault = (struct skill_fault){.code = SKILL_FINE};
    pap_result r = skill_md_read(a, want, &skill, ret_fault);
    if (is_ok(r) && !ret_fault->code)
        *ret = skill;
    return r;
}

#define FRONT "---\nname: a\ndescription: Does a thing.\n"

/* What follows FRONT up to the closing fence; the field of the fault, NULL: taken. `warns`: how often, leniently. */
static const struct {
    const char *text, *strict, *lenient;
    unsigned warns;
} more[] = {
    {"", NULL, NULL, 0},
    {"license: Apache-2.0\ncompatibility: Needs git.\nallowed-tools: Read Bash(git:*)\n", NULL, NULL, 0},
    {"metadata:\n  version: 1.0.0\n  a: \"1\"\n", NULL, NULL, 0},
    {"metadata: {}\n", NULL, NULL, 0},
    {"metadata:\n", "metadata", NULL, 0},
    {"metadata: text\n", "metadata", "metadata", 0},
    {"metadata: [a]\n", "metadata", "metadata", 0},
    {"metadata:\n  version: 1.0\n", "metadata", NULL, 0},
    {"metadata:\n  a:\n    b: c\n", "metadata", NULL, 0},
    {"metadata:\n  \"\": c\n", "metadata", NULL, 0},
    {"version: 1.0.0\n", "[unknown-field]", NULL, 0},
    {"Name: a\n", "[unknown-field]", NULL, 0},
    {"license: 1.0\n", "license", NULL, 0},
    {"license: [MIT]\n", "license", NULL, 1},
    {"license:\n", "license", NULL, 0},
    {"compatibility: \" \"\n", "compatibility", NULL, 1},
    {"compatibility: [git]\n", "compatibility", NULL, 1},
    {"allowed-tools: [Read, Write]\n", "allowed-tools", NULL, 1},
    {"allowed-tools: {a: b}\n", "allowed-tools", NULL, 1},
    {"license: &a MIT\n", "SKILL.md.frontmatter", "SKILL.md.frontmatter", 0},
    {"license: !!str MIT\n", "SKILL.md.frontmatter", "SKILL.md.frontmatter", 0},
    {"name: a\n", "SKILL.md.frontmatter", "SKILL.md.frontmatter", 0},
    {"x: 1\nx: 2\n", "SKILL.md.frontmatter", "SKILL.md.frontmatter", 0},
    {"license: MIT: the one\n", "SKILL.md.frontmatter", NULL, 1},
    {"license: MIT:\n", "SKILL.md.frontmatter", NULL, 1},
    {"license: a \"quoted\" \\ word: x\n", "SKILL.md.frontmatter", NULL, 1},
    {"license: MIT: the one\nx: [\n", "SKILL.md.frontmatter", "SKILL.md.frontmatter", 0},
    {"x: MIT: the one\n", "SKILL.md.frontmatter", "SKILL.md.frontmatter", 0},
    {"license: \"MIT: the\" one\n", "SKILL.md.frontmatter", "SKILL.md.frontmatter", 0},
    {"license: MIT: the one\nname: b: c\n", "SKILL.md.frontmatter", "SKILL.md.frontmatter", 0},
};

/* Whole files. */
static const struct {
    const char *text, *strict, *lenient;
    unsigned warns;
} files[] = {
    {"", "SKILL.md.frontmatter", "SKILL.md.frontmatter", 0},
    {"# A\n", "SKILL.md.frontmatter", "SKILL.md.frontmatter", 0},
    {"<!doctype html>", "SKILL.md.frontmatter", "SKILL.md.frontmatter", 0},
    {"---\n---\n", "name", "name", 0},
    {"---\n- a\n---\n", "SKILL.md.frontmatter", "SKILL.md.frontmatter", 0},
    {"---\nword\n---\n", "SKILL.md.frontmatter", "SKILL.md.frontmatter", 0},
    {FRONT, "SKILL.md.frontmatter", "SKILL.md.frontmatter", 0},
    {FRONT "---", NULL, NULL, 0},
    {FRONT "--- \n", "SKILL.md.frontmatter", NULL, 0},
    {FRONT "---\r\n", NULL, NULL, 0},
    {"---\r\nname: a\r\ndescription: Does a thing.\r\n---\r\nx", NULL, NULL, 0},
    {"---\rname: a\rdescription: Does a thing.\r---\rx", "SKILL.md.frontmatter", NULL, 0},
    {"--- \nname: a\ndescription: Does a thing.\n---\n", "SKILL.md.frontmatter", NULL, 0},
    {"\xef\xbb\xbf" FRONT "---\n", "SKILL.md.frontmatter", NULL, 0},
    {"\n" FRONT "---\n", "SKILL.md.frontmatter", "SKILL.md.frontmatter", 0},
    {FRONT "---\n\xff", "SKILL.md", "SKILL.md", 0},
    {FRONT "---\n\x01", "SKILL.md", "SKILL.md", 0},
    {FRONT "license: \x1b\n---\n", "SKILL.md", "SKILL.md", 0},
    {"---\nname: a\ndescription: Use when: x\n---\n\x01", "SKILL.md", "SKILL.md", 0},
    {"---\ndescription: Does a thing.\n---\n", "name", "name", 0},
    {"---\nname: b\ndescription: Does a thing.\n---\n", "name", "name", 0},
    {"---\nname: A\ndescription: Does a thing.\n---\n", "name", "name", 0},
    {"---\nname: [a]\ndescription: Does a thing.\n---\n", "name", "name", 0},
    {"---\nname: a\n---\n", "description", "description", 0},
    {"---\nname: a\ndescription: \"  \"\n---\n", "description", "description", 0},
    {"---\nname: a\ndescription: [x]\n---\n", "description", "description", 0},
    {"---\nname: a\ndescription: Another thing.\n---\n", "description", NULL, 1},
    {"---\nname: a\ndescription: 7\n---\n", "description", NULL, 1},
    {"---\nname: a\ndescription: |\n  Does a thing.\n---\n", "description", NULL, 0},
    {"---\nname: a\ndescription: Does a thing: well.\n---\n", "SKILL.md.frontmatter", NULL, 2},
};

static void judge(struct pap_str text, bool strict, const char *field, unsigned warns)
{
    struct arena a;
    struct skill s = {.n_warnings = 77};
    struct skill_fault f;
    struct artifact_want want = {.name = S("a"), .description = S("Does a thing."), .strict = strict};
    arena_init(&a, NULL);
    char *copy = malloc(text.n + 1); /* exactly so long, for the sanitizer */
    assert_non_null(copy);
    memcpy(copy, text.p, text.n);
    assert_ok(read_front(&a, &want, str(copy, text.n), &s, &f));
    struct pap_str line = fault_line(&a, &f);
    struct pap_str wanted = field ? arena_fmt(&a, "catalog_invalid field=%s", field) : S("fine");
    if (!str_eq(line, wanted))
        unit_fail("%.*s\n%s: %.*s (%.*s), want %.*s", PSTR(text), strict ? "strict" : "lenient", PSTR(line),
                  PSTR(f.text), PSTR(wanted));
    if (field) {
        assert_int_equal(s.n_warnings, 77);
    } else {
        assert_true(str_is(s.name, "a") && s.front && s.text.n == text.n);
        if (s.n_warnings != (strict ? 0 : warns))
            unit_fail("%.*s: %zu warnings (%s)", PSTR(text), s.n_warnings, s.n_warnings ? s.warnings[0] : "");
    }
    free(copy);
    arena_fini(&a);
}

static void fields_are_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * sizeof more / sizeof *more; i++) {
        struct arena a;
        arena_init(&a, NULL);
        bool strict = i % 2;
        judge(arena_fmt(&a, FRONT "%s---\n\nBody\n", more[i / 2].text), strict,
              strict ? more[i / 2].strict : more[i / 2].lenient, more[i / 2].warns);
        arena_fini(&a);
    }
}

static void files_are_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * sizeof files / sizeof *files; i++)
        judge(str_c(files[i / 2].text), i % 2, i % 2 ? files[i / 2].strict : files[i / 2].lenient, files[i / 2].warns);
}

static void lengths_are_judged(void **state)
{
    (void)state;
    for (unsigned over = 0; over < 2; over++)
        for (unsigned strict = 0; strict < 2; strict++) {
            struct arena a;
            struct skill s;
            struct skill_fault f;
            struct artifact_want want = {.name = S("a"), .strict = strict};
            char words[1025 * 2 + 1] = "";
            arena_init(&a, NULL);
            for (unsigned i = 0; i < 1024 + over; i++)
                memcpy(words + 2 * i, "\xc3\xa9", 3);
            struct pap_str text = arena_fmt(&a, "---\nname: a\ndescription: %s\n---\n", words);
            assert_ok(read_front(&a, &want, text, &s, &f));
            assert_str(fault_line(&a, &f), over && strict ? "catalog_invalid field=description" : "fine");
            assert_true(f.code || s.n_warnings == over);
            text = arena_fmt(&a, FRONT "compatibility: %.*s\n---\n", 2 * (int)(500 + over), words);
            assert_ok(read_front(&a, &want, text, &s, &f));
            assert_str(fault_line(&a, &f), over && strict ? "catalog_invalid field=compatibility" : "fine");
            assert_true(f.code || (s.n_warnings == over && s.compatibility.n == 2 * (500 + over)));
            arena_fini(&a);
        }
}

static void what_is_given_back(void **state)
{
    (void)state;
    static const struct {
        const char *close, *instructions;
    } rows[] = {{"---\n\nBody\n", "Body\n"},
                {"---\nBody\n", "Body\n"},
                {"---\n\n\nBody", "\nBody"},
                {"---\r\n\r\nBody\r\n", "Body\r\n"},
                {"---", ""},
                {"---\n", ""},
                {"---\n\n", ""},
                {"---\n \nBody", " \nBody"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena a;
        struct skill s;
        struct skill_fault f;
        struct artifact_want want = {.name = S("a"), .strict = true};
        arena_init(&a, NULL);
        struct pap_str text = arena_fmt(&a, FRONT "license: MIT\nallowed-tools: Read\n%s", rows[i].close);
        assert_ok(read_front(&a, &want, text, &s, &f));
        assert_str(fault_line(&a, &f), "fine");
        assert_str(s.instructions, rows[i].instructions);
        assert_true(s.instructions.p >= text.p && s.instructions.p <= text.p + text.n);
        assert_str(s.description, "Does a thing.");
        assert_str(s.license, "MIT");
        assert_str(s.allowed_tools, "Read");
        assert_null(s.compatibility.p);
        assert_int_equal(s.front->n, 4);
        arena_fini(&a);
    }
}

static void a_loose_colon_is_a_text(void **state)
{
    (void)state;
    struct arena a;
    struct skill s;
    struct skill_fault f;
    struct artifact_want want = {.name = S("a")};
    arena_init(&a, NULL);
    struct pap_str text = S("---\nname: a\ndescription:  Use \"this\": a\\b when: it rains \nlicense: x:\n---\nBody");
    assert_ok(read_front(&a, &want, text, &s, &f));
    assert_str(fault_line(&a, &f), "fine");
    assert_str(s.description, "Use \"this\": a\\b when: it rains");
    assert_str(s.license, "x:");
    assert_str(s.instructions, "Body");
    assert_true(str_eq(s.text, text)); /* the bytes stay as they are */
    assert_int_equal(s.n_warnings, 1);
    arena_fini(&a);
}

static void no_memory_is_told(void **state)
{
    (void)state;
    static const char *const texts[] = {FRONT "license: a: b\nmetadata: x\n---\n", FRONT "license: a: b\n---\n", "x\n",
                                        FRONT "x: [\n---\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        unsigned n = 1;
        for (; n < FAIL_ALLOC_MOST; n++) {
            struct fail_alloc f;
            struct arena a;
            struct skill s;
            struct skill_fault fault;
            struct artifact_want want = {.name = S("a")};
            fail_alloc_init(&f, n);
            arena_init(&a, &f.alloc);
            pap_result r = read_front(&a, &want, str_c(texts[i]), &s, &fault);
            arena_fini(&a);
            assert_int_equal(f.live, 0);
            if (is_ok(r))
                break;
            assert_int_equal(r.code, PAP_NO_MEMORY);
        }
        assert_true(n > 1 && n < FAIL_ALLOC_MOST);
    }
}

/* ---- real files ---- */

/* The field of the fault when each is taken for the skill that it says it is; NULL: taken. */
static const struct {
    const char *file, *strict, *lenient;
} real[] = {
    {"01-utf8-bom", "SKILL.md.frontmatter", "SKILL.md.frontmatter"},
    {"02-crlf-valid", NULL, NULL},
    {"04-crlf-invalid", "[unknown-field]", NULL},
    {"05-missing-closing-fence", "SKILL.md.frontmatter", "SKILL.md.frontmatter"},
    {"07-missing-closing-fence", "SKILL.md.frontmatter", "SKILL.md.frontmatter"},
    {"08-missing-closing-fence", "SKILL.md.frontmatter", "SKILL.md.frontmatter"},
    {"10-html-comment-before-fence", "SKILL.md.frontmatter", "SKILL.md.frontmatter"},
    {"11-no-frontmatter", "SKILL.md.frontmatter", "SKILL.md.frontmatter"},
    {"13-no-frontmatter", "SKILL.md.frontmatter", "SKILL.md.frontmatter"},
    {"14-unquoted-colon", "SKILL.md.frontmatter", NULL},
    {"16-unquoted-colon", "SKILL.md.frontmatter", NULL},
    {"17-unquoted-colon", "SKILL.md.frontmatter", NULL},
    {"19-quoted-then-trailing-bracket", "SKILL.md.frontmatter", "SKILL.md.frontmatter"},
    {"20-could-not-find-colon", "SKILL.md.frontmatter", "SKILL.md.frontmatter"},
    {"22-leading-comma-or-flow-indicator", "SKILL.md.frontmatter", "SKILL.md.frontmatter"},
    {"23-unterminated-flow-map", "SKILL.md.frontmatter", "SKILL.md.frontmatter"},
    {"25-unterminated-flow-map", "SKILL.md.frontmatter", "SKILL.md.frontmatter"},
    {"26-flow-sequence-as-key", "SKILL.md.frontmatter", "SKILL.md.frontmatter"},
    {"28-reserved-at-sign", "SKILL.md.frontmatter", "SKILL.md.frontmatter"},
    {"29-missing-name", "[unknown-field]", "name"},
    {"31-missing-name", "[unknown-field]", "name"},
    {"32-missing-description", "[unknown-field]", "description"},
    {"34-description-over-1024", "description", NULL},
    {"35-description-over-1024", "description", NULL},
    {"37-name-underscore", "[unknown-field]", "name"},
    {"38-name-underscore", "name", "name"},
    {"40-name-uppercase", "name", "name"},
    {"41-name-title-case-spaces", "[unknown-field]", "name"},
    {"43-compatibility-list", "[unknown-field]", "name"},
    {"44-metadata-date", NULL, NULL},
    {"46-metadata-json-flow-nested", "[unknown-field]", NULL},
    {"47-metadata-json-flow-nested", "metadata", NULL},
    {"49-metadata-block-nested", "metadata", NULL},
    {"50-allowed-tools-list", "[unknown-field]", NULL},
    {"52-allowed-tools-comma-string", NULL, NULL},
    {"53-allowed-tools-space-string", NULL, NULL},
    {"55-yaml-comment-in-frontmatter", "[unknown-field]", NULL},
    {"56-description-literal-block", "SKILL.md", "SKILL.md"},
    {"58-description-folded-block-valid", NULL, NULL},
    {"59-filename-mixed-case", "SKILL.md.frontmatter", "SKILL.md.frontmatter"},
    {"61-dotted-extra-key", "[unknown-field]", NULL},
    {"62-extra-claude-code-field", "[unknown-field]", NULL},
    {"64-extra-hooks", "[unknown-field]", NULL},
    {"65-directory-name-mismatch", NULL, NULL},
    {"67-valid-baseline", NULL, NULL},
    {"68-valid-baseline", NULL, NULL},
};

static struct pap_str own_name(struct arena *a, struct pap_str text)
{
    struct skillmd md;
    struct notes notes = {0};
    assert_ok(skillmd_read(a, text, &md, &notes));
    const struct json *name = json_get_c(md.root, "name");
    if (name && name->type != JSON_OBJECT && name->type != JSON_ARRAY)
        return str(name->p, name->n);
    struct pap_str line = str_skip(text, str_find(text, S("\nname: ")) + 7);
    return str_trim(str_take(line, str_find_char(line, '\n')));
}

static void real_files(void **state)
{
    (void)state;
    unsigned good = 0, taken[2] = {0}, n = sizeof real / sizeof *real;
    if (!has_cases("real SKILL.md files"))
        return;
    for (size_t i = 0; i < 2 * n; i++) {
        struct arena a;
        struct skill s;
        struct skill_fault f;
        bool strict = i % 2;
        const char *want = strict ? real[i / 2].strict : real[i / 2].lenient;
        arena_init(&a, NULL);
        struct pap_str text = case_file(&a, "../skillmd", arena_fmt(&a, "%s.SKILL.md", real[i / 2].file).p);
        struct artifact_want w = {.name = own_name(&a, text), .strict = strict};
        assert_ok(read_front(&a, &w, text, &s, &f));
        struct pap_str got = f.value[SKILL_KEY_FIELD];
        bool right = want ? str_is(got, want) : !f.code;
        if (!right)
            print_error("%s %d: %.*s (%.*s), want %s\n", real[i / 2].file, strict, PSTR(got), PSTR(f.text), want);
        good += right;
        taken[strict] += !f.code;
        arena_fini(&a);
    }
    print_message("%u of %u judgements of real SKILL.md files; %u are taken, %u to the letter\n", good, 2 * n, taken[0],
                  taken[1]);
    assert_int_equal(good, 2 * n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_judged),
        cmocka_unit_test(files_are_judged),
        cmocka_unit_test(lengths_are_judged),
        cmocka_unit_test(what_is_given_back),
        cmocka_unit_test(a_loose_colon_is_a_text),
        cmocka_unit_test(no_memory_is_told),
        cmocka_unit_test(real_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
