/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of skill indexes beyond their cases in tests/checks: repairs that can be pasted, indexes cut anywhere, hostile
 * sizes, memory that runs out.
 */
#include "base/buf.h"
#include "judged.h"

#define SCHEMA "\"$schema\":\"https://schemas.agentskills.io/discovery/0.2.0/schema.json\""
#define HEX "73331f715bc6c816fbc4be668b3b3f13273cf7d825d5c13837fb37fa07a93bc5"
#define UPPER "73331F715BC6C816FBC4BE668B3B3F13273CF7D825D5C13837FB37FA07A93BC5"
#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"
#define NAME "\"name\":\"change-booking\","
#define TYPE "\"type\":\"skill-md\","
#define TEXT "\"description\":\"Move a booking.\","
#define URL "\"url\":\"/a/SKILL.md\","
#define DIGEST "\"digest\":\"sha256:" HEX "\""
#define INDEX(entry) "{" SCHEMA ",\"skills\":[{" entry "}]}"

static pap_result judge_index(struct judged *j, struct pap_str text)
{
    TRY(judged_add(j, (struct doc){.kind = KIND_INDEX, .role = ROLE_WELL_KNOWN, .name = S("index.json"), .bytes = text},
                   NULL));
    return judged_run(j);
}

static const struct {
    const char *text, *id, *part;
} repairs[] = {
    {INDEX(NAME TYPE TEXT URL "\"sha256\":\"" UPPER "\""), "index.entry",
     "Write \"digest\": \"sha256:" HEX "\" instead of \"sha256\"."},
    {INDEX(NAME TYPE TEXT URL "\"hash\":\"SHA256-" UPPER "\""), "index.entry", "\"digest\": \"sha256:" HEX "\""},
    {INDEX(NAME TYPE TEXT URL "\"hash\":\"md5:9e107d9d372bb6826bd81d3542a419d6\""), "index.entry", "sha256sum"},
    {INDEX(NAME TYPE TEXT URL "\"hash\":\"blake3:" HEX "\""), "index.entry", "sha256sum"},
    {INDEX(NAME TYPE TEXT URL "\"sha256\":\"" ZEROS "\""), "index.entry", "a placeholder that no file has"},
    {INDEX("\"title\":\"Change a Booking!\"," TYPE TEXT URL DIGEST), "index.entry",
     "Write \"name\": \"change-a-booking\" instead of \"title\"."},
    {INDEX(NAME TEXT "\"kind\":\"tool\",\"url\":\"/a.TGZ?x#y\"," DIGEST), "index.entry", "\"type\": \"archive\""},
    {INDEX(NAME TEXT "\"kind\":\"skill-md\"," URL DIGEST), "index.entry", "\"type\": \"skill-md\" instead of \"kind\""},
    {INDEX(NAME TYPE TEXT "\"path\":\"a/SKILL.md\"," DIGEST), "index.entry", "Rename \"path\" to \"url\"."},
    {INDEX(NAME TYPE "\"summary\":\"Move.\"," URL DIGEST), "index.entry", "Rename \"summary\" to \"description\"."},
    {INDEX("\"name\":\"Change your booking\",\"id\":\"change-booking\"," TYPE TEXT URL DIGEST), "index.name",
     "\"name\": \"change-booking\""},
    {INDEX("\"name\":\"--Change__Booking--\"," TYPE TEXT URL DIGEST), "index.name", "\"name\": \"change-booking\""},
    {INDEX(NAME "\"type\":\"tool\"," TEXT URL DIGEST), "index.type", "Write \"type\": \"skill-md\""},
    {INDEX(NAME TYPE TEXT URL "\"digest\":\"" UPPER "\""), "index.digest", "Write \"digest\": \"sha256:" HEX "\"."},
    {INDEX(NAME TYPE TEXT "\"url\":\" /my skill/\xc3\xa9.md\"," DIGEST), "index.url",
     "Write \"url\": \"/my%20skill/%C3%A9.md\"."},
    {INDEX(NAME TYPE TEXT "\"url\":\"HTTP://shop.example:8080/a.md\"," DIGEST), "index.url",
     "\"url\": \"https://shop.example:8080/a.md\""},
    {INDEX(NAME TYPE TEXT "\"url\":\"a\\\\b.md\"," DIGEST), "index.url", "a backslash (byte 2)"},
    {"{\"skills\":[{" NAME TYPE TEXT URL DIGEST "}]}", "index.schema", "this line is all that is missing"},
    {"{" SCHEMA ",\"items\":[{" NAME TYPE TEXT URL DIGEST "}]}", "index.skills", "Rename \"items\" to \"skills\"."},
};

static void repairs_can_be_pasted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof repairs / sizeof repairs[0]; i++) {
        struct judged j;
        judged_begin(&j, NULL);
        assert_ok(judge_index(&j, str_c(repairs[i].text)));
        judged_assert(&j, repairs[i].id, repairs[i].part);
        judged_end(&j);
    }
}

