/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON reader: what it refuses and where, what it notes, what it gives back. With PAPAVER_CASES set, also the
 * documents of a parser test suite (y_ must be read, n_ must be refused, the others must end).
 */
#include "unit.h"

#include <dirent.h>
#include <stdlib.h>

#include "text/json.h"
#include "text/place.h"

struct result {
    char *copy;
    struct arena arena;
    struct notes notes;
    struct json *root;
};

static struct result read_text(struct pap_str text)
{
    struct result r = {0};
    arena_init(&r.arena, NULL);
    /* Exactly n bytes on the heap, so that a sanitizer sees a read past the end. */
    r.copy = malloc(text.n ? text.n : 1);
    assert_non_null(r.copy);
    if (text.n)
        memcpy(r.copy, text.p, text.n);
    assert_ok(json_read(&r.arena, str(r.copy, text.n), &r.root, &r.notes));
    assert_true((r.root == NULL) == (r.notes.last && r.notes.last->fatal));
    for (const struct note *n = r.notes.first; n; n = n->next)
        assert_true(n->next == NULL || !n->fatal);
    return r;
}

static void done(struct result *r)
{
    arena_fini(&r->arena);
    free(r->copy);
}

/* ---- refused ------------------------------------------------------------------------------------------------------ */

static void faults_are_named_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum note_code code;
        uint32_t off;
        const char *detail;
    } rows[] = {
        {"", NOTE_EMPTY, 0, "the text is empty"},
        {" \r\n\t", NOTE_EMPTY, 4, "the text is empty"},
        {"\xef\xbb\xbf ", NOTE_EMPTY, 4, "the text is empty"},
        {"\n<!DOCTYPE html>", NOTE_HTML, 1, "the text begins with \"<\""},
        {"[1,]", NOTE_JSON_SYNTAX, 3, "expected another value after the comma, found \"]\""},
        {"[,1]", NOTE_JSON_SYNTAX, 1, "expected a value, found \",\""},
        {"[1 2]", NOTE_JSON_SYNTAX, 3, "expected a comma or \"]\", found \"2\""},
        {"[1}", NOTE_JSON_SYNTAX, 2, "expected a comma or \"]\", found \"}\""},
        {"{\"a\":1,}", NOTE_JSON_SYNTAX, 7, "expected another member after the comma, found \"}\""},
        {"{\"a\":1 \"b\":2}", NOTE_JSON_SYNTAX, 7, "expected a comma or \"}\", found a double quote"},
        {"{\"a\" 1}", NOTE_JSON_SYNTAX, 5, "expected a colon after the member name, found \"1\""},
        {"{\"a\":}", NOTE_JSON_SYNTAX, 5, "expected a value after the colon, found \"}\""},
        {"{name:1}", NOTE_JSON_SYNTAX, 1, "expected a member name in double quotes or \"}\", found the word \"name\""},
        {"{'a':1}", NOTE_JSON_SYNTAX, 1,
         "expected a member name in double quotes or \"}\", found a single quote (JSON has only double quotes)"},
        {"[1] // x", NOTE_JSON_TRAILING, 4, "expected the end of the text, found a comment (JSON has none)"},
        {"{}{}", NOTE_JSON_TRAILING, 2, "expected the end of the text, found \"{\""},
        {"[True]", NOTE_JSON_SYNTAX, 1, "expected a value, found the word \"True\""},
        {"[nul]", NOTE_JSON_SYNTAX, 1, "expected a value, found the word \"nul\""},
        {"[\xe2\x80\x9c]", NOTE_JSON_SYNTAX, 1, "expected a value, found \"\xe2\x80\x9c\" (U+201C)"},
        {"[\x0c]", NOTE_JSON_SYNTAX, 1, "expected a value, found the character U+000C"},
        {"[\xc2\xa0]", NOTE_JSON_SYNTAX, 1, "expected a value, found \"\xc2\xa0\" (U+00A0)"},
        {"[\xe2\x80\xae]", NOTE_JSON_SYNTAX, 1, "expected a value, found the character U+202E"},
        {"[\xff]", NOTE_UTF8, 1, "the byte 0xFF"},
        {"\xff\xfe[", NOTE_UTF8, 0, "a byte order mark of UTF-16"},
        {"[\"\xed\xa0\x80\"]", NOTE_UTF8, 2, "the byte 0xED"},
        {"[\"\xc0\xaf\"]", NOTE_UTF8, 2, "the byte 0xC0"},
        {"[\"a\xe2\x82\"]", NOTE_UTF8, 3, "the byte 0xE2"},
        {"[\"a\nb\"]", NOTE_CONTROL, 3, "a line end inside a string"},
        {"[\"a\tb\"]", NOTE_CONTROL, 3, "a TAB inside a string"},
        {"[\"12345678\x1f\"]", NOTE_CONTROL, 10, "U+001F inside a string"},
        {"[\"\\x41\"]", NOTE_JSON_SYNTAX, 3,
         "expected one of \" \\ / b f n r t u after the backslash, found the word \"x41\""},
        {"[\"\\u12g4\"]", NOTE_JSON_SYNTAX, 6, "expected four hex digits after \\u, found the word \"g4\""},
        {"[\"\\u12\"]", NOTE_JSON_SYNTAX, 6, "expected four hex digits after \\u, found a double quote"},
        {"[\"\\ud800\"]", NOTE_JSON_LONE_SURROGATE, 2, "\\ud800"},
        {"[\"\\uDE00x\"]", NOTE_JSON_LONE_SURROGATE, 2, "\\uDE00"},
        {"[\"\\ud83d\\u0041\"]", NOTE_JSON_LONE_SURROGATE, 2, "\\ud83d"},
        {"[\"\\ud83d\\n\"]", NOTE_JSON_LONE_SURROGATE, 2, "\\ud83d"},
        {"\"\\ud83d\"", NOTE_JSON_LONE_SURROGATE, 1, "\\ud83d"},
        {"[01]", NOTE_JSON_SYNTAX, 2, "expected no digit after a leading 0, found \"1\""},
        {"[-]", NOTE_JSON_SYNTAX, 2, "expected a digit after the minus sign, found \"]\""},
        {"[+1]", NOTE_JSON_SYNTAX, 1, "expected a value, found \"+\""},
        {"[1.]", NOTE_JSON_SYNTAX, 3, "expected a digit after the point, found \"]\""},
        {"[.5]", NOTE_JSON_SYNTAX, 1, "expected a value, found \".\""},
        {"[1e+]", NOTE_JSON_SYNTAX, 4, "expected a digit in the exponent, found \"]\""},
        {"[0x1F]", NOTE_JSON_SYNTAX, 2, "expected a comma or \"]\", found the word \"x1F\""},
        {"[\"abc", NOTE_JSON_TRUNCATED, 5, "the text ends inside a string"},
        {"[\"\\u00", NOTE_JSON_TRUNCATED, 6, "the text ends inside a string"},
        {"[\"\\ud83d\\", NOTE_JSON_TRUNCATED, 9, "the text ends inside a string"},
        {"[\"\\ud83d\\u", NOTE_JSON_TRUNCATED, 10, "the text ends inside a string"},
        {"[\"\xf0\x9f\x98", NOTE_JSON_TRUNCATED, 5, "the text ends inside a character"},
        {"[tru", NOTE_JSON_TRUNCATED, 4, "the text ends inside an array"},
        {"{\"a\":[1,2],", NOTE_JSON_TRUNCATED, 11, "the text ends inside an object"},
        {"-", NOTE_JSON_TRUNCATED, 1, "the text ends inside a value"},
        {"nul", NOTE_JSON_TRUNCATED, 3, "the text ends inside a value"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct result r = read_text(str_c(rows[i].text));
        if (!r.notes.last || !r.notes.last->fatal)
            unit_fail("%s: read", rows[i].text);
        const struct note *n = r.notes.last;
        if (n->code != rows[i].code || n->off != rows[i].off || !str_is(n->detail, rows[i].detail))
            unit_fail("%s: code %d at %u: %.*s", rows[i].text, (int)n->code, n->off, PSTR(n->detail));
        done(&r);
    }
}

