/* SPDX-License-Identifier: Apache-2.0
 *
 * The YAML reader: what it gives back, what it says and where, and that no input is slow, read past its end or leaks.
 */
#include <dirent.h>
#include <time.h>

#include "text/yaml.h"
#include "unit.h"

enum { BASE = 100 }; /* as if the block began there */

/* The offset in the document of the first place in `block` where `part` stands. */
static uint32_t place(const char *block, const char *part)
{
    size_t at = str_find(str_c(block), str_c(part));
    assert_true(at < strlen(block));
    return BASE + (uint32_t)at;
}

static struct json *read_ok(struct arena *a, struct pap_str block, struct notes *notes)
{
    struct json *root = NULL;
    *notes = (struct notes){NULL, NULL, 0};
    assert_ok(yaml_read(a, block, BASE, &root, notes));
    return root;
}

/* ---- notes ---- */

/* `at` is the text at whose start the note stands (NULL: the start of the block); detail NULL: empty. */
static const struct note_case {
    const char *block;
    enum note_code code;
    bool fatal;
    const char *at, *other, *detail;
} note_cases[] = {
    {"name: x\ndescription: Use when: y", NOTE_YAML_COLON, true, ": y", NULL, "description: \"Use when: y\""},
    {"d: ends with:\n", NOTE_YAML_COLON, true, ":\n", NULL, "d: \"ends with:\""},
    {"d: say \"a\\b\": c", NOTE_YAML_COLON, true, ": c", NULL, "d: \"say \\\"a\\\\b\\\": c\""},
    {"m:\n  d: see\tx: y\n", NOTE_YAML_COLON, true, ": y", NULL, "d: \"see\\tx: y\""},
    {"m:\n  - d: one two: y", NOTE_YAML_COLON, true, ": y", NULL, "- d: \"one two: y\""},
    {"d: one two\n  three: four\n  five\n", NOTE_YAML_COLON, true, ": four", NULL, "d: \"one two three: four five\""},
    {"d: \"x\": y", NOTE_YAML_COLON, true, ": y", NULL, "d: \"\\\"x\\\": y\""},
    {"e: \xf0\x9f\x9a\x80 \xc3\xa9: y", NOTE_YAML_COLON, true, ": y", NULL, "e: \"\xf0\x9f\x9a\x80 \xc3\xa9: y\""},
    {"a: 1\n  b: 2", NOTE_YAML_SYNTAX, true, "b: 2", NULL,
     "this line is indented, but the entry above it has a value already"},
    {"just\nname: x", NOTE_YAML_NOT_MAPPING, true, NULL, NULL, "\"just\" is no \"key: value\""},
    {"name:x\nb: c", NOTE_YAML_NOT_MAPPING, true, NULL, NULL, "a blank is missing after the \":\" of \"name:x\""},
    {"- a\n- b", NOTE_YAML_NOT_MAPPING, true, NULL, NULL, "a list"},
    {"~", NOTE_YAML_NOT_MAPPING, true, NULL, NULL, "\"~\" is no \"key: value\""},
    {"a: b\nfoo:bar\nc: d", NOTE_YAML_SYNTAX, true, "foo", NULL, "a blank is missing after the \":\" of \"foo:bar\""},
    {"a: b\nfoo bar\nc: d", NOTE_YAML_SYNTAX, true, "foo", NULL, "\"foo bar\" is no \"key: value\""},
    {"d: @a b", NOTE_YAML_SYNTAX, true, "@", NULL, "a value cannot begin with \"@\"; put it in quotes: d: \"@a b\""},
    {"d: `a` b", NOTE_YAML_SYNTAX, true, "`", NULL, "a value cannot begin with \"`\"; put it in quotes: d: \"`a` b\""},
    {"d: %50", NOTE_YAML_SYNTAX, true, "%", NULL, "a value cannot begin with \"%\"; put it in quotes: d: \"%50\""},
    {"d: , x", NOTE_YAML_SYNTAX, true, ",", NULL, "a value cannot begin with \",\"; put it in quotes: d: \", x\""},
    {"d: ]x", NOTE_YAML_SYNTAX, true, "]", NULL, "a value cannot begin with \"]\"; put it in quotes: d: \"]x\""},
    {"d: | x", NOTE_YAML_SYNTAX, true, "|", NULL, "a value cannot begin with \"|\"; put it in quotes: d: \"| x\""},
    {"d: > x", NOTE_YAML_SYNTAX, true, ">", NULL, "a value cannot begin with \">\"; put it in quotes: d: \"> x\""},
    {"d: - x", NOTE_YAML_SYNTAX, true, "- x", NULL,
     "a list begins on the line below its key; text goes in quotes: d: \"- x\""},
    {"d: ? x", NOTE_YAML_SYNTAX, true, "? x", NULL, "a value cannot begin with \"?\"; put it in quotes: d: \"? x\""},
    {"d: **b** x", NOTE_YAML_SYNTAX, true, "**b", NULL,
     "a value cannot begin with \"*\"; put it in quotes: d: \"**b** x\""},
    {"d: \"a\" b", NOTE_YAML_SYNTAX, true, "b", NULL,
     "text follows the closing quote; put the whole value in quotes: d: \"\\\"a\\\" b\""},
    {"d: 'it's'", NOTE_YAML_SYNTAX, true, "s'", NULL,
     "text follows the closing quote; put the whole value in quotes: d: \"it's\""},
    {"d: 'a", NOTE_YAML_SYNTAX, true, "'a", NULL, "the quote that opens here is never closed"},
    {"d: \"\\q\"", NOTE_YAML_SYNTAX, true, "\\q", NULL,
     "there is no such escape in double quotes; write \\\\ for a backslash, or use single quotes"},
    {"d: \"\\uD800\"", NOTE_YAML_SYNTAX, true, "D800", NULL, "this escape is no Unicode character"},
    {"d: \"\\xZZ\"", NOTE_YAML_SYNTAX, true, "ZZ", NULL, "\\x needs 2, \\u 4 and \\U 8 hexadecimal digits"},
    {"m:\n  a: 1\n b: 2", NOTE_YAML_SYNTAX, true, "b: 2", NULL,
     "the indentation fits no entry above, or the line above is not complete"},
    {"m:\n  - a\n  b\n", NOTE_YAML_SYNTAX, true, "b\n", NULL, "\"b\" is no \"key: value\""},
    {"a: 1\n%b: 2", NOTE_YAML_SYNTAX, true, "%", ": 2", "a line cannot begin with \"%\""},
    {"a: x\n<<<<<<< HEAD\n", NOTE_YAML_CONFLICT, true, "<<<", NULL, "<<<<<<<"},
    {"a: x\r=======\rb: c", NOTE_YAML_CONFLICT, true, "===", NULL, "======="},
    {">>>>>>> stash\n", NOTE_YAML_CONFLICT, true, NULL, NULL, ">>>>>>>"},
    {"m:\n\ta: 1", NOTE_YAML_TAB, true, "\t", NULL, NULL},
    {"m:\n  a: 1\n \tb: 1", NOTE_YAML_TAB, true, "\tb", NULL, NULL},
    {"d: |\n\tx", NOTE_YAML_TAB, true, "\t", NULL, NULL},
    {"d: x\n\ty", NOTE_YAML_TAB, true, "\t", NULL, NULL},
    {"a:\tb", NOTE_YAML_TAB_BLANK, false, "\t", NULL, NULL},
    {"a: b\t\nc: d", NOTE_YAML_TAB_BLANK, false, "\t", NULL, NULL},
    {"a: b#c\td", NOTE_YAML_TAB_BLANK, false, "\t", NULL, NULL},
    {"a: \"b\tc\"\t ", NOTE_YAML_TAB_BLANK, false, "\t ", NULL, NULL},
    {"xy: 1\nb: 2\n\"xy\": 3", NOTE_YAML_DUPLICATE, false, "\"xy\"", "xy", "xy"},
    {"m:\n  a: 1\n  a: 2", NOTE_YAML_DUPLICATE, false, "a: 2", "a: 1", "a"},
    {"a: &x v", NOTE_YAML_ANCHOR, true, "&", NULL, "if it is text, put it in quotes: a: \"&x v\""},
    {"&x a: v", NOTE_YAML_ANCHOR, true, NULL, NULL, NULL},
    {"a: *bold* text", NOTE_YAML_SYNTAX, true, "*bold", NULL,
     "a value cannot begin with \"*\"; put it in quotes: a: \"*bold* text\""},
    {"a: *bold text", NOTE_YAML_ANCHOR, true, "*", NULL, "if it is text, put it in quotes: a: \"*bold text\""},
    {"*x : v", NOTE_YAML_ANCHOR, true, NULL, NULL, NULL},
    {"a: !important x", NOTE_YAML_TAG, true, "!", NULL, "if it is text, put it in quotes: a: \"!important x\""},
    {"a: ! x", NOTE_YAML_TAG, true, "!", NULL, "if it is text, put it in quotes: a: \"! x\""},
    {"a: !e!x y", NOTE_YAML_TAG, true, "!", NULL, "if it is text, put it in quotes: a: \"!e!x y\""},
    {"a: [!!str b]", NOTE_YAML_TAG, true, "!!", NULL, NULL},
    {"m:\n  <<: x", NOTE_YAML_MERGE, true, "<<", NULL, NULL},
    {"? [a]\n: b", NOTE_YAML_COMPLEX_KEY, true, "[", NULL, NULL},
    {"? a\n: b", NOTE_YAML_COMPLEX_KEY, true, "a", NULL, NULL},
    {"? |\n  a\n: b", NOTE_YAML_COMPLEX_KEY, true, "|", NULL, NULL},
    {"m: {\"b\": [\"c\"], [\"d\"]}", NOTE_YAML_COMPLEX_KEY, true, "[\"d", NULL, NULL},
    {"{{name}}: x", NOTE_YAML_COMPLEX_KEY, true, "{{name", NULL, "a template that was not filled in"},
    {"name: {{ x }}", NOTE_YAML_COMPLEX_KEY, true, "{ x", NULL, "a template that was not filled in"},
    {"# c\n%YAML 1.2\n---\na: b", NOTE_YAML_DIRECTIVE, true, "%", NULL, NULL},
    {"%YAML 1.3\n---\na: b", NOTE_YAML_DIRECTIVE, true, NULL, NULL, NULL},
    {"a: b\n--- c", NOTE_YAML_DOCUMENTS, true, "---", NULL, NULL},
    {"a: b\n...\nc: d", NOTE_YAML_DOCUMENTS, true, "c: d", NULL, NULL},
    {"a: {b: {c: {d: {e: {f: {g: {h: 1}}}}}}}", NOTE_YAML_FLOW, false, "{b", NULL, NULL},
    {"a: {b: {c: {d: {e: {f: {g: {h: [1]}}}}}}}", NOTE_YAML_DEPTH, true, "[1", NULL, "more than 8 levels"},
    {"a: fix #12 now \nb: c", NOTE_YAML_COMMENT_CUTS, false, "#12", "fix", "#12 now"},
    {"a:\n  - x # y\n", NOTE_YAML_COMMENT_CUTS, false, "# y", "x", "# y"},
    {"\xc3\xa9: \xe2\x82\xac #a", NOTE_YAML_COMMENT_CUTS, false, "#a", "\xe2\x82\xac", "#a"},
    {"d: x y\n  z\t#a", NOTE_YAML_COMMENT_CUTS, false, "#a", "x y", "#a"},
    {"d: #tag first", NOTE_YAML_COMMENT_CUTS, false, "#tag", " #tag", "#tag first"},
    {"a: [b, [c], {d: e}]", NOTE_YAML_FLOW, false, "[b", NULL, NULL},
    {"{\"a\": [1]}", NOTE_YAML_FLOW, false, NULL, NULL, NULL},
    {"a: [b, c\n", NOTE_YAML_SYNTAX, true, "[b", NULL,
     "the \"[\" that opens here is not closed, or a \",\" is missing"},
    {"a: {b: [c],\n\"d\": e \"f\": g}", NOTE_YAML_SYNTAX, true, ": g", NULL,
     "inside {} and [] a value with \": \" in it must be in quotes"},
    {"a: {b: [c]\n\"d\": e}", NOTE_YAML_SYNTAX, true, "{b", "\"d\"",
     "the \"{\" that opens here is not closed, or a \",\" is missing"},
    {"a: {b: \"c\"d\"}", NOTE_YAML_SYNTAX, true, "d\"}", NULL,
     "a \",\" is missing, or quotes round a value, or the bracket closes too late"},
    {"a: {b: c: d}", NOTE_YAML_SYNTAX, true, ": d", NULL,
     "inside {} and [] a value with \": \" in it must be in quotes"},
    {"a: {\n\t\"b\": @x}", NOTE_YAML_SYNTAX, true, "@x", NULL,
     "a key or value cannot begin with this character; put it in quotes"},
    {"a: [\n  b: *x\n]", NOTE_YAML_ANCHOR, true, "*", NULL, NULL},
    {"a: x\xc2\x85y", NOTE_YAML_LINE_SEPARATOR, false, "\xc2\x85", NULL, NULL},
    {"a: x\xe2\x80\xa9 \"\\uF8F1\"", NOTE_YAML_LINE_SEPARATOR, true, "\xe2\x80\xa9", NULL, NULL},
    {"a: x\x01y", NOTE_CONTROL, true, "\x01", NULL, "U+0001"},
    {"a: x\xc2\x94y", NOTE_CONTROL, true, "\xc2\x94", NULL, "U+0094"},
    {"a: \xc3\xa9\x7fy", NOTE_CONTROL, true, "\x7f", NULL, "U+007F"},
    {"a: \xef\xbf\xbey", NOTE_CONTROL, true, "\xef\xbf\xbe", NULL, "U+FFFE"},
    {"a: x\xff", NOTE_UTF8, true, "\xff", NULL, NULL},
    {"a: \xed\xa0\x80", NOTE_UTF8, true, "\xed", NULL, NULL},
};

