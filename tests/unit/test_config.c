/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver/config.h: what is read, what is refused and where, every failing allocation, and a file cut at every byte.
 */
#include "unit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <papaver/config.h>

static char folder[] = "/tmp/papaver-config-XXXXXX";
static char path[64];

static void write_file(struct pap_str text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
    assert_int_equal(fclose(f), 0);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(path, sizeof path, "%s/papaver.json", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(path);
    return rmdir(folder);
}

static const char full[] = "{\n  \"publish\": {\"x\": {}}, \"$schema\": \"s\",\n"
                           "  \"check\": {\"as\": \"0.1\", \"jobs\": 4, \"offline\": true, \"quiet\": false,\n"
                           "    \"skip\": [\"a.*\", \"b\"], \"only\": [], \"timeout\": 2.50}\n}\n";

static void test_reads(void **state)
{
    (void)state;
    static const struct pap_setting want[] = {
        {"as", "0.1", PAP_SETTING_TEXT, false, 3, 19},       {"jobs", "4", PAP_SETTING_NUMBER, false, 3, 34},
        {"offline", "true", PAP_SETTING_BOOL, false, 3, 48}, {"quiet", "false", PAP_SETTING_BOOL, false, 3, 63},
        {"skip", "a.*", PAP_SETTING_TEXT, true, 4, 14},      {"skip", "b", PAP_SETTING_TEXT, true, 4, 21},
        {"only", "", PAP_SETTING_EMPTY_LIST, false, 4, 35},  {"timeout", "2.50", PAP_SETTING_NUMBER, false, 4, 50},
    };
    struct pap_config *config;
    write_file(str_c(full));
    assert_ok(pap_config_read(NULL, path, "check", &config, NULL));
    assert_int_equal(pap_config_count(config), sizeof want / sizeof *want);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const struct pap_setting *got = pap_config_at(config, i);
        assert_string_equal(got->key, want[i].key);
        assert_string_equal(got->value, want[i].value);
        assert_int_equal(got->type, want[i].type);
        assert_int_equal(got->listed, want[i].listed);
        assert_int_equal(got->line, want[i].line);
        assert_int_equal(got->column, want[i].column);
    }
    pap_config_free(config);
    pap_config_free(NULL);
}

static void test_empty(void **state)
{
    (void)state;
    static const char *const texts[] = {"{}", "{\"check\":{}}", "{\"serve\":{\"port\":[{}]}}", "\xef\xbb\xbf{}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct pap_config *config;
        write_file(str_c(texts[i]));
        assert_ok(pap_config_read(NULL, path, "check", &config, NULL));
        assert_int_equal(pap_config_count(config), 0);
        pap_config_free(config);
    }
}

static void test_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"", ":1:1: not JSON: the text is empty"},
        {"{\"check\": {\"as\": '0.1'}}", ":1:18: not JSON: expected a value after the colon, found a single quote"},
        {"[]", ":1:1: the file holds an array, but an object is needed: {\"check\": {...}}"},
        {"{\"check\": []}", ":1:11: \"check\" is an array, but an object is needed: {\"check\": {...}}"},
        {"{\"chekc\": {}}", ":1:2: there is no section \"chekc\"; did you mean \"check\"?"},
        {"{\"check\": {}, \"chekc\": {}}",
         ":1:15: there is no section \"chekc\" (there are \"check\", \"publish\" and \"serve\")"},
        {"{\"servr\": {}}", ":1:2: there is no section \"servr\"; did you mean \"serve\"?"},
        {"{\n  \"scopes\": {}}",
         ":2:3: there is no section \"scopes\" (there are \"check\", \"publish\" and \"serve\"); "
         "write {\"serve\": {\"scopes\": ...}}"},
        {"{\"check\": {}, \"outDir\": \"x\"}",
         ":1:15: there is no section \"outDir\" (there are \"check\", \"publish\" and "
         "\"serve\"); for a setting of \"check\" write {\"check\": {\"outDir\": ...}}"},
        {"{\"\": {}}", ":1:2: there is no section \"\" (there are"},
        {"{\"check\": {}, \"check\": {}}", ":1:15: \"check\" stands here for the second time"},
        {"{\"check\": {\"as\": \"0.1\",\n\"as\": \"0.2\"}}", ":2:1: \"as\" stands here for the second time"},
        {"{\"check\": {\"as\": null}}", ":1:18: \"as\" is null, but text, a number, true, false or a list"},
        {"{\"check\": {\"as\": {}}}", ":1:18: \"as\" is an object, but"},
        {"{\"check\": {\"skip\": [\"a\", [\"b\"]]}}", ":1:26: \"skip\" is an array, but"},
        {"{\"check\": {\"skip\": [null]}}", ":1:21: \"skip\" is null, but"},
        {"{\"check\": {\"as\": \"0.1\\u0000\"}}", ":1:18: the value of \"as\" holds a control or invisible character"},
        {"{\"check\": {\"as\": \"\\u202e0.1\"}}", ":1:18: the value of \"as\" holds a control or invisible character"},
        {"{\"check\": {\"a\\nb\": null}}", ":1:20: \"a\\x0Ab\" is null"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pap_config *config;
        struct pap_err err;
        write_file(str_c(cases[i].text));
        assert_int_equal(pap_config_read(NULL, path, "check", &config, &err).code, PAP_SYNTAX);
        size_t n = strlen(path);
        if (strncmp(err.text, path, n) != 0 || strncmp(err.text + n, cases[i].why, strlen(cases[i].why)) != 0)
            unit_fail("%s gives \"%s\", want \"%s\"", cases[i].text, err.text, cases[i].why);
    }
}

