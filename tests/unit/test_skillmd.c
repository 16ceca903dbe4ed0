/* SPDX-License-Identifier: Apache-2.0
 *
 * SKILL.md: the fences, what is said about the whole file, the spans of the body, allowed-tools. With PAPAVER_CASES set,
 * also the real files, judged by what their table says of each.
 */
#include <time.h>

#include "text/skillmd.h"
#include "unit.h"

#define GOOD "---\nname: x\ndescription: y\n---\n"

static struct skillmd read_md(struct arena *a, struct pap_str text, struct notes *notes)
{
    struct skillmd md;
    *notes = (struct notes){NULL, NULL, 0};
    assert_ok(skillmd_read(a, text, &md, notes));
    return md;
}

static const struct note *find_note(const struct notes *notes, enum note_code code)
{
    const struct note *n = notes->first;
    while (n && n->code != code)
        n = n->next;
    return n;
}

/* ---- fences ---- */

static const struct fence_case {
    const char *text, *block, *body;
    uint32_t lines;
} fence_cases[] = {
    {"---\nname: x\n---\nbody\n", "name: x\n", "body\n", 4},
    {"---\nname: x\n---", "name: x\n", "", 3},
    {"--- \t\nname: x\n---\t \nbody", "name: x\n", "body", 4},
    {"---\r\nname: x\r\n---\r\nbody\r\n", "name: x\r\n", "body\r\n", 4},
    {"---\rname: x\r---\rbody\r", "name: x\r", "body\r", 4},
    {"\xef\xbb\xbf---\nname: x\n---\n", "name: x\n", "", 3},
    {"---\n---\n# T\n", "", "# T\n", 3},
    {"---\n---", "", "", 2},
    {"---\nd: a --- b\n---\n", "d: a --- b\n", "", 3},
    {"---\nd: |\n  ---\n  x\n---\n---\n", "d: |\n  ---\n  x\n", "---\n", 6},
    {"---\nd: 'a---b'\nallowed-tools: x\n---\ny", "d: 'a---b'\nallowed-tools: x\n", "y", 5},
};

static void fences_are_whole_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fence_cases / sizeof *fence_cases; i++) {
        const struct fence_case *c = &fence_cases[i];
        struct arena a;
        struct notes notes;
        arena_init(&a, NULL);
        struct skillmd md = read_md(&a, str_c(c->text), &notes);
        assert_str(md.block, c->block);
        assert_str(md.body, c->body);
        assert_non_null(md.block.p);
        assert_ptr_equal(md.block.p, c->text + md.block_off);
        assert_ptr_equal(md.body.p, c->text + md.body_off);
        assert_int_equal(md.lines, c->lines);
        assert_true(json_is(md.root, JSON_OBJECT));
        arena_fini(&a);
    }
}

/* ---- notes ---- */