enum { NOTE_CASES = sizeof note_cases / sizeof *note_cases };

static void every_note_has_its_place_and_words(void **state)
{
    (void)state;
    bool seen[NOTE_COUNT] = {false};
    for (size_t i = 0; i < NOTE_CASES; i++) {
        const struct note_case *c = &note_cases[i];
        struct arena a;
        struct notes notes;
        arena_init(&a, NULL);
        struct json *root = read_ok(&a, str_c(c->block), &notes);
        const struct note *n = notes.first;
        while (n && n->code != c->code)
            n = n->next;
        if (!n)
            unit_fail("no note %d for: %s (first: %d)", (int)c->code, c->block,
                      notes.first ? (int)notes.first->code : 0);
        uint32_t at = c->at ? place(c->block, c->at) : BASE;
        if (n->off != at || n->fatal != c->fatal)
            unit_fail("note %d at %u%s for: %s", (int)n->code, n->off, n->fatal ? " (fatal)" : "", c->block);
        if (c->other)
            assert_int_equal(n->other, place(c->block, c->other));
        if (c->code != NOTE_UTF8)
            assert_str(n->detail, c->detail ? c->detail : "");
        assert_int_equal(root == NULL, c->fatal);
        assert_true(!c->fatal || (n == notes.last && n->next == NULL));
        seen[c->code] = true;
        arena_fini(&a);
    }
    for (int code = NOTE_YAML_SYNTAX; code <= NOTE_YAML_NOT_MAPPING; code++)
        assert_true(seen[code]);
}