static void truncation_names_what_is_open(void **state)
{
    (void)state;
    struct result r = read_text(S("{\"a\": 1, \"b\": [true, \"x"));
    assert_int_equal(r.notes.last->code, NOTE_JSON_TRUNCATED);
    assert_int_equal(r.notes.last->other, 21);
    done(&r);
    r = read_text(S("{\"a\": 1, \"b\": [true, "));
    assert_int_equal(r.notes.last->other, 14);
    done(&r);
}

static void nul_bytes_do_not_end_the_text(void **state)
{
    (void)state;
    struct result r = read_text(S("{}\0x"));
    assert_int_equal(r.notes.last->code, NOTE_JSON_TRAILING);
    assert_int_equal(r.notes.last->off, 2);
    done(&r);
    r = read_text(S("[\"a\0b\"]"));
    assert_int_equal(r.notes.last->code, NOTE_CONTROL);
    assert_int_equal(r.notes.last->off, 3);
    done(&r);
}

static void depth_has_a_cap(void **state)
{
    (void)state;
    char text[2 * LIMIT_JSON_DEPTH + 2];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i < sizeof text / 2 ? '[' : ']';
    struct result r = read_text(str(text + 1, sizeof text - 2));
    assert_non_null(r.root);
    const struct json *j = r.root;
    while (j->child)
        j = j->child;
    struct pap_str pointer = json_pointer(&r.arena, r.root, j);
    assert_int_equal(pointer.n, 2 * (LIMIT_JSON_DEPTH - 1));
    done(&r);
    r = read_text(str(text, sizeof text));
    assert_int_equal(r.notes.last->code, NOTE_JSON_DEPTH);
    assert_int_equal(r.notes.last->off, LIMIT_JSON_DEPTH);
    done(&r);
}