static const struct note_case {
    const char *text;
    enum note_code code;
    bool fatal;
    uint32_t off, other;
    const char *detail;
} note_cases[] = {
    {"", NOTE_EMPTY, true, 0, 0, ""},
    {" \n\t\r\n", NOTE_EMPTY, true, 0, 0, ""},
    {"\xef\xbb\xbf\n", NOTE_EMPTY, true, 3, 0, ""},
    {"\xef\xbb\xbf" GOOD, NOTE_BOM, false, 0, 0, ""},
    {"---\nname: x\r\n---\n\r\n", NOTE_CRLF, false, 11, 0, ""},
    {"---\nname: x\n---\na\rb", NOTE_CRLF, false, 17, 0, ""},
    {GOOD "a\xffz", NOTE_UTF8, true, 32, 0, "byte 0xFF"},
    {GOOD "a\xe2\x82", NOTE_UTF8, true, 32, 0, "byte 0xE2"},
    {"\xff\xfe-\xff", NOTE_UTF8, true, 0, 0, "the file is UTF-16"},
    {GOOD "a\x1b[0m", NOTE_CONTROL, false, 32, 0, "U+001B"},
    {GOOD "\xc3\xa9\xc2\x80", NOTE_CONTROL, false, 33, 0, "U+0080"},
    {"---\nname: \x07\n---\n", NOTE_CONTROL, true, 10, 0, "U+0007"},
    {"---\nname: a\xc2\x85"
     "b\n---\n",
     NOTE_YAML_LINE_SEPARATOR, false, 11, 0, ""},
    {"<!DOCTYPE html>\n<title>404</title>", NOTE_HTML, true, 0, 0, ""},
    {"\xef\xbb\xbf\n <HTML lang=en>", NOTE_HTML, true, 3, 0, ""},
    {"text\x01", NOTE_NO_FRONTMATTER, true, 0, 0, "text"},
    {"text\x01", NOTE_CONTROL, false, 4, 0, "U+0001"},
    {"# Title\n---\nname: x\n---\n", NOTE_NO_FRONTMATTER, true, 0, 0, "a heading"},
    {"\n---\nname: x\n---\n", NOTE_NO_FRONTMATTER, true, 0, 0, "a blank line"},
    {"<!-- c -->\n---\nname: x\n---\n", NOTE_NO_FRONTMATTER, true, 0, 0, "an HTML comment"},
    {" ---\nname: x\n---\n", NOTE_NO_FRONTMATTER, true, 0, 0, "an indented \"---\""},
    {"----\nname: x\n---\n", NOTE_NO_FRONTMATTER, true, 0, 0,
     "\"----\" (nothing but blanks may follow the three hyphens)"},
    {"---name: x\n---\n", NOTE_NO_FRONTMATTER, true, 0, 0,
     "\"---name: x\" (nothing but blanks may follow the three hyphens)"},
    {"--- # c\n---\n", NOTE_NO_FRONTMATTER, true, 0, 0,
     "\"--- # c\" (nothing but blanks may follow the three hyphens)"},
    {"```yaml\n---\nname: x\n---\n", NOTE_NO_FRONTMATTER, true, 0, 0, "a code fence"},
    {"+++\nname = 'x'\n+++\n", NOTE_NO_FRONTMATTER, true, 0, 0, "TOML front matter (+++)"},
    {"{\"name\": \"x\"}", NOTE_NO_FRONTMATTER, true, 0, 0, "a JSON object"},
    {"name: x\n", NOTE_NO_FRONTMATTER, true, 0, 0, "text"},
    {"\xef\xbb\xbf\xef\xbb\xbf" GOOD, NOTE_NO_FRONTMATTER, true, 3, 0, "an invisible character (U+FEFF)"},
    {"---", NOTE_UNCLOSED, true, 0, 0, ""},
    {"---\nname: x\n", NOTE_UNCLOSED, true, 0, 0, ""},
    {"---\nname: x\n...\nbody\n", NOTE_UNCLOSED, true, 0, 12, "\"...\" does not close it"},
    {"---\nname: x\n# T\n----\n", NOTE_UNCLOSED, true, 0, 16, "\"----\" does not close it"},
    {"---\nname: x\n  ---\nb\n", NOTE_UNCLOSED, true, 0, 12, "\"---\" does not close it"},
    {"---\nname: x\n\n# T \n## U\n", NOTE_UNCLOSED, true, 0, 13, "the block seems to end before \"# T\""},
    {"---\nname: x\n--- y\n", NOTE_UNCLOSED, true, 0, 0, ""},
};

enum { NOTE_CASES = sizeof note_cases / sizeof *note_cases };

static void every_note_has_its_place_and_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < NOTE_CASES; i++) {
        const struct note_case *c = &note_cases[i];
        struct arena a;
        struct notes notes;
        arena_init(&a, NULL);
        struct skillmd md = read_md(&a, str_c(c->text), &notes);
        const struct note *n = find_note(&notes, c->code);
        if (!n || n->off != c->off || n->other != c->other || n->fatal != c->fatal)
            unit_fail("note %d at %u, %u for: %s", n ? (int)n->code : 0, n ? n->off : 0, n ? n->other : 0, c->text);
        assert_str(n->detail, c->detail);
        assert_int_equal(md.root == NULL, notes.last->fatal);
        assert_true(!c->fatal || n == notes.last);
        arena_fini(&a);
    }
}