static void what_needs_no_note_gets_none(void **state)
{
    (void)state;
    static const char *const fine[] = {
        "name: x\ndescription: a --- b, 12:30, http://x.example/#frag a#b \"q\" it's 50% & more!\n",
        "d: \"Use when: x # y\"\n",
        "d: 'it''s: #1'\n",
        "d: >-\n  Use when: x\n  # kept\n\n  more\n",
        "d: |2+\n   x\n\n",
        "# c\n\na: # comment only\n  b: c\n# end\n",
        "a: # none\nb:\n",
        "a:\n- b\n- c: d\n  e: f\n",
        "\"a b\": 'c'\n",
        "a: \"b\tc\"\n# d\te\nb: |\n  x\ty\n",
        "a: b\r\nc: d\r\n",
        "a: b\rc: d\r",
        "--- # c\na: b\n...\n",
        "a: ======= \nb: x <<<<<<< y\n",
        ("\xef\xbb\xbf"
         "a: b"),
        "a: {}", /* flow: noted, and the only one here */
    };
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        struct arena a;
        struct notes notes;
        arena_init(&a, NULL);
        struct json *root = read_ok(&a, str_c(fine[i]), &notes);
        if (!root || !json_is(root, JSON_OBJECT) || notes.n != (i + 1 == sizeof fine / sizeof *fine))
            unit_fail("%zu notes (first %d) for: %s", notes.n, notes.first ? (int)notes.first->code : 0, fine[i]);
        arena_fini(&a);
    }
}