static const char tables[] =
    "{\"serve\": {\"jobs\": 4, \"sites\": {\n"
    "  \"a.example\": {\"folder\": \"a\", \"scopes\": {\"staff\": {\"skills\": [\"x\", \"y\"]}, \"none\": {}}},\n"
    "  \"b.example\": {\"open\": []}}, \"quiet\": true}}\n";
static const char *const table_names[] = {"sites", "scopes", NULL};

static void test_tables(void **state)
{
    (void)state;
    static const struct pap_setting want[] = {
        {"jobs", "4", PAP_SETTING_NUMBER, false, 1, 20, 0},     {"sites", "", PAP_SETTING_OBJECT, false, 1, 32, 0},
        {"a.example", "", PAP_SETTING_OBJECT, false, 2, 16, 1}, {"folder", "a", PAP_SETTING_TEXT, false, 2, 27, 2},
        {"scopes", "", PAP_SETTING_OBJECT, false, 2, 42, 2},    {"staff", "", PAP_SETTING_OBJECT, false, 2, 52, 3},
        {"skills", "x", PAP_SETTING_TEXT, true, 2, 64, 4},      {"skills", "y", PAP_SETTING_TEXT, true, 2, 69, 4},
        {"none", "", PAP_SETTING_OBJECT, false, 2, 84, 3},      {"b.example", "", PAP_SETTING_OBJECT, false, 3, 16, 1},
        {"open", "", PAP_SETTING_EMPTY_LIST, false, 3, 25, 2},  {"quiet", "true", PAP_SETTING_BOOL, false, 3, 40, 0},
    };
    struct pap_config *config;
    write_file(str_c(tables));
    assert_ok(pap_config_read_tables(NULL, path, "serve", table_names, &config, NULL));
    assert_int_equal(pap_config_count(config), sizeof want / sizeof *want);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const struct pap_setting *got = pap_config_at(config, i);
        if (strcmp(got->key, want[i].key) != 0 || strcmp(got->value, want[i].value) != 0 || got->type != want[i].type ||
            got->listed != want[i].listed || got->line != want[i].line || got->column != want[i].column ||
            got->depth != want[i].depth)
            unit_fail("%zu: %s is %s at %u:%u, depth %u", i, got->key, got->value, got->line, got->column, got->depth);
    }
    pap_config_free(config);
}