static void what_is_right_gets_no_note(void **state)
{
    (void)state;
    struct arena a;
    struct notes notes;
    arena_init(&a, NULL);
    struct skillmd md = read_md(&a, S(GOOD "\xc2\x85\xe2\x80\xa8\ttext\x7f\n---\n----\n"), &notes);
    assert_int_equal(notes.n, 0);
    assert_str(json_str(json_get_c(md.root, "name")), "x");
    assert_int_equal(json_get_c(md.root, "name")->off, 10);
    assert_false(md.crlf || md.bom);
    arena_fini(&a);
}

static void a_block_may_have_64_kib(void **state)
{
    (void)state;
    static char text[LIMIT_FRONTMATTER + 16] = "---\nd: ";
    memset(text + 7, 'x', sizeof text - 7);
    struct arena a;
    struct notes notes;
    arena_init(&a, NULL);
    memcpy(text + 4 + LIMIT_FRONTMATTER - 1, "\n---\nb", 6);
    assert_non_null(read_md(&a, str(text, 4 + LIMIT_FRONTMATTER + 5), &notes).root);
    memcpy(text + 4 + LIMIT_FRONTMATTER - 1, "x\n---\nb", 7);
    struct skillmd md = read_md(&a, str(text, 4 + LIMIT_FRONTMATTER + 6), &notes);
    assert_null(md.root);
    assert_str(md.body, "b");
    assert_int_equal(notes.last->code, NOTE_TOO_LONG);
    assert_true(notes.last->fatal);
    assert_int_equal(notes.last->off, 4);
    arena_fini(&a);
}

static const char fixture[] =
    "\xef\xbb\xbf---\r\nname: p\xc3\xa9\r\ndescription: >-\r\n  Use it.\r\nallowed-tools: Bash(git *)\r\n---\r\n"
    "# T `a` [b](c \"d\")\r\n\r\n```sh\r\n./x.sh\r\n```\r\n<!-- c -->\r\n[r]: <t>\r\n``e ` f``\r\n";

static void a_cut_before_the_closing_fence_never_passes(void **state)
{
    (void)state;
    size_t closed = str_find(str_c(fixture), S("\n---\r\n#")) + 4;
    for (size_t n = 0; n < sizeof fixture; n++) {
        struct arena a;
        struct notes notes;
        arena_init(&a, NULL);
        char *copy = malloc(n ? n : 1);
        assert_non_null(copy);
        memcpy(copy, fixture, n);
        struct skillmd md = read_md(&a, str(copy, n), &notes);
        assert_int_equal(md.root != NULL, n >= closed);
        assert_int_equal(notes.last && notes.last->fatal, n < closed);
        struct span_walk w = {0};
        struct span s;
        for (size_t spans = 0; span_next(&md, &w, &s); spans++)
            assert_true(s.text.p == copy + s.off && s.off + s.text.n <= n && spans < n);
        free(copy);
        arena_fini(&a);
    }
}

static void failing_allocations_are_passed_on(void **state)
{
    (void)state;
    char memory[8 * 1024];
    for (size_t i = 0; i <= NOTE_CASES; i++) {
        struct pap_str text = str_c(i == NOTE_CASES ? fixture : note_cases[i].text);
        bool done = false;
        for (size_t room = 0; room <= sizeof memory && !done; room += 8) {
            struct arena a = {.at = memory, .end = memory + room, .max = 1}; /* cannot grow */
            struct notes notes = {NULL, NULL, 0};
            struct skillmd md;
            pap_result r = skillmd_read(&a, text, &md, &notes);
            assert_true(is_ok(r) || r.code == PAP_NO_MEMORY);
            done = is_ok(r);
        }
        assert_true(done);
    }
}

/* ---- spans ---- */

/* The spans of `body` as one text: "c:code l:link i:image x:command", joined by " | ". */
static void spans_of(const char *body, char *ret, size_t room)
{
    struct skillmd md = {.body = str_c(body), .body_off = 50};
    struct span_walk w = {0};
    struct span s;
    size_t n = 0, last = 0;
    ret[0] = '\0';
    while (span_next(&md, &w, &s)) {
        assert_ptr_equal(s.text.p, body + (s.off - 50));
        assert_true(s.off >= last);
        last = s.off;
        n += (size_t)snprintf(ret + n, room - n, "%s%c:%.*s", n ? " | " : "", s.image ? 'i' : "clx"[s.type],
                              PSTR(s.text));
    }
    assert_false(span_next(&md, &w, &s));
}