/* ---- values ---- */

static const struct value_case {
    const char *source;
    enum json_type type;
    unsigned flags;
    const char *text;
} value_cases[] = {
    {"", JSON_NULL, JSON_PLAIN, ""},
    {"~", JSON_NULL, JSON_PLAIN, "~"},
    {"null", JSON_NULL, JSON_PLAIN, "null"},
    {"NULL", JSON_NULL, JSON_PLAIN, "NULL"},
    {"nULL", JSON_STRING, JSON_PLAIN, "nULL"},
    {"true", JSON_TRUE, JSON_PLAIN, "true"},
    {"True", JSON_TRUE, JSON_PLAIN, "True"},
    {"FALSE", JSON_FALSE, JSON_PLAIN, "FALSE"},
    {"yes", JSON_STRING, JSON_PLAIN, "yes"},
    {"on", JSON_STRING, JSON_PLAIN, "on"},
    {"0", JSON_NUMBER, JSON_PLAIN, "0"},
    {"010", JSON_NUMBER, JSON_PLAIN, "010"},
    {"-19", JSON_NUMBER, JSON_PLAIN, "-19"},
    {"+12", JSON_NUMBER, JSON_PLAIN, "+12"},
    {"0o17", JSON_NUMBER, JSON_PLAIN, "0o17"},
    {"0o18", JSON_STRING, JSON_PLAIN, "0o18"},
    {"0x1F", JSON_NUMBER, JSON_PLAIN, "0x1F"},
    {"0xg", JSON_STRING, JSON_PLAIN, "0xg"},
    {"-0x1", JSON_STRING, JSON_PLAIN, "-0x1"},
    {"1.10", JSON_NUMBER, JSON_PLAIN, "1.10"},
    {"1.", JSON_NUMBER, JSON_PLAIN, "1."},
    {".5", JSON_NUMBER, JSON_PLAIN, ".5"},
    {".", JSON_STRING, JSON_PLAIN, "."},
    {"-.", JSON_STRING, JSON_PLAIN, "-."},
    {"1e3", JSON_NUMBER, JSON_PLAIN, "1e3"},
    {"1E+3", JSON_NUMBER, JSON_PLAIN, "1E+3"},
    {"1e", JSON_STRING, JSON_PLAIN, "1e"},
    {"1_000", JSON_STRING, JSON_PLAIN, "1_000"},
    {"1.2.3", JSON_STRING, JSON_PLAIN, "1.2.3"},
    {"2024-01-01", JSON_STRING, JSON_PLAIN, "2024-01-01"},
    {"12:30", JSON_STRING, JSON_PLAIN, "12:30"},
    {".inf", JSON_STRING, JSON_PLAIN, ".inf"},
    {".NaN", JSON_STRING, JSON_PLAIN, ".NaN"},
    {"a b\n  c\n\n  d", JSON_STRING, JSON_PLAIN, "a b c\nd"},
    {"\"1\"", JSON_STRING, 0, "1"},
    {"''", JSON_STRING, 0, ""},
    {"'it''s'", JSON_STRING, 0, "it's"},
    {"\"\\x41\\u00e9\\U0001F600\\n\\\n  z\"", JSON_STRING, 0, "A\xc3\xa9\xf0\x9f\x98\x80\nz"},
    {"|\n  a: b\n   c\n\n", JSON_STRING, JSON_BLOCK, "a: b\n c\n"},
    {"|-\r\n  a\r\n  b\r\n", JSON_STRING, JSON_BLOCK, "a\nb"},
    {">+\n  a\n  b\n\n", JSON_STRING, JSON_BLOCK, "a b\n\n\n"}, /* one line end is of the template */
    {"|1\n  a\n", JSON_STRING, JSON_BLOCK, " a\n"},
    {"x\xc2\x85"
     "b: c",
     JSON_STRING, JSON_PLAIN, NULL}, /* COLON: see below */
    {"x\xe2\x80\xa8y\xe2\x80\xa9z", JSON_STRING, JSON_PLAIN, "x\xe2\x80\xa8y\xe2\x80\xa9z"},
    {"\"x\\\"\xc2\x85 b: c\"", JSON_STRING, 0, "x\"\xc2\x85 b: c"},
    {"a\xef\xbb\xbf"
     "b",
     JSON_STRING, JSON_PLAIN,
     "a\xef\xbb\xbf"
     "b"},
};

