/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON writer: shape, escapes, and that what it writes is read back as it was.
 */
#include "unit.h"

#include "text/json_write.h"
#include "text/utf8.h"

static void write_sample(struct json_writer *w)
{
    json_object_begin(w);
    json_write_key(w, "name");
    json_write_cstr(w, "caf\xc3\xa9");
    json_write_key(w, "empty");
    json_object_begin(w);
    json_object_end(w);
    json_write_key(w, "list");
    json_array_begin(w);
    json_write_int(w, INT64_MIN);
    json_write_bool(w, true);
    json_write_bool(w, false);
    json_write_null(w);
    json_write_cstr(w, NULL);
    json_array_begin(w);
    json_array_end(w);
    json_object_begin(w);
    json_write_key_str(w, S("\"k\""));
    json_write_str(w, S("v"));
    json_object_end(w);
    json_array_end(w);
    json_object_end(w);
}

static void both_shapes_are_written(void **state)
{
    (void)state;
    static const char *const want[] = {
        "{\"name\":\"caf\xc3\xa9\",\"empty\":{},\"list\":[-9223372036854775808,true,false,null,null,[],"
        "{\"\\\"k\\\"\":\"v\"}]}",
        "{\n  \"name\": \"caf\xc3\xa9\",\n  \"empty\": {},\n  \"list\": [\n    -9223372036854775808,\n    true,\n"
        "    false,\n    null,\n    null,\n    [],\n    {\n      \"\\\"k\\\"\": \"v\"\n    }\n  ]\n}"};
    for (unsigned i = 0; i < 2; i++) {
        struct buf b;
        buf_init(&b, NULL, 10000);
        struct json_writer w;
        json_writer_init(&w, &b, i * 2);
        write_sample(&w);
        assert_true(buf_ok(&b));
        assert_str(buf_str(&b), want[i]);
        buf_fini(&b);
    }
}

static void scalars_stand_alone(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 100);
    struct json_writer w;
    json_writer_init(&w, &b, 2);
    json_write_int(&w, 7);
    assert_str(buf_str(&b), "7");
    buf_fini(&b);
}