static const struct span_case {
    const char *body, *spans;
} span_cases[] = {
    {"", ""},
    {"text", ""},
    {"use `a` and `b c`.", "c:a | c:b c"},
    {"``a ` b`` ` `` ` ```` c ````", "c:a ` b | c:`` | c:c"},
    {"` a ` `  b ` ` ` `c `", "c:a | c: b | c:  | c:c "},
    {"`a\nb` `c\n\nd`", "c:a\nb"},
    {"`a\r\n`b", "c:a\r\n"},
    {"\\`a` `b\\` c`", "c: "},
    {"\\\\`a`", "c:a"},
    {"# `a\nb `c`", "c:c"},
    {"- `a\n- b`\n1. `c`\n   `d\n   e`", "c:c | c:d\n   e"},
    {"| `a | `b |\n| c` |", "c:a | "},
    {"> `a`\n> b", "c:a"},
    {"[a](b.md) ![c](d.png \"t\") [e](<f g.md> 't') [h]( i (t) )", "l:b.md | i:d.png | l:f g.md | l:i"},
    {"[a [b](c) d](e)", "l:c | l:e"},
    {"[![a](b)](c)", "i:b | l:c"},
    {"![a [b](c) d](e) [![f](g) ![h]](i)\n\n[j](k) !`l`[m](n)", "l:c | i:e | i:g | l:i | l:k | c:l | l:n"},
    {"[`a`](b)", "c:a | l:b"},
    {"[a](b(c)d) [e](f\\)g) [h](i j) [k](l", "l:b(c)d | l:f\\)g"},
    {"[a]() ](b) \\[c](d) [e\\](f) g](h)", "l:h"},
    {"`[a](b)` [c](d`e`)", "c:[a](b) | l:d`e`"},
    {"[a](b \"c) d](e)", ""},
    {"[a](\nb\n\"c\")", "l:b"},
    {"[a](b\n\n) c", ""},
    {"[a]: b.md\n[c]: <d e> 'f'\n  [g]:h\n[^1]: i\n[j]: k l\n[m]:\n", "l:b.md | l:d e | l:h"},
    {"```sh\nscripts/a.sh --x\n$ ./b.sh;\npython c/d.py\n# e/f\n// g\n  h/i\n`j`\n```\n`k`",
     "x:scripts/a.sh | x:./b.sh | x:h/i | c:k"},
    {"```\na/b\n./c\n$ d/e\nf/g --h\ni/j # k\nl/m - n\no/p \xe2\x80\x94 q\n```", "x:./c | x:d/e | x:f/g"},
    {"``` {.sh}\na/b\n```\n~~~Bash title\nc/d\n~~~\n```\ne/f\n```", "x:c/d"},
    {"~~~\n```\n./a\n~~~~ x\n~~~~ \n`c`", "x:./a | c:c"},
    {"````\n```\n./a\n````\n`c`", "x:./a | c:c"},
    {"``` a`b`\nc/d", "c:b"},
    {"   ```\n   ./a\n    ```\n   ```\n`c`", "x:./a | c:c"},
    {"1. x\n   ```\n   ./a\n   ```\n   `c`", "x:./a | c:c"},
    {"- x\n\n    ```\n    ./a\n    ```\n    `c`\n", "x:./a | c:c"},
    {"- ```\n  ./a\n  ```\n  `c`", "x:./a | c:c"},
    {"- - a\n\n      `b`\n\n          `c`\n\n`d`", "c:b | c:d"},
    {"a\n\n    `b`\n\n\t`c`\nd\n    `e`", "c:e"},
    {"```\n./a", "x:./a"},
    {"a <!-- `b` [c](d) --> `e`", "c:e"},
    {"<!--\n`a`\n\n```\nb/c\n--> `d`\n`e`", "c:d | c:e"},
    {"a <!-- `b` c", "c:b"},
    {"<!-- `a`\n\n`b`", ""},
    {"`<!--` `a` -->", "c:<!-- | c:a"},
    {"<a href=\"x\">`b`</a>", "c:b"},
    {"- [ ] `a`\n* [x](y)\n+ z\n2) `b`", "c:a | l:y | c:b"},
    {"-`a`\n-\n  `b`", "c:a | c:b"},
};