static void scalars_follow_the_core_schema(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof value_cases / sizeof *value_cases; i++) {
        const struct value_case *c = &value_cases[i];
        struct arena a;
        struct notes notes;
        arena_init(&a, NULL);
        struct pap_str block = arena_fmt(&a, "\xc3\xa9: 1\nk: %s\nlast: 1\n", c->source);
        struct json *root = read_ok(&a, block, &notes);
        if (!c->text) { /* a NEL ends no line: one value with ": " in it, never two keys */
            assert_null(root);
            assert_int_equal(notes.last->code, NOTE_YAML_COLON);
            arena_fini(&a);
            continue;
        }
        const struct json *j = json_get_c(root, "k");
        if (!j || j->type != c->type || j->flags != (c->flags | JSON_HAS_KEY))
            unit_fail("%s: type %d, flags %d", c->source, j ? j->type : -1, j ? j->flags : -1);
        assert_str(str(j->p, j->n), c->text);
        assert_non_null(j->p);
        assert_int_equal(j->key_off, BASE + 6);
        assert_int_equal(j->off, BASE + (c->source[0] ? 9 : 8));
        assert_int_equal(root->n, 3);
        assert_int_equal(json_get_c(root, "last")->off, BASE + block.n - 2);
        arena_fini(&a);
    }
}