static void member_names_have_a_cap(void **state)
{
    (void)state;
    static char text[LIMIT_JSON_KEY + 16];
    for (size_t n = LIMIT_JSON_KEY; n <= LIMIT_JSON_KEY + 1; n++) {
        memset(text, 'k', sizeof text);
        memcpy(text, "[{\"", 3);
        memcpy(text + 3 + n, "\":1}]", 5);
        struct result r = read_text(str(text, n + 8));
        assert_true((r.root != NULL) == (n == LIMIT_JSON_KEY));
        if (r.root) {
            assert_int_equal(json_key(r.root->child->child).n, n);
        } else {
            assert_int_equal(r.notes.last->code, NOTE_TOO_LONG);
            assert_int_equal(r.notes.last->off, 2);
        }
        done(&r);
    }
}

static void values_have_a_cap(void **state)
{
    (void)state;
    enum { MORE = LIMIT_JSON_VALUES + 1024 };
    static char text[2 * MORE + 1];
    for (size_t n = LIMIT_JSON_VALUES - 1; n <= MORE; n += MORE - LIMIT_JSON_VALUES + 1) {
        for (size_t i = 0; i < n; i++)
            memcpy(text + 2 * i, i ? ",0" : "[0", 2);
        text[2 * n] = ']';
        struct result r = read_text(str(text, 2 * n + 1));
        assert_true((r.root != NULL) == (n < LIMIT_JSON_VALUES));
        if (!r.root)
            assert_int_equal(r.notes.last->code, NOTE_TOO_LONG);
        done(&r);
    }
}

static const char document[] = "\xef\xbb\xbf {\"name\": \"Bl\xc3\xbcte "
                               "\\u00e9\\ud83d\\ude00\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"a/b~c\": [1, -0.5e+3, true, "
                               "false, null, {}, [], [[\"\xe2\x82\xac \xf0\x9f\x8c\xb8\"]]],\r\n\t\"\": {\"x\": "
                               "{\"y\": \"\"}}, \"\\u006eame\": 12}\n";

static void every_cut_is_refused(void **state)
{
    (void)state;
    struct pap_str whole = str_trim(str(document, sizeof document - 1));
    for (size_t n = 0; n < whole.n; n++) {
        struct result r = read_text(str_take(whole, n));
        enum note_code code = r.notes.last ? r.notes.last->code : NOTE_NONE;
        if (code != (n == 0 || n == 3 || n == 4 ? NOTE_EMPTY : NOTE_JSON_TRUNCATED))
            unit_fail("cut at %zu: code %d", n, (int)code);
        done(&r);
    }
}

/* ---- noted -------------------------------------------------------------------------------------------------------- */

static void duplicates_are_kept_and_noted(void **state)
{
    (void)state;
    struct result r = read_text(S("{\"a\":1,\"b\":{\"c\":1,\"c\":2},\"\\u0061\":2,\"a\":3}"));
    assert_non_null(r.root);
    assert_int_equal(r.root->n, 4);
    static const uint32_t places[][2] = {{18, 12}, {25, 1}, {36, 1}};
    const struct note *n = r.notes.first;
    for (size_t i = 0; i < 3; i++, n = n->next) {
        assert_non_null(n);
        assert_int_equal(n->code, NOTE_JSON_DUPLICATE);
        assert_int_equal(n->off, places[i][0]);
        assert_int_equal(n->other, places[i][1]);
        assert_str(n->detail, i == 0 ? "c" : "a");
    }
    assert_null(n);
    assert_str(json_str(json_get_c(r.root, "a")), "1");
    unsigned flagged = 0;
    json_each (m, r.root)
        flagged += (m->flags & JSON_DUPLICATE) != 0;
    assert_int_equal(flagged, 2);
    done(&r);
}