static void spans_follow_commonmark(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof span_cases / sizeof *span_cases; i++) {
        char got[512];
        spans_of(span_cases[i].body, got, sizeof got);
        if (strcmp(got, span_cases[i].spans) != 0)
            unit_fail("%s\ngot  %s\nwant %s", span_cases[i].body, got, span_cases[i].spans);
    }
}

static double milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void no_body_is_slow(void **state)
{
    (void)state;
    static const char *const units[] = {
        "`",          "``` ",        "` `` ",    "` `` ``` ```` ````` `````` ",
        "[",          "]",           "[a](",     "[a](b",
        "[a](b \"",   "[a](b '",     "[a](b (",  "[a](<",
        "](",         "\\",          "<!--",     "<!-- -",
        "\n<!--",     "a <!-- ",     "-->",      "[a]:",
        "[a]: b\n",   "[a",          "- ",       "- \n",
        "1. a\n",     "> ",          "#",        "\r",
        "\n",         "\t",          " ",        "~~~\n",
        "```\na/b\n", "|`\n",        "`a\n",     "    ",
        "(",          "[]()",        "![",       "[a](()",
        "<",          "<!--\n\n-->", "\xc3\xa9", "---\n",
        "...\n",
    };
    static char text[1 << 20];
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t n = 0, unit = strlen(units[i]);
        for (; n + unit <= sizeof text; n += unit)
            memcpy(text + n, units[i], unit);
        struct arena a;
        struct notes notes;
        arena_init(&a, NULL);
        double start = milliseconds();
        struct skillmd md = read_md(&a, str(text, n), &notes);
        md.body = str(text, n);
        struct span_walk w = {0};
        struct span s;
        while (span_next(&md, &w, &s))
            ;
        double took = milliseconds() - start;
        if (took > 1000) /* some 10 ms without sanitizers */
            unit_fail("1 MB of \"%s\" took %.0f ms", units[i], took);
        arena_fini(&a);
    }
}

/* ---- allowed-tools ---- */

static const struct tools_case {
    const char *value, *tokens; /* joined by "|" */
    bool unbalanced;
} tools_cases[] = {
    {"", "", false},
    {" ,\t\n", "", false},
    {"Read", "Read", false},
    {"Bash(git:*) Bash(jq:*) Read", "Bash(git:*)|Bash(jq:*)|Read", false},
    {"Read, Write,Edit", "Read|Write|Edit", false},
    {"Bash(git add *) Bash(git commit *)", "Bash(git add *)|Bash(git commit *)", false},
    {"A(b, (c d)) E", "A(b, (c d))|E", false},
    {"Read\nWrite\r\n", "Read|Write", false},
    {"Read Bash(git add Write, Edit ", "Read|Bash(git add Write, Edit", true},
    {"Read) Write Edit", "Read) Write Edit", true},
    {"A(b)) C", "A(b)) C", true},
};

static void tools_are_split_outside_parentheses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tools_cases / sizeof *tools_cases; i++) {
        struct pap_str rest = str_c(tools_cases[i].value), token;
        bool unbalanced = false;
        char got[256] = "";
        size_t n = 0;
        while (allowed_tools_next(&rest, &token, &unbalanced))
            n += (size_t)snprintf(got + n, sizeof got - n, "%s%.*s", n ? "|" : "", PSTR(token));
        assert_string_equal(got, tools_cases[i].tokens);
        assert_int_equal(unbalanced, tools_cases[i].unbalanced);
    }
    struct pap_str zero = S("a\0b"), token;
    bool unbalanced = false;
    assert_true(allowed_tools_next(&zero, &token, &unbalanced));
    assert_int_equal(token.n, 3);
}

/* ---- real files ---- */

static bool has_tag(struct pap_str tags, const char *tag)
{
    struct pap_str one;
    while (str_next(&tags, ' ', &one))
        if (str_starts(one, str_c(tag)))
            return true;
    return false;
}