static void the_tree_has_its_places(void **state)
{
    (void)state;
    const char *block = "name: pdf\nmeta:\n  \"k \xe2\x82\xac\": [a, {b: 2}]\n  list:\n  - x\n  -\n    y: z\n";
    struct arena a;
    struct notes notes;
    arena_init(&a, NULL);
    struct json *root = read_ok(&a, str_c(block), &notes);
    assert_int_equal(root->off, BASE);
    assert_int_equal(root->n, 2);
    assert_int_equal(root->flags, 0);
    const struct json *name = json_get_c(root, "name");
    assert_ptr_equal(name->p, block + 6); /* a view, not a copy */
    const struct json *meta = json_get_c(root, "meta"), *flow = json_get_c(meta, "k \xe2\x82\xac");
    assert_int_equal(meta->off, place(block, "\"k"));
    assert_int_equal(flow->key_off, place(block, "\"k"));
    assert_int_equal(flow->off, place(block, "[a"));
    assert_int_equal(flow->flags, JSON_HAS_KEY | JSON_FLOW);
    assert_int_equal(flow->n, 2);
    assert_int_equal(flow->child->next->off, place(block, "{b"));
    assert_int_equal(json_get_c(flow->child->next, "b")->off, place(block, "2}"));
    const struct json *list = json_get_c(meta, "list");
    assert_int_equal(list->type, JSON_ARRAY);
    assert_int_equal(list->off, place(block, "- x"));
    assert_int_equal(list->child->next->off, place(block, "y: z"));
    assert_int_equal(notes.n, 1);
    arena_fini(&a);
}

static void an_empty_block_is_an_empty_object(void **state)
{
    (void)state;
    static const char *const empty[] = {"", "\n", "# c\n", "--- \n", "---", "\xef\xbb\xbf"};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        struct arena a;
        struct notes notes;
        arena_init(&a, NULL);
        struct json *root = read_ok(&a, i ? str_c(empty[i]) : str(NULL, 0), &notes);
        assert_true(json_is(root, JSON_OBJECT));
        assert_int_equal(root->n, 0);
        assert_int_equal(notes.n, 0);
        arena_fini(&a);
    }
}

static void both_duplicates_are_kept(void **state)
{
    (void)state;
    struct arena a;
    struct notes notes;
    arena_init(&a, NULL);
    struct json *root = read_ok(&a, S("a: 1\nb: 2\na: 3\n"), &notes);
    assert_int_equal(root->n, 3);
    assert_false(root->child->flags & JSON_DUPLICATE);
    assert_true(root->child->next->next->flags & JSON_DUPLICATE);
    assert_int_equal(notes.first->other, BASE);
    arena_fini(&a);
}

/* The line that is proposed reads back as what was written. */
static void proposed_lines_mend_the_fault(void **state)
{
    (void)state;
    static const char *const values[] = {
        "Use when: x",
        "say \"a\\b\": c",
        "a:",
        "@x: 'y'",
        "`code` first",
        "%50",
        ", x",
        "*bold text",
        "**bold** text",
        "!important",
        "&nbsp",
        "| a",
        "> a",
        "[draft] text",
        "{a} text",
        "\"quoted\" then",
        "x: y # z",
        "- x",
        "\xc3\xa9t\xc3\xa9: x",
        "] x",
        "\\: \\n",
        "a \"b\": \\\"",
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct arena a;
        struct notes notes;
        arena_init(&a, NULL);
        assert_null(read_ok(&a, arena_fmt(&a, "name: x\ndescription: %s\nlicense: MIT\n", values[i]), &notes));
        struct pap_str line = notes.last->detail;
        size_t at = str_find(line, S("description: "));
        if (at == line.n)
            unit_fail("no line proposed for: %s (%.*s)", values[i], PSTR(line));
        struct json *root = read_ok(&a, str_skip(line, at), &notes);
        assert_str(json_str(json_get_c(root, "description")), values[i]);
        arena_fini(&a);
    }
}

static void a_long_proposal_is_cut_between_characters(void **state)
{
    (void)state;
    struct arena a;
    struct notes notes;
    arena_init(&a, NULL);
    static char block[9000] = "d: x: ";
    for (size_t i = 6; i < 8996; i += 3)
        memcpy(block + i, "\xe2\x82\xac", 3);
    assert_null(read_ok(&a, str_c(block), &notes));
    assert_int_equal(notes.last->code, NOTE_YAML_COLON);
    assert_true(notes.last->detail.n < 2100);
    assert_true(str_ends(notes.last->detail, S("\xe2\x82\xac\xe2\x80\xa6\"")));
    arena_fini(&a);
}

/* ---- limits, time, memory ---- */