static void many_duplicates_come_in_document_order(void **state)
{
    (void)state;
    char text[4096];
    size_t n = 0;
    for (int i = 0; i < 100; i++) /* 50 names, each twice: k0 ... k49 k0 ... k49 */
        n += (size_t)snprintf(text + n, sizeof text - n, "%c\"k%d\":%d", i ? ',' : '{', i % 50, i);
    text[n++] = '}';
    struct result r = read_text(str(text, n));
    assert_int_equal(r.notes.n, 50);
    const struct note *note = r.notes.first;
    const struct json *first = r.root->child, *later = first;
    for (int i = 0; i < 50; i++)
        later = later->next;
    for (; note; note = note->next, first = first->next, later = later->next) {
        assert_int_equal(note->off, later->key_off);
        assert_int_equal(note->other, first->key_off);
        assert_true(later->flags & JSON_DUPLICATE);
        assert_false(first->flags & JSON_DUPLICATE);
    }
    done(&r);
}

static void odd_things_are_read_and_noted(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum note_code code;
        uint32_t off;
    } rows[] = {
        {"\xef\xbb\xbf{}", NOTE_BOM, 0},
        {"[\"a\\u0000b\"]", NOTE_JSON_NUL, 3},
        {"{\"\\u0000\":1}", NOTE_JSON_NUL, 2},
        {"[1e400]", NOTE_JSON_NUMBER, 1},
        {"[-1E+309]", NOTE_JSON_NUMBER, 1},
        {"[1.8e308]", NOTE_JSON_NUMBER, 1},
        {"[0.0001e400]", NOTE_JSON_NUMBER, 1},
        {"[1e99999999999999999999]", NOTE_JSON_NUMBER, 1},
        {"[1e-99999999999999999999]", NOTE_JSON_NUMBER, 1},
        {"[9007199254740993]", NOTE_JSON_NUMBER, 1},
        {"[-9007199254740993]", NOTE_JSON_NUMBER, 1},
        {"[123456789012345678901234567890]", NOTE_JSON_NUMBER, 1},
        {"[1e308]", NOTE_NONE, 0},
        {"[1.7976931348623157e308]", NOTE_NONE, 0},
        {"[17976931348623157000000000000000000000e271]", NOTE_NONE, 0},
        {"[0.000000000017976931348623157e319]", NOTE_NONE, 0},
        {"[0e99999999999]", NOTE_NONE, 0},
        {"[0.00e-400]", NOTE_NONE, 0},
        {"[5e-324]", NOTE_NONE, 0},
        {"[1e-400]", NOTE_JSON_NUMBER, 1},
        {"[9007199254740992]", NOTE_NONE, 0},
        {"[-9007199254740992]", NOTE_NONE, 0},
        {"[-0, 0.1, 1E2]", NOTE_NONE, 0},
        {"[\"\xef\xbf\xbf\"]", NOTE_NONE, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct result r = read_text(str_c(rows[i].text));
        if (!r.root || r.notes.n != (rows[i].code != NOTE_NONE))
            unit_fail("%s: refused, or %zu notes", rows[i].text, r.notes.n);
        if (r.notes.first && (r.notes.first->code != rows[i].code || r.notes.first->off != rows[i].off))
            unit_fail("%s: code %d at %u", rows[i].text, (int)r.notes.first->code, r.notes.first->off);
        done(&r);
    }
}

/* ---- read --------------------------------------------------------------------------------------------------------- */