static void test_tables_refuse(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"{\"sites\": {}}",
         ":1:2: there is no section \"sites\" (there are \"check\", \"publish\" and \"serve\"); write "
         "{\"serve\": {\"sites\": ...}}"},
        {"{\"serve\": {}, \"listen\": \":80\"}",
         ":1:15: there is no section \"listen\" (there are \"check\", \"publish\" and "
         "\"serve\"); for a setting of \"serve\" write {\"serve\": {\"listen\": ...}}"},
        {"{\"serve\": {\"other\": {}}}", ":1:21: \"other\" is an object, but"},
        {"{\"serve\": {\"sites\": [{}]}}", ":1:22: \"sites\" is an object, but"},
        {"{\"serve\": {\"sites\": {\"a\": {\"x\": {\"y\": {\"z\": {}}}}}}}", ":1:45: \"z\" is an object, but"},
        {"{\"serve\": {\"sites\": {\"a\": {},\n\"a\": {}}}}", ":2:1: \"a\" stands here for the second time"},
        {"{\"serve\": {\"sites\": {\"a\": {\"x\": null}}}}", ":1:33: \"x\" is null, but"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pap_config *config;
        struct pap_err err;
        write_file(str_c(cases[i].text));
        assert_int_equal(pap_config_read_tables(NULL, path, "serve", table_names, &config, &err).code, PAP_SYNTAX);
        size_t n = strlen(path);
        if (strncmp(err.text + n, cases[i].why, strlen(cases[i].why)) != 0)
            unit_fail("%s gives \"%s\", want \"%s\"", cases[i].text, err.text, cases[i].why);
        assert_int_equal(pap_config_read(NULL, path, "serve", &config, &err).code, PAP_SYNTAX);
    }
    write_file(str_c(tables));
    for (unsigned n = 1;; n++) {
        struct fail_alloc f;
        struct pap_config *config = NULL;
        fail_alloc_init(&f, n);
        pap_result r = pap_config_read_tables(&f.alloc, path, "serve", table_names, &config, NULL);
        pap_config_free(config);
        assert_int_equal(f.live, 0);
        if (f.calls < n)
            break;
        assert_int_equal(r.code, PAP_NO_MEMORY);
    }
}

static void test_no_file(void **state)
{
    (void)state;
    struct pap_config *config;
    struct pap_err err;
    assert_int_equal(pap_config_read(NULL, "/nonexistent/papaver.json", "check", &config, &err).code, PAP_IO);
    assert_non_null(strstr(err.text, "/nonexistent/papaver.json"));
    assert_int_equal(pap_config_read(NULL, folder, "check", &config, &err).code, PAP_IO);
    static char large[LIMIT_CONFIG + 1];
    memset(large, ' ', sizeof large);
    write_file(str(large, sizeof large));
    assert_int_equal(pap_config_read(NULL, path, "check", &config, &err).code, PAP_LIMIT);
}

static void test_cut_at_every_byte(void **state)
{
    (void)state;
    size_t last = str_trim(str_c(full)).n;
    for (size_t n = 0; n < last; n++) {
        struct pap_config *config;
        struct pap_err err;
        write_file(str(full, n));
        assert_int_equal(pap_config_read(NULL, path, "check", &config, &err).code, PAP_SYNTAX);
    }
}

static void test_every_failing_allocation(void **state)
{
    (void)state;
    static const char *const texts[] = {full, "{\"chekc\": {}}", "{\"scopes\": {}}", "{\"check\": {\"as\": null}}",
                                        "{\"check\": {\"as\": 1 1}}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_file(str_c(texts[i]));
        unsigned n = 1;
        for (; n < FAIL_ALLOC_MOST; n++) {
            struct fail_alloc f;
            struct pap_config *config = NULL;
            fail_alloc_init(&f, n);
            pap_result r = pap_config_read(&f.alloc, path, "check", &config, NULL);
            pap_config_free(config);
            assert_int_equal(f.live, 0);
            if (f.calls < n)
                break;
            assert_int_equal(r.code, PAP_NO_MEMORY);
        }
        assert_in_range(n, 3, FAIL_ALLOC_MOST - 1);
    }
}

static void test_nearest(void **state)
{
    (void)state;
    static const char *const names[] = {"text", "json", "sarif", NULL};
    assert_string_equal(pap_nearest("jsno", names), "json");
    assert_string_equal(pap_nearest("SARIF", names), "sarif");
    assert_null(pap_nearest("xml", names));
    assert_null(pap_nearest("", names));
    assert_null(pap_nearest("x", (const char *const[]){NULL}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_tables_refuse),
        cmocka_unit_test(test_no_file),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_every_failing_allocation),
        cmocka_unit_test(test_nearest),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