/* An older layout is one finding, whatever its entries lack. */
static void an_old_layout_is_one_finding(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\"skills\":[{\"name\":\"A B\",\"files\":[\"SKILL.md\"]},{\"files\":[]}]}",
        "{\"skills\":[{\"name\":\"a\",\"digest\":\"x\",\"files\":[{\"path\":\"SKILL.md\",\"digest\":\"x\"}]}]}",
        "{\"version\":\"0.2.0\",\"skills\":[{\"name\":\"a\",\"package\":{}}]}",
        "{\"skills\":[{\"name\":\"a\",\"path\":\"a/SKILL.md\"},{\"name\":\"a\",\"path\":\"a/SKILL.md\"}]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct judged j;
        judged_begin(&j, NULL);
        assert_ok(judge_index(&j, str_c(texts[i])));
        if (j.found.n != 1 || !judged_find(&j, "index.legacy")) {
            judged_show(&j);
            unit_fail("%s", texts[i]);
        }
        judged_end(&j);
    }
}

/* What only resembles one is a broken index. */
static void a_mixed_layout_is_broken(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\"version\":\"1.1.1\",\"skills\":[{\"name\":\"a\",\"url\":\"a\"}]}",
        "{\"version\":\"0.2.0\",\"skills\":[{\"name\":\"a\",\"url\":\"a\"}]}",
        "{\"skills\":[{\"name\":\"a\",\"files\":[]},{\"name\":\"b\"}]}",
        "{\"skills\":[{\"name\":\"a\",\"path\":\"a\",\"digest\":\"b\"}]}",
        "{" SCHEMA ",\"skills\":[{\"name\":\"a\",\"files\":[]}]}",
        "{\"skills\":[]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct judged j;
        judged_begin(&j, NULL);
        assert_ok(judge_index(&j, str_c(texts[i])));
        if (judged_find(&j, "index.legacy") || (!judged_find(&j, "index.schema") && !judged_find(&j, "index.entry"))) {
            judged_show(&j);
            unit_fail("%s", texts[i]);
        }
        judged_end(&j);
    }
}

/* A member that clients read is an error when it stands twice, one that they ignore a warning; inside poppy.json too. */
static void members_twice(void **state)
{
    (void)state;
    static const struct {
        const char *text, *id;
    } cases[] = {
        {INDEX(NAME TYPE TEXT URL URL DIGEST), "json.duplicate-member"},
        {INDEX(NAME TYPE TEXT URL "\"x\":1,\"x\":1," DIGEST), "json.duplicate-unread"},
        {"{" SCHEMA "," SCHEMA ",\"skills\":[]}", "json.duplicate-member"},
        {"{" SCHEMA ",\"skills\":[],\"skills\":[]}", "json.duplicate-member"},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        struct judged j;
        judged_begin(&j, NULL);
        const char *text = cases[i / 2].text;
        struct pap_str whole = i % 2 ? arena_fmt(&j.arena, "{\"skill_index\":%s}", text) : str_c(text);
        assert_ok(judged_add(
            &j, (struct doc){.kind = i % 2 ? KIND_POPPY : KIND_INDEX, .name = S("x.json"), .bytes = whole}, NULL));
        assert_ok(judged_run(&j));
        judged_assert(&j, cases[i / 2].id, "stands twice");
        judged_end(&j);
    }
}

static void a_cut_index_is_never_right(void **state)
{
    (void)state;
    struct pap_str text = S(INDEX(NAME TYPE TEXT URL DIGEST));
    for (size_t n = 0; n <= text.n; n++) {
        struct judged j;
        judged_begin(&j, NULL);
        assert_ok(judge_index(&j, str_take(text, n)));
        assert_int_equal(j.found.n == 0, n == text.n);
        judged_end(&j);
    }
}

static void memory_may_run_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof repairs / sizeof repairs[0]; i++) {
        bool done = false;
        for (unsigned n = 1; !done && n < FAIL_ALLOC_MOST; n++) {
            struct fail_alloc f;
            struct judged j;
            fail_alloc_init(&f, n);
            judged_begin(&j, &f.alloc);
            pap_result r = judge_index(&j, str_c(repairs[i].text));
            done = is_ok(r);
            if (!done)
                assert_int_equal(r.code, PAP_NO_MEMORY);
            judged_end(&j);
            assert_int_equal(f.live, 0);
        }
        assert_true(done);
    }
}

/* A document of the largest size that is read, made of one thing again and again. How the time grows is measured by
 * bench/growth.sh. */
static void hostile_sizes_cost_little(void **state)
{
    (void)state;
    static const char *const things[] = {
        "{},",
        "0,",
        "{\"url\":\"\"},",
        "{\"name\":\"a\"},",
        "{\"url\":\"http://a\\u0000\",\"digest\":\"\"},",
        "{\"description\":\"<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<\"},",
        "{\"files\":[]},",
        "{\"path\":\"\"},",
    };
    for (size_t i = 0; i < sizeof things / sizeof things[0]; i++) {
        struct buf b;
        struct judged j;
        buf_init(&b, NULL, 2 << 20);
        buf_add(&b, i < 6 ? S("{" SCHEMA ",\"skills\":[") : S("{\"skills\":["));
        while (b.n < 1000000)
            buf_add(&b, str_c(things[i]));
        buf_add(&b, S("0]}"));
        judged_begin(&j, NULL);
        assert_ok(judge_index(&j, buf_str(&b)));
        assert_true(j.found.n > 0 && j.found.n < 1000);
        assert_true(j.arena.total < 100u << 20);
        judged_end(&j);
        buf_fini(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repairs_can_be_pasted),      cmocka_unit_test(an_old_layout_is_one_finding),
        cmocka_unit_test(a_mixed_layout_is_broken),   cmocka_unit_test(members_twice),
        cmocka_unit_test(a_cut_index_is_never_right), cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(hostile_sizes_cost_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