static void values_and_places_are_right(void **state)
{
    (void)state;
    struct pap_str text = str(document, sizeof document - 1);
    struct arena a;
    arena_init(&a, NULL);
    struct notes notes = {0};
    struct json *root = NULL;
    assert_ok(json_read(&a, text, &root, &notes));
    assert_int_equal(root->n, 4);
    assert_int_equal(root->off, 4);
    assert_str(json_str(json_at(root, "/name")), "Bl\xc3\xbcte \xc3\xa9\xf0\x9f\x98\x80\"\\/\b\f\n\r\t");
    const struct json *list = json_get_c(root, "a/b~c");
    assert_int_equal(list->n, 8);
    assert_str(json_str(json_at(root, "/a~1b~0c/1")), "-0.5e+3");
    assert_true(json_is(json_at(root, "/a~1b~0c/2"), JSON_TRUE));
    assert_true(json_is(json_at(root, "/a~1b~0c/3"), JSON_FALSE));
    assert_true(json_is(json_at(root, "/a~1b~0c/4"), JSON_NULL));
    assert_true(json_is(json_at(root, "/a~1b~0c/5"), JSON_OBJECT));
    assert_str(json_str(json_at(root, "/a~1b~0c/7/0/0")), "\xe2\x82\xac \xf0\x9f\x8c\xb8");
    assert_str(json_str(json_at(root, "//x/y")), "");
    static const char *const nowhere[] = {"/",           "a",          "/a~1b~0c/", "/a~1b~0c/8",
                                          "/a~1b~0c/01", "/a~1b~0c/-", "/a~1b~2c",  "/a~1b~0c~",
                                          "/name/0",     "//x/y/z",    "/nam",      "/names"};
    for (size_t i = 1; i < sizeof nowhere / sizeof *nowhere; i++)
        if (json_at(root, nowhere[i]))
            unit_fail("%s leads somewhere", nowhere[i]);
    assert_ptr_equal(json_at(root, ""), root);
    assert_true(json_is(json_at(root, "/"), JSON_OBJECT)); /* the member with the empty name */
    assert_null(json_at(NULL, "/a"));
    struct place place = place_of(text, json_get_c(root, "")->key_off);
    assert_int_equal(place.line, 2);
    assert_int_equal(place.column, 2);
    arena_fini(&a);
}

/* Every node's pointer leads back to it (to the first of its name, for a duplicate), and its offset is where it says. */
static void check_nodes(struct arena *a, struct pap_str text, const struct json *root, const struct json *j)
{
    static const char first_bytes[] = "nft0\"[{";
    struct pap_str pointer = json_pointer(a, root, j);
    assert_non_null(pointer.p);
    const struct json *back = json_at(root, arena_cstr(a, pointer));
    assert_true(back == j || (back && back->off < j->off));
    char first = text.p[j->off];
    assert_int_equal(ascii_is_digit(first) || first == '-' ? '0' : first, first_bytes[j->type]);
    if (j->flags & JSON_HAS_KEY)
        assert_int_equal(text.p[j->key_off], '"');
    uint32_t n = 0;
    json_each (child, j) {
        check_nodes(a, text, root, child);
        n++;
    }
    if (j->type == JSON_ARRAY || j->type == JSON_OBJECT)
        assert_int_equal(n, j->n);
}

static void every_pointer_leads_back(void **state)
{
    (void)state;
    struct pap_str text = str(document, sizeof document - 1);
    struct arena a;
    arena_init(&a, NULL);
    struct notes notes = {0};
    struct json *root = NULL, *other = NULL;
    assert_ok(json_read(&a, text, &root, &notes));
    check_nodes(&a, text, root, root);
    assert_str(json_pointer(&a, root, root), "");
    assert_str(json_pointer(&a, root, json_at(root, "/a~1b~0c/7/0/0")), "/a~1b~0c/7/0/0");
    assert_ok(json_read(&a, text, &other, &notes));
    assert_null(json_pointer(&a, root, other->child).p);
    arena_fini(&a);
}

static void values_end_where_they_end(void **state)
{
    (void)state;
    static const char *const values[] = {
        "1", "-1.5e3", "true", "null", "\"\"", "\"a]}\\\"b\\\\\"", "[]", "[ 1 , [2] ]", "{\"a\": \"}\", \"b\": [{}]}"};
    static const char *const behind[] = {"", ",", "]", "}", " ,", "\n]"};
    struct arena a;
    arena_init(&a, NULL);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (size_t k = 0; k < sizeof behind / sizeof *behind; k++) {
            struct pap_str text = arena_fmt(&a, "[%s%s", values[i], behind[k]);
            assert_int_equal(json_value_end(text, 1), 1 + strlen(values[i]));
        }
    arena_fini(&a);
}