static void limits_hold(void **state)
{
    (void)state;
    static char block[LIMIT_FRONTMATTER + 1] = "a: ";
    memset(block + 3, 'x', sizeof block - 3);
    struct arena a;
    struct notes notes;
    arena_init(&a, NULL);
    assert_non_null(read_ok(&a, str(block, LIMIT_FRONTMATTER), &notes));
    assert_null(read_ok(&a, str(block, LIMIT_FRONTMATTER + 1), &notes));
    assert_int_equal(notes.last->code, NOTE_TOO_LONG);
    assert_int_equal(notes.last->off, BASE);
    enum { TIMES = LIMIT_JSON_KEY / 3 }; /* a name that grows: each \L is three bytes */
    memcpy(block, "{\"", 2);
    for (size_t i = 0; i < TIMES; i++)
        memcpy(block + 2 + 2 * i, "\\L", 2);
    memcpy(block + 2 + 2 * TIMES, "\"}", 2);
    struct json *root = read_ok(&a, str(block, 4 + 2 * TIMES), &notes);
    assert_non_null(root);
    assert_int_equal(root->child->key_n, LIMIT_JSON_KEY);
    memcpy(block + 2 + 2 * TIMES, "x\"}", 3);
    assert_null(read_ok(&a, str(block, 5 + 2 * TIMES), &notes));
    assert_int_equal(notes.last->code, NOTE_TOO_LONG);
    assert_int_equal(notes.last->off, BASE + 1);
    arena_fini(&a);
}

static double milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void repeated(const char *unit)
{
    static char block[LIMIT_FRONTMATTER];
    struct arena a;
    struct notes notes;
    arena_init(&a, NULL);
    size_t n = 0, unit_n = strlen(unit);
    for (; n + unit_n <= sizeof block; n += unit_n)
        memcpy(block + n, unit, unit_n);
    double start = milliseconds();
    (void)read_ok(&a, str(block, n), &notes);
    double took = milliseconds() - start;
    if (took > 200) /* a few ms; sanitizers and a busy machine are slower */
        unit_fail("64 kB of \"%s\" took %.0f ms", unit, took);
    arena_fini(&a);
}

static void no_input_is_slow(void **state)
{
    (void)state;
    static const char *const units[] = {
        "[",
        "{",
        "? ",
        "- ",
        "a: ",
        ": ",
        "&a ",
        "*a ",
        "!a ",
        "%",
        "#",
        "\"",
        "'",
        "|\n",
        ">\n",
        "\n",
        "\r",
        "\t",
        " ",
        ",",
        "a:\n ",
        "- \n",
        "a: b\n",
        "\xc2\x85",
        "a: \xe2\x80\xa8\n",
        "\xc3\xa9: b\n",
        "a\t:\tb\t\n",
        "[a,",
        "{a: ",
        "a: x #y\n",
        "<<: a\n",
        "---\n",
        "...\n",
        "\xc3\xa9",
        " a\n",
        "{a,",
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        repeated(units[i]);
}

static const char fixture[] =
    "name: pdf-tools\r\n"
    "description: \"\xc3\xa9t\xc3\xa9 \\u20ac\"\n"
    "# comment\n"
    "license:\tMIT # cut\n"
    "text: >-\n  folded\n  lines\n\n"
    "metadata:\n  a: {b: [1, 'x'], \"c\": ~}\n  a: 2\xe2\x80\xa8z\n  list:\n    - one\n    - k: v\n";

static void check_places(const struct json *j, size_t n)
{
    assert_true(j->off >= BASE && j->off <= BASE + n);
    assert_true(!(j->flags & JSON_HAS_KEY) || (j->key_off >= BASE && j->key_off <= j->off));
    json_each (child, j)
        check_places(child, n);
}

static void every_cut_ends_well(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof fixture; n++) {
        struct arena a;
        struct notes notes;
        arena_init(&a, NULL);
        char *copy = malloc(n ? n : 1); /* exactly as long, for the sanitizer */
        assert_non_null(copy);
        memcpy(copy, fixture, n);
        struct json *root = read_ok(&a, str(copy, n), &notes);
        assert_int_equal(root == NULL, notes.last && notes.last->fatal);
        if (root)
            check_places(root, n);
        for (const struct note *note = notes.first; note; note = note->next)
            assert_true(note->off >= BASE && note->off <= BASE + n);
        free(copy);
        arena_fini(&a);
    }
}

static void failing_allocations_are_passed_on(void **state)
{
    (void)state;
    for (size_t i = 0; i <= NOTE_CASES; i++) {
        struct pap_str block = i == NOTE_CASES ? str(fixture, sizeof fixture - 1) : str_c(note_cases[i].block);
        bool done = false;
        for (unsigned fail_at = 1; fail_at < FAIL_ALLOC_MOST && !done; fail_at++) {
            struct fail_alloc f;
            struct arena a;
            struct notes notes = {NULL, NULL, 0};
            struct json *root = NULL;
            fail_alloc_init(&f, fail_at);
            arena_init(&a, &f.alloc);
            pap_result r = yaml_read(&a, block, BASE, &root, &notes);
            assert_true(is_ok(r) || r.code == PAP_NO_MEMORY);
            assert_true(is_ok(r) || root == NULL);
            arena_fini(&a);
            assert_int_equal(f.live, 0);
            done = is_ok(r);
        }
        assert_true(done);
    }
}