/* What the table says of a file, as far as it shows in the text. */
static void check_real(const char *name, struct pap_str text, struct pap_str tags)
{
    struct arena a;
    struct notes notes;
    arena_init(&a, NULL);
    struct skillmd md = read_md(&a, text, &notes);
    enum note_code fatal = notes.last && notes.last->fatal ? notes.last->code : NOTE_NONE;
    enum note_code want = has_tag(tags, "no-open-fence")    ? NOTE_NO_FRONTMATTER
                          : has_tag(tags, "no-close-fence") ? NOTE_UNCLOSED
                                                            : NOTE_NONE;
    if (has_tag(tags, "bom") && fatal == NOTE_NONE)
        want = NOTE_NONE; /* to its validator a BOM was no fence */
    bool yaml = has_tag(tags, "pyyaml-error");
    if (yaml ? fatal < NOTE_YAML_SYNTAX || fatal > NOTE_YAML_NOT_MAPPING : fatal != want)
        unit_fail("%s: fatal %d, want %d (%.*s)", name, (int)fatal, (int)want, PSTR(tags));
    const struct json *description = json_get_c(md.root, "description");
    bool block = description && (description->flags & JSON_BLOCK);
    bool metadata = md.root && has_tag(tags, "metadata:dict");
    assert_int_equal(find_note(&notes, NOTE_BOM) != NULL, has_tag(tags, "bom"));
    assert_int_equal(find_note(&notes, NOTE_CRLF) != NULL, has_tag(tags, "crlf"));
    if (md.root) {
        assert_int_equal(block, has_tag(tags, "block-scalar"));
        assert_int_equal(json_get_c(md.root, "name") == NULL, has_tag(tags, "no-name"));
        assert_int_equal(description == NULL, has_tag(tags, "no-description"));
        assert_int_equal(json_is(json_get_c(md.root, "metadata"), JSON_OBJECT), metadata);
        assert_int_equal(json_is(json_get_c(md.root, "allowed-tools"), JSON_ARRAY),
                         has_tag(tags, "allowed-tools:list"));
        assert_int_equal(json_is(json_get_c(md.root, "compatibility"), JSON_ARRAY), has_tag(tags, "compat-type:list"));
    }
    struct span_walk w = {0};
    struct span s;
    while (span_next(&md, &w, &s))
        assert_ptr_equal(s.text.p, text.p + s.off);
    arena_fini(&a);
}

static struct pap_str read_file(const char *folder, const char *name, char *room, size_t max)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/skillmd/%s", folder, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        return str(NULL, 0);
    size_t n = fread(room, 1, max, f);
    fclose(f);
    return str(room, n);
}

static void real_files_are_read_as_their_table_says(void **state)
{
    (void)state;
    const char *cases = getenv("PAPAVER_CASES");
    if (!cases) {
        print_message("PAPAVER_CASES is not set: skillmd is not read\n");
        return;
    }
    static char table_room[1 << 18], room[1 << 20];
    struct pap_str table = read_file(cases, "PROVENANCE.tsv", table_room, sizeof table_room), row;
    unsigned files = 0;
    for (bool head = true; str_next(&table, '\n', &row); head = false) {
        struct pap_str column[12], rest = row;
        size_t n = 0;
        while (n < 12 && str_next(&rest, '\t', &column[n]))
            n++;
        if (head || n < 12)
            continue;
        char name[256];
        snprintf(name, sizeof name, "%.*s", PSTR(column[0]));
        struct pap_str text = read_file(cases, name, room, sizeof room);
        if (!text.p)
            continue;
        check_real(name, text, column[11]);
        files++;
    }
    print_message("%u real files read\n", files);
    assert_int_equal(files, 46);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fences_are_whole_lines),
        cmocka_unit_test(every_note_has_its_place_and_words),
        cmocka_unit_test(what_is_right_gets_no_note),
        cmocka_unit_test(a_block_may_have_64_kib),
        cmocka_unit_test(a_cut_before_the_closing_fence_never_passes),
        cmocka_unit_test(failing_allocations_are_passed_on),
        cmocka_unit_test(spans_follow_commonmark),
        cmocka_unit_test(no_body_is_slow),
        cmocka_unit_test(tools_are_split_outside_parentheses),
        cmocka_unit_test(real_files_are_read_as_their_table_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