static void types_have_names(void **state)
{
    (void)state;
    struct result r = read_text(S("[null,true,1,\"\",[],{}]"));
    static const char *const names[] = {"null", "true", "a number", "a string", "an array", "an object"};
    size_t i = 0;
    json_each (j, r.root)
        assert_string_equal(json_type_name(j), names[i++]);
    assert_string_equal(json_type_name(NULL), "nothing");
    assert_null(json_str(r.root).p);
    assert_null(json_str(NULL).p);
    assert_null(json_get_c(r.root, "x"));
    done(&r);
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    static char text[100000];
    size_t n = (size_t)snprintf(text, sizeof text, "{\"long\":[[[\"\\n%020000d\"]]]", 7);
    for (int i = 0; i < 1000; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, ",\"k%d\":\"\\u0000\"", i % 900);
    n += (size_t)snprintf(text + n, sizeof text - n, "%s", "} x");
    unsigned failures = 0;
    for (unsigned at = 1; at < FAIL_ALLOC_MOST; at++) {
        struct fail_alloc f;
        fail_alloc_init(&f, at);
        struct arena a;
        arena_init(&a, &f.alloc);
        struct notes notes = {0};
        struct json *root = NULL;
        pap_result result = json_read(&a, str(text, n), &root, &notes);
        bool failed = f.calls >= at;
        assert_int_equal(result.code, failed ? PAP_NO_MEMORY : PAP_OK);
        failures += failed;
        arena_fini(&a);
        assert_int_equal(f.live, 0);
        if (!failed)
            break;
    }
    assert_true(failures > 3);
}

/* ---- documents of others ------------------------------------------------------------------------------------------ */

static struct pap_str slurp(const char *folder, const char *name)
{
    char path[4096];
    assert_true(snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 22);
    assert_non_null(bytes);
    size_t n = fread(bytes, 1, 1 << 22, file);
    (void)fclose(file);
    return str(bytes, n);
}

static void cut_everywhere(const char *name, struct pap_str text)
{
    struct pap_str whole = str_trim(text);
    for (size_t n = 0; n < whole.n && whole.n < 4096; n++) {
        struct result r = read_text(str_take(whole, n));
        bool cut_number = n > 0 && ascii_is_digit(whole.p[0] == '-' ? '0' : whole.p[0]);
        if (r.root && !cut_number)
            unit_fail("%s cut at %zu is read", name, n);
        done(&r);
    }
}

static void each_case(const char *sub, const char *suffix)
{
    const char *cases = getenv("PAPAVER_CASES");
    char folder[4096];
    if (!cases) {
        print_message("PAPAVER_CASES is not set: %s is not read\n", sub);
        return;
    }
    assert_true(snprintf(folder, sizeof folder, "%s/%s", cases, sub) < (int)sizeof folder);
    DIR *d = opendir(folder);
    assert_non_null(d);
    unsigned seen = 0;
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        if (e->d_name[0] == '.' || !str_ends(str_c(e->d_name), str_c(suffix)))
            continue;
        struct pap_str text = slurp(folder, e->d_name);
        struct result r = read_text(text);
        if (e->d_name[1] == '_' && ((e->d_name[0] == 'y' && !r.root) || (e->d_name[0] == 'n' && r.root)))
            unit_fail("%s is %s", e->d_name, r.root ? "read" : "refused");
        if (r.root)
            cut_everywhere(e->d_name, text);
        done(&r);
        free((void *)(uintptr_t)text.p);
        seen++;
    }
    (void)closedir(d);
    print_message("%s: %u documents\n", sub, seen);
    assert_true(seen > 3);
}

static void documents_of_others_end_right(void **state)
{
    (void)state;
    each_case("json", ".json");
    each_case("hostile/json", "");
    each_case("indexes", ".json");
    each_case("poppy", ".json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_named_with_their_place),
        cmocka_unit_test(truncation_names_what_is_open),
        cmocka_unit_test(nul_bytes_do_not_end_the_text),
        cmocka_unit_test(depth_has_a_cap),
        cmocka_unit_test(member_names_have_a_cap),
        cmocka_unit_test(values_have_a_cap),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(duplicates_are_kept_and_noted),
        cmocka_unit_test(many_duplicates_come_in_document_order),
        cmocka_unit_test(odd_things_are_read_and_noted),
        cmocka_unit_test(values_and_places_are_right),
        cmocka_unit_test(every_pointer_leads_back),
        cmocka_unit_test(values_end_where_they_end),
        cmocka_unit_test(types_have_names),
        cmocka_unit_test(every_failed_allocation_is_reported),
        cmocka_unit_test(documents_of_others_end_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