/* An arena with a cap makes every allocation of the reader fail in turn, not only every block. */
static void a_full_arena_is_passed_on(void **state)
{
    (void)state;
    char memory[16 * 1024];
    for (size_t i = 0; i <= NOTE_CASES; i++) {
        struct pap_str block = i == NOTE_CASES ? str(fixture, sizeof fixture - 1) : str_c(note_cases[i].block);
        bool done = false;
        for (size_t room = 0; room <= sizeof memory && !done; room += 8) {
            struct arena a = {.at = memory, .end = memory + room, .max = 1};
            struct notes notes = {NULL, NULL, 0};
            struct json *root = NULL;
            pap_result r = yaml_read(&a, block, BASE, &root, &notes);
            assert_true(is_ok(r) || r.code == PAP_NO_MEMORY);
            assert_true(is_ok(r) || root == NULL);
            done = is_ok(r);
        }
        assert_true(done);
    }
}

/* libyaml allocates through these; ours win over those of the shared library. */
static unsigned yaml_calls, yaml_fail_at;
__attribute__((visibility("default"))) void *yaml_malloc(size_t n);
__attribute__((visibility("default"))) void *yaml_realloc(void *p, size_t n);

void *yaml_malloc(size_t n)
{
    return ++yaml_calls == yaml_fail_at ? NULL : malloc(n ? n : 1);
}

void *yaml_realloc(void *p, size_t n)
{
    return ++yaml_calls == yaml_fail_at ? NULL : realloc(p, n ? n : 1);
}

static void libyaml_out_of_memory_is_passed_on(void **state)
{
    (void)state;
    bool done = false;
    yaml_calls = 0;
    for (unsigned fail_at = 1; fail_at < 100000 && !done; fail_at++) {
        struct arena a;
        struct notes notes = {NULL, NULL, 0};
        struct json *root = NULL;
        arena_init(&a, NULL);
        yaml_calls = 0;
        yaml_fail_at = fail_at;
        pap_result r = yaml_read(&a, str(fixture, sizeof fixture - 1), BASE, &root, &notes);
        yaml_fail_at = 0;
        done = yaml_calls < fail_at;
        assert_int_equal(r.code, done ? PAP_OK : PAP_NO_MEMORY);
        arena_fini(&a);
    }
    assert_true(done && yaml_calls > 10);
}

/* ---- what others made ---- */

static void hostile_blocks_end_soon(void **state)
{
    (void)state;
    const char *cases = getenv("PAPAVER_CASES");
    if (!cases) {
        print_message("PAPAVER_CASES is not set: hostile/yaml is not read\n");
        return;
    }
    static char block[1 << 20];
    char folder[2048], path[4096];
    snprintf(folder, sizeof folder, "%s/hostile/yaml", cases);
    struct dirent **names;
    int n = scandir(folder, &names, NULL, alphasort), read = 0;
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        free(names[i]);
        FILE *f = fopen(path, "rb");
        size_t size = f ? fread(block, 1, sizeof block, f) : 0;
        if (f)
            fclose(f);
        if (!f || size == 0)
            continue;
        struct arena a;
        struct notes notes;
        arena_init(&a, NULL);
        double start = milliseconds();
        struct json *root = read_ok(&a, str(block, size), &notes);
        double took = milliseconds() - start;
        if (took > 50 || (root == NULL) != (notes.last && notes.last->fatal))
            unit_fail("%s: %.0f ms, %zu notes", path, took, notes.n);
        arena_fini(&a);
        read++;
    }
    if (n >= 0)
        free(names);
    print_message("%d hostile blocks read\n", read);
    assert_true(read > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_note_has_its_place_and_words),
        cmocka_unit_test(what_needs_no_note_gets_none),
        cmocka_unit_test(scalars_follow_the_core_schema),
        cmocka_unit_test(the_tree_has_its_places),
        cmocka_unit_test(an_empty_block_is_an_empty_object),
        cmocka_unit_test(both_duplicates_are_kept),
        cmocka_unit_test(proposed_lines_mend_the_fault),
        cmocka_unit_test(a_long_proposal_is_cut_between_characters),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(no_input_is_slow),
        cmocka_unit_test(every_cut_ends_well),
        cmocka_unit_test(failing_allocations_are_passed_on),
        cmocka_unit_test(a_full_arena_is_passed_on),
        cmocka_unit_test(libyaml_out_of_memory_is_passed_on),
        cmocka_unit_test(hostile_blocks_end_soon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