static void strings_are_escaped(void **state)
{
    (void)state;
    static const struct {
        struct pap_str text;
        const char *want;
    } rows[] = {
        {S_INIT(""), "\"\""},
        {S_INIT("plain /"), "\"plain /\""},
        {S_INIT("\"\\\b\f\n\r\t"), "\"\\\"\\\\\\b\\f\\n\\r\\t\""},
        {S_INIT("a\0b"), "\"a\\u0000b\""},
        {S_INIT("\x1b[2J\x7f"), "\"\\u001b[2J\\u007f\""},
        {S_INIT("</script>&"), "\"\\u003c/script\\u003e\\u0026\""},
        {S_INIT("\xe2\x80\xa8\xe2\x80\xa9"), "\"\\u2028\\u2029\""},
        {S_INIT("\xe2\x80\xae\xc2\x9b"), "\"\\u202e\\u009b\""},
        {S_INIT("\xf3\xa0\x81\x81"), "\"\\udb40\\udc41\""},
        {S_INIT("\xf0\x9f\x8c\xb8"), "\"\xf0\x9f\x8c\xb8\""},
        {S_INIT("a\xff\xe2\x82z"), "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf b;
        buf_init(&b, NULL, 1000);
        json_escape(&b, rows[i].text);
        assert_str(buf_str(&b), rows[i].want);
        buf_fini(&b);
    }
}

/* Reads `text`, writes it with `indent` and gives what was written (in the arena). */
static struct pap_str rewrite(struct arena *a, struct pap_str text, unsigned indent)
{
    struct notes notes = {0};
    struct json *root = NULL;
    assert_ok(json_read(a, text, &root, &notes));
    assert_non_null(root);
    struct buf b;
    buf_init(&b, NULL, 100000);
    struct json_writer w;
    json_writer_init(&w, &b, indent);
    json_write_tree(&w, root);
    assert_true(buf_ok(&b));
    struct pap_str copy = arena_str(a, buf_str(&b));
    buf_fini(&b);
    return copy;
}

static void trees_come_back_as_they_were(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    const char *compact = "{\"a\":[1e400,-0.0,123456789012345678901,null,true,false,\"\\u0000\\u2028\"],"
                          "\"a\":{\"\":{}},\"c\":[[],[[]]]}";
    assert_str(rewrite(&a, str_c(compact), 0), compact);
    assert_str(rewrite(&a, rewrite(&a, str_c(compact), 3), 0), compact);
    /* Every code point, in text and as escape. */
    struct buf all;
    buf_init(&all, NULL, 8000000);
    for (uint32_t code = 0; code <= 0x10ffff; code++)
        if (code < 0xd800 || code > 0xdfff)
            utf8_add(&all, code);
    struct buf escaped;
    buf_init(&escaped, NULL, 16000000);
    json_escape(&escaped, buf_str(&all));
    struct notes notes = {0};
    struct json *root = NULL;
    assert_ok(json_read(&a, buf_str(&escaped), &root, &notes));
    assert_non_null(root);
    assert_true(str_eq(json_str(root), buf_str(&all)));
    buf_fini(&all);
    buf_fini(&escaped);
    arena_fini(&a);
}

static void numbers_of_yaml_become_those_of_json(void **state)
{
    (void)state;
    static const struct {
        const char *yaml, *json;
    } cases[] = {{"3", "3"},
                 {"-3", "-3"},
                 {"+3", "3"},
                 {"007", "7"},
                 {"-00", "-0"},
                 {"1.0", "1.0"},
                 {".5", "0.5"},
                 {"-.5", "-0.5"},
                 {"5.", "5"},
                 {"5.e3", "5e3"},
                 {"6.02e23", "6.02e23"},
                 {"1E-2", "1E-2"},
                 {"0x1F", "31"},
                 {"0o17", "15"},
                 {"0", "0"},
                 {"0xffffffffffffffffff", "\"0xffffffffffffffffff\""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct json number = {
            .type = JSON_NUMBER, .flags = JSON_PLAIN, .p = cases[i].yaml, .n = (uint32_t)strlen(cases[i].yaml)};
        struct buf b;
        buf_init(&b, NULL, 100);
        struct json_writer w;
        json_writer_init(&w, &b, 0);
        json_write_tree(&w, &number);
        assert_str(buf_str(&b), cases[i].json);
        buf_fini(&b);
    }
}

static void any_tree_fits_and_deeper_fails(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 100000);
    struct json_writer w;
    json_writer_init(&w, &b, 0);
    for (int i = 1; i < JSON_WRITE_DEPTH; i++)
        json_array_begin(&w);
    assert_true(buf_ok(&b));
    for (int i = 0; i < 10; i++)
        json_array_begin(&w);
    assert_int_equal(b.code, PAP_LIMIT);
    for (int i = 0; i < JSON_WRITE_DEPTH * 2; i++)
        json_array_end(&w); /* more than were begun: must not leave the array */
    buf_fini(&b);
}

static void a_full_buffer_is_reported(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 20);
    struct json_writer w;
    json_writer_init(&w, &b, 2);
    write_sample(&w);
    assert_int_equal(b.code, PAP_LIMIT);
    assert_true(b.n <= 20);
    buf_fini(&b);
    for (unsigned at = 1; at < FAIL_ALLOC_MOST; at++) {
        struct fail_alloc f;
        fail_alloc_init(&f, at);
        buf_init(&b, &f.alloc, 10000);
        json_writer_init(&w, &b, 2);
        write_sample(&w);
        bool failed = f.calls >= at;
        assert_int_equal(b.code, failed ? PAP_NO_MEMORY : PAP_OK);
        buf_fini(&b);
        assert_int_equal(f.live, 0);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_shapes_are_written),
        cmocka_unit_test(scalars_stand_alone),
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(trees_come_back_as_they_were),
        cmocka_unit_test(numbers_of_yaml_become_those_of_json),
        cmocka_unit_test(any_tree_fits_and_deeper_fails),
        cmocka_unit_test(a_full_buffer_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
